"""Agents for Dackel drauf!: from what one surely remembers to the odds of one more card, and search.

All are policies of the form told in ``cardgames_env.core.policy`` and read the view alone. Animals are
0 … 8. How likely it is that so many dice show an animal, they take from
``cardgames_env.games.dackel_drauf.odds``. With ``memory="agent"`` they keep in their own memory what the
view has shown them.
"""

from __future__ import annotations

import numpy as np

from agents.registry import Entry, Parameter
from agents.search import flat_monte_carlo, register_quick_policy
from cardgames_env.core.game import get_game, scratch_views
from cardgames_env.core.jit import kernel
from cardgames_env.games.dackel_drauf.odds import chances

GAME = get_game("dackel_drauf_v0")
KINDS = 9
DICE = 15
FACE_DOWN_FROM = 9  # action 9 + a: animal a, face down
PASS, KEEP_OPEN, CLOSE, USE_JOKERS, DECLINE = 18, 19, 20, 21, 22
LOOK, CHAIN, JOKERS = 0, 1, 2
EXTRA, FACE_DOWN, JOKER = 0, 1, 2  # special cards
AGENT = 2  # view.memory: remembering is the agent's own work
PARTS = 10_000  # in which a view gives probabilities
WRONG = 1

MEMORY = KINDS  # dice noticed, by animal


@kernel
def recall(view, memory, remembered):
    """Fill ``remembered`` (int64 (9,)): from the view, or from what it once showed."""
    if view.memory != AGENT:
        for a in range(KINDS):
            remembered[a] = view.remembered[a]
        return
    if view.phase == LOOK or (view.phase == CHAIN and cards_of(view, 1) == 0):
        for a in range(KINDS):
            memory[a] = view.remembered[a]
    for a in range(KINDS):
        remembered[a] = np.int64(memory[a])


@kernel
def cards_of(view, seat):
    """How many cards in the chain are those of relative seat ``seat − 1``."""
    cards = 0
    for i in range(view.chain_length):
        cards += view.chain_seats[i] == seat
    return cards


@kernel
def count_chain(view, played):
    """Fill ``played`` (int64 (9,)): cards of each animal in the chain, as far as they are known."""
    played[:] = 0
    for i in range(view.chain_length):
        if view.chain_animals[i] > 0:
            played[view.chain_animals[i] - 1] += 1


@kernel
def unknown_cards(view):
    """Face-down cards in the chain that this seat does not know."""
    unknown = 0
    for i in range(view.chain_length):
        unknown += view.chain_animals[i] == 0
    return unknown


# -- certain cards ---------------------------------------------------------------------------------


@kernel
def certain_card(view, mask, remembered):
    """The animal of a card that is right for sure, the scarcest first; −1 if there is none.

    A card is right if more dice are remembered that show its animal than cards of it can lie there.
    """
    played = np.empty(KINDS, np.int64)
    count_chain(view, played)
    unknown = unknown_cards(view)
    best = -1
    fewest = DICE + 1
    for a in range(KINDS):
        free = remembered[a] - played[a] - unknown
        if mask[a] and 0 < free < fewest:
            best = a
            fewest = free
    return best


def cautious(view, obs, mask, memory, params, rng):
    """Plays only what it remembers and can still claim: a card with a remembered die left for it.

    Why: one error loses the whole round, and such a card cannot be wrong. It plays the scarcest first,
    which others would take; it keeps the lid open as long as it may; jokers it uses, should it need them.
    """
    remembered = np.empty(KINDS, np.int64)
    recall(view, memory, remembered)
    if view.phase == LOOK:
        return KEEP_OPEN
    if view.phase == JOKERS:
        return USE_JOKERS
    card = certain_card(view, mask, remembered)
    return card if card >= 0 and not view.again else PASS


# -- the odds of one more card ---------------------------------------------------------------------

(
    DOUBT, SPECIAL, JOKER_PRICE, URGENCY, HUNGER, GO, WIN, PRESS, EXTRA_PRICE, HIDE, LEAD, TICKS,
) = range(12)  # fmt: skip


@kernel
def own_ranks(view, ranks, next_rank):
    """Which cards of the chain are own ones, and the number of the next card of each animal.

    ``ranks`` int64 (9, 2): numbers of the own cards, counted from 1 among the cards of their animal; 0:
    none. ``next_rank`` int64 (9,).
    """
    ranks[:] = 0
    next_rank[:] = 1
    for i in range(view.chain_length):
        a = np.int64(view.chain_animals[i]) - 1
        if a >= 0:
            if view.chain_seats[i] == 1:
                ranks[a, 1 if ranks[a, 0] else 0] = next_rank[a]
            next_rank[a] += 1


