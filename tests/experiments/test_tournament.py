"""Tournaments: what is played, what is kept, and that nothing depends on the threads."""

import dataclasses
import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import agents
from cardgames_env.core.game import NOTHING, LogColumn, get_game
from cardgames_env.core.log import DecisionLog
from experiments import folder, report, seating, tournament
from experiments.decisions import decision_table
from experiments.engines import Threads
from experiments.lineup import Contestant, contestants

GAME = "dicht_dran_v0"


def played(directory, specs="balanced,closest,random,safe_gap", games=400, threads=1, **options):
    """The rows of a small tournament, in the order of the shards."""
    order = options.pop("seating", seating.ROTATIONS)
    logged = options.pop("logged", 0.0)
    line_up = contestants(GAME, specs.split(",")) if isinstance(specs, str) else specs
    plan = tournament.plan(
        GAME, options, line_up, games=games, seed=7, seating=order, logged=logged
    )
    folder.prepare_folder(directory, force=False)
    done = []
    complete = tournament.run(
        plan, directory, engine=Threads(threads), command="test", on_progress=done.append
    )
    assert complete
    assert sum(done) == plan.games
    return rows(directory)


def rows(directory):
    shards = sorted((Path(directory) / "games").iterdir())
    return pd.concat([pd.read_parquet(shard) for shard in shards], ignore_index=True)


class InPython:
    """A user's own object: it is asked through the public call, and told of new games."""

    def __init__(self, agent):
        self.agent = agent

    def reset(self, seed):
        self.agent.reset(seed)

    def __call__(self, observation, mask, info):
        assert np.array_equal(info["action_mask"], mask)
        return self.agent(observation, mask, info)


def test_the_rows_are_the_same_for_any_number_of_threads(tmp_path):
    one = played(tmp_path / "1", threads=1, games=2000)
    three = played(tmp_path / "3", threads=3, games=2000)
    pd.testing.assert_frame_equal(one, three)


