"""DTC in whole games: the library against the reference move by move, and what holds in every game.

The second part is the section Invariants of the rules page, whatever is dealt and played.
"""

import random
from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardgames_env.core.game import apply_row, deal_row, legal_row, result_row, to_act_row
from cardgames_env.games.dtc import GAME
from tests.contract.play import copied
from tests.games.dtc.reference import Reference, is_true
from tests.reference_rng import Stream

ROOT = 20131
ACCEPT, REJECT = 0, 1

FULL_DECK = {"values": 6, "copies": 9, "jokers": 12, "hand_size": 6}

DECKS = {
    # name: what is scaled, for a number of players
    "the full deck": lambda players: {},
    "a third of the deck": lambda players: {"copies": 3, "jokers": 4, "hand_size": 3},
    "no pile": lambda players: {"copies": players, "jokers": 0},
    "no pile, jokers": lambda players: {"copies": players - 1, "jokers": 6},
    "one value": lambda players: {"values": 1, "copies": 9, "jokers": 4, "hand_size": 2},
    "two cards more than a card each": lambda players: {
        "values": 2, "copies": players // 2, "jokers": 2 + players % 2, "hand_size": 1,
    },
    "a card each": lambda players: {
        "values": 1, "copies": players - 1, "jokers": 1, "hand_size": 1,
    },
    "mostly jokers": lambda players: {"values": 3, "copies": 1, "jokers": 11, "hand_size": 2},
}  # fmt: skip

# How often a deck is played by each number of players, with and without the variant.
GAMES = dict.fromkeys(DECKS, 70) | {"the full deck": 30}


def lowest_announcement(legal, chance):
    """Accepts whatever can be accepted and climbs by the smallest steps."""
    return legal[0] if legal[0] == ACCEPT or legal[0] >= 15 else chance.choice(legal)


def largest_announcement(legal, chance):
    """Accepts whatever can be accepted and gives all its cards."""
    return legal[-1] if legal[0] >= 15 else accepting(legal, chance)


def accepting(legal, chance):
    return ACCEPT if legal[0] == ACCEPT else chance.choice(legal)


def rejecting(legal, chance):
    return REJECT if REJECT in legal else chance.choice(legal)


def most(legal, chance):
    """Rejects, announces the highest, and takes as many cards as it can of each type."""
    return legal[-1]


def anything(legal, chance):
    return chance.choice(legal)


STYLES = [
    anything, anything, accepting, rejecting, lowest_announcement, largest_announcement, most,
]  # fmt: skip


# -- the library and the reference -----------------------------------------------------------------


@lru_cache
def undealt(**options):
    """The options with their defaults and one state that has not been dealt."""
    checked = GAME.check_options(options)
    return checked, GAME.new_states(checked, 1)


class Compared:
    """The library and the reference, playing the same game."""

    def __init__(self, number, **options):
        self.states = copied(undealt(**options)[1])
        deal_row(self.states, 0, ROOT, number)
        self.reference = Reference(**options, chance=Stream(ROOT, number))
        self.mask = np.zeros(GAME.num_actions, np.int8)
        self.legal = []
        self.same()

    def same(self):
        assert GAME.snapshot(self.states, 0) == self.reference.snapshot()
        legal_row(self.states, 0, self.mask)
        self.legal = np.flatnonzero(self.mask).tolist()
        assert self.legal == self.reference.legal()

    def play(self, action):
        assert apply_row(self.states, 0, action) == 0
        self.reference.play(action)
        self.same()

    def same_result(self):
        """The library's points are cards with their sign turned: more is better."""
        players = self.reference.players
        points, places = np.zeros(players, np.int32), np.zeros(players, np.int8)
        assert to_act_row(self.states, 0) == -1
        result_row(self.states, 0, points, places)
        assert (-points).tolist() == self.reference.scores()
        assert places.tolist() == self.reference.ranks()


