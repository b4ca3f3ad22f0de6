"""Diddly: what a seat sees, and how a whole state is made from that."""

from __future__ import annotations

import numpy as np

from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import below, next_word, seed_stream, shuffle
from cardgames_env.core.unowned import fill, fill_raised, mark_row, part, raise_row
from cardgames_env.games.diddly.rules import lay
from cardgames_env.games.diddly.state import (
    CARDS,
    FACE_DOWN,
    FACE_UP,
    FINISHED,
    FROM_DECK,
    MAX_PLAYERS,
    NONE,
    PEEK,
    PEEKED,
    PLACES,
    RECYCLE,
    ROUNDS_SHOWN,
    SHOWN,
    SWAP,
    TYPES,
)


@kernel
def clockwise(p, seat, n):
    """How many places clockwise of ``seat`` seat ``p`` sits."""
    return p - seat if p >= seat else p - seat + n


@kernel
def look(s, seat, v):
    """Write what ``seat`` may know of ``s`` into the VIEW record ``v``."""
    n = s.players
    v.players = n
    v.columns = s.columns
    v.round_number = min(s.round_number, SHOWN)
    v.rounds_left = min(s.rounds - s.round_number, SHOWN)
    v.dealer = clockwise(s.dealer, seat, n)
    v.to_act = 0 if s.to_act < 0 else clockwise(s.to_act, seat, n)
    v.phase = s.phase
    v.source = s.source
    v.discard_size = CARDS - s.discard_top
    v.deck_size = s.deck_end - s.deck_next
    v.renewed = s.renewed
    v.turns_left = min(s.max_turns - s.turns[seat], SHOWN)
    v.finished = 0 if s.finished < 0 else 1 + clockwise(s.finished, seat, n)
    for i in range(2):
        v.pending[i] = shown(s.pending[i])
    v.boards[:] = 0
    v.face_up[:] = 0
    v.peeked[:] = 0
    v.turns[:] = 0
    v.last_scores[:] = 0
    v.scores[:] = 0
    v.round_scores[:] = 0
    for k in range(n):
        p = np.uint64(seat + k if seat + k < n else seat + k - n)
        v.turns[k] = min(s.turns[p], SHOWN)
        v.last_scores[k] = s.last_scores[p]
        v.scores[k] = min(s.total[p], SHOWN)
        raise_row(v.round_scores, k, s.first_scores, p, 0)
        raise_row(v.boards, k, s.open, p, 1)  # as `shown` does
        mark_row(v.face_up, k, s.lies, p, FACE_UP)
        mark_row(v.peeked, k, s.lies, p, PEEKED)
    top = s.discard_top
    v.discard[0] = shown(s.discard[top])  # by itself: it has just been laid there
    fill_raised(v.discard, 1, part(s.discard, top + 1, top + CARDS), 1)
    fill(v.unseen, s.unseen)
    fill(v.in_deck, s.renewal)
    look_at_own(s, seat, v)


@kernel
def shown(card):
    """A type as views have it: 1 + type, and 0 for no card."""
    return 1 + card


@kernel
def look_at_own(s, seat, v):
    """What only this seat sees: cards of its board that it has peeked at, and what it has drawn."""
    if s.peeks[seat] > 0:
        for i in range(PLACES):
            card = s.peeked[seat, i]
            if card != NONE:
                v.boards[0, i] = shown(card)
                v.unseen[card] -= 1
    v.in_hand = shown(s.taken)
    card = s.drawn[seat]
    if card != NONE:
        v.in_hand = shown(card)
        v.unseen[card] -= 1
        v.in_deck[card] -= s.renewed


# -- a whole state from a view ---------------------------------------------------------------------


