"""The whole tree of a small game for two, enumerated from the game's kernel.

Every deal there is, then every legal action of every state: the rules stay in the kernel, and what a
seat may know in its view. An *information set* of a seat is the sequence of its own views, one after
every action of anybody and repeated ones dropped, and of its own actions; so a seat forgets nothing.

The arrays are in sequence form: what a seat has done on the way to a node is one number, that of its
last action there (von Stengel, *Efficient computation of behavior strategies*, 1996).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardgames_env.core.game import (
    Game,
    apply,
    get_game,
    legal,
    look,
    ranks,
    records,
    returns,
    seed_chance_row,
    to_act,
)
from cardgames_env.core.jit import kernel
from cardgames_env.core.rng import GOLDEN, MIX_1, MIX_2, mix

OUTCOME, POINTS = "outcome", "points"
PAYOFFS = (OUTCOME, POINTS)

SEATS = 2
MAX_NODES = 3_000_000
MAX_DEPTH = 1000
WITHIN, TOO_LARGE, CHANCE = range(3)  # how the enumeration of a deal's tree ended

U64 = np.uint64
NODE = np.dtype(
    [
        ("parent", np.int32),
        ("deal", np.int32),
        ("action", np.int16),
        ("seat", np.int16),
        ("noticed", np.int16),
        ("key", np.uint64, 2),
        ("payoff", np.float64),
    ],
    align=True,
)


@dataclass(frozen=True, eq=False)
class Tree:
    """A game tree as flat arrays: M nodes, parents before children; K information sets; S slots.

    Node 0 is the deal, its children are the dealt games. A *slot* is an action in an information set:
    a strategy is a float64 (S,) array of probabilities. The slots of set k are ``first_slot[k] …
    first_slot[k + 1] - 1``. *Sequence* 1 + s ends with slot s, sequence 0 is empty.

    ==================  ===============  ========================================================
    parent              int32 (M,)       −1 for node 0
    deal                int32 (M,)       which deal the node belongs to; −1 for node 0
    action              int16 (M,)       the action that leads here; −1 for node 0 and the deals
    infoset             int32 (M,)       −1 for node 0 and at the end of a game
    payoff              float64 (M,)     of seat 0 at the end of a game (seat 1: negated), else 0
    sequences           int32 (M, 2)     of each seat, up to the node
    deal_ways           float64 (D,)     of each deal; its probability is its share
    deal_states         STATE (D,)       the dealt games
    seat                int8 (K,)        whose information set it is
    first_slot          int64 (K + 1,)
    came_by             int32 (K,)       the owner's sequence up to the set
    first_node          int64 (K,)       the first node of the set
    slot_action         int16 (S,)       the game's number of the action
    unseen              bool (K,)        its owner has just acted, and what it does here nobody else
                                         notices: the decision completes the one before (a *move*)
    leaves              int64 (L,)       nodes at the end of a game
    ==================  ===============  ========================================================
    """

    game: Game
    options: Mapping[str, Any]
    payoff_kind: str
    parent: np.ndarray
    deal: np.ndarray
    action: np.ndarray
    infoset: np.ndarray
    payoff: np.ndarray
    sequences: np.ndarray
    deal_ways: np.ndarray
    deal_states: np.ndarray
    seat: np.ndarray
    first_slot: np.ndarray
    came_by: np.ndarray
    first_node: np.ndarray
    slot_action: np.ndarray
    unseen: np.ndarray
    leaves: np.ndarray

    @property
    def num_nodes(self) -> int:
        return len(self.parent)

    @property
    def num_infosets(self) -> int:
        return len(self.seat)

    @property
    def num_slots(self) -> int:
        return len(self.slot_action)

    @property
    def slot_infoset(self) -> np.ndarray:
        """The information set of each slot, int64 (S,)."""
        return np.repeat(np.arange(self.num_infosets), np.diff(self.first_slot))

    def views(self, infosets: np.ndarray) -> np.ndarray:
        """The owners' views in these information sets, int16 (N, D): what a network sees."""
        infosets = np.asarray(infosets, np.int64)
        views, flat = self.game.new_views(len(infosets))
        look_at_nodes(
            self.deal_states, self.parent, self.deal, self.action, self.first_node[infosets],
            self.seat[infosets], self.game.new_states(self.options, 1), views,
        )  # fmt: skip
        return flat

    def masks(self, infosets: np.ndarray) -> np.ndarray:
        """The legal actions in these information sets, int8 (N, A)."""
        infosets = np.asarray(infosets, np.int64)
        counts = self.first_slot[infosets + 1] - self.first_slot[infosets]
        masks = np.zeros((len(infosets), self.game.num_actions), np.int8)
        masks[
            np.repeat(np.arange(len(infosets)), counts), self.slot_action[self.slots(infosets)]
        ] = 1
        return masks

    def slots(self, infosets: np.ndarray) -> np.ndarray:
        """The slots of these information sets, one set's after the other's, int64."""
        counts = self.first_slot[infosets + 1] - self.first_slot[infosets]
        before = np.cumsum(counts) - counts
        return np.arange(counts.sum()) + np.repeat(self.first_slot[infosets] - before, counts)


