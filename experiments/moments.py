"""Means over units with intervals: rows are added up within a unit, then taken over the units.

A unit is what is independent of the others: a deal with all its games. Intervals are two-sided 95 %
intervals of Student's t with ``units - 1`` degrees of freedom. Moments of disjoint sets of units merge,
so that shards can be reduced one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import stats

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A mean over deals with its 95 % interval (low, high), which is None for a single deal."""

    mean: float
    interval: tuple[float, float] | None
    deals: int

    @property
    def half_width(self) -> float | None:
        """Half the interval's length, the number after a ±; None without an interval."""
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2

    def linear(self, factor: float, offset: float = 0.0) -> Estimate:
        """The estimate of ``factor`` times the quantity plus ``offset``."""
        mean = factor * self.mean + offset
        if self.interval is None:
            return Estimate(mean, None, self.deals)
        low, high = sorted(factor * end + offset for end in self.interval)
        return Estimate(mean, (low, high), self.deals)


@dataclass(frozen=True)
class Cells:
    """Rows added up within every unit and group that have any: N cells.

    ``unit``, ``group`` and ``rows`` (the number added up) int64 (N,); ``sums`` float64 (N, V).
    """

    unit: np.ndarray
    group: np.ndarray
    rows: np.ndarray
    sums: np.ndarray

    @property
    def means(self) -> np.ndarray:
        """Mean of the rows in each cell: float64 (N, V)."""
        means: np.ndarray = self.sums / self.rows[:, None]
        return means


def add_up(unit: np.ndarray, group: np.ndarray, values: Sequence[np.ndarray]) -> Cells:
    """Add up R rows by unit and group: int64 (R,) from 0, and V quantities of shape (R,)."""
    groups = int(group.max(initial=0)) + 1
    # Hashing is much faster than sorting, and one key than two.
    number, keys = pd.factorize(unit * groups + group)
    sums = [np.bincount(number, weights=value, minlength=len(keys)) for value in values]
    return Cells(
        unit=keys // groups,
        group=keys % groups,
        rows=np.bincount(number, minlength=len(keys)),
        sums=np.stack(sums, axis=1),
    )


