"""The games under contract. A later game joins by a row in ROWS; the tests of this folder know none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tests.contract.play import Variant

Snapshot = Mapping[str, Any]


@dataclass(frozen=True)
class Row:
    """What the contract tests need to be told of a game, beside what the game says of itself.

    variants : option sets by name; the tests run on each.
    material : all cards (or dice …) of a snapshot, with how often each is there.
    hidden : what a seat may not know, by place, for a snapshot and a seat: the cards of each place.
        Places of other seats are named by their seat relative to it.
    pool : of a place's name, which cards may lie there: those of all places of the same pool.
    uniform : whether all cards differ and ``determinize`` lays hidden ones into the places uniformly
        (while a game lasts). If not, the game's folder has a test_determinize.py for its distribution.
    scores : the page's own points of each seat so far, from a snapshot.
    given_deal : the ``deal`` option that sets up what a snapshot at the beginning shows.
    bad_deals : damaged forms of a deal, each with a word that the refusal must hold.
    bad_options : option sets that are refused, each with a word that the refusal must hold.
    seats_alike : whether equal policies win equally often at every seat.
    places : the places of all seats, from a snapshot at the end, where points alone do not tell them.
    """

    variants: Mapping[str, Mapping[str, Any]]
    material: Callable[[Snapshot], Counter[Any]]
    hidden: Callable[[Snapshot, int], dict[str, list[Any]]]
    uniform: bool
    scores: Callable[[Snapshot], list[int]]
    given_deal: Callable[[Snapshot], dict[str, Any]]
    bad_deals: Callable[[dict[str, Any]], Iterator[tuple[str, Any]]]
    bad_options: tuple[tuple[dict[str, Any], str], ...]
    seats_alike: bool
    places: Callable[[Snapshot], list[int]] | None = None
    pool: Callable[[str], str] = lambda place: "the cards"


# -- Dicht dran ------------------------------------------------------------------------------------


def dicht_dran_material(snapshot: Snapshot) -> Counter[int]:
    chosen = [card for card in snapshot["chosen"] if card is not None]
    heaps = [snapshot["circle"], snapshot["pile"], snapshot["discard"], chosen]
    return Counter(card for heap in [*heaps, *snapshot["hands"], *snapshot["won"]] for card in heap)


def dicht_dran_hidden(snapshot: Snapshot, seat: int) -> dict[str, list[int]]:
    players = snapshot["players"]
    places = {"next of the pile": snapshot["pile"][:1], "rest of the pile": snapshot["pile"][1:]}
    for k in range(1, players):
        p = (seat + k) % players
        chosen = snapshot["chosen"][p]  # face down: it may be any card that the seat holds
        places[f"cards of {k}"] = snapshot["hands"][p] + ([] if chosen is None else [chosen])
    return places


def dicht_dran_bad_deals(deal: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    circle, hands, pile = deal["circle"], deal["hands"], deal["pile"]
    yield "mapping", [1, 2, 3]
    yield "missing", {"circle": circle, "hands": hands}
    yield "cards", {**deal, "cards": []}
    yield "did you mean", {"circle": circle, "hands": hands, "piel": pile}
    yield "circle", {**deal, "circle": circle[:5]}
    yield "position 0", {**deal, "circle": [circle[1], circle[0], *circle[2:]]}
    yield "position 3", {**deal, "circle": [*circle[:3], circle[4], circle[3], circle[5]]}
    yield "hands", {**deal, "hands": hands[:-1]}
    yield "hands", {**deal, "hands": 7}
    yield "hands[0]", {**deal, "hands": [hands[0][:-1], *hands[1:]]}
    yield "pile", {**deal, "pile": pile[:-1]}
    yield "more than one place", {**deal, "pile": [hands[0][0], *pile[1:]]}
    yield "no card 101", {**deal, "pile": [101, *pile[1:]]}
    yield "no card 0", {**deal, "pile": [0, *pile[1:]]}
    yield "whole numbers", {**deal, "pile": [2.5, *pile[1:]]}
    yield "whole numbers", {**deal, "pile": [True, *pile[1:]]}
    yield "pile", {**deal, "pile": "many"}


DICHT_DRAN = Row(
    variants={
        "2 players, 1 deal": {"num_players": 2, "deals": 1},
        "3 players, all peppers 3": {"num_players": 3, "peppers": [3] * 100},
        "4 players": {},
        "5 players, 3 deals": {"num_players": 5, "deals": 3},
        "5 players, 1 deal, all peppers 3": {"num_players": 5, "deals": 1, "peppers": [3] * 100},
    },
    material=dicht_dran_material,
    hidden=dicht_dran_hidden,
    uniform=True,
    scores=lambda snapshot: [sum(points) for points in zip(*snapshot["scores"], strict=True)],
    given_deal=lambda snapshot: {key: snapshot[key] for key in ("circle", "hands", "pile")},
    bad_deals=dicht_dran_bad_deals,
    bad_options=(
        ({"num_players": 1}, "num_players"),
        ({"num_players": 6}, "num_players"),
        ({"num_players": 3.0}, "num_players"),
        ({"num_players": True}, "num_players"),
        ({"num_players": "4"}, "num_players"),
        ({"deals": 0}, "deals"),
        ({"deals": -2}, "deals"),
        ({"deals": 1.5}, "deals"),
        ({"deals": None}, "deals"),
        ({"peppers": [1] * 99}, "peppers"),
        ({"peppers": [1] * 99 + [4]}, "card 100"),
        ({"peppers": [0] + [1] * 99}, "card 1"),
        ({"peppers": [1.0] * 100}, "peppers"),
        ({"peppers": [True] * 100}, "peppers"),
        ({"peppers": "123"}, "peppers"),
        ({"peppers": [[1], [1, 2]]}, "peppers"),
        ({"player": 4}, "num_players"),
        ({"num_player": 4}, "did you mean 'num_players'"),
    ),
    seats_alike=True,
)

# -- DTC -------------------------------------------------------------------------------------------


def dtc_material(snapshot: Snapshot) -> Counter[int]:
    offer = snapshot["offer"]["cards"] if snapshot["offer"] else []
    heaps = [*snapshot["hands"], *snapshot["penalty"], snapshot["pile"], offer]
    return Counter(card for heap in heaps for card in heap)


def dtc_hidden(snapshot: Snapshot, seat: int) -> dict[str, list[int]]:
    players, offer, pile = snapshot["players"], snapshot["offer"], list(snapshot["pile"])
    hands = {k: list(snapshot["hands"][(seat + k) % players]) for k in range(1, players)}
    places = {}
    if offer is not None and offer["giver"] != seat:
        hand = hands[(offer["giver"] - seat) % players]
        hand += offer["cards"]  # while it is composed, too: to others it lies on the table
        if snapshot["phase"] == "compose":
            while len(hand) - offer["count"] < DTC_HAND[len(snapshot["hands"])] and pile:
                hand.append(pile.pop(0))
        places["offer"] = hand[-offer["count"] :]
        del hand[-offer["count"] :]
    places |= {"next of the pile": pile[:1], "rest of the pile": pile[1:]}
    return places | {f"hand of {k}": hand for k, hand in hands.items()}


def dtc_scores(snapshot: Snapshot) -> list[int]:
    hands = snapshot["hands"] if snapshot["phase"] == "over" else [[]] * snapshot["players"]
    return [
        len(hand) + len(penalty) for hand, penalty in zip(hands, snapshot["penalty"], strict=True)
    ]


#: Full hands in the variants below, by number of players.
DTC_HAND = {2: 6, 3: 6, 4: 6, 5: 2, 6: 6}


def dtc_bad_deals(deal: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    first, hands, pile = deal["first"], deal["hands"], deal["pile"]
    in_first = next(card for card in hands[0] if card != hands[1][0])
    yield "mapping", [1, 2, 3]
    yield "missing", {"first": first, "hands": hands}
    yield "cards", {**deal, "cards": []}
    yield "did you mean", {"frist": first, "hands": hands, "pile": pile}
    yield "first", {**deal, "first": len(hands)}
    yield "first", {**deal, "first": -1}
    yield "first", {**deal, "first": None}
    yield "first", {**deal, "first": True}
    yield "hands", {**deal, "hands": hands[:-1]}
    yield "hands", {**deal, "hands": 7}
    yield "hands[0]", {**deal, "hands": [hands[0][:-1], *hands[1:]]}
    yield "pile", {**deal, "pile": [*pile, 1]}
    yield "no card 7", {**deal, "hands": [[7, *hands[0][1:]], *hands[1:]]}
    yield "no card -1", {**deal, "hands": [[-1, *hands[0][1:]], *hands[1:]]}
    yield "there must be", {**deal, "hands": [hands[0], [in_first, *hands[1][1:]], *hands[2:]]}
    yield "whole numbers", {**deal, "hands": [[2.5, *hands[0][1:]], *hands[1:]]}
    yield "whole numbers", {**deal, "hands": [[True, *hands[0][1:]], *hands[1:]]}
    yield "pile", {**deal, "pile": "many"}


DTC = Row(
    variants={
        "4 players": {},
        "2 players": {"num_players": 2},
        "6 players, higher counts as true": {"num_players": 6, "higher_counts_as_true": True},
        "5 players, small deck": {
            "num_players": 5, "values": 3, "copies": 5, "jokers": 2, "hand_size": 2,
        },
        "3 players, no pile": {
            "num_players": 3, "copies": 2, "jokers": 6, "hand_size": 6,
        },
    },
    material=dtc_material,
    hidden=dtc_hidden,
    uniform=False,
    scores=dtc_scores,
    given_deal=lambda snapshot: {key: snapshot[key] for key in ("first", "hands", "pile")},
    bad_deals=dtc_bad_deals,
    bad_options=(
        ({"num_players": 1}, "num_players"),
        ({"num_players": 7}, "num_players"),
        ({"num_players": "4"}, "num_players"),
        ({"higher_counts_as_true": 1}, "higher_counts_as_true"),
        ({"higher_counts_as_true": "yes"}, "higher_counts_as_true"),
        ({"values": 0}, "values"),
        ({"values": 7}, "values"),
        ({"copies": 0}, "copies"),
        ({"copies": 10}, "copies"),
        ({"jokers": -1}, "jokers"),
        ({"jokers": 13}, "jokers"),
        ({"jokers": 1.5}, "jokers"),
        ({"hand_size": 0}, "hand_size"),
        ({"hand_size": 7}, "hand_size"),
        ({"values": 1, "jokers": 12}, "raise copies"),
        ({"higher_count_as_true": True}, "did you mean 'higher_counts_as_true'"),
    ),
    seats_alike=True,
)  # fmt: skip

# -- Diddly ----------------------------------------------------------------------------------------


def diddly_material(snapshot: Snapshot) -> Counter[int]:
    in_hand = [] if snapshot["in_hand"] is None else [snapshot["in_hand"]]
    heaps = [*snapshot["boards"], snapshot["deck"], snapshot["discard"], in_hand]
    return Counter(card for heap in heaps for card in heap)


def diddly_hidden(snapshot: Snapshot, seat: int) -> dict[str, list[int]]:
    """Another's card in hand is left out: whether it came from the deck, a snapshot does not tell."""
    players = snapshot["players"]
    places = {"next of the deck": snapshot["deck"][:1], "rest of the deck": snapshot["deck"][1:]}
    for k in range(players):
        p = (seat + k) % players
        unseen = snapshot["known" if k == 0 else "face_up"][p]
        places[f"board of {k}"] = [
            card for card, seen in zip(snapshot["boards"][p], unseen, strict=True) if not seen
        ]
    return places


