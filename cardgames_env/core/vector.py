"""N games in one array: every seat's decision, for learners that play all seats."""

from __future__ import annotations

from typing import Any

import numpy as np

from cardgames_env.core.game import (
    POINTS,
    Game,
    apply,
    check_reward,
    deal,
    legal,
    look,
    returns,
    rewards_of_step,
    to_act,
    whole_number,
)
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import CHANCE_STREAM, checked_root, fresh_root, stream_key
from cardgames_env.core.unowned import unowned


@kernel
def deal_all(states, root, first_game, views, masks, seats):
    """Deal games ``first_game …``, one a row, and look at each for the seat to act."""
    for i in range(len(seats)):
        deal(states[i], stream_key(root, first_game + i, CHANCE_STREAM))
        see(states[i], i, views, masks, seats)


@kernel
def see(s, i, views, masks, seats):
    seat = to_act(s)
    seats[i] = seat
    look(s, seat, views[i])
    legal(s, masks[i])


@kernel
def first_illegal(masks, actions):
    """The first row whose action its mask does not allow, or −1."""
    for i in range(len(actions)):
        a = actions[i]
        if a < 0 or a >= masks.shape[1] or masks[i, a] == 0:
            return i
    return -1


@kernel
def step_all(
    states, actions, root, next_game, scheme, scale, before, points, places, rewards, terminations,
    views, masks, seats, final_views,
):  # fmt: skip
    """Step every row (actions are legal); begin a new game at once where one ended.

    Returns the number of the next game to be dealt: new games are numbered in the order of rows.
    """
    masks, rewards = unowned(masks), unowned(rewards)
    before, points, places = unowned(before), unowned(points), unowned(places)
    for i in range(len(actions)):
        s = states[i]
        if scheme == POINTS:
            returns(s, before)
        apply(s, actions[i])
        rewards_of_step(s, scheme, scale, before, points, places, rewards[i])
        over = to_act(s) < 0
        terminations[i] = over
        if over:
            for p in range(rewards.shape[1]):
                look(s, p, final_views[i, p])
            deal(s, stream_key(root, next_game, CHANCE_STREAM))
            next_game += 1
        see(s, i, views, masks, seats)
    return next_game


def checked_num_envs(num_envs: object) -> int:
    """How many games are stepped at once: 1 or more. Raises ValueError."""
    try:
        return whole_number(1)(num_envs)
    except ValueError as error:
        raise ValueError(f"num_envs {error}") from None


def checked_actions(actions: object, num_envs: int) -> np.ndarray:
    """One action a game as int64 (N,). Raises ValueError for another shape or type."""
    try:
        array = np.asarray(actions)
    except ValueError:  # rows of different lengths
        array = np.asarray(actions, object)
    if array.shape != (num_envs,) or array.dtype.kind not in "iu":
        raise ValueError(
            f"actions must be whole numbers of shape ({num_envs},), "
            f"got {array.dtype.name} of shape {array.shape}"
        )
    return np.ascontiguousarray(array, np.int64)


class VectorGames:
    """N games stepped at once; row i shows the seat to act in game i.

    The arrays are allocated once and overwritten by every call (copy what you keep):

    ===================  =====================================================================
    observations         int16 (N, D): flat view of the seat to act
    action_masks         int8 (N, A): 1 for what that seat may do (read-only)
    seats                int64 (N,): the seat to act
    rewards              float32 (N, P): all seats' rewards of the last step
    terminations         bool (N,): the game ended in the last step, and a new one was dealt
    final_observations   int16 (N, P, D): all seats' last views, where ``terminations``
    ===================  =====================================================================

    Row i starts with the i-th game of the root seed (the AEC environment's i-th ``reset``); games
    begun within ``step`` are numbered on in the order of step and row.

    Parameters: the game, ``num_envs``, ``seed`` (None: a fresh one), ``reward`` and the rule options
    as for ``make``. Raises ValueError naming the option.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        seed: int | None = None,
        reward: str = "outcome",
        **options: Any,
    ) -> None:
        self.game = game
        self.num_envs = checked_num_envs(num_envs)
        self.options = game.check_options(options, also=("reward",))
        self.num_players: int = self.options["num_players"]
        self._scheme = check_reward(reward)
        self._scale = float(game.margin_scale(self.options))
        n, players = self.num_envs, self.num_players
        self._states = game.new_states(self.options, n)
        self._views, self.observations = game.new_views(n)
        self._masks = np.zeros((n, game.num_actions), np.int8)
        self._show_masks()
        self.seats = np.zeros(n, np.int64)
        self.rewards = np.zeros((n, players), np.float32)
        self.terminations = np.zeros(n, np.bool_)
        self._final_views, self.final_observations = game.new_views(n, players)
        self._before = np.zeros(players, np.int32)
        self._points = np.zeros(players, np.int32)
        self._places = np.zeros(players, np.int8)
        self._root = fresh_root() if seed is None else checked_root(seed)
        self._next_game = 0
        self.reset()

    def _show_masks(self) -> None:
        self.action_masks = self._masks.view()
        self.action_masks.flags.writeable = False  # the referee looks at them

    def __getstate__(self) -> dict[str, Any]:
        views = {"_views": None, "_final_views": None, "action_masks": None}
        return self.__dict__ | views | {"_states": self._states.tobytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        game, n = self.game, self.num_envs
        self._states = game.states_from(self.options, state["_states"])
        self._views, self.observations = game.new_views(n)
        self.observations[:] = state["observations"]
        self._final_views, self.final_observations = game.new_views(n, self.num_players)
        self.final_observations[:] = state["final_observations"]
        self._show_masks()

    def reset(self, seed: int | None = None) -> None:
        """Deal N new games: the first N of a seed, or without one the next N of the same root."""
        if seed is not None:
            self._root = checked_root(seed)
            self._next_game = 0
        deal_all(self._states, self._root, self._next_game, self._views, self._masks, self.seats)
        self._next_game += self.num_envs
        self.rewards[:] = 0
        self.terminations[:] = False
        self.final_observations[:] = 0

    def step(self, actions: np.ndarray) -> None:
        """Carry out one action in every game, int (N,).

        Raises ValueError for an array of another shape or type, and naming the row, the action and
        the legal ones if one is illegal; nothing has changed then.
        """
        actions = checked_actions(actions, self.num_envs)
        wrong = first_illegal(self._masks, actions)
        if wrong >= 0:
            allowed = np.flatnonzero(self.action_masks[wrong]).tolist()
            raise ValueError(
                f"player_{self.seats[wrong]} of game {wrong} chose the illegal action "
                f"{actions[wrong]}; legal actions: {allowed}"
            )
        self._next_game = step_all(
            self._states, actions, self._root, self._next_game, self._scheme, self._scale,
            self._before, self._points, self._places, self.rewards, self.terminations, self._views,
            self._masks, self.seats, self._final_views,
        )  # fmt: skip

    def snapshot(self, row: int) -> dict[str, Any]:
        """The whole state of one game as plain Python (hidden cards included)."""
        return self.game.snapshot(self._states, row)
