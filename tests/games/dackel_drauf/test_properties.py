"""Dackel drauf! in whole games: the library against the reference move by move, and what always holds.

The second part is the section Invariants of the rules page, whatever is dealt and played.
"""

import random
from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgames_env.core.game import (
    apply_row,
    deal_row,
    legal_row,
    look_row,
    result_row,
    seed_chance_row,
    to_act_row,
)
from cardgames_env.games.dackel_drauf import GAME
from tests.contract.play import copied
from tests.games.dackel_drauf.reference import (
    EVERY_CARD,
    EVERY_SPECIAL,
    Reference,
    default_faces,
    judge,
    judge_with_takeback,
)
from tests.reference_rng import Stream

ROOT = 20181

STOP, KEEP_OPEN, CLOSE, USE_JOKERS, DECLINE = 18, 19, 20, 21, 22
PLAYS = range(18)
FACE_DOWN = range(9, 18)


# -- how seats play --------------------------------------------------------------------------------
# They see the whole snapshot, the dice too.


def anything(legal, snapshot, chance):
    return chance.choice(legal)


def going_on(legal, snapshot, chance):
    """Long chains: passes one time in twelve."""
    if STOP in legal and chance.random() < 1 / 12:
        return STOP
    return prefer([action for action in legal if action != STOP], legal, chance)


def using_specials(legal, snapshot, chance):
    """All that it holds, as soon as it can; plays on, and risks a wrong card."""
    if USE_JOKERS in legal:
        return USE_JOKERS
    if snapshot["again"] or chance.random() < 0.7:
        legal = [action for action in legal if action != STOP] or legal
    return prefer(FACE_DOWN, legal, chance)


def hoarding(legal, snapshot, chance):
    """Wants special cards and uses none: plays a wrong card and passes."""
    if DECLINE in legal:
        return DECLINE
    if KEEP_OPEN in legal:
        return CLOSE
    free = free_dice(snapshot)
    played = any(card["seat"] == snapshot["to_act"] for card in snapshot["chain"])
    if snapshot["again"] or played:
        return STOP
    return prefer([animal for animal in legal if animal < 9 and free[animal] <= 0], legal, chance)


def cautious(legal, snapshot, chance):
    """Plays what finds a die, the scarce first, and passes when nothing does."""
    if STOP not in legal:
        return legal[0]
    free = free_dice(snapshot)
    right = [action for action in legal if action in PLAYS and free[action % 9] > 0]
    return min(right, key=lambda action: (free[action % 9], action)) if right else STOP


def daring(legal, snapshot, chance):
    """As the cautious one, but then one card more, if a joker would save it; or by mistake."""
    action = cautious(legal, snapshot, chance)
    if action != STOP or snapshot["again"]:
        return action
    wrong = 0.6 if "joker" in snapshot["specials"][snapshot["to_act"]] else 0.15
    return chance.choice(legal) if chance.random() < wrong else STOP


def combining(legal, snapshot, chance):
    """Gains special cards; with three of them it plays extra cards, face down if it can."""
    if STOP in legal and (snapshot["again"] or len(snapshot["specials"][snapshot["to_act"]]) > 2):
        return prefer(FACE_DOWN if snapshot["again"] else range(9), legal, chance)
    return hoarding(legal, snapshot, chance)


def emptying(legal, snapshot, chance):
    """Plays all its cards, one at a turn."""
    return STOP if snapshot["again"] else prefer(range(9), legal, chance)


def resting(legal, snapshot, chance):
    """Passes, for the most part."""
    return STOP if STOP in legal and chance.random() < 0.85 else chance.choice(legal)


def free_dice(snapshot):
    """Dice of each animal less the chain's cards of it."""
    free = Counter(snapshot["dice"])
    free.subtract(card["animal"] for card in snapshot["chain"])
    return free


def prefer(actions, legal, chance):
    return chance.choice([action for action in legal if action in actions] or legal)


STYLES = [anything, going_on, using_specials, hoarding, cautious, daring]
KEEN = [using_specials, using_specials, going_on, daring, hoarding]


# -- the library and the reference -----------------------------------------------------------------


@lru_cache
def undealt(players, options):
    """One state with these options that has not been dealt."""
    return GAME.new_states(GAME.check_options({"num_players": players} | dict(options)), 1)


