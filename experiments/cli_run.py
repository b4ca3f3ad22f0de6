"""The commands that play experiments: ``run``, one for each kind, and ``report``.

Each option is a key of the configuration (see ``experiments.config``); what is not given comes from the
file, or from the defaults.
"""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from cardgames_env.core.game import Game
from experiments import config, engines, experiment, folder, seating
from experiments.cli_options import (
    GAME,
    INTERRUPTED,
    fail,
    rule_options,
    typed_options,
    typed_value,
)
from experiments.config import CROSS_PLAY, LADDER, STUDY, SWEEP, TOURNAMENT, VARIANTS, Experiment
from experiments.progress import Progress

Command = Callable[..., Any]


def _option(key: str, *names: str, **settings: Any) -> Callable[[Command], Command]:
    """An option for a key of the configuration, with the key's description as its help."""
    fields: dict[str, Any] = {**config.UntilDecided.model_fields, **Experiment.model_fields}
    field = fields[key]
    text = f"{field.description or ''}"
    default = field.get_default()
    if isinstance(default, (int, float, str)):
        text += f" (default: {default})"
    help_ = text[0].upper() + text[1:] + "."
    return click.option(*(names or (f"--{key.replace('_', '-')}",)), key, help=help_, **settings)


def _shared(command: Command) -> Command:
    """The options of every experiment."""
    decorators: list[Callable[[Command], Command]] = [
        _option("agents", metavar="A,B,…"),
        _option("games", type=int),
        _option("seed", type=int),
        _option("seating", type=click.Choice(seating.SEATINGS)),
        _option("decisions", metavar="all|SHARE"),
        _option("move_timeout", type=float, metavar="SECONDS"),
        _option("engine", type=click.Choice(engines.ENGINES)),
        _option("address"),
        _option("threads", type=int),
        _option("out", metavar="DIR"),
        click.option("--force", is_flag=True, help="Replace the results in the folder."),
        click.option("--resume", is_flag=True, help="Go on with an unfinished run in the folder."),
        click.option("--dry-run", is_flag=True, help="Tell what would be played, and stop."),
        rule_options,
    ]
    for decorator in reversed(decorators):
        command = decorator(command)
    return command


def _decided(command: Command) -> Command:
    """The options of a sequential test."""
    for decorator in reversed(
        [
            _option("until_decided", nargs=2, metavar="A B"),
            *(_option(key, type=float) for key in ("elo0", "elo1", "alpha", "beta")),
        ]
    ):
        command = decorator(command)
    return command


_opponents = _option("opponents", metavar="A,B,…")
_vary = _option("vary", metavar="NAME=V,V,…", multiple=True)
_variant = click.option(
    "--variant", "variants", metavar="NAME[:OPTION=VALUE]", multiple=True,
    help="A variant by name, and a rule option of it; repeatable, also for more options of one.",
)  # fmt: skip


def _trials(command: Command) -> Command:
    """The options of a study."""
    for key, kind in (("worlds", int), ("playouts", int), ("share", float)):
        command = _option(key, type=kind)(command)
    return command


# -- the commands ----------------------------------------------------------------------------------


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--list", "listed", is_flag=True, help="List the configurations that are shipped.")
@_opponents
@_vary
@_variant
@_trials
@_decided
@_shared
def run_command(file: Path | None, listed: bool, **given: Any) -> int:
    """Play the experiment of a configuration: FILE, a shipped one by name, or a results folder.

    Options given here replace what the file says.
    """
    if listed:
        for name in config.names():
            content = config.read(Path(name))
            click.echo(f"{name:<24} {content['kind']} of {content['game']}")
        return 0
    if file is None:
        raise ValueError(
            f"run takes a configuration: a file, or one of {', '.join(config.names())}"
        )
    if file.is_dir():
        if not (file / folder.CONFIGURATION).is_file():
            raise ValueError(f"{file} holds no {folder.CONFIGURATION}, so no experiment to play")
        content = config.read(file / folder.CONFIGURATION) | {"out": str(file)}
        return _play(content, given, str(file / folder.CONFIGURATION), Path(file.name))
    return _play(config.read(file), given, str(file), Path(file.stem))


