"""Dackel drauf!: setting up a deal that the user gives, card by card and die by die."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardgames_env.core.game import check_deal_keys, is_list, whole_number, whole_numbers
from cardgames_env.games.dackel_drauf import rules
from cardgames_env.games.dackel_drauf.state import (
    ANIMALS,
    CARDS,
    COPIES,
    DICE,
    KINDS,
    SPECIAL_CARDS,
    SPECIAL_COPIES,
    SPECIALS,
)

KEYS = ("starter", "piles", "dice", "special_pile")


def set_deal(states: np.ndarray, i: int, deal: Mapping[str, Any]) -> None:
    """Set up the first round of state ``i`` from ``starter``, ``piles``, ``dice``, ``special_pile``.

    The chance stream must have been seeded; the first tick of the look draws from it. Raises ValueError
    naming what the set-up could not make; the state is untouched then.
    """
    s = states[i]
    starter, piles, dice, special_pile = checked_deal(deal, s)
    s["starter"] = starter
    s["pile"][: len(piles)] = piles
    s["special_pile"] = special_pile
    rules.begin_game_row(states, i)
    s["dice"] = dice
    rules.begin_look_row(states, i)


def checked_deal(
    deal: Mapping[str, Any], s: Any
) -> tuple[int, list[list[int]], list[int], list[int]]:
    """Starting player, piles, dice and kinds of special cards, checked against the set-up."""
    check_deal_keys(deal, KEYS)
    players = int(s["players"])
    try:
        starter = whole_number(0, players - 1)(deal["starter"])
    except ValueError as error:
        raise ValueError(f"deal: starter {error}") from None
    if not is_list(deal["piles"]):
        raise ValueError("deal: piles must be a list of piles")
    piles = [whole_numbers(pile, f"piles[{p}]") for p, pile in enumerate(deal["piles"])]
    if len(piles) != players:
        raise ValueError(f"deal: piles must be {players}, one a player, got {len(piles)}")
    for p, pile in enumerate(piles):
        check_pile(pile, f"piles[{p}]")
    dice = whole_numbers(deal["dice"], "dice")
    if len(dice) != DICE:
        raise ValueError(f"deal: dice must be {DICE} animals, got {len(dice)}")
    for d, animal in enumerate(dice):
        faces = s["faces"][d].tolist()
        if animal not in faces:
            raise ValueError(f"deal: dice[{d}] cannot show {animal}; its faces are {faces}")
    return starter, piles, dice, check_special_pile(deal["special_pile"])


def check_pile(pile: list[int], what: str) -> None:
    """A player's pile holds each animal twice. Raises ValueError."""
    if len(pile) != CARDS:
        raise ValueError(f"deal: {what} must hold {CARDS} cards, got {len(pile)}")
    for animal in pile:
        if not 0 <= animal < KINDS:
            raise ValueError(
                f"deal: there is no animal {animal} in {what} (animals are 0 … {KINDS - 1})"
            )
    for animal, name in enumerate(ANIMALS):
        if pile.count(animal) != COPIES:
            raise ValueError(
                f"deal: {what} must hold animal {animal} ({name}) twice, got {pile.count(animal)}"
            )


def check_special_pile(pile: Any) -> list[int]:
    """The special pile, given by names, as kinds: three of each. Raises ValueError."""
    if not is_list(pile):
        raise ValueError("deal: special_pile must be a list of special cards")
    if len(pile) != SPECIAL_CARDS:
        raise ValueError(f"deal: special_pile must hold {SPECIAL_CARDS} cards, got {len(pile)}")
    for name in pile:
        if not isinstance(name, str) or name not in SPECIALS:
            raise ValueError(
                f"deal: there is no special card {name!r} in special_pile (there are "
                f"{', '.join(SPECIALS)})"
            )
    names = [str(name) for name in pile]
    for name in SPECIALS:
        if names.count(name) != SPECIAL_COPIES:
            raise ValueError(
                f"deal: special_pile must hold {SPECIAL_COPIES} {name}, got {names.count(name)}"
            )
    return [SPECIALS.index(name) for name in names]