class Compared:
    """The library and the reference, playing the same game."""

    def __init__(self, number, players, options, deal=None):
        self.states = copied(undealt(players, tuple(options.items())))
        if deal is None:
            deal_row(self.states, 0, ROOT, number)
        else:
            seed_chance_row(self.states, 0, ROOT, number)
            GAME.set_deal(self.states, 0, deal)
        self.reference = Reference(players, **options, chance=Stream(ROOT, number), deal=deal)
        self.mask = np.zeros(GAME.num_actions, np.int8)
        self.legal = []
        self.snapshot = {}
        self.same()

    def same(self):
        self.snapshot = self.reference.snapshot()
        assert GAME.snapshot(self.states, 0) == self.snapshot
        legal_row(self.states, 0, self.mask)
        self.legal = np.flatnonzero(self.mask).tolist()
        assert self.legal == self.reference.legal()

    def play(self, action):
        assert apply_row(self.states, 0, action) == 0
        self.reference.apply(action)
        self.same()

    def same_result(self):
        """The library's points are the cards left with their sign turned: more is better."""
        players = self.reference.players
        points, places = np.zeros(players, np.int32), np.zeros(players, np.int8)
        assert to_act_row(self.states, 0) == -1
        result_row(self.states, 0, points, places)
        assert (-points).tolist() == self.reference.scores()
        assert places.tolist() == self.reference.ranks()


def rare_events(before, action, after, options):
    """Names of the rare rules that a move runs into, from the snapshots before and after it."""
    phase = before["phase"]
    if phase == "look":
        if action == KEEP_OPEN and after["phase"] == "chain":
            yield "D4: the lid closes by itself"
        return
    if phase == "chain":
        yield from rare_plays(before, action, after)
        if options.get("takeback") and round_has_ended(before, after):
            yield from rare_showdowns(whole_chain(before, action), before["dice"])
    if phase == "jokers":
        yield from rare_answers(before, action, after, options)
    if round_has_ended(before, after):
        yield from rare_ends(before, after, options)


def rare_plays(before, action, after):
    seat = before["to_act"]
    own = [card for card in before["chain"] if card["seat"] == seat]
    if action == STOP and not before["again"] and not own:
        yield "D6: somebody passes at once"
        if seat == before["starter"] and not before["chain"]:
            yield "D6: the starting player passes at once"
    if action == STOP and before["again"]:
        yield "an extra card is not used"
    if action in FACE_DOWN and before["again"]:
        yield "an extra card is played face down"
    if action in PLAYS and before["again"] and after["again"] and after["to_act"] == seat:
        yield "two extra cards in a turn"
    if action in PLAYS and len(before["hands"][seat]) == 1:
        yield "the last card in hand is played"
        if "extra" in before["specials"][seat]:
            yield "the last card in hand is played by one who holds an extra card"
    if before["passed"].count(False) == 1 and action in PLAYS and not before["again"]:
        yield "the last one in the round goes on alone"
    noticed = zip(before["noticed"], after["noticed"], strict=True)
    forgotten = [sum(then) - sum(now) for then, now in noticed]
    if any(forgotten) and after["phase"] == "chain":
        yield "D5: a die is forgotten"
        if after["again"]:
            yield "D5: a die is forgotten before an extra card"


def rare_answers(before, action, after, options):
    seat, marks = before["to_act"], [card["right"] for card in before["chain"]]
    if action == USE_JOKERS and after["phase"] == "jokers":
        yield "jokers are used, and others asked for"
    if options.get("takeback"):
        own = [card["right"] for card in before["chain"] if card["seat"] == seat]
        again = after["phase"] == "jokers" and after["to_act"] == seat
        if again:
            yield "D11: somebody is asked for a second joker"
        if action == DECLINE and True in own:
            yield "D11: who declines loses cards that were right"
        if "joker" in before["used"] and before["at"] is not None and action == DECLINE:
            yield "D11: a joker is declined after one was used"
        if False in marks:
            yield "D11: a joker is asked for after somebody was out"
    else:
        wrong = [c for c in before["chain"] if c["seat"] == seat and not c["right"]]
        if action == USE_JOKERS and len(wrong) > 1:
            yield "D7: several jokers are used at once"
        if before["specials"][seat].count("joker") > len(wrong):
            yield "D7: more jokers than are needed"
        if action == DECLINE:
            yield "D7: jokers are declined"


def rare_ends(before, after, options):
    """What the end of a round runs into: the special cards and discards before and after it."""
    gained, shed = (
        [len(now) > len(then) for then, now in zip(before[name], after[name], strict=True)]
        for name in ("specials", "discards")
    )
    played = {card["seat"] for card in before["chain"]}
    failed = [seat for seat in played - {before["to_act"]} if not shed[seat]]
    if any(not gained[seat] for seat in failed):
        yield "D13: no special card is left to be taken"
    if not any(shed) and not failed and not before["chain"]:
        yield "all pass at once"
    if not after["over"] and any(len(hand) < 10 for hand in after["hands"]):
        yield "a hand of fewer than ten"
    if after["over"]:
        left = [18 - len(pile) for pile in after["discards"]]
        threshold = options.get("win_threshold") or after["players"] - 1
        if min(left) <= threshold:
            yield "a win by the threshold"
            if sum(number <= threshold for number in left) > left.count(min(left)):
                yield "of several below the threshold the one with the fewest cards wins"
        else:
            yield "D10: the end by the number of rounds"
        if left.count(min(left)) > 1:
            yield "D9: a win is shared"


