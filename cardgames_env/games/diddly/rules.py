"""Diddly: the rule kernel. D numbers as in ``docs/games/diddly.md``.

All functions take one STATE record ``s`` (see ``state.py``).
"""

from __future__ import annotations

import numpy as np

from cardgames_env.core import bits
from cardgames_env.core.game import ILLEGAL, OK, OVER
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import seed_stream, shuffle
from cardgames_env.games.diddly.scoring import score_board
from cardgames_env.games.diddly.state import (
    CARDS,
    COPIES,
    DECLINE,
    DRAW,
    EXCHANGE,
    FACE_DOWN,
    FACE_UP,
    FINISHED,
    FIRST_RECYCLE,
    FIRST_SWAP,
    FROM_DECK,
    FROM_DECK_ACTION,
    FROM_DISCARD,
    FROM_DISCARD_ACTION,
    LOOK_AT,
    MAX_COLUMNS,
    MAX_PLAYERS,
    NONE,
    NOTHING_IN_HAND,
    NUM_ACTIONS,
    PAIRS,
    PEEK,
    PEEKED,
    PLACE,
    PLACES,
    RECYCLE,
    RECYCLED,
    ROUNDS_SHOWN,
    SWAP,
    TURN_UP,
    TYPES,
)

COPIES_OF = np.array(COPIES, np.int64)

# Sets of actions as bits of a word, by number of columns: all positions; to decline, and all swaps.
PLACES_OF = np.array([(1 << 2 * columns) - 1 for columns in range(MAX_COLUMNS + 1)], np.uint64)
EXCHANGES_OF = np.array(
    [
        1 << DECLINE | sum(1 << FIRST_SWAP + a for a, (_, j) in enumerate(PAIRS) if j < 2 * columns)
        for columns in range(MAX_COLUMNS + 1)
    ],
    np.uint64,
)
TAKING = np.uint64(1 << FROM_DECK_ACTION | 1 << FROM_DISCARD_ACTION)


@kernel
def deal(s, seed):
    """Begin the game of the chance stream with key ``seed``."""
    seed_stream(s.rng, seed)
    begin_game(s)
    deal_cards(s)
    begin_round(s)


@kernel
def begin_game(s):
    """Round 1, dealt by seat 0, nothing scored."""
    s.round_number = 1
    s.dealer = 0
    s.total[:] = 0
    s.last_scores[:] = 0
    s.scores[:] = 0
    s.first_scores[:] = 0
    s.hidden[:] = NONE
    s.peeked[:] = NONE
    s.open[:] = NONE
    s.lies[:] = FACE_DOWN
    s.discard[:] = NONE
    s.drawn[:] = NONE
    s.taken = NONE
    s.source = NOTHING_IN_HAND


@kernel
def deal_cards(s):
    """Face-down boards, seat 0's first; the next card is the first discard (D11), the rest the deck."""
    size = 0
    for t in range(TYPES):
        for _ in range(COPIES_OF[t]):
            s.deck[size] = t
            size += 1
    shuffle(s.rng, s.deck, size)
    s.deck_next = 0
    s.deck_end = size
    for p in range(s.players):
        for k in range(2 * s.columns):
            s.hidden[p, k] = next_card(s)
    s.discard_top = CARDS
    discard(s, next_card(s))


@kernel
def next_card(s):
    """Take the top card off the deck, which is not empty."""
    card = s.deck[s.deck_next]
    s.deck_next += 1
    return card


@kernel
def discard(s, card):
    """Lay a card on top of the discard pile."""
    s.discard_top -= 1
    s.discard[s.discard_top] = card


@kernel
def begin_round(s):
    """The cards are dealt: the seat left of the dealer turns up its first card."""
    s.peeked[:] = NONE
    s.open[:] = NONE
    s.lies[:] = FACE_DOWN
    s.face_up[:] = 0
    s.recycles[:] = 0
    s.peeks[:] = 0
    s.turns[:] = 0
    s.finished = -1
    s.pending[:] = NONE
    s.renewed = 0
    for t in range(TYPES):
        s.renewal[t] = 0
        s.unseen[t] = COPIES_OF[t]
    for k in range(s.discard_top, CARDS):
        s.unseen[s.discard[k]] -= 1
    s.phase = TURN_UP
    s.to_act = seat_after(s, s.dealer)


