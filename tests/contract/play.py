"""Playing any game from its entry points: what the contract tests share."""

from __future__ import annotations

import importlib
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from cardgames_env.core.aec import AECGame
from cardgames_env.core.game import (
    OK,
    Game,
    apply_row,
    deal_row,
    get_game,
    legal_row,
    look_row,
    to_act_row,
)
from cardgames_env.core.policy import Agent
from cardgames_env.core.rng import WORDS, seed_stream

REWARDS = ("outcome", "margin", "points")


@dataclass(frozen=True, eq=False)
class Variant:
    """A game with a set of options; ``row`` is the game's row of the table in ``conftest``."""

    id: str
    name: str
    given: Mapping[str, Any]
    row: Any

    @property
    def game(self) -> Game:
        return get_game(self.id)

    @cached_property
    def options(self) -> dict[str, Any]:
        """All options, defaults filled in."""
        return self.game.check_options(self.given)

    @cached_property
    def _undealt(self) -> np.ndarray:
        return self.game.new_states(self.options, 1)

    def new_state(self) -> np.ndarray:
        """One state with these options, not dealt yet."""
        return copied(self._undealt)

    @property
    def players(self) -> int:
        return self.options["num_players"]

    @property
    def module(self) -> Any:
        """The PettingZoo entry module."""
        return importlib.import_module(f"cardgames_env.{self.id}")

    def env(self, **options: Any) -> AECGame:
        return self.module.env(**self.given, **options)

    def raw_env(self, **options: Any) -> AECGame:
        return self.module.raw_env(**self.given, **options)

    def parallel_env(self, **options: Any) -> Any:
        assert self.game.simultaneous
        return self.module.parallel_env(**self.given, **options)


# -- states of random games ------------------------------------------------------------------------


def copied(states: np.ndarray, times: int = 1) -> np.ndarray:
    """Rows with all bytes of row 0; NumPy's own copy of records leaves out what is between fields."""
    rows = np.repeat(states[:1].view(np.uint8), times).reshape(-1, times).T
    return np.ascontiguousarray(rows).view(states.dtype).reshape(times)


def to_act(states: np.ndarray) -> int:
    return to_act_row(states, 0)


def mask_of(game: Game, states: np.ndarray) -> np.ndarray:
    """The referee's mask for the seat to act; all zero at the end."""
    mask = np.zeros(game.num_actions, np.int8)
    legal_row(states, 0, mask)
    return mask


def view_of(game: Game, states: np.ndarray, seat: int) -> np.ndarray:
    """What a seat sees of row 0: the flat view, int16 (D,)."""
    views, flat = scratch_view(game)
    look_row(states, 0, seat, views, 0)
    return flat[0].copy()


@lru_cache
def scratch_view(game: Game) -> tuple[np.ndarray, np.ndarray]:
    """Room for one view, the same at every call: as a record, and flat."""
    return game.new_views(1)


def random_move(game: Game, states: np.ndarray, chance: random.Random) -> int:
    """Play any legal action in row 0; returns it."""
    action = chance.choice(np.flatnonzero(mask_of(game, states)).tolist())
    assert apply_row(states, 0, action) == OK
    return action


def positions(variant: Variant, games: int, every: int = 1, root: int = 5) -> Iterator[np.ndarray]:
    """States of games of random moves, one row each and fresh: every so many decisions, and the end."""
    for number in range(games):
        states = variant.new_state()
        deal_row(states, 0, root, number)
        chance = random.Random(f"{root} {number}")
        decisions = number % every  # so that all decisions of a game have their turn
        while to_act(states) >= 0:
            if decisions % every == 0:
                yield copied(states)
            random_move(variant.game, states, chance)
            decisions += 1
        yield copied(states)


def stream(key: int) -> np.ndarray:
    """A random stream as kernels take it."""
    rng = np.zeros(WORDS, np.uint64)
    seed_stream(rng, np.uint64(key))
    return rng


# -- whole games in the turn-based environment -----------------------------------------------------


