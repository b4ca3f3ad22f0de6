"""What the report of one run says, section by section."""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from experiments import plots
from experiments.comparisons import Comparison
from experiments.convergence import Convergence
from experiments.moments import Estimate
from experiments.sections import (
    KINDS,
    NOTHING,
    Grid,
    Picture,
    Report,
    Section,
    agents_run,
    between,
    brief_share,
    how_it_ran,
    number,
    options_text,
    percent,
    shifted,
)
from experiments.statistics import AgentSummary, Summary

if TYPE_CHECKING:
    from experiments.studies import StudyResult

NOT_SEPARATED = "≈"
MOST_CYCLES = 20
MOST_NAMED_PAIRS = 6
SMALLEST_P = 1e-4
ALPHA_RANK = "α-rank: how often a population that evolves would hold the agent."
NO_ALPHA_RANK = "With OpenSpiel installed α-rank would stand here, too."
LOTTERY = "Maximal lottery: a mixture of agents that no agent finishes ahead of on average."


def run_report(
    summary: Summary, manifest: Mapping[str, Any], study: "StudyResult | None" = None
) -> Report:
    """The report of one run."""
    return Report(
        f"{KINDS[summary.kind]} of {summary.game}",
        in_short(summary, manifest),
        run_facts(summary, manifest),
        agents_run(manifest),
        manifest["command"],
        run_sections(summary, manifest, study),
    )


