"""Dicht dran: what the decision log tells of a card played, beside what it tells in every game."""

from __future__ import annotations

from cardgames_env.core import bits
from cardgames_env.core.game import LogColumn
from cardgames_env.core.jit import kernel

COLUMNS = (
    LogColumn("deal_number", "deal of the game, from 0"),
    LogColumn("round_number", "round of the deal, from 1", "i1"),
    LogColumn("target", "the target card", "i1"),
    LogColumn("gap_low", "lowest number that lay in the gap", "i1"),
    LogColumn("gap_high", "highest number that lay in the gap", "i1"),
    LogColumn("card", "the card played", "i1"),
    LogColumn("peppers", "peppers on the card played", "i1"),
    LogColumn("gap_cards", "cards in hand that lay in the gap, the card played included", "i1"),
    LogColumn("hand_size", "cards in hand, the card played included", "i1"),
    LogColumn("pile_size", "cards in the draw pile", "i1"),
    LogColumn("in_gap", "whether the card played lay in the gap", "?"),
    LogColumn("won", "whether the card played was closest and took the target", "?"),
    LogColumn("drawn", "cards drawn because the card missed; 0 if it won or lay in the gap", "i1"),
)
(
    DEAL_NUMBER, ROUND_NUMBER, TARGET, GAP_LOW, GAP_HIGH, CARD, PEPPERS, GAP_CARDS, HAND_SIZE,
    PILE_SIZE, IN_GAP, WON, DRAWN,
) = range(len(COLUMNS))  # fmt: skip


@kernel
def note_before(s, action, row):
    """The round as it lies before the seat to act plays card ``action + 1``."""
    card = action + 1
    row[DEAL_NUMBER] = s.deal
    row[ROUND_NUMBER] = s.round_number
    row[TARGET] = s.circle[s.target_position]
    row[GAP_LOW] = s.gap_low
    row[GAP_HIGH] = s.gap_high
    row[CARD] = card
    row[PEPPERS] = s.peppers[action]
    row[GAP_CARDS] = gap_cards(s, s.to_act)
    row[HAND_SIZE] = s.hand_size[s.to_act]
    row[PILE_SIZE] = s.pile_end - s.pile_next
    row[IN_GAP] = s.gap_low <= card <= s.gap_high


@kernel
def gap_cards(s, p):
    """How many cards in the hand of seat ``p`` lie in the gap."""
    count = 0
    for card in range(s.gap_low, s.gap_high + 1):
        count += bits.has(s.hand[p], card - 1)
    return count


@kernel
def note_after(s, rows, i):
    """Rules 4 to 6: the last choice of a round settles the rows of all seats, the last in ``rows``."""
    if s.to_act > 0:
        return
    first = i + 1 - s.players
    for p in range(s.players):
        row = rows[first + p]
        row[WON] = p == s.last_winner
        row[DRAWN] = 0 if row[WON] or row[IN_GAP] else row[PEPPERS]
