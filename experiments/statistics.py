"""What the games of a tournament say, with intervals clustered by deal.

The games of one deal (the same cards under several seatings) are not independent, so the deal is
the unit: a quantity is averaged within each deal first, and its mean and standard error are taken
over the deals. Intervals are two-sided 95 % intervals of Student's t with ``deals - 1`` degrees of
freedom; a single deal gives none.

Shards are read one after the other and reduced to moments, so memory does not grow with the number
of games.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import reduce
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from scipy import stats

CONFIDENCE = 0.95

MANIFEST_KEYS = ("game", "options", "agents", "seed", "seating", "games", "complete", "command")
SHARD_COLUMNS = ("game", "deal", "seat", "agent", "points", "rank", "win_share", "rounds")
REMEDY = "move it away to leave its deals out, or run the tournament again"


class ResultsError(ValueError):
    """A results folder that cannot be evaluated; the message names the file and a remedy."""


@dataclass(frozen=True)
class Estimate:
    """A mean over deals with its 95 % interval (low, high), which is None for a single deal."""

    mean: float
    interval: tuple[float, float] | None
    deals: int

    @property
    def half_width(self) -> float | None:
        """Half the interval's length, the number after a ±; None without an interval."""
        return None if self.interval is None else (self.interval[1] - self.interval[0]) / 2


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
class PairSummary:
    """``row`` against ``column``, over the games in which both sat at the table.

    ``ahead`` is the share of encounters in which row has the better rank, equal ranks counting
    half; ``win_share`` and ``points`` are mean differences, row minus column. Two copies against
    one at a table are two encounters.
    """

    row: str
    column: str
    ahead: Estimate
    win_share: Estimate
    points: Estimate


@dataclass(frozen=True)
class Summary:
    """Statistics of one tournament.

    ``labels`` are the agents in the manifest's order, each once; ``agents`` those that have
    played, best win share first; ``cross_play`` holds every ordered pair that met.
    """

    game: str
    num_players: int
    labels: tuple[str, ...]
    games: int
    deals: int
    complete: bool
    agents: tuple[AgentSummary, ...]
    seats: tuple[SeatSummary, ...]
    cross_play: tuple[PairSummary, ...]
    rounds: Estimate

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
    """Evaluate the shards in ``directory``/games, of a finished or an interrupted tournament.

    Raises ResultsError for a folder without manifest or games, and for a damaged file.
    """
    manifest = read_manifest(directory)
    labels = tuple(dict.fromkeys(manifest["agents"]))
    num_players = manifest["options"]["num_players"]
    tallies = (_tally(games, len(labels)) for games in _read_shards(directory, labels, num_players))
    total = reduce(_Tally.merge, tallies)
    if total.games == 0:
        raise ResultsError(
            f"{directory / 'games'}: the shards hold no game; run the tournament again"
        )
    cross_play = _cross_play(total.by_pair, labels)
    return Summary(
        game=manifest["game"],
        num_players=num_players,
        labels=labels,
        games=total.games,
        deals=int(total.by_deal.deals[0]),
        complete=manifest["complete"],
        agents=_standings(total, labels, cross_play),
        seats=tuple(
            SeatSummary(seat, *total.by_seat.estimates(seat)) for seat in range(num_players)
        ),
        cross_play=cross_play,
        rounds=total.by_deal.estimates(0)[0],
    )


def read_manifest(directory: Path) -> dict[str, Any]:
    """The tournament's manifest; ResultsError if it is missing, damaged or lacks an entry."""
    path = directory / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ResultsError(f"{path}: not found; name the results folder of a tournament") from None
    except (OSError, ValueError) as error:
        raise ResultsError(f"{path}: cannot be read ({_first_line(error)}); {REMEDY}") from error
    if not isinstance(manifest, dict):
        raise ResultsError(f"{path}: is not a JSON object; run the tournament again")
    missing = [key for key in MANIFEST_KEYS if key not in manifest]
    if not missing and "num_players" not in manifest["options"]:
        missing = ["options.num_players"]
    if missing:
        raise ResultsError(f"{path}: lacks {', '.join(missing)}; run the tournament again")
    return manifest


