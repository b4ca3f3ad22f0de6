"""Diddly by the rules: each rule and decision at the table, for the reference and the environment.

Numbers of decisions (D1 …) are those of the project's rules page. Boards and piles are written with
the cards' names, columns between bars: "7 7 | 10 half | 3 diddly"; a dot is any card.
"""

import random
from collections import Counter
from functools import partial
from itertools import combinations

import numpy as np
import pytest

from cardgames_env import diddly_v0
from tests.contract.play import seen_by
from tests.games.diddly.reference import Reference, score_of_board
from tests.reference_rng import Stream

ROOT = 20131

NAMES = [*(str(number) for number in range(1, 11)), "diddly", "swap", "half", "peek", "recycle"]
DECK = Counter(dict.fromkeys(NAMES[:11], 8) | dict.fromkeys(NAMES[11:], 4))  # D1
SWAPS = list(combinations(range(8), 2))

ANY = "."
OK_DRAW = [8, 9]  # the deck or the discard pile


def cards(text):
    """The names in a text, without the bars."""
    return [name for name in text.split() if name != "|"]


def written(names):
    """Names by column: "7 7 | 10 half | 3 diddly"."""
    columns = zip(names[::2], names[1::2], strict=True)
    return " | ".join(f"{upper} {lower}" for upper, lower in columns)


class OnReference:
    """A game played by the plain-Python reference."""

    def __init__(self, players, options, deal):
        self.game = Reference(players, **options, chance=Stream(1, 0), deal=deal)
        self.step = self.game.play
        self.legal = self.game.legal
        self.snapshot = self.game.snapshot
        self.scores = self.game.scores
        self.ranks = self.game.ranks
        self.win_shares = self.game.win_shares


class OnEnvironment:
    """The same game played in the turn-based environment."""

    def __init__(self, players, options, deal):
        self.env = diddly_v0.raw_env(num_players=players, **options)
        self.env.reset(seed=1, options={"deal": deal})
        self.step = self.env.step
        self.snapshot = self.env.snapshot

    def legal(self):
        mask = self.env.observe(self.env.agent_selection)["action_mask"]
        return np.flatnonzero(mask).tolist()

    def scores(self):
        return [self.env.infos[agent]["score"] for agent in self.env.agents]

    def ranks(self):
        return [self.env.infos[agent]["rank"] for agent in self.env.agents]

    def win_shares(self):
        return [self.env.rewards[agent] + 1 / len(self.env.agents) for agent in self.env.agents]


KINDS = {"reference": OnReference, "environment": OnEnvironment}


class Table:
    """A game whose cards a test lays and plays.

    boards: a text for every seat; short boards and dots are filled up with what is left.
    deck: its next cards, the next first; the rest follows, or lies beneath the discard pile if
        ``empty_deck``.
    discard: the pile from the bottom.
    instead: cards to exchange for one of this name from deep in the deck, by (seat, position).
    """

    def __init__(self, kind, boards, deck="", discard=ANY, empty_deck=False, instead=(), **options):
        size = 2 * options.get("columns", 3)
        boards = [cards(board) for board in boards]
        boards = [board + [ANY] * (size - len(board)) for board in boards]
        deck, discard = cards(deck), cards(discard)
        placed = Counter(name for pile in [*boards, deck, discard] for name in pile)
        del placed[ANY]
        assert placed <= DECK
        rest = []
        left = DECK - placed
        while left:  # the numbers in turn, then the other cards
            rest += [name for name in NAMES[:10] if left[name]] or list(left.elements())
            left = DECK - placed - Counter(rest)
        for pile in [*boards, deck, discard]:
            for place, name in enumerate(pile):
                if name == ANY:
                    pile[place] = rest.pop(0)
        if empty_deck:
            discard = rest + discard
        else:
            deck = deck + rest
        for (seat, position), name in dict(instead).items():
            place = max(p for p, other in enumerate(deck) if other == name)
            deck[place], boards[seat][position] = boards[seat][position], name
        deal = {
            "boards": [[NAMES.index(name) for name in board] for board in boards],
            "deck": [NAMES.index(name) for name in deck],
            "discard": [NAMES.index(name) for name in discard],
        }
        self.deal = deal
        self.game = KINDS[kind](len(boards), options, deal)

    def __getattr__(self, name):
        """``to_act``, ``phase``, ``known``, ``pending``, ``turns``, ``finished`` …"""
        return self.game.snapshot()[name]

    def legal(self):
        return self.game.legal()

    # What lies on the table, by name.

    def board(self, seat):
        return written([NAMES[card] for card in self.boards[seat]])

    def seen(self, seat):
        """With "?" for a face-down card and "(7)" for one that its owner knows."""
        names = []
        for card, up, known in zip(
            self.boards[seat], self.face_up[seat], self.known[seat], strict=True
        ):
            names.append(NAMES[card] if up else f"({NAMES[card]})" if known else "?")
        return written(names)

    def hand(self):
        return None if self.in_hand is None else NAMES[self.in_hand]

    def pile(self):
        return " ".join(NAMES[card] for card in self.discard)

    def next_cards(self, number):
        return " ".join(NAMES[card] for card in self.deck[:number])

    # What is done.

    def in_phase(self, phase, action):
        assert self.phase == phase
        self.game.step(action)
        return self

    def turn_up(self, *positions):
        for position in positions:
            self.in_phase("turn_up", position)
        return self

    def peek(self, position):
        return self.in_phase("peek", position)

    def swap(self, position, other):
        return self.in_phase("swap", 26 + SWAPS.index((position, other)))

    def decline(self):
        return self.in_phase("swap", 25)

    def draw(self):
        return self.in_phase("draw", 8)

    def take(self):
        return self.in_phase("draw", 9)

    def recycle(self, name):
        return self.in_phase("draw", 10 + NAMES.index(name))

    def place(self, position):
        return self.in_phase("place", position)

    def turn(self, position):
        """A card from the deck, to a position."""
        self.draw()
        while self.phase == "swap":
            self.decline()
        while self.phase == "peek":
            self.peek(self.legal()[0])
        return self.place(position)

    def set_up(self, first=0, second=1):
        """Everybody who has not turned up the same two positions, which have no effects."""
        while self.phase == "turn_up":
            self.turn_up(first, second)
        assert self.phase == "draw"
        return self


@pytest.fixture(params=KINDS)
def lay(request):
    """Lays a deal, in one run for the reference and in one for the environment."""
    return partial(Table, request.param)


@pytest.fixture
def lay_for_eyes():
    """Lays a deal for the environment, whose views the test compares."""
    return partial(Table, "environment")


def refused(table, action):
    """An action that is refused, and changes nothing."""
    before = table.game.snapshot()
    with pytest.raises(ValueError):  # noqa: PT011 (the words differ)
        table.game.step(action)
    return table.game.snapshot() == before


# -- material and players --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("players", "columns"), [(n, 3) for n in range(2, 9)] + [(n, 4) for n in range(2, 7)]
)
def test_d2_full_boards_one_discard_and_the_rest_is_the_deck(players, columns):
    env = diddly_v0.raw_env(num_players=players, columns=columns)
    for number in range(20):
        env.reset(seed=ROOT if number == 0 else None)
        reference = Reference(players, columns, chance=Stream(ROOT, number))
        assert env.snapshot() == reference.snapshot()
        snapshot = env.snapshot()
        assert [len(board) for board in snapshot["boards"]] == [2 * columns] * players
        assert len(snapshot["discard"]) == 1
        assert len(snapshot["deck"]) == 104 - 2 * columns * players - 1
        everything = [*snapshot["boards"], snapshot["deck"], snapshot["discard"]]
        assert Counter(NAMES[card] for pile in everything for card in pile) == DECK


def test_d1_104_cards():
    """80 number cards, 8 Diddly, and 4 each of the others."""
    assert DECK.total() == 104
    assert sum(DECK[name] for name in NAMES[:10]) == 80
    assert [DECK[name] for name in NAMES] == [8] * 11 + [4] * 4


def test_d2_four_players_three_columns_five_rounds_if_nothing_is_said():
    env = diddly_v0.env()
    env.reset(seed=1)
    snapshot = env.snapshot()
    assert (snapshot["players"], snapshot["columns"], snapshot["rounds"]) == (4, 3, 5)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"num_players": 1}, "num_players"),
        ({"num_players": 9}, "num_players"),
        ({"num_players": 7, "columns": 4}, "num_players"),
        ({"num_players": 8, "columns": 4}, "num_players"),
        ({"columns": 2}, "columns"),
        ({"columns": 5}, "columns"),
        ({"rounds": 0}, "rounds"),
        ({"max_turns": 0}, "max_turns"),
    ],
)
def test_d2_other_numbers_are_refused(options, named):
    with pytest.raises(ValueError, match=named):
        Reference(**options, chance=Stream(1, 0))
    with pytest.raises(ValueError, match=named):
        diddly_v0.env(**options)


