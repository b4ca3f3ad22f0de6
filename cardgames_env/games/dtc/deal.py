"""DTC: setting up a deal that the user gives, card by card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardgames_env.core.game import check_deal_keys, whole_number, whole_numbers
from cardgames_env.games.dtc import rules
from cardgames_env.games.dtc.state import JOKER

KEYS = ("first", "hands", "pile")


def set_deal(states: np.ndarray, i: int, deal: Mapping[str, Any]) -> None:
    """Set up state ``i`` from ``first``, ``hands`` and ``pile`` (next card first).

    The chance stream must have been seeded. Raises ValueError naming what the set-up could not make;
    the state is untouched then.
    """
    s = states[i]
    first, hands, pile = checked_deal(deal, s)
    cards = [card for hand in hands for card in hand] + pile
    s["pile"][:] = 0
    s["pile"][: len(cards)] = cards
    s["pile_end"] = len(cards)
    s["first"] = first
    rules.begin_game_row(states, i)


def checked_deal(deal: Mapping[str, Any], s: Any) -> tuple[int, list[list[int]], list[int]]:
    """Leader, hands and pile as plain Python, checked against the set-up."""
    check_deal_keys(deal, KEYS)
    players, full_hand, values = int(s["players"]), int(s["full_hand"]), int(s["values"])
    try:
        first = whole_number(0, players - 1)(deal["first"])
    except ValueError as error:
        raise ValueError(f"deal: first {error}") from None
    if not isinstance(deal["hands"], (list, tuple, np.ndarray)):
        raise ValueError("deal: hands must be a list of hands")
    hands = [whole_numbers(hand, f"hands[{p}]") for p, hand in enumerate(deal["hands"])]
    pile = whole_numbers(deal["pile"], "pile")
    if len(hands) != players:
        raise ValueError(f"deal: hands must be {players}, one a player, got {len(hands)}")
    for p, hand in enumerate(hands):
        if len(hand) != full_hand:
            raise ValueError(f"deal: hands[{p}] must hold {full_hand} cards, got {len(hand)}")
    deck = {JOKER: int(s["jokers"])} | {v: int(s["copies"]) for v in range(1, values + 1)}
    in_pile = sum(deck.values()) - players * full_hand
    if len(pile) != in_pile:
        raise ValueError(f"deal: pile must hold {in_pile} cards, got {len(pile)}")
    cards = [card for hand in hands for card in hand] + pile
    for card in cards:
        if card not in deck:
            raise ValueError(
                f"deal: there is no card {card} (0 is a joker, values are 1 … {values})"
            )
    for card, count in deck.items():
        if cards.count(card) != count:
            name = "jokers" if card == JOKER else f"{card}s"
            raise ValueError(f"deal: there must be {count} {name}, got {cards.count(card)}")
    return first, hands, pile
