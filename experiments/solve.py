"""Exact solutions of small games: CFR+, best responses, exploitability (see ``experiments.tree``).

A *strategy* is a float64 (S,) array: for every slot of the tree (an action in an information set) the
probability of that action there, for both seats. Payoffs are zero-sum.

CFR+ with alternating updates and linear averaging: Tammelin, *Solving large imperfect information games
using CFR+* (2014); the same steps as OpenSpiel's ``CFRPlusSolver``, seat 0 first. In sequence form, one
pass over the ends of games and one over the information sets make an update or a best response.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardgames_env.core.asking import AgentError, agent_name
from cardgames_env.core.jit import kernel
from cardgames_env.core.policy import Agent, Lineup, Player
from cardgames_env.core.rng import WORDS, seed_stream, stream_key
from experiments.tree import SEATS, Tree

BATCH = 4096  # views at a time
DRAWS = 840  # the least number that 1 … 8 divide: see `spread_stream`
LEAVES_AT_ONCE = 20_000_000  # between two looks whether somebody wants to stop: about a second

#: Regrets up to this are rounding errors of equal actions. Taken for regrets, they would turn a
#: mixture into a pure choice, and the iterations would depend on the order of summation.
ROUNDING = 1e-14


@dataclass(frozen=True)
class Measured:
    """A strategy, measured: after ``iterations`` of CFR+.

    ``value`` is seat 0's expected payoff; ``best_responses`` what a seat's best response wins on
    average against the other's strategy. The value of the game lies in ``bounds``.
    """

    iterations: int
    value: float
    best_responses: tuple[float, float]

    @property
    def exploitability(self) -> float:
        """What a best response wins on average, over both seats (half of NashConv)."""
        return sum(self.best_responses) / SEATS

    @property
    def bounds(self) -> tuple[float, float]:
        """Between what seat 0's strategy is sure of, and what seat 1's allows."""
        return -self.best_responses[1], self.best_responses[0]


@dataclass(frozen=True, eq=False)
class Solution:
    """The average strategy of CFR+, and how it came closer."""

    strategy: np.ndarray
    history: list[Measured]


# -- strategies ------------------------------------------------------------------------------------


def uniform(tree: Tree) -> np.ndarray:
    """Every legal action with the same probability."""
    counts = np.diff(tree.first_slot)
    return np.repeat(1.0 / counts, counts)


def uniform_over_moves(tree: Tree) -> np.ndarray:
    """Every whole move with the same probability, its unseen steps together (see ``Tree.unseen``)."""
    ways = np.ones(tree.num_slots)  # to complete the move that the slot begins or goes on with
    for k in np.flatnonzero(tree.unseen)[::-1]:
        ways[tree.came_by[k] - 1] = ways[tree.first_slot[k] : tree.first_slot[k + 1]].sum()
    sums = np.add.reduceat(ways, tree.first_slot[:-1])
    return ways / np.repeat(sums, np.diff(tree.first_slot))


def strategy_from(
    tree: Tree, probabilities: Callable[[np.ndarray, np.ndarray], Any], batch: int = BATCH
) -> np.ndarray:
    """The strategy of a function that sees views: a network, say.

    ``probabilities(views, masks)`` takes int16 (N, D) and int8 (N, A), N at most ``batch``, and returns
    (N, A), which must be probabilities over the legal actions. Raises ValueError otherwise.
    """
    strategy = np.empty(tree.num_slots)
    for infosets in _batches(tree, batch):
        masks = tree.masks(infosets)
        answer = np.asarray(probabilities(tree.views(infosets), masks), np.float64)
        if answer.shape != masks.shape:
            raise ValueError(f"probabilities must be of shape {masks.shape}, got {answer.shape}")
        if (answer[masks == 0] != 0).any():
            raise ValueError("illegal actions must have the probability 0")
        slots = tree.slots(infosets)
        strategy[slots] = answer[masks == 1]  # row by row, actions ascending: as the slots
    return checked(tree, strategy, tolerance=1e-4)


def strategy_of_agent(tree: Tree, agent: Player, draws: int = DRAWS, root: int = 1) -> np.ndarray:
    """The strategy of a compiled agent: how often it chooses each action, over ``draws`` of its stream.

    An agent that draws nothing from its stream is asked once. The first words of the draws are spread
    evenly: a choice by one number among n actions is exact where n divides ``draws``.

    Raises ValueError for an agent whose scratch memory depends on its draws: no probabilities in an
    information set can stand for it. Raises AgentError for an illegal action.
    """
    if not isinstance(agent, Agent):
        raise ValueError(f"{agent_name(agent)} is no compiled agent; only such can be measured")
    if agent.game is not tree.game:
        raise ValueError(f"agent {agent.name} plays {agent.game.id}, not {tree.game.id}")
    if isinstance(draws, bool) or not isinstance(draws, int) or not 1 <= draws <= 10**9:
        raise ValueError(f"draws must be a whole number in 1 … {10**9}, got {draws!r}")
    chosen = np.zeros(tree.num_slots)
    memory = np.zeros((tree.num_infosets, agent.memory), np.float32)
    slot_infoset = tree.slot_infoset
    for infosets in _batches(tree, BATCH):
        views, flat = tree.game.new_views(len(infosets))
        flat[:] = tree.views(infosets)
        wrong, drew = ask_agent(
            Lineup([agent]).policies, agent.params, views, flat, tree.masks(infosets), memory, infosets,
            slot_infoset, tree.came_by, tree.first_slot, tree.slot_action, draws, root, chosen,
        )  # fmt: skip
        if wrong >= 0:
            raise AgentError(f"{agent.name} chose an illegal action in information set {wrong}")
        if drew and agent.memory > 0:
            raise ValueError(
                f"agent {agent.name} cannot be measured exactly: it draws at random and keeps a memory"
            )
    return checked(tree, chosen)


@kernel
def ask_agent(
    policies, params, views, flat, masks, memory, infosets, slot_infoset, came_by, first_slot,
    slot_action, draws, root, chosen,
):  # fmt: skip
    """Fill ``chosen`` (float64 (S,)) at these information sets with the choices of ``policies[0]``.

    ``memory``, float32 (K, m), is the agent's after its decision in each set; earlier sets have been
    asked. Returns the set where the agent chose an illegal action, or −1, and whether it drew.
    """
    rng = np.zeros(WORDS, np.uint64)
    drew = False
    for i in range(len(infosets)):
        k = infosets[i]
        for draw in range(draws):
            for m in range(memory.shape[1]):
                memory[k, m] = 0.0
                if came_by[k] > 0:
                    memory[k, m] = memory[slot_infoset[came_by[k] - 1], m]
            seed_stream(rng, stream_key(root, draw, k))
            spread_stream(rng, draw, draws)
            before = rng[1]  # changes with every word drawn
            action = policies[0](views[i], flat[i], masks[i], memory[k], params, rng)
            slot = first_slot[k]
            while slot < first_slot[k + 1] and slot_action[slot] != action:
                slot += 1
            if slot == first_slot[k + 1]:
                return k, drew
            if rng[1] == before:  # nothing drawn: it would always choose this
                chosen[slot] = 1.0
                break
            drew = True
            chosen[slot] += 1.0 / draws
    return -1, drew


@kernel
def spread_stream(rng, draw, draws):
    """Make the next word of a stream the middle of part ``draw`` of ``draws`` equal parts of uint64.

    xoshiro256++ gives rotl(s0 + s3, 23) + s0: s3 is set so that this comes out.
    """
    word = np.uint64((draw + 0.5) / draws * 2.0**64)
    turned = word - rng[0]
    rng[3] = ((turned >> np.uint64(23)) | (turned << np.uint64(41))) - rng[0]


def checked(tree: Tree, strategy: np.ndarray, tolerance: float = 1e-9) -> np.ndarray:
    """The strategy as float64 (S,), each set's probabilities brought to a sum of 1.

    Raises ValueError for another shape, negative numbers, or a sum further than ``tolerance`` from 1.
    """
    strategy = np.asarray(strategy, np.float64)
    if strategy.shape != (tree.num_slots,):
        raise ValueError(f"a strategy must be of shape {(tree.num_slots,)}, got {strategy.shape}")
    sums = np.add.reduceat(strategy, tree.first_slot[:-1])
    if not (strategy >= 0).all() or not (abs(sums - 1) <= tolerance).all():
        raise ValueError(
            "a strategy must hold probabilities that sum to 1 in every information set"
        )
    return strategy / np.repeat(sums, np.diff(tree.first_slot))


def _batches(tree: Tree, size: int) -> Iterator[np.ndarray]:
    for first in range(0, tree.num_infosets, size):
        yield np.arange(first, min(first + size, tree.num_infosets))


# -- measuring -------------------------------------------------------------------------------------


def measure(tree: Tree, strategy: np.ndarray, iterations: int = 0) -> Measured:
    """Value, and best responses of both seats. Raises ValueError for what is no strategy."""
    strategy = checked(tree, strategy)
    plan = realization(tree, strategy)
    sequences, weights = _leaves(tree)
    value = float(np.dot(weights, plan[sequences[:, 0]] * plan[sequences[:, 1]]))
    best = [best_response(tree, strategy, seat)[0] for seat in range(SEATS)]
    return Measured(iterations, value, (best[0], best[1]))


def exploitability(tree: Tree, strategy: np.ndarray) -> float:
    """What best responses win on average against the strategy, over both seats (½ NashConv)."""
    return measure(tree, strategy).exploitability


def best_response(tree: Tree, strategy: np.ndarray, seat: int) -> tuple[float, np.ndarray]:
    """The most that ``seat`` can win on average against the other's strategy, and how.

    The second is ``strategy`` with the seat's part replaced by the best response (of equal actions the
    first). Exact: chosen in every information set, not in every node.
    """
    strategy = checked(tree, strategy)
    sequences, weights = _leaves(tree)
    worth = np.zeros(1 + tree.num_slots)
    response = strategy.copy()
    plan = realization(tree, strategy)
    worth_of_leaves(seat, sequences, weights, plan, worth)
    respond(seat, tree.seat, tree.first_slot, tree.came_by, worth, response)
    return float(worth[0]), response


def realization(tree: Tree, strategy: np.ndarray) -> np.ndarray:
    """The probability that the owner plays each sequence, float64 (1 + S,), if the others let it."""
    plan = np.empty(1 + tree.num_slots)
    realize(tree.first_slot, tree.came_by, strategy, plan)
    return plan


def reach(tree: Tree, strategy: np.ndarray) -> np.ndarray:
    """The probability that play comes to each information set, float64 (K,)."""
    plan = realization(tree, checked(tree, strategy))
    inside = np.flatnonzero(tree.infoset >= 0)
    both = plan[tree.sequences[inside, 0]] * plan[tree.sequences[inside, 1]]
    chance = tree.deal_ways[tree.deal[inside]] / tree.deal_ways.sum()
    return np.bincount(tree.infoset[inside], both * chance, tree.num_infosets)


def _leaves(tree: Tree) -> tuple[np.ndarray, np.ndarray]:
    """Sequences, int32 (L, 2), and payoff times chance, float64 (L,), at the ends of games that count."""
    leaves = tree.leaves[tree.payoff[tree.leaves] != 0]
    chance = tree.deal_ways[tree.deal[leaves]] / tree.deal_ways.sum()
    return np.ascontiguousarray(tree.sequences[leaves]), tree.payoff[leaves] * chance


@kernel
def realize(first_slot, came_by, strategy, plan):
    """Fill ``plan``; a seat's earlier information sets have lower numbers."""
    plan[0] = 1.0
    for k in range(len(came_by)):
        for slot in range(first_slot[k], first_slot[k + 1]):
            plan[1 + slot] = plan[came_by[k]] * strategy[slot]