@dataclass(frozen=True)
class _Games:
    """The G games of a shard: ``deal`` and ``rounds`` (G,), the others (G, num_players)."""

    deal: np.ndarray
    rounds: np.ndarray
    agent: np.ndarray  # index into the labels
    points: np.ndarray
    rank: np.ndarray
    win_share: np.ndarray


def _read_shards(directory: Path, labels: tuple[str, ...], num_players: int) -> Iterator[_Games]:
    paths = sorted((directory / "games").glob("*.parquet"))
    if not paths:
        raise ResultsError(f"{directory / 'games'}: holds no *.parquet; run the tournament again")
    for path in paths:
        yield _read_shard(path, labels, num_players)


def _read_shard(path: Path, labels: tuple[str, ...], num_players: int) -> _Games:
    try:
        with pq.ParquetFile(path) as file:
            missing = [name for name in SHARD_COLUMNS if name not in file.schema_arrow.names]
            if missing:
                raise ResultsError(f"{path}: lacks the columns {', '.join(missing)}; {REMEDY}")
            rows = file.read(columns=list(SHARD_COLUMNS)).to_pandas()
    except (pa.ArrowException, OSError) as error:
        raise ResultsError(f"{path}: cannot be read ({_first_line(error)}); {REMEDY}") from error

    agent = rows["agent"].astype("category").cat
    unknown = [name for name in agent.categories if name not in labels]
    if unknown:
        raise ResultsError(f"{path}: {unknown[0]} is not among the manifest's agents; {REMEDY}")
    rows["agent"] = agent.set_categories(labels).cat.codes
    rows = rows.sort_values(["game", "seat"], ignore_index=True)
    if not _has_every_seat(rows, num_players):
        raise ResultsError(
            f"{path}: not every game has one row for each of the {num_players} seats; {REMEDY}"
        )

    def by_seat(column: str) -> np.ndarray:
        values: np.ndarray = rows[column].to_numpy()
        return values.reshape(-1, num_players)

    return _Games(
        deal=by_seat("deal")[:, 0],
        rounds=by_seat("rounds")[:, 0],
        agent=by_seat("agent").astype(np.int64),
        points=by_seat("points").astype(np.float64),
        rank=by_seat("rank").astype(np.int64),
        win_share=by_seat("win_share").astype(np.float64),
    )


def _has_every_seat(rows: pd.DataFrame, num_players: int) -> bool:
    """Whether rows in the order of (game, seat) are seats 0 … num_players - 1 of each game."""
    if len(rows) % num_players:
        return False
    seat = rows["seat"].to_numpy().reshape(-1, num_players)
    game = rows["game"].to_numpy().reshape(-1, num_players)
    return bool((seat == np.arange(num_players)).all() and (game == game[:, :1]).all())


@dataclass(frozen=True)
class _Moments:
    """Over deals: how many, mean and sum of squared deviations, for K groups and V quantities."""

    deals: np.ndarray  # (K,)
    mean: np.ndarray  # (K, V); 0 for a group without deals
    squares: np.ndarray  # (K, V)

    def merge(self, other: "_Moments") -> "_Moments":
        """Moments of both sets of deals: Chan, Golub & LeVeque (1979), Updating formulae."""
        deals = self.deals + other.deals
        part = other.deals / np.maximum(deals, 1)
        delta = other.mean - self.mean
        return _Moments(
            deals,
            self.mean + delta * part[:, None],
            self.squares + other.squares + delta**2 * (self.deals * part)[:, None],
        )

    def estimates(self, group: int) -> list[Estimate]:
        """Mean and interval of the group's V quantities; the group must have deals."""
        deals = int(self.deals[group])
        means = self.mean[group].tolist()
        if deals == 1:
            return [Estimate(mean, None, deals) for mean in means]
        error = np.sqrt(self.squares[group] / (deals - 1) / deals)
        reach = stats.t.ppf((1 + CONFIDENCE) / 2, deals - 1) * error
        return [
            Estimate(mean, (mean - half, mean + half), deals)
            for mean, half in zip(means, reach.tolist(), strict=True)
        ]