def round_has_ended(before, after):
    return after["round"] > before["round"] or after["over"]


def whole_chain(before, action):
    """The chain with the card that is played last, if it is one."""
    if before["phase"] == "chain" and action in PLAYS:
        card = {"seat": before["to_act"], "animal": action % 9, "face_down": action in FACE_DOWN}
        return [*before["chain"], card]
    return before["chain"]


def rare_showdowns(chain, dice):
    """With take-back, where no joker was asked for."""
    pairs = [(card["seat"], card["animal"]) for card in chain]
    plain, variant = judge(pairs, dice), judge_with_takeback(pairs, dice)[0]
    if any(right and not would for right, would in zip(variant, plain, strict=True)):
        yield "a card finds a die that was taken back"


RARE = [
    "D4: the lid closes by itself",
    "D5: a die is forgotten",
    "D5: a die is forgotten before an extra card",
    "D6: somebody passes at once",
    "D6: the starting player passes at once",
    "all pass at once",
    "an extra card is not used",
    "an extra card is played face down",
    "two extra cards in a turn",
    "the last card in hand is played",
    "the last card in hand is played by one who holds an extra card",
    "the last one in the round goes on alone",
    "jokers are used, and others asked for",
    "D7: several jokers are used at once",
    "D7: more jokers than are needed",
    "D7: jokers are declined",
    "D11: somebody is asked for a second joker",
    "D11: who declines loses cards that were right",
    "D11: a joker is declined after one was used",
    "D11: a joker is asked for after somebody was out",
    "a card finds a die that was taken back",
    "D13: no special card is left to be taken",
    "a hand of fewer than ten",
    "a win by the threshold",
    "of several below the threshold the one with the fewest cards wins",
    "D10: the end by the number of rounds",
    "D9: a win is shared",
]

FEW_ANIMALS = ((0, 0, 1, 2, 2, 8),) * 7 + ((3, 4, 5, 6, 7, 8),) * 8
FIXED_DICE = tuple((die % 5,) * 6 for die in range(15))

# How everybody plays: options, how many games (of four players; more of fewer), in which styles.
PLAYED = [
    ({"max_rounds": 3}, 40, STYLES),
    ({"max_rounds": 4, "takeback": True}, 40, STYLES),
    ({"max_rounds": 9, "max_looks": 2}, 25, KEEN),
    ({"max_rounds": 9, "max_looks": 2, "takeback": True}, 25, KEEN),
    ({"max_rounds": 3, "forget": 0.3, "notice": 0.5, "max_looks": 3}, 25, STYLES),
    ({"max_rounds": 3, "forget": 1.0, "notice": 1.0, "takeback": True}, 8, STYLES),
    ({"max_rounds": 2, "forget": 0.001, "notice": 0.999}, 10, STYLES),
    ({"max_rounds": 3, "memory": "perfect", "forget": 0.5}, 15, STYLES),
    ({"max_rounds": 3, "memory": "agent", "forget": 0.5}, 15, STYLES),
    ({"max_rounds": 4, "memory": "agent", "takeback": True}, 10, STYLES),
    ({"max_rounds": 5, "faces": FEW_ANIMALS, "max_looks": 1}, 20, STYLES),
    ({"max_rounds": 5, "faces": FEW_ANIMALS, "max_looks": 1, "takeback": True}, 20, STYLES),
    ({"max_rounds": 6, "faces": FIXED_DICE, "notice": 0}, 15, [cautious, daring, going_on]),
    ({"max_rounds": 1}, 30, STYLES),
    ({"win_threshold": 14, "max_rounds": 20, "max_looks": 2}, 25, [cautious, cautious, daring]),
    ({"win_threshold": 17, "max_rounds": 8}, 20, [anything, cautious, daring]),
    ({"win_threshold": 0, "max_looks": 1}, 4, [cautious, daring]),
    ({"max_rounds": 14, "max_looks": 1}, 8, [hoarding, hoarding, using_specials, daring]),
    ({"max_rounds": 14, "max_looks": 1, "takeback": True}, 8, [hoarding, using_specials, daring]),
    ({"max_rounds": 16, "max_looks": 1}, 8, [combining, combining, daring]),
    ({"max_rounds": 9, "max_looks": 1}, 5, [emptying, emptying, resting]),
    ({"max_rounds": 4, "max_looks": 3}, 12, [resting]),
    ({}, 3, [cautious, daring]),
]  # fmt: skip
# And from scripted deals, often with special cards of one kind next to be taken.
PLAYED_AS_DEALT = [
    ({"max_rounds": 3}, 10, STYLES),
    ({"max_rounds": 3, "takeback": True, "forget": 0.2}, 10, STYLES),
    ({"max_rounds": 3, "faces": FEW_ANIMALS}, 10, STYLES),
    ({"max_rounds": 12, "max_looks": 1}, 15, [combining, using_specials, going_on]),
    ({"max_rounds": 12, "max_looks": 1}, 12, [combining, resting]),
    ({"max_rounds": 12, "max_looks": 1, "takeback": True}, 15, [using_specials, daring, going_on]),
]


