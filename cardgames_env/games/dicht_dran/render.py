"""Dicht dran: one seat's view as text and as a picture, and a round in words.

All that is said or drawn comes from the view and the players' names; seats are relative to the
viewer (0 = the viewer, then clockwise). Rule numbers as in ``docs/games/dicht_dran.md``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from cardgames_env.core.drawing import (
    ASPECT,
    BACK_LINE,
    CARD_EDGE,
    CREAM,
    GOLD,
    GREY,
    HEADER_HEIGHT,
    INK,
    PALE,
    SHADE,
    Colour,
    Picture,
    View,
    columns,
    count,
    heading,
    joined,
    listed,
    one_line,
    padded,
    shortened,
    text_width,
    wrapped,
)
from cardgames_env.core.drawing import font as _font  # noqa: F401 (for the tests)
from cardgames_env.games.dicht_dran.state import CARDS, CIRCLE, DEALS_SHOWN, POINTS_SHOWN

Gap = tuple[int, int]

TAKES, SAFE, MISSES, UNKNOWN = "takes", "safe", "misses", "unknown"


@dataclass(frozen=True)
class Played:
    """A card that was revealed: whose it is and what became of it (TAKES …)."""

    seat: int
    card: int
    outcome: str


# -- reading a view --------------------------------------------------------------------------------


def hand_of(view: View) -> list[int]:
    """The viewer's cards, ascending; a chosen card is not among them."""
    return [c + 1 for c in range(CARDS) if view["hand"][c]]


def peppers_on(view: View, card: int) -> int:
    return int(view["peppers"][card - 1])


def in_gap(card: int, gap: Gap) -> bool:
    return gap[0] <= card <= gap[1]


def by_closeness(cards: Sequence[int], target: int) -> list[int]:
    """Closest first; of two equally close, the higher (rule 4)."""
    return sorted(cards, key=lambda card: (abs(card - target), -card))


def gap_to_play(view: View) -> Gap | None:
    """The gap that cards are chosen for; None when the game is over."""
    return None if view["over"] else (int(view["gap_low"]), int(view["gap_high"]))


def gap_of_last_round(view: View) -> Gap | None:
    """The gap of the round revealed last; None if that was in an earlier deal, or never.

    The round changed nothing but the card at the target's place, so that its neighbours still lie.
    """
    rounds_done = int(view["round_number"]) - (not view["over"])
    if rounds_done == 0:
        return None
    place = rounds_done % CIRCLE
    left = int(view["circle"][(place - 1) % CIRCLE])
    right = int(view["circle"][(place + 1) % CIRCLE])
    return min(left, right), max(left, right)


def revealed(view: View, gap: Gap | None) -> list[Played]:
    """The cards of the round revealed last, by seat; ``gap`` is that round's, if it is known."""
    if not view["last_target"]:
        return []
    plays = []
    for seat in range(int(view["players"])):
        card = int(view["last_plays"][seat])
        if seat == view["last_winner"] - 1:
            outcome = TAKES
        elif gap is None:
            outcome = UNKNOWN
        else:
            outcome = SAFE if in_gap(card, gap) else MISSES
        plays.append(Played(seat, card, outcome))
    return plays


def winners(view: View) -> list[int]:
    """The seats with the most points (D6: a tie is shared)."""
    scores = view["scores"][: int(view["players"])].tolist()
    return [seat for seat, points in enumerate(scores) if points == max(scores)]


# -- words -----------------------------------------------------------------------------------------


def points_in_words(points: int) -> str:
    """A number of points of a view, which cuts them off at its bounds."""
    if abs(points) < POINTS_SHOWN:
        return str(points)
    return f">={points}" if points > 0 else f"<={points}"


def deal_in_words(view: View) -> str:
    """2 of 3; a view cuts off both numbers (101+ of 101+)."""
    deal, left = int(view["deal"]), int(view["deals_left"])
    first = "+" if deal == DEALS_SHOWN else ""
    second = "+" if DEALS_SHOWN in (deal, left) else ""
    return f"{deal + 1}{first} of {deal + left + 1}{second}"


