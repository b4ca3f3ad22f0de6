"""A tournament's summary as tables on the screen and as a report in the results folder."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from cardgames_env.core.files import write_whole
from cardgames_env.core.game import get_game
from experiments import plots
from experiments.statistics import AgentSummary, Estimate, Summary, read_manifest, summarize

NOT_SEPARATED = "≈"
MOST_DECIMAL_CELLS = 8  # agents; on an 80-column screen more need whole percents in cross-play


@dataclass(frozen=True)
class _Grid:
    """A table before it is drawn: names in the first column, numbers in the others."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    caption: str
    pictures: tuple[str, ...]


def screen_tables(summary: Summary) -> list[Table]:
    """Tables for a rich console: the agents, the seats and, if any two met, the cross-play."""
    return [_screen_table(grid) for grid in _grids(summary, brief=True)]


def markdown(summary: Summary, manifest: dict[str, Any]) -> str:
    """The report as GitHub-flavoured Markdown; it shows the pictures of plots.pictures."""
    sections = [
        f"# Tournament of {summary.game}",
        _what_was_run(summary, manifest),
        "To play the same games again:",
        f"```sh\n{manifest['command']}\n```",
    ]
    for grid in _grids(summary, brief=False):
        sections += [f"## {grid.title}", _markdown_table(grid), grid.caption]
        sections += [f"![{grid.title}: {name}]({name})" for name in grid.pictures]
    sections += ["## How to read the intervals", _reading_note(summary)]
    return "\n\n".join(sections) + "\n"


def write_report(directory: Path) -> Summary:
    """Evaluate the tournament in ``directory`` and write report, summary and pictures there.

    Writes report.md, summary.json and the files of plots.pictures, each whole or not at all.
    Raises ResultsError as ``summarize`` does.
    """
    summary = summarize(directory)
    report = markdown(summary, read_manifest(directory))
    numbers = json.dumps(summary.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    for name, picture in plots.pictures(summary).items():
        write_whole(directory / name, picture)
    write_whole(directory / "summary.json", f"{numbers}\n".encode())
    write_whole(directory / "report.md", report.encode())
    return summary


def _what_was_run(summary: Summary, manifest: dict[str, Any]) -> str:
    copies = Counter(manifest["agents"])
    agents = ", ".join(
        f"`{agent}`" + (f" ({number} copies)" if number > 1 else "")
        for agent, number in copies.items()
    )
    lines = [
        f"Game: `{summary.game}` ({_options(manifest)})",
        f"Agents: {agents}",
        f"Games: {_games_played(summary, manifest)}",
        f"Length of a game: {_number(summary.rounds)} rounds",
        f"Seed: {manifest['seed']}",
    ]
    logged = manifest.get("decisions", 0)
    if logged:
        which = "all deals" if logged == 1 else f"{100 * logged:g} % of the deals, sampled"
        lines.append(f"Decision log: {which} (`decisions/`)")
    optional = {
        "line_ups": "Line-ups (sets of agents that meet, in turn)",
        "started": "Started",
        "seconds": "Playing time (s)",
        "threads": "Threads",
    }
    lines += [f"{title}: {manifest[key]}" for key, title in optional.items() if key in manifest]
    if "versions" in manifest:
        versions = ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())
        lines.append(f"Versions: {versions}")
    return "\n".join(f"- {line}" for line in lines)


def _options(manifest: dict[str, Any]) -> str:
    """The rule options; a table of numbers is not written out where it is the game's own."""
    defaults = get_game(manifest["game"]).check_options({})
    return ", ".join(
        f"{name}: the default"
        if isinstance(value, list) and value == defaults.get(name)
        else f"{name}={value}"
        for name, value in manifest["options"].items()
    )


def _games_played(summary: Summary, manifest: dict[str, Any]) -> str:
    played = (
        f"{summary.games:,} (deals: {summary.deals:,}, seatings of each: "
        f"{summary.games / summary.deals:g}, {manifest['seating']})"
    )
    if summary.complete:
        return f"{played}, complete"
    return f"{played}, interrupted before the {manifest['games']:,} planned"