def _kind_command(kind: str, name: str, *decorators: Callable[[Command], Command]) -> Any:
    """A command that plays one kind of experiment of a game; the decorated function has its help."""

    def make(function: Command) -> click.Command:
        def command(game: Game, **given: Any) -> int:
            content: dict[str, Any] = {"kind": kind, "game": game.id}
            if "study" in given:
                content["study"] = given.pop("study")
            base = game.id if kind == TOURNAMENT else f"{game.id}_{content.get('study', kind)}"
            return _play(content, given, "", Path(base))

        command.__doc__ = function.__doc__
        wrapped: Any = command
        for decorator in (_shared, *decorators, GAME):
            wrapped = decorator(wrapped)
        return click.command(name)(wrapped)

    return make


@_kind_command(TOURNAMENT, "tournament", _decided, _opponents)
def tournament_command() -> None:
    """Play a tournament of GAME with duplicate deals, and report on it."""


@_kind_command(CROSS_PLAY, "cross-play", _decided)
def cross_play_command() -> None:
    """Every agent of GAME alone against copies of every other, all on the same deals."""


@_kind_command(LADDER, "ladder", _decided)
def ladder_command() -> None:
    """Every agent of GAME, in the order given, alone against copies of the one before it."""


@_kind_command(SWEEP, "sweep", _vary, _opponents)
def sweep_command() -> None:
    """The same games of GAME with other values of a rule option or an agent's parameter."""


@_kind_command(VARIANTS, "variants", _variant, _opponents)
def variants_command() -> None:
    """Compare variants of the rules of GAME: length, seats, decisiveness."""


@_kind_command(STUDY, "study", _trials, _opponents, click.argument("study"))
def study_command() -> None:
    """Try every alternative at the decisions of GAME that STUDY is about."""


@click.command("report")
@click.argument("directory", type=click.Path(path_type=Path))
def report_command(directory: Path) -> None:
    """Make the report of the results in DIRECTORY again."""
    show_report(Console(), directory)


COMMANDS = (
    run_command, tournament_command, cross_play_command, ladder_command, sweep_command,
    variants_command, study_command, report_command,
)  # fmt: skip


# -- from options to a run -------------------------------------------------------------------------


def _play(content: Mapping[str, Any], given: dict[str, Any], source: str, base: Path) -> int:
    """Play what a configuration and the options given say; the exit status."""
    force, resume, dry = (given.pop(name) for name in ("force", "resume", "dry_run"))
    if force and resume:
        raise ValueError("--force begins anew, --resume goes on: choose one")
    wanted = config.experiment(_merged(content, given), source or "command line")
    runs = experiment.parts(wanted)
    console = Console()
    if dry:
        console.print(plan_table(wanted, runs))
        return 0
    if resume and wanted.out is None:
        raise ValueError("--resume needs the folder of the run: name it with --out")
    if wanted.out:
        directory, claim = Path(wanted.out), folder.claim(Path(wanted.out))
    else:
        directory, claim = folder.claim_free(Path("results") / base)
    with claim, contextlib.closing(experiment.new_engine(wanted)) as engine:
        experiment.prepare(wanted, directory, force=force, resume=resume)
        with Progress(console, experiment.games(runs)) as progress:
            complete = experiment.play(
                runs,
                directory,
                engine=engine,
                command="cardgames " + shlex.join(sys.argv[1:]),
                resume=resume,
                on_progress=progress.advance,
                on_damage=lambda message: click.echo(f"cardgames: {message}", err=True),
            )
    if not progress.done:
        fail("interrupted before the first block was finished; nothing to report", INTERRUPTED)
    show_report(console, directory)
    if not complete:
        total = experiment.games(runs)
        console.print(
            f"Interrupted: this covers {progress.done:,} of {total:,} games. Go on with: "
            f"cardgames run {shlex.quote(str(directory))} --resume",
            soft_wrap=True,
            markup=False,
        )
    return 0 if complete else INTERRUPTED


