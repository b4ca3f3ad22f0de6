"""Configurations: every key checked by name, and the same on the command line as in a file."""

import tomllib

import pytest

from experiments import config, experiment
from experiments.cli import cli
from tests.experiments.test_cli import cardgames, check_mistake


def resolved(**content):
    return config.experiment({"game": "dicht_dran", **content})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"games": 10**30}, "games: input should be less than or equal to 10000000000"),
        ({"move_timeout": 1e300}, "move_timeout: input should be less than or equal to 1000000"),
        ({"games": "many"}, "games: input should be a valid integer, got 'many'"),
        ({"gmaes": 3}, r"unknown key 'gmaes' \(did you mean 'games'\?\)"),
        ({"game": "chess"}, "game: no game 'chess'"),
        ({"seed": -1}, "seed: seed must be in 0"),
        ({"decisions": 2.0}, "decisions: must be all, or a share from 0 to 1"),
        ({"engine": "spark"}, "engine: input should be 'threads' or 'ray'"),
        ({"address": "auto"}, "address is for engine ray"),
        ({"kind": "race"}, "kind: input should be 'tournament'"),
        ({"kind": "sweep"}, "kind sweep needs vary"),
        ({"vary": {"deals": [1]}}, "kind tournament takes no vary"),
        ({"kind": "ladder", "opponents": ["random"]}, "takes no opponents"),
        ({"until_decided": {"agents": ["random"]}}, "until_decided.agents: list should have"),
        (
            {"until_decided": {"agents": ["random", "closest"], "elo2": 1}},
            "unknown key 'until_decided.elo2'",
        ),
        ({"until_decided": {"agents": ["a", "b"], "elo0": 5.0, "elo1": 1.0}}, "elo"),
    ],
)
def test_a_wrong_key_or_value_is_named(content, message):
    with pytest.raises(ValueError, match=message):
        resolved(**content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"options": {"dals": 1}}, "has no option 'dals'"),
        ({"kind": "sweep", "vary": {"deals": []}}, "vary: deals has no values"),
        ({"kind": "sweep", "vary": {"deals": [1, 0]}}, "deals=0: .* option deals must be 1"),
        ({"kind": "sweep", "vary": {"balanced.x": [1]}}, "balanced.x=1: .* no parameter 'x'"),
        ({"kind": "sweep", "vary": {"nobody.x": [1]}}, "nobody is not among the agents"),
        ({"opponents": ["random", "random"]}, "opponents: 1 or 3 agents, got 2"),
        ({"kind": "ladder", "agents": ["random"]}, "ladder takes two agents or more"),
        (
            {"until_decided": {"agents": ["random", "monte_carlo"]}},
            "'monte_carlo' is not among the agents",
        ),
        ({"kind": "study", "study": "whatever"}, "has no study 'whatever'"),
        ({"kind": "sweep", "vary": {"deals": [1, 2, 1]}}, "deals has the value 1 twice"),
        (
            {
                "agents": ["closest", "random"],
                "opponents": ["balanced"],
                "until_decided": {"agents": ["closest", "random"]},
            },
            "closest and random never sit at one table",
        ),
    ],
)
def test_what_the_game_does_not_have_is_named(content, message):
    with pytest.raises(ValueError, match=message):
        experiment.parts(resolved(**content))


@pytest.mark.parametrize("name", config.names())
def test_every_configuration_that_is_shipped_can_be_played(name):
    content = config.read(config.CONFIGS / f"{name}.toml")
    runs = experiment.parts(config.experiment(content, name))
    assert runs
    assert all(part.tournament.games >= content["games"] for part in runs)


def test_values_that_look_alike_are_runs_of_their_own():
    tables = [[1] * 100, [1] * 99 + [2]]
    runs = experiment.parts(resolved(kind="sweep", vary={"peppers": tables}))
    assert [part.tournament.options["peppers"] for part in runs] == tables
    assert len({part.name for part in runs}) == len({part.place for part in runs}) == 2


def test_a_configuration_is_kept_as_it_was(tmp_path):
    wanted = resolved(
        kind="sweep",
        agents=["closest"],
        opponents=["balanced"],
        options={"num_players": 3, "peppers": None},
        vary={"deals": [1, 2], "peppers": [None, [1] * 100]},
        decisions="all",
        move_timeout=1.5,
    )
    config.write(tmp_path / "config.toml", wanted)
    content = config.read(tmp_path / "config.toml")
    again = config.experiment(content)
    assert [part.tournament.options for part in experiment.parts(again)] == [
        part.tournament.options for part in experiment.parts(wanted)
    ]
    assert again.decisions == 1
    assert again.move_timeout == 1.5


def options_of(command):
    return {parameter.name for parameter in cli.commands[command].params}


