"""Agents named on the command line or in a file: of the registry, or a user's own callable."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import agents
from cardgames_env import Agent
from cardgames_env.core.game import get_game
from cardgames_env.core.policy import Player


@dataclass(frozen=True)
class Contestant:
    """A player with the label it has in tables, and its parameters (of a registry's agent)."""

    label: str
    player: Player
    parameters: dict[str, float] = field(default_factory=dict)


def contestants(game: str, specs: Sequence[str]) -> list[Contestant]:
    """The agents of a line-up. A spec is one of

    - ``name``: an agent of the registry; ``name:parameter=value:…`` with parameters of its own;
    - ``module:attribute``: a user's agent, imported (the current folder is searched, too): a
      ``cardgames_env.Agent`` or a callable ``(observation, mask, info) -> action``.

    Equal specs get labels of their own (``random``, ``random#2``). Raises ValueError.
    """
    result: list[Contestant] = []
    seen: dict[str, int] = {}
    for spec in specs:
        player, parameters = parse(game, spec)
        seen[spec] = seen.get(spec, 0) + 1
        label = spec if seen[spec] == 1 else f"{spec}#{seen[spec]}"
        result.append(Contestant(label, player, parameters))
    return result


def parse(game: str, spec: str) -> tuple[Player, dict[str, float]]:
    """The agent that a spec names, and its parameters. Raises ValueError."""
    name, *parts = spec.split(":")
    if len(parts) == 1 and parts[0] and "=" not in parts[0]:
        return user_agent(game, name, parts[0]), {}
    parameters = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not key or not equals:
            raise ValueError(f"agent {spec!r}: expected parameter=value, got {part!r}")
        try:
            parameters[key] = float(value)
        except ValueError:
            raise ValueError(f"agent {spec!r}: {value!r} is not a number") from None
    entry = agents.entries(game).get(name)
    agent = agents.get(game, name, **parameters)
    chosen = {p.name: parameters.get(p.name, p.default) for p in entry.parameters} if entry else {}
    return agent, chosen


def user_agent(game: str, module: str, attribute: str) -> Player:
    """An agent from a user's module. Raises ValueError naming what went wrong."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        player = getattr(importlib.import_module(module), attribute)
    except Exception as error:
        raise ValueError(f"agent {module}:{attribute} cannot be imported: {error}") from error
    if not callable(player):
        raise ValueError(f"agent {module}:{attribute} is not callable")
    if isinstance(player, Agent) and player.game is not get_game(game):
        raise ValueError(f"agent {module}:{attribute} plays {player.game.id}")
    return player
