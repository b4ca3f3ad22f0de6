"""Policies and agents: the one form that random, rules of thumb, search and networks all have.

A policy is a function ``(view, obs, mask, memory, params, rng) -> action``:

========  ==========================================================================
view      the seat's VIEW record, fields by name
obs       the same memory, int16 (D,)
mask      int8 (A,), 1 for what the seat may do
memory    float32, the seat's scratch for one game, cleared at the deal
params    float32, the agent's numbers
rng       uint64 (4,), the seat's own random stream (see ``core.rng``)
========  ==========================================================================

compiled with an explicit signature, so that compiled loops receive it as a first-class function.
An ``Agent`` is a policy with its parameters and its size of memory.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import numba
import numpy as np
from numba import types

from cardgames_env.core import bits
from cardgames_env.core.game import Game, expect, get_game
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import (
    WORDS,
    below,
    fresh_root,
    seed_stream,
    stream_key,
)
from cardgames_env.core.unowned import unowned

#: Agents of one run: the length of the tuple of policies that compiled loops take, so that there is
#: one type, compiled once, for any number of them.
MAX_AGENTS = 16


@kernel
def choose_random(mask, rng):
    """A uniform choice among the legal actions."""
    # 64 entries of the mask at a time: one by one, they were half the time of a random game.
    mask, rng = unowned(mask), unowned(rng)
    if len(mask) <= bits.WORD_BITS:
        word = bits.collect(mask, 0)
        return bits.nth_bit(word, np.int64(below(rng, bits.count(word))))
    count = 0
    for first in range(0, len(mask), bits.WORD_BITS):
        count += bits.count(bits.collect(mask, first))
    left = np.int64(below(rng, count))
    first = 0
    while True:
        word = bits.collect(mask, first)
        here = bits.count(word)
        if left < here:
            return first + bits.nth_bit(word, left)
        left -= here
        first += bits.WORD_BITS


def random_policy(view, obs, mask, memory, params, rng):
    """Plays any legal action, each with the same probability: the baseline that everyone knows."""
    return choose_random(unowned(mask), unowned(rng))  # else their references are counted


def policy_signature(game: Game) -> Any:
    """The numba signature of a policy of this game."""
    view = numba.from_dtype(game.view_dtype)
    return types.int64(
        view,
        types.int16[::1],
        types.int8[::1],
        types.float32[::1],
        types.float32[::1],
        types.uint64[::1],
    )


class Agent:
    """A compiled policy of one game, with its parameters and its size of memory.

    Also callable from Python as ``agent(observation, mask, info) -> action``, with ``reset(seed)`` at
    a new game; ``observation`` is the int16 vector that the environments give.

    Parameters
    ----------
    game : id or name of the game, or a ``Game``.
    policy : a Python function of the form above; compiled here (and kept in the cache).
    name : shown in tables.
    params : numbers the policy reads, kept as float32.
    memory : entries of its scratch.

    Raises ValueError if the policy does not compile to the form above.
    """

    def __init__(
        self,
        game: str | Game,
        policy: Callable[..., int],
        *,
        name: str | None = None,
        params: Sequence[float] = (),
        memory: int = 0,
    ) -> None:
        self.game = game if isinstance(game, Game) else get_game(game)
        if not isinstance(getattr(policy, "py_func", policy), FunctionType):
            raise ValueError(
                f"policy must be a Python function (view, obs, mask, memory, params, rng), got {policy!r}"
            )
        if isinstance(memory, bool) or not isinstance(memory, (int, np.integer)) or memory < 0:
            raise ValueError(f"memory must be a whole number ≥ 0, got {memory!r}")
        self.name = name or policy.__name__
        self.function = policy
        self.params = np.array(params, np.float32)
        self.memory = int(memory)
        if self.params.ndim != 1:
            raise ValueError(f"params of {self.name} must be a flat list of numbers")
        self.policy = compiled_policy(self.game, policy)
        self._views, self._flat = self.game.new_views(1)
        self.reset(None)

    def reset(self, seed: int | None = None) -> None:
        """Begin a new game: memory cleared, random stream of this key (uint64; None: a fresh one)."""
        key = fresh_root() if seed is None else int(seed)
        if not 0 <= key < 2**64:
            raise ValueError(f"seed must be in 0 … 2**64 - 1, got {seed}")
        self._rng = np.zeros(WORDS, np.uint64)
        seed_stream(self._rng, np.uint64(key))
        self._memory = np.zeros(self.memory, np.float32)

    def __call__(
        self, observation: np.ndarray, mask: np.ndarray, info: Mapping[str, Any] | None = None
    ) -> int:
        """The action for an observation (int16, (D,)) with its mask (int8, (A,)).

        Raises ValueError for arrays of another shape or type, and for a mask without a legal action.
        """
        expect(observation, np.int16, (self.game.view_size,), "observation")
        expect(mask, np.int8, (self.game.num_actions,), "mask")
        if not mask.any():
            raise ValueError(f"agent {self.name} was asked by a mask without a legal action")
        self._flat[0] = observation
        mask = np.ascontiguousarray(mask)
        return int(
            self.policy(self._views[0], self._flat[0], mask, self._memory, self.params, self._rng)
        )

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"policy": None, "_views": None, "_flat": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.policy = compiled_policy(self.game, self.function)
        self._views, self._flat = self.game.new_views(1)

    def __repr__(self) -> str:
        return f"<agent {self.name} of {self.game.id}>"


_COMPILED: dict[tuple[str, Callable[..., int]], Any] = {}


def compiled_policy(game: Game, policy: Callable[..., int]) -> Any:
    """The policy as a first-class compiled function; compiled once a process at most."""
    policy = getattr(policy, "py_func", policy)
    key = (game.id, policy)
    if key not in _COMPILED:
        try:
            _COMPILED[key] = kernel(policy, signature=policy_signature(game))
        except Exception as error:  # numba raises KeyError and others, too, for what it cannot type
            lines = str(error).strip().splitlines() or [""]
            reason = f"{type(error).__name__}: {lines[-1]}"
            raise ValueError(
                f"policy {policy.__name__} does not compile to (view, obs, mask, memory, params, rng) "
                f"-> action: {reason}"
            ) from error
    return _COMPILED[key]


def random_agent(game: str | Game) -> Agent:
    """The uniformly random agent of any game."""
    return Agent(game, random_policy, name="random")


#: Anything that can be asked from Python: an Agent, or a user's own callable, with an optional
#: ``reset(seed)`` that is called at every new game.
Player = Callable[[np.ndarray, np.ndarray, Mapping[str, Any]], int]


def seat_players(agents: Sequence[Player]) -> list[Player]:
    """One player a seat. Whoever keeps something from move to move (has ``reset``) sits as a copy.

    Raises ValueError for one that cannot be copied.
    """
    return [_copied(agent) if hasattr(agent, "reset") else agent for agent in agents]


def _copied(agent: Player) -> Player:
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise ValueError(
            f"{type(agent).__name__} has reset, so each seat gets a copy, but it cannot be copied: "
            f"{type(error).__name__}"
        ) from error


def reset_players(players: Sequence[Player], root: int, game: int, seats: Sequence[int]) -> None:
    """Begin a game: each player that has ``reset`` gets the key of its seat's stream."""
    for player, seat in zip(players, seats, strict=True):
        if hasattr(player, "reset"):
            player.reset(int(stream_key(root, game, 1 + seat)))


class Lineup:
    """The agents of a run, packed for compiled loops: policies, params and memory sizes side by side.

    Attributes: ``policies`` a tuple of MAX_AGENTS first-class functions; ``params`` float32, all agents'
    one after the other; ``param_ends`` int64 (agents + 1,); ``memory_sizes`` int64 (agents,).
    """

    def __init__(self, agents: Sequence[Agent]) -> None:
        if not 1 <= len(agents) <= MAX_AGENTS:
            raise ValueError(f"a run takes 1 … {MAX_AGENTS} agents, got {len(agents)}")
        filled = [*agents, *[agents[0]] * (MAX_AGENTS - len(agents))]
        self.policies = tuple(agent.policy for agent in filled)
        self.params = np.concatenate([agent.params for agent in agents])
        self.param_ends = np.cumsum([0, *(len(agent.params) for agent in agents)]).astype(np.int64)
        self.memory_sizes = np.array([agent.memory for agent in agents], np.int64)
