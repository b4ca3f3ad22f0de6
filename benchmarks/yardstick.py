"""A game's C program as a yardstick: built here, and checked to play the library's own games."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cardgames_env.core.game import Game, apply, deal, legal, look, to_act
from cardgames_env.core.jit import kernel
from cardgames_env.core.playout import play_games
from cardgames_env.core.policy import choose_random, random_agent
from cardgames_env.core.rng import CHANCE_STREAM, WORDS, mix, seed_stream, stream_key

FLAGS = ["-O3", "-march=native"]
FNV_PRIME = np.uint64(0x100000001B3)

CHECKED_GAMES = 2_000  # whose final points are compared, for each number of players
HASHED_GAMES = 200  # of which every entry of every view and mask is


@dataclass(frozen=True)
class Played:
    """What a run of the C program reports; ``views`` is 0 unless it was asked to check."""

    decisions: int
    seconds: float
    points: int
    views: int


class Yardstick:
    """The compiled C program of a game."""

    def __init__(self, game: Game, directory: Path) -> None:
        """Compile ``<game>.c`` into ``directory``. Raises SystemExit where that fails."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise SystemExit("benchmarks: no C compiler (cc, gcc or clang) is on the path")
        self.game = game
        self.program = directory / game.name
        source = Path(__file__).with_name(f"{game.name}.c")
        command = [compiler, *FLAGS, "-o", str(self.program), str(source)]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        if built.returncode:
            raise SystemExit(f"benchmarks: {' '.join(command)} failed:\n{built.stderr}")
        version = subprocess.run(
            [compiler, "--version"], capture_output=True, text=True, check=True
        )
        self.compiler = version.stdout.splitlines()[0]

    def play(
        self, players: int, games: int, root: int, mode: str = "filled", variant: str = ""
    ) -> Played:
        """Play games 0 … of a root seed. ``mode``: "filled", "bare" or "check" (see common.h)."""
        command = [str(self.program), str(players), str(games), str(root), mode]
        command += [variant] if variant else []
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        decisions, seconds, points, views = printed
        return Played(int(decisions), float(seconds), int(points, 16), int(views, 16))

    def check(self, root: int, variants: Mapping[str, int]) -> None:
        """Require the very games of the library in each of ``variants``, for every number of players
        from two to the number given there. A variant is "option=value", the name of an option that is
        true or false, or "" for the standard rules. Raises SystemExit.
        """
        for variant, most_players in variants.items():
            option, _, value = variant.partition("=")
            chosen = {option: option_value(value) if value else True} if variant else {}
            for number in range(2, most_players + 1):
                options = self.game.check_options({"num_players": number, **chosen})
                self._check_games(root, options, variant)
                self._check_views(root, options, variant)

    def _check_games(self, root: int, options: Mapping[str, Any], variant: str) -> None:
        players = options["num_players"]
        block = play_games(
            self.game, options, [random_agent(self.game)], np.zeros((1, 1, players), np.int64),
            root=root, first_game=0, count=CHECKED_GAMES,
        )  # fmt: skip
        played = self.play(players, CHECKED_GAMES, root, variant=variant)
        self._require_equal(
            f"{CHECKED_GAMES} games of {players} players {variant}",
            (block.decisions, points_checksum(block.points)),
            (played.decisions, played.points),
        )

    def _check_views(self, root: int, options: Mapping[str, Any], variant: str) -> None:
        players = options["num_players"]
        views, flat = self.game.new_views(1)
        mask = np.zeros(self.game.num_actions, np.int8)
        streams = np.zeros((players, WORDS), np.uint64)
        states = self.game.new_states(options, 1)
        hashed = hash_views(states, views, flat, mask, streams, root, HASHED_GAMES)
        self._require_equal(
            f"the views and masks of {HASHED_GAMES} games of {players} players {variant}",
            int(hashed),
            self.play(players, HASHED_GAMES, root, "check", variant).views,
        )

    def _require_equal(self, what: str, ours: Any, theirs: Any) -> None:
        if ours != theirs:
            raise SystemExit(
                f"benchmarks: {self.game.title}, {what.strip()} differ: library {ours}, C {theirs}"
            )


def option_value(text: str) -> int | float | str:
    """A whole number, another number, or the text itself."""
    for number in (int, float):
        with contextlib.suppress(ValueError):
            return number(text)
    return text


def points_checksum(points: np.ndarray) -> int:
    """Sum over games and seats of points × mix(position), modulo 2⁶⁴, as the C program has it."""
    flat = np.ascontiguousarray(points, np.int64).view(np.uint64).ravel()
    return int(_weighted_sum(flat))


@kernel
def _weighted_sum(values):
    total = np.uint64(0)
    for i in range(len(values)):
        total += values[i] * mix(np.uint64(i))
    return total


@kernel
def hash_views(states, views, flat, mask, streams, root, games):
    """FNV-like hash over every entry of every view and mask of the first random games."""
    s = states[0]
    value = np.uint64(0)
    for game in range(games):
        deal(s, stream_key(root, game, CHANCE_STREAM))
        for p in range(len(streams)):
            seed_stream(streams[p], stream_key(root, game, 1 + p))
        p = to_act(s)
        while p >= 0:
            look(s, p, views[0])
            legal(s, mask)
            for i in range(flat.shape[1]):
                value = (value ^ np.uint64(np.uint16(flat[0, i]))) * FNV_PRIME
            for a in range(len(mask)):
                value = (value ^ np.uint64(np.uint8(mask[a]))) * FNV_PRIME
            apply(s, choose_random(mask, streams[p]))
            p = to_act(s)
    return value
