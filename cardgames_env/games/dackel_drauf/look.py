"""Dackel drauf!: what a seat sees, and how a whole state is made from that."""

from __future__ import annotations

import numpy as np

from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import below, next_word, seed_stream, shuffle, uniform
from cardgames_env.core.unowned import fill, fill_clockwise, fill_raised, raise_row
from cardgames_env.games.dackel_drauf.judging import first_wrong, judge, put_out
from cardgames_env.games.dackel_drauf.rules import (
    ALL_DICE,
    change_memory,
    next_in_chain,
    seat_after,
    wrong_cards,
)
from cardgames_env.games.dackel_drauf.state import (
    AGENT,
    CARDS,
    CHAIN,
    DICE,
    FACES,
    FINISHED,
    JOKER,
    JOKERS,
    KINDS,
    LOOK,
    MAX_CHAIN,
    MAX_PLAYERS,
    NONE,
    PARTS,
    PERFECT,
    RESCUED,
    SHOWN,
    SPECIAL_CARDS,
    SPECIAL_COPIES,
    SPECIAL_KINDS,
    UNJUDGED,
    WRONG,
)


@kernel
def clockwise(p, seat, n):
    """How many places clockwise of ``seat`` seat ``p`` sits."""
    return p - seat if p >= seat else p - seat + n


@kernel
def look(s, seat, v):
    """Write what ``seat`` may know of ``s`` into the VIEW record ``v``.

    While a seat is asked for an extra card, the others see its turn as over; while it is asked about
    jokers, they do not see who is asked: whom one asks tells what special cards it holds.
    """
    n = s.players
    v.players, v.max_looks, v.memory, v.takeback, v.win_threshold = (
        n, s.max_looks, s.memory, s.takeback, s.win_threshold
    )  # fmt: skip
    v.notice = np.int64(s.notice * PARTS + 0.5)
    v.forget = np.int64(s.forget * PARTS + 0.5)
    fill(v.faces, s.faces)
    v.round_number = min(s.round_number, SHOWN)
    v.rounds_left = min(s.max_rounds - s.round_number, SHOWN)
    v.starter = clockwise(s.starter, seat, n)
    v.phase = s.phase
    v.ticks = s.ticks
    v.chain_length = s.chain_length
    v.special_size = s.special_size
    v.again = s.again[seat]
    v.to_act = 0
    v.at = 0
    if s.to_act == seat:
        v.to_act = 1
        v.at = 1 + s.at
    elif s.turn >= 0:
        v.to_act = 1 + clockwise(s.turn, seat, n)
    fill(v.hand, s.hand[seat])
    fill(v.special, s.special[seat])
    fill(v.dice, s.shown)
    fill_raised(v.used, 0, s.used, 1)
    look_at_seats(s, seat, v)
    look_at_chain(s, seat, v)
    if s.memory != AGENT:
        look_at_known(s, seat, v)
    else:  # it is for the agent to remember
        v.known[:] = 0
        v.special_known[:] = 0
        v.special_pile[:] = 0
    look_at_memory(s, seat, v)


@kernel
def look_at_seats(s, seat, v):
    """What lies open of each seat."""
    n = s.players
    for k in range(MAX_PLAYERS):
        p = place_after(seat, k, n)
        v.hand_sizes[k] = s.hand_size[p]
        v.passed[k] = s.passed[p]
        v.cards_left[k] = s.cards_left[p]
        v.special_counts[k] = s.special_count[p]
        raise_row(v.left, k, s.left, p, 0)


@kernel
def place_after(seat, k, n):
    """The seat ``k`` places clockwise of ``seat``; k itself where nobody sits: all is 0 there."""
    p = seat + k if seat + k < n else seat + k - n
    return np.uint64(p if k < n else k)


@kernel
def look_at_known(s, seat, v):
    """What was open once and is not now: of hands, special cards, and the special pile."""
    for k in range(MAX_PLAYERS):
        p = place_after(seat, k, s.players)
        raise_row(v.known, k, s.known, p, 0)
        raise_row(v.special_known, k, s.special_known, p, 0)
    fill_raised(v.special_pile, 0, s.special_open, 1)


@kernel
def look_at_chain(s, seat, v):
    """The chain: others' face-down cards only in the showdown."""
    fill_clockwise(v.chain_seats, s.chain_seat, seat, s.players)
    fill_raised(v.chain_animals, 0, s.chain_animal, 1)
    fill(v.chain_down, s.chain_down)
    fill(v.chain_right, s.chain_right)
    for k in range(s.hidden[seat]):  # a seat knows its own
        v.chain_animals[s.down_at[seat, k]] = 1 + s.down[seat, k]
    if s.takeback and s.to_act != seat:  # all marks would tell who is asked about a joker
        for i in range(s.chain_length):
            v.chain_right[i] = RESCUED if s.chain_right[i] >= RESCUED else UNJUDGED


