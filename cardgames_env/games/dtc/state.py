"""DTC: what a state and a view hold, the options, and the action numbers.

Cards are counted by *type*: 0 is a joker, 1 … 6 are the values. D numbers cite the house decisions of
``docs/games/dtc.md``.
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
    truth_value,
    whole_number,
)

MAX_VALUES, MAX_COPIES, MAX_JOKERS = 6, 9, 12
MAX_HAND = 6  # cards dealt to each player, and what a hand is refilled to
MAX_PLAYERS = 6
CARDS = MAX_VALUES * MAX_COPIES + MAX_JOKERS
JOKER = 0
TYPES = 1 + MAX_VALUES
ARCS = MAX_PLAYERS - 1

ANNOUNCE, COMPOSE, ANSWER, FINISHED = range(4)
PHASES = ("announce", "compose", "answer", "over")

ACCEPT, REJECT = 0, 1
FIRST_TAKE = 2  # action 2 + c: c cards of the type in question
FIRST_OFFER = FIRST_TAKE + 1 + MAX_JOKERS
OFFERS = MAX_VALUES * CARDS  # an offer of k cards of value v has the number 6 (k - 1) + (v - 1)
NUM_ACTIONS = FIRST_OFFER + OFFERS


OPTIONS = (
    Option("num_players", 4, whole_number(2, MAX_PLAYERS), "2 … 6 players (D0)"),
    Option(
        "higher_counts_as_true",
        False,
        truth_value,
        "variant: an offer whose cards, jokers aside, are all higher than announced is true, too (D5)",
    ),
    Option("values", 6, whole_number(1, MAX_VALUES), "the cards are numbered 1 … values, 1 … 6"),
    Option("copies", 9, whole_number(1, MAX_COPIES), "cards of each value, 1 … 9"),
    Option("jokers", 12, whole_number(0, MAX_JOKERS), "jokers, 0 … 12"),
    Option("hand_size", 6, whole_number(1, MAX_HAND), "cards dealt, and refilled to, 1 … 6"),
)


def deck_size(options: Mapping[str, Any]) -> int:
    return options["values"] * options["copies"] + options["jokers"]


def check_together(options: Mapping[str, Any]) -> None:
    """The deck must hold everybody's first hand. Raises ValueError."""
    needed = options["num_players"] * options["hand_size"]
    if deck_size(options) < needed:
        raise ValueError(
            f"{options['num_players']} players with hands of {options['hand_size']} need {needed} cards, "
            f"but values × copies + jokers is {deck_size(options)}; raise copies or jokers, or lower "
            "hand_size or num_players"
        )