@kernel
def worth_of_leaves(seat, sequences, weights, plan, worth):
    """Fill ``worth``: what ``seat`` wins where the game ends with a sequence of its own, on average."""
    worth[:] = 0.0
    sign = 1.0 if seat == 0 else -1.0
    for i in range(len(weights)):
        worth[sequences[i, seat]] += sign * weights[i] * plan[sequences[i, 1 - seat]]


@kernel
def respond(seat, owner, first_slot, came_by, worth, response):
    """Best actions of ``seat``, later information sets first; ``worth[0]`` becomes what they win."""
    for k in range(len(owner) - 1, -1, -1):
        if owner[k] != seat:
            continue
        best = first_slot[k]
        for slot in range(first_slot[k], first_slot[k + 1]):
            response[slot] = 0.0
            if worth[1 + slot] > worth[1 + best]:
                best = slot
        response[best] = 1.0
        worth[came_by[k]] += worth[1 + best]


# -- solving ---------------------------------------------------------------------------------------


def solve(
    tree: Tree, iterations: int, on_progress: Callable[[Measured], None] | None = None
) -> Solution:
    """Run CFR+, and measure its average strategy after 1, 2, 5, 10, 20, 50 … iterations and at the end.

    ``on_progress`` is called with every measurement. Raises ValueError for fewer than 1 iteration.
    """
    check_iterations(iterations)
    sequences, weights = _leaves(tree)
    strategy = uniform(tree)
    regrets, totals = np.zeros((2, tree.num_slots))
    at_once = max(1, LEAVES_AT_ONCE // (1 + len(weights) + tree.num_slots))
    done = 0
    history = []
    average = strategy
    for stop in checkpoints(iterations):
        while done < stop:
            count = min(at_once, stop - done)
            cfr_plus(
                tree.seat, tree.first_slot, tree.came_by, sequences, weights, strategy, regrets,
                totals, done, count,
            )  # fmt: skip
            done += count
        average = _average(tree, totals)
        history.append(measure(tree, average, done))
        if on_progress is not None:
            on_progress(history[-1])
    return Solution(average, history)


def check_iterations(iterations: object) -> None:
    if isinstance(iterations, bool) or not isinstance(iterations, int) or iterations < 1:
        raise ValueError(f"iterations must be a whole number ≥ 1, got {iterations!r}")


def checkpoints(iterations: int) -> list[int]:
    """1, 2, 5, 10, 20, 50 … below ``iterations``, and that."""
    steps = []
    unit = 1
    while unit < iterations:
        steps += [unit * step for step in (1, 2, 5) if unit * step < iterations]
        unit *= 10
    return [*steps, iterations]


def _average(tree: Tree, totals: np.ndarray) -> np.ndarray:
    """The average strategy; uniform where the owner never went."""
    counts = np.diff(tree.first_slot)
    sums = np.repeat(np.add.reduceat(totals, tree.first_slot[:-1]), counts)
    average = uniform(tree)
    np.divide(totals, sums, out=average, where=sums > 0)
    return average


@kernel
def cfr_plus(
    owner, first_slot, came_by, sequences, weights, strategy, regrets, totals, done, count
):  # fmt: skip
    """Iterations ``done + 1 … done + count`` of CFR+.

    ``strategy``, ``regrets`` and ``totals`` (the sum of the realizations so far, each times its
    iteration), float64 (S,), are brought up to date.
    """
    plan = np.empty(1 + len(strategy))
    worth = np.empty(1 + len(strategy))
    for iteration in range(done + 1, done + count + 1):
        for seat in range(SEATS):
            realize(first_slot, came_by, strategy, plan)
            worth_of_leaves(seat, sequences, weights, plan, worth)
            for k in range(len(owner) - 1, -1, -1):
                if owner[k] != seat:
                    continue
                first, end = first_slot[k], first_slot[k + 1]
                expected = 0.0
                for slot in range(first, end):
                    expected += strategy[slot] * worth[1 + slot]
                worth[came_by[k]] += expected
                total = 0.0
                for slot in range(first, end):
                    totals[slot] += iteration * plan[1 + slot]
                    regret = regrets[slot] + worth[1 + slot] - expected
                    regrets[slot] = regret if regret > ROUNDING else 0.0
                    total += regrets[slot]
                for slot in range(first, end):
                    strategy[slot] = regrets[slot] / total if total > 0.0 else 1.0 / (end - first)
