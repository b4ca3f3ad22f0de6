"""The sequential test: its formula by hand, its errors by simulation, its scores by brute force."""

import math
import statistics
from collections import defaultdict

import numpy as np
import pyarrow as pa
import pytest
from scipy import stats

from experiments.sequential import LEAST_DEALS, Sprt, deal_scores, scores_by_deal
from tests.experiments.test_statistics import SCHEMA, TABLES, naive_encounters, tournament


def score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def test_the_ratio_is_that_of_normal_scores_of_unknown_variance():
    test = Sprt(0, 40)
    scores = [0.25, 0.5, 1.0, 0.75, 0.0, 0.5]
    test.update(np.array(scores))
    # The most likely variance under a hypothesis is the mean square about its score; one more deal
    # lies at a distance of 1/2.
    variances = [
        (sum((x - mean) ** 2 for x in scores) + 0.25) / len(scores) for mean in (0.5, score(40))
    ]
    likelihoods = [-len(scores) / 2 * math.log(variance) for variance in variances]
    assert test.llr == pytest.approx(likelihoods[1] - likelihoods[0])
    assert (test.deals, test.decision) == (6, None)


def test_the_ratio_is_close_to_the_one_in_chess_engines_tests():
    # (s1 - s0) (2 m - s0 - s1) / (2 variance of the mean): Van den Bergh's first approximation.
    scores = np.random.default_rng(2).binomial(4, 0.51, 3000) / 4
    test = Sprt(0, 5)
    for k in range(0, 600, 200):
        test.update(scores[k : k + 200])
    used = scores[: test.deals]
    low, high = score(0), score(5)
    expected = (high - low) * (2 * used.mean() - low - high) / (2 * used.var() / len(used))
    assert test.llr == pytest.approx(expected, rel=0.02)


def test_the_bounds_are_walds():
    assert Sprt(0, 5).bounds == pytest.approx((-math.log(19), math.log(19)))
    assert Sprt(0, 5, alpha=0.01, beta=0.1).bounds == pytest.approx(
        (math.log(0.1 / 0.99), math.log(0.9 / 0.01))
    )


@pytest.mark.parametrize("elo", [-20, 40])
@pytest.mark.parametrize("block", [1, 7, 100, 1000])
def test_the_decision_does_not_depend_on_how_deals_are_cut_into_blocks(block, elo):
    scores = np.random.default_rng(3).beta(2, 2, 20_000) + score(elo) - 0.5
    scores = scores.clip(0, 1)
    whole = Sprt(0, 20)
    whole.update(scores)
    assert whole.decision == ("H0" if elo < 0 else "H1")
    cut = Sprt(0, 20)
    for start in range(0, len(scores), block):
        cut.update(scores[start : start + block])
        if cut.decision:
            break
    assert (cut.decision, cut.llr, cut.deals) == (whole.decision, whole.llr, whole.deals)
    assert start <= cut.deals <= start + block


def test_nothing_changes_after_the_decision():
    test = Sprt(0, 50)
    test.update(np.ones(500))
    before = (test.decision, test.llr, test.deals)
    assert before[0] == "H1"
    test.update(np.zeros(5000))
    assert (test.decision, test.llr, test.deals) == before


def simulate(elo: float, encounters: int, tests: int, seed: int) -> tuple[float, float]:
    """How often H1 is accepted and after how many deals on average, for a truth of ``elo``.

    A deal's score is the mean of its encounters, of which half share the deal's luck.
    """
    chance = np.random.default_rng(seed)
    accepted, deals = [], []
    for _ in range(tests):
        test = Sprt(0, 20)
        while test.decision is None:
            luck = chance.random((200, 1)) < score(elo)
            own = chance.random((200, encounters)) < score(elo)
            shared = chance.random((200, encounters)) < 0.5
            test.update(np.where(shared, luck, own).mean(axis=1))
        accepted.append(test.decision == "H1")
        deals.append(test.deals)
    return statistics.fmean(accepted), statistics.fmean(deals)


def test_errors_are_as_rare_as_asked_for_and_deals_are_saved():
    tests, encounters = 400, 4
    false_alarms, deals_0 = simulate(0, encounters, tests, seed=1)
    found, deals_1 = simulate(20, encounters, tests, seed=2)
    margin = 3 * (0.05 * 0.95 / tests) ** 0.5
    assert 0 < false_alarms < 0.05 + margin
    assert 0 < 1 - found < 0.05 + margin
    # What a test of a fixed number of deals would need for the same two errors. Two encounters of a
    # deal are correlated by 1/4: both share the luck.
    variance = 0.25 * (1 + (encounters - 1) / 4) / encounters
    fixed = (2 * stats.norm.ppf(0.95) / (score(20) - score(0))) ** 2 * variance
    assert deals_0 < 0.65 * fixed
    assert deals_1 < 0.65 * fixed
    # Half-way both ends are as likely, and it takes longest.
    undecided, deals = simulate(10, encounters, tests, seed=3)
    assert undecided == pytest.approx(0.5, abs=0.1)
    assert max(deals_0, deals_1) < deals


