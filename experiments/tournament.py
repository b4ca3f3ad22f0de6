"""Tournaments: duplicate deals, played block by block, kept as Parquet.

A *deal block* is one deal under all its seatings, consecutive games with the same chance stream. Games
are cut into blocks of whole deals; an engine plays them (see ``experiments.engines``), and each becomes
one shard under ``DIR/games/``, renamed into place when whole. What a block contains depends on the
configuration alone, so the rows are the same for any engine and number of workers, and a run that was
stopped, or killed, goes on where it ended.

Decisions may be logged, of all deals or of a sample: then a block has a shard of the same number under
``DIR/decisions/`` as well (empty if none of its deals is in the sample); a study's alternatives lie
under ``DIR/alternatives/``. They are in place before that of the games, so a block whose games are there
is finished.
"""

from __future__ import annotations

import contextlib
import math
import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from cardgames_env import Agent, __version__
from cardgames_env.core.asking import FAILURES
from cardgames_env.core.game import Game, get_game
from cardgames_env.core.playout import Block, play_games
from cardgames_env.core.policy import MAX_AGENTS, seat_players
from experiments.config import UntilDecided
from experiments.decisions import decision_table
from experiments.engines import Engine, Threads
from experiments.folder import (
    ALTERNATIVES_DIR,
    DECISIONS_DIR,
    GAMES_DIR,
    MANIFEST,
    check_same_run,
    commit,
    is_whole,
    present,
    read_shard,
    sources,
    write_json,
    write_shard,
)
from experiments.lineup import Contestant
from experiments.seating import ROTATIONS, SEATINGS, line_up_tables, seat_tables
from experiments.sequential import deal_scores

BLOCKS = 200  # a run is cut into about this many blocks: steps of the progress bar …
MAX_BLOCK_GAMES = 25_000  # … unless they would grow larger than this
MAX_SLOW_BLOCK_GAMES = 200  # … or, with slow agents, than this: Ctrl-C waits for blocks under way
MAX_STUDY_BLOCK_GAMES = 200  # … or, with alternatives tried, than this
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
        ("forfeit", pa.dictionary(pa.int8(), pa.string())),
    ]
)


@dataclass(frozen=True)
class Alternatives:
    """A study of decisions: its name, and how its alternatives are tried (see ``alternatives``)."""

    study: str
    share: float
    playouts: int
    worlds: int


