"""Agents for DTC: rules of thumb from honest to Bayesian, and search with weighed worlds.

All are policies of the form told in ``cardgames_env.core.policy`` and read the view alone. Cards are
counted by type: 0 is a joker, 1 … 6 are the values. An offer of k cards of value v is action
``15 + 6 (k − 1) + (v − 1)``.

How likely an offer is to be true, they take from ``cardgames_env.games.dtc.beliefs``.
"""

from __future__ import annotations

import math

import numpy as np

from agents.registry import Entry, Parameter
from agents.search import flat_monte_carlo, register_quick_policy
from cardgames_env.core.game import get_game, scratch_views
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import uniform
from cardgames_env.games.dtc.beliefs import (
    able,
    believed,
    chain_before,
    chance_true,
    count_not_shown,
)

GAME = get_game("dtc_v0")
ACCEPT, REJECT = 0, 1
FIRST_TAKE, FIRST_OFFER = 2, 15
JOKER = 0
TYPES = 7
LONGEST_LIE = 2  # cards beyond the largest true offer, or the offer to beat, that are thought about
VALUES = 6
CARDS = 66
ANNOUNCE, COMPOSE, ANSWER = 0, 1, 2

# -- giving cards ----------------------------------------------------------------------------------


@kernel
def hand_total(view):
    total = 0
    for t in range(TYPES):
        total += view.hand[t]
    return total


@kernel
def true_count(view, held, value):
    """How many of the cards ``held`` (by type) a true offer of ``value`` could have at most."""
    equal = np.int64(held[value])
    if view.higher_counts_as_true:
        equal = max(equal, cards_above(held, value))
    return equal + held[JOKER]


@kernel
def cards_above(held, value):
    total = np.int64(0)
    for t in range(value + 1, TYPES):
        total += held[t]
    return total


@kernel
def offer_action(count, value):
    return FIRST_OFFER + VALUES * (count - 1) + value - 1


@kernel
def largest_true_offer(view, mask):
    """The legal true offer of most cards, of those the highest value; −1 if there is none."""
    best = -1
    for value in range(1, VALUES + 1):
        count = true_count(view, view.hand, value)
        if count > 0 and mask[offer_action(count, value)]:
            best = max(best, offer_action(count, value))
    return best


@kernel
def smallest_lie(view, mask):
    """The legal offer with the fewest wrong cards, of those the weakest."""
    best = -1
    fewest = CARDS + 1
    for a in range(FIRST_OFFER, len(mask)):
        if mask[a]:
            count, value = (a - FIRST_OFFER) // VALUES + 1, (a - FIRST_OFFER) % VALUES + 1
            wrong = count - true_count(view, view.hand, value)
            if wrong < fewest:
                best = a
                fewest = wrong
    return best


@kernel
def wanted(view, t):
    """How many cards of the type in question go into the offer that was announced.

    A true offer where the cards for it are there: the announced value first, jokers only for what is
    missing. A false offer gives away what is of least use: the values of which there are fewest, of
    those the lowest; jokers come last.
    """
    value, count = np.int64(view.offer_value), np.int64(view.offer_count)
    held = np.empty(TYPES, np.int64)  # when the offer was announced
    for u in range(TYPES):
        held[u] = view.hand[u] + view.offer_cards[u]
    if held[value] + held[JOKER] >= count:
        own = min(held[value], count)
        return own if t == value else count - own if t == JOKER else 0
    if true_count(view, held, value) >= count:  # the variant: all higher
        if t == JOKER:
            return max(0, count - cards_above(held, value))
        needed = count - view.offer_cards[JOKER]
        for u in range(value + 1, t):
            needed -= min(held[u], needed)
        return min(held[t], needed) if t > value else 0
    missing = count
    while missing > 0:
        least = JOKER
        for u in range(1, TYPES):
            if held[u] > 0 and (least == JOKER or held[u] < held[least]):
                least = u
        give = min(held[least], missing)
        if least == t:
            return give
        held[least] = 0
        missing -= give
    return 0


@kernel
def compose(view, mask):
    """The answer to a question while composing: ``wanted``, within what is legal."""
    action = FIRST_TAKE + wanted(view, view.asking - 1)
    while action > FIRST_TAKE and not mask[action]:
        action -= 1
    while not mask[action]:
        action += 1
    return action


# -- rules of thumb --------------------------------------------------------------------------------


@kernel
def honest_action(view, mask, doubt):
    if view.phase == COMPOSE:
        return compose(view, mask)
    if view.phase == ANNOUNCE:
        true = largest_true_offer(view, mask)
        return true if true >= 0 else smallest_lie(view, mask)
    return ACCEPT if mask[ACCEPT] and chance_true(view, 1.0, 0.0) >= doubt else REJECT


