"""Diddly: one seat's view as text and as a picture, and what happened in words, from views alone."""

from cardgames_env.games.diddly.render_picture import render_image
from cardgames_env.games.diddly.render_story import describe
from cardgames_env.games.diddly.render_text import render_text

__all__ = ["describe", "render_image", "render_text"]