def enumerate_tree(
    game: str | Game,
    options: Mapping[str, Any] | None = None,
    *,
    payoff: str = OUTCOME,
    max_nodes: int = MAX_NODES,
) -> Tree:
    """The tree of a game with these rule options; two players unless they say otherwise.

    ``payoff`` of seat 0: ``outcome`` is +1, 0, −1 for a win, a draw, a loss; ``points`` its own points
    less the other's (more is better, see the game's ``returns``). Seat 0 leads.

    Raises ValueError for a game that cannot be enumerated, or that has more than ``max_nodes`` nodes.
    """
    game = game if isinstance(game, Game) else get_game(game)
    options = game.check_options({"num_players": SEATS} | dict(options or {}))
    if payoff not in PAYOFFS:
        raise ValueError(f"payoff must be one of {', '.join(PAYOFFS)}, got {payoff!r}")
    if isinstance(max_nodes, bool) or not isinstance(max_nodes, int) or not 2 <= max_nodes < 2**31:
        raise ValueError(f"max_nodes must be a whole number in 2 … {2**31 - 1}, got {max_nodes!r}")
    if options["num_players"] != SEATS:
        raise ValueError(
            f"only games of two players can be solved, got num_players {options['num_players']}"
        )
    if game.every_deal is None:
        raise ValueError(
            f"{game.id} cannot be enumerated: it does not list its deals (`every_deal`), since chance "
            "goes on after them or nobody has written the list"
        )
    nodes, ways, states = _grow(game, options, payoff, max_nodes)
    return _in_sequence_form(game, options, payoff, nodes, ways, states)


