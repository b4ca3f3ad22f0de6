"""The simultaneous face, for games in which all seats choose at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import ParallelEnv

from cardgames_env.core.game import (
    RENDER_MODES,
    Game,
    apply_row,
    legal_row,
    to_act_row,
    whole_action,
)
from cardgames_env.core.table import Table


class ParallelGame(Table, ParallelEnv):
    """A game of simultaneous choices as a PettingZoo parallel environment.

    The choices are the turn-based game's, made in seat order; nobody's choice shows before all are
    made, so both forms are the same game. Parameters as for ``AECGame``; illegal, missing and
    superfluous actions raise ValueError and change nothing.
    """

    def __init__(self, game: Game, **options: Any) -> None:
        Table.__init__(self, game, **options)
        self.agents: list[str] = []
        self._masks: dict[str, np.ndarray] = {}
        self.metadata = {"name": game.id, "render_modes": list(RENDER_MODES), "render_fps": 1}

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, dict[str, Any]]]:
        """As ``AECGame.reset``; returns observations and infos by agent."""
        self._begin(seed, options)
        self.agents = self.possible_agents[:]
        return self._observe_all()

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, dict[str, np.ndarray]],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, dict[str, Any]],
    ]:
        """Everyone's choice of a round, by agent.

        Returns observations, rewards, terminations, truncations, infos. Raises ValueError naming
        the agent and the legal actions, or the agents missing.
        """
        self._need_reset("step")
        if not self.agents:
            raise ValueError("the game is over: call reset()")
        numbers = self._checked(actions)
        for number in numbers:
            apply_row(self._states, 0, number)
        self._actions.extend(numbers)
        rewards = self._rewards_since().tolist()
        players = self.agents
        over = to_act_row(self._states, 0) < 0
        observations, infos = self._observe_all()
        if over:
            for agent, final in self._final_infos().items():
                infos[agent].update(final)
            self.agents = []
        return (
            observations,
            dict(zip(players, rewards, strict=True)),
            dict.fromkeys(players, over),
            dict.fromkeys(players, False),
            infos,
        )

    def _checked(self, actions: Mapping[str, int]) -> list[int]:
        """The actions in seat order, each legal for its seat."""
        if not isinstance(actions, Mapping):
            raise ValueError(f"actions must be a mapping by agent, got {type(actions).__name__}")
        for agent in actions:
            self._seat_of(agent)
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise ValueError(f"no action given for {', '.join(missing)}")
        numbers = [whole_action(actions[agent]) for agent in self.agents]
        for agent, number in zip(self.agents, numbers, strict=True):
            mask = self._masks[agent]
            if not 0 <= number < len(mask) or not mask[number]:
                legal = np.flatnonzero(mask).tolist()
                raise ValueError(
                    f"{agent} chose the illegal action {actions[agent]!r}; legal actions: {legal}"
                )
        return numbers

    def _observe_all(self) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, dict[str, Any]]]:
        self._masks = self._all_masks()
        observations = {}
        infos = {}
        for agent, seat in self._seat.items():
            self._look(seat)
            mask = self._masks[agent]
            observations[agent] = {"observation": self._flat[0].copy(), "action_mask": mask.copy()}
            infos[agent] = {"action_mask": mask.copy()}
        return observations, infos

    def _all_masks(self) -> dict[str, np.ndarray]:
        """Everyone's legal actions: choices are unseen, so any choice of an earlier seat will do."""
        masks = {}
        ahead = self._states.copy()
        for agent in self.possible_agents:
            mask = np.zeros(self.game.num_actions, np.int8)
            legal_row(ahead, 0, mask)
            masks[agent] = mask
            if mask.any():
                apply_row(ahead, 0, int(mask.argmax()))
        return masks
