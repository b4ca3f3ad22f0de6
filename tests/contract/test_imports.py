"""Who may import whom: the rule that keeps rules, environments, agents and experiments apart."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path
    for package in ("cardgames_env", "agents", "experiments")
    for path in (ROOT / package).rglob("*.py")
)
PACKAGES = ("cardgames_env", "agents", "experiments", "tests")


def imports(path):
    """Absolute names of all of this project that a file imports, wherever in the file."""
    found = set()
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from package import module` names the module by package.module.
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return {name for name in found if name.split(".")[0] in PACKAGES}


def inside(name, package):
    return name == package or name.startswith(f"{package}.")


def where(path):
    return path.relative_to(ROOT).as_posix()


def game_of(path):
    parts = path.relative_to(ROOT).parts
    return parts[2] if parts[:2] == ("cardgames_env", "games") and len(parts) > 3 else None


def test_there_are_files_to_check():
    assert len(FILES) > 20
    assert any(game_of(path) for path in FILES)


@pytest.mark.parametrize("path", [p for p in FILES if game_of(p)], ids=where)
def test_a_game_imports_only_core_and_itself(path):
    own = f"cardgames_env.games.{game_of(path)}"
    for name in imports(path):
        ancestor = inside(own, name)
        assert inside(name, "cardgames_env.core") or inside(name, own) or ancestor, name


@pytest.mark.parametrize(
    "path", [p for p in FILES if where(p).startswith("cardgames_env/core/")], ids=where
)
def test_core_imports_no_game(path):
    for name in imports(path):
        assert not inside(name, "cardgames_env.games"), name
        assert not name.split(".")[-1].rstrip("0123456789").endswith("_v"), name


@pytest.mark.parametrize(
    "path", [p for p in FILES if where(p).startswith("cardgames_env/")], ids=where
)
def test_the_library_imports_neither_agents_nor_experiments_nor_tests(path):
    for name in imports(path):
        assert inside(name, "cardgames_env"), name


@pytest.mark.parametrize("path", [p for p in FILES if where(p).startswith("agents/")], ids=where)
def test_agents_import_no_rules_and_no_state_of_a_game(path):
    """They see views and actions. `core` is open to them."""
    for name in imports(path):
        assert not inside(name, "experiments"), name
        assert not inside(name, "tests"), name
        parts = name.split(".")
        if parts[:2] == ["cardgames_env", "games"] and len(parts) > 3:
            assert parts[3] not in ("rules", "state", "look", "deal", "snapshot"), name


@pytest.mark.parametrize("path", FILES, ids=where)
def test_no_file_imports_the_tests(path):
    assert not any(inside(name, "tests") for name in imports(path))
