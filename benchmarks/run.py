"""Measure the library against C, an empty PettingZoo environment, and its own targets.

    python benchmarks/run.py [GAME …] [--quick] [--out FILE]

All rates are of random play with four players, on one thread unless stated. They are measured by turns,
round after round; a rate is the median over the rounds, a ratio the median of the ratios within a
round, so that a machine that slows down in between spoils neither.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import gymnasium
import numba
import numpy as np
import pettingzoo
from empty_env import EmptyEnv, wrapped
from yardstick import Yardstick

import cardgames_env
from cardgames_env.core.game import Game, get_game
from cardgames_env.core.jit import CACHE_VARIABLE
from cardgames_env.core.playout import play_games
from cardgames_env.core.policy import random_agent
from experiments.bench import NUM_ENVS, aec_run, vector_run


@dataclass(frozen=True)
class Course:
    """What differs from game to game: the set-ups that are compared with C before anything is measured
    (a variant of the rules, "" being none, with the most players of it), the agents of the million
    games, how many actions are legal on average (for the empty environment), the games of a block of
    the kernels, and whether a game is long enough for games per second to be told.
    """

    variants: Mapping[str, int]
    rule_agents: str
    legal_actions: int
    block_games: int = 20_000
    long: bool = False


COURSES = {
    "dicht_dran": Course({"": 5}, "balanced,safe_gap,closest,random", 8),
    "dtc": Course({"": 6, "higher_counts_as_true": 6}, "honest,counter,bluffer,bayes", 11),
    "diddly": Course(
        {"": 8, "columns=4": 6, "max_turns=3": 8}, "greedy,pairs,lookahead,random", 5,
        block_games=2_000, long=True,
    ),
    "dackel_drauf": Course(
        {"": 5, "takeback": 5, "forget=0.1": 5, "memory=agent": 5},
        "odds,cautious,odds,random", 8, block_games=2_000, long=True,
    ),
}  # fmt: skip

ROOT = 1
PLAYERS = 4
MAIN_JOB_GAMES = 1_000_000
WARM_STARTS = 5

C, BARE, KERNELS, TWO_THREADS = "c", "bare", "kernels", "two threads"
VECTOR, AEC, EMPTY, WRAPPED = "vector", "aec", "empty", "wrapped"

#: A measurement takes a number of seconds to fill and returns decisions per second.
Measurement = Callable[[float], float]


@dataclass(frozen=True)
class Row:
    """A line of the table. ``met``: None where there is no target."""

    what: str
    figure: str
    ratio: str = ""
    target: str = ""
    met: bool | None = None

    def markdown(self) -> str:
        verdict = "" if self.met is None else "met" if self.met else "**MISSED**"
        return f"| {self.what} | {self.figure} | {self.ratio} | {self.target} | {verdict} |"


# -- measurements ----------------------------------------------------------------------------------


def repeated(run: Callable[[], tuple[int, float]]) -> Measurement:
    """The measurement that repeats a run, which gives its decisions and the time they took."""

    def measure(seconds: float) -> float:
        decisions, spent = 0, 0.0
        while spent < seconds:
            more, took = run()
            decisions += more
            spent += took
        return decisions / spent

    return measure


def c_program(yardstick: Yardstick, mode: str = "filled") -> Measurement:
    trial = yardstick.play(PLAYERS, 1_000, ROOT, mode)
    games_a_second = 1_000 / trial.seconds

    def measure(seconds: float) -> float:
        played = yardstick.play(PLAYERS, int(games_a_second * seconds) + 1, ROOT, mode)
        return played.decisions / played.seconds

    return measure


class Kernels:
    """``play_games`` of random agents: view and mask are filled at every decision, as in C."""

    def __init__(self, game: Game, threads: int, block_games: int) -> None:
        self.game = game
        self.block_games = block_games
        self.options = game.check_options({"num_players": PLAYERS})
        self.agents = [random_agent(game)]
        self.seatings = np.zeros((1, 1, PLAYERS), np.int64)
        self.threads = threads
        self.pool = ThreadPoolExecutor(threads)
        self.next_game = 0

    def block(self, first_game: int) -> int:
        return play_games(
            self.game, self.options, self.agents, self.seatings,
            root=ROOT, first_game=first_game, count=self.block_games,
        ).decisions  # fmt: skip

    def run(self) -> tuple[int, float]:
        """Two blocks a thread."""
        begin = time.perf_counter()
        firsts = [self.next_game + k * self.block_games for k in range(2 * self.threads)]
        self.next_game = firsts[-1] + self.block_games
        decisions = sum(self.pool.map(self.block, firsts))
        return decisions, time.perf_counter() - begin


def game_length(game: Game, games: int) -> int:
    """Decisions of a game: the mean of so many random games."""
    return round(Kernels(game, 1, games).block(0) / games)


def by_turns(
    measurements: dict[str, Measurement], rounds: int, seconds: float
) -> dict[str, list[float]]:
    """The rates of all measurements, round after round; an uncounted round comes first."""
    rates: dict[str, list[float]] = {name: [] for name in measurements}
    for k in range(rounds + 1):
        for name, measure in measurements.items():
            rate = measure(seconds if k else seconds / 10)
            if k:
                rates[name].append(rate)
        print(f"round {k} of {rounds}", file=sys.stderr)
    return rates


# -- the command line ------------------------------------------------------------------------------


def cardgames(arguments: list[str], cache: Path) -> float:
    """Wall time of a ``cardgames`` command, in seconds. Raises CalledProcessError."""
    program = "import sys; from experiments.cli import main; sys.argv[0] = 'cardgames'; main()"
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, CACHE_VARIABLE: str(cache)},
        capture_output=True,
        text=True,
        check=True,
    )
    return time.perf_counter() - begin


def starts(game: Game, directory: Path, warm_starts: int) -> list[Row]:
    """From the shell to the end of a tournament of eight random games, cache empty and filled."""

    def start(number: int) -> float:
        out = str(directory / f"start{number}")
        games = ["--games", "8", "--agents", "random,random", "--threads", "1", "--out", out]
        return cardgames(["tournament", game.name, *games], directory / "cache")

    try:
        cold = start(0)
        warm = statistics.median(start(1 + k) for k in range(warm_starts))
    except subprocess.CalledProcessError as error:
        return [Row("command line, 8 games", f"not measured: {_last_line(error)}")]
    return [
        Row("command line, 8 games, empty compile cache", f"{cold:.1f} s"),
        Row("command line, 8 games, warm", f"{warm:.2f} s", "", "≤ 3 s", warm <= 3),
    ]


def main_job(game: Game, directory: Path) -> Row:
    """A million games of the game's agents, as its configuration says, on two threads, warm."""
    what = f"run {game.name}_million: {MAIN_JOB_GAMES:,} games, 2 threads"
    arguments = ["run", f"{game.name}_million", "--threads", "2"]
    cache = directory / "cache"
    try:
        cardgames([*arguments, "--games", "96", "--out", str(directory / "small")], cache)
        seconds = cardgames([*arguments, "--out", str(directory / "million")], cache)
    except subprocess.CalledProcessError as error:
        return Row(what, f"not measured: {_last_line(error)}")
    return Row(what, f"{seconds:.0f} s", "", "≤ 120 s", seconds <= 120)


