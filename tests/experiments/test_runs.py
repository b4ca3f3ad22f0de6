"""Runs that are killed, that fail, that go on: nothing is lost, and nothing is played otherwise."""

import json
import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

from experiments import config, experiment, folder, tournament
from experiments.engines import Ray, Threads
from experiments.lineup import Contestant, contestants
from tests.experiments.test_cli import cardgames
from tests.experiments.test_tournament import GAME, decisions, played, rows

RUN = ["tournament", "dicht_dran", "--agents", "closest,random,balanced", "--seed", "3"]


def shards(directory):
    """The bytes of all shards below a folder."""
    return {
        str(path.relative_to(directory)): path.read_bytes()
        for path in sorted(directory.rglob("*.parquet"))
    }


def begin(arguments, out, **settings):
    """Start a run in a process of its own; returned once it has written some shards."""
    process = subprocess.Popen(
        [sys.executable, "-m", "experiments.cli", *arguments, "--out", str(out)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while len(list(out.rglob("games/*.parquet"))) < 3:
        assert time.monotonic() < deadline, "no shard was written"
        assert process.poll() is None, process.stderr.read()
        time.sleep(0.01)
    return process


# -- killed and gone on with -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        [*RUN, "--games", "120000", "--decisions", "0.01"],
        ["sweep", "dicht_dran", "--vary", "deals=1,2", "--agents", "closest,random", "--games", "40000"],
    ],
)  # fmt: skip
def test_a_killed_run_goes_on_to_the_same_rows(arguments, tmp_path):
    killed = begin(arguments, tmp_path / "a")
    killed.send_signal(signal.SIGKILL)
    killed.communicate(timeout=60)
    before = shards(tmp_path / "a")
    status, printed, errors = cardgames("run", "a", "--resume", cwd=tmp_path)
    assert status == 0, errors
    assert "Interrupted" not in printed
    status, _, errors = cardgames(*arguments, "--out", "b", cwd=tmp_path)
    assert status == 0, errors
    after = shards(tmp_path / "a")
    assert 0 < len(before) < len(after)
    assert after == shards(tmp_path / "b")
    assert not list((tmp_path / "a").rglob("*.tmp"))
    for manifest in (tmp_path / "a").rglob("manifest.json"):
        assert json.loads(manifest.read_text())["complete"] is True


def test_what_is_there_is_not_played_again(tmp_path):
    played(tmp_path / "run", games=4000)
    times = {path: path.stat().st_mtime_ns for path in (tmp_path / "run" / "games").iterdir()}
    gone = folder.shard_path(tmp_path / "run" / "games", 7)
    whole = gone.read_bytes()
    gone.unlink()
    resumed(tmp_path / "run", games=4000)
    assert gone.read_bytes() == whole
    for path, time_ in times.items():
        assert path == gone or path.stat().st_mtime_ns == time_


def resumed(directory, specs="balanced,closest,random,safe_gap", games=400, **settings):
    plan = tournament.plan(
        GAME, {}, contestants(GAME, specs.split(",")), games=games, seed=7, **settings
    )
    told = []
    assert tournament.run(
        plan, directory, engine=Threads(2), command="test", on_progress=lambda games: None,
        on_damage=told.append, resume=True,
    )  # fmt: skip
    return told


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty"])
def test_a_damaged_shard_is_named_and_played_again(damage, tmp_path):
    played(tmp_path / "run", games=4000)
    path = folder.shard_path(tmp_path / "run" / "games", 3)
    whole = path.read_bytes()
    middle = len(whole) // 3
    flipped = whole[:middle] + bytes([whole[middle] ^ 255]) + whole[middle + 1 :]
    path.write_bytes({"cut": whole[:-40], "flipped": flipped, "empty": b""}[damage])
    status, _, errors = cardgames("report", str(tmp_path / "run"))
    assert status == 2
    assert len(errors.splitlines()) == 1
    assert "block-000003.parquet" in errors
    told = resumed(tmp_path / "run", games=4000)
    assert len(told) == 1
    assert "block-000003.parquet cannot be read" in told[0]
    assert path.read_bytes() == whole


