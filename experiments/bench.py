"""Decisions per second of the faces of a game, on this machine: random play, one thread."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import numpy as np
from pettingzoo import AECEnv

import agents
from cardgames_env.core.aec import AECGame
from cardgames_env.core.game import Game, determinize_row
from cardgames_env.core.jit import kernel
from cardgames_env.core.playout import play_games
from cardgames_env.core.policy import choose_random, random_agent
from cardgames_env.core.rng import WORDS, seed_stream
from cardgames_env.core.seat import SeatEnv, SeatVectorEnv
from cardgames_env.core.vector import VectorGames

NUM_ENVS = 1024
SETTLING_STEPS = 400  # until the games of a vector environment are no longer in step


@kernel
def choose_all(masks, rng, actions):
    """A uniformly random legal action of every row of ``masks`` (int8 (N, A)) into int64 (N,)."""
    for i in range(len(actions)):
        actions[i] = choose_random(masks[i], rng)


def rates(game: Game, seconds: float) -> Iterator[tuple[str, float]]:
    """Name and decisions per second of each face, each run for about ``seconds``."""
    yield "playout (whole games, compiled)", _rate(playout_run(game), seconds)
    yield f"vector ({NUM_ENVS} games)", _rate(vector_run(game, NUM_ENVS), seconds)
    env = AECGame(game, end_on_illegal=True)
    yield "AEC (env.last, sample, env.step)", _rate(aec_run(env), seconds)


def _rate(run: Callable[[], tuple[int, float]], seconds: float) -> float:
    """Decisions per second of repeated runs, each of which gives its decisions and its time."""
    run()
    total = 0
    spent = 0.0
    while spent < seconds:
        decisions, took = run()
        total += decisions
        spent += took
    return total / spent


def playout_run(game: Game) -> Callable[[], tuple[int, float]]:
    """Whole games in compiled code, view and mask filled for every decision."""
    options = game.check_options({})
    seatings = np.zeros((1, 1, options["num_players"]), np.int64)
    agent = random_agent(game)
    first = 0

    def run() -> tuple[int, float]:
        nonlocal first
        start = time.perf_counter()
        block = play_games(game, options, [agent], seatings, root=1, first_game=first, count=1000)
        first += 1000
        return block.decisions, time.perf_counter() - start

    return run


def vector_run(game: Game, num_envs: int) -> Callable[[], tuple[int, float]]:
    """``VectorGames.step``; choosing the random actions is not counted."""
    games = VectorGames(game, num_envs, seed=1)
    rng = np.zeros(WORDS, np.uint64)
    seed_stream(rng, np.uint64(1))
    actions = np.zeros(num_envs, np.int64)

    def step() -> float:
        choose_all(games._masks, rng, actions)
        start = time.perf_counter()
        games.step(actions)
        return time.perf_counter() - start

    for _ in range(SETTLING_STEPS):
        step()

    def run() -> tuple[int, float]:
        return 20 * num_envs, sum(step() for _ in range(20))

    return run


def aec_run(env: AECEnv) -> Callable[[], tuple[int, float]]:
    """PettingZoo's loop over a whole game, actions sampled with the mask."""
    env.reset(seed=1)

    def run() -> tuple[int, float]:
        decisions = 0
        start = time.perf_counter()
        env.reset()
        for agent in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
            else:
                env.step(env.action_space(agent).sample(observation["action_mask"]))
                decisions += 1
        return decisions, time.perf_counter() - start

    return run


def warm_up(game: Game) -> None:
    """Compile every kernel of a game: all faces and agents."""
    options = game.check_options({})
    seatings = np.zeros((1, 1, options["num_players"]), np.int64)
    for name in agents.names(game.id):
        agent = agents.get(game.id, name)
        if name not in agents.quick_names(game.id):
            continue  # compiled by `get`; a game of it would take long
        play_games(game, options, [agent], seatings, root=1, first_game=0, count=1)
    play_games(
        game, options, [random_agent(game)], seatings, root=1, first_game=0, count=1, logged=1.0
    )
    env = AECGame(game, end_on_illegal=True)
    aec_run(env)()
    vector_run(game, 2)()
    SeatEnv(game).reset(seed=1)
    envs = SeatVectorEnv(game, 2)
    envs.reset(seed=1)
    envs.step(envs.action_masks().argmax(axis=1))
    views, _ = game.new_views(1)
    env.reset(seed=1)
    views.view(np.int16)[:] = env.observe(env.agent_selection)["observation"]
    determinize_row(views, 0, np.ones(WORDS, np.uint64), game.new_states(options, 1), 0)
