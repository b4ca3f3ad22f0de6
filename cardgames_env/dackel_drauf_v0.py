"""Dackel drauf! as PettingZoo environments.

Rules, observation and actions: ``docs/games/dackel_drauf.md``.

=======  ==========================================
version  changes
=======  ==========================================
v0       first release
=======  ==========================================
"""

from __future__ import annotations

from typing import Any

from cardgames_env.core.aec import AECGame
from cardgames_env.games.dackel_drauf import GAME

__all__ = ["env", "raw_env"]


def env(**options: Any) -> AECGame:
    """Turn by turn; an illegal action ends the game with −1 for the offender."""
    return AECGame(GAME, end_on_illegal=True, **options)


def raw_env(**options: Any) -> AECGame:
    """Turn by turn; an illegal action raises ValueError."""
    return AECGame(GAME, end_on_illegal=False, **options)
