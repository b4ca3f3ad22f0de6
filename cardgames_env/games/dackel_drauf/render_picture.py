"""Dackel drauf!: one seat's view as a picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cardgames_env.core.drawing import (
    ASPECT,
    BACK_LINE,
    CARD_EDGE,
    CREAM,
    GOLD,
    GREY,
    HEADER_HEIGHT,
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
    shortened,
    text_width,
)
from cardgames_env.games.dackel_drauf.render_words import (
    Card,
    chain_of,
    failed_seats,
    is_over,
    last_chain,
    last_is_shown,
    memory_is_shown,
    round_in_words,
    to_act,
    win_in_words,
    winners,
    winning_cards,
)
from cardgames_env.games.dackel_drauf.state import (
    ANIMALS,
    DICE,
    IN_VAIN,
    JOKERS,
    KINDS,
    LOOK,
    RESCUED,
    RIGHT,
    WRONG,
)

SEAT_COLOURS = (
    (255, 250, 236), (86, 180, 233), (240, 228, 66), (0, 190, 140), (244, 130, 80),
)  # fmt: skip
MARKS = {WRONG: (204, 58, 20), RIGHT: (0, 140, 104), RESCUED: (120, 70, 160)}
MARKS[IN_VAIN] = MARKS[WRONG]
WOOD, WOOD_EDGE, DARK_WOOD = (176, 128, 78), (112, 74, 40), (132, 90, 50)
PANEL = (8, 60, 44)
SPECIAL_LABELS = ("extra", "down", "joker")

BOX_LEFT, BOX_RIGHT, BOX_TOP, BOX_BOTTOM = 16, 372, 52, 252
DIE, DIE_ACROSS, DIE_DOWN = 42, 51, 48
SIDE_LEFT, SIDE_RIGHT = 384, 944
CHAIN_TOP, CHAIN_BOTTOM = 260, 436
#: Of a chain of at most so many cards: the width of one, from one to the next, and how many in a row.
CHAINS = ((18, 46, 51.0, 18), (44, 39, 41.6, 22), (50, 33, 36.6, 25))
OTHERS_TOP, OTHERS_BOTTOM = 444, 580
OWN_TOP, OWN_BOTTOM = 588, 712
ANIMAL_SPACE = 23
OWN_HAND, HAND_CARD, HAND_SPACE = 268, 46, 50

# -- animals ---------------------------------------------------------------------------------------


class _Picture(Picture):
    """The table of Dackel drauf!"""

    def __init__(self) -> None:
        super().__init__((480, 330))

    def emblem(self, x: float, y: float, size: float) -> None:
        """A paw."""
        self.disc(x, y + size * 0.14, size * 0.2, BACK_LINE)
        for across, up in ((-0.28, -0.06), (-0.11, -0.24), (0.11, -0.24), (0.28, -0.06)):
            self.disc(x + size * across, y + size * up, size * 0.09, BACK_LINE)

    def animal(self, x: float, y: float, size: float, a: int) -> None:
        """The head of an animal in a square of this size around the middle (x, y)."""
        (_dog, _duck, _hare, _cat, _cow, _mouse, _horse, _sheep, _pig)[a](self, x, y, size)

    def eyes(self, x: float, y: float, size: float, apart: float = 0.16, up: float = 0.06) -> None:
        for side in (-1, 1):
            self.disc(x + side * apart * size, y - up * size, 0.05 * size, INK)

    def both_sides(
        self, x: float, y: float, size: float, points: Sequence[tuple[float, float]], fill: Colour
    ) -> None:
        """A polygon (in parts of the size, from the middle) and its mirror image."""
        for side in (-1, 1):
            self.polygon([(x + side * u * size, y + v * size) for u, v in points], fill)

    def card(self, x: float, y: float, width: float, a: int, edge: Colour = CARD_EDGE) -> None:
        """An animal's card face up around the middle (x, y)."""
        height = width * ASPECT
        self.front(x, y, width, edge, 1)
        self.animal(x, y - 0.12 * height, width * 0.74, a)
        name, size = fitted(ANIMALS[a], SMALLEST + (width > 44), width - 3, bold=False)
        if text_width(name, size, bold=False) > width - 3 or name != ANIMALS[a]:
            name = ANIMALS[a][:4]
        self.text(x, y + 0.36 * height, name, size, INK, bold=False)

    def die(self, x: float, y: float, width: float, a: int | None) -> None:
        """A die that shows an animal; None: one that is not known."""
        if a is None:
            self.box(x, y, width, width, width * 0.2, (255, 250, 236, 70), (255, 250, 236, 110), 1)
            self.text(x, y, "?", 15, (240, 236, 220))
            return
        self.box(x + 1.5, y + 2, width, width, width * 0.2, (0, 0, 0, 60))
        self.box(x, y, width, width, width * 0.2, CREAM, CARD_EDGE, 1)
        self.animal(x, y - 0.1 * width, width * 0.66, a)
        self.text(x, y + 0.36 * width, ANIMALS[a], SMALLEST, INK, bold=False)

    def mark(self, x: float, y: float, mark: int) -> None:
        """Right, wrong, or right by a joker."""
        self.disc(x, y, 8, MARKS[mark], CREAM, 1.2)
        if mark in (WRONG, IN_VAIN):
            for side in (-1, 1):
                self.line([(x - 3.5, y - 3.5 * side), (x + 3.5, y + 3.5 * side)], CREAM, 2)
        elif mark == RIGHT:
            self.line([(x - 4, y), (x - 1, y + 3.5), (x + 4, y - 3.5)], CREAM, 2)
        else:
            self.text(x, y, "J", SMALLEST, CREAM)


