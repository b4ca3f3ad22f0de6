"""Dackel drauf!: a seat's view read in the game's words, and what happened between two views.

All that is said comes from the views and the players' names; seats are relative to the viewer (0 = the
viewer, then clockwise). D numbers as in ``docs/games/dackel_drauf.md``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cardgames_env.core.drawing import View, count, listed
from cardgames_env.games.dackel_drauf.state import (
    AGENT,
    ANIMALS,
    CHAIN,
    FINISHED,
    JOKER,
    JOKERS,
    KINDS,
    LOOK,
    RESCUED,
    SHOWN,
    SPECIAL_KINDS,
    WRONG,
)

SPECIAL_NAMES = ("extra card", "face-down card", "joker die")
MANY_ANIMALS = tuple({"mouse": "mice", "sheep": "sheep"}.get(name, f"{name}s") for name in ANIMALS)


@dataclass(frozen=True)
class Card:
    """A card in a chain: ``number`` from 1; the animal None where the viewer does not know it."""

    number: int
    seat: int
    animal: int | None
    down: bool
    mark: int  # UNJUDGED, WRONG, RIGHT, RESCUED


# -- reading a view --------------------------------------------------------------------------------


def chain_of(view: View) -> list[Card]:
    return [
        Card(
            number=i + 1,
            seat=int(view["chain_seats"][i]) - 1,
            animal=int(view["chain_animals"][i]) - 1 if view["chain_animals"][i] else None,
            down=bool(view["chain_down"][i]),
            mark=int(view["chain_right"][i]),
        )
        for i in range(int(view["chain_length"]))
    ]


def last_chain(view: View) -> list[Card]:
    """The chain of the round before; which of its cards were face down, a view does not tell."""
    return [
        Card(
            number=i + 1,
            seat=int(view["last_seats"][i]) - 1,
            animal=int(view["last_animals"][i]) - 1,
            down=False,
            mark=int(view["last_right"][i]),
        )
        for i in range(int(view["last_length"]))
    ]


def to_act(view: View) -> int | None:
    """Whose turn it is, as far as the viewer sees; None when over, or when another may use jokers."""
    return int(view["to_act"]) - 1 if view["to_act"] else None


def is_over(view: View) -> bool:
    return bool(view["phase"] == FINISHED)


def last_is_shown(view: View) -> bool:
    """Whether the view has the showdown of the round before."""
    return bool(view["last_dice"].any())


def memory_is_shown(view: View) -> bool:
    """Whether ``remembered`` is what the viewer remembers (D5: in memory="agent" only at times)."""
    if view["memory"] != AGENT or view["phase"] == LOOK:
        return True
    asked = view["phase"] == CHAIN and view["to_act"] == 1
    return bool(asked and not (view["chain_seats"] == 1).any())


def wrong_of(cards: Iterable[Card], seat: int) -> list[Card]:
    return [card for card in cards if card.seat == seat and card.mark == WRONG]


def failed_seats(cards: Sequence[Card]) -> set[int]:
    return {card.seat for card in cards if card.mark == WRONG}


def clockwise_from(seat: int, players: int) -> list[int]:
    return [(seat + k) % players for k in range(players)]


def winners(view: View) -> list[int]:
    """The seats with the fewest cards left (D9: a tie is shared)."""
    cards = view["cards_left"][: view["players"]].tolist()
    return [seat for seat, number in enumerate(cards) if number == min(cards)]


# -- words -----------------------------------------------------------------------------------------


def dice_in_words(dice: np.ndarray) -> str:
    """Dice by animal: ``2 dogs, 1 hare``; ``none``."""
    shown = [
        f"{number} {ANIMALS[a] if number == 1 else MANY_ANIMALS[a]}"
        for a, number in enumerate(dice.tolist())
        if number
    ]
    return ", ".join(shown) or "none"


def cards_in_words(cards: np.ndarray | Sequence[int]) -> str:
    """Cards by animal: ``dog, pig x2``."""
    return times([ANIMALS[a] for a in range(KINDS) for _ in range(int(cards[a]))])


def specials_in_words(kinds: np.ndarray | Sequence[int]) -> str:
    """Special cards by kind: ``extra card x2, joker die``."""
    names = [SPECIAL_NAMES[kind] for kind in range(SPECIAL_KINDS) for _ in range(int(kinds[kind]))]
    return times(names)


def times(names: Sequence[str]) -> str:
    """Names in order, equal ones together."""
    return ", ".join(
        name if names.count(name) == 1 else f"{name} x{names.count(name)}"
        for name in dict.fromkeys(names)
    )


def the_card(card: Card) -> str:
    """``pig (card 3)``."""
    animal = "card" if card.animal is None else ANIMALS[card.animal]
    return f"{animal} (card {card.number})"


def the_cards(cards: Sequence[Card]) -> str:
    return listed([the_card(card) for card in cards])


def round_in_words(view: View) -> str:
    """``round 3 of at most 60``, as far as the view counts."""
    number, rest = int(view["round_number"]), int(view["rounds_left"])
    if number >= SHOWN:
        return f"round {SHOWN} or later"
    return f"round {number}" if rest >= SHOWN else f"round {number} of at most {number + rest}"


def win_in_words(view: View) -> str:
    return "wins with" if len(winners(view)) == 1 else "share the win with"


def winning_cards(view: View) -> str:
    first = winners(view)
    fewest = count(int(view["cards_left"][first[0]]), "card") + " left"
    return fewest if len(first) == 1 else f"{fewest} each"


def result_in_words(view: View, names: Sequence[str]) -> str:
    who = listed([names[seat] for seat in winners(view)])
    return f"{who} {win_in_words(view)} {winning_cards(view)}."


def jokers_wanted(view: View) -> list[Card]:
    """The cards for which the viewer is asked about jokers; none if it is not asked."""
    if view["phase"] != JOKERS or view["to_act"] != 1:
        return []
    cards = chain_of(view)
    return [cards[int(view["at"]) - 1]] if view["at"] else wrong_of(cards, 0)


def jokers_in_words(number: int) -> str:
    return "a joker die" if number == 1 else f"{number} joker dice"


def describe(before: View, after: View, names: Sequence[str]) -> list[str]:
    return []
