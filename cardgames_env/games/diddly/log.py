"""Diddly: the columns of the decision log (see ``cardgames_env.core.log``)."""

from __future__ import annotations

import numpy as np

from cardgames_env.core.game import NOTHING, LogColumn
from cardgames_env.core.jit import kernel
from cardgames_env.games.diddly.rules import find_discard, seat_after
from cardgames_env.games.diddly.scoring import column_points
from cardgames_env.games.diddly.state import (
    DRAW,
    FACE_DOWN,
    FACE_UP,
    FINISHED,
    FIRST_RECYCLE,
    FROM_DECK_ACTION,
    FROM_DISCARD_ACTION,
    NONE,
    PLACE,
)

COLUMNS = (
    LogColumn("phase", "0 turn up, 1 peek, 2 swap, 3 draw, 4 place", "i1"),
    LogColumn("round", "round of the game, from 1", "i2"),
    LogColumn("place", "place of the seat in turn order, 0 the one left of the dealer", "i1"),
    LogColumn("turn", "turns of the seat completed in this round", "i2"),
    LogColumn("face_down", "face-down cards of the seat", "i1"),
    LogColumn("others_down", "the fewest face-down cards of another seat", "i1"),
    LogColumn("last_turn", "whether another board is complete: it is the seat's last turn", "?"),
    LogColumn("card", "draw, place: type of the card taken or placed; none: an unseen one", "i1"),
    LogColumn("completes", "place: whether the seat is the first to have all cards face up", "?"),
    LogColumn(
        "known_columns", "columns of which the seat knows both cards, a card placed included", "i1"
    ),
    LogColumn("known_points", "points of these columns", "i1"),
    LogColumn("finishes", "whether the seat is the one that finishes this round", "?"),
    LogColumn("round_points", "points of the seat in this round", "i1"),
)
(
    PHASE, ROUND, SEAT_PLACE, TURN, CARDS_DOWN, OTHERS_DOWN, LAST_TURN, CARD, COMPLETES,
    KNOWN_COLUMNS, KNOWN_POINTS, FINISHES, ROUND_POINTS,
) = range(len(COLUMNS))  # fmt: skip


@kernel
def note_before(s, action, row):
    """What is known as the decision is made."""
    p = s.to_act
    row[PHASE] = s.phase
    row[ROUND] = s.round_number
    starter = seat_after(s, s.dealer)
    row[SEAT_PLACE] = p - starter if p >= starter else p - starter + s.players
    row[TURN] = s.turns[p]
    row[CARDS_DOWN] = 2 * s.columns - s.face_up[p]
    fewest = np.int64(2 * s.columns)
    for q in range(s.players):
        if q != p:
            fewest = min(fewest, np.int64(2 * s.columns - s.face_up[q]))
    row[OTHERS_DOWN] = fewest
    row[LAST_TURN] = s.finished >= 0
    placed = np.int64(NONE)
    if s.phase == DRAW:
        card = card_taken(s, action)
        if card != NONE:
            row[CARD] = card
    elif s.phase == PLACE:
        placed = np.int64(max(s.taken, s.drawn[p]))
        row[CARD] = placed
        last = row[CARDS_DOWN] == 1 and s.lies[p, action] != FACE_UP
        row[COMPLETES] = s.finished < 0 and last
    note_known_columns(s, p, action, placed, row)


@kernel
def card_taken(s, action):
    """The type of the card that an action takes, as all see it; NONE from the deck."""
    if action == FROM_DECK_ACTION:
        return NONE
    if action == FROM_DISCARD_ACTION:
        return np.int64(s.discard[s.discard_top])
    return np.int64(s.discard[find_discard(s, action - FIRST_RECYCLE)])


@kernel
def note_known_columns(s, p, action, placed, row):
    """The columns that seat ``p`` knows, and their points; ``placed`` (or NONE) counts at ``action``."""
    row[KNOWN_COLUMNS] = 0
    row[KNOWN_POINTS] = 0
    for c in range(s.columns):
        first = known_card(s, p, 2 * c)
        second = known_card(s, p, 2 * c + 1)
        if placed != NONE and action == 2 * c:
            first = placed
        if placed != NONE and action == 2 * c + 1:
            second = placed
        if first != NONE and second != NONE:
            row[KNOWN_COLUMNS] += 1
            row[KNOWN_POINTS] += column_points(first, second)


@kernel
def known_card(s, p, k):
    """The type of a card of its own board that seat ``p`` knows, or NONE."""
    return np.int64(NONE if s.lies[p, k] == FACE_DOWN else max(s.peeked[p, k], s.open[p, k]))


@kernel
def note_after(s, rows, i):
    """The end of a round tells, for all decisions in it, who finished it and what the boards scored."""
    over = s.phase == FINISHED
    if not over and s.round_number == rows[i, ROUND]:
        return
    starter = seat_after(s, s.dealer) if over else np.int64(s.dealer)  # the deal has moved on
    finisher = NOTHING
    j = i
    while j >= 0 and rows[j, ROUND] == rows[i, ROUND]:
        if rows[j, COMPLETES] == 1:
            finisher = rows[j, SEAT_PLACE]
        j -= 1
    for k in range(j + 1, i + 1):
        seat = starter + rows[k, SEAT_PLACE]
        rows[k, FINISHES] = rows[k, SEAT_PLACE] == finisher
        rows[k, ROUND_POINTS] = s.last_scores[seat if seat < s.players else seat - s.players]
