"""Dackel drauf!: which cards of a chain are right.

Kernels that know arrays only: the rules use them on a state, ``judge_chains`` on many chains.
"""

from __future__ import annotations

import numpy as np

from cardgames_env.core.jit import kernel
from cardgames_env.games.dackel_drauf.state import (
    DICE,
    IN_VAIN,
    KINDS,
    MAX_PLAYERS,
    NONE,
    RESCUED,
    RIGHT,
    UNJUDGED,
    WRONG,
)


@kernel
def first_wrong(seats, animals, length, first, free, out, right):
    """Judge the chain from position ``first`` on, up to the first card for which no die is left.

    Every card takes a matching die that is still free; cards of a player who is out take none and are
    wrong. Returns the position of that card, not judged yet, or ``length``.
    """
    for i in range(first, length):
        if out[seats[i]]:
            right[i] = WRONG
        elif free[animals[i]] > 0:
            free[animals[i]] -= 1
            right[i] = RIGHT
        else:
            return i
    return length


@kernel
def put_out(seats, animals, at, free, out, right):
    """The variant: the owner of the card at ``at`` is out; the dice of its cards become free (D11)."""
    p = seats[at]
    out[p] = 1
    for i in range(at):
        if seats[i] == p:
            if right[i] == RIGHT:  # not by a joker: an imagined die never becomes free (D7)
                free[animals[i]] += 1
            right[i] = IN_VAIN if right[i] >= RESCUED else WRONG
    right[at] = WRONG


@kernel
def judge(seats, animals, length, takeback, free, out, right):
    """Judge a whole chain without jokers: ``right`` becomes WRONG or RIGHT, ``free`` what is left."""
    out[:] = 0
    if not takeback:
        for i in range(length):
            animal = np.uint64(animals[i])
            found = free[animal] > 0
            free[animal] -= found
            right[i] = RIGHT if found else WRONG
        return
    i = first_wrong(seats, animals, length, 0, free, out, right)
    while i < length:
        put_out(seats, animals, i, free, out, right)
        i = first_wrong(seats, animals, length, i + 1, free, out, right)


@kernel
def _judge_all(chains, dice, takeback, right):
    longest = chains.shape[1]
    seats = np.empty(longest, np.int64)
    animals = np.empty(longest, np.int64)
    marks = np.empty(longest, np.int64)
    free = np.empty(KINDS, np.int64)
    out = np.empty(MAX_PLAYERS, np.int64)
    for k in range(len(chains)):
        length = 0
        while length < longest and chains[k, length, 0] != NONE:
            seats[length] = chains[k, length, 0]
            animals[length] = chains[k, length, 1]
            length += 1
        free[:] = 0
        for die in dice[k]:
            free[die] += 1
        marks[:] = UNJUDGED
        judge(seats, animals, length, takeback, free, out, marks)
        for i in range(longest):
            right[k, i] = marks[i] == RIGHT


def judge_chains(chains: np.ndarray, dice: np.ndarray, takeback: bool = False) -> np.ndarray:
    """Which cards of many chains are right before any joker: bool (N, L).

    ``chains``: whole numbers (N, L, 2), for each card its seat 0 … 4 and its animal 0 … 8, in the order
    of playing; behind a shorter chain −1 (False in the answer). ``dice``: whole numbers (N, 15), or
    (15,) for all chains, the animal on each die. ``takeback``: the variant, in which all cards of a
    player with a wrong one are wrong and give their dice back. Raises ValueError for anything else.
    """
    try:
        chains, dice = np.asarray(chains), np.asarray(dice)
    except ValueError:
        raise ValueError("chains and dice must be arrays, their rows of the same length") from None
    if chains.dtype.kind not in "iu" or chains.ndim != 3 or chains.shape[2] != 2:
        raise ValueError(
            "chains must be whole numbers of shape (N, L, 2), seat and animal of each card, got "
            f"{chains.dtype} of shape {chains.shape}"
        )
    count, longest, _ = chains.shape
    if dice.dtype.kind not in "iu" or dice.shape not in ((DICE,), (count, DICE)):
        raise ValueError(
            f"dice must be whole numbers of shape ({count}, {DICE}) or ({DICE},), got {dice.dtype} of "
            f"shape {dice.shape}"
        )
    if dice.size and not 0 <= dice.min() <= dice.max() < KINDS:
        raise ValueError(f"dice must show animals 0 … {KINDS - 1}, got {dice.min()} … {dice.max()}")
    chains = chains.astype(np.int64)
    there = (chains != NONE).any(axis=2)
    cards = chains[there]
    for what, column, end in (("seats", 0, MAX_PLAYERS), ("animals", 1, KINDS)):
        values = cards[:, column]
        if values.size and not 0 <= values.min() <= values.max() < end:
            raise ValueError(
                f"chains must hold {what} 0 … {end - 1} (and −1 behind the last card, for both), got "
                f"{values.min()} … {values.max()}"
            )
    if (there[:, 1:] & ~there[:, :-1]).any():
        raise ValueError("chains must hold −1 only behind the last card of a chain")
    if not isinstance(takeback, (bool, np.bool_)):
        raise ValueError(f"takeback must be true or false, got {takeback!r}")
    right = np.zeros((count, longest), np.bool_)
    dice = np.ascontiguousarray(np.broadcast_to(dice, (count, DICE)), np.int64)
    _judge_all(np.ascontiguousarray(chains), dice, bool(takeback), right)
    return right
