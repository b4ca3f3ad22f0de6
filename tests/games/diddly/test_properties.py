"""Diddly in whole games: the library against the reference move by move, and what holds in every game.

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
    result_row,
    seed_chance_row,
    to_act_row,
)
from cardgames_env.games.diddly import GAME
from tests.contract.play import copied
from tests.games.diddly.reference import Reference, score_of_board, whole_deck
from tests.reference_rng import Stream

ROOT = 20131

SWAP, PEEK, RECYCLE = 11, 13, 14
DECK, DISCARD, DECLINE = 8, 9, 25

MOST_PLAYERS = {3: 8, 4: 6}  # by columns


# -- how seats play --------------------------------------------------------------------------------


def anything(legal, snapshot, chance):
    return chance.choice(legal)


def finishing(legal, snapshot, chance):
    """Replaces face-down cards."""
    return prefer(face_down(snapshot), legal, snapshot, chance)


def waiting(legal, snapshot, chance):
    """Draws from the deck and replaces face-up cards: the round goes on for ever."""
    if DECK in legal:
        return DECK
    return prefer(set(range(8)) - face_down(snapshot), legal, snapshot, chance)


def recycling(legal, snapshot, chance):
    """Collects Recycles and recycles what has an effect."""
    if snapshot["phase"] == "draw":
        if snapshot["discard"][-1] == RECYCLE and chance.random() < 0.7:
            return DISCARD
        return prefer({10 + PEEK, 10 + SWAP, 10 + RECYCLE}, legal, snapshot, chance)
    board = snapshot["boards"][snapshot["to_act"]]
    others = {p for p, card in enumerate(board) if card != RECYCLE} | face_down(snapshot)
    return prefer(others, legal, snapshot, chance)


def swapping(legal, snapshot, chance):
    """Takes every Swap and exchanges two cards, a known one if it can."""
    if snapshot["phase"] == "draw" and snapshot["discard"][-1] == SWAP:
        return DISCARD
    return prefer(range(26, 54), legal, snapshot, chance)


def face_down(snapshot):
    return {p for p, up in enumerate(snapshot["face_up"][snapshot["to_act"]]) if not up}


def prefer(actions, legal, snapshot, chance):
    return chance.choice([action for action in legal if action in actions] or legal)


STYLES = [anything, anything, finishing, waiting, recycling, recycling, swapping]


# -- the library and the reference -----------------------------------------------------------------


@lru_cache
def undealt(**options):
    """The options with their defaults and one state that has not been dealt."""
    checked = GAME.check_options(options)
    return checked, GAME.new_states(checked, 1)


class Compared:
    """The library and the reference, playing the same game."""

    def __init__(self, number, deal=None, **options):
        self.states = copied(undealt(**options)[1])
        if deal is None:
            deal_row(self.states, 0, ROOT, number)
        else:
            GAME.set_deal(self.states, 0, deal)
            seed_chance_row(self.states, 0, ROOT, number)
        self.reference = Reference(**options, chance=Stream(ROOT, number), deal=deal)
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
        self.reference.play(action)
        self.same()

    def same_result(self):
        """The library's points are those of the boards with their sign turned: more is better."""
        players = self.reference.players
        points, places = np.zeros(players, np.int32), np.zeros(players, np.int8)
        assert to_act_row(self.states, 0) == -1
        result_row(self.states, 0, points, places)
        assert (-points).tolist() == self.reference.scores()
        assert places.tolist() == self.reference.ranks()