def honest(view, obs, mask, memory, params, rng):
    """Makes true offers whenever it can, and rejects what is impossible or unlikely to be true.

    Why: a true offer that is rejected is the best that can happen to a giver. It offers all it truly can
    and, where no true offer is strong enough, the lie with the fewest wrong cards. It takes others to
    be as honest as cards allow: an offer is as likely to be true as a hand of any unseen cards is to
    hold it.
    """
    return honest_action(view, mask, params[0])


LIES, FALL, BASE, STAKE, RATE, BLUFFER_HONEST = range(6)


@kernel
def most_plausible_lie(view, mask, lies, fall, least):
    """The false offer of ``least`` cards or more that is believed most; −1 if there is none."""
    unseen = np.empty(TYPES, np.int64)
    count_not_shown(view, unseen)
    held = hand_total(view)
    end = len(view.chain) * VALUES
    taken_count, taken_value, trust = chain_before(view, end, unseen, False, lies, fall)
    best = -1
    best_chance = -1.0
    for a in range(FIRST_OFFER + VALUES * (least - 1), len(mask)):
        count, value = (a - FIRST_OFFER) // VALUES + 1, (a - FIRST_OFFER) % VALUES + 1
        if mask[a] and true_count(view, view.hand, value) < count:
            chance = able(view, count, value, held, unseen, taken_count, taken_value, trust)
            chance = believed(chance, count, taken_count, lies, fall)
            if chance >= best_chance:
                best = a
                best_chance = chance
            if count > max(taken_count, least) + LONGEST_LIE and best_chance > 0.0:
                break
    return best


#: Defaults of ``counter``.
COUNTER_LIES, COUNTER_FALL, COUNTER_BASE, COUNTER_STAKE = 2.5, 2.0, 0.1, 0.05
QUICK_DOUBT = 0.6


@kernel
def counter_action(view, mask, lies, fall, base, stake):
    if view.phase == COMPOSE:
        return compose(view, mask)
    if view.phase == ANNOUNCE:
        true = largest_true_offer(view, mask)
        return true if true >= 0 else most_plausible_lie(view, mask, lies, fall, 1)
    threshold = base + stake * view.offer_count
    return ACCEPT if mask[ACCEPT] and chance_true(view, lies, fall) >= threshold else REJECT


def counter(view, obs, mask, memory, params, rng):
    """Counts the cards: rejects below a probability of truth that depends on the stake.

    Why: own hand, cards shown and cards passed on leave so many of each value for the giver; what it
    accepted a moment ago counts as in its hand. Forced to lie, it tells the lie that the next seat will
    believe most.
    """
    return counter_action(view, mask, params[LIES], params[FALL], params[BASE], params[STAKE])


def bluffer(view, obs, mask, memory, params, rng):
    """Counts cards, too, but now and then offers more than it has, in the most plausible size and value.

    Why: an offer that is accepted costs nothing while the pile lasts, true or not, and the next seat is
    the one in trouble; a seat that never lies is never doubted in vain. A bluff has at least as many
    cards as the largest true offer. Its honest twin draws the same chances and lets them go.
    """
    if view.phase == ANNOUNCE and uniform(rng) < params[RATE]:
        true = largest_true_offer(view, mask)
        least = (true - FIRST_OFFER) // VALUES + 1 if true >= 0 else 1
        lie = most_plausible_lie(view, mask, params[LIES], params[FALL], least)
        if lie >= 0 and not (true >= 0 and params[BLUFFER_HONEST]):
            return lie
    return counter_action(view, mask, params[LIES], params[FALL], params[BASE], params[STAKE])


# -- expected penalties ----------------------------------------------------------------------------

CALL, CALL_STAKE, SHARPNESS, PASS, JOKERS_WORTH, BAYES_HONEST = range(2, 8)


@kernel
def doubted(trust, count, params):
    """P(the next seat rejects an offer that it believes with probability ``trust``)."""
    call = params[CALL] + params[CALL_STAKE] * count
    return 1.0 / (1.0 + math.exp(-params[SHARPNESS] * (call - trust)))


