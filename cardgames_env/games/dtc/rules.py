"""DTC: the rule kernel. D numbers as in ``docs/games/dtc.md``.

All functions take one STATE record ``s`` (see ``state.py``).
"""

from __future__ import annotations

import numpy as np

from cardgames_env.core.game import ILLEGAL, OK, OVER, ranks_of
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import below, seed_stream, shuffle
from cardgames_env.games.dtc.state import (
    ACCEPT,
    ANNOUNCE,
    ANSWER,
    COMPOSE,
    FINISHED,
    FIRST_OFFER,
    FIRST_TAKE,
    JOKER,
    MAX_PLAYERS,
    MAX_VALUES,
    REJECT,
    TYPES,
)


@kernel
def deal(s, seed):
    """Begin the game of the chance stream with key ``seed``: hands, pile, and who leads (D8)."""
    seed_stream(s.rng, seed)
    size = 0
    for t in range(s.values + 1):
        for _ in range(s.jokers if t == JOKER else s.copies):
            s.pile[size] = t
            size += 1
    s.pile[size:] = 0
    s.pile_end = size
    shuffle(s.rng, s.pile, size)
    s.first = below(s.rng, s.players)
    begin_game(s)


@kernel
def begin_game(s):
    """Hands from the top of ``pile``, seat 0's first; seat ``first`` leads."""
    s.hand[:] = 0
    s.hand_size[:] = 0
    s.pile_next = 0
    s.fresh[:] = 0
    for p in range(s.players):
        draw(s, p, s.full_hand)
    s.offered[:] = 0
    s.asking[:] = -1
    s.passed_on[:] = 0
    s.penalty_size[:] = 0
    s.shown_total[:] = 0
    s.shown_size = 0
    s.shown[:] = 0
    s.shown_to[:] = 0
    s.rejections = 0
    s.chain[:] = 0
    s.ends = s.pile_next == s.pile_end
    lead(s, s.first)


@kernel
def draw(s, p, count):
    """Seat ``p`` takes the next ``count`` cards of the pile, which holds them."""
    hand = s.hand[p]
    first = np.int64(s.pile_next)
    for k in range(first, first + count):
        hand[np.uint64(s.pile[k])] += 1
    s.pile_next = first + count
    s.hand_size[p] += count
    s.fresh[p] += count


@kernel
def lead(s, p):
    """Seat ``p`` starts a chain with any offer."""
    s.to_act = p
    s.phase = ANNOUNCE
    s.chain_first = p
    s.chain_length = 0
    s.to_beat = -1
    clear_offer(s)


@kernel
def clear_offer(s):
    s.offer_giver = -1
    s.offer_count = 0
    s.offer_value = 0


@kernel
def to_act(s):
    return s.to_act


@kernel
def seat_after(s, p):
    """The next seat clockwise: the challenger of giver ``p``."""
    return 0 if p + 1 == s.players else p + 1


# -- what is legal ---------------------------------------------------------------------------------


@kernel
def legal(s, mask):
    """Fill ``mask`` (int8 (411,)) for the seat to act."""
    mask[:] = 0
    p = s.to_act
    if s.phase == ANNOUNCE:
        # An offer is stronger if it has more cards or, of as many, a higher value: a higher number.
        end = MAX_VALUES * s.hand_size[p]
        if s.values == MAX_VALUES:
            mask[FIRST_OFFER + s.to_beat + 1 : FIRST_OFFER + end] = 1
        else:
            for number in range(s.to_beat + 1, end):
                mask[FIRST_OFFER + number] = number % MAX_VALUES < s.values
    elif s.phase == COMPOSE:
        least, most = amounts(s, p, s.asking[p])
        mask[FIRST_TAKE + least : FIRST_TAKE + most + 1] = 1
    else:
        mask[ACCEPT] = may_accept(s, p)
        mask[REJECT] = 1


@kernel
def may_accept(s, p):
    """D4: not if no stronger offer could follow: no card of one's own, and the highest value."""
    return s.hand_size[p] > 0 or s.offer_value < s.values