def rare_events(before, action, after, max_turns):
    """Names of the rare rules that a move runs into, from the snapshots before and after it."""
    seat, phase = before["to_act"], before["phase"]
    board, up, known = (before[name][seat] for name in ("boards", "face_up", "known"))
    same_deal = before["round"] == after["round"] and not after["over"]
    if phase == "turn_up" and len(set(after["pending"])) == 2:
        yield f"D3: of two effects the {after['phase']} first"
    if phase == "peek" and known[action]:
        yield "D4: a known card is looked at again"
    if phase == "swap" and same_deal:
        moved = [p for p in range(len(up)) if known[p] and not up[p]]
        if any(after["face_up"][seat][p] or not after["known"][seat][p] for p in moved):
            yield "a known face-down card is moved"
    if phase == "swap" and before["recycling"] and same_deal:
        recycles = [p for p in range(len(up)) if up[p] and board[p] == RECYCLE]
        if after["phase"] == "place":
            yield "D5: which of several Recycles goes is asked after the swap"
        elif any(after["boards"][seat][p] not in (SWAP, RECYCLE) for p in recycles):
            yield "D5: the swap moves the Recycle"
    if phase == "draw" and up.count(False) == 1 and action < 10 and after["in_hand"] == PEEK:
        yield "D4: the only face-down card is looked at without asking"
    if phase == "draw" and action == DECK and not before["deck"]:
        yield "D6: the deck is renewed"
    if phase == "draw" and action >= 10:
        yield from rare_recyclings(before, action - 10, after)
    if round_has_ended(before, after):
        finishes_now = phase == "place" and up.count(False) == 1 and not up[action]
        if finishes_now and before["finished"] is not None:
            yield "another player completes its board in the very last turn"
        following = (seat + 1) % before["players"]
        if following != before["finished"]:
            assert before["turns"][following] == max_turns
            if before["finished"] is None and not finishes_now:
                yield "D7: the round ends by its length, nobody having finished"
            else:
                yield "D7: somebody has finished, and not all others have had their last turn"


def rare_recyclings(before, kind, after):
    seat, pile = before["to_act"], before["discard"]
    if kind == RECYCLE:
        yield "a Recycle is recycled"
    if kind == PEEK and before["face_up"][seat].count(False) == 1:
        yield "D4, D5: the only face-down card is looked at for a recycled Peek"
    if pile.count(kind) > 1 and pile[-1] != kind:
        yield "D5: one of several equal cards, below the top"
    if len(pile) == 1:
        yield "the only discard is recycled"
    if after["phase"] == "place":
        yield "which of several Recycles goes is asked"
    if before["finished"] is not None:
        yield "recycling in the last turn"


def round_has_ended(before, after):
    return len(after["scores"][0]) > len(before["scores"][0])


RARE = [
    "D3: of two effects the peek first",
    "D3: of two effects the swap first",
    "D4: a known card is looked at again",
    "D4: the only face-down card is looked at without asking",
    "D4, D5: the only face-down card is looked at for a recycled Peek",
    "a known face-down card is moved",
    "a Recycle is recycled",
    "the only discard is recycled",
    "which of several Recycles goes is asked",
    "recycling in the last turn",
    "D5: one of several equal cards, below the top",
    "D6: the deck is renewed",
    "D5: the swap moves the Recycle",
    "D5: which of several Recycles goes is asked after the swap",
    "D7: the round ends by its length, nobody having finished",
    "D7: somebody has finished, and not all others have had their last turn",
    "another player completes its board in the very last turn",
    "a tie for the win is broken by the rounds",
    "D10: a win is shared",
]

# How every table is played: options, how many games, and by whom.
PLAYED = [
    ({"rounds": 1}, 6, [anything, finishing, recycling, swapping]),
    ({"rounds": 1, "max_turns": 7}, 20, STYLES),
    ({"rounds": 2, "max_turns": 4}, 14, STYLES),
    ({"rounds": 2, "max_turns": 2}, 20, STYLES),
    ({"rounds": 3, "max_turns": 1}, 30, STYLES),
]
# And with the cards that have an effect dealt early, and often a short deck.
PLAYED_LOADED = [
    ({"rounds": 1, "max_turns": 7}, 25, [finishing, recycling, recycling, swapping]),
    ({"rounds": 2, "max_turns": 2}, 15, STYLES),
]


