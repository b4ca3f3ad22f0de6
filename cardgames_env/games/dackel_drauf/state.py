"""Dackel drauf!: what a state and a view hold, the options, and the action numbers.

Animals are 0 … 8 (see ``ANIMALS``), kinds of special cards 0 … 2 (see ``SPECIALS``). D numbers cite the
house decisions of ``docs/games/dackel_drauf.md``.
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
    is_list,
    truth_value,
    whole_number,
)

ANIMALS = ("dog", "duck", "hare", "cat", "cow", "mouse", "horse", "sheep", "pig")
KINDS = len(ANIMALS)
COPIES = 2  # of each animal in each player's cards
CARDS = COPIES * KINDS  # of a player
FULL_HAND = 10
MAX_PLAYERS = 5
MAX_CHAIN = MAX_PLAYERS * FULL_HAND
DICE, FACES = 15, 6
NONE = -1  # no animal, no seat, no kind

SPECIALS = ("extra", "face_down", "joker")
EXTRA, FACE_DOWN, JOKER = range(3)
SPECIAL_KINDS = len(SPECIALS)
SPECIAL_COPIES = 3  # D2
SPECIAL_CARDS = SPECIAL_KINDS * SPECIAL_COPIES

LOOK, CHAIN, JOKERS, FINISHED = range(4)
PHASES = ("look", "chain", "jokers", "over")
#: A card in the chain; RESCUED: right by a joker; IN_VAIN: by one, and its owner was put out later.
UNJUDGED, WRONG, RIGHT, RESCUED, IN_VAIN = range(5)

PLAYER, PERFECT, AGENT = range(3)
MEMORIES = ("player", "perfect", "agent")

FIRST_FACE_DOWN = KINDS  # action 9 + a: animal a, face down
PASS, KEEP_OPEN, CLOSE, USE_JOKERS, DECLINE = range(2 * KINDS, 2 * KINDS + 5)
NUM_ACTIONS = DECLINE + 1

MOST_LOOKS = 1000
MOST_ROUNDS = 10_000
SHOWN = 1000  # a view counts rounds up to here
PARTS = 10_000  # a view gives probabilities in ten-thousandths

#: D1: the three animals that each of the 15 dice lacks: five partitions of the nine.
LACKING = (
    (0, 1, 2), (3, 4, 5), (6, 7, 8),
    (0, 3, 6), (1, 4, 7), (2, 5, 8),
    (0, 4, 8), (1, 5, 6), (2, 3, 7),
    (0, 5, 7), (1, 3, 8), (2, 4, 6),
    (0, 2, 4), (1, 6, 8), (3, 5, 7),
)  # fmt: skip


def default_faces() -> list[list[int]]:
    """D1: on each die six different animals, ascending; every animal on ten dice."""
    return [[a for a in range(KINDS) if a not in lacking] for lacking in LACKING]


def check_faces(value: Any) -> list[list[int]]:
    """15 lists of six animals; None stands for D1's dice. Raises ValueError."""
    if value is None:
        return default_faces()
    expected = f"must be {DICE} lists of {FACES} animals 0 … {KINDS - 1}, one a die"
    if not is_list(value) or len(value) != DICE:
        raise ValueError(f"{expected}, got {_short(value)}")
    for i, die in enumerate(value):
        if not is_list(die) or len(die) != FACES:
            raise ValueError(f"{expected}, got {_short(die)} for die {i}")
        for face in die:
            whole = isinstance(face, (int, np.integer)) and not isinstance(face, bool)
            if not whole or not 0 <= face < KINDS:
                raise ValueError(f"{expected}, got {face!r} on die {i}")
    return [[int(face) for face in die] for die in value]


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"


def probability(value: Any) -> float:
    """An option check: a number from 0 to 1. Raises ValueError."""
    number = isinstance(value, (int, float, np.integer, np.floating))
    if not number or isinstance(value, bool) or not 0 <= value <= 1:  # NaN is not, either
        raise ValueError(f"must be a number from 0 to 1, got {value!r}")
    return float(value)


def check_memory(value: Any) -> str:
    """An option check: a way to model memory. Raises ValueError."""
    if not isinstance(value, str) or value not in MEMORIES:
        raise ValueError(f"must be one of {', '.join(MEMORIES)}, got {value!r}")
    return value