def run_facts(summary: Summary, manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What was run, as names and values."""
    facts = [
        ("Game", f"{summary.game} ({options_text(manifest)})"),
        ("Games", _games_played(summary, manifest)),
        ("Length of a game", f"{number(summary.rounds)} rounds"),
        ("Seed", str(manifest["seed"])),
    ]
    logged = manifest.get("decisions", 0)
    if logged:
        which = "all deals" if logged == 1 else f"{100 * logged:g} % of the deals, sampled"
        facts.append(("Decision log", f"{which} (decisions/)"))
    if "tables" in manifest:
        facts.append(("Tables (sets of agents that meet)", f"{manifest['tables']:,}"))
    return facts + how_it_ran(manifest)


def _games_played(summary: Summary, manifest: Mapping[str, Any]) -> str:
    played = (
        f"{summary.games:,} (deals: {summary.deals:,}, games of each: "
        f"{summary.games / summary.deals:g}, {manifest['seating']})"
    )
    if summary.complete:
        return f"{played}, complete"
    return f"{played}, interrupted before the {manifest['games']:,} planned"


def run_sections(
    summary: Summary, manifest: Mapping[str, Any], study: "StudyResult | None" = None
) -> list[Section]:
    """All sections of the report of one run, in the order of reading."""
    sections = []
    if study is not None:
        sections.append(study_section(study))
    if summary.line_ups:
        sections += [_line_up_section(summary), _pooled_section(summary)]
    else:
        sections.append(_agent_section(summary))
    if summary.comparisons:
        sections.append(_comparison_section(summary))
    if summary.cross_play:
        sections.append(_cross_play_section(summary))
    if summary.ratings:
        sections.append(_rating_section(summary))
    sections += [_seat_section(summary), _place_section(summary), _score_section(summary)]
    if summary.convergence is not None:
        sections.append(_convergence_section(summary, summary.convergence))
    sections.append(_duplicate_section(summary))
    if summary.forfeits:
        sections.append(_forfeit_section(summary, manifest))
    sections.append(Section("How to read the numbers", notes=_reading_notes(summary)))
    return sections


def brief_grids(summary: Summary) -> list[Grid]:
    """The tables for a screen of 80 columns, with fewer digits and intervals."""
    agents = agent_grid(summary, brief=True)
    if summary.line_ups:
        grids = [line_up_grid(summary, brief=True), seat_grid(summary)]
    else:
        grids = [agents, place_grid(summary), seat_grid(summary)]
        if summary.cross_play:
            grids.append(cross_play_grid(summary, brief=True))
    if summary.forfeits:
        grids.append(forfeit_grid(summary))
    return grids


def in_short(summary: Summary, manifest: Mapping[str, Any]) -> tuple[str, ...]:
    """The results in a few sentences."""
    notes = [_winner(summary)]
    if manifest.get("decision"):
        notes.append(_verdict(manifest["until_decided"], manifest["decision"]))
    if summary.comparisons:
        notes.append(_separation(summary.comparisons))
    if summary.cycles:
        notes.append(
            f"{_counted(len(summary.cycles), 'cycle')} of agents that beat each other in turn: a "
            "single rating cannot tell the truth about them (see Ratings)."
        )
    seat = max(summary.seats, key=lambda one: abs(one.win_share.mean - summary.equal_share))
    effect = shifted(seat.win_share, -summary.equal_share)
    notes.append(
        f"Seats: the one that departs most from {_equal(summary)} is seat {seat.seat}, by "
        f"{percent(effect, '+')} percentage points."
    )
    notes.append(
        f"A game lasts {number(summary.rounds)} rounds; {percent(summary.sole_winner)} % of the "
        f"games have a single winner; the first leads the second by {number(summary.margin)} points."
    )
    if summary.forfeits:
        lost = sum(games for _, _, games in summary.forfeits)
        notes.append(f"Forfeited by an agent's failure: {_counted(lost, 'game')} (see Forfeits).")
    if not summary.complete:
        notes.append("The run was interrupted: these are the games played until then.")
    return tuple(notes)


def _winner(summary: Summary) -> str:
    best = summary.agents[0]
    if summary.line_ups:
        best_first = sorted(summary.line_ups, key=lambda one: -one.excess.mean)
        shares = [
            f"{one.alone} among {plots.others_name(one.others)} {percent(one.win_share)} %"
            for one in best_first[:MOST_NAMED_PAIRS]
        ]
        more = "" if len(shares) == len(best_first) else "; the others less"
        return (
            f"Win shares of one agent alone, where equal agents would have {_equal(summary)}: "
            f"{'; '.join(shares)}{more}."
        )
    if len(summary.agents) == 1:
        return f"{best.agent} played alone, against copies of itself."
    return (
        f"{best.agent} has the largest win share: {percent(best.win_share)} % of its games, "
        f"where equal agents would have {_equal(summary)}."
    )


def _verdict(question: Mapping[str, Any], decision: Mapping[str, Any]) -> str:
    """How a sequential test ended."""
    one, other = question["agents"]
    low, high = decision["bounds"]
    found = {
        "H0": f"accepts that {one} is at most {question['elo0']:g} Elo points ahead of {other}",
        "H1": f"accepts that {one} is at least {question['elo1']:g} Elo points ahead of {other}",
        None: f"has not decided by how much {one} is ahead of {other}",
    }[decision["hypothesis"]]
    return (
        f"The sequential test {found}, after {decision['deals']:,} deals (log-likelihood ratio "
        f"{decision['llr']:.2f}, bounds {low:.2f} and {high:.2f}; wrong with probability "
        f"{question['alpha']:g} and {question['beta']:g}). The win shares of a run that stops when "
        "it is sure lean a little to the side that it was sure of."
    )


def _separation(comparisons: Sequence[Comparison]) -> str:
    """How many pairs the games tell apart, and which they do not."""
    unsure = [f"{pair.better} and {pair.worse}" for pair in comparisons if not pair.separated]
    told = len(comparisons) - len(unsure)
    text = (
        f"Of {_counted(len(comparisons), 'pair')} of agents that met, {told} "
        f"{'is' if told == 1 else 'are'} told apart at 5 % over all pairs together (Holm)"
    )
    if not unsure:
        return f"{text}."
    if len(unsure) > MOST_NAMED_PAIRS:
        return f"{text}; {len(unsure)} are not (see Differences between agents)."
    return f"{text}; not told apart: {', '.join(unsure)}."


# -- the sections of a run -------------------------------------------------------------------------


def _illustrated(grid: Grid, name: str, text: str, draw: Callable[[], Figure]) -> Section:
    """A table and its picture."""
    picture = Picture(name, f"{text} The table above has the numbers.", draw)
    return Section(grid.title, grids=(grid,), pictures=(picture,))


def _pooled_section(summary: Summary) -> Section:
    """Folded away: a ranking would mislead where one sits alone and another as copies."""
    return Section(
        "All seats together",
        notes=("Every agent over all its seats, alone and as copies, which is no ranking.",),
        numbers=(agent_grid(summary),),
    )


def _agent_section(summary: Summary) -> Section:
    shares = (f"{agent.agent} {agent.win_share.mean * 100:.1f} %" for agent in summary.agents)
    return _illustrated(
        agent_grid(summary),
        "win_share.png",
        f"Win share of each agent with its interval, best on top: {', '.join(shares)}.",
        partial(plots.win_share, summary),
    )


def agent_grid(summary: Summary, brief: bool = False) -> Grid:
    elo = {rating.agent: f"{rating.elo:+.0f}" for rating in summary.ratings} if brief else {}
    return Grid(
        "Agents by win share",
        [
            *("agent", "games", "win share %", "lead", "points"),
            *(["Elo"] if elo else [] if brief else ["deals"]),
        ],
        [
            [
                agent.agent,
                f"{agent.games:,}",
                percent(agent.win_share),
                _lead(agent),
                number(agent.points),
                *([elo.get(agent.agent, "")] if elo else []),
                *([] if brief else [f"{agent.win_share.deals:,}"]),
            ]
            for agent in summary.agents
        ],
        f"{NOT_SEPARATED}: not separated from the next. Equal agents would win {_equal(summary)}.",
    )


def _lead(agent: AgentSummary) -> str:
    if agent.separated is None:
        return ""
    lead = "never met" if agent.lead is None else percent(agent.lead, "+")
    return lead if agent.separated else f"{lead} {NOT_SEPARATED}"


def _comparison_section(summary: Summary) -> Section:
    met = summary.pairs()
    rows = []
    for pair in summary.comparisons:
        points = met[pair.better, pair.worse].points
        rows.append(
            [
                pair.better,
                pair.worse,
                percent(pair.difference, "+") + ("" if pair.separated else f" {NOT_SEPARATED}"),
                between(pair.family, 100),
                _p_value(pair.p_value),
                _p_value(pair.adjusted),
                number(points, sign="+"),
                f"{pair.difference.deals:,}",
            ]
        )
    return Section(
        "Differences between agents",
        notes=(_separation(summary.comparisons),),
        grids=(
            Grid(
                "Differences between agents",
                [
                    *("better", "worse", "win share (% points)", "for all pairs at once"),
                    *("p", "p (Holm)", "points", "deals"),
                ],
                rows,
                "Differences, the better less the worse, over the deals where both played, paired "
                f"by deal. {NOT_SEPARATED}: not separated, the p-value of Holm's correction for all "
                "pairs is 5 % or more. “For all pairs at once”: intervals that all hold together "
                "in 95 % of such runs (Bonferroni).",
                texts=2,
            ),
        ),
        pictures=(
            Picture(
                "comparisons.png",
                "Difference of win share of each pair of agents, with its own interval and the "
                "interval for all pairs at once. The table above has the numbers.",
                partial(plots.comparisons, summary),
            ),
        ),
    )


def _cross_play_section(summary: Summary) -> Section:
    return _illustrated(
        cross_play_grid(summary),
        "cross_play.png",
        "Heat map of how often the agent of a row finishes ahead of the agent of a column.",
        partial(plots.cross_play, summary),
    )


def cross_play_grid(summary: Summary, brief: bool = False) -> Grid:
    """Columns are numbered, since a dozen long names would not fit side by side."""
    names = [agent.agent for agent in summary.agents]
    ahead = {(pair.row, pair.column): pair.ahead for pair in summary.cross_play}
    cell = partial(brief_share, columns=len(names)) if brief else percent
    return Grid(
        "Who finishes ahead of whom",
        ["agent", *(str(position + 1) for position in range(len(names)))],
        [
            [
                f"{position} {row}",
                *(cell(ahead.get((row, column))) for column in names),
            ]
            for position, row in enumerate(names, start=1)
        ],
        "Share of encounters (%) in which the row's agent finishes ahead of the column's; equal "
        "ranks count half.",
    )


def _line_up_section(summary: Summary) -> Section:
    return Section(
        "Line-ups",
        notes=(
            "In every line-up one agent sits alone among others that fill all other seats. All "
            "line-ups were played on the same deals.",
        ),
        grids=(
            line_up_grid(summary),
            Grid(
                "All line-ups",
                [
                    "alone",
                    "others",
                    "win share %",
                    "above equal",
                    "less first's",
                    "points",
                    "deals",
                ],
                [
                    [
                        one.alone,
                        ", ".join(one.others),
                        percent(one.win_share),
                        percent(one.excess, "+"),
                        percent(one.difference, "+"),
                        number(one.points),
                        f"{one.win_share.deals:,}",
                    ]
                    for one in summary.line_ups
                ],
                "Of the one agent; “above equal” is its win share less "
                f"{_equal(summary)}, “less first's” less that in the first line-up with the same "
                "others, paired by deal, both in percentage points.",
                texts=2,
            ),
        ),
        pictures=(
            Picture(
                "line_ups.png",
                "Heat map of the win share of the row's agent, alone among copies of the column's. "
                "The tables above have the numbers.",
                partial(plots.line_ups, summary),
            ),
        ),
    )


def line_up_grid(summary: Summary, brief: bool = False) -> Grid:
    alone = list(dict.fromkeys(one.alone for one in summary.line_ups))
    others = list(dict.fromkeys(plots.others_name(one.others) for one in summary.line_ups))
    shares = {(one.alone, plots.others_name(one.others)): one.win_share for one in summary.line_ups}
    cell = partial(brief_share, columns=len(others)) if brief else percent
    key = "; ".join(f"{position} {name}" for position, name in enumerate(others, start=1))
    return Grid(
        "One against the others",
        ["alone", *(str(position + 1) for position in range(len(others)))],
        [[row, *(cell(shares.get((row, column))) for column in others)] for row in alone],
        f"Win share (%) of the row's agent with the column's at all other seats ({key}). Equal: "
        f"{_equal(summary)}.",
    )


def _rating_section(summary: Summary) -> Section:
    alpha = dict(summary.alpha_rank or ())
    lottery = dict(summary.maximal_lottery or ())
    columns = ["agent", "Elo", "95 % interval"]
    columns += ["α-rank %"] if alpha else []
    columns += ["maximal lottery %"] if lottery else []
    grids = [
        Grid(
            "Ratings",
            columns,
            [
                [
                    rating.agent,
                    f"{rating.elo:+.1f}",
                    between(rating.interval),
                    *([f"{alpha.get(rating.agent, 0) * 100:.2f}"] if alpha else []),
                    *([f"{lottery.get(rating.agent, 0) * 100:.2f}"] if lottery else []),
                ]
                for rating in summary.ratings
            ],
            " ".join(
                [
                    "Elo points of a fit to all games; the agents' mean is 0. An advantage of 100 "
                    "means to finish ahead in 64 % of the encounters.",
                    *([ALPHA_RANK] if alpha else [NO_ALPHA_RANK] if lottery else []),
                    *([LOTTERY] if lottery else []),
                ]
            ),
        )
    ]
    if summary.rating_misfit:
        grids.append(
            Grid(
                "Where the ratings fit worst",
                ["row", "column", "observed %", "by the ratings %", "difference"],
                [
                    [
                        misfit.row,
                        misfit.column,
                        f"{misfit.observed * 100:.2f}",
                        f"{misfit.expected * 100:.2f}",
                        f"{(misfit.observed - misfit.expected) * 100:+.2f}",
                    ]
                    for misfit in summary.rating_misfit
                ],
                "Share of encounters in which the row's agent finishes ahead: a rating is one "
                "number for each agent and cannot hold who does well against whom.",
                texts=2,
            )
        )
    return Section(
        "Ratings",
        notes=_cycle_notes(summary),
        grids=tuple(grids[:1]),
        numbers=tuple(grids[1:]),
        pictures=(
            Picture(
                "ratings.png",
                "Rating of each agent with its interval, best on top. The table above has the "
                "numbers.",
                partial(plots.ratings, summary),
            ),
        ),
    )


def _cycle_notes(summary: Summary) -> tuple[str, ...]:
    if not summary.cycles:
        return ("No cycle: no agents beat each other in turn, as far as the pairs are separated.",)
    shown = [" → ".join((*cycle, cycle[0])) for cycle in summary.cycles[:MOST_CYCLES]]
    more = len(summary.cycles) - len(shown)
    notes = ["Cycles, each arrow a separated win of the left agent over the right one:", *shown]
    return (*notes, f"… and {more} more.") if more else tuple(notes)


def _seat_section(summary: Summary) -> Section:
    return _illustrated(
        seat_grid(summary),
        "seats.png",
        "Win share of each seat over all agents, with its interval.",
        partial(plots.seats, summary),
    )


def seat_grid(summary: Summary) -> Grid:
    return Grid(
        "Seats",
        ["seat", "win share %", "points"],
        [[str(seat.seat), percent(seat.win_share), number(seat.points)] for seat in summary.seats],
        f"All agents together. Equal seats: {_equal(summary)}.",
    )


def _place_section(summary: Summary) -> Section:
    return _illustrated(
        place_grid(summary),
        "places.png",
        "Share of games that each agent finished in each place, as stacked bars.",
        partial(plots.places, summary),
    )


def place_grid(summary: Summary) -> Grid:
    return Grid(
        "Places",
        ["agent", *(f"{place} %" for place in range(1, summary.num_players + 1))],
        [[agent.agent, *(percent(place) for place in agent.places)] for agent in summary.agents],
        "Share of games that the agent ended in each place; equals share the better one.",
    )


def _score_section(summary: Summary) -> Section:
    shares = {
        one.agent: dict(zip(one.points, one.share, strict=True)) for one in summary.distributions
    }
    points = sorted({value for share in shares.values() for value in share})
    return Section(
        "Points",
        notes=(
            f"{percent(summary.sole_winner)} % of the games have a single winner. The first is "
            f"ahead of the second by {number(summary.margin)} points.",
        ),
        pictures=(
            Picture(
                "distributions.png",
                "How the points of each agent are spread, one panel for each agent.",
                partial(plots.distributions, summary),
            ),
        ),
        numbers=(
            Grid(
                "Share of games with so many points",
                ["points", *shares],
                [
                    [
                        str(value),
                        *(_share(share.get(value)) for share in shares.values()),
                    ]
                    for value in points
                ],
                "Share of the agent's games (%).",
            ),
        ),
    )


def _share(share: float | None) -> str:
    return "" if share is None else f"{share * 100:.3f}"


def _convergence_section(summary: Summary, course: Convergence) -> Section:
    return Section(
        "Convergence",
        notes=(
            "The win shares as they were after so many deals. A line that still moves more than "
            "its band is wide would say that the intervals are too narrow.",
        ),
        pictures=(
            Picture(
                "convergence.png",
                "Win share of each agent over the number of deals played, with its 95 % band.",
                partial(plots.convergence, summary, course),
            ),
        ),
        numbers=(
            Grid(
                "Win share after so many deals",
                ["deals", *(agent for agent, _ in course.agents)],
                [
                    [
                        f"{deals:,}",
                        *(percent(estimates[row]) for _, estimates in course.agents),
                    ]
                    for row, deals in enumerate(course.deals)
                ],
                "Win share (%), with its interval.",
            ),
        ),
    )


def _duplicate_section(summary: Summary) -> Section:
    return Section(
        "What duplicate deals save",
        notes=(
            "Every deal is played under several seatings, so that everyone gets the same cards. "
            "The factor says how many times as many games, each with a deal of its own, would have "
            "been needed for intervals as narrow. A factor below 1 says that they would have been "
            "narrower.",
        ),
        grids=(
            Grid(
                "For an agent's win share",
                ["agent", "factor"],
                [[agent, _factor(factor)] for agent, factor in summary.duplicate.factors],
            ),
        ),
        numbers=(
            (
                Grid(
                    "For the difference of two agents",
                    ["agent", "other agent", "factor"],
                    [[*pair, _factor(factor)] for pair, factor in summary.duplicate.leads],
                    texts=2,
                ),
            )
            if summary.duplicate.leads
            else ()
        ),
    )


def _factor(factor: float | None) -> str:
    return NOTHING if factor is None else f"{factor:.2f}"


def _forfeit_section(summary: Summary, manifest: Mapping[str, Any]) -> Section:
    failures = manifest.get("failures", [])
    first = Grid(
        "The first failure of each kind",
        ["agent", "kind", "message", "game"],
        [
            [failure["agent"], failure["kind"], failure["message"], f"{failure['game']:,}"]
            for failure in failures
        ],
        "manifest.json keeps their tracebacks.",
        texts=3,
    )
    return Section("Forfeits", grids=(forfeit_grid(summary), *([first] if failures else [])))


def forfeit_grid(summary: Summary) -> Grid:
    kinds = list(dict.fromkeys(kind for _, kind, _ in summary.forfeits))
    games = {(agent, kind): count for agent, kind, count in summary.forfeits}
    return Grid(
        "Forfeits",
        ["agent", *kinds],
        [
            [agent, *(f"{games.get((agent, kind), 0):,}" for kind in kinds)]
            for agent in dict.fromkeys(agent for agent, _, _ in summary.forfeits)
        ],
        "Games that the agent lost because it raised an error, took too long or chose an illegal "
        "action. The others at its table share the win.",
    )


def study_section(study: "StudyResult") -> Section:
    """The section of a game's own study."""
    figures = study.figures()
    return Section(
        study.title,
        notes=(study.question,),
        grids=tuple(
            Grid(
                table.title,
                table.columns,
                [[_study_cell(cell) for cell in row] for row in table.rows],
                table.caption,
                texts=_leading_texts(table.rows),
            )
            for table in study.tables
        ),
        pictures=tuple(
            Picture(name, f"{study.title}: {name}", partial(figures.__getitem__, name))
            for name in figures
        ),
    )


def _study_cell(cell: Any) -> str:
    """Numbers of any size: an estimate as precise as two digits of its interval make sense."""
    if isinstance(cell, Estimate):
        half_width = cell.half_width
        if not half_width:
            return f"{cell.mean:.4g}"
        decimals = max(0, 1 - math.floor(math.log10(half_width)))
        return f"{cell.mean:.{decimals}f} ±{half_width:.{decimals}f}"
    if cell is None:
        return NOTHING
    if isinstance(cell, float):
        return f"{cell:.4g}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)


def _leading_texts(rows: Sequence[Sequence[Any]]) -> int:
    """How many columns from the left hold words; the first counts as a heading in any case."""
    words = takewhile(
        lambda column: all(isinstance(cell, str) for cell in column), zip(*rows, strict=True)
    )
    return max(1, len(list(words)))


def _reading_notes(summary: Summary) -> tuple[str, ...]:
    notes = [
        "a ±b is a 95 % interval from a - b to a + b (Student's t) of a mean over deals. The "
        "games of one deal share their cards, so they count as one observation.",
        f"If all agents were equal, each would win {_equal(summary)} of its games, and "
        "finish ahead of any other in 50 % of their encounters.",
        f"The lead is the difference of win share to the agent below, in percentage points, over "
        f"the deals where the two met. {NOT_SEPARATED} marks a lead whose interval includes 0: "
        "these games do not tell which of the two is better. Two agents that never met are "
        "compared by their own intervals.",
        "Each interval is meant by itself, where nothing else is said: of twenty differences that "
        "are 0 in truth, about one looks separated.",
        "Places are ranks as the game gives them: agents that tie share the better one. Points "
        "are the game's own; its rules say whether more or fewer are better.",
    ]
    if summary.deals == 1:
        notes.insert(1, "A single deal gives no interval.")
    return tuple(notes)


def _equal(summary: Summary) -> str:
    return f"{summary.equal_share * 100:.2f}\N{NO-BREAK SPACE}%"


def _p_value(p: float | None) -> str:
    if p is None:
        return NOTHING
    return f"< {SMALLEST_P:.4f}" if p < SMALLEST_P else f"{p:.4f}"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