@pytest.mark.parametrize(("elo0", "elo1", "decision"), [(0, 5, "H0"), (-5, 0, "H1")])
def test_deals_that_all_end_alike_do_not_decide_at_once(elo0, elo1, decision):
    test = Sprt(elo0, elo1)
    test.update(np.full(LEAST_DEALS - 1, 0.5))
    assert test.decision is None
    test.update(np.full(100_000, 0.5))
    assert test.decision == decision
    # The ratio stays finite and is reached step by step.
    assert test.deals > LEAST_DEALS
    assert abs(test.llr) < 3


def test_seldom_decisive_deals_are_waited_for():
    # Nine deals of ten end in 1/2. Without a guard the first of them look certain.
    chance = np.random.default_rng(5)
    wrong = 0
    for _ in range(300):
        test = Sprt(0, 20)
        while test.decision is None:
            decisive = [0.05 + (score(20) - 0.5), 0.05 - (score(20) - 0.5)]
            test.update(chance.choice([1, 0, 0.5], 200, p=[*decisive, 0.9]))
        wrong += test.decision == "H0"
    assert wrong / 300 < 0.1


def test_no_decision_comes_before_the_least_number_of_deals():
    test = Sprt(0, 100)
    test.update(np.ones(99))
    assert test.decision is None
    assert test.llr > test.bounds[1]
    test.update(np.ones(2))
    assert (test.decision, test.deals) == ("H1", 100)


def test_deals_that_seldom_go_far_wrong_are_waited_for():
    # Most deals end slightly above 1/2, the others in 0: the first few flatter the agent.
    chance = np.random.default_rng(8)
    wrong = 0
    for _ in range(400):
        test = Sprt(0, 20)
        while test.decision is None:
            test.update(np.where(chance.random(200) < 0.5 / 0.55, 0.55, 0.0))
        wrong += test.decision == "H1"
    assert wrong / 400 < 0.1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"elo0": 5, "elo1": 5}, "elo0 must be less than elo1"),
        ({"elo0": 5, "elo1": 0}, "elo0 must be less than elo1"),
        ({"elo0": 0, "elo1": math.nan}, "elo0 must be less than elo1"),
        ({"elo0": -math.inf, "elo1": 0}, "elo0 must be less than elo1"),
        ({"elo0": 0, "elo1": 5, "alpha": 0}, "alpha must lie between 0 and 0.5"),
        ({"elo0": 0, "elo1": 5, "alpha": 0.5}, "alpha must lie between 0 and 0.5"),
        ({"elo0": 0, "elo1": 5, "beta": -0.1}, "beta must lie between 0 and 0.5"),
        ({"elo0": 0, "elo1": 5, "beta": math.nan}, "beta must lie between 0 and 0.5"),
    ],
)
def test_arguments_that_make_no_test_are_refused_by_name(arguments, message):
    with pytest.raises(ValueError, match=message):
        Sprt(**arguments)


@pytest.mark.parametrize("scores", [[[0.5]], [1.5], [-0.1], [math.nan]])
def test_what_is_no_score_is_refused(scores):
    with pytest.raises(ValueError, match="one number from 0 to 1 for each deal"):
        Sprt(0, 5).update(np.array(scores))


def test_no_deals_change_nothing():
    test = Sprt(0, 5)
    test.update(np.zeros(0))
    assert (test.deals, test.llr, test.decision) == (0, 0.0, None)


@TABLES
def test_a_deals_score_is_the_share_of_its_encounters(tables):
    rows = tournament(tables)
    agents = sorted({row["agent"] for row in rows})
    players = len(tables[0])

    def by_game(name: str) -> np.ndarray:
        values = [agents.index(row[name]) if name == "agent" else row[name] for row in rows]
        return np.array(values).reshape(-1, players)

    for one in agents:
        for other in set(agents) - {one}:
            by_deal = defaultdict(list)
            for own, their in naive_encounters(rows, one, other):
                ahead = 0.5 if own["rank"] == their["rank"] else float(own["rank"] < their["rank"])
                by_deal[own["deal"]].append(ahead)
            expected = [statistics.fmean(by_deal[deal]) for deal in sorted(by_deal)]
            found = scores_by_deal(
                by_game("agent"),
                by_game("rank"),
                by_game("deal")[:, 0],
                agents.index(one),
                agents.index(other),
            )
            assert found == pytest.approx(expected)
            shuffled = np.random.default_rng(0).permutation(len(rows))
            table = pa.Table.from_pylist([rows[k] for k in shuffled], schema=SCHEMA)
            assert deal_scores(table, one, other) == pytest.approx(expected)
