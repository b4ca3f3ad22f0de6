"""The results folder of a run: its manifest, its shards, what of them is there, what may be removed."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import itertools
import json
import os
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout

from cardgames_env.core.files import write_whole

MANIFEST = "manifest.json"
CONFIGURATION = "config.toml"
PARTS = "parts.json"
PARTS_DIR = "parts"
LOCK = ".lock"  # held while a run plays into the folder
GAMES_DIR = "games"
DECISIONS_DIR = "decisions"
ALTERNATIVES_DIR = "alternatives"
SHARD_DIRS = (GAMES_DIR, DECISIONS_DIR, ALTERNATIVES_DIR)
BLOCK_FILES = "block-*.parquet"
UNFINISHED_FILES = "block-*.tmp"  # of a run that was killed
SUMMARY = "summary.json"
RESULT_FILES = (MANIFEST, CONFIGURATION, PARTS, SUMMARY)  # and what the summary lists

#: Modules of ``experiments`` that decide about rows; the studies do, too.
ROW_MODULES = ("alternatives.py", "decisions.py", "lineup.py", "seating.py", "tournament.py")

#: What of a manifest must be equal for a run to be gone on with.
IDENTITY = (
    "kind", "game", "options", "agents", "parameters", "line_ups", "seed", "seating", "games",
    "block_games", "decisions", "move_timeout", "until_decided", "study", "share", "playouts",
    "worlds", "own_code", "sources",
)  # fmt: skip


class ClaimedError(ValueError):
    """A folder into which another run is playing."""


class DamagedError(ValueError):
    """A shard that cannot be read; the message names the file."""


def prepare_folder(directory: Path, *, force: bool, shards: str = GAMES_DIR) -> None:
    """Create the folder of a run, or with PARTS_DIR as ``shards`` that of an experiment of several.

    An earlier result in it is refused, or removed with ``force``. Only our own files are ever removed.
    Raises ValueError (results are there, or folders of our names that are not ours), OSError (cannot be
    written).
    """
    ours = _is_ours(directory)
    for name in (*SHARD_DIRS, PARTS_DIR):
        folder = directory / name
        if folder.is_dir() and any(folder.iterdir()) and not ours:
            raise ValueError(f"{folder} is not a run's; choose another folder with --out")
    if has_results(directory) and not force:
        raise ValueError(
            f"{directory} holds the results of a run; choose another folder with --out, go on with "
            "an unfinished one with --resume, or replace them with --force"
        )
    if ours:
        for part in (directory / PARTS_DIR).glob("*"):
            _remove_results(part)  # only files of our names, also where a manifest is damaged
            _remove_empty(part)
        _remove_results(directory)
    (directory / shards).mkdir(parents=True, exist_ok=True)
    tempfile.TemporaryFile(dir=directory / shards).close()


def _remove_results(directory: Path) -> None:
    for name in SHARD_DIRS:
        folder = directory / name
        for files in (BLOCK_FILES, UNFINISHED_FILES):
            for path in folder.glob(files):
                path.unlink(missing_ok=True)
        _remove_empty(folder)
    listed = _json(directory / SUMMARY).get("files", [])  # of the report
    for name in [*listed, *RESULT_FILES]:
        (directory / Path(name).name).unlink(missing_ok=True)
    _remove_empty(directory / PARTS_DIR)


def _remove_empty(folder: Path) -> None:
    if folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()


def claim(directory: Path) -> contextlib.ExitStack:
    """Take a folder for this process alone, until the context that is returned ends.

    It is made if it is not there, and removed in the end if nothing came into it. A run that was killed
    holds nothing. Raises ClaimedError if another run plays into it, ValueError for a file, OSError.
    """
    if directory.exists() and not directory.is_dir():
        raise ValueError(f"{directory} is a file; choose another folder with --out")
    missing = [path for path in (directory, *directory.parents) if not path.exists()]
    directory.mkdir(parents=True, exist_ok=True)
    lock = FileLock(directory / LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        raise ClaimedError(
            f"{directory}: another run is playing into this folder; choose another with --out"
        ) from None
    held = contextlib.ExitStack()
    for path in reversed(missing):
        held.callback(_remove_empty, path)
    held.callback(lock.release)
    held.callback(_remove_lock, directory)
    return held


def _remove_lock(directory: Path) -> None:
    with contextlib.suppress(OSError):  # where open files cannot be removed it stays
        (directory / LOCK).unlink()


def claim_free(base: Path) -> tuple[Path, contextlib.ExitStack]:
    """Take ``base``, or ``base-2``, ``base-3`` …: the first that holds no results and is free."""
    for path in _numbered(base):
        if not has_results(path):
            with contextlib.suppress(ClaimedError):
                return path, claim(path)
    raise AssertionError  # there is no last number


def _numbered(base: Path) -> Iterator[Path]:
    yield base
    for k in itertools.count(2):
        yield base.with_name(f"{base.name}-{k}")


def _is_ours(directory: Path) -> bool:
    """Whether a run, or an experiment of several, has left its description there."""
    if (directory / PARTS).is_file() or "block_games" in _json(directory / MANIFEST):
        return True
    if not any((directory / name).is_dir() for name in (GAMES_DIR, PARTS_DIR)):
        return False  # somebody's configuration
    try:  # the manifest may be damaged
        return {"kind", "game"} <= set(tomllib.loads((directory / CONFIGURATION).read_text()))
    except (OSError, ValueError):
        return False


def has_results(directory: Path) -> bool:
    """Whether games of a run, or of an experiment's parts, are there."""
    if (directory / PARTS).is_file():
        return any((directory / PARTS_DIR).glob(f"*/{GAMES_DIR}/{BLOCK_FILES}"))
    return _is_ours(directory) and any((directory / GAMES_DIR).glob(BLOCK_FILES))