def rare_events(reference, action):
    """Names of the rare rules that an action, about to be played in the reference, runs into."""
    legal = reference.legal()
    if reference.phase == "announce":
        if len(legal) == 1:
            yield "only one announcement is left"
        if (action - 15) // 6 + 1 == len(reference.hands[reference.to_act]):
            yield "D2: the whole hand is given"
    if reference.phase == "answer":
        offer, pile_is_empty = reference.offer, not reference.pile
        if legal == [REJECT]:
            yield "D4: accepting is not possible"
        if legal == [ACCEPT, REJECT] and offer.value == reference.values:
            yield "D4: the highest value can be accepted with a card in hand"
        if action == ACCEPT and not reference.hands[reference.to_act]:
            yield "D4: a lower value can be accepted without a card in hand"
        if action == ACCEPT and pile_is_empty:
            yield "a chain goes on when the pile is empty"
        if action == REJECT and not any(offer.cards):
            yield "D1: jokers only"
        if action == REJECT and reference.higher_counts_as_true:
            higher = is_true(offer.value, offer.cards, True)
            if higher and not is_true(offer.value, offer.cards):
                yield "the variant makes it true"
            real = {card for card in offer.cards if card}
            if len(real) > 1 and min(real) == offer.value:
                yield "D5: equal and higher mixed"


IN_EVERY_SETTING = {
    "only one announcement is left",
    "D2: the whole hand is given",
    "D4: accepting is not possible",
    "D4: the highest value can be accepted with a card in hand",
    "D4: a lower value can be accepted without a card in hand",
    "a chain goes on when the pile is empty",
    "D1: jokers only",
    "D3: a short draw",
    "D6: the pile is emptied by the very offer that is rejected",
    "D7: a tie",
    "an offer without a question",
}
IN_THE_VARIANT = {"the variant makes it true", "D5: equal and higher mixed"}


