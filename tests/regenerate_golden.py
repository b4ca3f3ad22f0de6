"""Writes the golden games: transcripts of whole games that only change when somebody means them to.

    python tests/regenerate_golden.py [game …]

One file for each variant in GOLDEN, in ``tests/games/<game>/golden``. A transcript tells the options, the
deal, every decision (seat, action, what it paid, a checksum of what the seat saw), every event in
words, and how it all ended. Look at the difference before you commit it.
"""

from __future__ import annotations

import json
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import cardgames_env
from tests.reference_rng import Stream

GAMES = Path(__file__).resolve().parent / "games"

#: Options by file, by game. The seed of a golden game is its place in the list, from 1.
GOLDEN: dict[str, dict[str, dict[str, Any]]] = {
    "dicht_dran_v0": {
        "2_players": {"num_players": 2},
        "3_players_3_deals": {"num_players": 3, "deals": 3, "reward": "points"},
        "4_players": {"num_players": 4},
        "5_players_margin": {"num_players": 5, "reward": "margin"},
        "5_players_all_peppers_3": {"num_players": 5, "peppers": [3] * 100},
        "4_players_hot_high_cards": {
            "num_players": 4, "deals": 1, "peppers": [1 + n // 34 for n in range(100)],
        },
    },
    "dtc_v0": {
        "2_players": {"num_players": 2},
        "3_players_points": {"num_players": 3, "reward": "points"},
        "4_players": {"num_players": 4},
        "4_players_higher_counts_as_true": {"num_players": 4, "higher_counts_as_true": True},
        "5_players_margin": {"num_players": 5, "reward": "margin"},
        "6_players_higher_counts_as_true": {"num_players": 6, "higher_counts_as_true": True},
        "2_players_small_deck": {
            "num_players": 2, "values": 2, "copies": 2, "jokers": 1, "hand_size": 2,
        },
    },
    "diddly_v0": {
        "2_players_boards_of_eight": {"num_players": 2, "columns": 4, "rounds": 1},
        "3_players_points": {"num_players": 3, "rounds": 2, "reward": "points"},
        "4_players": {"num_players": 4, "rounds": 2},
        "4_players_boards_of_eight": {"num_players": 4, "columns": 4, "rounds": 1},
        "5_players_boards_of_eight": {"num_players": 5, "columns": 4, "rounds": 1},
        "6_players_short_rounds": {"num_players": 6, "rounds": 3, "max_turns": 2},
        "8_players": {"num_players": 8, "rounds": 1, "reward": "margin"},
    },
    "dackel_drauf_v0": {
        "2_players": {"num_players": 2, "reward": "points"},
        "3_players": {"num_players": 3, "max_rounds": 6},
        "3_players_taking_back": {"num_players": 3, "takeback": True, "max_rounds": 6},
        "4_players_who_forget": {"num_players": 4, "forget": 0.25, "max_rounds": 4},
        "5_players_margin": {"num_players": 5, "reward": "margin", "max_rounds": 3},
        "3_players_perfect_memory": {"num_players": 3, "memory": "perfect", "max_rounds": 6},
        "4_players_memory_of_the_agents": {"num_players": 4, "memory": "agent", "max_rounds": 4},
        "5_players_taking_back_odd_dice": {
            "num_players": 5, "takeback": True, "max_rounds": 3, "win_threshold": 5,
            "faces": [[0, 0, 1, 2, 3, d % 9] for d in range(15)],
        },
    },
}  # fmt: skip


def path_of(game: str, name: str) -> Path:
    return GAMES / game.rsplit("_v", 1)[0] / "golden" / f"{name}.txt"


def transcript(game: str, name: str) -> str:
    """A whole golden game as text."""
    return "".join(f"{line}\n" for line in lines(game, name))


def lines(game: str, name: str) -> Iterator[str]:
    options = GOLDEN[game][name]
    seed = 1 + list(GOLDEN[game]).index(name)
    env = cardgames_env.make(game, **options)
    env.reset(seed=seed)
    agents = list(env.agents)
    chance = Stream(seed, 0, 200)  # whoever plays here, plays at random
    yield f"game: {game}"
    yield f"options: {json.dumps(options)}"
    yield f"seed: {seed}"
    yield ""
    yield from told("deal", env.snapshot())
    yield ""
    views = {agent: env.view(agent) for agent in agents}
    number = 0
    while not all(env.terminations.values()):
        number += 1
        agent = env.agent_selection
        seen = env.observe(agent)
        legal = np.flatnonzero(seen["action_mask"]).tolist()
        action = legal[chance.below(len(legal))]
        env.step(action)
        paid = [round(env.rewards[a], 6) for a in agents]
        yield (
            f"{number:4} {agent}: {action} ({env.game.action_name(action)}), {len(legal)} legal, "
            f"saw {checksum(seen['observation'], seen['action_mask'])}"
            + (f", paid {paid}" if any(paid) else "")
        )
        before = views[agents[0]]
        views = {a: env.view(a) for a in agents}
        for sentence in env.game.describe(before, views[agents[0]], agents):
            yield f"     {sentence}"
    yield ""
    yield from told("end", env.snapshot())
    for agent in agents:
        info = env.infos[agent]
        yield (
            f"{agent}: score {info['score']}, rank {info['rank']}, "
            f"saw {checksum(env.observe(agent)['observation'])}"
        )


def told(title: str, snapshot: dict[str, Any]) -> Iterator[str]:
    yield f"{title}:"
    for key, value in snapshot.items():
        yield f"  {key}: {json.dumps(value)}"


def checksum(*arrays: np.ndarray) -> str:
    value = 0
    for array in arrays:
        value = zlib.crc32(array.astype("<i2").tobytes(), value)
    return f"{value:08x}"


def main(wanted: list[str]) -> None:
    for game in wanted or GOLDEN:
        for name in GOLDEN[game]:
            path = path_of(game, name)
            path.parent.mkdir(exist_ok=True)
            path.write_text(transcript(game, name), encoding="utf-8")
            print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