def play_randomly(env: AECGame, chance: random.Random, decisions: int | None = None) -> list[int]:
    """Legal random moves, until the end or for so many decisions; the actions."""
    actions: list[int] = []
    while not over(env) and (decisions is None or len(actions) < decisions):
        mask = env.observe(env.agent_selection)["action_mask"]
        action = chance.choice(np.flatnonzero(mask).tolist())
        env.step(action)
        actions.append(action)
    return actions


def over(env: AECGame) -> bool:
    return all(env.terminations.values())


def everything(env: AECGame) -> dict[str, Any]:
    """All that the environment tells anybody, as bytes and plain Python."""
    return {
        "state": env.state().tobytes(),
        "snapshot": env.snapshot(),
        "agents": list(env.agents),
        "agent_selection": env.agent_selection,
        "rewards": dict(env.rewards),
        "cumulative": dict(env._cumulative_rewards),
        "terminations": dict(env.terminations),
        "truncations": dict(env.truncations),
        "seen": {agent: seen_by(env, agent) for agent in env.possible_agents},
    }


def seen_by(env: AECGame, agent: str) -> dict[str, Any]:
    """All that the environment tells one agent, as bytes and plain Python."""
    observation = env.observe(agent)
    return {
        "observation": observation["observation"].tobytes(),
        "mask": observation["action_mask"].tobytes(),
        "view": {name: field.tobytes() for name, field in env.view(agent).items()},
        "info": plain(env.infos.get(agent, {})),
    }


def plain(info: Mapping[str, Any]) -> dict[str, Any]:
    """An info with its arrays as bytes, so that two can be compared with ``==``."""
    return {k: v.tobytes() if isinstance(v, np.ndarray) else v for k, v in info.items()}


@dataclass
class Decision:
    seat: int
    observation: np.ndarray
    mask: np.ndarray
    action: int
    rewards: list[float]  # of all seats, for this decision


@dataclass
class WholeGame:
    """A whole game as the turn-based environment showed it."""

    decisions: list[Decision]
    scores: list[int]
    ranks: list[int]
    last_views: np.ndarray  # int16 (P, D)

    @property
    def actions(self) -> list[int]:
        return [decision.action for decision in self.decisions]

    def total_rewards(self) -> list[float]:
        return [sum(column) for column in zip(*(d.rewards for d in self.decisions), strict=True)]


def games_of(variant: Variant, root: int, count: int, **options: Any) -> list[WholeGame]:
    """The first games of a root seed, all seats choosing by the view."""
    env = variant.raw_env(**options)
    games = []
    for number in range(count):
        env.reset(seed=root if number == 0 else None)
        decisions = []
        while not over(env):
            name = env.agent_selection
            seen = env.observe(name)
            observation, mask = seen["observation"], seen["action_mask"]
            action = choose_by_the_view(observation, mask)
            env.step(action)
            seat = env.possible_agents.index(name)
            decisions.append(
                Decision(seat, observation, mask, action, [env.rewards[a] for a in env.agents])
            )
        games.append(
            WholeGame(
                decisions,
                [env.infos[a]["score"] for a in env.agents],
                [env.infos[a]["rank"] for a in env.agents],
                np.array([env.observe(a)["observation"] for a in env.agents]),
            )
        )
    return games


def by_the_view(view, obs, mask, memory, params, rng):
    """A policy that is a function of the view alone, and a varied one; see ``choose_by_the_view``."""
    number = 0
    for d in range(len(obs)):
        number += (d * d + 7) % 1009 * obs[d]
    count = 0
    for a in range(len(mask)):
        count += mask[a]
    left = abs(number) % count
    for a in range(len(mask)):
        left -= mask[a]
        if left < 0:
            return a
    return -1


def choose_by_the_view(
    observation: np.ndarray, mask: np.ndarray, info: Mapping[str, Any] | None = None
) -> int:
    """The same in Python: every face of a game must get the same games out of it."""
    weights = (np.arange(len(observation)) ** 2 + 7) % 1009
    legal = np.flatnonzero(mask)
    return int(legal[abs(int(weights @ observation.astype(np.int64))) % len(legal)])


def viewer(variant: Variant) -> Agent:
    """``by_the_view`` as a compiled agent."""
    return Agent(variant.game, by_the_view)
