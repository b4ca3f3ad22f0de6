"""Dackel drauf!: from which distribution whole states are made up.

Where players move at random, what they do tells nothing about the dice. Then a state drawn from the
true distribution given a view is, with that view, as likely as the true state: over many games, any
number computed from state and view has the same mean for both. So every such number is a test.
"""

import itertools
import random
from collections import Counter

import numpy as np
import pytest

from cardgames_env.core.game import (
    OK,
    apply_row,
    deal_row,
    determinize_row,
    determinize_weighted_row,
    get_game,
)
from cardgames_env.games.dackel_drauf.state import IN_VAIN, RESCUED
from tests.contract.play import Variant, copied, mask_of, positions, stream, to_act, view_of
from tests.games.dackel_drauf.reference import judge

GAME = get_game("dackel_drauf_v0")
DOG, DUCK, HARE, CAT, COW, MOUSE, HORSE, SHEEP, PIG = range(9)
PASS, USE = 18, 21
SIGMAS = 5


def variant(**options):
    return Variant("dackel_drauf_v0", "", options, None)


def made_from(view, options, rng):
    views, flat = GAME.new_views(1)
    flat[0] = view
    states = GAME.new_states(GAME.check_options(options), 1)
    determinize_row(views, 0, rng, states, 0)
    return states


def agree_in_the_mean(pairs):
    """That the numbers of true and of made-up states (a row each) have the same means."""
    true, made = (np.array(side, float) for side in zip(*pairs, strict=True))
    difference = (true - made).mean(axis=0)
    error = (true - made).std(axis=0) / len(true) ** 0.5
    assert (error > 0).all(), "a number that does not vary tests nothing"
    assert (abs(difference) < SIGMAS * error).all(), (difference / error).round(1)


# -- dice ------------------------------------------------------------------------------------------


def about_dice(snapshot, viewer):
    """Numbers about the dice, what they show, and who remembers them, the viewer included."""
    dice, n = snapshot["dice"], snapshot["players"]
    noticed = [snapshot["noticed"][(viewer + k) % n] for k in range(n)]
    counts = np.bincount(dice, minlength=9)
    mine, other = np.array(noticed[0]), np.array(noticed[1])
    shown = np.bincount(np.array(dice)[other], minlength=9)
    unseen = np.bincount(np.array(dice)[~mine], minlength=9)
    return [
        *counts[:8],
        (counts**2).sum(),
        counts[0] * counts[1],
        (unseen**2).sum(),
        *(dice[d] == dice[d + 1] for d in (0, 5, 9)),
        *(mine[d] for d in (0, 4, 14)),
        mine[2] * (dice[2] == 3),
        other.sum(),
        (mine & other).sum(),
        (shown * np.bincount(np.array(dice)[mine], minlength=9)).sum(),
        counts[4] * other.sum(),
    ]


ODD_FACES = [[0, 0, 1, 2, 3, d % 9] for d in range(7)] + [[8, 8, 8, 7, 6, 5]] * 4 + [
    [a % 9 for a in range(d, d + 6)] for d in range(4)
]  # fmt: skip


@pytest.mark.parametrize("faces", [None, ODD_FACES], ids=["the usual dice", "odd dice"])
def test_dice_are_drawn_as_they_were_rolled_given_what_is_remembered(faces):
    options = {"faces": faces, "max_rounds": 2, "notice": 0.15}
    rng = stream(7)
    pairs = []
    for states in positions(variant(**options), games=400, every=9):
        if to_act(states) >= 0 and states["phase"][0] < 2:
            view = view_of(GAME, states, 0)
            made = made_from(view, options, rng)
            pairs.append([about_dice(GAME.snapshot(s, 0), 0) for s in (states, made)])
    assert len(pairs) > 1500
    agree_in_the_mean(pairs)


