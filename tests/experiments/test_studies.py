"""Decision studies: classes, means, and what they find where the answer is known."""

import io
import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scipy import stats

import cardgames_env
from cardgames_env import Agent
from cardgames_env.core.game import get_game
from experiments import studies
from experiments.alternatives import Trial, try_alternatives
from experiments.lineup import Contestant, contestants
from experiments.plots import png
from experiments.statistics import Estimate, ResultsError
from experiments.studies.classes import compared, representatives, shortfalls
from experiments.studies.means import EVERYBODY, Means
from experiments.studies.study import Table
from experiments.tournament import plan

# -- running a study -------------------------------------------------------------------------------


def run(directory, game, study, line_up, *, games=30, blocks=3, options=None, **numbers):
    """A study's folder, as a run leaves it."""
    tournament = plan(game, options or {}, line_up, games=games, seed=3)
    numbers = {"playouts": 2, "worlds": 2, "share": 1.0} | numbers
    (directory / "alternatives").mkdir(parents=True)
    manifest = {
        "game": tournament.game.id, "options": tournament.options, "seed": 3, "study": study,
        "agents": [c.label for c in line_up], "seating": "rotations", "games": tournament.games,
        "complete": True, "command": "",
    }  # fmt: skip
    (directory / "manifest.json").write_text(json.dumps(manifest))
    per_deal = tournament.games_per_deal
    step = -(-tournament.games // per_deal // blocks) * per_deal
    for index, first in enumerate(range(0, tournament.games, step)):
        table = try_alternatives(
            tournament.game, tournament.options, line_up, tournament.tables,
            studies.get(game, study).question, root=3, first_game=first,
            count=min(step, tournament.games - first), **numbers,
        )  # fmt: skip
        pq.write_table(table, directory / "alternatives" / f"block-{index:06d}.parquet")
    return directory


def table_of(result, name):
    """A table of a result as a frame."""
    table = next(table for table in result.tables if table.name == name)
    return pd.DataFrame(table.rows, columns=table.columns)


def all_rows(directory):
    return pd.concat([pd.read_parquet(path) for path in sorted(directory.glob("alternatives/*"))])


# -- Dicht dran, with a policy whose blunder is known ------------------------------------------------


def blunderer(view, obs, mask, memory, params, rng):
    """Holding cards that lie in the gap, it plays the one that misses it with most peppers."""
    worst = -1
    for a in range(len(mask)):
        outside = a + 1 < view.gap_low or a + 1 > view.gap_high
        if mask[a] and outside and (worst < 0 or view.peppers[a] > view.peppers[worst]):
            worst = a
    if worst >= 0:
        return worst
    for a in range(len(mask)):
        if mask[a]:
            return a
    return -1


@pytest.fixture(scope="module")
def safety(tmp_path_factory):
    line_up = [
        Contestant("blunderer", Agent("dicht_dran", blunderer)),
        *contestants("dicht_dran", ["safe_gap"]),
    ]
    options = {"num_players": 3, "deals": 1}
    return run(
        tmp_path_factory.mktemp("safety"), "dicht_dran", "safety", line_up, games=60, share=0.3,
        options=options, worlds=6,
    )  # fmt: skip


def test_a_blunder_is_found(safety):
    result = studies.analyse(safety)
    costs = table_of(result, "safety").set_index(["agent", "played"])
    assert costs.loc[("blunderer", "gap card: cost of safety"), "decisions"] == 0
    assert costs.loc[("safe_gap", "other card: cost of risk"), "decisions"] == 0
    chosen = table_of(result, "choices").set_index("agent")["points"]
    assert chosen["blunderer"].interval[1] < -0.5
    assert chosen["safe_gap"].interval[1] > 0  # nothing is found where there is none


def test_how_often_there_was_a_gap_card_is_counted(safety):
    """Against the rows themselves."""
    rows = all_rows(safety)
    rows = rows[rows["agent"] == "blunderer"]
    of_decision = rows.groupby(["game", "decision"])
    any_gap, any_other = of_decision["in_gap"].any(), (~rows["in_gap"].astype(bool)).groupby(
        [rows["game"], rows["decision"]]
    ).any()  # fmt: skip
    line = table_of(studies.analyse(safety), "gap_cards").set_index("agent").loc["blunderer"]
    assert line["choices"] == len(any_gap)
    assert line["gap card in hand %"].mean == pytest.approx(100 * any_gap.mean())
    assert line["choices of both kinds"] == (any_gap & any_other).sum()
    assert line["gap card played %"].mean == 0


def test_the_blocks_do_not_matter(safety, tmp_path):
    one = tmp_path / "one"
    (one / "alternatives").mkdir(parents=True)
    (one / "manifest.json").write_bytes((safety / "manifest.json").read_bytes())
    all_rows(safety).to_parquet(one / "alternatives" / "block-000000.parquet")
    for table, other in zip(
        studies.analyse(safety).tables, studies.analyse(one).tables, strict=True
    ):
        for line, same in zip(table.csv().splitlines(), other.csv().splitlines(), strict=True):
            for cell, again in zip(line.split(","), same.split(","), strict=True):
                assert cell == again or float(cell) == pytest.approx(float(again), abs=1e-9)


def test_tables_and_pictures_are_written(safety):
    result = studies.analyse(safety)
    assert all(len(png(figure)) > 100 for figure in result.figures().values())
    assert all(name.endswith(".png") for name in result.figures())
    (table,) = (table for table in result.tables if table.name == "safety")
    frame = pd.read_csv(io.StringIO(table.csv()))
    assert {"points", "points low", "points high", "points deals"} <= set(frame.columns)


# -- the other studies: their classes, and that they can be evaluated ----------------------------------


@pytest.mark.parametrize(
    ("game", "study", "specs", "games"),
    [
        ("dtc", "bluffing", "bluffer:rate=0.5,counter", 8),
        ("dtc", "calling", "bluffer:rate=0.5,honest", 8),
        ("diddly", "finishing", "greedy,pairs", 8),
        ("dackel_drauf", "stopping", "odds,cautious", 9),
        ("dackel_drauf", "lid", "odds,cautious", 9),
    ],
)
def test_every_study_finds_its_decisions(game, study, specs, games, tmp_path, monkeypatch):
    """The values are made up: to play out four games would take a minute of compiling."""
    made_up = np.random.default_rng(1)
    monkeypatch.setattr(
        Trial,
        "values",
        lambda self, actions, key, decision, seat: made_up.random((len(actions), 6)),
    )
    line_up = contestants(game, specs.split(","))
    folder = run(tmp_path, game, study, line_up, games=games)
    result = studies.analyse(folder)
    assert result.title.startswith(get_game(game).title)
    assert all(table.rows for table in result.tables), [t.name for t in result.tables if not t.rows]
    for table in result.tables:
        assert all(len(row) == len(table.columns) for row in table.rows), table.name
    figures = result.figures()
    assert figures
    assert all(figure.axes for figure in figures.values())


def test_every_game_has_studies_with_names_of_their_own():
    for game in cardgames_env.games():
        known = studies.studies(game)
        assert known, game
        assert all(study.title and study.asks for study in known.values())
    with pytest.raises(ValueError, match="no study 'luck'; studies: bluffing, calling"):
        studies.get("dtc", "luck")


def test_a_folder_without_a_study_is_refused(tmp_path, safety):
    with pytest.raises(ResultsError, match="manifest"):
        studies.analyse(tmp_path)
    (tmp_path / "manifest.json").write_bytes((safety / "manifest.json").read_bytes())
    with pytest.raises(ResultsError, match="holds no block"):
        studies.analyse(tmp_path)
    (tmp_path / "alternatives").mkdir()
    (tmp_path / "alternatives" / "block-000000.parquet").write_bytes(b"PAR1 and nothing else")
    with pytest.raises(ResultsError, match="block-000000"):
        studies.analyse(tmp_path)


# -- classes ---------------------------------------------------------------------------------------

ROWS = pd.DataFrame(
    [
        # game, deal, decision, action, class, chosen, imagined_gain, imagined share, share, gain
        (0, 0, 3, 7, "a", False, 1.0, 0.5, 0.1, 1.0),
        (0, 0, 3, 8, "a", True, 2.0, 0.4, 0.9, 9.0),
        (0, 0, 3, 9, "b", False, 0.0, 0.0, 0.4, 4.0),
        (0, 0, 5, 2, "a", True, 0.0, 0.0, 0.3, 3.0),  # the only one of its decision
        (1, 0, 4, 1, "b", True, 5.0, 0.2, 0.7, 7.0),
        (1, 0, 4, 2, "b", False, 6.0, 0.2, 0.2, 2.0),
        (1, 0, 4, 3, "a", False, 5.0, 0.2, 0.6, 6.0),
        (1, 0, 4, 4, None, False, 99.0, 1.0, 1.0, 10.0),
    ],
    columns=[
        "game", "deal", "decision", "action", "class", "chosen", "imagined_gain",
        "imagined_win_share", "win_share", "gain",
    ],
).assign(agent="x")  # fmt: skip


def test_a_class_is_represented_by_what_looks_best_not_by_what_is():
    chosen = representatives(ROWS).sort_values(["game", "decision", "class"])
    assert chosen["action"].tolist() == [7, 9, 2, 3, 2]
    rows = list(zip(chosen["game"], chosen["decision"], chosen["class"], strict=True))
    assert rows == [(0, 3, "a"), (0, 3, "b"), (0, 5, "a"), (1, 4, "a"), (1, 4, "b")]


def test_two_classes_are_compared_where_both_are_there():
    pairs = compared(ROWS, "a", "b").sort_values("game")
    assert pairs["gain"].tolist() == [1.0 - 4.0, 6.0 - 2.0]
    assert pairs["win_share"].tolist() == pytest.approx([0.1 - 0.4, 0.6 - 0.2])
    assert pairs["took"].tolist() == ["a", "b"]


def test_what_was_chosen_is_compared_with_what_looks_best_of_all():
    pairs = shortfalls(ROWS).sort_values("game")
    assert pairs["gain"].tolist() == [9.0 - 1.0, 7.0 - 10.0]  # where there was a choice


# -- means -----------------------------------------------------------------------------------------


def test_the_interval_of_a_mean_is_that_of_a_ratio_over_deals():
    chance = np.random.default_rng(1)
    deals = np.repeat(np.arange(12), chance.integers(1, 6, 12))
    frame = pd.DataFrame({"deal": deals, "agent": "x", "y": chance.normal(size=len(deals))})
    means = Means()
    for block in (frame[frame["deal"] < 5], frame[frame["deal"] >= 5]):
        means.add(block, "y")
    mean = frame["y"].mean()
    totals = frame.assign(off=frame["y"] - mean).groupby("deal")["off"].sum()
    error = np.sqrt(12 / 11 * (totals**2).sum()) / len(frame)
    half = stats.t.ppf(0.975, 11) * error
    assert means["x",].mean == pytest.approx(mean)
    assert means["x",].interval == pytest.approx((mean - half, mean + half))
    assert means["x",] == means[EVERYBODY,]
    assert means.count(("x",)) == len(frame)
    assert means["y",] is None


def test_with_one_decision_a_deal_it_is_the_interval_of_a_mean():
    values = np.array([1.0, 4.0, 2.0, 8.0])
    means = Means()
    means.add(pd.DataFrame({"deal": range(4), "agent": "x", "v": values}), "v")
    expected = stats.t.interval(0.95, 3, loc=values.mean(), scale=stats.sem(values))
    assert means["x",].interval == pytest.approx(expected)


def test_intervals_hold_what_they_promise():
    """Deals of different sizes whose decisions go together: 95 of 100 intervals hold the mean, 0."""
    chance = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        deals = np.repeat(np.arange(40), chance.integers(1, 8, 40))
        shared = chance.normal(size=40)[deals]
        frame = pd.DataFrame(
            {"deal": deals, "agent": "x", "y": shared + chance.normal(size=len(deals))}
        )
        means = Means()
        means.add(frame, "y")
        low, high = means["x",].interval
        held += low <= 0 <= high
    assert 0.92 < held / 400 < 0.975


def test_missing_values_are_left_out_and_columns_told_apart():
    frame = pd.DataFrame(
        {"deal": [0, 1, 1], "agent": ["x", "x", "y"], "v": [1.0, np.nan, 3.0], "step": [2, 2, 5]}
    )
    means = Means()
    means.add(frame, "v", ["step"])
    assert means.count((EVERYBODY,)) == 2
    assert means.steps("step") == [2, 5]
    assert means["y", "step", 5] == Estimate(3.0, None, 1)
    assert means.agents(["y", "x", "z"]) == ["y", "x", EVERYBODY]


def test_a_table_writes_estimates_as_four_columns():
    estimate = Estimate(1.5, (1.0, 2.0), 7)
    table = Table(
        "t", "T", ("who", "what"), (("a", estimate), ("b", None), ("c", Estimate(2.0, None, 1))), ""
    )
    assert table.csv().splitlines() == [
        "who,what,what low,what high,what deals", "a,1.5,1.0,2.0,7", "b,,,,", "c,2.0,,,1",
    ]  # fmt: skip