def _dog(p: _Picture, x: float, y: float, s: float) -> None:
    p.disc(x, y, 0.36 * s, (186, 122, 64))
    p.both_sides(
        x, y, s, [(0.2, -0.34), (0.44, -0.28), (0.5, 0.14), (0.36, 0.24), (0.3, 0)], (96, 56, 26)
    )
    p.disc(x, y + 0.16 * s, 0.17 * s, (232, 196, 150))
    p.disc(x, y + 0.1 * s, 0.075 * s, INK)
    p.eyes(x, y, s)


def _duck(p: _Picture, x: float, y: float, s: float) -> None:
    p.disc(x - 0.04 * s, y, 0.38 * s, (250, 206, 60))
    p.polygon(
        [(x + u * s, y + v * s) for u, v in ((0.14, -0.06), (0.5, 0.08), (0.14, 0.22))],
        (232, 120, 20),
    )
    p.disc(x + 0.06 * s, y - 0.14 * s, 0.055 * s, INK)
    p.polygon(
        [(x + u * s, y + v * s) for u, v in ((-0.2, -0.34), (-0.06, -0.5), (0.02, -0.34))],
        (250, 206, 60),
    )


def _hare(p: _Picture, x: float, y: float, s: float) -> None:
    for side in (-1, 1):
        p.box(x + side * 0.15 * s, y - 0.26 * s, 0.16 * s, 0.48 * s, 0.08 * s, (176, 150, 126))
        p.box(x + side * 0.15 * s, y - 0.25 * s, 0.07 * s, 0.36 * s, 0.03 * s, (240, 176, 176))
    p.disc(x, y + 0.18 * s, 0.3 * s, (196, 170, 146))
    p.eyes(x, y + 0.17 * s, s, 0.12)
    p.disc(x, y + 0.25 * s, 0.05 * s, (214, 96, 110))
    p.box(x, y + 0.37 * s, 0.1 * s, 0.1 * s, 1, (255, 255, 255))


def _cat(p: _Picture, x: float, y: float, s: float) -> None:
    p.both_sides(x, y, s, [(0.06, -0.26), (0.38, -0.48), (0.38, -0.02)], (84, 84, 96))
    p.disc(x, y + 0.04 * s, 0.36 * s, (104, 104, 118))
    for side in (-1, 1):
        p.disc(x + side * 0.15 * s, y - 0.03 * s, 0.075 * s, (170, 220, 90))
        p.disc(x + side * 0.15 * s, y - 0.03 * s, 0.035 * s, INK)
        for up in (0.12, 0.2):
            p.line(
                [(x + side * 0.1 * s, y + 0.15 * s), (x + side * 0.46 * s, y + up * s)],
                CREAM,
                max(0.6, 0.02 * s),
            )
    p.both_sides(x, y, s, [(0, 0.2), (0.07, 0.12), (0, 0.12)], (240, 150, 160))


