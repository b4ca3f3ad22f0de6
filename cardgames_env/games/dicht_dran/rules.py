"""Dicht dran: the rule kernel. Rule and D numbers as in ``docs/games/dicht_dran.md``.

All functions take one STATE record ``s`` (see ``state.py``).
"""

from __future__ import annotations

import numpy as np

from cardgames_env.core import bits
from cardgames_env.core.game import ILLEGAL, OK, OVER, ranks_of
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import seed_stream, shuffle
from cardgames_env.games.dicht_dran.state import CARDS, CIRCLE, DRAWN_CARDS, HAND, HIGHEST, LOWEST


@kernel
def deal(s, seed):
    """Begin the game: the first deal of the chance stream with key ``seed``."""
    seed_stream(s.rng, seed)
    begin_game(s)
    deal_cards(s)
    begin_deal(s)


@kernel
def begin_game(s):
    """Nothing scored, nothing played."""
    s.deal = 0
    s.total[:] = 0
    s.scores[:] = 0
    s.rounds_total = 0
    s.last_plays[:] = 0
    s.last_winner = -1
    s.last_target = 0


@kernel
def deal_cards(s):
    """Rule 1: the circle, eight cards to each player, the rest is the pile."""
    for k in range(DRAWN_CARDS):
        s.pile[k] = 2 + k
    shuffle(s.rng, s.pile, DRAWN_CARDS)
    s.circle[0] = LOWEST
    s.circle[1] = s.pile[0]
    s.circle[2] = s.pile[1]
    s.circle[3] = HIGHEST
    s.circle[4] = s.pile[2]
    s.circle[5] = s.pile[3]
    s.pile_next = 4
    s.pile_end = DRAWN_CARDS
    s.hand[:] = 0
    s.hand_size[:] = 0
    for p in range(s.players):
        for _ in range(HAND):
            draw(s, p)


@kernel
def begin_deal(s):
    """The cards are dealt: round 1, seat 0 to choose."""
    s.rounds_done = 0
    begin_round(s, 1)
    s.chosen[:] = 0
    s.discard_size = 0
    s.won_peppers[:] = 0
    s.played_by[:] = 0
    s.won_by[:] = 0
    s.seen[:] = 0
    for k in range(CIRCLE):
        s.seen[np.uint64(s.circle[k] - 1)] = 1


@kernel
def draw(s, p):
    """Seat ``p`` takes the next card of the pile, which is not empty."""
    bits.add(s.hand[p], s.pile[s.pile_next] - 1)
    s.pile_next += 1
    s.hand_size[p] += 1


@kernel
def to_act(s):
    return s.to_act


@kernel
def legal(s, mask):
    """A seat may play any card of its hand."""
    bits.expand(s.hand[s.to_act], mask)


@kernel
def clockwise(p, seat, n):
    """How many places clockwise of ``seat`` seat ``p`` sits (a remainder takes ten times as long)."""
    return p - seat if p >= seat else p - seat + n


@kernel
def begin_round(s, number):
    """Rule 2: target and gap of the round, the gap between the target's neighbours; seat 0 to choose."""
    position = number % CIRCLE
    left = s.circle[(position + CIRCLE - 1) % CIRCLE]
    right = s.circle[(position + 1) % CIRCLE]
    s.round_number = number
    s.target_position = position
    s.gap_low = min(left, right)
    s.gap_high = max(left, right)
    s.to_act = 0


@kernel
def apply(s, action):
    """The seat to act chooses card ``action + 1``; the last choice of a round resolves it."""
    if s.to_act < 0:
        return OVER
    p = s.to_act
    if action < 0 or action >= CARDS or not bits.has(s.hand[p], action):
        return ILLEGAL
    bits.remove(s.hand[p], action)
    s.hand_size[p] -= 1
    s.chosen[p] = action + 1
    s.to_act = p + 1
    if s.to_act == s.players:
        resolve_round(s)
    return OK


@kernel
def closest(s):
    """Rule 4: the seat whose card is closest to the target; of two equally close, the higher."""
    target = np.int64(s.circle[s.target_position])
    best = 0
    best_distance = np.int64(CARDS)
    for p in range(s.players):
        distance = abs(np.int64(s.chosen[p]) - target)
        if distance < best_distance or (distance == best_distance and s.chosen[p] > s.chosen[best]):
            best = p
            best_distance = distance
    return best


