"""Diddly: what a state and a view hold, the options, and the action numbers.

Cards are types: 0 … 9 are the numbers 1 … 10, then Diddly, Swap, Half, Peek, Recycle. A board has
positions ``2 · column + row``. D numbers cite the house decisions of ``docs/games/diddly.md``.
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

NUMBERS = 10
DIDDLY, SWAP, HALF, PEEK, RECYCLE = range(NUMBERS, NUMBERS + 5)
TYPES = NUMBERS + 5
COPIES = (8,) * NUMBERS + (8, 4, 4, 4, 4)
CARDS = sum(COPIES)
NONE = -1  # no card, in a field that holds a type
MAX_PLAYERS = 8
MAX_PLAYERS_OF_EIGHT = 6  # with four columns
MAX_COLUMNS = 4
PLACES = 2 * MAX_COLUMNS
MOST_ROUNDS = 10_000  # their scores are kept one by one
MOST_TURNS = 1000  # as far as a view counts them
ROUNDS_SHOWN = 8  # whose scores a view tells one by one
SHOWN = 1000  # a view counts rounds, turns and points up to here

FACE_DOWN, PEEKED, FACE_UP = range(3)
TURN_UP, LOOK_AT, EXCHANGE, DRAW, PLACE, FINISHED = range(6)
PHASES = ("turn_up", "peek", "swap", "draw", "place", "over")
NOTHING_IN_HAND, FROM_DECK, FROM_DISCARD, RECYCLED = range(4)

FROM_DECK_ACTION = 8
FROM_DISCARD_ACTION = 9
FIRST_RECYCLE = 10
DECLINE = FIRST_RECYCLE + TYPES
FIRST_SWAP = DECLINE + 1
NUM_ACTIONS = FIRST_SWAP + PLACES * (PLACES - 1) // 2

#: The two positions of each swap: action ``FIRST_SWAP + k`` exchanges ``PAIRS[k]``.
PAIRS = np.array([(i, j) for i in range(PLACES) for j in range(i + 1, PLACES)], np.int64)


def columns_of_two(value: Any) -> int:
    """An option check: 3 or 4. Raises ValueError."""
    return whole_number(3, MAX_COLUMNS)(value)


OPTIONS = (
    Option(
        "num_players", 4, whole_number(2, MAX_PLAYERS), "2 … 8 players, with 4 columns 2 … 6 (D2)"
    ),
    Option("columns", 3, columns_of_two, "3: boards of six cards; 4: boards of eight"),
    Option("rounds", 5, whole_number(1, MOST_ROUNDS), "rounds of a game, 1 or more"),
    Option(
        "max_turns",
        50,
        whole_number(1, MOST_TURNS),
        "turns of each player after which a round ends (D7)",
    ),
)


def check_together(options: Mapping[str, Any]) -> None:
    """D2: boards of eight are for at most six players. Raises ValueError."""
    if options["columns"] == MAX_COLUMNS and options["num_players"] > MAX_PLAYERS_OF_EIGHT:
        raise ValueError(
            f"columns=4 is for 2 … {MAX_PLAYERS_OF_EIGHT} players, got num_players="
            f"{options['num_players']}; choose columns=3 or fewer players"
        )


def scores_kept(rounds: int) -> int:
    """Rows of the table of scores: enough for the rounds, in few sizes (each is compiled apart)."""
    return max(8, 1 << (rounds - 1).bit_length())


def state_fields(options: Mapping[str, Any]) -> tuple[StateField, ...]:
    """The fields of STATE; its size depends on ``rounds`` alone.

    A card on a board is in one of three tables, by who may see it.
    """
    seats = (MAX_PLAYERS,)
    boards = (MAX_PLAYERS, PLACES)
    return (
        StateField("rng", "u8", (4,), NOBODY, "the chance stream"),
        StateField("deck", "u1", (CARDS,), NOBODY, "the deck, between the next two"),
        StateField("hidden", "i1", boards, NOBODY, "face-down cards that nobody has seen, or −1"),
        StateField(
            "peeked", "i1", boards, OWNER, "face-down cards that their owner has seen, or −1"
        ),
        StateField("drawn", "i1", seats, OWNER, "card in hand, from the deck and not shown, or −1"),
        StateField("open", "i1", boards, EVERYONE, "face-up cards, or −1"),
        StateField("lies", "u1", boards, EVERYONE, "0 face down, 1 peeked, 2 face up"),
        StateField("face_up", "i2", seats, EVERYONE, "how many cards lie face up"),
        StateField("recycles", "i2", seats, EVERYONE, "how many of these are Recycles"),
        StateField("peeks", "i2", seats, EVERYONE, "how many face-down cards the owner has seen"),
        StateField("deck_next", "i2", (), EVERYONE, "where in `deck` the next card lies"),
        StateField("deck_end", "i2", (), EVERYONE, "where `deck` ends"),
        StateField(
            "taken",
            "i1",
            (),
            EVERYONE,
            "card in hand that everybody knows: from the discard pile, or a Peek or Swap at work; or −1",
        ),
        StateField(
            "source", "i2", (), EVERYONE, "0 no card in hand, 1 deck, 2 discard, 3 recycled"
        ),
        StateField(
            "discard",
            "i2",
            (2 * CARDS,),
            EVERYONE,
            "the discard pile from the next to 103, top card first; behind it −1",
        ),
        StateField("discard_top", "i2", (), EVERYONE, "where in `discard` the top card lies"),
        StateField("unseen", "i2", (TYPES,), EVERYONE, "cards that not everyone sees, by type"),
        StateField("renewed", "i2", (), EVERYONE, "1: the deck was renewed in this round (D6)"),
        StateField(
            "renewal", "i2", (TYPES,), EVERYONE, "of the renewed deck, cards not drawn, by type"
        ),
        StateField("players", "i2", (), EVERYONE, "number of players"),
        StateField("columns", "i2", (), EVERYONE, "columns of a board"),
        StateField("rounds", "i4", (), EVERYONE, "rounds of the game"),
        StateField(
            "max_turns", "i2", (), EVERYONE, "turns of each player in a round, at most (D7)"
        ),
        StateField("round_number", "i4", (), EVERYONE, "round, from 1"),
        StateField("dealer", "i2", (), EVERYONE, "dealer of the round"),
        StateField("to_act", "i2", (), EVERYONE, "seat to act, or -1 when the game is over"),
        StateField(
            "phase", "i2", (), EVERYONE, "0 turn up, 1 peek, 2 swap, 3 draw, 4 place, 5 over"
        ),
        StateField("pending", "i1", (2,), EVERYONE, "set-up effects to be carried out, or −1"),
        StateField("turns", "i2", seats, EVERYONE, "turns completed in this round"),
        StateField("finished", "i2", (), EVERYONE, "seat whose board was complete first, or -1"),
        StateField("last_scores", "i2", seats, EVERYONE, "points of the last round scored"),
        StateField(
            "first_scores",
            "i2",
            (MAX_PLAYERS, ROUNDS_SHOWN),
            EVERYONE,
            "points of the first rounds, as a view has them",
        ),
        StateField("total", "i4", seats, EVERYONE, "points of all rounds scored"),
        StateField(
            "scores",
            "i2",
            (MAX_PLAYERS, scores_kept(options["rounds"])),
            EVERYONE,
            "points of each round scored",
        ),
    )


VIEW_FIELDS = (
    ViewField("players", (), 2, MAX_PLAYERS, "number of players"),
    ViewField("columns", (), 3, MAX_COLUMNS, "columns of a board"),
    ViewField("round_number", (), 1, SHOWN, "round, from 1 (cut off at the bound)"),
    ViewField("rounds_left", (), 0, SHOWN, "rounds still to come (cut off at the bound)"),
    ViewField("dealer", (), 0, MAX_PLAYERS - 1, "dealer of the round"),
    ViewField("to_act", (), 0, MAX_PLAYERS - 1, "seat to act; 0 when over"),
    ViewField(
        "phase", (), 0, 5, "0 turn up, 1 peek, 2 swap, 3 draw, 4 place, 5 over: of the seat to act"
    ),
    ViewField(
        "boards",
        (MAX_PLAYERS, PLACES),
        0,
        TYPES,
        "1 + type of the cards that this seat knows: face-up ones, and own ones it has peeked at; else 0",
    ),
    ViewField("face_up", (MAX_PLAYERS, PLACES), 0, 1, "1 for cards that lie face up"),
    ViewField(
        "peeked",
        (MAX_PLAYERS, PLACES),
        0,
        1,
        "1 for face-down cards that their owner has looked at",
    ),
    ViewField("in_hand", (), 0, TYPES, "1 + type of the card in hand, if this seat may know, or 0"),
    ViewField(
        "source", (), 0, 3, "card in hand: 0 none, 1 from the deck, 2 discard pile, 3 recycled"
    ),
    ViewField("pending", (2,), 0, TYPES, "1 + type of the set-up effects to be carried out, or 0"),
    ViewField(
        "discard", (CARDS,), 0, TYPES, "1 + type of the discards, the top card first; then 0"
    ),
    ViewField("discard_size", (), 0, CARDS, "cards in the discard pile"),
    ViewField("deck_size", (), 0, CARDS, "cards in the deck"),
    ViewField("renewed", (), 0, 1, "1: the deck was renewed in this round (D6)"),
    ViewField(
        "in_deck",
        (TYPES,),
        0,
        CARDS,
        "once renewed: cards of each type in the deck, another's unseen card in hand included; else 0",
    ),
    ViewField(
        "unseen",
        (TYPES,),
        0,
        max(COPIES),
        "cards of each type that this seat does not see: in the deck, face down, in another's hand",
    ),
    ViewField(
        "turns", (MAX_PLAYERS,), 0, SHOWN, "turns completed in this round, by seat (cut off)"
    ),
    ViewField("turns_left", (), 0, SHOWN, "own turns left in this round at most, D7 (cut off)"),
    ViewField("finished", (), 0, MAX_PLAYERS, "1 + seat whose board was complete first, or 0"),
    ViewField("last_scores", (MAX_PLAYERS,), 0, 80, "points of the last round scored, by seat"),
    ViewField(
        "round_scores",
        (MAX_PLAYERS, ROUNDS_SHOWN),
        0,
        80,
        "points of the first eight rounds, by seat and round; 0 for those to come",
    ),
    ViewField("scores", (MAX_PLAYERS,), 0, SHOWN, "points of all rounds scored, by seat (cut off)"),
)

ACTIONS = (
    Action("0 … 7", "the card at a position of the board", "turning up, peeking, placing"),
    Action("8", "draw from the deck", "start of a turn"),
    Action("9", "take the top card of the discard pile", "start of a turn"),
    Action(
        "10 + t",
        "recycle: take a card of type t = 0 … 14 from the discard pile",
        "start of a turn, with a face-up Recycle on the board and such a card in the pile",
    ),
    Action("25", "decline the swap", "swapping"),
    Action(
        "26 … 53",
        "swap positions (0,1), (0,2) … (0,7), (1,2) … (6,7)",
        "swapping",
    ),
)

NAMES = (*(str(n) for n in range(1, NUMBERS + 1)), "Diddly", "Swap", "Half", "Peek", "Recycle")


def action_name(action: int) -> str:
    if action < FROM_DECK_ACTION:
        return f"position {action}"
    if action == FROM_DECK_ACTION:
        return "draw"
    if action == FROM_DISCARD_ACTION:
        return "take"
    if action < DECLINE:
        return f"recycle {NAMES[action - FIRST_RECYCLE]}"
    if action == DECLINE:
        return "decline"
    i, j = PAIRS[action - FIRST_SWAP]
    return f"swap {i},{j}"


def configure(states: np.ndarray, options: Mapping[str, Any]) -> None:
    """Write checked options into states that are to be dealt."""
    states["players"] = options["num_players"]
    states["columns"] = options["columns"]
    states["rounds"] = options["rounds"]
    states["max_turns"] = options["max_turns"]


def margin_scale(options: Mapping[str, Any]) -> float:
    """A lead of 10 points a round is a margin of 1."""
    return 1 / (10 * options["rounds"])


def snapshot(states: np.ndarray, i: int) -> dict[str, Any]:
    """The whole of state ``i`` as plain Python (see the rules page, "Plain-Python state")."""
    s = states[i]
    n, places = int(s["players"]), 2 * int(s["columns"])
    over = bool(s["phase"] == FINISHED)
    scored = int(s["round_number"]) - (not over)
    in_hand = [int(s["taken"]), *s["drawn"].tolist()]
    return {
        "players": n,
        "columns": int(s["columns"]),
        "round": int(s["round_number"]),
        "rounds": int(s["rounds"]),
        "dealer": int(s["dealer"]),
        "to_act": None if over else int(s["to_act"]),
        "phase": PHASES[s["phase"]],
        "boards": np.maximum(s["hidden"], np.maximum(s["peeked"], s["open"]))[:n, :places].tolist(),
        "face_up": (s["lies"][:n, :places] == FACE_UP).tolist(),
        "known": (s["lies"][:n, :places] != FACE_DOWN).tolist(),
        "in_hand": next((card for card in in_hand if card != NONE), None),
        "recycling": bool(s["source"] == RECYCLED),
        "pending": [int(t) for t in s["pending"] if t != NONE],
        "deck": s["deck"][s["deck_next"] : s["deck_end"]].tolist(),
        "discard": s["discard"][s["discard_top"] : CARDS][::-1].tolist(),
        "turns": s["turns"][:n].tolist(),
        "finished": None if s["finished"] < 0 else int(s["finished"]),
        "scores": s["scores"][:n, :scored].tolist(),
        "over": over,
    }
