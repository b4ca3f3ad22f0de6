"""A sweep, or rule variants: several runs on the same deals, compared with the first of them.

The difference between two parts is taken deal by deal: an agent's win share in a deal of one part less
that in the deal of the same number of the first part. Both are read side by side, a shard of each at a
time.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from experiments.folder import PARTS
from experiments.moments import Estimate, Moments, add_up
from experiments.results import ResultsError, first_line, read_manifest, read_shards
from experiments.statistics import Summary, summarize


@dataclass(frozen=True)
class PartSummary:
    """One part: ``values`` are the options and parameters that it sets.

    ``focus`` is the agent that the parts vary: the first whose label is not the same in all of
    them; None if there is none. ``difference`` is the win share less that in the first part, by
    agent, over the deals that both have: of the focus alone, whatever its label there, or of all
    agents. Empty for the first part.
    """

    name: str
    values: dict[str, Any]
    summary: Summary
    focus: str | None
    difference: tuple[tuple[str, Estimate], ...]


@dataclass(frozen=True)
class PartsSummary:
    """The parts that have been played at least in part, in order; ``missing`` names the others."""

    parts: tuple[PartSummary, ...]
    missing: tuple[str, ...]


def compare(directory: Path) -> PartsSummary:
    """Evaluate the parts that ``directory``/parts.json lists, of a finished or an interrupted run.

    Raises ResultsError if that file or a part is damaged, and if the first part has no games.
    """
    listed = _read_parts(directory)
    played = [part for part in listed if _has_games(directory / part["folder"])]
    if not played or played[0] is not listed[0]:
        raise ResultsError(
            f"{directory / listed[0]['folder']}: the first part has no games; "
            "run the experiment again, or resume it"
        )
    folders = [directory / part["folder"] for part in played]
    labels = [_labels(folder) for folder in folders]
    varied = [k for k in range(min(map(len, labels))) if len({line[k] for line in labels}) > 1]
    parts = []
    for part, folder, agents in zip(played, folders, labels, strict=True):
        pairs = [(agents[k], labels[0][k]) for k in varied[:1]]
        if not varied:
            pairs = [(label, label) for label in agents if label in labels[0]]
        parts.append(
            PartSummary(
                part["name"],
                part["values"],
                summarize(folder),
                focus=agents[varied[0]] if varied else None,
                difference=() if folder == folders[0] else _differences(folder, folders[0], pairs),
            )
        )
    return PartsSummary(tuple(parts), tuple(part["name"] for part in listed if part not in played))


def _read_parts(directory: Path) -> list[dict[str, Any]]:
    path = directory / PARTS
    try:
        parts = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResultsError(f"{path}: not found; name the results folder of a sweep") from None
    except (OSError, ValueError) as error:
        raise ResultsError(
            f"{path}: cannot be read ({first_line(error)}); run the experiment again"
        ) from error
    keys = {"name", "folder", "values"}
    whole = isinstance(parts, list) and all(
        isinstance(part, dict) and keys <= part.keys() for part in parts
    )
    if not whole or not parts:
        raise ResultsError(
            f"{path}: is not a list of parts with name, folder and values; run the experiment again"
        )
    listed: list[dict[str, Any]] = parts
    return listed


def _has_games(folder: Path) -> bool:
    return (folder / "manifest.json").exists() and any((folder / "games").glob("*.parquet"))


def _labels(folder: Path) -> tuple[str, ...]:
    return tuple(dict.fromkeys(read_manifest(folder)["agents"]))


def _differences(
    folder: Path, first: Path, pairs: list[tuple[str, str]]
) -> tuple[tuple[str, Estimate], ...]:
    """By deals that both parts have: the win share of each pair's one agent less the other's there."""
    moments = []
    own, others = ([pair[k] for pair in pairs] for k in (0, 1))
    for here, there in _side_by_side(_by_deal(folder, own), _by_deal(first, others)):
        deal, agent = np.nonzero(~np.isnan(here - there))
        moments.append(Moments.over(agent, (here - there)[deal, agent][:, None]))
    if not moments:
        return ()
    total = reduce(Moments.merge, moments)
    return tuple((label, total.estimates(k)[0]) for k, label in enumerate(own) if k in total)


@dataclass(frozen=True)
class _Shares:
    """Win shares by deal: ``deals`` int64 (D,), ascending; ``shares`` (D, agents), NaN if absent."""

    deals: np.ndarray
    shares: np.ndarray

    def after(self, last: int) -> _Shares:
        start = np.searchsorted(self.deals, last, side="right")
        return _Shares(self.deals[start:], self.shares[start:])


def _by_deal(folder: Path, agents: list[str]) -> Iterator[_Shares]:
    """Shard by shard, each agent's mean win share in each deal."""
    manifest = read_manifest(folder)
    labels = tuple(dict.fromkeys(manifest["agents"]))
    for games in read_shards(folder, labels, manifest["options"]["num_players"]):
        deals, deal = np.unique(games.deal, return_inverse=True)
        rows = np.repeat(deal, games.agent.shape[1])
        cells = add_up(rows, games.agent.ravel(), [games.win_share.ravel()])
        shares = np.full((len(deals), len(labels)), np.nan)
        shares[cells.unit, cells.group] = cells.means[:, 0]
        if len(deals):
            yield _Shares(deals, shares[:, [labels.index(agent) for agent in agents]])


def _side_by_side(
    one: Iterator[_Shares], other: Iterator[_Shares]
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Shares of the deals that both have, (D, agents) each; shards may be cut differently."""
    nothing = _Shares(np.zeros(0, np.int64), np.zeros((0, 0)))
    here = there = nothing
    while True:
        here = here if len(here.deals) else next(one, nothing)
        there = there if len(there.deals) else next(other, nothing)
        if not len(here.deals) or not len(there.deals):
            return
        _, at, across = np.intersect1d(
            here.deals, there.deals, assume_unique=True, return_indices=True
        )
        yield here.shares[at], there.shares[across]
        last = min(here.deals[-1], there.deals[-1])
        here, there = here.after(last), there.after(last)