@kernel
def resolve_round(s):
    """Actions 2 to 4 of a round in which everyone has chosen, and what follows from them."""
    low, high = s.gap_low, s.gap_high  # rule 5: the gap that stood while cards were chosen
    winner = closest(s)
    take_target(s, winner)
    discard_others(s, winner, low, high)
    renewed = draw_for_misses(s, winner, low, high)
    note_round(s, winner)
    if deal_is_over(s, renewed):
        score_deal(s)
    else:
        begin_round(s, s.round_number + 1)


@kernel
def take_target(s, winner):
    """Rule 4: the winner takes the target, and the winning card takes its place in the circle."""
    position = s.target_position
    target = s.circle[position]
    s.prizes[s.rounds_done] = target
    s.won_by[np.uint64(target - 1)] = 1 + winner
    s.winners[s.rounds_done] = winner
    s.won_peppers[winner] += s.peppers[target - 1]
    s.last_target = target
    s.circle[position] = s.chosen[winner]


@kernel
def misses(s, p, winner, low, high):
    """Whether seat ``p`` is neither closest nor in the gap."""
    return p != winner and (s.chosen[p] < low or s.chosen[p] > high)


@kernel
def discard_others(s, winner, low, high):
    """D3: first the cards in the gap, in seat order, then those that miss it, in seat order."""
    for p in range(s.players):
        if p != winner and not misses(s, p, winner, low, high):
            discard(s, p)
    for p in range(s.players):
        if misses(s, p, winner, low, high):
            discard(s, p)


@kernel
def discard(s, p):
    s.discard[s.discard_size] = s.chosen[p]
    s.discard_size += 1


@kernel
def draw_for_misses(s, winner, low, high):
    """Rule 6, D3: in seat order, each draws a card for every pepper on the card that missed.

    Returns whether the pile had to be renewed.
    """
    renewed = False
    for p in range(s.players):
        if misses(s, p, winner, low, high):
            for _ in range(s.peppers[s.chosen[p] - 1]):
                if s.pile_next == s.pile_end:  # D4: only when a card is owed
                    renew_pile(s)
                    renewed = True
                draw(s, p)
    return renewed


@kernel
def renew_pile(s):
    """D4: the whole discard pile, this round's discards included, is shuffled and becomes the pile."""
    shuffle(s.rng, s.discard, s.discard_size)
    for k in range(s.discard_size):
        s.pile[k] = s.discard[k]
    s.pile_next = 0
    s.pile_end = s.discard_size
    s.discard_size = 0


@kernel
def note_round(s, winner):
    """D7: what was played and who won is public. The table is cleared for the next choices."""
    for p in range(s.players):
        c = np.uint64(s.chosen[p] - 1)
        s.seen[c] = 1
        s.played_by[c] = 1 + p
        s.last_plays[p] = s.chosen[p]
        s.chosen[p] = 0
    s.last_winner = winner
    s.rounds_done += 1
    s.rounds_total += 1


@kernel
def deal_is_over(s, renewed):
    """Rule 7, D5: someone has no card left, or the pile is empty or had to be renewed."""
    if renewed or s.pile_next == s.pile_end:
        return True
    for p in range(s.players):
        if s.hand_size[p] == 0:
            return True
    return False


@kernel
def score_deal(s):
    """Rule 8: peppers won less peppers in hand; then the next deal, or the end of the game."""
    # A searcher's state has fewer rows than a long game has deals: there the last row takes the rest.
    row = min(s.deal, len(s.scores) - 1)
    for p in range(s.players):
        points = s.won_peppers[p] - peppers_in_hand(s, p)
        s.scores[row, p] += points
        s.total[p] += points
    if s.deal + 1 < s.deals:
        s.deal += 1
        deal_cards(s)
        begin_deal(s)
    else:
        s.to_act = -1


@kernel
def peppers_in_hand(s, p):
    count = 0
    for w in range(2):
        word = s.hand[p, w]
        while word != 0:
            count += s.peppers[w * bits.WORD_BITS + bits.lowest_bit(word)]
            word &= word - bits.ONE
    return count


@kernel
def returns(s, out):
    """Points of the finished deals."""
    for p in range(s.players):
        out[p] = s.total[p]


@kernel
def ranks(s, out):
    """D6: no tie-break; equals share a place."""
    ranks_of(s.total, s.players, out)


@kernel
def rounds(s):
    """Rounds resolved in all deals of the game."""
    return s.rounds_total


@kernel
def begin_game_row(states, i):
    """For a scripted deal: ``begin_game`` of row ``i``."""
    begin_game(states[i])


@kernel
def begin_deal_row(states, i):
    """For a scripted deal: ``begin_deal`` of row ``i``."""
    begin_deal(states[i])
