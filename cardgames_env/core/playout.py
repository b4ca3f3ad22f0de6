"""Whole games with compiled policies, by the block, without the GIL and without an allocation a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardgames_env.core.game import Game, apply, deal, legal, look, ranks, returns, rounds, to_act
from cardgames_env.core.jit import kernel
from cardgames_env.core.policy import Agent, Lineup
from cardgames_env.core.rng import WORDS, seed_stream, stream_key


@dataclass(frozen=True)
class Block:
    """Results of consecutive games, one row a game (G), columns by seat (P).

    ``points`` int32 (G, P), more is better; ``ranks`` int8 (G, P) from 1; ``rounds`` int32 (G,);
    ``decisions`` int64, in all games; ``illegal`` int64 (2,): game and seat of the first illegal
    action, or −1, −1 (the block ends there).
    """

    points: np.ndarray
    ranks: np.ndarray
    rounds: np.ndarray
    decisions: int
    illegal: tuple[int, int]


def play_games(
    game: Game,
    options: dict[str, Any],
    agents: Sequence[Agent],
    seatings: np.ndarray,
    *,
    root: int,
    first_game: int,
    count: int,
) -> Block:
    """Play games ``first_game …`` of the root seed.

    Game g is deal ``g // S`` under seating ``g % S`` of ``seatings``, int (S, P): which agent sits at
    which seat. The chance stream is that of the deal, so that one deal is played under every seating;
    policies draw from the streams of the game (see ``core.rng``).
    """
    seatings = np.ascontiguousarray(seatings, np.int64)
    players = options["num_players"]
    if seatings.ndim != 2 or seatings.shape[1] != players:
        raise ValueError(f"seatings must be of shape (S, {players}), got {seatings.shape}")
    if seatings.min() < 0 or seatings.max() >= len(agents):
        raise ValueError(f"seatings name agents 0 … {len(agents) - 1}")
    lineup = Lineup(agents)
    states = game.new_states(options, 1)
    views, flat = game.new_views(1)
    points = np.zeros((count, players), np.int32)
    places = np.zeros((count, players), np.int8)
    lengths = np.zeros(count, np.int32)
    totals = np.zeros(3, np.int64)
    play_block(
        states, views, flat, np.zeros(game.num_actions, np.int8), lineup.policies, lineup.params,
        lineup.param_ends, np.zeros((players, lineup.memory_size), np.float32), seatings,
        np.zeros((players, WORDS), np.uint64), root, first_game, points, places, lengths, totals,
    )  # fmt: skip
    return Block(points, places, lengths, int(totals[0]), (int(totals[1]), int(totals[2])))


@kernel
def play_block(
    states, views, flat, mask, policies, params, param_ends, memory, seatings, streams, root,
    first_game, points, places, lengths, totals,
):  # fmt: skip
    """Play ``len(lengths)`` games; see ``play_games``, which makes all the arrays."""
    s = states[0]
    n_seatings = len(seatings)
    totals[0] = 0
    totals[1] = -1
    totals[2] = -1
    for g in range(len(lengths)):
        game = first_game + g
        seats = seatings[game % n_seatings]
        deal(s, stream_key(root, game // n_seatings, 0))
        begin_seats(memory, streams, root, game)
        p = to_act(s)
        while p >= 0:
            look(s, p, views[0])
            legal(s, mask)
            k = seats[p]
            action = policies[k](
                views[0], flat[0], mask, memory[p], params[param_ends[k] : param_ends[k + 1]], streams[p]
            )
            totals[0] += 1
            if apply(s, action) != 0:
                totals[1] = game
                totals[2] = p
                return
            p = to_act(s)
        returns(s, points[g])
        ranks(s, places[g])
        lengths[g] = rounds(s)


@kernel
def begin_seats(memory, streams, root, game):
    """Clear every seat's memory and seed its stream, at the deal."""
    memory[:] = 0.0
    for p in range(len(streams)):
        seed_stream(streams[p], stream_key(root, game, 1 + p))