def loaded_deal(number, players, columns):
    chance = random.Random(f"{number} {players} {columns}")
    cards = whole_deck()
    early = {card: 0.4 if card in (SWAP, PEEK, RECYCLE) else 1 for card in cards}
    cards.sort(key=lambda card: early[card] * chance.random())
    on_boards, size = 2 * columns * players, 2 * columns
    boards = [cards[place : place + size] for place in range(0, on_boards, size)]
    rest = cards[on_boards:]
    discard = rest[: chance.choice([1, 6, len(rest) - 3, len(rest)])]
    return {"boards": boards, "deck": rest[len(discard) :], "discard": discard}


def play_compared(number, styles, deal=None, **options):
    """A game of the library and the reference; counts the rare rules that were met."""
    game = Compared(number, deal, **options)
    chance = random.Random(f"{options} {number}")
    seated = [chance.choice(styles) for _ in range(options["num_players"])]
    max_turns = undealt(**options)[0]["max_turns"]
    met = Counter()
    while game.legal:
        before = game.snapshot
        action = seated[before["to_act"]](game.legal, before, chance)
        game.play(action)
        met.update(rare_events(before, action, game.snapshot, max_turns))
    game.same_result()
    reference = game.reference
    winners, totals = reference.ranks().count(1), reference.scores()
    met["D10: a win is shared"] += winners > 1
    met["a tie for the win is broken by the rounds"] += totals.count(min(totals)) > winners
    return met


@pytest.mark.parametrize("columns", [3, 4])
def test_the_library_plays_as_the_reference_does_move_by_move(columns):
    met = Counter()
    for players in range(2, MOST_PLAYERS[columns] + 1):
        table = {"num_players": players, "columns": columns}
        for options, games, styles in PLAYED:
            for number in range(games):
                met += play_compared(number, styles, **table, **options)
        for options, games, styles in PLAYED_LOADED:
            for number in range(games):
                deal = loaded_deal(number, players, columns)
                met += play_compared(number, styles, deal, **table, **options)
    # The comparison means something: the rare rules were met, not only the common ones.
    for event in RARE:
        assert met[event] > 1, event


@pytest.mark.parametrize(("players", "columns"), [(2, 3), (3, 3), (8, 3), (2, 4), (6, 4)])
def test_the_longest_rounds_and_renewals_of_the_deck_are_those_of_the_reference(players, columns):
    """Nobody finishes, and all draw from the deck, which lasts for 54 to 91 of their turns."""
    met = play_compared(0, [waiting], num_players=players, columns=columns, rounds=1)
    assert met["D7: the round ends by its length, nobody having finished"] == 1
    assert met["D6: the deck is renewed"] == 50 * players // (104 - 2 * columns * players)


def test_a_game_of_five_rounds_is_that_of_the_reference():
    for number in range(5):
        play_compared(number, [anything, finishing, recycling, swapping], num_players=4)


# -- what holds in every game ----------------------------------------------------------------------

properties = settings(max_examples=40, derandomize=True, deadline=None, database=None)


@st.composite
def games(draw):
    """A game: its options, its seed, and how each seat plays."""
    columns = draw(st.sampled_from([3, 4]))
    players = draw(st.integers(2, MOST_PLAYERS[columns]))
    rounds, max_turns = draw(st.sampled_from([(1, 50), (1, 8), (2, 4), (2, 1), (3, 2)]))
    styles = STYLES if max_turns < 50 else [anything, finishing, recycling, swapping]
    return {
        "options": {
            "num_players": players,
            "columns": columns,
            "rounds": rounds,
            "max_turns": max_turns,
        },
        "seed": draw(st.integers(0, 2**63 - 1)),
        "styles": draw(st.lists(st.sampled_from(styles), min_size=players, max_size=players)),
    }


@lru_cache(maxsize=200)
def played(seed, styles, **options):
    """All snapshots of a game, the possible actions at each, and the actions between them."""
    states = copied(undealt(**options)[1])
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
    return played(game["seed"], tuple(game["styles"]), **game["options"])


def moves(game):
    """Each action with the snapshots before and after it."""
    snapshots, _, actions = whole(game)
    yield from zip(snapshots[:-1], actions, snapshots[1:], strict=True)


