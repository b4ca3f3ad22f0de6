"""DTC: what a seat knows of cards passed on, and from which distribution whole states are made up."""

import itertools
import math
from collections import Counter, defaultdict

import numpy as np
import pytest

import agents
from cardgames_env.core.game import (
    OK,
    apply_row,
    deal_row,
    determinize_row,
    determinize_weighted_row,
    get_game,
    legal_row,
    look_row,
    to_act_row,
)
from cardgames_env.core.jit import kernel
from cardgames_env.games.dtc.beliefs import chance_true
from cardgames_env.games.dtc.look import accepted_before
from tests.contract.play import Variant, positions, stream, view_of

GAME = get_game("dtc_v0")
ACCEPT, REJECT = 0, 1


def announce(count, value):
    return 15 + 6 * (count - 1) + value - 1


class Table:
    """A game of a given deal, played action by action; hidden cards as (hands, offer, pile)."""

    def __init__(self, options, first, hands, pile):
        self.options = GAME.check_options(options)
        self.states = GAME.new_states(self.options, 1)
        GAME.set_deal(self.states, 0, {"first": first, "hands": hands, "pile": pile})

    def play(self, *actions):
        for action in actions:
            assert apply_row(self.states, 0, action) == OK, action
        return self

    def offer(self, value, *cards):
        """The seat to act offers these cards, in the order asked for, as ``value``."""
        self.play(announce(len(cards), value))
        while (offer := GAME.snapshot(self.states, 0)["offer"])["asking"] is not None:
            self.play(2 + cards.count(offer["asking"]))
        assert offer["cards"] == list(cards)
        return self

    def view(self, seat):
        return view_of(GAME, self.states, seat)

    def named(self, seat):
        return GAME.named(self.view(seat))


def hidden_of(states):
    snapshot = GAME.snapshot(states, 0)
    offer = snapshot["offer"] and tuple(sorted(snapshot["offer"]["cards"]))
    return tuple(map(tuple, snapshot["hands"])), offer, tuple(snapshot["pile"])


def drawn(flat_view, options, count, rng, model=None):
    """Hidden cards (and weights, with a model) of states made up from a view."""
    views, flat = GAME.new_views(1)
    flat[0] = flat_view
    states = GAME.new_states(GAME.check_options(options), 1)
    for _ in range(count):
        if model is None:
            determinize_row(views, 0, rng, states, 0)
            yield hidden_of(states), 1.0
        else:
            weight = determinize_weighted_row(views, 0, rng, states, 0, model)
            yield hidden_of(states), weight


# -- what a seat knows -----------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4, 6])
def test_known_cards_are_where_they_are_said_to_be(players):
    """In every position of random games: row m counts cards that the next m + 1 seats do hold."""
    variant = Variant("dtc_v0", "", {"num_players": players}, None)
    told = 0
    for states in positions(variant, games=120, every=3):
        s = states[0]
        for seat in range(players):
            known = GAME.named(view_of(GAME, states, seat))["passed_on"]
            there = np.zeros(7, int)
            for m in range(players - 1):
                p = (seat + m + 1) % players
                there += s["hand"][p] + s["offered"][p].astype(int)
                assert (known[m] <= there).all()
                assert (
                    m == 0 or (known[m] >= known[m - 1]).all()
                )  # they hold what some of them hold
            assert not known[players - 1 :].any()
            told += known.any()
    assert told > 500


OPEN_DEAL = {
    "first": 0,
    "hands": [[0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 6], [6, 6, 6, 6, 6, 6], [5, 5, 5, 5, 5, 5]],
}


def four_at_the_table():
    deck = Counter({0: 12} | dict.fromkeys(range(1, 7), 9))
    for hand in OPEN_DEAL["hands"]:
        deck.subtract(hand)
    return Table({}, 0, OPEN_DEAL["hands"], sorted(deck.elements()))


