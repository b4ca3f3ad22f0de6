"""DTC: the list of all deals, against every order of the deck."""

import itertools
from collections import Counter

import pytest

from cardgames_env.core.game import get_game

DTC = get_game("dtc_v0")


def by_shuffling(deck, players, hand_size):
    """How many orders of the deck (all cards told apart) make each deal."""
    deals = Counter()
    for cards in itertools.permutations(deck):
        hands = [cards[p * hand_size : (p + 1) * hand_size] for p in range(players)]
        deals[tuple(tuple(sorted(hand)) for hand in hands), cards[players * hand_size :]] += 1
    return deals


@pytest.mark.parametrize(
    ("players", "values", "copies", "jokers", "hand_size", "deck"),
    [
        (2, 2, 1, 1, 1, [0, 1, 2]),
        (2, 2, 2, 1, 2, [0, 1, 1, 2, 2]),
        (2, 2, 2, 3, 2, [0, 0, 0, 1, 1, 2, 2]),
        (3, 3, 2, 0, 1, [1, 1, 2, 2, 3, 3]),
        (2, 1, 4, 0, 2, [1, 1, 1, 1]),
    ],
)
def test_every_deal_is_listed_once_with_its_ways(players, values, copies, jokers, hand_size, deck):
    options = DTC.check_options(
        {
            "num_players": players,
            "values": values,
            "copies": copies,
            "jokers": jokers,
            "hand_size": hand_size,
        }
    )
    listed = {}
    for deal, ways in DTC.every_deal(options):
        assert deal["first"] == 0
        key = tuple(map(tuple, deal["hands"])), tuple(deal["pile"])
        assert key not in listed
        listed[key] = ways
    shuffled = by_shuffling(deck, players, hand_size)
    assert listed.keys() == shuffled.keys()
    total, orders = sum(listed.values()), sum(shuffled.values())
    for key, ways in listed.items():
        assert ways * orders == shuffled[key] * total


def test_the_list_of_the_whole_game_is_lazy():
    options = DTC.check_options({"num_players": 2})
    states = DTC.new_states(options, 1)
    for deal, ways in itertools.islice(DTC.every_deal(options), 3):
        DTC.set_deal(states, 0, deal)
        assert ways > 0
