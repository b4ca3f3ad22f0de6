"""Agents named on the command line or in a file: of the registry, or a user's own callable."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import agents
from cardgames_env import Agent
from cardgames_env.core.game import get_game
from cardgames_env.core.policy import Player


@dataclass(frozen=True)
class Contestant:
    """A player with the label it has in tables, and its parameters (of a registry's agent).

    ``slow``: takes milliseconds a decision (a search, or any Python callable); ``own_code``: a hash of
    the file of a user's agent.
    """

    label: str
    player: Player
    parameters: dict[str, float] = field(default_factory=dict)
    slow: bool = False
    own_code: str = ""


def contestants(game: str, specs: Sequence[str]) -> list[Contestant]:
    """The agents of a line-up. A spec is one of

    - ``name``: an agent of the registry; ``name:parameter=value:…`` with parameters of its own;
    - ``module:attribute``: a user's agent, imported (the current folder is searched, too): a
      ``cardgames_env.Agent`` or a callable ``(observation, mask, info) -> action``.

    Equal agents get labels of their own (``random``, ``random#2``). Raises ValueError.
    """
    result: list[Contestant] = []
    seen: dict[str, int] = {}
    for spec in specs:
        contestant = parse(game, spec.strip())
        count = seen[contestant.label] = seen.get(contestant.label, 0) + 1
        if count > 1:
            contestant = replace(contestant, label=f"{contestant.label}#{count}")
        result.append(contestant)
    return result


def parse(game: str, spec: str) -> Contestant:
    """The agent that a spec names. Raises ValueError."""
    name, *parts = spec.split(":")
    entry = agents.entries(game).get(name)
    if entry is None and len(parts) == 1 and parts[0] and "=" not in parts[0]:
        player = user_agent(game, name, parts[0])
        slow = not isinstance(player, Agent)
        return Contestant(spec, player, slow=slow, own_code=hash_of_module(name))
    parameters: dict[str, float] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if not key or not equals:
            raise ValueError(f"agent {spec!r}: expected {name}:parameter=value, got {part!r}")
        if key in parameters:
            raise ValueError(f"agent {spec!r}: {key} is given twice")
        try:
            parameters[key] = float(value)
        except ValueError:
            raise ValueError(f"agent {spec!r}: {value!r} is not a number") from None
    agent = agents.get(game, name, **parameters)
    assert entry is not None  # `get` knows the name
    chosen = {p.name: parameters.get(p.name, p.default) for p in entry.parameters}
    return Contestant(agent.name, agent, chosen, slow=entry.slow)


def hash_of_module(name: str) -> str:
    """A hash of a module's file; empty if it has none that can be read."""
    file = getattr(sys.modules[name], "__file__", None)
    try:
        return hashlib.sha256(Path(str(file)).read_bytes()).hexdigest()[:20] if file else ""
    except OSError:
        return ""


def user_agent(game: str, module: str, attribute: str) -> Player:
    """An agent from a user's module. Raises ValueError naming what went wrong."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        player = getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as error:
        raise ValueError(f"agent {module}:{attribute} cannot be imported: {error!r}") from error
    if not callable(player):
        raise ValueError(f"agent {module}:{attribute} is not callable")
    if isinstance(player, Agent) and player.game is not get_game(game):
        raise ValueError(f"agent {module}:{attribute} plays {player.game.id}")
    return player