def test_every_card_comes_to_every_board_and_to_the_first_discard_as_often_as_it_is_in_the_deck():
    env = diddly_v0.raw_env(num_players=8)
    places = [Counter() for _ in range(9)]
    for number in range(2000):
        env.reset(seed=ROOT if number == 0 else None)
        for place, board in zip(places, env.snapshot()["boards"], strict=False):
            place.update(NAMES[card] for card in board)
        places[8][NAMES[env.snapshot()["discard"][0]]] += 1
    for place in places:
        expected = {name: place.total() * DECK[name] / 104 for name in NAMES}
        chi = sum((place[name] - expected[name]) ** 2 / expected[name] for name in NAMES)
        assert chi < 45  # fourteen degrees of freedom: one in twenty thousand


def test_the_mean_value_of_a_card_is_five_points():
    assert sum(SINGLE[name] for name in DECK.elements()) / 104 == 5.0


# -- the deal --------------------------------------------------------------------------------------


def test_a_scripted_deal_is_laid_as_it_is_given(lay):
    table = lay(["7 7 | 10 half | 3 diddly", "1 2 | 3 4 | 5 6"], deck="peek 9 9", discard="8 swap")
    assert table.board(0) == "7 7 | 10 half | 3 diddly"
    assert table.board(1) == "1 2 | 3 4 | 5 6"
    assert table.next_cards(3) == "peek 9 9"
    assert table.pile() == "8 swap"
    assert len(table.deck) == 104 - 14


def test_the_whole_state_after_the_deal(lay):
    table = lay([".", ".", "."], columns=4, rounds=2)
    snapshot = table.game.snapshot()
    for name in ("boards", "deck", "discard"):
        assert snapshot.pop(name) == table.deal[name]
    assert snapshot == {
        "players": 3,
        "columns": 4,
        "round": 1,
        "rounds": 2,
        "dealer": 0,
        "to_act": 1,
        "phase": "turn_up",
        "face_up": [[False] * 8] * 3,
        "known": [[False] * 8] * 3,
        "in_hand": None,
        "recycling": False,
        "pending": [],
        "turns": [0, 0, 0],
        "finished": None,
        "scores": [[], [], []],
        "over": False,
    }


BAD_DEALS = {
    "no boards": lambda deal: deal.pop("boards"),
    "no deck": lambda deal: deal.pop("deck"),
    "no discard pile": lambda deal: deal.pop("discard"),
    "one thing more": lambda deal: deal.update(dealer=0),
    "a board too many": lambda deal: deal["boards"].append([]),
    "a board too few": lambda deal: deal["deck"].extend(deal["boards"].pop()),
    "five cards on a board": lambda deal: deal["deck"].append(deal["boards"][0].pop()),
    "seven cards on a board": lambda deal: deal["boards"][0].append(deal["deck"].pop()),
    "an empty discard pile": lambda deal: deal["deck"].append(deal["discard"].pop()),
    "a card too few": lambda deal: deal["deck"].pop(),
    "a card twice": lambda deal: deal["deck"].append(deal["deck"][0]),
    "a ninth 1 for a 2": lambda deal: deal["deck"].__setitem__(deal["deck"].index(1), 0),
    "a type 15": lambda deal: deal["deck"].__setitem__(0, 15),
    "a type -1": lambda deal: deal["deck"].__setitem__(0, -1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", BAD_DEALS)
def test_a_deal_that_is_not_one_is_refused(kind, bad):
    deck = [NAMES.index(name) for name in DECK.elements()]
    random.Random(1).shuffle(deck)
    deal = {"boards": [deck[:6], deck[6:12]], "deck": deck[12:-1], "discard": deck[-1:]}
    KINDS[kind](2, {}, deal)
    BAD_DEALS[bad](deal)
    with pytest.raises(ValueError):  # noqa: PT011 (who refuses, and with what words, differs)
        KINDS[kind](2, {}, deal)


@pytest.mark.parametrize("top", ["swap", "peek", "recycle", "half", "5"])
def test_d11_the_first_discard_lies_there_before_the_set_up_and_has_no_effect(lay, top):
    table = lay([".", "."], discard=top)
    assert (table.pile(), table.phase, table.pending) == (top, "turn_up", [])
    table.set_up()
    assert table.pile() == top


# -- the set-up ------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 8])
def test_the_seat_left_of_the_dealer_begins_and_it_goes_on_to_the_left(lay, players):
    table = lay(["."] * players)
    assert table.dealer == 0
    order = [*range(1, players), 0]
    for seat in order:
        for position in (0, 1):
            assert (table.phase, table.to_act) == ("turn_up", seat)
            table.turn_up(position)
    for seat in [*order, *order]:
        assert (table.phase, table.to_act) == ("draw", seat)
        table.turn(0)


def test_each_player_turns_any_two_own_cards_face_up(lay):
    table = lay([".", "1 2 | 3 4 | 5 6"])
    assert table.legal() == [0, 1, 2, 3, 4, 5]
    table.turn_up(3)
    assert table.legal() == [0, 1, 2, 4, 5]
    assert table.to_act == 1
    table.turn_up(0)
    assert table.seen(1) == "1 ? | ? 4 | ? ?"
    assert table.to_act == 0
    assert table.legal() == [0, 1, 2, 3, 4, 5]


def test_on_boards_of_eight_there_are_positions_6_and_7(lay):
    table = lay([".", "1 2 | 3 4 | 5 6 | 7 8"], columns=4)
    assert table.legal() == list(range(8))
    table.turn_up(6, 7)
    assert table.seen(1) == "? ? | ? ? | ? ? | 7 8"


def test_a_card_is_not_turned_twice_and_nothing_else_can_be_done(lay):
    table = lay([".", "."]).turn_up(3)
    for action in (3, 6, 7, 8, 9, 10, 24, 25, 26, 53, 54, -1):
        assert refused(table, action)


def test_d3_effects_wait_for_the_second_card(lay):
    table = lay([".", "peek 2 | 3 4 | 5 6"]).turn_up(0)
    assert (table.phase, table.to_act, table.pending) == ("turn_up", 1, [13])
    table.turn_up(5)
    assert (table.phase, table.to_act, table.pending) == ("peek", 1, [13])


def test_d3_a_peek_turned_up_makes_its_owner_look_at_a_face_down_card(lay):
    table = lay([".", "peek 2 | 3 4 | 5 6"]).turn_up(0, 1)
    assert table.legal() == [2, 3, 4, 5]
    for action in (0, 1, 6, 8, 9, 25):
        assert refused(table, action)
    table.peek(4)
    assert table.seen(1) == "peek 2 | ? ? | (5) ?"
    assert (table.phase, table.to_act, table.pending) == ("turn_up", 0, [])


def test_d3_a_swap_turned_up_lets_its_owner_exchange_two_own_cards(lay):
    table = lay([".", "swap 2 | 3 4 | 5 6"]).turn_up(0, 1)
    assert (table.phase, table.to_act, table.pending) == ("swap", 1, [11])
    assert table.legal() == [25, *(26 + SWAPS.index(pair) for pair in combinations(range(6), 2))]
    table.swap(1, 4)
    assert table.board(1) == "swap 5 | 3 4 | 2 6"
    assert table.seen(1) == "swap ? | ? ? | 2 ?"
    assert (table.phase, table.to_act, table.pending) == ("turn_up", 0, [])


def test_d3_or_decline(lay):
    table = lay([".", "swap 2 | 3 4 | 5 6"]).turn_up(0, 1).decline()
    assert table.seen(1) == "swap 2 | ? ? | ? ?"
    assert (table.phase, table.to_act, table.pending) == ("turn_up", 0, [])


def test_d3_effects_are_carried_out_in_the_order_in_which_the_cards_were_turned(lay):
    peek_first = lay([".", "peek swap | 3 4 | 5 6"]).turn_up(0, 1)
    assert (peek_first.phase, peek_first.pending) == ("peek", [13, 11])
    peek_first.peek(2)
    assert (peek_first.phase, peek_first.pending, peek_first.to_act) == ("swap", [11], 1)
    peek_first.swap(2, 5)
    assert peek_first.seen(1) == "peek swap | ? ? | ? (3)"

    swap_first = lay([".", "peek swap | 3 4 | 5 6"]).turn_up(1, 0)
    assert (swap_first.phase, swap_first.pending) == ("swap", [11, 13])
    swap_first.swap(0, 3)
    assert swap_first.seen(1) == "? swap | ? peek | ? ?"
    assert (swap_first.phase, swap_first.pending, swap_first.to_act) == ("peek", [13], 1)
    assert swap_first.legal() == [0, 2, 4, 5]
    swap_first.peek(0)
    assert swap_first.seen(1) == "(4) swap | ? peek | ? ?"


def test_d3_two_swaps_are_two_exchanges(lay):
    table = lay([".", "swap swap | 3 4 | 5 6"]).turn_up(0, 1)
    assert table.pending == [11, 11]
    table.swap(0, 5)
    assert table.pending == [11]
    table.swap(1, 5)
    assert table.board(1) == "6 swap | 3 4 | 5 swap"
    assert table.seen(1) == "? swap | ? ? | ? swap"
    assert table.to_act == 0


def test_d3_two_peeks_are_two_looks_and_d4_a_known_card_may_be_looked_at_again(lay):
    table = lay([".", "peek peek | 3 4 | 5 6"]).turn_up(0, 1).peek(3)
    assert (table.phase, table.pending) == ("peek", [13])
    assert table.legal() == [2, 3, 4, 5]
    table.peek(3)
    assert table.seen(1) == "peek peek | ? (4) | ? ?"
    assert (table.phase, table.to_act) == ("turn_up", 0)


def test_d3_the_next_player_turns_cards_only_after_the_effects(lay):
    table = lay(["peek 1 | . .", "swap 1 | . .", "peek 1 | . ."])
    table.turn_up(0, 1).decline()
    assert (table.to_act, table.phase) == (2, "turn_up")
    table.turn_up(0, 1).peek(2)
    assert (table.to_act, table.phase) == (0, "turn_up")
    table.turn_up(0, 1)
    assert (table.to_act, table.phase) == (0, "peek")
    table.peek(5)
    assert (table.to_act, table.phase) == (1, "draw")


@pytest.mark.parametrize("name", ["recycle", "half", "diddly", "10"])
def test_other_cards_turned_up_have_no_effect(lay, name):
    table = lay([".", f"{name} {name} | 3 4 | 5 6"]).turn_up(0, 1)
    assert (table.phase, table.to_act, table.pending) == ("turn_up", 0, [])


def test_turning_up_is_no_turn(lay):
    table = lay([".", "."]).set_up()
    assert table.turns == [0, 0]


# -- a turn ----------------------------------------------------------------------------------------


def test_a_turn_begins_with_the_deck_or_the_discard_pile(lay):
    table = lay([".", "."]).set_up()
    assert (table.phase, table.legal()) == ("draw", [8, 9])
    for action in (0, 5, 10, 24, 25, 26, 53):
        assert refused(table, action)


def test_the_top_card_of_the_deck_replaces_a_card_which_goes_onto_the_discard_pile(lay):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="9 10", discard="8").set_up().draw()
    assert (table.phase, table.to_act, table.hand(), table.recycling) == ("place", 1, "9", False)
    assert table.next_cards(1) == "10"
    table.place(1)
    assert table.seen(1) == "1 9 | ? ? | ? ?"
    assert table.pile() == "8 2"
    assert (table.hand(), table.to_act, table.phase) == (None, 0, "draw")
    assert table.turns == [0, 1]


def test_the_top_card_of_the_discard_pile_likewise(lay):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="9", discard="7 8").set_up().take()
    assert (table.phase, table.hand(), table.pile(), table.recycling) == ("place", "8", "7", False)
    assert table.next_cards(1) == "9"
    table.place(0)
    assert table.seen(1) == "8 2 | ? ? | ? ?"
    assert table.pile() == "7 1"


