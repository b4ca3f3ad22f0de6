"""Copies go on as the original does, and nothing that is handed out is shared."""

import copy
import pickle
import random

import numpy as np
import pytest

import agents
import cardgames_env
from tests.contract.play import everything, over, play_randomly, seen_by

COPIES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
}


@pytest.fixture(params=COPIES)
def copied(request):
    return COPIES[request.param]


def go_on_alike(one, other, number):
    """Both play the same moves and show the same, to the end of this game and through the next."""
    for _ in range(2):
        while True:
            assert everything(one) == everything(other)
            if over(one):
                break
            moves = [play_randomly(env, random.Random(number), 2) for env in (one, other)]
            assert moves[0] == moves[1]
        one.reset()
        other.reset()


@pytest.mark.parametrize("face", ["env", "raw_env"])
def test_a_copy_in_mid_game_goes_on_as_the_original_does(variant, face, copied):
    for decisions in (0, 1, variant.players, 3 * variant.players + 1):
        env = getattr(variant, face)(reward="points")
        env.reset(seed=decisions)
        play_randomly(env, random.Random(decisions), decisions)
        go_on_alike(env, copied(env), decisions)


def test_a_copy_shows_what_happens_in_the_copy(variant, copied):
    """… and the original does not move with it."""
    env = variant.env(render_mode="ansi")
    env.reset(seed=1)
    before = everything(env), env.render()
    other = copied(env)
    play_randomly(other, random.Random(1), 2 * variant.players)
    assert everything(other)["state"] != before[0]["state"]
    assert all(
        everything(other)["seen"][agent]["observation"] != seen["observation"]
        for agent, seen in before[0]["seen"].items()
    )
    assert (everything(env), env.render()) == before


def test_copies_of_copies_too(any_variant, copied):
    env = any_variant.env()
    env.reset(seed=2)
    go_on_alike(env, copied(copied(env)), 2)


def test_a_copy_taken_before_the_first_reset_works(any_variant, copied):
    env = copied(any_variant.env())
    env.reset(seed=1)
    other = any_variant.env()
    other.reset(seed=1)
    go_on_alike(env, other, 1)


def test_a_copy_of_the_simultaneous_form_goes_on_as_the_original_does(variant, copied):
    if not variant.game.simultaneous:
        assert not hasattr(variant.module, "parallel_env")
        return
    env = variant.parallel_env()
    observations, _ = env.reset(seed=3)
    env.step({a: int(o["action_mask"].argmax()) for a, o in observations.items()})
    other = copied(env)
    while env.agents:
        actions = {agent: int(env._masks[agent].argmax()) for agent in env.agents}
        one, another = env.step(actions), other.step(actions)
        for agent in env.possible_agents:
            for part in ("observation", "action_mask"):
                np.testing.assert_array_equal(one[0][agent][part], another[0][agent][part])
        assert one[1:4] == another[1:4]
        assert env.snapshot() == other.snapshot()


def test_a_copy_of_the_vector_goes_on_as_the_original_does(variant, copied):
    games = cardgames_env.make_vec(variant.id, 4, seed=4, **variant.given)
    for _ in range(5):
        games.step(games.action_masks.argmax(axis=1))
    other = copied(games)
    for _ in range(40 * variant.players):
        for name in ("observations", "action_masks", "seats", "rewards", "terminations"):
            np.testing.assert_array_equal(getattr(games, name), getattr(other, name), err_msg=name)
        actions = games.action_masks.argmax(axis=1)
        games.step(actions)
        other.step(actions)
    assert [games.snapshot(i) for i in range(4)] == [other.snapshot(i) for i in range(4)]
    with pytest.raises(ValueError, match="illegal"):
        other.step(np.full(4, -1))


def test_a_copy_of_the_seat_environment_goes_on_as_the_original_does(variant, copied):
    opponents = [agents.get(variant.id, "random")] * (variant.players - 1)
    env = cardgames_env.make_seat(variant.id, opponents=opponents, seat="random", **variant.given)
    env.reset(seed=5)
    env.step(int(env.action_masks().argmax()))
    other = copied(env)
    for _ in range(3):
        done = False
        while not done:
            assert env.snapshot() == other.snapshot()
            action = int(env.action_masks().argmax())
            one, another = env.step(action), other.step(action)
            np.testing.assert_array_equal(one[0], another[0])
            assert one[1:4] == another[1:4]
            done = one[2]
        np.testing.assert_array_equal(env.reset()[0], other.reset()[0])


def test_a_copy_of_the_vector_of_seats_goes_on_as_the_original_does(variant, copied):
    envs = cardgames_env.make_seat_vec(
        variant.id, 3, opponents=agents.get(variant.id, "random"), seat=0, **variant.given
    )
    envs.reset(seed=6)
    other = copied(envs)
    for _ in range(60):
        actions = envs.action_masks().argmax(axis=1)
        one, another = envs.step(actions), other.step(actions)
        for first, second in zip(one[:4], another[:4], strict=True):
            np.testing.assert_array_equal(first, second)
        np.testing.assert_array_equal(one[4]["action_mask"], another[4]["action_mask"])


