"""Agents for the games of ``cardgames_env``: random, rules of thumb, search, learned.

``names(game)`` lists them, ``get(game, name, **parameters)`` makes one.
"""

from agents.registry import entries, get, names, quick_names

__all__ = ["entries", "get", "names", "quick_names"]