@kernel
def worth(view, params, odds, ranks, cards):
    """What ``cards`` own cards with these ranks are worth in the end, in cards.

    All of them are gone if they are right, or if the wrong ones can be rescued by jokers; otherwise there
    is a special card. P(so many are wrong) is put together animal by animal, as if independent.
    """
    most = np.int64(view.special[JOKER])
    wrong = np.zeros(4)  # P(0, 1, 2, 3 wrong so far)
    wrong[0] = 1.0
    for a in range(KINDS):
        if ranks[a, 0] > 0:
            first = odds[a, min(ranks[a, 0], DICE + 1)]
            both = first if ranks[a, 1] == 0 else odds[a, min(ranks[a, 1], DICE + 1)]
            last = 1.0 - first if ranks[a, 1] > 0 else 0.0
            one = (first - both) if ranks[a, 1] > 0 else 1.0 - first
            for w in range(most, -1, -1):
                p = wrong[w] * both
                if w >= 1:
                    p += wrong[w - 1] * one
                if w >= 2:
                    p += wrong[w - 2] * last
                wrong[w] = p
    value = 0.0
    failed = 1.0
    for w in range(most + 1):
        failed -= wrong[w]
        value += wrong[w] * (gain(view, params, cards) - w * params[JOKER_PRICE])
    return value + failed * params[SPECIAL]


@kernel
def gain(view, params, cards):
    """Worth of getting rid of so many cards: more if they win, less if another will have won."""
    left = view.cards_left[0] - cards
    best = 100  # cards that the others will have left, if theirs are right
    for k in range(1, view.players):
        best = min(best, view.cards_left[k] - cards_of(view, 1 + k))
    if left <= view.win_threshold and left <= best:
        return cards + params[WIN]
    if best <= view.win_threshold:
        return cards * (1.0 - params[PRESS])
    return np.float64(cards)


@kernel
def loss_by_waiting(view, params, odds, animal, rank):
    """How much of the chance of an own card others are expected to take, if it is played later.

    Of the cards of this animal that those still in the chain have left, another one comes first with the
    probability ``hunger`` each time, one after the other.
    """
    rivals = 0
    for k in range(1, view.players):
        if not view.passed[k]:
            rivals += view.left[k, animal]
            for i in range(view.chain_length):
                shown = view.chain_seats[i] == 1 + k and view.chain_animals[i] == 1 + animal
                rivals -= shown
    loss = 0.0
    comes = 1.0
    for t in range(rank, min(rank + rivals, DICE + 1)):
        comes *= params[HUNGER]
        loss += comes * (odds[animal, t] - odds[animal, t + 1])
    return loss


@kernel
def weigh_cards(view, mask, params, remembered, values, losses):
    """What a card of each legal animal is worth if it is played now, and what waiting would lose.

    Fills ``values`` and ``losses`` (float64 (9,)); returns what it is worth to stop, in the same cards.
    """
    odds = np.empty((KINDS, DICE + 2))
    chances(view, remembered, params[DOUBT], odds)
    ranks = np.empty((KINDS, 2), np.int64)
    next_rank = np.empty(KINDS, np.int64)
    own_ranks(view, ranks, next_rank)
    cards = cards_of(view, 1)
    for a in range(KINDS):
        if mask[a]:
            rank = min(next_rank[a], DICE + 1)
            place = 1 if ranks[a, 0] else 0
            ranks[a, place] = rank
            values[a] = worth(view, params, odds, ranks, cards + 1)
            ranks[a, place] = 0
            losses[a] = loss_by_waiting(view, params, odds, a, rank)
    return worth(view, params, odds, ranks, cards)


@kernel
def best_card(mask, params, values, losses):
    """The legal animal of the best card, scarce ones sooner; −1 if there is none."""
    best = -1
    for a in range(KINDS):
        if mask[a] and (best < 0 or urgent(params, values, losses, a, best)):
            best = a
    return best


@kernel
def urgent(params, values, losses, a, b):
    """Whether animal ``a`` is rather played now than ``b``."""
    return values[a] - values[b] > params[URGENCY] * (losses[b] - losses[a])


@kernel
def card_or_pass(view, mask, params, remembered):
    """The best card, if it is better to play it than to stop."""
    values = np.empty(KINDS)
    losses = np.empty(KINDS)
    stop = weigh_cards(view, mask, params, remembered, values, losses)
    best = best_card(mask, params, values, losses)
    if best < 0 or values[best] + params[GO] <= stop:
        return PASS
    if view.again and losses[best] <= params[EXTRA_PRICE]:
        return PASS
    if mask[FACE_DOWN_FROM + best] and losses[best] > params[HIDE]:
        return FACE_DOWN_FROM + best
    return best


@kernel
def close_or_not(view, params, remembered):
    """Close once this seat has noticed more than can be expected of the others, or after some ticks."""
    missed = 1.0
    noticed = 0
    for _ in range(view.ticks):
        missed *= 1.0 - view.notice / PARTS
    for a in range(KINDS):
        noticed += remembered[a]
    ahead = noticed - DICE * (1.0 - missed)
    return CLOSE if ahead >= params[LEAD] or view.ticks >= params[TICKS] else KEEP_OPEN


@kernel
def joker_decision(view, params):
    """Use jokers if the cards that they save are worth more than they and a special card."""
    wrong = 0
    for i in range(view.chain_length):
        wrong += view.chain_seats[i] == 1 and view.chain_right[i] == WRONG
    needed = 1 if view.takeback else wrong
    saved = gain(view, params, cards_of(view, 1)) - needed * params[JOKER_PRICE]
    return USE_JOKERS if saved > params[SPECIAL] else DECLINE


