"""Dicht dran: setting up a deal that the user gives, card by card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardgames_env.core import bits
from cardgames_env.core.game import check_deal_keys, is_list, whole_numbers
from cardgames_env.games.dicht_dran import rules
from cardgames_env.games.dicht_dran.state import CARDS, CIRCLE, DRAWN_CARDS, HAND, HIGHEST, LOWEST

KEYS = ("circle", "hands", "pile")


def set_deal(states: np.ndarray, i: int, deal: Mapping[str, Any]) -> None:
    """Set up the first deal of state ``i`` from ``circle``, ``hands`` and ``pile``.

    The chance stream must have been seeded. Raises ValueError naming what the set-up could not make;
    the state is untouched then.
    """
    players = int(states["players"][i])
    circle, hands, pile = checked_deal(deal, players)
    s = states[i]
    rules.begin_game_row(states, i)
    s["circle"][:] = circle
    s["hand"][:] = 0
    s["hand_size"][:] = 0
    for p, hand in enumerate(hands):
        s["hand_size"][p] = len(hand)
        for card in hand:
            bits.add(s["hand"][p], card - 1)
    s["pile"][: len(pile)] = pile
    s["pile_next"] = 0
    s["pile_end"] = len(pile)
    rules.begin_deal_row(states, i)


def checked_deal(
    deal: Mapping[str, Any], players: int
) -> tuple[list[int], list[list[int]], list[int]]:
    """Circle, hands and pile as plain lists, checked against rule 1."""
    check_deal_keys(deal, KEYS)
    circle = whole_numbers(deal["circle"], "circle")
    pile = whole_numbers(deal["pile"], "pile")
    if not is_list(deal["hands"]):
        raise ValueError("deal: hands must be a list of hands")
    hands = [whole_numbers(hand, f"hands[{p}]") for p, hand in enumerate(deal["hands"])]
    if len(circle) != CIRCLE:
        raise ValueError(f"deal: circle must hold {CIRCLE} cards, got {len(circle)}")
    for position, card in ((0, LOWEST), (3, HIGHEST)):
        if circle[position] != card:
            raise ValueError(
                f"deal: circle position {position} must hold the {card}, got {circle[position]}"
            )
    if len(hands) != players:
        raise ValueError(f"deal: hands must be {players}, one a player, got {len(hands)}")
    for p, hand in enumerate(hands):
        if len(hand) != HAND:
            raise ValueError(f"deal: hands[{p}] must hold {HAND} cards, got {len(hand)}")
    in_pile = DRAWN_CARDS - 4 - players * HAND
    if len(pile) != in_pile:
        raise ValueError(f"deal: pile must hold {in_pile} cards, got {len(pile)}")
    check_every_card_once([*circle, *pile, *(card for hand in hands for card in hand)])
    return circle, hands, pile


def check_every_card_once(cards: list[int]) -> None:
    for card in cards:
        if not LOWEST <= card <= HIGHEST:
            raise ValueError(f"deal: there is no card {card} (cards are {LOWEST} … {HIGHEST})")
    twice = sorted({card for card in cards if cards.count(card) > 1})
    if twice:
        raise ValueError(f"deal: card {twice[0]} lies in more than one place")
    assert len(cards) == CARDS
