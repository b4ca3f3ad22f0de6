"""Pictures of a run's summary, as matplotlib figures without global state.

Agents keep one colour and one marker in all pictures, by their order in the manifest; the marker
tells them apart in black and white.
"""

import math
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np
from matplotlib import colormaps, rc_context, style
from matplotlib.axes import Axes
from matplotlib.colors import TwoSlopeNorm
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, PercentFormatter
from matplotlib.transforms import ScaledTranslation

from experiments.comparisons import Comparison
from experiments.convergence import Convergence
from experiments.moments import Estimate
from experiments.statistics import Summary

# Petroff (2021), Accessible color sequences for data visualization, arXiv:2107.02270; two more
# for an eleventh and a twelfth agent.
COLOURS = [*style.library["petroff10"]["axes.prop_cycle"].by_key()["color"], "black", "#f781bf"]
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p", "h", "*")
PLACE_COLOURS = colormaps["cividis"].reversed()  # its lightness is monotone: greys keep the order
ADVANTAGE_COLOURS = colormaps["PuOr"]
ERROR_BAR: dict[str, Any] = {"capsize": 4, "elinewidth": 1.5, "linestyle": "none", "zorder": 3}
EQUALITY_LINE: dict[str, Any] = {"color": "0.35", "linestyle": "--", "linewidth": 1.2}
NOTE: dict[str, Any] = {"color": "0.35", "fontsize": 9}
NO_ENCOUNTER = "0.88"

DOTS_PER_INCH = 150
LETTER_WIDTH = 0.085  # inches, of a label in the default font
ROW_HEIGHT = 0.36  # inches for each agent
NARROWEST_LABELLED_SEGMENT = 0.05
SMALLEST_COLOUR_RANGE = 0.1  # chance differences should look pale
MOST_CELLS_WITH_INTERVALS = 8  # agents; above this the cells keep only the share
NO_METADATA = {"Date": None, "Creator": None}
MOST_PAIRS = 36  # of 9 agents; of more pairs the closest are drawn
MOST_BARS = 60  # of a distribution


def png(figure: Figure) -> bytes:
    """The figure as a PNG file."""
    buffer = BytesIO()
    # The layout engine misjudges labels beside an image now and then; tight cuts none off.
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, bbox_inches="tight")
    return buffer.getvalue()


def svg(figure: Figure) -> bytes:
    """The figure as an SVG file, its letters as outlines; the same figure gives the same bytes."""
    buffer = BytesIO()
    with rc_context({"svg.hashsalt": "cardgames"}):
        figure.savefig(buffer, format="svg", bbox_inches="tight", metadata=NO_METADATA)
    return buffer.getvalue()


def win_share(summary: Summary) -> Figure:
    """Win share of each agent with its interval, best on top, and what equality would be."""
    figure, axes = agent_rows([agent.agent for agent in summary.agents])
    for row, agent in enumerate(summary.agents):
        draw_estimate(axes, row, agent.win_share, **look(summary.labels, agent.agent))
    mark_equality(axes, summary.equal_share)
    axes.set_xlim(*possible_shares(axes.get_xlim()))
    axes.xaxis.set_major_formatter(percent())
    axes.set_xlabel(f"win share (% of games){_interval_note(summary)}")
    axes.set_title("Win share", loc="left", pad=18)
    return figure


def comparisons(summary: Summary) -> Figure:
    """Difference of win share of every pair of agents that met, paired by deal.

    The thick bar is the pair's own interval, the thin one with caps holds for all pairs at once.
    Of many pairs only the closest are drawn: the others are far apart.
    """
    pairs = closest(summary.comparisons)
    figure, axes = agent_rows([f"{pair.better} − {pair.worse}" for pair in pairs], height=0.26)
    for row, pair in enumerate(pairs):
        if pair.family is not None:
            draw_interval(axes, row, pair.difference.mean, pair.family, color="black")
        if pair.difference.interval is not None:
            axes.plot(pair.difference.interval, (row, row), color="0.6", linewidth=5, zorder=2)
        axes.plot(
            pair.difference.mean,
            row,
            marker="o",
            markersize=6,
            color="black",
            markerfacecolor="black" if pair.separated else "white",
            zorder=4,
        )
    axes.axvline(0, **EQUALITY_LINE)
    axes.grid(axis="x", color="0.9")
    axes.xaxis.set_major_formatter(percent())
    axes.set_ylabel("pair of agents")
    axes.set_xlabel(
        "difference of win share (% points)\n"
        "grey: 95 % interval; thin: for all pairs at once\nhollow: not separated"
    )
    axes.set_title(
        "Differences" if len(pairs) == len(summary.comparisons) else "Closest differences",
        loc="left",
    )
    return figure


