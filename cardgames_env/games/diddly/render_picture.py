"""Diddly: one seat's view as a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cardgames_env.core.drawing import (
    ASPECT,
    BACK,
    BACK_LINE,
    CARD_EDGE,
    CREAM,
    GOLD,
    GREY,
    HEADER_HEIGHT,
    IMAGE_HEIGHT,
    IMAGE_WIDTH,
    INK,
    MARGIN,
    PALE,
    SHADE,
    SMALLEST,
    Colour,
    Picture,
    View,
    count,
    fitted,
    one_line,
    text_width,
)
from cardgames_env.games.diddly.render_words import (
    asked_of,
    card_name,
    column_points,
    finished,
    from_where,
    has_won,
    in_hand,
    last_turns,
    leaders,
    matched,
    open_question,
    places,
    points_in_words,
    round_in_words,
    rounds_scored,
    setting_up,
    to_act,
    totals,
    unseen_on_board,
    win_in_words,
    winning_points,
)
from cardgames_env.games.diddly.state import (
    DIDDLY,
    HALF,
    LOOK_AT,
    NAMES,
    NOTHING_IN_HAND,
    NUMBERS,
    PEEK,
    PLACE,
    RECYCLE,
    RECYCLED,
    SHOWN,
    SWAP,
    TURN_UP,
    TYPES,
)

# From cheap to dear; the number says the same. Then Diddly, Swap, Half, Peek, Recycle.
TYPE_COLOURS = (
    (0, 120, 150), (0, 128, 134), (0, 134, 110), (50, 140, 80), (110, 140, 40), (160, 136, 20),
    (200, 124, 0), (220, 100, 10), (214, 72, 24), (190, 36, 40),
    (214, 150, 0), (0, 104, 178), (112, 70, 160), (176, 56, 120), (40, 120, 80),
)  # fmt: skip
PANEL = (8, 60, 44)
KNOWN = (226, 214, 250)  # a card that only its owner knows
WARNING = (255, 176, 150)
ASKED = (120, 220, 255)  # cards that the viewer may choose

TOP = HEADER_HEIGHT + 10
OTHERS_BOTTOM, OWN_TOP, BOTTOM = 388, 398, IMAGE_HEIGHT - 10
SPACE = 8
#: Rows of other players' panels, by their number.
ROWS = {1: (1,), 2: (2,), 3: (3,), 4: (2, 2), 5: (3, 2), 6: (3, 3), 7: (4, 3)}
TITLE = 26  # height of the line with the name
CARD_SPACE = 5
STATS, STATS_HEIGHT = 62, 44  # room for the numbers beside a board, or below it

OWN_LEFT, OWN_RIGHT = 248, 704
OWN_CARD = 80
PILES_RIGHT = OWN_LEFT - SPACE
SIDE_LEFT = OWN_RIGHT + SPACE


@dataclass(frozen=True)
class Box:
    """A part of the picture."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def x(self) -> float:
        return (self.left + self.right) / 2

    @property
    def y(self) -> float:
        return (self.top + self.bottom) / 2

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


