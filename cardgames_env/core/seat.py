"""One seat against opponents: a gymnasium environment, and N of them with the opponents compiled in.

A step returns at the learner's next decision, or at the end, with all that was won or lost meanwhile;
the opponents' opening moves happen in ``reset``. A game that ends before the learner's first decision
leaves nothing to learn: it is passed over, and the next one begins. Observations are float32: the flat
view divided by the larger bound of each entry. The legal actions are in ``info["action_mask"]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardgames_env.core.game import (
    OK,
    RENDER_MODES,
    Game,
    apply,
    apply_row,
    check_reward,
    deal,
    legal,
    look,
    ranks,
    returns,
    rewards_of_step,
    to_act,
    to_act_row,
    whole_action,
)
from cardgames_env.core.jit import kernel
from cardgames_env.core.playout import begin_seats
from cardgames_env.core.policy import (
    Agent,
    Lineup,
    Player,
    random_agent,
    reset_players,
    seat_players,
)
from cardgames_env.core.rng import (
    CHANCE_STREAM,
    SEAT_STREAM,
    WORDS,
    checked_root,
    fresh_root,
    mix,
    scaled,
    stream_key,
)
from cardgames_env.core.table import Table, scripted_deal
from cardgames_env.core.vector import checked_actions, checked_num_envs

ILLEGAL_REWARD = -1.0
MOST_PASSED_OVER = 1000  # games in a row that end before the learner's first decision
NEVER_ASKED = 1 << 20  # instead of the number of an opponent
RANDOM_SEAT = -1


def scaled_space(game: Game) -> tuple[gymnasium.spaces.Box, np.ndarray]:
    """The float32 observation space, and the factor of each entry of the flat view (float32 (D,))."""
    low, high = game.view_bounds()
    factors = (1.0 / np.maximum(np.abs(low.astype(np.float64)), np.abs(high))).astype(np.float32)
    return gymnasium.spaces.Box(low * factors, high * factors, dtype=np.float32), factors


def check_seat(seat: Any, players: int) -> int:
    """A seat number, or RANDOM_SEAT for "random". Raises ValueError."""
    if isinstance(seat, str) and seat == "random":
        return RANDOM_SEAT
    whole = isinstance(seat, (int, np.integer)) and not isinstance(seat, bool)
    if not whole or not 0 <= seat < players:
        raise ValueError(f'seat must be 0 … {players - 1} or "random", got {seat!r}')
    return int(seat)


def check_opponents(game: Game, opponents: Any, players: int) -> list[Player]:
    """The other seats' agents, clockwise from the learner. Raises ValueError."""
    if opponents is None:
        opponents = random_agent(game)
    if isinstance(opponents, str):
        raise ValueError(
            f"opponents must be agents, not names: give agents.get({game.id!r}, {opponents!r})"
        )
    others = (
        list(opponents) if isinstance(opponents, (list, tuple)) else [opponents] * (players - 1)
    )
    if len(others) != players - 1:
        raise ValueError(
            f"opponents must be one agent or {players - 1}, one for each other seat clockwise from "
            f"the learner, got {len(others)}"
        )
    for k, agent in enumerate(others):
        if isinstance(agent, str):
            raise ValueError(
                f"opponents[{k}] must be an agent, not a name: give agents.get({game.id!r}, {agent!r})"
            )
        if not callable(agent):
            raise ValueError(f"opponents[{k}] is neither an agent nor a callable: {agent!r}")
        if isinstance(agent, Agent) and agent.game is not game:
            raise ValueError(f"opponents[{k}] plays {agent.game.id}, not {game.id}")
    return others


@kernel
def seat_of_game(seat, players, root, game):
    """The learner's seat in a game: fixed, or drawn from the game's own seat stream."""
    if seat >= 0:
        return seat
    return np.int64(scaled(mix(stream_key(root, game, SEAT_STREAM)), players))


