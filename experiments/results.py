"""A run's folder, read: its manifest, and its games shard by shard, checked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

MANIFEST_KEYS = ("game", "options", "agents", "seed", "seating", "games", "complete", "command")
SHARD_COLUMNS = (
    "game", "deal", "seating", "seat", "agent", "points", "rank", "win_share", "rounds",
)  # fmt: skip
FORFEIT = "forfeit"  # a column that shards may lack
REMEDY = "`cardgames run FOLDER --resume` plays it again, or move it away to leave its deals out"


class ResultsError(ValueError):
    """A results folder that cannot be evaluated; the message names the file and a remedy."""


def read_manifest(directory: Path) -> dict[str, Any]:
    """The tournament's manifest; ResultsError if it is missing, damaged or lacks an entry."""
    path = directory / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResultsError(f"{path}: not found; name the results folder of a tournament") from None
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: cannot be read ({first_line(error)}); {REMEDY}") from error
    if not isinstance(manifest, dict):
        raise ResultsError(f"{path}: is not a JSON object; run the tournament again")
    missing = [key for key in MANIFEST_KEYS if key not in manifest]
    if not missing and "num_players" not in manifest["options"]:
        missing = ["options.num_players"]
    if missing:
        raise ResultsError(f"{path}: lacks {', '.join(missing)}; run the tournament again")
    return manifest


@dataclass(frozen=True)
class Games:
    """The G games of a shard: ``game``, ``deal``, ``seating``, ``rounds`` (G,), others (G, num_players).

    ``agent`` are indices into the labels; ``forfeit`` holds indices into ``forfeit_kinds``, -1
    where the seat did not forfeit, and is None if nobody did.
    """

    game: np.ndarray
    deal: np.ndarray
    seating: np.ndarray
    rounds: np.ndarray
    agent: np.ndarray
    points: np.ndarray
    rank: np.ndarray
    win_share: np.ndarray
    forfeit: np.ndarray | None
    forfeit_kinds: tuple[str, ...]


def read_shards(directory: Path, labels: tuple[str, ...], num_players: int) -> Iterator[Games]:
    """The shards of ``directory``/games in the order of their names, which is that of the deals.

    Raises ResultsError for a folder without shards, and for one that is damaged or does not fit.
    """
    paths = sorted((directory / "games").glob("*.parquet"))
    if not paths:
        raise ResultsError(f"{directory / 'games'}: holds no *.parquet; run the tournament again")
    last = -1
    for path in paths:
        games = _read_shard(path, labels, num_players)
        if len(games.game) and games.game[0] <= last:
            raise ResultsError(f"{path}: holds games that earlier shards hold, too; {REMEDY}")
        last = int(games.game.max(initial=last))
        yield games


def _read_shard(path: Path, labels: tuple[str, ...], num_players: int) -> Games:
    try:
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            names = file.schema_arrow.names
            missing = [name for name in SHARD_COLUMNS if name not in names]
            if missing:
                raise ResultsError(f"{path}: lacks the columns {', '.join(missing)}; {REMEDY}")
            table = file.read([*SHARD_COLUMNS, *([FORFEIT] if FORFEIT in names else [])])
    except (pa.ArrowException, OSError) as error:
        raise ResultsError(f"{path}: cannot be read ({first_line(error)}); {REMEDY}") from error

    columns = {name: table[name].to_numpy() for name in SHARD_COLUMNS if name != "agent"}
    columns["agent"] = _agents(path, table["agent"], labels)
    kinds: tuple[str, ...] = ()
    if FORFEIT in table.column_names and table[FORFEIT].null_count < len(table):
        forfeit = table[FORFEIT].to_pandas().astype("category").cat
        kinds = tuple(forfeit.categories)
        columns[FORFEIT] = forfeit.codes.to_numpy()
    game, seat = columns["game"], columns["seat"]
    place = game * num_players + seat
    if (place[1:] < place[:-1]).any():
        order = np.lexsort((seat, game))
        columns = {name: column[order] for name, column in columns.items()}
    if not _has_every_seat(columns["game"], columns["seat"], num_players):
        raise ResultsError(
            f"{path}: not every game has one row for each of the {num_players} seats; {REMEDY}"
        )
    by_seat = {name: column.reshape(-1, num_players) for name, column in columns.items()}
    return Games(
        game=by_seat["game"][:, 0],
        deal=by_seat["deal"][:, 0],
        seating=by_seat["seating"][:, 0].astype(np.int64),
        rounds=by_seat["rounds"][:, 0],
        agent=by_seat["agent"].astype(np.int64),
        points=by_seat["points"].astype(np.int64),
        rank=by_seat["rank"].astype(np.int64),
        win_share=by_seat["win_share"].astype(np.float64),
        forfeit=by_seat.get(FORFEIT),
        forfeit_kinds=kinds,
    )


def _agents(path: Path, column: pa.ChunkedArray, labels: tuple[str, ...]) -> np.ndarray:
    """Indices into the labels (R,); ResultsError for an agent that is not among them."""
    agent = column.to_pandas().astype("category").cat
    unknown = [name for name in agent.categories if name not in labels]
    if unknown:
        raise ResultsError(f"{path}: {unknown[0]} is not among the manifest's agents; {REMEDY}")
    codes: np.ndarray = pd.Index(labels).get_indexer(agent.categories)[agent.codes.to_numpy()]
    return codes


def _has_every_seat(game: np.ndarray, seat: np.ndarray, num_players: int) -> bool:
    """Whether rows in the order of (game, seat) are seats 0 … num_players - 1 of each game."""
    if len(game) % num_players:
        return False
    seats = seat.reshape(-1, num_players)
    games = game.reshape(-1, num_players)
    return bool((seats == np.arange(num_players)).all() and (games == games[:, :1]).all())


def first_line(error: Exception) -> str:
    """What an error says, in one line."""
    return (str(error) or type(error).__name__).splitlines()[0]