def check_threshold(value: Any) -> int | None:
    """An option check: None, or a number of cards. Raises ValueError."""
    return None if value is None else whole_number(0, CARDS - 1)(value)


OPTIONS = (
    Option("num_players", 3, whole_number(2, MAX_PLAYERS), "2 … 5 players"),
    Option(
        "notice",
        0.2,
        probability,
        "probability that a player notices a die in a tick of the look, 0 … 1 (D4)",
    ),
    Option(
        "forget",
        0.0,
        probability,
        "probability that a remembered die is forgotten at each own chain decision, 0 … 1 (D5)",
    ),
    Option("max_looks", 5, whole_number(1, MOST_LOOKS), "ticks after which the lid closes (D4)"),
    Option(
        "memory",
        "player",
        check_memory,
        "`player`: a view shows what its seat remembers; `perfect`: everything is noticed at once and "
        "kept; `agent`: shown once, to be remembered by the agent itself (D5)",
    ),
    Option(
        "takeback",
        False,
        truth_value,
        "variant: who has a wrong card is out at once, its dice become free",
    ),
    Option(
        "win_threshold",
        None,
        check_threshold,
        "cards left with which one wins, 0 … 17; None: one less than players (D3)",
    ),
    Option(
        "max_rounds", 60, whole_number(1, MOST_ROUNDS), "rounds after which the game ends (D10)"
    ),
    Option(
        "faces",
        None,
        check_faces,
        "15 lists of six animals, the faces of the dice; None: D1's dice",
    ),
)


