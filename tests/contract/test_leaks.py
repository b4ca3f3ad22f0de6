"""No seat is shown what it may not see: hidden fields are overwritten with noise, and nothing changes."""

import random

import numpy as np
import pytest

import cardgames_env
from cardgames_env.core.game import EVERYONE, NOBODY, OWNER, look_row
from tests.contract.play import (
    copied,
    mask_of,
    over,
    plain,
    play_randomly,
    positions,
    random_move,
    seen_by,
    stream,
    to_act,
    view_of,
)
from tests.contract.test_determinize import determinized

NOISES = 4  # different noises for each state and seat


def tags(variant):
    return {field.name: field.seen_by for field in variant.game.state_fields(variant.options)}


def add_noise(states, variant, seat, noise):
    """Overwrite in all rows what ``seat`` may not see: nobody's fields, and other seats' rows."""
    for name, seen_by_whom in tags(variant).items():
        field = states[name]
        junk = np.frombuffer(noise.bytes(field.nbytes), field.dtype).reshape(field.shape)
        if seen_by_whom == NOBODY:
            states[name] = junk
        elif seen_by_whom == OWNER:
            others = [p for p in range(field.shape[1]) if p != seat]
            states[name][:, others] = junk[:, others]


def test_every_field_of_the_state_says_who_may_see_it(variant):
    assert list(tags(variant)) == list(variant.game.state_dtype(variant.options).names)
    assert set(tags(variant).values()) <= {EVERYONE, OWNER, NOBODY}


def test_fields_of_owners_have_a_row_for_every_seat(variant):
    for field in variant.game.state_fields(variant.options):
        if field.seen_by == OWNER:
            assert field.shape[0] >= variant.players


def test_the_chance_to_come_is_nobodys_to_see(variant):
    assert tags(variant)["rng"] == NOBODY


def test_a_view_does_not_depend_on_what_its_seat_may_not_see(variant):
    game = variant.game
    noise = np.random.default_rng(1)
    looked = 0
    for states in positions(variant, games=15, every=5):
        for seat in range(variant.players):
            expected = view_of(game, states, seat)
            noisy = copied(states, NOISES)
            add_noise(noisy, variant, seat, noise)
            assert all(noisy[i].tobytes() != states[0].tobytes() for i in range(NOISES))
            views, flat = game.new_views(NOISES)
            flat[:] = noise.integers(-999, 999, flat.shape)  # whatever lay there before
            for i in range(NOISES):
                look_row(noisy, i, seat, views, i)
            np.testing.assert_array_equal(flat, np.tile(expected, (NOISES, 1)))
            looked += 1
    assert looked > 100


def test_legal_actions_do_not_depend_on_what_the_seat_to_act_may_not_see(variant):
    noise = np.random.default_rng(2)
    for states in positions(variant, games=25, every=3):
        if to_act(states) < 0:
            continue
        expected = mask_of(variant.game, states)
        for _ in range(NOISES):
            noisy = copied(states)
            add_noise(noisy, variant, to_act(states), noise)
            np.testing.assert_array_equal(mask_of(variant.game, noisy), expected)


def rebuilt(env):
    """The environment as it would be had it come to the state in ``_states`` by itself."""
    env._fresh_look = -1
    if not over(env):
        env._mask[:] = env._mask_of(env._seat[env.agent_selection])
    env._rebuild_infos()
    return env


def told(env, agent):
    return seen_by(env, agent) | {"render": env.render(agent)}


def test_the_turn_based_environment_tells_a_seat_nothing_that_it_may_not_know(variant):
    noise = np.random.default_rng(3)
    env = variant.env(render_mode="ansi")
    for number in range(3):
        env.reset(seed=11 if number == 0 else None)
        chance = random.Random(number)
        while True:
            for seat, agent in enumerate(env.possible_agents):
                expected = told(rebuilt(env), agent)
                clean = copied(env._states)
                add_noise(env._states, variant, seat, noise)
                # An info of another agent may hold noise; this agent is not given it.
                env._fresh_look = -1
                env._mask[:] = 0
                if env.agent_selection == agent and not over(env):
                    env._mask[:] = env._mask_of(seat)
                env._rebuild_infos()
                assert told(env, agent) == expected, f"{agent} at {env.snapshot()}"
                env._states[:] = clean
            if over(env):
                break
            play_randomly(rebuilt(env), chance, 1 + number)


def test_the_picture_shows_a_seat_nothing_that_it_may_not_know(any_variant):
    variant = any_variant
    noise = np.random.default_rng(4)
    env = variant.env(render_mode="rgb_array")
    env.reset(seed=12)
    chance = random.Random(4)
    for _ in range(4):
        for seat, agent in enumerate(env.possible_agents):
            expected = env.render(agent)
            clean = copied(env._states)
            add_noise(env._states, variant, seat, noise)
            np.testing.assert_array_equal(env.render(agent), expected)
            env._states[:] = clean
        if not over(env):
            play_randomly(env, chance, 7)