def known(table, seat):
    """Rows of ``passed_on`` as {type: count}."""
    rows = table.named(seat)["passed_on"]
    return [{t: int(n) for t, n in enumerate(row) if n} for row in rows[:3]]


def test_a_giver_knows_the_cards_it_passed_on_once_they_are_accepted():
    table = four_at_the_table()
    table.offer(1, 1, 0)
    assert known(table, 0) == [{}, {}, {}]  # its own offer is on the table
    table.play(ACCEPT)
    assert known(table, 0) == [{0: 1, 1: 1}] * 3
    assert all(known(table, seat) == [{}, {}, {}] for seat in (1, 2, 3))


def test_cards_may_have_been_passed_further_by_seats_that_give_unseen():
    table = four_at_the_table()
    table.offer(1, 1, 0).play(ACCEPT)
    table.offer(6, 6, 3)
    # While the offer lies on the table, its giver or the table has them.
    assert known(table, 0) == [{0: 1, 1: 1}] * 3
    table.play(ACCEPT)
    assert known(table, 0) == [{}, {0: 1, 1: 1}, {0: 1, 1: 1}]
    assert known(table, 1) == [{3: 1, 6: 1}] * 3


def test_more_cards_than_were_passed_on_leave_some_for_certain():
    table = Table(
        {"num_players": 3, "values": 2, "hand_size": 3, "copies": 9, "jokers": 0},
        0,
        [[1, 1, 1], [2, 2, 2], [2, 2, 2]],
        [1] * 6 + [2] * 3,
    )
    table.offer(1, 1, 1, 1).play(ACCEPT)
    assert known(table, 0)[0] == {1: 3}
    table.offer(2, 2, 2, 1).play(REJECT)  # shown: two 1s are left
    assert known(table, 0)[:2] == [{1: 2}] * 2
    assert GAME.snapshot(table.states, 0)["to_act"] == 1
    table.offer(2, 2).play(ACCEPT)  # one card, unseen: one 1 is left for certain
    assert known(table, 0)[:2] == [{1: 1}, {1: 2}]


def test_cards_that_come_back_are_no_longer_with_the_others():
    table = four_at_the_table()
    table.offer(1, 1).play(ACCEPT)
    table.offer(2, 1).play(ACCEPT)  # a 1 as a 2
    table.offer(6, 1).play(ACCEPT)
    assert known(table, 0) == [{}, {}, {1: 1}]
    table.offer(1, 1, 5)  # and from seat 3 back to seat 0
    assert known(table, 0) == [{}, {}, {1: 1}]
    table.play(ACCEPT)
    assert known(table, 0) == [{}, {}, {}]


# -- the distribution ------------------------------------------------------------------------------

TINY = [
    {"num_players": 3, "values": 2, "copies": 2, "jokers": 0, "hand_size": 1},
    {"num_players": 2, "values": 2, "copies": 2, "jokers": 0, "hand_size": 1},
    {"num_players": 2, "values": 1, "copies": 3, "jokers": 2, "hand_size": 2},
    {"num_players": 3, "values": 1, "copies": 3, "jokers": 1, "hand_size": 1},
]


def every_history(options, seat):
    """All that can happen, by what a seat has seen of it: views as they changed, and own actions.

    Returns for each such history the view, and the hidden cards that agree with it.
    """
    resolved = GAME.check_options(options)
    players, full = resolved["num_players"], resolved["hand_size"]
    deck = [0] * resolved["jokers"]
    deck += [v for v in range(1, resolved["values"] + 1) for _ in range(resolved["copies"])]
    views, flat = GAME.new_views(1)
    mask = np.zeros(GAME.num_actions, np.int8)
    worlds, last_view = defaultdict(set), {}

    def go_on(states, history):
        look_row(states, 0, seat, views, 0)
        seen = flat[0].tobytes()
        if not history or history[-1] != seen:
            history = (*history, seen)
        snapshot = GAME.snapshot(states, 0)
        if snapshot["phase"] != "compose" or snapshot["offer"]["giver"] == seat:
            hands, offer, pile = hidden_of(states)
            worlds[history].add(((*hands[seat:], *hands[:seat]), offer, pile))
            last_view[history] = seen
        actor = to_act_row(states, 0)
        if actor < 0:
            return
        legal_row(states, 0, mask)
        for action in np.flatnonzero(mask).tolist():
            following = states.copy()
            assert apply_row(following, 0, action) == OK
            go_on(following, (*history, action) if actor == seat else history)

    for order in sorted(set(itertools.permutations(deck))):
        hands = [list(order[p * full : (p + 1) * full]) for p in range(players)]
        if hands == [sorted(hand) for hand in hands]:
            for first in range(players):
                pile = list(order[players * full :])
                go_on(Table(options, first, hands, pile).states, ())
    return worlds, last_view


