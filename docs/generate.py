"""Fill the generated tables of the pages: ``python docs/generate.py`` (``--check``: compare only).

The text between ``<!-- generated: NAME -->`` and ``<!-- end -->`` is made from the declarations in the
code, so that pages cannot drift from it: in ``docs/games/<game>.md`` from the game's (NAME is one of
GAME_TABLES), in ``docs/experiments.md`` from the configuration's keys.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel

import agents
import cardgames_env
from cardgames_env.core.game import Game, get_game
from experiments.config import Experiment, UntilDecided
from experiments.decisions import MEANING, decision_schema

DOCS = Path(__file__).resolve().parent
BLOCK = re.compile(r"(<!-- generated: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def shape_text(shape: tuple[int, ...]) -> str:
    return " × ".join(str(n) for n in shape) or "1"


def facts(game: Game) -> str:
    """What a reader of PettingZoo's pages looks for first."""
    players = next(option for option in game.options if option.name == "num_players")
    faces = "`env`, `raw_env`" + (", `parallel_env`" if game.simultaneous else "")
    rows = [
        ["Import", f"`from cardgames_env import {game.id}`"],
        ["Environments", faces],
        ["Agents", f"`player_0` …; {players.meaning}; default {players.default}"],
        ["Actions", f"`Discrete({game.num_actions})`"],
        ["Observation", f"int16 ({game.view_size},); `action_mask` int8 ({game.num_actions},)"],
        ["Points", "fewer are better" if game.lower_is_better else "more are better"],
    ]  # fmt: skip
    return markdown_table(["", ""], rows)


def options(game: Game) -> str:
    """Rule options and their defaults."""
    rows = [[f"`{o.name}`", f"`{o.default}`", o.meaning] for o in game.options]
    return markdown_table(["option", "default", "meaning"], rows)


def observation(game: Game) -> str:
    """Fields of the view, with their places in the flat vector."""
    rows = []
    start = 0
    for field in game.view_fields:
        place = str(start) if field.size == 1 else f"{start} … {start + field.size - 1}"
        bounds = f"{field.low} … {field.high}"
        rows.append([place, f"`{field.name}`", shape_text(field.shape), bounds, field.meaning])
        start += field.size
    return markdown_table(["entries", "field", "shape", "values", "meaning"], rows)


def actions(game: Game) -> str:
    """Action numbers."""
    rows = [[action.numbers, action.meaning, action.when] for action in game.actions]
    return markdown_table(["action", "meaning", "legal when"], rows)


def log(game: Game) -> str:
    """Columns of the decision log."""
    rows = []
    for field in decision_schema(game):
        type_ = getattr(field.type, "value_type", field.type)  # of a dictionary's entries
        rows.append([f"`{field.name}`", str(type_), field.metadata[MEANING].decode()])
    return markdown_table(["column", "type", "meaning"], rows)


def agents_table(game: Game) -> str:
    """The registry's agents and their parameters."""
    rows = []
    for entry in agents.entries(game.id).values():
        parameters = "; ".join(
            f"`{p.name}` = {p.default:g} ({p.meaning})" for p in entry.parameters
        )
        rows.append([f"`{entry.name}`", entry.summary, parameters or "–"])
    return markdown_table(["agent", "what it does", "parameters"], rows)


GAME_TABLES: dict[str, Callable[[Game], str]] = {
    "facts": facts,
    "options": options,
    "observation": observation,
    "actions": actions,
    "log": log,
    "agents": agents_table,
}


def keys(model: type[BaseModel]) -> str:
    """The keys of a configuration, or of a table in it, and their defaults."""
    rows = []
    for name, field in model.model_fields.items():
        default = "" if field.is_required() else f"`{_in_toml(field.get_default())}`"
        rows.append([f"`{name}`", default if default != "``" else "none", field.description or ""])
    return markdown_table(["key", "default", "meaning"], rows)


def _in_toml(value: Any) -> str:
    return "" if value is None else json.dumps(value)


Tables = Mapping[str, Callable[[], str]]


def pages() -> dict[Path, Tables]:
    """The pages that have generated parts, and what makes them."""
    made: dict[Path, Tables] = {
        DOCS / "experiments.md": {
            "keys": partial(keys, Experiment),
            "until_decided": partial(keys, UntilDecided),
        }
    }
    for game in map(get_game, cardgames_env.games()):
        tables = {name: partial(table, game) for name, table in GAME_TABLES.items()}
        made[DOCS / "games" / f"{game.name}.md"] = tables
    return made


def filled(path: Path, page: str, tables: Tables) -> str:
    """A page with its generated parts made anew. Raises ValueError for a missing one."""
    present = {match[2] for match in BLOCK.finditer(page)}
    if present != set(tables):
        raise ValueError(f"{path} must have the parts {', '.join(tables)}")
    return BLOCK.sub(lambda m: f"{m[1]}\n{tables[m[2]]()}\n{m[3]}", page)


def main(check: bool) -> int:
    stale = []
    for path, tables in pages().items():
        page = path.read_text(encoding="utf-8")
        made = filled(path, page, tables)
        if made != page:
            stale.append(path.name)
            if not check:
                path.write_text(made, encoding="utf-8")
    print(("stale: " if check else "written: ") + (", ".join(stale) or "none"))
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
