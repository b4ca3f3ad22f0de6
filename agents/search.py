"""Search over determinized games: written once, compiled for each game.

A searcher sees the view alone. It lays out whole games that agree with the view (``determinize``), and
plays them on with a quick policy for every seat. Deals are weighed by how likely what the others did is
in them, where the game has a model for that (``determinize_weighted``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.extending import overload

from cardgames_env.core.game import (
    Game,
    apply,
    determinize_weighted,
    legal,
    look,
    returns,
    rounds,
    scratch_states,
    scratch_views,
    to_act,
)
from cardgames_env.core.jit import kernel, note_sources

TO_THE_END = 1 << 30  # rounds ahead

NO_MODEL = np.zeros(0, np.float32)

_QUICK: dict[Any, Callable[..., int]] = {}


def register_quick_policy(game: Game, policy: Callable[..., int]) -> None:
    """Make a kernel ``(view, mask, rng) -> action`` the one that searches of this game play on with."""
    record = numba.from_dtype(game.view_dtype)
    _QUICK[record] = policy
    note_sources(record, "quick_policy", policy)
    _QUICK[game.view_dtype] = policy


def quick_policy(view, mask, rng):
    """The action of the game's quick policy."""
    return _QUICK[view.dtype](view, mask, rng)


@overload(quick_policy)
def _quick_policy(view, mask, rng):
    policy = _QUICK.get(view)
    return policy and (lambda view, mask, rng: policy(view, mask, rng))


@kernel
def flat_monte_carlo(root, mask, simulations, model, rounds_ahead, rng):
    """The legal action with the best mean lead over ``simulations`` determinized games each.

    Flat Monte Carlo: no tree. Every laid-out game is played on from every action (common random
    numbers: the differences between actions vary far less than the values), to its end or for
    ``rounds_ahead`` rounds, and counts with the weight that ``determinize_weighted`` gives it under
    ``model``. A lead is the viewer's points less the mean of the others'; of equal actions the first is
    taken. ``root`` is an array of one view, not a record: it may be a scratch of the caller's (see
    ``scratch_views``).
    """
    view = root[0]
    n_actions = len(mask)
    worlds = scratch_states(view, 2)
    views = scratch_views(view, 1)
    scratch_mask = np.zeros(n_actions, np.int8)
    points = np.zeros(view.players, np.int32)
    value = np.zeros(n_actions)
    for _ in range(simulations):
        weight = determinize_weighted(view, rng, worlds[0], model)
        last_round = rounds(worlds[0]) + rounds_ahead
        for a in range(n_actions):
            if mask[a]:
                worlds[1] = worlds[0]
                apply(worlds[1], a)
                play_on(worlds[1], views[0], scratch_mask, last_round, rng)
                returns(worlds[1], points)
                value[a] += weight * lead(points)
    best = -1
    for a in range(n_actions):
        if mask[a] and (best < 0 or value[a] > value[best]):
            best = a
    return best


@kernel
def play_on(s, view, mask, last_round, rng):
    """Play with the quick policy at every seat, to the end or until ``last_round`` rounds are done."""
    p = to_act(s)
    while p >= 0 and rounds(s) < last_round:
        look(s, p, view)
        legal(s, mask)
        apply(s, quick_policy(view, mask, rng))
        p = to_act(s)


@kernel
def lead(points):
    """Points of seat 0 less the mean of the others'."""
    total = 0
    for p in range(1, len(points)):
        total += points[p]
    return points[0] - total / (len(points) - 1)
