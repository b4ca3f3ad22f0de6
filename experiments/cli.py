"""The command line: ``cardgames``.

Every mistake that a user can make is answered by one line and exit status 2.
"""

from __future__ import annotations

import json
import math
import os
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

import agents
import cardgames_env
from cardgames_env.core.asking import AgentError
from cardgames_env.core.game import Game, get_game
from cardgames_env.core.jit import cache_directory
from cardgames_env.core.replay import Replay
from cardgames_env.core.rng import checked_root
from experiments import bench as benchmark
from experiments import solve as solving
from experiments import tournament
from experiments.efg import write_efg
from experiments.lineup import contestants
from experiments.play import play_game, tell_replay
from experiments.progress import Progress
from experiments.solution import check_writable, write_solution
from experiments.tree import MAX_NODES, OUTCOME, PAYOFFS, enumerate_tree

USER_ERROR = 2
INTERRUPTED = 130
DEFAULT_GAMES = 20_000


def main() -> None:
    """Entry point of the ``cardgames`` command."""
    try:
        status = cli.main(standalone_mode=False, prog_name="cardgames")
    except click.exceptions.Abort:
        _fail("interrupted", INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        status = 0
    except click.ClickException as error:
        _fail(error.format_message(), USER_ERROR)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except (ValueError, AgentError) as error:
        _fail(str(error), USER_ERROR)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(f"{where}{error.strerror or error}", USER_ERROR)
    except MemoryError:
        _fail("not enough memory for this run", USER_ERROR)
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, status: int) -> None:
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


def read_options(game: Game, players: int | None, extra: tuple[str, ...]) -> dict[str, Any]:
    """Rule options as given on the command line. Raises ValueError."""
    options: dict[str, Any] = {} if players is None else {"num_players": players}
    for text in extra:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"--option {text!r}: expected NAME=VALUE")
        if name in options:
            raise ValueError(f"--option {text!r}: {name} is given twice")
        options[name] = _value(value)
    return game.check_options(options)


def _value(text: str) -> Any:
    """A command-line value: a number, several of them, true, false, none, JSON, or the text itself."""
    if "," in text and not text.startswith("["):
        return [_value(part) for part in text.split(",")]
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if text.lower() == "none":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(cardgames_env.__version__, prog_name="cardgames")
def cli() -> None:
    """Card and dice games for AI research: tournaments, play, replays."""


@cli.command("games")
def games_command() -> None:
    """List the games and their rule options."""
    table = Table("game", "title", "option", "default", "meaning")
    for game_id in cardgames_env.games():
        game = get_game(game_id)
        names = [game.id, game.title]
        for option in game.options:
            table.add_row(*names, option.name, str(option.default), option.meaning)
            names = ["", ""]
    Console().print(table)


@cli.command("agents")
@click.argument("game", type=GameName(), required=False)
def agents_command(game: Game | None) -> None:
    """List the agents of GAME (or of all games) and their parameters."""
    table = Table("game", "agent", "what it does", "parameters (default)")
    for game_id in cardgames_env.games() if game is None else [game.id]:
        first = game_id
        for entry in agents.entries(game_id).values():
            parameters = "\n".join(
                f"{p.name} ({p.default:g}): {p.meaning}" for p in entry.parameters
            )
            table.add_row(first, entry.name, entry.summary, parameters)
            first = ""
    Console().print(table)