def win_in_words(view: View) -> str:
    """What those with the most points do, without their names and points."""
    first = winners(view)
    if len(first) == 1:
        return "wins with"
    cut_off = abs(int(view["scores"][first[0]])) == POINTS_SHOWN  # who of them has most is not seen
    return "lead with" if cut_off else "share the win with"


def winning_points(view: View) -> str:
    first = winners(view)
    points = int(view["scores"][first[0]])
    each = "" if len(first) == 1 else " each"
    return f"{points_in_words(points)} point{'' if points == 1 else 's'}{each}"


def result_in_words(view: View, names: Sequence[str]) -> str:
    who = listed([names[seat] for seat in winners(view)])
    return f"{who} {win_in_words(view)} {winning_points(view)}."


def describe(before: View, after: View, names: Sequence[str]) -> list[str]:
    """What was revealed between two views of one seat, at most a round apart; a sentence each.

    Draws are told as they are owed: a card for each pepper (rule 6).
    """
    if all(before[key] == after[key] for key in ("deal", "round_number", "over")):
        return []
    names = [one_line(name) for name in names]
    gap = int(before["gap_low"]), int(before["gap_high"])
    plays = revealed(after, gap)
    told = [_taken(before, plays, names)]
    for play in plays:
        if play.outcome == SAFE:
            told.append(f"{names[play.seat]} drops {play.card} into the gap {gap[0]}-{gap[1]}.")
    for play in plays:
        if play.outcome == MISSES:
            owed = count(peppers_on(before, play.card), "card")
            told.append(f"{names[play.seat]} misses with {play.card} and draws {owed}.")
    if after["over"] or after["round_number"] <= before["round_number"]:
        told += _deal_over(before, after, plays, names)
    if after["over"]:
        told.append(f"The game is over: {result_in_words(after, names)}")
    return told


def _taken(before: View, plays: list[Played], names: Sequence[str]) -> str:
    target = int(before["target"])
    winner = next(play for play in plays if play.outcome == TAKES)
    distance = abs(winner.card - target)
    equal = [p.card for p in plays if p is not winner and abs(p.card - target) == distance]
    how = f"as close to {target} as {equal[0]} but higher" if equal else f"the closest to {target}"
    worth = count(peppers_on(before, target), "pepper")
    return f"{names[winner.seat]} plays {winner.card}, {how}, and takes it ({worth})."


def _deal_over(before: View, after: View, plays: list[Played], names: Sequence[str]) -> list[str]:
    owed = [peppers_on(before, p.card) if p.outcome == MISSES else 0 for p in plays]
    out = [p.seat for p in plays if before["hand_sizes"][p.seat] == 1 and owed[p.seat] == 0]
    reasons = []
    if out:
        verb = "has" if len(out) == 1 else "have"
        reasons.append(f"{listed([names[seat] for seat in out])} {verb} no card left")
    if sum(owed) >= before["pile_size"]:
        reasons.append("the pile has run out")
    told = [f"Deal {deal_in_words(before)} is over: {listed(reasons)}."]
    for play in plays:
        seat = play.seat
        won = int(before["won_peppers"][seat])
        if play.outcome == TAKES:
            won += peppers_on(before, int(before["target"]))
        earlier, total = int(before["scores"][seat]), int(after["scores"][seat])
        told.append(_deal_score(names[seat], won, earlier, total))
    return told


def _deal_score(name: str, won: int, earlier: int, total: int) -> str:
    """Rule 8; ``earlier`` and ``total`` are the points before and after the deal."""
    peppers = count(won, "pepper")
    if POINTS_SHOWN in (abs(earlier), abs(total)):  # cut off: the points of the deal do not show
        return f"{name} won {peppers}; {points_in_words(total)} in all."
    points = total - earlier
    in_all = f"; {total} in all" if earlier else ""
    return f"{name} scores {points}: {peppers} won less {won - points} in hand{in_all}."


