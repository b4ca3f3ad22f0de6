"""Pictures of a tournament's summary, as matplotlib figures without global state.

Agents keep one colour and one marker in all pictures, by their order in the manifest; the marker
tells them apart in black and white.
"""

from io import BytesIO
from typing import Any

import numpy as np
from matplotlib import colormaps, style
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter
from matplotlib.transforms import ScaledTranslation

from experiments.statistics import PairSummary, Summary

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


def pictures(summary: Summary) -> dict[str, bytes]:
    """PNG files by name; cross_play.png is left out when no two agents met."""
    figures = {
        "win_share.png": win_share(summary),
        "places.png": places(summary),
        "seats.png": seats(summary),
    }
    if summary.cross_play:
        figures["cross_play.png"] = cross_play(summary)
    return {name: png(figure) for name, figure in figures.items()}


def png(figure: Figure) -> bytes:
    """The figure as a PNG file."""
    buffer = BytesIO()
    # The layout engine misjudges labels beside an image now and then; tight cuts none off.
    figure.savefig(buffer, format="png", dpi=DOTS_PER_INCH, bbox_inches="tight")
    return buffer.getvalue()


def win_share(summary: Summary) -> Figure:
    """Win share of each agent with its interval, best on top, and what equality would be."""
    figure, axes = _agent_rows(summary)
    for row, agent in enumerate(summary.agents):
        axes.errorbar(
            agent.win_share.mean,
            row,
            xerr=agent.win_share.half_width,
            markersize=7,
            **_look(summary, agent.agent),
            **ERROR_BAR,
        )
    axes.axvline(summary.equal_share, **EQUALITY_LINE)
    axes.annotate(
        f"all equal: {summary.equal_share:.1%}",
        (summary.equal_share, 1.0),
        xycoords=axes.get_xaxis_transform(),
        xytext=(0, 3),
        textcoords="offset points",
        ha="center",
        **NOTE,
    )
    axes.grid(axis="x", color="0.9")
    axes.set_xlim(*_possible_shares(axes.get_xlim()))
    axes.xaxis.set_major_formatter(_percent())
    axes.set_xlabel(_win_share_label(summary))
    axes.set_title("Win share", loc="left", pad=18)
    return figure


def places(summary: Summary) -> Figure:
    """Share of games that each agent finished in each place, as stacked bars."""
    figure, axes = _agent_rows(summary)
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
    _mark_agents(axes, summary)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(_percent())
    axes.set_xlabel("share of games (%)")
    axes.set_title("Places", loc="left")
    figure.legend(
        title="place", loc="outside right upper", frameon=False, fontsize=9, title_fontsize=9
    )
    return figure


def seats(summary: Summary) -> Figure:
    """Win share of each seat over all agents, with intervals and what equality would be."""
    figure = Figure(figsize=(max(5.0, 1.5 + 0.6 * summary.num_players), 3.6), layout="constrained")
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
        f"all equal:\n{summary.equal_share:.1%}",
        (1.0, summary.equal_share),
        xycoords=axes.get_yaxis_transform(),
        xytext=(5, 0),
        textcoords="offset points",
        va="center",
        **NOTE,
    )
    axes.set_xticks(range(summary.num_players))
    axes.grid(axis="y", color="0.9")
    axes.set_ylim(*_possible_shares(axes.get_ylim()))
    axes.yaxis.set_major_formatter(_percent())
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_xlabel("seat")
    axes.set_ylabel(_win_share_label(summary))
    axes.set_title("Win share by seat, all agents", loc="left")
    return figure


def _possible_shares(limits: tuple[float, float]) -> tuple[float, float]:
    """Limits of an axis of shares: the interval of a few deals may reach beyond 0 and 1."""
    return max(limits[0], -0.03), min(limits[1], 1.03)


