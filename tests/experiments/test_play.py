"""What a person may type for a move."""

import pytest

from cardgames_env.core.game import get_game
from experiments.play import listed, meant_moves

DTC = get_game("dtc_v0")
OFFERS = {a: DTC.action_name(a) for a in range(15, 87)}
ANSWERS = {0: "accept", 1: "reject"}
TAKES = {a: DTC.action_name(a) for a in range(2, 7)}
CARDS = {a: get_game("dicht_dran_v0").action_name(a) for a in (2, 12, 32)}


@pytest.mark.parametrize(
    "typed", ["announce 3 x 5", "3 x 5", "3x5", "3 5", "three 5s", "three 5", "Announce three 5s"]
)
def test_an_offer_may_be_typed_in_many_ways(typed):
    assert meant_moves(typed, OFFERS) == [15 + 6 * 2 + 4]


@pytest.mark.parametrize(
    ("typed", "moves", "meant"),
    [
        ("a", ANSWERS, [0]),
        ("rej", ANSWERS, [1]),
        ("2", TAKES, [4]),
        ("take 0", TAKES, [2]),
        ("none", TAKES, []),
        ("33", CARDS, [32]),
        ("3", CARDS, [2]),  # not 13 or 33
        ("play", CARDS, [2, 12, 32]),
        ("", CARDS, []),
        ("100", CARDS, []),
    ],
)
def test_a_move_may_be_typed_by_its_end_or_its_beginning(typed, moves, meant):
    assert meant_moves(typed, moves) == meant


def test_a_number_that_may_be_a_count_or_a_value_names_the_offers_it_fits():
    meant = meant_moves("3", OFFERS)
    assert len(meant) == 12
    assert all(OFFERS[a].endswith("x 3") for a in meant)


def test_a_long_list_of_moves_is_cut_in_the_middle():
    assert listed(["a", "b"]) == "a, b"
    text = listed(list(OFFERS.values()))
    assert text.startswith("announce 1 x 1, ")
    assert text.endswith("… announce 12 x 6 (72 in all)")
