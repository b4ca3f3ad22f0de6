"""Dicht dran by the rulebook: each rule and house decision at the table, then whole games.

Numbers of rules and decisions (D1 …) are those of the project's rules page.
"""

import random
from collections import Counter

import numpy as np
import pytest

import cardgames_env
from cardgames_env import dicht_dran_v0
from cardgames_env.core.game import apply_row, deal_row, legal_row, result_row, to_act_row
from cardgames_env.games.dicht_dran import GAME
from tests.games.dicht_dran.reference import Reference, default_peppers
from tests.reference_rng import Stream

ROOT = 20131

ALL_ONE, ALL_THREE = [1] * 100, [3] * 100


class Table:
    """A game whose cards a test lays and plays by number."""

    def __init__(self, circle, hands, pile=(), deals=1, peppers=None):
        """Position 0 and 3 of ``circle`` are given, too; hands are filled up and the pile completed."""
        placed = {*circle, *pile, *(card for hand in hands for card in hand)}
        rest = [card for card in range(2, 100) if card not in placed]
        full = []
        for hand in hands:
            missing = 8 - len(hand)
            full.append([*hand, *rest[:missing]])
            rest = rest[missing:]
        self.env = dicht_dran_v0.raw_env(num_players=len(hands), deals=deals, peppers=peppers)
        deal = {"circle": circle, "hands": full, "pile": [*pile, *rest]}
        self.env.reset(seed=1, options={"deal": deal})

    def play(self, *cards):
        """The next seats' cards; whoever is to act plays the first."""
        for card in cards:
            self.env.step(card - 1)
        return self

    def __getattr__(self, name):
        """``round``, ``circle``, ``hands``, ``pile``, ``discard``, ``won``, ``scores`` …"""
        return self.env.snapshot()[name]

    def seen(self, seat):
        return self.env.view(f"player_{seat}")


# -- the rules page's own examples -----------------------------------------------------------------


def test_example_of_the_rulebook():
    """Circle 1, 67, 38, 100; target 67, gap 1-38: the 70 wins, 4 and 32 fit, the 63 draws two."""
    table = Table([1, 67, 38, 100, 20, 50], [[4], [32], [63], [70]])
    before = table.pile
    table.play(4, 32, 63, 70)
    assert table.won == [[], [], [], [67]]
    assert table.circle == [1, 70, 38, 100, 20, 50]
    assert table.discard == [4, 32, 63]
    assert [len(hand) for hand in table.hands] == [7, 7, 9, 7]
    assert set(before[:2]) < set(table.hands[2])
    assert table.pile == before[2:]
    view = table.seen(0)
    assert (table.round, view["target"], view["gap_low"], view["gap_high"]) == (2, 38, 70, 100)


def test_example_of_a_tie():
    """Target 34, gap 1-63: 35 and 33 are equally close, the higher wins; the 75 draws three."""
    table = Table([1, 34, 63, 100, 20, 50], [[35], [33], [75]])
    before = table.pile
    table.play(35, 33, 75)
    assert table.won == [[34], [], []]
    assert table.discard == [33, 75]
    assert len(table.hands[2]) == 10
    assert table.pile == before[3:]


def test_example_of_scoring():
    """14 peppers won, 6 in hand: 8 points."""
    env = dicht_dran_v0.raw_env(deals=1)
    found = 0
    for number in range(300):
        env.reset(seed=ROOT if number == 0 else None)
        finish(env, random.Random(number))
        snapshot = env.snapshot()
        peppers = snapshot["peppers"]
        for seat, points in enumerate(snapshot["scores"][0]):
            plus = sum(peppers[card - 1] for card in snapshot["won"][seat])
            minus = sum(peppers[card - 1] for card in snapshot["hands"][seat])
            if (plus, minus) == (14, 6):
                assert points == 8
                found += 1
    assert found > 0


def finish(env, chance):
    """Play on to the end, any card at any time."""
    while not env.terminations["player_0"]:
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(chance.choice(np.flatnonzero(mask).tolist()))


# -- D1, D2: material and players ------------------------------------------------------------------


