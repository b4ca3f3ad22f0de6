"""DTC: one seat's view as text and as a picture, and what happened in words, from views alone."""

from cardgames_env.games.dtc.render_picture import render_image
from cardgames_env.games.dtc.render_text import render_text
from cardgames_env.games.dtc.render_words import describe

__all__ = ["describe", "render_image", "render_text"]
