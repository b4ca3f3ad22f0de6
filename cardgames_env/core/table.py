"""One game on the table: what the AEC, the parallel and the single-seat environments share."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import gymnasium.spaces
import numpy as np

from cardgames_env.core.game import (
    Game,
    check_render_mode,
    check_reward,
    deal_row,
    json_ready,
    legal_row,
    look_row,
    result_row,
    rewards_row,
    seed_chance_row,
    to_act_row,
)
from cardgames_env.core.replay import Replay
from cardgames_env.core.rng import checked_root, fresh_root


class Table:
    """The state of one game, its numbering under a root seed, and looks at it.

    ``reset(seed)`` begins game 0 of the root seed, ``reset()`` the next game of the same root.
    """

    def __init__(
        self, game: Game, *, reward: str = "outcome", render_mode: str | None = None, **options: Any
    ) -> None:
        check_render_mode(render_mode)
        self.game = game
        self.options = game.check_options(options, also=("reward", "render_mode"))
        self.reward = reward
        self.render_mode = render_mode
        self._scheme = check_reward(reward)
        self._scale = float(game.margin_scale(self.options))
        n = self.options["num_players"]
        self.possible_agents = [f"player_{p}" for p in range(n)]
        self._seat = {agent: p for p, agent in enumerate(self.possible_agents)}
        self._states = game.new_states(self.options, 1)
        self._views, self._flat = game.new_views(1)
        self._mask = np.zeros(game.num_actions, np.int8)
        self._before = np.zeros(n, np.int32)
        self._points = np.zeros(n, np.int32)
        self._places = np.zeros(n, np.int8)
        self._rewards = np.zeros(n, np.float32)
        self._root: int | None = None
        self._number = -1
        self._deal: Mapping[str, Any] | None = None
        self._actions: list[int] = []
        self._stopped = False  # by an illegal action: the state is one in which the game goes on
        low, high = game.view_bounds()
        self._observation_spaces = {
            agent: gymnasium.spaces.Dict(
                {
                    "observation": gymnasium.spaces.Box(low, high, dtype=np.int16),
                    "action_mask": gymnasium.spaces.Box(0, 1, (game.num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._action_spaces = {
            agent: gymnasium.spaces.Discrete(game.num_actions) for agent in self.possible_agents
        }
        size = self._states.dtype.itemsize
        self.state_space = gymnasium.spaces.Box(0, 255, (size,), np.uint8)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_states": self._states.tobytes(), "_views": None, "_flat": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._states = self.game.states_from(self.options, state["_states"])
        self._views, self._flat = self.game.new_views(1)

    # -- spaces ------------------------------------------------------------------------------------

    def observation_space(self, agent: str) -> gymnasium.spaces.Dict:
        """``observation``: the flat view, int16 (D,); ``action_mask``: int8 (A,)."""
        self._seat_of(agent)
        return self._observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Discrete:
        self._seat_of(agent)
        return self._action_spaces[agent]

    # -- beginning a game --------------------------------------------------------------------------

    def _begin(self, seed: int | None, options: Mapping[str, Any] | None) -> None:
        """Deal the next game, or the first of a new root seed, or a scripted deal."""
        deal = scripted_deal(options)
        if seed is not None:
            self._deal_game(checked_root(seed), 0, deal)
        elif self._root is None:
            self._deal_game(fresh_root(), 0, deal)
        else:
            self._deal_game(self._root, self._number + 1, deal)

    def _deal_game(self, root: int, number: int, deal: Mapping[str, Any] | None) -> None:
        """Deal game ``number`` of the root seed; its chance stream follows a scripted deal, too."""
        if deal is None:
            deal_row(self._states, 0, root, number)
        else:
            stream = self._states["rng"][0].copy()
            seed_chance_row(self._states, 0, root, number)  # first: what follows a deal may draw
            try:
                self.game.set_deal(self._states, 0, deal)
            except ValueError:
                self._states["rng"][0] = stream
                raise
        self._root, self._number, self._deal = root, number, json_ready(deal)
        self._actions = []
        self._stopped = False
        self._before[:] = 0

    # -- looking -----------------------------------------------------------------------------------

    def snapshot(self) -> dict[str, Any]:
        """The whole state as plain Python: hidden cards included, so not for agents."""
        self._need_reset("snapshot")
        return self.game.snapshot(self._states, 0)

    def view(self, agent: str) -> dict[str, np.ndarray]:
        """What a player may know, by name: the fields of the game's observation table."""
        self._need_reset("view")
        self._look(self._seat_of(agent))
        return self.game.named(self._flat[0])

    def state(self) -> np.ndarray:
        """The whole state as bytes: uint8 (S,). Hidden cards included (for central critics)."""
        self._need_reset("state")
        return np.frombuffer(self._states.tobytes(), np.uint8).copy()

    def render(self, agent: str | None = None) -> str | np.ndarray | None:
        """The table as ``agent`` sees it; None: as the seat to act does (at the end: seat 0).

        Returns text for ``ansi``, a uint8 (H, W, 3) picture for ``rgb_array``; prints for ``human``.
        """
        self._need_reset("render")
        if self.render_mode is None:
            raise ValueError(
                'render() needs a render_mode: make the environment with render_mode="ansi", '
                '"rgb_array" or "human"'
            )
        seat = max(to_act_row(self._states, 0), 0) if agent is None else self._seat_of(agent)
        self._look(seat)
        view = self.game.named(self._flat[0])
        names = self.possible_agents[seat:] + self.possible_agents[:seat]
        if self.render_mode == "rgb_array":
            return self.game.render_image(view, names)
        text = self.game.render_text(view, names)
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def replay(self) -> Replay:
        """What has been played so far: options, seed or deal, and (legal) actions."""
        self._need_reset("replay")
        assert self._root is not None
        return Replay(
            self.game.id, self.options, self._root, self._number, self._deal, tuple(self._actions)
        )

    def close(self) -> None:
        """Nothing to release."""

    # -- for the faces -----------------------------------------------------------------------------

    def _look(self, seat: int) -> None:
        look_row(self._states, 0, seat, self._views, 0)

    def _mask_of(self, seat: int) -> np.ndarray:
        """The legal actions of a seat, fresh int8 (A,); all zero unless it is the seat to act."""
        mask = np.zeros(self.game.num_actions, np.int8)
        if to_act_row(self._states, 0) == seat and not self._stopped:
            legal_row(self._states, 0, mask)
        return mask

    def _rewards_since(self) -> np.ndarray:
        """All seats' rewards, float32 (P,), since the points in ``_before``; those are moved up."""
        rewards_row(
            self._states, self._scheme, self._scale, self._before, self._points, self._places,
            self._rewards,
        )  # fmt: skip
        result_row(self._states, 0, self._before, self._places)
        return self._rewards

    def _final_infos(self) -> dict[str, dict[str, Any]]:
        """``score`` (the game's own points) and ``rank`` of every player."""
        result_row(self._states, 0, self._points, self._places)
        sign = self.game.score_sign
        return {
            agent: {"score": sign * int(self._points[p]), "rank": int(self._places[p])}
            for agent, p in self._seat.items()
        }

    def _refusal(self, seat: int, action: object) -> str:
        """What is wrong with an action of a seat, naming the legal ones."""
        legal = np.flatnonzero(self._mask_of(seat)).tolist()
        return f"{self.possible_agents[seat]} chose the illegal action {action!r}; legal actions: {legal}"

    def _seat_of(self, agent: str) -> int:
        try:
            return self._seat[agent]
        except (KeyError, TypeError):
            players = ", ".join(self.possible_agents)
            raise ValueError(f"no agent {agent!r}; agents: {players}") from None

    def _need_reset(self, what: str) -> None:
        if self._root is None:
            raise AssertionError(f"reset() needs to be called before {what}.")


def scripted_deal(options: Any) -> Mapping[str, Any] | None:
    """The deal among the options of ``reset``. Raises ValueError.

    Options that this library does not know are left to wrappers (PettingZoo's own tests pass one),
    but "Deal", "deals", "deel" and the like are refused.
    """
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise ValueError(f"reset: options must be a mapping, got {type(options).__name__}")
    for key in options:
        near = difflib.get_close_matches(str(key).lower(), ["deal"], cutoff=0.7)
        if key != "deal" and (near or sorted(str(key)) == sorted("deal")):
            raise ValueError(f'reset: unknown option {key!r} (did you mean "deal"?)')
    return options.get("deal")
