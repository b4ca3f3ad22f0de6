"""The cache of compiled kernels: used, never trusted blindly, never in the way."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardgames_env.core import jit
from cardgames_env.core.jit import KernelCache, cache_directory, kernel

ROOT = Path(__file__).resolve().parents[2]
ANNOUNCED = "compiling kernels"


def triple(x):
    return 3 * x


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(tmp_path))
    return tmp_path


@pytest.fixture
def fresh(monkeypatch, capsys):
    """Calls ``triple`` as a fresh process would; returns the result and what was said."""

    def call(x):
        monkeypatch.setattr(KernelCache, "announced", False)
        result = kernel(triple)(x)
        return result, capsys.readouterr().err

    return call


def files(cache):
    return sorted(cache.rglob("*.kernel"))


def test_a_kernel_is_compiled_once_and_said_so_then_loaded_in_silence(cache, fresh):
    result, said = fresh(7)
    assert result == 21
    assert ANNOUNCED in said
    assert str(cache) in said
    assert said.count("\n") == 1
    assert len(files(cache)) == 1
    assert fresh(7) == (21, "")


def test_every_signature_has_its_file(cache, fresh):
    fresh(7)
    assert fresh(1.5)[0] == 4.5
    assert len(files(cache)) == 2
    assert fresh(2.5) == (7.5, "")


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: b"",
        lambda content: content[:10],
        lambda content: content[:-1],
        lambda content: content[: len(content) // 2],
        lambda content: content + b"x",
        lambda content: content[:-20] + bytes(20),
        lambda content: bytes(32) + content[32:],
        lambda content: bytes(len(content)),
    ],
    ids=["empty", "short", "cut by one", "cut in half", "longer", "end", "checksum", "zeros"],
)
def test_a_damaged_file_is_compiled_anew_and_mended(cache, fresh, damage):
    fresh(7)
    [path] = files(cache)
    content = path.read_bytes()
    path.write_bytes(damage(content))
    result, said = fresh(7)
    assert result == 21
    assert ANNOUNCED in said
    assert fresh(7) == (21, "")


def test_a_file_that_cannot_be_read_is_compiled_anew(cache, fresh):
    fresh(7)
    [path] = files(cache)
    path.unlink()
    path.mkdir()
    assert fresh(7)[0] == 21


def test_where_nothing_can_be_written_kernels_still_work(tmp_path, monkeypatch, fresh):
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    monkeypatch.setenv(jit.CACHE_VARIABLE, str(blocked))
    assert cache_directory() is None
    result, said = fresh(7)
    assert result == 21
    assert "no cache folder can be written" in said
    assert ANNOUNCED in fresh(7)[1]


def test_without_a_home_the_cache_falls_back_to_a_private_temporary_folder(tmp_path, monkeypatch):
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")
    monkeypatch.setattr(jit.platformdirs, "user_cache_path", lambda name: blocked / name)
    monkeypatch.setattr(jit.tempfile, "gettempdir", lambda: str(tmp_path))
    directory = jit._cache_directory.__wrapped__(None)
    assert directory.parent == tmp_path / f"cardgames_env-{os.getuid()}"
    assert directory.stat().st_mode & 0o077 == 0


def test_a_folder_of_somebody_elses_is_not_used(tmp_path, monkeypatch):
    """It could hold anybody's code."""
    monkeypatch.setattr(jit, "USER", os.geteuid() + 1)
    assert jit._cache_directory.__wrapped__(str(tmp_path)) is None


def test_only_the_newest_folders_are_kept(tmp_path):
    for age in range(12):
        old = tmp_path / f"kernels-{age:02}"
        old.mkdir()
        os.utime(old, (10**9 - age, 10**9 - age))
    (tmp_path / "something else").mkdir()
    directory = jit._cache_directory.__wrapped__(str(tmp_path))
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert directory.name in kept
    assert "something else" in kept
    kept.remove(directory.name)
    assert [name for name in kept if name.startswith("kernels-")] == [
        f"kernels-{age:02}" for age in range(jit.KEPT_CACHES - 1)
    ]


def test_a_change_of_any_source_of_the_library_is_another_folder(tmp_path, monkeypatch):
    (tmp_path / "games").mkdir()
    source = tmp_path / "games" / "rules.py"
    monkeypatch.setattr(jit, "LIBRARY_ROOT", tmp_path)
    keys = []
    for text in ("x = 1\n", "x = 2\n", "x = 1\n"):
        source.write_text(text)
        keys.append(jit._library_key.__wrapped__())
    source.rename(tmp_path / "games" / "other.py")
    keys.append(jit._library_key.__wrapped__())
    assert keys[0] == keys[2]
    assert len(set(keys)) == 3


# -- kernels in a user's files ---------------------------------------------------------------------