def play_compared(number, players, options, styles, deal=None):
    """A game of the library and the reference; counts the rare rules that were met."""
    game = Compared(number, players, options, deal)
    chance = random.Random(f"{players} {options} {number}")
    seated = [chance.choice(styles) for _ in range(players)]
    met = Counter()
    while game.legal:
        before = game.snapshot
        action = seated[before["to_act"]](game.legal, before, chance)
        game.play(action)
        met.update(rare_events(before, action, game.snapshot, options))
    game.same_result()
    met["games"] += 1
    return met


def a_deal(number, players, faces):
    """A first round that the set-up could make."""
    chance = random.Random(f"{number} {players}")
    special_pile = chance.sample(EVERY_SPECIAL, 9)
    first = chance.choice(["extra", "joker", None])
    special_pile.sort(key=lambda kind: kind != first)
    return {
        "starter": chance.randrange(players),
        "piles": [chance.sample(EVERY_CARD, 18) for _ in range(players)],
        "dice": [chance.choice(six) for six in faces],
        "special_pile": special_pile,
    }


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_library_plays_as_the_reference_does_move_by_move(players):
    met = Counter()
    for options, games, styles in PLAYED:
        for number in range(games * 5 // (players + 1)):
            met += play_compared(number, players, options, styles)
    for options, games, styles in PLAYED_AS_DEALT:
        for number in range(games):
            deal = a_deal(number, players, options.get("faces", default_faces()))
            met += play_compared(number, players, options, styles, deal)
    # The comparison means something: the rare rules were met, not only the common ones.
    for event in RARE:
        assert met[event] > 1, event


def test_sixty_rounds_are_those_of_the_reference():
    met = play_compared(0, 3, {"max_looks": 1}, [hoarding])
    assert met["D10: the end by the number of rounds"] == 1


# -- what holds in every game ----------------------------------------------------------------------

properties = settings(max_examples=40, derandomize=True, deadline=None, database=None)


@st.composite
def games(draw, **fixed):
    """A game: its options, its seed, and how each seat plays."""
    players = draw(st.integers(2, 5))
    options = {
        "max_rounds": draw(st.sampled_from([1, 3, 6, 12])),
        "takeback": draw(st.booleans()),
        "forget": draw(st.sampled_from([0.0, 0.0, 0.2, 1.0])),
        "notice": draw(st.sampled_from([0.0, 0.2, 0.2, 0.7, 1.0])),
        "max_looks": draw(st.integers(1, 6)),
        "memory": draw(st.sampled_from(["player", "player", "perfect", "agent"])),
        "win_threshold": draw(st.sampled_from([None, None, 0, 9, 15])),
        "faces": draw(st.sampled_from([None, None, FEW_ANIMALS, FIXED_DICE])),
    } | fixed
    return {
        "players": players,
        "options": options,
        "seed": draw(st.integers(0, 2**63 - 1)),
        "styles": draw(st.lists(st.sampled_from(STYLES), min_size=players, max_size=players)),
    }


@lru_cache(maxsize=200)
def played(seed, styles, players, options):
    """All snapshots of a game, the possible actions at each, and the actions between them."""
    states = copied(undealt(players, options))
    deal_row(states, 0, seed, 0)
    mask = np.zeros(GAME.num_actions, np.int8)
    chance = random.Random(seed)
    snapshots, possible, actions = [GAME.snapshot(states, 0)], [], []
    while to_act_row(states, 0) >= 0:
        legal_row(states, 0, mask)
        possible.append(np.flatnonzero(mask).tolist())
        action = styles[to_act_row(states, 0)](possible[-1], snapshots[-1], chance)
        assert apply_row(states, 0, action) == 0
        actions.append(action)
        snapshots.append(GAME.snapshot(states, 0))
    return snapshots, possible, actions


def whole(game):
    options = tuple(game["options"].items())
    return played(game["seed"], tuple(game["styles"]), game["players"], options)


def moves(game):
    """Each action with the snapshots before and after it."""
    snapshots, _, actions = whole(game)
    yield from zip(snapshots[:-1], actions, snapshots[1:], strict=True)


def moves_within_rounds(game):
    for before, action, after in moves(game):
        if not round_has_ended(before, after):
            yield before, action, after


def rounds(game):
    """Each round: the jokers' answers (seat, used); its last action, and the snapshots around it."""
    answers = []
    for before, action, after in moves(game):
        if before["phase"] == "jokers":
            answers.append((before["to_act"], action == USE_JOKERS))
        if round_has_ended(before, after):
            yield answers, before, action, after
            answers = []


def used_by(before, action, takeback):
    """The special cards that an action uses, in their order."""
    used = []
    if action in PLAYS and before["again"]:
        used.append("extra")
    if action in FACE_DOWN:
        used.append("face_down")
    if action == USE_JOKERS:
        own = [card for card in before["chain"] if card["seat"] == before["to_act"]]
        wrong = [card for card in own if card["right"] is False]
        used += ["joker"] * (1 if takeback else len(wrong))
    return used


def in_chain(snapshot, seat):
    return [card["animal"] for card in snapshot["chain"] if card["seat"] == seat]


@properties
@given(games())
def test_the_animal_cards_of_each_player_are_in_hand_pile_chain_and_discards(game):
    for snapshot in whole(game)[0]:
        for seat in range(game["players"]):
            places = [snapshot["hands"][seat], snapshot["piles"][seat], in_chain(snapshot, seat)]
            cards = sum(places, snapshot["discards"][seat])
            assert sorted(cards) == EVERY_CARD
            assert snapshot["hands"][seat] == sorted(snapshot["hands"][seat])


@properties
@given(games())
def test_no_players_number_of_cards_left_ever_rises(game):
    for before, _, after in moves(game):
        for then, now in zip(before["discards"], after["discards"], strict=True):
            assert now[: len(then)] == then


@properties
@given(games())
def test_the_nine_special_cards_are_in_hands_used_and_pile(game):
    for snapshot in whole(game)[0]:
        cards = sum(snapshot["specials"], snapshot["used"] + snapshot["special_pile"])
        assert sorted(cards) == EVERY_SPECIAL
        assert all(held == sorted(held) for held in snapshot["specials"])


@properties
@given(games(takeback=False))
def test_before_jokers_every_card_is_right_or_wrong_by_the_closed_form(game):
    """A card is right if it is among the first c of its animal, c dice showing it."""
    for before, _, after in moves(game):
        if before["phase"] != "jokers" and after["phase"] == "jokers":
            dice = Counter(after["dice"])
            earlier = Counter()
            for card in after["chain"]:
                earlier[card["animal"]] += 1
                assert card["right"] is (earlier[card["animal"]] <= dice[card["animal"]])


def failed_by_the_closed_form(chain, dice):
    count, failed = Counter(), set()
    for card in chain:
        count[card["animal"]] += 1
        if count[card["animal"]] > dice.count(card["animal"]):
            failed.add(card["seat"])
    return failed


@properties
@given(games(takeback=False))
def test_who_has_no_wrong_card_or_was_saved_discards_and_the_others_take_a_special_card(game):
    for answers, before, action, after in rounds(game):
        failed = failed_by_the_closed_form(whole_chain(before, action), before["dice"])
        assert {seat for seat, _ in answers} <= failed
        failed -= {seat for seat, used in answers if used}
        check_end_of_round(failed, before, action, after, takeback=False)


def check_end_of_round(failed, before, action, after, takeback):
    """Who has failed takes the cards back and a special card; the others discard."""
    chain = whole_chain(before, action)
    used = used_by(before, action, takeback)
    pile = list(before["special_pile"])
    for k in range(before["players"]):
        seat = (before["starter"] + k) % before["players"]
        held = Counter(before["specials"][seat])
        if seat == before["to_act"]:
            held -= Counter(used)
        own = [card["animal"] for card in chain if card["seat"] == seat]
        if seat in failed:
            assert after["discards"][seat] == before["discards"][seat]
            held.update([pile.pop(0)] if pile else [])
        else:
            assert after["discards"][seat] == before["discards"][seat] + own
        assert Counter(after["specials"][seat]) == held
    assert after["special_pile"] == pile + before["used"] + used
    assert after["used"] == []


@properties
@given(games(takeback=True))
def test_with_take_back_a_card_is_wrong_if_all_dice_of_its_animal_are_held_by_players_still_in(
    game,
):
    """Where no joker was asked for: counted from the cards of those who are in at that moment."""
    for answers, before, action, after in rounds(game):
        if not answers:
            pairs = [(card["seat"], card["animal"]) for card in whole_chain(before, action)]
            out = out_by_counting(pairs, before["dice"])
            check_end_of_round(out, before, action, after, takeback=True)


def out_by_counting(pairs, dice):
    out = set()
    for position, (seat, animal) in enumerate(pairs):
        earlier = [other for other, same in pairs[:position] if same == animal]
        holding = sum(other not in out for other in earlier)
        if holding >= dice.count(animal):
            out.add(seat)
    return out


chains = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=24)
few_dice = st.lists(st.integers(0, 3), max_size=10)


