"""The C program as a yardstick: built here, and checked to play the library's own games."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cardgames_env.core.game import Game, apply, deal, legal, look, to_act
from cardgames_env.core.jit import kernel
from cardgames_env.core.playout import play_games
from cardgames_env.core.policy import choose_random, random_agent
from cardgames_env.core.rng import CHANCE_STREAM, WORDS, mix, seed_stream, stream_key

SOURCE = Path(__file__).with_name("dicht_dran.c")
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
    """The compiled C program."""

    def __init__(self, directory: Path) -> None:
        """Compile it into ``directory``. Raises SystemExit where that fails."""
        compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
        if compiler is None:
            raise SystemExit("benchmarks: no C compiler (cc, gcc or clang) is on the path")
        self.program = directory / "dicht_dran"
        command = [compiler, *FLAGS, "-o", str(self.program), str(SOURCE)]
        built = subprocess.run(command, capture_output=True, text=True, check=False)
        if built.returncode:
            raise SystemExit(f"benchmarks: {' '.join(command)} failed:\n{built.stderr}")
        version = subprocess.run(
            [compiler, "--version"], capture_output=True, text=True, check=True
        )
        self.compiler = version.stdout.splitlines()[0]

    def play(self, players: int, games: int, root: int, *mode: str) -> Played:
        """Play games 0 … of a root seed. ``mode``: nothing, "bare" or "check" (see the C file)."""
        command = [str(self.program), str(players), str(games), str(root), *mode]
        printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        decisions, seconds, points, views = printed
        return Played(int(decisions), float(seconds), int(points, 16), int(views, 16))

    def _result(self, players: int, games: int, root: int) -> tuple[int, int]:
        played = self.play(players, games, root)
        return played.decisions, played.points

    def check_against(self, game: Game, root: int) -> None:
        """Require the very games of the library, for every number of players. Raises SystemExit."""
        for players in (2, 3, 4, 5):
            options = game.check_options({"num_players": players})
            block = play_games(
                game, options, [random_agent(game)], np.zeros((1, 1, players), np.int64),
                root=root, first_game=0, count=CHECKED_GAMES,
            )  # fmt: skip
            _require_equal(
                f"{CHECKED_GAMES} games of {players} players",
                (block.decisions, points_checksum(block.points)),
                self._result(players, CHECKED_GAMES, root),
            )
            views, flat = game.new_views(1)
            mask = np.zeros(game.num_actions, np.int8)
            streams = np.zeros((players, WORDS), np.uint64)
            states = game.new_states(options, 1)
            hashed = hash_views(states, views, flat, mask, streams, root, HASHED_GAMES)
            _require_equal(
                f"the views and masks of {HASHED_GAMES} games of {players} players",
                int(hashed),
                self.play(players, HASHED_GAMES, root, "check").views,
            )


def _require_equal(what: str, ours: Any, theirs: Any) -> None:
    if ours != theirs:
        raise SystemExit(f"benchmarks: {what} differ: library {ours}, C {theirs}")


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
