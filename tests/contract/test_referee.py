"""The rules are the referee: masks agree with them on every action, and a refusal changes nothing."""

import random

import numpy as np
import pytest

import cardgames_env
from cardgames_env.core.game import ILLEGAL, OK, OVER, apply_row, deal_row
from tests.contract.play import (
    copied,
    everything,
    mask_of,
    over,
    play_randomly,
    positions,
    random_move,
    to_act,
)

FAR_OFF = (-(2**62), -(2**31), -129, -128, 2**31 - 1, 2**32, 2**32 + 1, 2**62)
NO_NUMBERS = (None, "0", 0.0, 1.5, True, [0], np.float64(0), np.array([0]), 10**30, -1)


def actions_to_try(game, turn):
    """Every action, those just outside the range, others near it by turns, and some far off."""
    near = [(turn + 13 * k) % (4 * game.num_actions) for k in range(30)]
    above, below = [game.num_actions + 9 + n for n in near], [-10 - n for n in near[:10]]
    return [*range(-9, game.num_actions + 9), *above, *below, *FAR_OFF]


def test_the_mask_is_what_the_referee_allows_and_a_refusal_changes_no_byte(variant):
    game = variant.game
    states_seen = 0
    for states in positions(variant, games=60, every=5):
        if states_seen > 500:
            break
        tried = actions_to_try(game, states_seen)
        mask = mask_of(game, states)
        over_now = to_act(states) < 0
        before = states[:1].view(np.uint8)
        rows = copied(states, len(tried))
        for i, action in enumerate(tried):
            status = apply_row(rows, i, action)
            allowed = 0 <= action < game.num_actions and bool(mask[action])
            if over_now:
                assert status == OVER
            else:
                assert status == (OK if allowed else ILLEGAL), (action, status)
        same = (rows.view(np.uint8).reshape(len(tried), -1) == before).all(axis=1)
        moved = [action for action, untouched in zip(tried, same, strict=True) if not untouched]
        assert moved == np.flatnonzero(mask).tolist()
        assert mask.any() != over_now
        assert set(mask.tolist()) <= {0, 1}
        states_seen += 1
    assert states_seen > 100


def test_in_thousands_of_states_the_seat_to_act_has_an_action_to_take(variant):
    decisions = number = 0
    while decisions < 3000:
        states = variant.new_state()
        deal_row(states, 0, 3, number)
        chance = random.Random(number)
        while to_act(states) >= 0:
            assert to_act(states) < variant.players
            random_move(variant.game, states, chance)
            decisions += 1
        number += 1


# -- the turn-based environments -------------------------------------------------------------------


def in_mid_game(env, seed=2, moves=None):
    env.reset(seed=seed)
    play_randomly(env, random.Random(seed), len(env.agents) + 1 if moves is None else moves)
    return env


def forbidden(env):
    return int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0])


def test_raw_env_refuses_by_agent_action_and_legal_ones_and_goes_on(variant):
    env = in_mid_game(variant.raw_env())
    agent = env.agent_selection
    legal = np.flatnonzero(env.observe(agent)["action_mask"]).tolist()
    before = everything(env)
    wrong = [forbidden(env), variant.game.num_actions, *NO_NUMBERS]
    for action in wrong:
        with pytest.raises(ValueError, match=agent) as refusal:
            env.step(action)
        assert repr(action) in str(refusal.value)
        assert str(legal) in str(refusal.value)
        assert everything(env) == before
    env.step(legal[0])
    assert not over(env) or env.infos[agent]["rank"]


@pytest.mark.parametrize("kind", [int, np.int64, np.int8, np.uint16, np.array])
def test_whole_numbers_of_any_kind_are_actions(any_variant, kind):
    env = in_mid_game(any_variant.raw_env())
    action = int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"])[0])
    before = env.state()
    env.step(kind(action))
    assert env.state().tobytes() != before.tobytes()