@cli.command("tournament")
@GAME
@click.option(
    "--agents",
    "specs",
    metavar="A,B,…",
    help="Agents: names of `cardgames agents`, name:parameter=value, or module:attribute of your "
    "own. Default: all of the game's but the slow ones.",
)
@click.option(
    "--games",
    "count",
    type=int,
    default=DEFAULT_GAMES,
    show_default=True,
    help="Games to play, rounded up to whole deals.",
)
@click.option("--seed", type=int, default=1, show_default=True, help="Root seed of all chance.")
@click.option("--threads", type=int, help="Threads (default: one a processor).")
@click.option(
    "--seating",
    type=click.Choice(tournament.SEATINGS),
    default=tournament.ROTATIONS,
    show_default=True,
    help="Each deal under all rotations of the seats (of all circular orders in turn, where "
    "neighbours matter), or all orders.",
)
@click.option(
    "--decisions",
    metavar="all|SHARE",
    help="Keep a row for every decision, too, of all deals or of a share of them such as 0.01.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Results folder (default: a new one under results/).",
)
@click.option("--force", is_flag=True, help="Replace the results in the folder.")
@rule_options
def tournament_command(
    game: Game,
    specs: str | None,
    count: int,
    seed: int,
    threads: int | None,
    seating: str,
    decisions: str | None,
    out: Path | None,
    force: bool,
    players: int | None,
    extra: tuple[str, ...],
) -> int:
    """Play a tournament of GAME with duplicate deals, and report on it."""
    options = read_options(game, players, extra)
    wanted = specs.split(",") if specs else agents.quick_names(game.id)
    plan = tournament.plan(
        game.id,
        options,
        contestants(game.id, wanted),
        games=count,
        seed=checked_root(seed),
        seating=seating,
        logged=read_share(decisions),
    )
    if threads is not None and not 1 <= threads <= 1024:
        raise ValueError(f"--threads must be 1 … 1024, got {threads}")
    directory = out or tournament.free_folder(Path("results") / game.id)
    tournament.prepare_folder(directory, force=force)
    console = Console()
    with Progress(console, plan.games) as progress:
        complete = tournament.run(
            plan,
            directory,
            threads=threads or tournament.default_threads(),
            command="cardgames " + shlex.join(sys.argv[1:]),
            on_progress=progress.advance,
        )
    if not progress.done:
        _fail("interrupted before the first block was finished; nothing to report", INTERRUPTED)
    show_report(console, directory)
    if not complete:
        console.print(f"Interrupted: this covers {progress.done:,} of {plan.games:,} games.")
    return 0 if complete else INTERRUPTED


def read_share(text: str | None) -> float:
    """The share of the deals whose decisions are kept: 0 (no option) … 1. Raises ValueError."""
    if text is None:
        return 0.0
    try:
        share = 1.0 if text == "all" else float(text)
    except ValueError:
        share = math.nan
    if not 0 < share <= 1:
        raise ValueError(f"--decisions must be all, or a share above 0 and at most 1, got {text!r}")
    return share


def show_report(console: Console, directory: Path) -> None:
    """Write the report of a results folder, and its tables to the screen. Raises ValueError."""
    from experiments import report  # pandas, SciPy, matplotlib: a second that no game need wait for

    for table in report.screen_tables(report.write_report(directory)):
        console.print(table)
    also = ", decisions/" if (directory / tournament.DECISIONS_DIR).is_dir() else ""
    console.print(f"Results: {directory} (report.md, summary.json, pictures, games/{also})")


@cli.command("report")
@click.argument("directory", type=click.Path(path_type=Path))
def report_command(directory: Path) -> None:
    """Make the report of a tournament's results (DIRECTORY) again."""
    show_report(Console(), directory)


@cli.command("play")
@GAME
@click.option(
    "--opponents", metavar="A,B,…", help="One agent for all other seats, or one each, clockwise."
)
@click.option("--seat", type=int, default=0, show_default=True, help="Your seat.")
@click.option("--seed", type=int, help="Root seed (default: a fresh one).")
@click.option(
    "--record",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Save the game for `cardgames replay`.",
)
@rule_options
def play_command(
    game: Game,
    opponents: str | None,
    seat: int,
    seed: int | None,
    record: Path | None,
    players: int | None,
    extra: tuple[str, ...],
) -> None:
    """Play GAME against agents in the terminal."""
    options = read_options(game, players, extra)
    specs = (opponents or agents.quick_names(game.id)[-1]).split(",")
    others = options["num_players"] - 1
    if len(specs) == 1:
        specs = specs * others
    if len(specs) != others:
        raise ValueError(f"--opponents takes 1 or {others} agents, got {len(specs)}")
    play_game(game, options, contestants(game.id, specs), seat=seat, seed=seed, record=record)


@cli.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--seat", type=int, default=0, show_default=True, help="Told as seen from this seat.")
@click.option("--boards", is_flag=True, help="Show the whole table after every event.")
def replay_command(file: Path, seat: int, boards: bool) -> None:
    """Tell a recorded game (FILE) move by move, checked against the rules."""
    tell_replay(Replay.load(file), seat=seat, boards=boards)


