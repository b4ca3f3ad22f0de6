"""The environments pass the tests of PettingZoo and gymnasium, and answer to their names."""

import random
import warnings

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.wrappers import (
    AssertOutOfBoundsWrapper,
    OrderEnforcingWrapper,
    TerminateIllegalWrapper,
)

import agents
import cardgames_env
from tests.contract.conftest import ROWS
from tests.contract.play import REWARDS, everything, over, play_randomly

#: What PettingZoo says of any observation that is a dict, as its own card games' are.
dict_observations = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]
pytestmark = dict_observations


def test_every_game_has_its_row_in_the_table():
    assert sorted(ROWS) == cardgames_env.games()


@pytest.mark.parametrize("face", ["env", "raw_env"])
def test_api(variant, face):
    api_test(getattr(variant, face)(), num_cycles=300)


@pytest.mark.parametrize("reward", REWARDS)
def test_api_under_every_reward(any_variant, reward):
    api_test(any_variant.env(reward=reward), num_cycles=200)


@pytest.mark.parametrize("face", ["env", "raw_env"])
def test_seeds(variant, face):
    seed_test(getattr(variant, face), num_cycles=60)


@pytest.mark.parametrize("face", ["env", "raw_env"])
def test_rendering(any_variant, face, capsys):
    render_test(getattr(any_variant, face))
    assert capsys.readouterr().out  # "human" has been tried, too


def test_simultaneous_form(variant):
    if not variant.game.simultaneous:
        assert not hasattr(variant.module, "parallel_env")
        return
    parallel_api_test(variant.parallel_env(), num_cycles=500)


def wrapped(env):
    return OrderEnforcingWrapper(
        AssertOutOfBoundsWrapper(TerminateIllegalWrapper(env, illegal_reward=-1))
    )


@pytest.mark.parametrize("face", ["env", "raw_env"])
def test_api_under_pettingzoos_three_wrappers(variant, face):
    api_test(wrapped(getattr(variant, face)()), num_cycles=200)
    seed_test(lambda: wrapped(getattr(variant, face)()), num_cycles=40)


def test_pettingzoos_wrapper_ends_the_game_for_an_illegal_action(any_variant):
    env = wrapped(any_variant.raw_env())
    env.reset(seed=1)
    offender = env.agent_selection
    env.step(int(np.flatnonzero(env.observe(offender)["action_mask"] == 0)[0]))
    assert env.rewards[offender] == -1
    assert all(env.terminations.values())


def test_the_name_in_pettingzoo(variant):
    by_name = pettingzoo.make("aec", f"cardgames/{variant.id}", **variant.given)
    own = cardgames_env.make(variant.id, **variant.given)
    for env in (by_name, own):
        env.reset(seed=3)
    assert everything(by_name.unwrapped) == everything(own)
    if variant.game.simultaneous:
        by_name = pettingzoo.make("parallel", f"cardgames/{variant.id}", **variant.given)
        by_name.reset(seed=3)
        assert by_name.unwrapped.snapshot() == own.snapshot()


def test_metadata_names_the_game_and_the_ways_to_render(any_variant):
    for env in (any_variant.env(), any_variant.raw_env()):
        assert env.metadata["name"] == any_variant.id
        assert env.metadata["render_modes"] == ["human", "ansi", "rgb_array"]


@pytest.mark.parametrize("seat", [0, "random"])
def test_gymnasiums_check_of_the_seat_environment(variant, seat):
    with warnings.catch_warnings():
        # Said of any environment that is made by hand; the one made by name is checked below.
        warnings.filterwarnings("ignore", ".*does not having a spec|.*not having a spec")
        check_env(cardgames_env.make_seat(variant.id, seat=seat, **variant.given))


def test_gymnasiums_check_of_the_seat_environment_made_by_name(any_variant):
    env = gymnasium.make(f"cardgames/{any_variant.id}", **any_variant.given)
    check_env(env.unwrapped)


