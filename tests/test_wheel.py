"""The wheel built from the tree, in an environment outside the checkout."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The python of a new virtual environment with the wheel, and its environment variables.

    The dependencies come from this interpreter's site-packages by PYTHONPATH: path files there, an
    editable install's among them, are not read.
    """
    folder = tmp_path_factory.mktemp("wheel")
    run = [sys.executable, "-m"]
    subprocess.run(
        [*run, "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT],
        check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*run, "venv", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel],
        check=True, capture_output=True,
    )  # fmt: skip
    environment = os.environ | {"PYTHONPATH": sysconfig.get_path("purelib")}
    return folder, python, environment


def test_it_imports_from_the_wheel_and_plays_a_game(installed):
    folder, python, environment = installed
    program = (
        "import cardgames_env, agents, experiments\n"
        "env = cardgames_env.make(cardgames_env.games()[0])\n"
        "env.reset(seed=1)\n"
        "for agent in env.agent_iter():\n"
        "    observation, _, over, _, _ = env.last()\n"
        "    env.step(None if over else int(observation['action_mask'].argmax()))\n"
        "print(cardgames_env.__file__, cardgames_env.__version__)\n"
    )
    result = subprocess.run(
        [python, "-c", program],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    where, version = result.stdout.split()
    assert Path(where).is_relative_to(folder / "venv")
    assert version != "0+unknown"


def test_its_command_line_plays_a_configuration_that_is_shipped(installed):
    folder, python, environment = installed
    result = subprocess.run(
        [python, "-m", "experiments.cli", "run", "dicht_dran_ladder", "--games", "48"],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    results = folder / "results" / "dicht_dran_ladder"
    assert (results / "report.html").is_file()
    assert json.loads((results / "manifest.json").read_text())["commit"] is None