# -- text ------------------------------------------------------------------------------------------

CIRCLE_WIDTH = 42
# Row and middle column of the six places: position 0 at twelve o'clock, then clockwise.
PLACES = ((0, 20), (2, 34), (4, 34), (6, 20), (4, 6), (2, 6))
TARGET_PLACES = ((2, 20), (2, 23), (4, 23), (4, 20), (4, 17), (2, 17))  # shifted in
NAME_WIDTH = 26
HAND_CELL, HAND_CELLS = 9, 8
CLOSEST_SHOWN = 4


def render_text(view: View, names: Sequence[str]) -> str:
    """The table from one seat as plain text of at most 80 columns; ``names`` by relative seat."""
    names = [shortened(one_line(name), NAME_WIDTH, columns) for name in names]
    blocks = [_heading(view, names), _table(view), _hand(view), _players(view, names)]
    if view["over"]:
        blocks.insert(1, wrapped(f"Game over: {result_in_words(view, names)}"))
    return joined(blocks)


def _card(view: View, card: int) -> str:
    return f"{card}{'*' * peppers_on(view, card)}"


def _heading(view: View, names: Sequence[str]) -> list[str]:
    left = f"Dicht dran   deal {deal_in_words(view)}   round {int(view['round_number'])}"
    return heading(left, names[0])


def _table(view: View) -> list[str]:
    """The circle, its gap and target, with the piles beside it."""
    gap = gap_to_play(view)
    target_place = int(view["target_position"])
    rows = [[" "] * CIRCLE_WIDTH for _ in range(7)]

    def put(place: tuple[int, int], text: str) -> None:
        row, middle = place
        start = middle - len(text) // 2
        rows[row][start : start + len(text)] = text

    for position in range(CIRCLE):
        card = _card(view, int(view["circle"][position]))
        if gap is not None and position == target_place:
            put(TARGET_PLACES[position], f"[{card}]")
            put(PLACES[position], f"gap {gap[0]}-{gap[1]}")
        elif gap is not None and (position - target_place) % CIRCLE in (1, CIRCLE - 1):
            put(PLACES[position], f"({card})")
        else:
            put(PLACES[position], card)
    beside = _beside_circle(view, gap)
    return ["".join(row) + words for row, words in zip(rows, beside, strict=True)]


def _beside_circle(view: View, gap: Gap | None) -> list[str]:
    piles = [
        f"Pile      {int(view['pile_size']):2} cards",
        f"Discards  {int(view['discard_size']):2} cards",
    ]
    if gap is None:
        return ["", "", *piles, "", "", "*    a pepper"]
    target = int(view["target"])
    where = "inside" if in_gap(target, gap) else "outside"
    return [
        f"Target    {_card(view, target)}",
        f"Gap       {gap[0]}-{gap[1]} (target {where})",
        *piles,
        "[ ]  the target, shifted in",
        "( )  its neighbours, and cards within",
        "*    a pepper",
    ]


def _hand(view: View) -> list[str]:
    hand = hand_of(view)
    gap = gap_to_play(view)
    peppers = sum(peppers_on(view, card) for card in hand)
    lines = [f"Your hand: {count(len(hand), 'card')}, {count(peppers, 'pepper')}"]
    cells = []
    for card in hand:
        safe = gap is not None and in_gap(card, gap)
        cells.append(f"({_card(view, card)})" if safe else f" {_card(view, card)} ")
    for first in range(0, len(cells), HAND_CELLS):
        row = cells[first : first + HAND_CELLS]
        lines.append(" " + "".join(cell.rjust(HAND_CELL) for cell in row))
    if gap is not None:
        target = int(view["target"])
        safe_cards = sum(in_gap(card, gap) for card in hand)
        lines.append(f"In the gap {gap[0]}-{gap[1]}, so safe: {safe_cards} of {len(hand)}")
        closest = by_closeness(hand, target)[:CLOSEST_SHOWN]
        if closest:
            near = ", ".join(f"{card} ({abs(card - target)} off)" for card in closest)
            lines.append(f"Closest to the target {target}: {near}")
    if view["chosen"]:
        lines.append(f"Your choice lies face down: {_card(view, int(view['chosen']))}")
    return lines