def test_a_shard_of_another_block_is_named_and_played_again(tmp_path):
    played(tmp_path / "run", games=4000)
    whole = shards(tmp_path / "run")
    one, other = (folder.shard_path(tmp_path / "run" / "games", k) for k in (7, 8))
    other.write_bytes(one.read_bytes())
    status, _, errors = cardgames("report", str(tmp_path / "run"))
    assert status == 2
    assert "block-000008.parquet: holds games that earlier shards hold" in errors
    assert "block-000008.parquet holds other rows" in resumed(tmp_path / "run", games=4000)[0]
    assert shards(tmp_path / "run") == whole


def test_a_damaged_manifest_is_named_and_the_run_can_be_replaced(tmp_path):
    arguments = ["tournament", "dicht_dran", "--games", "40", "--out", "run"]
    assert cardgames(*arguments, cwd=tmp_path)[0] == 0
    (tmp_path / "run" / "manifest.json").write_text('{"game"')
    status, _, errors = cardgames("run", "run", "--resume", cwd=tmp_path)
    assert status == 2
    assert "manifest.json cannot be read" in errors
    status, _, errors = cardgames("run", "run", "--force", cwd=tmp_path)
    assert status == 0, errors


def test_force_replaces_a_sweep_by_a_tournament(tmp_path):
    arguments = ["dicht_dran", "--games", "40", "--agents", "closest", "--out", "run"]
    assert cardgames("sweep", *arguments, "--vary", "deals=1,2", cwd=tmp_path)[0] == 0
    status, _, errors = cardgames("tournament", *arguments, cwd=tmp_path)
    assert status == 2
    assert "--force" in errors
    status, _, errors = cardgames("tournament", *arguments, "--force", cwd=tmp_path)
    assert status == 0, errors
    assert not (tmp_path / "run" / "parts").exists()
    assert not (tmp_path / "run" / "parts.json").exists()


def test_damaged_decisions_are_played_again_too(tmp_path):
    played(tmp_path / "run", games=4000, logged=0.2)
    whole = shards(tmp_path / "run")
    folder.shard_path(tmp_path / "run" / "decisions", 2).unlink()
    folder.shard_path(tmp_path / "run" / "decisions", 5).write_bytes(b"")
    told = resumed(tmp_path / "run", games=4000, logged=0.2)
    assert len(told) == 1
    assert "decisions/block-000005.parquet cannot be read" in told[0]
    assert shards(tmp_path / "run") == whole


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"games": 800}, "games 400, now 800"),
        ({"specs": "balanced,closest,random,balanced"}, "agents"),
        ({"specs": "balanced:prize=2,closest,random,safe_gap"}, "agents"),
        ({"seating": "full"}, "seating"),
        ({"logged": 0.5}, "decisions 0.0, now 0.5"),
        ({"move_timeout": 3.0}, "move_timeout null, now 3.0"),
    ],
)
def test_another_configuration_is_refused(change, key, tmp_path):
    played(tmp_path / "run", games=400)
    before = shards(tmp_path / "run")
    with pytest.raises(ValueError, match=f"begun with another configuration: {key}"):
        resumed(tmp_path / "run", **change)
    assert shards(tmp_path / "run") == before


def test_other_rules_are_refused(tmp_path, monkeypatch):
    played(tmp_path / "run", games=400)
    monkeypatch.setattr(tournament, "sources", lambda: "other")
    with pytest.raises(ValueError, match="played with other rules or agents"):
        resumed(tmp_path / "run")


def test_a_sweep_with_other_values_is_refused(tmp_path):
    arguments = ["sweep", "dicht_dran", "--games", "40", "--out", "run"]
    status, _, errors = cardgames(*arguments, "--vary", "deals=1,2", cwd=tmp_path)
    assert status == 0, errors
    status, _, errors = cardgames(*arguments, "--vary", "deals=1,3", "--resume", cwd=tmp_path)
    assert status == 2
    assert "another configuration: vary" in errors


# -- what can go wrong around it -------------------------------------------------------------------


