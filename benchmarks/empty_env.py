"""An AEC environment without a game: what PettingZoo's loop costs by itself."""

from __future__ import annotations

from typing import Any

import gymnasium.spaces
import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers


class EmptyEnv(AECEnv):
    """The agents act in turn, ``length`` steps a game; nothing else happens.

    Spaces as those of a real game; every observation is the same pair of arrays, never copied.
    """

    metadata = {"name": "empty_v0", "is_parallelizable": False, "render_modes": []}

    def __init__(self, players: int, actions: int, entries: int, legal: int, length: int) -> None:
        super().__init__()
        self.render_mode = None
        self.possible_agents = [f"player_{p}" for p in range(players)]
        self.length = length
        mask = np.zeros(actions, np.int8)
        mask[:legal] = 1
        self._seen = {"observation": np.zeros(entries, np.int16), "action_mask": mask}
        self._observation_space = gymnasium.spaces.Dict(
            {
                "observation": gymnasium.spaces.Box(0, 1, (entries,), np.int16),
                "action_mask": gymnasium.spaces.Box(0, 1, (actions,), np.int8),
            }
        )
        self._action_spaces = {
            agent: gymnasium.spaces.Discrete(actions) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        return self._observation_space

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        return self._action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._turn = 0
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        return self._seen

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection]:
            self._was_dead_step(action)
            return
        self._turn += 1
        if self._turn == self.length:
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[self._turn % len(self.agents)]


def wrapped(env: AECEnv) -> AECEnv:
    """The environment under PettingZoo's three customary wrappers."""
    env = wrappers.TerminateIllegalWrapper(env, illegal_reward=-1)
    env = wrappers.AssertOutOfBoundsWrapper(env)
    return wrappers.OrderEnforcingWrapper(env)