@settings(properties, max_examples=200)
@given(chains, few_dice)
def test_the_reference_judges_as_the_closed_form_does(chain, dice):
    expected = [
        [animal for _, animal in chain[: place + 1]].count(chain[place][1])
        <= dice.count(chain[place][1])
        for place in range(len(chain))
    ]
    assert judge(chain, dice) == expected


@settings(properties, max_examples=200)
@given(chains, few_dice)
def test_the_reference_takes_dice_back_as_counting_does(chain, dice):
    right, position = judge_with_takeback(chain, dice)
    assert position is None
    out = out_by_counting(chain, dice)
    assert right == [seat not in out for seat, _ in chain]


@settings(properties, max_examples=200)
@given(chains, few_dice)
def test_with_take_back_whoever_fails_alone_fails_and_who_stays_in_holds_real_dice(chain, dice):
    right = judge_with_takeback(chain, dice)[0]
    held = Counter(card[1] for card, mark in zip(chain, right, strict=True) if mark)
    assert held <= Counter(dice)
    plain = judge(chain, dice)
    first_wrong = plain.index(False) if False in plain else len(chain)
    if first_wrong < len(chain):
        assert right[first_wrong] is False  # nobody was out before
    else:
        assert right == plain


@properties
@given(games())
def test_the_chain_goes_round_clockwise_past_those_who_have_passed(game):
    for before, _, after in moves_within_rounds(game):
        if before["phase"] == after["phase"] == "chain" and not after["again"]:
            seat, players = before["to_act"], game["players"]
            order = [(seat + k) % players for k in range(1, players + 1)]
            assert after["to_act"] == next(p for p in order if not after["passed"][p])
        if before["phase"] == "look" and after["phase"] == "chain":
            assert after["to_act"] == after["starter"]


