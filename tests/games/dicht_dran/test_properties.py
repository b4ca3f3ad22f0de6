"""What holds in every game of Dicht dran, whatever is dealt and played (the rules page, Invariants)."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from cardgames_env.core.game import apply_row, deal_row, to_act_row
from cardgames_env.games.dicht_dran import GAME

FEWEST_ROUNDS = {2: 8, 3: 8, 4: 7, 5: 5}
MOST_ROUNDS = {2: 46, 3: 31, 4: 23, 5: 18}

properties = settings(max_examples=60, derandomize=True, deadline=None, database=None)


def closest_to(target, hand):
    return min(hand, key=lambda card: (abs(card - target), -card))


def farthest_from(target, hand):
    return max(hand, key=lambda card: abs(card - target))


STYLES = {
    "any": lambda hand, snapshot, chance: chance.choice(hand),
    "lowest": lambda hand, snapshot, chance: hand[0],
    "highest": lambda hand, snapshot, chance: hand[-1],
    "closest": lambda hand, snapshot, chance: closest_to(target_of(snapshot), hand),
    "farthest": lambda hand, snapshot, chance: farthest_from(target_of(snapshot), hand),
    "fewest peppers": lambda hand, snapshot, chance: min(
        hand, key=lambda card: snapshot["peppers"][card - 1]
    ),
    "most peppers": lambda hand, snapshot, chance: max(
        hand, key=lambda card: snapshot["peppers"][card - 1]
    ),
}


def target_of(snapshot):
    return snapshot["circle"][snapshot["round"] % 6]


def gap_of(snapshot):
    place = snapshot["round"] % 6
    neighbours = snapshot["circle"][place - 1], snapshot["circle"][(place + 1) % 6]
    return min(neighbours), max(neighbours)


@st.composite
def games(draw):
    """A game: its options, its seed, and how each seat plays."""
    players = draw(st.integers(2, 5))
    peppers = draw(
        st.one_of(
            st.none(),
            st.integers(1, 3).map(lambda n: [n] * 100),
            st.lists(st.integers(1, 3), min_size=100, max_size=100),
        )
    )
    return {
        "players": players,
        "deals": draw(st.integers(1, 3)),
        "peppers": peppers,
        "seed": draw(st.integers(0, 2**63 - 1)),
        "styles": draw(
            st.lists(st.sampled_from(sorted(STYLES)), min_size=players, max_size=players)
        ),
    }


def snapshots(game):
    """After the deal and after every choice, with the card that was chosen."""
    options = GAME.check_options(
        {"num_players": game["players"], "deals": game["deals"], "peppers": game["peppers"]}
    )
    states = GAME.new_states(options, 1)
    deal_row(states, 0, game["seed"], 0)
    chance = random.Random(game["seed"])
    snapshot = GAME.snapshot(states, 0)
    yield None, snapshot
    while to_act_row(states, 0) >= 0:
        seat = snapshot["to_act"]
        card = STYLES[game["styles"][seat]](snapshot["hands"][seat], snapshot, chance)
        assert apply_row(states, 0, card - 1) == 0
        snapshot = GAME.snapshot(states, 0)
        yield card, snapshot


def rounds(game):
    """The snapshots before and after each round, with all cards chosen in it."""
    before, chosen = None, []
    for card, snapshot in snapshots(game):
        if before is None:
            before = snapshot
            continue
        chosen.append(card)
        if len(chosen) == game["players"]:
            yield before, chosen, snapshot
            before, chosen = snapshot, []


def same_deal(before, after):
    return after["deal"] == before["deal"] and not after["over"]


@properties
@given(games())
def test_every_card_is_in_exactly_one_place(game):
    for _, snapshot in snapshots(game):
        heaps = [snapshot["circle"], snapshot["pile"], snapshot["discard"], *snapshot["hands"],
                 *snapshot["won"], [card for card in snapshot["chosen"] if card]]  # fmt: skip
        assert sorted(card for heap in heaps for card in heap) == list(range(1, 101))
        assert len(snapshot["circle"]) == 6


@properties
@given(games())
def test_exactly_one_card_is_won_a_round_and_it_is_the_target(game):
    for before, _, after in rounds(game):
        if after["deal"] > before["deal"]:
            continue
        new = [len(a) - len(b) for a, b in zip(after["won"], before["won"], strict=True)]
        assert sorted(new) == [0] * (game["players"] - 1) + [1]
        assert after["won"][new.index(1)][-1] == target_of(before)
        assert sum(map(len, after["won"])) == before["round"]


@properties
@given(games())
def test_hands_and_pile_shrink_by_a_card_a_player_and_round(game):
    """Until the pile is renewed: sum of hands + pile = 94 − players × rounds completed."""
    for _, snapshot in snapshots(game):
        renewed = snapshot["over"] and snapshot["pile"] and not snapshot["discard"]
        if renewed:
            continue
        completed = snapshot["round"] - (not snapshot["over"])
        held = sum(map(len, snapshot["hands"])) + sum(c is not None for c in snapshot["chosen"])
        assert held + len(snapshot["pile"]) == 94 - game["players"] * completed


@properties
@given(games())
def test_a_deal_lasts_as_long_as_the_rules_page_says(game):
    """A hand of eight is shed in eight rounds at least, but the pile may run out before."""
    players = game["players"]
    for before, chosen, after in rounds(game):
        assert before["round"] <= MOST_ROUNDS[players]
        if not same_deal(before, after):
            pile_out = sum(due_of(before, chosen).values()) >= len(before["pile"])
            assert before["round"] >= (FEWEST_ROUNDS[players] if pile_out else 8)


def due_of(before, chosen):
    """The cards that miss, with how many cards their players draw."""
    low, high = gap_of(before)
    best = closest_to(target_of(before), chosen)
    return {
        card: before["peppers"][card - 1]
        for card in chosen
        if card != best and not low <= card <= high
    }


@properties
@given(games())
def test_a_round_moves_exactly_the_cards_that_the_rules_move(game):
    """Who wins, who discards, who draws and how many, told again from the cards on the table."""
    for before, chosen, after in rounds(game):
        if not same_deal(before, after):
            continue
        best = closest_to(target_of(before), chosen)
        low, high = gap_of(before)
        fit = [card for card in chosen if card != best and low <= card <= high]
        miss = [card for card in chosen if card != best and not low <= card <= high]
        assert after["discard"] == [*before["discard"], *fit, *miss]
        assert after["circle"][before["round"] % 6] == best
        pile = list(before["pile"])
        for seat, card in enumerate(chosen):
            drawn = [pile.pop(0) for _ in range(before["peppers"][card - 1] * (card in miss))]
            expected = {*before["hands"][seat]} - {card} | {*drawn}
            assert after["hands"][seat] == sorted(expected)
        assert after["pile"] == pile
        assert after["round"] == before["round"] + 1


@properties
@given(games())
def test_a_deal_goes_on_until_somebody_is_out_or_the_pile_is(game):
    for before, chosen, after in rounds(game):
        due = due_of(before, chosen)
        out = any(
            len(before["hands"][seat]) == 1 and card not in due for seat, card in enumerate(chosen)
        )
        pile_out = sum(due.values()) >= len(before["pile"])
        assert same_deal(before, after) == (not out and not pile_out)
        if after["over"]:
            # D4: renewed only for a card that is owed, and with all that was discarded.
            renewed = not after["discard"]
            assert renewed == (sum(due.values()) > len(before["pile"]))


@properties
@given(games())
def test_scores_are_peppers_won_less_peppers_held(game):
    for before, _, after in rounds(game):
        peppers = before["peppers"]
        assert after["scores"][: len(before["scores"])] == before["scores"]
        assert len(after["scores"]) == len(before["scores"]) + (not same_deal(before, after))
        if after["over"]:
            points = [
                sum(peppers[c - 1] for c in won) - sum(peppers[c - 1] for c in hand)
                for won, hand in zip(after["won"], after["hands"], strict=True)
            ]
            assert after["scores"][-1] == points
            assert len(after["scores"]) == game["deals"]


@properties
@given(games())
def test_the_points_of_a_deal_add_up_to_no_more_than_the_peppers_there_are(game):
    for _, snapshot in snapshots(game):
        for points in snapshot["scores"]:
            assert abs(sum(points)) <= sum(snapshot["peppers"])
