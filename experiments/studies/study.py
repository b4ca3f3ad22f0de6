"""What a decision study is, how it reads its rows, and the tables it makes.

A study folder holds ``alternatives/block-*.parquet`` (see ``experiments.alternatives``): a row for each
action of each decision studied. Blocks are read one after the other, only the columns a study asks for,
and reduced to sums by deal: memory grows with the size of a block, not with their number.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from matplotlib.figure import Figure

from cardgames_env.core.game import Game, get_game
from experiments.alternatives import Question
from experiments.statistics import Estimate, ResultsError, read_manifest

ALTERNATIVES_DIR = "alternatives"
VALUES = (
    "game", "deal", "decision", "agent", "action", "chosen", "win_share", "points",
    "imagined_win_share", "imagined_points",
)  # fmt: skip


@dataclass(frozen=True)
class Table:
    """A table of a study: rows of strings, numbers and Estimates; ``name`` is that of its file."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str

    def csv(self) -> str:
        """The table as CSV: an Estimate takes four columns (mean, low and high end, deals)."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        spread = [
            any(isinstance(row[k], Estimate) for row in self.rows) for k in range(len(self.columns))
        ]
        head: list[str] = []
        for column, wide in zip(self.columns, spread, strict=True):
            head += [column, f"{column} low", f"{column} high", f"{column} deals"][
                : 4 if wide else 1
            ]
        writer.writerow(head)
        for row in self.rows:
            cells: list[Any] = []
            for cell, wide in zip(row, spread, strict=True):
                if isinstance(cell, Estimate):
                    cells += [cell.mean, *(cell.interval or ("", "")), cell.deals]
                else:
                    cells += [cell, "", "", ""] if wide else [cell]
            writer.writerow(cells)
        return out.getvalue()


@dataclass(frozen=True)
class StudyResult:
    """What a study found: the question, tables, and pictures (made when asked for), by file name."""

    title: str
    question: str
    tables: tuple[Table, ...]
    figures: Callable[[], dict[str, Figure]]


@dataclass(frozen=True)
class Study:
    """A study of one game: what to ask of its decisions (``question``) and what to make of the rows.

    ``columns``: the columns of the rows that ``evaluate`` reads, beside VALUES.
    """

    name: str
    title: str
    asks: str
    question: Question
    columns: tuple[str, ...]
    evaluate: Callable[[Rows], Evaluation]


@dataclass(frozen=True)
class Rows:
    """The rows of a study folder, block by block."""

    paths: tuple[Path, ...]
    columns: tuple[str, ...]
    game: Game
    agents: tuple[str, ...]  # labels, in the manifest's order

    def blocks(self) -> Iterator[pd.DataFrame]:
        """One frame a block: VALUES and the study's columns; ``gain`` and ``imagined`` added.

        ``gain`` is the points, turned so that more is better. Raises ResultsError for a damaged file.
        """
        for path in self.paths:
            try:
                table = pq.read_table(
                    path,
                    columns=[*VALUES, *self.columns],
                    page_checksum_verification=True,
                )
            except (pa.ArrowException, OSError) as error:
                raise ResultsError(f"{path} cannot be read: {error}") from error
            frame = table.to_pandas()
            frame["agent"] = frame["agent"].astype(str)
            frame["gain"] = self.game.score_sign * frame["points"]
            frame["imagined_gain"] = self.game.score_sign * frame["imagined_points"]
            yield frame


#: What a study makes of its rows: tables, and a function that draws its pictures.
Evaluation = tuple[tuple[Table, ...], Callable[[], dict[str, Figure]]]


def study_rows(directory: Path, columns: Sequence[str]) -> Rows:
    """The rows of a study folder. Raises ResultsError if there are none."""
    manifest = read_manifest(directory)
    paths = tuple(sorted((directory / ALTERNATIVES_DIR).glob("block-*.parquet")))
    if not paths:
        raise ResultsError(f"{directory / ALTERNATIVES_DIR} holds no block; run the study first")
    return Rows(paths, tuple(columns), get_game(manifest["game"]), tuple(manifest["agents"]))