class _Picture(Picture):
    """The table of Diddly."""

    def __init__(self) -> None:
        super().__init__((IMAGE_WIDTH / 2, 560))

    def panel(self, box: Box, fill: Colour = PANEL, edge: Colour | None = None) -> None:
        self.box(box.x, box.y, box.width, box.height, 10, fill, edge, 2.5)

    # -- what is on the cards --

    def emblem(self, x: float, y: float, size: float) -> None:
        self.star(x, y, size * 0.62, BACK_LINE)
        self.disc(x, y, size * 0.13, BACK)

    def star(self, x: float, y: float, radius: float, fill: Colour) -> None:
        """Eight rays, each second one short."""
        points = []
        for k in range(16):
            away = radius * (0.42 if k % 2 else (1.0 if k % 4 == 0 else 0.72))
            angle = math.pi * k / 8 - math.pi / 2
            points.append((x + away * math.cos(angle), y + away * math.sin(angle)))
        self.polygon(points, fill)

    def arrow(
        self, x: float, y: float, length: float, thick: float, towards: float, fill: Colour
    ) -> None:
        """A straight arrow around the middle (x, y); ``towards`` 1 right, −1 left."""
        tip, head = x + towards * length / 2, thick * 1.7
        self.line([(x - towards * length / 2, y), (tip - towards * head * 0.8, y)], fill, thick)
        back = tip - towards * head * 1.1
        self.polygon([(tip, y), (back, y - head), (back, y + head)], fill)

    def eye(self, x: float, y: float, width: float, iris: Colour, line: Colour = INK) -> None:
        half, high = width / 2, width * 0.3
        steps = [k / 12 * math.pi for k in range(13)]
        upper = [(x - half * math.cos(a), y - high * math.sin(a)) for a in steps]
        lower = [(x + half * math.cos(a), y + high * math.sin(a)) for a in steps]
        self.polygon(upper + lower, line)
        inside = [(x + 0.82 * (u - x), y + 0.74 * (v - y)) for u, v in upper + lower]
        self.polygon(inside, CREAM)
        self.disc(x, y, width * 0.19, iris)
        self.disc(x, y, width * 0.09, line)

    def circling(self, x: float, y: float, size: float, fill: Colour) -> None:
        """Three arrows that follow each other around (x, y)."""
        radius, thick = size * 0.36, size * 0.12
        outer = radius + thick / 2
        corners = self._enlarged(x - outer, y - outer, x + outer, y + outer)
        for k in range(3):
            start = 120 * k - 90
            self.draw.arc(corners, start + 8, start + 82, fill, *self._enlarged(thick))
            tip, base = math.radians(start + 112), math.radians(start + 76)
            inner, outside = radius - thick * 1.25, radius + thick * 1.25
            points = [(radius, tip), (inner, base), (outside, base)]
            self.polygon([(x + r * math.cos(a), y + r * math.sin(a)) for r, a in points], fill)

    def symbol(self, x: float, y: float, size: float, t: int) -> None:
        """The picture of a card that is no number."""
        colour = TYPE_COLOURS[t]
        if t == DIDDLY:
            self.star(x, y, size * 0.5, colour)
            self.disc(x, y, size * 0.12, CREAM)
        elif t == SWAP:
            self.arrow(x, y - size * 0.18, size * 0.86, size * 0.13, 1, colour)
            self.arrow(x, y + size * 0.18, size * 0.86, size * 0.13, -1, colour)
        elif t == HALF:
            self.disc(x, y, size * 0.42, None, colour, size * 0.07)
            corners = self._enlarged(
                x - size * 0.42, y - size * 0.42, x + size * 0.42, y + size * 0.42
            )
            self.draw.pieslice(corners, 90, 270, colour)
        elif t == PEEK:
            self.eye(x, y, size * 0.95, colour)
        else:
            self.circling(x, y, size, colour)

    # -- cards --

    def card(
        self,
        x: float,
        y: float,
        width: float,
        card: int,
        fill: Colour = CREAM,
        edge: Colour = CARD_EDGE,
        line: float = 1,
    ) -> None:
        """A card (1 + type) face up around the middle (x, y)."""
        height = width * ASPECT
        self.shadow(x, y, width, height)
        self.box(x, y, width, height, width * 0.11, fill, edge, line)
        t = card - 1
        worded = width >= 64
        if t >= NUMBERS:
            self.symbol(
                x, y - (0.06 * height if worded else 0), width * (0.62 if worded else 0.72), t
            )
            if worded:
                words, size = fitted(NAMES[t], round(width * 0.19), width * 0.86)
                self.text(x, y + 0.33 * height, words, size, INK)
            return
        size = max(SMALLEST + 1, round(width * 0.48))
        self.text(x, y - 0.07 * height, NAMES[t], size, INK)
        self.box(x, y + 0.31 * height, width * 0.6, max(3, width * 0.075), 1.5, TYPE_COLOURS[t])

    def badge(self, x: float, y: float, radius: float) -> None:
        """The mark of a card that its owner has peeked at."""
        self.disc(x, y, radius, CREAM, INK, 1)
        self.eye(x, y, radius * 1.55, BACK)


