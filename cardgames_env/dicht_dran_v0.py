"""Dicht dran as PettingZoo environments. Rules, observation and actions: ``docs/games/dicht_dran.md``.

=======  ==========================================
version  changes
=======  ==========================================
v0       first release
=======  ==========================================
"""

from __future__ import annotations

from typing import Any

from cardgames_env.core.aec import AECGame
from cardgames_env.core.parallel import ParallelGame
from cardgames_env.games.dicht_dran import GAME

__all__ = ["env", "parallel_env", "raw_env"]


def env(**options: Any) -> AECGame:
    """Turn by turn; an illegal action ends the game with −1 for the offender."""
    return AECGame(GAME, end_on_illegal=True, **options)


def raw_env(**options: Any) -> AECGame:
    """Turn by turn; an illegal action raises ValueError."""
    return AECGame(GAME, end_on_illegal=False, **options)


def parallel_env(**options: Any) -> ParallelGame:
    """All players choose at once, as at the table; an illegal action raises ValueError."""
    return ParallelGame(GAME, **options)