@kernel
def look_at_memory(s, seat, v):
    """What was shown and is gone: the dice noticed, and the showdown of the round before (D5)."""
    if s.memory == AGENT:
        asked_first = s.phase == CHAIN and v.to_act == 1 and s.played[seat] == 0
        if s.phase != LOOK and s.phase != FINISHED and not asked_first:
            forget_all(v)
            return
    fill(v.remembered, s.remembered[seat])
    if s.memory == AGENT and s.phase == FINISHED:
        v.remembered[:] = 0
    fill(v.last_dice, s.last_dice)
    v.last_length = s.last_length
    fill_clockwise(v.last_seats, s.last_seat, seat, s.players)
    fill_raised(v.last_animals, 0, s.last_animal, 1)
    fill(v.last_right, s.last_right)
    if s.memory == AGENT:
        look_at_taken_back(v)


@kernel
def forget_all(v):
    """Nothing is shown of what was shown before."""
    v.remembered[:] = 0
    v.last_dice[:] = 0
    v.last_length = 0
    v.last_seats[:] = 0
    v.last_animals[:] = 0
    v.last_right[:] = 0


@kernel
def look_at_taken_back(v):
    """``known``, as far as the showdown that is shown tells it: cards taken back and not played since."""
    failed = np.zeros(1 + MAX_PLAYERS, np.bool_)
    for i in range(v.last_length):
        failed[v.last_seats[i]] |= v.last_right[i] == WRONG
    for i in range(v.last_length):
        if failed[v.last_seats[i]]:
            v.known[v.last_seats[i] - 1, v.last_animals[i] - 1] += 1
    for i in range(v.chain_length):
        k, a = v.chain_seats[i] - 1, v.chain_animals[i] - 1
        if a >= 0 and v.known[k, a] > 0:
            v.known[k, a] -= 1


# -- a whole state from a view ---------------------------------------------------------------------


@kernel
def determinize(v, rng, s):
    """A complete state that agrees with the VIEW record ``v``, the viewer at seat 0.

    Distribution: dice as they were rolled, given what the viewer remembers of them: exact for any
    faces (``roll_around``); once the showdown has shown them, given those. What others remember: each
    die with the probability that it was noticed in so many ticks, and not forgotten at the decisions of
    theirs that could be seen. Others' hands, face-down cards and piles: uniform over all ways to lay
    their cards that are not discarded and not open in the chain, those known to have been taken back
    into hand or face-down places. Special cards: uniform over the kinds not seen into others' hands and
    the pile, where known they stay; if another is asked about jokers, given that one can be asked.
    Nothing is inferred from what others chose. Chance to come is fresh.
    """
    restore_public(v, s)
    seed_stream(s.rng, next_word(rng))
    if s.phase < JOKERS:
        s.turn = next_in_chain(s, 0) if v.again else s.to_act
    lay_cards(v, rng, s)
    lay_specials(v, rng, s)
    lay_dice(v, rng, s)


@kernel
def determinize_weighted(v, rng, s, model):
    """``determinize``, and a weight for what others have played.

    ``model`` is one number, ``doubt``: how often somebody plays a card for which there is no die, to one
    for which there is. The weight is ``doubt`` to the power of the others' cards in the chain for which
    no die is left (without regard to the variant, in which others' failures may free some).
    """
    determinize(v, rng, s)
    if v.phase != CHAIN:
        return 1.0
    free = np.zeros(KINDS, np.int64)
    for d in range(DICE):
        free[s.dice[d]] += 1
    weight = 1.0
    downs = np.zeros(MAX_PLAYERS, np.int64)
    for i in range(s.chain_length):
        p = s.chain_seat[i]
        animal = np.int64(s.chain_animal[i])
        if animal == NONE:
            animal = np.int64(s.down[p, downs[p]])
            downs[p] += 1
        free[animal] -= 1
        if free[animal] < 0 and p != 0:
            weight *= model[0]
    return weight


