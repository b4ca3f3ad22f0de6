"""DTC's honest twins: the same policy without voluntary bluffs, in its place on the same deals."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pandas as pd

import agents
from cardgames_env.core.playout import Block
from experiments.lineup import Contestant
from experiments.studies.means import Gains, Means, percent
from experiments.studies.study import Table
from experiments.tournament import Tournament, play_block

PARAMETER = "honest"


def honest_twin(game: str, contestant: Contestant) -> Contestant | None:
    """The twin of an agent of the registry; None for one that has none, or is one."""
    if contestant.parameters.get(PARAMETER) != 0:
        return None
    name = contestant.label.split(":")[0].split("#")[0]
    parameters = contestant.parameters | {PARAMETER: 1.0}
    agent = agents.get(game, name, **parameters)
    return replace(contestant, label=agent.name, player=agent, parameters=parameters)


def compare_with_twins(
    tournament: Tournament,
    *,
    threads: int = 1,
    on_progress: Callable[[int], None] = lambda games: None,
) -> Table:
    """Each agent that has an honest twin, and the twin in its place: the same tables, the same deals.

    All others stay who they are. One row an agent; differences are the twin's less the agent's, paired
    by game and seat, intervals clustered by deal. ``on_progress`` is told the games of each block.
    """
    twins = {
        k: twin
        for k, contestant in enumerate(tournament.contestants)
        if (twin := honest_twin(tournament.game.id, contestant))
    }
    own, of_twin, difference = Means(), Means(), Gains()

    def work(index: int) -> list[pd.DataFrame]:
        block = play_block(tournament, index)
        frames = []
        for k, twin in twins.items():
            seated = list(tournament.contestants)
            seated[k] = twin
            with_twin = play_block(replace(tournament, contestants=tuple(seated)), index)
            frames.append(_paired(tournament, index, k, block, with_twin))
        on_progress((1 + len(twins)) * len(block.rounds))
        return frames

    with ThreadPoolExecutor(threads) as pool:
        for frames in pool.map(work, range(tournament.blocks)):
            for frame in frames:
                own.add(frame, "own")
                of_twin.add(frame, "of_twin")
                difference.add(frame)
    labels = [tournament.contestants[k].label for k in twins]
    return Table(
        "honest_twins",
        "Agents and their honest twins",
        ("agent", "games", "its win share %", "its twin's win share %", "difference, pp", "points"),
        tuple(
            (
                label,
                own.count((label,)),
                percent(own[label,]),
                percent(of_twin[label,]),
                percent(difference.win_share[label,]),
                difference.points[label,],
            )
            for label in labels
        ),
        "The twin makes a true offer whenever there is a legal one, and is the same policy otherwise. It "
        "sits in its agent's place on the same deals, all others being the same; differences are the "
        "twin's less the agent's: below 0, voluntary bluffs were worth so much. Points are cards less.",
    )


def _paired(
    tournament: Tournament, index: int, k: int, block: Block, with_twin: Block
) -> pd.DataFrame:
    """One row for every seat of agent ``k``: what it won there, and what its twin won there."""
    games, seats = np.nonzero(block.agents == k)
    numbers = index * tournament.block_games + games
    own, of_twin = (win_shares(b.ranks)[games, seats] for b in (block, with_twin))
    return pd.DataFrame(
        {
            "deal": numbers // tournament.games_per_deal,
            "agent": tournament.contestants[k].label,
            "own": own,
            "of_twin": of_twin,
            "win_share": of_twin - own,
            "gain": (with_twin.points - block.points)[games, seats],
        }
    )


def win_shares(ranks: np.ndarray) -> np.ndarray:
    """Shares of the win, float64 (G, P), from places (G, P)."""
    first = ranks == 1
    shares: np.ndarray = first / first.sum(axis=1, keepdims=True)
    return shares