def _players(view: View, names: Sequence[str]) -> list[str]:
    gap = gap_of_last_round(view)
    plays = revealed(view, gap)
    heading = ""
    if plays:
        target = _card(view, int(view["last_target"]))
        when = "Last round" if gap else "Last deal's end"
        heading = f"{when}, target {target}"
    lines = [f"{'Player':{NAME_WIDTH}}  Cards  Won  Points   {heading}"]
    for seat in range(int(view["players"])):
        name = names[seat]
        if seat == 0:
            name = shortened(name, NAME_WIDTH - len(" (you)"), columns) + " (you)"
        lines.append(
            f"{padded(name, NAME_WIDTH)}  {int(view['hand_sizes'][seat]):5}"
            f"  {int(view['won_peppers'][seat]):3}  {points_in_words(int(view['scores'][seat])):>6}"
            f"   {_outcome(view, plays[seat], gap) if plays else ''}"
        )
    lines.append("Won: peppers on the cards won in this deal. Points: of the finished deals.")
    return lines


def _outcome(view: View, play: Played, gap: Gap | None) -> str:
    card = f"{_card(view, play.card):7}"
    if play.outcome == TAKES:
        return f"{card}takes the {int(view['last_target'])}"
    if play.outcome == SAFE and gap is not None:
        return f"{card}in the gap {gap[0]}-{gap[1]}"
    if play.outcome == MISSES:
        return f"{card}misses, draws {peppers_on(view, play.card)}"
    return card


# -- picture: colours and places -------------------------------------------------------------------

MISS = (255, 176, 150)
STEM = (64, 96, 40)
# A pepper's colour goes with their number on the card, which says the same (Okabe & Ito's hues).
PEPPER_COLOURS = {1: (0, 140, 104), 2: (232, 146, 0), 3: (204, 58, 20)}

CENTRE_X, CENTRE_Y = 345, 252
RADIUS = 154
TARGET_RADIUS = 52  # the target is shifted in
CARD_WIDTH, CARD_HEIGHT = 68, 94
LEFT_COLUMN = 84  # middle of the pile and of the chosen card
PANEL_LEFT, PANEL_RIGHT, PANEL_TOP, PANEL_BOTTOM = 572, 944, 82, 450
PANEL_SPACE, TALLEST_PANEL = 7, 92
PANEL_INSIDE = PANEL_LEFT + 14
LINE_LEFT, LINE_RIGHT, LINE_Y = 40, 920, 489
HAND_LEFT, HAND_RIGHT, HAND_TOP, HAND_BOTTOM = 20, 940, 556, 710
HAND_SPACE = 6
RAISED = 8  # a safe card sticks out of a single row
NAME_SIZE = 17
PEPPER_STEM = (0.04, 0.04), (0.10, 0.20), (0.19, 0.36)


def _typeset(number: str) -> str:
    return number.replace("-", "−").replace(">=", "≥").replace("<=", "≤")


@lru_cache(maxsize=1)
def _pepper_outline() -> list[tuple[float, float]]:
    """A chilli in a square of side 1, without its stem: a horn from upper left to lower right."""
    upper, lower = [], []
    for step in range(13):
        t = step / 12
        x = 0.16 * (1 - t) ** 2 + 2 * 0.38 * t * (1 - t) + 1.0 * t**2
        y = 0.34 * (1 - t) ** 2 + 2 * 0.98 * t * (1 - t) + 0.70 * t**2
        along_x = 2 * (1 - t) * (0.38 - 0.16) + 2 * t * (1.0 - 0.38)
        along_y = 2 * (1 - t) * (0.98 - 0.34) + 2 * t * (0.70 - 0.98)
        length = math.hypot(along_x, along_y)
        half = 0.21 * (1 - t) ** 0.6 * min(1.0, 0.75 + t)
        upper.append((x + half * along_y / length, y - half * along_x / length))
        lower.append((x - half * along_y / length, y + half * along_x / length))
    return upper + lower[::-1]


