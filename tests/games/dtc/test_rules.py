"""DTC by the rulebook: each rule and decision at the table, for the reference and the environment.

Numbers of decisions (D0 …) are those of the project's rules page. A joker is written 0.
"""

import random
from collections import Counter
from functools import partial
from itertools import product

import numpy as np
import pytest

from cardgames_env import dtc_v0
from tests.contract.play import seen_by
from tests.games.dtc.reference import Reference, is_stronger, is_true
from tests.reference_rng import Stream

ROOT = 20131

FULL_DECK = {"values": 6, "copies": 9, "jokers": 12}


class OnReference:
    """A game played by the plain-Python reference."""

    def __init__(self, players, options, deal):
        self.game = Reference(players, **options, deal=deal)
        self.step = self.game.play
        self.legal = self.game.legal
        self.snapshot = self.game.snapshot
        self.scores = self.game.scores
        self.ranks = self.game.ranks
        self.win_shares = self.game.win_shares


class OnEnvironment:
    """The same game played in the turn-based environment."""

    def __init__(self, players, options, deal):
        self.env = dtc_v0.raw_env(num_players=players, **options)
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

    Hands are filled up to their size, and the pile is completed, with what is left of the deck, the
    lowest cards first. ``values``, ``copies``, ``jokers`` and ``hand_size`` scale the game down.
    """

    def __init__(self, kind, hands, pile=(), first=0, **options):
        sizes = FULL_DECK | options
        deck = Counter({0: sizes["jokers"]})
        deck += Counter(dict.fromkeys(range(1, sizes["values"] + 1), sizes["copies"]))
        placed = Counter([*pile, *(card for hand in hands for card in hand)])
        assert placed <= deck
        rest = sorted((deck - placed).elements())
        full = []
        for hand in hands:
            missing = sizes.get("hand_size", 6) - len(hand)
            full.append([*hand, *rest[:missing]])
            rest = rest[missing:]
        deal = {"first": first, "hands": full, "pile": [*pile, *rest]}
        self.game = KINDS[kind](len(hands), options, deal)

    def __getattr__(self, name):
        """``to_act``, ``phase``, ``hands``, ``pile``, ``penalty``, ``offer``, ``to_beat`` …"""
        return self.game.snapshot()[name]

    def legal(self):
        return self.game.legal()

    def announce(self, count, value):
        self.game.step(15 + 6 * (count - 1) + (value - 1))
        return self

    def take(self, number):
        """So many cards of the type in question."""
        assert self.phase == "compose"
        self.game.step(2 + number)
        return self

    def give(self, cards, value):
        """Announce the cards as being of a value, and answer all questions accordingly."""
        self.announce(len(cards), value)
        while self.phase == "compose":
            self.take(cards.count(self.offer["asking"]))
        assert sorted(self.offer["cards"]) == sorted(cards)
        return self

    def accept(self):
        assert self.phase == "answer"
        self.game.step(0)
        return self

    def reject(self):
        assert self.phase == "answer"
        self.game.step(1)
        return self

    def may_announce(self):
        """The (count, value) that may be announced."""
        assert self.phase == "announce"
        return [((action - 15) // 6 + 1, (action - 15) % 6 + 1) for action in self.legal()]

    def may_take(self):
        """The numbers of cards of the type in question that may be taken."""
        assert self.phase == "compose"
        return [action - 2 for action in self.legal()]


@pytest.fixture(params=KINDS)
def lay(request):
    """Lays a deal, in one run for the reference and in one for the environment."""
    return partial(Table, request.param)


@pytest.fixture
def lay_for_eyes():
    """Lays a deal for the environment, whose views the test compares."""
    return partial(Table, "environment")


# -- material and players --------------------------------------------------------------------------


@pytest.mark.parametrize(("players", "pile"), [(2, 54), (3, 48), (4, 42), (5, 36), (6, 30)])
def test_d0_two_to_six_players_with_six_cards_each_and_the_rest_is_the_pile(players, pile):
    env = dtc_v0.raw_env(num_players=players)
    for number in range(30):
        env.reset(seed=ROOT if number == 0 else None)
        reference = Reference(players, chance=Stream(ROOT, number))
        assert env.snapshot() == reference.snapshot()
        snapshot = env.snapshot()
        assert [len(hand) for hand in snapshot["hands"]] == [6] * players
        assert len(snapshot["pile"]) == pile
        cards = Counter(card for heap in [*snapshot["hands"], snapshot["pile"]] for card in heap)
        assert cards == {0: 12, 1: 9, 2: 9, 3: 9, 4: 9, 5: 9, 6: 9}


def test_d0_four_players_and_no_variant_if_nothing_is_said():
    env = dtc_v0.env()
    env.reset(seed=1)
    assert env.snapshot()["players"] == 4
    assert env.snapshot()["higher_counts_as_true"] is False


@pytest.mark.parametrize("players", [1, 7])
def test_d0_neither_one_player_nor_seven(players):
    with pytest.raises(ValueError, match="num_players"):
        Reference(players, chance=Stream(1, 0))
    with pytest.raises(ValueError, match="num_players"):
        dtc_v0.env(num_players=players)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"values": 0}, "values"),
        ({"values": 7}, "values"),
        ({"copies": 0}, "copies"),
        ({"copies": 10}, "copies"),
        ({"jokers": -1}, "jokers"),
        ({"jokers": 13}, "jokers"),
        ({"hand_size": 0}, "hand_size"),
        ({"hand_size": 7}, "hand_size"),
        ({"copies": 3, "jokers": 5}, "hand"),  # 23 cards for four hands of six
    ],
)
def test_a_scaled_deck_is_part_of_the_full_one_and_has_a_hand_for_everybody(options, named):
    with pytest.raises(ValueError, match=named):
        Reference(4, chance=Stream(1, 0), **options)
    with pytest.raises(ValueError, match=named):
        dtc_v0.env(num_players=4, **options)


def test_d8_any_seat_may_be_first_and_it_is_the_first_to_act():
    env = dtc_v0.raw_env(num_players=5)
    first = Counter()
    for number in range(1000):
        env.reset(seed=ROOT if number == 0 else None)
        assert env.snapshot()["to_act"] == env.snapshot()["first"]
        first[env.snapshot()["first"]] += 1
    chi = sum((first[seat] - 200) ** 2 / 200 for seat in range(5))
    assert chi < 20  # four degrees of freedom: one in two thousand


def test_every_card_comes_to_every_seat_and_to_the_top_of_the_pile_as_often_as_it_is_in_the_deck():
    """Twelve in 66 are jokers, nine in 66 of each value, in six hands and at the top of the pile."""
    env = dtc_v0.raw_env(num_players=6)
    places = [Counter() for _ in range(7)]
    for number in range(2000):
        env.reset(seed=ROOT if number == 0 else None)
        for place, cards in zip(places, env.snapshot()["hands"], strict=False):
            place.update(cards)
        places[6][env.snapshot()["pile"][0]] += 1
    for place in places:
        drawn = place.total()
        expected = {card: drawn * (12 if card == 0 else 9) / 66 for card in range(7)}
        chi = sum((place[card] - expected[card]) ** 2 / expected[card] for card in range(7))
        assert chi < 30  # six degrees of freedom: one in twenty thousand


def test_a_scripted_deal_is_laid_as_it_is_given(lay):
    table = lay([[6, 0, 3, 3, 1, 0], [2, 2, 2, 1, 1, 5]], pile=[4, 0, 6, 6, 1], first=1)
    assert table.hands == [[0, 0, 1, 3, 3, 6], [1, 1, 2, 2, 2, 5]]
    assert table.pile[:5] == [4, 0, 6, 6, 1]
    assert (table.first, table.to_act, table.phase) == (1, 1, "announce")


BAD_DEALS = {
    "no first": lambda deal: deal.pop("first"),
    "no hands": lambda deal: deal.pop("hands"),
    "no pile": lambda deal: deal.pop("pile"),
    "one thing more": lambda deal: deal.update(penalty=[[], []]),
    "no such seat": lambda deal: deal.update(first=2),
    "a seat below 0": lambda deal: deal.update(first=-1),
    "a hand too many": lambda deal: deal["hands"].append([]),
    "five cards in a hand": lambda deal: deal["pile"].append(deal["hands"][0].pop()),
    "a card too few": lambda deal: deal["pile"].pop(),
    "a card twice": lambda deal: deal["pile"].append(deal["pile"][0]),
    "a tenth 1 for a 2": lambda deal: deal["pile"].__setitem__(deal["pile"].index(2), 1),
    "a 7 for a 2": lambda deal: deal["pile"].__setitem__(deal["pile"].index(2), 7),
    "a -1 for a 2": lambda deal: deal["pile"].__setitem__(deal["pile"].index(2), -1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("bad", BAD_DEALS)
def test_a_deal_that_the_set_up_could_not_make_is_refused(kind, bad):
    deck = [0] * 12 + [value for value in range(1, 7) for _ in range(9)]
    deal = {"first": 0, "hands": [deck[:6], deck[6:12]], "pile": deck[12:]}
    KINDS[kind](2, {}, deal)
    BAD_DEALS[bad](deal)
    with pytest.raises(ValueError):  # noqa: PT011 (who refuses, and with what words, differs)
        KINDS[kind](2, {}, deal)


# -- offers ----------------------------------------------------------------------------------------


def test_a_fresh_lead_may_announce_any_number_of_cards_in_hand_and_any_value(lay):
    """Action 15 is "one 1", 20 "one 6", 21 "two 1s" … 50 "six 6s"; nothing needs to be true."""
    table = lay([[1, 1, 1, 1, 1, 1], []])
    assert table.legal() == list(range(15, 51))
    assert table.may_announce() == list(product(range(1, 7), range(1, 7)))


@pytest.mark.parametrize(
    ("action", "count", "value"), [(15, 1, 1), (20, 1, 6), (21, 2, 1), (34, 4, 2), (50, 6, 6)]
)
def test_the_number_of_an_announcement_says_count_and_value(lay, action, count, value):
    table = lay([[1, 1, 1, 1, 1, 1], []])
    table.game.step(action)
    assert (table.offer["giver"], table.offer["count"], table.offer["value"]) == (0, count, value)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_challenger_is_the_next_seat(lay, players):
    for giver in range(players):
        table = lay([[] for _ in range(players)], first=giver)
        table.give(table.hands[giver][:2], 3)
        assert (table.phase, table.to_act) == ("answer", (giver + 1) % players)
        assert table.legal() == [0, 1]


def test_d2_the_whole_hand_may_be_given(lay):
    table = lay([[0, 1, 2, 3, 4, 5], [6] * 6], pile=[1, 1, 2, 2, 3, 3])
    table.give([0, 1, 2, 3, 4, 5], 4)
    assert table.offer["cards"] == [4, 0, 1, 2, 3, 5]
    assert table.hands[0] == [1, 1, 2, 2, 3, 3]


def test_d2_the_whole_of_a_hand_that_has_grown_may_be_given(lay):
    table = lay([[0] * 6, [1] * 6, []], pile=[2] * 6)
    table.give([0] * 6, 2).accept()
    assert max(table.may_announce()) == (12, 6)
    table.give([0] * 6 + [1] * 6, 1)
    assert table.offer["count"] == 12
    assert len(table.hands[1]) == 6  # all of them drawn


def test_no_more_cards_than_the_hand_holds_can_be_announced(lay):
    table = lay([[1, 1, 1, 1, 1, 1], []])
    with pytest.raises(ValueError):  # noqa: PT011 (the words differ)
        table.announce(7, 1)


def test_only_announcements_can_be_made_when_announcing(lay):
    table = lay([[], []])
    for action in (0, 1, 2, 3, 14, 51, 410, 411, -1):
        with pytest.raises(ValueError):  # noqa: PT011 (the words differ)
            table.game.step(action)
    assert table.phase == "announce"


# -- what is true ----------------------------------------------------------------------------------

OFFERS = {
    # cards, value: true by the rules, true in the variant
    "two 6s and a joker as three 6s": ([6, 6, 0], 6, True, True),
    "one 2 and three 6s as four 2s": ([2, 6, 6, 6], 2, False, False),
    "four 2s as four 2s": ([2, 2, 2, 2], 2, True, True),
    "one card, as it is": ([5], 5, True, True),
    "one card, as a higher one": ([4], 5, False, False),
    "one card, as a lower one": ([6], 5, False, True),
    "D1: one joker as a 1": ([0], 1, True, True),
    "D1: six jokers as six 6s": ([0] * 6, 6, True, True),
    "D1: jokers as 3s": ([0, 0, 0], 3, True, True),
    "jokers and one lower card": ([0, 0, 2], 3, False, False),
    "jokers and one higher card": ([0, 0, 4], 3, False, True),
    "different higher cards": ([4, 5, 6], 3, False, True),
    "different higher cards and a joker": ([4, 0, 6], 3, False, True),
    "D5: equal and higher": ([3, 4, 4], 3, False, False),
    "D5: equal and higher and a joker": ([3, 4, 0], 3, False, False),
    "higher and lower": ([2, 4], 3, False, False),
    "lower cards": ([1, 1], 3, False, False),
}


@pytest.mark.parametrize("variant", [False, True])
@pytest.mark.parametrize("name", OFFERS)
def test_a_true_offer_goes_to_the_challenger_and_a_false_one_back_to_the_giver(lay, name, variant):
    cards, value, *true = OFFERS[name]
    table = lay([cards, [], []], higher_counts_as_true=variant)
    table.give(cards, value)
    chosen = table.offer["cards"]
    table.reject()
    taker = 1 if true[variant] else 0
    assert table.penalty[taker] == chosen
    assert [len(cards) for cards in table.penalty] == [len(chosen) * (p == taker) for p in range(3)]
    assert (table.phase, table.to_act) == ("announce", taker)
    assert is_true(value, cards, variant) == true[variant]


def test_the_variant_is_off_unless_it_is_asked_for(lay):
    table = lay([[5, 5], []])
    table.give([5, 5], 4).reject()
    assert table.penalty == [[5, 5], []]


# -- accepting -------------------------------------------------------------------------------------


def test_accepting_takes_the_cards_and_makes_the_giver_of_the_next_offer(lay):
    table = lay([[2, 6, 6, 6, 1, 1], [3, 3, 4, 4, 5, 5], []], pile=[1, 1, 0, 0])
    table.give([2, 6, 6, 6], 2).accept()
    assert table.hands[1] == [2, 3, 3, 4, 4, 5, 5, 6, 6, 6]
    assert (table.phase, table.to_act) == ("announce", 1)
    assert (table.offer, table.to_beat) == (None, [4, 2])
    assert table.penalty == [[], [], []]


def test_no_cards_are_drawn_for_accepting(lay):
    table = lay([[2, 6, 6, 6, 1, 1], [], []])
    table.give([2, 6, 6, 6], 2)
    pile = table.pile
    table.accept()
    assert table.pile == pile


def test_after_an_accepted_four_2s(lay):
    """Stronger: four 3s, five 1s, seven 6s. Not: four 2s, four 1s, three 6s."""
    table = lay([[2, 6, 6, 6], [], []])
    table.give([2, 6, 6, 6], 2).accept()
    stronger = table.may_announce()
    assert {(4, 3), (5, 1), (7, 6)} < set(stronger)
    assert not {(4, 2), (4, 1), (3, 6)} & set(stronger)
    assert stronger == [*product([4], range(3, 7)), *product(range(5, 11), range(1, 7))]


def test_twelve_3s_are_stronger_than_four_2s_and_take_twelve_cards_to_announce(lay):
    """Nobody holds twelve after accepting four; after accepting six some do."""
    assert is_stronger((12, 3), (4, 2))
    table = lay([[2, 6, 6, 6], [], []])
    table.give([2, 6, 6, 6], 2).accept()
    assert (12, 3) not in table.may_announce()
    table.give(table.hands[1][:6], 1).accept()
    assert (12, 3) in table.may_announce()


@pytest.mark.parametrize("offer", [(4, 3), (5, 1), (7, 6), (12, 3)])
@pytest.mark.parametrize("other", [(4, 2), (4, 1), (3, 6)])
def test_the_reference_orders_offers_by_count_and_then_by_value(offer, other):
    assert is_stronger(offer, other)
    assert not is_stronger(other, offer)
    assert not is_stronger(other, other)


def test_a_weaker_or_equal_offer_is_refused(lay):
    table = lay([[2, 6, 6, 6], [], []])
    table.give([2, 6, 6, 6], 2).accept()
    for count, value in [(4, 2), (4, 1), (3, 6), (1, 1)]:
        with pytest.raises(ValueError):  # noqa: PT011 (the words differ)
            table.announce(count, value)


def test_a_chain_goes_round_the_table_and_strictly_rises(lay):
    table = lay([[1], [], []], first=2)
    announced = [(1, 5), (1, 6), (2, 1), (2, 4), (5, 1), (6, 6), (7, 2)]
    for number, (count, value) in enumerate(announced):
        giver = (2 + number) % 3
        assert table.to_act == giver
        assert table.may_announce()[0] > (announced[number - 1] if number else (0, 0))
        table.give(table.hands[giver][:count], value).accept()
        assert table.to_beat == [count, value]
    assert table.to_act == (2 + len(announced)) % 3


def test_with_two_players_the_offer_goes_back_and_forth(lay):
    table = lay([[1, 2], [3, 4]])
    table.give([1, 2], 1).accept().give([1, 2, 3], 1)
    assert (table.to_act, table.offer["giver"]) == (0, 1)
    table.accept()
    assert {1, 2, 3} <= set(table.hands[0])
    assert table.may_announce()[0] == (3, 2)


# -- rejecting -------------------------------------------------------------------------------------


def test_after_a_true_offer_the_challenger_starts_afresh_with_any_offer_to_its_left(lay):
    table = lay([[6, 6, 0], [1], [2], [3]])
    table.give([6, 6, 0], 6).reject()
    assert (table.to_act, table.to_beat, table.offer) == (1, None, None)
    assert table.legal() == list(range(15, 51))
    table.give([1], 1)
    assert table.to_act == 2


def test_after_a_false_offer_the_giver_starts_afresh_with_any_offer_to_its_left(lay):
    table = lay([[6, 6, 5], [1], [2], [3]])
    table.give([6, 6, 5], 6).reject()
    assert (table.to_act, table.to_beat, table.offer) == (0, None, None)
    assert table.legal() == list(range(15, 51))
    table.give(table.hands[0][:1], 1)
    assert table.to_act == 1


def test_a_rejection_ends_the_chain_and_the_next_lead_may_be_weaker(lay):
    table = lay([[6, 6, 6], [1], [2], [3]])
    table.give([6, 6, 6], 6).accept().give([6, 6, 6, 1], 6).reject()
    assert table.to_act == 1
    assert (1, 1) in table.may_announce()


def test_only_the_cards_of_the_last_offer_of_a_chain_become_penalties(lay):
    table = lay([[6, 6], [1, 1], [2]])
    table.give([6, 6], 1).accept().give([1, 1], 2).reject()
    assert table.penalty == [[], [1, 1], []]
    assert table.hands[1][-2:] == [6, 6]


def test_penalty_cards_do_not_come_to_hand(lay):
    table = lay([[6, 6, 5], [1], [2]], pile=[4, 4, 4])
    table.give([6, 6, 5], 6)
    hands = table.hands
    table.reject()
    assert table.hands == hands
    assert len(hands[0]) == 6


def test_penalty_piles_keep_the_order_in_which_cards_were_taken_and_chosen(lay):
    table = lay([[3, 1, 2], [6], []], pile=[2, 0, 4])
    table.give([3, 1, 2], 2).reject()
    table.give([0, 4], 6).reject()
    assert table.penalty[0] == [2, 1, 3, 0, 4]


# -- drawing ---------------------------------------------------------------------------------------


def test_the_giver_draws_up_to_six_before_any_answer(lay):
    table = lay([[1, 1, 1, 2, 3, 4], []], pile=[5, 6, 0])
    table.give([1, 1, 1], 1)
    assert table.phase == "answer"
    assert table.hands[0] == [0, 2, 3, 4, 5, 6]
    assert len(table.pile) == 54 - 3


def test_no_drawn_card_is_part_of_the_offer(lay):
    """All six cards of the hand are given; what is drawn would have matched."""
    table = lay([[2, 2, 2, 3, 3, 3], []], pile=[1] * 6)
    table.announce(6, 1)
    assert table.offer["cards"] == [2, 2, 2, 3, 3, 3]
    assert table.hands[0] == [1] * 6


def test_no_card_is_drawn_before_the_last_card_is_chosen(lay):
    table = lay([[1, 1, 2, 3, 4, 5], []], pile=[6, 6, 0])
    table.announce(3, 1).take(2)
    for asked in (2, 3, 4):
        assert table.offer["asking"] == asked
        assert table.hands[0] == [2, 3, 4, 5]
        assert len(table.pile) == 54
        table.take(0)
    assert table.offer["cards"] == [1, 1, 5]
    assert table.hands[0] == [0, 2, 3, 4, 6, 6]


def test_the_next_card_of_the_pile_is_drawn_first(lay):
    table = lay([[1, 1, 1, 1, 1, 1], []], pile=[6, 5, 4])
    table.give([1], 1)
    assert table.hands[0] == [1, 1, 1, 1, 1, 6]
    assert table.pile[:2] == [5, 4]


@pytest.mark.parametrize(("given", "drawn"), [(2, 0), (3, 1), (4, 2), (8, 6)])
def test_a_giver_with_more_than_six_cards_draws_only_what_it_lacks_of_six(lay, given, drawn):
    """Eight cards after accepting two: two given leave six, three leave five …"""
    table = lay([[1, 1], [2, 2], []])
    table.give([1, 1], 1).accept()
    before = len(table.pile)
    table.give(table.hands[1][:given], 6)
    assert before - len(table.pile) == drawn
    assert len(table.hands[1]) == 6


def test_the_challenger_does_not_draw_when_it_rejects(lay):
    table = lay([[1], [2]])
    table.give([1], 1)
    before = table.pile
    table.reject()
    assert table.pile == before


def small(lay, pile, **options):
    """Two players of six cards and 14 in the deck: two of each value, two jokers. Pile of two."""
    return lay(
        [[1, 1, 2, 2, 3, 3], [4, 4, 5, 5, 6, 6]], pile=pile, copies=2, jokers=2, **options
    )  # fmt: skip


def test_d3_what_the_pile_cannot_supply_is_not_drawn(lay):
    """The pile holds 2, the giver gives 3 of 6: it draws 2 and the pile is empty."""
    table = small(lay, [0, 0])
    assert not table.ends
    table.give([1, 1, 2], 1)
    assert table.hands[0] == [0, 0, 2, 3, 3]
    assert (table.pile, table.ends) == ([], True)


def test_example_the_pile_holds_2_the_giver_gives_3_and_the_challenger_rejects(lay):
    table = small(lay, [0, 0])
    table.give([1, 1, 2], 1).reject()
    assert table.phase == "over"
    assert table.penalty == [[1, 1, 2], []]
    assert table.game.scores() == [5 + 3, 6]


# -- D4: when accepting is not possible ------------------------------------------------------------


def six_cards(lay, **options):
    """Two players of three cards, one of each value in the deck: the pile is empty."""
    return lay([[1, 2, 3], [4, 5, 6]], copies=1, jokers=0, hand_size=3, **options)


@pytest.mark.parametrize("cards", [[1, 2, 3, 4, 5, 6], [3, 4, 5, 6]])
def test_d4_a_challenger_without_cards_cannot_accept_6s(lay, cards):
    table = six_cards(lay).give([1, 2, 3], 1).accept().give(cards, 6)
    assert (table.to_act, table.hands[0]) == (0, [])
    assert table.legal() == [1]
    with pytest.raises(ValueError):  # noqa: PT011 (the words differ)
        table.accept()


@pytest.mark.parametrize("count", [4, 6])
def test_d4_a_challenger_without_cards_may_accept_5s_and_then_has_to_announce_6s(lay, count):
    table = six_cards(lay).give([1, 2, 3], 1).accept()
    table.give(table.hands[1][:count], 5)
    assert table.legal() == [0, 1]
    table.accept()
    assert table.phase == "announce"  # forced, and asked all the same
    assert table.may_announce() == [(count, 6)]


def test_d4_a_challenger_with_a_card_of_its_own_may_accept_6s_and_then_announces_more(lay):
    table = six_cards(lay).give([1, 2], 1).accept().give([1, 2, 4, 5, 6], 6)
    assert table.hands[0] == [3]
    assert table.legal() == [0, 1]
    table.accept()
    assert table.may_announce() == list(product([6], range(1, 7)))


def test_d4_in_a_deck_of_three_values_the_3s_cannot_be_beaten(lay):
    def offered(value):
        table = lay([[1, 1, 2], [2, 3, 3]], values=3, copies=2, jokers=0, hand_size=3)
        return table.give([1, 1, 2], 1).accept().give([1, 1, 2, 2, 3, 3], value)

    assert offered(3).legal() == [1]
    assert offered(2).legal() == [0, 1]
    assert offered(2).accept().may_announce() == [(6, 3)]


def test_d4_a_forced_rejection_is_the_challengers_own_step(lay):
    table = six_cards(lay).give([1, 2, 3], 1).accept().give([1, 2, 3, 4, 5, 6], 6)
    assert (table.phase, table.to_act) == ("answer", 0)
    table.reject()
    assert table.phase == "over"


# -- D5: the variant, in play ----------------------------------------------------------------------


@pytest.mark.parametrize(("cards", "taker"), [([5, 6, 6], 1), ([4, 6, 6], 0), ([4, 4, 0], 1)])
def test_d5_higher_cards_count_as_true_but_not_mixed_with_equal_ones(lay, cards, taker):
    table = lay([cards, []], higher_counts_as_true=True)
    assert table.higher_counts_as_true is True
    table.give(cards, 4).reject()
    assert len(table.penalty[taker]) == 3
    assert table.to_act == taker


# -- the end ---------------------------------------------------------------------------------------


def test_a_rejection_before_the_pile_is_empty_does_not_end_the_game(lay):
    table = small(lay, [0, 0])
    table.give([1], 1).reject()
    assert (table.phase, table.ends, table.pile) == ("announce", False, [0])


@pytest.mark.parametrize("cards", [[1, 1], [1, 1, 2], [1, 1, 2, 2, 3, 3]])
def test_d6_the_offer_whose_refill_empties_the_pile_is_the_last_if_it_is_rejected(lay, cards):
    table = small(lay, [0, 0])
    assert not table.ends
    table.give(cards, 1)
    assert (table.phase, table.ends) == ("answer", True)
    table.reject()
    assert table.phase == "over"


def test_d6_a_rejection_counts_that_comes_after_the_pile_was_emptied_earlier_in_the_chain(lay):
    table = small(lay, [0, 0])
    table.give([1, 1], 1).accept()
    assert (table.phase, table.ends) == ("announce", True)
    table.give([1, 1, 4], 1).accept().give([0, 0, 1, 1], 1)
    assert table.phase == "answer"
    table.reject()
    assert table.phase == "over"
    assert table.penalty == [[], [1, 1, 0, 0]]


def test_after_the_pile_is_empty_nobody_draws(lay):
    table = small(lay, [0, 0])
    table.give([1, 1, 2], 1).accept().give([1, 1, 2, 4, 4], 1)
    assert [len(hand) for hand in table.hands] == [5, 4]
    table.accept().give([0, 0, 1, 1, 2, 2, 3, 3, 4, 4], 6)
    assert [len(hand) for hand in table.hands] == [0, 4]


def test_a_game_without_a_pile_ends_with_its_first_rejection(lay):
    table = six_cards(lay)
    assert (table.pile, table.ends, table.phase) == ([], True, "announce")
    table.give([1], 1)
    assert table.hands == [[2, 3], [4, 5, 6]]
    table.reject()
    assert table.phase == "over"


def test_when_the_game_is_over_nobody_acts_and_everything_lies_where_it_fell(lay):
    table = six_cards(lay)
    table.give([1, 2], 1).accept().give([1, 2, 4, 5, 6], 6).accept().give([1, 2, 3, 4, 5, 6], 2)
    table.reject()
    assert table.game.snapshot() == {
        "players": 2,
        "first": 0,
        "to_act": None,
        "phase": "over",
        "hands": [[], []],
        "pile": [],
        "penalty": [[2, 1, 3, 4, 5, 6], []],
        "offer": None,
        "to_beat": None,
        "ends": True,
        "higher_counts_as_true": False,
    }
    assert table.legal() == []


def test_the_result_is_the_cards_in_hand_and_in_the_penalty_pile(lay):
    table = small(lay, [0, 0])
    table.give([1], 1).reject()  # true: seat 1 takes it
    assert table.penalty == [[], [1]]
    table.give([4, 5], 5).reject()  # false: seat 1 takes them; it drew the last card only
    assert table.phase == "over"
    assert [len(hand) for hand in table.hands] == [6, 5]
    assert table.game.scores() == [6, 5 + 3]
    assert table.game.ranks() == [1, 2]
    assert table.game.win_shares() == pytest.approx([1, 0])


def test_the_fewest_cards_win(lay):
    table = six_cards(lay).give([1], 1).reject()
    assert table.game.scores() == [2, 4]
    assert table.game.ranks() == [1, 2]


def test_d7_ties_share_the_win(lay):
    table = six_cards(lay).give([1], 2).reject()
    assert table.game.scores() == [3, 3]
    assert table.game.ranks() == [1, 1]
    assert table.game.win_shares() == pytest.approx([1 / 2, 1 / 2])


def four_pairs(lay):
    return lay([[1, 1], [2, 2], [3, 3], [4, 4]], values=4, copies=2, jokers=0, hand_size=2)


def test_d7_two_of_four_share_the_win(lay):
    table = four_pairs(lay)
    table.give([1], 1).accept().give([1, 2], 1).accept().give([1, 2, 3], 1).reject()
    assert table.game.scores() == [1, 1, 4, 2]
    assert table.game.ranks() == [1, 1, 4, 3]
    assert table.game.win_shares() == pytest.approx([1 / 2, 1 / 2, 0, 0])


def test_d7_a_tie_behind_the_winner_shares_the_rank_only(lay):
    table = four_pairs(lay).give([1], 1).reject()
    assert table.game.scores() == [1, 3, 2, 2]
    assert table.game.ranks() == [1, 4, 2, 2]
    assert table.game.win_shares() == pytest.approx([1, 0, 0, 0])


# -- composing -------------------------------------------------------------------------------------


def questions(table):
    """The types in question, when each is answered with none if possible, else with the fewest."""
    asked = []
    while table.phase == "compose":
        asked.append(table.offer["asking"])
        table.take(table.may_take()[0])
    return asked


def test_the_announced_value_is_asked_for_first_then_jokers_then_the_others_ascending(lay):
    table = lay([[0, 1, 2, 3, 4, 5], []])
    table.announce(1, 3)
    assert questions(table) == [3, 0, 1, 2, 4]
    assert table.offer["cards"] == [5]  # the last type is what is left: not asked


@pytest.mark.parametrize(
    ("value", "asked"),
    [(1, [1, 0, 2, 3, 4]), (4, [4, 0, 1, 2, 3]), (5, [5, 0, 1, 2, 3]), (6, [0, 1, 2, 3, 4])],
)
def test_the_order_of_questions_depends_on_the_announced_value_only(lay, value, asked):
    table = lay([[0, 1, 2, 3, 4, 5], []])
    table.announce(1, value)
    assert questions(table) == asked


def test_a_type_that_is_not_held_is_not_asked_for(lay):
    table = lay([[2, 2, 2, 5, 5, 6], []])
    table.announce(2, 1)
    assert questions(table) == [2, 5]


def test_a_type_of_which_all_cards_are_needed_is_not_asked_for(lay):
    """Five of six cards, and not the 3: all others have to go."""
    table = lay([[0, 1, 2, 3, 4, 5], []])
    table.announce(5, 3)
    assert table.offer["asking"] == 3
    assert table.may_take() == [0, 1]
    table.take(0)
    assert table.phase == "answer"
    assert table.offer["cards"] == [0, 1, 2, 4, 5]


def test_giving_the_whole_hand_asks_nothing(lay):
    table = lay([[0, 1, 2, 3, 4, 5], []])
    table.announce(6, 3)
    assert (table.phase, table.to_act) == ("answer", 1)
    assert table.offer["cards"] == [3, 0, 1, 2, 4, 5]


def test_a_hand_of_one_type_asks_nothing(lay):
    table = lay([[4] * 6, []])
    table.announce(3, 1)
    assert table.phase == "answer"
    assert table.offer["cards"] == [4, 4, 4]


def test_no_more_than_is_held_may_be_taken(lay):
    table = lay([[2, 2, 3, 3, 4, 4], []])
    table.announce(4, 2)
    assert table.may_take() == [0, 1, 2]
    assert table.legal() == [2, 3, 4]


def test_no_more_than_is_missing_may_be_taken(lay):
    table = lay([[2, 2, 2, 2, 3, 3], []])
    table.announce(2, 2)
    assert table.may_take() == [0, 1, 2]


def test_enough_must_be_taken_that_the_types_still_to_come_can_fill_the_offer(lay):
    table = lay([[2, 2, 2, 2, 0, 5], []])
    table.announce(3, 2)
    assert table.may_take() == [1, 2, 3]
    assert table.legal() == [3, 4, 5]
    table.take(2)
    assert table.offer["asking"] == 0
    assert table.may_take() == [0, 1]


def test_the_fewest_and_the_most_are_reckoned_anew_at_every_question(lay):
    table = lay([[1, 1, 2, 2, 3, 3], []])
    table.announce(4, 1).take(1)
    assert (table.offer["asking"], table.may_take()) == (2, [1, 2])
    table.take(1)
    assert table.phase == "answer"  # both 3s are needed
    assert table.offer["cards"] == [1, 2, 3, 3]


def test_composing_ends_as_soon_as_the_cards_are_chosen(lay):
    table = lay([[6, 6, 0, 1, 2, 3], []])
    table.announce(2, 6).take(2)
    assert table.phase == "answer"
    assert table.offer["cards"] == [6, 6]


def test_other_answers_are_refused(lay):
    table = lay([[2, 2, 2, 2, 0, 5], []])
    table.announce(3, 2)
    for action in (0, 1, 2, 6, 14, 15, 27, 50):
        with pytest.raises(ValueError):  # noqa: PT011 (the words differ)
            table.game.step(action)
    assert table.may_take() == [1, 2, 3]


def test_twelve_jokers_can_be_taken_at_once(lay):
    """The highest answer, action 14: a hand that has grown to eighteen, with all twelve jokers."""
    table = lay([[0] * 6, [0] * 6, [1, 1, 1, 1, 2, 2]])
    table.give([0] * 6, 1).accept().give([0] * 12, 1).accept()
    table.announce(13, 1).take(1)
    assert (table.offer["asking"], table.legal()) == (0, [12, 13, 14])
    table.take(12)
    assert table.offer["cards"] == [1, *[0] * 12]


@pytest.mark.parametrize("value", [1, 2, 6])
def test_every_choice_of_cards_can_be_offered(lay, value):
    hand = [0, 0, 1, 2, 2, 5]
    order = [value, *(card for card in range(7) if card != value)]
    for numbers in product(range(3), range(2), range(3), range(2)):
        cards = [c for c, n in zip([0, 1, 2, 5], numbers, strict=True) for _ in range(n)]
        if not cards:
            continue
        table = lay([hand, []])
        table.give(cards, value)
        assert table.offer["cards"] == sorted(cards, key=order.index)


def test_the_giver_acts_until_all_cards_are_chosen(lay):
    table = lay([[0, 1, 2, 3, 4, 5], [], []], first=0)
    table.announce(2, 3)
    while table.phase == "compose":
        assert table.to_act == 0
        table.take(table.may_take()[0])
    assert table.to_act == 1


def test_what_the_state_tells_while_an_offer_is_composed(lay):
    table = lay([[1, 1], [0, 2, 3, 4, 5, 6], []], pile=[2, 2, 2, 2])
    table.give([1, 1], 6).accept()
    table.announce(3, 2)
    assert table.offer == {"giver": 1, "count": 3, "value": 2, "cards": [], "asking": 2}
    assert table.to_beat == [2, 6]
    table.take(1).take(1)
    assert table.offer == {"giver": 1, "count": 3, "value": 2, "cards": [2, 0], "asking": 1}
    assert table.hands[1] == [1, 1, 3, 4, 5, 6]  # the chosen cards have left it
    assert table.to_beat == [2, 6]
    table.take(1)
    assert table.offer == {"giver": 1, "count": 3, "value": 2, "cards": [2, 0, 1], "asking": None}
    assert table.to_beat is None
    assert table.hands[1] == [1, 2, 3, 4, 5, 6]  # it has drawn a 2


# -- who knows what --------------------------------------------------------------------------------


def looks(table, *seats):
    """All that the environment tells these seats."""
    return [seen_by(table.game.env, f"player_{seat}") for seat in seats]


# Equal to all eyes but the giver's: what is in seat 0's hand, and how many questions that makes.
GIVERS = {
    "six different cards": [1, 2, 3, 4, 5, 6],
    "jokers, too": [0, 0, 1, 1, 2, 3],
    "all alike": [1, 1, 1, 1, 1, 1],
    "none of the announced value": [2, 3, 4, 5, 6, 6],
}


def ways_to_compose(lay, hand, count, value):
    """The table after each sequence of answers, with the number of questions."""
    unfinished = [[]]
    while unfinished:
        answers = unfinished.pop()
        table = lay([hand, [1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 0]])
        table.announce(count, value)
        for number in answers:
            table.take(number)
        if table.phase == "compose":
            unfinished += [[*answers, number] for number in table.may_take()]
        else:
            yield table, len(answers)


@pytest.mark.parametrize("fewest_or_most", [0, -1])
@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_no_other_seat_sees_anything_of_the_composition(lay_for_eyes, count, fewest_or_most):
    """From the announcement to the last card chosen nothing changes but whose turn it is."""
    for hand in GIVERS.values():
        table = lay_for_eyes([hand, [1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 0]])
        table.announce(count, 1)
        announced = looks(table, 1, 2)
        while table.phase == "compose":
            assert looks(table, 1, 2) == announced
            assert not table.game.env.observe("player_1")["action_mask"].any()
            table.take(table.may_take()[fewest_or_most])
        challenger, third = looks(table, 1, 2)
        assert third == announced[1]
        for name in ("observation", "view"):
            assert challenger[name] == announced[0][name]


def test_no_other_seat_can_tell_how_many_questions_were_asked(lay_for_eyes):
    asked, seen = set(), []
    for hand in GIVERS.values():
        for table, number in ways_to_compose(lay_for_eyes, hand, 2, 1):
            asked.add(number)
            assert table.phase == "answer"
            seen.append(looks(table, 1, 2))
    assert {0, 1, 2, 3, 4} <= asked
    assert all(looked == seen[0] for looked in seen)


def test_the_composition_never_shows_later_to_those_who_had_no_part_in_it(lay_for_eyes):
    """Seat 0 passes two cards to seat 1, seat 1 takes them: seat 2 cannot tell which they were."""
    seen, challenger = [], set()
    for hand in GIVERS.values():
        for table, _ in ways_to_compose(lay_for_eyes, hand, 2, 1):
            table.accept()
            seen.append(looks(table, 2))
            challenger.add(str(looks(table, 1)))
            table.announce(8, 6)
            seen[-1] += looks(table, 2)
    assert all(looked == seen[0] for looked in seen)
    assert len(challenger) > 10  # but the challenger sees what it has taken


def test_the_announcement_is_seen_by_everybody(lay_for_eyes):
    seen = [set(), set(), set()]
    for value in range(1, 7):
        for cards in ([1, 1], [1, 1, 1]):
            table = lay_for_eyes([[1] * 6, [], []])
            table.give(cards, value)
            for seat in range(3):
                seen[seat].add(str(looks(table, seat)))
    assert [len(looked) for looked in seen] == [12, 12, 12]


def test_d9_the_cards_of_a_rejected_offer_are_seen_by_everybody_for_the_rest_of_the_game(
    lay_for_eyes,
):
    """Three false offers of two cards, alike to all but the giver until they are shown."""
    chosen = [[2, 3], [2, 2], [3, 4]]
    games = []
    for cards in chosen:
        table = lay_for_eyes([[2, 2, 3, 3, 4, 4], [1] * 6, [6] * 6])
        games.append(table.give(cards, 5))
    assert [looks(table, 1, 2) for table in games] == [looks(games[0], 1, 2)] * 3
    for table in games:
        table.reject()
    for seat in (1, 2):
        assert len({str(looks(table, seat)) for table in games}) == 3
    for table in games:  # seat 0 has drawn two jokers; one goes round the table
        for value in (1, 2, 3):
            table.give([0], value).accept()
    for seat in (1, 2):
        assert len({str(looks(table, seat)) for table in games}) == 3


def test_d9_a_passed_card_is_known_to_the_two_players_concerned_and_to_no_one_else(lay_for_eyes):
    """Seat 0 gives a 2 and draws one, or gives a 3 and draws one: its hand is the same as before."""
    games = []
    for card in (2, 3):
        table = lay_for_eyes([[1, 1, 1, 1, 2, 3], [6] * 6, [5] * 6], pile=[card])
        games.append(table.give([card], 4).accept())
    given_a_2, given_a_3 = games
    assert given_a_2.hands[0] == given_a_3.hands[0]
    assert looks(given_a_2, 0) != looks(given_a_3, 0)
    assert looks(given_a_2, 1) != looks(given_a_3, 1)
    assert looks(given_a_2, 2) == looks(given_a_3, 2)


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_d9_counts_announcements_and_what_was_shown_are_public(players):
    """The public part of every seat's view, seats relative to it, against what lies on the table."""
    env = dtc_v0.raw_env(num_players=players)
    for number in range(4):
        env.reset(seed=ROOT if number == 0 else None)
        chance = random.Random(f"{players} {number}")
        rejected = offers_in_chain = 0
        while not env.terminations["player_0"]:
            snapshot = env.snapshot()
            for seat in range(players):
                view = env.view(f"player_{seat}")
                if snapshot["phase"] != "compose":
                    assert public_part(view) == on_the_table(snapshot, seat)
                    assert (view["rejections"], view["chain_length"]) == (rejected, offers_in_chain)
                assert view["hand"].tolist() == [snapshot["hands"][seat].count(c) for c in range(7)]
                assert_known_cards_are_there(view["passed_on"], snapshot, seat)
            action = chance.choice(np.flatnonzero(env.infos[env.agent_selection]["action_mask"]))
            env.step(action)
            offers_in_chain += action >= 15
            if snapshot["phase"] == "answer" and action == 1:
                rejected, offers_in_chain = rejected + 1, 0


