"""Same seed, same game: in other processes, for any number of threads, however the work is cut."""

import hashlib
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import agents
import cardgames_env
from cardgames_env.core.playout import play_games
from tests.contract.conftest import ROWS
from tests.contract.play import Variant, play_randomly

ROOT = Path(__file__).resolve().parents[2]


def fingerprint():
    """A hash of games of every variant of every game, in every face that draws at random."""
    digest = hashlib.sha256()
    for game, row in ROWS.items():
        for name, options in row.variants.items():
            variant = Variant(game, name, options, row)
            env = variant.env()
            for number in range(3):
                env.reset(seed=51 if number == 0 else None)
                play_randomly(env, random.Random(number))
                digest.update(repr((env.replay(), env.snapshot(), env.infos)).encode())
            vector = cardgames_env.make_vec(game, 3, seed=52, **options)
            for _ in range(60):
                vector.step(vector.action_masks.argmax(axis=1))
            digest.update(vector.observations.tobytes())
            block = tournament(variant, 0, 12)
            digest.update(block.points.tobytes() + block.ranks.tobytes() + block.agents.tobytes())
    return digest.hexdigest()


def tournament(variant, first_game, count, players=None):
    """Games of all agents but the searching ones, two seatings a deal, two tables."""
    names = [n for n in agents.names(variant.id) if not searching(variant.id, n)]
    lineup = players or [agents.get(variant.id, name) for name in names]
    seats = range(variant.players)
    tables = [
        [[(seat + turn + table) % len(lineup) for seat in seats] for turn in range(2)]
        for table in range(2)
    ]
    return play_games(
        variant.game, variant.options, lineup, np.array(tables), root=53, first_game=first_game,
        count=count,
    )  # fmt: skip


def searching(game, name):
    return "simulations" in [p.name for p in agents.entries(game)[name].parameters]


@pytest.fixture(scope="module")
def here():
    return fingerprint()


@pytest.mark.parametrize("hash_seed", ["0", "12345"])
def test_a_fresh_process_plays_the_same_games_whatever_its_hash_seed(here, hash_seed):
    script = (
        "import numpy, random; random.seed(9); numpy.random.seed(int('" + hash_seed + "'))\n"
        "from tests.contract.test_determinism import fingerprint; print(fingerprint())"
    )
    there = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert there.stdout.strip() == here


def test_the_games_change_neither_pythons_nor_numpys_random_numbers(any_variant):
    random.seed(1)
    np.random.seed(1)
    expected = random.Random(1).random(), np.random.RandomState(1).random_sample()
    env = any_variant.env()
    env.reset(seed=1)
    env.reset()
    cardgames_env.make_vec(any_variant.id, 2, **any_variant.given)
    tournament(any_variant, 0, 4)
    assert (random.random(), np.random.random_sample()) == expected


def rows(blocks):
    return {
        name: np.concatenate([getattr(block, name) for block in blocks])
        for name in ("agents", "points", "ranks", "rounds")
    }


def assert_same_rows(one, other):
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


@pytest.mark.parametrize("cuts", [[1] * 20, [7, 13], [19, 1], [3, 3, 3, 3, 3, 3, 2]])
def test_it_does_not_matter_how_games_are_cut_into_blocks(variant, cuts):
    whole = tournament(variant, 0, 20)
    starts = np.cumsum([0, *cuts[:-1]]).tolist()
    parts = [tournament(variant, start, size) for start, size in zip(starts, cuts, strict=True)]
    assert_same_rows(rows(parts), rows([whole]))
    assert sum(part.decisions for part in parts) == whole.decisions


def test_blocks_may_be_played_by_many_threads(variant):
    size, count = 50, 16
    one = [tournament(variant, size * k, size) for k in range(count)]
    with ThreadPoolExecutor(8) as pool:
        many = list(pool.map(lambda k: tournament(variant, size * k, size), range(count)))
    assert_same_rows(rows(many), rows(one))


def test_threads_may_share_their_agents(any_variant):
    """What an agent keeps in a game is the block's, not the agent's."""
    names = [n for n in agents.names(any_variant.id) if not searching(any_variant.id, n)]
    lineup = [agents.get(any_variant.id, name) for name in names]
    one = [tournament(any_variant, 50 * k, 50, lineup) for k in range(16)]
    with ThreadPoolExecutor(8) as pool:
        many = list(pool.map(lambda k: tournament(any_variant, 50 * k, 50, lineup), range(16)))
    assert_same_rows(rows(many), rows(one))


def test_games_of_a_root_differ_and_roots_differ(variant):
    env = variant.env()
    seen = set()
    for seed in range(20):
        env.reset(seed=seed)
        for _ in range(20):
            seen.add(repr(env.snapshot()))
            env.reset()
    assert len(seen) == 400


def test_what_a_policy_draws_does_not_change_the_deal(any_variant):
    """Chance and policies have streams of their own: the deal is the same whoever plays."""
    firsts = []
    for name in ("random", agents.names(any_variant.id)[1]):
        env = cardgames_env.make_seat(
            any_variant.id, opponents=agents.get(any_variant.id, name),
            seat=any_variant.players - 1, **any_variant.given,
        )  # fmt: skip
        env.reset(seed=54)
        env.reset()
        table = any_variant.env()
        table.begin_numbered(54, 1)
        for action in env.replay().actions:
            table.step(action)
        assert table.snapshot() == env.snapshot()
        firsts.append(env.replay())
    assert firsts[0].number == firsts[1].number == 1