@pytest.mark.parametrize("action", [None, "forbidden", "beyond", 1.5, -1])
def test_env_ends_the_game_the_offender_pays_one_and_the_reason_is_told(variant, action):
    for moves in (0, 1, variant.players + 1):
        env = in_mid_game(variant.env(), seed=3, moves=moves)
        offender = env.agent_selection
        state = env.state().tobytes()
        chosen = {"forbidden": forbidden(env), "beyond": variant.game.num_actions}.get(
            action, action
        )
        env.step(chosen)
        assert env.state().tobytes() == state
        assert env.agents == env.possible_agents
        for agent in env.agents:
            assert env.rewards[agent] == (-1 if agent == offender else 0)
            assert env.terminations[agent]
            assert not env.truncations[agent]
            assert offender in env.infos[agent]["illegal_action"]
        assert repr(chosen) in env.infos[offender]["illegal_action"]


def test_after_an_illegal_action_nobody_has_a_legal_one(variant):
    env = in_mid_game(variant.env())
    env.step(forbidden(env))
    for agent in env.agents:
        assert not env.infos[agent]["action_mask"].any()
        assert not env.observe(agent)["action_mask"].any()


@pytest.mark.parametrize("by_illegal_action", [False, True])
def test_at_the_end_every_agent_is_told_so_and_leaves(variant, by_illegal_action):
    env = in_mid_game(variant.env())
    if by_illegal_action:
        env.step(forbidden(env))
    else:
        play_randomly(env, random.Random(1))
    told = []
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        assert termination
        assert not truncation
        told.append((agent, reward))
        assert not info["action_mask"].any()
        assert env.observation_space(agent).contains(observation)
        env.step(None)
    assert [agent for agent, _ in told] == env.possible_agents
    total = sum(reward for _, reward in told)
    assert total == pytest.approx(-1 if by_illegal_action else 0, abs=1e-6)
    assert env.agents == []


def test_at_the_end_only_none_may_be_played(variant):
    env = in_mid_game(variant.raw_env())
    play_randomly(env, random.Random(1))
    state = env.state().tobytes()
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    assert env.state().tobytes() == state


def test_the_loop_over_agents_needs_a_step_in_each_turn(any_variant):
    env = in_mid_game(any_variant.env())
    turns = iter(env.agent_iter())
    next(turns)
    with pytest.raises(AssertionError, match="step"):
        next(turns)


# -- the other faces -------------------------------------------------------------------------------


def test_the_simultaneous_form_refuses_by_agent_action_and_legal_ones_and_goes_on(variant):
    if not variant.game.simultaneous:
        assert not hasattr(variant.module, "parallel_env")
        return
    env = variant.parallel_env()
    observations, _ = env.reset(seed=4)
    legal = {a: np.flatnonzero(o["action_mask"]).tolist() for a, o in observations.items()}
    good = {agent: actions[0] for agent, actions in legal.items()}
    before = env.state().tobytes()
    for agent in env.agents:
        outside = next(a for a in range(variant.game.num_actions) if a not in legal[agent])
        for action in (outside, variant.game.num_actions, *NO_NUMBERS):
            with pytest.raises(ValueError, match=agent) as refusal:
                env.step({**good, agent: action})
            assert repr(action) in str(refusal.value)
            assert str(legal[agent]) in str(refusal.value)
        with pytest.raises(ValueError, match=agent):
            env.step({a: action for a, action in good.items() if a != agent})
    with pytest.raises(ValueError, match="player_9"):
        env.step({**good, "player_9": 0})
    assert env.state().tobytes() == before
    assert not env.replay().actions
    env.step(good)
    assert len(env.replay().actions) == variant.players


def test_the_simultaneous_form_refuses_a_step_after_the_end(variant):
    if not variant.game.simultaneous:
        assert not hasattr(variant.module, "parallel_env")
        return
    env = variant.parallel_env()
    observations, _ = env.reset(seed=4)
    while env.agents:
        actions = {a: int(o["action_mask"].argmax()) for a, o in observations.items()}
        observations = env.step(actions)[0]
    with pytest.raises(ValueError, match="over"):
        env.step(actions)


