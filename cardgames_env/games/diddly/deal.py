"""Diddly: setting up a deal that the user gives, card by card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardgames_env.core.game import check_deal_keys, is_list, whole_numbers
from cardgames_env.games.diddly import rules
from cardgames_env.games.diddly.state import CARDS, COPIES, NAMES, TYPES

KEYS = ("boards", "deck", "discard")


def set_deal(states: np.ndarray, i: int, deal: Mapping[str, Any]) -> None:
    """Set up the first round of state ``i`` from ``boards``, ``deck`` and ``discard``.

    The chance stream must have been seeded. Raises ValueError naming what the set-up could not make;
    the state is untouched then.
    """
    s = states[i]
    boards, deck, discard = checked_deal(deal, int(s["players"]), 2 * int(s["columns"]))
    rules.begin_game_row(states, i)
    for p, board in enumerate(boards):
        s["hidden"][p, : len(board)] = board
    s["deck"][:] = 0
    s["deck"][: len(deck)] = deck
    s["deck_next"] = 0
    s["deck_end"] = len(deck)
    s["discard_top"] = CARDS - len(discard)
    s["discard"][s["discard_top"] : CARDS] = discard[::-1]
    rules.begin_round_row(states, i)


def checked_deal(
    deal: Mapping[str, Any], players: int, places: int
) -> tuple[list[list[int]], list[int], list[int]]:
    """Boards, deck (next card first) and discard pile (top card last), checked against the set-up."""
    check_deal_keys(deal, KEYS)
    if not is_list(deal["boards"]):
        raise ValueError("deal: boards must be a list of boards")
    boards = [whole_numbers(board, f"boards[{p}]") for p, board in enumerate(deal["boards"])]
    deck = whole_numbers(deal["deck"], "deck")
    discard = whole_numbers(deal["discard"], "discard")
    if len(boards) != players:
        raise ValueError(f"deal: boards must be {players}, one a player, got {len(boards)}")
    for p, board in enumerate(boards):
        if len(board) != places:
            raise ValueError(f"deal: boards[{p}] must hold {places} cards, got {len(board)}")
    if not discard:
        raise ValueError("deal: discard must hold a card: the pile is never empty")
    cards = [card for board in boards for card in board] + deck + discard
    if len(cards) != CARDS:
        raise ValueError(f"deal: boards, deck and discard must be {CARDS} cards, got {len(cards)}")
    for card in cards:
        if not 0 <= card < TYPES:
            raise ValueError(f"deal: there is no card type {card} (types are 0 … {TYPES - 1})")
    for card, count in enumerate(COPIES):
        if cards.count(card) != count:
            raise ValueError(
                f"deal: there must be {count} of type {card} ({NAMES[card]}), got {cards.count(card)}"
            )
    return boards, deck, discard