@kernel
def to_act(s):
    return s.to_act


@kernel
def seat_after(s, p):
    return 0 if p + 1 == s.players else p + 1


# -- boards ----------------------------------------------------------------------------------------


@kernel
def card_at(s, p, k):
    """The type of a card on a board, whoever knows it."""
    return max(s.hidden[p, k], s.peeked[p, k], s.open[p, k])


@kernel
def lay(s, p, k, card, lies):
    """Lay a card on a board: face down, face down and known to its owner, or face up."""
    s.hidden[p, k] = card if lies == FACE_DOWN else NONE
    s.peeked[p, k] = card if lies == PEEKED else NONE
    s.open[p, k] = card if lies == FACE_UP else NONE
    s.lies[p, k] = lies


@kernel
def reveal(s, p, k):
    """Turn a card face up, if it does not lie so."""
    if s.lies[p, k] != FACE_UP:
        card = card_at(s, p, k)
        s.unseen[card] -= 1
        s.face_up[p] += 1
        s.recycles[p] += card == RECYCLE
        s.peeks[p] -= s.lies[p, k] == PEEKED
        lay(s, p, k, card, FACE_UP)


# -- what is legal ---------------------------------------------------------------------------------


@kernel
def legal(s, mask):
    """Fill ``mask`` (int8 (54,)) for the seat to act."""
    p = s.to_act
    actions = bits.ZERO  # action a is bit a
    if s.phase == TURN_UP or s.phase == LOOK_AT:
        for k in range(PLACES):
            actions |= np.uint64(s.lies[p, k] != FACE_UP) << np.uint64(k)
        actions &= PLACES_OF[s.columns]
    elif s.phase == EXCHANGE:
        actions = EXCHANGES_OF[s.columns]
    elif s.phase == DRAW:
        actions = TAKING
        if s.recycles[p] > 0:
            for k in range(s.discard_top, CARDS):
                actions |= bits.ONE << np.uint64(FIRST_RECYCLE + s.discard[k])
    elif s.source == RECYCLED:
        for k in range(PLACES):
            actions |= np.uint64(s.open[p, k] == RECYCLE) << np.uint64(k)
    else:
        actions = PLACES_OF[s.columns]
    bits.write(actions, mask)


@kernel
def is_legal(s, action):
    """Whether the seat to act may do this (``legal``, for one action)."""
    p = s.to_act
    if s.phase == DRAW:
        if action in (FROM_DECK_ACTION, FROM_DISCARD_ACTION):
            return True
        if action < FIRST_RECYCLE or action >= DECLINE or s.recycles[p] == 0:
            return False
        return find_discard(s, action - FIRST_RECYCLE) >= 0
    if s.phase == EXCHANGE:
        if action == DECLINE:
            return True
        return FIRST_SWAP <= action < NUM_ACTIONS and PAIRS[action - FIRST_SWAP, 1] < 2 * s.columns
    if action < 0 or action >= 2 * s.columns:
        return False
    if s.phase == PLACE:
        return s.source != RECYCLED or s.open[p, action] == RECYCLE
    return s.lies[p, action] != FACE_UP


@kernel
def find_discard(s, t):
    """D5: where the uppermost card of type ``t`` lies in the discard pile, or −1."""
    for k in range(s.discard_top, CARDS):
        if s.discard[k] == t:
            return k
    return -1


# -- what happens ----------------------------------------------------------------------------------


@kernel
def apply(s, action):
    """Carry out an action of the seat to act."""
    if s.to_act < 0:
        return OVER
    if not is_legal(s, action):
        return ILLEGAL
    p = s.to_act
    if s.phase == TURN_UP:
        turn_up(s, p, action)
    elif s.phase == LOOK_AT:
        look_at(s, p, action)
        effect_done(s, p)
    elif s.phase == EXCHANGE:
        if action != DECLINE:
            exchange(s, p, PAIRS[action - FIRST_SWAP, 0], PAIRS[action - FIRST_SWAP, 1])
        effect_done(s, p)
    elif s.phase == DRAW:
        take(s, p, action)
    else:
        place(s, p, action)
    return OK


