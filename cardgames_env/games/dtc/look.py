"""DTC: what a seat sees, and how a whole state is made from that."""

from __future__ import annotations

import numpy as np

from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import below, next_word, seed_stream, shuffle
from cardgames_env.core.unowned import fill, flat
from cardgames_env.games.dtc.rules import clear_offer, draws_to_come, seat_after, type_after
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

SWEEPS = 12  # see `mix_slots`


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
    v.offer_drawn = s.drawn + coming
    v.pile_size = s.pile_end - s.pile_next - coming
    v.ends = v.pile_size == 0
    for k in range(MAX_PLAYERS):
        if k < n:
            p = np.uint64(seat + k if seat + k < n else seat + k - n)
            v.hand_sizes[k] = s.hand_size[p]
            v.penalty_sizes[k] = s.penalty_size[p]
        else:
            v.hand_sizes[k] = 0
            v.penalty_sizes[k] = 0
    if coming > 0:
        v.hand_sizes[v.offer_giver - 1] += coming
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

    Distribution: uniform over all ways to lay the cards that the viewer has not seen into the others'
    hands, the offer on the table and the pile, such that the cards it knows to be with certain seats
    (``passed_on``) are there; nothing is inferred from what was announced or accepted. Uniform up to
    the mixing of a Markov chain, where there are such cards (see ``mix_slots``). Chance to come is
    fresh. Which seat took which of the cards shown, the view does not tell: it is made up, as is their
    order.
    """
    restore_public(v, s)
    seed_stream(s.rng, next_word(rng))
    slots = np.empty(CARDS, np.uint8)
    ends = np.empty(MAX_PLAYERS, np.int64)  # where the slots of seat 1, 2, … end, and of the pile
    lay_slots(v, rng, slots, ends)
    deal_slots(v, s, slots)


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
        s.drawn = v.offer_drawn
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
def unseen(v, t):
    """How many cards of type ``t`` the viewer has not seen, or has passed on."""
    total = v.jokers if t == JOKER else v.copies if t <= v.values else 0
    return total - v.hand[t] - v.offer_cards[t] - v.shown[t]


@kernel
def lay_slots(v, rng, slots, ends):
    """Lay the unseen cards into slots: seat 1's hand, then seat 2's …, then the pile.

    An offer on the table lies behind the hand of its giver, so that the seats 1 … m + 1, of which row m
    of ``passed_on`` speaks, have the first ``ends[m]`` slots.
    """
    n = v.players
    size = 0
    for k in range(1, n):
        size += v.hand_sizes[k]
        if v.offer_giver == 1 + k:
            size += v.offer_count
        ends[k - 1] = size
    size += v.pile_size
    ends[n - 1] = size
    known = lay_known_first(v, slots)
    shuffle(rng, slots[known:], size - known)
    if known > 0:
        mix_slots(v, rng, slots, ends, size)


@kernel
def lay_known_first(v, slots):
    """Fill the slots, known cards first: those of row 0, then what row 1 adds …; how many they are.

    Row m speaks of no more cards than its seats hold, so that all of them are where they must be.
    """
    left = np.empty(TYPES, np.int64)
    for t in range(TYPES):
        left[t] = unseen(v, t)
    filled = 0
    for m in range(v.players - 1):
        for t in range(TYPES):
            for _ in range(v.passed_on[m, t] - (v.passed_on[m - 1, t] if m > 0 else 0)):
                slots[filled] = t
                filled += 1
                left[t] -= 1
    known = filled
    for t in range(TYPES):
        for _ in range(left[t]):
            slots[filled] = t
            filled += 1
    return known


@kernel
def mix_slots(v, rng, slots, ends, size):
    """Swap random pairs of cards, as long as the known ones stay where they must be.

    Each slot in turn with any other, SWEEPS times over: a symmetric Markov chain, whose limit is uniform
    (any arrangement can be reached: the conditions are lower bounds on nested sets of slots). A plain
    shuffle by such swaps takes about ½ log ``size`` sweeps.
    """
    rows = v.players - 1
    spare = np.empty((MAX_PLAYERS, TYPES), np.int64)  # cards that may leave the seats of a row
    for m in range(rows):
        for t in range(TYPES):
            spare[m, t] = -v.passed_on[m, t]
        for i in range(ends[m]):
            spare[m, slots[i]] += 1
    for _ in range(SWEEPS):
        for i in range(size):
            j = np.int64(below(rng, size))
            low, high = min(i, j), max(i, j)
            a, b = slots[low], slots[high]
            if a == b:
                continue
            free = True
            for m in range(rows):
                if low < ends[m] <= high and spare[m, a] == 0:
                    free = False
            if not free:
                continue
            slots[low], slots[high] = b, a
            for m in range(rows):
                if low < ends[m] <= high:
                    spare[m, a] -= 1
                    spare[m, b] += 1


@kernel
def deal_slots(v, s, slots):
    """Hands, offer and pile from the slots."""
    i = 0
    for k in range(1, v.players):
        for _ in range(v.hand_sizes[k]):
            s.hand[k, slots[i]] += 1
            i += 1
        if v.offer_giver == 1 + k:
            for _ in range(v.offer_count):
                s.offered[k, slots[i]] += 1
                i += 1
    s.pile[:] = 0
    for j in range(v.pile_size):
        s.pile[j] = slots[i + j]
    s.pile_next = 0
    s.pile_end = v.pile_size


@kernel
def determinize_weighted(v, rng, s, bluff):
    """``determinize``, and how likely the state's offers are under a model of the giver: the weight.

    The model: a giver who holds the cards for the offer that it announces gives such cards, any of
    them with the same probability; one who does not gives any cards, and announces that offer
    ``bluff`` (above 0, at most 1) times as often as one who does. It speaks of an offer on the table that
    another seat made, and of the offer that its giver has just accepted: where the giver's hand shows
    that this one, too, was false, the weight is multiplied by ``bluff`` once more. Without such an offer
    the weight is 1.

    The hidden cards of the others are laid out as by ``determinize``; which of the giver's cards it drew
    after the offer, and which it gave, is drawn as the model says. Averages over such states, weighted,
    are averages over the posterior.
    """
    determinize(v, rng, s)
    if v.offer_giver <= 1:
        return 1.0
    giver = v.offer_giver - 1
    cards = np.empty(CARDS, np.uint8)
    size = 0
    for t in range(TYPES):
        for _ in range(s.hand[giver, t] + s.offered[giver, t]):
            cards[size] = t
            size += 1
    shuffle(rng, cards, size)
    held = np.zeros(TYPES, np.int64)  # before the refill
    for i in range(size - v.offer_drawn):
        held[cards[i]] += 1
    higher = v.higher_counts_as_true
    weight = 1.0
    able = can_be_true(held, v.offer_count, v.offer_value, higher)
    if not able:
        weight *= bluff
    count, value = offer_before(v)
    if count > 0 and not can_be_true(held, count, value, higher):
        weight *= bluff
    give_cards(v, s, giver, cards, size - v.offer_drawn, able, held)
    return weight


@kernel
def can_be_true(held, count, value, higher):
    """Whether ``count`` of these cards (by type) make a true offer of ``value`` (D1, D5)."""
    above = np.int64(0)
    for t in range(value + 1, TYPES):
        above += held[t]
    others = max(held[value], above) if higher else held[value]
    return held[JOKER] + others >= count


@kernel
def offer_before(v):
    """Count and value of the offer of the chain before the one on the table; 0, 0 if there is none."""
    number = MAX_VALUES * (v.offer_count - 1) + v.offer_value - 2
    while number >= 0:
        if v.chain[number // MAX_VALUES, number % MAX_VALUES] > 0:
            return number // MAX_VALUES + 1, number % MAX_VALUES + 1
        number -= 1
    return 0, 0


@kernel
def give_cards(v, s, giver, cards, size, able, held):
    """The offer, from the first ``size`` of ``cards`` (in random order); the rest stays in hand."""
    equal = held[JOKER] + held[v.offer_value] >= v.offer_count
    for t in range(TYPES):
        s.hand[giver, t] += s.offered[giver, t]
        s.offered[giver, t] = 0
    missing = v.offer_count
    for i in range(size):
        t = cards[i]
        fits = t == JOKER or (t == v.offer_value if equal else t > v.offer_value)
        if missing > 0 and (fits or not able):
            s.offered[giver, t] += 1
            s.hand[giver, t] -= 1
            missing -= 1