def state_fields(options: Mapping[str, Any]) -> tuple[StateField, ...]:
    """The fields of STATE, the same for all options.

    Of the dice, each seat has the counts that it remembers; which dice these are, nobody sees.
    """
    seats = (MAX_PLAYERS,)
    by_animal = (MAX_PLAYERS, KINDS)
    chain = (MAX_CHAIN,)
    specials = (MAX_PLAYERS, SPECIAL_KINDS)
    return (
        StateField("rng", "u8", (4,), NOBODY, "the chance stream"),
        StateField("pile", "i1", (MAX_PLAYERS, CARDS), NOBODY, "each player's 18 cards as dealt"),
        StateField("dice", "i1", (DICE,), NOBODY, "animal on top of each die"),
        StateField("noticed", "u2", seats, NOBODY, "dice remembered, as bits"),
        StateField("remembered", "i2", by_animal, OWNER, "how many of these show each animal"),
        StateField(
            "hand", "u1", by_animal, OWNER, "cards not played in this round, also once passed"
        ),
        StateField(
            "down", "i1", (MAX_PLAYERS, SPECIAL_COPIES), OWNER, "own face-down cards in the chain"
        ),
        StateField(
            "down_at", "i1", (MAX_PLAYERS, SPECIAL_COPIES), EVERYONE, "where in the chain these lie"
        ),
        StateField("again", "i1", seats, OWNER, "1: asked for another card right after one"),
        StateField("special", "u1", specials, OWNER, "special cards held, by kind"),
        StateField("special_pile", "i1", (SPECIAL_CARDS,), NOBODY, "special cards, next first"),
        StateField("players", "i2", (), EVERYONE, "number of players"),
        StateField("notice", "f8", (), EVERYONE, "probability to notice a die in a tick"),
        StateField("forget", "f8", (), EVERYONE, "probability to forget a die at a decision"),
        StateField("max_looks", "i2", (), EVERYONE, "ticks after which the lid closes"),
        StateField("memory", "i2", (), EVERYONE, "0 player, 1 perfect, 2 agent"),
        StateField("takeback", "i2", (), EVERYONE, "1: the variant"),
        StateField("win_threshold", "i2", (), EVERYONE, "cards left with which one wins"),
        StateField("max_rounds", "i2", (), EVERYONE, "rounds after which the game ends"),
        StateField("faces", "u1", (DICE, FACES), EVERYONE, "the animals on each die"),
        StateField("round_number", "i2", (), EVERYONE, "round, from 1"),
        StateField("starter", "i2", (), EVERYONE, "starting player of the round"),
        StateField("to_act", "i2", (), EVERYONE, "seat to act, or -1 when the game is over"),
        StateField(
            "turn",
            "i2",
            (),
            EVERYONE,
            "the same for the others: the next seat while one is asked for an extra card, −1 in the "
            "showdown",
        ),
        StateField("phase", "i2", (), EVERYONE, "0 look, 1 chain, 2 jokers, 3 over"),
        StateField("ticks", "i2", (), EVERYONE, "ticks of the look so far"),
        StateField("passed", "i2", seats, EVERYONE, "1: out of the chain"),
        StateField("pile_next", "i2", seats, EVERYONE, "where in `pile` the next card lies"),
        StateField("hand_size", "i2", seats, EVERYONE, "cards in `hand`"),
        StateField("played", "i2", seats, EVERYONE, "cards in the chain"),
        StateField("hidden", "i2", seats, EVERYONE, "of these, played face down and not shown"),
        StateField("left", "i2", by_animal, EVERYONE, "cards not discarded, by animal"),
        StateField("cards_left", "i2", seats, EVERYONE, "how many these are"),
        StateField(
            "known",
            "i2",
            by_animal,
            EVERYONE,
            "cards that all know to be in the hand or face down in the chain: once taken back",
        ),
        StateField("discards", "i1", (MAX_PLAYERS, CARDS), EVERYONE, "cards discarded, in order"),
        StateField("chain_length", "i2", (), EVERYONE, "cards in the chain"),
        StateField("chain_seat", "i1", chain, EVERYONE, "whose card it is, or −1"),
        StateField("chain_animal", "i1", chain, EVERYONE, "its animal; −1 if face down"),
        StateField("chain_down", "i1", chain, EVERYONE, "1: played face down"),
        StateField(
            "chain_right",
            "i1",
            chain,
            EVERYONE,
            "0 not judged, 1 wrong, 2 right, 3 by a joker, 4 in vain",
        ),
        StateField("shown", "i2", (KINDS,), EVERYONE, "in the showdown: dice that show an animal"),
        StateField("free", "i2", (KINDS,), EVERYONE, "in the showdown: dice still free"),
        StateField("out", "i2", seats, EVERYONE, "variant: 1 once a card was wrong"),
        StateField("at", "i2", (), EVERYONE, "variant: card that a joker is asked for, or −1"),
        StateField("special_count", "i2", seats, EVERYONE, "special cards held"),
        StateField("special_known", "i2", specials, EVERYONE, "of these, known to all, by kind"),
        StateField("special_size", "i2", (), EVERYONE, "cards in the special pile"),
        StateField(
            "special_open",
            "i1",
            (SPECIAL_CARDS,),
            EVERYONE,
            "their kinds where all know them (since used), or −1",
        ),
        StateField("used", "i1", (SPECIAL_CARDS,), EVERYONE, "specials used in this round, or −1"),
        StateField("used_size", "i2", (), EVERYONE, "how many these are"),
        StateField("last_dice", "i2", (KINDS,), EVERYONE, "dice of the round before, by animal"),
        StateField("last_length", "i2", (), EVERYONE, "cards in its chain"),
        StateField("last_seat", "i1", chain, EVERYONE, "whose card it was, or −1"),
        StateField("last_animal", "i1", chain, EVERYONE, "its animal, or −1"),
        StateField("last_right", "i1", chain, EVERYONE, "as `chain_right`"),
    )