class SeatEnv(gymnasium.Env):
    """One seat of a game as a gymnasium environment.

    Parameters
    ----------
    game : the ``Game``.
    opponents : one agent for all other seats or a list, clockwise from the learner; agents of the
        registry or callables ``(observation, mask, info) -> action``. None: uniformly random ones.
    seat : the learner's seat, or "random": drawn anew for every game.
    options : ``reward``, ``render_mode`` and the rule options, as for the AEC environment.

    An illegal action ends the game with −1. Raises ValueError naming the option.
    """

    def __init__(
        self,
        game: Game,
        *,
        opponents: Player | Sequence[Player] | None = None,
        seat: int | str = 0,
        **options: Any,
    ) -> None:
        self.table = Table(game, **options)
        players = self.table.options["num_players"]
        self._fixed_seat = check_seat(seat, players)
        self._others = seat_players(check_opponents(game, opponents, players))
        self.render_mode = self.table.render_mode
        self.metadata = {"name": game.id, "render_modes": list(RENDER_MODES), "render_fps": 1}
        self.observation_space, self._factors = scaled_space(game)
        self.action_space = gymnasium.spaces.Discrete(game.num_actions)
        self.seat = 0
        self._over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal a game and let the opponents open; the learner's observation and info.

        Raises ValueError for a bad seed or a deal that the set-up could not make, or that is over
        before the learner's first decision, whatever the opponents' chance.
        """
        root = None if seed is None else checked_root(seed)
        super().reset(seed=root)
        for _ in range(MOST_PASSED_OVER):
            self._open_game(root, options)
            if to_act_row(self.table._states, 0) >= 0:
                return self._observation(), self._info()
            root = None
        raise ValueError(
            f"deal: {MOST_PASSED_OVER} games of it ended before the first decision of seat {self.seat}"
        )

    def _open_game(self, root: int | None, options: dict[str, Any] | None) -> None:
        """Deal the next game and play it up to the learner's first decision, or to its end."""
        table = self.table
        table._begin(root, options)
        players = len(table.possible_agents)
        assert table._root is not None
        self.seat = int(seat_of_game(self._fixed_seat, players, table._root, table._number))
        self._other_seats = [(self.seat + k) % players for k in range(1, players)]
        self._player_at = dict(zip(self._other_seats, self._others, strict=True))
        reset_players(self._others, table._root, table._number, self._other_seats)
        self._over = False
        self._let_others_play()

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """The learner's action; returns at its next decision or at the end of the game.

        Raises RuntimeError if an opponent chose an illegal action.
        """
        if self._over:
            raise AssertionError("the game is over or not begun: call reset()")
        table = self.table
        number = whole_action(action)
        if apply_row(table._states, 0, number) != OK:
            reason = table._refusal(self.seat, action)
            self._over = table._stopped = True
            empty = np.zeros(table.game.num_actions, np.int8)
            return self._observation(), ILLEGAL_REWARD, True, False, {
                "action_mask": empty, "illegal_action": reason,
            }  # fmt: skip
        table._actions.append(number)
        self._let_others_play()
        self._over = to_act_row(table._states, 0) < 0
        reward = float(table._rewards_since()[self.seat])
        return self._observation(), reward, self._over, False, self._info()

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions, bool (A,), as sb3-contrib's MaskablePPO asks for them."""
        return self.table._mask_of(self.seat).astype(bool)

    def render(self) -> Any:
        """The table as the learner sees it (see ``AECGame.render``)."""
        return self.table.render(self.table.possible_agents[self.seat])

    def snapshot(self) -> dict[str, Any]:
        """The whole state as plain Python (hidden cards included)."""
        return self.table.snapshot()

    def replay(self) -> Any:
        """What has been played so far (see ``core.replay``)."""
        return self.table.replay()

    def _let_others_play(self) -> None:
        table = self.table
        while (p := to_act_row(table._states, 0)) not in (-1, self.seat):
            table._look(p)
            mask = table._mask_of(p)
            info = {"action_mask": mask.copy()}
            action = self._player_at[p](table._flat[0].copy(), mask, info)
            number = whole_action(action)
            if apply_row(table._states, 0, number) != OK:
                raise RuntimeError(f"opponent {self._player_at[p]!r}: {table._refusal(p, action)}")
            table._actions.append(number)

    def _observation(self) -> np.ndarray:
        self.table._look(self.seat)
        return self.table._flat[0] * self._factors

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.table._mask_of(self.seat)}
        if self._over:
            info.update(self.table._final_infos()[self.table.possible_agents[self.seat]])
        return info


# -- N seats ---------------------------------------------------------------------------------------
#
# The kernels share two bundles of arrays, made by ``SeatVectorEnv._bind``:
# learners    seats (N,), points at the last report (N, P), factors (D,), observations (N, D),
#             masks (N, A)
# opponents   scratch view, its int16 memory, scratch mask; policies, params, their ends; memory
#             (N, P, M), its sizes, streams (N, P, 4); which of the policies sits where, clockwise


@kernel
def let_others_play(i, s, seat, opponents):
    """Opponents act until the learner must, or the game is over. Returns −1, or who acted illegally."""
    view, obs, mask, policies, params, param_ends, memory, memory_sizes, streams, others = opponents
    p = to_act(s)
    while p >= 0 and p != seat:
        look(s, p, view[0])
        legal(s, mask)
        k = others[(p - seat + s.players) % s.players - 1]
        scratch = memory[i, p][: memory_sizes[k]]
        numbers = params[param_ends[k] : param_ends[k + 1]]
        action = policies[k](view[0], obs[0], mask, scratch, numbers, streams[i, p])
        if apply(s, action) != OK:
            return k
        p = to_act(s)
    return -1