def state_fields(options: Mapping[str, Any]) -> tuple[StateField, ...]:
    """The fields of STATE, the same for all options."""
    seats = (MAX_PLAYERS,)
    by_type = (TYPES,)
    return (
        StateField("rng", "u8", (4,), NOBODY, "the chance stream"),
        StateField("pile", "u1", (CARDS,), NOBODY, "the deck; the draw pile lies in it"),
        StateField("hand", "u1", (*seats, TYPES), OWNER, "cards in hand by type"),
        StateField(
            "offered", "u1", (*seats, TYPES), OWNER, "cards chosen for the own offer, by type"
        ),
        StateField("asking", "i1", seats, OWNER, "type in question while composing, or -1"),
        StateField(
            "passed_on",
            "u1",
            (*seats, ARCS, TYPES),
            OWNER,
            "what each seat knows from passing cards on (see the view)",
        ),
        StateField("pile_next", "i2", (), EVERYONE, "where in `pile` the next card lies"),
        StateField("pile_end", "i2", (), EVERYONE, "where `pile` ends"),
        StateField("players", "i2", (), EVERYONE, "number of players"),
        StateField("values", "i2", (), EVERYONE, "highest value"),
        StateField("copies", "i2", (), EVERYONE, "cards of each value in the deck"),
        StateField("jokers", "i2", (), EVERYONE, "jokers in the deck"),
        StateField("full_hand", "i2", (), EVERYONE, "what a hand is refilled to"),
        StateField("higher_counts_as_true", "i2", (), EVERYONE, "1: the variant (D5)"),
        StateField("first", "i2", (), EVERYONE, "seat that leads the game"),
        StateField("to_act", "i2", (), EVERYONE, "seat to act, or -1 when the game is over"),
        StateField("phase", "i2", (), EVERYONE, "0 announce, 1 compose, 2 answer, 3 over"),
        StateField("ends", "i2", (), EVERYONE, "1: the next rejection ends the game"),
        StateField("rejections", "i2", (), EVERYONE, "offers rejected so far"),
        StateField("offer_giver", "i2", (), EVERYONE, "seat that made the offer, or -1"),
        StateField("offer_count", "i2", (), EVERYONE, "cards of the offer, or 0"),
        StateField("offer_value", "i2", (), EVERYONE, "announced value, or 0"),
        StateField("to_beat", "i2", (), EVERYONE, "number of the offer just accepted, or -1"),
        StateField(
            "chain_first", "i2", (), EVERYONE, "seat that made the first offer of the chain"
        ),
        StateField("chain_length", "i2", (), EVERYONE, "offers in the chain"),
        StateField("chain", "i2", (OFFERS,), EVERYONE, "numbers of the offers in the chain"),
        StateField("hand_size", "i2", seats, EVERYONE, "cards in hand, an announced offer's not"),
        StateField("fresh", "i2", seats, EVERYONE, "of these, drawn after the seat's last offer"),
        StateField("penalty_size", "i2", seats, EVERYONE, "cards in the penalty pile"),
        StateField("shown_total", "i2", by_type, EVERYONE, "cards in all penalty piles, by type"),
        StateField("shown_size", "i2", (), EVERYONE, "cards in all penalty piles"),
        StateField("shown", "u1", (CARDS,), EVERYONE, "types of those cards, in order"),
        StateField("shown_to", "i1", (CARDS,), EVERYONE, "seats that took them"),
    )


VIEW_FIELDS = (
    ViewField("players", (), 2, MAX_PLAYERS, "number of players"),
    ViewField("values", (), 1, MAX_VALUES, "highest value of a card"),
    ViewField("copies", (), 1, MAX_COPIES, "cards of each value in the deck"),
    ViewField("jokers", (), 0, MAX_JOKERS, "jokers in the deck"),
    ViewField("full_hand", (), 1, MAX_HAND, "what a hand is refilled to"),
    ViewField("higher_counts_as_true", (), 0, 1, "1: the variant (D5)"),
    ViewField(
        "phase",
        (),
        0,
        3,
        "0 announce, 1 compose (the giver alone sees this; to others its offer lies on the table), "
        "2 answer, 3 over",
    ),
    ViewField("to_act", (), 0, MAX_PLAYERS - 1, "seat to announce, compose or answer; 0 when over"),
    ViewField("hand", (TYPES,), 0, MAX_JOKERS, "own cards by type, without those already offered"),
    ViewField("asking", (), 0, TYPES, "1 + type in question while composing, or 0"),
    ViewField("to_beat_count", (), 0, CARDS, "cards of the offer just accepted, or 0"),
    ViewField("to_beat_value", (), 0, MAX_VALUES, "its value, or 0"),
    ViewField("offer_giver", (), 0, MAX_PLAYERS, "1 + seat that made the offer, or 0"),
    ViewField("offer_count", (), 0, CARDS, "cards of the offer, or 0"),
    ViewField("offer_value", (), 0, MAX_VALUES, "announced value, or 0"),
    ViewField(
        "offer_cards", (TYPES,), 0, MAX_JOKERS, "cards chosen for the own offer, by type; others: 0"
    ),
    ViewField("chain_length", (), 0, OFFERS, "offers in the current chain, the last one included"),
    ViewField(
        "chain",
        (CARDS, MAX_VALUES),
        0,
        MAX_PLAYERS,
        "1 + seat that made the offer of k cards (row k - 1) of value v (column v - 1) in the current "
        "chain, or 0; the seat after it accepted all but the last",
    ),
    ViewField("hand_sizes", (MAX_PLAYERS,), 0, CARDS, "cards in hand by seat, without the offer"),
    ViewField(
        "fresh",
        (MAX_PLAYERS,),
        0,
        MAX_HAND,
        "of these, dealt or drawn after the seat's last offer: nobody can have passed them on",
    ),
    ViewField("penalty_sizes", (MAX_PLAYERS,), 0, CARDS, "cards in the penalty pile by seat"),
    ViewField("shown", (TYPES,), 0, MAX_JOKERS, "cards shown at rejections so far, by type"),
    ViewField(
        "passed_on",
        (ARCS, TYPES),
        0,
        MAX_JOKERS,
        "row m: cards by type that, having passed them on, this seat knows to be with the seats "
        "1 … m + 1 (an offer that one of them has on the table included)",
    ),
    ViewField("pile_size", (), 0, CARDS, "cards in the draw pile"),
    ViewField("ends", (), 0, 1, "1: the pile is empty, the next rejection ends the game"),
    ViewField("rejections", (), 0, CARDS, "offers rejected so far"),
)

