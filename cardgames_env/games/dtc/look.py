"""DTC: what a seat sees, and how a whole state is made from that."""

from __future__ import annotations

import math

import numpy as np

from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import below, next_word, seed_stream, shuffle, uniform
from cardgames_env.core.unowned import fill, flat
from cardgames_env.games.dtc.beliefs import chain_before, count_unseen
from cardgames_env.games.dtc.rules import clear_offer, draws_to_come, seat_after
from cardgames_env.games.dtc.state import (
    ANSWER,
    ARCS,
    CARDS,
    COMPOSE,
    FINISHED,
    JOKER,
    MAX_PLAYERS,
    MAX_VALUES,
    TYPES,
)


@kernel
def clockwise(p, seat, n):
    """How many places clockwise of ``seat`` seat ``p`` sits."""
    return p - seat if p >= seat else p - seat + n


@kernel
def look(s, seat, v):
    """Write what ``seat`` may know of ``s`` into the VIEW record ``v`` (D9).

    While the giver composes, the others see the offer as it will lie on the table, the refill made:
    all that follows from the announcement. So nobody can tell how many questions were asked.
    """
    n = s.players
    # All at once: the compiler then reads and writes them at once, too.
    v.players, v.values, v.copies, v.jokers, v.full_hand, v.higher_counts_as_true = (
        n, s.values, s.copies, s.jokers, s.full_hand, s.higher_counts_as_true
    )  # fmt: skip
    v.rejections = s.rejections
    fill(v.hand, s.hand[seat])
    fill(v.offer_cards, s.offered[seat])
    fill(v.shown, s.shown_total)
    fill(v.passed_on, s.passed_on[seat])
    v.asking = 1 + s.asking[seat]
    v.to_beat_count = 0
    v.to_beat_value = 0
    v.offer_giver = 0
    v.offer_count = s.offer_count
    v.offer_value = s.offer_value
    coming = 0  # cards that the giver will draw, to others drawn already
    actor = s.to_act
    phase = s.phase
    beat = s.to_beat
    if s.offer_giver >= 0:
        v.offer_giver = 1 + clockwise(s.offer_giver, seat, n)
        if phase == COMPOSE and seat != s.offer_giver:
            coming = draws_to_come(s, s.offer_giver)
            actor = seat_after(s, s.offer_giver)
            phase = ANSWER
            beat = -1
    if beat >= 0:
        v.to_beat_count = beat // MAX_VALUES + 1
        v.to_beat_value = beat % MAX_VALUES + 1
    v.phase = phase
    v.to_act = 0 if phase == FINISHED else clockwise(actor, seat, n)
    v.pile_size = s.pile_end - s.pile_next - coming
    v.ends = v.pile_size == 0
    for k in range(MAX_PLAYERS):
        if k < n:
            p = np.uint64(seat + k if seat + k < n else seat + k - n)
            v.hand_sizes[k] = s.hand_size[p]
            v.fresh[k] = s.fresh[p]
            v.penalty_sizes[k] = s.penalty_size[p]
        else:
            v.hand_sizes[k] = 0
            v.fresh[k] = 0
            v.penalty_sizes[k] = 0
    if coming > 0:
        v.hand_sizes[v.offer_giver - 1] += coming
        v.fresh[v.offer_giver - 1] += coming
    look_at_chain(s, seat, v)


@kernel
def look_at_chain(s, seat, v):
    """Fill ``chain`` and ``chain_length``: its givers follow each other clockwise."""
    v.chain_length = s.chain_length
    chain = flat(v.chain)  # offer number 6 (k - 1) + (v - 1) is entry (k - 1, v - 1) of the table
    chain[:] = 0
    n = s.players
    k = clockwise(s.chain_first, seat, n)
    for i in range(s.chain_length):
        chain[np.uint64(s.chain[i])] = 1 + k
        k = 0 if k + 1 == n else k + 1


# -- a whole state from a view ---------------------------------------------------------------------


@kernel
def determinize(v, rng, s):
    """A complete state that agrees with the VIEW record ``v``, the viewer at seat 0.

    Distribution: uniform over all ways to lay the single cards that the viewer has not seen into the
    others' hands, the offer on the table and the pile, such that those it knows to be with certain seats
    (``passed_on``) are there, and not among those drawn since (``fresh``); nothing is inferred from
    what was announced or accepted. The view keeps what is certain card by card, not that one of two cards
    must have moved on: in rare positions a perfect memory would rule out some of these states. Chance to
    come is fresh. Which seat took which of the cards shown, the view does not tell: it is made up, as is
    their order.
    """
    restore_public(v, s)
    seed_stream(s.rng, next_word(rng))
    slots = np.empty(CARDS, np.uint8)
    ends = np.empty(MAX_PLAYERS, np.int64)  # where the slots of seat 1, 2, … end, and of the pile
    lay_slots(v, rng, slots, ends)
    deal_slots(v, s, slots, ends)


