"""DTC: the columns of the decision log (see ``cardgames_env.core.log``)."""

from __future__ import annotations

import numpy as np

from cardgames_env.core.game import LogColumn
from cardgames_env.core.jit import kernel
from cardgames_env.games.dtc.rules import cards_in, is_true
from cardgames_env.games.dtc.state import (
    ACCEPT,
    ANNOUNCE,
    ANSWER,
    COMPOSE,
    FIRST_OFFER,
    FIRST_TAKE,
    JOKER,
    MAX_VALUES,
    TYPES,
)

COLUMNS = (
    LogColumn("phase", "0 announce, 1 compose, 2 answer", "i1"),
    LogColumn("chain", "offers accepted in the chain before this one", "i2"),
    LogColumn("count", "cards of the offer in question: to announce, to compose, to answer", "i1"),
    LogColumn("value", "its announced value", "i1"),
    LogColumn("hand_size", "cards in the hand of the seat that decides, an offer's not", "i1"),
    LogColumn("pile_size", "cards in the draw pile", "i1"),
    LogColumn("true_possible", "announce: whether the hand could make any legal offer true", "?"),
    LogColumn("could_be_true", "announce: whether it could make this very offer true", "?"),
    LogColumn("type", "compose: type in question, 0 a joker", "i1"),
    LogColumn("taken", "compose: cards of that type that go into the offer", "i1"),
    LogColumn("truth", "announce, answer: whether the offer is true", "?"),
    LogColumn("accepted", "announce, answer: whether the challenger accepts", "?"),
    LogColumn("payer", "announce, answer: seat that takes the cards as a penalty", "i1"),
    LogColumn("paid", "announce, answer: how many (0: accepted)", "i1"),
)
(
    PHASE, CHAIN, COUNT, VALUE, HAND_SIZE, PILE_SIZE, TRUE_POSSIBLE, COULD_BE_TRUE, TYPE, TAKEN, TRUTH,
    ACCEPTED, PAYER, PAID,
) = range(len(COLUMNS))  # fmt: skip


@kernel
def note_before(s, action, row):
    """What is known as the decision is made."""
    p = s.to_act
    row[PHASE] = s.phase
    row[CHAIN] = s.chain_length - (s.phase != ANNOUNCE)
    row[HAND_SIZE] = s.hand_size[p]
    row[PILE_SIZE] = s.pile_end - s.pile_next
    if s.phase == ANNOUNCE:
        row[COUNT] = (action - FIRST_OFFER) // MAX_VALUES + 1
        row[VALUE] = (action - FIRST_OFFER) % MAX_VALUES + 1
        row[TRUE_POSSIBLE] = true_possible(s, p)
        row[COULD_BE_TRUE] = true_cards(s, p, row[VALUE]) >= row[COUNT]
        return
    row[COUNT] = s.offer_count
    row[VALUE] = s.offer_value
    if s.phase == COMPOSE:
        row[HAND_SIZE] += s.offer_count - cards_in(s.offered[p])
        row[TYPE] = s.asking[p]
        row[TAKEN] = action - FIRST_TAKE
        return
    row[TRUTH] = is_true(s, s.offer_giver)
    row[ACCEPTED] = action == ACCEPT
    row[PAID] = 0
    if action != ACCEPT:
        row[PAYER] = p if row[TRUTH] else s.offer_giver
        row[PAID] = s.offer_count


@kernel
def note_after(s, rows, i):
    """An announcement learns whether it is true once it is composed, and then how it was answered."""
    if s.phase == COMPOSE:
        return
    j = i
    while j > 0 and rows[j, PHASE] != ANNOUNCE:
        j -= 1
    if rows[i, PHASE] != ANSWER:
        rows[j, TRUTH] = is_true(s, s.offer_giver)
    else:
        rows[j, ACCEPTED] = rows[i, ACCEPTED]
        rows[j, PAYER] = rows[i, PAYER]
        rows[j, PAID] = rows[i, PAID]


@kernel
def true_possible(s, p):
    """Whether seat ``p`` holds the cards for a true offer that is strong enough (D1, D5)."""
    for value in range(1, s.values + 1):
        count = true_cards(s, p, value)
        if count > 0 and MAX_VALUES * (count - 1) + value - 1 > s.to_beat:
            return True
    return False


@kernel
def true_cards(s, p, value):
    """How many cards a true offer of ``value`` by seat ``p`` could have at most (D1, D5)."""
    count = np.int64(s.hand[p, value])
    if s.higher_counts_as_true:
        above = np.int64(0)
        for t in range(value + 1, TYPES):
            above += s.hand[p, t]
        count = max(count, above)
    return count + s.hand[p, JOKER]