def render_image(view: View, names: Sequence[str]) -> np.ndarray:
    """The table from one seat as a picture, uint8 (720, 960, 3); ``names`` by relative seat."""
    names = [one_line(name) for name in names]
    picture = _Picture()
    _draw_header(picture, view, names)
    for seat, box in enumerate(_panels(int(view["players"]) - 1), 1):
        _draw_other(picture, view, seat, names[seat], box)
    _draw_own(picture, view, names[0])
    _draw_piles(picture, view)
    _draw_side(picture, view, names)
    return picture.pixels()


def _draw_header(picture: _Picture, view: View, names: Sequence[str]) -> None:
    where = f"Round {round_in_words(view)}"
    if to_act(view) is None:
        where += "  ·  game over"
    elif setting_up(view):
        where += "  ·  set-up"
    elif finished(view) is not None:
        where += "  ·  last turns"
    picture.header("Diddly", where, 150, names[0], 320)
    picture.star(30, HEADER_HEIGHT / 2, 14, GOLD)
    picture.disc(30, HEADER_HEIGHT / 2, 3.4, INK)


def _panels(others: int) -> list[Box]:
    """Where the other players' boards lie, clockwise from the viewer's left hand."""
    rows = ROWS[others]
    height = (OTHERS_BOTTOM - TOP - SPACE * (len(rows) - 1)) / len(rows)
    boxes = []
    for row, number in enumerate(rows):
        width = (IMAGE_WIDTH - 2 * MARGIN - SPACE * (number - 1)) / number
        width = min(width, 460)
        left = (IMAGE_WIDTH - number * width - SPACE * (number - 1)) / 2
        top = TOP + row * (height + SPACE)
        for k in range(number):
            x = left + k * (width + SPACE)
            boxes.append(Box(x, top, x + width, top + height))
    return boxes


# -- boards ----------------------------------------------------------------------------------------


def _draw_name(picture: _Picture, view: View, seat: int, name: str, box: Box) -> None:
    """The panel of a seat, its name, and what it is in this round."""
    wins = has_won(view, seat)
    marked = wins or seat == to_act(view)
    picture.panel(box, PANEL, GOLD if marked else None)
    y = box.top + TITLE / 2 + 3
    right = box.right - 10
    if seat == view["dealer"]:
        picture.disc(right - 8, y, 9, CREAM)
        picture.text(right - 8, y, "D", SMALLEST, INK)
        right -= 23
    note = ""
    if seat == finished(view):
        note = "finished"
    elif seat in last_turns(view):
        note = "last turn"
    if note:
        picture.text(right, y, note, 12, GOLD if note == "finished" else WARNING, "r")
        right -= text_width(note, 12) + 8
    size = 17 if seat == 0 else 14
    picture.name(box.left + 12, y, right - box.left - 12, name, size, seat == 0, wins)


def _draw_other(picture: _Picture, view: View, seat: int, name: str, box: Box) -> None:
    """Another's board, its numbers beside it, or below it in a tall panel."""
    _draw_name(picture, view, seat, name, box)
    c = int(view["columns"])
    spaces = CARD_SPACE * (c - 1)
    tall = box.height > 250
    beside, below = (0, STATS_HEIGHT) if tall else (STATS + 14, 0)
    across = (box.width - 28 - beside - spaces) / c
    down = (box.height - TITLE - 16 - below - CARD_SPACE) / 2 / ASPECT
    width = math.floor(min(across, down, 86))
    board = c * width + spaces
    left = box.x - (board + beside) / 2
    y = (box.top + TITLE + 6 + box.bottom - 6 - below) / 2
    _draw_board(picture, view, seat, left, y, width)
    stats = _stats(view, seat)
    if tall:
        step = min(box.width - 28, 300) / len(stats)
        middle = (len(stats) - 1) / 2
        for k, stat in enumerate(stats):
            _draw_stat(picture, view, seat, stat, box.x + (k - middle) * step, box.bottom - 28, "m")
    else:
        step = (box.height - TITLE - 8) / 4
        _draw_stats(picture, view, seat, left + board + 14, y + 2, step)


