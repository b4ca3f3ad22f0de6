"""The decision log: a row for every decision of whole games, with the game's own columns.

``playout`` opens a row before an action is made and completes it afterwards, in both of its lanes by the
kernels below; what a game adds to the rows is its ``log_columns``, ``note_before`` and ``note_after``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cardgames_env.core.game import NOTHING, legal, note_after, note_before
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import LOG_STREAM, WORDS, seed_stream, stream_key, uniform

#: Columns that the log has in every game.
GAME, DECISION, SEAT, AGENT, ACTION, LEGAL_ACTIONS = range(6)
GENERAL = 6

FIRST_ROOM = 1024  # rows; doubled as often as need be


class Room(NamedTuple):
    """Where kernels write the log of G games, with room for L rows.

    ``wanted`` bool (G,): the games to be logged; ``end`` int64 (1,): rows in use; ``general`` int64
    (L, GENERAL); ``own`` int32 (L, C): the game's own columns.
    """

    wanted: np.ndarray
    end: np.ndarray
    general: np.ndarray
    own: np.ndarray

    def doubled(self) -> Room:
        """The same with twice the room."""
        general = np.concatenate([self.general, np.zeros_like(self.general)])
        own = np.concatenate([self.own, np.zeros_like(self.own)])
        return self._replace(general=general, own=own)


def new_room(wanted: np.ndarray, columns: int) -> Room:
    """An empty log for games of which those in ``wanted`` (bool, (G,)) are logged."""
    return Room(
        wanted,
        np.zeros(1, np.int64),
        np.zeros((FIRST_ROOM, GENERAL), np.int64),
        np.zeros((FIRST_ROOM, columns), np.int32),
    )


@dataclass(frozen=True)
class DecisionLog:
    """Decisions of consecutive games, a row each (L), in the order in which they were made.

    ``games`` the game's number; ``decisions`` counted from 0 in each game; ``seats``; ``agents``;
    ``actions``; ``legal_actions`` how many there were: all int64 (L,). ``own`` int32 (L, C): the game's
    ``log_columns``, NOTHING where there is no value.
    """

    games: np.ndarray
    decisions: np.ndarray
    seats: np.ndarray
    agents: np.ndarray
    actions: np.ndarray
    legal_actions: np.ndarray
    own: np.ndarray


def read_room(room: Room) -> DecisionLog:
    """The rows that were written."""
    general = room.general[: room.end[0]]
    return DecisionLog(
        games=general[:, GAME],
        decisions=general[:, DECISION],
        seats=general[:, SEAT],
        agents=general[:, AGENT],
        actions=general[:, ACTION],
        legal_actions=general[:, LEGAL_ACTIONS],
        own=room.own[: room.end[0]],
    )


@kernel
def sampled_deals(root, deals, share):
    """Which of the deals with these numbers (int64 (D,)) are logged, about ``share`` of all: bool (D,).

    A function of the root seed and the deal's number alone; 1 takes all of them. The deals of a smaller
    share are among those of a larger one.
    """
    wanted = np.zeros(len(deals), np.bool_)
    rng = np.zeros(WORDS, np.uint64)
    for d in range(len(deals)):
        seed_stream(rng, stream_key(root, deals[d], LOG_STREAM))
        wanted[d] = uniform(rng) < share
    return wanted


@kernel
def open_row(states, room, mask, game, first, seat, agent, action):
    """Begin the row of an action that is about to be made in row 0 of ``states``; False: no room for it.

    ``first``: the game's first row in ``room``; ``mask``: scratch (int8).
    """
    end = room.end[0]
    if end == len(room.own):
        return False
    s = states[0]
    legal(s, mask)  # anew: the agent may have written into the mask it was given
    count = 0
    for a in range(len(mask)):
        count += mask[a]
    general = room.general[end]
    general[GAME] = game
    general[DECISION] = end - first
    general[SEAT] = seat
    general[AGENT] = agent
    general[ACTION] = action
    general[LEGAL_ACTIONS] = count
    own = room.own[end]
    own[:] = NOTHING
    # Games rely on a legal action; after another one the block ends in an error, and the row with it.
    if 0 <= action < len(mask) and mask[action]:
        note_before(s, action, own)
    room.end[0] = end + 1
    return True


@kernel
def complete_rows(states, room, first):
    """The action of the last row was made: fill in what is known now, in the game's earlier rows, too."""
    end = room.end[0]
    note_after(states[0], room.own[first:end], end - 1 - first)