@kernel
def amounts(s, p, t):
    """The least and the most cards of type ``t`` that may go into seat ``p``'s offer now."""
    missing = s.offer_count - cards_in(s.offered[p])
    held = np.int64(s.hand[p, t])
    return max(0, missing - cards_after(s, p, t)), min(held, missing)


@kernel
def cards_in(counts):
    """Cards in a row of counts by type."""
    total = 0
    for t in range(TYPES):
        total += counts[t]
    return total


@kernel
def cards_after(s, p, t):
    """Cards in seat ``p``'s hand of the types that are asked for after ``t``."""
    hand = s.hand[p]
    place = place_of(t, s.offer_value)
    total = 0
    for u in range(TYPES):
        total += hand[u] * (place_of(u, s.offer_value) > place)
    return total


@kernel
def place_of(t, value):
    """Types are asked for by place: first the announced value, then jokers, the others ascending."""
    return -1 if t == value else t


@kernel
def type_after(t, value):
    """The type asked for after ``t``; TYPES after the last."""
    if t == value:
        return JOKER
    return t + 2 if t + 1 == value else t + 1


# -- what happens ----------------------------------------------------------------------------------


@kernel
def apply(s, action):
    """Carry out an action of the seat to act."""
    if s.to_act < 0:
        return OVER
    p = s.to_act
    if s.phase == ANNOUNCE:
        number = action - FIRST_OFFER
        if number <= s.to_beat or number < 0 or number >= MAX_VALUES * s.hand_size[p]:
            return ILLEGAL
        if number % MAX_VALUES >= s.values:
            return ILLEGAL
        announce(s, p, number)
    elif s.phase == COMPOSE:
        least, most = amounts(s, p, s.asking[p])
        count = action - FIRST_TAKE
        if count < least or count > most:
            return ILLEGAL
        choose(s, p, s.asking[p], count)
        ask(s, p, type_after(s.asking[p], s.offer_value))
    elif action == ACCEPT and may_accept(s, p):
        accept(s, p)
    elif action == REJECT:
        reject(s, p)
    else:
        return ILLEGAL
    return OK


@kernel
def announce(s, p, number):
    """Seat ``p`` announces offer ``number``: from now on everybody knows count and value."""
    s.offer_giver = p
    s.offer_count = number // MAX_VALUES + 1
    s.offer_value = number % MAX_VALUES + 1
    s.hand_size[p] -= s.offer_count
    s.fresh[p] = 0
    s.chain[s.chain_length] = number
    s.chain_length += 1
    s.phase = COMPOSE
    ask(s, p, s.offer_value)


@kernel
def choose(s, p, t, count):
    """``count`` cards of type ``t`` go from hand into the offer."""
    s.hand[p, t] -= count
    s.offered[p, t] += count


@kernel
def ask(s, p, t):
    """Ask for cards from type ``t`` on; what leaves no choice is not asked. Then lay the offer down."""
    missing = s.offer_count - cards_in(s.offered[p])
    to_come = cards_after(s, p, t)
    while True:
        held = np.int64(s.hand[p, t])
        most = min(held, missing)
        if max(0, missing - to_come) < most:
            s.asking[p] = t
            return
        choose(s, p, t, most)
        missing -= most
        if missing == 0:
            lay_down(s, p)
            return
        t = type_after(t, s.offer_value)
        to_come -= s.hand[p, t]


@kernel
def draws_to_come(s, p):
    """D3: how many cards seat ``p`` will draw when its offer lies on the table."""
    return min(max(0, s.full_hand - s.hand_size[p]), s.pile_end - s.pile_next)


@kernel
def lay_down(s, p):
    """The offer is complete: refill the hand, and it is the next seat's to answer."""
    s.asking[p] = -1
    draw(s, p, draws_to_come(s, p))
    s.ends = s.pile_next == s.pile_end  # D6
    s.to_beat = -1
    s.phase = ANSWER
    s.to_act = seat_after(s, p)


@kernel
def accept(s, p):
    """The challenger ``p`` takes the offer into hand and is the giver now."""
    giver = s.offer_giver
    note_acceptance(s, giver, p)
    for t in range(TYPES):
        s.hand[p, t] += s.offered[giver, t]
        s.offered[giver, t] = 0
    s.hand_size[p] += s.offer_count
    s.to_beat = MAX_VALUES * (s.offer_count - 1) + s.offer_value - 1
    s.to_act = p
    s.phase = ANNOUNCE
    clear_offer(s)