def test_a_copy_of_an_agent_plays_on_with_its_own_stream(any_variant, copied):
    agent = agents.get(any_variant.id, "random")
    agent.reset(7)
    env = any_variant.env()
    env.reset(seed=7)
    seen = env.observe(env.agent_selection)
    ask = seen["observation"], seen["action_mask"]
    agent(*ask)
    other = copied(agent)
    first = [agent(*ask) for _ in range(30)]
    assert [other(*ask) for _ in range(30)] == first
    assert len(set(first)) > 1


# -- nothing is shared -----------------------------------------------------------------------------


def arrays_of(env):
    for agent in env.agents:
        yield from env.observe(agent).values()
        yield env.infos[agent]["action_mask"]
        yield from env.view(agent).values()
    yield env.state()


def test_no_two_arrays_share_memory(variant):
    env = variant.env()
    env.reset(seed=8)
    play_randomly(env, random.Random(8), variant.players)
    arrays = list(arrays_of(env))
    own = [value for value in vars(env).values() if isinstance(value, np.ndarray)]
    for i, array in enumerate(arrays):
        assert not any(np.may_share_memory(array, other) for other in arrays[:i])
        assert not any(np.may_share_memory(array, other) for other in own)


def test_scribbling_on_what_was_handed_out_changes_nothing(variant):
    env, untouched = variant.env(), variant.env()
    for one in (env, untouched):
        one.reset(seed=9)
    while True:
        for array in arrays_of(env):
            if not any(array is info["action_mask"] for info in env.infos.values()):
                array[...] = 99
        for agent in env.agents:
            scribbled = env.last(observe=True)[0]
            scribbled["observation"][:] = -1
            scribbled["action_mask"][:] = 1
            assert seen_by(env, agent) == seen_by(untouched, agent)
        # An info belongs to the user, until the next step makes a new one.
        for info in env.infos.values():
            info["action_mask"][:] = 1
            info["mine"] = True
        env.snapshot().clear()
        if over(env):
            break
        agent = untouched.agent_selection
        action = int(untouched.observe(agent)["action_mask"].argmax())
        for one in (env, untouched):
            one.step(action)
        assert everything(env) == everything(untouched)


def test_scribbling_on_a_mask_does_not_make_an_action_legal(any_variant):
    env = any_variant.raw_env()
    env.reset(seed=10)
    agent = env.agent_selection
    outside = int(env.observe(agent)["action_mask"].argmin())
    for mask in (env.observe(agent)["action_mask"], env.infos[agent]["action_mask"]):
        mask[:] = 1
    with pytest.raises(ValueError, match="illegal"):
        env.step(outside)


def test_the_seat_environments_hand_out_fresh_arrays(any_variant):
    env = cardgames_env.make_seat(any_variant.id, **any_variant.given)
    observation, info = env.reset(seed=11)
    kept = observation.copy(), info["action_mask"].copy()
    env.step(int(info["action_mask"].argmax()))
    np.testing.assert_array_equal(observation, kept[0])
    np.testing.assert_array_equal(info["action_mask"], kept[1])
    envs = cardgames_env.make_seat_vec(any_variant.id, 2, **any_variant.given)
    observations, infos = envs.reset(seed=11)
    kept = observations.copy(), infos["action_mask"].copy()
    observations_now = envs.step(infos["action_mask"].argmax(axis=1))[0]
    np.testing.assert_array_equal(observations, kept[0])
    np.testing.assert_array_equal(infos["action_mask"], kept[1])
    observations_now[:] = 0
    assert envs.step(envs.action_masks().argmax(axis=1))[0].any()


def test_a_caller_may_change_its_options_and_deal_afterwards(any_variant):
    given = copy.deepcopy(dict(any_variant.options))
    env = cardgames_env.make(any_variant.id, **given)
    env.reset(seed=12)
    deal = any_variant.row.given_deal(env.snapshot())
    env.reset(seed=12, options={"deal": deal})
    before = env.snapshot(), env.replay()
    for option in given.values():
        if isinstance(option, list):
            option.clear()
    for part in deal.values():
        if isinstance(part, list):
            part.clear()
    assert (env.snapshot(), env.replay()) == before
    assert env.replay().check().snapshot() == before[0]


def test_a_state_is_its_bytes(variant, copied):
    """A copy's state is the same to the last byte, what lies between the fields included."""
    env = variant.env()
    for number in range(4):
        env.reset(seed=13 + number)
        play_randomly(env, random.Random(13), 2 * variant.players)
        state = env.state()
        assert state.dtype == np.uint8
        assert state.shape == env.state_space.shape
        junk = [np.full(state.shape, 255, np.uint8) for _ in range(9)]  # memory that is used again
        del junk
        assert copied(env).state().tobytes() == state.tobytes()