def _last_line(error: subprocess.CalledProcessError) -> str:
    lines = (error.stderr or "").strip().splitlines()
    return lines[-1] if lines else f"exit status {error.returncode}"


# -- the table -------------------------------------------------------------------------------------


def rate_rows(rates: dict[str, list[float]], length: int | None) -> list[Row]:
    """``length``: decisions of a game, where games per second are to be told as well."""

    def row(what: str, name: str, to: str, of: str, least: float | None = None) -> Row:
        rate = statistics.median(rates[name])
        figure = f"{_round(rate)} decisions/s"
        if length:
            figure += f", {rate / length:,.0f} games/s"
        ratio = statistics.median(a / b for a, b in zip(rates[name], rates[to], strict=True))
        if name == to:
            return Row(what, figure)
        return Row(
            what,
            figure,
            f"{ratio:.2f} × {of}",
            f"≥ {least:g}" if least else "",
            ratio >= least if least else None,
        )

    return [
        row("C, views and masks filled", C, C, "C"),
        row("C, bare", BARE, C, "C"),
        row("kernels: whole games, random agents", KERNELS, C, "C", 0.6),
        row("kernels on two threads", TWO_THREADS, KERNELS, "one thread"),
        row(f"vector environment, {NUM_ENVS:,} games", VECTOR, C, "C", 0.25),
        row("AEC environment `env()`", AEC, EMPTY, "empty", 0.3),
        row("empty AEC environment", EMPTY, EMPTY, "empty"),
        row("empty AEC environment, three wrappers", WRAPPED, EMPTY, "empty"),
    ]