@kernel
def restore_public(v, s):
    """All but the cards that the viewer has not seen."""
    n = v.players
    s.players = n
    s.values = v.values
    s.copies = v.copies
    s.jokers = v.jokers
    s.full_hand = v.full_hand
    s.higher_counts_as_true = v.higher_counts_as_true
    s.phase = v.phase
    s.to_act = -1 if v.phase == FINISHED else v.to_act
    s.ends = v.ends
    s.rejections = v.rejections
    clear_offer(s)
    if v.offer_giver > 0:
        s.offer_giver = v.offer_giver - 1
        s.offer_count = v.offer_count
        s.offer_value = v.offer_value
    s.to_beat = -1
    if v.to_beat_count > 0:
        s.to_beat = MAX_VALUES * (v.to_beat_count - 1) + v.to_beat_value - 1
    s.hand[:] = 0
    s.offered[:] = 0
    s.passed_on[:] = 0
    s.asking[:] = -1
    s.asking[0] = v.asking - 1
    for t in range(TYPES):
        s.hand[0, t] = v.hand[t]
        s.offered[0, t] = v.offer_cards[t]
        s.shown_total[t] = v.shown[t]
        for m in range(ARCS):
            s.passed_on[0, m, t] = v.passed_on[m, t]
    for k in range(MAX_PLAYERS):
        s.hand_size[k] = v.hand_sizes[k]
        s.fresh[k] = v.fresh[k]
        s.penalty_size[k] = v.penalty_sizes[k]
    restore_chain(v, s)
    restore_shown(v, s)