def public_part(view):
    names = "hand_sizes penalty_sizes pile_size ends shown to_act to_beat_count to_beat_value"
    names += " offer_giver offer_count offer_value higher_counts_as_true"
    return {name: view[name].tolist() for name in names.split()}


def on_the_table(snapshot, seat):
    """The same, from the whole state."""
    players = snapshot["players"]
    offer = snapshot["offer"] or {"giver": 0, "count": 0, "value": 0}
    to_beat = snapshot["to_beat"] or [0, 0]
    shown = [card for cards in snapshot["penalty"] for card in cards]

    def by_seat(piles):
        sizes = [len(piles[(seat + k) % players]) for k in range(players)]
        return sizes + [0] * (6 - players)

    return {
        "hand_sizes": by_seat(snapshot["hands"]),
        "penalty_sizes": by_seat(snapshot["penalty"]),
        "pile_size": len(snapshot["pile"]),
        "ends": int(snapshot["ends"]),
        "shown": [shown.count(card) for card in range(7)],
        "to_act": (snapshot["to_act"] - seat) % players,
        "to_beat_count": to_beat[0],
        "to_beat_value": to_beat[1],
        "offer_giver": 1 + (offer["giver"] - seat) % players if offer["count"] else 0,
        "offer_count": offer["count"],
        "offer_value": offer["value"],
        "higher_counts_as_true": 0,
    }


