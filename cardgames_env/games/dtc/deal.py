"""DTC: setting up a deal that the user gives, card by card."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from cardgames_env.core.game import check_deal_keys, is_list, whole_number, whole_numbers
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
    if not is_list(deal["hands"]):
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


def every_deal(options: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], int]]:
    """Every deal that differs from the others, seat 0 leading, and its number of ways to come about.

    A hand is a set of cards, the pile an order; cards of a type are alike. A deal of these (checked)
    options has the probability ways / sum of all ways.
    """
    deck = (options["jokers"], *[options["copies"]] * options["values"])

    def deal_from(left, hands, ways):
        if len(hands) == options["num_players"]:
            alike = math.prod(math.factorial(count) for count in left)
            for pile in orders(left):
                yield {"first": 0, "hands": hands, "pile": pile}, ways * alike
            return
        for taken in takings(left, options["hand_size"]):
            hand = [card for card, count in enumerate(taken) for _ in range(count)]
            rest = tuple(have - gone for have, gone in zip(left, taken, strict=True))
            chosen = math.prod(
                math.comb(have, gone) for have, gone in zip(left, taken, strict=True)
            )
            yield from deal_from(rest, [*hands, hand], ways * chosen)

    return deal_from(deck, [], 1)


def takings(counts: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """All ways to take ``size`` cards from so many of each type: how many of each."""
    if not counts:
        if size == 0:
            yield ()
        return
    for taken in range(min(counts[0], size) + 1):
        for rest in takings(counts[1:], size - taken):
            yield (taken, *rest)


def orders(counts: tuple[int, ...]) -> Iterator[list[int]]:
    """All orders of so many cards of each type, cards of a type alike."""
    if not any(counts):
        yield []
    for card, count in enumerate(counts):
        if count > 0:
            for rest in orders((*counts[:card], count - 1, *counts[card + 1 :])):
                yield [card, *rest]