def moves_within_rounds(game):
    for before, action, after in moves(game):
        if not round_has_ended(before, after):
            yield before, action, after


def in_hand(snapshot):
    return [] if snapshot["in_hand"] is None else [snapshot["in_hand"]]


@properties
@given(games())
def test_every_card_is_in_exactly_one_place(game):
    """Boards, the card in hand, deck and discard pile."""
    for snapshot in whole(game)[0]:
        piles = [*snapshot["boards"], snapshot["deck"], snapshot["discard"], in_hand(snapshot)]
        assert sorted(card for pile in piles for card in pile) == whole_deck()


@properties
@given(games())
def test_within_a_round_no_board_gets_a_face_down_card_more(game):
    for before, _, after in moves_within_rounds(game):
        for up, up_after in zip(before["face_up"], after["face_up"], strict=True):
            assert sum(up_after) >= sum(up)


@properties
@given(games())
def test_face_up_cards_are_known_and_no_knowledge_is_lost_within_a_round(game):
    for before, _, after in moves_within_rounds(game):
        for seat in range(before["players"]):
            for known, up in zip(after["known"][seat], after["face_up"][seat], strict=True):
                assert known or not up
            assert sum(after["known"][seat]) >= sum(before["known"][seat])


@properties
@given(games())
def test_nobody_changes_anothers_board(game):
    for before, _, after in moves_within_rounds(game):
        for seat in range(before["players"]):
            if seat != before["to_act"]:
                for name in ("boards", "face_up", "known"):
                    assert after[name][seat] == before[name][seat]


@properties
@given(games())
def test_turning_up_and_peeking_move_no_card(game):
    for before, action, after in moves(game):
        if before["phase"] in ("turn_up", "peek"):
            seat = before["to_act"]
            assert not before["face_up"][seat][action]
            assert after["known"][seat][action]
            if before["phase"] == "turn_up":
                assert after["face_up"][seat][action]
            else:
                recycled = before["recycling"] and not after["recycling"]
                assert recycled or after["face_up"] == before["face_up"]
                assert recycled or after["boards"] == before["boards"]


@properties
@given(games())
def test_an_exchange_keeps_the_cards_with_their_sides_and_what_is_known_of_them(game):
    for before, action, after in moves_within_rounds(game):
        if before["phase"] == "swap" and not before["recycling"]:
            names = "boards", "face_up", "known"
            lying = [
                list(zip(*(snapshot[name][before["to_act"]] for name in names), strict=True))
                for snapshot in (before, after)
            ]
            assert sorted(lying[0]) == sorted(lying[1])
            moved = sum(one != other for one, other in zip(*lying, strict=True))
            assert moved in ((0,) if action == DECLINE else (0, 2))


@properties
@given(games())
def test_a_drawn_card_replaces_a_card_of_the_board_which_is_then_the_top_discard(game):
    for before, action, after in moves_within_rounds(game):
        if before["phase"] == "place":
            seat = before["to_act"]
            assert after["boards"][seat][action] == before["in_hand"]
            assert after["face_up"][seat][action]
            assert after["discard"] == [*before["discard"], before["boards"][seat][action]]
            assert after["deck"] == before["deck"]
            assert after["in_hand"] is None
            if before["recycling"]:
                assert after["discard"][-1] == RECYCLE
                assert before["face_up"][seat][action]


@properties
@given(games())
def test_cards_come_from_the_top_of_the_deck_or_from_the_discard_pile(game):
    for before, action, after in moves_within_rounds(game):
        if before["phase"] != "draw":
            continue
        deck, pile = before["deck"], before["discard"]
        if action == DECK and deck:
            assert after["in_hand"] == deck[0]
            assert (after["deck"], after["discard"]) == (deck[1:], pile)
        elif action == DECK:  # D6
            assert sorted([after["in_hand"], *after["deck"]]) == sorted(pile[:-1])
            assert after["discard"] == pile[-1:]
        elif action == DISCARD:
            assert after["in_hand"] == pile[-1]
            assert (after["deck"], after["discard"]) == (deck, pile[:-1])
        else:
            place = max(p for p, card in enumerate(pile) if card == action - 10)  # D5
            rest = pile[:place] + pile[place + 1 :]
            assert after["discard"] in (rest, [*rest, RECYCLE])
            assert after["deck"] == deck


