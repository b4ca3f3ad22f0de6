"""What the commands of the command line share: games and values as typed, and mistakes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, NoReturn

import click

from cardgames_env.core.game import Game, get_game

USER_ERROR = 2
INTERRUPTED = 130


def fail(message: str, status: int) -> NoReturn:
    """End with one line on standard error."""
    print(f"cardgames: {' '.join(message.split())}", file=sys.stderr)
    sys.exit(status)


class GameName(click.ParamType):
    """A game by its name, with or without the version."""

    name = "game"

    def convert(self, value: Any, param: Any, ctx: Any) -> Game:
        return value if isinstance(value, Game) else get_game(value)


GAME = click.argument("game", type=GameName())


def rule_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """``--players`` and ``--option``: the rule options of a game."""
    command = click.option(
        "--option",
        "-o",
        "extra",
        multiple=True,
        metavar="NAME=VALUE",
        help="A rule option of the game, such as deals=4 (see `cardgames games`); repeatable.",
    )(command)
    return click.option("--players", type=int, help="Number of players (default: the game's).")(
        command
    )


def typed_options(players: int | None, extra: tuple[str, ...]) -> dict[str, Any]:
    """Rule options as typed, not checked by the game yet. Raises ValueError."""
    options: dict[str, Any] = {} if players is None else {"num_players": players}
    for text in extra:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--option {text!r}: expected NAME=VALUE")
        if name in options:
            raise ValueError(f"--option {text!r}: {name} is given twice")
        options[name] = typed_value(value)
    return options


def read_options(game: Game, players: int | None, extra: tuple[str, ...]) -> dict[str, Any]:
    """Rule options as given on the command line. Raises ValueError."""
    return game.check_options(typed_options(players, extra))


def typed_value(text: str) -> Any:
    """A command-line value: a number, several of them, true, false, none, JSON, or the text itself."""
    if "," in text and not text.startswith("["):
        return [typed_value(part) for part in text.split(",")]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.lower() == "none":
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