def test_which_dice_may_be_the_ones_remembered_is_counted_exactly():
    """Four dice with odd faces, the others all pigs: every way to roll and to notice them, counted."""
    odd = [[0, 0, 0, 1, 1, 8], [0, 1, 2, 2, 2, 8], [1, 1, 1, 1, 8, 8], [0, 2, 8, 8, 8, 8]]
    options = {"faces": odd + [[8] * 6] * 11}
    remembered = {0: 1, 1: 1, 8: 1}
    ways = Counter()
    for rolled in itertools.product(*odd):
        for seen in itertools.combinations(range(15), 3):
            shown = Counter(rolled[d] if d < 4 else 8 for d in seen)
            if shown == remembered:
                ways[rolled, tuple(d for d in seen if d < 4)] += 1
    whole = sum(ways.values())
    states = GAME.new_states(GAME.check_options(options), 1)
    deal_row(states, 0, 1, 1)
    views, flat = GAME.new_views(1)
    flat[0] = view_of(GAME, states, 0)
    views["remembered"][0] = [remembered.get(animal, 0) for animal in range(9)]
    rng = stream(11)
    draws = 40_000
    drawn = Counter()
    for _ in range(draws):
        determinize_row(views, 0, rng, states, 0)
        dice = states["dice"][0].tolist()
        drawn[tuple(dice[:4]), tuple(d for d in range(4) if states["noticed"][0, 0] >> d & 1)] += 1
    assert set(drawn) <= set(ways)
    chi = sum((drawn[k] - draws * w / whole) ** 2 / (draws * w / whole) for k, w in ways.items())
    freedom = len(ways) - 1
    assert abs(chi - freedom) < SIGMAS * (2 * freedom) ** 0.5 + 10, (chi, freedom)
    assert freedom > 50


def test_with_perfect_memory_the_dice_show_what_they_show():
    options = {"memory": "perfect", "max_rounds": 2}
    for number, states in enumerate(positions(variant(**options), games=10, every=5)):
        made = made_from(view_of(GAME, states, 1), options, stream(number))
        counts = [np.bincount(s["dice"][0], minlength=9).tolist() for s in (states, made)]
        assert counts[0] == counts[1]
        assert (made["noticed"][0, :3] == (1 << 15) - 1).all() == (
            states["noticed"][0, :3] == (1 << 15) - 1
        ).all()


def test_dice_are_such_as_can_show_what_they_show():
    options = {"faces": ODD_FACES, "max_rounds": 3}
    for number, states in enumerate(positions(variant(**options), games=20, every=4)):
        for seat in range(3):
            dice = made_from(view_of(GAME, states, seat), options, stream(number))["dice"][0]
            assert all(animal in ODD_FACES[d] for d, animal in enumerate(dice))


# -- hands and piles -------------------------------------------------------------------------------


def about_hands(snapshot, viewer):
    p = (viewer + 1) % snapshot["players"]
    hand = np.bincount(snapshot["hands"][p], minlength=9)
    return [*hand[:8], (hand**2).sum(), hand[0] * hand[5], snapshot["piles"][p][0] == 3,
            snapshot["piles"][viewer][0] == snapshot["piles"][viewer][1]]  # fmt: skip


def test_hands_and_piles_are_dealt_uniformly():
    options = {"num_players": 2}
    states = GAME.new_states(GAME.check_options(options), 1)
    rng = stream(12)
    pairs = []
    for number in range(3000):
        deal_row(states, 0, 3, number)
        made = made_from(view_of(GAME, states, 0), options, rng)
        pairs.append([about_hands(GAME.snapshot(s, 0), 0) for s in (states, made)])
    agree_in_the_mean(pairs)


def histories(options, games, root=9):
    """Games of random moves, every position with the snapshots of all before it."""
    v = variant(**options)
    for number in range(games):
        states = v.new_state()
        deal_row(states, 0, root, number)
        chance = random.Random(f"{root} {number}")
        before = []
        while to_act(states) >= 0:
            before.append(GAME.snapshot(states, 0))
            yield states, before
            legal = np.flatnonzero(mask_of(GAME, states)).tolist()
            apply_row(states, 0, chance.choice(legal))


def test_cards_taken_back_are_in_the_hand_or_face_down_until_they_are_played():
    """In every state made up: at least those, by a plain account of what the table has seen."""
    options = {"max_rounds": 5}
    tried = 0
    account, last = {}, None
    for states, before in histories(options, games=25):
        now = before[-1]
        if len(before) == 1:
            account = {p: Counter() for p in range(3)}
        elif now["round"] > last["round"]:
            # Who has more cards than those not played, has taken back its chain.
            for p in range(3):
                gone = len(now["discards"][p]) - len(last["discards"][p])
                mine = [c for c in last_chain(states) if c[0] == p]
                account[p] -= Counter(animal for _, animal in hidden_of(last, states, p))
                if gone == 0:
                    account[p] += Counter(animal for _, animal in mine)
        else:
            for card in now["chain"][len(last["chain"]) :]:
                if not card["face_down"]:
                    account[card["seat"]] -= Counter([card["animal"]])
        last = now
        if now["round"] == 1 or now["phase"] == "jokers" or len(before) % 3:
            continue
        made = GAME.snapshot(made_from(view_of(GAME, states, 0), options, stream(len(before))), 0)
        for p in (1, 2):
            unplayed = made["hands"][p] or made["piles"][p][: states["hand_size"][0, p]]
            down = [c["animal"] for c in made["chain"] if c["seat"] == p and c["face_down"]]
            assert account[p] <= Counter(unplayed + down)
            tried += account[p].total() > 0
    assert tried > 300