def vector_told(games):
    return [
        games.observations.tobytes(), games.action_masks.tobytes(), games.seats.tobytes(),
        games.rewards.tobytes(), games.terminations.tobytes(), games.final_observations.tobytes(),
        [games.snapshot(i) for i in range(games.num_envs)],
    ]  # fmt: skip


def test_the_vector_refuses_by_row_agent_action_and_legal_ones_and_changes_no_row(variant):
    games = cardgames_env.make_vec(variant.id, 5, seed=6, **variant.given)
    games.step(games.action_masks.argmax(axis=1))
    good = games.action_masks.argmax(axis=1)
    before = vector_told(games)
    for row in range(5):
        legal = np.flatnonzero(games.action_masks[row]).tolist()
        for action in (int(games.action_masks[row].argmin()), variant.game.num_actions, -1, 2**40):
            actions = good.copy()
            actions[row] = action
            with pytest.raises(ValueError, match=f"player_{games.seats[row]}") as refusal:
                games.step(actions)
            assert f"game {row}" in str(refusal.value)
            assert str(action) in str(refusal.value)
            assert str(legal) in str(refusal.value)
            assert vector_told(games) == before
    for actions in (good.astype(float), good[:-1], good.reshape(1, 5), good > 0, "no"):
        with pytest.raises(ValueError, match=r"\(5,\)"):
            games.step(actions)
    assert vector_told(games) == before
    games.step(good)


def test_the_vectors_masks_are_the_referees_own(any_variant):
    games = cardgames_env.make_vec(any_variant.id, 2, seed=6, **any_variant.given)
    with pytest.raises(ValueError, match="read-only"):
        games.action_masks[0, 0] = 1


@pytest.mark.parametrize("action", [None, "forbidden", "beyond", 1.5, -1])
def test_the_seat_environment_ends_the_game_with_minus_one(variant, action):
    env = cardgames_env.make_seat(variant.id, seat=variant.players - 1, **variant.given)
    for games in range(3):
        _, info = env.reset(seed=7 + games)
        outside = int(info["action_mask"].argmin())
        chosen = {"forbidden": outside, "beyond": variant.game.num_actions}.get(action, action)
        before = env.snapshot()
        observation, reward, terminated, truncated, info = env.step(chosen)
        assert (reward, terminated, truncated) == (-1, True, False)
        assert env.observation_space.contains(observation)
        assert repr(chosen) in info["illegal_action"]
        assert not info["action_mask"].any()
        assert env.snapshot() == before
        with pytest.raises(AssertionError, match="reset"):
            env.step(0)


def test_after_an_illegal_action_the_learner_has_no_legal_one(any_variant):
    env = cardgames_env.make_seat(any_variant.id, **any_variant.given)
    _, info = env.reset(seed=7)
    env.step(int(info["action_mask"].argmin()))
    assert not env.action_masks().any()


def test_the_vector_of_seats_ends_the_game_with_minus_one_and_goes_on(variant):
    envs = cardgames_env.make_seat_vec(variant.id, 4, seat=0, **variant.given)
    _, infos = envs.reset(seed=8)
    actions = infos["action_mask"].argmax(axis=1)
    wrong = [int(infos["action_mask"][1].argmin()), variant.game.num_actions]
    actions[1:3] = wrong
    observations, rewards, terminations, truncations, infos = envs.step(actions)
    assert rewards[1:3].tolist() == [-1, -1]
    assert terminations[1:3].all()
    assert not truncations.any()
    assert infos["final_info"]["illegal_action"][1:3].all()
    assert not infos["final_info"]["_score"][1:3].any()
    assert infos["action_mask"].any(axis=1).all()
    fresh = cardgames_env.make_seat_vec(variant.id, 6, seat=0, **variant.given)
    first, _ = fresh.reset(seed=8)
    if terminations.tolist() == [False, True, True, False]:
        np.testing.assert_array_equal(observations[1:3], first[4:6])
    for bad in (actions.astype(float), actions[:2]):
        with pytest.raises(ValueError, match=r"\(4,\)"):
            envs.step(bad)