@dataclass(frozen=True)
class Tournament:
    """A tournament's configuration, resolved and checked (see ``plan``).

    ``tables`` int64 (T, S, P): which agent sits at which seat, for T sets of agents under S seatings;
    ``line_ups``: where one agent at a time sits alone against others, on the same deals, who sits with
    whom, the one alone first; ``games`` is a whole number of deal blocks; ``logged`` is the share of
    the deals whose decisions are kept.
    """

    game: Game
    options: Mapping[str, Any]
    contestants: tuple[Contestant, ...]
    seed: int
    seating: str
    tables: np.ndarray
    games: int
    logged: float
    line_ups: tuple[tuple[int, ...], ...] = ()
    kind: str = "tournament"
    move_timeout: float | None = None
    until_decided: UntilDecided | None = None
    alternatives: Alternatives | None = None

    @property
    def games_per_deal(self) -> int:
        return int(self.tables.shape[1])

    @property
    def labels(self) -> pa.Array:
        """The agents' labels, as the tables' dictionary."""
        return pa.array([contestant.label for contestant in self.contestants], pa.string())

    @property
    def compiled(self) -> bool:
        """Whether all agents are compiled."""
        return all(isinstance(contestant.player, Agent) for contestant in self.contestants)

    @property
    def block_games(self) -> int:
        """Games of a block: whole deals, from the configuration alone."""
        deals = self.games // self.games_per_deal
        slow = any(contestant.slow for contestant in self.contestants)
        games = MAX_SLOW_BLOCK_GAMES if slow else MAX_BLOCK_GAMES
        if self.alternatives:
            games = MAX_STUDY_BLOCK_GAMES
        if self.logged:
            games = int(min(games, MAX_LOGGED_BLOCK_GAMES / self.logged))
        most = max(1, games // self.games_per_deal)
        return min(math.ceil(deals / BLOCKS), most) * self.games_per_deal

    @property
    def blocks(self) -> int:
        return math.ceil(self.games / self.block_games)

    def games_of(self, block: int) -> int:
        """How many games block number ``block`` (from 0) has."""
        return min(self.block_games, self.games - block * self.block_games)


def plan(
    game: str,
    options: Mapping[str, Any],
    contestants: Sequence[Contestant],
    *,
    games: int,
    seed: int,
    seating: str = ROTATIONS,
    logged: float = 0.0,
    line_ups: Sequence[Sequence[int]] = (),
    kind: str = "tournament",
    move_timeout: float | None = None,
    until_decided: UntilDecided | None = None,
    alternatives: Alternatives | None = None,
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
    seat_players([contestant.player for contestant in contestants])  # whether they can be copied
    if until_decided is not None:
        known = [contestant.label for contestant in contestants]
        for label in until_decided.agents:
            if label not in known:
                raise ValueError(
                    f"until_decided: {label!r} is not among the agents; agents: {', '.join(known)}"
                )
        if until_decided.agents[0] == until_decided.agents[1]:
            raise ValueError("until_decided: an agent is not compared with itself")
    if alternatives is not None:
        for contestant in contestants:
            if not isinstance(contestant.player, Agent):
                raise ValueError(
                    f"agent {contestant.label} is not compiled; a study plays out every alternative "
                    "with copies of all agents, which takes cardgames_env.Agent"
                )
    players = resolved["num_players"]
    neighbours_matter = not description.simultaneous
    if line_ups:
        tables = line_up_tables(line_ups, players, seating, neighbours_matter=neighbours_matter)
    else:
        tables = seat_tables(
            len(contestants), players, seating, neighbours_matter=neighbours_matter
        )
    if until_decided is not None:
        pair = [known.index(label) for label in until_decided.agents]
        if not (tables == pair[0]).any(axis=2)[(tables == pair[1]).any(axis=2)].any():
            raise ValueError(
                f"until_decided: {' and '.join(until_decided.agents)} never sit at one table here"
            )
    per_deal = tables.shape[1]
    whole = math.ceil(games / per_deal) * per_deal
    return Tournament(
        description, resolved, tuple(contestants), seed, seating, tables, whole, logged,
        tuple(tuple(line_up) for line_up in line_ups), kind, move_timeout, until_decided,
        alternatives,
    )  # fmt: skip


@dataclass(frozen=True)
class Failure:
    """How an agent failed: label, kind (see ``asking.FAILURES``), game, message, traceback or ""."""

    agent: str
    kind: str
    game: int
    message: str
    traceback: str


@dataclass(frozen=True)
class Shards:
    """The rows of a block; ``failures``: the first of each agent and kind."""

    games: pa.Table
    decisions: pa.Table | None = None
    alternatives: pa.Table | None = None
    failures: list[Failure] = field(default_factory=list)


def play_block(tournament: Tournament, index: int) -> Shards:
    """Play block ``index`` (from 0) of a tournament."""
    first = index * tournament.block_games
    block = play_games(
        tournament.game,
        tournament.options,
        [contestant.player for contestant in tournament.contestants],
        tournament.tables,
        root=tournament.seed,
        first_game=first,
        count=tournament.games_of(index),
        logged=tournament.logged,
        forfeit=True,
        timeout=tournament.move_timeout,
    )
    decisions = None
    if block.log is not None:
        decisions = decision_table(
            tournament.game, block.log, tournament.games_per_deal, tournament.labels
        )
    alternatives = None
    if tournament.alternatives:
        alternatives = tried(tournament, tournament.alternatives, first, tournament.games_of(index))
    return Shards(
        block_table(tournament, first, block), decisions, alternatives,
        block_failures(tournament, first, block),
    )  # fmt: skip


def tried(tournament: Tournament, how: Alternatives, first: int, count: int) -> pa.Table:
    """The alternatives at the decisions of ``count`` games from ``first`` on."""
    from experiments import studies  # pandas, matplotlib: a second that no other run need wait for
    from experiments.alternatives import try_alternatives

    return try_alternatives(
        tournament.game,
        tournament.options,
        tournament.contestants,
        tournament.tables,
        studies.get(tournament.game.id, how.study).question,
        root=tournament.seed,
        first_game=first,
        count=count,
        playouts=how.playouts,
        worlds=how.worlds,
        share=how.share,
    )


def block_table(tournament: Tournament, first: int, block: Block) -> pa.Table:
    """The rows of a block whose first game is ``first``, one a game and seat."""
    games, players = block.points.shape
    numbers = first + np.arange(games)
    per_deal = tournament.games_per_deal
    winners = block.ranks == 1
    shares = winners / winners.sum(axis=1, keepdims=True)
    labels = tournament.labels
    kinds = np.zeros((games, players), np.int8)
    for forfeit in block.forfeits:
        kinds[forfeit.row, forfeit.seat] = forfeit.error.kind
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
        pa.DictionaryArray.from_arrays(
            pa.array(np.maximum(kinds - 1, 0).ravel(), mask=(kinds == 0).ravel()),
            pa.array(FAILURES.values()),
        ),
    ]
    return pa.table(columns, schema=SCHEMA)


def block_failures(tournament: Tournament, first: int, block: Block) -> list[Failure]:
    """The first failure of each agent and kind in a block whose first game is ``first``."""
    found: dict[tuple[str, str], Failure] = {}
    for forfeit in block.forfeits:
        label = tournament.contestants[block.agents[forfeit.row, forfeit.seat]].label
        kind = FAILURES[forfeit.error.kind]
        failure = Failure(label, kind, first + forfeit.row, str(forfeit.error), forfeit.error.trace)
        found.setdefault((label, kind), failure)
    return list(found.values())


# -- the run ---------------------------------------------------------------------------------------


def describe(tournament: Tournament, command: str) -> dict[str, Any]:
    """Configuration, versions and seed, as the manifest has them."""
    labels = [contestant.label for contestant in tournament.contestants]
    content = {
        "kind": tournament.kind,
        "game": tournament.game.id,
        "options": dict(tournament.options),
        "agents": labels,
        "parameters": {c.label: c.parameters for c in tournament.contestants},
        "own_code": {c.label: c.own_code for c in tournament.contestants if c.own_code},
        "seed": tournament.seed,
        "seating": tournament.seating,
        "games": tournament.games,
        "block_games": tournament.block_games,
        "decisions": tournament.logged,
        "move_timeout": tournament.move_timeout,
        "until_decided": None
        if tournament.until_decided is None
        else tournament.until_decided.model_dump(),
        **(vars(tournament.alternatives) if tournament.alternatives else {}),
        "command": command,
        "commit": commit(),
        "sources": sources(),
        "versions": {"cardgames_env": __version__, "python": platform.python_version()}
        | {library: version(library) for library in LIBRARIES},
    }
    if tournament.line_ups:
        return content | {"line_ups": [[labels[k] for k in line] for line in tournament.line_ups]}
    return content | {"tables": len(tournament.tables)}


class Run:
    """A tournament on its way into a folder: what is there, what was found out, when it is over."""

    def __init__(
        self, tournament: Tournament, directory: Path, engine: Engine, command: str
    ) -> None:
        self.tournament = tournament
        self.directory = directory
        self.engine = engine
        self.manifest = describe(tournament, command)
        self.done = 0
        self.failures: dict[tuple[str, str], Failure] = {}
        self.test = tournament.until_decided and tournament.until_decided.test()
        self.before = 0.0  # seconds that earlier parts of the run took
        self._started = datetime.now(UTC).isoformat(timespec="seconds")
        self._clock = time.perf_counter()

    @property
    def complete(self) -> bool:
        """Whether all games are played, or the question is decided."""
        return self.done == self.tournament.games or self._decided

    @property
    def _decided(self) -> bool:
        return bool(self.test and self.test.decision)

    def resume(self) -> None:
        """Take over what an earlier run has left. Raises ValueError if it was another's."""
        before = check_same_run(self.directory, self.manifest)
        self._started = before.get("started", self._started)
        self.before = before.get("seconds", 0.0)
        for failure in before.get("failures", []):
            self.failures[failure["agent"], failure["kind"]] = Failure(**failure)

    def play(
        self,
        stop: threading.Event,
        on_progress: Callable[[int], None],
        on_damage: Callable[[str], None],
    ) -> None:
        """Play all blocks that are not there yet. Raises OSError."""
        folders: list[Path] = []
        for name, wanted in (
            (GAMES_DIR, True),
            (DECISIONS_DIR, self.tournament.logged > 0),
            (ALTERNATIVES_DIR, self.tournament.alternatives is not None),
        ):
            if wanted:
                (self.directory / name).mkdir(exist_ok=True)
                folders.append(self.directory / name)
        there = {
            k
            for k in sorted(present(folders[0]))
            if k < self.tournament.blocks and self._is_done(k, folders, on_damage)
        }
        missing = [k for k in range(self.tournament.blocks) if k not in there]
        self.note()
        results = self.engine.results(play_block, self.tournament, missing, stop)
        try:
            for index in range(self.tournament.blocks):
                if index in there:
                    table = read_shard(folders[0], index)
                else:
                    shards = next(results, None)
                    if shards is None:
                        break  # stopped
                    self.keep(index, shards)
                    table = shards.games
                self.done += self.tournament.games_of(index)
                on_progress(self.tournament.games_of(index))
                if self.test:
                    assert self.tournament.until_decided is not None
                    self.test.update(deal_scores(table, *self.tournament.until_decided.agents))
                    if self._decided:
                        break
        finally:
            results.close()
            self.note()

    def _is_done(
        self, index: int, folders: Sequence[Path], on_damage: Callable[[str], None]
    ) -> bool:
        """Whether a block's shards are all there and sound."""
        first = index * self.tournament.block_games
        games = range(first, first + self.tournament.games_of(index))
        rows = len(games) * self.tournament.tables.shape[2]
        return all(
            is_whole(path, index, games, rows if path.name == GAMES_DIR else None, on_damage)
            for path in folders
        )

    def keep(self, index: int, shards: Shards) -> None:
        """Write a block's rows; its games last."""
        new = [f for f in shards.failures if (f.agent, f.kind) not in self.failures]
        if new:
            self.failures |= {(failure.agent, failure.kind): failure for failure in new}
            self.note()
        for name, table in (
            (DECISIONS_DIR, shards.decisions),
            (ALTERNATIVES_DIR, shards.alternatives),
            (GAMES_DIR, shards.games),
        ):
            if table is not None:
                write_shard(self.directory / name, index, table)

    def note(self) -> None:
        """Write the manifest as things stand. Raises OSError."""
        progress: dict[str, Any] = {
            "started": self._started,
            "seconds": round(self.before + time.perf_counter() - self._clock, 3),
            "engine": self.engine.name,
            "threads": self.engine.workers,
            "games_done": self.done,
            "complete": self.complete,
            "failures": [vars(failure) for failure in self.failures.values()],
        }
        if self.test:
            progress["decision"] = {
                "hypothesis": self.test.decision,
                "llr": self.test.llr,
                "bounds": self.test.bounds,
                "deals": self.test.deals,
            }
        write_json(self.directory / MANIFEST, self.manifest | progress)


def run(
    tournament: Tournament,
    directory: Path,
    *,
    engine: Engine,
    command: str,
    on_progress: Callable[[int], None],
    on_damage: Callable[[str], None] = lambda message: None,
    resume: bool = False,
) -> bool:
    """Play the tournament into a prepared folder; True if it was finished, False if interrupted.

    ``on_progress`` is told the number of games of each block as it is written, or found there with
    ``resume``; ``on_damage`` of shards that have to be played again. Ctrl-C ends the run after the
    blocks under way: what was written stays, and the manifest says that it is a part.
    An agent that fails forfeits the game; the manifest keeps the first traceback of each kind.
    Python agents play in one thread, whatever the threads: they may keep things from game to game, and
    Python would run them one at a time anyway. Raises ValueError (``resume``: it is another run's
    folder), OSError.
    """
    if not tournament.compiled and isinstance(engine, Threads):
        engine = Threads(1)
    course = Run(tournament, directory, engine, command)
    if resume:
        course.resume()
    with stopped_by_ctrl_c() as stop:
        course.play(stop, on_progress, on_damage)
    return course.complete


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