def test_a_row_a_game_and_seat_with_the_promised_columns(tmp_path):
    table = played(tmp_path / "run", games=40)
    assert list(table.columns) == [
        "game", "deal", "seating", "seat", "agent", "points", "rank", "win_share", "rounds",
        "forfeit",
    ]  # fmt: skip
    assert len(table) == 40 * 4
    assert sorted(table["game"].unique()) == list(range(40))
    assert (table["deal"] == table["game"] // 4).all()
    assert (table["seating"] == table["game"] % 4).all()
    for _, game in table.groupby("game"):
        assert game["seat"].tolist() == [0, 1, 2, 3]
        assert game["win_share"].sum() == pytest.approx(1)
        best = game["points"] == game["points"].max()
        assert (best == (game["rank"] == 1)).all()
        assert (game["win_share"] > 0).equals(best)


def test_every_agent_sits_once_at_every_seat_of_a_deal(tmp_path):
    table = played(tmp_path / "run", games=40)
    for _, deal in table.groupby("deal"):
        assert (deal.groupby("agent", observed=True)["seat"].nunique() == 4).all()


def test_a_deal_has_the_same_cards_under_every_seating(tmp_path):
    """Four copies of an agent that draws no random numbers: every seating is the same game."""
    table = played(tmp_path / "run", "closest,closest,closest,closest", games=80)
    assert table["agent"].unique().tolist() == ["closest", "closest#2", "closest#3", "closest#4"]
    for _, deal in table.groupby("deal"):
        assert (deal.groupby("seat")["points"].nunique() == 1).all()
    assert table.groupby("deal")["points"].sum().nunique() > 10


def test_more_agents_than_seats_meet_at_every_combination_of_tables():
    tables = seating.seat_tables(4, 3, seating.ROTATIONS)
    assert tables.shape == (4, 3, 3)
    assert {frozenset(table[0]) for table in tables.tolist()} == {
        frozenset(c) for c in ([0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3])
    }


def test_fewer_agents_than_seats_go_round_and_no_seating_is_played_twice():
    assert seating.seat_tables(2, 4, seating.ROTATIONS).tolist() == [[[0, 1, 0, 1], [1, 0, 1, 0]]]


@pytest.mark.parametrize("neighbours_matter", [False, True])
@pytest.mark.parametrize("order", seating.SEATINGS)
@pytest.mark.parametrize(("agents_", "players"), [(3, 4), (2, 5), (4, 5), (2, 3), (6, 4), (2, 4)])
def test_everybody_sits_equally_often_at_every_seat(agents_, players, order, neighbours_matter):
    tables = seating.seat_tables(agents_, players, order, neighbours_matter=neighbours_matter)
    for seat in range(players):
        counts = np.bincount(tables[:, :, seat].ravel(), minlength=agents_)
        assert len(set(counts.tolist())) == 1


@pytest.mark.parametrize(("agents_", "players"), [(4, 4), (5, 4), (5, 3), (2, 2), (6, 6)])
def test_where_neighbours_matter_everybody_gives_to_everybody_equally_often(agents_, players):
    """Rotations alone keep everyone's left neighbour: the order typed would decide the table."""
    tables = seating.seat_tables(agents_, players, seating.ROTATIONS, neighbours_matter=True)
    left = np.zeros((agents_, agents_), int)
    for seat in range(players):
        np.add.at(left, (tables[:, :, seat], tables[:, :, (seat + 1) % players]), 1)
    assert not left.diagonal().any()
    pairs = left[~np.eye(agents_, dtype=bool)]
    assert len(set(pairs.tolist())) == 1


def test_there_are_no_more_tables_than_can_be_kept():
    tables = seating.seat_tables(12, 6, seating.ROTATIONS, neighbours_matter=True)
    assert len(tables) <= seating.MAX_TABLES
    assert (np.sort(tables, axis=2)[:, 0] == np.sort(tables, axis=2)[:, 3]).all()


def test_a_short_run_with_many_agents_has_everybody_at_the_table():
    tables = seating.seat_tables(8, 4, seating.ROTATIONS)
    games = np.bincount(tables[:10, 0].ravel(), minlength=8)
    assert games.min() >= 2


def test_one_agent_alone_fills_the_table():
    assert seating.seat_tables(1, 3, seating.FULL).tolist() == [[[0, 0, 0]]]


def test_full_seating_plays_all_orders(tmp_path):
    tables = seating.seat_tables(4, 4, seating.FULL)
    assert tables.shape == (1, 24, 4)
    assert len({tuple(order) for order in tables[0].tolist()}) == 24
    table = played(tmp_path / "run", games=30, seating=seating.FULL)
    assert table["game"].nunique() == 48  # rounded up to whole deals


def test_the_manifest_holds_what_reproduces_the_run(tmp_path):
    played(tmp_path / "run", "balanced:prize=2,random", games=40, num_players=3)
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["game"] == GAME
    assert manifest["agents"] == ["balanced:prize=2", "random"]
    assert manifest["parameters"]["balanced:prize=2"]["prize"] == 2
    assert manifest["seed"] == 7
    assert manifest["options"]["num_players"] == 3
    assert len(manifest["options"]["peppers"]) == 100
    assert manifest["complete"] is True
    assert manifest["games_done"] == manifest["games"]
    assert {"python", "numba", "numpy", "cardgames_env"} <= set(manifest["versions"])


def test_a_python_agent_plays_the_same_games_in_the_slower_lane(tmp_path):
    fast = played(tmp_path / "fast", "balanced,random,safe_gap,closest", games=24)
    players = [agents.get(GAME, name) for name in ("balanced", "random", "safe_gap", "closest")]

    line_up = [Contestant(p.name, InPython(p)) for p in players]
    slow = played(tmp_path / "slow", line_up, games=24, threads=2)
    pd.testing.assert_frame_equal(fast, slow)


# -- the decision log ------------------------------------------------------------------------------


def shards(directory, folder):
    return sorted(path.name for path in (directory / folder).iterdir())


def decisions(directory):
    """The log, read as a whole: a shard without rows knows no agents."""
    return pd.read_parquet(directory / "decisions")


def test_every_decision_has_a_row_with_a_documented_meaning(tmp_path):
    games = played(tmp_path / "run", games=40, logged=1.0)
    table = decisions(tmp_path / "run")
    schema = pq.read_schema(tmp_path / "run" / "decisions" / "block-000000.parquet")
    assert list(table.columns)[:8] == [
        "game", "deal", "seating", "decision", "seat", "agent", "action", "legal_actions",
    ]  # fmt: skip
    own = get_game(GAME).log_columns
    assert list(table.columns)[8:] == [column.name for column in own]
    for column in own:
        field = schema.field(column.name)
        assert field.metadata[b"meaning"].decode() == column.meaning
        assert field.type == pa.from_numpy_dtype(column.type)
    assert sorted(table["game"].unique()) == list(range(40))
    assert (table["deal"] == table["game"] // 4).all()
    assert (table["seating"] == table["game"] % 4).all()
    assert (table["decision"] == table.groupby("game").cumcount()).all()
    assert table["won"].dtype == bool
    assert (table.groupby("game")["won"].sum() == games.groupby("game")["rounds"].first()).all()
    who = games.set_index(["game", "seat"])["agent"]
    assert (
        who.loc[list(zip(table["game"], table["seat"], strict=True))].values == table["agent"]
    ).all()


def test_the_log_changes_no_game_and_is_the_same_for_any_number_of_threads(tmp_path):
    without = played(tmp_path / "0", games=2000)
    for threads in (1, 2):
        games = played(tmp_path / str(threads), games=2000, logged=0.05, threads=threads)
        pd.testing.assert_frame_equal(games, without)
    one, two = (decisions(tmp_path / str(threads)) for threads in (1, 2))
    pd.testing.assert_frame_equal(one, two)
    assert 5 < one["deal"].nunique() < 60


def test_a_sample_keeps_whole_deals_of_the_full_log(tmp_path):
    played(tmp_path / "all", games=400, logged=1.0)
    played(tmp_path / "some", games=400, logged=0.2)
    everything, sample = (decisions(tmp_path / run) for run in ("all", "some"))
    assert (sample.groupby("deal")["seating"].nunique() == 4).all()
    there = everything[everything["deal"].isin(sample["deal"])].reset_index(drop=True)
    assert 0 < len(there) < len(everything)
    pd.testing.assert_frame_equal(sample, there)


def test_the_log_of_python_agents_is_that_of_the_compiled_ones(tmp_path):
    names = ("balanced", "random", "safe_gap", "closest")
    played(tmp_path / "fast", ",".join(names), games=24, logged=0.5)
    line_up = [Contestant(name, InPython(agents.get(GAME, name))) for name in names]
    played(tmp_path / "slow", line_up, games=24, logged=0.5)
    fast, slow = (decisions(tmp_path / run) for run in ("fast", "slow"))
    assert len(fast) > 0
    pd.testing.assert_frame_equal(fast, slow)


def test_a_block_without_a_deal_of_the_sample_has_an_empty_shard(tmp_path):
    played(tmp_path / "run", games=40, logged=1e-12)
    assert shards(tmp_path / "run", "decisions") == shards(tmp_path / "run", "games")
    table = pd.read_parquet(tmp_path / "run" / "decisions")
    assert len(table) == 0
    assert "drawn" in table.columns


def test_nothing_is_written_of_decisions_that_are_not_logged(tmp_path):
    played(tmp_path / "run", games=40)
    assert not (tmp_path / "run" / "decisions").exists()
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["decisions"] == 0
    played(tmp_path / "logged", games=40, logged=0.25)
    assert json.loads((tmp_path / "logged" / "manifest.json").read_text())["decisions"] == 0.25


def test_blocks_of_logged_games_stay_small_and_hold_whole_deals():
    def blocks(games, logged):
        line_up = contestants(GAME, ["random", "closest", "balanced"])
        plan = tournament.plan(GAME, {}, line_up, games=games, seed=1, logged=logged)
        assert plan.block_games % plan.games_per_deal == 0
        return plan.block_games

    assert blocks(100_000_000, 1.0) <= 2000
    assert 190_000 < blocks(100_000_000, 0.0) * 10 < 260_000
    assert blocks(100_000_000, 1e-320) == blocks(100_000_000, 0.0)
    assert blocks(10_000, 1.0) == blocks(10_000, 0.0)


def test_the_shard_of_decisions_is_there_before_that_of_the_games(tmp_path, monkeypatch):
    """So that a block whose games are there is finished."""
    write = tournament.write_shard

    def full_disk(folder, index, table):
        if folder.name == "games" and index == 3:
            raise OSError("disk full")
        write(folder, index, table)

    monkeypatch.setattr(tournament, "write_shard", full_disk)
    with pytest.raises(OSError, match="disk full"):
        played(tmp_path / "run", games=2000, logged=0.1)
    assert "block-000003.parquet" in shards(tmp_path / "run", "decisions")
    assert "block-000003.parquet" not in shards(tmp_path / "run", "games")
    assert set(shards(tmp_path / "run", "games")) < set(shards(tmp_path / "run", "decisions"))


def test_force_removes_the_decisions_of_the_run_before(tmp_path):
    played(tmp_path / "run", games=40, logged=1.0)
    (tmp_path / "run" / "decisions" / "block-000009.tmp").write_text("of a run that was killed")
    folder.prepare_folder(tmp_path / "run", force=True)
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["games"]
    played(tmp_path / "run", games=40, logged=1.0)
    (tmp_path / "run" / "decisions" / "notes.txt").write_text("mine")
    folder.prepare_folder(tmp_path / "run", force=True)
    assert shards(tmp_path / "run", "decisions") == ["notes.txt"]


@pytest.mark.parametrize("force", [False, True])
def test_somebody_elses_decisions_folder_is_refused(tmp_path, force):
    (tmp_path / "decisions").mkdir()
    (tmp_path / "decisions" / "block-000000.parquet").write_text("mine")
    with pytest.raises(ValueError, match="decisions is not a run's"):
        folder.prepare_folder(tmp_path, force=force)
    assert shards(tmp_path, "decisions") == ["block-000000.parquet"]


def log_of(own):
    """Two decisions of a game, with these values in the game's own columns."""
    own = np.array(own, np.int32)
    numbers = np.arange(len(own))
    return DecisionLog(7 + 0 * numbers, numbers, numbers, numbers, numbers, numbers, own)


def some_game(*columns):
    return dataclasses.replace(get_game(GAME), log_columns=columns)


def test_what_has_no_value_is_null():
    game = some_game(LogColumn("won", "", "?"), LogColumn("drawn", "", "i1"))
    table = decision_table(game, log_of([[1, NOTHING], [NOTHING, 3]]), 4, pa.array(["a", "b"]))
    assert table["won"].to_pylist() == [True, None]
    assert table["drawn"].to_pylist() == [None, 3]
    assert table["agent"].to_pylist() == ["a", "b"]
    assert table["deal"].to_pylist() == [1, 1]
    assert table["seating"].to_pylist() == [3, 3]


def test_a_value_that_its_column_cannot_hold_is_refused():
    game = some_game(LogColumn("drawn", "", "i1"))
    with pytest.raises(pa.ArrowInvalid, match="128 not in range"):
        decision_table(game, log_of([[1], [128]]), 4, pa.array(["a", "b"]))


# -- the folder ------------------------------------------------------------------------------------


def test_results_are_not_overwritten_unless_forced(tmp_path):
    played(tmp_path / "run", games=40)
    with pytest.raises(ValueError, match="holds the results of a run"):
        folder.prepare_folder(tmp_path / "run", force=False)
    (tmp_path / "run" / "notes.txt").write_text("mine")
    folder.prepare_folder(tmp_path / "run", force=True)
    assert sorted(p.name for p in (tmp_path / "run").iterdir()) == ["games", "notes.txt"]
    assert not list((tmp_path / "run" / "games").iterdir())


def test_force_removes_only_a_tournaments_own_files(tmp_path):
    played(tmp_path / "run", games=4)
    (tmp_path / "run" / "holiday.png").write_text("mine")
    (tmp_path / "run" / "games" / "save.txt").write_text("mine")
    (tmp_path / "run" / "games" / "block-000001.tmp").write_text("of a run that was killed")
    folder.prepare_folder(tmp_path / "run", force=True)
    kept = sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file())
    assert kept == ["run/games/save.txt", "run/holiday.png"]


def test_an_empty_games_folder_is_taken(tmp_path):
    """As a run leaves it that is killed before its first file."""
    (tmp_path / "games").mkdir()
    folder.prepare_folder(tmp_path, force=False)


@pytest.mark.parametrize("force", [False, True])
def test_somebody_elses_games_folder_is_refused(tmp_path, force):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "block-000000.parquet").write_text("mine")
    with pytest.raises(ValueError, match="is not a run's"):
        folder.prepare_folder(tmp_path, force=force)
    assert (tmp_path / "games" / "block-000000.parquet").read_text() == "mine"