def cross_play(summary: Summary) -> Figure:
    """How often the row's agent finishes ahead of the column's, equal ranks counting half."""
    names = [agent.agent for agent in summary.agents]
    pairs = summary.pairs()
    shares = np.full((len(names), len(names)), np.nan)
    for pair in summary.cross_play:
        shares[names.index(pair.row), names.index(pair.column)] = pair.ahead.mean
    reach = max(SMALLEST_COLOUR_RANGE, float(np.nanmax(abs(shares - 0.5))))
    cell = 0.78 if len(names) <= MOST_CELLS_WITH_INTERVALS else 0.6
    labels = LETTER_WIDTH * max(map(len, names))
    side = cell * len(names)
    # Column names stand at 45 degrees: their height is about 0.75 of their length.
    figure = Figure(
        figsize=(max(5.0, side + labels + 2.0), max(3.4, side + 0.75 * labels + 1.3)),
        layout="compressed",
    )
    axes = figure.subplots()
    axes.set_facecolor(NO_ENCOUNTER)
    image = axes.imshow(shares, cmap=ADVANTAGE_COLOURS, vmin=0.5 - reach, vmax=0.5 + reach)
    for (row, column), share in np.ndenumerate(shares):
        if np.isnan(share):
            continue
        text = _cell_text(pairs[names[row], names[column]], len(names))
        _write(axes, column, row, text, image.cmap(image.norm(share)))
    _mark_agents(axes, summary)
    axes.set_xticks(
        range(len(names)), names, rotation=45, ha="right", va="top", rotation_mode="anchor"
    )
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_ylabel("agent (row)")
    axes.set_xlabel("other agent at the table (column)")
    axes.set_title("How often row finishes ahead of column", loc="left")
    figure.colorbar(
        image,
        ax=axes,
        shrink=0.8,
        format=_percent(),
        label="share of encounters (%)",
    )
    return figure


def _agent_rows(summary: Summary) -> tuple[Figure, Axes]:
    """An empty figure with a labelled row for each agent, the best on top."""
    names = [agent.agent for agent in summary.agents]
    width = 6.0 + LETTER_WIDTH * max(map(len, names))
    figure = Figure(figsize=(width, 1.5 + ROW_HEIGHT * len(names)), layout="constrained")
    axes = figure.subplots()
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_ylabel("agent")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _look(summary: Summary, agent: str) -> dict[str, Any]:
    """Colour and marker of an agent, the same in every picture of the tournament."""
    number = summary.labels.index(agent)
    return {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}


def _mark_agents(axes: Axes, summary: Summary) -> None:
    """Label the rows with the agents' names and put their markers between name and axis."""
    names = [agent.agent for agent in summary.agents]
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0, pad=16)
    beside_axis = ScaledTranslation(-9 / 72, 0, axes.figure.dpi_scale_trans)
    for row, name in enumerate(names):
        axes.plot(
            0,
            row,
            markersize=6,
            clip_on=False,
            transform=axes.get_yaxis_transform() + beside_axis,
            **_look(summary, name),
        )


def _write(axes: Axes, x: float, y: float, text: str, background: Any) -> None:
    """Small text centred at (x, y), black or white, whichever the background (RGBA) needs."""
    red, green, blue = background[:3]
    # Luma of ITU-R BT.601.
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
    axes.text(x, y, text, ha="center", va="center", fontsize=8, color="white" if dark else "black")


def _cell_text(pair: PairSummary, num_agents: int) -> str:
    half_width = pair.ahead.half_width
    if half_width is None or num_agents > MOST_CELLS_WITH_INTERVALS:
        return f"{pair.ahead.mean * 100:.1f}"
    return f"{pair.ahead.mean * 100:.1f}\n±{half_width * 100:.1f}"


def _percent() -> PercentFormatter:
    """Numbers without the sign, since the axis label names the unit; an axis owns its formatter."""
    return PercentFormatter(1.0, symbol="")


def _win_share_label(summary: Summary) -> str:
    return "win share (% of games)" + (", 95 % interval" if summary.deals > 1 else "")


def _ordinal(number: int) -> str:
    return str(number) + {1: "st", 2: "nd", 3: "rd"}.get(number, "th")