def test_every_key_of_a_file_can_be_given_on_the_command_line():
    keys = set(config.Experiment.model_fields) - {"kind", "game", "study", "options"}
    keys |= {"elo0", "elo1", "alpha", "beta", "players", "extra"}
    assert keys <= options_of("run")
    assert "study" in options_of("study")
    for kind in ("tournament", "cross-play", "ladder", "sweep", "variants", "study"):
        assert "game" in options_of(kind)
        unknown = options_of(kind) - keys - {"game", "study", "force", "resume", "dry_run"}
        assert not unknown


def test_a_command_and_its_file_play_the_same(tmp_path):
    arguments = ["dicht_dran", "--agents", "closest", "--opponents", "random", "--players", "3"]
    status, _, errors = cardgames(
        "sweep", *arguments, "--vary", "deals=1,2", "--games", "60", "--seed", "9", "--out", "a",
        cwd=tmp_path,
    )  # fmt: skip
    assert status == 0, errors
    stored = tomllib.loads((tmp_path / "a" / "config.toml").read_text())
    assert stored["vary"] == {"deals": [1, 2]}
    assert stored["opponents"] == ["random"]
    status, _, errors = cardgames("run", "a/config.toml", "--out", "b", cwd=tmp_path)
    assert status == 0, errors
    shards = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*.parquet"))
    assert len(shards) == 2 * 20
    for shard in shards:
        assert (tmp_path / "a" / shard).read_bytes() == (tmp_path / "b" / shard).read_bytes()


def test_options_replace_what_the_file_says(tmp_path):
    (tmp_path / "x.toml").write_text(
        'game = "dicht_dran"\ngames = 5000\nagents = ["random"]\n[options]\ndeals = 1\n'
    )
    status, _, errors = cardgames(
        "run", "x.toml", "--games", "8", "-o", "num_players=2", "--out", "run", cwd=tmp_path
    )
    assert status == 0, errors
    stored = tomllib.loads((tmp_path / "run" / "config.toml").read_text())
    assert stored["games"] == 8
    assert stored["options"] == {"deals": 1, "num_players": 2}


def test_a_dry_run_tells_the_plan_and_writes_nothing(tmp_path):
    status, printed, errors = cardgames("run", "dackel_drauf_notice", "--dry-run", cwd=tmp_path)
    assert status == 0, errors
    assert "notice=0.75" in printed
    assert "420,000" in printed
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nowhere"], "nowhere: no such configuration; shipped are: dackel_drauf_ladder"),
        (["run", "dtc_lader"], "did you mean 'dtc_ladder'?"),
        (["run"], "run takes a configuration"),
        (["run", "broken.toml"], "broken.toml: is no TOML"),
        (["run", "wrong.toml"], "wrong.toml: unknown key 'gmaes'"),
        (["run", "wrong.toml", "--resume", "--force"], "choose one"),
        (["tournament", "dicht_dran", "--resume"], "--resume needs the folder of the run"),
        (["tournament", "dicht_dran", "--resume", "--out", "x"], "x holds no run to go on with"),
        (["sweep", "dicht_dran", "--vary", "deals"], "expected NAME=VALUE,VALUE"),
        (["variants", "dicht_dran", "--variant", "a:deals"], "expected NAME or NAME:OPTION=VALUE"),
        (["variants", "dicht_dran", "--variant", ""], "expected NAME or NAME:OPTION=VALUE"),
        (
            ["variants", "dicht_dran", "--variant", "a:deals=1", "--variant", "a:deals=2"],
            "deals is given twice",
        ),
        (["sweep", "dtc", "--vary", "jokers=1", "--vary", "jokers=2"], "jokers is given twice"),
        (["tournament", "dtc", "--out", ""], "out: "),
        (["run", "."], "holds no config.toml"),
        (["study", "dicht_dran", "dreaming"], "has no study 'dreaming'"),
        (["run", "table.toml", "--players", "3"], "options: input should be a valid dictionary"),
        (
            [
                "tournament",
                "diddly",
                "--players",
                "8",
                "--seating",
                "full",
                "--agents",
                ",".join(["random"] * 9),
            ],
            "tables of 40,320 orders each are too many",
        ),
    ],
)
def test_a_mistake_is_one_clear_line(arguments, message, here, tmp_path):
    (tmp_path / "broken.toml").write_text("x = [")
    (tmp_path / "wrong.toml").write_text('game = "dtc"\ngmaes = 3\n')
    (tmp_path / "table.toml").write_text('game = "dtc"\noptions = 3\n')
    status, _, errors = here(*arguments)
    check_mistake(status, errors, message)
    assert len(list(tmp_path.iterdir())) == 3