@kernel
def restore_public(v, s):
    """All that everybody sees."""
    n = v.players
    s.players, s.max_looks, s.memory, s.takeback, s.win_threshold = (
        n, v.max_looks, v.memory, v.takeback, v.win_threshold
    )  # fmt: skip
    s.notice = v.notice / PARTS
    s.forget = v.forget / PARTS
    s.round_number = v.round_number
    s.max_rounds = v.round_number + v.rounds_left
    s.starter = v.starter
    s.phase = v.phase
    s.to_act = v.to_act - 1
    s.ticks = v.ticks
    s.turn = -1
    s.at = v.at - 1
    s.special_size = v.special_size
    s.again[:] = 0
    s.again[0] = v.again
    for i in range(DICE):
        for f in range(FACES):
            s.faces[i, f] = v.faces[i, f]
    s.played[:] = 0
    s.hidden[:] = 0
    s.down[:] = NONE
    s.down_at[:] = NONE
    s.out[:] = 0
    s.discards[:] = NONE
    s.chain_length = v.chain_length
    for i in range(MAX_CHAIN):
        s.chain_seat[i] = v.chain_seats[i] - 1
        s.chain_animal[i] = v.chain_animals[i] - 1
        s.chain_down[i] = v.chain_down[i]
        s.chain_right[i] = v.chain_right[i]
        s.last_seat[i] = v.last_seats[i] - 1
        s.last_animal[i] = v.last_animals[i] - 1
        s.last_right[i] = v.last_right[i]
        if i < v.chain_length:
            s.played[s.chain_seat[i]] += 1
    s.last_length = v.last_length
    for a in range(KINDS):
        s.last_dice[a] = v.last_dice[a]
        s.shown[a] = v.dice[a]
    for k in range(MAX_PLAYERS):
        s.passed[k] = v.passed[k]
        s.hand_size[k] = v.hand_sizes[k]
        s.cards_left[k] = v.cards_left[k]
        s.special_count[k] = v.special_counts[k]
        used = 0
        for a in range(KINDS):
            s.left[k, a] = v.left[k, a]
            s.known[k, a] = v.known[k, a]
            if k < n:
                for _ in range(2 - v.left[k, a]):
                    s.discards[k, used] = a
                    used += 1
        for kind in range(SPECIAL_KINDS):
            s.special_known[k, kind] = v.special_known[k, kind]
    s.used_size = 0
    for k in range(SPECIAL_CARDS):
        s.used[k] = v.used[k] - 1
        s.used_size += v.used[k] > 0
        s.special_open[k] = v.special_pile[k] - 1


# -- hands, face-down cards and piles --------------------------------------------------------------


@kernel
def lay_cards(v, rng, s):
    """Each player's cards that are neither discarded nor open in the chain."""
    cards = np.empty(CARDS, np.int64)
    for k in range(v.players):
        rest = np.empty(KINDS, np.int64)  # cards in hand, face down, or in the pile
        for a in range(KINDS):
            rest[a] = v.left[k, a]
        downs = 0  # face-down places to fill
        for i in range(v.chain_length):
            if v.chain_seats[i] == 1 + k:
                if v.chain_animals[i] > 0:
                    rest[v.chain_animals[i] - 1] -= 1
                else:
                    downs += 1
        places = downs + v.hand_sizes[k]
        held = 0
        for a in range(KINDS):
            certain = np.int64(v.hand[a] if k == 0 else v.known[k, a])
            for _ in range(certain):
                cards[held] = a
                held += 1
            rest[a] -= certain
        size = held
        for a in range(KINDS):
            for _ in range(rest[a]):
                cards[size] = a
                size += 1
        shuffle(rng, cards[held:size], size - held)
        shuffle(rng, cards, places)
        put_down(v, s, k, cards)
        s.hand[k] = 0
        for j in range(downs, places):
            s.hand[k, cards[j]] += 1
        first = CARDS - (size - places)
        s.pile_next[k] = first
        s.pile[k] = 0
        for j in range(size - places):
            s.pile[k, first + j] = cards[places + j]


@kernel
def put_down(v, s, k, cards):
    """The face-down cards of seat ``k``: those seen, and for the others the first of ``cards``."""
    used = 0
    number = 0
    for i in range(v.chain_length):
        if v.chain_down[i] and v.chain_seats[i] == 1 + k:
            if v.chain_animals[i] > 0:
                s.down[k, number] = v.chain_animals[i] - 1
            else:
                s.down[k, number] = cards[used]
                used += 1
            s.down_at[k, number] = i
            number += 1
            if v.phase == CHAIN:
                s.hidden[k] += 1
                s.chain_animal[i] = NONE


# -- special cards ---------------------------------------------------------------------------------


@kernel
def lay_specials(v, rng, s):
    """Others' special cards and the pile; if another is asked about jokers, until one can be."""
    while True:
        lay_specials_freely(v, rng, s)
        if v.phase != JOKERS:
            return
        if ask_somebody(v, s):
            return