@pytest.mark.parametrize("options", TINY)
def test_what_is_made_up_is_what_is_possible_no_less_and_no_more(options):
    """Against all histories of a tiny game that end in what the seat has seen."""
    worlds, last_view = every_history(options, seat=0)
    histories = list(worlds)
    np.random.default_rng(1).shuffle(histories)
    rng = stream(3)
    several = 0
    for history in histories[:400]:
        possible = worlds[history]
        view = np.frombuffer(last_view[history], np.int16)
        made = {hidden for hidden, _ in drawn(view, options, 30 * len(possible) + 30, rng)}
        assert made == possible
        several += len(possible) > 1
    assert several >= 5


def arrangements(flat_view, options):
    """All ways to lay the single unseen cards that agree with a view, straight from its description.

    As single cards, so that an arrangement of types comes as often as there are ways to it. The known
    cards are the first of their type.
    """
    v = GAME.named(flat_view)
    resolved = GAME.check_options(options)
    seats = range(1, resolved["num_players"])
    deck = np.array(
        [resolved["jokers"]] + [resolved["copies"] * (t <= resolved["values"]) for t in range(1, 7)]
    )
    unseen = deck - v["hand"] - v["offer_cards"] - v["shown"]
    cards = [(t, number) for t in range(7) for number in range(unseen[t])]
    for order in itertools.permutations(cards):
        left = iter(order)

        def next_cards(count, left=left):
            return list(itertools.islice(left, int(count)))

        offer, agrees, there, hands = None, True, set(), {}
        for k in seats:
            hands[k] = next_cards(v["hand_sizes"][k] - v["fresh"][k])
            there.update(hands[k])
            if v["offer_giver"] == 1 + k:
                offer = next_cards(v["offer_count"])
                there.update(offer)
            row = v["passed_on"][k - 1]
            agrees &= all((t, number) in there for t in range(7) for number in range(row[t]))
        if agrees:
            for k in seats:
                hands[k] += next_cards(v["fresh"][k])
            yield (
                tuple(types_of(sorted(hand)) for hand in hands.values()),
                offer and types_of(sorted(offer)),
                types_of(left),
            )


def types_of(cards):
    return tuple(t for t, _ in cards)


def known_positions():
    """Positions in which the viewer knows some of the hidden cards, and others that it does not."""
    small = {"num_players": 3, "values": 3, "copies": 2, "jokers": 2, "hand_size": 2}
    hands = [[0, 1], [1, 2], [3, 3]]
    table = Table(small, 0, hands, [0, 2])
    yield small, table.view(0)
    table.offer(1, 1).play(ACCEPT)
    yield small, table.view(0)
    table.offer(2, 2)
    yield small, table.view(0)
    table.play(ACCEPT)
    yield small, table.view(0)
    two = {"num_players": 2, "values": 3, "copies": 2, "jokers": 2, "hand_size": 2}
    table = Table(two, 0, [[0, 1], [2, 3]], [1, 2, 3, 0])
    table.offer(1, 1, 0).play(ACCEPT)
    yield two, table.view(0)
    table.offer(3, 3, 2)
    yield two, table.view(0)