def assert_known_cards_are_there(passed_on, snapshot, seat):
    """Row m: cards known to be with the next m + 1 seats, or in an offer that one of them has made."""
    players = snapshot["players"]
    with_them = Counter()
    for m in range(players - 1):
        there = (seat + m + 1) % players
        with_them.update(snapshot["hands"][there])
        if snapshot["offer"] and snapshot["offer"]["giver"] == there:
            with_them.update(snapshot["offer"]["cards"])
        assert all(passed_on[m, card] <= with_them[card] for card in range(7))


# -- a whole small game ----------------------------------------------------------------------------


def test_a_whole_game_from_the_deal_to_the_result(lay):
    """Three players, four cards each, values 1 to 3 and three jokers; the pile holds three."""
    table = lay(
        [[0, 1, 1, 2], [1, 2, 3, 3], [0, 2, 2, 3]],
        pile=[3, 1, 0],
        first=2,
        values=3,
        copies=4,
        jokers=3,
        hand_size=4,
    )
    assert table.may_announce() == list(product(range(1, 5), range(1, 4)))
    table.give([0, 2, 2], 2).accept()  # "three 2s", true; seat 2 draws all three
    assert (table.hands[2], table.pile, table.ends) == ([0, 1, 3, 3], [], True)
    assert table.hands[0] == [0, 0, 1, 1, 2, 2, 2]
    assert table.may_announce()[0] == (3, 3)
    table.give([0, 0, 1, 1], 1).accept()  # "four 1s", true; seat 0 keeps three 2s
    assert table.hands == [[2, 2, 2], [0, 0, 1, 1, 1, 2, 3, 3], [0, 1, 3, 3]]
    table.give([1, 2, 3, 3], 3)  # "four 3s", false
    assert table.to_act == 2
    table.reject()
    assert table.penalty == [[], [3, 3, 1, 2], []]
    assert table.game.scores() == [3, 8, 4]
    assert table.game.ranks() == [1, 3, 2]


def test_random_games_can_be_played_by_number_in_the_environment_as_in_the_reference():
    env = dtc_v0.raw_env(num_players=3)
    for number in range(5):
        env.reset(seed=ROOT if number == 0 else None)
        reference = Reference(3, chance=Stream(ROOT, number))
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