def _cow(p: _Picture, x: float, y: float, s: float) -> None:
    p.both_sides(x, y, s, [(0.18, -0.3), (0.36, -0.5), (0.3, -0.22)], (222, 202, 150))
    p.both_sides(x, y, s, [(0.26, -0.2), (0.5, -0.16), (0.34, 0.02)], (60, 54, 54))
    p.box(x, y - 0.04 * s, 0.6 * s, 0.6 * s, 0.26 * s, (250, 248, 244), (150, 146, 140), 0.7)
    p.disc(x - 0.16 * s, y - 0.12 * s, 0.15 * s, (60, 54, 54))
    p.box(x, y + 0.25 * s, 0.56 * s, 0.32 * s, 0.15 * s, (244, 176, 170))
    for side in (-1, 1):
        p.disc(x + side * 0.12 * s, y + 0.25 * s, 0.04 * s, (130, 70, 70))
        p.disc(x + side * 0.14 * s, y - 0.1 * s, 0.05 * s, (250, 248, 244) if side < 0 else INK)


def _mouse(p: _Picture, x: float, y: float, s: float) -> None:
    for side in (-1, 1):
        p.disc(x + side * 0.27 * s, y - 0.2 * s, 0.22 * s, (160, 164, 178))
        p.disc(x + side * 0.27 * s, y - 0.2 * s, 0.13 * s, (244, 190, 196))
    p.disc(x, y + 0.12 * s, 0.28 * s, (178, 182, 196))
    p.eyes(x, y + 0.1 * s, s, 0.11)
    p.disc(x, y + 0.27 * s, 0.065 * s, (214, 96, 110))


def _horse(p: _Picture, x: float, y: float, s: float) -> None:
    p.both_sides(x, y, s, [(0.06, -0.3), (0.22, -0.5), (0.24, -0.22)], (112, 60, 30))
    p.box(x, y - 0.08 * s, 0.46 * s, 0.5 * s, 0.18 * s, (140, 78, 40))
    p.box(x, y + 0.2 * s, 0.34 * s, 0.5 * s, 0.15 * s, (140, 78, 40))
    p.polygon(
        [
            (x + u * s, y + v * s)
            for u, v in ((-0.1, -0.4), (0.1, -0.4), (0.06, -0.02), (-0.06, -0.02))
        ],
        (52, 30, 18),
    )
    p.box(x, y + 0.34 * s, 0.36 * s, 0.22 * s, 0.1 * s, (206, 166, 130))
    p.eyes(x, y, s, 0.16, 0.04)
    for side in (-1, 1):
        p.disc(x + side * 0.08 * s, y + 0.34 * s, 0.032 * s, INK)


def _sheep(p: _Picture, x: float, y: float, s: float) -> None:
    for k in range(9):
        angle = 2 * np.pi * k / 9
        p.disc(
            x + 0.29 * s * float(np.cos(angle)),
            y - 0.04 * s + 0.27 * s * float(np.sin(angle)),
            0.15 * s,
            (246, 244, 238),
            (190, 186, 178),
            0.7,
        )
    p.disc(x, y - 0.06 * s, 0.3 * s, (246, 244, 238))
    p.both_sides(x, y, s, [(0.16, -0.08), (0.44, 0.0), (0.2, 0.08)], (60, 56, 62))
    p.box(x, y + 0.08 * s, 0.36 * s, 0.46 * s, 0.17 * s, (76, 72, 80))
    for side in (-1, 1):
        p.disc(x + side * 0.08 * s, y + 0.02 * s, 0.04 * s, CREAM)


def _pig(p: _Picture, x: float, y: float, s: float) -> None:
    p.both_sides(x, y, s, [(0.1, -0.28), (0.4, -0.44), (0.38, -0.06)], (224, 120, 140))
    p.disc(x, y + 0.04 * s, 0.37 * s, (246, 170, 182))
    p.box(x, y + 0.14 * s, 0.34 * s, 0.24 * s, 0.12 * s, (228, 130, 150))
    for side in (-1, 1):
        p.disc(x + side * 0.075 * s, y + 0.14 * s, 0.04 * s, (140, 60, 80))
    p.eyes(x, y, s, 0.17, 0.09)


# -- the table -------------------------------------------------------------------------------------


