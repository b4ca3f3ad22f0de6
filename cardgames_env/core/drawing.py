"""What the texts and pictures of all games are made of: words, names, fonts, cards; it knows no game.

Pictures are drawn with Pillow: several times as fast as matplotlib, and it has no global settings that
could change them. The fonts are those that come with matplotlib. Both are loaded for the first picture.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

View = Mapping[str, np.ndarray]
Colour = tuple[int, ...]

# -- words -----------------------------------------------------------------------------------------

WIDTH = 80  # columns of a text


def count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def listed(things: Sequence[str], word: str = "and") -> str:
    """a; a and b; a, b and c."""
    return f" {word} ".join([", ".join(things[:-1]), things[-1]] if len(things) > 1 else things)


def one_line(name: str) -> str:
    """A name without line breaks and other characters that cannot be shown."""
    return "".join(c for c in " ".join(str(name).split()) if c.isprintable())


def shortened(text: str, room: float, measure: Callable[[str], float]) -> str:
    """The text, its middle left out if it needs more room (names often differ at their ends)."""
    kept = len(text)
    shorter = text
    while measure(shorter) > room and kept > 0:
        kept -= 1
        shorter = text[: (kept + 1) // 2] + "..." + text[len(text) - kept // 2 :]
    return shorter


def columns(text: str) -> int:
    """Columns that a terminal needs for the text."""
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def wrapped(text: str) -> list[str]:
    """Lines of at most WIDTH columns, broken at blanks."""
    lines = [""]
    for word in text.split(" "):
        longer = f"{lines[-1]} {word}" if lines[-1] else word
        if columns(longer) > WIDTH:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def heading(left: str, viewer: str) -> list[str]:
    """The first lines of a text: where the game stands, and who sees it so."""
    seen_by = f"seen by {viewer}"
    return [padded(left, WIDTH - columns(seen_by)) + seen_by, "-" * WIDTH]


def joined(blocks: Sequence[Sequence[str]]) -> str:
    """A text of blocks of lines, an empty line between them, and no blanks at the ends of lines."""
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks)


# -- fonts -----------------------------------------------------------------------------------------

SMALLEST = 11  # size of letters that can be read


@lru_cache(maxsize=64)
def font(size: int, bold: bool) -> Any:
    import matplotlib
    from PIL import ImageFont

    file = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    path = os.path.join(matplotlib.get_data_path(), "fonts", "ttf", file)
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)


def text_width(words: str, size: int, bold: bool = True) -> float:
    return float(font(size, bold).getlength(words))


def fitted(words: str, size: int, room: float, bold: bool = True) -> tuple[str, int]:
    """The words and a size at which they fit; too long even at the smallest, they are shortened."""
    while size > SMALLEST and text_width(words, size, bold) > room:
        size -= 1
    return shortened(words, room, lambda text: text_width(text, size, bold)), size


# -- pictures --------------------------------------------------------------------------------------

IMAGE_WIDTH, IMAGE_HEIGHT = 960, 720
HEADER_HEIGHT = 42
MARGIN = 16

FELT, FELT_EDGE = (34, 116, 84), (12, 58, 44)
GOLD = (255, 205, 84)
CREAM = (255, 250, 236)
PALE = (196, 222, 206)  # words of lesser weight on the felt
INK = (38, 36, 44)
GREY = (112, 108, 116)
CARD_EDGE = (188, 180, 164)
BACK, BACK_LINE = (92, 62, 140), (190, 166, 232)
SHADE = (0, 24, 16, 90)
SHADOW = (0, 20, 12, 70)

ASPECT = 94 / 68  # height of a card by its width
CROWN = (0, 0.12), (0.25, 0.4), (0.5, 0), (0.75, 0.4), (1, 0.12), (0.88, 0.72), (0.12, 0.72)

SCALE = 3  # shapes are drawn enlarged


@lru_cache(maxsize=4)
def felt(light: tuple[float, float]) -> Any:
    """The empty table, lightest at ``light``, at the scale of the shapes."""
    from PIL import Image

    y, x = np.mgrid[0:IMAGE_HEIGHT, 0:IMAGE_WIDTH]
    away = np.hypot((x - light[0]) / 700, (y - light[1]) / 560).clip(0, 1)[..., None]
    colours = np.array(FELT) * (1 - away) + np.array(FELT_EDGE) * away
    plain = Image.fromarray(np.round(colours).astype(np.uint8))
    return plain.resize((IMAGE_WIDTH * SCALE, IMAGE_HEIGHT * SCALE), Image.Resampling.BILINEAR)


class Picture:
    """Shapes are drawn enlarged, then reduced to smooth their edges; words are set on top."""

    def __init__(self, light: tuple[float, float]) -> None:
        from PIL import ImageDraw

        self.image = felt(light).copy()
        self.draw = ImageDraw.Draw(self.image, "RGBA")
        self.words: list[tuple[float, float, str, str, int, bool, Colour]] = []

    def _enlarged(self, *numbers: float) -> list[int]:
        return [round(number * SCALE) for number in numbers]

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        radius: float,
        fill: Colour,
        edge: Colour | None = None,
        line: float = 0,
    ) -> None:
        """A rectangle with round corners around the middle (x, y)."""
        corners = self._enlarged(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
        corners[2] -= 1
        corners[3] -= 1
        round_by, thick = self._enlarged(radius, line)
        self.draw.rounded_rectangle(corners, round_by, fill, edge, thick)

    def disc(
        self,
        x: float,
        y: float,
        radius: float,
        fill: Colour | None,
        edge: Colour | None = None,
        line: float = 0,
    ) -> None:
        corners = self._enlarged(x - radius, y - radius, x + radius, y + radius)
        self.draw.ellipse(corners, fill, edge, *self._enlarged(line))

    def polygon(self, points: Sequence[tuple[float, float]], fill: Colour) -> None:
        self.draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill)

    def line(self, points: Sequence[tuple[float, float]], fill: Colour, thick: float) -> None:
        (width,) = self._enlarged(thick)
        self.draw.line([(x * SCALE, y * SCALE) for x, y in points], fill, width)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: int,
        colour: Colour,
        align: str = "m",
        bold: bool = True,
    ) -> None:
        """Words whose capitals have their middle at height y; x is their left, middle or right."""
        self.words.append((x, y + 0.365 * size, words, f"{align}s", size, bold, colour))

    def pixels(self) -> np.ndarray:
        """The finished picture, uint8 (720, 960, 3)."""
        from PIL import ImageDraw

        small = self.image.reduce(SCALE)
        draw = ImageDraw.Draw(small)
        for x, y, words, anchor, size, bold, colour in self.words:
            draw.text((round(x), round(y)), words, colour, font(size, bold), anchor)
        return np.array(small, np.uint8)

    # -- things on the table --

    def emblem(self, x: float, y: float, size: float) -> None:
        """What a game has on the backs of its cards, around the middle (x, y)."""

    def shadow(self, x: float, y: float, width: float, height: float) -> None:
        self.box(x + 1.5, y + 2.5, width, height, width * 0.11, SHADOW)

    def front(self, x: float, y: float, width: float, edge: Colour, line: float) -> None:
        """An empty card face up around the middle (x, y)."""
        height = width * ASPECT
        self.shadow(x, y, width, height)
        self.box(x, y, width, height, width * 0.11, CREAM, edge, line)

    def back(self, x: float, y: float, width: float, line: float) -> None:
        """A card face down."""
        height = width * ASPECT
        self.box(x, y, width, height, width * 0.11, BACK, CREAM, line)
        self.box(x, y, width * 0.78, height * 0.78, width * 0.07, BACK, BACK_LINE, line)
        self.emblem(x, y, width * 0.5)

    def pile(self, x: float, y: float, width: float, layers: int) -> None:
        """A pile face down, its top card around the middle (x, y); without layers its empty place."""
        height = width * ASPECT
        if not layers:
            self.box(x, y, width, height, 6, (0, 0, 0, 30), (255, 255, 255, 70), 1.5)
        for layer in range(layers):
            away = 3 * (layers - 1 - layer)
            if layer == 0:
                self.shadow(x + away, y + away, width, height)
            self.back(x + away, y + away, width, 0.9)

    def crown(self, x: float, y: float, width: float) -> None:
        left, top = x - width / 2, y - width * 0.36
        self.polygon([(left + width * u, top + width * v) for u, v in CROWN], GOLD)

    # -- parts that look the same in all games --

    def header(self, title: str, where: str, where_x: float, viewer: str, room: float) -> None:
        """The bar at the top: the game, where it stands, who sees it so in ``room`` at the right."""
        middle = HEADER_HEIGHT / 2
        self.box(IMAGE_WIDTH / 2, middle, IMAGE_WIDTH, HEADER_HEIGHT, 0, (0, 24, 16, 130))
        self.text(50, middle, title, 21, GOLD, "l")
        self.text(where_x, middle, where, 16, CREAM, "l")
        seen_by, size = fitted(f"seen by {viewer}", 15, room, bold=False)
        self.text(IMAGE_WIDTH - MARGIN, middle, seen_by, size, PALE, "r", bold=False)

    def name(
        self, left: float, y: float, room: float, name: str, size: int, viewer: bool, wins: bool
    ) -> None:
        """A player's name, with a crown and marked as the viewer's where that is so."""
        if wins:
            self.crown(left + 11, y - 1, 22)
            left, room = left + 30, room - 30
        if viewer:
            room -= 44
        words, size = fitted(name, size, room)
        self.text(left, y, words, size, GOLD if wins else CREAM, "l")
        if viewer:
            tag = left + text_width(words, size) + 28
            self.box(tag, y, 36, 18, 9, CREAM)
            self.text(tag, y, "you", 12, INK)

    def result(self, x: float, y: float, who: str, wins: str, points: str) -> None:
        """Who has won around the middle (x, y): "who", "wins with", "9 points"."""
        self.crown(x, y - 62, 52)
        self.text(x, y - 22, "Game over", 16, PALE)
        words, size = fitted(who, 22, 180)
        self.text(x, y + 8, words, size, GOLD)
        self.text(x, y + 35, wins, 14, CREAM)
        self.text(x, y + 58, points, 17, CREAM)
