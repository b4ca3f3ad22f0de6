"""A tree as a file for other programs: Gambit's extensive form (``.efg``), which OpenSpiel loads, too.

Format: https://gambitproject.readthedocs.io/en/latest/formats.efg.html
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from cardgames_env.core.files import write_whole
from experiments.tree import SEATS, Tree


def write_efg(tree: Tree, path: Path) -> None:
    """Write the tree to ``path``: players "seat 0" and "seat 1", actions by their names."""
    write_whole(path, "".join(f"{line}\n" for line in efg_lines(tree)).encode())


def efg_lines(tree: Tree) -> Iterator[str]:
    """The file line by line: a header, then the nodes, each before its children."""
    yield f'EFG 2 R "{tree.game.id}" {{ "seat 0" "seat 1" }}'
    ways = tree.deal_ways.astype(np.int64)
    chances = " ".join(f'"deal {i}" {way}/{ways.sum()}' for i, way in enumerate(ways))
    yield f'c "" 1 "" {{ {chances} }} 0'
    players, menus = _information_sets(tree)
    # Outcomes are numbered from 1 by what they pay; 0 is "none".
    outcomes = {pay: 1 + i for i, pay in enumerate(np.unique(tree.payoff[tree.leaves]).tolist())}
    for infoset, payoff in zip(tree.infoset[1:].tolist(), tree.payoff[1:].tolist(), strict=True):
        if infoset >= 0:
            yield f'p "" {players[infoset]} "" {menus[infoset]} 0'
        else:
            yield f't "" {outcomes[payoff]} "" {{ {payoff:g}, {-payoff:g} }}'


def _information_sets(tree: Tree) -> tuple[list[str], list[str]]:
    """Of each set: player and number, which count from 1 (numbers by player); the actions."""
    numbers = [0] * SEATS
    players, menus = [], []
    actions = tree.slot_action.tolist()
    for k, seat in enumerate(tree.seat.tolist()):
        numbers[seat] += 1
        players.append(f"{1 + seat} {numbers[seat]}")
        of_set = actions[tree.first_slot[k] : tree.first_slot[k + 1]]
        menus.append(" ".join(["{", *(f'"{tree.game.action_name(a)}"' for a in of_set), "}"]))
    return players, menus
