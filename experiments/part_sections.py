"""What the report of a sweep, or of a comparison of rule variants, says: a page over all parts."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from experiments import part_plots
from experiments.moments import Estimate
from experiments.part_plots import Parts
from experiments.parts import PartsSummary
from experiments.sections import (
    KINDS,
    NOTHING,
    Grid,
    Picture,
    Report,
    Section,
    agents_run,
    brief_share,
    how_it_ran,
    number,
    options_text,
    percent,
    shifted,
)

Series = dict[str, list[Estimate | None]]


def parts_report(
    summary: PartsSummary, kind: str, manifests: Sequence[Mapping[str, Any]]
) -> Report:
    """The report over all parts, whose manifests are given in their order."""
    parts = summary.parts
    first = manifests[0]
    facts = [
        ("Game", f"{parts[0].summary.game} ({options_text(first, _varied(parts))})"),
        ("Parts", f"{len(parts)}, on the same deals; {', '.join(_varied(parts))} varied"),
        ("Games", f"{sum(part.summary.games for part in parts):,} in all"),
        ("Seed", str(first["seed"])),
        *how_it_ran(first),
    ]
    agents = dict.fromkeys(label for manifest in manifests for label in manifest["agents"])
    parameters: dict[str, Any] = {}
    for manifest in manifests:
        parameters |= manifest.get("parameters", {})
    return Report(
        f"{KINDS[kind]} of {parts[0].summary.game}",
        _in_short(summary),
        facts,
        agents_run({"agents": list(agents), "parameters": parameters}),
        first["command"],
        [
            Section("The parts", grids=(_part_grid(parts),)),
            _win_share_section(parts),
            _difference_section(parts),
            _length_section(parts),
            _seat_section(parts),
            Section("How to read the numbers", notes=_reading_notes()),
        ],
    )


def brief_part_grids(summary: PartsSummary) -> list[Grid]:
    """The tables for a screen of 80 columns."""
    parts = summary.parts
    shares = _win_shares(parts)
    grids = [_length_grid(parts)]
    if len(shares) == 1:
        (name, estimates), (_, differences) = *shares.items(), *_differences(parts).items()
        grids.insert(
            0,
            Grid(
                f"Win share of {name}",
                ["part", "win share %", "less first part's"],
                [
                    [part.name, percent(one), percent(other, "+")]
                    for part, one, other in zip(parts, estimates, differences, strict=True)
                ],
            ),
        )
    else:
        grids.insert(0, _numbered_grid(parts, shares))
    return grids


def _numbered_grid(parts: Parts, shares: Series) -> Grid:
    """Win shares without intervals, the agents as numbered columns."""
    key = "; ".join(f"{position} {label}" for position, label in enumerate(shares, start=1))
    return Grid(
        "Win share by part",
        ["part", *(str(position + 1) for position in range(len(shares)))],
        [
            [
                part.name,
                *(brief_share(estimates[row], len(shares)) for estimates in shares.values()),
            ]
            for row, part in enumerate(parts)
        ],
        f"% of games of {key}.",
    )


def _varied(parts: Parts) -> list[str]:
    return list(dict.fromkeys(name for part in parts for name in part.values)) or ["nothing"]


def _focus_name(labels: Sequence[str]) -> str:
    """What the agent that a sweep is about is called, whatever its parameters in each part."""
    return labels[0] if len(set(labels)) == 1 else labels[0].partition(":")[0]


def _of_agents(parts: Parts, found: Sequence[Mapping[str, Estimate]]) -> Series:
    """Estimates by agent and part, or of the one agent that a sweep is about."""
    focus = [part.focus for part in parts if part.focus is not None]
    if len(focus) == len(parts):
        estimates = [one.get(label) for label, one in zip(focus, found, strict=True)]
        return {_focus_name(focus): estimates}
    return {label: [one.get(label) for one in found] for label in part_plots.labels(parts)}


def _win_shares(parts: Parts) -> Series:
    return _of_agents(
        parts, [{one.agent: one.win_share for one in part.summary.agents} for part in parts]
    )


def _differences(parts: Parts) -> Series:
    return _of_agents(parts, [dict(part.difference) for part in parts])


def _in_short(summary: PartsSummary) -> tuple[str, ...]:
    parts = summary.parts
    notes = []
    shares = _win_shares(parts)
    if len(shares) == 1:
        ((name, estimates),) = shares.items()
        known = [(one, part) for one, part in zip(estimates, parts, strict=True) if one]
        best, where = max(known, key=lambda pair: pair[0].mean)
        notes.append(f"{name} wins most in {where.name}: {percent(best)} % of its games.")
    for label, differences in _differences(parts).items():
        notes += _moved(label, parts, differences)
    shortest = min(parts, key=lambda part: part.summary.rounds.mean)
    longest = max(parts, key=lambda part: part.summary.rounds.mean)
    notes.append(
        f"Rounds of a game: from {number(shortest.summary.rounds)} ({shortest.name}) to "
        f"{number(longest.summary.rounds)} ({longest.name})."
    )
    seat, part = max(
        ((seat, part) for part in parts for seat in part.summary.seats),
        key=lambda pair: abs(pair[0].win_share.mean - pair[1].summary.equal_share),
    )
    effect = shifted(seat.win_share, -part.summary.equal_share)
    notes.append(
        f"The largest effect of a seat: seat {seat.seat} in {part.name}, {percent(effect, '+')} "
        "percentage points from an equal share."
    )
    if not all(part.summary.complete for part in parts):
        notes.append("Some parts were interrupted: these are the games played until then.")
    if summary.missing:
        notes.append(f"Not yet played: {', '.join(summary.missing)}.")
    return tuple(notes)


def _moved(label: str, parts: Parts, differences: Sequence[Estimate | None]) -> list[str]:
    """Where an agent's win share differs most from the first part's, if it does anywhere."""
    first = parts[0]
    compared = [
        (one, part)
        for one, part in zip(differences, parts, strict=True)
        # With more players everyone wins less: that is no finding.
        if one is not None and part.summary.num_players == first.summary.num_players
    ]
    apart = [(one, part) for one, part in compared if _is_apart(one)]
    if not apart:
        return []
    most, where = max(apart, key=lambda pair: abs(pair[0].mean))
    return [
        f"Against {first.name}, the win share of {label} differs in {len(apart)} of "
        f"{len(compared)} parts, most in {where.name}: by {percent(most, '+')} percentage points."
    ]


def _is_apart(difference: Estimate) -> bool:
    """Whether the interval of a difference leaves out 0."""
    if difference.interval is None:
        return False
    low, high = difference.interval
    return low > 0 or high < 0


# -- the sections ----------------------------------------------------------------------------------


def _part_grid(parts: Parts) -> Grid:
    names = _varied(parts)
    same_agents = len({part.summary.labels for part in parts}) == 1
    return Grid(
        "The parts",
        ["part", *names, *([] if same_agents else ["agents"]), "games", "deals"],
        [
            [
                part.name,
                *(_value(part.values.get(name)) for name in names),
                *([] if same_agents else [", ".join(part.summary.labels)]),
                f"{part.summary.games:,}" + ("" if part.summary.complete else ", interrupted"),
                f"{part.summary.deals:,}",
            ]
            for part in parts
        ],
        "Every part is a folder of its own, of which “cardgames report” makes a page, too.",
        texts=1 + len(names) + (not same_agents),
    )


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"a table of {len(value)}" if len(value) > 12 else ", ".join(map(str, value))
    return NOTHING if value is None else str(value)


def _win_share_section(parts: Parts) -> Section:
    shares = _win_shares(parts)
    return Section(
        "Win share by part",
        grids=(
            _series_grid(
                "Win share (%)",
                parts,
                shares,
                "Share of its games that the agent won; in the picture, dashed: all equal.",
            ),
        ),
        pictures=(
            Picture(
                "parts_win_share.png",
                "Win share in every part, with intervals. The table above has the numbers.",
                partial(
                    part_plots.over_parts,
                    parts,
                    shares,
                    title=_titled("Win share", shares),
                    unit="win share (%), 95 % interval",
                    share=True,
                    reference=[part.summary.equal_share for part in parts],
                ),
            ),
        ),
    )


def _difference_section(parts: Parts) -> Section:
    differences = _differences(parts)
    return Section(
        f"Differences to {parts[0].name}",
        notes=(
            "Every part has the same deals, so the same deal in two parts is one pair: what the "
            "luck of the cards does to both falls out of the difference.",
        ),
        grids=(
            _series_grid(
                "Win share less the first part's",
                parts,
                differences,
                "Percentage points, paired by deal. Each interval is meant by itself.",
                sign="+",
            ),
        ),
        pictures=(
            Picture(
                "parts_difference.png",
                f"Win share in every part less that in {parts[0].name}, with intervals. The table "
                "above has the numbers.",
                partial(
                    part_plots.over_parts,
                    parts,
                    differences,
                    title=_titled(f"Difference to {parts[0].name}", differences),
                    unit="difference (% points), 95 % interval",
                    share=True,
                    reference=[0.0] * len(parts),
                ),
            ),
        ),
    )


def _titled(title: str, series: Series) -> str:
    return f"{title}: {next(iter(series))}" if len(series) == 1 else title


def _series_grid(title: str, parts: Parts, series: Series, caption: str, sign: str = "") -> Grid:
    return Grid(
        title,
        ["part", *series],
        [
            [part.name, *(percent(estimates[row], sign) for estimates in series.values())]
            for row, part in enumerate(parts)
        ],
        caption,
    )


def _length_section(parts: Parts) -> Section:
    def picture(name: str, title: str, unit: str, found: list[Estimate], share: bool) -> Picture:
        draw = partial(
            part_plots.over_parts, parts, {"": found}, title=title, unit=unit, share=share
        )
        return Picture(name, f"{title} in every part, with intervals; the table above.", draw)

    summaries = [part.summary for part in parts]
    return Section(
        "Length and decisiveness",
        grids=(_length_grid(parts),),
        pictures=(
            picture(
                "parts_rounds.png",
                "Length of a game",
                "rounds, 95 % interval",
                [one.rounds for one in summaries],
                share=False,
            ),
            picture(
                "parts_sole_winner.png",
                "Games with a single winner",
                "share of games (%), 95 % interval",
                [one.sole_winner for one in summaries],
                share=True,
            ),
            picture(
                "parts_margin.png",
                "Lead of the first over the second",
                "points, 95 % interval",
                [one.margin for one in summaries],
                share=False,
            ),
        ),
    )


def _length_grid(parts: Parts) -> Grid:
    return Grid(
        "Length and decisiveness",
        ["part", "rounds", "sole winner %", "margin"],
        [
            [
                part.name,
                number(part.summary.rounds),
                percent(part.summary.sole_winner),
                number(part.summary.margin),
            ]
            for part in parts
        ],
        "Margin: points by which the first is ahead of the second.",
    )


def _seat_section(parts: Parts) -> Section:
    most = max(part.summary.num_players for part in parts)
    return Section(
        "Win share by seat",
        grids=(
            Grid(
                "Win share by seat (%)",
                ["part", "equal", *(f"seat {seat}" for seat in range(most))],
                [
                    [
                        part.name,
                        f"{part.summary.equal_share * 100:.2f}",
                        *(percent(seat.win_share) for seat in part.summary.seats),
                        *[""] * (most - part.summary.num_players),
                    ]
                    for part in parts
                ],
                "All agents together; “equal”: what every seat would have if all were equal.",
            ),
        ),
        pictures=(
            Picture(
                "parts_seats.png",
                "Heat map of the win share by part and seat, less an equal share. The table above "
                "has the numbers.",
                partial(part_plots.seats, parts),
            ),
        ),
    )


def _reading_notes() -> tuple[str, ...]:
    return (
        "a ±b is a 95 % interval from a - b to a + b (Student's t) of a mean over deals. The games "
        "of one deal share their cards, so they count as one observation.",
        "Each interval is meant by itself: of twenty differences that are 0 in truth, about one "
        "looks separated.",
        "Where the number of players differs between parts, so does the win share of equal "
        "agents; a difference of win shares then compares two different things.",
    )
