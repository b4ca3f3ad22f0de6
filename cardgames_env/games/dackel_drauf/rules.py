"""Dackel drauf!: the rule kernel. D numbers as in ``docs/games/dackel_drauf.md``.

All functions take one STATE record ``s`` (see ``state.py``).
"""

from __future__ import annotations

import numpy as np

from cardgames_env.core import bits
from cardgames_env.core.game import ILLEGAL, OK, OVER, ranks_of
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import below, next_word, seed_stream, shuffle
from cardgames_env.games.dackel_drauf.judging import first_wrong, judge, put_out
from cardgames_env.games.dackel_drauf.state import (
    CARDS,
    CHAIN,
    CLOSE,
    COPIES,
    DECLINE,
    DICE,
    EXTRA,
    FACE_DOWN,
    FACES,
    FINISHED,
    FIRST_FACE_DOWN,
    FULL_HAND,
    JOKER,
    JOKERS,
    KEEP_OPEN,
    KINDS,
    LOOK,
    MAX_PLAYERS,
    NONE,
    PASS,
    PERFECT,
    PLAYER,
    RESCUED,
    SPECIAL_CARDS,
    SPECIAL_COPIES,
    UNJUDGED,
    USE_JOKERS,
    WRONG,
)

ALL_DICE = (1 << DICE) - 1
LANE = np.uint64(32)  # bits of a random word that decide about one die
LOW_LANE = np.uint64((1 << 32) - 1)


@kernel
def deal(s, seed):
    """Begin the game of the chance stream with key ``seed``: piles, special cards, who starts."""
    seed_stream(s.rng, seed)
    for p in range(s.players):
        for k in range(CARDS):
            s.pile[p, k] = k // COPIES
        shuffle(s.rng, s.pile[p], CARDS)
    for k in range(SPECIAL_CARDS):
        s.special_pile[k] = k // SPECIAL_COPIES
    shuffle(s.rng, s.special_pile, SPECIAL_CARDS)
    s.starter = below(s.rng, s.players)
    begin_game(s)
    roll(s)
    begin_look(s)
    look_or_ask(s, s.starter)


@kernel
def begin_game(s):
    """Nobody has played; piles, special pile and starting player are there. Round 1, before the dice."""
    s.round_number = 1
    s.pile_next[:] = 0
    s.hand[:] = 0
    s.hand_size[:] = 0
    s.left[:] = 0
    s.cards_left[:] = 0
    s.known[:] = 0
    s.discards[:] = NONE
    for p in range(s.players):
        s.left[p] = COPIES
        s.cards_left[p] = CARDS
    s.special[:] = 0
    s.special_count[:] = 0
    s.special_known[:] = 0
    s.special_size = SPECIAL_CARDS
    s.special_open[:] = NONE
    s.last_dice[:] = 0
    s.last_length = 0
    s.last_seat[:] = NONE
    s.last_animal[:] = NONE
    s.last_right[:] = UNJUDGED
    begin_round(s)


@kernel
def begin_round(s):
    """Everybody holds the top ten cards of the own pile."""
    for p in range(s.players):
        while s.hand_size[p] < FULL_HAND and s.pile_next[p] < CARDS:
            s.hand[p, s.pile[p, s.pile_next[p]]] += 1
            s.pile_next[p] += 1
            s.hand_size[p] += 1
    clear_chain(s)
    s.passed[:] = 0
    s.used[:] = NONE
    s.used_size = 0


@kernel
def clear_chain(s):
    s.chain_length = 0
    s.chain_seat[:] = NONE
    s.chain_animal[:] = NONE
    s.chain_down[:] = 0
    s.chain_right[:] = UNJUDGED
    s.down[:] = NONE
    s.down_at[:] = NONE
    s.played[:] = 0
    s.hidden[:] = 0
    s.again[:] = 0
    s.shown[:] = 0
    s.free[:] = 0
    s.out[:] = 0
    s.at = -1


@kernel
def to_act(s):
    return s.to_act


@kernel
def seat_after(s, p):
    return 0 if p + 1 == s.players else p + 1


# -- the look --------------------------------------------------------------------------------------


@kernel
def roll(s):
    """The starting player shakes the box."""
    for i in range(DICE):
        s.dice[i] = s.faces[i, below(s.rng, FACES)]


@kernel
def begin_look(s):
    """The lid is about to be lifted: nobody has noticed anything."""
    s.phase = LOOK
    s.turn = s.starter
    s.ticks = 0
    s.noticed[:] = 0
    s.remembered[:] = 0


