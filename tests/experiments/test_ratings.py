"""Ratings, cycles and social choices against hand computation, raw lists and what resampling must do."""

import json
import random
import sys
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import choix
import numpy as np
import pytest
from scipy import stats

from experiments import ratings
from experiments.comparisons import cycles
from experiments.ratings import fit, maximal_lottery, poisson_weights
from experiments.statistics import Rating, Summary, summarize
from tests.experiments.test_statistics import Row, one_game, tournament, write_results

ELO = 400 / np.log(10)


def duels(results: Sequence[tuple[str, str, float]], seatings: int = 1) -> list[Row]:
    """Games of two, each deal's result (1, 1/2 or 0 for the first) the same in all its games."""
    rows: list[Row] = []
    for deal, (one, other, result) in enumerate(results):
        for seating in range(seatings):
            points = [round(2 * result), round(2 * (1 - result))]
            rows += one_game(deal * seatings + seating, deal, seating, [one, other], points)
    return rows


def rated(directory: Path, rows: list[Row], **folder) -> dict[str, Rating]:
    summary = summarize(write_results(directory, rows, **folder))
    return {rating.agent: rating for rating in summary.ratings}


def test_ratings_are_the_fit_to_all_comparisons_that_rankings_break_into(tmp_path):
    rows = tournament([["a", "bb", "c"], ["dd", "bb", "c"], ["a", "dd", "e"], ["c", "c", "a"]] * 9)
    found = rated(tmp_path, rows)
    # Everything twice, so that an equal rank is a win for each, and so is the prior's encounter.
    agents = sorted(found)
    comparisons = [pair for pair in np.ndindex(len(agents), len(agents)) if pair[0] != pair[1]]
    games: dict[int, list[Row]] = {}
    for row in rows:
        games.setdefault(row["game"], []).append(row)
    for table in games.values():
        for one, other in combinations(table, 2):
            pair = agents.index(one["agent"]), agents.index(other["agent"])
            if pair[0] == pair[1]:
                continue
            if one["rank"] == other["rank"]:
                comparisons += [pair, pair[::-1]]
            else:
                comparisons += [pair if one["rank"] < other["rank"] else pair[::-1]] * 2
    strengths = choix.opt_pairwise(len(agents), comparisons, alpha=0, tol=1e-10)
    for agent, strength in zip(agents, strengths - strengths.mean(), strict=True):
        assert found[agent].elo == pytest.approx(strength * ELO, abs=1e-3)
    elos = [rating.elo for rating in found.values()]
    assert elos == sorted(elos, reverse=True)
    assert sum(elos) == pytest.approx(0, abs=1e-9)


def test_known_strengths_are_found_again(tmp_path):
    # Plackett and Luce's model itself, three at a table: ranks by exponential times.
    truth = {"a": 150.0, "b": 20.0, "c": -40.0, "d": -130.0}
    chance = np.random.default_rng(4)
    rows: list[Row] = []
    for deal in range(4000):
        agents = [str(agent) for agent in chance.permutation(list(truth))[:3]]
        times = chance.exponential([np.exp(-truth[agent] / ELO) for agent in agents])
        rows += one_game(deal, deal, 0, agents, [int(sum(times > time)) for time in times])
    found = rated(tmp_path, rows)
    for agent, elo in truth.items():
        low, high = found[agent].interval
        assert high - low < 40
        assert abs(found[agent].elo - elo) < high - low
    assert summarize(tmp_path).rating_misfit == ()


def test_an_agent_that_always_loses_has_a_finite_rating(tmp_path):
    found = rated(tmp_path, duels([("strong", "weak", 1)] * 50))
    # 50 wins and half a win of the prior, against its other half.
    assert found["strong"].elo - found["weak"].elo == pytest.approx(400 * np.log10(50.5 / 0.5))


def test_rating_intervals_are_those_of_a_share_of_wins(tmp_path):
    wins, deals = 240, 400
    results = [("a", "b", float(k < wins)) for k in range(deals)]
    low, high = rated(tmp_path / "one", duels(results))["a"].interval
    # The delta method for log odds; a's rating is half the difference.
    share = wins / deals
    error = ELO / 2 / np.sqrt(deals * share * (1 - share))
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, deals - 1) * error, rel=0.15)

    # Four games of the same result to a deal say no more than one of them.
    low_4, high_4 = rated(tmp_path / "four", duels(results, seatings=4))["a"].interval
    assert high_4 - low_4 == pytest.approx(high - low, rel=0.02)


def test_a_single_deal_gives_no_rating_interval(tmp_path):
    assert all(one.interval is None for one in rated(tmp_path, duels([("a", "b", 1)])).values())


def test_ratings_are_the_same_however_shards_are_cut_and_ordered(tmp_path):
    rows = tournament([["a", "bb", "c"], ["dd", "bb", "c"], ["a", "dd", "e"]] * 5)
    whole = rated(tmp_path / "whole", rows)
    shuffled = random.Random(1).sample(rows, len(rows))
    assert rated(tmp_path / "cut", shuffled, shards=[1, 5, 6]) == whole


