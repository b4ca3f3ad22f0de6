"""The turn-based face: one PettingZoo AEC environment for every game.

PettingZoo's three customary wrappers cost about 70 µs a step between them, so this class checks order,
bounds and legality itself, with the wrappers' messages. It also works under those wrappers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from cardgames_env.core.game import (
    OK,
    POINTS,
    RENDER_MODES,
    Game,
    apply,
    legal,
    look,
    returns,
    rewards_of_step,
    to_act,
    to_act_row,
    whole_action,
)
from cardgames_env.core.jit import kernel
from cardgames_env.core.table import Table

_UNKNOWN_BEFORE_RESET = (
    "agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "num_agents",
    "_cumulative_rewards",
)  # fmt: skip


@kernel
def step_row(states, action, scheme, scale, before, points, places, rewards, views, mask):
    """Apply an action; fill rewards, and the view and mask of the seat to act next.

    Returns that seat, −1 when the game is over, −2 for an illegal action (nothing has changed then).
    """
    s = states[0]
    if scheme == POINTS:
        returns(s, before)
    if apply(s, action) != OK:
        return -2
    rewards_of_step(s, scheme, scale, before, points, places, rewards)
    seat = to_act(s)
    if seat >= 0:
        look(s, seat, views[0])
        legal(s, mask)
    return seat


class AECGame(Table, AECEnv):
    """A game as a PettingZoo AEC environment.

    Parameters
    ----------
    game : the ``Game``.
    end_on_illegal : True: an illegal action ends the game, −1 for the offender, 0 for the others, the
        reason in ``infos``. False: it raises ValueError and changes nothing.
    reward : "outcome" (share of the win less 1/n), "margin" (own points less the mean of the
        others', about ±1) or "points" (the game's points as they fall; negated if fewer is better).
    render_mode : None, "ansi", "rgb_array" or "human" (prints the text).
    options : the game's rule options.

    Raises ValueError naming the option and what it may be.
    """

    def __init__(self, game: Game, *, end_on_illegal: bool, **options: Any) -> None:
        Table.__init__(self, game, **options)
        self._end_on_illegal = end_on_illegal
        self._fresh_look = -1  # the seat whose view and mask are in self._flat, self._mask
        self._stepped = False
        self.metadata = {
            "name": game.id,
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
            "render_fps": 1,
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        self._fresh_look = -1

    def __getattr__(self, name: str) -> Any:
        if name in _UNKNOWN_BEFORE_RESET:
            raise AttributeError(f"{name} cannot be accessed before reset")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a game: number 0 of a new root seed, or without a seed the next of the same root.

        ``options={"deal": {…}}`` sets up a given deal (see the game's page). Raises ValueError for
        a bad seed or a deal that the set-up could not make.
        """
        self._begin(seed, options)
        self._ask_first()

    def begin_numbered(self, seed: int, number: int, deal: Mapping[str, Any] | None = None) -> None:
        """Deal game ``number`` of the root seed (a replay's, say); ``reset()`` goes on from there."""
        self._deal_game(seed, number, deal)
        self._ask_first()

    def _ask_first(self) -> None:
        self.agents = self.possible_agents[:]
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self._stepped = True
        seat = to_act_row(self._states, 0)
        self._look(seat)
        self._mask[:] = self._mask_of(seat)
        self._fresh_look = seat
        self.agent_selection = self.possible_agents[seat]
        self._rebuild_infos()

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """``{"observation": int16 (D,), "action_mask": int8 (A,)}``, fresh arrays.

        The mask is all zero unless it is this agent's turn.
        """
        self._need_reset("observe")
        seat = self._seat_of(agent)
        if seat == self._fresh_look:
            return {"observation": self._flat[0].copy(), "action_mask": self._mask.copy()}
        self._fresh_look = -1
        self._look(seat)
        return {"observation": self._flat[0].copy(), "action_mask": self._mask_of(seat)}

    def view(self, agent: str) -> dict[str, np.ndarray]:
        self._fresh_look = -1
        return super().view(agent)

    def render(self, agent: str | None = None) -> str | np.ndarray | None:
        self._fresh_look = -1
        return super().render(agent)

    def step(self, action: int | None) -> None:
        """Carry out an action of ``agent_selection`` (None for an agent whose game is over).

        Raises ValueError for an illegal action if the environment was made to (``raw_env``).
        """
        self._need_reset("step")
        self._stepped = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        number = whole_action(action)
        # The step leaves the next seat's look in self._flat, unless the action is refused.
        self._fresh_look = -1
        seat = step_row(
            self._states, number, self._scheme, self._scale, self._before, self._points,
            self._places, self._rewards, self._views, self._mask,
        )  # fmt: skip
        if seat == -2:
            reason = self._refusal(self._seat[agent], action)
            if not self._end_on_illegal:
                raise ValueError(reason)
            self._end_illegally(agent, reason)
            return
        self._actions.append(number)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, self._rewards.tolist(), strict=True))
        self._accumulate_rewards()
        if seat >= 0:
            self._fresh_look = seat
            self.agent_selection = self.agents[seat]
        else:
            self._end()
        self._rebuild_infos()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable:
        """Yields the agent to act until the game is over and every agent has been told so."""
        self._need_reset("agent_iter()")
        return _Agents(self, max_iter)

    # -- ends --------------------------------------------------------------------------------------

    def _end(self) -> None:
        self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self.agents[0]
        self._mask[:] = 0

    def _end_illegally(self, offender: str, reason: str) -> None:
        self._stopped = True
        self._cumulative_rewards[offender] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[offender] = -1.0
        self._accumulate_rewards()
        self._end()
        empty = np.zeros_like(self._mask)
        for agent in self.agents:
            # The legal actions are the offender's own cards.
            told = reason if agent == offender else f"{offender} chose an illegal action"
            self.infos[agent] = {"action_mask": empty.copy(), "illegal_action": told}

    def _rebuild_infos(self) -> None:
        over = self.terminations[self.agent_selection]
        actions = self.game.num_actions
        infos: dict[str, dict[str, Any]] = {
            agent: {"action_mask": np.zeros(actions, np.int8)} for agent in self.agents
        }
        if over:
            for agent, final in self._final_infos().items():
                infos[agent].update(final)
        else:
            infos[self.agent_selection]["action_mask"] = self._mask.copy()
        self.infos = infos


class _Agents(AECIterable):
    def __iter__(self) -> _AgentIterator:
        return _AgentIterator(self.env, self.max_iter)


class _AgentIterator(AECIterator):
    def __next__(self) -> str:
        agent = super().__next__()
        if not self.env._stepped:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        self.env._stepped = False
        return agent