def render_image(view: View, names: Sequence[str]) -> np.ndarray:
    """The table from one seat as a picture, uint8 (720, 960, 3); ``names`` by relative seat."""
    names = [one_line(name) for name in names]
    picture = _Picture()
    where = round_in_words(view).capitalize()
    if view["takeback"]:
        where += "  ·  taking back"
    picture.header("Dackel drauf!", where, 216, names[0], 300)
    picture.animal(30, HEADER_HEIGHT / 2, 32, 0)
    _draw_box(picture, view)
    if is_over(view):
        first = winners(view)
        who = names[first[0]] if len(first) == 1 else f"{len(first)} players"
        picture.result(484, 150, who, win_in_words(view), winning_cards(view))
    else:
        _draw_situation(picture, view, names)
    if last_is_shown(view):
        _draw_last_round(picture, view, names)
    _draw_chain(picture, view)
    for seat in range(1, int(view["players"])):
        _draw_other(picture, view, seat, names[seat])
    _draw_own(picture, view, names[0])
    return picture.pixels()


def _draw_box(picture: _Picture, view: View) -> None:
    """The box, its lid, and the dice as far as this seat knows them."""
    shown = view["phase"] == JOKERS
    over = is_over(view)
    opened = shown or view["phase"] == LOOK
    dice = view["dice"] if shown else view["last_dice"] if over else view["remembered"]
    known = [a for a in range(KINDS) for _ in range(int(dice[a]))]
    width, height = BOX_RIGHT - BOX_LEFT, BOX_BOTTOM - BOX_TOP
    x, y = (BOX_LEFT + BOX_RIGHT) / 2, (BOX_TOP + BOX_BOTTOM) / 2
    picture.box(x, y, width, height, 12, SHADE)
    if shown:
        words = "Showdown: all dice"
    elif over:
        words = "The last dice"
    elif not memory_is_shown(view):
        words = "Lid shut: not shown again"
    else:
        state = "open" if opened else "shut"
        words = f"Lid {state}: you remember {len(known)} of {DICE}"
    picture.text(BOX_LEFT + 14, BOX_TOP + 18, words, 14, GOLD, "l")
    tray_left, tray_top = BOX_LEFT + 14, BOX_TOP + 36
    tray_width, tray_height = 5 * DIE_ACROSS + 13, 3 * DIE_DOWN + 8
    middle = tray_left + tray_width / 2, tray_top + tray_height / 2
    picture.box(
        *middle, tray_width, tray_height, 10, WOOD if opened or over else DARK_WOOD, WOOD_EDGE, 3
    )
    for k in range(DICE):
        row, column = divmod(k, 5)
        a = known[k] if k < len(known) else None
        left, top = tray_left + 6 + DIE_ACROSS / 2, tray_top + 4 + DIE_DOWN / 2
        picture.die(left + column * DIE_ACROSS, top + row * DIE_DOWN, DIE, a)
    _draw_lid(picture, tray_left + tray_width, tray_top, opened or over, view)


def _draw_lid(picture: _Picture, x: float, y: float, opened: bool, view: View) -> None:
    """The lid beside the box, leaning against it or lying on it; below, the ticks of the look."""
    if opened:
        picture.polygon(
            [(x + 8, y + 96), (x + 52, y - 6), (x + 68, y + 2), (x + 24, y + 104)], WOOD
        )
        picture.line([(x + 8, y + 96), (x + 52, y - 6)], WOOD_EDGE, 3)
    else:
        picture.box(x + 36, y + 34, 54, 20, 5, WOOD, WOOD_EDGE, 2)
        picture.box(x + 36, y + 52, 60, 26, 4, DARK_WOOD, WOOD_EDGE, 2)
        picture.text(x + 36, y + 78, "lid on", 12, CREAM)
    ticks = int(view["ticks"])
    picture.text(x + 36, y + 118, count(ticks, "tick"), 12, CREAM)
    words, size = fitted(f"of {int(view['max_looks'])}", 12, 60, bold=False)
    picture.text(x + 36, y + 134, words, size, PALE, bold=False)


def _named(name: str, rest: str, size: int, room: float, bold: bool = True) -> tuple[str, int]:
    """A name and what follows it, at a size at which they fit; if need be, the name is shortened."""
    while size > SMALLEST and text_width(name + rest, size, bold) > room:
        size -= 1
    left = room - text_width(rest, size, bold)
    return shortened(name, left, lambda text: text_width(text, size, bold)) + rest, size