def _merged(content: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration with the options that were given on the command line in place."""
    merged = dict(content)
    given = {k: v for k, v in given.items() if v is not None and v != ()}
    options = typed_options(given.pop("players", None), given.pop("extra", ()))
    if options:
        merged["options"] = _joined(merged.get("options"), options)
    for key in ("agents", "opponents"):
        if key in given:
            given[key] = [spec.strip() for spec in given[key].split(",")]
    if "decisions" in given:
        given["decisions"] = read_share(given["decisions"])
    if "vary" in given:
        given["vary"] = _vary_values(given["vary"])
    if "variants" in given:
        given["variants"] = _variants(given["variants"])
    test: dict[str, Any] = {
        k: given.pop(k) for k in ("elo0", "elo1", "alpha", "beta") if k in given
    }
    if "until_decided" in given:
        test["agents"] = list(given.pop("until_decided"))
    if test:
        merged["until_decided"] = _joined(merged.get("until_decided"), test)
    return merged | given


def _joined(table: Any, given: dict[str, Any]) -> Any:
    """A file's table with what was given besides; what is no table is left to be refused."""
    return table | given if isinstance(table, dict) else given if table is None else table


def _vary_values(texts: tuple[str, ...]) -> dict[str, list[Any]]:
    """The values of --vary. Raises ValueError."""
    vary: dict[str, list[Any]] = {}
    for text in texts:
        name, equals, values = text.partition("=")
        if not equals or not name or not values:
            raise ValueError(f"--vary {text!r}: expected NAME=VALUE,VALUE,…")
        if name in vary:
            raise ValueError(f"--vary {text!r}: {name} is given twice")
        value = typed_value(values)
        vary[name] = value if isinstance(value, list) else [value]
    return vary


def _variants(texts: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """The values of --variant. Raises ValueError."""
    variants: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, colon, setting = text.partition(":")
        option, equals, value = setting.partition("=")
        if not name or (colon and not (option and equals)):
            raise ValueError(f"--variant {text!r}: expected NAME or NAME:OPTION=VALUE")
        options = variants.setdefault(name, {})
        if option in options:
            raise ValueError(f"--variant {text!r}: {option} is given twice")
        if colon:
            options[option] = typed_value(value)
    return variants


def read_share(text: str) -> float:
    """The share of the deals whose decisions are kept, above 0. Raises ValueError."""
    try:
        share = 1.0 if text == "all" else float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:  # nor NaN
        raise ValueError(f"--decisions must be all, or a share above 0 and at most 1, got {text!r}")
    return share


# -- what is shown ---------------------------------------------------------------------------------


def plan_table(wanted: Experiment, runs: list[experiment.Part]) -> Table:
    """What an experiment would play, and about how long that takes on this machine."""
    workers = experiment.workers(wanted, runs)
    table = Table(
        "run", "deals", "games a deal", "games", "blocks", "about",
        title=f"{wanted.kind} of {wanted.game}", title_justify="left",
        caption=f"Times as tried now for {workers} blocks at once on this machine"
        + (", on a cluster in proportion." if wanted.engine == engines.RAY else "."),
        caption_justify="left",
    )  # fmt: skip
    total = 0.0
    for guess in experiment.estimate(runs):
        plan = guess.part.tournament
        seconds = guess.seconds / min(workers, plan.blocks)
        total += seconds
        table.add_row(
            escape(guess.part.name) or "all",
            f"{plan.games // plan.games_per_deal:,}",
            f"{plan.games_per_deal:,}",
            f"{plan.games:,}",
            f"{plan.blocks:,}",
            _time(seconds),
        )
    if len(runs) > 1:
        games, blocks = experiment.games(runs), experiment.blocks(runs)
        table.add_section()
        table.add_row("together", "", "", f"{games:,}", f"{blocks:,}", _time(total))
    return table


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def show_report(console: Console, directory: Path) -> None:
    """Write the report of a results folder, and its tables to the screen. Raises ValueError."""
    from experiments import report  # pandas, SciPy, matplotlib: a second that no game need wait for

    if (directory / folder.PARTS).is_file():
        parts, made = report.write_parts_report(directory)
        tables = report.screen_parts(parts)
        places = f"{folder.PARTS_DIR}/"
    else:
        summary, made = report.write_report(directory)
        study = made.sections[0].grids if summary.kind == STUDY else ()
        tables = [*map(report.screen_table, study), *report.screen_tables(summary)]
        there = [name for name in folder.SHARD_DIRS if (directory / name).is_dir()]
        places = ", ".join(f"{name}/" for name in there)
    for table in tables:
        console.print(table)
    for note in made.short:
        console.print(f"- {note}", highlight=False, markup=False)
    console.print(
        f"Results: {escape(str(directory))} (report.html, report.md, summary.json, pictures, {places})",
        soft_wrap=True,
    )