def last_chain(states):
    length = states["last_length"][0]
    return list(zip(states["last_seat"][0, :length].tolist(),
                    states["last_animal"][0, :length].tolist(), strict=True))  # fmt: skip


def hidden_of(last, states, p):
    """Cards of the last chain that were not seen before the showdown: face down, or the very last one."""
    seen = [(c["seat"], c["animal"]) for c in last["chain"] if not c["face_down"]]
    rest = Counter(last_chain(states)) - Counter(seen)
    return [card for card in rest.elements() if card[0] == p]


# -- special cards ---------------------------------------------------------------------------------


def about_specials(snapshot, viewer):
    n = snapshot["players"]
    held = [snapshot["specials"][(viewer + k) % n] for k in range(n)]
    return [
        held[1].count("joker"),
        held[1].count("extra"),
        held[1].count("joker") * held[2].count("joker"),
        snapshot["special_pile"][:1] == ["face_down"],
        snapshot["special_pile"][1:2] == snapshot["special_pile"][2:3],
    ]


def test_special_cards_are_dealt_uniformly():
    """At the look of the second round, when some have been drawn and none used."""
    options = {"max_rounds": 2}
    rng = stream(13)
    pairs = []
    seen = set()
    for number, (states, before) in enumerate(histories(options, games=900)):
        now = before[-1]
        if now["round"] == 1:
            seen.discard("second")
        elif now["round"] == 2 and "second" not in seen:
            seen.add("second")
            made = made_from(view_of(GAME, states, number % 3), options, rng)
            true = about_specials(now, number % 3)
            pairs.append([true, about_specials(GAME.snapshot(made, 0), 0)])
    assert len(pairs) == 900
    agree_in_the_mean(pairs)


def test_special_cards_that_all_know_stay_where_they_are():
    options = {"max_rounds": 20}
    known = in_pile = 0
    for number, (states, _) in enumerate(histories(options, games=8)):
        if number % 5:
            continue
        view = GAME.named(view_of(GAME, states, 1))
        made = GAME.snapshot(made_from(view_of(GAME, states, 1), options, stream(number)), 0)
        true = GAME.snapshot(states, 0)
        for place, kind in enumerate(view["special_pile"]):
            if kind:
                in_pile += 1
                name = ("extra", "face_down", "joker")[kind - 1]
                assert made["special_pile"][place] == name == true["special_pile"][place]
        for k in (1, 2):
            for kind, name in enumerate(("extra", "face_down", "joker")):
                least = view["special_known"][k, kind]
                known += least
                assert made["specials"][k].count(name) >= least
                assert true["specials"][(1 + k) % 3].count(name) >= least
    assert known > 20
    assert in_pile > 100


# -- jokers ----------------------------------------------------------------------------------------


def joker_questions(options, wanted):
    """States in which somebody is asked about jokers, from games in which nobody uses other specials."""
    v = variant(**options)
    for number in itertools.count():
        states = v.new_state()
        deal_row(states, 0, 21, number)
        chance = random.Random(number)
        while to_act(states) >= 0:
            if states["phase"][0] == 2:
                yield copied(states)
                wanted -= 1
                if wanted == 0:
                    return
            legal = np.flatnonzero(mask_of(GAME, states)).tolist()
            if PASS in legal and chance.random() < 0.6:
                legal = [a for a in legal if a < 9 or a == PASS]
            apply_row(states, 0, chance.choice(legal))


