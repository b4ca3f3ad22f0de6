"""Agents for Diddly: rules of thumb that count cards, a look ahead, and search.

All are policies of the form told in ``cardgames_env.core.policy`` and read the view alone. A board is
eight codes as in the view: 0 for a card that this seat does not know, otherwise 1 + type. Values are
expected points of the own board, so that fewer are better.
"""

from __future__ import annotations

import numpy as np

from agents.registry import Entry, Parameter
from agents.search import NO_MODEL, flat_monte_carlo, register_quick_policy
from cardgames_env.core.game import get_game, scratch_views
from cardgames_env.core.jit import kernel
from cardgames_env.games.diddly.scoring import card_points, column_points

GAME = get_game("diddly_v0")
TYPES = 15
HALF, RECYCLE = 12, 14
PLACES = 8
FROM_DECK, FROM_DISCARD, FIRST_RECYCLE, DECLINE, FIRST_SWAP = 8, 9, 10, 25, 26
TURN_UP, PEEK, SWAP, DRAW, PLACE = range(5)
RECYCLED = 3  # where the card in hand comes from
PAIRS = np.array([(i, j) for i in range(PLACES) for j in range(i + 1, PLACES)], np.int64)

#: Rows of a table of expected column points: by code of one card, by code of the other.
CODES = TYPES + 1


@kernel
def in_deck(view, t):
    """Cards of type ``t`` that the next draw may be; of a renewed deck it is known (D6)."""
    return view.in_deck[t] if view.renewed and view.deck_size > 0 else view.unseen[t]


# -- what a board is worth -------------------------------------------------------------------------


@kernel
def price_columns(view, costs):
    """Fill ``costs`` (16, 16): expected points of a column of two codes, the unseen drawn evenly."""
    cards = 0
    for t in range(TYPES):
        cards += view.unseen[t]
    share = 1.0 / max(cards, 1)
    both = 0.0
    for a in range(TYPES):
        one = 0.0
        for b in range(TYPES):
            costs[1 + a, 1 + b] = column_points(a, b)
            one += share * view.unseen[b] * costs[1 + a, 1 + b]
        costs[1 + a, 0] = one
        costs[0, 1 + a] = one
        both += share * view.unseen[a] * one
    costs[0, 0] = both


@kernel
def price_at_the_mean(view, costs):
    """The same, but an unseen card counts as so many points as unseen cards have on average."""
    cards = 0
    mean = 0.0
    for t in range(TYPES):
        cards += view.unseen[t]
        mean += view.unseen[t] * card_points(t)
    mean /= max(cards, 1)
    for a in range(TYPES):
        for b in range(TYPES):
            costs[1 + a, 1 + b] = column_points(a, b)
        costs[1 + a, 0] = mean / 2 if a == HALF else card_points(a) + mean
        costs[0, 1 + a] = costs[1 + a, 0]
    costs[0, 0] = 2 * mean


@kernel
def board_cost(board, columns, costs):
    total = 0.0
    for c in range(columns):
        total += costs[board[2 * c], board[2 * c + 1]]
    return total


@kernel
def change(board, k, code, costs):
    """By how much the board's cost changes when the card of ``code`` replaces the one at ``k``."""
    other = board[k ^ 1]
    return costs[code, other] - costs[board[k], other]


@kernel
def best_place(board, columns, code, costs):
    """Where a card lowers the cost most, or raises it least; and the change."""
    best = 0
    best_change = np.inf
    for k in range(2 * columns):
        delta = change(board, k, code, costs)
        if delta < best_change:
            best = k
            best_change = delta
    return best, best_change


@kernel
def cost_once_placed(view, board, costs):
    """The cost of a board after the card in hand, if there is one, has gone to its best place."""
    cost = board_cost(board, view.columns, costs)
    if view.in_hand == 0:
        return cost
    best = np.inf
    for k in range(2 * view.columns):
        if view.source != RECYCLED or board[k] == 1 + RECYCLE:
            best = min(best, change(board, k, view.in_hand, costs))
    return cost + best