@kernel
def determinize(v, rng, s):
    """A complete state that agrees with the VIEW record ``v``, the viewer at seat 0.

    Distribution: uniform over all ways to lay the cards that the viewer does not see into face-down
    places, another's hand and the deck; nothing is inferred from what others did. Own cards that it has
    peeked at stay; others' may be anything; another's hidden card in hand is none that would have told
    itself; the viewer's own counts as shown. Once the deck was renewed (D6), which cards it holds is
    known: then deck and hand are laid from those, face-down places from the rest. Chance to come is
    fresh. How points fell on the rounds after the eighth, the view does not tell: they count with it.
    """
    restore_public(v, s)
    seed_stream(s.rng, next_word(rng))
    below_deck = np.empty(CARDS, np.uint8)  # cards of the face-down places, at first perhaps of all
    size = 0
    for t in range(TYPES):
        for _ in range(v.unseen[t] - v.in_deck[t]):
            below_deck[size] = t
            size += 1
    shuffle(rng, below_deck, size)
    hidden_hand = v.source == FROM_DECK and v.in_hand == 0
    if hidden_hand and not v.renewed:
        size = draw_hidden(v, rng, s, below_deck, size)
    used = 0
    for k in range(v.players):
        for i in range(2 * v.columns):
            if v.boards[k, i] > 0:
                card = v.boards[k, i] - 1
                lay(s, k, i, card, FACE_UP if v.face_up[k, i] else PEEKED)
            else:
                lay(s, k, i, below_deck[used], PEEKED if v.peeked[k, i] else FACE_DOWN)
                used += 1
    if v.renewed:
        size = 0
        used = 0
        for t in range(TYPES):
            for _ in range(v.in_deck[t]):
                below_deck[size] = t
                size += 1
        shuffle(rng, below_deck, size)
        if hidden_hand:
            size = draw_hidden(v, rng, s, below_deck, size)
    if v.in_hand > 0:
        s.taken = v.in_hand - 1
    s.deck[:] = 0
    s.deck_next = 0
    s.deck_end = size - used
    for i in range(s.deck_end):
        s.deck[i] = below_deck[used + i]


@kernel
def draw_hidden(v, rng, s, cards, size):
    """Take another's hidden card in hand out of ``cards``, any that would not have told itself.

    Returns how many are left. A Swap would have been asked about, and a Peek, unless it had nothing new
    to look at (see ``rules.tells_itself``).
    """
    p = v.to_act
    down = 2 * v.columns - np.sum(v.face_up[p])
    peek_is_seen = down > 1 or (down == 1 and np.sum(v.peeked[p]) == 0)
    while True:
        i = np.int64(below(rng, size))
        card = cards[i]
        if card != SWAP and not (card == PEEK and peek_is_seen):
            s.drawn[p] = card
            cards[i] = cards[size - 1]
            return size - 1


@kernel
def restore_public(v, s):
    """All but boards, deck and the card in hand."""
    n = v.players
    s.players = n
    s.columns = v.columns
    s.round_number = v.round_number
    s.rounds = v.round_number + v.rounds_left
    s.max_turns = v.turns[0] + v.turns_left
    s.dealer = v.dealer
    s.to_act = -1 if v.phase == FINISHED else v.to_act
    s.phase = v.phase
    s.source = v.source
    s.finished = v.finished - 1
    s.renewed = v.renewed
    s.taken = NONE
    s.drawn[:] = NONE
    s.hidden[:] = NONE
    s.peeked[:] = NONE
    s.open[:] = NONE
    s.lies[:] = FACE_DOWN
    s.scores[:] = 0
    for i in range(2):
        s.pending[i] = NONE if v.pending[i] == 0 else v.pending[i] - 1
    for t in range(TYPES):
        s.renewal[t] = v.in_deck[t]
        s.unseen[t] = v.unseen[t]
    for i in range(2 * v.columns):
        if v.peeked[0, i]:
            s.unseen[v.boards[0, i] - 1] += 1
    s.discard[:] = NONE
    s.discard_top = CARDS - v.discard_size
    for i in range(v.discard_size):
        s.discard[s.discard_top + i] = v.discard[i] - 1
    for k in range(MAX_PLAYERS):
        s.face_up[k] = np.sum(v.face_up[k])
        s.peeks[k] = np.sum(v.peeked[k])
        s.recycles[k] = 0
        for i in range(PLACES):
            s.recycles[k] += v.face_up[k, i] and v.boards[k, i] == 1 + RECYCLE
        s.turns[k] = v.turns[k]
        s.last_scores[k] = v.last_scores[k]
        s.total[k] = v.scores[k]
        later = v.scores[k]
        for r in range(ROUNDS_SHOWN):
            s.first_scores[k, r] = v.round_scores[k, r]
            s.scores[k, r] = v.round_scores[k, r]
            later -= v.round_scores[k, r]
        s.scores[k, ROUNDS_SHOWN - 1] += max(0, later)  # so many columns has every state
