"""The results of a run as a page and as Markdown in its folder, and as tables on the screen."""

import json
import textwrap
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from cardgames_env.core.files import write_whole
from experiments import page, plots
from experiments.folder import ALTERNATIVES_DIR, CONFIGURATION, PARTS
from experiments.part_sections import brief_part_grids, parts_report
from experiments.parts import PartsSummary, compare
from experiments.results import read_manifest
from experiments.run_sections import brief_grids, run_report
from experiments.sections import Grid, Report
from experiments.statistics import Summary, summarize

LEAST_TEXT = 10  # characters of a column of words on the screen


def write_report(directory: Path) -> tuple[Summary, Report]:
    """Evaluate the run in ``directory`` and write its report, summary and pictures there.

    Writes report.html (a page that needs no other file), report.md with its pictures as PNG,
    summary.json; of a study also its tables as CSV. Each whole or not at all. Raises ResultsError
    as ``summarize`` does.
    """
    summary = summarize(directory)
    study = None
    if (directory / ALTERNATIVES_DIR).is_dir():
        from experiments import studies  # they import the games' agents

        study = studies.analyse(directory)
    report = run_report(summary, read_manifest(directory), study)
    tables = study.tables if study else ()
    csvs = {f"{table.name}.csv": table.csv() for table in tables}
    _write(directory, report, summary.to_dict(), csvs)
    return summary, report


def write_parts_report(directory: Path) -> tuple[PartsSummary, Report]:
    """The same for a folder of several runs, the parts of a sweep or of a comparison of variants.

    Raises ResultsError for a folder without parts, and as ``summarize`` does.
    """
    summary = compare(directory)
    names = [part.name for part in summary.parts]
    listed = json.loads((directory / PARTS).read_text(encoding="utf-8"))
    manifests = [
        read_manifest(directory / part["folder"]) for part in listed if part["name"] in names
    ]
    config = tomllib.loads((directory / CONFIGURATION).read_text(encoding="utf-8"))
    report = parts_report(summary, config["kind"], manifests)
    _write(directory, report, asdict(summary), {})
    return summary, report


def _write(
    directory: Path, report: Report, numbers: dict[str, Any], csvs: Mapping[str, str]
) -> None:
    """Write the files of a report; ``files`` in summary.json, the first of them, names the others."""
    figures = {
        picture.name: picture.draw() for section in report.sections for picture in section.pictures
    }
    files = ["report.html", "report.md", *figures, *csvs]
    write_whole(directory / "summary.json", _json(numbers | {"files": files}))
    for name, table in csvs.items():
        write_whole(directory / name, table.encode())
    for name, figure in figures.items():
        write_whole(directory / name, plots.png(figure))
    write_whole(directory / "report.md", markdown(report).encode())
    drawn = {name: plots.svg(figure) for name, figure in figures.items()}
    write_whole(directory / "report.html", page.html(report, drawn).encode())


def _json(content: dict[str, Any]) -> bytes:
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()


def screen_tables(summary: Summary) -> list[Table]:
    """Tables of a run for a rich console of 80 columns."""
    return [screen_table(grid) for grid in brief_grids(summary)]


def screen_parts(summary: PartsSummary) -> list[Table]:
    """Tables of a sweep or of a comparison of variants for a rich console of 80 columns."""
    return [screen_table(grid) for grid in brief_part_grids(summary)]


def markdown(report: Report) -> str:
    """The report as GitHub-flavoured Markdown; it shows the pictures that lie beside it."""
    blocks = [
        f"# {report.title}",
        _markdown_list(report.short),
        "## What was run",
        _markdown_list(f"{name}: {value}" for name, value in report.facts),
        _markdown_table(report.agents),
        "To play the same games again:",
        f"```sh\n{report.command}\n```",
    ]
    for section in report.sections:
        blocks.append(f"## {section.title}")
        blocks.append(_markdown_list(section.notes))
        for grid in section.grids:
            title = [f"**{grid.title}**"] if len(section.grids) > 1 else []
            blocks += [*title, _markdown_table(grid), _plain(grid.caption)]
        blocks += [f"![{_plain(picture.text)}]({picture.name})" for picture in section.pictures]
    return "\n\n".join(block for block in blocks if block) + "\n"


def _markdown_list(notes: Iterable[str]) -> str:
    return "\n".join(f"- {_plain(note)}" for note in notes)


def _markdown_table(grid: Grid) -> str:
    numbers = len(grid.columns) - grid.texts
    rule = [*["---"] * grid.texts, *["---:"] * numbers]
    return "\n".join(_markdown_row(line) for line in [grid.columns, rule, *grid.rows])


def _markdown_row(cells: Sequence[str]) -> str:
    escaped = (_plain(cell).replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def _plain(text: str) -> str:
    """Text that Markdown does not take for HTML."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def screen_table(grid: Grid) -> Table:
    """A table for a rich console."""
    table = Table(
        title=grid.title,
        caption=grid.caption,
        title_justify="left",
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    for number, column in enumerate(grid.columns):
        longest = max((len(row[number]) for row in grid.rows), default=0)
        if number < grid.texts:
            table.add_column(column, overflow="fold", min_width=min(longest, LEAST_TEXT))
        else:  # long heads are stacked, so that more columns fit
            head = (
                "\n".join(textwrap.wrap(column, max(longest, 1), break_long_words=False)) or column
            )
            table.add_column(head, justify="right", no_wrap=True)
    for row in grid.rows:
        # Text, since a label may hold square brackets, which rich would take for markup.
        table.add_row(*(Text(cell) for cell in row))
    return table
