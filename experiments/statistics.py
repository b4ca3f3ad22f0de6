"""What the games of a tournament say, with intervals clustered by deal.

The games of one deal (the same cards under several seatings) are not independent, so the deal is
the unit: a quantity is averaged within each deal first, and its mean and standard error are taken
over the deals. Intervals are two-sided 95 % intervals of Student's t with ``deals - 1`` degrees of
freedom; a single deal gives none.

Shards are read one after the other and reduced to moments, so memory does not grow with the number
of games. Comparisons of agents are in comparisons.py, ratings in ratings.py, the moments and their
intervals in moments.py.
"""

from collections import Counter
from dataclasses import asdict, dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from experiments.comparisons import (
    AHEAD,
    SIGNIFICANCE,
    WIN_SHARE,
    Comparison,
    Encounters,
    PairSummary,
    beats,
    comparisons,
    cross_play,
    cycles,
)
from experiments.convergence import Convergence, Timeline
from experiments.cross_play import LineUp, Tables
from experiments.duplicate import Duplicate, Independent, duplicate
from experiments.moments import Cells, Estimate, Moments, add_up
from experiments.ratings import (
    LEAST_MISFIT,
    Misfit,
    Rating,
    Tallies,
    alpha_rank,
    expected_ahead,
    maximal_lottery,
    rate,
)
from experiments.results import Games, ResultsError, read_manifest, read_shards
from experiments.seating import MAX_SEATINGS


@dataclass(frozen=True)
class AgentSummary:
    """One agent over all its seats.

    ``games`` counts the games in which the agent sat, once however many seats it held.
    ``win_share`` is in [0, 1]; ``points`` are the game's own; ``places[k]`` is the share of
    finishes with rank k + 1, ranks as the game gives them (equals share the better one).
    ``lead`` is the paired difference of win share to the next agent in the ranking over the deals
    where the two met; None for the last agent and for two that never met. ``separated`` tells
    whether the data put the agent ahead of the next one; None for the last agent.
    """

    agent: str
    games: int
    win_share: Estimate
    points: Estimate
    places: tuple[Estimate, ...]
    lead: Estimate | None
    separated: bool | None


@dataclass(frozen=True)
class SeatSummary:
    """One seat (from 0) over all agents: win share in [0, 1] and the game's own points."""

    seat: int
    win_share: Estimate
    points: Estimate


@dataclass(frozen=True)
class Distribution:
    """How often an agent ended with how many points: ``share[k]`` of its finishes with ``points[k]``."""

    agent: str
    points: tuple[int, ...]
    share: tuple[float, ...]


@dataclass(frozen=True)
class Summary:
    """Statistics of one run.

    ``labels`` are the agents in the manifest's order, each once; ``agents`` those that have
    played, best win share first; ``cross_play`` holds every ordered pair that met, ``comparisons``
    every unordered one, the largest difference first. ``line_ups`` are empty unless the run is of
    line-ups.

    ``rounds`` is the length of a game, ``sole_winner`` the share of games with one winner,
    ``margin`` the distance in points from the first to the second, 0 where several share the win.
    ``forfeits`` are (agent, kind, games), where there are any.

    ``ratings`` come best first; ``rating_misfit`` are the pairs that they describe badly, the
    largest misfit first. ``cycles`` are agents of which each finishes ahead of the next more often
    than not, and the last ahead of the first, every time separated (beyond 5 % after Holm's
    correction over all pairs). ``alpha_rank`` and ``maximal_lottery`` are the agents' shares, None
    if some two agents never met; the former needs OpenSpiel, too.

    ``convergence`` is None for a single deal.
    """

    game: str
    kind: str
    num_players: int
    labels: tuple[str, ...]
    games: int
    deals: int
    complete: bool
    agents: tuple[AgentSummary, ...]
    seats: tuple[SeatSummary, ...]
    cross_play: tuple[PairSummary, ...]
    comparisons: tuple[Comparison, ...]
    line_ups: tuple[LineUp, ...]
    ratings: tuple[Rating, ...]
    rating_misfit: tuple[Misfit, ...]
    cycles: tuple[tuple[str, ...], ...]
    alpha_rank: tuple[tuple[str, float], ...] | None
    maximal_lottery: tuple[tuple[str, float], ...] | None
    duplicate: Duplicate
    distributions: tuple[Distribution, ...]
    convergence: Convergence | None
    forfeits: tuple[tuple[str, str, int], ...]
    rounds: Estimate
    sole_winner: Estimate
    margin: Estimate

    @property
    def equal_share(self) -> float:
        """The win share of every agent and seat if all were equal: 1 / num_players."""
        return 1 / self.num_players

    def pairs(self) -> dict[tuple[str, str], PairSummary]:
        """The cross-play by (row, column); two agents that never met have no entry."""
        return {(pair.row, pair.column): pair for pair in self.cross_play}

    def to_dict(self) -> dict[str, Any]:
        """The summary as dicts, tuples, strings, numbers and None, as json.dumps takes them."""
        return asdict(self) | {"equal_share": self.equal_share}