ACTIONS = (
    Action("0", "accept", "answering, unless no stronger offer could follow (D4)"),
    Action("1", "reject", "answering"),
    Action(
        "2 … 14",
        "a − 2 cards of the type in question",
        "composing; as many as are held, still missing, and leave enough to come",
    ),
    Action(
        "15 … 410",
        "announce k cards of value v: a = 15 + 6 (k − 1) + (v − 1)",
        "announcing; k cards are held, and the offer is stronger than the one accepted",
    ),
)

NAMES = ("joker", "1", "2", "3", "4", "5", "6")


def offer_name(count: int, value: int) -> str:
    """An offer in words: ``four 2s``."""
    return f"{number_name(count)} {value}{'' if count == 1 else 's'}"


def number_name(count: int) -> str:
    """A number of cards in words, up to twelve as the rules page has it."""
    names = (
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    )  # fmt: skip
    return names[count] if count < len(names) else str(count)


def action_name(action: int) -> str:
    if action == ACCEPT:
        return "accept"
    if action == REJECT:
        return "reject"
    if action < FIRST_OFFER:
        return f"take {action - FIRST_TAKE}"
    count, value = divmod(action - FIRST_OFFER, MAX_VALUES)
    return f"announce {count + 1} x {value + 1}"


def configure(states: np.ndarray, options: Mapping[str, Any]) -> None:
    """Write checked options into states that are to be dealt."""
    states["players"] = options["num_players"]
    states["values"] = options["values"]
    states["copies"] = options["copies"]
    states["jokers"] = options["jokers"]
    states["full_hand"] = options["hand_size"]
    states["higher_counts_as_true"] = options["higher_counts_as_true"]


def margin_scale(options: Mapping[str, Any]) -> float:
    """A lead of a player's share of the deck is a margin of 1."""
    return options["num_players"] / deck_size(options)


def snapshot(states: np.ndarray, i: int) -> dict[str, Any]:
    """The whole of state ``i`` as plain Python (see the rules page, "Plain-Python state")."""
    s = states[i]
    n = int(s["players"])
    phase = int(s["phase"])
    penalty: list[list[int]] = [[] for _ in range(n)]
    for k in range(s["shown_size"]):
        penalty[s["shown_to"][k]].append(int(s["shown"][k]))
    offer = None
    if s["offer_giver"] >= 0:
        giver, value = int(s["offer_giver"]), int(s["offer_value"])
        asking = int(s["asking"][giver])
        offer = {
            "giver": giver,
            "count": int(s["offer_count"]),
            "value": value,
            "cards": in_order_chosen(s["offered"][giver], value),
            "asking": None if asking < 0 else asking,
        }
    beat = int(s["to_beat"])
    return {
        "players": n,
        "first": int(s["first"]),
        "to_act": None if phase == FINISHED else int(s["to_act"]),
        "phase": PHASES[phase],
        "hands": [np.repeat(np.arange(TYPES), s["hand"][p]).tolist() for p in range(n)],
        "pile": s["pile"][s["pile_next"] : s["pile_end"]].tolist(),
        "penalty": penalty,
        "offer": offer,
        "to_beat": None if beat < 0 else [beat // MAX_VALUES + 1, beat % MAX_VALUES + 1],
        "ends": bool(s["ends"]),
        "higher_counts_as_true": bool(s["higher_counts_as_true"]),
    }


def in_order_chosen(counts: np.ndarray, value: int) -> list[int]:
    """The cards of an offer as they were asked for: the announced value, jokers, the others."""
    order = [value, JOKER, *(v for v in range(1, TYPES) if v != value)]
    return [t for t in order for _ in range(counts[t])]
