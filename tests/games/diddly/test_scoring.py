"""Diddly: boards scored by the thousand, against a table written from the rules page."""

import numpy as np
import pytest

from cardgames_env.games.diddly import score_boards

NUMBERS = list(range(10))
DIDDLY, SWAP, HALF, PEEK, RECYCLE = range(10, 15)
ALONE = {t: t + 1 for t in NUMBERS} | {DIDDLY: 0, SWAP: 0, HALF: 0, PEEK: 10, RECYCLE: 10}
#: D9, as the rules list it: what is left of a card beside a Half.
HALVED = {
    9: 5, 8: 5, 7: 4, 6: 4, 5: 3, 4: 3, 3: 2, 2: 2, 1: 1, 0: 1, PEEK: 5, RECYCLE: 5, DIDDLY: 0, SWAP: 0,
}  # fmt: skip


def column(a, b):
    if a == b:
        return 0
    if HALF in (a, b):
        return HALVED[a if b == HALF else b]
    return ALONE[a] + ALONE[b]


def test_every_pair_of_cards_scores_as_the_table_says():
    pairs = [(a, b) for a in range(15) for b in range(15)]
    nothing = [DIDDLY, DIDDLY]
    boards = np.array([[*pair, *nothing, *nothing] for pair in pairs])
    assert score_boards(boards, 3).tolist() == [column(*pair) for pair in pairs]
    boards = np.array([[*nothing, *nothing, *nothing, *pair] for pair in pairs])
    assert score_boards(boards, 4).tolist() == [column(*pair) for pair in pairs]


@pytest.mark.parametrize("columns", [3, 4])
def test_a_board_is_the_sum_of_its_columns(columns):
    boards = np.random.default_rng(1).integers(0, 15, (20_000, 2 * columns))
    expected = [sum(column(*board[2 * c : 2 * c + 2]) for c in range(columns)) for board in boards]
    assert score_boards(boards, columns).tolist() == expected
    assert score_boards(boards.astype(np.uint8), columns).tolist() == expected


def test_a_random_card_is_worth_five_points_on_average():
    copies = [8] * 11 + [4] * 4
    assert sum(n * ALONE[t] for t, n in enumerate(copies)) / 104 == 5.0


def test_no_boards_have_no_scores():
    assert score_boards(np.zeros((0, 6), int), 3).shape == (0,)


@pytest.mark.parametrize(
    ("boards", "columns", "word"),
    [
        (np.zeros((2, 6), int), 4, "(N, 8)"),
        (np.zeros((2, 6), int), 5, "columns"),
        (np.zeros(6, int), 3, "(N, 6)"),
        (np.zeros((2, 6)), 3, "whole numbers"),
        (np.full((2, 6), 15), 3, "0 … 14"),
        (np.full((2, 6), -1), 3, "0 … 14"),
    ],
)
def test_bad_boards_are_refused(boards, columns, word):
    with pytest.raises(ValueError, match="boards|columns") as refusal:
        score_boards(boards, columns)
    assert word in str(refusal.value)