@kernel
def is_true(s, giver):
    """D1, D5: whether every card of the offer is the announced value or a joker (or all higher)."""
    equal = np.int64(s.offered[giver, s.offer_value])
    higher = 0
    for t in range(s.offer_value + 1, TYPES):
        higher += s.offered[giver, t]
    others = s.offer_count - s.offered[giver, JOKER]
    return equal == others or (s.higher_counts_as_true and higher == others)


@kernel
def reject(s, p):
    """The cards are shown; who was wrong takes them as a penalty, and starts afresh."""
    giver = s.offer_giver
    loser = p if is_true(s, giver) else giver
    note_showing(s, giver)
    t = np.int64(s.offer_value)
    while t < TYPES:
        for _ in range(s.offered[giver, t]):
            s.shown[s.shown_size] = t
            s.shown_to[s.shown_size] = loser
            s.shown_size += 1
        s.shown_total[t] += s.offered[giver, t]
        s.offered[giver, t] = 0
        t = type_after(t, s.offer_value)
    s.penalty_size[loser] += s.offer_count
    s.rejections += 1
    lead(s, loser)
    if s.ends:
        s.phase = FINISHED
        s.to_act = -1


# -- what a giver knows of the cards it passed on (D9) ---------------------------------------------


@kernel
def note_acceptance(s, giver, challenger):
    """The offer goes from ``giver`` to ``challenger``: what every seat still knows to be where.

    Row m of a seat's ``passed_on`` is about the m + 1 seats after it. The giver knows what it gave; the
    challenger sees what left the others' hands; to anyone else, any of the cards may have left the seats
    up to the giver.
    """
    n = s.players
    for p in range(n):
        if p == giver:
            for m in range(n - 1):
                for t in range(TYPES):
                    s.passed_on[p, m, t] += s.offered[giver, t]
        elif p == challenger:
            take_away(s, p, n - 2, s.offered[giver])
        else:
            m = seats_between(s, p, giver)
            for t in range(TYPES):
                left = max(0, np.int64(s.passed_on[p, m, t]) - s.offer_count)
                s.passed_on[p, m, t] = left if m == 0 else max(left, s.passed_on[p, m - 1, t])


@kernel
def note_showing(s, giver):
    """The offer of ``giver`` is shown: these cards are no longer with it."""
    for p in range(s.players):
        if p != giver:
            for m in range(seats_between(s, p, giver), s.players - 1):
                take_away(s, p, m, s.offered[giver])


@kernel
def seats_between(s, p, q):
    """How many seats lie clockwise between seat ``p`` and another seat ``q``."""
    return q - p - 1 if q > p else q - p - 1 + s.players


@kernel
def take_away(s, p, m, cards):
    """These cards left the seats of row ``m``, which still hold what those of the row before it do."""
    for t in range(TYPES):
        left = max(0, np.int64(s.passed_on[p, m, t]) - cards[t])
        s.passed_on[p, m, t] = left if m == 0 else max(left, s.passed_on[p, m - 1, t])


# -- the result ------------------------------------------------------------------------------------


@kernel
def returns(s, out):
    """Penalty cards so far, at the end the cards in hand, too; negated, since fewer is better."""
    for p in range(s.players):
        out[p] = -s.penalty_size[p]
        if s.phase == FINISHED:
            out[p] -= s.hand_size[p]


@kernel
def ranks(s, out):
    """The fewest cards, in hand and penalty pile, are the first place; D7: equals share it."""
    points = np.empty(MAX_PLAYERS, np.int64)
    for p in range(s.players):
        points[p] = -s.penalty_size[p] - s.hand_size[p]
    ranks_of(points, s.players, out)


@kernel
def rounds(s):
    """Rejections so far: each ends a chain of offers."""
    return s.rejections


@kernel
def begin_game_row(states, i):
    """For a scripted deal: ``begin_game`` of row ``i``."""
    begin_game(states[i])