@kernel
def turn_up(s, p, k):
    """Set-up: turn a card face up; after the second, carry out the effects in that order (D3)."""
    card = card_at(s, p, k)
    reveal(s, p, k)
    if card in (PEEK, SWAP):
        s.pending[0 if s.pending[0] == NONE else 1] = card
    if s.face_up[p] == 2:
        go_on_setting_up(s, p)


@kernel
def go_on_setting_up(s, p):
    """The next effect of the cards turned; without one, the next seat's set-up, or the first turn."""
    while s.pending[0] != NONE:
        if asked(s, p, s.pending[0]):
            return
        next_pending(s)
    s.to_act = seat_after(s, p)
    if p == s.dealer:
        begin_turn(s)
    else:
        s.phase = TURN_UP


@kernel
def next_pending(s):
    s.pending[0] = s.pending[1]
    s.pending[1] = NONE


@kernel
def asked(s, p, card):
    """Begin the effect of a card; False if there is none, or nothing to ask (D4)."""
    if card == SWAP:
        s.phase = EXCHANGE
        return True
    if card == PEEK:
        down = 2 * s.columns - s.face_up[p]
        if down > 1:
            s.phase = LOOK_AT
            return True
        if down == 1:
            for k in range(2 * s.columns):
                if s.lies[p, k] != FACE_UP:
                    look_at(s, p, k)
    return False


@kernel
def look_at(s, p, k):
    """Peek: the owner knows the card from now on."""
    s.peeks[p] += s.lies[p, k] == FACE_DOWN
    lay(s, p, k, card_at(s, p, k), PEEKED)


@kernel
def exchange(s, p, i, j):
    """Swap: two cards change places, each lying as it lay."""
    first, first_lies = card_at(s, p, i), s.lies[p, i]
    lay(s, p, i, card_at(s, p, j), s.lies[p, j])
    lay(s, p, j, first, first_lies)


@kernel
def effect_done(s, p):
    """A card was peeked at, or the swap is decided: on with the set-up, or with placing the card."""
    if s.pending[0] != NONE:
        next_pending(s)
        go_on_setting_up(s, p)
    else:
        begin_placing(s, p)


@kernel
def begin_turn(s):
    s.phase = DRAW


@kernel
def take(s, p, action):
    """Take a card: from the deck, unseen by others; or from the discard pile (D5: by recycling, any)."""
    if action == FROM_DECK_ACTION:
        if s.deck_next == s.deck_end:
            renew_deck(s)
        s.drawn[p] = next_card(s)
        s.source = FROM_DECK
        card = s.drawn[p]
        if tells_itself(s, p, card):
            show_card(s, p)
    else:
        top = s.discard_top
        where = top if action == FROM_DISCARD_ACTION else find_discard(s, action - FIRST_RECYCLE)
        s.taken = s.discard[where]
        for k in range(where, top, -1):
            s.discard[k] = s.discard[k - 1]
        s.discard_top += 1
        s.source = FROM_DISCARD if action == FROM_DISCARD_ACTION else RECYCLED
        card = s.taken
    if not asked(s, p, card):
        begin_placing(s, p)


@kernel
def tells_itself(s, p, card):
    """Whether a drawn card is known to all by what its drawer does: swaps, or looks at a card anew."""
    if card == PEEK:
        down = 2 * s.columns - s.face_up[p]
        return down > 1 or (down == 1 and s.peeks[p] == 0)
    return card == SWAP


@kernel
def show_card(s, p):
    """A drawn card becomes known to all: its effect tells it, or it is placed."""
    if s.drawn[p] != NONE:
        s.taken = s.drawn[p]
        s.drawn[p] = NONE
        s.unseen[s.taken] -= 1
        s.renewal[s.taken] -= s.renewed


@kernel
def renew_deck(s):
    """D6: the discard pile but for its top card is shuffled and becomes the deck."""
    size = CARDS - 1 - s.discard_top
    top_card = s.discard[s.discard_top]
    s.renewal[:] = 0
    for k in range(size):
        card = s.discard[CARDS - 1 - k]
        s.deck[k] = card
        s.renewal[card] += 1
        s.unseen[card] += 1
    shuffle(s.rng, s.deck, size)
    s.deck_next = 0
    s.deck_end = size
    s.discard_top = CARDS
    discard(s, top_card)
    s.renewed = 1


