"""Whole games by the block: compiled policies without the GIL and without an allocation a game, and
the same games with Python agents at some seats, in a slower lane."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cardgames_env.core.asking import TIMEOUT, AgentError, Asker, agent_name
from cardgames_env.core.game import (
    OK,
    Game,
    apply,
    apply_row,
    deal,
    deal_row,
    legal,
    legal_row,
    look,
    look_row,
    ranks,
    result_row,
    returns,
    rounds,
    to_act,
    to_act_row,
)
from cardgames_env.core.jit import kernel
from cardgames_env.core.log import (
    DecisionLog,
    Room,
    complete_rows,
    new_room,
    open_row,
    read_room,
    sampled_deals,
)
from cardgames_env.core.policy import Agent, Lineup, Player, seat_players
from cardgames_env.core.rng import CHANCE_STREAM, WORDS, seed_stream, stream_key
from cardgames_env.core.unowned import part, unowned


@dataclass(frozen=True)
class Forfeit:
    """A game that an agent lost by failing: its row in the block, the seat, and what happened."""

    row: int
    seat: int
    error: AgentError


@dataclass(frozen=True)
class Block:
    """Results of consecutive games, one row a game (G), columns by seat (P).

    ``agents`` int64 (G, P): which agent sat there; ``points`` int32 (G, P), more is better;
    ``ranks`` int8 (G, P) from 1; ``rounds`` int32 (G,); ``decisions`` in all games; ``log`` of the
    deals whose decisions were to be kept, or None; ``forfeits`` in the order of games.
    """

    agents: np.ndarray
    points: np.ndarray
    ranks: np.ndarray
    rounds: np.ndarray
    decisions: int
    log: DecisionLog | None = None
    forfeits: list[Forfeit] = field(default_factory=list)


def play_games(
    game: Game,
    options: Mapping[str, Any],
    agents: Sequence[Player],
    seatings: np.ndarray,
    *,
    root: int,
    first_game: int,
    count: int,
    logged: float = 0.0,
    forfeit: bool = False,
    timeout: float | None = None,
) -> Block:
    """Play games ``first_game …`` of the root seed.

    ``seatings``, int (T, S, P), tells which agent sits at which seat: there are T tables (sets of
    agents), each under S seatings. Game g is seating ``g % S`` of deal ``d = g // S``, at table
    ``d % T``. The chance stream is that of the deal, so one deal is played under every seating;
    policies draw from the streams of the game (see ``core.rng``).

    ``logged``: the share of the deals whose decisions are kept (0: none; 1: all), see ``core.log``. Which
    deals these are depends on the root seed and their numbers alone; the games are the same.

    Compiled agents alone: compiled throughout. Otherwise a Python loop over the same kernels, with
    the same result for the same agents.

    An agent fails if it raises an exception, chooses an illegal action or, being Python code, takes
    more than ``timeout`` seconds for a decision (None: no limit). Raises AgentError naming agent and
    game; or, with ``forfeit``, the game ends there: the agent is last, all others share the first place,
    and points stand as they are.
    """
    seatings = np.ascontiguousarray(seatings, np.int64)
    players = options["num_players"]
    if seatings.ndim != 3 or seatings.shape[2] != players:
        raise ValueError(f"seatings must be of shape (T, S, {players}), got {seatings.shape}")
    if seatings.min() < 0 or seatings.max() >= len(agents):
        raise ValueError(f"seatings must name agents 0 … {len(agents) - 1}")
    numbers = first_game + np.arange(count)
    tables, orders, _ = seatings.shape
    block = Block(
        agents=seatings[numbers // orders % tables, numbers % orders],
        points=np.zeros((count, players), np.int32),
        ranks=np.zeros((count, players), np.int8),
        rounds=np.zeros(count, np.int32),
        decisions=0,
    )
    room = None
    if logged > 0:
        wanted = sampled_deals(root, numbers // orders, logged)
        room = new_room(wanted, len(game.log_columns))
    compiled = all(isinstance(agent, Agent) for agent in agents)
    if compiled:
        run = _play_compiled(game, options, agents, orders, root, first_game, block, room, forfeit)
    else:
        asker = Asker(timeout)
        try:
            run = _play_in_python(
                game, options, agents, orders, root, first_game, block, room, forfeit, asker
            )
        finally:
            asker.close()
    decisions, room = run
    log = None if room is None else read_room(room)
    return replace(block, decisions=decisions, log=log)


def _note_forfeit(block: Block, row: int, seat: int, error: AgentError, forfeit: bool) -> None:
    """End a game by an agent's failure; raises ``error`` unless that loses just the game."""
    if not forfeit:
        raise error
    players = block.ranks.shape[1]
    block.ranks[row] = 1
    block.ranks[row, seat] = players
    block.forfeits.append(Forfeit(row, seat, error))


