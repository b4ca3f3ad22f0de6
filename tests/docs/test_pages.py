"""Pages and README: their tables are the code's, and their examples run."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

import cardgames_env
from cardgames_env.core.game import get_game
from experiments import config, experiment

ROOT = Path(__file__).resolve().parents[2]
PYTHON_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def generator():
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATED = generator().pages()


@pytest.mark.parametrize("path", GENERATED, ids=lambda path: path.name)
def test_the_tables_of_a_page_are_those_of_the_code(path):
    page = path.read_text(encoding="utf-8")
    assert generator().filled(path, page, GENERATED[path]) == page, "run python docs/generate.py"


@pytest.mark.parametrize("game_id", cardgames_env.games())
def test_a_page_has_every_agent_option_field_and_action(game_id):
    game = get_game(game_id)
    page = (ROOT / "docs" / "games" / f"{game.name}.md").read_text(encoding="utf-8")
    for name in [o.name for o in game.options] + [f.name for f in game.view_fields]:
        assert f"`{name}`" in page


def test_a_missing_part_of_a_page_is_noticed():
    path, tables = next(iter(GENERATED.items()))
    with pytest.raises(ValueError, match="must have the parts"):
        generator().filled(path, "# An empty page", tables)


PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "solver.md",
    *sorted((ROOT / "docs" / "games").glob("*.md")),
]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_the_examples_run_from_top_to_bottom(path, capsys):
    blocks = PYTHON_BLOCK.findall(path.read_text(encoding="utf-8"))
    assert blocks
    names: dict = {"__name__": "example"}
    for block in blocks:
        exec(compile(block, str(path), "exec"), names)


TOML_BLOCK = re.compile(r"```toml\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("path", [ROOT / "README.md", ROOT / "docs" / "experiments.md"])
def test_the_configurations_on_a_page_can_be_played(path):
    blocks = TOML_BLOCK.findall(path.read_text(encoding="utf-8"))
    assert blocks
    for block in blocks:
        assert experiment.parts(config.experiment(tomllib.loads(block)))


def test_ci_finds_the_test_command_in_the_readme():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    after = readme.split("<!-- test command -->\n")[1]
    command = after.split("```bash\n")[1].split("```")[0]
    assert "-m pytest" in command
    assert "'.[test]'" in command


def test_pictures_that_pages_show_exist():
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for target in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).is_file(), f"{page.name}: {target}"