def test_python_agents_that_keep_things_play_the_same_for_any_number_of_threads(tmp_path):
    def table(threads):
        rng = np.random.default_rng(3)
        agent = lambda observation, mask, info: int(rng.choice(np.flatnonzero(mask)))  # noqa: E731
        line_up = [Contestant("stateful", agent, slow=True), *contestants(GAME, ["closest"])]
        return played(tmp_path / str(threads), line_up, games=40, threads=threads)

    pd.testing.assert_frame_equal(table(1), table(4))


def test_labels_tell_what_differs_from_the_defaults():
    labels = [c.label for c in contestants(GAME, ["balanced", "balanced:prize=1.460", " random"])]
    assert labels == ["balanced", "balanced#2", "random"]
    assert contestants(GAME, ["balanced:prize=2.0"])[0].label == "balanced:prize=2"


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("monte_carlo:50", "expected monte_carlo:parameter=value, got '50'"),
        ("balanced:prize=1:prize=2", "prize is given twice"),
        ("monte_carlo:simulations=1.5", "must be a whole number"),
        ("balanced:prize=nan", "must be a number in 0 … 10"),
    ],
)
def test_agents_that_cannot_be_are_refused(spec, message):
    with pytest.raises(ValueError, match=message):
        contestants(GAME, [spec])