@pytest.mark.parametrize("variant", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_library_plays_as_the_reference_does_move_by_move(players, variant):
    met = Counter()
    for name, deck in DECKS.items():
        for number in range(GAMES[name]):
            game = Compared(
                number, num_players=players, higher_counts_as_true=variant, **deck(players)
            )
            reference = game.reference
            chance = random.Random(f"{players} {variant} {name} {number}")
            styles = [chance.choice(STYLES) for _ in range(players)]
            emptied_now = False
            while game.legal:
                action = styles[reference.to_act](game.legal, chance)
                met.update(rare_events(reference, action))
                phase, pile = reference.phase, len(reference.pile)
                giver = reference.to_act
                game.play(action)
                if phase != "answer" and reference.phase == "answer":
                    emptied_now = pile > 0 and not reference.pile
                    short = len(reference.hands[giver]) < reference.hand_size
                    met["D3: a short draw"] += emptied_now and short
                    met["an offer without a question"] += phase == "announce"
                elif action == REJECT and reference.phase == "over":
                    key = "D6: the pile is emptied by the very offer that is rejected"
                    met[key] += emptied_now
            game.same_result()
            met["D7: a tie"] += reference.ranks().count(1) > 1
    # The comparison means something: the rare rules were met, not only the common ones.
    for event in IN_EVERY_SETTING | (IN_THE_VARIANT if variant else set()):
        assert met[event] > 5, event


# -- what holds in every game ----------------------------------------------------------------------

properties = settings(max_examples=60, derandomize=True, deadline=None, database=None)


@st.composite
def games(draw):
    """A game: its options, its seed, and how each seat plays."""
    players = draw(st.integers(2, 6))
    deck = FULL_DECK | DECKS[draw(st.sampled_from(sorted(DECKS)))](players)
    if draw(st.booleans()):
        values, copies = draw(st.integers(1, 6)), draw(st.integers(1, 9))
        fewest_jokers = max(0, players - values * copies)
        jokers = draw(st.integers(fewest_jokers, 12))
        largest_hand = min(6, (values * copies + jokers) // players)
        deck = {
            "values": values,
            "copies": copies,
            "jokers": jokers,
            "hand_size": draw(st.integers(1, largest_hand)),
        }
    return {
        "options": {
            "num_players": players,
            "higher_counts_as_true": draw(st.booleans()),
            **deck,
        },
        "seed": draw(st.integers(0, 2**63 - 1)),
        "styles": draw(st.lists(st.sampled_from(STYLES), min_size=players, max_size=players)),
    }


@lru_cache(maxsize=4)
def played(seed, styles, **options):
    """All snapshots of a game, and the actions between them."""
    states = copied(undealt(**options)[1])
    deal_row(states, 0, seed, 0)
    mask = np.zeros(GAME.num_actions, np.int8)
    chance = random.Random(seed)
    snapshots, actions = [GAME.snapshot(states, 0)], []
    while to_act_row(states, 0) >= 0:
        legal_row(states, 0, mask)
        action = styles[to_act_row(states, 0)](np.flatnonzero(mask).tolist(), chance)
        assert apply_row(states, 0, action) == 0
        actions.append(action)
        snapshots.append(GAME.snapshot(states, 0))
    return snapshots, actions


def snapshots_of(game):
    return played(game["seed"], tuple(game["styles"]), **game["options"])[0]


def moves(game):
    """Each action with the snapshots before and after it."""
    snapshots, actions = played(game["seed"], tuple(game["styles"]), **game["options"])
    yield from zip(snapshots[:-1], actions, snapshots[1:], strict=True)


def is_answer(before, action, answer):
    return before["phase"] == "answer" and action == answer


def offers(game):
    """For each offer: the snapshot before its announcement, and that with the cards on the table."""
    announcing = None
    for before, _, after in moves(game):
        if before["phase"] == "announce":
            announcing = before
        if before["phase"] != "answer" and after["phase"] == "answer":
            yield announcing, after


def deck_of(game):
    options = game["options"]
    values = dict.fromkeys(range(1, options["values"] + 1), options["copies"])
    return +Counter({0: options["jokers"], **values})


@properties
@given(games())
def test_every_card_is_in_exactly_one_place(game):
    """Hands, the offer on the table, penalty piles and the draw pile."""
    deck = deck_of(game)
    for snapshot in snapshots_of(game):
        offered = snapshot["offer"]["cards"] if snapshot["offer"] else []
        heaps = [snapshot["pile"], offered, *snapshot["hands"], *snapshot["penalty"]]
        assert Counter(card for heap in heaps for card in heap) == deck


@properties
@given(games())
def test_only_the_seat_that_has_just_accepted_holds_more_than_a_hand(game):
    """And all others hold exactly a hand while the pile lasts."""
    size = game["options"]["hand_size"]
    for snapshot in snapshots_of(game):
        for seat, hand in enumerate(snapshot["hands"]):
            if snapshot["to_beat"] and seat == snapshot["to_act"]:
                continue  # it has accepted and not yet given
            if snapshot["phase"] == "compose" and seat == snapshot["to_act"]:
                assert len(hand) + len(snapshot["offer"]["cards"]) <= size
                continue
            assert len(hand) <= size
            if snapshot["pile"]:
                assert len(hand) == size


@properties
@given(games())
def test_an_offer_takes_from_its_givers_hand_and_the_refill_from_the_top_of_the_pile(game):
    size = game["options"]["hand_size"]
    for before, after in offers(game):
        giver, cards = before["to_act"], after["offer"]["cards"]
        assert after["offer"]["giver"] == giver
        assert len(cards) == after["offer"]["count"]
        kept = Counter(before["hands"][giver])
        kept.subtract(cards)
        assert min(kept.values(), default=0) >= 0
        drawn = before["pile"][: max(0, size - kept.total())]
        assert after["hands"][giver] == sorted([*kept.elements(), *drawn])
        assert after["pile"] == before["pile"][len(drawn) :]
        for seat, hand in enumerate(after["hands"]):
            assert seat == giver or hand == before["hands"][seat]
        assert after["to_act"] == (giver + 1) % before["players"]


@properties
@given(games())
def test_the_cards_of_an_offer_lie_in_the_order_of_the_questions(game):
    for snapshot in snapshots_of(game):
        if snapshot["offer"]:
            first = [snapshot["offer"]["value"], 0]
            order = [*first, *(v for v in range(1, 7) if v != first[0])]
            cards = snapshot["offer"]["cards"]
            assert cards == sorted(cards, key=order.index)


@properties
@given(games())
def test_penalty_piles_never_shrink_and_grow_by_the_whole_offer_at_a_rejection_only(game):
    for before, action, after in moves(game):
        if not is_answer(before, action, REJECT):
            assert after["penalty"] == before["penalty"]
            continue
        offer = before["offer"]
        true = is_true(offer["value"], offer["cards"], before["higher_counts_as_true"])
        taker = before["to_act"] if true else offer["giver"]
        expected = list(before["penalty"])
        expected[taker] = expected[taker] + offer["cards"]
        assert after["penalty"] == expected
        assert after["hands"] == before["hands"]
        assert (after["offer"], after["to_beat"]) == (None, None)
        assert after["to_act"] == (None if after["phase"] == "over" else taker)


@properties
@given(games())
def test_there_are_no_more_rejections_than_cards_and_no_more_offers_than_the_page_says(game):
    """66 rejections and 396 offers in the full deck."""
    cards, values = deck_of(game).total(), game["options"]["values"]
    rejected = sum(is_answer(before, action, REJECT) for before, action, _ in moves(game))
    assert 1 <= rejected <= cards <= 66
    assert rejected <= sum(1 for _ in offers(game)) <= values * cards <= 396


@properties
@given(games())
def test_offers_within_a_chain_strictly_rise(game):
    last = None
    for before, action, after in moves(game):
        if before["phase"] != "answer" and after["phase"] == "answer":
            offer = after["offer"]["count"], after["offer"]["value"]
            assert last is None or offer > last
            last = offer
        if is_answer(before, action, ACCEPT):
            assert after["to_beat"] == list(last)
            assert after["to_act"] == before["to_act"]
        elif before["phase"] == "answer":
            last = None


@properties
@given(games())
def test_accepting_is_possible_unless_the_challenger_has_no_card_and_the_value_is_the_highest(game):
    """D4. Whoever has accepted finds a stronger offer to make, so no game gets stuck."""
    states = copied(undealt(**game["options"])[1])
    deal_row(states, 0, game["seed"], 0)
    mask = np.zeros(GAME.num_actions, np.int8)
    for before, action, _ in moves(game):
        legal_row(states, 0, mask)
        assert mask.any()
        if before["phase"] == "answer":
            stuck = (
                not before["hands"][before["to_act"]]
                and before["offer"]["value"] == game["options"]["values"]
            )
            assert np.flatnonzero(mask).tolist() == ([REJECT] if stuck else [ACCEPT, REJECT])
        apply_row(states, 0, action)


@properties
@given(games())
def test_the_game_ends_with_the_first_rejection_after_the_pile_is_empty(game):
    for before, action, after in moves(game):
        assert before["ends"] == (not before["pile"])
        assert after["ends"] >= before["ends"]
        last = is_answer(before, action, REJECT) and before["ends"]
        assert (after["phase"] == "over") == last


@properties
@given(games())
def test_at_the_end_all_cards_are_somebodys_and_the_fewest_win(game):
    last = snapshots_of(game)[-1]
    held = [len(h) + len(p) for h, p in zip(last["hands"], last["penalty"], strict=True)]
    assert sum(held) == deck_of(game).total()
    assert last["to_act"] is None
    assert (last["pile"], last["offer"], last["to_beat"]) == ([], None, None)


@properties
@given(games())
def test_the_type_in_question_always_leaves_a_choice(game):
    """A composing question is asked only if it has more than one answer, and names a type held."""
    states = copied(undealt(**game["options"])[1])
    deal_row(states, 0, game["seed"], 0)
    mask = np.zeros(GAME.num_actions, np.int8)
    for before, action, _ in moves(game):
        if before["phase"] == "compose":
            legal_row(states, 0, mask)
            assert mask.sum() > 1
            assert mask[2:15].sum() == mask.sum()
            asking, held = before["offer"]["asking"], before["hands"][before["to_act"]]
            assert held.count(asking) >= np.flatnonzero(mask)[-1] - 2
        else:
            assert before["offer"] is None or before["offer"]["asking"] is None
        apply_row(states, 0, action)
