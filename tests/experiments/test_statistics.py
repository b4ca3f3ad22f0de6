"""Tournament statistics against a slow computation in plain Python that a reader can check."""

import json
import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import stats

from experiments.statistics import Estimate, ResultsError, Summary, read_manifest, summarize

Row = dict[str, Any]

SCHEMA = pa.schema(
    {
        "game": pa.int64(),
        "deal": pa.int64(),
        "seating": pa.int16(),
        "seat": pa.int8(),
        "agent": pa.dictionary(pa.int16(), pa.string()),
        "points": pa.int32(),
        "rank": pa.int8(),
        "win_share": pa.float32(),
        "rounds": pa.int16(),
    }
)


def one_game(game: int, deal: int, seating: int, agents: Sequence[str], points: Sequence[int]):
    """The rows of a game in which more points are better."""
    winners = points.count(max(points))
    return [
        {
            "game": game,
            "deal": deal,
            "seating": seating,
            "seat": seat,
            "agent": agent,
            "points": points[seat],
            "rank": 1 + sum(other > points[seat] for other in points),
            "win_share": 1 / winners if points[seat] == max(points) else 0.0,
            "rounds": 5 + deal % 3 + seating,
        }
        for seat, agent in enumerate(agents)
    ]


def tournament(tables: Sequence[Sequence[str]], seed: int = 0) -> list[Row]:
    """One deal for each table, played once in every rotation, with few points so that many tie."""
    chance = random.Random(seed)
    rows: list[Row] = []
    for deal, table in enumerate(tables):
        luck = [chance.randrange(3) for _ in table]
        for seating in range(len(table)):
            agents = [*table[seating:], *table[:seating]]
            points = [
                luck[seat] + chance.randrange(3) + len(agent) % 2
                for seat, agent in enumerate(agents)
            ]
            rows += one_game(len(rows) // len(table), deal, seating, agents, points)
    return rows


def write_shard(directory: Path, number: int, rows: list[Row]) -> Path:
    path = directory / "games" / f"{number:05d}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), path)
    return path


def write_results(
    directory: Path, rows: list[Row], shards: Iterable[int] = (), **manifest: Any
) -> Path:
    """A results folder whose shards begin at deal 0 and at the deals of ``shards``."""
    starts = [0, *shards]
    for number, start in enumerate(starts):
        end = starts[number + 1] if number + 1 < len(starts) else float("inf")
        write_shard(directory, number, [row for row in rows if start <= row["deal"] < end])
    entries = {
        "game": "dicht_dran_v0",
        "options": {"num_players": 1 + max(row["seat"] for row in rows)},
        "agents": sorted({row["agent"] for row in rows}),
        "seed": 1,
        "seating": "rotations",
        "games": len({row["game"] for row in rows}),
        "complete": True,
        "command": "cardgames tournament dicht_dran_v0 --seed 1",
    }
    (directory / "manifest.json").write_text(json.dumps(entries | manifest))
    return directory


def naive_estimate(observations: Iterable[tuple[int, float]]) -> tuple[float, float | None, int]:
    """Mean over deals of the deal's mean, half width of its 95 % interval, number of deals."""
    by_deal = defaultdict(list)
    for deal, value in observations:
        by_deal[deal].append(value)
    means = [statistics.fmean(values) for values in by_deal.values()]
    deals = len(means)
    if deals == 1:
        return means[0], None, 1
    half_width = stats.t.ppf(0.975, deals - 1) * statistics.stdev(means) / deals**0.5
    return statistics.fmean(means), half_width, deals


def naive_encounters(rows: list[Row], row_agent: str, column_agent: str) -> list[tuple[Row, Row]]:
    """Every pair of seats of one game with row_agent in the first and column_agent in the other."""
    games = defaultdict(list)
    for row in rows:
        games[row["game"]].append(row)
    return [
        (one, two)
        for game in games.values()
        for one in game
        for two in game
        if (one["agent"], two["agent"]) == (row_agent, column_agent)
    ]


def agrees(estimate: Estimate, observations: Iterable[tuple[int, float]]) -> bool:
    mean, half_width, deals = naive_estimate(observations)
    assert estimate.deals == deals
    assert estimate.mean == pytest.approx(mean, abs=1e-7)
    if half_width is None:
        assert estimate.interval is None
    else:
        expected = (mean - half_width, mean + half_width)
        assert estimate.interval == pytest.approx(expected, abs=1e-7)
    return True


def of_agent(summary: Summary, agent: str):
    return next(entry for entry in summary.agents if entry.agent == agent)


def leaves(node: Any) -> list[Any]:
    """All numbers and names of a summary's dictionary, in order."""
    if isinstance(node, dict):
        return [leaf for value in node.values() for leaf in leaves(value)]
    if isinstance(node, list | tuple):
        return [leaf for value in node for leaf in leaves(value)]
    return [node]


PLAIN = [["balanced", "greedy", "random"]] * 12
DUPLICATES = [["random", "greedy", "random", "random"]] * 9
MORE_AGENTS_THAN_SEATS = [
    ["a", "bb", "c"],
    ["dd", "bb", "c"],
    ["a", "dd", "e"],
    ["c", "c", "a"],
] * 4
SINGLE_DEAL = [["balanced", "greedy"]]
TABLES = pytest.mark.parametrize(
    "tables",
    [PLAIN, DUPLICATES, MORE_AGENTS_THAN_SEATS, SINGLE_DEAL],
    ids=["plain", "duplicates", "more agents than seats", "single deal"],
)


@TABLES
def test_agents_are_summarized_by_deal(tables, tmp_path):
    rows = tournament(tables)
    summary = summarize(write_results(tmp_path, rows))
    assert {entry.agent for entry in summary.agents} == {row["agent"] for row in rows}
    for entry in summary.agents:
        own = [row for row in rows if row["agent"] == entry.agent]
        assert entry.games == len({row["game"] for row in own})
        assert agrees(entry.win_share, ((row["deal"], row["win_share"]) for row in own))
        assert agrees(entry.points, ((row["deal"], row["points"]) for row in own))
        assert len(entry.places) == len(tables[0])
        for place, share in enumerate(entry.places, start=1):
            assert agrees(share, ((row["deal"], row["rank"] == place) for row in own))


@TABLES
def test_seats_and_game_length_are_summarized_by_deal(tables, tmp_path):
    rows = tournament(tables)
    summary = summarize(write_results(tmp_path, rows))
    assert [entry.seat for entry in summary.seats] == list(range(len(tables[0])))
    for entry in summary.seats:
        own = [row for row in rows if row["seat"] == entry.seat]
        assert agrees(entry.win_share, ((row["deal"], row["win_share"]) for row in own))
        assert agrees(entry.points, ((row["deal"], row["points"]) for row in own))
    assert agrees(summary.rounds, ((row["deal"], row["rounds"]) for row in rows))
    assert summary.deals == len(tables)
    assert summary.games == len({row["game"] for row in rows})
    assert summary.equal_share == pytest.approx(1 / len(tables[0]))


@TABLES
def test_cross_play_compares_every_two_agents_that_met(tables, tmp_path):
    rows = tournament(tables)
    pairs = summarize(write_results(tmp_path, rows)).pairs()
    agents = {row["agent"] for row in rows}
    for row_agent in agents:
        for column_agent in agents - {row_agent}:
            met = naive_encounters(rows, row_agent, column_agent)
            if not met:
                assert (row_agent, column_agent) not in pairs
                continue
            pair = pairs[row_agent, column_agent]
            assert agrees(
                pair.ahead,
                (
                    (one["deal"], (one["rank"] < two["rank"]) + 0.5 * (one["rank"] == two["rank"]))
                    for one, two in met
                ),
            )
            for name in ("win_share", "points"):
                assert agrees(
                    getattr(pair, name), ((one["deal"], one[name] - two[name]) for one, two in met)
                )


def test_agents_are_ranked_by_win_share_with_the_paired_lead_over_the_next(tmp_path):
    rows = tournament(MORE_AGENTS_THAN_SEATS)
    summary = summarize(write_results(tmp_path, rows))
    shares = [entry.win_share.mean for entry in summary.agents]
    assert shares == sorted(shares, reverse=True)
    for entry, following in zip(summary.agents, summary.agents[1:], strict=False):
        met = naive_encounters(rows, entry.agent, following.agent)
        if met:
            differences = [(one["deal"], one["win_share"] - two["win_share"]) for one, two in met]
            assert agrees(entry.lead, differences)
            mean, half_width, _ = naive_estimate(differences)
            assert entry.separated == (mean - half_width > 0)
        else:
            assert entry.lead is None
    assert summary.agents[-1].lead is None
    assert summary.agents[-1].separated is None


def test_a_small_lead_in_every_deal_separates_agents_whose_intervals_overlap(tmp_path):
    # In odd deals the third agent takes all; in even ones first wins two games of three.
    rows: list[Row] = []
    agents = ["first", "second", "third"]
    for deal in range(20):
        for seating in range(3):
            winner = "third" if deal % 2 else ("second" if seating == 0 else "first")
            points = [int(agent == winner) for agent in agents]
            rows += one_game(len(rows) // 3, deal, seating, agents, points)
    summary = summarize(write_results(tmp_path, rows))
    first, second = of_agent(summary, "first"), of_agent(summary, "second")
    assert first.win_share.interval[0] < second.win_share.interval[1]
    assert first.separated
    assert of_agent(summary, "third").separated is False


@pytest.mark.parametrize(("better_wins", "separated"), [(19, True), (11, False)])
def test_agents_that_never_met_are_compared_by_their_own_intervals(
    better_wins, separated, tmp_path
):
    rows: list[Row] = []
    for deal in range(40):
        own = "better" if deal % 2 else "other"
        wins = deal // 2 < better_wins if own == "better" else deal // 2 < 10
        rows += one_game(deal, deal, 0, [own, f"foil of {own}"], [int(wins), int(not wins)])
    summary = summarize(write_results(tmp_path, rows))
    better = of_agent(summary, "better")
    assert better.lead is None
    assert better.separated is separated


def test_nothing_is_separated_by_a_single_deal(tmp_path):
    rows = one_game(0, 0, 0, ["strong", "weak"], [3, 1])
    strong = of_agent(summarize(write_results(tmp_path, rows)), "strong")
    assert strong.lead == Estimate(1.0, None, 1)
    assert strong.win_share.half_width is None
    assert strong.separated is False


def test_the_summary_does_not_depend_on_how_rows_are_cut_and_ordered_in_shards(tmp_path):
    rows = tournament(MORE_AGENTS_THAN_SEATS)
    whole = leaves(summarize(write_results(tmp_path / "whole", rows)).to_dict())
    shuffled = random.Random(1).sample(rows, len(rows))
    cut = leaves(
        summarize(write_results(tmp_path / "cut", shuffled, shards=[1, 2, 7, 13])).to_dict()
    )
    for one, other in zip(cut, whole, strict=True):
        assert one == (pytest.approx(other, abs=1e-12) if isinstance(other, float) else other)


def test_an_empty_shard_changes_nothing(tmp_path):
    rows = tournament(PLAIN)
    directory = write_results(tmp_path, rows)
    whole = summarize(directory).to_dict()
    write_shard(directory, 99, [])
    assert summarize(directory).to_dict() == whole


def test_large_points_do_not_swallow_their_variance(tmp_path):
    offset = 2_000_000_000
    rows = tournament(PLAIN)
    raised = [row | {"points": row["points"] + offset} for row in rows]
    small = summarize(write_results(tmp_path / "small", rows, shards=[3, 8]))
    large = summarize(write_results(tmp_path / "large", raised, shards=[3, 8]))
    for entry in small.agents:
        points = of_agent(large, entry.agent).points
        assert points.mean - offset == pytest.approx(entry.points.mean, abs=1e-5)
        assert points.half_width == pytest.approx(entry.points.half_width, abs=1e-5)


def test_intervals_cover_the_true_mean_in_95_of_100_cases_and_unclustered_ones_do_not(tmp_path):
    # 304 tournaments, sixteen to a folder: agents of their own, 20 deals each in four seatings. A deal
    # gives all its games many or few points, so its games say little more than one of them.
    folders, together, deals, seatings, truth = 19, 16, 20, 4, 1000
    chance = random.Random(7)
    clustered = unclustered = 0
    for folder in range(folders):
        rows: list[Row] = []
        for deal in range(together * deals):
            number = deal // deals
            riches = chance.gauss(truth, 100)
            for seating in range(seatings):
                points = [round(chance.gauss(riches, 40)) for _ in range(2)]
                agents = [f"agent {number}", f"foil {number}"]
                rows += one_game(len(rows) // 2, deal, seating, agents, points)
        summary = summarize(write_results(tmp_path / str(folder), rows))
        for number in range(together):
            low, high = of_agent(summary, f"agent {number}").points.interval
            clustered += low <= truth <= high
            own = [row for row in rows if row["agent"] == f"agent {number}"]
            mean, half_width, _ = naive_estimate((row["game"], row["points"]) for row in own)
            unclustered += abs(mean - truth) <= half_width
    tournaments = folders * together
    assert 0.91 <= clustered / tournaments <= 0.985
    assert unclustered / tournaments < 0.8


@TABLES
def test_comparisons_are_corrected_for_their_number(tables, tmp_path):
    rows = tournament(tables)
    compared = summarize(write_results(tmp_path, rows)).comparisons
    agents = sorted({row["agent"] for row in rows})
    met = {
        (one, two): naive_encounters(rows, one, two)
        for one, two in combinations(agents, 2)
        if naive_encounters(rows, one, two)
    }
    assert {tuple(sorted((pair.better, pair.worse))) for pair in compared} == set(met)
    differences = [pair.difference.mean for pair in compared]
    assert differences == sorted(differences, reverse=True)
    assert min(differences) >= 0
    p_values = {}
    for pair in compared:
        encounters = naive_encounters(rows, pair.better, pair.worse)
        observations = [
            (one["deal"], one["win_share"] - two["win_share"]) for one, two in encounters
        ]
        assert agrees(pair.difference, observations)
        means = list(pd.DataFrame(observations).groupby(0)[1].mean())
        if len(means) == 1:
            assert (pair.family, pair.p_value, pair.adjusted) == (None, None, None)
            assert pair.separated is False
            continue
        expected = stats.t.interval(
            1 - 0.05 / len(met), len(means) - 1, statistics.fmean(means), stats.sem(means)
        )
        assert pair.family == pytest.approx(expected, abs=1e-7)
        p_value = stats.ttest_1samp(means, 0).pvalue
        assert pair.p_value == pytest.approx(max(p_value, 2 * 0.5 ** len(means)), abs=1e-6)
        p_values[pair] = pair.p_value
    # Holm: the k-th smallest of m counts m + 1 - k times, and never less than those before it.
    bound = 0.0
    for k, pair in enumerate(sorted(p_values, key=p_values.__getitem__)):
        bound = max(bound, min(1.0, (len(p_values) - k) * p_values[pair]))
        assert pair.adjusted == pytest.approx(bound)
        assert pair.separated == (bound < 0.05)


def test_a_few_deals_that_are_all_alike_prove_little(tmp_path):
    # Three deals, the same winner: the sign test cannot go below 2 / 2**3.
    rows = [row for deal in range(3) for row in one_game(deal, deal, 0, ["a", "b"], [1, 0])]
    (pair,) = summarize(write_results(tmp_path, rows)).comparisons
    assert pair.p_value == pytest.approx(0.25)
    assert not pair.separated


def naive_independent_variance(observations: Iterable[tuple[int, int, float]]) -> float:
    """Variance of the mean of (game, seating, value) if games shared no deals, seatings fixed."""
    table = pd.DataFrame(observations, columns=["game", "seating", "value"])
    sums = table.groupby(["seating", "game"]).sum()["value"]
    by_seating = sums.groupby("seating")
    return float((by_seating.var() * by_seating.size()).sum() / len(table) ** 2)


@pytest.mark.parametrize("tables", [PLAIN, DUPLICATES], ids=["plain", "duplicates"])
def test_what_duplicate_deals_gain_is_told_of_agents_and_leads(tables, tmp_path):
    rows = tournament(tables)
    duplicate = summarize(write_results(tmp_path, rows, shards=[2, 3])).duplicate
    for agent, factor in duplicate.factors:
        own = [row for row in rows if row["agent"] == agent]
        _, half_width, deals = naive_estimate((row["deal"], row["win_share"]) for row in own)
        realized = (half_width / stats.t.ppf(0.975, deals - 1)) ** 2
        alone = naive_independent_variance(
            (row["game"], row["seating"], row["win_share"]) for row in own
        )
        assert factor == pytest.approx(alone / realized)
    assert len(duplicate.leads) == len({*tables[0]}) * (len({*tables[0]}) - 1) / 2
    for (better, worse), factor in duplicate.leads:
        met = naive_encounters(rows, better, worse)
        values = [
            (one["deal"], one["game"], one["seating"], one["win_share"] - two["win_share"])
            for one, two in met
        ]
        _, half_width, deals = naive_estimate((deal, value) for deal, _, _, value in values)
        realized = (half_width / stats.t.ppf(0.975, deals - 1)) ** 2
        alone = naive_independent_variance(value[1:] for value in values)
        assert factor == pytest.approx(alone / realized)


def test_duplicate_deals_gain_where_the_cards_decide_and_lose_where_a_deal_repeats_itself(tmp_path):
    chance = random.Random(3)
    lucky, same, independent = [], [], []
    for deal in range(2000):
        seat, agent = chance.randrange(2), chance.randrange(2)
        for seating in range(2):
            agents = ["a", "b"] if seating == 0 else ["b", "a"]
            game = 2 * deal + seating
            # Nine times of ten the cards win, whoever holds them …
            winner = seat if chance.random() < 0.9 else 1 - seat
            lucky += one_game(game, deal, seating, agents, [int(k == winner) for k in (0, 1)])
            # … one agent wins both games of the deal …
            same += one_game(game, deal, seating, agents, [int(x == "ab"[agent]) for x in agents])
            # … or nothing connects the two.
            winner = chance.randrange(2)
            independent += one_game(game, deal, seating, agents, [int(k == winner) for k in (0, 1)])

    def factor(name: str, rows: list[Row]) -> float:
        return dict(summarize(write_results(tmp_path / name, rows)).duplicate.factors)["a"]

    # Correlation of the two games' results: -0.8 * 0.8, so the mean's variance is 0.36 of that.
    assert factor("lucky", lucky) == pytest.approx(1 / 0.36, rel=0.15)
    assert factor("same", same) == pytest.approx(0.5)
    assert factor("independent", independent) == pytest.approx(1, rel=0.1)


def test_a_deal_that_always_cancels_out_has_no_factor(tmp_path):
    rows = []
    for deal in range(4):
        for seating, agents in enumerate((["a", "b"], ["b", "a"])):
            rows += one_game(2 * deal + seating, deal, seating, agents, [1, 0])
    duplicate = summarize(write_results(tmp_path, rows)).duplicate
    assert duplicate.factors == (("a", None), ("b", None))
    assert duplicate.leads == ((("a", "b"), None),)


@TABLES
def test_points_are_told_as_distributions(tables, tmp_path):
    rows = tournament(tables)
    summary = summarize(write_results(tmp_path, rows, shards=[1]))
    assert {entry.agent for entry in summary.distributions} == {row["agent"] for row in rows}
    for entry in summary.distributions:
        counts = Counter(row["points"] for row in rows if row["agent"] == entry.agent)
        assert entry.points == tuple(sorted(counts))
        expected = [counts[points] / counts.total() for points in entry.points]
        assert entry.share == pytest.approx(expected)


@pytest.mark.parametrize("sign", [1, -1], ids=["more is better", "fewer is better"])
def test_how_clearly_games_are_won(sign, tmp_path):
    rows = [row | {"points": sign * row["points"]} for row in tournament(PLAIN)]
    summary = summarize(write_results(tmp_path, rows))
    games = defaultdict(list)
    for row in rows:
        games[row["deal"], row["game"]].append(sign * row["points"])
    best = {game: sorted(points, reverse=True) for game, points in games.items()}
    assert agrees(summary.margin, ((game[0], one - two) for game, (one, two, _) in best.items()))
    assert agrees(
        summary.sole_winner, ((game[0], one > two) for game, (one, two, _) in best.items())
    )


def test_there_is_no_margin_between_the_winners_by_a_forfeit(tmp_path):
    rows = one_game(0, 0, 0, ["a", "b", "c"], [9, 4, 1])
    for row, rank in zip(rows, (3, 1, 1), strict=True):
        row |= {"rank": rank, "win_share": (0.0, 0.5)[rank == 1]}
    summary = summarize(write_results(tmp_path, rows))
    assert summary.margin.mean == 0
    assert summary.sole_winner.mean == 0


def test_forfeits_are_counted_by_kind_and_older_shards_have_none(tmp_path):
    rows = tournament(PLAIN)
    directory = write_results(tmp_path, [row for row in rows if row["deal"] < 4])
    assert summarize(directory).forfeits == ()
    kinds = {0: "raised", 4: "timeout", 5: "raised", 9: "raised"}
    late = [row for row in rows if row["deal"] >= 4]
    for k, row in enumerate(late):
        row["forfeit"] = kinds.get(k)
    schema = SCHEMA.append(pa.field("forfeit", pa.dictionary(pa.int8(), pa.string())))
    path = directory / "games" / "00001.parquet"
    pq.write_table(pa.Table.from_pylist(late, schema=schema), path)
    expected = Counter((late[k]["agent"], kind) for k, kind in kinds.items())
    found = {(agent, kind): games for agent, kind, games in summarize(directory).forfeits}
    assert found == expected


@pytest.mark.parametrize("shards", [(), (1, 40, 41, 150, 151)], ids=["whole", "cut"])
def test_convergence_is_told_at_no_more_than_100_points(shards, tmp_path):
    # 201 deals, the last agent from deal 100 on: stretches of four deals.
    tables = [["a", "bb", "c" if deal < 100 else "dd"] for deal in range(201)]
    rows = tournament(tables)
    summary = summarize(write_results(tmp_path, rows, shards=shards))
    convergence = summary.convergence
    assert convergence.deals == (*range(4, 201, 4), 201)
    for agent, estimates in convergence.agents:
        own = [row for row in rows if row["agent"] == agent]
        for deals, estimate in zip(convergence.deals, estimates, strict=True):
            so_far = [(row["deal"], row["win_share"]) for row in own if row["deal"] < deals]
            assert agrees(estimate, so_far) if so_far else estimate is None
        assert estimates[-1].mean == pytest.approx(of_agent(summary, agent).win_share.mean)
    assert len(convergence.agents) == 4


def test_a_short_run_converges_deal_by_deal(tmp_path):
    summary = summarize(write_results(tmp_path / "few", tournament(PLAIN)))
    assert summary.convergence.deals == tuple(range(1, 13))
    assert all(estimates[0].interval is None for _, estimates in summary.convergence.agents)
    assert summarize(write_results(tmp_path / "one", tournament(SINGLE_DEAL))).convergence is None


def line_up_rows(line_ups: Sequence[Sequence[str]], deals: int) -> list[Row]:
    """Every line-up in all rotations, all on the same deal."""
    rows: list[Row] = []
    chance = random.Random(2)
    for deal in range(deals):
        seating = 0
        for line_up in line_ups:
            for turn in range(len(line_up)):
                agents = [*line_up[turn:], *line_up[:turn]]
                points = [chance.randrange(4) + (agent == "a") for agent in agents]
                rows += one_game(len(rows) // len(agents), deal, seating, agents, points)
                seating += 1
    return rows


@pytest.mark.parametrize("copies", [1, 2], ids=["one other", "two others"])
def test_line_ups_are_told_of_the_agent_alone(copies, tmp_path):
    line_ups = [[one, *[other] * copies] for one, other in permutations("abc", 2)]
    rows = line_up_rows(line_ups, 7)
    directory = write_results(tmp_path, rows, shards=[3], line_ups=line_ups, kind="cross_play")
    summary = summarize(directory)
    assert summary.kind == "cross_play"
    assert [[entry.alone, *entry.others] for entry in summary.line_ups] == line_ups
    games = defaultdict(list)
    for row in rows:
        games[row["game"]].append(row["agent"])
    for entry in summary.line_ups:
        own = [
            row
            for row in rows
            if row["agent"] == entry.alone
            and Counter(games[row["game"]]) == Counter([entry.alone, *entry.others])
        ]
        assert own
        assert agrees(entry.win_share, ((row["deal"], row["win_share"]) for row in own))
        assert agrees(entry.points, ((row["deal"], row["points"]) for row in own))
        assert agrees(
            entry.excess, ((row["deal"], row["win_share"] - 1 / (1 + copies)) for row in own)
        )


def test_line_ups_with_the_same_others_are_compared_deal_by_deal(tmp_path):
    """Against copies of c: b less a, the first of the two, each averaged within the deal."""
    line_ups = [[one, *[other] * 2] for one, other in permutations("abc", 2)]
    rows = line_up_rows(line_ups, 7)
    directory = write_results(tmp_path, rows, shards=[3], line_ups=line_ups, kind="cross_play")
    found = {(one.alone, one.others[0]): one.difference for one in summarize(directory).line_ups}
    assert [pair for pair, difference in found.items() if difference is None] == [
        ("a", "b"), ("a", "c"), ("b", "a"),
    ]  # fmt: skip
    players = defaultdict(set)
    for row in rows:
        players[row["game"]].add(row["agent"])

    def share(alone, deal):
        """Of the agent that sits once among two of c."""
        own = [
            row["win_share"]
            for row in rows
            if row["deal"] == deal
            and row["agent"] == alone
            and players[row["game"]] == {alone, "c"}
        ]
        return sum(own[:3]) / 3  # three seatings; then come those of two copies against one c

    differences = [share("b", deal) - share("a", deal) for deal in range(7)]
    assert found["b", "c"].mean == pytest.approx(statistics.mean(differences))
    half = stats.t.ppf(0.975, 6) * statistics.stdev(differences) / 7**0.5
    assert found["b", "c"].half_width == pytest.approx(half)


def test_line_ups_that_do_not_fit_the_games_are_refused(tmp_path):
    rows = line_up_rows([["a", "b"], ["a", "c"]], 2)
    directory = write_results(tmp_path, rows, line_ups=[["a", "b"]])
    assert "none of the manifest's line_ups" in refusal(directory)
    write_results(tmp_path, rows, line_ups=[["a", "b"], ["a", "nobody"]])
    assert "line_ups names nobody" in refusal(directory)


def test_a_tournament_tells_only_how_many_line_ups_it_has(tmp_path):
    summary = summarize(write_results(tmp_path, tournament(PLAIN), line_ups=6))
    assert summary.line_ups == ()
    assert summary.kind == "tournament"


@TABLES
def test_the_summary_is_valid_json(tables, tmp_path):
    summary = summarize(write_results(tmp_path, tournament(tables)))
    text = json.dumps(summary.to_dict(), allow_nan=False)
    assert json.loads(text)["kind"] == "tournament"


@pytest.fixture
def results(tmp_path) -> Path:
    return write_results(tmp_path, tournament(PLAIN), shards=[5])


def refusal(directory: Path) -> str:
    """The message of the error that the folder gives, which must be one line with a remedy."""
    with pytest.raises(ResultsError) as caught:
        summarize(directory)
    message = str(caught.value)
    assert "\n" not in message
    assert any(remedy in message for remedy in ("run the tournament", "resume", "results folder"))
    return message


def test_a_folder_without_manifest_is_refused(results):
    (results / "manifest.json").unlink()
    assert "manifest.json: not found" in refusal(results)


@pytest.mark.parametrize("text", ["{", "[]", "\x00"])
def test_a_damaged_manifest_is_refused(text, results):
    (results / "manifest.json").write_text(text)
    assert "manifest.json: " in refusal(results)


@pytest.mark.parametrize("key", ["agents", "game", "seed"])
def test_a_manifest_lacking_an_entry_is_refused_by_name(key, results):
    manifest = read_manifest(results)
    del manifest[key]
    (results / "manifest.json").write_text(json.dumps(manifest))
    assert f"manifest.json: lacks {key}" in refusal(results)


def test_a_manifest_lacking_the_number_of_players_is_refused(results):
    manifest = read_manifest(results) | {"options": {}}
    (results / "manifest.json").write_text(json.dumps(manifest))
    assert "manifest.json: lacks options.num_players" in refusal(results)


def test_a_folder_without_shards_is_refused(results):
    for shard in (results / "games").iterdir():
        shard.unlink()
    assert "games: holds no *.parquet" in refusal(results)


def test_shards_without_any_game_are_refused(results):
    for number in range(2):
        write_shard(results, number, [])
    assert "games: the shards hold no game" in refusal(results)


@pytest.mark.parametrize("kept", [0, 3, 400])
def test_a_cut_shard_is_refused_by_name(kept, results):
    shard = results / "games" / "00001.parquet"
    shard.write_bytes(shard.read_bytes()[:kept])
    assert "00001.parquet: cannot be read" in refusal(results)


def test_a_shard_with_damaged_pages_is_refused_by_name(results):
    shard = results / "games" / "00001.parquet"
    content = bytearray(shard.read_bytes())
    content[4:600] = bytes(596)  # after the magic number, well before the footer
    shard.write_bytes(content)
    assert "00001.parquet: cannot be read" in refusal(results)


def test_a_shard_with_missing_columns_is_refused_by_their_names(results):
    shard = results / "games" / "00001.parquet"
    pq.write_table(pq.read_table(shard).drop_columns(["rank", "points"]), shard)
    assert "00001.parquet: lacks the columns points, rank" in refusal(results)


def test_a_shard_with_an_unknown_agent_is_refused(results):
    manifest = read_manifest(results) | {"agents": ["balanced", "greedy"]}
    (results / "manifest.json").write_text(json.dumps(manifest))
    assert "00000.parquet: random is not among the manifest's agents" in refusal(results)


@pytest.mark.parametrize("dropped", [1, 3])
def test_a_shard_with_an_unfinished_game_is_refused(dropped, results):
    rows = [row for row in tournament(PLAIN) if row["deal"] >= 5]
    write_shard(results, 1, rows[:-dropped] + rows[: dropped - 1])
    assert "00001.parquet: not every game has one row" in refusal(results)


def test_tables_that_take_turns_are_no_noise(tmp_path):
    """Stratified by table: the textbook's formula (Cochran 1977, 5.3), from the rows alone."""
    rows = tournament([["a", "b"], ["a", "c"]] * 30)
    summary = summarize(write_results(tmp_path, rows, shards=[7], tables=2))
    by_deal = defaultdict(list)
    for row in rows:
        if row["agent"] == "a":
            by_deal[row["deal"]].append(row["win_share"])
    means = {deal: statistics.mean(shares) for deal, shares in by_deal.items()}
    n = len(means)
    variance = 0.0
    for table in (0, 1):
        own = [mean for deal, mean in means.items() if deal % 2 == table]
        variance += (len(own) / n) ** 2 * statistics.variance(own) / len(own)
    found = next(agent for agent in summary.agents if agent.agent == "a").win_share
    assert found.mean == pytest.approx(statistics.mean(means.values()))
    half = stats.t.ppf(0.975, n - 1) * variance**0.5
    assert found.half_width == pytest.approx(half)
    plain = summarize(write_results(tmp_path, rows, shards=[7]))
    other = next(agent for agent in plain.agents if agent.agent == "a").win_share
    assert other.half_width != pytest.approx(half, rel=1e-6)