def test_a_full_disk_is_one_line_and_the_rest_can_be_played_later(tmp_path):
    """The limit on a file's size is the kernel's own refusal to write on."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))

    arguments = [*RUN, "--games", "2000", "--out", "run"]
    command = [sys.executable, "-m", "experiments.cli", *arguments]
    result = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, preexec_fn=limit, timeout=300
    )
    assert result.returncode == 2, result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert "File too large" in lines[0]
    assert "block-" in lines[0] or "manifest.json" in lines[0]
    assert not list((tmp_path / "run").rglob("*.tmp"))


def test_memory_does_not_grow_with_the_games(tmp_path):
    """Peak memory of a run with its report: ten times the games, about the same."""

    def peak(games):
        command = [
            sys.executable, "-c",
            "import resource, sys; from experiments.cli import cli; "
            "cli.main(sys.argv[1:], standalone_mode=False); "
            "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)",
            *RUN, "--games", str(games), "--out", str(tmp_path / str(games)),
        ]  # fmt: skip
        result = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
        return int(result.stdout.split()[-1]) / 1024

    assert peak(200_000) < peak(20_000) + 30  # MiB; all rows of the larger one would be 60


# -- agents that fail ------------------------------------------------------------------------------


class Failing:
    """Plays the lowest card, but raises, dawdles or breaks the rules in every third game."""

    def __init__(self, how):
        self.how = how
        self.games = 0

    def reset(self, seed):
        self.games = seed

    def __call__(self, observation, mask, info):
        if self.games % 3 == 0:
            if self.how == "raised":
                raise KeyError("lost")
            if self.how == "timeout":
                while True:  # an endless loop, not a sleep: it must be stopped
                    self.games += 3
            return 10**6
        return int(mask.argmax())


@pytest.mark.parametrize("how", ["raised", "timeout", "illegal"])
def test_an_agent_that_fails_forfeits_the_game_and_the_run_goes_on(how, tmp_path):
    line_up = [
        Contestant("failing", Failing(how), slow=True), *contestants(GAME, ["closest", "random"])
    ]  # fmt: skip
    plan = tournament.plan(GAME, {}, line_up, games=24, seed=7, move_timeout=0.05)
    folder.prepare_folder(tmp_path / "run", force=False)
    assert tournament.run(
        plan, tmp_path / "run", engine=Threads(2), command="test", on_progress=lambda games: None
    )
    table = rows(tmp_path / "run")
    assert table["game"].nunique() == 24
    lost = table[table["forfeit"].notna()]
    assert 0 < lost["game"].nunique() < 24
    assert (lost["forfeit"] == how).all()
    assert (lost["agent"] == "failing").all()
    assert (lost["rank"] == 4).all()
    assert (lost["win_share"] == 0).all()
    others = table[table["game"].isin(lost["game"]) & table["forfeit"].isna()]
    assert (others["rank"] == 1).all()
    assert np.allclose(others["win_share"], 1 / 3)
    (failure,) = json.loads((tmp_path / "run" / "manifest.json").read_text())["failures"]
    assert failure["agent"] == "failing"
    assert failure["kind"] == how
    assert failure["game"] == lost["game"].min()
    assert ("KeyError: 'lost'" in failure["traceback"]) == (how == "raised")


class Unwell:
    """Fails at the beginning of every game, in a way of its own."""

    def __init__(self, how):
        self.how = how

    def reset(self, seed):
        if self.how == "hangs":
            time.sleep(60)
        if self.how == "untold":
            raise UntoldError
        raise ValueError("\udcff is no text" if self.how == "surrogate" else "unwell")

    def __call__(self, observation, mask, info):
        return int(mask.argmax())


class UntoldError(Exception):
    def __str__(self):
        raise RuntimeError


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        ("plain", "raised", "ValueError in game 0: unwell"),
        ("hangs", "timeout", "took more than 0.05 s in game 0"),
        ("untold", "raised", "UntoldError in game 0: (it cannot be told)"),
        ("surrogate", "raised", "ValueError in game 0: \\udcff is no text"),
    ],
)
def test_an_agent_that_fails_at_the_beginning_forfeits_too(how, kind, message, tmp_path):
    line_up = [Contestant("unwell", Unwell(how), slow=True), *contestants(GAME, ["closest"])]
    plan = tournament.plan(GAME, {}, line_up, games=4, seed=7, move_timeout=0.05)
    folder.prepare_folder(tmp_path / "run", force=False)
    assert tournament.run(
        plan, tmp_path / "run", engine=Threads(1), command="", on_progress=lambda games: None
    )
    assert (rows(tmp_path / "run").groupby("game")["forfeit"].first() == kind).all()
    (failure,) = json.loads((tmp_path / "run" / "manifest.json").read_text())["failures"]
    assert message in failure["message"]


def test_an_agent_that_cannot_be_copied_is_refused_before_the_run():
    class Single(Unwell):
        def __deepcopy__(self, memo):
            raise TypeError("there is only one")

    with pytest.raises(ValueError, match="Single has reset, .* cannot be copied"):
        tournament.plan(GAME, {}, [Contestant("single", Single(""))], games=4, seed=7)


def test_an_agent_that_ends_the_program_only_forfeits(tmp_path):
    def quits(observation, mask, info):
        sys.exit(0)

    table = played(tmp_path / "run", [Contestant("quits", quits, slow=True)], games=4)
    assert (table.groupby("game")["forfeit"].count() == 1).all()


def test_a_compiled_agent_that_breaks_the_rules_forfeits(tmp_path):
    from cardgames_env import Agent

    def beyond(view, obs, mask, memory, params, rng):
        return 1_000_000

    line_up = [Contestant("beyond", Agent(GAME, beyond)), *contestants(GAME, ["closest"])]
    table = played(tmp_path / "run", line_up, games=40, logged=1.0)
    assert table["game"].nunique() == 40
    lost = table[table["forfeit"].notna()]
    assert len(lost) == 40
    assert (lost["agent"] == "beyond").all()
    log = decisions(tmp_path / "run")
    assert (log["agent"] == "closest").all()  # a choice that could not be made is no decision


# -- line-ups and sequential tests -----------------------------------------------------------------


def test_in_cross_play_everyone_meets_copies_of_everyone_else_on_each_deal(tmp_path):
    wanted = config.experiment(
        {"kind": "cross_play", "game": "dicht_dran", "agents": ["closest", "random", "balanced"],
         "games": 72, "options": {"num_players": 3}}
    )  # fmt: skip
    (part,) = experiment.parts(wanted)
    assert part.tournament.games_per_deal == 6 * 3
    folder.prepare_folder(tmp_path, force=False)
    tournament.run(
        part.tournament, tmp_path, engine=Threads(1), command="", on_progress=lambda games: None
    )
    table = rows(tmp_path)
    for _, deal in table.groupby("deal"):
        tables = deal.groupby("game")["agent"].apply(lambda a: tuple(sorted(a)))
        assert tables.value_counts().to_dict() == {
            tuple(sorted((a, b, b))): 3 for a in wanted.agents for b in wanted.agents if a != b
        }
    assert json.loads((tmp_path / "manifest.json").read_text())["line_ups"][0] == [
        "closest", "random", "random",
    ]  # fmt: skip


def test_a_ladder_sets_each_agent_against_the_one_before():
    wanted = config.experiment(
        {"kind": "ladder", "game": "dtc", "agents": ["random", "honest", "counter"]}
    )
    (part,) = experiment.parts(wanted)
    assert part.tournament.line_ups == ((1, 0, 0, 0), (2, 1, 1, 1))


def test_each_agent_sits_alone_against_the_opponents_in_every_order():
    wanted = config.experiment(
        {
            "game": "dtc",
            "agents": ["honest", "random"],
            "opponents": ["counter", "bluffer", "bayes"],
        }
    )
    (part,) = experiment.parts(wanted)
    labels = [c.label for c in part.tournament.contestants]
    assert labels == ["honest", "random", "counter", "bluffer", "bayes"]
    (seatings,) = part.tournament.tables.tolist()
    assert len(seatings) == len({tuple(s) for s in seatings}) == 2 * 24


def until(tmp_path, name, threads, resume=False):
    wanted = config.experiment(
        {"game": "dicht_dran", "agents": ["balanced", "closest", "random"], "games": 400_000,
         "until_decided": {"agents": ["balanced", "closest"], "elo0": 0.0, "elo1": 0.25}}
    )  # fmt: skip
    (part,) = experiment.parts(wanted)
    if not resume:
        folder.prepare_folder(tmp_path / name, force=False)
    assert tournament.run(
        part.tournament, tmp_path / name, engine=Threads(threads), command="",
        on_progress=lambda games: None, resume=resume,
    )  # fmt: skip
    manifest = json.loads((tmp_path / name / "manifest.json").read_text())
    return manifest["decision"], manifest["games_done"]


def test_a_run_until_decided_ends_at_the_same_block_whatever_the_threads(tmp_path):
    one = until(tmp_path, "one", 1)
    assert one[0]["hypothesis"] == "H1"
    assert one[1] < 400_000
    assert until(tmp_path, "three", 3) == one
    assert shards(tmp_path / "one") == shards(tmp_path / "three")
    os.unlink(folder.shard_path(tmp_path / "three" / "games", 1))
    assert until(tmp_path, "three", 2, resume=True) == one
    assert shards(tmp_path / "one") == shards(tmp_path / "three")


# -- a cluster -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster():
    """A Ray cluster of two workers on this machine."""
    engine = Ray(workers=2)
    yield engine
    engine.close()


class Dying:
    """Takes its whole process with it, once: the file tells whether it has happened."""

    def __init__(self, file):
        self.file = file

    def __call__(self, observation, mask, info):
        if not self.file.exists():
            self.file.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return int(mask.argmax())


def test_ray_plays_the_same_files_also_when_a_worker_dies(cluster, tmp_path):
    def files(name, engine):
        line_up = [
            Contestant("dying", Dying(tmp_path / "dead"), slow=True), *contestants(GAME, ["closest"])
        ]  # fmt: skip
        plan = tournament.plan(GAME, {}, line_up, games=80, seed=7, logged=0.5)
        folder.prepare_folder(tmp_path / name, force=False)
        assert tournament.run(
            plan, tmp_path / name, engine=engine, command="", on_progress=lambda games: None
        )
        return shards(tmp_path / name)

    on_ray = files("ray", cluster)
    assert (tmp_path / "dead").exists()
    assert len(on_ray) == 2 * 40
    assert files("threads", Threads(2)) == on_ray
    manifest = json.loads((tmp_path / "ray" / "manifest.json").read_text())
    assert manifest["engine"] == "ray"
    assert manifest["complete"] is True


def test_an_error_of_a_block_comes_back_from_the_cluster(cluster, tmp_path):
    def broken(task, block):
        raise OSError(28, "no space", "somewhere")

    import threading

    with pytest.raises(OSError, match="no space"):
        list(cluster.results(broken, None, [0], threading.Event()))


def test_no_cluster_at_an_address_is_one_clear_line(tmp_path):
    status, _, errors = cardgames(
        "tournament", "dicht_dran", "--engine", "ray", "--address", "127.0.0.1:1", cwd=tmp_path
    )
    assert status == 2
    assert "no Ray cluster at 127.0.0.1:1" in errors.splitlines()[-1]
    assert not list(tmp_path.iterdir())


def test_results_come_in_order_and_stop_when_told():
    import threading

    stop = threading.Event()

    def slow_first(task, block):
        time.sleep(0.2 if block == 0 else 0)
        if block == 5:
            stop.set()
        return block

    got = list(Threads(3).results(slow_first, None, range(100), stop))
    assert got == list(range(len(got)))
    assert 6 <= len(got) < 20


def test_rows_are_the_same_in_a_table_with_and_without_a_time_limit(tmp_path):
    line_up = "balanced,closest"
    plain = played(tmp_path / "a", line_up, games=40)
    plan = tournament.plan(
        GAME, {}, contestants(GAME, line_up.split(",")), games=40, seed=7, move_timeout=5.0
    )
    folder.prepare_folder(tmp_path / "b", force=False)
    tournament.run(plan, tmp_path / "b", engine=Threads(1), command="", on_progress=lambda g: None)
    pd.testing.assert_frame_equal(plain, rows(tmp_path / "b"))
