"""Dackel drauf!: text, picture and words, from views."""


def describe(before, after, names):
    return []


def render_text(view, names):
    return ""


def render_image(view, names):
    import numpy as np

    return np.zeros((10, 10, 3), np.uint8)