def test_the_only_discard_may_be_taken_and_the_replaced_card_takes_its_place(lay):
    table = lay([".", "1 2 | 3 4 | 5 6"], discard="8").set_up().take()
    assert table.discard == []
    table.place(5)
    assert table.pile() == "6"


@pytest.mark.parametrize("source", [8, 9])
@pytest.mark.parametrize("position", range(6))
def test_any_card_can_be_replaced_face_up_or_face_down_and_the_new_one_lies_face_up(
    lay, source, position
):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="9", discard="9").set_up()
    table.game.step(source)
    assert table.legal() == [0, 1, 2, 3, 4, 5]
    table.place(position)
    names = ["1", "2", "?", "?", "?", "?"]
    names[position] = "9"
    assert table.seen(1) == written(names)
    assert table.known[1] == table.face_up[1]
    assert table.pile().split()[-1] == str(position + 1)


def test_there_is_no_passing_and_a_drawn_card_is_never_discarded(lay):
    table = lay([".", "."]).set_up().draw()
    assert table.legal() == [0, 1, 2, 3, 4, 5]
    for action in (6, 7, 8, 9, 10, 25, 26):
        assert refused(table, action)


def test_on_boards_of_eight_there_are_eight_places(lay):
    table = lay([".", "."], columns=4, deck="9").set_up().draw()
    assert table.legal() == list(range(8))
    table.place(7)
    assert table.seen(1).endswith("? 9")


def test_what_one_player_discards_the_next_may_take(lay):
    table = lay(["1 2", "3 4"], deck="9").set_up().draw().place(0).take()
    assert (table.to_act, table.hand()) == (0, "3")


@pytest.mark.parametrize("name", ["half", "diddly", "recycle", "10"])
@pytest.mark.parametrize("source", [8, 9])
def test_cards_without_an_effect_are_placed_at_once(lay, name, source):
    table = lay([".", "."], deck=name, discard=name).set_up()
    table.game.step(source)
    assert (table.phase, table.hand()) == ("place", name)


# -- Peek ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [8, 9])
def test_a_peek_in_hand_first_shows_its_owner_a_face_down_card(lay, source):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="peek", discard="peek").set_up()
    table.game.step(source)
    assert (table.phase, table.to_act, table.hand()) == ("peek", 1, "peek")
    assert table.pending == []  # only effects of the set-up are
    assert table.legal() == [2, 3, 4, 5]
    table.peek(3)
    assert (table.phase, table.hand()) == ("place", "peek")
    assert table.legal() == [0, 1, 2, 3, 4, 5]
    assert table.seen(1) == "1 2 | ? (4) | ? ?"
    table.place(0)
    assert table.seen(1) == "peek 2 | ? (4) | ? ?"
    assert table.to_act == 0


def test_d4_looking_is_obligatory_and_it_is_at_a_face_down_card(lay):
    table = lay([".", "."], deck="peek").set_up().draw()
    for action in (0, 1, 6, 8, 9, 25, 26):
        assert refused(table, action)


def test_d4_a_known_card_may_be_looked_at_again(lay):
    table = lay([".", "peek 2 | 3 4 | 5 6"], deck="peek").turn_up(0, 1).peek(2).set_up().draw()
    assert table.legal() == [2, 3, 4, 5]
    table.peek(2)
    assert table.seen(1) == "peek 2 | (3) ? | ? ?"


def test_d4_with_only_one_face_down_card_it_is_looked_at_without_asking(lay):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="9 1 9 1 9 1 peek").set_up()
    for position in (2, 3, 4):
        table.turn(position).turn(0)
    assert table.seen(1) == "1 2 | 9 9 | 9 ?"
    table.draw()
    assert (table.phase, table.hand()) == ("place", "peek")
    assert table.seen(1) == "1 2 | 9 9 | 9 (6)"
    table.place(0)
    assert table.seen(1) == "peek 2 | 9 9 | 9 (6)"


def test_d4_likewise_if_the_peek_comes_from_the_discard_pile(lay):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="9 1 9 1 9 peek 9 1").set_up()
    table.turn(2).turn(0).turn(3).turn(0).turn(4)
    table.turn(0).turn(0).turn(0)  # seat 0 places the peek and replaces it in its next turn
    assert table.pile().endswith("peek")
    table.take()
    assert (table.phase, table.to_act, table.hand()) == ("place", 1, "peek")
    assert table.seen(1) == "9 2 | 9 9 | 9 (6)"


def test_a_peeked_card_stays_known_to_its_owner_until_it_leaves_the_board(lay):
    table = lay([".", "peek 2 | 3 4 | 5 6"], deck="9 9 9 9 9").turn_up(0, 1).peek(2).set_up()
    table.turn(0).turn(0)
    assert table.seen(1) == "9 2 | (3) ? | ? ?"
    table.turn(2)
    assert table.seen(1) == "9 2 | 9 ? | ? ?"
    assert table.pile().endswith("3")


# -- Swap ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [8, 9])
def test_a_swap_in_hand_first_allows_an_exchange_of_any_two_own_cards(lay, source):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="swap", discard="swap").set_up()
    table.game.step(source)
    assert (table.phase, table.to_act, table.hand()) == ("swap", 1, "swap")
    assert table.pending == []
    table.swap(0, 2)
    assert table.board(1) == "3 2 | 1 4 | 5 6"
    assert table.seen(1) == "? 2 | 1 ? | ? ?"  # each keeps its side
    assert (table.phase, table.hand()) == ("place", "swap")
    table.place(0)
    assert table.seen(1) == "swap 2 | 1 ? | ? ?"
    assert table.pile().endswith("3")