def summarize(directory: Path) -> Summary:
    """Evaluate the shards in ``directory``/games, of a finished or an interrupted run.

    Raises ResultsError for a folder without manifest or games, and for a damaged file.
    """
    manifest = read_manifest(directory)
    labels = tuple(dict.fromkeys(manifest["agents"]))
    num_players = manifest["options"]["num_players"]
    tables = Tables.of(manifest, labels)
    turns = manifest.get("tables", 1)  # tables that play deal by deal in turn
    total = reduce(
        _Tally.merge,
        (
            _tally(games, labels, tables, turns)
            for games in read_shards(directory, labels, num_players)
        ),
    )
    if total.games == 0:
        raise ResultsError(
            f"{directory / 'games'}: the shards hold no game; run the tournament again"
        )
    total = total.pooled(len(labels), num_players)
    rounds, sole_winner, margin = total.by_deal.estimates(0)
    pairs = cross_play(total.by_pair, labels)
    compared = comparisons(total.by_pair, labels)
    standings = _standings(total, labels, pairs)
    beaten = beats(total.by_pair, len(labels))
    ratings = rate(total.tallies, labels, rounds.deals)
    alpha, lottery = _social_choices(pairs, beaten, labels)
    return Summary(
        game=manifest["game"],
        kind=manifest.get("kind", "tournament"),
        num_players=num_players,
        labels=labels,
        games=total.games,
        deals=rounds.deals,
        complete=manifest["complete"],
        agents=standings,
        seats=tuple(
            SeatSummary(seat, *total.by_seat.estimates(seat)) for seat in range(num_players)
        ),
        cross_play=pairs,
        comparisons=compared,
        line_ups=tables.summaries(total.by_table, labels),
        ratings=ratings,
        rating_misfit=_misfits(ratings, pairs, total.by_pair, labels),
        cycles=tuple(tuple(labels[agent] for agent in cycle) for cycle in cycles(beaten)),
        alpha_rank=alpha,
        maximal_lottery=lottery,
        duplicate=duplicate(
            total.by_agent,
            total.by_pair,
            total.by_agent_alone,
            total.by_pair_alone,
            labels,
            compared,
        ),
        distributions=_distributions(total.points, labels),
        convergence=total.timeline.convergence(labels),
        forfeits=tuple(
            (labels[agent], kind, games) for (agent, kind), games in sorted(total.forfeits.items())
        ),
        rounds=rounds,
        sole_winner=sole_winner,
        margin=margin,
    )


