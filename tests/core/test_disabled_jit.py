"""With the compiler off (``NUMBA_DISABLE_JIT=1``) the same games are played, in plain Python."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import agents
import cardgames_env
from cardgames_env.core.game import get_game
from cardgames_env.core.playout import play_games

ROOT = Path(__file__).resolve().parents[2]
SEARCH = "simulations"


def shortest(game):
    """The options of the shortest game: fewest players, and one deal where games have several."""
    options = {"num_players": 2, "deals": 1}
    known = [option.name for option in get_game(game).options]
    try:
        return get_game(game).check_options({k: v for k, v in options.items() if k in known})
    except ValueError:
        return get_game(game).check_options({})


def results():
    """Of every game: a game in each face, and one of each agent; as plain Python."""
    told = {}
    for game in cardgames_env.games():
        options = shortest(game)
        env = cardgames_env.make(game, **options)
        env.reset(seed=61)
        chance = random.Random(61)
        while not all(env.terminations.values()):
            mask = env.observe(env.agent_selection)["action_mask"]
            env.step(chance.choice(np.flatnonzero(mask).tolist()))
        vector = cardgames_env.make_vec(game, 2, seed=62, **options)
        for _ in range(40):
            vector.step(vector.action_masks.argmax(axis=1))
        envs = cardgames_env.make_seat_vec(game, 2, seat="random", **options)
        envs.reset(seed=63)
        seat_rewards = [
            envs.step(envs.action_masks().argmax(axis=1))[1].tolist() for _ in range(12)
        ]
        told[game] = {
            "snapshot": env.snapshot(),
            "actions": list(env.replay().actions),
            "observations": vector.observations.tolist(),
            "rewards": seat_rewards,
            "agents": {name: played(game, options, name) for name in agents.names(game)},
        }
    return told


def played(game, options, name):
    parameters = [parameter.name for parameter in agents.entries(game)[name].parameters]
    agent = agents.get(game, name, **({SEARCH: 1} if SEARCH in parameters else {}))
    table = np.zeros((1, 1, options["num_players"]), int)
    block = play_games(
        get_game(game), options, [agent], table, root=64, first_game=0, count=1, logged=1.0
    )
    log = [block.log.actions.tolist(), block.log.legal_actions.tolist(), block.log.own.tolist()]
    return [block.points.tolist(), block.ranks.tolist(), block.rounds.tolist(), log]


SCRIPT = """
import json, numba
from tests.core.test_disabled_jit import results
assert numba.config.DISABLE_JIT
print(json.dumps(results()))
"""


@pytest.fixture(scope="module")
def in_plain_python():
    there = subprocess.run(
        [sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert there.stderr == ""
    return json.loads(there.stdout)


def test_all_faces_and_agents_play_the_same_games_in_plain_python(in_plain_python):
    assert json.loads(json.dumps(results())) == in_plain_python