def test_a_free_folder_is_numbered(tmp_path):
    path, claim = folder.claim_free(tmp_path / "run")
    assert path.name == "run"
    assert folder.claim_free(tmp_path / "run")[0].name == "run-2"
    with claim:
        played(tmp_path / "run", games=4)
    assert folder.claim_free(tmp_path / "run")[0].name == "run-2"


def test_a_folder_is_one_runs_alone_and_left_as_it_was(tmp_path):
    with (
        folder.claim(tmp_path / "a" / "run"),
        pytest.raises(ValueError, match="another run is playing"),
    ):
        folder.claim(tmp_path / "a" / "run")
    assert not list(tmp_path.iterdir())
    with folder.claim(tmp_path / "a" / "run"):
        played(tmp_path / "a" / "run", games=4)
    names = {path.name for path in (tmp_path / "a" / "run").iterdir()}
    assert names == {"games", "manifest.json"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"games": 0}, "games must be 1 or more"),
        ({"seating": "some"}, "seating must be one of"),
        ({"logged": 1.01}, "share of the deals that are logged must be 0 … 1"),
        ({"contestants": []}, "1 … 16 agents"),
        ({"options": {"num_players": 7}}, "num_players must be 2 … 5"),
    ],
)
def test_impossible_plans_are_refused(change, message):
    arguments = {
        "game": GAME,
        "options": {},
        "contestants": contestants(GAME, ["random"]),
        "games": 4,
        "seed": 1,
    } | change
    with pytest.raises(ValueError, match=message):
        tournament.plan(**arguments)