@pytest.mark.parametrize("players", [2, 3, 5])
@pytest.mark.parametrize("takeback", [False, True])
def test_while_somebody_is_asked_about_jokers_all_others_imagine_somebody_who_can_be(
    takeback, players
):
    options = {"num_players": players, "takeback": takeback, "max_rounds": 30}
    after_another = 0
    for number, states in enumerate(joker_questions(options, wanted=60)):
        asked = to_act(states)
        for seat in range(players):
            view = view_of(GAME, states, seat)
            made = made_from(view, options, stream(number))
            np.testing.assert_array_equal(view_of(GAME, made, 0), view)
            who = to_act(made)
            assert (who == 0) == (seat == asked)
            snapshot = GAME.snapshot(made, 0)
            assert "joker" in snapshot["specials"][who]
            if takeback:
                assert snapshot["chain"][snapshot["at"]]["seat"] == who
            else:
                assert any(c["seat"] == who and not c["right"] for c in snapshot["chain"])
                rescued = made["chain_seat"][0, made["chain_right"][0] == RESCUED].tolist()
                turn = [(snapshot["starter"] + k) % players for k in range(players)]
                # D7: players decide in turn order, so who has used jokers comes before.
                assert all(turn.index(seat) < turn.index(who) for seat in rescued)
                after_another += len(rescued)
    assert after_another > 0 or takeback or players == 2


# -- weights ---------------------------------------------------------------------------------------


def test_a_world_weighs_less_for_every_card_of_another_that_is_wrong_in_it():
    options = {"max_rounds": 2}
    tried = Counter()
    for number, states in enumerate(positions(variant(**options), games=30, every=6)):
        seat = to_act(states)
        if seat < 0:
            continue
        views, flat = GAME.new_views(1)
        flat[0] = view_of(GAME, states, seat)
        made = GAME.new_states(GAME.check_options(options), 1)
        weight = determinize_weighted_row(views, 0, stream(number), made, 0, np.array([0.25]))
        snapshot = GAME.snapshot(made, 0)
        wrong = 0
        if snapshot["phase"] == "chain":
            chain = [(card["seat"], card["animal"]) for card in snapshot["chain"]]
            right = judge(chain, snapshot["dice"])
            wrong = sum(p != 0 and not fits for (p, _), fits in zip(chain, right, strict=True))
        assert weight == pytest.approx(0.25**wrong)
        tried[min(wrong, 3)] += 1
    assert len(tried) == 4


def test_it_is_the_same_state_as_without_weights():
    for number, states in enumerate(positions(variant(max_rounds=2), games=5, every=9)):
        view = view_of(GAME, states, 0)
        views, flat = GAME.new_views(1)
        flat[0] = view
        made = GAME.new_states(GAME.check_options({"max_rounds": 2}), 1)
        determinize_weighted_row(views, 0, stream(number), made, 0, np.array([0.5]))
        plain = made_from(view, {"max_rounds": 2}, stream(number))
        assert GAME.snapshot(made, 0) == GAME.snapshot(plain, 0)


def test_a_joker_used_in_vain_is_remembered_where_the_showdown_is_imagined_again():
    """Who was rescued first and put out later has kept its dice in between: others are judged by that."""
    faces = [[DOG] * 6, [COW] * 6] + [[PIG] * 6] * 13
    options = {"num_players": 4, "takeback": True, "faces": faces, "max_looks": 1}
    states = GAME.new_states(GAME.check_options(options), 1)
    hand = [DOG, DUCK, MOUSE, COW, PIG, PIG, CAT, DOG, DUCK, MOUSE]
    deal = {
        "starter": 0,
        "piles": [[*hand, HARE, HARE, CAT, COW, HORSE, HORSE, SHEEP, SHEEP]] * 4,
        "dice": [DOG, COW] + [PIG] * 13,
        "special_pile": ["joker"] * 3 + ["extra"] * 3 + ["face_down"] * 3,
    }
    deal_row(states, 0, 1, 1)
    GAME.set_deal(states, 0, deal)
    first = [CAT, CAT, CAT, PASS, PASS, PASS, PASS]  # three players fail and get a joker each
    second = [DOG, PIG, COW, PIG, DUCK, DOG, PIG, PIG, MOUSE, PASS, DOG, COW, PASS, PASS, PASS]
    for action in (*first, *second, USE, USE):
        assert apply_row(states, 0, action) == OK
    snapshot = GAME.snapshot(states, 0)
    assert snapshot["phase"] == "jokers"
    assert states["chain_right"][0].tolist()[:9].count(IN_VAIN) == 1
    assert snapshot["chain"][4]["right"] is False
    for seat in range(4):
        view = view_of(GAME, states, seat)
        for number in range(20):
            made = made_from(view, options, stream(number))
            np.testing.assert_array_equal(view_of(GAME, made, 0), view)
            finished = 0
            while to_act(made) >= 0 and finished < 60:  # … and the showdown goes on
                apply_row(made, 0, int(np.flatnonzero(mask_of(GAME, made))[-1]))
                finished += 1
