"""Agents against each other: every two that met, compared by deal, and corrected for their number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import networkx as nx
import numpy as np
from statsmodels.stats.multitest import multipletests

from experiments.moments import CONFIDENCE, Cells, Estimate, Moments, add_up
from experiments.results import Games

SIGNIFICANCE = 1 - CONFIDENCE
AHEAD, WIN_SHARE, POINTS = range(3)  # quantities of a pair's moments
MAX_CYCLES = 100  # a report shows no more


@dataclass(frozen=True)
class PairSummary:
    """``row`` against ``column``, over the games in which both sat at the table.

    ``ahead`` is the share of encounters in which row has the better rank, equal ranks counting
    half; ``win_share`` and ``points`` are mean differences, row minus column. Two copies against
    one at a table are two encounters.
    """

    row: str
    column: str
    ahead: Estimate
    win_share: Estimate
    points: Estimate


@dataclass(frozen=True)
class Comparison:
    """The win shares of two agents that met, paired by deal; ``better`` has the larger one.

    ``difference`` is better minus worse over the deals where the two met. ``family`` is its
    interval widened by Bonferroni's correction, so that with 95 % confidence the intervals of all
    comparisons are right at once. ``p_value`` is of Student's t, two-sided, for a difference of 0;
    ``adjusted`` corrects it for the number of comparisons (Holm, 1979, A simple sequentially
    rejective multiple test procedure); ``separated`` tells whether that is below 5 %. A single
    deal gives none of the three.
    """

    better: str
    worse: str
    difference: Estimate
    family: tuple[float, float] | None
    p_value: float | None
    adjusted: float | None
    separated: bool


@dataclass(frozen=True)
class Encounters:
    """Every two seats of a game with different agents, from the lower-numbered agent's side.

    ``game`` int64 (E,) numbers the games of the shard; ``pair`` int64 (E,) is lower number *
    number of agents + higher number; ``ahead`` (1/2, 0 or -1/2), ``win_share`` and ``points``
    float64 (E,) are differences.
    """

    game: np.ndarray
    pair: np.ndarray
    ahead: np.ndarray
    win_share: np.ndarray
    points: np.ndarray

    @classmethod
    def of(cls, games: Games, num_agents: int) -> Encounters:
        num_games, num_players = games.agent.shape
        one, two = np.triu_indices(num_players, k=1)
        first, second = games.agent[:, one], games.agent[:, two]
        met = (first != second).ravel()
        side = np.sign(second - first)

        def difference(values: np.ndarray) -> np.ndarray:
            """Lower-numbered agent minus the other."""
            signed: np.ndarray = (side * (values[:, one] - values[:, two])).ravel()[met]
            return signed

        return cls(
            game=np.repeat(np.arange(num_games), len(one))[met],
            pair=(np.minimum(first, second) * num_agents + np.maximum(first, second)).ravel()[met],
            ahead=-np.sign(difference(games.rank)) / 2,
            win_share=difference(games.win_share),
            points=difference(games.points),
        )

    def by(self, unit: np.ndarray) -> Cells:
        """Sums of ahead, win share and points by unit and pair; ``unit`` int64 (G,) of each game."""
        return add_up(unit[self.game], self.pair, (self.ahead, self.win_share, self.points))


def cross_play(by_pair: Moments, labels: Sequence[str]) -> tuple[PairSummary, ...]:
    """Every ordered pair that met; ``by_pair`` has the groups and quantities of Encounters."""
    pairs = []
    for row, column in permutations(range(len(labels)), 2):
        group = min(row, column) * len(labels) + max(row, column)
        if group not in by_pair:
            continue
        side = 1 if row < column else -1
        ahead, win_share, points = by_pair.estimates(group)
        pairs.append(
            PairSummary(
                labels[row],
                labels[column],
                ahead=ahead.linear(side, 0.5),
                win_share=win_share.linear(side),
                points=points.linear(side),
            )
        )
    return tuple(pairs)


def comparisons(by_pair: Moments, labels: Sequence[str]) -> tuple[Comparison, ...]:
    """Every unordered pair that met, the largest difference first."""
    p_values = [by_pair.p_value(group, WIN_SHARE) for group in by_pair.groups.tolist()]
    adjusted = holm(p_values)
    family = 1 - SIGNIFICANCE / max(1, len(p_values))
    compared = []
    for k, group in enumerate(by_pair.groups.tolist()):
        side = 1 if by_pair.mean[k, WIN_SHARE] >= 0 else -1
        low, high = divmod(group, len(labels))
        better, worse = (low, high) if side == 1 else (high, low)
        corrected = adjusted[k]
        compared.append(
            Comparison(
                labels[better],
                labels[worse],
                difference=by_pair.estimates(group)[WIN_SHARE].linear(side),
                family=by_pair.estimates(group, family)[WIN_SHARE].linear(side).interval,
                p_value=p_values[k],
                adjusted=corrected,
                separated=corrected is not None and corrected < SIGNIFICANCE,
            )
        )
    return tuple(sorted(compared, key=lambda pair: -pair.difference.mean))


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's adjusted p-values; None stays None and does not count as a comparison."""
    known = [p_value for p_value in p_values if p_value is not None]
    if not known:
        return list(p_values)
    adjusted = iter(multipletests(known, method="holm")[1].tolist())
    return [None if p_value is None else next(adjusted) for p_value in p_values]


def beats(by_pair: Moments, num_agents: int) -> list[tuple[int, int]]:
    """The ordered pairs whose first agent finishes ahead of the second more often than not.

    Over all pairs that met, Holm's adjusted p-value of a share ahead of 1/2 must be below 5 %.
    """
    groups = by_pair.groups.tolist()
    adjusted = holm([by_pair.p_value(group, AHEAD) for group in groups])
    found = []
    for k, group in enumerate(groups):
        corrected = adjusted[k]
        if corrected is not None and corrected < SIGNIFICANCE:
            low, high = divmod(group, num_agents)
            found.append((low, high) if by_pair.mean[k, AHEAD] > 0 else (high, low))
    return found


def cycles(beaten: Sequence[tuple[int, int]]) -> list[tuple[int, ...]]:
    """The shortest cycles among agents that beat one another in turn; at most MAX_CYCLES.

    Each begins with its lowest-numbered agent. In every set of agents that are linked by cycles
    (a strongly connected component) those of the least length are told: longer ones follow.
    """
    graph = nx.DiGraph(sorted(beaten))
    found: list[tuple[int, ...]] = []
    for linked in nx.strongly_connected_components(graph):
        for length in range(3, len(linked) + 1):
            shortest = list(nx.simple_cycles(graph.subgraph(linked), length_bound=length))
            if shortest:
                found += [_from_lowest(cycle) for cycle in shortest]
                break
    return sorted(found)[:MAX_CYCLES]


def _from_lowest(cycle: Sequence[int]) -> tuple[int, ...]:
    start = cycle.index(min(cycle))
    return (*cycle[start:], *cycle[:start])