@pytest.mark.parametrize("source", [8, 9])
def test_or_none(lay, source):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="swap", discard="swap").set_up()
    table.game.step(source)
    table.decline()
    assert table.seen(1) == "1 2 | ? ? | ? ?"
    assert (table.phase, table.legal()) == ("place", [0, 1, 2, 3, 4, 5])


@pytest.mark.parametrize("columns", [3, 4])
def test_the_numbers_of_the_exchanges(lay, columns):
    """26 is (0,1), 27 (0,2) … 32 (0,7), 33 (1,2) … 53 (6,7)."""
    size = 2 * columns
    pairs = [(i, j) for i, j in SWAPS if j < size]
    assert [SWAPS[a - 26] for a in (26, 27, 32, 33, 53)] == [(0, 1), (0, 2), (0, 7), (1, 2), (6, 7)]
    for position, other in pairs:
        table = lay([".", written(NAMES[:size])], columns=columns, deck="swap")
        before = table.boards[1]
        table.set_up().draw()
        assert table.legal() == [25, *(26 + SWAPS.index(pair) for pair in pairs)]
        table.swap(position, other)
        before[position], before[other] = before[other], before[position]
        assert table.boards[1] == before


def test_on_boards_of_six_positions_6_and_7_cannot_be_swapped(lay):
    table = lay([".", "."], deck="swap").set_up().draw()
    for action in range(26, 54):
        if SWAPS[action - 26][1] > 5:
            assert refused(table, action)
    for action in (0, 5, 8, 9, 10, 54):
        assert refused(table, action)


def test_a_peeked_card_stays_known_when_a_swap_moves_it(lay):
    table = lay([".", "peek 2 | 3 4 | 5 6"], deck="swap 1 swap")
    table.turn_up(0, 1).peek(2).set_up().draw()
    table.swap(2, 5).place(0)
    assert table.seen(1) == "swap 2 | ? ? | ? (3)"
    table.turn(0).draw().swap(1, 5)
    assert table.seen(1) == "swap (3) | ? ? | ? 2"
    assert table.board(1) == "swap 3 | 6 4 | 5 2"


def test_two_face_up_cards_can_be_exchanged_and_two_face_down_ones(lay):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="swap 1 swap").set_up().draw().swap(0, 1)
    assert table.seen(1) == "2 1 | ? ? | ? ?"
    table.place(0).turn(0).draw().swap(3, 4)
    assert table.board(1) == "swap 1 | 3 5 | 4 6"
    assert table.seen(1) == "swap 1 | ? ? | ? ?"


# -- Recycle ---------------------------------------------------------------------------------------


def with_recycle(lay, discard="3 7 3 9", board="recycle 2 | 3 4 | 5 6", **options):
    """Seat 1 has a Recycle face up, from the set-up, and is to act."""
    return lay([".", board], discard=discard, **options).set_up()


def test_a_face_up_recycle_allows_to_take_any_card_of_the_discard_pile(lay):
    table = with_recycle(lay, "3 7 diddly half 3 recycle 9")
    assert table.legal() == [8, 9, 10 + 2, 10 + 6, 10 + 8, 10 + 10, 10 + 12, 10 + 14]
    for action in (10, 11, 13, 21, 23, 25, 0):
        assert refused(table, action)


def test_the_card_lies_where_the_recycle_was_and_the_recycle_on_top_of_the_discard_pile(lay):
    table = with_recycle(lay).recycle("7")
    assert table.seen(1) == "7 2 | ? ? | ? ?"
    assert table.pile() == "3 3 9 recycle"
    assert (table.hand(), table.recycling, table.to_act, table.phase) == (None, False, 0, "draw")
    assert table.turns == [0, 1]


def test_d5_of_several_equal_cards_the_uppermost_is_taken(lay):
    table = with_recycle(lay, "3 7 3 9 8").recycle("3")
    assert table.pile() == "3 7 9 8 recycle"


def test_the_top_card_may_be_recycled_too(lay):
    table = with_recycle(lay, "3 9").recycle("9")
    assert table.seen(1) == "9 2 | ? ? | ? ?"
    assert table.pile() == "3 recycle"


def test_a_recycle_may_be_recycled(lay):
    """Which comes near to passing."""
    table = with_recycle(lay, "3 recycle 9").recycle("recycle")
    assert table.seen(1) == "recycle 2 | ? ? | ? ?"
    assert table.pile() == "3 9 recycle"
    assert (table.to_act, table.turns) == (0, [0, 1])


def test_a_recycle_in_the_discard_pile_or_face_down_does_not_recycle(lay):
    table = lay([".", "1 2 | recycle 4 | 5 6"], discard="3 recycle 9").set_up()
    assert table.legal() == OK_DRAW


def test_a_known_face_down_recycle_does_not_recycle_either(lay):
    table = lay([".", "peek 2 | recycle 4 | 5 6"]).turn_up(0, 1).peek(2).set_up()
    assert table.seen(1) == "peek 2 | (recycle) ? | ? ?"
    assert table.legal() == OK_DRAW


def test_another_players_recycle_does_not_recycle(lay):
    table = lay(["recycle 1", "."]).set_up()
    assert (table.to_act, table.legal()) == (1, OK_DRAW)


def test_a_recycle_that_is_drawn_has_to_be_placed_first_and_recycles_in_a_later_turn(lay):
    table = lay([".", "1 2 | 3 4 | 5 6"], deck="recycle 1", discard="7 8").set_up().draw()
    assert (table.phase, table.legal()) == ("place", [0, 1, 2, 3, 4, 5])
    table.place(2).turn(0)
    assert table.legal()[:2] == OK_DRAW
    table.recycle("7")
    assert table.seen(1) == "1 2 | 7 ? | ? ?"


def test_a_recycle_can_be_replaced_in_a_normal_turn(lay):
    table = with_recycle(lay, deck="10").draw().place(0)
    assert table.seen(1) == "10 2 | ? ? | ? ?"
    assert table.pile() == "3 7 3 9 recycle"


def test_a_recycle_may_be_used_after_it_was_given_away_and_taken_again(lay):
    table = with_recycle(lay, deck="10 10").draw().place(0)
    table.take().place(1)
    assert "recycle" in table.seen(0)
    table.draw().place(1)
    assert table.legal()[:2] == OK_DRAW
    assert len(table.legal()) > 2


def test_which_of_several_recycles_goes_is_asked_last(lay):
    board = "recycle 2 | 3 4 | recycle 6"
    table = lay([".", board, "."], discard="3 7 9").turn_up(0, 4).set_up().recycle("7")
    assert (table.phase, table.to_act) == ("place", 1)
    assert (table.hand(), table.recycling, table.pile()) == ("7", True, "3 9")
    assert table.legal() == [0, 4]
    for action in (1, 2, 3, 5, 8, 9, 25):
        assert refused(table, action)
    table.place(4)
    assert table.seen(1) == "recycle ? | ? ? | 7 ?"
    assert table.pile() == "3 9 recycle"
    assert (table.hand(), table.recycling, table.to_act) == (None, False, 2)


def test_a_face_down_recycle_beside_a_face_up_one_is_not_asked_for(lay):
    table = lay([".", "recycle 2 | recycle 4 | 5 6"], discard="3 7 9").set_up().recycle("7")
    assert table.seen(1) == "7 2 | ? ? | ? ?"
    assert table.board(1) == "7 2 | recycle 4 | 5 6"


def test_d5_a_recycled_peek_shows_a_face_down_card_first(lay):
    table = with_recycle(lay, "3 peek 9").recycle("peek")
    assert (table.phase, table.hand(), table.recycling) == ("peek", "peek", True)
    assert table.pile() == "3 9"
    assert table.legal() == [2, 3, 4, 5]
    table.peek(5)
    assert table.seen(1) == "peek 2 | ? ? | ? (6)"
    assert table.pile() == "3 9 recycle"
    assert (table.to_act, table.recycling) == (0, False)


def test_d4_d5_a_recycled_peek_with_one_card_face_down_asks_nothing(lay):
    table = with_recycle(lay, "3 peek 8", deck="9 1 9 1 9 1")
    table.turn(2).turn(0).turn(3).turn(0).turn(4).turn(0).recycle("peek")
    assert table.seen(1) == "peek 2 | 9 9 | 9 (6)"
    assert table.pile().endswith("recycle")
    assert (table.phase, table.to_act) == ("draw", 0)


def test_d5_a_recycled_swap_allows_an_exchange_first(lay):
    table = with_recycle(lay, "3 swap 9").recycle("swap")
    assert (table.phase, table.hand(), table.recycling) == ("swap", "swap", True)
    table.swap(1, 2)
    assert table.seen(1) == "swap ? | 2 ? | ? ?"
    assert table.pile() == "3 9 recycle"
    assert table.to_act == 0