CALLED = """
from cardgames_env.core.jit import kernel
N = {n}
@kernel
def called(x):
    return x + {n}
"""
FORMS = {
    "by name": "from theirs import called\n@kernel\ndef mine(x):\n    return called(x)\n",
    "through a second kernel": (
        "from theirs import called\n@kernel\ndef between(x):\n    return called(x)\n"
        "@kernel\ndef mine(x):\n    return between(x)\n"
    ),
    "as an attribute of its module": (
        "import theirs\n@kernel\ndef mine(x):\n    return theirs.called(x)\n"
    ),
    "in a closure": (
        "import theirs\ndef made(f):\n    @kernel\n    def mine(x):\n        return f(x)\n"
        "    return mine\nmine = made(theirs.called)\n"
    ),
    "a constant": "from theirs import N\n@kernel\ndef mine(x):\n    return x + N\n",
    "a constant of a module": "import theirs\n@kernel\ndef mine(x):\n    return x + theirs.N\n",
    "a tuple of kernels": (
        "import theirs\nALL = (theirs.called,)\n@kernel\ndef mine(x):\n    return ALL[0](x)\n"
    ),
}


def run(folder):
    """``mine(1)`` in a fresh process, with what it said."""
    return subprocess.run(
        [sys.executable, "-c", "from mine import mine; print(mine(1))"],
        check=True, capture_output=True, text=True, cwd=folder,
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}",
             "PYTHONDONTWRITEBYTECODE": "1", jit.CACHE_VARIABLE: str(folder / "cache")},
    )  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_a_change_in_another_file_of_the_user_is_noticed_in_a_fresh_process(tmp_path, form):
    (tmp_path / "mine.py").write_text("from cardgames_env.core.jit import kernel\n" + FORMS[form])
    (tmp_path / "theirs.py").write_text(CALLED.format(n=10))
    assert run(tmp_path).stdout == "11\n"
    (tmp_path / "theirs.py").write_text(CALLED.format(n=20))
    assert run(tmp_path).stdout == "21\n"


def test_a_users_kernel_is_loaded_in_silence_the_second_time(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from cardgames_env.core.jit import kernel\n" + FORMS["by name"]
    )
    (tmp_path / "theirs.py").write_text(CALLED.format(n=10))
    assert ANNOUNCED in run(tmp_path).stderr
    assert run(tmp_path).stderr == ""


QUICK = """
import numpy as np, random
import agents.dicht_dran
from agents.search import play_on, register_quick_policy
from cardgames_env.core.game import deal_row, get_game, result_row, scratch_views
from cardgames_env.core.jit import kernel

GAME = get_game("dicht_dran_v0")

@kernel
def quick(view, mask, rng):
    chosen = -1
    for a in range(len(mask)):
        if mask[a] and ({condition}):
            chosen = a
    return chosen

register_quick_policy(GAME, quick)

@kernel
def play(states, views, mask, rng):
    play_on(states[0], views[0], mask, 1 << 30, rng)

def mine(x):
    states = GAME.new_states(GAME.check_options({{"deals": 1}}), 1)
    deal_row(states, 0, 1, 1)
    play(states, GAME.new_views(1)[0], np.zeros(100, np.int8), np.zeros(4, np.uint64))
    return GAME.snapshot(states, 0)["won"]
"""


def test_a_change_of_the_policy_that_a_search_plays_on_with_is_noticed(tmp_path):
    """It is found by the type of a record, not by a name that the search's kernels read."""
    (tmp_path / "mine.py").write_text(QUICK.format(condition="True"))
    highest = run(tmp_path).stdout
    (tmp_path / "mine.py").write_text(QUICK.format(condition="chosen < 0"))
    lowest = run(tmp_path).stdout
    assert highest != lowest


def test_functions_of_one_name_in_one_file_are_told_apart(tmp_path):
    (tmp_path / "mine.py").write_text(
        "from cardgames_env.core.jit import kernel\n"
        "one, two = kernel(lambda x: x + 1), kernel(lambda x: x + 2)\n"
        "def mine(x):\n    return one(x), two(x)\n"
    )
    assert run(tmp_path).stdout == "(2, 3)\n"
    assert run(tmp_path).stdout == "(2, 3)\n"


def test_a_function_without_a_source_file_is_not_confused_with_an_earlier_one(tmp_path):
    """A notebook cell, or a program on standard input, that was changed and run again."""
    program = (
        "from cardgames_env.core.jit import kernel\n"
        "@kernel\ndef mine(x):\n    return x + {n}\n"
        "print(mine(1))\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-"], input=program.format(n=n), check=True, capture_output=True,
            text=True, env={**os.environ, "PYTHONPATH": str(ROOT), jit.CACHE_VARIABLE: str(tmp_path)},
        ).stdout
        for n in (10, 20)
    ]  # fmt: skip
    assert said == ["11\n", "21\n"]


def test_a_function_of_a_module_that_cannot_be_imported_is_compiled_again(tmp_path):
    """As an example that is run from a page: its module exists in nobody's import path."""
    program = (
        "names = {'__name__': 'nowhere'}\n"
        "exec('from cardgames_env.core.jit import kernel\\n@kernel\\ndef mine(x): return x + 1', names)\n"
        "print(names['mine'](1))\n"
    )
    for _ in range(2):
        result = subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), jit.CACHE_VARIABLE: str(tmp_path)},
        )  # fmt: skip
        assert result.stdout == "2\n"
