"""Card and dice games for AI research: PettingZoo and gymnasium environments on numba kernels."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import gymnasium
import numpy as np
import pettingzoo

from cardgames_env import games as _games
from cardgames_env.core.aec import AECGame
from cardgames_env.core.game import game_ids, get_game
from cardgames_env.core.policy import Agent
from cardgames_env.core.replay import Replay
from cardgames_env.core.seat import SeatEnv, SeatVectorEnv
from cardgames_env.core.vector import VectorGames

__all__ = [
    "Agent",
    "Replay",
    "games",
    "make",
    "make_seat",
    "make_seat_vec",
    "make_vec",
    "named_view",
]

try:
    __version__ = version("cardgames_env")
except PackageNotFoundError:  # a source tree on the path, not installed
    __version__ = "0+unknown"

for _module in pkgutil.iter_modules(_games.__path__):
    importlib.import_module(f"{_games.__name__}.{_module.name}")


def games() -> list[str]:
    """The ids of all games, sorted: what ``make`` takes."""
    return game_ids()


def make(game: str, **options: Any) -> AECGame:
    """The PettingZoo AEC environment of a game (``dicht_dran_v0``).

    ``options``: ``reward``, ``render_mode`` and the game's rule options. Raises ValueError.
    """
    return AECGame(get_game(game), end_on_illegal=True, **options)


def make_vec(game: str, num_envs: int, *, seed: int | None = None, **options: Any) -> VectorGames:
    """N games in one array, every seat's decision (see ``VectorGames``). Raises ValueError."""
    return VectorGames(get_game(game), num_envs, seed=seed, **options)


def make_seat(game: str, *, opponents: Any = None, seat: int | str = 0, **options: Any) -> SeatEnv:
    """One seat against opponents, a ``gymnasium.Env`` (see ``SeatEnv``). Raises ValueError."""
    return SeatEnv(get_game(game), opponents=opponents, seat=seat, **options)


def make_seat_vec(
    game: str, num_envs: int, *, opponents: Any = None, seat: int | str = 0, **options: Any
) -> SeatVectorEnv:
    """N games with compiled opponents, a ``gymnasium.vector.VectorEnv``. Raises ValueError."""
    return SeatVectorEnv(get_game(game), num_envs, opponents=opponents, seat=seat, **options)


def named_view(game: str, observation: np.ndarray) -> Mapping[str, np.ndarray]:
    """The fields of a flat int16 observation by name (copies, as ``env.view(agent)`` gives them).

    Raises ValueError for an array of another shape or type.
    """
    return get_game(game).named(observation)


for _id in game_ids():
    importlib.import_module(f"{__name__}.{_id}")
    pettingzoo.register("aec", f"cardgames/{_id}", entry_point=f"cardgames_env.{_id}:env")
    if get_game(_id).simultaneous:
        pettingzoo.register(
            "parallel", f"cardgames/{_id}", entry_point=f"cardgames_env.{_id}:parallel_env"
        )
    gymnasium.register(
        f"cardgames/{_id}",
        entry_point="cardgames_env:make_seat",
        vector_entry_point="cardgames_env:make_seat_vec",
        kwargs={"game": _id},
    )