def _draw_board(
    picture: _Picture, view: View, seat: int, left: float, y: float, width: float
) -> None:
    """The cards in two rows around height y, matched columns framed in gold."""
    height = width * ASPECT
    may_choose = _may_choose(view) if seat == 0 else [False] * places(view)
    space = CARD_SPACE if seat else CARD_SPACE + 3
    for c, matches in enumerate(matched(view, seat)):
        x = left + width / 2 + c * (width + space)
        if matches:
            away = min(space, 5)
            picture.box(x, y, width + 2 * away, 2 * height + space + 2 * away, 8, GOLD)
        for row in (0, 1):
            k = 2 * c + row
            _draw_card(
                picture,
                view,
                seat,
                k,
                x,
                y + (row - 0.5) * (height + space),
                width,
                may_choose[k],
            )


def _draw_card(
    picture: _Picture,
    view: View,
    seat: int,
    k: int,
    x: float,
    y: float,
    width: float,
    may_be_chosen: bool,
) -> None:
    """The card at a position: face up, known to the viewer alone, or face down."""
    card = int(view["boards"][seat, k])
    peeked = bool(view["peeked"][seat, k])
    height = width * ASPECT
    if may_be_chosen:
        picture.box(x, y, width + 7, height + 7, width * 0.13, ASKED)
    if card and not peeked:
        picture.card(x, y, width, card)
    elif card:
        picture.card(x, y, width, card, KNOWN, BACK, max(2.0, width * 0.05))
    else:
        picture.shadow(x, y, width, height)
        picture.back(x, y, width, 1)
    if peeked:
        radius = max(6.5, width * 0.15)
        picture.badge(x + width / 2 - radius - 1, y - height / 2 + radius + 1, radius)
    if width >= 48:
        colour = GREY if card else CREAM
        at = x - width / 2 + 5, y - height / 2 + 9
        if not card:
            picture.disc(at[0] + 4, at[1], 8, BACK)
        picture.text(at[0], at[1], str(k), SMALLEST, colour, "l", bold=not card)


def _may_choose(view: View) -> list[bool]:
    """The positions that the viewer is asked to choose from, by what it sees."""
    own = range(places(view))
    if to_act(view) != 0:
        return [False for _ in own]
    if view["phase"] in (TURN_UP, LOOK_AT):
        return [not view["face_up"][0, k] for k in own]
    if view["phase"] == PLACE and view["source"] == RECYCLED:
        recycle = 1 + RECYCLE
        return [bool(view["face_up"][0, k] and view["boards"][0, k] == recycle) for k in own]
    return [bool(view["phase"] == PLACE) for _ in own]


def _stats(view: View, seat: int) -> list[tuple[str, str]]:
    """Numbers and what they mean."""
    unseen = unseen_on_board(view, seat)
    taken = int(view["turns"][seat])
    seen = sum(column_points(view, seat))
    stats = [(f"{seen} + ?" if unseen else str(seen), "board")]
    stats.append((points_in_words(totals(view)[seat]), "points"))
    if rounds_scored(view):
        stats.append((str(int(view["last_scores"][seat])), "last round"))
    stats.append((f"{taken}+" if taken == SHOWN else str(taken), "turns"))
    return stats


def _draw_stats(
    picture: _Picture, view: View, seat: int, left: float, y: float, step: float
) -> None:
    stats = _stats(view, seat)
    for k, stat in enumerate(stats):
        _draw_stat(picture, view, seat, stat, left, y + (k - (len(stats) - 1) / 2) * step, "l")


