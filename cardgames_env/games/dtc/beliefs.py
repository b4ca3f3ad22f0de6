"""DTC: how likely an offer is to be true, as somebody sees it who counts the cards.

From the cards that somebody has not seen follows the probability ``able`` that the giver's hand holds
what it announced. The model of the giver has two numbers: without the cards it makes an offer
``lies · exp(−fall · j)`` times as often as with them, where j is by how many cards the offer exceeds the
one before it. Who lies, lies for want of a true offer, and tells a small lie. So P(true) is
``able / (able + lies exp(−fall j) (1 − able))``, by Bayes; and offer by offer through the chain, since a
giver holds the cards that it has just accepted, and they are what was announced with their own P(true).

All functions read a VIEW record; cards are counted by type in int64 (7,), jokers first.
"""

from __future__ import annotations

import math

import numpy as np

from cardgames_env.core.jit import kernel
from cardgames_env.games.dtc.state import CARDS, JOKER, MAX_VALUES, TYPES

#: Binomial coefficients up to the number of cards, float64.
CHOOSE = np.array([[float(math.comb(n, k)) for k in range(CARDS + 1)] for n in range(CARDS + 1)])


@kernel
def at_least(need, drawn, matching, cards):
    """P(at least ``need`` of ``drawn`` cards match), drawn from ``cards`` of which ``matching`` do.

    The hypergeometric distribution's tail.
    """
    if need <= 0:
        return 1.0
    if need > drawn or need > matching:
        return 0.0
    ways = 0.0
    for i in range(need, min(drawn, matching) + 1):
        if drawn - i <= cards - matching:
            ways += CHOOSE[matching, i] * CHOOSE[cards - matching, drawn - i]
    return ways / CHOOSE[cards, drawn]


@kernel
def in_deck(view, t):
    """Cards of type ``t`` in the whole deck."""
    if t == JOKER:
        return np.int64(view.jokers)
    return np.int64(view.copies) if t <= view.values else 0


@kernel
def count_unseen(view, unseen):
    """Fill ``unseen`` (int64 (7,)) by type: neither in this hand nor shown."""
    for t in range(TYPES):
        unseen[t] = in_deck(view, t) - view.hand[t] - view.offer_cards[t] - view.shown[t]


@kernel
def count_not_shown(view, unseen):
    """The same with the eyes of somebody who has seen no hand."""
    for t in range(TYPES):
        unseen[t] = in_deck(view, t) - view.shown[t]


@kernel
def able(view, count, value, held, unseen, taken_count, taken_value, trust):
    """P(a hand of ``held`` cards out of ``unseen`` holds a true offer of ``count`` × ``value``).

    ``taken_count`` of its cards were just accepted as ``taken_value`` and, with probability ``trust``,
    are that (as many of them jokers as is to be expected); the rest are any of the unseen. In the variant
    (D5) the likelier of the two ways to be true counts, equal or all higher.
    """
    cards = 0
    above = unseen[JOKER]
    for t in range(TYPES):
        cards += unseen[t]
        if t > value:
            above += unseen[t]
    matching = unseen[value] + unseen[JOKER]
    held = min(held, cards)
    unknown = at_least(count, held, matching, cards)
    if view.higher_counts_as_true:
        unknown = max(unknown, at_least(count, held, above, cards))
    if taken_count == 0:
        return unknown
    claimed = unseen[taken_value] + unseen[JOKER]
    if taken_count > min(claimed, held):
        return unknown
    serving = taken_count  # of the accepted cards, for this offer: all, or the jokers alone
    if taken_value != value:
        serving = np.int64(taken_count * unseen[JOKER] / claimed + 0.5)
    own, rest = held - taken_count, cards - taken_count
    known = at_least(count - serving, own, min(matching - serving, rest), rest)
    return max(
        trust * known + (1.0 - trust) * unknown, unknown if view.higher_counts_as_true else 0.0
    )


@kernel
def believed(chance, count, taken_count, lies, fall):
    """P(true) of an offer of ``count`` cards, ``taken_count`` having been accepted before it."""
    if chance <= 0.0:
        return 0.0
    return chance / (chance + lies * math.exp(-fall * (count - taken_count)) * (1.0 - chance))


@kernel
def chain_before(view, end, unseen, insider, lies, fall):
    """Count, value and P(true) of the last offer of the chain with a number below ``end``; or 0, 0, 0.

    ``insider``: with the eyes of this seat, to which an own offer of the chain is true if the cards for
    it are among those that it has passed on and not seen since (it may have passed them on earlier).
    """
    count, value, trust = 0, 0, 0.0
    for number in range(end):
        giver = view.chain[number // MAX_VALUES, number % MAX_VALUES]
        if giver == 0:
            continue
        taken_count, taken_value = count, value
        count, value = number // MAX_VALUES + 1, number % MAX_VALUES + 1
        if insider and giver == 1:
            equal, above = fitting(view.passed_on[view.players - 2], value)
            true = equal >= count or (view.higher_counts_as_true and above >= count)
            trust = 1.0 if true else 0.0
        else:
            held = view.full_hand + taken_count
            chance = able(view, count, value, held, unseen, taken_count, taken_value, trust)
            trust = believed(chance, count, taken_count, lies, fall)
    return count, value, trust


@kernel
def fitting(cards, value):
    """How many of the cards (by type) are ``value`` or jokers; how many are higher, or jokers (D5)."""
    above = np.int64(cards[JOKER])
    for t in range(value + 1, TYPES):
        above += cards[t]
    return np.int64(cards[value]) + cards[JOKER], above


@kernel
def chance_true(view, lies, fall):
    """P(the offer on the table is true), as the seat that has to answer it sees it."""
    unseen = np.empty(TYPES, np.int64)
    count_unseen(view, unseen)
    count, value = np.int64(view.offer_count), np.int64(view.offer_value)
    number = MAX_VALUES * (count - 1) + value - 1
    taken_count, taken_value, trust = chain_before(view, number, unseen, True, lies, fall)
    giver = view.offer_giver - 1
    held = np.int64(view.hand_sizes[giver]) - view.fresh[giver] + count
    if view.players > 2:
        # What it knows to be with the seats between the giver has not.
        for t in range(TYPES):
            unseen[t] -= view.passed_on[giver - 2, t]
        chance = able(view, count, value, held, unseen, taken_count, taken_value, trust)
    else:
        chance = able_with_known(view, count, value, held, unseen)
    return believed(chance, count, taken_count, lies, fall)


@kernel
def able_with_known(view, count, value, held, unseen):
    """``able`` for two players: the other's hand holds what this seat has passed on, and any others."""
    known = view.passed_on[0]
    cards = 0
    for t in range(TYPES):
        unseen[t] -= known[t]
        held -= known[t]
        cards += unseen[t]
    held = min(held, cards)
    equal, above = fitting(known, value)
    unseen_equal, unseen_above = fitting(unseen, value)
    chance = at_least(count - equal, held, unseen_equal, cards)
    if view.higher_counts_as_true:
        chance = max(chance, at_least(count - above, held, unseen_above, cards))
    return chance
