"""Dicht dran: what a seat sees, and how a whole state is made from that."""

from __future__ import annotations

import numpy as np

from cardgames_env.core import bits
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import next_word, seed_stream, shuffle
from cardgames_env.games.dicht_dran.rules import clockwise
from cardgames_env.games.dicht_dran.state import (
    CARDS,
    CIRCLE,
    DEALS_SHOWN,
    DRAWN_CARDS,
    MAX_PLAYERS,
    POINTS_SHOWN,
)


@kernel
def look(s, seat, v):
    """Write what ``seat`` may know of ``s`` into the VIEW record ``v``. D7: all that was ever open."""
    n = s.players
    v.players = n
    v.deal = min(s.deal, DEALS_SHOWN)
    v.deals_left = min(s.deals - s.deal - 1, DEALS_SHOWN)
    v.round_number = s.round_number
    v.over = s.to_act < 0
    v.target_position = s.target_position
    v.target = s.circle[s.target_position]
    v.gap_low = s.gap_low
    v.gap_high = s.gap_high
    bits.expand(s.hand[seat], v.hand)
    v.chosen = s.chosen[seat]
    v.pile_size = s.pile_end - s.pile_next
    v.discard_size = s.discard_size
    v.peppers[:] = s.peppers
    look_at_cards(s, seat, v)
    for k in range(MAX_PLAYERS):
        p = np.uint64(seat + k if seat + k < n else seat + k - n)
        if k < n:
            # Who has chosen shows in nobody's count: a card counts as held until it is revealed.
            v.hand_sizes[k] = s.hand_size[p] + (np.int64(p) < s.to_act)
            v.won_peppers[k] = s.won_peppers[p]
            v.scores[k] = max(-POINTS_SHOWN, min(s.total[p], POINTS_SHOWN))
            v.last_plays[k] = s.last_plays[p]
        else:
            v.hand_sizes[k] = 0
            v.won_peppers[k] = 0
            v.scores[k] = 0
            v.last_plays[k] = 0
    v.last_winner = 0 if s.last_winner < 0 else 1 + clockwise(s.last_winner, seat, n)
    v.last_target = s.last_target


@kernel
def look_at_cards(s, seat, v):
    """Fill ``circle``, ``seen``, ``played_by`` and ``won_by``. No branch: it is vectorized."""
    n = s.players
    for k in range(CIRCLE):
        v.circle[k] = s.circle[k]
    for c in range(CARDS):
        v.seen[c] = s.seen[c]
        player = s.played_by[c]
        k = player - seat
        v.played_by[c] = 0 if player == 0 else (k if player > seat else k + n)
        winner = s.won_by[c]
        j = winner - seat
        v.won_by[c] = 0 if winner == 0 else (j if winner > seat else j + n)


@kernel
def determinize(v, rng, s):
    """A complete state that agrees with the VIEW record ``v``, the viewer at seat 0.

    Distribution: uniform over all ways to lay the cards that the viewer has not seen into the
    others' hands and the pile; nothing is inferred from what the others played. Chance to come is
    fresh. The view tells which cards were played, won and discarded, but not in which order: the
    order is made up (ascending), as is the split of earlier points over the deals. After the pile
    was renewed (the game is over then), every card never seen is in a hand, since the pile had run
    out, and the rest of the hands is a uniform choice from the renewed cards.
    """
    n = v.players
    seed_stream(s.rng, next_word(rng))
    s.players = n
    s.deal = v.deal
    s.deals = v.deal + v.deals_left + 1
    s.round_number = v.round_number
    s.target_position = v.target_position
    s.gap_low = v.gap_low
    s.gap_high = v.gap_high
    s.to_act = -1 if v.over else (1 if v.chosen > 0 else 0)
    s.peppers[:] = v.peppers
    s.last_winner = v.last_winner - 1
    s.last_target = v.last_target
    s.scores[:] = 0
    for p in range(n):
        s.total[p] = v.scores[p]
        s.scores[0, p] = v.scores[p]
        s.won_peppers[p] = v.won_peppers[p]
        s.last_plays[p] = v.last_plays[p]
        s.chosen[p] = 0
        s.hand[p, 0] = 0
        s.hand[p, 1] = 0
        s.hand_size[p] = 0
    for k in range(CIRCLE):
        s.circle[k] = v.circle[k]
    s.chosen[0] = v.chosen
    restore_history(v, s)
    deal_unknown(v, rng, s)


@kernel
def restore_history(v, s):
    """Cards played, won and discarded in this deal, in ascending order."""
    s.rounds_done = 0
    s.discard_size = 0
    for c in range(CARDS):
        card = c + 1
        s.seen[c] = v.seen[c]
        s.played_by[c] = v.played_by[c]
        s.won_by[c] = v.won_by[c]
        if v.won_by[c] > 0:
            s.winners[s.rounds_done] = v.won_by[c] - 1
            s.prizes[s.rounds_done] = card
            s.rounds_done += 1
        elif v.discard_size > 0 and v.played_by[c] > 0 and not in_circle(v, card):
            s.discard[s.discard_size] = card
            s.discard_size += 1
    s.rounds_total = s.rounds_done


@kernel
def in_circle(v, card):
    for k in range(CIRCLE):
        if v.circle[k] == card:
            return True
    return False


@kernel
def deal_unknown(v, rng, s):
    """The viewer's hand, then the cards it has not seen: the others' hands, the rest is the pile."""
    held_by_others = 0
    for p in range(1, v.players):
        held_by_others += v.hand_sizes[p]
    cards = np.empty(DRAWN_CARDS, np.uint8)
    unseen = 0
    for c in range(CARDS):
        if v.hand[c]:
            bits.add(s.hand[0], c)
            s.hand_size[0] += 1
        elif not v.seen[c] and c + 1 != v.chosen:
            cards[unseen] = c + 1
            unseen += 1
    count = unseen
    if v.discard_size == 0:  # the pile was renewed, or nothing has been discarded yet
        for c in range(CARDS):
            renewed = v.played_by[c] > 0 and v.won_by[c] == 0 and not v.hand[c]
            if renewed and not in_circle(v, c + 1):
                cards[count] = c + 1
                count += 1
        shuffle(rng, cards[unseen:], count - unseen)
    if unseen <= held_by_others:
        shuffle(rng, cards, held_by_others)
    else:
        shuffle(rng, cards, unseen)
    k = 0
    for p in range(1, v.players):
        # A card that another seat has chosen and not revealed counts as held (see `look`).
        for _ in range(v.hand_sizes[p]):
            bits.add(s.hand[p], np.int64(cards[k]) - 1)
            s.hand_size[p] += 1
            k += 1
    s.pile_next = 0
    s.pile_end = count - k
    for j in range(k, count):
        s.pile[j - k] = cards[j]