def _draw_stat(
    picture: _Picture,
    view: View,
    seat: int,
    stat: tuple[str, str],
    x: float,
    y: float,
    align: str,
) -> None:
    number, label = stat
    colour = GOLD if has_won(view, seat) and label == "points" else CREAM
    picture.text(x, y - 6, number, 14, colour, align)
    picture.text(x, y + 8, label, SMALLEST, PALE, align, bold=False)


def _draw_own(picture: _Picture, view: View, name: str) -> None:
    """The viewer's board, larger, with what each column scores below it."""
    box = Box(OWN_LEFT, OWN_TOP, OWN_RIGHT, BOTTOM)
    _draw_name(picture, view, 0, name, box)
    c = int(view["columns"])
    space = CARD_SPACE + 3
    board = c * OWN_CARD + (c - 1) * space
    left = box.x - (board + STATS + 14) / 2
    y = (box.top + TITLE + box.bottom - 24) / 2 + 4
    _draw_board(picture, view, 0, left, y, OWN_CARD)
    below = y + OWN_CARD * ASPECT + space / 2 + 17
    matches = matched(view, 0)
    for column, points in enumerate(column_points(view, 0)):
        x = left + OWN_CARD / 2 + column * (OWN_CARD + space)
        unseen = int((view["boards"][0, 2 * column : 2 * column + 2] == 0).sum())
        words = "?" if unseen == 2 else f"{points} + ?" if unseen else str(points)
        if matches[column]:
            words = "match: 0"
        picture.text(x, below, words, 14, GOLD if matches[column] else CREAM)
    _draw_stats(picture, view, 0, left + board + 20, y, 50)


# -- piles -----------------------------------------------------------------------------------------

BELOW_SHOWN = 5


