"""Line-ups: one agent alone against others, evaluated over all seatings of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.moments import Estimate, Moments, add_up
from experiments.results import Games, ResultsError


@dataclass(frozen=True)
class LineUp:
    """The agent ``alone``, which sits once, against ``others``, over all seatings of the table.

    ``win_share`` in [0, 1] and ``points`` are those of the agent alone; ``excess`` is its win
    share less the equal share, 1 / number of players; ``difference`` its win share less that in the
    first line-up with the same others, paired by deal; None for the first of them.
    """

    alone: str
    others: tuple[str, ...]
    win_share: Estimate
    points: Estimate
    excess: Estimate
    difference: Estimate | None


@dataclass(frozen=True)
class Tables:
    """The tables that a manifest's line-ups name: which agents sit together, whatever the seats.

    ``line_ups`` are agents' numbers, the one alone first; ``table`` gives the number of the table
    of each set of agents (its numbers, ascending).
    """

    line_ups: tuple[tuple[int, ...], ...]
    table: dict[tuple[int, ...], int]
    num_agents: int

    @classmethod
    def of(cls, manifest: dict[str, Any], labels: Sequence[str]) -> Tables:
        """No table unless the run is of line-ups: other manifests tell only their number."""
        named = manifest.get("line_ups")
        named = named if isinstance(named, list) else []
        unknown = [agent for line_up in named for agent in line_up if agent not in labels]
        if unknown:
            raise ResultsError(
                f"manifest.json: line_ups names {unknown[0]}, which is not among its agents; "
                "run the tournament again"
            )
        line_ups = tuple(tuple(labels.index(agent) for agent in line_up) for line_up in named)
        distinct = dict.fromkeys(tuple(sorted(line_up)) for line_up in line_ups)
        return cls(line_ups, {seats: k for k, seats in enumerate(distinct)}, len(labels))

    def tally(self, games: Games, deal: np.ndarray) -> Moments:
        """Moments over deals of win share, points and ``LineUp.difference``, by ``_group``.

        ``deal`` int64 (G,) numbers the deals of the shard. Raises ResultsError for a game at none
        of the tables.
        """
        if not self.table:
            return Moments.over(np.zeros(0, np.int64), np.zeros((0, 3)))
        seated = np.sort(games.agent, axis=1)
        kind = np.zeros(len(seated), np.int64)  # games of equal numbers have the same agents
        for column in seated.T:
            kind = pd.factorize(kind * self.num_agents + column)[0]
        _, examples = np.unique(kind, return_index=True)
        tables = [self.table.get(tuple(seated[game].tolist())) for game in examples]
        if None in tables:
            raise ResultsError(
                "games: a game's agents are none of the manifest's line_ups; "
                "run the tournament again"
            )
        table = np.array(tables, np.int64)[kind]
        cells = add_up(
            np.repeat(deal, seated.shape[1]),
            (table[:, None] * self.num_agents + games.agent).ravel(),
            [games.win_share.ravel(), games.points.ravel()],
        )
        means = cells.means
        difference = np.zeros(len(means))
        for line_up in self.line_ups:
            own, first = (
                cells.group == self._group(one) for one in (line_up, self._first(line_up))
            )
            base = np.full(int(deal.max(initial=-1)) + 1, np.nan)  # all line-ups play every deal
            base[cells.unit[first]] = means[first, 0]
            difference[own] = means[own, 0] - base[cells.unit[own]]
        return Moments.over(cells.group, np.column_stack([means, difference]))

    def _group(self, line_up: tuple[int, ...]) -> int:
        """The number of the group of an agent's results at its table: of the one alone."""
        return self.table[tuple(sorted(line_up))] * self.num_agents + line_up[0]

    def _first(self, line_up: tuple[int, ...]) -> tuple[int, ...]:
        """The first line-up with the same others."""
        return next(one for one in self.line_ups if sorted(one[1:]) == sorted(line_up[1:]))

    def summaries(self, by_table: Moments, labels: Sequence[str]) -> tuple[LineUp, ...]:
        """The line-ups that have been played, in the manifest's order."""
        found = []
        for line_up in self.line_ups:
            alone, *others = line_up
            group = self._group(line_up)
            if group in by_table:
                win_share, points, difference = by_table.estimates(group)
                found.append(
                    LineUp(
                        labels[alone],
                        tuple(labels[other] for other in others),
                        win_share,
                        points,
                        excess=win_share.linear(1, -1 / (1 + len(others))),
                        difference=None if self._first(line_up) == line_up else difference,
                    )
                )
        return tuple(found)
