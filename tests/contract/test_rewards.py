"""Rewards, scores and ranks, against the final snapshot."""

import random

import numpy as np
import pytest

from tests.contract.play import over

REACHED = pytest.approx


def whole_game(env, chance):
    """Play to the end at random; all rewards of each seat, in order."""
    rewards = {agent: [] for agent in env.agents}
    while not over(env):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(chance.choice(np.flatnonzero(mask).tolist()))
        for agent in env.agents:
            rewards[agent].append(env.rewards[agent])
    return rewards


def games(variant, reward, count=12):
    """For some games: the environment at its end, the rewards, the final points, more being better."""
    env = variant.env(reward=reward)
    sign = -1 if variant.game.lower_is_better else 1
    for number in range(count):
        env.reset(seed=21 if number == 0 else None)
        rewards = whole_game(env, random.Random(number))
        yield env, rewards, [sign * score for score in variant.row.scores(env.snapshot())]


def places(variant, env, points):
    """By points, more being better, or as the game's own tie-break has it."""
    if variant.row.places:
        return variant.row.places(env.snapshot())
    return [1 + sum(other > own for other in points) for own in points]


def test_outcome_is_the_share_of_the_win_less_one_nth_and_comes_at_the_end(variant):
    for env, rewards, points in games(variant, "outcome"):
        ranks = places(variant, env, points)
        for rank, steps in zip(ranks, rewards.values(), strict=True):
            share = 1 / ranks.count(1) if rank == 1 else 0
            assert steps[-1] == REACHED(share - 1 / variant.players, abs=1e-6)
            assert not any(steps[:-1])


def test_outcome_and_margin_are_zero_sum(variant):
    for reward in ("outcome", "margin"):
        for _, rewards, _ in games(variant, reward):
            assert sum(map(sum, rewards.values())) == REACHED(0, abs=1e-6)


def test_margin_is_the_lead_over_the_mean_of_the_others_scaled_and_comes_at_the_end(variant):
    scale = variant.game.margin_scale(variant.options)
    largest = 0
    for _, rewards, points in games(variant, "margin"):
        for seat, (own, steps) in enumerate(zip(points, rewards.values(), strict=True)):
            others = [p for k, p in enumerate(points) if k != seat]
            assert steps[-1] == REACHED(scale * (own - sum(others) / len(others)), rel=1e-5)
            assert not any(steps[:-1])
            largest = max(largest, abs(steps[-1]))
    assert 0.2 < largest < 5  # "about ±1"


def test_points_add_up_to_the_final_score(variant):
    for _, rewards, points in games(variant, "points"):
        assert [sum(steps) for steps in rewards.values()] == REACHED(points)


def test_points_come_as_they_fall(variant):
    """What has been paid so far is what a snapshot says has been scored so far."""
    sign = -1 if variant.game.lower_is_better else 1
    env = variant.env(reward="points")
    env.reset(seed=22)
    paid = np.zeros(variant.players)
    chance = random.Random(22)
    while not over(env):
        mask = env.observe(env.agent_selection)["action_mask"]
        env.step(chance.choice(np.flatnonzero(mask).tolist()))
        paid += list(env.rewards.values())
        scored = variant.row.scores(env.snapshot()) or [0] * variant.players
        assert paid.tolist() == [sign * points for points in scored]


def test_score_is_the_pages_own_and_rank_counts_who_is_better(variant):
    ties = 0
    for env, _, points in games(variant, "outcome", count=40):
        ranks = places(variant, env, points)
        assert [env.infos[agent]["rank"] for agent in env.agents] == ranks
        ties += len(set(points)) < len(points)
        assert [env.infos[a]["score"] for a in env.agents] == variant.row.scores(env.snapshot())
        assert all(type(env.infos[a][k]) is int for a in env.agents for k in ("score", "rank"))


def test_score_and_rank_come_only_at_the_end(variant):
    env = variant.env()
    env.reset(seed=23)
    while not over(env):
        assert all(set(info) == {"action_mask"} for info in env.infos.values())
        env.step(int(env.observe(env.agent_selection)["action_mask"].argmax()))
    assert all(set(info) == {"action_mask", "score", "rank"} for info in env.infos.values())


def test_rewards_between_two_own_decisions_add_up_in_last(variant):
    """PettingZoo's ``last`` gives what an agent got since it last acted."""
    env = variant.env(reward="points")
    env.reset(seed=24)
    since = dict.fromkeys(env.agents, 0.0)
    chance = random.Random(24)
    for agent in env.agent_iter():
        observation, reward, done, _, _ = env.last()
        assert reward == REACHED(since[agent])
        if done:
            env.step(None)
            continue
        since[agent] = 0.0
        env.step(chance.choice(np.flatnonzero(observation["action_mask"]).tolist()))
        for other in env.agents:
            since[other] += env.rewards[other]
