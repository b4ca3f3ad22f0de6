"""Diddly: what boards score. The kernel and the public vectorized function are the same code."""

from __future__ import annotations

import numpy as np

from cardgames_env.core.jit import kernel
from cardgames_env.games.diddly.state import HALF, MAX_COLUMNS, NUMBERS, PEEK, RECYCLE, TYPES


@kernel
def card_points(t):
    """Points of a card that does not match: its number; Peek and Recycle 10; the other three 0."""
    if t < NUMBERS:
        return t + 1
    return 10 if t in (PEEK, RECYCLE) else 0


@kernel
def column_points(a, b):
    """Points of a column: D8 equal types match; D9 a Half halves the other card, rounded up."""
    a, b = np.int64(a), np.int64(b)
    if a == b:
        return 0
    points = card_points(a) + card_points(b)
    if a == HALF or b == HALF:
        points = (points + 1) // 2
    return points


@kernel
def score_board(board, columns):
    """Points of one board of ``2 · columns`` types, column after column."""
    points = 0
    for c in range(columns):
        points += column_points(board[2 * c], board[2 * c + 1])
    return points


@kernel
def _score_all(boards, columns, points):
    for i in range(len(boards)):
        points[i] = score_board(boards[i], columns)


def score_boards(boards: np.ndarray, columns: int) -> np.ndarray:
    """Points of many boards at once, int64 (N,).

    ``boards``: card types 0 … 14, an integer array (N, 2 · columns), position 2 · column + row;
    ``columns``: 3 or 4. Raises ValueError for another shape or type, and for a type that there is not.
    """
    boards = np.asarray(boards)
    if columns not in (3, MAX_COLUMNS):
        raise ValueError(f"columns must be 3 or 4, got {columns!r}")
    if boards.dtype.kind not in "iu" or boards.ndim != 2 or boards.shape[1] != 2 * columns:
        raise ValueError(
            f"boards must be whole numbers of shape (N, {2 * columns}), got {boards.dtype} of shape "
            f"{boards.shape}"
        )
    if boards.size and not 0 <= boards.min() <= boards.max() < TYPES:
        raise ValueError(
            f"boards must hold types 0 … {TYPES - 1}, got {boards.min()} … {boards.max()}"
        )
    points = np.zeros(len(boards), np.int64)
    _score_all(np.ascontiguousarray(boards, np.uint8), columns, points)
    return points