@kernel
def begin_placing(s, p):
    """Ask where the card in hand goes; a recycled one takes the place of a Recycle: of one, unasked."""
    if s.source == RECYCLED and s.recycles[p] == 1:
        for k in range(2 * s.columns):
            if s.open[p, k] == RECYCLE:
                place(s, p, k)
                return
    s.phase = PLACE


@kernel
def place(s, p, k):
    """The card in hand replaces a card of the board, face up; the replaced card is discarded."""
    show_card(s, p)
    reveal(s, p, k)
    replaced = s.open[p, k]
    discard(s, replaced)
    lay(s, p, k, np.int64(s.taken), FACE_UP)
    s.recycles[p] += s.taken == RECYCLE
    s.recycles[p] -= replaced == RECYCLE
    s.taken = NONE
    s.source = NOTHING_IN_HAND
    end_turn(s, p)


@kernel
def end_turn(s, p):
    """The first to have all cards face up is finished; the others have one more turn each (D7)."""
    s.turns[p] += 1
    if s.finished < 0 and s.face_up[p] == 2 * s.columns:
        s.finished = p
    following = seat_after(s, p)
    out_of_turns = p == s.dealer and s.turns[p] >= s.max_turns  # the dealer's turns come last
    if following == s.finished or out_of_turns:
        score_round(s)
    else:
        s.to_act = following
        begin_turn(s)


@kernel
def score_round(s):
    """Turn all cards up and score the boards; then the next round, or the end of the game."""
    # A searcher's state has fewer columns than a long game has rounds: there the last one takes the rest.
    row = min(np.int64(s.round_number), s.scores.shape[1]) - 1
    for p in range(s.players):
        for k in range(2 * s.columns):
            reveal(s, p, k)
        points = score_board(s.open[p], s.columns)
        s.last_scores[p] = points
        s.scores[p, row] += points
        if s.round_number <= ROUNDS_SHOWN:
            s.first_scores[p, row] = points
        s.total[p] += points
    if s.round_number < s.rounds:
        s.round_number += 1
        s.dealer = seat_after(s, s.dealer)
        deal_cards(s)
        begin_round(s)
    else:
        s.to_act = -1
        s.phase = FINISHED


# -- the result ------------------------------------------------------------------------------------


@kernel
def returns(s, out):
    """Points of the rounds scored; negated, since fewer is better."""
    for p in range(s.players):
        out[p] = -s.total[p]


@kernel
def ranks(s, out):
    """The lowest total is first; D10: of equal ones the better best round, then the next best …"""
    scored = s.round_number - (s.phase != FINISHED)
    best_first = np.zeros((MAX_PLAYERS, s.scores.shape[1]), np.int64)
    for p in range(s.players):
        sort_scores(s.scores[p], min(scored, s.scores.shape[1]), best_first[p])
    for p in range(s.players):
        out[p] = 1
        for q in range(s.players):
            out[p] += is_ahead(s, q, p, best_first)


@kernel
def sort_scores(scores, count, out):
    """The first ``count`` scores into ``out``, ascending (insertion sort)."""
    for i in range(count):
        j = i
        while j > 0 and out[j - 1] > scores[i]:
            out[j] = out[j - 1]
            j -= 1
        out[j] = scores[i]


@kernel
def is_ahead(s, q, p, best_first):
    """Whether seat ``q`` is placed before seat ``p``."""
    if s.total[q] != s.total[p]:
        return s.total[q] < s.total[p]
    for i in range(best_first.shape[1]):
        if best_first[q, i] != best_first[p, i]:
            return best_first[q, i] < best_first[p, i]
    return False


@kernel
def rounds(s):
    """Rounds scored."""
    return s.round_number - (s.phase != FINISHED)


@kernel
def begin_game_row(states, i):
    """For a scripted deal: ``begin_game`` of row ``i``."""
    begin_game(states[i])


@kernel
def begin_round_row(states, i):
    """For a scripted deal: ``begin_round`` of row ``i``."""
    begin_round(states[i])