class _Picture(Picture):
    """The table of Dicht dran."""

    def __init__(self) -> None:
        super().__init__((CENTRE_X, CENTRE_Y))

    def ring(self, radius: float, start: float, end: float, fill: Colour, thick: float) -> None:
        """A band around the middle of the circle of cards, ``radius`` to the middle of the band.

        Angles in degrees, clockwise from three o'clock.
        """
        x, y, outer = CENTRE_X, CENTRE_Y, radius + thick / 2
        corners = self._enlarged(x - outer, y - outer, x + outer, y + outer)
        self.draw.arc(corners, start, end, fill, *self._enlarged(thick))

    def pepper(self, x: float, y: float, size: float, colour: Colour) -> None:
        """A chilli around the middle (x, y)."""
        left, top = x - 0.53 * size, y - 0.52 * size
        outline = [(left + size * u, top + size * v) for u, v in _pepper_outline()]
        stem = [(left + size * u, top + size * v) for u, v in PEPPER_STEM]
        self.polygon(outline, colour)
        self.line(stem, STEM, max(0.11 * size, 0.8))

    def card(
        self,
        x: float,
        y: float,
        width: float,
        number: int,
        peppers: int,
        edge: Colour = CARD_EDGE,
        line: float = 1,
        note: str = "",
    ) -> None:
        """A card face up around the middle (x, y); ``note`` is a small word at its foot."""
        height = width * ASPECT
        self.front(x, y, width, edge, line)
        up, down = (0.21, 0.13) if note else (0.15, 0.24)
        size = round(width * (0.42 if number < 100 else 0.36))
        self.text(x, y - up * height, str(number), size, INK)
        pod = width * 0.255
        for k in range(peppers):
            across = x + (k - (peppers - 1) / 2) * pod * 1.06
            self.pepper(across, y + down * height, pod, PEPPER_COLOURS[peppers])
        if note:
            self.text(x, y + 0.375 * height, note, max(10, round(width * 0.19)), GREY, bold=False)

    def emblem(self, x: float, y: float, size: float) -> None:
        self.pepper(x, y, size, BACK_LINE)

    def bullseye(self, x: float, y: float, radius: float) -> None:
        self.disc(x, y, radius, INK, CREAM, radius * 0.18)
        self.disc(x, y, radius * 0.58, None, GOLD, radius * 0.22)
        self.disc(x, y, radius * 0.2, GOLD)


# -- picture: the parts ----------------------------------------------------------------------------


def render_image(view: View, names: Sequence[str]) -> np.ndarray:
    """The table from one seat as a picture, uint8 (720, 960, 3); ``names`` by relative seat."""
    names = [one_line(name) for name in names]
    picture = _Picture()
    _draw_header(picture, view, names)
    _draw_circle(picture, view, names)
    _draw_piles(picture, view)
    _draw_panels(picture, view, names)
    _draw_number_line(picture, view)
    _draw_hand(picture, view)
    return picture.pixels()


def _draw_header(picture: _Picture, view: View, names: Sequence[str]) -> None:
    where = f"Deal {deal_in_words(view)}  ·  Round {int(view['round_number'])}"
    picture.header("Dicht dran", where, 196, names[0], PANEL_RIGHT - PANEL_LEFT)
    picture.pepper(30, HEADER_HEIGHT / 2, 24, PEPPER_COLOURS[3])