def test_the_seat_environment_tells_the_learner_nothing_that_it_may_not_know(variant):
    noise = np.random.default_rng(5)
    env = cardgames_env.make_seat(
        variant.id, seat=variant.players - 1, render_mode="ansi", **variant.given
    )
    for number in range(5):
        env.reset(seed=13 if number == 0 else None)
        chance = random.Random(number)
        done = False
        while not done:
            expected = env._observation().tobytes(), plain(env._info()), env.render()
            states = env.table._states
            clean = copied(states)
            add_noise(states, variant, env.seat, noise)
            assert (env._observation().tobytes(), plain(env._info()), env.render()) == expected
            states[:] = clean
            action = chance.choice(np.flatnonzero(env.action_masks()).tolist())
            done = env.step(action)[2]


def test_the_simultaneous_environment_tells_a_seat_nothing_that_it_may_not_know(variant):
    """Its masks are found by playing ahead, so that the noise here is another deal that agrees."""
    if not variant.game.simultaneous:
        assert not hasattr(variant.module, "parallel_env")
        return
    env = variant.parallel_env(render_mode="ansi")
    agent = env.possible_agents[0]
    for number in range(5):
        env.reset(seed=14 if number == 0 else None)
        chance = random.Random(number)
        while env.agents:
            observations, infos = env._observe_all()
            expected = observations[agent]["observation"].tobytes(), plain(infos[agent])
            text = env.render(agent)
            clean = copied(env._states)
            env._states[:] = determinized(variant, view_of(variant.game, clean, 0), stream(number))
            assert env._states.tobytes() != clean.tobytes()
            observations, infos = env._observe_all()
            assert (
                observations[agent]["observation"].tobytes(),
                plain(infos[agent]),
            ) == expected
            assert env.render(agent) == text
            env._states[:] = clean
            env._observe_all()
            env.step({a: chance.choice(np.flatnonzero(m).tolist()) for a, m in env._masks.items()})


def played_again(env):
    """Another environment at the same point of the same game."""
    *_, other = env.replay().steps(render_mode="ansi")
    return other


def test_nothing_shows_of_the_choices_that_earlier_seats_made_in_this_round(variant):
    """The same game goes on twice, with other choices of the earlier seats: later seats see the same."""
    if not variant.game.simultaneous:
        return  # the game's choices are public as they are made
    env = variant.env(render_mode="ansi")
    differed = 0
    for number in range(3):
        env.reset(seed=15 if number == 0 else None)
        chance = random.Random(number)
        while not over(env):
            at_first = {agent: env.view(agent) for agent in env.possible_agents}
            one, other = played_again(env), played_again(env)
            for seat in range(variant.players - 1):
                one_action = play_randomly(one, random.Random(f"{number} {seat} one"), 1)
                other_action = play_randomly(other, random.Random(f"{number} {seat} other"), 1)
                differed += one_action != other_action
                for agent in env.possible_agents[seat + 1 :]:
                    assert told(one, agent) == told(other, agent)
                    np.testing.assert_equal(one.view(agent), at_first[agent])
                    assert one.rewards == other.rewards
                    assert one.agent_selection == other.agent_selection
            play_randomly(env, chance, variant.players)
    assert differed > 20


def test_a_refused_action_tells_only_the_offender_what_would_have_been_legal(variant):
    env = variant.env()
    env.reset(seed=16)
    play_randomly(env, random.Random(1), variant.players + 1)
    offender = env.agent_selection
    forbidden = int(np.flatnonzero(env.observe(offender)["action_mask"] == 0)[0])
    env.step(forbidden)
    for agent in env.agents:
        reason = env.infos[agent]["illegal_action"]
        assert offender in reason
        assert ("legal actions" in reason) == (agent == offender)
        if agent != offender:
            assert not any(ch.isdigit() for ch in reason.replace(offender, ""))


def test_bytes_between_the_fields_of_a_state_stay_zero(variant):
    """Padding would make states with equal fields differ as bytes, or carry what lay there before."""
    dtype = variant.game.state_dtype(variant.options)
    used = np.zeros(dtype.itemsize, bool)
    for name in dtype.names:
        field, offset = dtype.fields[name][:2]
        used[offset : offset + field.itemsize] = True
    for states in positions(variant, games=10, every=7):
        assert not np.frombuffer(states.tobytes(), np.uint8)[~used].any()


@pytest.mark.parametrize("seat", [0, -1])
def test_noise_does_change_what_its_owner_sees(variant, seat):
    """The noise is not idle: were a field tagged too openly, these tests would notice nothing."""
    seat %= variant.players
    noise = np.random.default_rng(6)
    states = next(positions(variant, games=1))
    random_move(variant.game, states, random.Random(1))
    noisy = copied(states)
    other = (seat + 1) % variant.players
    add_noise(noisy, variant, other, noise)
    if OWNER in tags(variant).values():
        assert view_of(variant.game, noisy, seat).tobytes() != (
            view_of(variant.game, states, seat).tobytes()
        )