# -- reduction of shards ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Tally:
    """What is kept of the shards read so far.

    Groups of ``by_agent``, ``by_seat``, ``by_pair`` and ``by_deal`` are table * groups + group until
    they are pooled (see ``Moments.pooled``).
    """

    games: int
    games_of: np.ndarray  # (agents,)
    by_agent: Moments  # win share, points, share of each place
    by_seat: Moments  # win share, points
    by_pair: Moments  # of Encounters
    by_deal: Moments  # rounds, sole winner, margin
    by_table: Moments  # of Tables
    by_agent_alone: Independent  # of win share
    by_pair_alone: Independent  # of differences of win share
    tallies: Tallies
    timeline: Timeline
    points: Counter[tuple[int, int]]  # finishes by (agent, points)
    forfeits: Counter[tuple[int, str]]  # games by (agent, kind)

    def merge(self, other: "_Tally") -> "_Tally":
        return _Tally(
            self.games + other.games,
            self.games_of + other.games_of,
            self.by_agent.merge(other.by_agent),
            self.by_seat.merge(other.by_seat),
            self.by_pair.merge(other.by_pair),
            self.by_deal.merge(other.by_deal),
            self.by_table.merge(other.by_table),
            self.by_agent_alone.merge(other.by_agent_alone),
            self.by_pair_alone.merge(other.by_pair_alone),
            self.tallies.merge(other.tallies),
            self.timeline.merge(other.timeline),
            self.points + other.points,
            self.forfeits + other.forfeits,
        )

    def pooled(self, num_agents: int, num_players: int) -> "_Tally":
        return replace(
            self,
            by_agent=self.by_agent.pooled(num_agents),
            by_seat=self.by_seat.pooled(num_players),
            by_pair=self.by_pair.pooled(num_agents**2),
            by_deal=self.by_deal.pooled(1),
        )


def _tally(games: Games, labels: tuple[str, ...], tables: Tables, turns: int) -> _Tally:
    num_games, num_players = games.agent.shape
    num_agents = len(labels)
    deal, deals = pd.factorize(games.deal, sort=True)
    deal_of_row = np.repeat(deal, num_players)
    agent = games.agent.ravel()
    seat = np.tile(np.arange(num_players), num_games)
    result = [games.win_share.ravel(), games.points.ravel()]
    places = [games.rank.ravel() == place for place in range(1, num_players + 1)]
    by_agent = add_up(deal_of_row, agent, result + places)
    by_seat = add_up(deal_of_row, seat, result)
    per_game = add_up(np.repeat(np.arange(num_games), num_players), agent, result[:1])
    encounters = Encounters.of(games, num_agents)
    by_pair = encounters.by(deal)
    pair_per_game = encounters.by(np.arange(num_games))
    by_deal = add_up(
        deal,
        np.zeros(num_games, np.int64),
        [games.rounds, (games.rank == 1).sum(axis=1) == 1, _margins(games)],
    )
    table = deals % turns

    def by_table(cells: Cells, groups: int) -> Moments:
        return Moments.over(table[cells.unit] * groups + cells.group, cells.means)

    seating = table[deal] * MAX_SEATINGS + games.seating
    return _Tally(
        games=num_games,
        games_of=np.bincount(per_game.group, minlength=num_agents),
        by_agent=by_table(by_agent, num_agents),
        by_seat=by_table(by_seat, num_players),
        by_pair=by_table(by_pair, num_agents**2),
        by_deal=by_table(by_deal, 1),
        by_table=tables.tally(games, deal),
        by_agent_alone=Independent.of(per_game, 0, seating, num_agents),
        by_pair_alone=Independent.of(pair_per_game, WIN_SHARE, seating, num_agents**2),
        tallies=Tallies.of(by_pair, deals),
        timeline=Timeline.of(by_agent, deals, num_agents),
        points=_count_points(agent, result[1]),
        forfeits=_count_forfeits(games),
    )


def _margins(games: Games) -> np.ndarray:
    """Distance in points from the first to the second (G,); 0 where several share the win.

    More or fewer points may be better: the distance is the same.
    """
    order = np.argsort(games.rank, axis=1, kind="stable")[:, :2]
    first, second = np.take_along_axis(games.points, order, axis=1).T
    alone = np.take_along_axis(games.rank, order, axis=1)[:, 1] > 1
    margins: np.ndarray = np.abs(first - second) * alone
    return margins


def _count_points(agent: np.ndarray, points: np.ndarray) -> Counter[tuple[int, int]]:
    cells = add_up(agent, points - points.min(initial=0), [np.ones(len(agent))])
    finishes = zip(cells.unit.tolist(), (cells.group + points.min(initial=0)).tolist(), strict=True)
    return Counter(dict(zip(finishes, cells.rows.tolist(), strict=True)))


def _count_forfeits(games: Games) -> Counter[tuple[int, str]]:
    if games.forfeit is None:
        return Counter()
    rows = games.forfeit >= 0
    pairs = zip(games.agent[rows].tolist(), games.forfeit[rows].tolist(), strict=True)
    return Counter((agent, games.forfeit_kinds[kind]) for agent, kind in pairs)