@properties
@given(games())
def test_who_has_passed_has_no_cards_in_hand_and_stays_out_of_the_round(game):
    for before, _, after in moves_within_rounds(game):
        for seat, passed in enumerate(after["passed"]):
            assert passed or not before["passed"][seat]
            assert passed == (after["hands"][seat] == [])


@properties
@given(games())
def test_a_chain_only_grows_and_keeps_its_face_down_cards(game):
    for before, action, after in moves_within_rounds(game):
        names = "seat", "animal", "face_down"
        rows = [[[card[name] for name in names] for card in s["chain"]] for s in (before, after)]
        played = [[before["to_act"], action % 9, action in FACE_DOWN]] if action in PLAYS else []
        assert rows[1] == rows[0] + played


@properties
@given(games())
def test_special_cards_are_used_as_they_are_announced(game):
    for before, action, after in moves_within_rounds(game):
        seat, used = before["to_act"], used_by(before, action, game["options"]["takeback"])
        assert after["used"] == before["used"] + used
        held = Counter(before["specials"][seat]) - Counter(used)
        assert Counter(after["specials"][seat]) == held
        assert after["special_pile"] == before["special_pile"]


@properties
@given(games())
def test_a_question_after_a_card_means_an_extra_card_and_a_card_in_hand(game):
    for before, action, after in moves_within_rounds(game):
        if action in PLAYS and before["phase"] == after["phase"] == "chain":
            seat = before["to_act"]
            may = "extra" in after["specials"][seat] and after["hands"][seat] != []
            assert after["again"] == may
            assert after["to_act"] == seat or not may


@properties
@given(games())
def test_a_question_with_one_possible_answer_is_not_asked(game):
    snapshots, possible, _ = whole(game)
    for snapshot, actions in zip(snapshots, possible, strict=False):
        assert len(actions) > 1
        if snapshot["phase"] == "chain":
            animals = sorted(set(snapshot["hands"][snapshot["to_act"]]))
            down = "face_down" in snapshot["specials"][snapshot["to_act"]]
            assert actions == [*animals, *(9 + animal for animal in animals if down), STOP]
        elif snapshot["phase"] == "look":
            assert actions == [KEEP_OPEN, CLOSE]
        else:
            assert actions == [USE_JOKERS, DECLINE]


@properties
@given(games())
def test_dice_are_noticed_at_the_look_and_forgotten_in_the_chain(game):
    options = game["options"]
    forgetting = options["memory"] == "player" and options["forget"] > 0
    for before, _, after in moves_within_rounds(game):
        assert after["dice"] == before["dice"]
        for seat in range(game["players"]):
            then, now = before["noticed"][seat], after["noticed"][seat]
            if before["phase"] != "look":
                assert not any(b and not a for a, b in zip(then, now, strict=True))
                asked = after["phase"] == "chain" and after["to_act"] == seat
                if not forgetting or not asked:
                    assert now == then
            elif not forgetting:
                assert not any(a and not b for a, b in zip(then, now, strict=True))


