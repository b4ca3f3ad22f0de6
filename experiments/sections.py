"""What reports are made of, before they become a page, Markdown or terminal tables."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.figure import Figure

from cardgames_env.core.game import get_game
from experiments.moments import Estimate

NOTHING = "–"
MOST_DECIMAL_CELLS = 8  # of an 80-column screen; more need whole percents
KINDS = {
    "tournament": "Tournament",
    "cross_play": "Cross-play",
    "ladder": "Ladder",
    "study": "Study",
    "sweep": "Sweep",
    "variants": "Rule variants",
}


@dataclass(frozen=True)
class Grid:
    """A table before it is drawn: ``texts`` columns of words, the first a heading, then numbers."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    caption: str = ""
    texts: int = 1


@dataclass(frozen=True)
class Picture:
    """A picture before it is drawn; ``text`` says what it shows to those who cannot see it."""

    name: str
    text: str
    draw: Callable[[], Figure]


@dataclass(frozen=True)
class Section:
    """``numbers`` are long tables behind the pictures, which only the page has, folded."""

    title: str
    notes: tuple[str, ...] = ()
    grids: tuple[Grid, ...] = ()
    pictures: tuple[Picture, ...] = ()
    numbers: tuple[Grid, ...] = ()


@dataclass(frozen=True)
class Report:
    """All that a report says; ``short`` are its results in a few sentences.

    ``facts`` and ``agents`` are what was run, and ``command`` runs it again.
    """

    title: str
    short: Sequence[str]
    facts: Sequence[tuple[str, str]]
    agents: Grid
    command: str
    sections: Sequence[Section]


def how_it_ran(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """When, how long and with which software, as far as the manifest tells."""
    named = {
        "started": "Started",
        "seconds": "Playing time (s)",
        "engine": "Engine",
        "threads": "Threads",
        "commit": "Commit",
    }
    facts = [(name, str(manifest[key])) for key, name in named.items() if manifest.get(key)]
    if "versions" in manifest:
        versions = ", ".join(f"{name} {version}" for name, version in manifest["versions"].items())
        facts.append(("Versions", versions))
    return facts


def options_text(manifest: Mapping[str, Any], varied: Collection[str] = ()) -> str:
    """The rule options, but those that are varied; tables of numbers that are the game's are named."""
    defaults = get_game(manifest["game"]).check_options({})
    return ", ".join(
        f"{name}: the default"
        if isinstance(value, list) and value == defaults.get(name)
        else f"{name}={value}"
        for name, value in manifest["options"].items()
        if name not in varied
    )


def agents_run(manifest: Mapping[str, Any]) -> Grid:
    """The agents with their parameters."""
    copies = Counter(manifest["agents"])
    parameters = manifest.get("parameters", {})
    return Grid(
        "The agents",
        ["agent", "parameters"],
        [
            [
                agent + (f" ({count} copies)" if count > 1 else ""),
                ", ".join(f"{name}={value:g}" for name, value in parameters.get(agent, {}).items())
                or NOTHING,
            ]
            for agent, count in copies.items()
        ],
        texts=2,
    )


# -- numbers ---------------------------------------------------------------------------------------


def percent(estimate: Estimate | None, sign: str = "") -> str:
    """The estimate of a share in percent, with its interval after a ±; nothing for none."""
    return "" if estimate is None else number(estimate, 100, sign)


def brief_share(share: Estimate | None, columns: int) -> str:
    """A share in percent without its interval, to fit as many columns on a screen."""
    if share is None:
        return ""
    digits = 1 if columns <= MOST_DECIMAL_CELLS else 0
    return f"{share.mean * 100:.{digits}f}"


def number(estimate: Estimate, scale: float = 1, sign: str = "") -> str:
    """The estimate with its interval after a ±; two decimals."""
    mean = f"{estimate.mean * scale:{sign}.2f}"
    if estimate.half_width is None:
        return mean
    return f"{mean} ±{estimate.half_width * scale:.2f}"


def between(interval: tuple[float, float] | None, scale: float = 1) -> str:
    if interval is None:
        return NOTHING
    return f"{interval[0] * scale:+.2f} … {interval[1] * scale:+.2f}"


def shifted(estimate: Estimate, by: float) -> Estimate:
    """The estimate of the quantity plus ``by``."""
    interval = estimate.interval and (estimate.interval[0] + by, estimate.interval[1] + by)
    return Estimate(estimate.mean + by, interval, estimate.deals)
