"""placeholder"""


def describe(before, after, names):
    return []


def render_text(view, names):
    return str(names[0])


def render_image(view, names):
    import numpy as np

    return np.zeros((8, 8, 3), np.uint8)