def test_d5_or_none(lay):
    table = with_recycle(lay, "3 swap 9").recycle("swap").decline()
    assert table.seen(1) == "swap 2 | ? ? | ? ?"
    assert (table.to_act, table.recycling, table.hand()) == (0, False, None)


def test_d5_if_the_swap_moves_the_recycle_the_card_goes_where_it_then_lies(lay):
    table = with_recycle(lay, "3 swap 9").recycle("swap").swap(0, 3)
    assert table.board(1) == "4 2 | 3 swap | 5 6"
    assert table.seen(1) == "? 2 | ? swap | ? ?"
    assert table.pile() == "3 9 recycle"


def test_d5_which_of_several_recycles_goes_is_asked_after_the_swap(lay):
    table = lay([".", "recycle recycle | 3 4 | 5 6"], discard="swap 9").set_up().recycle("swap")
    table.swap(0, 5)
    assert (table.phase, table.recycling, table.legal()) == ("place", True, [1, 5])
    table.place(5)
    assert table.seen(1) == "? recycle | ? ? | ? swap"


def test_which_of_several_recycles_goes_is_asked_after_the_peek(lay):
    table = lay([".", "recycle recycle | 3 4 | 5 6"], discard="peek 9").set_up().recycle("peek")
    table.peek(2)
    assert (table.phase, table.recycling, table.legal()) == ("place", True, [0, 1])
    table.place(1)
    assert table.seen(1) == "recycle peek | (3) ? | ? ?"


def test_recycling_the_only_discard(lay):
    table = with_recycle(lay, "peek").recycle("peek")
    assert table.discard == []
    table.peek(2)
    assert table.pile() == "recycle"


def test_recycling_leaves_the_deck_alone(lay):
    table = with_recycle(lay)
    before = table.deck
    table.recycle("7")
    assert table.deck == before


# -- D6: the deck is empty -------------------------------------------------------------------------


def test_d6_an_empty_deck_is_renewed_when_a_card_is_to_be_drawn_from_it(lay):
    """All of the discard pile but its top card, in its order from the bottom, shuffled."""
    table = lay([".", "."], discard="5 6 9", empty_deck=True).set_up()
    renewed = table.discard[:-1]
    assert (len(renewed), table.deck) == (91, [])
    Stream(1, 0).shuffle(renewed)
    assert table.legal() == OK_DRAW
    table.draw()
    assert table.in_hand == renewed[0]
    assert table.deck == renewed[1:]
    assert table.pile() == "9"


def test_d6_not_before(lay):
    """Neither when the last card is drawn nor when a discard is taken."""
    table = lay(["1 2", "3 4"], discard="5 6 9", empty_deck=True).set_up().take().place(0)
    assert table.deck == []
    table.take().place(0)
    assert table.deck == []
    assert len(table.discard) == 92
    while table.deck == []:
        table.turn(0)
    pile = len(table.discard)
    while table.deck:
        table.turn(0)
        pile += 1
        assert len(table.discard) == pile
    assert len(table.discard) == 92


def test_d6_not_for_recycling(lay):
    table = with_recycle(lay, "7 9", empty_deck=True).recycle("7")
    assert table.deck == []


@pytest.mark.parametrize(("players", "columns"), [(8, 3), (6, 4)])
def test_d6_with_48_cards_on_boards_there_is_always_a_card_to_draw(lay, players, columns):
    """56 cards are in the deck or on the discard pile."""
    table = lay(["."] * players, columns=columns, rounds=1, max_turns=20).set_up()
    renewals = 0
    while table.phase == "draw":
        empty = table.deck == []
        renewals += empty
        table.turn(0)
        if not table.over:
            assert len(table.deck) + len(table.discard) == 56
            assert not empty or len(table.deck) == 54
    assert renewals > 0
    assert table.turns == [20] * players


# -- the end of a round ----------------------------------------------------------------------------

SIX = "1 2 | 3 4 | 5 6"


def test_the_first_player_whose_cards_are_all_face_up_is_finished_and_the_others_have_one_turn(lay):
    table = lay([SIX, SIX, SIX], deck="7 7 7 8 8 8 9 9 9 7 8 9", rounds=1).set_up()
    for position in (2, 3, 4):
        table.turn(position).turn(0).turn(0)
        assert table.finished is None
    table.turn(5)
    assert table.finished == 1
    for seat in (2, 0):
        assert (table.to_act, table.phase, table.over) == (seat, "draw", False)
        table.turn(0)
    assert (table.over, table.phase, table.to_act) == (True, "over", None)
    assert (table.finished, table.turns) == (1, [4, 4, 4])
    assert table.legal() == []


def test_also_if_another_player_then_completes_its_board(lay):
    table = lay([SIX, SIX, SIX], deck="7 7 7 8 8 8 9 9 9 7 8 9", rounds=1).set_up()
    for position in (2, 3, 4, 5):
        table.turn(position)
        assert table.finished == (1 if position == 5 else None)
        table.turn(position)
        table.turn(0)
    assert all(table.face_up[2])
    assert (table.over, table.finished, table.turns) == (True, 1, [4, 4, 4])


def test_players_before_the_finished_one_have_one_turn_more_than_it(lay):
    table = lay([SIX, SIX, SIX], rounds=1).set_up()
    for position in (2, 3, 4, 5):
        table.turn(0).turn(0).turn(position)
    assert (table.finished, table.to_act) == (0, 1)
    table.turn(0)
    assert table.to_act == 2
    table.turn(0)
    assert (table.over, table.turns) == (True, [4, 5, 5])


def test_replacing_face_up_cards_does_not_finish(lay):
    table = lay([SIX, SIX]).set_up()
    for _ in range(6):
        table.turn(1).turn(0)
    assert table.finished is None
    assert [sum(up) for up in table.face_up] == [2, 2]


def test_the_last_turn_may_be_any_turn(lay):
    table = lay(["recycle peek | 3 4 | 5 6", SIX], deck="7 8 7 8 7 8 7", discard="swap 9", rounds=1)
    table.turn_up(0, 1).turn_up(0, 1).peek(2)
    for position in (2, 3, 4, 5):
        table.turn(position)
        if position < 5:
            table.turn(1)
    assert (table.finished, table.to_act) == (1, 0)
    table.recycle("swap").swap(0, 5)
    assert table.over
    assert table.board(0) == "6 8 | 3 4 | 5 swap"


def test_at_the_end_all_cards_are_turned_up_without_effects(lay):
    """Swap, Peek and Recycle that lay face down are turned up, and nobody is asked."""
    board = "1 2 | swap peek | recycle peek"
    table = lay([board, board], deck="9 9", rounds=1, max_turns=1).set_up().turn(0).turn(0)
    assert table.over
    assert table.seen(0) == table.seen(1) == "9 2 | swap peek | recycle peek"
    assert table.known == table.face_up == [[True] * 6] * 2
    assert (table.pending, table.in_hand, table.recycling) == ([], None, False)
    assert table.scores == [[9 + 2 + 10 + 20]] * 2


def test_the_next_round_is_dealt_at_once_and_the_dealer_is_one_seat_further_to_the_left(lay):
    table = lay([SIX] * 3, rounds=5, max_turns=1, deck="7 8 9")
    dealers = []
    for number in range(1, 6):
        assert (table.round, table.rounds, table.phase) == (number, 5, "turn_up")
        dealers.append(table.dealer)
        assert table.to_act == (table.dealer + 1) % 3
        assert table.turns == [0, 0, 0]
        assert (table.finished, table.pending) == (None, [])
        assert table.face_up == table.known == [[False] * 6] * 3
        assert len(table.discard) == 1
        assert [len(scores) for scores in table.scores] == [number - 1] * 3
        first = table.to_act
        while table.phase in ("turn_up", "peek", "swap"):
            table.game.step(table.legal()[0])
        assert table.to_act == first
        for _ in range(3):
            table.turn(0)
    assert dealers == [0, 1, 2, 0, 1]
    assert table.over
    assert (table.round, table.dealer) == (5, 1)
    assert [len(scores) for scores in table.scores] == [5, 5, 5]
    assert table.game.scores() == [sum(scores) for scores in table.scores]


def test_a_later_round_is_dealt_from_all_104_cards(lay):
    table = lay([SIX, SIX], rounds=2, max_turns=1, deck="7 8").set_up().turn(0).turn(0)
    assert table.round == 2
    deck = [NAMES.index(name) for name in NAMES for _ in range(DECK[name])]
    Stream(1, 0).shuffle(deck)
    assert table.boards == [deck[:6], deck[6:12]]
    assert table.discard == deck[12:13]
    assert table.deck == deck[13:]


