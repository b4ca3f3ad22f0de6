"""A game as it was played: options, seed or deal, and actions; saved, checked and played again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardgames_env.core.files import write_whole
from cardgames_env.core.game import get_game, json_ready

if TYPE_CHECKING:
    from cardgames_env.core.aec import AECGame

FORMAT = "cardgames replay 1"
KEYS = ("format", "game", "options", "seed", "number", "deal", "actions")


class ReplayError(ValueError):
    """A replay file that cannot be read, or actions that the rules refuse."""


@dataclass(frozen=True)
class Replay:
    """A (possibly unfinished) game.

    ``game`` its id; ``options`` the checked rule options; ``seed`` the root seed and ``number`` the
    game's index under it; ``deal`` a scripted deal or None; ``actions`` in the order played.
    """

    game: str
    options: Mapping[str, Any]
    seed: int
    number: int
    deal: Mapping[str, Any] | None
    actions: tuple[int, ...]

    def save(self, path: str | Path) -> None:
        """Write the replay as JSON, whole or not at all. Raises OSError."""
        content = {
            "format": FORMAT,
            "game": self.game,
            "options": dict(self.options),
            "seed": self.seed,
            "number": self.number,
            "deal": json_ready(self.deal),
            "actions": list(self.actions),
        }
        write_whole(Path(path), (json.dumps(content) + "\n").encode())

    @classmethod
    def load(cls, path: str | Path) -> Replay:
        """Read a replay. Raises ReplayError naming what is wrong with the file."""
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
        except OSError as error:
            raise ReplayError(f"cannot read {path}: {error.strerror}") from None
        except (ValueError, RecursionError):
            raise ReplayError(f"{path} is not a replay (no JSON)") from None
        if not isinstance(content, dict) or content.get("format") != FORMAT:
            raise ReplayError(f"{path} is not a replay (its format is not {FORMAT!r})")
        for key in KEYS:
            if key not in content:
                raise ReplayError(f"{path}: {key} is missing")
        unknown = [key for key in content if key not in KEYS]
        if unknown:
            raise ReplayError(f"{path}: unknown key {unknown[0]!r}")
        try:
            options = get_game(content["game"]).check_options(dict(content["options"]))
        except (ValueError, TypeError) as error:
            raise ReplayError(f"{path}: {error}") from None
        for key in ("seed", "number"):
            if not _is_whole(content[key]) or not 0 <= content[key] < 2**63:
                raise ReplayError(f"{path}: {key} must be a whole number in 0 … 2**63 - 1")
        actions = content["actions"]
        if not isinstance(actions, list) or not all(_is_whole(action) for action in actions):
            raise ReplayError(f"{path}: actions must be a list of whole numbers")
        return cls(
            content["game"],
            options,
            content["seed"],
            content["number"],
            content["deal"],
            tuple(actions),
        )

    def steps(self, **options: Any) -> Iterator[AECGame]:
        """The AEC environment after the deal and after each action.

        ``options`` are those of the environment that are no rules: ``reward``, ``render_mode``.
        Raises ReplayError naming the first action that the rules refuse.
        """
        from cardgames_env.core.aec import AECGame

        env = AECGame(get_game(self.game), end_on_illegal=False, **self.options, **options)
        try:
            env.begin_numbered(self.seed, self.number, self.deal)
        except ValueError as error:
            raise ReplayError(str(error)) from None
        yield env
        for k, action in enumerate(self.actions):
            if env.terminations[env.agent_selection]:
                raise ReplayError(f"action {k + 1} comes after the end of the game")
            try:
                env.step(action)
            except ValueError as error:
                raise ReplayError(f"action {k + 1}: {error}") from None
            yield env

    def check(self) -> AECGame:
        """Play all actions again; the environment as they leave it. Raises ReplayError."""
        *_, env = self.steps()
        return env


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