@kernel
def restore_chain(v, s):
    s.chain[:] = 0
    s.chain_length = 0
    s.chain_first = 0
    number = 0
    while s.chain_length < v.chain_length:
        k = v.chain[number // MAX_VALUES, number % MAX_VALUES]
        if k > 0:
            if s.chain_length == 0:
                s.chain_first = k - 1
            s.chain[s.chain_length] = number
            s.chain_length += 1
        number += 1
    if s.chain_length == 0:
        s.chain_first = max(np.int64(s.to_act), 0)
    s.first = s.chain_first


@kernel
def restore_shown(v, s):
    """The cards shown, by type, to the penalty piles in seat order."""
    s.shown[:] = 0
    s.shown_to[:] = 0
    s.shown_size = 0
    for t in range(TYPES):
        for _ in range(v.shown[t]):
            s.shown[s.shown_size] = t
            s.shown_size += 1
    k = 0
    for p in range(v.players):
        for _ in range(v.penalty_sizes[p]):
            s.shown_to[k] = p
            k += 1


@kernel
def lay_slots(v, rng, slots, ends):
    """Lay the unseen cards into slots: seat 1's hand, then seat 2's …, fresh cards, then the pile.

    An offer on the table lies behind the hand of its giver, so that the seats 1 … m + 1, of which row m
    of ``passed_on`` speaks, have the first ``ends[m]`` slots. Fresh cards, which cannot have been passed
    on, lie behind all of these; ``ends[players - 1]`` is the number of slots. Known cards go into any
    free slots of their row, those of row 0 first, then what row 1 adds …; all others into what is left.
    """
    n = v.players
    left = np.empty(TYPES, np.int64)
    count_unseen(v, left)
    free = np.empty(CARDS, np.uint8)
    free_size = 0
    size = 0
    fresh = 0
    for m in range(n - 1):
        fresh += v.fresh[m + 1]
        for _ in range(v.hand_sizes[m + 1] - v.fresh[m + 1]):
            free[free_size] = size
            free_size += 1
            size += 1
        if v.offer_giver == m + 2:
            for _ in range(v.offer_count):
                free[free_size] = size
                free_size += 1
                size += 1
        ends[m] = size
        for t in range(TYPES):
            before = v.passed_on[m - 1, t] if m > 0 else 0
            for _ in range(v.passed_on[m, t] - before):
                i = below(rng, free_size)
                free_size -= 1
                slots[free[i]] = t
                free[i] = free[free_size]
                left[t] -= 1
    for _ in range(fresh + v.pile_size):
        free[free_size] = size
        free_size += 1
        size += 1
    ends[n - 1] = size
    shuffle(rng, free, free_size)
    i = 0
    for t in range(TYPES):
        for _ in range(left[t]):
            slots[free[i]] = t
            i += 1


@kernel
def deal_slots(v, s, slots, ends):
    """Hands, offer and pile from the slots."""
    i = 0
    for k in range(1, v.players):
        while i < ends[k - 1]:
            offered = v.offer_giver == 1 + k and i >= ends[k - 1] - v.offer_count
            (s.offered if offered else s.hand)[k, slots[i]] += 1
            i += 1
    for k in range(1, v.players):
        for _ in range(v.fresh[k]):
            s.hand[k, slots[i]] += 1
            i += 1
    s.pile[:] = 0
    for j in range(v.pile_size):
        s.pile[j] = slots[i + j]
    s.pile_next = 0
    s.pile_end = v.pile_size


# -- weighed by how likely the offer is ------------------------------------------------------------


@kernel
def determinize_weighted(v, rng, s, model):
    """``determinize``, and how likely the offer on the table is in the state: the weight.

    ``model`` (lies, fall) as in ``beliefs``. It speaks of an offer of another seat; without one the
    weight is 1. What the giver accepted a moment ago was, with the probability that ``beliefs`` gives
    it, what it was announced to be: then so many cards of the giver are exchanged for such cards. A giver
    who can make its offer true gives such cards, any of them with the same probability; one who cannot
    gives any cards, and the weight is how much less often it makes this offer. Averages over such states,
    weighted, are averages over the posterior.
    """
    restore_public(v, s)
    seed_stream(s.rng, next_word(rng))
    slots = np.empty(CARDS, np.uint8)
    ends = np.empty(MAX_PLAYERS, np.int64)
    lay_slots(v, rng, slots, ends)
    if v.offer_giver <= 1:
        deal_slots(v, s, slots, ends)
        return 1.0
    giver = v.offer_giver - 1
    count, value, trust = accepted_before(v, model)
    if count > 0 and uniform(rng) < trust:
        hold_as_announced(v, rng, slots, ends, count, value)
    deal_slots(v, s, slots, ends)
    held = np.zeros(TYPES, np.int64)  # before the refill
    first = ends[giver - 2] if giver > 1 else 0
    for i in range(first, ends[giver - 1]):
        held[slots[i]] += 1
    able = can_be_true(held, v.offer_count, v.offer_value, v.higher_counts_as_true)
    if able:
        give_true_cards(v, rng, s, giver, held)
        return 1.0
    return model[0] * math.exp(-model[1] * (v.offer_count - count))


@kernel
def accepted_before(v, model):
    """Count, value and P(true) of the offer that the giver of the one on the table has accepted."""
    unseen = np.empty(TYPES, np.int64)
    count_unseen(v, unseen)
    end = MAX_VALUES * (v.offer_count - 1) + v.offer_value - 1
    return chain_before(v, end, unseen, True, model[0], model[1])


@kernel
def hold_as_announced(v, rng, slots, ends, count, value):
    """Exchange cards so that ``count`` of the giver's are ``value`` or jokers, as far as can be.

    The others come from anywhere, but cards of which ``passed_on`` speaks stay with their seats.
    """
    giver = v.offer_giver - 1
    rows = v.players - 1
    size = ends[rows]
    first = ends[giver - 2] if giver > 1 else 0
    spare = np.empty((MAX_PLAYERS, TYPES), np.int64)
    count_spare(v, slots, ends, spare)
    for i in range(first, first + count):
        k = np.int64(below(rng, size))
        tried = 0
        while slots[i] not in (JOKER, value) and tried < size:
            outside = k < first or k >= first + count
            if outside and slots[k] in (JOKER, value):
                exchange(slots, i, k, ends, spare, rows)
            k = (k + 1) % size
            tried += 1


@kernel
def exchange(slots, i, k, ends, spare, rows):
    """Exchange the cards of two slots, unless known cards would leave their seats."""
    low, high = min(i, k), max(i, k)
    a, b = slots[low], slots[high]
    for m in range(rows):
        if low < ends[m] <= high and spare[m, a] == 0:
            return
    slots[low], slots[high] = b, a
    for m in range(rows):
        if low < ends[m] <= high:
            spare[m, a] -= 1
            spare[m, b] += 1


@kernel
def count_spare(v, slots, ends, spare):
    """Fill ``spare``: how many cards of each type may leave the seats of each row of ``passed_on``."""
    for m in range(v.players - 1):
        for t in range(TYPES):
            spare[m, t] = -v.passed_on[m, t]
        for i in range(ends[m]):
            spare[m, slots[i]] += 1


@kernel
def can_be_true(held, count, value, higher):
    """Whether ``count`` of these cards (by type) make a true offer of ``value`` (D1, D5)."""
    above = np.int64(0)
    for t in range(value + 1, TYPES):
        above += held[t]
    others = max(held[value], above) if higher else held[value]
    return held[JOKER] + others >= count


@kernel
def give_true_cards(v, rng, s, giver, held):
    """Lay other cards into the offer: a true offer from ``held``, any with the same probability."""
    equal = held[JOKER] + held[v.offer_value] >= v.offer_count
    cards = np.empty(CARDS, np.uint8)
    size = 0
    for t in range(TYPES):
        s.hand[giver, t] += s.offered[giver, t]
        s.offered[giver, t] = 0
        if t == JOKER or (t == v.offer_value if equal else t > v.offer_value):
            for _ in range(held[t]):
                cards[size] = t
                size += 1
    shuffle(rng, cards, size)
    for i in range(v.offer_count):
        s.offered[giver, cards[i]] += 1
        s.hand[giver, cards[i]] -= 1
