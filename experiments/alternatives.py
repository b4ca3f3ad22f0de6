"""The value of an alternative: the same deal from the same point, played to the end with each action.

Games are played as in a tournament (the same seatings, streams and results as ``play_games``). At the
decisions that a study wants, every legal action is tried: the state is copied, the action made, and the
game played out ``playouts`` times by the same policies at all seats, with copies of their memories. What
is still to be drawn (by chance or by a policy) comes from fresh streams that are common to all actions of
a decision, so that differences between actions vary far less than the values.

The true deal is kept: hidden cards lie where they lie. So the value of an action *given in advance* is
unbiased, but the best of several actions by these values would be chosen with hindsight, by somebody who
sees all cards. Therefore each action has a second, *imagined* value, from ``worlds`` deals that
``determinize_weighted`` makes from the view alone; where the game has a model of how others act, they
count by how likely what the others did is in them. It serves one purpose: to choose among the actions
of a class (the best card that lies in the gap, the best true offer). The one chosen is then valued on the
true deal. In imagined deals the deciding seat alone keeps its memory; the others', who remember the
true deal, is cleared.

Everything is a function of the root seed and the numbers of game and decision, whatever the blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from cardgames_env import Agent
from cardgames_env.core.game import (
    NOTHING,
    OK,
    Game,
    apply,
    apply_row,
    deal_row,
    determinize_weighted_row,
    legal,
    legal_row,
    look,
    look_row,
    note_before,
    ranks,
    returns,
    to_act,
    to_act_row,
    win_shares,
)
from cardgames_env.core.jit import kernel
from cardgames_env.core.log import Room, complete_rows, new_room, open_row
from cardgames_env.core.playout import AgentError, begin_seats
from cardgames_env.core.policy import Lineup
from cardgames_env.core.rng import CHANCE_STREAM, STUDY_STREAM, WORDS, seed_stream, stream_key
from cardgames_env.core.unowned import part, unowned
from experiments.decisions import MEANING
from experiments.lineup import Contestant

#: What a decision's streams are for: whether it is studied, the true deal, imagined deals, laying them.
SAMPLE, TRUE_DEAL, IMAGINED, LAYING = range(4)

COLUMNS = (
    ("game", pa.int64(), "number of the game, as in the table of games"),
    ("deal", pa.int64(), "number of the deal, the same for all its seatings"),
    ("seating", pa.int16(), "seating of the deal, from 0"),
    ("decision", pa.int32(), "decisions made before in this game"),
    ("seat", pa.int8(), "seat that decided"),
    ("agent", pa.dictionary(pa.int8(), pa.string()), "agent at that seat"),
    ("action", pa.int32(), "number of the action tried"),
    ("chosen", pa.bool_(), "whether the agent chose it"),
    ("win_share", pa.float32(), "mean share of the win of the seat, this deal played out"),
    ("win_share_error", pa.float32(), "its standard error over playouts (none: a single one)"),
    ("points", pa.float32(), "mean points of the seat, the game's own"),
    ("points_error", pa.float32(), "their standard error over playouts"),
    ("imagined_win_share", pa.float32(), "mean share of the win over imagined deals"),
    ("imagined_points", pa.float32(), "mean points over imagined deals"),
)


@dataclass(frozen=True)
class StudyColumn:
    """A column that a study adds: name, Arrow type, meaning."""

    name: str
    type: pa.DataType
    meaning: str


def no_notes(views: np.ndarray, parameters: Mapping[str, float]) -> tuple[Any, ...]:
    return ()


@dataclass(frozen=True)
class Question:
    """Which decisions are to be studied, and what else is to be known of them.

    ``wanted(view, mask)``: by the named fields of the view and the mask (int8, (A,)) of the seat to act.
    ``notes(views, parameters)``: one value (or None) for each of ``columns``, from the view (row 0 of
    ``views``) and the parameters of the agent that decides. ``model``: the numbers by which the game
    weighs imagined deals (see ``core.game.determinize_weighted``).
    """

    wanted: Callable[[Any, np.ndarray], bool]
    columns: tuple[StudyColumn, ...] = ()
    notes: Callable[[np.ndarray, Mapping[str, float]], tuple[Any, ...]] = no_notes
    model: tuple[float, ...] = ()


def alternatives_schema(game: Game, question: Question) -> pa.Schema:
    """The columns of a study's table: those of all, the study's, those of the game's decision log.

    The log's columns are what the game says of the action tried (``note_before``); for the action
    that was chosen they also tell what came of it (``note_after``).
    """
    study = [(c.name, c.type, c.meaning) for c in question.columns]
    own = [(c.name, pa.from_numpy_dtype(c.type), c.meaning) for c in game.log_columns]
    return pa.schema(
        [
            pa.field(name, type_, metadata={MEANING: meaning.encode()})
            for name, type_, meaning in [*COLUMNS, *study, *own]
        ]
    )


def try_alternatives(
    game: Game,
    options: Mapping[str, Any],
    contestants: Sequence[Contestant],
    seatings: np.ndarray,
    question: Question,
    *,
    root: int,
    first_game: int,
    count: int,
    playouts: int,
    worlds: int,
    share: float = 1.0,
) -> pa.Table:
    """The alternatives of decisions in games ``first_game …`` of the root seed: a row each.

    Games, ``seatings`` and ``root`` as in ``play_games``. Of the decisions that the question wants a
    ``share`` is studied, by a hash of the root, the game's and the decision's number: those of a smaller
    share are among those of a larger one. Raises ValueError for an agent that is not compiled and
    for numbers out of range, AgentError for an illegal action.
    """
    for name, value in (("playouts", playouts), ("worlds", worlds)):
        if value < 1:
            raise ValueError(f"{name} must be 1 or more, got {value}")
    if not 0 < share <= 1:
        raise ValueError(f"share must be more than 0 and at most 1, got {share}")
    agents = []
    for contestant in contestants:
        if not isinstance(contestant.player, Agent):
            raise ValueError(
                f"agent {contestant.label} is not compiled: alternatives are played out by copies of "
                "all agents, which takes cardgames_env.Agent"
            )
        agents.append(contestant.player)
    trial = Trial(game, options, agents, question.model, playouts, worlds)
    found = _Found(game, question)
    seatings = np.ascontiguousarray(seatings, np.int64)
    tables, orders, _ = seatings.shape
    room = new_room(np.ones(count, np.bool_), len(game.log_columns))
    for number in range(first_game, first_game + count):
        seated = seatings[number // orders % tables, number % orders]
        first_row = int(room.end[0])
        decision = 0
        trial.begin(root, number, number // orders, seated)
        while (seat := trial.see()) >= 0:
            key = derived(root, number, STUDY_STREAM)
            parameters = contestants[seated[seat]].parameters
            studied = _is_sampled(key, decision, share) and question.wanted(
                trial.views[0], trial.mask
            )
            if studied:
                actions = np.flatnonzero(trial.mask)
                notes = question.notes(trial.views, parameters)
            action = trial.ask(
                seat
            )  # first: what it learns at this decision it knows in the playouts
            if studied:
                values = trial.values(actions, key, decision, seat)
                described = trial.described(actions)
            room = trial.make(action, room, number, first_row, seat)
            if studied:
                general = (number, decision, seat, seated[seat])
                found.add(general, actions, action, first_row + decision, values, notes, described)
            decision += 1
    return found.table(orders, [contestant.label for contestant in contestants], room)


def derived(key: int | np.uint64, first: int, second: int) -> np.uint64:
    """``stream_key``, to be a key itself: Python would hand it over as an int, too large for an int64."""
    return np.uint64(stream_key(key, first, second))


def _is_sampled(key: np.uint64, decision: int, share: float) -> bool:
    return (int(derived(key, decision, SAMPLE)) >> 11) * 2.0**-53 < share


class Trial:
    """One game under way, its seats' memories and streams, and room to play it out from anywhere."""

    def __init__(
        self,
        game: Game,
        options: Mapping[str, Any],
        agents: Sequence[Agent],
        model: Sequence[float],
        playouts: int,
        worlds: int,
    ) -> None:
        players = options["num_players"]
        self.game = game
        self.agents = agents
        self.lineup = Lineup(agents)
        self.states = game.new_states(options, 1)
        self.views, self.flat = game.new_views(1)
        self.mask = np.zeros(game.num_actions, np.int8)
        self.memory = np.zeros((players, int(self.lineup.memory_sizes.max())), np.float32)
        self.streams = np.zeros((players, WORDS), np.uint64)
        self.true_deals = game.new_states(options, playouts)
        self.imagined_deals = game.new_states(options, worlds)
        self._model = np.array(model, np.float32)
        self._rng = np.zeros(WORDS, np.uint64)
        views, flat = game.new_views(1)
        self._scratch = (
            game.new_states(options, 1), views, flat, np.zeros_like(self.mask),
            np.zeros_like(self.memory), np.zeros_like(self.streams),
            np.zeros(players, np.int32), np.zeros(players, np.int8), np.zeros(players),
        )  # fmt: skip

    def begin(self, root: int, number: int, deal: int, seated: np.ndarray) -> None:
        """Deal game ``number``, these agents (int64 (P,)) at the seats."""
        self.seated = seated
        begin_seats(self.memory, self.streams, root, number)
        deal_row(self.states, 0, root, deal)

    def see(self) -> int:
        """The seat to act, whose view and mask are laid out; −1: the game is over."""
        seat: int = to_act_row(self.states, 0)
        if seat >= 0:
            legal_row(self.states, 0, self.mask)
            look_row(self.states, 0, seat, self.views, 0)
        return seat

    def ask(self, seat: int) -> int:
        """What the agent at ``seat`` does."""
        agent = self.agents[self.seated[seat]]
        memory = self.memory[seat, : agent.memory]
        return int(
            agent.policy(
                self.views[0], self.flat[0], self.mask, memory, agent.params, self.streams[seat]
            )
        )

    def make(self, action: int, room: Room, number: int, first_row: int, seat: int) -> Room:
        """Make the action and log it; the room, which may have been enlarged. Raises AgentError."""
        agent = self.seated[seat]
        row = (self.mask, number, first_row, seat, agent, action)
        while not open_row(self.states, room, *row):
            room = room.doubled()
        if apply_row(self.states, 0, action) != OK:
            name = self.agents[agent].name
            raise AgentError(f"{name} chose the illegal action {action} in game {number}")
        complete_rows(self.states, room, first_row)
        return room

    def described(self, actions: np.ndarray) -> np.ndarray:
        """The game's own log columns (int32 (A, C)) of each action, as ``note_before`` gives them."""
        rows = np.full((len(actions), len(self.game.log_columns)), NOTHING, np.int32)
        describe_all(self.states, actions, rows)
        return rows

    def values(self, actions: np.ndarray, key: np.uint64, decision: int, seat: int) -> np.ndarray:
        """The six columns of values of each action, float64 (A, 6)."""
        self.true_deals[:] = self.states[0]
        weights = self._lay_imagined_deals(derived(key, decision, LAYING))
        true = self._play_out(
            self.true_deals, actions, self.seated, self.memory, key, decision, TRUE_DEAL, seat
        )
        # The viewer sits at seat 0 of the deals that it imagines, and nobody else remembers anything.
        own_memory = np.zeros_like(self.memory)
        own_memory[0] = self.memory[seat]
        around = np.roll(self.seated, -seat)
        imagined = self._play_out(
            self.imagined_deals, actions, around, own_memory, key, decision, IMAGINED, 0
        )
        columns = []
        for results in true:
            columns += [results.mean(axis=1), standard_errors(results)]
        columns += [results @ weights for results in imagined]
        return np.stack(columns, axis=1)

    def _lay_imagined_deals(self, key: np.uint64) -> np.ndarray:
        """Lay them from the view; their weights, float64 (W,), whose sum is 1."""
        weights = np.zeros(len(self.imagined_deals))
        for j in range(len(weights)):
            seed_stream(self._rng, derived(key, j, CHANCE_STREAM))
            weights[j] = determinize_weighted_row(
                self.views, 0, self._rng, self.imagined_deals, j, self._model
            )
        total = weights.sum()
        if not total > 0:  # all of them impossible under the model
            return np.full(len(weights), 1 / len(weights))
        return weights / total

    def _play_out(
        self,
        starts: np.ndarray,
        actions: np.ndarray,
        seated: np.ndarray,
        memory: np.ndarray,
        key: np.uint64,
        decision: int,
        purpose: int,
        seat: int,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Win shares and the game's own points, float64 (A, J) both."""
        lineup = self.lineup
        shares = np.zeros((len(actions), len(starts)))
        points = np.zeros_like(shares)
        offender = play_out(
            starts, actions, seated, memory, lineup.policies, lineup.params, lineup.param_ends,
            lineup.memory_sizes, derived(key, decision, purpose), seat, shares, points,
            *self._scratch,
        )  # fmt: skip
        if offender >= 0:
            raise AgentError(f"{self.agents[offender].name} chose an illegal action")
        return shares, self.game.score_sign * points


def standard_errors(results: np.ndarray) -> np.ndarray:
    """Standard errors of the means over the last axis; NaN for a single result."""
    count = results.shape[-1]
    if count == 1:
        return np.full(results.shape[:-1], np.nan)
    errors: np.ndarray = results.std(axis=-1, ddof=1) / np.sqrt(count)
    return errors


@kernel
def play_out(
    starts, actions, agents, memory, policies, params, param_ends, memory_sizes, key, seat, shares,
    scores, states, views, flat, mask, memories, streams, points, places, parts,
):  # fmt: skip
    """Play each of the J ``starts`` to the end after each of the A ``actions`` of the seat to act.

    Fills ``shares`` and ``scores`` (float64 (A, J)) with the share of the win and the points (more is
    better) of ``seat``. ``agents`` int64 (P,): who sits where; ``memory`` float32 (P, M): what they
    remember. Chance and policies draw from streams of ``key`` (uint64) and the number of the start.
    What follows ``scores`` is scratch. Returns −1, or the agent that chose an illegal action.
    """
    flat, mask, memories, params, streams = (
        unowned(flat), unowned(mask), unowned(memories), unowned(params), unowned(streams)
    )  # fmt: skip
    points, places, parts = unowned(points), unowned(places), unowned(parts)
    s = states[0]
    view = views[0]
    obs = flat[0]
    n = len(streams)
    for j in range(len(starts)):
        for a in range(len(actions)):
            states[0] = starts[j]
            memories[:] = memory
            seed_stream(s.rng, stream_key(key, j, CHANCE_STREAM))
            for p in range(n):
                seed_stream(streams[p], stream_key(key, j, 1 + p))
            action = actions[a]
            given = True
            p = to_act(s)
            while p >= 0:
                k = agents[p]
                if not given:
                    legal(s, mask)
                    look(s, p, view)
                    numbers = part(params, param_ends[k], param_ends[k + 1])
                    scratch = part(memories[p], 0, memory_sizes[k])
                    action = policies[k](view, obs, mask, scratch, numbers, streams[p])
                given = False
                if apply(s, action) != OK:
                    return k
                p = to_act(s)
            returns(s, points)
            ranks(s, places)
            win_shares(places, n, parts)
            shares[a, j] = parts[seat]
            scores[a, j] = points[seat]
    return -1


@kernel
def describe_all(states, actions, rows):
    """``note_before`` of each of the actions in row 0 of ``states``."""
    for a in range(len(actions)):
        note_before(states[0], actions[a], rows[a])


@dataclass
class _Found:
    """The rows so far, in arrays of one decision each."""

    game: Game
    question: Question
    general: list[np.ndarray] = field(default_factory=list)
    values: list[np.ndarray] = field(default_factory=list)
    own: list[np.ndarray] = field(default_factory=list)
    notes: list[tuple[Any, ...]] = field(default_factory=list)  # one a row
    logged: list[tuple[int, int]] = field(default_factory=list)  # row here, row of the log

    def add(
        self,
        general: tuple[int, ...],
        actions: np.ndarray,
        chosen: int,
        logged: int,
        values: np.ndarray,
        notes: tuple[Any, ...],
        own: np.ndarray,
    ) -> None:
        rows = np.empty((len(actions), 6), np.int64)
        rows[:, :4] = general
        rows[:, 4] = actions
        rows[:, 5] = actions == chosen
        self.logged.append((len(self.notes) + int(np.flatnonzero(rows[:, 5])[0]), logged))
        self.general.append(rows)
        self.values.append(values)
        self.own.append(own)
        self.notes += [notes] * len(actions)

    def table(self, games_per_deal: int, labels: Sequence[str], room: Room) -> pa.Table:
        schema = alternatives_schema(self.game, self.question)
        if not self.general:
            return schema.empty_table()
        games, decisions, seats, agents, actions, chosen = np.concatenate(self.general).T
        values = np.concatenate(self.values)
        own = np.concatenate(self.own)
        here, there = np.array(self.logged).T
        own[here] = room.own[there]  # what came of it, too
        columns: list[pa.Array] = [
            pa.array(games),
            pa.array(games // games_per_deal),
            pa.array(games % games_per_deal),
            pa.array(decisions),
            pa.array(seats),
            pa.DictionaryArray.from_arrays(pa.array(agents.astype(np.int8)), labels),
            pa.array(actions),
            pa.array(chosen == 1),
            *(pa.array(column, mask=np.isnan(column)) for column in values.T),
        ]
        columns += [
            pa.array([row[k] for row in self.notes], column.type)
            for k, column in enumerate(self.question.columns)
        ]
        columns += [pa.array(column, mask=column == NOTHING) for column in own.T]
        cast = [column.cast(type_) for column, type_ in zip(columns, schema.types, strict=True)]
        return pa.table(cast, schema=schema)
