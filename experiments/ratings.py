"""One number for each agent's strength, and what such a number hides.

The model is Plackett and Luce's: at a table, the chance to be first is proportional to exp(strength),
then the same among the others for the second place, and so on. A ranking of n agents is broken into all
its n (n - 1) / 2 comparisons of two, which gives consistent estimates (Azari Soufiani, Chen, Parkes &
Xia 2013, Generalized method-of-moments for rank aggregation), and these are fitted as Bradley and
Terry's model. Equal ranks are half a win for each.

Intervals come from a Poisson bootstrap over deals (Chamandy et al. 2012, Estimating uncertainty for
massive data streams): every replicate counts a deal k times, k from a Poisson distribution of mean 1
that is drawn from the deal's number. So the result depends neither on the order nor on the cut of shards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import choix
import numpy as np
from scipy import optimize, sparse, stats

from experiments.moments import CONFIDENCE, Cells

ELO_PER_UNIT = 400 / np.log(10)
# Efron & Tibshirani (1993), An introduction to the bootstrap, 6.4: 200 are enough for an error.
REPLICATES = 200
# Added to every pair, as if the two had met once more with equal ranks: an agent that always loses
# would have no finite rating. An agent that lost all of N encounters with one other comes out at
# about 400 log10(2 N) below it.
PRIOR_ENCOUNTERS = 1.0
LEAST_MISFIT = 0.01  # of a share of encounters; below this the ratings describe a pair well enough


@dataclass(frozen=True)
class Rating:
    """Strength in Elo units: 400 more are odds of 10 to 1 to finish ahead. The mean over agents is 0.

    ``interval`` (95 %, from the bootstrap's error) is None for a single deal.
    """

    agent: str
    elo: float
    interval: tuple[float, float] | None


@dataclass(frozen=True)
class Misfit:
    """``row`` finishes ahead of ``column`` more often than their ratings say (shares of encounters).

    What is observed differs from ``expected`` by LEAST_MISFIT or more, and the simultaneous 95 %
    interval of what is observed (Bonferroni over all pairs) excludes it.
    """

    row: str
    column: str
    observed: float
    expected: float


@dataclass(frozen=True)
class Tallies:
    """Encounters of every two agents that met, as observed (column 0) and in each replicate.

    ``pairs`` int64 (Q,), ascending, are numbered as in Encounters; ``wins`` (of the lower-numbered
    agent, equal ranks half) and ``met`` float64 (Q, 1 + REPLICATES). All are multiples of 1/2, so
    sums are exact in any order.
    """

    pairs: np.ndarray
    wins: np.ndarray
    met: np.ndarray

    @classmethod
    def of(cls, cells: Cells, deals: np.ndarray) -> Tallies:
        """Of cells by deal and pair with the sum of ahead (±1/2) first; ``deals`` are the numbers."""
        pairs, place = np.unique(cells.group, return_inverse=True)
        weights = np.hstack([np.ones((len(deals), 1)), poisson_weights(deals)])

        def weighted(values: np.ndarray) -> np.ndarray:
            shape = (len(pairs), len(deals))
            total: np.ndarray = sparse.csr_array((values, (place, cells.unit)), shape) @ weights
            return total

        return cls(pairs, weighted(cells.sums[:, 0] + cells.rows / 2), weighted(cells.rows))

    def merge(self, other: Tallies) -> Tallies:
        pairs = np.union1d(self.pairs, other.pairs)
        wins, met = np.zeros((2, len(pairs), 1 + REPLICATES))
        for part in (self, other):
            place = np.searchsorted(pairs, part.pairs)
            wins[place] += part.wins
            met[place] += part.met
        return Tallies(pairs, wins, met)

    def matrix(self, column: int, num_agents: int) -> np.ndarray:
        """float64 (agents, agents): how often row finished ahead of column, without the prior."""
        low, high = np.divmod(self.pairs, num_agents)
        matrix = np.zeros((num_agents, num_agents))
        matrix[low, high] = self.wins[:, column]
        matrix[high, low] = self.met[:, column] - self.wins[:, column]
        return matrix


POISSON = stats.poisson.ppf((np.arange(2**16) + 0.5) / 2**16, 1)  # by 16 random bits


def poisson_weights(deals: np.ndarray) -> np.ndarray:
    """float64 (D, REPLICATES): how often each replicate counts each deal (numbers (D,)).

    Four weights come from each word of SplitMix64 (Steele, Lea & Flood 2014, Fast splittable
    pseudorandom number generators), whose steps are numbered by deal and place.
    """
    words = -(-REPLICATES // 4)
    steps = deals[:, None] * words + np.arange(1, words + 1)
    word = steps.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1)):
        word = (word ^ (word >> np.uint64(shift))) * np.uint64(factor)
    weights: np.ndarray = POISSON[word.view(np.uint16)[:, :REPLICATES]]
    return weights


def fit(wins: np.ndarray, start: np.ndarray | None = None) -> np.ndarray:
    """Elo (K,), mean 0, by maximum likelihood from how often row finished ahead of column (K, K)."""
    prior = PRIOR_ENCOUNTERS / 2 * (1 - np.eye(len(wins)))
    initial = None if start is None else start / ELO_PER_UNIT
    strength = choix.ilsr_pairwise_dense(wins + prior, initial_params=initial)
    elo: np.ndarray = (strength - strength.mean()) * ELO_PER_UNIT
    return elo


def expected_ahead(elo: float, other: float) -> float:
    """The share of encounters in which an agent finishes ahead of another, by their ratings."""
    return 1 / (1 + 10 ** ((other - elo) / 400))


def rate(tallies: Tallies, labels: Sequence[str], deals: int) -> tuple[Rating, ...]:
    """Ratings of all agents that met another, best first."""
    everyone = np.unique(np.divmod(tallies.pairs, len(labels)))
    if not len(everyone):
        return ()

    def wins(column: int) -> np.ndarray:
        return tallies.matrix(column, len(labels))[np.ix_(everyone, everyone)]

    elo = fit(wins(0))
    reach = np.zeros(len(everyone))
    if deals > 1:
        replicates = [fit(wins(column), elo) for column in range(1, 1 + REPLICATES)]
        error = np.std(replicates, axis=0, ddof=1)
        reach = stats.t.ppf((1 + CONFIDENCE) / 2, deals - 1) * error
    rated = [
        Rating(labels[agent], mean, (mean - half, mean + half) if deals > 1 else None)
        for agent, mean, half in zip(everyone, elo.tolist(), reach.tolist(), strict=True)
    ]
    return tuple(sorted(rated, key=lambda rating: -rating.elo))


def alpha_rank(beaten: Sequence[tuple[int, int]], num_agents: int) -> list[float] | None:
    """The share of time that evolution spends at each agent (Omidshafiei et al. 2019, α-Rank).

    By OpenSpiel, for infinite ranking intensity: it asks who beats whom only. Two agents that
    the games do not separate count as equal. None where OpenSpiel is not installed.
    """
    try:
        from open_spiel.python.egt import alpharank
    except ImportError:
        return None
    payoffs = np.zeros((num_agents, num_agents))
    for better, worse in beaten:
        payoffs[better, worse], payoffs[worse, better] = 1, -1
    shares: list[float] = alpharank.compute([payoffs], use_inf_alpha=True)[2].tolist()
    return shares


def maximal_lottery(ahead: np.ndarray) -> list[float]:
    """Chances with which to pick an agent so that none is ahead of the pick more often than not.

    The optimal strategy of the zero-sum game whose payoffs are the margins ahead - 1/2, for ahead
    float64 (K, K) (Fishburn 1984, Probabilistic social choice based on simple voting comparisons).
    """
    margins = ahead - ahead.T
    agents = len(ahead)
    solution = optimize.linprog(
        np.zeros(agents),
        A_ub=-margins.T,
        b_ub=np.zeros(agents),
        A_eq=np.ones((1, agents)),
        b_eq=[1],
    )
    shares: list[float] = np.maximum(solution.x, 0).tolist()
    return shares