@kernel
def best_swap(view, costs, mask):
    """The swap that lowers the cost most, the card in hand placed after it; DECLINE if none does."""
    board = view.boards[0]
    best = DECLINE
    cost = cost_once_placed(view, board, costs)
    for a in range(len(PAIRS)):
        if mask[FIRST_SWAP + a]:
            i, j = PAIRS[a, 0], PAIRS[a, 1]
            board[i], board[j] = board[j], board[i]
            after = cost_once_placed(view, board, costs)
            board[i], board[j] = board[j], board[i]
            if after < cost - 1e-9:
                cost = after
                best = FIRST_SWAP + a
    return best


@kernel
def first_unknown(view, mask):
    """A legal position whose card the seat does not know yet, or any legal one."""
    for k in range(PLACES):
        if mask[k] and view.boards[0, k] == 0:
            return k
    for k in range(PLACES):
        if mask[k]:
            return k
    return -1


@kernel
def turn_up_apart(view, mask):
    """Turn up one card each of two columns: the most columns that can be matched from the start."""
    for c in range(view.columns):
        if mask[2 * c] and mask[2 * c + 1]:
            return 2 * c
    return first_unknown(view, mask)


# -- greedy ----------------------------------------------------------------------------------------


@kernel
def greedy_take(view, mask, costs):
    """The card to take: whose best place, on average, leaves the cheapest board."""
    board = view.boards[0]
    cards = 0
    deck = 0.0
    for t in range(TYPES):
        if in_deck(view, t) > 0:
            cards += in_deck(view, t)
            deck += in_deck(view, t) * best_place(board, view.columns, 1 + t, costs)[1]
    best = FROM_DECK
    best_change = deck / max(cards, 1)
    top = best_place(board, view.columns, view.discard[0], costs)[1]
    if top < best_change:
        best = FROM_DISCARD
        best_change = top
    for t in range(TYPES):
        if mask[FIRST_RECYCLE + t]:
            for k in range(2 * view.columns):
                if board[k] == 1 + RECYCLE and view.face_up[0, k]:
                    delta = change(board, k, 1 + t, costs)
                    if delta < best_change:
                        best = FIRST_RECYCLE + t
                        best_change = delta
    return best


@kernel
def greedy_place(view, mask, costs):
    best = -1
    best_change = np.inf
    for k in range(2 * view.columns):
        if mask[k]:
            delta = change(view.boards[0], k, view.in_hand, costs)
            if delta < best_change:
                best = k
                best_change = delta
    return best


@kernel
def greedy_action(view, mask, costs):
    if view.phase == TURN_UP:
        return turn_up_apart(view, mask)
    if view.phase == PEEK:
        return first_unknown(view, mask)
    if view.phase == SWAP:
        return best_swap(view, costs, mask)
    if view.phase == DRAW:
        return greedy_take(view, mask, costs)
    return greedy_place(view, mask, costs)


def greedy(view, obs, mask, memory, params, rng):
    """Takes and places what lowers its expected board most now, an unseen card counting the mean.

    Why: it is what every player learns first. It sees no use in a card that might be matched later, and
    does not ask whether finishing helps.
    """
    costs = np.empty((CODES, CODES))
    price_at_the_mean(view, costs)
    return greedy_action(view, mask, costs)


@kernel
def quick_action(view, mask, rng):
    """Searches play on with this: ``greedy``."""
    costs = np.empty((CODES, CODES))
    price_at_the_mean(view, costs)
    return greedy_action(view, mask, costs)


register_quick_policy(GAME, quick_action)


# -- pairs and lookahead: the same decisions, with other values of a board ------------------------------


@kernel
def cards_down(view, k):
    """Face-down cards of a seat."""
    down = 2 * view.columns
    for i in range(2 * view.columns):
        down -= view.face_up[k, i]
    return down


@kernel
def turns_to_come(view):
    """Own turns still to come, at a guess: as many as the furthest seat has cards face down."""
    if view.finished > 0:
        return 0
    fewest = cards_down(view, 0)
    for k in range(1, view.players):
        fewest = min(fewest, cards_down(view, k))
    return min(np.int64(fewest), np.int64(view.turns_left) - 1)