@kernel
def begin_row(i, states, root, numbers, wanted_seat, learners, opponents):
    """Begin the next game in row ``i`` that does not end before the learner's first decision.

    ``numbers[0]`` is the number of the next game to be dealt. Returns −1, or which opponent acted
    illegally, or NEVER_ASKED.
    """
    for _ in range(MOST_PASSED_OVER):
        wrong = open_game(i, states, root, numbers[0], wanted_seat, learners, opponents)
        numbers[0] += 1
        if wrong >= 0 or to_act(states[i]) >= 0:
            return wrong
    return NEVER_ASKED


@kernel
def open_game(i, states, root, game, wanted_seat, learners, opponents):
    """Deal game number ``game`` into row ``i``, choose the learner's seat, let the others open."""
    seats, before, _factors, _observations, _masks = learners
    memory, streams = opponents[6], opponents[8]
    s = states[i]
    deal(s, stream_key(root, game, CHANCE_STREAM))
    seats[i] = seat_of_game(wanted_seat, s.players, root, game)
    before[i] = 0
    begin_seats(memory[i], streams[i], root, game)
    return let_others_play(i, s, seats[i], opponents)


@kernel
def observe_row(i, states, learners, opponents):
    """The learner's observation and mask of row ``i``."""
    seats, _before, factors, observations, masks = learners
    view, obs = opponents[0], opponents[1]
    s = states[i]
    look(s, seats[i], view[0])
    for d in range(len(factors)):
        observations[i, d] = obs[0, d] * factors[d]
    if to_act(s) == seats[i]:
        legal(s, masks[i])
    else:
        masks[i] = 0


@kernel
def begin_rows(states, root, numbers, wanted_seat, learners, opponents):
    """Begin a game in every row. Returns −1, or which opponent acted illegally."""
    for i in range(len(states)):
        wrong = begin_row(i, states, root, numbers, wanted_seat, learners, opponents)
        if wrong >= 0:
            return wrong
        observe_row(i, states, learners, opponents)
    return -1


@kernel
def step_rows(
    actions, scheme, scale, points, places, all_rewards, rewards, terminations, illegal,
    final_observations, final_scores, final_ranks, numbers,
    states, root, wanted_seat, learners, opponents,
):  # fmt: skip
    """The learner's action in every row, and everything until its next decision.

    ``numbers`` as for ``begin_row``. Returns as ``begin_rows``.
    """
    seats, before, _factors, observations, _masks = learners
    for i in range(len(states)):
        s = states[i]
        illegal[i] = apply(s, actions[i]) != OK
        if illegal[i]:
            rewards[i] = ILLEGAL_REWARD
        else:
            wrong = let_others_play(i, s, seats[i], opponents)
            if wrong >= 0:
                return wrong
            rewards_of_step(s, scheme, scale, before[i], points, places, all_rewards)
            rewards[i] = all_rewards[seats[i]]
            returns(s, before[i])
        terminations[i] = illegal[i] or to_act(s) < 0
        if terminations[i]:
            observe_row(i, states, learners, opponents)
            final_observations[i] = observations[i]
            returns(s, points)
            ranks(s, places)
            final_scores[i] = points[seats[i]]
            final_ranks[i] = places[seats[i]]
            wrong = begin_row(i, states, root, numbers, wanted_seat, learners, opponents)
            if wrong >= 0:
                return wrong
        observe_row(i, states, learners, opponents)
    return -1