@kernel
def worth_offering(view, number, held, total, unseen, to_beat, trust, params):
    """The value of an offer, in cards: own ones lost count against it, others' (their mean) for it.

    ``held`` int64 (7,): the hand by type; ``total`` may be larger, by cards that serve no offer.
    ``to_beat`` is the number of the offer just accepted (−1: none), which the next seat believes with
    probability ``trust``, and ``unseen`` what it may think this hand to be drawn from. If rejected, the
    cards are the loser's; if accepted, they are somebody else's trouble (PASS); and at the end of the
    pile, every card left in hand counts.
    """
    count, value = number // VALUES + 1, number % VALUES + 1
    taken_count, taken_value = 0, 0
    if to_beat >= 0:
        taken_count, taken_value = to_beat // VALUES + 1, to_beat % VALUES + 1
    share = 1.0 / (view.players - 1)
    chance = able(view, count, value, total, unseen, taken_count, taken_value, trust)
    rejected = doubted(
        believed(chance, count, taken_count, params[LIES], params[FALL]), count, params
    )
    left = total - count
    drawn = min(max(0, view.full_hand - left), view.pile_size)
    gain = (1.0 - rejected) * params[PASS] * share * count
    if view.pile_size == drawn:
        gain += view.full_hand - left - drawn
    if true_count(view, held, value) >= count:
        gain += rejected * share * count
        gain -= params[JOKERS_WORTH] * max(0, count - held[value])
    else:
        gain -= rejected * count
    return gain


@kernel
def best_offer(view, held, total, to_beat, trust, params, truly):
    """The value and the number of the best offer of a hand (see ``worth_offering``).

    ``truly``: of the true ones, if there is any.
    """
    unseen = np.empty(TYPES, np.int64)
    count_not_shown(view, unseen)
    most = to_beat // VALUES + 1
    for value in range(1, view.values + 1):
        most = max(most, true_count(view, held, value))
    most = min(total, most + LONGEST_LIE)
    best = -1
    best_value = -np.inf
    best_is_true = False
    for number in range(to_beat + 1, VALUES * most):
        if number % VALUES < view.values:
            count = number // VALUES + 1
            is_true = truly and true_count(view, held, number % VALUES + 1) >= count
            if best_is_true and not is_true:
                continue
            value = worth_offering(view, number, held, total, unseen, to_beat, trust, params)
            if value > best_value or (is_true and not best_is_true):
                best = number
                best_value = value
                best_is_true = is_true
    return best_value, best


@kernel
def worth_accepting(view, chance, params):
    """The value of accepting the offer on the table, true with probability ``chance``."""
    count, value = np.int64(view.offer_count), np.int64(view.offer_value)
    held = np.empty(TYPES, np.int64)
    for t in range(TYPES):
        held[t] = view.hand[t]
    total = hand_total(view) + count
    number = VALUES * (count - 1) + value - 1
    trust = trust_of_next(view, params)
    if_false, _ = best_offer(view, held, total, number, trust, params, False)
    held[value] += count
    if_true, _ = best_offer(view, held, total, number, trust, params, False)
    return chance * if_true + (1.0 - chance) * if_false


@kernel
def trust_of_next(view, params):
    """P(true) of the last offer of the chain, with the eyes of the next seat."""
    unseen = np.empty(TYPES, np.int64)
    count_not_shown(view, unseen)
    end = len(view.chain) * VALUES
    return chain_before(view, end, unseen, False, params[LIES], params[FALL])[2]


@kernel
def worth_rejecting(view, chance):
    """The value of rejecting the offer on the table, true with probability ``chance``."""
    gain = 0.0
    if view.ends:
        gain = np.float64(view.full_hand - view.hand_sizes[0])
    return gain + view.offer_count * ((1.0 - chance) / (view.players - 1) - chance)


@kernel
def number_to_beat(view):
    """The number of the offer just accepted, −1 if there is none."""
    if view.to_beat_count == 0:
        return -1
    return VALUES * (np.int64(view.to_beat_count) - 1) + view.to_beat_value - 1


@kernel
def bayes_offer(view, params):
    """The action of the best offer as things are."""
    held = np.empty(TYPES, np.int64)
    for t in range(TYPES):
        held[t] = view.hand[t]
    trust = trust_of_next(view, params)
    truly = params[BAYES_HONEST] != 0
    _, best = best_offer(view, held, hand_total(view), number_to_beat(view), trust, params, truly)
    return FIRST_OFFER + best


def bayes(view, obs, mask, memory, params, rng):
    """Weighs penalties: rejects or accepts, and offers, what leaves it with the fewest expected cards.

    Why: what an offer is worth depends on how likely it is to be doubted, which follows from what the
    next seat can count; and accepting is worth what can be offered on. It holds the posterior over
    the giver's cards under the model of ``beliefs``, and looks one offer ahead. Its honest twin answers
    in the same way.
    """
    if view.phase == COMPOSE:
        return compose(view, mask)
    if view.phase == ANNOUNCE:
        return bayes_offer(view, params)
    if not mask[ACCEPT]:
        return REJECT
    chance = chance_true(view, params[LIES], params[FALL])
    accepting = worth_accepting(view, chance, params)
    return ACCEPT if accepting > worth_rejecting(view, chance) else REJECT


# -- search ----------------------------------------------------------------------------------------


