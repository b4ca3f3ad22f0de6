"""What playing the same deal under several seatings has gained, as measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from experiments.comparisons import WIN_SHARE, Comparison
from experiments.moments import Cells, Moments


@dataclass(frozen=True)
class Duplicate:
    """Variance that duplicate deals have taken away.

    A factor is the variance that a mean would have if every game had a deal of its own (as many
    games, with the same seatings), divided by the variance it has: with 2, twice as many games
    would be needed without duplicate deals. ``factors`` are those of the agents' win shares,
    ``leads`` those of the differences of win share between two agents that met (better, worse).
    None for a mean that does not vary, as that of a single deal.
    """

    factors: tuple[tuple[str, float | None], ...]
    leads: tuple[tuple[tuple[str, str], float | None], ...]


@dataclass(frozen=True)
class Independent:
    """What games vary by apart from their deals' being shared, by group (an agent, or a pair).

    ``rows`` float64 (groups,) counts the rows of each group; ``by_seating`` are moments over games
    of the sum of a game's rows, in groups seating * groups + group.
    """

    rows: np.ndarray
    by_seating: Moments

    @classmethod
    def of(cls, cells: Cells, quantity: int, seating: np.ndarray, groups: int) -> Independent:
        """Of cells by game and group; ``seating`` int64 (G,) of each game, another for each table."""
        return cls(
            np.bincount(cells.group, weights=cells.rows, minlength=groups),
            Moments.over(seating[cells.unit] * groups + cells.group, cells.sums[:, [quantity]]),
        )

    def merge(self, other: Independent) -> Independent:
        return Independent(self.rows + other.rows, self.by_seating.merge(other.by_seating))

    def variances(self) -> np.ndarray:
        """Of the mean over each group's rows, float64 (groups,), if games shared no deals.

        The seatings are played equally often by design, so the variance is that within seatings.
        """
        seated = self.by_seating
        of_sum = seated.units * seated.squares[:, 0] / np.maximum(seated.units - 1, 1)
        total = np.bincount(
            seated.groups % len(self.rows), weights=of_sum, minlength=len(self.rows)
        )
        variances: np.ndarray = total / np.maximum(self.rows, 1) ** 2
        return variances


def duplicate(
    by_agent: Moments,
    by_pair: Moments,
    agents: Independent,
    pairs: Independent,
    labels: Sequence[str],
    compared: Sequence[Comparison],
) -> Duplicate:
    """The factors of all agents that have played (quantity 0 of ``by_agent``) and of all pairs."""
    of_agent = _factors(by_agent, 0, agents)
    of_pair = _factors(by_pair, WIN_SHARE, pairs)
    number = {label: k for k, label in enumerate(labels)}

    def pair_group(comparison: Comparison) -> int:
        low, high = sorted((number[comparison.better], number[comparison.worse]))
        return low * len(labels) + high

    return Duplicate(
        factors=tuple((labels[agent], factor) for agent, factor in of_agent.items()),
        leads=tuple(
            ((comparison.better, comparison.worse), of_pair[pair_group(comparison)])
            for comparison in compared
        ),
    )


def _factors(by_group: Moments, quantity: int, independent: Independent) -> dict[int, float | None]:
    alone = independent.variances()
    factors = {}
    for group in by_group.groups.tolist():
        realized = by_group.variance(group, quantity)
        factors[group] = float(alone[group] / realized) if realized else None
    return factors