def _play_compiled(
    game: Game,
    options: Mapping[str, Any],
    agents: Sequence[Any],
    orders: int,
    root: int,
    first_game: int,
    block: Block,
    room: Room | None,
    forfeit: bool,
) -> tuple[int, Room | None]:
    """The decisions of all games, and the log's room, which may have been enlarged."""
    lineup = Lineup(agents)
    players = options["num_players"]
    views, flat = game.new_views(1)
    totals = np.array([0, 0, -1])
    arrays = (
        game.new_states(options, 1), views, flat, np.zeros(game.num_actions, np.int8),
        lineup.policies, lineup.params, lineup.param_ends,
        np.zeros((players, lineup.memory_sizes.max()), np.float32), lineup.memory_sizes,
        np.zeros((players, WORDS), np.uint64),
        root, first_game, orders, block.agents, block.points, block.ranks, block.rounds, totals,
    )  # fmt: skip
    while totals[0] < len(block.rounds):
        play_block(*arrays, room)
        games, _, seat = totals.tolist()
        if seat >= 0:
            agent = agents[block.agents[games - 1, seat]].name
            message = f"{agent} chose an illegal action in game {first_game + games - 1}"
            _note_forfeit(block, games - 1, seat, AgentError(message), forfeit)
            totals[2] = -1
        elif games < len(block.rounds):
            assert room is not None
            room = room.doubled()
    return int(totals[1]), room


@kernel
def play_block(
    states, views, flat, mask, policies, params, param_ends, memory, memory_sizes, streams, root,
    first_game, orders, agents, points, places, lengths, totals, room,
):  # fmt: skip
    """Play ``len(lengths)`` games; see ``play_games``, which makes all the arrays.

    ``totals`` holds the games played, their decisions and −1; when an agent has chosen an illegal action
    the game and the block end there, and the last number is its seat. ``room`` is for the log, or None:
    a constant to the compiler, which leaves the logging out. When it is full the block ends, too.
    Called again, with more room, it goes on with the first game that is not finished.
    """
    # Slicing an array that has an owner counts references: eight atomics a decision.
    flat, mask, memory, params, streams = (
        unowned(flat), unowned(mask), unowned(memory), unowned(params), unowned(streams)
    )  # fmt: skip
    points, places = unowned(points), unowned(places)
    s = states[0]
    view = views[0]
    obs = flat[0]
    decisions = totals[1]
    for g in range(totals[0], len(lengths)):
        number = first_game + g
        if room is not None:
            first_row = room.end[0]
        deal(s, stream_key(root, number // orders, CHANCE_STREAM))
        begin_seats(memory, streams, root, number)
        p = to_act(s)
        while p >= 0:
            legal(s, mask)  # first, so that it has reached the cache when a policy reads it
            look(s, p, view)
            k = agents[g, p]
            numbers = part(params, param_ends[k], param_ends[k + 1])
            scratch = part(memory[p], 0, memory_sizes[k])
            action = policies[k](view, obs, mask, scratch, numbers, streams[p])
            decisions += 1
            if room is not None and room.wanted[g]:
                opened = open_row(states, room, mask, number, first_row, p, k, action)
                if not opened:
                    room.end[0] = first_row  # the game is played again
                    return
            if apply(s, action) != OK:
                totals[2] = p
                if room is not None and room.wanted[g]:
                    room.end[0] -= 1  # the decision was none
                break
            if room is not None and room.wanted[g]:
                complete_rows(states, room, first_row)
            p = to_act(s)
        returns(s, points[g])
        ranks(s, places[g])
        lengths[g] = rounds(s)
        totals[0] = g + 1
        totals[1] = decisions
        if totals[2] >= 0:
            return


@kernel
def begin_seats(memory, streams, root, game):
    """Clear every seat's memory and seed its stream, at the deal."""
    memory[:] = 0.0
    for p in range(len(streams)):
        seed_stream(streams[p], stream_key(root, game, 1 + p))


def _play_in_python(
    game: Game,
    options: Mapping[str, Any],
    agents: Sequence[Player],
    orders: int,
    root: int,
    first_game: int,
    block: Block,
    room: Room | None,
    forfeit: bool,
    asker: Asker,
) -> tuple[int, Room | None]:
    """As ``_play_compiled``."""
    states = game.new_states(options, 1)
    views, flat = game.new_views(1)
    mask = np.zeros(game.num_actions, np.int8)
    seats = range(options["num_players"])
    seated = [seat_players(agents) for _ in seats]  # who sits at a seat, by agent
    decisions = 0
    for g in range(len(block.rounds)):
        number = first_game + g
        players = [seated[p][k] for p, k in enumerate(block.agents[g])]
        deal_row(states, 0, root, number // orders)
        first_row = 0 if room is None else room.end[0]
        failure = None
        for p in seats:
            try:
                asker.reset(players[p], int(stream_key(root, number, 1 + p)), number)
            except AgentError as error:
                failure = error
                break
        while failure is None and (p := to_act_row(states, 0)) >= 0:
            agent = block.agents[g, p]
            look_row(states, 0, p, views, 0)
            legal_row(states, 0, mask)
            try:
                action = asker.ask(players[p], flat[0].copy(), mask.copy(), number)
                if action < 0 or action >= len(mask) or not mask[action]:
                    raise AgentError(
                        f"{agent_name(players[p])} chose the illegal action {action} in game {number}; "
                        f"legal actions: {np.flatnonzero(mask).tolist()}"
                    )
            except AgentError as error:
                failure = error
                break
            if room is not None and room.wanted[g]:
                while not open_row(states, room, mask, number, first_row, p, agent, action):
                    room = room.doubled()
            apply_row(states, 0, action)
            if room is not None and room.wanted[g]:
                complete_rows(states, room, first_row)
            decisions += 1
        block.rounds[g] = result_row(states, 0, block.points[g], block.ranks[g])
        if failure is not None:
            _note_forfeit(block, g, p, failure, forfeit)
            if failure.kind == TIMEOUT:  # it may still be busy with what it holds
                agent = block.agents[g, p]
                seated[p][agent] = seat_players([agents[agent]])[0]
    return decisions, room