@kernel
def turns_denied(view):
    """How many turns finishing now would take from the others, at a guess: all but one of those that
    the furthest of them needs to finish itself."""
    fewest = np.int64(view.turns_left)
    for k in range(1, view.players):
        fewest = min(fewest, cards_down(view, k))
    return max(0, fewest - 1)


@kernel
def finishes(view, k):
    """Whether a card placed at ``k`` completes the board before any other is complete."""
    return view.finished == 0 and cards_down(view, 0) == 1 and not view.face_up[0, k]


@kernel
def gain_of_turn(view, board, costs):
    """How much a draw from the deck is expected to lower the cost of a board, at least 0."""
    cards = 0
    gain = 0.0
    for t in range(TYPES):
        if in_deck(view, t) > 0:
            cards += in_deck(view, t)
            gain -= in_deck(view, t) * best_place(board, view.columns, 1 + t, costs)[1]
    return max(0.0, gain / max(cards, 1))


@kernel
def others_gain(view, costs):
    """The mean of what the others' boards are expected to gain in one turn."""
    gain = 0.0
    for k in range(1, view.players):
        gain += gain_of_turn(view, view.boards[k], costs)
    return gain / (view.players - 1)


HOPE, PATIENCE, DENIAL = range(3)


@kernel
def hope_of_pairs(view, board, costs, turns):
    """Points that matches to come may save: the chance to draw one, for every column without."""
    cards = 0
    for t in range(TYPES):
        cards += in_deck(view, t)
    hope = 0.0
    for c in range(view.columns):
        a, b = board[2 * c], board[2 * c + 1]
        if a == b and a > 0:
            continue
        chance = 0.0
        for code in (a, b):
            if code > 0:
                missed = 1.0 - in_deck(view, code - 1) / max(cards, 1)
                chance = max(chance, 1.0 - missed**turns)
        hope += chance * costs[a, b]
    return hope


@kernel
def worth_by_pairs(view, board, costs, params, turns):
    """``pairs``: the cost of a board less what pairs to come may save."""
    if turns <= 0:
        return board_cost(board, view.columns, costs)
    hope = hope_of_pairs(view, board, costs, params[PATIENCE] * turns)
    return board_cost(board, view.columns, costs) - params[HOPE] * hope


@kernel
def worth_ahead(view, board, costs, params, turns):
    """``lookahead``: the cost of a board less what the next turns are expected to gain."""
    cost = board_cost(board, view.columns, costs)
    if turns <= 0:
        return cost
    return cost - params[HOPE] * turns ** params[PATIENCE] * gain_of_turn(view, board, costs)


@kernel
def worth(view, board, costs, params, turns, ahead):
    if ahead:
        return worth_ahead(view, board, costs, params, turns)
    return worth_by_pairs(view, board, costs, params, turns)


@kernel
def worth_placed(view, board, k, code, costs, params, turns, denied, ahead):
    """The value of the board with the card of ``code`` at ``k``.

    Finishing gives up the own turns to come; the others have one each, and are denied the rest.
    """
    before = board[k]
    board[k] = code
    if finishes(view, k):
        value = board_cost(board, view.columns, costs) - denied
    else:
        value = worth(view, board, costs, params, turns, ahead)
    board[k] = before
    return value


@kernel
def weighed_place(view, code, costs, params, turns, denied, ahead, only_recycles):
    """The best place for a card, and the value of the board then."""
    board = view.boards[0]
    best = -1
    best_value = np.inf
    for k in range(2 * view.columns):
        if only_recycles and not (board[k] == 1 + RECYCLE and view.face_up[0, k]):
            continue
        value = worth_placed(view, board, k, code, costs, params, turns, denied, ahead)
        if value < best_value:
            best = k
            best_value = value
    return best, best_value