@kernel
def lay_specials_freely(v, rng, s):
    rest = np.empty(SPECIAL_KINDS, np.int64)  # neither own, used, nor known to be somewhere
    for kind in range(SPECIAL_KINDS):
        rest[kind] = SPECIAL_COPIES - v.special[kind]
        s.special[0, kind] = v.special[kind]
    for k in range(SPECIAL_CARDS):
        if v.used[k] > 0:
            rest[v.used[k] - 1] -= 1
        if v.special_pile[k] > 0:
            rest[v.special_pile[k] - 1] -= 1
    for k in range(1, MAX_PLAYERS):
        for kind in range(SPECIAL_KINDS):
            s.special[k, kind] = v.special_known[k, kind]
            rest[kind] -= v.special_known[k, kind]
    cards = np.empty(SPECIAL_CARDS, np.int64)
    size = 0
    for kind in range(SPECIAL_KINDS):
        for _ in range(rest[kind]):
            cards[size] = kind
            size += 1
    shuffle(rng, cards, size)
    used = 0
    for k in range(1, v.players):
        unknown = np.int64(v.special_counts[k])
        for kind in range(SPECIAL_KINDS):
            unknown -= v.special_known[k, kind]
        for _ in range(unknown):
            s.special[k, cards[used]] += 1
            used += 1
    s.special_pile[:] = NONE
    for k in range(v.special_size):
        if v.special_pile[k] > 0:
            s.special_pile[k] = v.special_pile[k] - 1
        else:
            s.special_pile[k] = cards[used]
            used += 1


@kernel
def ask_somebody(v, s):
    """The showdown as far as the view tells, with somebody asked about jokers; False if nobody can be.

    The viewer, if it is the one; otherwise the first of the others who could be asked.
    """
    for a in range(KINDS):
        s.free[a] = v.dice[a]
    if not s.takeback:
        count_free(v, s)
        if v.to_act > 0:
            return True
        p = s.starter
        asked = False
        for _ in range(s.players):
            wrong = wrong_cards(s, p)
            if has_rescued(s, p):
                asked = False  # in turn order: those before have decided
            elif not asked and p != 0 and 0 < wrong <= s.special[p, JOKER]:
                s.to_act = p
                asked = True
            p = seat_after(s, p)
        return asked
    return judge_again(v, s)


@kernel
def has_rescued(s, p):
    """Whether seat ``p`` has used jokers in this showdown."""
    for i in range(s.chain_length):
        if s.chain_seat[i] == p and s.chain_right[i] == RESCUED:
            return True
    return False


@kernel
def count_free(v, s):
    """Without the variant: the dice that no card has taken."""
    marks = np.zeros(MAX_CHAIN, np.int64)
    judge(s.chain_seat, s.chain_animal, s.chain_length, False, s.free, s.out, marks)


@kernel
def judge_again(v, s):
    """The variant: judge the chain up to the card that a joker is asked for."""
    seats, animals, length = s.chain_seat, s.chain_animal, s.chain_length
    last_rescued = -1
    for i in range(length):
        s.chain_right[i] = UNJUDGED
        if v.chain_right[i] >= RESCUED:
            last_rescued = i
    for a in range(KINDS):
        s.free[a] = v.dice[a]
    s.out[:] = 0
    i = first_wrong(seats, animals, length, 0, s.free, s.out, s.chain_right)
    while i < length:
        p = seats[i]
        if v.chain_right[i] >= RESCUED:
            s.chain_right[i] = RESCUED
        elif v.at > 0:
            if i == v.at - 1:
                return True
            put_out(seats, animals, i, s.free, s.out, s.chain_right)
        elif i > last_rescued and p != 0 and s.special[p, JOKER] > 0:
            s.at = i
            s.to_act = p
            return True
        else:
            put_out(seats, animals, i, s.free, s.out, s.chain_right)
        i = first_wrong(seats, animals, length, i + 1, s.free, s.out, s.chain_right)
    return False


# -- the dice --------------------------------------------------------------------------------------


@kernel
def lay_dice(v, rng, s):
    """The dice, and who remembers which of them."""
    s.noticed[:] = 0
    s.remembered[:] = 0
    seen = np.zeros(KINDS, np.int64)  # of each animal, dice that the viewer has seen
    if v.phase == JOKERS or v.phase == FINISHED:
        for a in range(KINDS):
            seen[a] = v.dice[a] if v.phase == JOKERS else v.last_dice[a]
        roll_around(v, seen, rng, s)
        take_note_of(v, rng, s)
    else:
        for a in range(KINDS):
            seen[a] = v.remembered[a]
        remembered = roll_around(v, seen, rng, s)
        if knows_its_memory(v):
            change_memory(s, 0, remembered)
        else:
            change_memory(s, 0, noticed_by(v, rng, 0))
    for k in range(1, v.players):
        change_memory(s, k, noticed_by(v, rng, k))


