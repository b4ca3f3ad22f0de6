"""Dicht dran's agents: rules of thumb, from simple to weighed, and flat Monte Carlo.

All have the form of ``cardgames_env.core.policy`` and read the view alone. Cards are actions + 1.
"""

from __future__ import annotations

import numpy as np

from agents.registry import Entry, Parameter
from agents.search import NO_MODEL, TO_THE_END, flat_monte_carlo, register_quick_policy
from cardgames_env.core.game import get_game, scratch_views
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import uniform

GAME = get_game("dicht_dran_v0")
CARDS = GAME.num_actions
CIRCLE = 6


@kernel
def beats(card, other, target):
    """Whether ``card`` is closer to the target than ``other``; of two equally close, the higher."""
    distance = abs(card - target)
    other_distance = abs(other - target)
    return distance < other_distance or (distance == other_distance and card > other)


@kernel
def in_gap(view, card):
    return view.gap_low <= card <= view.gap_high


@kernel
def closest_action(view, mask):
    """The legal card closest to the target, of two the higher."""
    best = -1
    for a in range(CARDS):
        if mask[a] and (best < 0 or beats(a + 1, best + 1, view.target)):
            best = a
    return best


@kernel
def safe_gap_action(view, mask):
    """The dearest legal card in the gap; without one, the cheapest, of equals the closest."""
    safe = -1
    miss = -1
    for a in range(CARDS):
        if not mask[a]:
            continue
        if in_gap(view, a + 1):
            if safe < 0 or view.peppers[a] > view.peppers[safe]:
                safe = a
        elif (
            miss < 0
            or view.peppers[a] < view.peppers[miss]
            or (view.peppers[a] == view.peppers[miss] and beats(a + 1, miss + 1, view.target))
        ):
            miss = a
    return safe if safe >= 0 else miss


def closest(view, obs, mask, memory, params, rng):
    """Always plays the card nearest to the target, of two the higher.

    Why: whoever is closest takes the target and draws nothing. It looks neither at the gap nor at what
    a miss costs, so it is the measure of plain ambition.
    """
    return closest_action(view, mask)


def safe_gap(view, obs, mask, memory, params, rng):
    """Plays a card in the gap whenever it has one, the one with most peppers.

    Why: a card in the gap is shed at no risk, and peppers in hand cost at the end. Without a gap card
    it takes the cheapest miss (fewest peppers, so fewest draws), of those the one closest to the
    target, which may still win. It never bids for a target on purpose.
    """
    return safe_gap_action(view, mask)


CONTEST, PRIZE, SHED, MISS, FUTURE, ENDING = range(6)


@kernel
def chance_to_win(view, card, contest):
    """The probability that no other seat plays a card closer to the target than ``card``.

    The cards this seat has not seen lie in the others' hands and the pile, each arrangement as likely
    as any other. A seat that holds a better card plays it with probability ``contest``.
    """
    unseen = 0
    better = 0
    for c in range(CARDS):
        if not view.seen[c] and not view.hand[c]:
            unseen += 1
            better += beats(c + 1, card, view.target)
    chance = 1.0
    for k in range(1, view.players):
        none_better = 1.0  # hypergeometric: none of the seat's cards is among the better ones
        for drawn in range(view.hand_sizes[k]):
            none_better *= max(0.0, 1.0 - better / (unseen - drawn))
        chance *= 1.0 - contest * (1.0 - none_better)
    return chance


@kernel
def rounds_it_fits(view, card):
    """In how many of the next five rounds the card would lie in the gap, as the circle lies now."""
    count = 0
    for ahead in range(1, CIRCLE):
        position = view.target_position + ahead
        left = view.circle[(position + CIRCLE - 1) % CIRCLE]
        right = view.circle[(position + 1) % CIRCLE]
        count += min(left, right) <= card <= max(left, right)
    return count


@kernel
def balanced_action(view, mask, params):
    smallest_hand = view.hand_sizes[0]
    for k in range(1, view.players):
        smallest_hand = min(smallest_hand, view.hand_sizes[k])
    # A card drawn late is more likely to be in hand when the peppers are counted.
    price = params[MISS] + params[ENDING] / smallest_hand
    best = -1
    best_value = -np.inf
    for a in range(CARDS):
        if not mask[a]:
            continue
        card = a + 1
        chance = chance_to_win(view, card, params[CONTEST])
        value = params[PRIZE] * chance * view.peppers[view.target - 1]
        value += params[SHED] * view.peppers[a]
        value -= params[FUTURE] * rounds_it_fits(view, card)
        if not in_gap(view, card):
            value -= (1.0 - chance) * price * view.peppers[a]
        if value > best_value:
            best = a
            best_value = value
    return best


def balanced(view, obs, mask, memory, params, rng):
    """Plays the card with the most expected points: the prize, the card shed, the price of a miss.

    Why: a bid is worth its chance to win times the target's peppers; any card played is peppers shed;
    a miss outside the gap draws as many cards as it shows peppers. The chance to win counts, among the
    cards not yet seen, those that would beat the card, and how many each opponent holds. A card that
    will fit the gaps to come is worth keeping. The default weights were
    found by a cross-entropy search against the other rules here and itself.
    """
    return balanced_action(view, mask, params)


REACH = 12  # distance to the target from which the quick policy never bids outside the gap


@kernel
def quick_action(view, mask, rng):
    """Searches play on with this: a bid with the closest card where that is safe, or near by chance.

    The nearer the card, the likelier the bid; otherwise as ``safe_gap``. Playing on with ``safe_gap``
    or ``closest`` alone makes the search believe in opponents who never, or always, bid.
    """
    bid = closest_action(view, mask)
    distance = abs(bid + 1 - view.target)
    if in_gap(view, bid + 1) or REACH * uniform(rng) > distance:
        return bid
    return safe_gap_action(view, mask)


register_quick_policy(GAME, quick_action)


def monte_carlo(view, obs, mask, memory, params, rng):
    """Tries every card in many imagined deals and plays the one with the best mean lead.

    Why: it needs no rule of thumb for what a card is worth later. The hidden cards are laid out anew
    each time, uniformly over what agrees with the view; the rest of this deal is played by a quick
    policy at every seat; later deals are left out, being the same for every card.
    """
    root = scratch_views(view, 1)
    root[0] = view
    root[0].deals_left = 0
    return flat_monte_carlo(root, mask, int(params[0]), NO_MODEL, TO_THE_END, rng)


AGENTS = (
    Entry("closest", closest),
    Entry("safe_gap", safe_gap),
    Entry(
        "balanced",
        balanced,
        (
            Parameter("contest", 0.53, 0, 1, "chance that a seat with a closer card plays it"),
            Parameter("prize", 1.46, 0, 10, "worth of a pepper won"),
            Parameter("shed", 0.49, 0, 10, "worth of a pepper shed from hand"),
            Parameter("miss", 0.74, 0, 10, "price of a card drawn"),
            Parameter("future", 0.17, 0, 10, "worth of a coming round that the card would fit"),
            Parameter(
                "ending", 0.38, 0, 10, "added price of a drawn card when a hand is down to one"
            ),
        ),
    ),
    Entry(
        "monte_carlo",
        monte_carlo,
        (Parameter("simulations", 30, 1, 1_000_000, "imagined deals for each card", whole=True),),
        slow=True,
    ),
)