@kernel
def odds_choice(view, mask, params, remembered):
    if view.phase == LOOK:
        return close_or_not(view, params, remembered)
    if view.phase == JOKERS:
        return joker_decision(view, params)
    return card_or_pass(view, mask, params, remembered)


def odds(view, obs, mask, memory, params, rng):
    """Weighs the chance that one more card is right against what is at stake, and goes on while it pays.

    Why: one error loses all. From the dice it remembers, the others' cards (who tell what they saw) and
    the faces of the dice follow the chances that so many dice show an animal. It plays the card with the
    best expectation, scarce animals sooner, as long as that beats stopping; counts its jokers in; hides a
    card that takes the last die; and closes the lid when it has seen more than its share.
    """
    remembered = np.empty(KINDS, np.int64)
    recall(view, memory, remembered)
    return odds_choice(view, mask, params, remembered)


DOUBT_MEANT = "how often others are thought to play a wrong card, to a right one"
ODDS = (
    Parameter(
        "doubt",
        0.4,
        0.001,
        1,
        DOUBT_MEANT,
    ),
    Parameter("special", 0.55, 0, 10, "worth of a special card, in cards"),
    Parameter("joker", 0.45, 0, 10, "price of a joker, in cards"),
    Parameter(
        "urgency",
        0.6,
        0,
        10,
        "weight of the chance that is lost by playing a card later",
    ),
    Parameter(
        "hunger", 0.9, 0, 1, "how likely another's card of the same animal is thought to come first"
    ),
    Parameter("go", 0, -5, 5, "worth of staying in the chain, in cards"),
    Parameter("win", 2.4, 0, 50, "worth of winning the game, in cards"),
    Parameter("press", 0.2, 0, 1, "how much less cards are worth if another is about to win"),
    Parameter("extra", 0.1, 0, 10, "price of an extra card, in cards"),
    Parameter("hide", 0.3, 0, 2, "plays face down what would lose more than this by waiting"),
    Parameter(
        "lead", 1.6, -15, 15, "closes the lid with so many more dice noticed than expected …"
    ),
    Parameter("ticks", 6, 1, 1000, "… or after so many ticks"),
)


# -- search ----------------------------------------------------------------------------------------


USUAL_ODDS = np.array([parameter.default for parameter in ODDS], np.float32)


@kernel
def quick_choice(view, mask, rng):
    """How searches play on: by the odds, with what the imagined view remembers."""
    remembered = np.empty(KINDS, np.int64)
    for a in range(KINDS):
        remembered[a] = view.remembered[a]
    return odds_choice(view, mask, USUAL_ODDS, remembered)


register_quick_policy(GAME, quick_choice)


@kernel
def keep_candidates(view, mask, remembered, count):
    """Leave in ``mask`` the ``count`` best cards by the odds, the first one face down, too, and PASS."""
    values = np.empty(KINDS)
    losses = np.empty(KINDS)
    weigh_cards(view, mask, USUAL_ODDS, remembered, values, losses)
    left = mask.copy()
    mask[:PASS] = 0
    for k in range(count):
        best = best_card(left, USUAL_ODDS, values, losses)
        if best < 0:
            return
        left[best] = 0
        mask[best] = 1
        if k == 0:
            mask[FACE_DOWN_FROM + best] = left[FACE_DOWN_FROM + best]


SIMULATIONS, CANDIDATES, MODEL = range(3)


def monte_carlo(view, obs, mask, memory, params, rng):
    """Tries passing and the best cards in many imagined rounds and takes what leads by most on average.

    Why: it sees what a card takes from the others, and when to stop without a rule for it. Dice not
    remembered, others' memories, hands and special cards are laid out anew each time; rounds in which the
    others have played wrong cards count little. Everybody plays on by the odds, to the end of the
    round; a lead is in cards got rid of. Jokers it uses whenever it may.
    """
    if view.phase == JOKERS:
        return USE_JOKERS
    remembered = np.empty(KINDS, np.int64)
    recall(view, memory, remembered)
    root = scratch_views(view, 1)
    root[0] = view
    if view.memory == AGENT:  # imagined as if the view showed what it remembers
        root[0].memory = 0
        root[0].forget = 0
        for a in range(KINDS):
            root[0].remembered[a] = remembered[a]
    tried = mask.copy()
    if view.phase == CHAIN:
        keep_candidates(view, tried, remembered, int(params[CANDIDATES]))
    return flat_monte_carlo(root, tried, int(params[SIMULATIONS]), params[MODEL:], 1, rng)


AGENTS = (
    Entry("cautious", cautious, memory=MEMORY),
    Entry("odds", odds, ODDS, memory=MEMORY),
    Entry(
        "monte_carlo",
        monte_carlo,
        (
            Parameter(
                "simulations", 100, 1, 1_000_000, "imagined rounds for each action", whole=True
            ),
            Parameter("candidates", 3, 1, 9, "cards that it tries", whole=True),
            Parameter("doubt", 0.3, 0.001, 1, DOUBT_MEANT),
        ),
        memory=MEMORY,
        slow=True,
    ),
)