class SeatVectorEnv(VectorEnv):
    """N games, one learner's seat in each, the opponents compiled in.

    A gymnasium ``VectorEnv`` with SAME_STEP autoreset: where a game ended, ``infos["final_obs"]`` and
    ``infos["final_info"]`` (``score``, ``rank``; ``illegal_action``) hold the end, the returned
    observation belongs to the next game. ``infos["action_mask"]`` is int8 (N, A).

    Parameters as for ``SeatEnv``, with ``num_envs``; ``opponents`` must be compiled agents. Row i
    starts with the i-th game of the root seed, those passed over not counted. The returned arrays are
    fresh at every call.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        opponents: Player | Sequence[Player] | None = None,
        seat: int | str = 0,
        reward: str = "outcome",
        **options: Any,
    ) -> None:
        self.game = game
        self.num_envs = n = checked_num_envs(num_envs)
        self.options = game.check_options(options, also=("reward",))
        players: int = self.options["num_players"]
        self._scheme = check_reward(reward)
        self._scale = float(game.margin_scale(self.options))
        self._wanted_seat = check_seat(seat, players)
        agents: list[Agent] = []
        for k, agent in enumerate(check_opponents(game, opponents, players)):
            if not isinstance(agent, Agent):
                raise ValueError(
                    f"opponents[{k}] is not compiled: make_seat_vec takes agents of the registry or "
                    "cardgames_env.Agent; make_seat takes any callable"
                )
            agents.append(agent)
        self._agents = list(dict.fromkeys(agents))
        self._others = np.array([self._agents.index(agent) for agent in agents], np.int64)
        self.metadata = {"name": game.id, "autoreset_mode": AutoresetMode.SAME_STEP}
        self.single_observation_space, self._factors = scaled_space(game)
        self.single_action_space = gymnasium.spaces.Discrete(game.num_actions)
        self.observation_space = batch_space(self.single_observation_space, n)
        self.action_space = batch_space(self.single_action_space, n)
        self._observations = np.zeros((n, game.view_size), np.float32)
        self._masks = np.zeros((n, game.num_actions), np.int8)
        self._states = game.new_states(self.options, n)
        self._seats = np.zeros(n, np.int64)
        self._before = np.zeros((n, players), np.int32)
        most = max(agent.memory for agent in self._agents)
        self._memory = np.zeros((n, players, most), np.float32)
        self._streams = np.zeros((n, players, WORDS), np.uint64)
        self._bind()
        self._points = np.zeros(players, np.int32)
        self._places = np.zeros(players, np.int8)
        self._all_rewards = np.zeros(players, np.float32)
        self._root: int | None = None
        self._numbers = np.zeros(1, np.int64)

    def _bind(self) -> None:
        """The bundles of arrays that the kernels share."""
        view, obs = self.game.new_views(1)
        lineup = Lineup(self._agents)
        self._learners = (
            self._seats, self._before, self._factors, self._observations, self._masks,
        )  # fmt: skip
        self._opponents = (
            view, obs, np.zeros(self.game.num_actions, np.int8), lineup.policies, lineup.params,
            lineup.param_ends, self._memory, lineup.memory_sizes, self._streams, self._others,
        )  # fmt: skip

    def __getstate__(self) -> dict[str, Any]:
        bundles = {"_learners": None, "_opponents": None}
        return self.__dict__ | bundles | {"_states": self._states.tobytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._states = self.game.states_from(self.options, state["_states"])
        self._bind()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Deal N new games: the first N of a seed, or without one the next N of the same root."""
        if scripted_deal(options) is not None:
            raise ValueError(
                "make_seat_vec deals at random: scripted deals are for make and make_seat"
            )
        if seed is not None:
            self._root = checked_root(seed)
            self._numbers[0] = 0
        elif self._root is None:
            self._root = fresh_root()
        wrong = begin_rows(
            self._states, self._root, self._numbers, self._wanted_seat, self._learners,
            self._opponents,
        )  # fmt: skip
        self._check_opponents_move(wrong)
        return self._observations.copy(), {"action_mask": self._masks.copy()}

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One action of each learner, int (N,).

        Raises ValueError for another shape or type, RuntimeError if an opponent's policy chose an
        illegal action (reset then).
        """
        if self._root is None:
            raise AssertionError("reset() needs to be called before step.")
        n = self.num_envs
        actions = checked_actions(actions, n)
        rewards = np.zeros(n, np.float32)
        terminations = np.zeros(n, np.bool_)
        illegal = np.zeros(n, np.bool_)
        final_observations = np.zeros_like(self._observations)
        scores = np.zeros(n, np.int32)
        places = np.zeros(n, np.int8)
        wrong = step_rows(
            actions, self._scheme, self._scale, self._points, self._places, self._all_rewards, rewards,
            terminations, illegal, final_observations, scores, places, self._numbers,
            self._states, self._root, self._wanted_seat, self._learners, self._opponents,
        )  # fmt: skip
        self._check_opponents_move(wrong)
        infos: dict[str, Any] = {"action_mask": self._masks.copy()}
        if terminations.any():
            ended = terminations.copy()
            final = np.full(n, None, object)
            for i in np.flatnonzero(ended):
                final[i] = final_observations[i]
            infos |= {
                "final_obs": final,
                "_final_obs": ended,
                "final_info": {
                    "score": self.game.score_sign * scores,
                    "_score": ended & ~illegal,
                    "rank": places,
                    "_rank": ended & ~illegal,
                    "illegal_action": illegal,
                    "_illegal_action": ended,
                },
                "_final_info": ended.copy(),
            }
        return self._observations.copy(), rewards, terminations, np.zeros(n, np.bool_), infos

    def action_masks(self) -> np.ndarray:
        """The learners' legal actions, bool (N, A)."""
        return self._masks.astype(bool)

    def close_extras(self, **kwargs: Any) -> None:
        """Nothing to release."""

    def _check_opponents_move(self, wrong: int) -> None:
        if wrong == NEVER_ASKED:
            self._root = None
            raise RuntimeError(
                f"{MOST_PASSED_OVER} games in a row ended before the learner's first decision"
            )
        if wrong >= 0:
            self._root = None  # games are in mid-move: only a reset helps
            raise RuntimeError(f"opponent {self._agents[wrong]!r} chose an illegal action")