def test_agents_that_met_nobody_are_not_rated(tmp_path):
    rows = duels([("a", "b", 1)] * 3)
    assert rated(tmp_path / "absent", rows, agents=["a", "b", "absent"]).keys() == {"a", "b"}
    assert rated(tmp_path / "copies", duels([("a", "a", 1)] * 3)) == {}


def test_bootstrap_weights_are_poisson_and_belong_to_their_deals():
    weights = poisson_weights(np.arange(5000))
    for value in range(6):
        expected = stats.poisson.pmf(value, 1)
        assert (weights == value).mean() == pytest.approx(expected, abs=4 * (expected / 1e6) ** 0.5)
    by_deal = np.corrcoef(weights[:300])
    by_replicate = np.corrcoef(weights[:, :40].T)
    assert abs(by_deal[np.triu_indices(300, 1)]).max() < 6 / weights.shape[1] ** 0.5
    assert abs(by_replicate[np.triu_indices(40, 1)]).max() < 6 / 5000**0.5
    some = np.array([4000, 17, 2])
    assert (poisson_weights(some) == weights[some]).all()


ROCK, PAPER, SCISSORS = "rock", "paper", "scissors"
CIRCLE = [(PAPER, ROCK, 1.0), (SCISSORS, PAPER, 1.0), (ROCK, SCISSORS, 1.0)]


@pytest.fixture(scope="module")
def circle(tmp_path_factory) -> Summary:
    return summarize(write_results(tmp_path_factory.mktemp("circle"), duels(CIRCLE * 40)))


def test_a_circle_is_shown_where_ratings_see_equals(circle):
    assert [rating.elo for rating in circle.ratings] == pytest.approx([0, 0, 0], abs=1e-6)
    # The labels are in alphabetical order, and the cycle begins with the first.
    assert circle.cycles == ((PAPER, ROCK, SCISSORS),)
    assert {(misfit.row, misfit.column) for misfit in circle.rating_misfit} == {
        (winner, loser) for winner, loser, _ in CIRCLE
    }
    for misfit in circle.rating_misfit:
        assert (misfit.observed, misfit.expected) == (pytest.approx(1), pytest.approx(0.5))


def test_in_a_circle_every_agent_has_its_third(circle):
    thirds = pytest.approx([1 / 3] * 3, abs=1e-6)
    assert [share for _, share in circle.maximal_lottery] == thirds
    pytest.importorskip("pyspiel")
    assert [share for _, share in circle.alpha_rank] == thirds
    json.dumps(circle.to_dict(), allow_nan=False)


def test_a_circle_that_is_not_separated_is_not_claimed(tmp_path):
    results = [(one, other, float(k < 7)) for one, other, _ in CIRCLE for k in range(12)]
    assert summarize(write_results(tmp_path, duels(results))).cycles == ()


def test_the_shortest_cycles_of_every_group_are_told():
    triangle = [(0, 1), (1, 2), (2, 0)]
    square = [(7, 5), (5, 6), (6, 4), (4, 7)]
    assert cycles(triangle + square + [(0, 4), (1, 7)]) == [(0, 1, 2), (4, 7, 5, 6)]
    assert cycles([*square, (7, 6)]) == [(4, 7, 6)]
    assert cycles([(0, 1), (0, 2), (1, 2)]) == []


def test_the_agent_that_beats_all_others_is_the_lottery_and_where_evolution_stays(tmp_path):
    results = [("a", "b", 1), ("a", "c", 1), ("c", "b", 1)] * 40
    summary = summarize(write_results(tmp_path, duels(results)))
    assert summary.cycles == ()
    assert dict(summary.maximal_lottery) == pytest.approx({"a": 1, "b": 0, "c": 0}, abs=1e-9)
    pytest.importorskip("pyspiel")
    assert dict(summary.alpha_rank)["a"] > 0.98


def test_a_lottery_weighs_by_the_margins():
    # Three that beat one another in a circle: each has a chance proportional to the margin
    # between the two others, here 3, 2 and 1.
    margins = np.array([[0, 1, -2], [-1, 0, 3], [2, -3, 0]]) / 10
    assert maximal_lottery(0.5 + margins / 2) == pytest.approx([3 / 6, 2 / 6, 1 / 6])


def test_social_choices_need_that_everyone_has_met_everyone(tmp_path):
    summary = summarize(write_results(tmp_path, duels([("a", "b", 1), ("b", "c", 1)] * 5)))
    assert summary.maximal_lottery is None
    assert summary.alpha_rank is None


def test_without_openspiel_there_is_no_alpha_rank(monkeypatch):
    monkeypatch.setitem(sys.modules, "open_spiel.python.egt", None)
    assert ratings.alpha_rank([(0, 1)], 2) is None


def test_a_fit_starts_from_anywhere():
    wins = np.array([[0, 70, 90], [30, 0, 60], [10, 40, 0]], float)
    assert fit(wins, np.array([-300.0, 500.0, 100.0])) == pytest.approx(fit(wins), abs=1e-4)
