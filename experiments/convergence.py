"""How the agents' win shares came to their values in the course of a run."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from experiments.moments import Cells, Estimate, Moments

MOST_POINTS = 100


@dataclass(frozen=True)
class Convergence:
    """Win shares over the first ``deals[k]`` deals, for at most MOST_POINTS k.

    ``agents`` holds every agent's label and estimates, None as long as it has not played.
    """

    deals: tuple[int, ...]
    agents: tuple[tuple[str, tuple[Estimate | None, ...]], ...]


@dataclass(frozen=True)
class Timeline:
    """Win shares by deal in stretches of ``width`` consecutive deal numbers, a power of two.

    ``moments`` has the groups stretch * (agents + 1) + agent; agent number ``agents`` stands for
    the deals themselves. There are at most MOST_POINTS stretches: as the run goes on they are
    joined in twos. So they depend on the deals' numbers alone, not on the cut of the shards.
    """

    agents: int
    width: int
    moments: Moments

    @classmethod
    def of(cls, cells: Cells, deals: np.ndarray, agents: int) -> Timeline:
        """Of cells by deal and agent with the sum of win shares first; ``deals`` are the numbers."""
        width = 1
        while deals.max(initial=0) // width >= MOST_POINTS:
            width *= 2
        stretch = np.concatenate([deals[cells.unit], deals]) // width
        agent = np.concatenate([cells.group, np.full(len(deals), agents)])
        values = np.concatenate([cells.means[:, :1], np.zeros((len(deals), 1))])
        return cls(agents, width, Moments.over(stretch * (agents + 1) + agent, values))

    def merge(self, other: Timeline) -> Timeline:
        width = max(self.width, other.width)
        moments = self._widened(width).moments.merge(other._widened(width).moments)
        return Timeline(self.agents, width, moments)

    def _widened(self, width: int) -> Timeline:
        """The same in longer stretches."""
        if width == self.width:
            return self
        stretch, agent = np.divmod(self.moments.groups, self.agents + 1)
        joined = stretch // 2 * (self.agents + 1) + agent
        halves = [self.moments.select(stretch % 2 == odd, joined) for odd in (0, 1)]
        return Timeline(self.agents, 2 * self.width, halves[0].merge(halves[1]))._widened(width)

    def convergence(self, labels: tuple[str, ...]) -> Convergence | None:
        """Estimates after each stretch over all deals so far; None for a single deal."""
        stretch, agent = np.divmod(self.moments.groups, self.agents + 1)
        stretches = [self.moments.select(stretch == k, agent) for k in np.unique(stretch)]
        so_far = list(accumulate(stretches, Moments.merge))
        if not so_far or so_far[-1].estimates(self.agents)[0].deals == 1:
            return None
        return Convergence(
            deals=tuple(moments.estimates(self.agents)[0].deals for moments in so_far),
            agents=tuple(
                (
                    labels[agent],
                    tuple(
                        moments.estimates(agent)[0] if agent in moments else None
                        for moments in so_far
                    ),
                )
                for agent in range(self.agents)
                if agent in so_far[-1]
            ),
        )
