"""Tournaments: duplicate deals, played block by block, kept as Parquet.

A *deal block* is one deal under all its seatings, consecutive games with the same chance stream. Games
are cut into blocks of whole deals; a pool of threads plays them (compiled games release the GIL), and
each becomes one shard under ``DIR/games/``, renamed into place when whole. What a block contains depends
on the configuration alone, so the rows are the same for any number of threads.

Decisions may be logged, of all deals or of a sample: then a block has a shard of the same number under
``DIR/decisions/`` as well (empty if none of its deals is in the sample). It is in place before that of
the games, so a block whose games are there is finished.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import math
import os
import platform
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cardgames_env import Agent, __version__
from cardgames_env.core.files import write_whole
from cardgames_env.core.game import Game, get_game
from cardgames_env.core.playout import Block, play_games
from cardgames_env.core.policy import MAX_AGENTS
from experiments.decisions import decision_table
from experiments.lineup import Contestant

ROTATIONS, FULL = "rotations", "full"
SEATINGS = (ROTATIONS, FULL)
MANIFEST = "manifest.json"
GAMES_DIR = "games"
DECISIONS_DIR = "decisions"
BLOCK_FILES = "block-*.parquet"
UNFINISHED_FILES = "block-*.tmp"  # of a run that was killed
RESULT_FILES = (
    MANIFEST, "report.md", "summary.json",
    "win_share.png", "places.png", "seats.png", "cross_play.png",
)  # fmt: skip
MAX_TABLES = 5_000  # of different agents or circular orders
BLOCKS = 200  # a run is cut into about this many blocks: steps of the progress bar …
MAX_BLOCK_GAMES = 25_000  # … unless they would grow larger than this
MAX_SLOW_BLOCK_GAMES = 200  # … or, with slow agents, than this: Ctrl-C waits for blocks under way
MAX_LOGGED_BLOCK_GAMES = 2000  # … or hold more games than this in the log: it is kept in memory
LIBRARIES = (
    "gymnasium", "llvmlite", "numba", "numpy", "pandas", "pettingzoo", "pyarrow",
)  # fmt: skip

SCHEMA = pa.schema(
    [
        ("game", pa.int64()),
        ("deal", pa.int64()),
        ("seating", pa.int16()),
        ("seat", pa.int8()),
        ("agent", pa.dictionary(pa.int8(), pa.string())),
        ("points", pa.int32()),
        ("rank", pa.int8()),
        ("win_share", pa.float32()),
        ("rounds", pa.int32()),
    ]
)


@dataclass(frozen=True)
class Tournament:
    """A tournament's configuration, resolved and checked (see ``plan``).

    ``tables`` int64 (T, S, P): which agent sits at which seat, for T sets of agents under S seatings;
    ``games`` is a whole number of deal blocks; ``logged`` is the share of the deals whose
    decisions are kept.
    """

    game: Game
    options: Mapping[str, Any]
    contestants: tuple[Contestant, ...]
    seed: int
    seating: str
    tables: np.ndarray
    games: int
    logged: float

    @property
    def games_per_deal(self) -> int:
        return int(self.tables.shape[1])

    @property
    def labels(self) -> pa.Array:
        """The agents' labels, as the tables' dictionary."""
        return pa.array([contestant.label for contestant in self.contestants], pa.string())

    @property
    def block_games(self) -> int:
        """Games of a block: whole deals, from the configuration alone."""
        deals = self.games // self.games_per_deal
        slow = any(contestant.slow for contestant in self.contestants)
        games = MAX_SLOW_BLOCK_GAMES if slow else MAX_BLOCK_GAMES
        if self.logged:
            games = int(min(games, MAX_LOGGED_BLOCK_GAMES / self.logged))
        most = max(1, games // self.games_per_deal)
        return min(math.ceil(deals / BLOCKS), most) * self.games_per_deal

    @property
    def blocks(self) -> int:
        return math.ceil(self.games / self.block_games)


def plan(
    game: str,
    options: Mapping[str, Any],
    contestants: Sequence[Contestant],
    *,
    games: int,
    seed: int,
    seating: str = ROTATIONS,
    logged: float = 0.0,
) -> Tournament:
    """A checked tournament. ``games`` is rounded up to whole deal blocks. Raises ValueError."""
    description = get_game(game)
    resolved = description.check_options(options)
    if games < 1:
        raise ValueError(f"games must be 1 or more, got {games}")
    if seating not in SEATINGS:
        raise ValueError(f"seating must be one of {', '.join(SEATINGS)}, got {seating!r}")
    if not 0 <= logged <= 1:
        raise ValueError(f"the share of the deals that are logged must be 0 … 1, got {logged}")
    if not 1 <= len(contestants) <= MAX_AGENTS:
        raise ValueError(f"a tournament takes 1 … {MAX_AGENTS} agents, got {len(contestants)}")
    tables = seat_tables(
        len(contestants),
        resolved["num_players"],
        seating,
        neighbours_matter=not description.simultaneous,
    )
    per_deal = tables.shape[1]
    whole = math.ceil(games / per_deal) * per_deal
    return Tournament(
        description, resolved, tuple(contestants), seed, seating, tables, whole, logged
    )


def seat_tables(
    agents: int, players: int, seating: str, *, neighbours_matter: bool = False
) -> np.ndarray:
    """Who sits where: int64 (T, S, P).

    With more agents than seats there is a table for every choice of ``players`` of them. With fewer,
    everyone sits equally often, and where that does not come out there is a table for every choice of
    those who sit once more. The order of tables is shuffled (always the same way), so that a short
    run, too, has everybody at the table about as often. Each table is played under all rotations of
    its seats, or under all orders; seatings that put the same agents at all seats are left out.

    Rotations keep everyone's neighbours. Where those matter there is a table for every circular order
    of a choice, or, where that would be more than MAX_TABLES, for as many of them drawn at random.
    """
    everyone = tuple(range(agents))
    if agents >= players:
        tables = list(itertools.combinations(everyone, players))
    else:
        rounds, rest = divmod(players, agents)
        tables = [everyone * rounds + more for more in itertools.combinations(everyone, rest)]
    chance = random.Random(0)
    if seating == ROTATIONS and neighbours_matter:
        room = max(1, MAX_TABLES // len(tables))
        tables = [order for table in tables for order in circular_orders(table, room, chance)]
    chance.shuffle(tables)
    seatings = []
    for table in tables:
        if seating == FULL:
            orders: Any = itertools.permutations(table)
        else:
            orders = (table[k:] + table[:k] for k in range(players))
        seatings.append(list(dict.fromkeys(orders)))
    most = max(map(len, seatings))
    # Where agents sit in a pattern that repeats, there are fewer rotations: all are played as often.
    seatings = [rows * (most // len(rows)) for rows in seatings]
    return np.array(seatings, np.int64)


def circular_orders(
    table: tuple[int, ...], most: int, chance: random.Random
) -> list[tuple[int, ...]]:
    """The orders of a table that are no rotations of each other; at most ``most``, drawn by chance."""
    first, *others = table
    if math.factorial(len(others)) <= 10 * most:
        everything = {
            min(order[k:] + order[:k] for k in range(len(order)))
            for rest in itertools.permutations(others)
            for order in [(first, *rest)]
        }
        found = sorted(everything)
        return found if len(found) <= most else chance.sample(found, most)
    return [(first, *chance.sample(others, len(others))) for _ in range(most)]


def play_block(tournament: Tournament, index: int) -> Block:
    """Play block ``index`` (from 0) of a tournament."""
    first = index * tournament.block_games
    return play_games(
        tournament.game,
        tournament.options,
        [contestant.player for contestant in tournament.contestants],
        tournament.tables,
        root=tournament.seed,
        first_game=first,
        count=min(tournament.block_games, tournament.games - first),
        logged=tournament.logged,
    )


def block_table(tournament: Tournament, index: int, block: Block) -> pa.Table:
    """The rows of a block, one a game and seat."""
    games, players = block.points.shape
    numbers = index * tournament.block_games + np.arange(games)
    per_deal = tournament.games_per_deal
    first = block.ranks == 1
    shares = first / first.sum(axis=1, keepdims=True)
    labels = tournament.labels
    columns = [
        np.repeat(numbers, players),
        np.repeat(numbers // per_deal, players),
        np.repeat(numbers % per_deal, players).astype(np.int16),
        np.tile(np.arange(players, dtype=np.int8), games),
        pa.DictionaryArray.from_arrays(pa.array(block.agents.ravel().astype(np.int8)), labels),
        (tournament.game.score_sign * block.points).ravel(),
        block.ranks.ravel(),
        shares.ravel().astype(np.float32),
        np.repeat(block.rounds, players),
    ]
    return pa.table(columns, schema=SCHEMA)


# -- the results folder ----------------------------------------------------------------------------


def prepare_folder(directory: Path, *, force: bool) -> None:
    """Create the results folder; an earlier result in it is refused, or removed with ``force``.

    Only a tournament's own files are ever removed. Raises ValueError (results are there, or a folder
    ``games`` or ``decisions`` that is no tournament's), OSError (cannot be written).
    """
    games, decisions = shards = [directory / GAMES_DIR, directory / DECISIONS_DIR]
    if directory.exists() and not directory.is_dir():
        raise ValueError(f"{directory} is a file; choose another folder with --out")
    for folder in shards:
        if folder.is_dir() and any(folder.iterdir()) and not _is_ours(directory):
            raise ValueError(f"{folder} is not a tournament's; choose another folder with --out")
    if _has_results(directory) and not force:
        raise ValueError(
            f"{directory} holds the results of a run; choose another folder with --out, or "
            "replace them with --force"
        )
    if _is_ours(directory):
        own = [
            path
            for folder in shards
            for files in (BLOCK_FILES, UNFINISHED_FILES)
            for path in folder.glob(files)
        ]
        own += [directory / name for name in RESULT_FILES]
        for path in own:
            path.unlink(missing_ok=True)
        if decisions.is_dir() and not any(decisions.iterdir()):
            decisions.rmdir()  # made again if need be
    games.mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=games).close()


def free_folder(base: Path) -> Path:
    """``base``, or ``base-2``, ``base-3`` …: the first that holds no results."""
    return next(path for path in _numbered(base) if not _has_results(path))


def _numbered(base: Path) -> Iterator[Path]:
    yield base
    for k in itertools.count(2):
        yield base.with_name(f"{base.name}-{k}")


def _is_ours(directory: Path) -> bool:
    """Whether a tournament has left its manifest there."""
    try:
        return "block_games" in json.loads((directory / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return False


def _has_results(directory: Path) -> bool:
    return _is_ours(directory) and any((directory / GAMES_DIR).glob(BLOCK_FILES))


def write_manifest(
    directory: Path, tournament: Tournament, command: str, progress: Mapping[str, Any]
) -> None:
    """Configuration, versions and seed, and how far the run has come. Raises OSError."""
    content = {
        "game": tournament.game.id,
        "options": dict(tournament.options),
        "agents": [contestant.label for contestant in tournament.contestants],
        "parameters": {c.label: c.parameters for c in tournament.contestants},
        "seed": tournament.seed,
        "seating": tournament.seating,
        "line_ups": len(tournament.tables),
        "games": tournament.games,
        "block_games": tournament.block_games,
        "decisions": tournament.logged,
        "command": command,
        "versions": {"cardgames_env": __version__, "python": platform.python_version()}
        | {library: version(library) for library in LIBRARIES},
        **progress,
    }
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    write_whole(directory / MANIFEST, text.encode())


def write_shard(folder: Path, index: int, table: pa.Table) -> None:
    """Write the rows of a block under its final name, whole or not at all. Raises OSError."""
    path = folder / f"block-{index:06d}.parquet"
    temporary = path.with_suffix(".tmp")
    try:
        pq.write_table(table, temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


# -- the run ---------------------------------------------------------------------------------------


def run(
    tournament: Tournament,
    directory: Path,
    *,
    threads: int,
    command: str,
    on_progress: Callable[[int], None],
) -> bool:
    """Play the tournament into a prepared folder; True if it was finished, False if interrupted.

    ``on_progress`` is told the number of games of each block as it is written. Ctrl-C ends the run
    after the blocks under way: what was written stays, and the manifest says that it is a part.
    Python agents play in one thread, whatever ``threads``: they may keep things from game to game,
    and Python would run them one at a time anyway. Raises AgentError, OSError; the manifest then
    says the same.
    """
    if not all(isinstance(contestant.player, Agent) for contestant in tournament.contestants):
        threads = 1
    started = datetime.now(UTC).isoformat(timespec="seconds")
    clock = time.perf_counter()
    done = 0

    def note() -> None:
        progress = {
            "started": started,
            "seconds": round(time.perf_counter() - clock, 3),
            "threads": threads,
            "games_done": done,
            "complete": done == tournament.games,
        }
        write_manifest(directory, tournament, command, progress)

    def work(index: int) -> int:
        block = play_block(tournament, index)
        if block.log is not None:
            rows = decision_table(
                tournament.game, block.log, tournament.games_per_deal, tournament.labels
            )
            write_shard(directory / DECISIONS_DIR, index, rows)
        write_shard(directory / GAMES_DIR, index, block_table(tournament, index, block))
        return len(block.rounds)

    if tournament.logged:
        (directory / DECISIONS_DIR).mkdir(exist_ok=True)
    note()
    try:
        with stopped_by_ctrl_c() as stop:
            for games in _in_threads(work, tournament.blocks, threads, stop):
                done += games
                on_progress(games)
    finally:
        note()
    return done == tournament.games


def _in_threads(
    work: Callable[[int], int], blocks: int, threads: int, stop: threading.Event
) -> Iterator[int]:
    """Results of ``work(0) … work(blocks - 1)`` as they come; few are handed out ahead.

    Once ``stop`` is set no more are handed out, and those under way are finished.
    """
    waiting: dict[Future[int], int] = {}  # and the block's index
    indices = iter(range(blocks))
    with ThreadPoolExecutor(threads) as pool:
        try:
            while True:
                room = 0 if stop.is_set() else 2 * threads - len(waiting)
                for index in itertools.islice(indices, room):
                    waiting[pool.submit(work, index)] = index
                if not waiting:
                    return
                finished, _ = wait(waiting, timeout=0.5, return_when=FIRST_COMPLETED)
                # In order, so that of several failed blocks the first is told of.
                for future in sorted(finished, key=waiting.__getitem__):
                    del waiting[future]
                    yield future.result()
                if stop.is_set():
                    waiting = {f: index for f, index in waiting.items() if not f.cancel()}
        finally:
            for future in waiting:
                future.cancel()


@contextlib.contextmanager
def stopped_by_ctrl_c() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; a second one interrupts at once."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop  # only the main thread is told of signals
        return

    def on_signal(number: int, frame: Any) -> None:
        if stop.is_set():
            os._exit(130)  # the threads' blocks cannot be interrupted; shards are whole or absent
        stop.set()
        print("finishing the blocks under way; Ctrl-C again to stop at once", file=sys.stderr)

    before = signal.signal(signal.SIGINT, on_signal)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


def default_threads() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