def _on_circle(position: int, radius: float) -> tuple[float, float]:
    """Position 0 at twelve o'clock, then clockwise."""
    angle = math.radians(60 * position - 90)
    return CENTRE_X + radius * math.cos(angle), CENTRE_Y + radius * math.sin(angle)


def _draw_circle(picture: _Picture, view: View, names: Sequence[str]) -> None:
    gap = gap_to_play(view)
    target_place = int(view["target_position"])
    picture.ring(RADIUS, 0, 360, (255, 255, 255, 28), 3)
    if gap is None:
        _draw_result(picture, view, names)
    else:
        _draw_gap(picture, target_place, gap)
    for position in range(CIRCLE):
        card = int(view["circle"][position])
        is_target = gap is not None and position == target_place
        borders_gap = gap is not None and (position - target_place) % CIRCLE in (1, CIRCLE - 1)
        x, y = _on_circle(position, TARGET_RADIUS if is_target else RADIUS)
        edge, line = (GOLD, 4.0) if borders_gap else (CARD_EDGE, 1.0)
        if is_target:
            picture.box(x, y, CARD_WIDTH + 16, CARD_HEIGHT + 16, 14, INK)
            edge, line = INK, 1.0
        picture.card(x, y, CARD_WIDTH, card, peppers_on(view, card), edge, line)
        if is_target:
            picture.bullseye(x, y - CARD_HEIGHT / 2 - 8, 12)


def _draw_gap(picture: _Picture, target_place: int, gap: Gap) -> None:
    """A golden bow between the neighbours of the target, with the numbers where the target lay."""
    towards = 60 * target_place - 90
    picture.ring(RADIUS, towards - 60, towards + 60, GOLD, 9)
    x, y = _on_circle(target_place, RADIUS)
    x += 0.12 * (x - CENTRE_X)  # away from the target, which is wide
    picture.box(x, y, 102, 50, 14, GOLD)
    picture.text(x, y - 13, "GAP", 12, INK)
    picture.text(x, y + 8, f"{gap[0]} – {gap[1]}", 20, INK)


def _draw_result(picture: _Picture, view: View, names: Sequence[str]) -> None:
    first = winners(view)
    who = names[first[0]] if len(first) == 1 else f"{len(first)} players"
    points = _typeset(winning_points(view))
    picture.result(CENTRE_X, CENTRE_Y, who, win_in_words(view), points)


