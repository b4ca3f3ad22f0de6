"""Pictures of a sweep or of a comparison of rule variants: one quantity over all parts."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments import plots
from experiments.moments import Estimate
from experiments.parts import PartSummary
from experiments.sections import shifted

DODGE = 0.12  # of a row, between the marks of two agents
SERIES: dict[str, Any] = {"markersize": 6, "capsize": 3, "elinewidth": 1.3, "zorder": 3}

Parts = Sequence[PartSummary]


def labels(parts: Parts) -> list[str]:
    """The agents of all parts, each once."""
    return list(dict.fromkeys(label for part in parts for label in part.summary.labels))


def swept(parts: Parts) -> tuple[str, list[float]] | None:
    """The one thing that was varied and its values, if they are different numbers."""
    names = {name for part in parts for name in part.values}
    if len(names) != 1:
        return None
    (name,) = names
    values = [
        value
        for part in parts
        if isinstance(value := part.values.get(name), int | float) and not isinstance(value, bool)
    ]
    return (name, values) if len(set(values)) == len(parts) else None


def over_parts(
    parts: Parts,
    series: Mapping[str, Sequence[Estimate | None]],
    *,
    title: str,
    unit: str,
    share: bool,
    reference: Sequence[float] = (),
) -> Figure:
    """One line (over the swept value) or one column of marks (a row for each part) an agent.

    ``series`` holds the estimates in the order of the parts, by agent, or under "" where they are
    nobody's; ``share`` writes the axis in percent; ``reference``, if given, holds for each part where
    a dashed line goes.
    """
    curve = swept(parts)
    if curve is None:
        return _rows(parts, series, title, unit, share, reference)
    name, values = curve
    figure = Figure(figsize=(4.9, 3.8), layout="constrained")
    axes = figure.subplots()
    for label, estimates in series.items():
        points = sorted(
            (value, one) for value, one in zip(values, estimates, strict=True) if one is not None
        )
        axes.errorbar(
            [value for value, _ in points],
            [one.mean for _, one in points],
            yerr=[one.half_width or 0 for _, one in points],
            label=label,
            linewidth=1.2,
            **_look(parts, label),
            **SERIES,
        )
    if reference:
        line = sorted(zip(values, reference, strict=True))
        axes.plot([value for value, _ in line], [one for _, one in line], **plots.EQUALITY_LINE)
    if len(values) <= 12:
        axes.set_xticks(values, [f"{value:g}" for value in values])
    if share:
        axes.yaxis.set_major_formatter(plots.percent())
    axes.grid(color="0.9")
    axes.set_xlabel(name)
    axes.set_ylabel(unit)
    _finish(figure, axes, title, series)
    return figure


def _rows(
    parts: Parts,
    series: Mapping[str, Sequence[Estimate | None]],
    title: str,
    unit: str,
    share: bool,
    reference: Sequence[float],
) -> Figure:
    names = [part.name for part in parts]
    figure, axes = plots.agent_rows(names, height=0.3 + 0.08 * len(series))
    middle = (len(series) - 1) / 2
    for position, (label, estimates) in enumerate(series.items()):
        for row, one in enumerate(estimates):
            if one is not None:
                place = row + DODGE * (position - middle)
                plots.draw_estimate(axes, place, one, **_look(parts, label))
        axes.plot([], [], linestyle="none", label=label, **_look(parts, label))
    for row, where in enumerate(reference):
        axes.plot((where, where), (row - 0.5, row + 0.5), **plots.EQUALITY_LINE)
    if share:
        axes.xaxis.set_major_formatter(plots.percent())
    axes.grid(axis="x", color="0.9")
    axes.set_ylabel("part")
    axes.set_xlabel(unit)
    _finish(figure, axes, title, series)
    return figure


def _finish(figure: Figure, axes: Axes, title: str, series: Mapping[str, Any]) -> None:
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title(title, loc="left")
    if len(series) > 1:
        plots.name_agents(figure, list(series))


def _look(parts: Parts, label: str) -> dict[str, Any]:
    """The agent's colour and marker; black for what is nobody's, or the first agent's of a sweep."""
    known = labels(parts)
    return plots.look(known, label) if label in known else {"color": "black", "marker": "o"}


def seats(parts: Parts) -> Figure:
    """Win share by seat and part, less what equal seats would have."""
    names = [part.name for part in parts]
    most = max(part.summary.num_players for part in parts)
    columns = [str(seat) for seat in range(most)]
    cells = {
        (part.name, str(seat.seat)): shifted(seat.win_share, -part.summary.equal_share)
        for part in parts
        for seat in part.summary.seats
    }
    figure, axes = plots.heat_map(
        names, columns, cells, equal=0.0, unit="win share less equal share (% points)"
    )
    axes.set_xticks(np.arange(most), columns, rotation=0, ha="center")
    axes.set_ylabel("part (row)")
    axes.set_xlabel("seat (column)")
    axes.set_title("Seats: win share less an equal share", loc="left")
    return figure
