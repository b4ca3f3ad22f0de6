"""Diddly: a seat's view read in the game's words.

All that is said comes from the views and the players' names; seats are relative to the viewer (0 = the
viewer, then clockwise). D numbers as in ``docs/games/diddly.md``. Cards are numbered as in views:
1 + type, 0 a card that is not seen.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardgames_env.core.drawing import View, listed
from cardgames_env.games.diddly.scoring import score_boards
from cardgames_env.games.diddly.state import (
    DIDDLY,
    EXCHANGE,
    FINISHED,
    FROM_DECK,
    LOOK_AT,
    NAMES,
    NOTHING_IN_HAND,
    PEEK,
    PLACE,
    RECYCLED,
    ROUNDS_SHOWN,
    SHOWN,
    SWAP,
    TURN_UP,
)

# -- reading a view --------------------------------------------------------------------------------


def card_name(card: int) -> str:
    return NAMES[card - 1]


def to_act(view: View) -> int | None:
    return None if view["phase"] == FINISHED else int(view["to_act"])


def setting_up(view: View) -> bool:
    """Whether the two first cards are being turned up, or have their effect (D3)."""
    return bool(
        view["phase"] == TURN_UP
        or (view["phase"] in (LOOK_AT, EXCHANGE) and view["source"] == NOTHING_IN_HAND)
    )


def in_hand(view: View) -> int:
    """The card in hand, or 0 if there is none or it is not seen.

    Another's Peek or Swap from the deck betrays itself while its effect is asked.
    """
    if view["source"] != NOTHING_IN_HAND and view["phase"] == LOOK_AT:
        return 1 + PEEK
    if view["source"] != NOTHING_IN_HAND and view["phase"] == EXCHANGE:
        return 1 + SWAP
    return int(view["in_hand"])


def finished(view: View) -> int | None:
    """The seat whose board was complete first in this round."""
    return int(view["finished"]) - 1 if view["finished"] else None


def last_turns(view: View) -> list[int]:
    """The seats that have still their last turn before them, once one is finished, in order.

    D7: the round may end before.
    """
    first, actor, n = finished(view), to_act(view), int(view["players"])
    if first is None or actor is None:
        return []
    following = [(actor + k) % n for k in range((first - actor) % n)]
    dealer = int(view["dealer"])  # whose turn is the last of all players' n-th ones
    to_dealer = (dealer - actor) % n
    own_is_over = (-actor) % n > to_dealer
    if view["turns_left"] + own_is_over > 1:
        return following
    return following[: to_dealer + 1]


def places(view: View) -> int:
    return 2 * int(view["columns"])


def matched(view: View, seat: int) -> list[bool]:
    """By column, whether the viewer sees that it holds two equal cards."""
    board = view["boards"][seat]
    return [bool(board[2 * c] == board[2 * c + 1] != 0) for c in range(int(view["columns"]))]


def column_points(view: View, seat: int) -> list[int]:
    """By column, what its cards that the viewer sees score; one that it does not see counts 0."""
    board = view["boards"][seat, : places(view)].astype(np.int64)
    known = np.where(board > 0, board - 1, DIDDLY)  # a Diddly adds nothing to a column
    lone = np.full((int(view["columns"]), places(view)), DIDDLY)
    for c in range(len(lone)):
        lone[c, 2 * c : 2 * c + 2] = known[2 * c : 2 * c + 2]
    return score_boards(lone, int(view["columns"])).tolist()


def unseen_on_board(view: View, seat: int) -> int:
    """How many cards of a board the viewer does not see."""
    return int((view["boards"][seat, : places(view)] == 0).sum())


def totals(view: View) -> list[int]:
    return view["scores"][: int(view["players"])].tolist()


def rounds_scored(view: View) -> int:
    """Cut off like the round."""
    return int(view["round_number"]) - (view["phase"] != FINISHED)


def leaders(view: View) -> list[int]:
    """The seats that have won, the game being over, or that tie as far as the view tells.

    Of eight rounds or fewer it tells all scores, so that the best ones can be compared (D10).
    """
    total = np.array(totals(view))
    first = np.flatnonzero(total == total.min()).tolist()
    if view["round_number"] <= ROUNDS_SHOWN and total.min() < SHOWN:
        scored = rounds_scored(view)
        best = {seat: sorted(view["round_scores"][seat, :scored].tolist()) for seat in first}
        first = [seat for seat in first if best[seat] == min(best.values())]
    return first


def has_won(view: View, seat: int) -> bool:
    """Whether the game is over and the view tells that a seat has won, alone or with others."""
    return to_act(view) is None and seat in leaders(view) and not open_question(view)


def open_question(view: View) -> str:
    """What decides among several leaders, if the view does not tell; else empty."""
    if min(totals(view)) == SHOWN:
        return "who has fewest is not seen"
    if len(leaders(view)) > 1 and view["round_number"] > ROUNDS_SHOWN:
        return "their best rounds decide"
    return ""


# -- words -----------------------------------------------------------------------------------------


def points_in_words(points: int) -> str:
    """Points of all rounds, which a view cuts off at its bound."""
    return f"{points}+" if points >= SHOWN else str(points)


def round_in_words(view: View) -> str:
    """2 of 5; a view cuts off both numbers."""
    number, left = int(view["round_number"]), int(view["rounds_left"])
    first = "+" if number == SHOWN else ""
    second = "+" if SHOWN in (number, left) else ""
    return f"{number}{first} of {number + left}{second}"


def win_in_words(view: View) -> str:
    """What the leaders do, without their names and points."""
    if min(totals(view)) == SHOWN:
        return "have"
    if len(leaders(view)) == 1:
        return "wins with"
    return "tie with" if open_question(view) else "share the win with"


def winning_points(view: View) -> str:
    first = leaders(view)
    points = totals(view)[first[0]]
    each = "" if len(first) == 1 else " each"
    return f"{points_in_words(points)} point{'' if points == 1 else 's'}{each}"


def result_in_words(view: View, names: Sequence[str]) -> str:
    who = listed([names[seat] for seat in leaders(view)])
    question = open_question(view)
    end = f"; {question}." if question else "."
    return f"{who} {win_in_words(view)} {winning_points(view)}{end}"


def asked_of(view: View) -> str:
    """What the seat to act is to do, after its name and "is to"."""
    if view["phase"] == TURN_UP:
        return "turn up a card"
    if view["phase"] == LOOK_AT:
        return "peek at a face-down card"
    if view["phase"] == EXCHANGE:
        return "swap two cards, or decline"
    if view["phase"] == PLACE:
        return "place the recycled card" if view["source"] == RECYCLED else "place the card"
    seat = int(view["to_act"])
    may_recycle = (
        (view["boards"][seat] == 1 + NAMES.index("Recycle")) & (view["face_up"][seat] == 1)
    ).any()
    return "draw, take the discard or recycle" if may_recycle else "draw or take the discard"


def hand_in_words(view: View, names: Sequence[str]) -> str:
    """Who holds which card from where; empty if nobody does."""
    if view["source"] == NOTHING_IN_HAND:
        return ""
    card = in_hand(view)
    what = card_name(card) if card else "a card"
    return f"{names[int(view['to_act'])]} holds {what} {from_where(view)}"


def from_where(view: View) -> str:
    """Where the card in hand is from."""
    if view["source"] == FROM_DECK:
        return "from the deck"
    return "from the discard pile" + (", recycling" if view["source"] == RECYCLED else "")