def closest(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The MOST_PAIRS comparisons with the smallest differences, in their order."""
    nearest = sorted(comparisons, key=lambda pair: abs(pair.difference.mean))[:MOST_PAIRS]
    return [pair for pair in comparisons if pair in nearest]


def ratings(summary: Summary) -> Figure:
    """Rating of each agent with its interval, best on top."""
    figure, axes = agent_rows([rating.agent for rating in summary.ratings])
    for row, rating in enumerate(summary.ratings):
        shape = look(summary.labels, rating.agent)
        if rating.interval is not None:
            draw_interval(axes, row, rating.elo, rating.interval, color=shape["color"])
        axes.plot(rating.elo, row, markersize=7, zorder=4, **shape)
    axes.axvline(0, **EQUALITY_LINE)
    axes.grid(axis="x", color="0.9")
    axes.set_xlabel(f"rating (Elo points; 0: mean of the agents){_interval_note(summary)}")
    axes.set_title("Ratings", loc="left")
    return figure


def places(summary: Summary) -> Figure:
    """Share of games that each agent finished in each place, as stacked bars."""
    figure, axes = agent_rows([agent.agent for agent in summary.agents])
    shares = np.array([[place.mean for place in agent.places] for agent in summary.agents])
    starts = shares.cumsum(axis=1) - shares
    rows = np.arange(len(summary.agents))
    for place in range(summary.num_players):
        colour = PLACE_COLOURS(place / (summary.num_players - 1))
        axes.barh(
            rows,
            shares[:, place],
            left=starts[:, place],
            height=0.72,
            color=colour,
            edgecolor="white",
            linewidth=0.8,
            label=_ordinal(place + 1),
        )
        for row in rows[shares[:, place] >= NARROWEST_LABELLED_SEGMENT]:
            middle = starts[row, place] + shares[row, place] / 2
            _write(axes, middle, row, f"{shares[row, place] * 100:.0f}", colour)
    _mark_agents(axes, summary.labels, [agent.agent for agent in summary.agents])
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(percent())
    axes.set_xlabel("share of games (%)")
    axes.set_title("Places", loc="left")
    figure.legend(
        title="place", loc="outside right upper", frameon=False, fontsize=9, title_fontsize=9
    )
    return figure


def seats(summary: Summary) -> Figure:
    """Win share of each seat over all agents, with intervals and what equality would be."""
    figure = Figure(figsize=(max(4.4, 1.5 + 0.6 * summary.num_players), 3.4), layout="constrained")
    axes = figure.subplots()
    for seat in summary.seats:
        axes.errorbar(
            seat.seat,
            seat.win_share.mean,
            yerr=seat.win_share.half_width,
            marker="o",
            markersize=7,
            color="black",
            **ERROR_BAR,
        )
    axes.axhline(summary.equal_share, **EQUALITY_LINE)
    axes.set_xlim(-0.6, summary.num_players - 0.4)
    axes.annotate(
        f"all equal:\n{summary.equal_share * 100:.1f} %",
        (1.0, summary.equal_share),
        xycoords=axes.get_yaxis_transform(),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        **NOTE,
    )
    axes.set_xticks(range(summary.num_players))
    axes.grid(axis="y", color="0.9")
    axes.set_ylim(*possible_shares(axes.get_ylim()))
    axes.yaxis.set_major_formatter(percent())
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("seat")
    axes.set_ylabel(f"win share (% of games){_interval_note(summary)}")
    axes.set_title("Win share by seat, all agents", loc="left")
    return figure


def cross_play(summary: Summary) -> Figure:
    """How often the row's agent finishes ahead of the column's, equal ranks counting half."""
    names = [agent.agent for agent in summary.agents]
    cells = {(pair.row, pair.column): pair.ahead for pair in summary.cross_play}
    figure, axes = heat_map(names, names, cells, equal=0.5, unit="share of encounters (%)")
    _mark_agents(axes, summary.labels, names)
    axes.set_ylabel("agent (row)")
    axes.set_xlabel("other agent at the table (column)")
    axes.set_title("How often row finishes ahead of column", loc="left")
    return figure


def line_ups(summary: Summary) -> Figure:
    """Win share of the row's agent alone against the column's at all other seats."""
    alone = list(dict.fromkeys(line_up.alone for line_up in summary.line_ups))
    others = list(dict.fromkeys(others_name(line_up.others) for line_up in summary.line_ups))
    cells = {
        (line_up.alone, others_name(line_up.others)): line_up.win_share
        for line_up in summary.line_ups
    }
    figure, axes = heat_map(
        alone, others, cells, equal=summary.equal_share, unit="win share (% of games)"
    )
    _mark_agents(axes, summary.labels, alone)
    axes.set_ylabel("one agent (row)")
    axes.set_xlabel("at all other seats (column)")
    axes.set_title(
        f"Win share of the one; all equal: {summary.equal_share * 100:.1f} %", loc="left"
    )
    return figure


def others_name(others: Sequence[str]) -> str:
    """The agents at the other seats, in short where they are copies of one."""
    return others[0] if len(set(others)) == 1 else ", ".join(others)


def distributions(summary: Summary) -> Figure:
    """How the points of each agent are spread, one panel for each, best agent on top."""
    ranking = [agent.agent for agent in summary.agents]
    spread = sorted(summary.distributions, key=lambda one: ranking.index(one.agent))
    low = min(min(one.points) for one in spread)
    high = max(max(one.points) for one in spread)
    width = math.ceil((high - low + 1) / MOST_BARS)
    edges = np.arange(low, high + width + 1, width) - 0.5
    figure = Figure(figsize=(4.9, 1.0 + 0.62 * len(spread)), layout="constrained")
    panels = figure.subplots(len(spread), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    bars = [np.histogram(one.points, bins=edges, weights=one.share)[0] for one in spread]
    panels[0].set_ylim(0, 1.05 * max(shares.max() for shares in bars))
    for axes, one, shares in zip(panels, spread, bars, strict=True):
        shape = look(summary.labels, one.agent)
        axes.stairs(
            shares, edges, fill=True, facecolor=shape["color"], edgecolor="black", linewidth=0.6
        )
        mean = float(np.dot(one.points, one.share))
        axes.plot(mean, 0, clip_on=False, markersize=7, markeredgecolor="white", **shape)
        axes.set_title(one.agent, loc="left", fontsize=9, pad=2)
        axes.spines[["top", "right"]].set_visible(False)
        axes.locator_params(axis="y", nbins=2)
        axes.yaxis.set_major_formatter(percent())
    wide = "" if width == 1 else f", {width} to a bar"
    panels[-1].set_xlabel(f"points at the end of the game{wide}; the marker: mean")
    figure.supylabel("share of the agent's games (%)", fontsize=10)
    return figure


def convergence(summary: Summary, course: Convergence) -> Figure:
    """Win share of each agent after so many deals, with its interval as a band."""
    figure = Figure(figsize=(4.9, 4.2), layout="constrained")
    axes = figure.subplots()
    for agent, estimates in course.agents:
        known = [
            (k, one) for k, one in zip(course.deals, estimates, strict=True) if one is not None
        ]
        deals = [k for k, _ in known]
        means = [one.mean for _, one in known]
        shape = look(summary.labels, agent)
        axes.plot(deals, means, label=agent, markersize=5, markevery=0.12, linewidth=1.3, **shape)
        bounds = np.array([one.interval or (np.nan, np.nan) for _, one in known])
        axes.fill_between(deals, *bounds.T, color=shape["color"], alpha=0.15, linewidth=0)
    axes.axhline(summary.equal_share, **EQUALITY_LINE)
    axes.set_xscale("log")
    axes.set_xlim(left=_settled(course.deals), right=max(course.deals))
    axes.set_ylim(*possible_shares(axes.get_ylim()))
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda deals, _: f"{deals:,.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(percent())
    axes.grid(color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("deals played (logarithmic)")
    axes.set_ylabel("win share so far (%), 95 % band")
    axes.set_title("Convergence", loc="left")
    name_agents(figure, [agent for agent, _ in course.agents])
    return figure


def name_agents(figure: Figure, agents: Sequence[str]) -> None:
    """A legend below the picture, as many columns as the names allow."""
    columns = int(4.6 / (0.5 + LETTER_WIDTH * max(map(len, agents))))
    figure.legend(loc="outside lower center", ncols=max(1, columns), frameon=False, fontsize=9)


def _settled(deals: Sequence[int]) -> int:
    """Where the axis of deals starts: the first few points are noise that would fill the picture."""
    return deals[min(2, len(deals) - 1)] if len(deals) > 3 else deals[0]


def agent_rows(names: Sequence[str], height: float = ROW_HEIGHT) -> tuple[Figure, Axes]:
    """An empty figure with a labelled row for each name, the first on top; inches for each row."""
    width = 3.8 + LETTER_WIDTH * max(map(len, names))
    figure = Figure(figsize=(width, 1.5 + height * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_ylabel("agent")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def draw_estimate(axes: Axes, row: float, estimate: Estimate, **shape: Any) -> None:
    """A marker at the mean and a bar over the interval, if there is one."""
    axes.errorbar(estimate.mean, row, xerr=estimate.half_width, markersize=7, **shape, **ERROR_BAR)


def draw_interval(
    axes: Axes, row: float, mean: float, interval: tuple[float, float], **shape: Any
) -> None:
    """A bar over an interval that need not be symmetric about the mean."""
    low, high = interval
    axes.errorbar(mean, row, xerr=[[mean - low], [high - mean]], **shape, **ERROR_BAR)


def mark_equality(axes: Axes, share: float) -> None:
    """A dashed line at the share that equal agents would have, named above it."""
    axes.axvline(share, **EQUALITY_LINE)
    axes.annotate(
        f"all equal: {share * 100:.1f} %",
        (share, 1.0),
        xycoords=axes.get_xaxis_transform(),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        **NOTE,
    )
    axes.grid(axis="x", color="0.9")


def heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Mapping[tuple[str, str], Estimate],
    *,
    equal: float,
    unit: str,
) -> tuple[Figure, Axes]:
    """Shares by row and column with their numbers, pale where they are ``equal``; grey: none."""
    shares = np.full((len(rows), len(columns)), np.nan)
    for (row, column), estimate in cells.items():
        shares[rows.index(row), columns.index(column)] = estimate.mean
    reach = max(SMALLEST_COLOUR_RANGE, float(np.nanmax(abs(shares - equal))))
    with_intervals = len(columns) <= MOST_CELLS_WITH_INTERVALS
    cell = 0.78 if with_intervals else 0.6
    left, below = (LETTER_WIDTH * max(map(len, names)) for names in (rows, columns))
    # Column names stand at 45 degrees: their height is about 0.75 of their length.
    figure = Figure(
        figsize=(
            max(4.2, cell * len(columns) + left + 2.0),
            max(3.4, cell * len(rows) + 0.75 * below + 1.3),
        ),
        layout="compressed",
    )
    axes = figure.subplots()
    axes.set_facecolor(NO_ENCOUNTER)
    low = equal - reach if equal <= 0 else max(0.0, equal - reach)  # shares are not below 0
    norm = TwoSlopeNorm(equal, low, equal + reach)
    image = axes.imshow(shares, cmap=ADVANTAGE_COLOURS, norm=norm)
    colours = image.to_rgba(shares)
    for (row, column), estimate in cells.items():
        y, x = rows.index(row), columns.index(column)
        text = _cell_text(estimate, with_intervals)
        _write(axes, x, y, text, colours[y, x])
    axes.set_yticks(range(len(rows)), rows)
    axes.set_xticks(
        range(len(columns)), columns, rotation=45, ha="right", va="top", rotation_mode="anchor"
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, shrink=0.8, format=percent(), label=unit)
    return figure, axes


def possible_shares(limits: tuple[float, float]) -> tuple[float, float]:
    """Limits of an axis of shares: the interval of a few deals may reach beyond 0 and 1."""
    return max(limits[0], -0.03), min(limits[1], 1.03)


def look(labels: Sequence[str], agent: str) -> dict[str, Any]:
    """Colour and marker of an agent, the same in every picture of the run."""
    number = labels.index(agent)
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}


def _mark_agents(axes: Axes, labels: Sequence[str], rows: Sequence[str]) -> None:
    """Label the rows with the agents' names and put their markers between name and axis."""
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(axis="y", length=0, pad=16)
    beside_axis = ScaledTranslation(-9 / 72, 0, axes.figure.dpi_scale_trans)
    for row, name in enumerate(rows):
        axes.plot(
            0,
            row,
            markersize=6,
            clip_on=False,
            transform=axes.get_yaxis_transform() + beside_axis,
            **look(labels, name),
        )


def _write(axes: Axes, x: float, y: float, text: str, background: Any) -> None:
    """Small text centred at (x, y), black or white, whichever the background (RGBA) needs."""
    red, green, blue = background[:3]
    # Luma of ITU-R BT.601.
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
    axes.text(x, y, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")


def _cell_text(share: Estimate, with_interval: bool) -> str:
    if share.half_width is None or not with_interval:
        return f"{share.mean * 100:.1f}"
    return f"{share.mean * 100:.1f}\n±{share.half_width * 100:.1f}"


def percent() -> PercentFormatter:
    """Numbers without the sign, since the axis label names the unit; an axis owns its formatter."""
    return PercentFormatter(1.0, symbol="")


def _interval_note(summary: Summary) -> str:
    return ", 95 % interval" if summary.deals > 1 else ""


def _ordinal(number: int) -> str:
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number, "th")