def _draw_piles(picture: _Picture, view: View) -> None:
    """Deck and discard pile, the cards below its top one, and how many of which are unseen."""
    box = Box(MARGIN, OWN_TOP, PILES_RIGHT, BOTTOM)
    picture.panel(box, SHADE)
    width = 60
    y = box.top + 54
    deck, discards = int(view["deck_size"]), int(view["discard_size"])
    picture.pile(box.left + 54, y, width, min(5, -(-deck // 15)))
    x = box.right - 62
    if discards:
        for k in range(min(3, -(-discards // 12)) - 1, 0, -1):
            picture.front(x + 3 * k, y + 3 * k, width, CARD_EDGE, 1)
        picture.card(x, y, width, int(view["discard"][0]))
    else:
        picture.pile(x, y, width, 0)
    picture.text(box.left + 56, y + 62, f"Deck: {deck}", 13, CREAM)
    picture.text(x, y + 62, f"Discards: {discards}", 13, CREAM)
    if view["renewed"]:
        picture.text(box.left + 56, y + 78, "renewed", SMALLEST, PALE, bold=False)
    below = view["discard"][1 : min(discards, 1 + BELOW_SHOWN)].tolist()
    at = y + 112
    if below:
        picture.text(box.left + 12, at, "below:", SMALLEST, PALE, "l", bold=False)
    for k, card in enumerate(below):
        picture.card(box.left + 69 + 33 * k, at, 28, card)
    _draw_unseen(picture, view, box, at + 44)


def _draw_unseen(picture: _Picture, view: View, box: Box, top: float) -> None:
    """Numbers of unseen cards by type, five in a row."""
    picture.text(box.left + 12, top, "Cards you do not see", 12, CREAM, "l")
    step = (box.width - 12) / 5
    for t in range(TYPES):
        row, column = divmod(t, 5)
        x, y = box.left + 19 + column * step, top + 25 + row * 31
        picture.card(x, y, 18, 1 + t)
        number = int(view["unseen"][t])
        picture.text(x + 11, y, f"×{number}", 11, CREAM if number else PALE, "l")


# -- what is asked ---------------------------------------------------------------------------------


def _draw_side(picture: _Picture, view: View, names: Sequence[str]) -> None:
    """Who is to do what, and the card in hand; or the result."""
    box = Box(SIDE_LEFT, OWN_TOP, IMAGE_WIDTH - MARGIN, BOTTOM)
    actor = to_act(view)
    picture.panel(box, SHADE, GOLD if actor == 0 else None)
    if actor is None:
        first = leaders(view)
        who = names[first[0]] if len(first) == 1 else f"{len(first)} players"
        picture.result(box.x, box.y - 10, who, win_in_words(view), winning_points(view))
        picture.text(box.x, box.y + 74, open_question(view), 12, PALE, bold=False)
        return
    who = "Your turn" if actor == 0 else names[actor]
    room = box.width - 24
    words, size = fitted(who, 17, room)
    picture.text(box.x, box.top + 24, words, size, GOLD if actor == 0 else CREAM)
    asked = asked_of(view) if actor == 0 else f"is to {asked_of(view)}"
    y = box.top + 48
    for line in _broken(asked, 13, room):
        picture.text(box.x, y, line, 13, CREAM, bold=False)
        y += 18
    if view["source"] != NOTHING_IN_HAND:
        _draw_hand(picture, view, box)
    elif setting_up(view) and view["pending"].any():
        _draw_pending(picture, view, box)
    else:
        _draw_key(picture, view, box)
    if view["turns_left"] <= 10:
        left = int(view["turns_left"])
        words = f"at most {count(left, 'more turn')} of yours"
        picture.text(box.x, box.bottom - 18, words, 12, WARNING, bold=False)


def _draw_hand(picture: _Picture, view: View, box: Box) -> None:
    x, y, width = box.x, box.top + 160, 84
    picture.box(x, y, width + 14, width * ASPECT + 14, 12, GOLD)
    card = in_hand(view)
    if card:
        picture.card(x, y, width, card)
    else:
        picture.back(x, y, width, 1)
    picture.text(x, y + 82, "in hand", 14, CREAM)
    for line, words in enumerate(_broken(from_where(view), 12, box.width - 24)):
        picture.text(x, y + 101 + 16 * line, words, 12, PALE, bold=False)


def _draw_key(picture: _Picture, view: View, box: Box) -> None:
    """What the marks mean."""
    x, words_x = box.left + 34, box.left + 62
    y = box.top + 132
    for words in (
        "face down",
        "peeked at by its owner",
        "yours, peeked at",
        "matches: scores 0",
        "has dealt",
    ):
        if words == "face down":
            picture.back(x, y, 20, 0.8)
        elif words == "peeked at by its owner":
            picture.back(x, y, 20, 0.8)
            picture.badge(x + 7, y - 8, 6.5)
        elif words == "yours, peeked at":
            picture.box(x, y, 20, 20 * ASPECT, 2.5, KNOWN, BACK, 2)
            picture.badge(x + 7, y - 8, 6.5)
        elif words == "has dealt":
            picture.disc(x, y, 9, CREAM)
            picture.text(x, y, "D", SMALLEST, INK)
        else:
            picture.box(x, y, 26, 20 * ASPECT + 6, 4, GOLD)
            picture.box(x, y, 20, 20 * ASPECT, 2.5, CREAM)
        picture.text(words_x, y, words, 12, PALE, "l", bold=False)
        y += 35


def _draw_pending(picture: _Picture, view: View, box: Box) -> None:
    """The effects of the cards turned up, in order."""
    pending = [int(card) for card in view["pending"] if card]
    y = box.top + 150
    for k, card in enumerate(pending):
        x = box.x + (k - (len(pending) - 1) / 2) * 88
        picture.card(x, y, 72, card)
    words = f"effect of the {card_name(pending[0])}"
    if len(pending) > 1:
        words += f", then of the {card_name(pending[1])}"
    elif view["phase"] == TURN_UP:
        words += " to come"
    for line, part in enumerate(_broken(words, 12, box.width - 24)):
        picture.text(box.x, y + 70 + 16 * line, part, 12, PALE, bold=False)


def _broken(words: str, size: int, room: float) -> list[str]:
    """The words in lines that fit."""
    lines = [""]
    for word in words.split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size, bold=False) > room and lines[-1]:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
