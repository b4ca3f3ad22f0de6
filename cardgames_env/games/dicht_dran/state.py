"""Dicht dran: what a state and a view hold, the options, and the action numbers.

Cards are their numbers, 1 … 100; as members of a bit set and as actions they count from 0
(action ``a`` plays card ``a + 1``). D numbers cite the house decisions of ``docs/games/dicht_dran.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from cardgames_env.core.game import (
    EVERYONE,
    NOBODY,
    OWNER,
    Action,
    Option,
    StateField,
    ViewField,
    whole_number,
)

CARDS = 100
LOWEST, HIGHEST = 1, 100  # always in the circle at the start, never in a hand or in the pile
CIRCLE = 6
HAND = 8  # cards dealt to each player
MAX_PLAYERS = 5
DRAWN_CARDS = CARDS - 2  # the cards that are shuffled: 2 … 99
MAX_ROUNDS = 46  # of a deal: two players, who may go through 94 - 2 cards two at a time
MAX_PEPPERS = 3
MOST_DEALS = 1_000_000  # their points are kept one by one: ten bytes a deal
DEALS_SHOWN = 100  # a view counts deals up to here …
POINTS_SHOWN = 500  # … and points from earlier deals up to here, either way


def default_peppers() -> list[int]:
    """Peppers on the cards 1 … 100 (D1: the printed ones are unknown but for 63 → 2 and 75 → 3)."""
    return [1 + (n + n // 10 + 1) % 3 for n in range(1, CARDS + 1)]


def check_peppers(value: Any) -> list[int]:
    """100 integers in 1 … 3; None stands for the default table. Raises ValueError."""
    if value is None:
        return default_peppers()
    expected = f"must be {CARDS} integers in 1 … {MAX_PEPPERS}, one a card"
    try:
        table = np.asarray(value)
    except ValueError:
        raise ValueError(f"{expected}, got {value!r}") from None
    if table.dtype.kind not in "iu" or table.shape != (CARDS,):
        raise ValueError(f"{expected}, got {_short(value)}")
    wrong = np.flatnonzero((table < 1) | (table > MAX_PEPPERS))
    if len(wrong):
        raise ValueError(f"{expected}, got {table[wrong[0]]} for card {wrong[0] + 1}")
    return [int(n) for n in table]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


OPTIONS = (
    Option("num_players", 4, whole_number(2, MAX_PLAYERS), "2 … 5 players (2 is unofficial, D2)"),
    Option(
        "deals", 2, whole_number(1, MOST_DEALS), "deals of a game, 1 or more; their points add up"
    ),
    Option(
        "peppers", None, check_peppers, "peppers of the cards 1 … 100, each 1 … 3; None: D1's table"
    ),
)


def scores_kept(deals: int) -> int:
    """Rows of the table of scores: enough for the deals, in few sizes (each is compiled apart)."""
    return max(8, 1 << (deals - 1).bit_length())


def state_fields(options: Mapping[str, Any]) -> tuple[StateField, ...]:
    """The fields of STATE; its size depends on ``deals`` alone."""
    seats = (MAX_PLAYERS,)
    return (
        StateField("rng", "u8", (4,), NOBODY, "the chance stream"),
        StateField("hand", "u8", (MAX_PLAYERS, 2), OWNER, "cards in hand, as bits"),
        StateField("pile", "u1", (DRAWN_CARDS,), NOBODY, "the draw pile, between the next two"),
        StateField("pile_next", "i2", (), EVERYONE, "where in `pile` the next card lies"),
        StateField("pile_end", "i2", (), EVERYONE, "where `pile` ends"),
        StateField("players", "i2", (), EVERYONE, "number of players"),
        StateField("to_act", "i2", (), EVERYONE, "seat to choose, or -1 when the game is over"),
        StateField("round_number", "i2", (), EVERYONE, "round of the deal, from 1"),
        StateField("rounds_done", "i2", (), EVERYONE, "rounds of the deal that were resolved"),
        StateField("rounds_total", "i4", (), EVERYONE, "rounds resolved in all deals"),
        StateField("deal", "i4", (), EVERYONE, "number of the deal, from 0"),
        StateField("deals", "i4", (), EVERYONE, "deals of the game"),
        StateField("hand_size", "i2", seats, EVERYONE, "cards in hand"),
        StateField("chosen", "u1", seats, OWNER, "card chosen in this round, or 0"),
        StateField("circle", "u1", (CIRCLE,), EVERYONE, "the circle, position 0 first"),
        StateField("discard", "u1", (DRAWN_CARDS,), EVERYONE, "the discard pile, in order"),
        StateField("discard_size", "i2", (), EVERYONE, "cards in `discard`"),
        StateField("target_position", "i2", (), EVERYONE, "position of the target in the circle"),
        StateField("gap_low", "i2", (), EVERYONE, "lowest number of the gap"),
        StateField("gap_high", "i2", (), EVERYONE, "highest number of the gap"),
        StateField("seen", "u1", (CARDS,), EVERYONE, "1 for cards that lay open in this deal"),
        StateField("played_by", "i1", (CARDS,), EVERYONE, "1 + seat that played the card, or 0"),
        StateField("won_by", "i1", (CARDS,), EVERYONE, "1 + seat that won the card, or 0"),
        StateField("winners", "i1", (MAX_ROUNDS,), EVERYONE, "seat that won each round"),
        StateField("prizes", "u1", (MAX_ROUNDS,), EVERYONE, "target card won in each round"),
        StateField("won_peppers", "i2", seats, EVERYONE, "peppers on the cards won in this deal"),
        StateField("last_plays", "u1", seats, EVERYONE, "cards of the last round played, or 0"),
        StateField("last_winner", "i2", (), EVERYONE, "seat that won the last round, or -1"),
        StateField("last_target", "u1", (), EVERYONE, "target of the last round, or 0"),
        StateField("peppers", "i2", (CARDS,), EVERYONE, "peppers of the cards 1 … 100"),
        StateField("total", "i4", seats, EVERYONE, "points of all finished deals"),
        StateField(
            "scores",
            "i2",
            (scores_kept(options["deals"]), MAX_PLAYERS),
            EVERYONE,
            "points of each finished deal",
        ),
    )


VIEW_FIELDS = (
    ViewField("players", (), 2, MAX_PLAYERS, "number of players"),
    ViewField("deal", (), 0, DEALS_SHOWN, "number of this deal, from 0 (cut off at the bound)"),
    ViewField("deals_left", (), 0, DEALS_SHOWN, "deals still to come (cut off at the bound)"),
    ViewField("round_number", (), 1, MAX_ROUNDS, "round of the deal, from 1"),
    ViewField("over", (), 0, 1, "1 when the game is over"),
    ViewField("circle", (CIRCLE,), 1, CARDS, "the circle, position 0 first"),
    ViewField("target_position", (), 0, CIRCLE - 1, "position of the target in the circle"),
    ViewField("target", (), 1, CARDS, "the target card"),
    ViewField("gap_low", (), 1, CARDS, "lowest number that lies in the gap"),
    ViewField("gap_high", (), 1, CARDS, "highest number that lies in the gap"),
    ViewField("hand", (CARDS,), 0, 1, "own hand: 1 for each card held (card n at n - 1)"),
    ViewField("chosen", (), 0, CARDS, "own card chosen and not yet revealed, or 0"),
    ViewField("seen", (CARDS,), 0, 1, "cards that lay open at some time in this deal (D7)"),
    ViewField(
        "played_by", (CARDS,), 0, MAX_PLAYERS, "1 + seat that played the card in this deal, or 0"
    ),
    ViewField("won_by", (CARDS,), 0, MAX_PLAYERS, "1 + seat that won the card in this deal, or 0"),
    ViewField("peppers", (CARDS,), 1, MAX_PEPPERS, "peppers on each card"),
    ViewField(
        "hand_sizes",
        (MAX_PLAYERS,),
        0,
        CARDS,
        "cards in hand by seat, a card not yet revealed included",
    ),
    ViewField(
        "won_peppers", (MAX_PLAYERS,), 0, 3 * MAX_ROUNDS, "peppers won in this deal, by seat"
    ),
    ViewField("pile_size", (), 0, CARDS, "cards in the draw pile"),
    ViewField("discard_size", (), 0, CARDS, "cards in the discard pile"),
    ViewField(
        "scores",
        (MAX_PLAYERS,),
        -POINTS_SHOWN,
        POINTS_SHOWN,
        "points of the finished deals, by seat (cut off at the bounds)",
    ),
    ViewField(
        "last_plays", (MAX_PLAYERS,), 0, CARDS, "cards revealed in the last round, by seat, or 0"
    ),
    ViewField("last_winner", (), 0, MAX_PLAYERS, "1 + seat that won the last round, or 0"),
    ViewField("last_target", (), 0, CARDS, "target card of the last round, or 0"),
)

VIEW = np.dtype([(f.name, np.int16, f.shape) for f in VIEW_FIELDS], align=True)

ACTIONS = (Action("0 … 99", "play card number a + 1", "the card is in hand"),)


def action_name(action: int) -> str:
    return f"play {action + 1}"


def configure(states: np.ndarray, options: Mapping[str, Any]) -> None:
    """Write checked options into states that are to be dealt."""
    states["players"] = options["num_players"]
    states["deals"] = options["deals"]
    states["peppers"] = options["peppers"]


def margin_scale(options: Mapping[str, Any]) -> float:
    """A lead of 20 points a deal is a margin of 1."""
    return 1 / (20 * options["deals"])


def snapshot(states: np.ndarray, i: int) -> dict[str, Any]:
    """The whole of state ``i`` as plain Python (see the rules page, "Plain-Python state")."""
    s = states[i]
    n = int(s["players"])
    over = bool(s["to_act"] < 0)
    won: list[list[int]] = [[] for _ in range(n)]
    for r in range(s["rounds_done"]):
        won[s["winners"][r]].append(int(s["prizes"][r]))
    finished = int(s["deal"]) + over
    return {
        "players": n,
        "deal": int(s["deal"]),
        "deals": int(s["deals"]),
        "round": int(s["round_number"]),
        "to_act": None if over else int(s["to_act"]),
        "circle": s["circle"].tolist(),
        "hands": [cards_of(s["hand"][p]) for p in range(n)],
        "pile": s["pile"][s["pile_next"] : s["pile_end"]].tolist(),
        "discard": s["discard"][: s["discard_size"]].tolist(),
        "won": won,
        "chosen": [int(c) or None for c in s["chosen"][:n]],
        "peppers": s["peppers"].tolist(),
        "scores": s["scores"][:finished, :n].tolist(),
        "over": over,
    }


def cards_of(words: np.ndarray) -> list[int]:
    """The card numbers of a hand held as bits, ascending."""
    bits = int(words[0]) | int(words[1]) << 64
    return [c + 1 for c in range(CARDS) if bits >> c & 1]