# -- D7: the longest round -------------------------------------------------------------------------


def test_d7_after_max_turns_turns_of_each_player_the_round_ends_and_is_scored(lay):
    table = lay([SIX, SIX, SIX], deck="7 7 7 8 8 8", rounds=1, max_turns=2).set_up()
    for number in range(6):
        assert not table.over
        assert table.to_act == (1 + number) % 3
        table.turn(0)
    assert (table.over, table.turns, table.finished) == (True, [2, 2, 2], None)
    assert table.board(0) == "8 2 | 3 4 | 5 6"
    assert table.scores == [[8 + 20]] * 3


def test_d7_even_if_a_player_has_just_finished_and_others_have_not_had_their_last_turn(lay):
    table = lay([SIX, SIX, SIX], rounds=1, max_turns=4).set_up()
    for position in (2, 3, 4, 5):
        table.turn(0).turn(position).turn(0)
    assert (table.over, table.finished, table.turns) == (True, 2, [4, 4, 4])

    table = lay([SIX, SIX, SIX], rounds=1, max_turns=5).set_up()
    for position in (2, 3, 4, 5):
        table.turn(0).turn(position).turn(0)
    assert (table.over, table.to_act) == (False, 1)
    table.turn(0)
    assert (table.over, table.finished, table.turns) == (True, 2, [4, 5, 4])


def test_d7_fifty_turns_if_nothing_is_said(lay):
    """Nothing but face-up cards exchanged, and recycling one Recycle for another."""
    table = lay([SIX, SIX], rounds=1).set_up()
    while not table.over:
        assert table.turns[table.to_act] < 50
        table.take().place(0)
    assert table.turns == [50, 50]


def test_d7_counts_the_turns_of_a_round_not_of_the_game(lay):
    table = lay([SIX, SIX], rounds=2, max_turns=1).set_up().turn(0).turn(0)
    assert (table.round, table.turns, table.over) == (2, [0, 0], False)


# -- the score of a board --------------------------------------------------------------------------


def scored(kind, board):
    """The score of seat 1 with this board when a round has ended, the last card having been placed."""
    columns = len(cards(board)) // 2
    *others, last = cards(board)
    table = Table(
        kind, [ANY, written([*others, ANY])], deck=f"{last} .", columns=columns, rounds=1, max_turns=1
    )  # fmt: skip
    while not table.over:
        if table.phase == "place" and table.to_act == 1:
            table.place(2 * columns - 1)
        else:
            table.game.step(table.legal()[0])
    assert table.board(1) == board
    return table.scores[1][0]


