"""The command line: ``cardgames``.

Every mistake that a user can make is answered by one line and exit status 2.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

import agents
import cardgames_env
from cardgames_env.core.asking import AgentError
from cardgames_env.core.game import Game, get_game
from cardgames_env.core.jit import cache_directory
from cardgames_env.core.replay import Replay
from experiments import bench as benchmark
from experiments import solve as solving
from experiments.cli_options import (
    GAME,
    INTERRUPTED,
    USER_ERROR,
    GameName,
    fail,
    read_options,
    rule_options,
)
from experiments.cli_run import COMMANDS
from experiments.efg import write_efg
from experiments.lineup import contestants
from experiments.play import play_game, tell_replay
from experiments.solution import check_writable, write_solution
from experiments.tree import MAX_NODES, OUTCOME, PAYOFFS, enumerate_tree


def main() -> None:
    """Entry point of the ``cardgames`` command."""
    try:
        status = cli.main(standalone_mode=False, prog_name="cardgames")
    except click.exceptions.Abort:
        fail("interrupted", INTERRUPTED)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message())
        status = 0
    except click.ClickException as error:
        fail(error.format_message(), USER_ERROR)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    except (ValueError, AgentError) as error:
        fail(str(error), USER_ERROR)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        fail(f"{where}{error.strerror or error}", USER_ERROR)
    except MemoryError:
        fail("not enough memory for this run", USER_ERROR)
    sys.exit(status if isinstance(status, int) else 0)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(cardgames_env.__version__, prog_name="cardgames")
def cli() -> None:
    """Card and dice games for AI research: tournaments, play, replays."""


for _command in COMMANDS:
    cli.add_command(_command)


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