@cli.command("solve")
@GAME
@click.option("--iterations", type=int, default=1000, show_default=True, help="Iterations of CFR+.")
@click.option(
    "--payoff",
    type=click.Choice(PAYOFFS),
    default=OUTCOME,
    show_default=True,
    help="+1, 0, −1 for win, draw, loss; or the difference in points.",
)
@click.option(
    "--agent",
    "specs",
    multiple=True,
    metavar="NAME",
    help="Measure this agent, too: a name of `cardgames agents`, name:parameter=value, or "
    "module:attribute of your own (compiled); repeatable.",
)
@click.option(
    "--draws",
    type=int,
    default=solving.DRAWS,
    show_default=True,
    help="Draws per decision of an agent that draws at random.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the strategy found as Parquet.",
)
@click.option(
    "--efg",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write the tree in Gambit's format, which OpenSpiel loads.",
)
@click.option(
    "--max-nodes",
    type=int,
    default=MAX_NODES,
    show_default=True,
    help="Refuse larger trees.",
)
@rule_options
def solve_command(
    game: Game,
    iterations: int,
    payoff: str,
    specs: tuple[str, ...],
    draws: int,
    out: Path | None,
    efg: Path | None,
    max_nodes: int,
    players: int | None,
    extra: tuple[str, ...],
) -> None:
    """Solve a small GAME for two exactly (seat 0 leads): CFR+ over its whole tree."""
    options = read_options(game, 2 if players is None else players, extra)
    tested = contestants(game.id, specs)
    solving.check_iterations(iterations)
    for path in (out, efg):
        if path is not None:
            check_writable(path)
    tree = enumerate_tree(game, options, payoff=payoff, max_nodes=max_nodes)
    console = Console(highlight=False)
    console.print(f"{tree.num_nodes:,} nodes, {tree.num_infosets:,} information sets")
    if efg is not None:
        write_efg(tree, efg)
        console.print(f"Tree: {efg}")
    known = [("uniform over actions", solving.uniform(tree))]
    if tree.unseen.any():
        known.append(("uniform over whole moves", solving.uniform_over_moves(tree)))
    for contestant in tested:
        strategy = solving.strategy_of_agent(tree, contestant.player, draws)
        known.append((contestant.label, strategy))
    table = Table("strategy", "exploitability", "best response leads", "… follows")
    for name, strategy in known:
        measured = solving.measure(tree, strategy)
        first, second = measured.best_responses
        table.add_row(name, f"{measured.exploitability:.6f}", f"{first:+.6f}", f"{second:+.6f}")
    console.print(table)
    console.print(f"{'CFR+ iterations':>15}  exploitability      value")

    def show(measured: solving.Measured) -> None:
        console.print(
            f"{measured.iterations:>15,}  {measured.exploitability:>14.6f}  {measured.value:>+9.6f}"
        )

    solution = solving.solve(tree, iterations, show)
    value, (low, high) = solution.history[-1].value, solution.history[-1].bounds
    console.print(
        f"Worth {value:+.6f} to the seat that leads (surely {low:+.6f} … {high:+.6f}).",
        soft_wrap=True,
    )
    if out is not None:
        write_solution(tree, solution.strategy, out)
        console.print(f"Strategy: {out}")


@cli.command("bench")
@click.argument("game", type=GameName(), required=False)
@click.option("--seconds", type=float, default=2.0, show_default=True, help="Time for each figure.")
def bench_command(game: Game | None, seconds: float) -> None:
    """Measure decisions per second on this machine (random play, one thread)."""
    if not 0 < seconds <= 3600:
        raise ValueError(f"--seconds must be above 0, at most 3600, got {seconds:g}")
    table = Table("game", "what", "decisions/s", title="Random play, one thread")
    for game_id in cardgames_env.games() if game is None else [game.id]:
        for name, rate in benchmark.rates(get_game(game_id), seconds):
            table.add_row(game_id, name, f"{rate:,.0f}")
    Console().print(table)


@cli.command("warmup")
def warmup_command() -> None:
    """Compile all kernels now, so that nothing waits for it later."""
    for game_id in cardgames_env.games():
        benchmark.warm_up(get_game(game_id))
        click.echo(f"{game_id}: compiled")
    click.echo(f"cache: {cache_directory() or 'none (no folder can be written)'}")


if __name__ == "__main__":
    main()
