"""Dackel drauf!: one seat's view as a text and a picture, and what happened in words, from views."""

from cardgames_env.games.dackel_drauf.render_picture import render_image
from cardgames_env.games.dackel_drauf.render_text import render_text
from cardgames_env.games.dackel_drauf.render_words import describe

__all__ = ["describe", "render_image", "render_text"]