def diddly_places(snapshot: Snapshot) -> list[int]:
    """Of equal totals the better best round, then the next best …"""
    keys = [(sum(points), sorted(points)) for points in snapshot["scores"]]
    return [1 + sum(other < key for other in keys) for key in keys]


def diddly_bad_deals(deal: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    boards, deck, discard = deal["boards"], deal["deck"], deal["discard"]
    other = next(card for card in deck if card != deck[0])
    yield "mapping", [1, 2, 3]
    yield "missing", {"boards": boards, "deck": deck}
    yield "pile", {**deal, "pile": []}
    yield "did you mean", {"board": boards, "deck": deck, "discard": discard}
    yield "boards", {**deal, "boards": boards[:-1]}
    yield "boards", {**deal, "boards": 7}
    yield "boards[0]", {**deal, "boards": [boards[0][:-1], *boards[1:]]}
    yield "discard", {**deal, "deck": [*deck, *discard], "discard": []}
    yield "104 cards", {**deal, "deck": deck[:-1]}
    yield "no card type 15", {**deal, "deck": [15, *deck[1:]]}
    yield "no card type -1", {**deal, "deck": [-1, *deck[1:]]}
    yield "there must be", {**deal, "deck": [other, *deck[1:]]}
    yield "whole numbers", {**deal, "deck": [2.5, *deck[1:]]}
    yield "whole numbers", {**deal, "deck": [True, *deck[1:]]}
    yield "deck", {**deal, "deck": "many"}


DIDDLY = Row(
    variants={
        "4 players, 1 round": {"rounds": 1},
        "2 players, boards of eight": {"num_players": 2, "columns": 4, "rounds": 1},
        "8 players, 1 round": {"num_players": 8, "rounds": 1, "max_turns": 8},
        "3 players, 9 short rounds": {"num_players": 3, "rounds": 9, "max_turns": 2},
    },
    material=diddly_material,
    hidden=diddly_hidden,
    uniform=False,
    scores=lambda snapshot: [sum(points) for points in snapshot["scores"]],
    given_deal=lambda snapshot: {key: snapshot[key] for key in ("boards", "deck", "discard")},
    bad_deals=diddly_bad_deals,
    bad_options=(
        ({"num_players": 1}, "num_players"),
        ({"num_players": 9}, "num_players"),
        ({"num_players": "4"}, "num_players"),
        ({"columns": 2}, "columns"),
        ({"columns": 5}, "columns"),
        ({"columns": 4, "num_players": 7}, "columns=4"),
        ({"rounds": 0}, "rounds"),
        ({"rounds": 1.5}, "rounds"),
        ({"max_turns": 0}, "max_turns"),
        ({"max_turns": None}, "max_turns"),
        ({"colums": 3}, "did you mean 'columns'"),
    ),
    seats_alike=False,  # the seat left of the first dealer begins
    places=diddly_places,
)

# -- Dackel drauf! ---------------------------------------------------------------------------------


def dackel_drauf_material(snapshot: Snapshot) -> Counter[Any]:
    """Everybody has animal cards of their own; the special cards are common."""
    cards: Counter[Any] = Counter((card["seat"], card["animal"]) for card in snapshot["chain"])
    for heaps in (snapshot["hands"], snapshot["piles"], snapshot["discards"]):
        cards.update((p, animal) for p, heap in enumerate(heaps) for animal in heap)
    for heap in (*snapshot["specials"], snapshot["special_pile"], snapshot["used"]):
        cards.update(heap)
    return cards


def dackel_drauf_hidden(snapshot: Snapshot, seat: int) -> dict[str, list[Any]]:
    """Only where nothing is known: later, some cards were taken back, or used before."""
    players, over = snapshot["players"], snapshot["phase"] in ("jokers", "over")
    if snapshot["round"] > 2:
        return {}
    places = {"special cards: pile": snapshot["special_pile"]}
    for k in range(1, players):
        p = (seat + k) % players
        places[f"special cards: {k}"] = snapshot["specials"][p]
        if snapshot["round"] == 1:
            played = [card for card in snapshot["chain"] if card["seat"] == p]
            in_pile = 18 - 10  # unplayed cards lie above these, once their owner has passed
            hand = snapshot["hands"][p] + snapshot["piles"][p][:-in_pile]
            down = [card["animal"] for card in played if card["face_down"] and not over]
            places[f"cards of {k}: held"] = hand + down
            places[f"cards of {k}: pile"] = snapshot["piles"][p][-in_pile:]
    return places


def dackel_drauf_bad_deals(deal: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    piles, dice, special_pile = deal["piles"], deal["dice"], deal["special_pile"]
    other = next(animal for animal in piles[0] if animal != piles[0][0])
    kind = next(kind for kind in special_pile if kind != special_pile[0])
    yield "mapping", [1, 2, 3]
    yield "missing", {key: part for key, part in deal.items() if key != "dice"}
    yield "cards", {**deal, "cards": []}
    yield "did you mean", {"startre": 0, "piles": piles, "dice": dice, "special_pile": special_pile}
    yield "starter", {**deal, "starter": len(piles)}
    yield "starter", {**deal, "starter": -1}
    yield "starter", {**deal, "starter": True}
    yield "piles", {**deal, "piles": piles[:-1]}
    yield "piles", {**deal, "piles": 7}
    yield "piles", {**deal, "piles": np.array(7)}
    yield "piles[1]", {**deal, "piles": [piles[0], np.array(7), *piles[2:]]}
    yield "dice", {**deal, "dice": np.array(7)}
    yield "special_pile", {**deal, "special_pile": [np.array([0, 1])] * 9}
    yield "piles[0]", {**deal, "piles": [piles[0][:-1], *piles[1:]]}
    yield "no animal 9", {**deal, "piles": [[9, *piles[0][1:]], *piles[1:]]}
    yield "no animal -1", {**deal, "piles": [[-1, *piles[0][1:]], *piles[1:]]}
    yield "twice", {**deal, "piles": [[other, *piles[0][1:]], *piles[1:]]}
    yield "whole numbers", {**deal, "piles": [[2.5, *piles[0][1:]], *piles[1:]]}
    yield "dice", {**deal, "dice": dice[:-1]}
    yield "dice", {**deal, "dice": "many"}
    yield "dice[14]", {**deal, "dice": [*dice[:-1], 9]}
    yield "dice[0]", {**deal, "dice": [-1, *dice[1:]]}
    yield "whole numbers", {**deal, "dice": [True, *dice[1:]]}
    yield "special_pile", {**deal, "special_pile": special_pile[:-1]}
    yield "special_pile", {**deal, "special_pile": 9}
    yield "no special card", {**deal, "special_pile": ["dog", *special_pile[1:]]}
    yield "no special card", {**deal, "special_pile": [0, *special_pile[1:]]}
    yield "must hold 3", {**deal, "special_pile": [kind, *special_pile[1:]]}


DACKEL_DRAUF = Row(
    variants={
        "3 players, 6 rounds": {"max_rounds": 6},
        "2 players who forget": {"num_players": 2, "forget": 0.3, "max_rounds": 4},
        "5 players, taking back": {"num_players": 5, "takeback": True, "max_rounds": 3},
        "4 players, memory of the agents": {"num_players": 4, "memory": "agent", "max_rounds": 3},
        "3 players, perfect memory, odd dice": {
            "memory": "perfect", "win_threshold": 12, "max_rounds": 4,
            "faces": [[0, 0, 1, 2, 3, d % 9] for d in range(15)],
        },
    },
    material=dackel_drauf_material,
    hidden=dackel_drauf_hidden,
    uniform=False,
    pool=lambda place: place.split(":")[0],
    scores=lambda snapshot: [
        18 * snapshot["over"] - len(discards) for discards in snapshot["discards"]
    ],
    given_deal=lambda snapshot: {
        "starter": snapshot["starter"],
        "piles": [
            hand + pile for hand, pile in zip(snapshot["hands"], snapshot["piles"], strict=True)
        ],
        "dice": snapshot["dice"],
        "special_pile": snapshot["special_pile"],
    },
    bad_deals=dackel_drauf_bad_deals,
    bad_options=(
        ({"num_players": 1}, "num_players"),
        ({"num_players": 6}, "num_players"),
        ({"num_players": "3"}, "num_players"),
        ({"notice": -0.1}, "notice"),
        ({"notice": 1.5}, "notice"),
        ({"notice": "often"}, "notice"),
        ({"notice": float("nan")}, "notice"),
        ({"notice": True}, "notice"),
        ({"forget": 2}, "forget"),
        ({"forget": None}, "forget"),
        ({"max_looks": 0}, "max_looks"),
        ({"max_looks": 2.0}, "max_looks"),
        ({"memory": "photographic"}, "player, perfect, agent"),
        ({"memory": None}, "memory"),
        ({"takeback": 1}, "takeback"),
        ({"win_threshold": 18}, "win_threshold"),
        ({"win_threshold": -1}, "win_threshold"),
        ({"max_rounds": 0}, "max_rounds"),
        ({"faces": [[0] * 6] * 14}, "faces"),
        ({"faces": [[0] * 6] * 14 + [[0] * 5]}, "die 14"),
        ({"faces": [[0] * 6] * 14 + [[9] * 6]}, "die 14"),
        ({"faces": [[0.5] * 6] * 15}, "die 0"),
        ({"faces": "dice"}, "faces"),
        ({"faces": np.array(5)}, "faces"),
        ({"faces": [np.array(5)] * 15}, "die 0"),
        ({"notice": 10**400}, "notice"),
        ({"max_look": 3}, "did you mean 'max_looks'"),
    ),
    seats_alike=True,
)  # fmt: skip

# -- the table -------------------------------------------------------------------------------------

ROWS: dict[str, Row] = {
    "dicht_dran_v0": DICHT_DRAN,
    "dtc_v0": DTC,
    "diddly_v0": DIDDLY,
    "dackel_drauf_v0": DACKEL_DRAUF,
}

VARIANTS = [
    pytest.param(Variant(game, name, options, row), id=f"{game}: {name}")
    for game, row in ROWS.items()
    for name, options in row.variants.items()
]
FIRST_VARIANTS = [
    pytest.param(Variant(game, name, row.variants[name], row), id=game)
    for game, row in ROWS.items()
    for name in list(row.variants)[:1]
]


@pytest.fixture(params=VARIANTS)
def variant(request: pytest.FixtureRequest) -> Variant:
    """A game with a set of options: each of the table, one after the other."""
    return request.param


@pytest.fixture(params=FIRST_VARIANTS)
def any_variant(request: pytest.FixtureRequest) -> Variant:
    """One set of options of each game, for tests in which options play no part."""
    return request.param


@pytest.fixture(params=list(ROWS))
def game_id(request: pytest.FixtureRequest) -> str:
    return request.param
