"""Pages and README: their tables are the code's, and their examples run."""

import importlib.util
import re
from pathlib import Path

import pytest

import cardgames_env
from cardgames_env.core.game import get_game

ROOT = Path(__file__).resolve().parents[2]
PYTHON_BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


def generator():
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("game_id", cardgames_env.games())
def test_the_tables_of_a_page_are_those_of_the_code(game_id):
    game = get_game(game_id)
    page = (ROOT / "docs" / "games" / f"{game.name}.md").read_text(encoding="utf-8")
    assert generator().filled(game, page) == page, "run python docs/generate.py"


@pytest.mark.parametrize("game_id", cardgames_env.games())
def test_a_page_has_every_agent_option_field_and_action(game_id):
    game = get_game(game_id)
    page = (ROOT / "docs" / "games" / f"{game.name}.md").read_text(encoding="utf-8")
    for name in [o.name for o in game.options] + [f.name for f in game.view_fields]:
        assert f"`{name}`" in page


def test_a_missing_part_of_a_page_is_noticed():
    game = get_game(cardgames_env.games()[0])
    with pytest.raises(ValueError, match="must have the parts"):
        generator().filled(game, "# An empty page")


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
