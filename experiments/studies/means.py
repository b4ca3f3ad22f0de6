"""Means over decisions, with intervals clustered by deal, and tables of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from experiments.moments import CONFIDENCE, Estimate
from experiments.studies.study import Table

EVERYBODY = "all"  # agents together


@dataclass
class Means:
    """Means over decisions by group, fed block by block; the unit of their intervals is the deal.

    The mean of a group is Σ y / Σ n, y and n being a deal's sum and number of decisions. Its variance is
    that of a ratio: D / (D − 1) · Σ (y − mean · n)² / (Σ n)², over the D deals (Cochran, *Sampling
    Techniques*, 1977, section 6.4), intervals are Student's t with D − 1 degrees of freedom. A deal's
    decisions must all be in one block, as they are.

    Groups are ``(agent,)`` and, for columns given as ``along``, ``(agent, column, value)``; EVERYBODY
    stands for all agents together.
    """

    sums: dict[tuple[Any, ...], np.ndarray] = field(default_factory=dict)

    def add(self, rows: pd.DataFrame, value: str, along: Collection[str] = ()) -> None:
        """Add the column ``value`` of one row a decision; rows without a value are left out."""
        rows = rows[["deal", "agent", *along, value]].dropna(subset=value)
        for frame in (rows, rows.assign(agent=EVERYBODY)):
            self._add(frame, value, ["agent"])
            for column in along:
                self._add(frame.assign(column=column), value, ["agent", "column", column])

    def _add(self, rows: pd.DataFrame, value: str, by: list[str]) -> None:
        groups = rows.assign(value=rows[value].astype(float)).groupby([*by, "deal"], observed=True)
        deals = groups["value"].agg(["size", "sum"])
        n, y = deals["size"].to_numpy(float), deals["sum"].to_numpy(float)
        moments = np.stack([np.ones_like(n), n, y, n * n, n * y, y * y], axis=1)
        for key, row in zip(deals.index, moments, strict=True):
            group = key[:-1]
            self.sums[group] = self.sums.get(group, 0.0) + row

    def __getitem__(self, key: tuple[Any, ...]) -> Estimate | None:
        """The estimate of a group; None where nothing was added to it."""
        if key not in self.sums:
            return None
        deals, n, y, nn, ny, yy = self.sums[key]
        mean = float(y / n)
        if deals < 2:
            return Estimate(mean, None, int(deals))
        spread = max(0.0, yy - 2 * mean * ny + mean * mean * nn)
        error = np.sqrt(deals / (deals - 1) * spread) / n
        half = float(stats.t.ppf((1 + CONFIDENCE) / 2, deals - 1) * error)
        return Estimate(mean, (mean - half, mean + half), int(deals))

    def count(self, key: tuple[Any, ...]) -> int:
        """Decisions of a group."""
        return int(self.sums[key][1]) if key in self.sums else 0

    def steps(self, column: str) -> list[Any]:
        """The values of a column along which something was added, ascending."""
        return sorted({key[2] for key in self.sums if len(key) == 3 and key[1] == column})

    def agents(self, labels: Sequence[str]) -> list[str]:
        """Those of the agents that have rows, in the order of ``labels``; then EVERYBODY, if several."""
        present = [label for label in dict.fromkeys(labels) if (label,) in self.sums]
        return [*present, EVERYBODY] if len(present) > 1 else present


@dataclass
class Gains:
    """Differences of win share and of points, by the same groups."""

    win_share: Means = field(default_factory=Means)
    points: Means = field(default_factory=Means)

    def add(self, rows: pd.DataFrame, along: Collection[str] = ()) -> None:
        """Add the columns ``win_share`` and ``gain`` of one row a decision."""
        self.win_share.add(rows, "win_share", along)
        self.points.add(rows, "gain", along)

    def cells(self, key: tuple[Any, ...]) -> tuple[Any, ...]:
        """Decisions, win share in percentage points, points: the cells of a table's row."""
        return (
            self.win_share.count(key),
            percent(self.win_share[key]),
            self.points[key],
        )

    def by_choice(self, agents: Sequence[str], names: Mapping[str, str]) -> tuple[Any, ...]:
        """Rows of a table: each agent's decisions, then those where it took each class (by its name)."""
        lines: list[tuple[Any, ...]] = []
        for agent in self.win_share.agents(agents):
            lines.append((agent, "either", *self.cells((agent,))))
            for took, name in names.items():
                lines.append((agent, name, *self.cells((agent, "took", took))))
        return tuple(lines)


#: The heads of ``Gains.cells``.
GAIN_COLUMNS = ("decisions", "win share, pp", "points")


def percent(estimate: Estimate | None) -> Estimate | None:
    """An estimate of a share in per cent."""
    return None if estimate is None else estimate.linear(100)


def choice_table(choices: Gains, agents: Sequence[str]) -> Table:
    """What the agents' own choices cost against the action that looks best."""
    return Table(
        "choices",
        "What was chosen against what looks best",
        ("agent", *GAIN_COLUMNS),
        tuple((a, *choices.cells((a,))) for a in choices.win_share.agents(agents)),
        "The action chosen less the one with the best imagined value, both on the true deal, all play on "
        "as they do. Below 0: the agent's choices cost it so much a decision.",
    )
