"""Dackel drauf!: the columns of the decision log (see ``cardgames_env.core.log``)."""

from __future__ import annotations

import numpy as np

from cardgames_env.core.game import NOTHING, LogColumn
from cardgames_env.core.jit import kernel
from cardgames_env.games.dackel_drauf.state import (
    CHAIN,
    FINISHED,
    FIRST_FACE_DOWN,
    KINDS,
    MAX_PLAYERS,
    PASS,
    RESCUED,
    WRONG,
)
from cardgames_env.games.dackel_drauf.state import RIGHT as RIGHT_MARK

COLUMNS = (
    LogColumn("phase", "0 look, 1 chain, 2 jokers", "i1"),
    LogColumn("round", "round of the game, from 1", "i2"),
    LogColumn("place", "place of the seat in turn order, 0 the starting player", "i1"),
    LogColumn("ticks", "ticks of the look so far", "i2"),
    LogColumn("chain", "cards in the chain", "i1"),
    LogColumn("played", "of these, the seat's own", "i1"),
    LogColumn("hand_size", "cards that the seat has not played in this round", "i1"),
    LogColumn("left", "cards that the seat has not discarded", "i1"),
    LogColumn("remembered", "dice that the seat remembers (noticed in memory=agent)", "i1"),
    LogColumn("again", "chain: whether it is asked for an extra card", "?"),
    LogColumn("animal", "chain: animal of the card played (none: pass)", "i1"),
    LogColumn("face_down", "chain: whether it is played face down", "?"),
    LogColumn(
        "sure",
        "chain: whether the seat remembers more dice of the animal than cards of it can lie there",
        "?",
    ),
    LogColumn("right", "chain: whether the card is right in the end, jokers included", "?"),
    LogColumn("failed", "whether the seat takes back its cards of this round", "?"),
    LogColumn("gone", "cards that the seat gets rid of in this round", "i1"),
)
(
    PHASE, ROUND, PLACE, TICKS, CHAIN_LENGTH, PLAYED, HAND_SIZE, LEFT, REMEMBERED, AGAIN, ANIMAL, DOWN,
    SURE, RIGHT, FAILED, GONE,
) = range(len(COLUMNS))  # fmt: skip


@kernel
def place_of(seat, starter, n):
    return seat - starter if seat >= starter else seat - starter + n


@kernel
def note_before(s, action, row):
    """What is known as the decision is made."""
    p = s.to_act
    row[PHASE] = s.phase
    row[ROUND] = s.round_number
    row[PLACE] = place_of(p, s.starter, s.players)
    row[TICKS] = s.ticks
    row[CHAIN_LENGTH] = s.chain_length
    row[PLAYED] = s.played[p]
    row[HAND_SIZE] = s.hand_size[p]
    row[LEFT] = s.cards_left[p]
    row[REMEMBERED] = 0
    for a in range(KINDS):
        row[REMEMBERED] += s.remembered[p, a]
    if s.phase != CHAIN:
        return
    row[AGAIN] = s.again[p]
    if action != PASS:
        animal = action % FIRST_FACE_DOWN
        row[ANIMAL] = animal
        row[DOWN] = action >= FIRST_FACE_DOWN
        row[SURE] = s.remembered[p, animal] > cards_there(s, p, animal)


@kernel
def cards_there(s, p, animal):
    """Cards of an animal that can lie in the chain, as seat ``p`` sees it."""
    cards = 0
    for i in range(s.chain_length):
        if s.chain_seat[i] != p:
            cards += s.chain_down[i] or s.chain_animal[i] == animal
        elif not s.chain_down[i]:
            cards += s.chain_animal[i] == animal
    for k in range(s.hidden[p]):
        cards += s.down[p, k] == animal
    return cards


@kernel
def note_after(s, rows, i):
    """The end of a round tells, for all decisions in it, what became of the seat's cards."""
    over = s.phase == FINISHED
    if not over and s.round_number == rows[i, ROUND]:
        return
    starter = s.starter if over else s.starter - 1 if s.starter > 0 else s.players - 1
    cards = np.zeros(MAX_PLAYERS, np.int64)
    failed = np.zeros(MAX_PLAYERS, np.bool_)
    for k in range(s.last_length):
        place = place_of(s.last_seat[k], starter, s.players)
        cards[place] += 1
        failed[place] |= s.last_right[k] == WRONG
    position = s.last_length
    j = i
    while j >= 0 and rows[j, ROUND] == rows[i, ROUND]:
        place = rows[j, PLACE]
        rows[j, FAILED] = failed[place]
        rows[j, GONE] = 0 if failed[place] else cards[place]
        if rows[j, ANIMAL] != NOTHING:
            position -= 1
            rows[j, RIGHT] = s.last_right[position] in (RIGHT_MARK, RESCUED)
        j -= 1