def _grow(
    game: Game, options: Mapping[str, Any], payoff: str, max_nodes: int
) -> tuple[np.ndarray, list[int], np.ndarray]:
    """All nodes (NODE, parents first), the ways to come about and the states of the deals."""
    assert game.every_deal is not None
    nodes = records(np.zeros(max_nodes, NODE))  # untouched memory costs nothing
    nodes[0] = (-1, -1, -1, -1, 1, (0, 0), 0.0)
    size = 1
    stack = game.new_states(options, MAX_DEPTH)
    # A view in whole words, the last one filled up with zeros.
    words = np.zeros((2 * game.view_size + 7) // 8, np.uint64)
    view = records(words.view(np.uint8)[: 2 * game.view_size].view(game.view_dtype))
    masks = np.zeros((MAX_DEPTH, game.num_actions), np.int8)
    keys, seen = np.zeros((2, MAX_DEPTH, SEATS, 2), np.uint64)
    ways, dealt = [], []
    for number, (deal, count) in enumerate(game.every_deal(options)):
        seed_chance_row(stack, 0, 0, 0)
        game.set_deal(stack, 0, deal)
        ways.append(count)
        dealt.append(stack[:1].tobytes())
        size, end = grow_deal(
            nodes, size, number, stack, view, words, masks, keys, seen, payoff == POINTS
        )
        if end == TOO_LARGE:
            raise ValueError(
                f"the tree of this {game.id} is too large: more than {max_nodes:,} nodes (or "
                f"{MAX_DEPTH:,} actions in a game); make it smaller by its options, or raise max_nodes "
                "(--max-nodes)"
            )
        if end == CHANCE:
            raise ValueError(f"{game.id} cannot be enumerated: chance goes on after the deal")
    return nodes[:size], ways, game.states_from(options, b"".join(dealt))


@kernel
def grow_deal(nodes, size, number, stack, view, words, masks, keys, seen, by_points):
    """Add the tree of the game dealt in ``stack[0]``, deal ``number``, depth first.

    ``nodes`` NODE (M,), of which ``size`` are there; ``stack`` STATE (d,), ``masks`` int8 (d, A),
    ``keys`` and ``seen`` uint64 (d, 2, 2) hold what belongs to the nodes on the way to the current
    one: its state, the actions still to try, each seat's information set and last view (128 bits).
    ``view`` is one VIEW, and ``words`` the same memory. Returns the nodes there are now, and how it
    ended.
    """
    points = np.zeros(SEATS, np.int32)
    places = np.zeros(SEATS, np.int8)
    on_path = np.zeros(len(stack), np.int32)
    next_action = np.zeros(len(stack), np.int64)
    for seat in range(SEATS):
        for i in range(2):
            keys[0, seat, i] = U64(seat)
            seen[0, seat, i] = U64(0)
    parent = np.int32(0)
    action = -1
    d = 0
    while True:
        # A new node: the state at depth d.
        if size == len(nodes):
            return size, TOO_LARGE
        s = stack[d]
        for seat in range(SEATS):
            look(s, seat, view[0])
            see(words, keys[d, seat], seen[d, seat])
        p = to_act(s)
        node = nodes[size]
        node.parent = parent
        node.deal = number
        node.action = action
        node.seat = p
        node.payoff = 0.0
        node.noticed = 1
        if d > 0:
            other = 1 - to_act(stack[d - 1])
            node.noticed = keys[d, other, 0] != keys[d - 1, other, 0]
        if p >= 0:
            node.key[0] = keys[d, p, 0]
            node.key[1] = keys[d, p, 1]
            legal(s, masks[d])
            next_action[d] = 0
        else:
            node.payoff = payoff_of(s, by_points, points, places)
            next_action[d] = masks.shape[1]
        on_path[d] = size
        size += 1
        # The next action that is still to try, here or further up.
        while True:
            a = next_action[d]
            while a < masks.shape[1] and masks[d, a] == 0:
                a += 1
            if a < masks.shape[1]:
                break
            d -= 1
            if d < 0:
                return size, WITHIN
        next_action[d] = a + 1
        if d + 1 == len(stack):
            return size, TOO_LARGE
        stack[d + 1] = stack[d]
        apply(stack[d + 1], a)
        for i in range(len(stack[0].rng)):
            if stack[d + 1].rng[i] != stack[0].rng[i]:
                return size, CHANCE
        for seat in range(SEATS):
            for i in range(2):
                keys[d + 1, seat, i] = keys[d, seat, i]
                seen[d + 1, seat, i] = seen[d, seat, i]
        fold(keys[d + 1, to_act(stack[d])], U64(1 + a), U64(0))
        parent = on_path[d]
        action = a
        d += 1


@kernel
def see(words, key, seen):
    """Add a view to an information set, unless it is the last one seen."""
    first = GOLDEN
    second = MIX_1
    for i in range(len(words)):
        first = mix(first ^ words[i])
        second = (second ^ words[i]) * MIX_2
        second ^= second >> U64(29)
    if first != seen[0] or second != seen[1]:
        seen[0] = first
        seen[1] = second
        fold(key, first, second)


@kernel
def fold(key, first, second):
    """Go on from an information set (uint64 (2,)) by what two words tell of a view or an action."""
    a = mix(key[0] + GOLDEN + first)
    key[1] = mix((key[1] ^ second) * MIX_1 + a)
    key[0] = a


@kernel
def payoff_of(s, by_points, points, places):
    """Seat 0's payoff at the end; ``points`` and ``places`` are scratch."""
    if by_points:
        returns(s, points)
        return np.float64(points[0] - points[1])
    ranks(s, places)
    return np.float64(np.sign(places[1] - places[0]))


@kernel
def look_at_nodes(dealt, parent, deal, action, nodes, seats, scratch, views):
    """Fill ``views`` (VIEW (N,)) with what ``seats`` see at ``nodes``, playing on from the deals."""
    path = np.zeros(MAX_DEPTH, np.int64)
    for k in range(len(nodes)):
        depth = 0
        node = nodes[k]
        while parent[node] > 0:
            path[depth] = action[node]
            depth += 1
            node = parent[node]
        scratch[0] = dealt[deal[node]]
        while depth > 0:
            depth -= 1
            apply(scratch[0], path[depth])
        look(scratch[0], np.int64(seats[k]), views[k])


def _in_sequence_form(
    game: Game,
    options: Mapping[str, Any],
    payoff: str,
    nodes: np.ndarray,
    ways: list[int],
    dealt: np.ndarray,
) -> Tree:
    infoset, first_node = _number_infosets(nodes)
    parent = nodes["parent"].copy()
    action = nodes["action"].copy()
    children = np.bincount(parent[1:], minlength=len(nodes))
    counts = children[first_node]
    first_slot = np.concatenate([[0], np.cumsum(counts)])
    slot_action = np.full(first_slot[-1], -1, np.int16)
    sequences = np.zeros((len(nodes), SEATS), np.int32)
    inside = infoset >= 0
    same = (children[inside] == counts[infoset[inside]]).all() and number_slots(
        parent, action, nodes["seat"], infoset, first_slot, slot_action, sequences
    )
    if not same:
        raise ValueError(
            f"{game.id} cannot be enumerated: a seat's views and actions do not tell what is legal"
        )
    seat = nodes["seat"][first_node].astype(np.int8)
    return Tree(
        game=game,
        options=options,
        payoff_kind=payoff,
        parent=parent,
        deal=nodes["deal"].copy(),
        action=action,
        infoset=infoset,
        payoff=nodes["payoff"].copy(),
        sequences=sequences,
        deal_ways=np.array(ways, np.float64),
        deal_states=dealt,
        seat=seat,
        first_slot=first_slot,
        came_by=sequences[first_node, seat],
        first_node=first_node,
        slot_action=slot_action,
        unseen=_unseen(nodes, infoset, len(seat)),
        leaves=np.flatnonzero(~inside)[1:],
    )


def _number_infosets(nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The information set of each node (int32 (M,), −1: none), and the first node of each set.

    Sets are numbered by their first nodes: a seat's earlier set has a lower number than its later ones.
    """
    decisions = np.flatnonzero(nodes["seat"] >= 0)
    key = nodes["key"][decisions]
    order = np.lexsort((key[:, 0], key[:, 1]))  # stable: the first node of equals comes first
    ordered = key[order]
    new = np.ones(len(order), bool)
    new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    first = order[new]
    rank = np.argsort(np.argsort(first))
    infoset = np.full(len(nodes), -1, np.int32)
    infoset[decisions[order]] = rank[np.cumsum(new) - 1]
    return infoset, decisions[np.sort(first)]


def _unseen(nodes: np.ndarray, infoset: np.ndarray, count: int) -> np.ndarray:
    """Which information sets complete a move: bool (K,)."""
    parent, seat = nodes["parent"][1:], nodes["seat"]
    seen = np.zeros(count, bool)
    seen[infoset[parent[(nodes["noticed"][1:] == 1) & (infoset[parent] >= 0)]]] = True
    seen[infoset[1:][(seat[1:] >= 0) & (seat[parent] != seat[1:])]] = True
    return ~seen


@kernel
def number_slots(parent, action, seat, infoset, first_slot, slot_action, sequences):
    """Fill ``slot_action`` and ``sequences``; False if nodes of one set differ in their actions."""
    taken = np.zeros(len(parent), np.int32)
    for node in range(1, len(parent)):
        up = parent[node]
        for i in range(SEATS):
            sequences[node, i] = sequences[up, i]
        k = infoset[up]
        if k >= 0:
            slot = first_slot[k] + taken[up]
            taken[up] += 1
            if slot_action[slot] < 0:
                slot_action[slot] = action[node]
            if slot_action[slot] != action[node]:
                return False
            sequences[node, seat[up]] = 1 + slot
    return True