def _round(rate: float) -> str:
    return f"{rate / 1e6:.1f} million" if rate >= 1e6 else f"{rate:,.0f}"


def heading(compiler: str, rounds: int, seconds: float) -> str:
    versions = [
        f"Python {platform.python_version()}",
        *(
            f"{module.__name__} {module.__version__}"
            for module in (np, numba, gymnasium, pettingzoo)
        ),
        compiler,
    ]
    processor = f"{numba.config.CPU_NAME or _processor()}, {os.cpu_count()} processors"
    return (
        f"Random play, {PLAYERS} players; {rounds} rounds of {seconds:g} s each.  \n"
        f"{processor}; {'; '.join(versions)}.\n"
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def table(game: Game, yardstick: Yardstick, directory: Path, quick: bool) -> str:
    """Measure one game; what it builds and plays goes into ``directory``."""
    course = COURSES[game.name]
    rounds, seconds = span(quick)
    length = game_length(game, course.block_games)
    empty = EmptyEnv(
        PLAYERS, game.num_actions, game.view_size, legal=course.legal_actions, length=length
    )
    measurements = {
        C: c_program(yardstick),
        KERNELS: repeated(Kernels(game, 1, course.block_games).run),
        VECTOR: repeated(vector_run(game, NUM_ENVS)),
        BARE: c_program(yardstick, "bare"),
        TWO_THREADS: repeated(Kernels(game, 2, course.block_games).run),
        AEC: repeated(aec_run(cardgames_env.make(game.id, num_players=PLAYERS))),
        EMPTY: repeated(aec_run(empty)),
        WRAPPED: repeated(aec_run(wrapped(empty))),
    }
    rows = rate_rows(by_turns(measurements, rounds, seconds), length if course.long else None)
    rows += starts(game, directory, 1 if quick else WARM_STARTS)
    if not quick:
        rows.append(main_job(game, course.rule_agents, directory))
    lines = [
        f"**{game.title}**",
        "",
        "| what | figure | ratio | target | |",
        "|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *(row.markdown() for row in rows), ""])


def span(quick: bool) -> tuple[int, float]:
    """Rounds, and the seconds of each measurement within one."""
    return (3, 0.3) if quick else (9, 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "games", nargs="*", metavar="GAME", help=f"{', '.join(COURSES)}; default: all"
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, no million games")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write the tables there as well")
    arguments = parser.parse_args()
    unknown = [name for name in arguments.games if name not in COURSES]
    if unknown:
        parser.error(f"no benchmark of {unknown[0]!r}; games: {', '.join(COURSES)}")
    with tempfile.TemporaryDirectory(prefix="cardgames-benchmarks-") as name:
        parts = []
        for game_name in arguments.games or COURSES:
            game, directory = get_game(game_name), Path(name, game_name)
            directory.mkdir()
            yardstick = Yardstick(game, directory)
            yardstick.check(ROOT, COURSES[game_name].variants)
            if not parts:
                parts.append(heading(yardstick.compiler, *span(arguments.quick)))
                print(parts[0])
            parts.append(table(game, yardstick, directory, arguments.quick))
            print(parts[-1], flush=True)
    if arguments.out:
        arguments.out.write_text("\n".join(parts), encoding="utf-8")


if __name__ == "__main__":
    main()