def test_d1_the_table_of_peppers():
    peppers = Table([1, 67, 38, 100, 20, 50], [[], []]).peppers
    assert Counter(peppers) == {1: 34, 2: 33, 3: 33}
    assert sum(peppers) == 199
    assert (peppers[63 - 1], peppers[75 - 1]) == (2, 3)
    assert peppers == [1 + (n + n // 10 + 1) % 3 for n in range(1, 101)]
    assert peppers == default_peppers()


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_d1_a_caller_may_bring_a_table_of_peppers(kind):
    own = [1 + n % 2 for n in range(100)]
    env = dicht_dran_v0.raw_env(peppers=kind(own))
    env.reset(seed=1)
    assert env.snapshot()["peppers"] == own


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_d2_two_to_five_players(players):
    env = dicht_dran_v0.raw_env(num_players=players)
    env.reset(seed=1)
    assert env.agents == [f"player_{p}" for p in range(players)]
    assert len(env.snapshot()["hands"]) == players


def test_d2_four_players_and_two_deals_if_nothing_is_said():
    env = dicht_dran_v0.env()
    env.reset(seed=1)
    assert (env.snapshot()["players"], env.snapshot()["deals"]) == (4, 2)


# -- rule 1: the deal ------------------------------------------------------------------------------


def deals(count, players=4):
    env = dicht_dran_v0.raw_env(num_players=players)
    for number in range(count):
        env.reset(seed=ROOT if number == 0 else None)
        yield env.snapshot()


def test_rule_1_the_1_and_the_100_lie_opposite_each_other():
    for snapshot in deals(300):
        assert (snapshot["circle"][0], snapshot["circle"][3]) == (1, 100)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_rule_1_eight_cards_each_and_the_rest_is_the_pile(players):
    for snapshot in deals(50, players):
        assert [len(hand) for hand in snapshot["hands"]] == [8] * players
        assert len(snapshot["pile"]) == 94 - 8 * players
        heaps = [snapshot["circle"], snapshot["pile"], *snapshot["hands"]]
        everything = [card for heap in heaps for card in heap]
        assert sorted(everything) == list(range(1, 101))


def test_rule_1_any_card_comes_to_any_place_of_the_circle_as_drawn():
    """98 cards, 4 places: each about 4000/98 times at each place, and in any order of size."""
    places = Counter()
    ascending = 0
    for snapshot in deals(4000):
        four = [snapshot["circle"][k] for k in (1, 2, 4, 5)]
        places.update(enumerate(four))
        ascending += four == sorted(four)
    expected = 4000 / 98
    chi = sum(
        (places[k, card] - expected) ** 2 / expected for k in range(4) for card in range(2, 100)
    )
    assert abs(chi - 4 * 97) < 5 * (2 * 4 * 97) ** 0.5
    assert abs(ascending - 4000 / 24) < 5 * (4000 / 24) ** 0.5


def test_rule_1_every_player_gets_any_card_and_any_comes_next():
    owners = Counter()
    tops = Counter()
    for snapshot in deals(3000):
        owners.update((p, card) for p, hand in enumerate(snapshot["hands"]) for card in hand)
        tops[snapshot["pile"][0]] += 1
    expected = 3000 * 8 / 98
    chi = sum(
        (owners[p, card] - expected) ** 2 / expected for p in range(4) for card in range(2, 100)
    )
    assert abs(chi - 4 * 97) < 5 * (2 * 4 * 97) ** 0.5
    chi = sum((tops[card] - 3000 / 98) ** 2 / (3000 / 98) for card in range(2, 100))
    assert abs(chi - 97) < 5 * (2 * 97) ** 0.5


# -- rule 2: target and gap ------------------------------------------------------------------------


def test_rule_2_the_target_moves_clockwise_from_position_1():
    env = dicht_dran_v0.raw_env(num_players=2, deals=1)
    for number in range(20):
        env.reset(seed=7 if number == 0 else None)
        chance = random.Random(number)
        while not env.terminations["player_0"]:
            view = env.view(env.agent_selection)
            snapshot = env.snapshot()
            assert view["target_position"] == snapshot["round"] % 6
            assert view["target"] == snapshot["circle"][snapshot["round"] % 6]
            env.step(chance.choice(np.flatnonzero(view["hand"]).tolist()))


def test_rule_2_round_3_is_for_the_100_and_round_6_for_the_1():
    for number in range(30):
        table = Table([1, 40, 60, 100, 20, 50], [[], [], []])
        chance = random.Random(number)
        while not table.over and table.round <= 6:
            if table.to_act == 0:
                target = {3: 100, 6: 1}.get(table.round)
                assert target in (None, int(table.seen(0)["target"]))
            table.play(chance.choice(table.hands[table.to_act]))


@pytest.mark.parametrize(("place_4", "gap"), [(20, (20, 61)), (70, (61, 70))])
def test_rule_2_the_gap_lies_between_the_neighbours_whichever_way_round_they_lie(place_4, gap):
    """Round 3: the winner's 61 of round 2 lies at position 2, the other neighbour at position 4."""
    table = Table([1, 40, 60, 100, place_4, 50], [[41, 61], [10, 90]])
    table.play(41, 10).play(61, 90)
    view = table.seen(0)
    assert table.circle[2:5] == [61, 100, place_4]
    assert (view["gap_low"], view["gap_high"]) == gap


def test_rule_2_the_gap_reaches_up_to_its_neighbours_and_no_further():
    """Target 40, neighbours 1 and 60: the 59 and the 2 are in, the 61 is out."""
    table = Table([1, 40, 60, 100, 20, 50], [[41], [59], [2], [61]])
    table.play(41, 59, 2, 61)
    drawn = [len(hand) - 7 for hand in table.hands]
    assert drawn == [0, 0, 0, table.peppers[61 - 1]]


def test_rule_2_the_gap_never_wraps_past_100():
    """Round 6: target 1 between the cards at 5 and 1; numbers outside them are a miss."""
    table = Table([1, 40, 60, 100, 20, 50], [[30, 31, 32, 33, 34, 90], [70, 71, 72, 73, 74, 91]])
    view = table.seen(0)
    assert (view["gap_low"], view["gap_high"]) == (1, 60)  # target 40, neighbours 1 and 60
    before = table.pile
    table.play(30, 70)  # 70 lies above 60: no card below 1 or above 100 is ever in the gap
    assert table.discard == [70]
    assert table.pile == before[table.peppers[70 - 1] :]


# -- rule 3: choosing ------------------------------------------------------------------------------


def test_rule_3_a_chosen_card_is_out_of_the_hand_and_not_yet_open():
    table = Table([1, 67, 38, 100, 20, 50], [[4], [32], [63]])
    table.play(4)
    assert table.chosen == [4, None, None]
    assert 4 not in table.hands[0]
    assert table.seen(0)["chosen"] == 4
    for seat in (1, 2):
        assert table.seen(seat)["seen"][4 - 1] == 0
        assert table.seen(seat)["chosen"] == 0
        assert table.seen(seat)["hand_sizes"].tolist() == [8, 8, 8, 0, 0]


def test_rule_3_seats_choose_in_order_and_only_cards_they_hold():
    table = Table([1, 67, 38, 100, 20, 50], [[4], [32], [63]])
    for seat, card in enumerate((4, 32, 63)):
        assert table.to_act == seat
        mask = table.env.observe(f"player_{seat}")["action_mask"]
        assert (np.flatnonzero(mask) + 1).tolist() == table.hands[seat]
        with pytest.raises(ValueError, match=f"player_{seat}"):
            table.play(100)
        table.play(card)
    assert table.to_act == 0


# -- rule 4: the winner ----------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(50, 55, 57), (57, 50, 55), (55, 57, 50)])
def test_rule_4_the_closest_card_wins_wherever_its_player_sits(order):
    table = Table([1, 54, 38, 100, 20, 60], [[card] for card in order])
    table.play(*order)
    assert [len(cards) for cards in table.won] == [int(card == 55) for card in order]


@pytest.mark.parametrize("order", [(52, 56), (56, 52)])
def test_rule_4_of_two_equally_close_the_higher_wins(order):
    table = Table([1, 54, 38, 100, 20, 60], [[card] for card in order])
    table.play(*order)
    assert table.won[order.index(56)] == [54]
    assert table.circle[1] == 56


def test_rule_4_the_winner_neither_discards_nor_draws_even_outside_the_gap():
    table = Table([1, 67, 38, 100, 20, 50], [[70], [4]])
    before = table.pile
    table.play(70, 4)
    assert table.discard == [4]
    assert table.pile == before
    assert len(table.hands[0]) == 7


# -- rules 5 and 6, D3: discards and draws ---------------------------------------------------------


def test_rule_5_the_gap_is_the_one_that_stood_while_cards_were_chosen():
    """Target 40 lies between 1 and 60; the winning 41 changes a neighbour of the next gap only."""
    table = Table([1, 40, 60, 100, 20, 50], [[41], [59], [61]])
    table.play(41, 59, 61)
    assert table.discard == [59, 61]
    assert [len(hand) for hand in table.hands] == [7, 7, 7 + table.peppers[61 - 1]]
    assert table.seen(0)["gap_low"] == 41


def test_rule_6_a_miss_draws_as_many_cards_as_it_shows_peppers():
    for peppers in (1, 2, 3):
        table = Table([1, 40, 60, 100, 20, 50], [[41], [80]], peppers=[peppers] * 100)
        before = table.pile
        table.play(41, 80)
        assert sorted(before[:peppers]) == [c for c in table.hands[1] if c in before[:peppers]]
        assert len(table.hands[1]) == 7 + peppers
        assert table.pile == before[peppers:]


def test_d3_the_cards_in_the_gap_go_first_then_the_misses_each_in_seat_order():
    table = Table([1, 40, 60, 100, 20, 50], [[90], [10], [80], [30], [41]])
    table.play(90, 10, 80, 30, 41)
    assert table.discard == [10, 30, 90, 80]


def test_d3_seat_by_seat_takes_all_its_cards():
    table = Table(
        [1, 40, 60, 100, 20, 50], [[90], [41], [80], [70]], pile=[2, 3, 4, 5, 6, 7],
        peppers=[2] * 100,
    )  # fmt: skip
    table.play(90, 41, 80, 70)
    assert [set(hand) & {2, 3, 4, 5, 6, 7} for hand in table.hands] == [
        {2, 3},
        set(),
        {4, 5},
        {6, 7},
    ]


# -- D4, D5, rule 7: the end of a deal -------------------------------------------------------------


def with_pile_of(size, peppers, cards=(41, 80, 90), hands=8):
    """Round 1 of three players, target 40, gap 1-60, and only so many cards left to draw.

    The other cards of the pile lie among the discards, as after many rounds.
    """
    table = Table([1, 40, 60, 100, 20, 50], [[card] for card in cards], peppers=peppers)
    s = table.env._states[0]
    pile = table.pile
    gone = pile[size:]
    s["pile_end"] = s["pile_next"] + size
    s["discard"][: len(gone)] = gone
    s["discard_size"] = len(gone)
    return table, pile[:size], gone


def test_d4_an_empty_pile_is_renewed_when_a_card_is_owed():
    """Pile of 4, six cards owed: the discards of this round included become the pile."""
    table, pile, gone = with_pile_of(4, ALL_THREE)
    table.play(41, 80, 90)
    assert set(pile[:3]) < set(table.hands[1])
    assert pile[3] in table.hands[2]
    drawn = set(table.hands[2]) - {pile[3]}
    assert len(table.hands[2]) == 7 + 3
    assert len(drawn & {*gone, 80, 90}) == 2
    assert table.discard == []
    assert {*table.pile} == {*gone, 80, 90} - drawn
    assert table.over


def test_d4_the_renewed_pile_is_shuffled():
    orders = set()
    for _ in range(2):
        table, _, gone = with_pile_of(0, ALL_ONE)
        table.env._states[0]["rng"][:] += np.uint64(len(orders) + 1)
        table.play(41, 80, 90)
        orders.add(tuple(table.pile))
        assert table.pile != [card for card in [*gone, 80, 90] if card in table.pile]
    assert len(orders) == 2


def test_d4_a_pile_emptied_exactly_by_the_last_card_owed_stays_empty():
    table, pile, gone = with_pile_of(6, ALL_THREE)
    table.play(41, 80, 90)
    assert table.pile == []
    assert table.discard == [*gone, 80, 90]
    assert {*pile} < {*table.hands[1], *table.hands[2]}


def test_d5_the_deal_ends_when_the_pile_is_empty_after_the_draws():
    table, _, _ = with_pile_of(6, ALL_THREE)
    table.play(41, 80, 90)
    assert table.over


def test_d5_the_deal_ends_when_the_pile_had_to_be_renewed():
    table, _, _ = with_pile_of(5, ALL_THREE)
    table.play(41, 80, 90)
    assert table.pile != []
    assert table.over


def test_d5_a_pile_with_one_card_left_goes_on():
    table, _, _ = with_pile_of(7, ALL_THREE)
    table.play(41, 80, 90)
    assert len(table.pile) == 1
    assert not table.over


def last_cards(*cards, peppers=None):
    """A round 1 in which seat p holds ``cards[p]`` alone (target 40, gap 1-60), rest discarded."""
    table = Table([1, 40, 60, 100, 20, 50], [[card] for card in cards], peppers=peppers)
    s = table.env._states[0]
    gone = [c for hand, card in zip(table.hands, cards, strict=True) for c in hand if c != card]
    s["discard"][: len(gone)] = gone
    s["discard_size"] = len(gone)
    for p, card in enumerate(cards):
        s["hand"][p] = 0
        s["hand"][p, (card - 1) // 64] = np.uint64(1) << np.uint64((card - 1) % 64)
        s["hand_size"][p] = 1
    return table


def test_rule_7_the_deal_ends_when_somebodys_hand_is_empty():
    table = last_cards(41, 80, 90)
    table.play(41, 80, 90)
    assert table.over
    assert table.hands[0] == []


def test_rule_7_several_players_may_be_out_at_once():
    table = last_cards(41, 30, 90)
    table.play(41, 30, 90)
    assert table.over
    assert [len(hand) for hand in table.hands] == [0, 0, table.peppers[90 - 1]]


def test_rule_7_who_misses_with_the_last_card_has_drawn_and_is_not_out():
    table = Table([1, 40, 60, 100, 20, 50], [[41], [80]])
    s = table.env._states[0]
    s["hand"][1] = 0
    s["hand"][1, 1] = np.uint64(1) << np.uint64(79 - 64)
    s["hand_size"][1] = 1
    table.play(41, 80)
    assert not table.over
    assert len(table.hands[1]) == table.peppers[80 - 1]


# -- rule 8, D6: scores ----------------------------------------------------------------------------


def test_rule_8_peppers_won_less_peppers_in_hand():
    peppers = [1 + n % 3 for n in range(100)]
    table, _, _ = with_pile_of(6, peppers, cards=(41, 80, 90))
    table.env._states["pile_end"] = table.env._states["pile_next"] + peppers[79] + peppers[89]
    table.play(41, 80, 90)
    held = [sum(peppers[card - 1] for card in hand) for hand in table.hands]
    assert table.over
    assert table.won == [[40], [], []]
    assert table.scores == [[peppers[39] - held[0], -held[1], -held[2]]]
    assert min(table.scores[0]) < 0
    assert [table.env.infos[a]["score"] for a in table.env.agents] == table.scores[0]


def test_rule_8_a_player_without_cards_scores_what_it_won():
    table = last_cards(41, 30, 90)
    table.play(41, 30, 90)
    assert table.scores[0][:2] == [table.peppers[39], 0]


def test_d6_a_tie_shares_the_win():
    table = last_cards(42, 38, 30, peppers=ALL_ONE)
    s = table.env._states[0]
    s["total"][:3] = [0, 1, -9]
    s["deal"], s["deals"] = 1, 2
    table.play(42, 38, 30)  # equally close: the 42 takes one pepper
    assert table.over
    assert [table.env.infos[a]["rank"] for a in table.env.agents] == [1, 1, 3]
    third = 1 / 3
    assert list(table.env.rewards.values()) == pytest.approx([1 / 2 - third, 1 / 2 - third, -third])


def test_the_last_choice_of_a_deal_scores_it_and_deals_the_next_at_once():
    env = dicht_dran_v0.raw_env(num_players=3, deals=3)
    env.reset(seed=5)
    chance = random.Random(5)
    ended = []
    while not env.terminations["player_0"]:
        before = env.snapshot()
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(chance.choice(np.flatnonzero(mask).tolist()))
        after = env.snapshot()
        if len(after["scores"]) > len(before["scores"]):
            ended.append(after)
    assert [len(snapshot["scores"]) for snapshot in ended] == [1, 2, 3]
    for number, snapshot in enumerate(ended[:-1], start=1):
        assert (snapshot["deal"], snapshot["round"], snapshot["to_act"]) == (number, 1, 0)
        assert [len(hand) for hand in snapshot["hands"]] == [8, 8, 8]
        assert snapshot["won"] == [[], [], []]
        assert snapshot["discard"] == []
        assert (snapshot["circle"][0], snapshot["circle"][3]) == (1, 100)
    last = ended[-1]
    assert (last["over"], last["to_act"], last["deal"]) == (True, None, 2)
    assert last["chosen"] == [None] * 3
    totals = [sum(points) for points in zip(*last["scores"], strict=True)]
    assert [env.infos[a]["score"] for a in env.agents] == totals
    assert [env.infos[a]["rank"] for a in env.agents] == [
        1 + sum(t > own for t in totals) for own in totals
    ]


# -- D7: what is public ----------------------------------------------------------------------------


def test_d7_every_seat_sees_what_was_played_and_won_and_every_count():
    """The whole public part of the view, against what an attentive player has written down."""
    for players in (2, 3, 4, 5):
        env = dicht_dran_v0.raw_env(num_players=players, deals=2)
        for number in range(3):
            env.reset(seed=9 if number == 0 else None)
            chance = random.Random(number)
            notes = Notes(env.snapshot())
            while not env.terminations["player_0"]:
                for seat in range(players):
                    assert_public_part(env.view(f"player_{seat}"), notes, env.snapshot(), seat)
                before = env.snapshot()
                mask = env.observe(env.agent_selection)["action_mask"]
                action = chance.choice(np.flatnonzero(mask).tolist())
                env.step(action)
                notes.take(before, action + 1, env.snapshot())
            for seat in range(players):
                assert_public_part(env.view(f"player_{seat}"), notes, env.snapshot(), seat)


class Notes:
    """What a player writes down in the course of a game, from what lies open."""

    def __init__(self, snapshot):
        self.new_deal(snapshot)
        self.choices = []
        self.last_plays, self.last_winner, self.last_target = [], None, 0

    def new_deal(self, snapshot):
        self.seen = set(snapshot["circle"])
        self.played_by = {}
        self.won_by = {}

    def take(self, before, card, after):
        self.choices.append(card)
        if len(self.choices) < before["players"]:
            return
        target = before["circle"][before["round"] % 6]
        best = min(self.choices, key=lambda card: (abs(card - target), -card))
        self.last_plays, self.last_winner = self.choices, self.choices.index(best)
        self.last_target = target
        self.seen |= set(self.choices)
        self.played_by |= {card: seat for seat, card in enumerate(self.choices)}
        self.won_by[target] = self.last_winner
        self.choices = []
        if after["deal"] > before["deal"]:
            self.new_deal(after)


def assert_public_part(view, notes, snapshot, seat):
    players = snapshot["players"]

    def relative(p):
        return 1 + (p - seat) % players

    def by_seat(values):
        turned = [values[(seat + k) % players] for k in range(players)]
        return turned + [0] * (5 - players)

    assert view["players"] == players
    assert (view["deal"], view["deals_left"]) == (
        snapshot["deal"],
        snapshot["deals"] - snapshot["deal"] - 1,
    )
    assert view["round_number"] == snapshot["round"]
    assert view["over"] == snapshot["over"]
    assert view["circle"].tolist() == snapshot["circle"]
    assert set(np.flatnonzero(view["hand"]) + 1) == set(snapshot["hands"][seat])
    assert view["chosen"] == (snapshot["chosen"][seat] or 0)
    assert set(np.flatnonzero(view["seen"]) + 1) == notes.seen
    assert {c + 1: view["played_by"][c] for c in np.flatnonzero(view["played_by"])} == {
        card: relative(p) for card, p in notes.played_by.items()
    }
    assert {c + 1: view["won_by"][c] for c in np.flatnonzero(view["won_by"])} == {
        card: relative(p) for card, p in notes.won_by.items()
    }
    assert view["peppers"].tolist() == snapshot["peppers"]
    held = [
        len(hand) + (chosen is not None)
        for hand, chosen in zip(snapshot["hands"], snapshot["chosen"], strict=True)
    ]
    assert view["hand_sizes"].tolist() == by_seat(held)
    won = [sum(snapshot["peppers"][c - 1] for c in cards) for cards in snapshot["won"]]
    assert view["won_peppers"].tolist() == by_seat(won)
    assert view["pile_size"] == len(snapshot["pile"])
    assert view["discard_size"] == len(snapshot["discard"])
    totals = [sum(points[p] for points in snapshot["scores"]) for p in range(players)]
    assert view["scores"].tolist() == by_seat(totals)
    assert view["last_plays"].tolist() == by_seat(notes.last_plays or [0] * players)
    assert view["last_winner"] == (0 if notes.last_winner is None else relative(notes.last_winner))
    assert view["last_target"] == notes.last_target


# -- whole games against the reference -------------------------------------------------------------

TABLES = {
    "the assumed peppers": lambda chance: None,
    "all peppers 3": lambda chance: ALL_THREE,
    "all peppers 1": lambda chance: ALL_ONE,
    "peppers at random": lambda chance: [chance.randint(1, 3) for _ in range(100)],
    "high cards hot": lambda chance: [1 + n // 34 for n in range(100)],
}

STYLES = {
    "any": lambda hand, chance: chance.choice(hand),
    "lowest": lambda hand, chance: hand[0],
    "highest": lambda hand, chance: hand[-1],
    "middle": lambda hand, chance: hand[len(hand) // 2],
}


class Compared:
    """The library and the reference, playing the same game."""

    def __init__(self, players, deals, peppers, number):
        self.options = GAME.check_options(
            {"num_players": players, "deals": deals, "peppers": peppers}
        )
        self.states = GAME.new_states(self.options, 1)
        deal_row(self.states, 0, ROOT, number)
        self.reference = Reference(players, deals, peppers, chance=Stream(ROOT, number))
        self.mask = np.zeros(100, np.int8)
        self.points, self.places = np.zeros(players, np.int32), np.zeros(players, np.int8)

    def same(self):
        assert GAME.snapshot(self.states, 0) == self.reference.snapshot()
        legal_row(self.states, 0, self.mask)
        assert (np.flatnonzero(self.mask) + 1).tolist() == self.reference.legal()

    def play(self, card):
        assert apply_row(self.states, 0, card - 1) == 0
        self.reference.play(card)

    def same_result(self):
        assert to_act_row(self.states, 0) == -1
        result_row(self.states, 0, self.points, self.places)
        assert self.points.tolist() == self.reference.totals()
        assert self.places.tolist() == self.reference.ranks()


@pytest.mark.parametrize("peppers", TABLES)
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_library_plays_as_the_reference_does_move_by_move(players, peppers):
    renewals = emptied = several_out = ties = 0
    for number in range(100):
        chance = random.Random(f"{players} {peppers} {number}")
        game = Compared(players, 1 + number % 3, TABLES[peppers](chance), number)
        styles = [STYLES[chance.choice(list(STYLES))] for _ in range(players)]
        reference = game.reference
        game.same()
        while not reference.over:
            seat, finished = reference.to_act, len(reference.scores)
            game.play(styles[seat](reference.legal(), chance))
            game.same()
            if reference.over and len(reference.scores) > finished:
                renewals += reference.renewed
                emptied += not reference.pile
                several_out += sum(not hand for hand in reference.hands) > 1
        game.same_result()
        ties += reference.ranks().count(1) > 1
    # The comparison means something: the rare rules were met, not only the common ones.
    if peppers in ("all peppers 3", "peppers at random") and players > 2:
        assert renewals > 3
    if players > 2 and peppers == "all peppers 1":
        assert several_out > 3
        assert ties > 0


def test_a_long_game_keeps_the_score_of_every_deal():
    """More deals than the smallest table of scores holds."""
    game = Compared(3, 11, None, 1)
    chance = random.Random(1)
    while not game.reference.over:
        game.play(chance.choice(game.reference.legal()))
    game.same()
    game.same_result()
    assert len(game.reference.scores) == 11


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_library_renews_the_pile_as_the_reference_does_with_a_scripted_deal(players):
    """A scripted deal goes on with the chance of its seed: renewals and the next deals are the same."""
    for number in range(15):
        chance = random.Random(f"scripted {players} {number}")
        cards = chance.sample(range(2, 100), 98)
        circle = [1, cards[0], cards[1], 100, cards[2], cards[3]]
        hands = [cards[4 + 8 * p : 12 + 8 * p] for p in range(players)]
        deal = {"circle": circle, "hands": hands, "pile": cards[4 + 8 * players :]}
        env = cardgames_env.make("dicht_dran_v0", num_players=players, deals=2, peppers=ALL_THREE)
        env.reset(seed=ROOT + number, options={"deal": deal})
        reference = Reference(players, 2, ALL_THREE, Stream(ROOT + number, 0), deal)
        assert env.snapshot() == reference.snapshot()
        while not reference.over:
            card = chance.choice(reference.legal())
            env.step(card - 1)
            reference.play(card)
            assert env.snapshot() == reference.snapshot()