VIEW_FIELDS = (
    ViewField("players", (), 2, MAX_PLAYERS, "number of players"),
    ViewField(
        "notice", (), 0, PARTS, "probability to notice a die in a tick, × 10,000 and rounded"
    ),
    ViewField(
        "forget", (), 0, PARTS, "probability to forget a die at a decision, × 10,000 and rounded"
    ),
    ViewField("max_looks", (), 1, MOST_LOOKS, "ticks after which the lid closes"),
    ViewField("memory", (), 0, 2, "0 player, 1 perfect, 2 agent"),
    ViewField("takeback", (), 0, 1, "1: the variant"),
    ViewField("win_threshold", (), 0, CARDS - 1, "cards left with which one wins"),
    ViewField("faces", (DICE, FACES), 0, KINDS - 1, "the animals on each die"),
    ViewField("round_number", (), 1, SHOWN, "round, from 1 (cut off at the bound)"),
    ViewField("rounds_left", (), 0, SHOWN, "rounds still to come (cut off at the bound)"),
    ViewField("starter", (), 0, MAX_PLAYERS - 1, "starting player of the round"),
    ViewField("phase", (), 0, 3, "0 look (the lid is open), 1 chain, 2 jokers, 3 over"),
    ViewField(
        "to_act",
        (),
        0,
        MAX_PLAYERS,
        "1 + seat to act; 0 when over, and while another seat decides about jokers (who may, is not "
        "known); while another is asked for an extra card, the seat that comes after it",
    ),
    ViewField("again", (), 0, 1, "1: this seat may play another card with an extra card"),
    ViewField("ticks", (), 0, MOST_LOOKS, "ticks of the look so far"),
    ViewField(
        "remembered", (KINDS,), 0, DICE, "dice that this seat remembers, by animal (D5 says when)"
    ),
    ViewField(
        "hand",
        (KINDS,),
        0,
        COPIES,
        "own cards not played in this round, by animal; once passed, they lie on top of the own pile",
    ),
    ViewField("special", (SPECIAL_KINDS,), 0, SPECIAL_COPIES, "own special cards, by kind"),
    ViewField(
        "hand_sizes", (MAX_PLAYERS,), 0, FULL_HAND, "cards not played in this round, by seat"
    ),
    ViewField("passed", (MAX_PLAYERS,), 0, 1, "1 for seats that are out of the chain"),
    ViewField("left", (MAX_PLAYERS, KINDS), 0, COPIES, "cards not discarded, by seat and animal"),
    ViewField("cards_left", (MAX_PLAYERS,), 0, CARDS, "how many these are: the fewest win"),
    ViewField(
        "known",
        (MAX_PLAYERS, KINDS),
        0,
        COPIES,
        "cards that all know to be in a seat's hand, or face down in its chain, since it took them back",
    ),
    ViewField("chain_length", (), 0, MAX_CHAIN, "cards in the chain"),
    ViewField("chain_seats", (MAX_CHAIN,), 0, MAX_PLAYERS, "1 + seat of each card; then 0"),
    ViewField(
        "chain_animals", (MAX_CHAIN,), 0, KINDS, "1 + animal of each card; 0 if it is not known"
    ),
    ViewField("chain_down", (MAX_CHAIN,), 0, 1, "1 for cards that were played face down"),
    ViewField(
        "chain_right",
        (MAX_CHAIN,),
        0,
        4,
        "0 not judged, 1 wrong, 2 right, 3 right by a joker; in the variant 4: wrong, a joker was used "
        "for it in vain; there, while another decides about a joker, only 3 (used for it) and 0",
    ),
    ViewField("dice", (KINDS,), 0, DICE, "in the showdown: dice by animal; before it: 0"),
    ViewField(
        "at", (), 0, MAX_CHAIN, "variant: 1 + position of the card that this seat is asked about"
    ),
    ViewField("special_counts", (MAX_PLAYERS,), 0, SPECIAL_CARDS, "special cards held, by seat"),
    ViewField(
        "special_known",
        (MAX_PLAYERS, SPECIAL_KINDS),
        0,
        SPECIAL_COPIES,
        "of these, those that everybody knows, by kind: they were used before, and drawn again",
    ),
    ViewField("special_size", (), 0, SPECIAL_CARDS, "cards in the special pile"),
    ViewField(
        "special_pile",
        (SPECIAL_CARDS,),
        0,
        SPECIAL_KINDS,
        "1 + kind of each, next first, where everybody knows it (used before), else 0",
    ),
    ViewField(
        "used", (SPECIAL_CARDS,), 0, SPECIAL_KINDS, "1 + kind of the specials used in this round"
    ),
    ViewField("last_dice", (KINDS,), 0, DICE, "dice of the round before, by animal"),
    ViewField("last_length", (), 0, MAX_CHAIN, "cards in the chain of the round before"),
    ViewField("last_seats", (MAX_CHAIN,), 0, MAX_PLAYERS, "1 + seat of each; then 0"),
    ViewField("last_animals", (MAX_CHAIN,), 0, KINDS, "1 + animal of each; then 0"),
    ViewField("last_right", (MAX_CHAIN,), 0, 4, "as `chain_right`; then 0"),
)