@dataclass(frozen=True)
class Moments:
    """Over units: how many, mean and sum of squared deviations, for N groups and V quantities.

    ``groups`` int64 (N,), ascending, are those that have units; ``units`` int64 (N,); ``mean`` and
    ``squares`` float64 (N, V).
    """

    groups: np.ndarray
    units: np.ndarray
    mean: np.ndarray
    squares: np.ndarray

    @classmethod
    def over(cls, group: np.ndarray, values: np.ndarray) -> Moments:
        """Moments of values (N, V), each of one unit, by its group (N,)."""
        number, groups = pd.factorize(group, sort=True)
        units = np.bincount(number, minlength=len(groups))

        def mean_of(columns: np.ndarray) -> np.ndarray:
            sums = [
                np.bincount(number, weights=column, minlength=len(groups)) for column in columns.T
            ]
            return np.stack(sums, axis=1) / units[:, None]

        mean = mean_of(values)
        return cls(groups, units, mean, mean_of((values - mean[number]) ** 2) * units[:, None])

    def merge(self, other: Moments) -> Moments:
        """Moments of both sets of units: Chan, Golub & LeVeque (1979), Updating formulae."""
        groups = np.union1d(self.groups, other.groups)
        one, two = self._spread(groups), other._spread(groups)
        units = one.units + two.units
        part = two.units / units
        delta = two.mean - one.mean
        return Moments(
            groups,
            units,
            one.mean + delta * part[:, None],
            one.squares + two.squares + delta**2 * (one.units * part)[:, None],
        )

    def pooled(self, size: int) -> Moments:
        """Groups stratum * size + group brought together by group.

        Strata (tables of a tournament) take turns by design, so differences between them are no
        chance: the variance is that within them, Σ (n_t / n)² s_t² / n_t (Cochran 1977, *Sampling
        Techniques*, 5.3). It takes two units of each; groups with fewer count as unstratified.
        """
        number, groups = pd.factorize(self.groups % size, sort=True)

        def total(values: np.ndarray) -> np.ndarray:
            columns = [np.bincount(number, weights=column) for column in values.T]
            return np.stack(columns, axis=1)

        counts = self.units[:, None].astype(np.float64)
        units = total(counts)
        mean = total(counts * self.mean) / units
        plain = total(self.squares + counts * (self.mean - mean[number]) ** 2)
        within = total(counts * self.squares / np.maximum(counts - 1, 1)) / units**2
        fewest = np.full(len(groups), np.inf)
        np.minimum.at(fewest, number, self.units)
        squares = np.where(fewest[:, None] >= 2, within * units * (units - 1), plain)
        return Moments(groups, units[:, 0].astype(np.int64), mean, squares)

    def select(self, chosen: np.ndarray, groups: np.ndarray) -> Moments:
        """The chosen groups (bool (N,)) under new numbers (N,), which must ascend among the chosen."""
        return Moments(groups[chosen], self.units[chosen], self.mean[chosen], self.squares[chosen])

    def _spread(self, groups: np.ndarray) -> Moments:
        """The same over more groups; those that are new have no units and moments 0."""
        if len(groups) == len(self.groups):
            return self
        place = np.searchsorted(groups, self.groups)
        units = np.zeros(len(groups), np.int64)
        mean, squares = np.zeros((2, len(groups), self.mean.shape[1]))
        units[place], mean[place], squares[place] = self.units, self.mean, self.squares
        return Moments(groups, units, mean, squares)

    def __contains__(self, group: int) -> bool:
        return self._find(group) is not None

    def _find(self, group: int) -> int | None:
        place = int(np.searchsorted(self.groups, group))
        found = place < len(self.groups) and self.groups[place] == group
        return place if found else None

    def _index(self, group: int) -> int:
        place = self._find(group)
        if place is None:
            raise KeyError(group)
        return place

    def _variances(self, place: int) -> np.ndarray:
        """Of the means of the group at ``place``, which has two units or more: float64 (V,)."""
        units = self.units[place]
        variances: np.ndarray = self.squares[place] / (units - 1) / units
        return variances

    def variance(self, group: int, quantity: int) -> float | None:
        """The variance of a group's mean; None for a single unit. Raises KeyError without units."""
        place = self._index(group)
        return None if self.units[place] == 1 else float(self._variances(place)[quantity])

    def estimates(self, group: int, confidence: float = CONFIDENCE) -> list[Estimate]:
        """Mean and interval of the group's V quantities. Raises KeyError for one without units."""
        place = self._index(group)
        units = int(self.units[place])
        means = self.mean[place].tolist()
        if units == 1:
            return [Estimate(mean, None, units) for mean in means]
        error = np.sqrt(self._variances(place))
        reach = stats.t.ppf((1 + confidence) / 2, units - 1) * error
        return [
            Estimate(mean, (mean - half, mean + half), units)
            for mean, half in zip(means, reach.tolist(), strict=True)
        ]

    def p_value(self, group: int, quantity: int) -> float | None:
        """Two-sided p-value of the group's mean being 0, by Student's t; None for a single unit.

        Few units may by chance be all alike, and t is then infinite. So the p-value is never less
        than the least that the test by random signs could give, 2 / 2**units.
        """
        place = self._index(group)
        units = int(self.units[place])
        if units == 1:
            return None
        mean = abs(float(self.mean[place, quantity]))
        error = float(np.sqrt(self._variances(place)[quantity]))
        if error == 0:
            tail = 1.0 if mean == 0 else 0.0
        else:
            tail = 2 * float(stats.t.sf(mean / error, units - 1))
        return max(tail, 2.0 ** (1 - units))
