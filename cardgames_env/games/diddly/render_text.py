"""Diddly: one seat's view as a text for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardgames_env.core.drawing import (
    WIDTH,
    View,
    columns,
    count,
    heading,
    joined,
    listed,
    one_line,
    padded,
    shortened,
    wrapped,
)
from cardgames_env.games.diddly.render_words import (
    asked_of,
    card_name,
    column_points,
    finished,
    hand_in_words,
    has_won,
    last_turns,
    matched,
    places,
    points_in_words,
    result_in_words,
    round_in_words,
    rounds_scored,
    setting_up,
    to_act,
    totals,
    unseen_on_board,
)
from cardgames_env.games.diddly.state import NAMES, ROUNDS_SHOWN, SHOWN, TYPES

NAME_WIDTH = 26
LEFT_WIDTH, CELL = 32, 12  # of a board's table: what stands beside it, a column of cards
ROW_WIDTH = 14  # of what a row of the cards is about
DISCARDS_SHOWN = 10
BACK = "##"
FEW_TURNS = 10


def render_text(view: View, names: Sequence[str]) -> str:
    """The table from one seat as plain text of at most 80 columns; ``names`` by relative seat."""
    names = [shortened(one_line(name), NAME_WIDTH, columns) for name in names]
    left = f"Diddly   round {round_in_words(view)}"
    seats = range(int(view["players"]))
    return joined(
        [
            heading(left, shortened(names[0], WIDTH - len(left) - 10, columns)),
            _situation(view, names),
            *(_board(view, seat, names[seat]) for seat in seats),
            *filter(None, [_rounds(view, names)]),
            _key(view),
            _cards(view),
        ]
    )


def _rounds(view: View, names: Sequence[str]) -> list[str]:
    """The points of the rounds so far, as far as the view tells: of the first eight."""
    scored = min(rounds_scored(view), ROUNDS_SHOWN)
    if not scored:
        return []
    seats = range(int(view["players"]))
    head = (
        "Points by round" if rounds_scored(view) <= ROUNDS_SHOWN else "Points of the first rounds"
    )
    rows = [padded(head, LEFT_WIDTH) + "".join(f"{r + 1:5}" for r in range(scored))]
    for seat in seats:
        points = "".join(f"{int(n):5}" for n in view["round_scores"][seat, :scored])
        rows.append(padded(f"    {names[seat]}", LEFT_WIDTH) + points)
    return rows


def _situation(view: View, names: Sequence[str]) -> list[str]:
    """Whose turn it is and what is asked, a sentence or two a line."""
    dealer = f"{names[int(view['dealer'])]} has dealt."
    actor = to_act(view)
    if actor is None:
        sentences = [f"Game over: {result_in_words(view, names)}"]
        if finished(view) is not None:
            sentences.append(f"{names[int(view['finished']) - 1]} was finished first.")
        sentences.append(dealer)
        return [line for sentence in sentences for line in wrapped(sentence)]
    what = "Set-up: " if setting_up(view) else ""
    sentences = [f"{what}{names[actor]} is to {asked_of(view)}."]
    if view["pending"][1]:
        then = card_name(int(view["pending"][1]))
        sentences.append(f"Then the {then} turned up after it has its effect.")
    elif view["pending"][0] and view["phase"] == 0:
        first = card_name(int(view["pending"][0]))
        sentences.append(f"The {first} turned up has its effect after the second card.")
    if words := hand_in_words(view, names):
        sentences.append(f"{words}.")
    first_seat = finished(view)
    if first_seat is not None:
        last = listed([names[seat] for seat in last_turns(view)])
        sentences.append(f"{names[first_seat]} is finished. Last turns: {last}.")
    sentences.append(dealer)
    if view["turns_left"] <= FEW_TURNS:
        sentences.append(
            f"You have at most {count(int(view['turns_left']), 'turn')} left in this round."
        )
    return [line for sentence in sentences for line in wrapped(sentence)]


def _board(view: View, seat: int, name: str) -> list[str]:
    """Beside the two rows of the board who it is; below what the cards that are seen score."""
    if seat == 0:
        name = shortened(name, NAME_WIDTH - len(" (you)"), columns) + " (you)"
    mark = ">" if seat == to_act(view) else "*" if has_won(view, seat) else " "
    points = points_in_words(totals(view)[seat])
    last = f" ({int(view['last_scores'][seat])})" if rounds_scored(view) else ""
    taken = int(view["turns"][seat])
    turns = f"{taken}+ turns" if taken == SHOWN else count(taken, "turn")
    unseen = unseen_on_board(view, seat)
    seen = f"  board {sum(column_points(view, seat))}"
    if unseen:
        seen += f" + {unseen} unseen"
    beside = [f"{mark} {name}", f"  {points} points{last}, {turns}", seen]
    rows = [
        "".join(f"{_cell(view, seat, k):{CELL}}" for k in range(row, places(view), 2))
        for row in (0, 1)
    ]
    rows.append("".join(f"  {words:{CELL - 2}}" for words in _column_words(view, seat)))
    return [padded(left, LEFT_WIDTH) + row for left, row in zip(beside, rows, strict=True)]


def _cell(view: View, seat: int, k: int) -> str:
    card = int(view["boards"][seat, k])
    shown = card_name(card) if card else BACK
    return f"{k} ({shown})" if view["peeked"][seat, k] else f"{k} {shown}"


def _column_words(view: View, seat: int) -> list[str]:
    words = []
    for c, (points, matches) in enumerate(
        zip(column_points(view, seat), matched(view, seat), strict=True)
    ):
        unseen = int((view["boards"][seat, 2 * c : 2 * c + 2] == 0).sum())
        if matches:
            words.append("match: 0")
        else:
            words.append("?" if unseen == 2 else f"{points} + ?" if unseen else str(points))
    return words


def _key(view: View) -> list[str]:
    lines = [
        f"Each card with its position; {BACK} face down; ( ) peeked at by its owner. Below the"
    ]
    lines.append("columns what they score as far as you see; ? what you do not see.")
    if rounds_scored(view):
        lines.append("Points of all rounds scored, those of the last in brackets.")
    return lines


def _cards(view: View) -> list[str]:
    """The piles, and cards by type: discarded, unseen, and in the deck once that is known."""
    size = int(view["discard_size"])
    top = [card_name(int(card)) for card in view["discard"][: min(size, DISCARDS_SHOWN)]]
    more = f" and {size - len(top)} below" if size > len(top) else ""
    renewed = ", renewed in this round" if view["renewed"] else ""
    lines = [f"Deck: {count(int(view['deck_size']), 'card')}{renewed}."]
    first = f"Discard pile: {count(size, 'card')}"
    lines += wrapped(f"{first}, from the top: {', '.join(top)}{more}." if size else f"{first}.")
    widths = [len(name) + 2 for name in NAMES]
    head = "".join(f"{name:>{width}}" for name, width in zip(NAMES, widths, strict=True))
    lines.append(f"{'Cards':{ROW_WIDTH}}{head}")
    discarded = np.bincount(view["discard"][:size], minlength=1 + TYPES)[1:]
    rows = [("Discarded", discarded), ("Unseen", view["unseen"])]
    if view["renewed"]:
        rows.append(("In the deck", view["in_deck"]))
    for words, cards in rows:
        numbers = "".join(
            f"{int(number) or '.':>{width}}" for number, width in zip(cards, widths, strict=True)
        )
        lines.append(f"{words:{ROW_WIDTH}}{numbers}")
    return lines