# -- what the whole says ---------------------------------------------------------------------------


def _standings(
    total: _Tally, labels: tuple[str, ...], cross_play: tuple[PairSummary, ...]
) -> tuple[AgentSummary, ...]:
    """The agents that have played, best win share first."""
    leads = {(pair.row, pair.column): pair.win_share for pair in cross_play}
    played = [agent for agent in range(len(labels)) if total.games_of[agent]]
    estimates = {agent: total.by_agent.estimates(agent) for agent in played}
    ranked = sorted(played, key=lambda agent: (-estimates[agent][0].mean, labels[agent]))
    standings = []
    for place, agent in enumerate(ranked):
        win_share, points, *places = estimates[agent]
        lead, separated = None, None
        if place + 1 < len(ranked):
            following = ranked[place + 1]
            lead = leads.get((labels[agent], labels[following]))
            separated = _is_separated(win_share, estimates[following][0], lead)
        standings.append(
            AgentSummary(
                agent=labels[agent],
                games=int(total.games_of[agent]),
                win_share=win_share,
                points=points,
                places=tuple(places),
                lead=lead,
                separated=separated,
            )
        )
    return tuple(standings)


def _is_separated(better: Estimate, worse: Estimate, lead: Estimate | None) -> bool:
    """Whether the interval of the paired lead lies above 0.

    Two agents that never met have no paired difference: then their own intervals, which come
    from different deals, must not overlap.
    """
    if lead is not None:
        return lead.interval is not None and lead.interval[0] > 0
    if better.interval is None or worse.interval is None:
        return False
    return better.interval[0] > worse.interval[1]


def _misfits(
    ratings: tuple[Rating, ...],
    pairs: tuple[PairSummary, ...],
    by_pair: Moments,
    labels: tuple[str, ...],
) -> tuple[Misfit, ...]:
    """The pairs that the ratings describe badly, the largest misfit first."""
    elo = {rating.agent: rating.elo for rating in ratings}
    family = 1 - SIGNIFICANCE / max(1, len(by_pair.groups))
    misfits = []
    for pair in pairs:
        row, column = labels.index(pair.row), labels.index(pair.column)
        group = min(row, column) * len(labels) + max(row, column)
        reach = by_pair.estimates(group, family)[AHEAD].half_width
        expected = expected_ahead(elo[pair.row], elo[pair.column])
        excess = pair.ahead.mean - expected
        if reach is not None and excess > max(reach, LEAST_MISFIT):
            misfits.append(Misfit(pair.row, pair.column, pair.ahead.mean, expected))
    return tuple(sorted(misfits, key=lambda misfit: misfit.expected - misfit.observed))


Shares = tuple[tuple[str, float], ...]


def _social_choices(
    pairs: tuple[PairSummary, ...], beaten: list[tuple[int, int]], labels: tuple[str, ...]
) -> tuple[Shares | None, Shares | None]:
    """α-rank and maximal lottery; None if some two agents never met."""
    if len(labels) == 1 or len(pairs) < len(labels) * (len(labels) - 1):
        return None, None
    ahead = np.full((len(labels), len(labels)), 0.5)
    for pair in pairs:
        ahead[labels.index(pair.row), labels.index(pair.column)] = pair.ahead.mean
    alpha = alpha_rank(beaten, len(labels))
    return (
        None if alpha is None else tuple(zip(labels, alpha, strict=True)),
        tuple(zip(labels, maximal_lottery(ahead), strict=True)),
    )


def _distributions(
    points: Counter[tuple[int, int]], labels: tuple[str, ...]
) -> tuple[Distribution, ...]:
    """Of every agent that has played, in the order of the labels."""
    finishes: dict[int, dict[int, int]] = {}
    for (agent, value), number in sorted(points.items()):
        finishes.setdefault(agent, {})[value] = number
    return tuple(
        Distribution(
            labels[agent],
            tuple(by_value),
            tuple(number / sum(by_value.values()) for number in by_value.values()),
        )
        for agent, by_value in finishes.items()
    )
