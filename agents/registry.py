"""Agents by name: what the library ships, and how an entry is declared."""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import agents
from cardgames_env import Agent
from cardgames_env.core.game import get_game
from cardgames_env.core.policy import random_policy


@dataclass(frozen=True)
class Parameter:
    """A number that a policy reads from ``params``, at the position of its declaration."""

    name: str
    default: float
    low: float
    high: float
    meaning: str
    whole: bool = False

    def check(self, value: Any) -> float:
        """The value as a float. Raises ValueError naming the parameter and its range."""
        kind = "a whole number" if self.whole else "a number"
        expected = f"parameter {self.name} must be {kind} in {self.low:g} … {self.high:g}"
        if isinstance(value, bool):
            raise ValueError(f"{expected}, got {value!r}")
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError(f"{expected}, got {value!r}") from None
        if not self.low <= number <= self.high or (self.whole and number != int(number)):
            raise ValueError(f"{expected}, got {number:g}")
        return number


@dataclass(frozen=True)
class Entry:
    """An agent of the registry: its policy (see ``cardgames_env.core.policy``) and parameters.

    ``slow``: takes milliseconds a decision, so it is left out where nobody asked for it by name.
    """

    name: str
    policy: Callable[..., int]
    parameters: tuple[Parameter, ...] = ()
    memory: int = 0
    slow: bool = False

    @property
    def summary(self) -> str:
        """The first sentence of the policy's docstring."""
        text = " ".join((self.policy.__doc__ or "").split())
        return text.split(". ")[0].rstrip(".") + "."


RANDOM = Entry("random", random_policy)


def entries(game: str) -> dict[str, Entry]:
    """All agents of a game by name: ``random``, then those of ``agents/<game>.py``.

    Raises ValueError for an unknown game.
    """
    name = get_game(game).name
    modules = {module.name for module in pkgutil.iter_modules(agents.__path__)}
    own = importlib.import_module(f"agents.{name}").AGENTS if name in modules else ()
    return {entry.name: entry for entry in (RANDOM, *own)}


def names(game: str) -> list[str]:
    """The names of a game's agents (an id or a name of the game). Raises ValueError."""
    return list(entries(game))


def quick_names(game: str) -> list[str]:
    """The agents of a game that play at kernel speed, from simple to strong. Raises ValueError."""
    return [name for name, entry in entries(game).items() if not entry.slow]


def get(game: str, name: str, **parameters: float) -> Agent:
    """An agent of a game by name, with parameters other than its defaults where given.

    Raises ValueError naming the agents, or the parameters and their ranges.
    """
    known = entries(game)
    if not isinstance(name, str):
        raise ValueError(f"an agent is given by its name, got {name!r}; agents: {', '.join(known)}")
    if name not in known:
        raise ValueError(
            f"{get_game(game).id} has no agent {name!r}{_hint(name, known)}; "
            f"agents: {', '.join(known)}"
        )
    entry = known[name]
    wanted = {parameter.name: parameter for parameter in entry.parameters}
    for given in parameters:
        if given not in wanted:
            has = f"its parameters: {', '.join(wanted)}" if wanted else "it has none"
            raise ValueError(
                f"agent {name} has no parameter {given!r}{_hint(given, wanted)}; {has}"
            )
    values = [p.check(parameters.get(p.name, p.default)) for p in entry.parameters]
    changed = [(p, v) for p, v in zip(entry.parameters, values, strict=True) if v != p.default]
    label = name + "".join(f":{p.name}={v:g}" for p, v in changed)
    return Agent(game, entry.policy, name=label, params=values, memory=entry.memory)


def _hint(name: str, known: Mapping[str, Any]) -> str:
    close = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""