def _json(path: Path) -> dict[str, Any]:
    """A JSON object's content; an empty one where there is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


# -- the manifest ----------------------------------------------------------------------------------


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file, whole or not at all. Raises OSError."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    write_whole(path, text.encode())


def check_same_run(directory: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """The manifest of the run in ``directory``, which is to be gone on with.

    Raises ValueError if it is damaged, or naming what it says otherwise than ``manifest``.
    """
    before = _json(directory / MANIFEST)
    if "block_games" not in before:
        raise ValueError(
            f"{directory / MANIFEST} cannot be read; play the run anew with --force, or in another "
            "folder"
        )
    now = json.loads(json.dumps(manifest))
    for key in IDENTITY:
        if before.get(key) != now.get(key):
            if key == "sources":
                raise ValueError(
                    f"{directory} was played with other rules or agents (the library's code has "
                    "changed since); play it anew with --force, or in another folder"
                )
            raise ValueError(
                f"{directory} was begun with another configuration: {key} {_short(before.get(key))}, "
                f"now {_short(now.get(key))}; play it anew with --force, or in another folder"
            )
    return before


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else text[:59] + "…"


@functools.cache
def sources() -> str:
    """A hash of the code that decides about rows: the library, the agents, who sits where, studies."""
    digest = hashlib.sha256()
    for package in ("cardgames_env", "agents", "experiments"):
        root = _package_root(package)
        for path in sorted(root.rglob("*.py")):
            if package != "experiments" or path.name in ROW_MODULES or path.parent != root:
                digest.update(path.relative_to(root).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:20]


@functools.cache
def commit() -> str | None:
    """The commit of the library's checkout, "+" behind it if files were changed; None without one."""
    root = _package_root("cardgames_env")

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")  # not installed somewhere inside another
        return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain", ".") else "")
    except (OSError, subprocess.CalledProcessError):
        return None


def _package_root(package: str) -> Path:
    return Path(str(importlib.import_module(package).__file__)).parent


# -- shards ----------------------------------------------------------------------------------------


def shard_path(folder: Path, index: int) -> Path:
    return folder / f"block-{index:06d}.parquet"


def write_shard(folder: Path, index: int, table: pa.Table) -> None:
    """Write the rows of a block under its final name, whole or not at all, with checksums.

    Raises OSError that names the file.
    """
    path = shard_path(folder, index)
    temporary = path.with_suffix(".tmp")
    try:
        pq.write_table(table, temporary, write_page_checksum=True)
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise OSError(error.errno, reason, str(path)) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def read_shard(folder: Path, index: int) -> pa.Table | None:
    """The rows of a block, checked; None if the file is not there. Raises DamagedError."""
    path = shard_path(folder, index)
    try:
        return pq.read_table(path, page_checksum_verification=True)
    except FileNotFoundError:
        return None
    except (pa.ArrowException, OSError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DamagedError(f"{path} cannot be read ({reason})") from error


def present(folder: Path) -> set[int]:
    """The numbers of the blocks whose shards lie in a folder."""
    names = (path.stem.removeprefix("block-") for path in folder.glob(BLOCK_FILES))
    return {int(name) for name in names if name.isdigit()}


def is_whole(
    folder: Path, index: int, games: range, rows: int | None, on_damage: Callable[[str], None]
) -> bool:
    """Whether a block's shard is there and sound: rows of these games, and so many (None: any number).

    ``on_damage`` is told of one that is not.
    """
    try:
        table = read_shard(folder, index)
    except DamagedError as error:
        on_damage(f"{error}: its block is played again")
        return False
    if table is None:
        return False
    numbers = table["game"].to_numpy()
    fits = rows is None or len(numbers) == rows
    if not fits or numbers.min(initial=games[0]) < games[0] or numbers.max(initial=0) > games[-1]:
        on_damage(f"{shard_path(folder, index)} holds other rows: its block is played again")
        return False
    return True