BOARDS = {
    "7 7 | 10 half | 3 diddly": 0 + 5 + 3,
    "recycle half | half half | diddly diddly": 5,
    "half half | diddly diddly | 1 1": 0,
    "peek recycle | 1 1 | 2 2": 20,
    "swap 9 | 1 1 | 2 2": 9,
    "diddly diddly | 1 1 | 2 2": 0,
    "1 2 | 3 4 | 5 6": 21,
    "7 8 | 9 10 | 1 1": 34,
    "peek peek | recycle recycle | swap swap": 0,
    "peek 1 | recycle 1 | 2 2": 22,
    "diddly swap | half diddly | swap half": 0,
    "half peek | recycle half | 10 9": 5 + 5 + 19,
    "1 2 | 2 1 | 10 diddly": 3 + 3 + 10,
    "1 1 | 2 2 | 3 3 | 4 5": 9,
    "10 half | half 9 | swap 7 | 6 half": 5 + 5 + 7 + 3,
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("board", BOARDS)
def test_the_score_of_a_board(kind, board):
    assert scored(kind, board) == BOARDS[board]
    types = [NAMES.index(name) for name in cards(board)]
    assert score_of_board(types, len(types) // 2) == BOARDS[board]


SINGLE = dict(zip(NAMES, [*range(1, 11), 0, 0, 0, 10, 10], strict=True))
HALVED = {
    "10": 5, "9": 5, "8": 4, "7": 4, "6": 3, "5": 3, "4": 2, "3": 2, "2": 1, "1": 1,
    "peek": 5, "recycle": 5, "diddly": 0, "swap": 0, "half": 0,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_d8_d9_the_score_of_every_column(kind):
    """Equal types 0 (D8: and a Diddly is not wild); beside a Half the half, rounded up (D9)."""
    for upper in NAMES:
        for lower in NAMES:
            if upper == lower:
                expected = 0
            elif "half" in (upper, lower):
                expected = HALVED[lower if upper == "half" else upper]
            else:
                expected = SINGLE[upper] + SINGLE[lower]
            assert scored(kind, f"1 1 | 2 2 | {upper} {lower}") == expected


@pytest.mark.parametrize("kind", KINDS)
def test_d9_a_half_does_not_reach_into_other_columns(kind):
    assert scored(kind, "half 1 | 10 1 | 10 9") == 1 + 11 + 19


@pytest.mark.parametrize("kind", KINDS)
def test_cards_of_different_columns_do_not_match(kind):
    assert scored(kind, "1 2 | 1 2 | 2 1") == 9


# -- the result of the game ------------------------------------------------------------------------


def after_one_turn_each(lay, *boards):
    """A game of one round in which everybody replaces a 1 at the top left by a 1."""
    deck = " ".join(["1"] * len(boards))
    table = lay(list(boards), deck=deck, rounds=1, max_turns=1).set_up()
    while not table.over:
        table.turn(0)
    return table


def test_the_lowest_total_wins(lay):
    table = after_one_turn_each(lay, "1 2 | 9 9 | 7 8", "1 2 | 9 9 | 3 4", "1 2 | 6 6 | 4 5")
    assert table.game.scores() == [18, 10, 12]
    assert table.game.ranks() == [3, 1, 2]
    assert table.game.win_shares() == pytest.approx([0, 1, 0], abs=1e-6)


def test_d10_who_is_equal_in_everything_shares_the_win(lay):
    table = after_one_turn_each(lay, "1 2 | 9 9 | 3 4", "1 2 | 6 6 | 3 4", "1 2 | 8 8 | 7 9")
    assert table.game.scores() == [10, 10, 19]
    assert table.game.ranks() == [1, 1, 3]
    assert table.game.win_shares() == pytest.approx([0.5, 0.5, 0], abs=1e-6)


def test_when_the_game_is_over_everything_stays_as_it_lies(lay):
    table = after_one_turn_each(lay, "1 2 | 9 9 | 7 8", "1 2 | 9 9 | 3 4")
    assert table.game.snapshot() == {
        "players": 2,
        "columns": 3,
        "round": 1,
        "rounds": 1,
        "dealer": 0,
        "to_act": None,
        "phase": "over",
        "boards": [[0, 1, 8, 8, 6, 7], [0, 1, 8, 8, 2, 3]],
        "face_up": [[True] * 6] * 2,
        "known": [[True] * 6] * 2,
        "in_hand": None,
        "recycling": False,
        "pending": [],
        "deck": table.deal["deck"][2:],
        "discard": [*table.deal["discard"], 0, 0],
        "turns": [1, 1],
        "finished": None,
        "scores": [[18], [10]],
        "over": True,
    }
    assert table.legal() == []


TIES = {
    # rounds of each seat: ranks
    "the example: best rounds 2 and 2, then 4 and 3": (
        [[2, 9, 4, 8, 8], [3, 2, 10, 7, 9], [0, 10, 10, 10, 10]],
        [2, 1, 3],
    ),
    "the best round decides": ([[5, 5], [4, 6], [3, 7]], [3, 2, 1]),
    "the order of the rounds does not matter": ([[4, 6], [6, 4], [9, 9]], [1, 1, 3]),
    "D10: all equal": ([[1, 2, 3]] * 4, [1, 1, 1, 1]),
    "the total goes before the best round": ([[0, 11], [5, 5]], [2, 1]),
    "the last place is broken too": ([[1, 1], [5, 5], [4, 6]], [1, 3, 2]),
    "only the third best differs": ([[1, 2, 4, 6], [1, 2, 5, 5]], [1, 2]),
}


@pytest.mark.parametrize("name", TIES)
def test_tied_players_compare_their_best_rounds_in_the_reference(name):
    """The environment is compared with it in whole games: see test_properties."""
    rounds, ranks = TIES[name]
    game = Reference(len(rounds), rounds=len(rounds[0]), chance=Stream(1, 0))
    game.round_scores = rounds
    assert game.ranks() == ranks
    winners = ranks.count(1)
    assert game.win_shares() == [1 / winners if rank == 1 else 0.0 for rank in ranks]


def test_ties_are_broken_by_the_rounds_in_the_environment_as_in_the_reference():
    env = diddly_v0.raw_env(num_players=6, rounds=2, max_turns=1)
    broken = 0
    for number in range(150):
        env.reset(seed=ROOT if number == 0 else None)
        reference = Reference(6, rounds=2, max_turns=1, chance=Stream(ROOT, number))
        while reference.legal():
            action = reference.legal()[-1]
            env.step(action)
            reference.play(action)
        shares, totals = reference.win_shares(), reference.scores()
        rewards = [env.rewards[agent] for agent in env.agents]
        assert rewards == pytest.approx([share - 1 / 6 for share in shares], abs=1e-6)
        assert [env.infos[agent]["rank"] for agent in env.agents] == reference.ranks()
        assert [env.infos[agent]["score"] for agent in env.agents] == totals
        broken += totals.count(min(totals)) > reference.ranks().count(1)
    assert broken > 0


# -- who knows what --------------------------------------------------------------------------------


def looks(table, *seats):
    """All that the environment tells these seats."""
    return [seen_by(table.game.env, f"player_{seat}") for seat in seats]


class Worlds:
    """The same table, once for every card that may lie at one face-down position of seat 1.

    The other tables' card is deep in the deck. What is played is played at all of them.
    """

    HIDDEN = ("3", "10", "diddly", "half", "recycle", "peek", "swap")

    def __init__(self, lay, boards, position, **options):
        where = (1, position)
        self.tables = [lay(boards, instead={where: card}, **options) for card in self.HIDDEN]

    def play(self, name, *arguments):
        for table in self.tables:
            getattr(table, name)(*arguments)
        return self

    def different(self, seat):
        """How many different things this seat sees at the tables."""
        return len({str(looks(table, seat)) for table in self.tables})

    def told_apart_by(self):
        """The seats that can tell all tables apart; no seat tells some only."""
        numbers = [self.different(seat) for seat in range(3)]
        assert set(numbers) <= {1, len(self.tables)}
        return [seat for seat in range(3) if numbers[seat] > 1]


def worlds(lay, board="1 2 | 3 4 | 5 6", position=2, **options):
    return Worlds(lay, ["1 2 | 3 4 | 5 6", board, "1 2 | 3 4 | 5 6"], position, **options)


def test_a_face_down_card_is_seen_by_nobody_until_it_is_turned_or_discarded(lay_for_eyes):
    table = worlds(lay_for_eyes, deck="9 9 9 9")
    assert table.told_apart_by() == []
    table.play("set_up")
    assert table.told_apart_by() == []
    for position in (0, 1, 5):
        table.play("turn", position)
        assert table.told_apart_by() == []
    table.play("draw")
    assert table.told_apart_by() == []
    table.play("place", 2)  # the hidden card becomes public
    assert table.told_apart_by() == [0, 1, 2]


def test_a_card_turned_up_is_seen_by_everybody(lay_for_eyes):
    table = worlds(lay_for_eyes).play("turn_up", 2)
    assert table.told_apart_by() == [0, 1, 2]


def test_what_is_peeked_at_set_up_is_seen_by_its_owner_alone(lay_for_eyes):
    table = worlds(lay_for_eyes, "peek 2 | 3 4 | 5 6", deck="9 9 9 9 9 9")
    table.play("turn_up", 0, 1)
    assert table.told_apart_by() == []
    table.play("peek", 2)
    assert table.told_apart_by() == [1]
    table.play("set_up")
    for _ in range(4):
        table.play("turn", 0)
        assert table.told_apart_by() == [1]


@pytest.mark.parametrize("source", ["draw", "take"])
def test_what_is_peeked_in_a_turn_is_seen_by_its_owner_alone(lay_for_eyes, source):
    deck = "peek 9 9 9" if source == "draw" else "9 9 9"
    table = worlds(lay_for_eyes, deck=deck, discard="peek").play("set_up").play(source)
    assert table.told_apart_by() == []
    table.play("peek", 2)
    assert table.told_apart_by() == [1]
    table.play("place", 0)
    assert table.told_apart_by() == [1]
    table.play("draw").play("place", 0).play("draw").play("place", 0)
    assert table.told_apart_by() == [1]
    table.play("draw").play("place", 2)
    assert table.told_apart_by() == [0, 1, 2]


def test_what_is_peeked_for_a_recycle_is_seen_by_its_owner_alone(lay_for_eyes):
    table = worlds(lay_for_eyes, "recycle 2 | 3 4 | 5 6", discard="peek 9").play("set_up")
    table.play("recycle", "peek")
    assert table.told_apart_by() == []
    table.play("peek", 2)
    assert table.told_apart_by() == [1]


def test_the_last_face_down_card_looked_at_without_asking_is_seen_by_its_owner_alone(lay_for_eyes):
    table = worlds(lay_for_eyes, deck="9 8 8 9 8 8 9 8 8 peek").play("set_up")
    for position in (3, 4, 5):
        table.play("turn", position).play("turn", 0).play("turn", 0)
        assert table.told_apart_by() == []
    table.play("draw")
    assert table.told_apart_by() == [1]
    table.play("place", 0)
    assert table.told_apart_by() == [1]


def test_that_the_last_face_down_card_is_looked_at_is_seen_by_everybody(lay_for_eyes):
    """Not asked, but looked at all the same: the others see that it was a Peek that was drawn."""
    seen = []
    for card in ("peek", "8"):
        table = lay_for_eyes(["1 2"] * 3, deck=f"9 8 8 9 8 8 9 8 8 {card}").set_up()
        for position in (3, 4, 5):
            table.turn(position).turn(0).turn(0)
        table.draw()
        assert table.phase == "place"
        seen.append(looks(table, 0, 1, 2))
    assert all(one != other for one, other in zip(*seen, strict=True))


def test_looking_at_another_card_shows_nothing_of_this_one(lay_for_eyes):
    table = worlds(lay_for_eyes, "peek peek | 3 4 | 5 6").play("turn_up", 0, 1)
    table.play("peek", 3).play("peek", 5)
    assert table.told_apart_by() == []


@pytest.mark.parametrize("players", [2, 4])
def test_the_others_views_do_not_change_by_what_was_peeked(lay_for_eyes, players):
    """Byte for byte, at every moment until the peeked card leaves the board."""
    seen = []
    for card in ("1", "6", "10", "diddly", "half", "swap", "peek", "recycle"):
        boards = ["1 2 | 3 4 | 5 6"] * players
        table = lay_for_eyes(boards, deck="peek swap", instead={(1, 4): card}).set_up()
        others = [seat for seat in range(players) if seat != 1]
        moments = [looks(table, *others)]
        table.draw()
        moments.append(looks(table, *others))
        table.peek(4)
        moments.append(looks(table, *others))
        table.place(0)
        moments.append(looks(table, *others))
        seen.append(moments)
    assert all(moments == seen[0] for moments in seen)


def test_which_card_was_peeked_is_seen_by_everybody(lay_for_eyes):
    """Where somebody looked, not what lies there."""
    seen = {seat: set() for seat in range(3)}
    for position in (2, 3, 4, 5):
        table = lay_for_eyes(["1 2", "peek 2 | . .", "1 2"]).turn_up(0, 1).peek(position)
        for seat in range(3):
            seen[seat].add(str(looks(table, seat)))
    assert [len(seen[seat]) for seat in range(3)] == [4, 4, 4]


def test_a_peeked_card_stays_known_to_its_owner_alone_when_a_swap_moves_it(lay_for_eyes):
    table = worlds(lay_for_eyes, "peek 2 | 3 4 | 5 6", deck="swap 9 9 9 9 9 9")
    table.play("turn_up", 0, 1).play("peek", 2).play("set_up").play("draw")
    table.play("swap", 2, 5)
    assert table.told_apart_by() == [1]
    table.play("place", 2)  # where it lay: another card goes
    assert table.told_apart_by() == [1]
    table.play("draw").play("place", 0).play("draw").play("place", 0)
    table.play("draw").play("place", 5)  # where it lies
    assert table.told_apart_by() == [0, 1, 2]


def test_an_unknown_card_stays_unknown_when_a_swap_moves_it(lay_for_eyes):
    table = worlds(lay_for_eyes, deck="swap 9 9 9").play("set_up").play("draw").play("swap", 2, 5)
    assert table.told_apart_by() == []
    table.play("place", 2)
    assert table.told_apart_by() == []


def test_a_known_card_that_a_swap_has_moved_is_seen_where_it_then_lies(lay_for_eyes):
    """Peek at a card and move it; or move it, then peek: the owner sees the same."""
    peek_first = lay_for_eyes(["1 2", "peek swap | 3 4 | 5 6"]).turn_up(0, 1).peek(2).swap(2, 5)
    swap_first = lay_for_eyes(["1 2", "peek swap | 3 4 | 5 6"]).turn_up(1, 0).swap(2, 5).peek(5)
    assert peek_first.seen(1) == swap_first.seen(1) == "peek swap | ? ? | ? (3)"
    assert looks(peek_first, 0, 1) == looks(swap_first, 0, 1)


def test_a_face_up_card_that_is_swapped_is_seen_by_everybody_where_it_then_lies(lay_for_eyes):
    seen = {seat: set() for seat in range(3)}
    for other in (2, 3, 4, 5):
        table = lay_for_eyes([".", "1 2 | . .", "."], deck="swap").set_up().draw().swap(0, other)
        for seat in range(3):
            seen[seat].add(str(looks(table, seat)))
    assert [len(seen[seat]) for seat in range(3)] == [4, 4, 4]


@pytest.mark.parametrize("position", [0, 5])
def test_a_card_drawn_from_the_deck_is_seen_by_its_drawer_at_once_and_by_all_when_placed(
    lay_for_eyes, position
):
    drawn = ["3", "10", "diddly", "half", "recycle"]
    tables = []
    for card in drawn:
        order = " ".join([card, *(other for other in drawn if other != card)])
        tables.append(lay_for_eyes(["1 2"] * 3, deck=order).set_up())

    def told_apart():
        return [len({str(looks(table, seat)) for table in tables}) for seat in range(3)]

    assert told_apart() == [1, 1, 1]
    for table in tables:
        table.draw()
    assert told_apart() == [1, 5, 1]
    for table in tables:
        table.place(position)
    assert told_apart() == [5, 5, 5]


@pytest.mark.parametrize(("players", "columns"), [(2, 3), (4, 3), (8, 3), (3, 4), (6, 4)])
def test_every_seat_sees_all_face_up_cards_its_own_known_ones_and_what_is_public(players, columns):
    """The view of every seat, seats relative to it, against what lies on the table."""
    env = diddly_v0.raw_env(num_players=players, columns=columns, rounds=2, max_turns=6)
    for number in range(4):
        env.reset(seed=ROOT if number == 0 else None)
        chance = random.Random(f"{players} {number}")
        while not env.terminations["player_0"]:
            snapshot = env.snapshot()
            for seat in range(players):
                view = env.view(f"player_{seat}")
                assert {name: view[name].tolist() for name in ("boards", "discard", "turns")} == (
                    on_the_table(snapshot, seat)
                )
                assert view["to_act"] == (snapshot["to_act"] - seat) % players
                assert view["deck_size"] == len(snapshot["deck"])
                may_know = seat == snapshot["to_act"] or snapshot["recycling"]
                if may_know and snapshot["in_hand"] is not None:
                    assert view["in_hand"] == 1 + snapshot["in_hand"]
            env.step(chance.choice(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])))


def on_the_table(snapshot, seat):
    """What a seat may know of boards and discard pile, 0 for no card or an unknown one."""
    players = snapshot["players"]
    boards = np.zeros((8, 8), int)
    turns = [0] * 8
    for k in range(players):
        there = (seat + k) % players
        seen = snapshot["known" if k == 0 else "face_up"][there]
        turns[k] = snapshot["turns"][there]
        for position, card in enumerate(snapshot["boards"][there]):
            boards[k, position] = 1 + card if seen[position] else 0
    discard = [1 + card for card in reversed(snapshot["discard"])]
    return {
        "boards": boards.tolist(),
        "discard": discard + [0] * (104 - len(discard)),
        "turns": turns,
    }


def test_nobody_sees_what_comes_next(lay_for_eyes):
    """The order of the deck, whatever is drawn from it."""
    one = lay_for_eyes(["1 2"] * 3, deck="9 8 7 3 swap 10").set_up()
    other = lay_for_eyes(["1 2"] * 3, deck="9 8 7 10 3 swap").set_up()
    for _ in range(3):
        assert looks(one, 0, 1, 2) == looks(other, 0, 1, 2)
        one.turn(2)
        other.turn(2)
    assert looks(one, 0, 1, 2) == looks(other, 0, 1, 2)


def test_a_card_taken_from_the_discard_pile_is_seen_by_everybody_all_the_time(lay_for_eyes):
    seen = []
    for card in ("3", "10"):
        table = lay_for_eyes(["1 2"] * 3, discard=f"8 {card}", deck="3 10").set_up()
        seen.append([looks(table, seat) for seat in range(3)])
        table.take()
        seen[-1] += [looks(table, seat) for seat in range(3)]
    assert all(one != other for one, other in zip(*seen, strict=True))


def test_the_order_of_the_whole_discard_pile_is_seen_by_everybody(lay_for_eyes):
    seen = []
    for discard in ("3 9 5 1", "9 3 5 1", "3 5 9 1", "3 9 1 5"):
        table = lay_for_eyes(["1 2"] * 3, discard=discard)
        seen.append([str(looks(table, seat)) for seat in range(3)])
    for seat in range(3):
        assert len({look[seat] for look in seen}) == 4


def test_after_a_renewal_nobody_sees_the_order_of_the_deck(lay_for_eyes):
    """Two seeds make two orders of the new deck, and only the drawer sees its first card."""
    tables = []
    for seed in range(1, 9):
        table = lay_for_eyes(["1 2"] * 3, discard="5 6 9", empty_deck=True)
        table.game.env.reset(seed=seed, options={"deal": table.deal})
        tables.append(table.set_up().draw())
    assert len({str(table.deck) for table in tables}) == 8
    plain = [table for table in tables if table.phase == "place"]
    assert len({table.in_hand for table in plain}) > 1
    for seat in (0, 2):
        assert len({str(looks(table, seat)) for table in plain}) == 1
    assert len({str(looks(table, 1)) for table in plain}) == len({t.in_hand for t in plain})


# -- a whole small game ----------------------------------------------------------------------------


def test_a_whole_round_from_the_deal_to_the_result(lay):
    """Two players, seat 1 begins."""
    table = lay(
        ["recycle 10 | 9 4 | 5 half", "peek 8 | 7 8 | swap 2"],
        deck="7 diddly swap 5 half",
        discard="9",
        rounds=1,
    )
    table.turn_up(0, 3)  # seat 1: the Peek and the second 8
    table.peek(1)
    assert table.seen(1) == "peek (8) | ? 8 | ? ?"
    table.turn_up(0, 1)  # seat 0: the Recycle and the 10
    assert (table.to_act, table.phase) == (1, "draw")
    table.draw().place(0)  # a 7 for the Peek
    assert table.pile() == "9 peek"
    table.recycle("9")  # seat 0, for its Recycle
    assert table.seen(0) == "9 10 | ? ? | ? ?"
    assert table.pile() == "peek recycle"
    table.draw().place(4)  # a Diddly for the face-down Swap
    assert table.pile() == "peek recycle swap"
    table.take()  # seat 0: the Swap
    table.swap(1, 2).place(1)
    assert table.seen(0) == "9 swap | 10 ? | ? ?"
    assert table.board(0) == "9 swap | 10 4 | 5 half"
    assert table.pile() == "peek recycle 9"
    table.draw()  # seat 1: another Swap, which brings the two 8s together
    table.swap(1, 2).place(5)
    assert table.board(1) == "7 7 | 8 8 | diddly swap"
    assert table.seen(1) == "7 ? | (8) 8 | diddly swap"
    table.draw().place(3)  # seat 0: a 5 for the 4
    table.take().place(1)  # seat 1: the 4 for a face-down 7, which is a pity
    assert table.pile().endswith("9 2 7")
    table.take().place(4)  # seat 0: the 7 for the 5
    table.draw().place(2)  # seat 1: a Half for the 8, and it is finished
    assert table.finished == 1
    assert table.to_act == 0
    table.take().place(4)  # seat 0: the 8, beside the Half, for the 7
    assert table.over
    assert table.seen(0) == "9 swap | 10 5 | 8 half"
    assert table.seen(1) == "7 4 | half 8 | diddly swap"
    assert table.scores == [[9 + 15 + 4], [11 + 4 + 0]]
    assert table.game.ranks() == [2, 1]
    assert table.turns == [5, 5]


def test_random_games_can_be_played_by_number_in_the_environment_as_in_the_reference():
    env = diddly_v0.raw_env(num_players=3, rounds=2)
    for number in range(5):
        env.reset(seed=ROOT if number == 0 else None)
        reference = Reference(3, rounds=2, chance=Stream(ROOT, number))
        chance = random.Random(number)
        while reference.legal():
            assert env.agent_selection == f"player_{reference.to_act}"
            mask = env.observe(env.agent_selection)["action_mask"]
            assert np.flatnonzero(mask).tolist() == reference.legal()
            action = chance.choice(reference.legal())
            env.step(action)
            reference.play(action)
            assert env.snapshot() == reference.snapshot()
        assert [env.infos[agent]["score"] for agent in env.agents] == reference.scores()
        assert [env.infos[agent]["rank"] for agent in env.agents] == reference.ranks()