def _draw_piles(picture: _Picture, view: View) -> None:
    y = 106
    pile = int(view["pile_size"])
    picture.pile(LEFT_COLUMN - 6, y, 56, min(6, -(-pile // 12)))
    x = LEFT_COLUMN
    picture.text(x, y + 78, f"Pile: {pile}", 15, CREAM)
    picture.text(x, y + 98, f"Discards: {int(view['discard_size'])}", 12, PALE, bold=False)
    chosen = int(view["chosen"])
    if chosen:
        picture.text(x, 330, "Your choice", 14, CREAM)
        picture.card(x, 392, 70, chosen, peppers_on(view, chosen), INK, 2.5)


def _draw_panels(picture: _Picture, view: View, names: Sequence[str]) -> None:
    players = int(view["players"])
    gap = gap_of_last_round(view)
    plays = revealed(view, gap)
    picture.text(PANEL_LEFT + 4, 64, "Players", 14, PALE, "l")
    if plays:
        when = "Last round" if gap else "Last deal's end"
        between = f", gap {gap[0]}–{gap[1]}" if gap else ""
        words = f"{when}: target {int(view['last_target'])}{between}"
        picture.text(PANEL_RIGHT - 4, 64, words, 13, PALE, "r", bold=False)
    room = PANEL_BOTTOM - PANEL_TOP - PANEL_SPACE * (players - 1)
    height = min(TALLEST_PANEL, room / players)
    for seat in range(players):
        middle = PANEL_TOP + height / 2 + seat * (height + PANEL_SPACE)
        wins = bool(view["over"]) and seat in winners(view)
        marked = wins or (not view["over"] and seat == view["last_winner"] - 1)
        across = (PANEL_LEFT + PANEL_RIGHT) / 2, PANEL_RIGHT - PANEL_LEFT
        picture.box(across[0], middle, across[1], height, 10, SHADE, GOLD if marked else None, 2.5)
        y = middle - height * 0.29
        picture.name(PANEL_INSIDE, y, 208, names[seat], NAME_SIZE, seat == 0, wins)
        _draw_counts(picture, view, seat, middle + height * 0.06, middle + height * 0.33)
        if plays:
            _draw_play(picture, view, plays[seat], middle)


def _draw_counts(picture: _Picture, view: View, seat: int, y: float, label_y: float) -> None:
    """Cards in hand, peppers won in this deal, points of the finished deals."""
    cards, won, points = PANEL_INSIDE, PANEL_INSIDE + 76, PANEL_INSIDE + 146
    picture.back(cards + 6, y, 12, 0.7)
    picture.text(cards + 19, y, str(int(view["hand_sizes"][seat])), 16, CREAM, "l")
    picture.pepper(won + 8, y, 17, PEPPER_COLOURS[2])
    picture.text(won + 21, y, str(int(view["won_peppers"][seat])), 16, CREAM, "l")
    total = _typeset(points_in_words(int(view["scores"][seat])))
    picture.text(points, y, total, 16, CREAM, "l")
    for x, label in ((cards, "in hand"), (won, "won"), (points, "points")):
        picture.text(x, label_y, label, 11, PALE, "l", bold=False)


def _draw_play(picture: _Picture, view: View, play: Played, y: float) -> None:
    """The card that was revealed last, and what became of it."""
    width = 43
    x = PANEL_RIGHT - 12 - width / 2
    peppers = peppers_on(view, play.card)
    edge, line = (GOLD, 3.0) if play.outcome == TAKES else (CARD_EDGE, 1.0)
    picture.card(x, y, width, play.card, peppers, edge, line)
    words = {
        TAKES: ("takes", f"the {int(view['last_target'])}", GOLD),
        SAFE: ("safe", "in the gap", CREAM),
        MISSES: ("misses,", f"draws {peppers}", MISS),
        UNKNOWN: ("", "", CREAM),
    }
    first, second, colour = words[play.outcome]
    right = x - width / 2 - 9
    picture.text(right, y - 10, first, 13, colour, "r")
    picture.text(right, y + 9, second, 13, colour, "r")


def _on_line(number: float) -> float:
    return LINE_LEFT + (LINE_RIGHT - LINE_LEFT) * (number - 1) / (CARDS - 1)


def _draw_number_line(picture: _Picture, view: View) -> None:
    """The numbers 1 … 100 with the gap, the target and the viewer's cards on them."""
    gap = gap_to_play(view)
    length = LINE_RIGHT - LINE_LEFT + 16
    picture.box((LINE_LEFT + LINE_RIGHT) / 2, LINE_Y, length, 14, 7, (0, 24, 16, 150))
    taken = []  # stretches that hold a label
    if gap is not None:
        low, high = _on_line(gap[0]), _on_line(gap[1])
        picture.box((low + high) / 2, LINE_Y, high - low + 12, 14, 5, GOLD)
        middle = (low + high) / 2
        for x, number, align in (
            (min(low + 6, middle - 5), gap[0], "r"),
            (max(high - 6, middle + 5), gap[1], "l"),
        ):
            width = text_width(str(number), 13)
            left = x - width if align == "r" else x
            picture.text(x, LINE_Y + 18, str(number), 13, GOLD, align)
            taken.append((left - 4, left + width + 4))
        target = _on_line(int(view["target"]))
        tip = LINE_Y - 8
        picture.polygon([(target, tip), (target - 7, tip - 10), (target + 7, tip - 10)], CREAM)
        picture.text(target, tip - 18, str(int(view["target"])), 14, CREAM)
    for number in (1, *range(10, CARDS + 1, 10)):
        x = _on_line(number)
        half = text_width(str(number), 11, bold=False) / 2
        picture.line([(x, LINE_Y + 7), (x, LINE_Y + 10)], PALE, 1)
        if all(x + half < left or x - half > right for left, right in taken):
            picture.text(x, LINE_Y + 18, str(number), 11, PALE, bold=False)
    for card in hand_of(view):
        safe = gap is not None and in_gap(card, gap)
        picture.disc(_on_line(card), LINE_Y, 4.6, INK if safe else CREAM, CREAM if safe else INK, 1)


def _draw_hand(picture: _Picture, view: View) -> None:
    hand = hand_of(view)
    gap = gap_to_play(view)
    target = int(view["target"])
    peppers = sum(peppers_on(view, card) for card in hand)
    title = f"Your hand: {count(len(hand), 'card')}, {count(peppers, 'pepper')}"
    picture.text(HAND_LEFT, HAND_TOP - 18, title, 15, CREAM, "l")
    if not hand:
        return
    closest = 0
    if gap is not None:
        closest = by_closeness(hand, target)[0]
        _draw_key(picture, gap, target)
    rows, width = _hand_layout(len(hand))
    height = width * ASPECT
    in_row = -(-len(hand) // rows)
    top = HAND_TOP + (HAND_BOTTOM - HAND_TOP - rows * height - (rows - 1) * HAND_SPACE) / 2
    for k, card in enumerate(hand):
        row, column = divmod(k, in_row)
        cards = min(in_row, len(hand) - row * in_row)
        x = (HAND_LEFT + HAND_RIGHT) / 2 + (column - (cards - 1) / 2) * (width + HAND_SPACE)
        y = top + height / 2 + row * (height + HAND_SPACE)
        safe = gap is not None and in_gap(card, gap)
        if rows == 1 and gap is not None:
            y += -RAISED / 2 if safe else RAISED / 2
        edge, line = (GOLD, max(2.5, width * 0.06)) if safe else (CARD_EDGE, 1.0)
        note = _typeset(f"{card - target:+d}") if gap is not None and width > 40 else ""
        picture.card(x, y, width, card, peppers_on(view, card), edge, line, note)
        if card == closest:
            radius = max(6.0, width * 0.13)
            picture.bullseye(x, y - height / 2 + (radius - HAND_SPACE) * (rows > 1), radius)


def _hand_layout(cards: int) -> tuple[int, float]:
    """Rows and width of a card with which the cards are largest."""
    best_rows, best_width = 1, 0.0
    for rows in range(1, 6):
        in_row = -(-cards // rows)
        across = (HAND_RIGHT - HAND_LEFT - (in_row - 1) * HAND_SPACE) / in_row
        room = HAND_BOTTOM - HAND_TOP - (rows - 1) * HAND_SPACE - (RAISED if rows == 1 else 0)
        width = min(80.0, across, room / rows / ASPECT)
        if width > best_width:
            best_rows, best_width = rows, width
    return best_rows, best_width


def _draw_key(picture: _Picture, gap: Gap, target: int) -> None:
    """What the marks on the hand mean; set from the right."""
    y = HAND_TOP - 18
    right = float(HAND_RIGHT)
    for mark, words in (
        ("number", f"distance to {target}"),
        ("bullseye", "closest to the target"),
        ("outline", f"safe: in the gap {gap[0]}–{gap[1]}"),
    ):
        picture.text(right, y, words, 12, PALE, "r", bold=False)
        right -= text_width(words, 12, bold=False) + 16
        if mark == "number":
            picture.text(right + 8, y, "±n", 12, CREAM, "r")
            right -= 8
        elif mark == "bullseye":
            picture.bullseye(right + 1, y, 7)
        else:
            picture.box(right + 3, y, 12, 16, 2, CREAM, GOLD, 3)
        right -= 24