@kernel
def tick(s):
    """D4: everybody notices some of the dice; after ``max_looks`` ticks the lid closes by itself."""
    s.to_act = s.starter
    s.ticks += 1
    if s.memory != PERFECT:
        for p in range(s.players):
            change_memory(s, p, s.noticed[p] | some_dice(s, s.notice))
    elif s.ticks == 1:  # D5: all at the first tick
        for p in range(s.players):
            change_memory(s, p, ALL_DICE)
    if s.ticks == s.max_looks:
        s.phase = CHAIN


@kernel
def some_dice(s, chance):
    """Each die with a probability, as bits; a random word decides about two dice."""
    bound = np.uint64(chance * 4294967296.0)
    dice = np.uint64(0)
    for i in range((DICE + 1) // 2):
        word = next_word(s.rng)
        dice |= np.uint64((word & LOW_LANE) < bound) << np.uint64(2 * i)
        dice |= np.uint64((word >> LANE) < bound) << np.uint64(2 * i + 1)
    return np.int64(dice) & ALL_DICE


@kernel
def change_memory(s, p, dice):
    """Seat ``p`` remembers these dice (bits), and so many of each animal."""
    changed = np.uint64(s.noticed[p] ^ dice)
    more = 1 if (s.noticed[p] & dice) == s.noticed[p] else -1  # dice are added, or taken away
    s.noticed[p] = dice
    while changed:
        s.remembered[p, s.dice[bits.lowest_bit(changed)]] += more
        changed &= changed - bits.ONE


# -- what is legal ---------------------------------------------------------------------------------


@kernel
def legal(s, mask):
    """Fill ``mask`` (int8 (23,)) for the seat to act."""
    p = s.to_act
    actions = bits.ZERO  # action a is bit a
    if s.phase == LOOK:
        actions = np.uint64(1 << KEEP_OPEN | 1 << CLOSE)
    elif s.phase == JOKERS:
        actions = np.uint64(1 << USE_JOKERS | 1 << DECLINE)
    else:
        actions = bits.collect(s.hand[np.uint64(p)], 0)
        if s.special[p, FACE_DOWN] > 0:
            actions |= actions << np.uint64(FIRST_FACE_DOWN)
        actions |= np.uint64(1 << PASS)
    bits.spread(actions, mask, 0, 16)
    bits.spread(actions >> np.uint64(DECLINE - 15), mask, DECLINE - 15, 16)


@kernel
def is_legal(s, action):
    """Whether the seat to act may do this (``legal``, for one action)."""
    p = s.to_act
    if s.phase == LOOK:
        return action in (KEEP_OPEN, CLOSE)
    if s.phase == JOKERS:
        return action in (USE_JOKERS, DECLINE)
    if action == PASS:
        return True
    if action < 0 or action >= PASS:
        return False
    if action < FIRST_FACE_DOWN:
        return s.hand[p, action] > 0
    return s.hand[p, action - FIRST_FACE_DOWN] > 0 and s.special[p, FACE_DOWN] > 0


# -- the chain -------------------------------------------------------------------------------------


@kernel
def apply(s, action):
    """Carry out an action of the seat to act."""
    if s.to_act < 0:
        return OVER
    if not is_legal(s, action):
        return ILLEGAL
    p = s.to_act
    first = 0  # from which player, or in the variant from which card on, the showdown goes on
    if s.phase == CHAIN:
        play_or_pass(s, p, action)
        if s.turn < 0:
            begin_showdown(s)
    elif s.phase == JOKERS:
        first = decide_jokers(s, p, action == USE_JOKERS)
    elif action == CLOSE:
        s.phase = CHAIN
    # Each of these is here once: every call of a kernel is a copy of it, and compiling takes its time.
    if s.phase == JOKERS:
        s.to_act = -1
        if s.takeback:
            judge_on(s, first)
        else:
            ask_for_jokers(s, first)
        if s.to_act < 0:
            end_round(s)
    look_or_ask(s, p)
    return OK


@kernel
def look_or_ask(s, p):
    """A tick of the look, or the question for a card, after seat ``p`` has acted."""
    if s.phase == LOOK:
        tick(s)
    if s.phase == CHAIN:
        ask(s, p if s.again[p] else s.turn)


@kernel
def play_or_pass(s, p, action):
    """Seat ``p`` plays a card, passes, or ends its turn after a card just played."""
    if action == PASS:
        if not s.again[p]:
            s.passed[p] = 1
        s.again[p] = 0
    else:
        if s.again[p]:
            use_special(s, p, EXTRA)
        face_down = action >= FIRST_FACE_DOWN
        if face_down:
            use_special(s, p, FACE_DOWN)
        play(s, p, action - FIRST_FACE_DOWN if face_down else action, face_down)
    s.turn = next_in_chain(s, p)


@kernel
def ask(s, p):
    """Ask seat ``p`` for a card; D5: first it may forget."""
    s.to_act = p
    if s.forget > 0 and s.memory == PLAYER:
        change_memory(s, p, s.noticed[p] & ~some_dice(s, s.forget))


@kernel
def play(s, p, animal, face_down):
    """A card goes to the end of the chain; with an extra card, another may follow at once."""
    s.hand[p, animal] -= 1
    s.hand_size[p] -= 1
    i = s.chain_length
    s.chain_seat[i] = p
    s.chain_down[i] = face_down
    s.chain_length += 1
    s.played[p] += 1
    if face_down:
        s.down[p, s.hidden[p]] = animal
        s.down_at[p, s.hidden[p]] = i
        s.hidden[p] += 1
    else:
        s.chain_animal[i] = animal
        show(s, p, animal)
    s.passed[p] = s.hand_size[p] == 0
    s.again[p] = s.hand_size[p] > 0 and s.special[p, EXTRA] > 0


@kernel
def show(s, p, animal):
    """A card of the hand is seen by all: it is one of those known, if there are any."""
    if s.known[p, animal] > 0:
        s.known[p, animal] -= 1


@kernel
def use_special(s, p, kind):
    """A special card is announced; at the end of the round it goes under the pile."""
    s.special[p, kind] -= 1
    s.special_count[p] -= 1
    if s.special_known[p, kind] > 0:
        s.special_known[p, kind] -= 1
    s.used[s.used_size] = kind
    s.used_size += 1


@kernel
def next_in_chain(s, p):
    """Who is to play after seat ``p``: clockwise, ``p`` last; −1 when all have passed."""
    # As bits, twice around: a search seat by seat stops where no processor can foresee it.
    n = np.uint64(s.players)
    waiting = bits.ZERO
    for q in range(MAX_PLAYERS):
        waiting |= np.uint64(s.passed[q] == 0) << np.uint64(q)
    waiting &= (bits.ONE << n) - bits.ONE
    if waiting == bits.ZERO:
        return -1
    waiting |= waiting << n
    q = p + 1 + bits.lowest_bit(waiting >> np.uint64(p + 1))
    return q if q < s.players else q - s.players


# -- the showdown ----------------------------------------------------------------------------------


@kernel
def begin_showdown(s):
    """The lid is lifted: D15, all dice and cards are public. Without the variant, the chain is judged."""
    s.phase = JOKERS
    for i in range(DICE):
        s.shown[s.dice[i]] += 1
    for a in range(KINDS):
        s.free[a] = s.shown[a]
    for p in range(s.players):
        for k in range(s.hidden[p]):
            s.chain_animal[s.down_at[p, k]] = s.down[p, k]
            show(s, p, s.down[p, k])
    s.hidden[:] = 0
    if not s.takeback:
        judge(s.chain_seat, s.chain_animal, s.chain_length, False, s.free, s.out, s.chain_right)


@kernel
def wrong_cards(s, p):
    """How many cards of seat ``p`` in the chain are wrong."""
    wrong = 0
    for i in range(s.chain_length):
        wrong += s.chain_seat[i] == p and s.chain_right[i] == WRONG
    return wrong


@kernel
def ask_for_jokers(s, first):
    """D7: the next player in turn order, from number ``first`` on, who could be rescued is asked."""
    p = s.starter
    for k in range(s.players):
        if k >= first:
            jokers = s.special[p, JOKER]
            if jokers > 0 and 0 < wrong_cards(s, p) <= jokers:
                s.to_act = p
                return
        p = seat_after(s, p)


@kernel
def judge_on(s, first):
    """The variant: judge from position ``first`` on, until a player with a joker is asked (D11)."""
    seats, animals, length = s.chain_seat, s.chain_animal, s.chain_length
    i = first_wrong(seats, animals, length, first, s.free, s.out, s.chain_right)
    while i < length:
        if s.special[seats[i], JOKER] > 0:
            s.at = i
            s.to_act = seats[i]
            return
        put_out(seats, animals, i, s.free, s.out, s.chain_right)
        i = first_wrong(seats, animals, length, i + 1, s.free, s.out, s.chain_right)
    s.at = -1


@kernel
def decide_jokers(s, p, use):
    """Seat ``p`` uses jokers for its wrong cards, or does not; returns where the showdown goes on."""
    if s.takeback:
        at = s.at
        if use:
            use_special(s, p, JOKER)
            s.chain_right[at] = RESCUED
        else:
            put_out(s.chain_seat, s.chain_animal, at, s.free, s.out, s.chain_right)
        return at + 1
    if use:
        for i in range(s.chain_length):
            if s.chain_seat[i] == p and s.chain_right[i] == WRONG:
                use_special(s, p, JOKER)
                s.chain_right[i] = RESCUED
    place = p - s.starter if p >= s.starter else p - s.starter + s.players
    return place + 1


# -- the end of a round ----------------------------------------------------------------------------


@kernel
def end_round(s):
    """Discard or take back, draw special cards; then the next round, or the end."""
    # `out` is now, with the variant or without, who has a wrong card that no joker has rescued.
    for i in range(s.chain_length):
        s.out[np.uint64(s.chain_seat[i])] |= s.chain_right[i] == WRONG
    for i in range(s.chain_length):
        p, animal = np.uint64(s.chain_seat[i]), np.uint64(s.chain_animal[i])
        if s.out[p]:
            s.hand[p, animal] += 1
            s.hand_size[p] += 1
            s.known[p, animal] += 1
        else:
            s.discards[p, CARDS - s.cards_left[p]] = animal
            s.left[p, animal] -= 1
            s.cards_left[p] -= 1
    draw_specials(s)
    remember_round(s)
    clear_chain(s)
    if is_won(s) or s.round_number == s.max_rounds:  # D10
        s.used[:] = NONE
        s.used_size = 0
        s.phase = FINISHED
        return
    s.round_number += 1
    s.starter = seat_after(s, s.starter)
    begin_round(s)
    roll(s)
    begin_look(s)


@kernel
def draw_specials(s):
    """D13: everybody who failed takes one; D8: then the used ones go under the pile."""
    p = s.starter
    for _ in range(s.players):
        if s.out[p] and s.special_size > 0:
            s.special[p, s.special_pile[0]] += 1
            s.special_count[p] += 1
            if s.special_open[0] != NONE:
                s.special_known[p, s.special_open[0]] += 1
            s.special_size -= 1
            for k in range(s.special_size):
                s.special_pile[k] = s.special_pile[k + 1]
                s.special_open[k] = s.special_open[k + 1]
        p = seat_after(s, p)
    for k in range(s.used_size):
        s.special_pile[s.special_size] = s.used[k]
        s.special_open[s.special_size] = s.used[k]
        s.special_size += 1
    for k in range(s.special_size, SPECIAL_CARDS):
        s.special_pile[k] = NONE
        s.special_open[k] = NONE


@kernel
def remember_round(s):
    """Keep the showdown for the views of the next round."""
    s.last_length = s.chain_length
    for a in range(KINDS):
        s.last_dice[a] = s.shown[a]
    s.last_seat[:] = s.chain_seat
    s.last_animal[:] = s.chain_animal
    s.last_right[:] = s.chain_right


@kernel
def is_won(s):
    """D16: whether somebody has no more cards left than the threshold."""
    for p in range(s.players):
        if s.cards_left[p] <= s.win_threshold:
            return True
    return False


# -- the result ------------------------------------------------------------------------------------


@kernel
def returns(s, out):
    """Cards discarded so far; at the end less all 18, so that the sum is minus the cards left."""
    for p in range(s.players):
        out[p] = CARDS - s.cards_left[p]
        if s.phase == FINISHED:
            out[p] -= CARDS


@kernel
def ranks(s, out):
    """The fewest cards left are the first place; D9: equals share it."""
    points = np.empty(MAX_PLAYERS, np.int64)
    for p in range(s.players):
        points[p] = -s.cards_left[p]
    ranks_of(points, s.players, out)


@kernel
def rounds(s):
    """Rounds completed."""
    return s.round_number - (s.phase != FINISHED)


@kernel
def begin_game_row(states, i):
    """For a scripted deal: ``begin_game`` of row ``i``."""
    begin_game(states[i])


@kernel
def begin_look_row(states, i):
    """For a scripted deal: the first look of row ``i``."""
    begin_look(states[i])
    look_or_ask(states[i], states[i].starter)