def _moments(
    deal: np.ndarray, group: np.ndarray, num_groups: int, values: dict[str, np.ndarray]
) -> _Moments:
    """Moments over deals of the values' means within each deal and group (all of shape (R,))."""
    # One key is much faster to group by than two.
    block = pd.factorize(deal)[0]
    block_means = pd.DataFrame(values).groupby(block * num_groups + group).mean()
    per_group = block_means.groupby(block_means.index % num_groups)
    deals = per_group.size().reindex(range(num_groups), fill_value=0)
    mean = per_group.mean().reindex(range(num_groups), fill_value=0.0)
    variance = per_group.var(ddof=0).reindex(range(num_groups), fill_value=0.0)
    return _Moments(
        deals.to_numpy(), mean.to_numpy(), variance.to_numpy() * deals.to_numpy()[:, None]
    )


@dataclass(frozen=True)
class _Tally:
    """What is kept of the shards read so far."""

    games: int
    games_of: np.ndarray  # (agents,)
    by_agent: _Moments  # win share, points, share of each place
    by_seat: _Moments  # win share, points
    by_pair: _Moments  # of agents a < b, group a * agents + b: ahead - 1/2, win share, points
    by_deal: _Moments  # rounds

    def merge(self, other: "_Tally") -> "_Tally":
        return _Tally(
            self.games + other.games,
            self.games_of + other.games_of,
            self.by_agent.merge(other.by_agent),
            self.by_seat.merge(other.by_seat),
            self.by_pair.merge(other.by_pair),
            self.by_deal.merge(other.by_deal),
        )


def _tally(games: _Games, num_agents: int) -> _Tally:
    num_games, num_players = games.agent.shape
    deal = np.repeat(games.deal, num_players)
    seat = np.tile(np.arange(num_players), num_games)
    result = {"win_share": games.win_share.ravel(), "points": games.points.ravel()}
    places = {
        f"place {place}": (games.rank.ravel() == place).astype(np.float64)
        for place in range(1, num_players + 1)
    }
    present = [(games.agent == agent).any(axis=1).sum() for agent in range(num_agents)]
    return _Tally(
        games=num_games,
        games_of=np.array(present),
        by_agent=_moments(deal, games.agent.ravel(), num_agents, result | places),
        by_seat=_moments(deal, seat, num_players, result),
        by_pair=_pair_moments(games, num_agents),
        by_deal=_moments(
            games.deal,
            np.zeros(num_games, np.int64),
            1,
            {"rounds": games.rounds.astype(np.float64)},
        ),
    )


def _pair_moments(games: _Games, num_agents: int) -> _Moments:
    """Every two seats of a game as one encounter, taken from the lower-numbered agent's side.

    Two seats of one agent tell nothing about it; they fall into groups (a, a), which nobody reads.
    """
    one, two = np.triu_indices(games.agent.shape[1], k=1)
    first, second = games.agent[:, one], games.agent[:, two]
    side = np.sign(second - first)
    group = np.minimum(first, second) * num_agents + np.maximum(first, second)

    def difference(values: np.ndarray) -> np.ndarray:
        """Lower-numbered agent minus the other."""
        signed: np.ndarray = side * (values[:, one] - values[:, two])
        return signed.ravel()

    differences = {
        "ahead": -np.sign(difference(games.rank)) / 2,
        "win_share": difference(games.win_share),
        "points": difference(games.points),
    }
    deal = np.repeat(games.deal, len(one))
    return _moments(deal, group.ravel(), num_agents**2, differences)


def _cross_play(by_pair: _Moments, labels: tuple[str, ...]) -> tuple[PairSummary, ...]:
    pairs = []
    for row, column in permutations(range(len(labels)), 2):
        group = min(row, column) * len(labels) + max(row, column)
        if by_pair.deals[group] == 0:
            continue
        side = 1 if row < column else -1
        advantage, win_share, points = by_pair.estimates(group)
        pairs.append(
            PairSummary(
                labels[row],
                labels[column],
                ahead=_linear(advantage, side, 0.5),
                win_share=_linear(win_share, side),
                points=_linear(points, side),
            )
        )
    return tuple(pairs)


def _linear(estimate: Estimate, factor: float, offset: float = 0.0) -> Estimate:
    """The estimate of ``factor`` times the quantity plus ``offset``."""
    mean = factor * estimate.mean + offset
    if estimate.interval is None:
        return Estimate(mean, None, estimate.deals)
    low, high = sorted(factor * end + offset for end in estimate.interval)
    return Estimate(mean, (low, high), estimate.deals)


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


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