@properties
@given(games())
def test_a_look_has_at_least_one_tick_and_at_most_as_many_as_allowed(game):
    for snapshot in whole(game)[0]:
        assert 1 <= snapshot["ticks"] <= game["options"]["max_looks"]
        assert snapshot["phase"] != "look" or snapshot["ticks"] < game["options"]["max_looks"]
        if game["options"]["memory"] == "perfect" or (
            game["options"]["notice"] == 1.0 and snapshot["phase"] == "look"
        ):
            assert all(map(all, snapshot["noticed"]))


@properties
@given(games())
def test_a_round_begins_with_the_top_ten_cards_and_the_next_starting_player(game):
    for before, _, after in moves(game):
        if after["round"] > before["round"]:
            assert after["round"] == before["round"] + 1
            assert after["starter"] == (before["starter"] + 1) % game["players"]
            assert after["to_act"] == after["starter"]
            assert (after["ticks"], after["chain"]) == (1, [])
            assert after["passed"] == [False] * game["players"]
            for seat in range(game["players"]):
                left = 18 - len(after["discards"][seat])
                assert len(after["hands"][seat]) == min(10, left)


@properties
@given(games())
def test_who_fails_holds_the_same_cards_again(game):
    first = None
    for before, _, after in moves(game):
        first = before if first is None else first
        if round_has_ended(before, after):
            for seat in range(game["players"]):
                same = after["discards"][seat] == before["discards"][seat]
                if same and not after["over"]:
                    assert after["hands"][seat] == first["hands"][seat]
                    assert after["piles"][seat] == first["piles"][seat]
                elif same:
                    pile = after["piles"][seat]
                    number = len(first["hands"][seat])
                    assert sorted(pile[:number]) == first["hands"][seat]
                    assert pile[number:] == first["piles"][seat]
            first = after


@properties
@given(games())
def test_a_game_lasts_until_somebody_is_at_the_threshold_or_for_so_many_rounds(game):
    snapshots = whole(game)[0]
    threshold = game["options"]["win_threshold"]
    threshold = game["players"] - 1 if threshold is None else threshold
    for snapshot in snapshots[:-1]:
        assert not snapshot["over"]
        assert all(18 - len(pile) > threshold for pile in snapshot["discards"])
    last = snapshots[-1]
    assert (last["phase"], last["to_act"], last["at"], last["again"]) == ("over", None, None, False)
    fewest = min(18 - len(pile) for pile in last["discards"])
    assert fewest <= threshold or last["round"] == game["options"]["max_rounds"]
    assert last["chain"] == last["used"] == []
    assert last["hands"] == [[]] * game["players"]
    assert last["passed"] == [True] * game["players"]


# -- what a seat sees ------------------------------------------------------------------------------


class PublicKnowledge:
    """What everybody can know by having watched: told anew from what happened at the table.

    known: for each seat, cards that it took back and has not shown again since.
    lately: of these, those that it took back at the end of the last round.
    specials: for each seat, the special cards it took that had been used before, and so were known.
    pile: the kinds of the special pile, None where nobody knows it.
    last: the chain of the round before, and its dice.
    """

    def __init__(self, players):
        self.known = [Counter() for _ in range(players)]
        self.lately = [Counter() for _ in range(players)]
        self.specials = [Counter() for _ in range(players)]
        self.pile = [None] * 9
        self.last = [], []

    def watch(self, before, action, after, takeback):
        seat = before["to_act"]
        for kind in used_by(before, action, takeback):
            self.specials[seat] -= Counter([kind])
        if action in PLAYS and action not in FACE_DOWN:
            self.known[seat] -= Counter([action])
            self.lately[seat] -= Counter([action])
        if round_has_ended(before, after):
            self.watch_end(whole_chain(before, action), before, action, after, takeback)

    def watch_end(self, chain, before, action, after, takeback):
        for k in range(before["players"]):
            seat = (before["starter"] + k) % before["players"]
            own = [card for card in chain if card["seat"] == seat]
            self.known[seat] -= Counter(card["animal"] for card in own if card["face_down"])
            self.lately[seat] = Counter()
            if own and after["discards"][seat] == before["discards"][seat]:
                self.known[seat].update(card["animal"] for card in own)
                self.lately[seat].update(card["animal"] for card in own)
                if self.pile:
                    kind = self.pile.pop(0)
                    self.specials[seat].update([kind] if kind else [])
        self.pile += before["used"] + used_by(before, action, takeback)
        self.last = chain, before["dice"]


def by_animal(animals):
    count = Counter(animals)
    return [count[animal] for animal in range(9)]


def padded(rows, length):
    """Filled up with zeros, or with rows of zeros."""
    nothing = [0] * len(rows[0]) if rows and isinstance(rows[0], list) else 0
    return rows + [nothing] * (length - len(rows))


