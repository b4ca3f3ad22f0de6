"""Looking at pictures of the games: their words, and whether these can be read."""

from functools import lru_cache
from itertools import combinations

import numpy as np

from cardgames_env.core import drawing


@lru_cache
def felt_of_no_size(light):
    from PIL import Image

    return Image.new("RGB", (8, 8))


def words_in_picture(monkeypatch, render_image, view, names):
    """The words set in a picture, each with the box that its letters cover."""
    words = []

    def keep(picture):
        from PIL import ImageDraw

        draw = ImageDraw.Draw(picture.image)
        for x, y, text, anchor, size, bold, _ in picture.words:
            box = draw.textbbox((round(x), round(y)), text, drawing.font(size, bold), anchor)
            words.append((text, box))
        return np.zeros(0)

    monkeypatch.setattr(drawing, "felt", felt_of_no_size)
    monkeypatch.setattr(drawing.Picture, "pixels", keep)
    for shape in ("box", "disc", "polygon", "line"):
        monkeypatch.setattr(drawing.Picture, shape, lambda *_: None)  # only words are looked at
    render_image(view, names)
    return [(text, box) for text, box in words if text]


def check_words(words):
    """That no words are cut off or overlap."""
    for text, (left, top, right, bottom) in words:
        assert 0 <= left <= right <= 960, text
        assert 0 <= top <= bottom <= 720, text
    for (one, a), (other, b) in combinations(words, 2):
        apart = a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
        assert apart, (one, other)