def test_the_name_in_gymnasium(variant):
    opponents = agents.get(variant.id, "random")
    by_name = gymnasium.make(f"cardgames/{variant.id}", opponents=opponents, **variant.given)
    own = cardgames_env.make_seat(variant.id, opponents=opponents, **variant.given)
    first, second = by_name.reset(seed=5), own.reset(seed=5)
    np.testing.assert_array_equal(first[0], second[0])
    done = False
    while not done:
        action = int(own.action_masks().argmax())
        first, second = by_name.step(action), own.step(action)
        np.testing.assert_array_equal(first[0], second[0])
        assert first[1:4] == second[1:4]
        done = first[2]


def test_the_name_of_the_vector_in_gymnasium(any_variant):
    envs = gymnasium.make_vec(f"cardgames/{any_variant.id}", num_envs=3, **any_variant.given)
    own = cardgames_env.make_seat_vec(any_variant.id, 3, **any_variant.given)
    np.testing.assert_array_equal(envs.reset(seed=5)[0], own.reset(seed=5)[0])
    assert envs.observation_space.contains(own.reset()[0])


def test_observations_lie_in_their_space_and_so_do_states(variant):
    env = variant.env()
    for number in range(3):
        env.reset(seed=4 if number == 0 else None)
        while True:
            for agent in env.agents:
                observation = env.observe(agent)
                assert env.observation_space(agent).contains(observation)
                assert observation["observation"].dtype == np.int16
                assert observation["action_mask"].dtype == np.int8
            assert env.state_space.contains(env.state())
            if over(env):
                break
            play_randomly(env, random.Random(number), 3)


def test_flat_and_named_views_are_the_same(variant):
    env = variant.env()
    env.reset(seed=4)
    for agent in env.agents:
        flat = env.observe(agent)["observation"]
        named = env.view(agent)
        assert list(named) == [field.name for field in variant.game.view_fields]
        np.testing.assert_array_equal(np.concatenate([f.ravel() for f in named.values()]), flat)
        again = cardgames_env.named_view(variant.id, flat)
        assert {k: v.tolist() for k, v in again.items()} == {
            k: v.tolist() for k, v in named.items()
        }


def test_only_the_seat_to_act_has_legal_actions_and_the_mask_is_in_the_info_too(variant):
    env = variant.env()
    env.reset(seed=4)
    while True:
        for agent in env.agents:
            mask = env.observe(agent)["action_mask"]
            np.testing.assert_array_equal(mask, env.infos[agent]["action_mask"])
            assert mask.any() == (agent == env.agent_selection and not over(env))
        if over(env):
            break
        play_randomly(env, random.Random(4), 1)


def test_before_the_first_reset_there_is_nothing_to_see(any_variant):
    env = any_variant.env(render_mode="ansi")
    agent = env.possible_agents[0]
    for look in (env.snapshot, env.state, env.render, env.replay, lambda: env.observe(agent),
                 lambda: env.view(agent), lambda: env.step(0), env.agent_iter):  # fmt: skip
        with pytest.raises(AssertionError, match="reset"):
            look()
    for name in ("agents", "rewards", "terminations", "infos", "agent_selection"):
        with pytest.raises(AttributeError, match="reset"):
            getattr(env, name)


def test_rendering_needs_a_mode(any_variant):
    env = any_variant.env()
    env.reset(seed=1)
    with pytest.raises(ValueError, match="render_mode"):
        env.render()


def test_render_shows_the_seat_to_act_unless_told_otherwise(variant):
    env = variant.env(render_mode="ansi")
    env.reset(seed=1)
    play_randomly(env, random.Random(1), variant.players + 1)
    assert env.render() == env.render(env.agent_selection)
    texts = {env.render(agent) for agent in env.agents}
    assert len(texts) == variant.players
    play_randomly(env, random.Random(1))
    assert env.render() == env.render(env.possible_agents[0])
    with pytest.raises(ValueError, match="player_99"):
        env.render("player_99")


def test_an_agent_that_does_not_play_is_refused_by_name(any_variant):
    env = any_variant.env()
    env.reset(seed=1)
    for look in (env.observe, env.view, env.observation_space, env.action_space):
        with pytest.raises(ValueError, match="nobody"):
            look("nobody")
