"""Who sits where: the tables of a tournament and their seatings.

All functions number the agents of a run from 0 and return int64 arrays (T, S, P): T tables (sets of
agents, or circular orders of them), each under S seatings of P seats. Deal d is played at table
``d % T``, under all its seatings.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

ROTATIONS: Final = "rotations"
FULL: Final = "full"
SEATINGS = (ROTATIONS, FULL)
MAX_TABLES = 5_000  # of different agents or circular orders
MAX_SEATINGS = 32_767  # of a deal: their numbers are int16 in files
MAX_ROWS = 2_000_000  # seatings of all tables together
MAX_ORDERS = 24  # circular orders of a line-up: all of them are played on every deal


def seat_tables(
    agents: int, players: int, seating: str, *, neighbours_matter: bool = False
) -> np.ndarray:
    """Who sits where: int64 (T, S, P).

    With more agents than seats there is a table for every choice of ``players`` of them. With fewer,
    everyone sits equally often, and where that does not come out there is a table for every choice of
    those who sit once more. The order of tables is shuffled (always the same way), so that a short
    run, too, has everybody at the table about as often. Each table is played under all rotations of
    its seats, or under all orders; seatings that put the same agents at all seats are left out.

    Rotations keep everyone's neighbours. Where those matter there is a table for every circular order
    of a choice, or, where that would be more than MAX_TABLES, for as many of them drawn at random.
    """
    everyone = tuple(range(agents))
    if agents >= players:
        tables = list(itertools.combinations(everyone, players))
    else:
        rounds, rest = divmod(players, agents)
        tables = [everyone * rounds + more for more in itertools.combinations(everyone, rest)]
    chance = random.Random(0)
    if seating == ROTATIONS and neighbours_matter:
        room = max(1, MAX_TABLES // len(tables))
        tables = [order for table in tables for order in circular_orders(table, room, chance)]
    chance.shuffle(tables)
    _check_room(tables, len(tables), players, seating)
    seatings = []
    for table in tables:
        if seating == FULL:
            orders: Any = itertools.permutations(table)
        else:
            orders = (table[k:] + table[:k] for k in range(players))
        seatings.append(list(dict.fromkeys(orders)))
    most = max(map(len, seatings))
    # Where agents sit in a pattern that repeats, there are fewer rotations: all are played as often.
    seatings = [rows * (most // len(rows)) for rows in seatings]
    return np.array(seatings, np.int64)


def circular_orders(
    table: tuple[int, ...], most: int, chance: random.Random
) -> list[tuple[int, ...]]:
    """The orders of a table that are no rotations of each other; at most ``most``, drawn by chance."""
    first, *others = table
    if math.factorial(len(others)) <= 10 * most:
        everything = {
            min(order[k:] + order[:k] for k in range(len(order)))
            for rest in itertools.permutations(others)
            for order in [(first, *rest)]
        }
        found = sorted(everything)
        return found if len(found) <= most else chance.sample(found, most)
    return [(first, *chance.sample(others, len(others))) for _ in range(most)]


def line_up_tables(
    line_ups: Sequence[Sequence[int]],
    players: int,
    seating: str,
    *,
    neighbours_matter: bool = False,
) -> np.ndarray:
    """One table whose seatings are those of all line-ups: each deal is played by every line-up.

    So what line-ups win can be compared deal by deal. Where neighbours matter a line-up is played in
    every circular order, or in MAX_ORDERS of them drawn at random; each order under all rotations.
    """
    chance = random.Random(0)
    # Of two players, a against b and b against a are one table.
    tables = {tuple(sorted(line_up)): tuple(line_up) for line_up in reversed(line_ups)}
    _check_room(line_ups, 1, players, seating)
    seatings: list[list[tuple[int, ...]]] = []
    for table in reversed(tables.values()):
        if seating == FULL:
            orders = [*itertools.permutations(table)]
        else:
            circles = circular_orders(table, MAX_ORDERS, chance) if neighbours_matter else [table]
            orders = [circle[k:] + circle[:k] for circle in circles for k in range(players)]
        seatings.append(list(dict.fromkeys(orders)))
    most = math.lcm(*map(len, seatings))  # every line-up plays as many games of a deal
    if most * len(seatings) > MAX_SEATINGS:
        raise ValueError(
            f"{len(seatings)} line-ups under {most} seatings are more than {MAX_SEATINGS:,} games a "
            "deal; name fewer agents"
        )
    rows = [order for orders in seatings for order in orders * (most // len(orders))]
    return np.array([rows], np.int64)


def _check_room(tables: Sequence[Sequence[int]], of_deals: int, players: int, seating: str) -> None:
    """Refuse what cannot be kept, before it is made: tables that are played by so many deals in turn.

    Raises ValueError.
    """
    orders = players
    if seating == FULL:
        orders = max(_orders(table) for table in tables)
    a_deal = orders * len(tables) // of_deals
    if a_deal > MAX_SEATINGS or orders * len(tables) > MAX_ROWS:
        remedy = "seating rotations or " if seating == FULL else ""
        raise ValueError(
            f"{len(tables):,} tables of {orders:,} orders each are too many (at most {MAX_SEATINGS:,} "
            f"games a deal, {MAX_ROWS:,} in all); choose {remedy}fewer agents"
        )


def _orders(table: Sequence[int]) -> int:
    """In how many ways agents can be ordered, copies being alike."""
    copies = [math.factorial(table.count(agent)) for agent in set(table)]
    return math.factorial(len(table)) // math.prod(copies)