@kernel
def weighed_take(view, mask, costs, params, turns, denied, ahead):
    cards = 0
    deck = 0.0
    for t in range(TYPES):
        if in_deck(view, t) > 0:
            cards += in_deck(view, t)
            deck += (
                in_deck(view, t)
                * weighed_place(view, 1 + t, costs, params, turns, denied, ahead, False)[1]
            )
    best = FROM_DECK
    best_value = deck / max(cards, 1)
    top = weighed_place(view, view.discard[0], costs, params, turns, denied, ahead, False)[1]
    if top < best_value:
        best = FROM_DISCARD
        best_value = top
    for t in range(TYPES):
        if mask[FIRST_RECYCLE + t]:
            value = weighed_place(view, 1 + t, costs, params, turns, denied, ahead, True)[1]
            if value < best_value:
                best = FIRST_RECYCLE + t
                best_value = value
    return best


@kernel
def weighed_action(view, mask, params, ahead):
    if view.phase == TURN_UP:
        return turn_up_apart(view, mask)
    if view.phase == PEEK:
        return first_unknown(view, mask)
    costs = np.empty((CODES, CODES))
    price_columns(view, costs)
    if view.phase == SWAP:
        return best_swap(view, costs, mask)
    turns = turns_to_come(view)
    denied = params[DENIAL] * turns_denied(view) * others_gain(view, costs)
    if view.phase == DRAW:
        return weighed_take(view, mask, costs, params, turns, denied, ahead)
    recycled = view.source == RECYCLED
    return weighed_place(view, view.in_hand, costs, params, turns, denied, ahead, recycled)[0]


def pairs(view, obs, mask, memory, params, rng):
    """Counts what has been seen: keeps cards whose match is likely to come, and finishes in time.

    Why: a column of equals is worth nothing, so a dear card with its like still to come is worth less
    than it shows; the unseen cards tell how likely that is in the turns that are left, and what every
    unknown card is expected to cost beside its neighbour. It finishes when the others lose more by it
    than its own board could still gain.
    """
    return weighed_action(view, mask, params, False)


def lookahead(view, obs, mask, memory, params, rng):
    """Looks a turn ahead: values a board with the best that every next card of the deck could do for it.

    Why: what a board can still gain is what the next draw, placed best, gains on average, over the
    counted deck; drawing blind is itself an average over the deck, so that this is two plies. It
    finishes by the same balance as ``pairs``, and swaps by cost alone.
    """
    return weighed_action(view, mask, params, True)


def monte_carlo(view, obs, mask, memory, params, rng):
    """Tries every action of a turn in many imagined deals and plays the one with the best mean lead.

    Why: it needs no rule of thumb for when to finish or what a card may become. Face-down cards and
    deck are laid out anew each time, uniformly over what agrees with the view; everybody plays on
    greedily to the end of the round. The two cards of the set-up it turns up by rule, and in the last
    round, too, it counts points, not places.
    """
    if view.phase == TURN_UP:
        return turn_up_apart(view, mask)
    root = scratch_views(view, 1)
    root[0] = view
    return flat_monte_carlo(root, mask, int(params[0]), NO_MODEL, 1, rng)


HOPE_MEANT = "worth of what is expected to be gained later"
PATIENCE_MEANT = "how it grows with the turns to come"
DENIAL_MEANT = "worth of the turns that finishing denies the others"

AGENTS = (
    Entry("greedy", greedy),
    Entry(
        "pairs",
        pairs,
        (
            Parameter("hope", 0.97, 0, 3, HOPE_MEANT),
            Parameter("patience", 1.33, 0, 3, PATIENCE_MEANT),
            Parameter("denial", 0.47, 0, 3, DENIAL_MEANT),
        ),
    ),
    Entry(
        "lookahead",
        lookahead,
        (
            Parameter("hope", 0.6, 0, 3, HOPE_MEANT),
            Parameter("patience", 0.9, 0, 3, PATIENCE_MEANT),
            Parameter("denial", 0.45, 0, 3, DENIAL_MEANT),
        ),
    ),
    Entry(
        "monte_carlo",
        monte_carlo,
        (Parameter("simulations", 30, 1, 1_000_000, "imagined deals for each action", whole=True),),
        slow=True,
    ),
)