def is_reminded(seat, snapshot):
    """D5, memory of the agent: at the look, and at the first decision about a card.

    When another is asked for an extra card, it looks to the next as if it were its turn.
    """
    players = snapshot["players"]
    own = [card for card in snapshot["chain"] if card["seat"] == seat]
    following = snapshot["to_act"]
    while snapshot["again"] and seat != snapshot["to_act"]:
        following = (following + 1) % players
        if not snapshot["passed"][following]:
            break
    first = following == seat and not own and not snapshot["passed"][seat]
    return snapshot["phase"] == "look" or (snapshot["phase"] == "chain" and first)


def seen_by(seat, snapshot, knowledge, memory):
    """The fields of a seat's view that follow from the table, seats relative to it."""
    players, kinds = snapshot["players"], ["extra", "face_down", "joker"]
    order = [(seat + k) % players for k in range(players)]
    relative = {other: k for k, other in enumerate(order)}
    chain, showdown = snapshot["chain"], snapshot["phase"] == "jokers"
    played = [sum(card["seat"] == other for card in chain) for other in order]
    left = [Counter(EVERY_CARD) - Counter(snapshot["discards"][other]) for other in order]
    in_hand = [min(10, left[k].total()) - played[k] for k in range(players)]
    unplayed = snapshot["hands"][seat]
    if snapshot["passed"][seat]:
        unplayed = snapshot["piles"][seat][: in_hand[0]]
    reminded = memory != "agent" or is_reminded(seat, snapshot)
    noticed = zip(snapshot["dice"], snapshot["noticed"][seat], strict=True)
    remembered = [animal for animal, still in noticed if still]
    last_chain, last_dice = knowledge.last if reminded else ([], [])
    view = {
        "starter": relative[snapshot["starter"]],
        "ticks": snapshot["ticks"],
        "hand": by_animal(unplayed),
        "special": [snapshot["specials"][seat].count(kind) for kind in kinds],
        "hand_sizes": padded(in_hand, 5),
        "passed": padded([int(snapshot["passed"][other]) for other in order], 5),
        "left": padded([by_animal(cards.elements()) for cards in left], 5),
        "cards_left": padded([cards.total() for cards in left], 5),
        "chain_length": len(chain),
        "chain_seats": padded([1 + relative[card["seat"]] for card in chain], 50),
        "chain_animals": padded(
            [
                1 + card["animal"]
                if showdown or card["seat"] == seat or not card["face_down"]
                else 0
                for card in chain
            ],
            50,
        ),
        "chain_down": padded([int(card["face_down"]) for card in chain], 50),
        "dice": by_animal(snapshot["dice"]) if showdown else [0] * 9,
        "special_counts": padded([len(snapshot["specials"][other]) for other in order], 5),
        "special_size": len(knowledge.pile),
        "used": padded([1 + kinds.index(kind) for kind in snapshot["used"]], 9),
        "remembered": by_animal(remembered if reminded else []),
        "last_dice": by_animal(last_dice),
        "last_length": len(last_chain),
        "last_seats": padded([1 + relative[card["seat"]] for card in last_chain], 50),
        "last_animals": padded([1 + card["animal"] for card in last_chain], 50),
    }
    # Of the viewer, too: what the others know of it. What is older, an agent remembers by itself.
    watched, known = knowledge, knowledge.known
    if memory == "agent":
        watched = PublicKnowledge(players)
        known = knowledge.lately if reminded else watched.known
    specials = [[watched.specials[other][kind] for kind in kinds] for other in order]
    view["special_known"] = padded(specials, 5)
    pile = [1 + kinds.index(kind) if kind else 0 for kind in watched.pile]
    view["special_pile"] = padded(pile, 9)
    if not showdown:
        rows = [by_animal(known[other].elements()) for other in order]
        view["known"] = padded(rows, 5)
    return view


@settings(properties, max_examples=30)
@given(games())
def test_every_seat_sees_what_is_public_its_own_cards_and_what_it_remembers(game):
    players, options = game["players"], game["options"]
    states = copied(undealt(players, tuple(options.items())))
    deal_row(states, 0, game["seed"], 0)
    views, flat = GAME.new_views(1)
    knowledge = PublicKnowledge(players)
    snapshots, _, actions = whole(game)
    for snapshot, action, after in zip(snapshots[:-1], actions, snapshots[1:], strict=True):
        for seat in range(players):
            look_row(states, 0, seat, views, 0)
            seen = GAME.named(flat[0])
            for name, value in seen_by(seat, snapshot, knowledge, options["memory"]).items():
                assert seen[name].tolist() == value, name
        assert apply_row(states, 0, action) == 0
        knowledge.watch(snapshot, action, after, options["takeback"])