ACTIONS = (
    Action("0 … 8", "play animal a face up", "chain; with an extra card, if asked again"),
    Action("9 … 17", "play animal a − 9 face down", "the same, holding a face-down special"),
    Action("18", "pass; after a card just played: end the turn", "chain"),
    Action("19", "keep the lid open", "look, starting player"),
    Action("20", "close the lid", "look, starting player"),
    Action("21", "use jokers", "after the showdown, holding enough of them"),
    Action("22", "decline to use jokers", "after the showdown, holding enough of them"),
)


def action_name(action: int) -> str:
    if action < FIRST_FACE_DOWN:
        return f"play {ANIMALS[action]}"
    if action < PASS:
        return f"play {ANIMALS[action - FIRST_FACE_DOWN]} face down"
    return ("pass", "keep open", "close", "use jokers", "decline")[action - PASS]


def configure(states: np.ndarray, options: Mapping[str, Any]) -> None:
    """Write checked options into states that are to be dealt."""
    threshold = options["win_threshold"]
    states["players"] = options["num_players"]
    states["notice"] = options["notice"]
    states["forget"] = options["forget"]
    states["max_looks"] = options["max_looks"]
    states["memory"] = MEMORIES.index(options["memory"])
    states["takeback"] = options["takeback"]
    states["win_threshold"] = options["num_players"] - 1 if threshold is None else threshold  # D3
    states["max_rounds"] = options["max_rounds"]
    states["faces"] = options["faces"]


def margin_scale(options: Mapping[str, Any]) -> float:
    """A lead of half a player's cards is a margin of 1."""
    return 2 / CARDS


def snapshot(states: np.ndarray, i: int) -> dict[str, Any]:
    """The whole of state ``i`` as plain Python (see the rules page, "Plain-Python state")."""
    s = states[i]
    n, phase = int(s["players"]), int(s["phase"])
    over = phase == FINISHED
    hands: list[list[int]] = []
    piles: list[list[int]] = []
    for p in range(n):
        unplayed = s["hand"][p].astype(int)
        taken_back = np.zeros(KINDS, int)
        if over:
            mine = s["last_seat"] == p
            if (s["last_right"][mine] == WRONG).any():
                taken_back = np.bincount(s["last_animal"][mine], minlength=KINDS)
        under = s["pile"][p, s["pile_next"][p] :].tolist()
        if s["passed"][p] or over:
            hands.append([])
            piles.append(ascending(taken_back) + ascending(unplayed - taken_back) + under)
        else:
            hands.append(ascending(unplayed))
            piles.append(under)
    return {
        "players": n,
        "round": int(s["round_number"]),
        "starter": int(s["starter"]),
        "to_act": None if over else int(s["to_act"]),
        "phase": PHASES[phase],
        "again": bool(s["again"].any()),
        "at": int(s["at"]) if s["at"] >= 0 else None,
        "piles": piles,
        "hands": hands,
        "chain": chain_of(s),
        "dice": s["dice"].tolist(),
        "noticed": [[bool(s["noticed"][p] >> d & 1) for d in range(DICE)] for p in range(n)],
        "ticks": int(s["ticks"]),
        "passed": [bool(passed) for passed in s["passed"][:n]],
        "specials": [
            [SPECIALS[kind] for kind in np.repeat(np.arange(SPECIAL_KINDS), s["special"][p])]
            for p in range(n)
        ],
        "special_pile": [SPECIALS[kind] for kind in s["special_pile"][: s["special_size"]]],
        "used": [SPECIALS[kind] for kind in s["used"][: s["used_size"]]],
        "discards": [s["discards"][p, : CARDS - s["cards_left"][p]].tolist() for p in range(n)],
        "over": over,
    }


def ascending(counts: np.ndarray) -> list[int]:
    """So many of each animal, as a list."""
    return np.repeat(np.arange(KINDS), counts).tolist()


def chain_of(s: Any) -> list[dict[str, Any]]:
    """The chain of a state as plain Python."""
    downs = [iter(row) for row in s["down"].tolist()]
    chain = []
    for i in range(s["chain_length"]):
        seat, animal = int(s["chain_seat"][i]), int(s["chain_animal"][i])
        face_down = bool(s["chain_down"][i])
        if face_down:
            animal = next(downs[seat])
        right = (None, False, True, True, False)[s["chain_right"][i]]
        chain.append({"seat": seat, "animal": animal, "face_down": face_down, "right": right})
    return chain