@pytest.mark.parametrize("number", range(6))
def test_hidden_cards_are_laid_out_uniformly_around_the_known_ones(number):
    """Chi-square against all arrangements of single cards, each as likely as any other."""
    options, view = list(known_positions())[number]
    expected = Counter(arrangements(view, options))
    total = sum(expected.values())
    draws = 12_000
    counts = Counter()
    for (hands, offer, pile), _ in drawn(view, options, draws, stream(number)):
        counts[hands[1:], offer if view_offers_hidden(view) else None, pile] += 1
    if not view_offers_hidden(view):
        expected = Counter({(hands, None, pile): n for (hands, _, pile), n in expected.items()})
    assert set(counts) <= set(expected)
    chi = sum(
        (counts[key] - draws * n / total) ** 2 / (draws * n / total) for key, n in expected.items()
    )
    freedom = len(expected) - 1
    assert freedom > 5
    assert abs(chi - freedom) < 5 * math.sqrt(2 * freedom)


def view_offers_hidden(view):
    """Whether an offer of another seat lies on the table."""
    return GAME.named(view)["offer_giver"] > 1


# -- weighed by how likely the offer is ------------------------------------------------------------


def model_posterior(view, options, lies, fall):
    """P(true) of the offer on the table, by counting all arrangements under the stated model."""
    v = GAME.named(view)
    giver, count, value = int(v["offer_giver"]) - 1, int(v["offer_count"]), int(v["offer_value"])
    drawn_after = int(v["fresh"][giver])
    true = total = 0.0
    for hands, offer, _ in arrangements(view, options):
        together = [*hands[giver - 1], *offer]
        for after in itertools.combinations(range(len(together)), drawn_after):
            held = [card for i, card in enumerate(together) if i not in after]
            able = sum(card in (0, value) for card in held) >= count
            weight = 1.0 if able else lies * math.exp(-fall * count)
            total += weight
            true += able * weight
    return true / total


@pytest.mark.parametrize(("lies", "fall"), [(1.0, 0.0), (0.3, 0.0), (2.0, 1.0)])
def test_weighed_states_tell_the_posterior_of_the_models_truth(lies, fall):
    options = {"num_players": 2, "values": 2, "copies": 3, "jokers": 1, "hand_size": 2}
    table = Table(options, 1, [[1, 2], [0, 1]], [1, 2, 2])
    table.offer(1, 1, 0)  # seat 1 offers two 1s and draws two
    view = table.view(0)
    expected = model_posterior(view, options, lies, fall)
    weights = truths = 0.0
    values = []
    for (_, offer, _), weight in drawn(view, options, 20_000, stream(5), np.array([lies, fall])):
        true = all(card in (0, 1) for card in offer)
        weights += weight
        truths += weight * true
        values.append((weight, weight * true))
    values = np.array(values)
    error = np.std(values[:, 1] - truths / weights * values[:, 0]) / values[:, 0].mean()
    assert abs(truths / weights - expected) < 5 * error / math.sqrt(len(values))
    assert 0.1 < expected < 0.95


def test_a_giver_who_can_be_true_is_and_one_who_cannot_gives_anything():
    options = {"num_players": 2, "values": 2, "copies": 3, "jokers": 1, "hand_size": 2}
    table = Table(options, 1, [[1, 2], [0, 1]], [1, 2, 2])
    table.offer(2, 1)
    for (hands, offer, _), weight in drawn(
        table.view(0), options, 300, stream(6), np.array([0.25, 0.0])
    ):
        if offer[0] in (0, 2):
            assert weight == 1.0
        else:
            # It drew one of its three other cards: at least one of the two it held was kept.
            assert weight == 0.25
            assert sum(card in (0, 2) for card in hands[1]) <= 1


