"""A sequential test of whether one agent is stronger than another: it stops as soon as it can tell.

H0: the difference is ``elo0`` or less; H1: it is ``elo1`` or more. Elo is logistic in the score, the
share of encounters in which the first agent finishes ahead of the other, equal ranks counting half. The
observation is a deal's mean score over all its games, since these are not independent of each other.

The test is the generalized sequential probability ratio test as chess engines' fishtest uses it: Wald's
bounds for the likelihood ratio, maximized under each hypothesis over what it leaves open (Li, Liu & Ying
2014, Generalized sequential probability ratio test for separate families of hypotheses), in the
approximation that Van den Bergh gave fishtest, for normal scores of unknown variance: with s0 and s1 the
scores of elo0 and elo1, its logarithm after n deals x is
n / 2 * log(mean((x - s0)**2) / mean((x - s1)**2)).

In simulations errors were as rare as asked for, except where deals seldom decide or scores are very
skewed: with alpha = beta = 5 %, up to 12 % when one deal in fifty was not 1/2.
"""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

# The approximation is for means over many deals; before this number the test does not decide. Scores of
# which one deal in ten lies far off (0, the others 0.55) led to 16 % of errors for 5 % without it.
LEAST_DEALS = 100
# Deals may all end alike by chance, above all in 1/2 each, and the variance would come out as 0, the
# ratio as infinite. So one more deal is counted that lies 1/2, the most there is, from either score.
GUARD = 0.25


class Sprt:
    """A test under way.

    ``alpha`` and ``beta`` are the chances to accept H1 at elo0, and H0 at elo1. ``decision`` is None,
    "H0" or "H1"; ``llr`` the logarithm of the likelihood ratio; ``bounds`` (lower, upper) where H0
    and H1 are accepted; ``deals`` the number of deals that were used. Raises ValueError for
    arguments that make no test.
    """

    def __init__(self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        if not (math.isfinite(elo0) and math.isfinite(elo1) and elo0 < elo1):
            raise ValueError(f"elo0 must be less than elo1, got elo0 = {elo0} and elo1 = {elo1}")
        for name, chance in (("alpha", alpha), ("beta", beta)):
            if not 0 < chance < 0.5:
                raise ValueError(f"{name} must lie between 0 and 0.5, got {chance}")
        self.bounds = (math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha))
        self.decision: str | None = None
        self.llr = 0.0
        self.deals = 0
        self._from_half = (score(elo0) - 0.5, score(elo1) - 0.5)
        self._sum = 0.0  # of scores less 1/2
        self._squares = 0.0

    def update(self, scores: np.ndarray) -> None:
        """Take more deals' scores (D,), in [0, 1], in the deals' order; none after the decision.

        How deals are cut into calls does not matter. Raises ValueError for other arrays.
        """
        scores = np.asarray(scores, np.float64)
        if scores.ndim != 1 or not ((scores >= 0) & (scores <= 1)).all():
            raise ValueError("scores must be an array of one number from 0 to 1 for each deal")
        if self.decision is not None or not len(scores):
            return
        deals = self.deals + np.arange(1, len(scores) + 1)
        # cumsum adds one after the other, so that the sums are the same for any cut.
        sums = np.cumsum([self._sum, *(scores - 0.5)])[1:]
        squares = np.cumsum([self._squares, *(scores - 0.5) ** 2])[1:]
        about = [squares - 2 * s * sums + deals * s**2 + GUARD for s in self._from_half]
        ratios = deals / 2 * np.log(about[0] / about[1])
        low, high = self.bounds
        crossed = np.flatnonzero((deals >= LEAST_DEALS) & ((ratios <= low) | (ratios >= high)))
        last = int(crossed[0]) if len(crossed) else len(scores) - 1
        self.deals, self.llr = int(deals[last]), float(ratios[last])
        self._sum, self._squares = float(sums[last]), float(squares[last])
        if len(crossed):
            self.decision = "H1" if self.llr >= high else "H0"


def score(elo: float) -> float:
    """The share of encounters to finish ahead in, for a difference in Elo."""
    return 1 / (1 + 10 ** (-elo / 400))


def deal_scores(table: pa.Table, one: str, other: str) -> np.ndarray:
    """``scores_by_deal`` of rows as a run writes them, by the agents' labels."""
    rows = table.sort_by([("game", "ascending"), ("seat", "ascending")])
    players = int(rows["seat"].to_numpy().max(initial=0)) + 1
    agent = rows["agent"].to_pandas()
    agents = np.select([agent == one, agent == other], [0, 1], 2).reshape(-1, players)
    ranks = rows["rank"].to_numpy().reshape(-1, players)
    deals = rows["deal"].to_numpy().reshape(-1, players)[:, 0]
    return scores_by_deal(agents, ranks, deals, 0, 1)


def scores_by_deal(
    agents: np.ndarray, ranks: np.ndarray, deals: np.ndarray, one: int, other: int
) -> np.ndarray:
    """A score for each deal in which agents ``one`` and ``other`` met, in the deals' order.

    The score is the mean over all their encounters (two copies at a table meet another agent twice)
    of 1 where ``one`` has the better rank, 1/2 where the ranks are equal, 0 otherwise. ``agents`` and
    ``ranks`` integers (G, P), ``deals`` integers (G,): the deal of each game.
    """
    is_one, is_other = agents == one, agents == other
    met = is_one[:, :, None] & is_other[:, None, :]
    ahead = (1 + np.sign(ranks[:, None, :] - ranks[:, :, None])) / 2
    _, deal = np.unique(deals, return_inverse=True)
    encounters = np.bincount(deal, weights=met.sum(axis=(1, 2)))
    total = np.bincount(deal, weights=(ahead * met).sum(axis=(1, 2)))
    scores: np.ndarray = total[encounters > 0] / encounters[encounters > 0]
    return scores