@kernel
def knows_its_memory(v):
    """Whether the view tells what its seat remembers (always, unless memory is the agent's own work)."""
    if v.memory != AGENT or v.phase == LOOK:
        return True
    return v.phase == CHAIN and v.to_act == 1 and not played_before(v)


@kernel
def played_before(v):
    for i in range(v.chain_length):
        if v.chain_seats[i] == 1:
            return True
    return False


@kernel
def noticed_by(v, rng, k):
    """Dice (bits) that seat ``k`` may remember: noticed in the ticks so far, and not forgotten since."""
    if v.memory == PERFECT:
        return ALL_DICE
    missed = 1.0
    for _ in range(v.ticks):
        missed *= 1.0 - v.notice / PARTS
    chance = 1.0 - missed
    if v.memory != AGENT and v.phase != LOOK:
        decisions = np.int64(v.passed[k] and v.hand_sizes[k] > 0) + (v.to_act == 1 + k)
        for i in range(v.chain_length):
            decisions += v.chain_seats[i] == 1 + k
        for _ in range(decisions):
            chance *= 1.0 - v.forget / PARTS
    dice = 0
    for d in range(DICE):
        if uniform(rng) < chance:
            dice |= 1 << d
    return dice


@kernel
def take_note_of(v, rng, s):
    """All dice are known: of those that show an animal, any may be the ones that the viewer remembers."""
    if v.memory == AGENT:
        change_memory(s, 0, noticed_by(v, rng, 0))
        return
    order = np.empty(DICE, np.int64)
    for d in range(DICE):
        order[d] = d
    shuffle(rng, order, DICE)
    wanted = np.empty(KINDS, np.int64)
    for a in range(KINDS):
        wanted[a] = v.remembered[a]
    dice = 0
    for k in range(DICE):
        d = order[k]
        if wanted[s.dice[d]] > 0:
            wanted[s.dice[d]] -= 1
            dice |= 1 << d
    change_memory(s, 0, dice)


@kernel
def roll_around(v, seen, rng, s):
    """Roll the dice, given that among them were ``seen`` (int64 (9,)); returns those dice, as bits.

    Which dice were seen, a view does not tell, but only what they show. All sets of so many dice are
    equally likely to be the ones, and each die shows each of its faces equally often. So the weight of
    "these dice show this, and the others anything" is the product, over the dice seen, of the share of
    their faces that show it. The weights of all ways to see what is still missing are added up die by die
    (``ways``, by what is missing and by how many of the remaining dice were not seen); going back
    through these sums, each way is drawn with its own weight. Exact for any faces.
    """
    faces = np.zeros((DICE, KINDS), np.int64)
    for d in range(DICE):
        for f in range(FACES):
            faces[d, v.faces[d, f]] += 1
    place = np.empty(KINDS, np.int64)  # what is missing is one number, in mixed radix
    states = 1
    total = 0
    for a in range(KINDS):
        place[a] = states
        states *= 1 + seen[a]
        total += seen[a]
    unseen = DICE - total
    ways = np.empty((states, unseen + 1), np.float64)
    for missing in range(states):
        count = 0
        for a in range(KINDS):
            count += missing // place[a] % (1 + seen[a])
        for u in range(unseen + 1):
            d = DICE - count - u  # the dice from this one on
            weight = 0.0
            if count == 0 and u == 0:
                weight = 1.0
            if u > 0:
                weight += FACES * ways[missing, u - 1]
            for a in range(KINDS):
                if missing // place[a] % (1 + seen[a]) > 0 and faces[d, a] > 0:
                    weight += faces[d, a] * ways[missing - place[a], u]
            ways[missing, u] = weight
    missing = states - 1
    u = unseen
    dice = 0
    for d in range(DICE):
        left = uniform(rng) * ways[missing, u]
        chosen = NONE
        if u > 0:
            left -= FACES * ways[missing, u - 1]
        if u == 0 or left >= 0:
            for a in range(KINDS):
                weight = 0.0
                if missing // place[a] % (1 + seen[a]) > 0:
                    weight = faces[d, a] * ways[missing - place[a], u]
                if weight > 0:
                    chosen = a  # the last one that can be, whatever rounding did
                    left -= weight
                    if left < 0:
                        break
        if chosen == NONE:
            s.dice[d] = v.faces[d, below(rng, FACES)]
            u -= 1
        else:
            s.dice[d] = chosen
            dice |= 1 << d
            missing -= place[chosen]
    return dice