@properties
@given(games())
def test_a_step_with_one_possible_answer_is_not_asked(game):
    for possible in whole(game)[1]:
        assert len(possible) > 1


@properties
@given(games())
def test_recycling_is_possible_with_a_face_up_recycle_for_whatever_is_in_the_discard_pile(game):
    snapshots, possible, _ = whole(game)
    for snapshot, actions in zip(snapshots, possible, strict=False):
        if snapshot["phase"] == "draw":
            seat = snapshot["to_act"]
            lying = zip(snapshot["boards"][seat], snapshot["face_up"][seat], strict=True)
            kinds = set(snapshot["discard"]) if (RECYCLE, True) in lying else set()
            assert actions == [DECK, DISCARD, *(10 + kind for kind in sorted(kinds))]


@properties
@given(games())
def test_turns_go_round_from_the_left_of_the_dealer(game):
    for snapshot in whole(game)[0]:
        if snapshot["over"]:
            continue
        players, turns = snapshot["players"], snapshot["turns"]
        first = (snapshot["dealer"] + 1) % players
        assert snapshot["dealer"] == (snapshot["round"] - 1) % players
        order = [(first + k) % players for k in range(players)]
        in_order = [turns[seat] for seat in order]
        assert in_order == sorted(in_order, reverse=True)
        assert in_order[0] - in_order[-1] <= 1
        if snapshot["phase"] == "turn_up":
            turned = [sum(snapshot["face_up"][seat]) for seat in order]
            assert turned == sorted(turned, reverse=True)
            assert (sum(turns), sum(turned) % 2) == (0, turned[order.index(snapshot["to_act"])])
        elif sum(turns) or snapshot["phase"] in ("draw", "place"):
            assert snapshot["to_act"] == order[sum(turns) % players]


@properties
@given(games())
def test_a_round_ends_one_turn_of_each_after_the_first_complete_board_or_by_its_length(game):
    players, longest = game["options"]["num_players"], game["options"]["max_turns"]
    since = None  # how many turns have been completed since somebody finished
    for before, _, after in moves(game):
        if round_has_ended(before, after):
            last = before["to_act"]
            at_length = min(t + (p == last) for p, t in enumerate(before["turns"])) == longest
            assert at_length or since == players - 2
            since = None
        elif before["finished"] is None and after["finished"] is not None:
            assert all(after["face_up"][after["finished"]])
            assert after["finished"] == before["to_act"]
            since = 0
        elif sum(after["turns"]) > sum(before["turns"]):
            complete = [seat for seat in range(players) if all(after["face_up"][seat])]
            assert bool(complete) == (after["finished"] is not None)
            since = None if since is None else since + 1
        assert since is None or since < players - 1


@properties
@given(games())
def test_at_the_end_everything_is_turned_up_and_scored(game):
    last = whole(game)[0][-1]
    players, columns = last["players"], last["columns"]
    assert (last["phase"], last["to_act"], last["in_hand"]) == ("over", None, None)
    assert (last["round"], last["over"]) == (game["options"]["rounds"], True)
    assert last["face_up"] == last["known"] == [[True] * 2 * columns] * players
    assert [len(own) for own in last["scores"]] == [last["rounds"]] * players
    for board, own in zip(last["boards"], last["scores"], strict=True):
        assert own[-1] == score_of_board(board, columns)
        assert all(0 <= points <= 20 * columns for points in own)


@properties
@given(st.lists(st.integers(0, 14), min_size=4, max_size=4), st.integers(0, 14))
def test_a_column_of_equals_scores_nothing_whatever_else_lies_there(others, card):
    board = [*others[:2], card, card, *others[2:]]
    assert score_of_board(board, 3) == score_of_board(others, 2)
