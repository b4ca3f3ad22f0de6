"""Pictures of studies: means with their intervals along an axis, a line for each agent.

Agents have the colours and markers of a tournament's pictures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.plots import COLOURS, MARKERS
from experiments.statistics import Estimate
from experiments.studies.means import EVERYBODY, Gains, Means


def look_of(agent: str, agents: Sequence[str]) -> dict[str, Any]:
    """Colour and marker of an agent, as in a tournament's pictures; black for all together."""
    if agent == EVERYBODY:
        return {"color": "black", "marker": "o"}
    k = list(dict.fromkeys(agents)).index(agent)
    return {"color": COLOURS[k % len(COLOURS)], "marker": MARKERS[k % len(MARKERS)]}


FEWEST_DEALS = 10  # means over fewer are not drawn: their intervals would hide all others


@dataclass(frozen=True)
class Line:
    """Points of a picture: where they stand on the axis, and their estimates (None: none)."""

    label: str
    at: Sequence[float]
    estimates: Sequence[Estimate | None]
    look: Mapping[str, Any]


def agent_lines(means: Means, column: str, agents: Sequence[str]) -> list[Line]:
    """A line for each agent and for all together, along a column."""
    at = means.steps(column)
    return [
        Line(name, at, [means[name, column, x] for x in at], look_of(name, agents))
        for name in means.agents(agents)
    ]


def open_ended(steps: Sequence[int], last: int) -> tuple[Sequence[int], list[str]]:
    """Ticks of an axis on which ``last`` stands for itself and all above."""
    return steps, [f"{x}+" if x == last else str(x) for x in steps]


def draw_lines(axes: Axes, lines: Sequence[Line], scale: float = 1.0, apart: float = 0.08) -> None:
    """Draw estimates with their intervals, joined; lines stand ``apart`` so that all can be seen."""
    for k, line in enumerate(lines):
        shift = apart * (k - (len(lines) - 1) / 2)
        known = [
            (x, estimate)
            for x, estimate in zip(line.at, line.estimates, strict=True)
            if estimate is not None and estimate.deals >= FEWEST_DEALS
        ]
        if not known:
            continue
        axes.errorbar(
            [x + shift for x, _ in known],
            [scale * e.mean for _, e in known],
            yerr=[scale * (e.half_width or 0.0) for _, e in known],
            label=line.label,
            markersize=5,
            linewidth=1.2,
            elinewidth=1.2,
            capsize=2,
            **line.look,
        )
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


@dataclass(frozen=True)
class Panel:
    """One of the pictures side by side: lines, what their y axis shows, and its unit.

    ``scale`` turns the estimates into that unit. ``share``: they are shares, in per cent.
    """

    title: str
    unit: str
    lines: Sequence[Line]
    scale: float = 1.0
    share: bool = False


def gain_panels(gains: Gains, column: str, agents: Sequence[str], of: str) -> list[Panel]:
    """Win share and points gained, along a column; ``of`` names whose gain it is."""
    return [
        Panel(
            f"{of}: win share",
            "percentage points",
            agent_lines(gains.win_share, column, agents),
            100,
        ),
        Panel(f"{of}: points", "points gained", agent_lines(gains.points, column, agents)),
    ]


def share_panel(means: Means, column: str, agents: Sequence[str], title: str) -> Panel:
    """A share along a column."""
    return Panel(title, "%", agent_lines(means, column, agents), 100, share=True)


def lined_figure(
    panels: Sequence[Panel],
    x_label: str,
    title: str,
    ticks: tuple[Sequence[float], Sequence[str]] | None = None,
) -> Figure:
    """Panels side by side over the same x axis, with one legend for all."""
    figure = Figure(figsize=(0.8 + 4.6 * len(panels), 4.2), layout="constrained")
    row = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, panel in zip(row, panels, strict=True):
        draw_lines(axes, panel.lines, panel.scale)
        if panel.share:
            low, high = axes.get_ylim()  # an interval may reach beyond what is possible
            axes.set_ylim(max(low, -4), min(high, 104))
        else:
            axes.axhline(0, color="0.35", linestyle="--", linewidth=1.0)
        axes.set_title(panel.title, loc="left", fontsize=10)
        axes.set_ylabel(panel.unit)
        axes.set_xlabel(x_label)
        if ticks is not None:
            axes.set_xticks(*ticks)
    handles, labels = row[0].get_legend_handles_labels()
    if len(labels) > 1:
        figure.legend(
            handles, labels, loc="outside lower center", ncols=min(6, len(labels)),
            frameon=False, fontsize=9,
        )  # fmt: skip
    figure.suptitle(title, x=0.01, ha="left", fontsize=12)
    return figure