def test_what_the_giver_accepted_is_as_announced_as_often_as_it_is_believed():
    """Seat 1 led with three 2s and seat 2 accepted them: in so many states seat 2 has three 2s."""
    hands = [[0, 1, 1, 1, 3, 4], [2, 2, 2, 3, 4, 5], [2, 3, 4, 5, 6, 6], [5, 5, 5, 5, 3, 1]]
    deck = Counter({0: 12} | dict.fromkeys(range(1, 7), 9))
    for hand in hands:
        deck.subtract(hand)
    pile = sorted(deck.elements(), key=lambda card: (card * 5 + 3) % 7)
    table = Table({}, 1, hands, pile)
    table.offer(2, 2, 2, 2).play(ACCEPT)
    table.offer(2, 2, 2, 2, 2)  # seat 2 offers four 2s to seat 3
    view = table.view(3)
    model = np.array([2.5, 0.5])
    count, value, trust = beliefs_of(view, model)[:3]
    assert (count, value) == (3, 2)
    assert 0.1 < trust < 0.9
    draws, holding = 4000, 0
    for (hands, offer, _), _ in drawn(view, {}, draws, stream(7), model):
        held = Counter([*hands[3], *offer])
        holding += held[2] + held[0] >= 3
    # Beside those made to hold them there are hands that happen to.
    assert holding / draws > trust
    assert holding / draws < trust + (1 - trust) * 0.8


@pytest.mark.parametrize("higher", [False, True])
@pytest.mark.parametrize("players", [2, 4])
def test_weighed_states_agree_with_the_beliefs_in_closed_form(players, higher):
    """P(true) of offers in chains between agents; for many players the closed form is approximate."""
    options = {"num_players": players, "higher_counts_as_true": higher}
    model = np.array([1.0, 0.2])
    off = []
    for view in offers_between_agents(options, 40):
        weights = truths = 0.0
        value = int(GAME.named(view)["offer_value"])
        for (_, offer, _), weight in drawn(view, options, 600, stream(9), model):
            weights += weight
            equal = all(card in (0, value) for card in offer)
            truths += weight * (equal or (higher and all(c == 0 or c > value for c in offer)))
        off.append(truths / weights - beliefs_of(view, model)[3])
    assert abs(np.mean(off)) < 0.05
    assert np.mean(np.abs(off)) < 0.1


def offers_between_agents(options, count):
    """Views of seats that have to answer an offer that is not the first of its chain."""
    resolved = GAME.check_options(options)
    states = GAME.new_states(resolved, 1)
    agent = agents.get("dtc_v0", "bluffer")
    mask = np.zeros(GAME.num_actions, np.int8)
    found = 0
    for number in range(1, 100):
        deal_row(states, 0, 21, number)
        agent.reset(number)  # without a seed, every run would see other offers
        while (seat := to_act_row(states, 0)) >= 0:
            legal_row(states, 0, mask)
            view = view_of(GAME, states, seat)
            named = GAME.named(view)
            if named["phase"] == 2 and named["chain_length"] > 1 and found < count and seat:
                found += 1
                yield view
            assert apply_row(states, 0, agent(view, mask)) == OK


@kernel
def _beliefs_row(views, model):
    count, value, trust = accepted_before(views[0], model)
    return count, value, trust, chance_true(views[0], model[0], model[1])


def beliefs_of(flat_view, model):
    """What the giver accepted (count, value, P(true)), and P(true) of its offer."""
    views, flat = GAME.new_views(1)
    flat[0] = flat_view
    return _beliefs_row(views, model)


def test_without_an_offer_of_another_seat_all_states_weigh_alike():
    table = Table({"num_players": 2, "values": 2, "copies": 3, "jokers": 0, "hand_size": 2}, 0,
                  [[1, 2], [1, 1]], [2, 2])  # fmt: skip
    for seat in (0, 1):
        for _, weight in drawn(table.view(seat), table.options, 20, stream(8), np.array([0.1, 1])):
            assert weight == 1.0
    table.offer(2, 2)
    for _, weight in drawn(table.view(0), table.options, 20, stream(8), np.array([0.1, 1.0])):
        assert weight == 1.0