def _asked(view: View, names: Sequence[str]) -> tuple[str, str, str]:
    """Who is to do what, and what goes with it."""
    actor = to_act(view)
    if view["phase"] == JOKERS:
        if actor == 0:
            what = "the wrong card" if view["takeback"] else "all wrong cards"
            return names[0], ": use jokers?", f"{what} would be right"
        return "", "The showdown goes on", "who is asked, is secret"
    assert actor is not None
    if view["phase"] == LOOK:
        return names[actor], " has the lid", "keep it open, or close it"
    if view["again"]:
        return names[actor], ": another card?", "with an extra card"
    return names[actor], " to play", "a card, or pass"


def _draw_situation(picture: _Picture, view: View, names: Sequence[str]) -> None:
    """Whose decision it is, who started, and the special cards on the table."""
    left, width = SIDE_LEFT, 200
    x = left + width / 2
    picture.box(x, (BOX_TOP + BOX_BOTTOM) / 2, width, BOX_BOTTOM - BOX_TOP, 12, SHADE)
    name, rest, second = _asked(view, names)
    words, size = _named(name, rest, 16, width - 20)
    picture.text(x, BOX_TOP + 24, words, size, GOLD)
    picture.text(x, BOX_TOP + 46, second, 12, PALE, bold=False)
    starter = names[int(view["starter"])]
    words, size = _named(starter, " started this round", 12, width - 20, bold=False)
    picture.text(x, BOX_TOP + 68, words, size, CREAM, bold=False)
    size = int(view["special_size"])
    picture.pile(left + 42, BOX_TOP + 134, 46, min(4, -(-size // 2)))
    picture.text(left + 46, BOX_TOP + 184, f"specials: {size}", 12, CREAM)
    picture.text(left + 144, BOX_TOP + 94, "used this round", 12, CREAM, bold=False)
    used = [int(kind) - 1 for kind in view["used"] if kind]
    for k, kind in enumerate(used):
        row, column = k % 5, k // 5
        across = left + 144 + (0 if len(used) <= 5 else 54 * column - 27)
        picture.box(across, BOX_TOP + 112 + 18 * row, 50, 16, 4, CREAM)
        picture.text(across, BOX_TOP + 112 + 18 * row, SPECIAL_LABELS[kind], SMALLEST, INK)
    if not used:
        picture.text(left + 144, BOX_TOP + 114, "none", 12, PALE, bold=False)


def _draw_last_round(picture: _Picture, view: View, names: Sequence[str]) -> None:
    """The showdown before this one: its dice by animal, and who failed with what."""
    left, right = SIDE_LEFT + 208, SIDE_RIGHT
    picture.box(
        (left + right) / 2,
        (BOX_TOP + BOX_BOTTOM) / 2,
        right - left,
        BOX_BOTTOM - BOX_TOP,
        12,
        SHADE,
    )
    title = "The last showdown" if is_over(view) else "The showdown before"
    picture.text(left + 14, BOX_TOP + 18, title, 13, GOLD, "l")
    for a in range(KINDS):
        x = left + 26 + a * 37.5
        number = int(view["last_dice"][a])
        picture.animal(x, BOX_TOP + 46, 28, a)
        picture.text(x, BOX_TOP + 70, str(number), 13, CREAM if number else PALE)
    cards = last_chain(view)
    failed = failed_seats(cards)
    y = BOX_TOP + 94
    for seat in range(int(view["players"])):
        mine = [card for card in cards if card.seat == seat]
        colour = SEAT_COLOURS[seat]
        picture.box(left + 17, y, 6, 14, 3, colour)
        name, size = fitted(names[seat], 12, 112)
        picture.text(left + 28, y, name, size, CREAM, "l")
        words = _outcome(mine, seat in failed)
        words, size = fitted(words, 12, right - left - 160, bold=False)
        picture.text(
            left + 148, y, words, size, (255, 176, 150) if seat in failed else PALE, "l", bold=False
        )
        y += 21


def _outcome(mine: Sequence[Card], failed: bool) -> str:
    if not mine:
        return "played nothing"
    if not failed:
        rescued = sum(card.mark == RESCUED for card in mine)
        jokers = f" ({count(rescued, 'joker')})" if rescued else ""
        return f"is rid of {count(len(mine), 'card')}{jokers}"
    wrong = [ANIMALS[card.animal] for card in mine if card.wrong and card.animal is not None]
    if len(wrong) == len(mine) > 2:  # the variant: all cards of who is out are wrong
        return f"takes back {count(len(mine), 'card')}"
    kinds = list(dict.fromkeys(wrong))
    more = ", …" if len(kinds) > 2 else ""
    return f"takes back {len(mine)} ({', '.join(kinds[:2])}{more})"


# -- the chain -------------------------------------------------------------------------------------


def _draw_chain(picture: _Picture, view: View) -> None:
    """The cards in order, at the end the last ones; below each whose it is and how it was judged."""
    y = (CHAIN_TOP + CHAIN_BOTTOM) / 2
    picture.box(
        480, y, 928, CHAIN_BOTTOM - CHAIN_TOP, 12, (255, 255, 255, 12), (255, 255, 255, 26), 2
    )
    cards = last_chain(view) if is_over(view) else chain_of(view)
    if not cards:
        picture.text(480, y, "The chain", 15, PALE)
        return
    width, step, in_row = next(row[1:] for row in CHAINS if len(cards) <= row[0])
    rows = -(-len(cards) // in_row)
    for i, card in enumerate(cards):
        row, column = divmod(i, in_row)
        x = MARGIN + 5 + step * (column + 0.5)
        middle = y + (row - (rows - 1) / 2) * 84 - 5
        colour = SEAT_COLOURS[card.seat]
        below = middle + width * ASPECT / 2
        if card.animal is None:
            picture.back(x, middle, width, 1)
        else:
            picture.card(x, middle, width, card.animal)
        if card.down and card.animal is not None:
            picture.text(x, middle - width * ASPECT / 2 - 7, "down", SMALLEST, PALE, bold=False)
        picture.box(x, below + 7, width - 4, 5, 2, colour)
        if card.mark in MARKS:
            picture.mark(x, below + 7, card.mark)
        elif i == int(view["at"]) - 1:  # a joker is asked for
            picture.disc(x, below + 7, 8, GOLD, CREAM, 1.2)
            picture.text(x, below + 7, "?", SMALLEST, INK)


# -- players ---------------------------------------------------------------------------------------


def _draw_other(picture: _Picture, view: View, seat: int, name: str) -> None:
    """Name, cards in hand, special cards, cards left, and which these are."""
    others = int(view["players"]) - 1
    room = (IMAGE_WIDTH - 2 * MARGIN - 8 * (others - 1)) / others
    width = min(room, 300)
    whole = others * width + 8 * (others - 1)
    left = (IMAGE_WIDTH - whole) / 2 + (seat - 1) * (width + 8)
    x, y = left + width / 2, (OTHERS_TOP + OTHERS_BOTTOM) / 2
    over = is_over(view)
    wins = over and seat in winners(view)
    edge = GOLD if wins or (not over and to_act(view) == seat) else None
    picture.box(x, y, width, OTHERS_BOTTOM - OTHERS_TOP, 10, PANEL, edge, 2.5)
    picture.box(left + 12, OTHERS_TOP + 18, 6, 18, 3, SEAT_COLOURS[seat])
    picture.name(left + 21, OTHERS_TOP + 18, width - 32, name, 15, False, wins)
    _draw_held(picture, view, seat, left + 14, OTHERS_TOP + 46)
    _draw_special_count(picture, view, seat, left + 104, OTHERS_TOP + 46)
    _draw_cards_left(picture, view, seat, left + width - 32, OTHERS_TOP + 46)
    _draw_left(picture, view, seat, left + (width - KINDS * ANIMAL_SPACE) / 2, OTHERS_TOP + 92)


def _draw_held(picture: _Picture, view: View, seat: int, left: float, y: float) -> None:
    """Backs for the cards in hand, and their number; or that the seat has passed."""
    held = int(view["hand_sizes"][seat])
    over = is_over(view)  # then these are also the cards taken back
    passed = bool(view["passed"][seat]) and not over
    if passed:
        picture.text(left, y, "passed", 13, PALE, "l")
    else:
        backs = min(held, 5)
        for k in range(backs):
            picture.back(left + 8 + 6 * k, y, 15, 0.7)
        picture.text(left + 12 + 6 * backs + 8, y, str(held), 15, CREAM, "l")
    words = "of last round" if over else f"kept {held}" if passed else "in hand"
    picture.text(left, y + 20, words, SMALLEST, PALE, "l", bold=False)


def _draw_special_count(picture: _Picture, view: View, seat: int, left: float, y: float) -> None:
    number = int(view["special_counts"][seat])
    for k in range(min(number, 3)):
        picture.box(left + 5 + 4 * k, y, 12, 17, 2, (150, 40, 40), CREAM, 0.8)
    if not number:
        picture.box(left + 5, y, 12, 17, 2, (0, 0, 0, 30), (255, 255, 255, 70), 1)
    picture.text(left + 16 + 4 * max(min(number, 3), 1), y, str(number), 15, CREAM, "l")
    picture.text(left, y + 20, "specials", SMALLEST, PALE, "l", bold=False)


def _draw_cards_left(picture: _Picture, view: View, seat: int, x: float, y: float) -> None:
    picture.text(x, y, str(int(view["cards_left"][seat])), 19, GOLD)
    picture.text(x, y + 20, "left", SMALLEST, PALE, bold=False)


def _draw_left(picture: _Picture, view: View, seat: int, left: float, y: float) -> None:
    """Which cards a seat has left, by animal; in gold those that all know to be in its hand."""
    for a in range(KINDS):
        x = left + (a + 0.5) * ANIMAL_SPACE
        number, known = int(view["left"][seat, a]), int(view["known"][seat, a]) * (seat > 0)
        picture.animal(x, y, 20, a)
        if not number:
            picture.disc(x, y, 12, (*PANEL, 190))
        words = str(number) if number else "–"
        picture.text(x, y + 22, words, 12, GOLD if known else CREAM if number else PALE)
        if known:
            picture.box(x, y + 32, 4 + 5 * known, 3, 1, GOLD)


def _draw_own(picture: _Picture, view: View, name: str) -> None:
    """The viewer: hand as cards, special cards, and what is left."""
    over = is_over(view)
    wins = over and 0 in winners(view)
    edge = GOLD if wins or (not over and to_act(view) == 0) else None
    y = (OWN_TOP + OWN_BOTTOM) / 2
    picture.box(480, y, 928, OWN_BOTTOM - OWN_TOP, 10, PANEL, edge, 2.5)
    picture.box(MARGIN + 12, OWN_TOP + 18, 6, 18, 3, SEAT_COLOURS[0])
    picture.name(MARGIN + 21, OWN_TOP + 18, 222, name, 15, True, wins)
    _draw_left(picture, view, 0, MARGIN + 12, OWN_TOP + 80)
    picture.text(
        MARGIN + 12,
        OWN_TOP + 46,
        f"{count(int(view['cards_left'][0]), 'card')} left",
        15,
        GOLD,
        "l",
    )
    picture.text(
        MARGIN + 232,
        OWN_TOP + 46,
        f"win with {int(view['win_threshold'])}",
        12,
        PALE,
        "r",
        bold=False,
    )
    hand = [a for a in range(KINDS) for _ in range(int(view["hand"][a]))]
    for k, a in enumerate(hand):
        picture.card(OWN_HAND + HAND_SPACE * (k + 0.5), OWN_TOP + 74, HAND_CARD, a)
    words = "your hand"
    if over:
        words = "your cards of the last round"
    elif view["passed"][0]:
        words = "you have passed: these lie on your pile" if hand else "you have played all cards"
    picture.text(OWN_HAND + 2, OWN_TOP + 18, words, 12, PALE, "l", bold=False)
    left = OWN_HAND + 10 * HAND_SPACE + 14
    picture.text(left, OWN_TOP + 18, "your special cards", 12, PALE, "l", bold=False)
    for kind, label in enumerate(("extra card", "face down", "joker die")):
        number = int(view["special"][kind])
        below = OWN_TOP + 44 + 26 * kind
        picture.box(left + 48, below, 92, 22, 5, CREAM if number else (0, 0, 0, 30), GREY, 1)
        picture.text(left + 48, below, label, 12, INK if number else PALE)
        picture.text(left + 104, below, f"×{number}", 13, CREAM if number else PALE, "l")