def _reading_note(summary: Summary) -> str:
    lines = [
        "a ±b is a 95 % interval from a - b to a + b (Student's t) of a mean over deals. The "
        "games of one deal share their cards, so they count as one observation.",
        f"If all agents were equal, each would win {summary.equal_share:.2%} of its games, and "
        "finish ahead of any other in 50 % of their encounters.",
        f"The lead is the difference of win share to the agent below, in percentage points, over "
        f"the deals where the two met. {NOT_SEPARATED} marks a lead whose interval includes 0: "
        "these games do not tell which of the two is better. Two agents that never met are "
        "compared by their own intervals.",
        "Each interval is meant by itself: of twenty differences that are 0 in truth, about one "
        "looks separated.",
        "Places are ranks as the game gives them: agents that tie share the better one. Points "
        "are the game's own; its rules say whether more or fewer are better.",
    ]
    if summary.deals == 1:
        lines.insert(1, "A single deal gives no interval.")
    return "\n".join(f"- {line}" for line in lines)


def _grids(summary: Summary, brief: bool) -> list[_Grid]:
    """All tables; the brief ones fit a screen, with fewer digits and intervals."""
    grids = [_agent_grid(summary), _place_grid(summary), _seat_grid(summary)]
    if summary.cross_play:
        grids.append(_cross_play_grid(summary, brief))
    return grids


def _agent_grid(summary: Summary) -> _Grid:
    return _Grid(
        title="Agents by win share",
        columns=["agent", "games", "win share %", "lead", "points"],
        rows=[
            [
                agent.agent,
                f"{agent.games:,}",
                _percent(agent.win_share),
                _lead(agent),
                _number(agent.points),
            ]
            for agent in summary.agents
        ],
        caption=f"{NOT_SEPARATED}: not separated from the next. Equal agents would win "
        f"{summary.equal_share:.2%}.",
        pictures=("win_share.png",),
    )


def _place_grid(summary: Summary) -> _Grid:
    return _Grid(
        title="Places",
        columns=["agent", *(f"{place} %" for place in range(1, summary.num_players + 1))],
        rows=[
            [agent.agent, *(_percent(place) for place in agent.places)] for agent in summary.agents
        ],
        caption="Share of games that the agent ended in each place; equals share the better one.",
        pictures=("places.png",),
    )


def _lead(agent: AgentSummary) -> str:
    if agent.separated is None:
        return ""
    lead = "never met" if agent.lead is None else _percent(agent.lead, sign="+")
    return lead if agent.separated else f"{lead} {NOT_SEPARATED}"


def _seat_grid(summary: Summary) -> _Grid:
    return _Grid(
        title="Seats",
        columns=["seat", "win share %", "points"],
        rows=[
            [str(seat.seat), _percent(seat.win_share), _number(seat.points)]
            for seat in summary.seats
        ],
        caption=f"All agents together. Equal seats: {summary.equal_share:.2%}.",
        pictures=("seats.png",),
    )


def _cross_play_grid(summary: Summary, brief: bool) -> _Grid:
    """Columns are numbered, since a dozen long names would not fit side by side."""

    def cell(row: str, column: str) -> str:
        if (row, column) not in pairs:
            return ""
        ahead = pairs[row, column].ahead
        return f"{ahead.mean * 100:.{digits}f}" if brief else _percent(ahead)

    names = [agent.agent for agent in summary.agents]
    digits = 1 if len(names) <= MOST_DECIMAL_CELLS else 0
    pairs = summary.pairs()
    return _Grid(
        title="Cross-play",
        columns=["agent", *(str(number + 1) for number in range(len(names)))],
        rows=[
            [f"{number} {row}", *(cell(row, column) for column in names)]
            for number, row in enumerate(names, start=1)
        ],
        caption="Share of encounters (%) in which the row's agent finishes ahead of the "
        "column's; equal ranks count half.",
        pictures=("cross_play.png",),
    )


def _percent(estimate: Estimate, sign: str = "") -> str:
    return _number(estimate, 100, sign)


def _number(estimate: Estimate, scale: float = 1, sign: str = "") -> str:
    mean = f"{estimate.mean * scale:{sign}.2f}"
    if estimate.half_width is None:
        return mean
    return f"{mean} ±{estimate.half_width * scale:.2f}"


def _screen_table(grid: _Grid) -> Table:
    table = Table(
        title=grid.title,
        caption=grid.caption,
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    table.add_column(grid.columns[0], overflow="fold")
    for column in grid.columns[1:]:
        table.add_column(column, justify="right", no_wrap=True)
    for row in grid.rows:
        # Text, since a label may hold square brackets, which rich would take for markup.
        table.add_row(*(Text(cell) for cell in row))
    return table


def _markdown_table(grid: _Grid) -> str:
    lines = [grid.columns, ["---", *["---:"] * (len(grid.columns) - 1)], *grid.rows]
    return "\n".join(_markdown_row(line) for line in lines)


def _markdown_row(cells: list[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"