@kernel
def quick_action(view, mask, rng):
    """Searches play on with this: ``counter``, doubting by chance: the less likely, the more often."""
    if view.phase == ANSWER and mask[ACCEPT]:
        chance = chance_true(view, COUNTER_LIES, COUNTER_FALL)
        return ACCEPT if uniform(rng) * QUICK_DOUBT < chance else REJECT
    return counter_action(view, mask, COUNTER_LIES, COUNTER_FALL, 0.0, 0.0)


register_quick_policy(GAME, quick_action)


@kernel
def most_promising(view, mask, candidates, params, chosen):
    """Fill ``chosen`` (int8, as ``mask``) with the ``candidates`` best offers by ``worth_offering``."""
    held = np.empty(TYPES, np.int64)
    unseen = np.empty(TYPES, np.int64)
    for t in range(TYPES):
        held[t] = view.hand[t]
    count_not_shown(view, unseen)
    trust = trust_of_next(view, params)
    to_beat = number_to_beat(view)
    total = hand_total(view)
    worth = np.full(len(mask), -np.inf)
    for a in range(FIRST_OFFER, len(mask)):
        if mask[a]:
            number = a - FIRST_OFFER
            worth[a] = worth_offering(view, number, held, total, unseen, to_beat, trust, params)
    chosen[:] = 0
    for _ in range(candidates):
        best = int(np.argmax(worth))
        if worth[best] == -np.inf:
            return
        chosen[best] = 1
        worth[best] = -np.inf


SIMULATIONS, CANDIDATES, AHEAD = 7, 8, 9


def monte_carlo(view, obs, mask, memory, params, rng):
    """Tries answers and offers in many imagined deals, weighed by how likely the offer is in them.

    Why: in an imagined deal the truth of an offer is known, so that deals laid out evenly would make
    every call a count of even deals; with the posterior's weights, rejecting is worth what it truly is.
    It searches the answers and the offers that ``bayes`` finds best, plays on at every seat like a
    ``counter`` that doubts by chance, for a few rejections, and composes by rule.
    """
    if view.phase == COMPOSE:
        return compose(view, mask)
    root = scratch_views(view, 1)
    root[0] = view
    simulations, ahead = int(params[SIMULATIONS]), int(params[AHEAD])
    if view.phase == ANSWER:
        return flat_monte_carlo(root, mask, simulations, params[:2], ahead, rng)
    chosen = np.empty(len(mask), np.int8)
    most_promising(root[0], mask, int(params[CANDIDATES]), params, chosen)
    return flat_monte_carlo(root, chosen, simulations, params[:2], ahead, rng)


BELIEFS = (
    Parameter(
        "lies",
        2.5,
        0.001,
        100,
        "weight of lies: how often a giver without the cards offers, to one with them",
    ),
    Parameter("fall", 2, 0, 10, "how fast that falls with every card more than the offer before"),
)
CALLS = (
    Parameter("base", COUNTER_BASE, -1, 1, "rejects below this P(true) …"),
    Parameter("stake", COUNTER_STAKE, -1, 1, "… and so much more for every card of the offer"),
)
PENALTIES = (
    Parameter("call", 0.41, -1, 1, "the next seat is thought to reject below this P(true) …"),
    Parameter("call_stake", 0.03, -1, 1, "… and so much more for every card of the offer"),
    Parameter("sharpness", 5.5, 0, 50, "how sharply it is thought to draw that line"),
    Parameter("passed", 0.26, 0, 1, "worth of a card of an offer that is accepted"),
    Parameter("jokers", 0.23, 0, 2, "price of a joker given away in a true offer"),
)
HONEST = Parameter(
    "honest", 0, 0, 1, "1: the honest twin, which offers truly whenever it can", whole=True
)

AGENTS = (
    Entry(
        "honest",
        honest,
        (Parameter("doubt", 0.15, 0, 1, "rejects below this chance that the giver has the cards"),),
    ),
    Entry("counter", counter, (*BELIEFS, *CALLS)),
    Entry(
        "bluffer",
        bluffer,
        (
            *BELIEFS,
            *CALLS,
            Parameter("rate", 0.1, 0, 1, "how often it bluffs without need"),
            HONEST,
        ),
    ),
    Entry("bayes", bayes, (*BELIEFS, *PENALTIES, HONEST)),
    Entry(
        "monte_carlo",
        monte_carlo,
        (
            *BELIEFS,
            *PENALTIES,
            Parameter("simulations", 100, 1, 1_000_000, "imagined deals for each move", whole=True),
            Parameter("candidates", 6, 1, 400, "offers that it searches", whole=True),
            Parameter("ahead", 2, 1, 66, "rejections until it stops to count", whole=True),
        ),
        slow=True,
    ),
)
