"""The command line: what it shows, and that mistakes are answered in one line with status 2."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pexpect
import pytest

import cardgames_env
from cardgames_env.core.game import get_game
from experiments.cli import read_options


@pytest.mark.parametrize(
    ("game", "given", "option", "value"),
    [
        ("dackel_drauf_v0", "notice=0.25", "notice", 0.25),
        ("dackel_drauf_v0", "notice=1", "notice", 1),
        ("dackel_drauf_v0", "memory=agent", "memory", "agent"),
        ("dackel_drauf_v0", "takeback=True", "takeback", True),
        ("dackel_drauf_v0", "win_threshold=None", "win_threshold", None),
        ("dackel_drauf_v0", f"faces={[[d % 9] * 6 for d in range(15)]}", "faces",
         [[d % 9] * 6 for d in range(15)]),
        ("dicht_dran_v0", "peppers=" + ",".join("2" * 100), "peppers", [2] * 100),
    ],
)  # fmt: skip
def test_rule_options_of_every_type_can_be_given(game, given, option, value):
    assert read_options(get_game(game), None, (given,))[option] == value


def cardgames(*arguments, cwd=None):
    """Run ``cardgames`` in a process of its own: (status, standard output, standard error)."""
    command = [sys.executable, "-m", "experiments.cli", *arguments]
    result = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)
    return result.returncode, result.stdout, result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tournament", "dicht"], "no game 'dicht' (did you mean 'dicht_dran'?)"),
        (["tournament"], "Missing argument 'GAME'"),
        (["tournamnet", "dicht_dran"], "No such command 'tournamnet'"),
        (["tournament", "dicht_dran", "--gamse", "3"], "No such option"),
        (["tournament", "dicht_dran", "--games", "many"], "not a valid integer"),
        (
            ["tournament", "dicht_dran", "--games", "0"],
            "games: input should be greater than or equal to 1",
        ),
        (["tournament", "dicht_dran", "--seed", "-1"], "seed must be in 0"),
        (["tournament", "dicht_dran", "--threads", "0"], "threads: input should be greater than"),
        (["tournament", "dicht_dran", "--agents", "blanced"], "did you mean 'balanced'?"),
        (["tournament", "dicht_dran", "--agents", "balanced:miss=x"], "'x' is not a number"),
        (["tournament", "dicht_dran", "--agents", "balanced:mis=1"], "did you mean 'miss'?"),
        (["tournament", "dicht_dran", "--agents", "nowhere:agent"], "cannot be imported"),
        (["tournament", "dicht_dran", "--players", "6"], "num_players must be 2 … 5"),
        (["tournament", "dicht_dran", "-o", "deals=0"], "deals must be 1 …"),
        (["tournament", "dackel_drauf", "-o", "notice=1.5"], "from 0 to 1, got 1.5"),
        (["tournament", "dackel_drauf", "-o", "notice=often"], "from 0 to 1, got 'often'"),
        (["tournament", "dicht_dran", "-o", "dals=1"], "did you mean 'deals'?"),
        (["tournament", "dicht_dran", "-o", "deals"], "expected NAME=VALUE"),
        (["tournament", "dicht_dran", "-o", "peppers=1,2,3"], "100 integers in 1 … 3"),
        (
            ["tournament", "dicht_dran", "--decisions", "some"],
            "--decisions must be all, or a share",
        ),
        (["tournament", "dicht_dran", "--decisions", "0"], "above 0 and at most 1, got '0'"),
        (["tournament", "dicht_dran", "--decisions", "1.5"], "at most 1, got '1.5'"),
        (["tournament", "dicht_dran", "--decisions", "nan"], "at most 1, got 'nan'"),
        (["tournament", "dicht_dran", "--out", "/proc/nowhere"], "/proc/nowhere"),
        (["agents", "chess"], "no game 'chess'"),
        (["play", "dicht_dran", "--seat", "4"], "--seat must be 0 … 3"),
        (["play", "dicht_dran", "--opponents", "random,random"], "1 or 3 agents"),
        (["replay", "nowhere.json"], "cannot read nowhere.json"),
        (["bench", "--seconds", "0"], "--seconds must be above 0"),
        (["report", "nowhere"], "nowhere"),
        (
            ["tournament", "dicht_dran", "-o", "reward=points"],
            "has no option 'reward'; options: num",
        ),
        (["play", "dicht_dran", "--players", "3", "-o", "num_players=4"], "is given twice"),
    ],
)
def test_a_mistake_is_one_clear_line_and_status_2(arguments, message, here):
    status, _, errors = here(*arguments)
    check_mistake(status, errors, message)
    assert not list(Path().iterdir())


def check_mistake(status, errors, message):
    """One line that says what is wrong."""
    assert status == 2
    lines = [
        line for line in errors.splitlines() if not line.startswith("cardgames_env: compiling")
    ]
    assert len(lines) == 1, errors
    assert lines[0].startswith("cardgames: ")
    assert message in lines[0]


def test_a_mistake_looks_the_same_in_a_process_of_its_own(tmp_path):
    status, printed, errors = cardgames("tournament", "dicht", cwd=tmp_path)
    check_mistake(status, errors, "no game 'dicht'")
    assert printed == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("not json", "is not a replay"),
        ('{"format": "something else"}', "its format is not"),
        ('{"format": "cardgames replay 1"}', "game is missing"),
    ],
)
def test_a_damaged_replay_is_refused(content, message, tmp_path):
    (tmp_path / "game.json").write_text(content)
    status, _, errors = cardgames("replay", "game.json", cwd=tmp_path)
    assert status == 2
    assert message in errors


def test_an_illegal_action_in_a_replay_is_named(tmp_path):
    env = cardgames_env.make("dicht_dran_v0")
    env.reset(seed=1)
    env.replay().save(tmp_path / "game.json")
    content = json.loads((tmp_path / "game.json").read_text())
    content["actions"] = [0]
    (tmp_path / "game.json").write_text(json.dumps(content))
    status, _, errors = cardgames("replay", "game.json", cwd=tmp_path)
    assert status == 2
    assert "action 1: player_0 chose the illegal action 0" in errors


def test_a_tournament_leaves_a_report(tmp_path):
    status, printed, errors = cardgames(
        "tournament", "dicht_dran", "--games", "200", "--out", "run", cwd=tmp_path
    )
    assert status == 0, errors
    for word in ("balanced", "closest", "safe_gap", "random", "win share", "Results: run"):
        assert word in printed
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert {"games", "manifest.json", "report.md", "summary.json", "win_share.png"} <= names
    status, _, errors = cardgames("tournament", "dicht_dran", "--out", "run", cwd=tmp_path)
    assert status == 2
    assert "--force" in errors
    report = (tmp_path / "run" / "report.md").read_text()
    (tmp_path / "run" / "report.md").unlink()
    status, _, errors = cardgames("report", "run", cwd=tmp_path)
    assert status == 0, errors
    assert (tmp_path / "run" / "report.md").read_text() == report


@pytest.mark.parametrize(("share", "told"), [("all", "all deals"), ("0.25", "25 % of the deals")])
def test_a_tournament_keeps_its_decisions(share, told, tmp_path):
    status, printed, errors = cardgames(
        "tournament", "dicht_dran", "--games", "40", "--decisions", share, "--out", "run",
        cwd=tmp_path,
    )  # fmt: skip
    assert status == 0, errors
    assert "games/, decisions/)" in printed
    assert list((tmp_path / "run" / "decisions").glob("block-*.parquet"))
    assert f"Decision log: {told}" in (tmp_path / "run" / "report.md").read_text()


def test_without_a_command_the_help_is_shown():
    status, printed, errors = cardgames()
    assert status == 0
    assert errors == ""
    assert "tournament  " in printed


def test_a_module_that_exits_is_no_agent(tmp_path):
    (tmp_path / "quits.py").write_text("import sys\nsys.exit(0)\n")
    status, _, errors = cardgames("tournament", "dicht_dran", "--agents", "quits:x", cwd=tmp_path)
    assert status == 2
    assert "cannot be imported: SystemExit" in errors


def test_a_broken_opponent_is_named_at_the_table(tmp_path):
    (tmp_path / "mine.py").write_text("def broken(observation, mask, info):\n    return -1\n")
    status, _, errors = cardgames(
        "play", "dicht_dran", "--opponents", "mine:broken", "--seat", "3", cwd=tmp_path
    )
    assert status == 2
    assert "mine:broken (0) chose the illegal action -1" in errors
    assert "Traceback" not in errors


def test_a_recording_that_cannot_be_written_is_refused_before_the_game(tmp_path):
    status, printed, errors = cardgames(
        "play", "dicht_dran", "--record", "nowhere/game.json", cwd=tmp_path
    )
    assert status == 2
    assert "nowhere/game.json: No such file or directory" in errors
    assert "your move" not in printed


def test_a_users_own_agent_is_imported_from_the_current_folder(tmp_path):
    (tmp_path / "mine.py").write_text(
        "def lowest(observation, mask, info):\n    return int(mask.argmax())\n"
    )
    status, printed, errors = cardgames(
        "tournament", "dicht_dran", "--agents", "mine:lowest,random", "--games", "20",
        "--out", "run", cwd=tmp_path,
    )  # fmt: skip
    assert status == 0, errors
    assert "mine:lowest" in printed


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("return 100", "illegal", "lowest chose the illegal action"),
        ("raise KeyError('lost')", "raised", "lowest raised KeyError in game 0: 'lost'"),
    ],
)
def test_a_broken_agent_forfeits_and_is_named(body, kind, message, tmp_path):
    (tmp_path / "mine.py").write_text(f"def lowest(observation, mask, info):\n    {body}\n")
    status, _, errors = cardgames(
        "tournament", "dicht_dran", "--agents", "mine:lowest,random", "--games", "4",
        "--out", "run", cwd=tmp_path,
    )  # fmt: skip
    assert status == 0, errors
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["complete"] is True
    assert message in manifest["failures"][0]["message"]
    report = (tmp_path / "run" / "report.md").read_text()
    assert "mine:lowest" in report
    assert kind in report


def test_games_and_agents_are_listed():
    _, printed, _ = cardgames("games")
    assert "dicht_dran_v0" in printed
    assert "num_players" in printed
    _, printed, _ = cardgames("agents", "dicht_dran")
    for name in ("random", "closest", "safe_gap", "balanced", "monte_carlo", "simulations"):
        assert name in printed


def test_bench_measures_every_face():
    status, printed, errors = cardgames("bench", "dicht_dran", "--seconds", "0.05")
    assert status == 0, errors
    for face in ("playout", "vector", "AEC"):
        assert face in printed


def test_warmup_names_the_cache():
    status, printed, errors = cardgames("warmup")
    assert status == 0, errors
    assert "dicht_dran_v0: compiled" in printed
    assert "cache: " in printed


def test_a_person_plays_is_corrected_and_records_the_game(tmp_path):
    """In a real terminal: a wrong move is explained, the game ends with the scores."""
    record = tmp_path / "game.json"
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "experiments.cli", "play", "dicht_dran", "--players", "2", "-o", "deals=1",
         "--opponents", "closest", "--seed", "5", "--record", str(record)],
        encoding="utf-8", timeout=120, dimensions=(50, 100), env=os.environ | {"TERM": "dumb"},
    )  # fmt: skip
    terminal.expect("your move> ")
    terminal.sendline("100")
    terminal.expect("'100' is not a move you can make; moves: ")
    moves = 0
    while True:
        terminal.expect("your move> ")
        terminal.sendline("?")
        terminal.expect(r"moves: play (\d+)")
        terminal.sendline(terminal.match[1])
        moves += 1
        terminal.expect("your move> ")  # the prompt of the question mark
        if terminal.expect(["Your hand", "points"]) == 1:
            break
    terminal.expect("Recorded: ")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0
    assert moves >= 5
    status, printed, errors = cardgames("replay", str(record), "--boards")
    assert status == 0, errors
    assert "2. " in printed
    replayed = cardgames_env.Replay.load(record).check()
    assert replayed.snapshot()["over"]


def test_a_person_may_stop(tmp_path):
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "experiments.cli", "play", "dicht_dran"],
        encoding="utf-8",
        timeout=120,
    )
    terminal.expect("your move> ")
    terminal.sendline("q")
    terminal.expect("Stopped.")
    terminal.expect(pexpect.EOF)