def test_ctrl_c_leaves_a_usable_result(tmp_path):
    """A real process, a real signal: exit status 130, whole shards, a report that says so."""
    out = tmp_path / "run"
    command = [sys.executable, "-m", "experiments.cli", "tournament", "dicht_dran"]
    arguments = ["--games", "100000000", "--agents", "closest,random", "--out", str(out)]
    arguments += ["--decisions", "0.1"]
    process = subprocess.Popen(
        [*command, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 120
    while not list(out.glob("games/*.parquet")):
        assert time.monotonic() < deadline, "no shard was written"
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "Interrupted: this covers" in printed
    assert "Traceback" not in errors
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["complete"] is False
    table = rows(out)
    assert table["game"].nunique() == manifest["games_done"] > 0
    assert decisions(out)["game"].isin(table["game"]).all()
    for name in ("games", "decisions"):
        assert not list((out / name).glob("*.tmp"))
    assert shards(out, "decisions") == shards(out, "games")
    assert (out / "report.md").exists()
    assert report.write_report(out)[0].complete is False


def test_better_agents_win_more(tmp_path):
    """balanced, closest, safe_gap, random in this order, on deals not used to tune any weight."""
    table = played(tmp_path / "run", games=4000, threads=2)
    share = table.groupby("agent", observed=True)["win_share"].mean()
    assert share["balanced"] > share["closest"] > share["safe_gap"] > share["random"]
    assert share["random"] < 0.01
