"""Dackel drauf!: how many dice show an animal, as somebody sees it who remembers some of them.

All functions read a VIEW record; what is remembered is given apart (int64 (9,) by animal), since an
agent may have to remember it by itself (``memory="agent"``).
"""

from __future__ import annotations

import math

import numpy as np

from cardgames_env.core.jit import kernel
from cardgames_env.games.dackel_drauf.state import DICE, FACES, KINDS, MAX_CHAIN

#: Binomial coefficients up to the number of dice, float64.
CHOOSE = np.array([[float(math.comb(n, k)) for k in range(DICE + 1)] for n in range(DICE + 1)])


@kernel
def carriers(view, dice, faces):
    """By animal: how many dice have it on a face (``dice``), and on how many faces (int64 (9,) both)."""
    dice[:] = 0
    faces[:] = 0
    for d in range(DICE):
        on_die = np.int64(0)  # animals that this die has been counted for, as bits
        for f in range(FACES):
            a = view.faces[d, f]
            faces[a] += 1
            dice[a] += 1 - (on_die >> np.int64(a) & 1)
            on_die |= 1 << np.int64(a)


@kernel
def dice_distribution(dice, chance, remembered, showing, out):
    """``out[c]`` (float64 (16,)): P(c dice show an animal), when ``showing`` of those ``remembered`` do.

    ``dice`` of the 15 have the animal, and show it with probability ``chance`` each. Any set of so many
    dice is equally likely to be the one remembered; a set with j dice that have the animal has shown it
    ``showing`` times with the binomial probability of j; the 15 − j others have not been seen. Exact
    if the animal is equally often on all dice that have it (as on D1's), given the number of dice
    remembered and how many of them show the animal; which others they show, is left out.
    """
    out[:] = 0.0
    total = 0.0
    for j in range(max(showing, remembered - (DICE - dice)), min(dice, remembered) + 1):
        weight = CHOOSE[dice, j] * CHOOSE[DICE - dice, remembered - j] * CHOOSE[j, showing]
        weight *= (1.0 - chance) ** (j - showing)
        total += weight
        unseen = dice - j
        for more in range(unseen + 1):
            p = CHOOSE[unseen, more] * chance**more * (1.0 - chance) ** (unseen - more)
            out[showing + more] += weight * p
    for c in range(DICE + 1):
        out[c] /= total


def usual_distributions() -> np.ndarray:
    """``dice_distribution`` of an animal of D1's dice, by dice remembered and how many show it."""
    fill = getattr(dice_distribution, "py_func", dice_distribution)
    table = np.zeros((DICE + 1, USUAL_DICE + 1, DICE + 1))
    for remembered in range(DICE + 1):
        for showing in range(min(remembered, USUAL_DICE) + 1):
            fill(USUAL_DICE, 1 / FACES, remembered, showing, table[remembered, showing])
    return table


USUAL_DICE = 10  # that have an animal, once each (D1)
USUAL = usual_distributions()


@kernel
def chances(view, remembered, doubt, out):
    """``out[a, k]`` (float64 (9, 17)): P(at least k dice show animal a).

    From ``dice_distribution``, by Bayes with what others have played: who plays the k-th card of an
    animal, is taken to do so ``doubt`` times as often where there are fewer dice of it (``doubt`` from 0
    to 1; 1: nothing is inferred). An unknown face-down card counts as a card of each animal, with the
    share of that animal among the unseen cards of its owner: the dice it takes are not there.
    """
    dice = np.empty(KINDS, np.int64)
    faces = np.empty(KINDS, np.int64)
    carriers(view, dice, faces)
    total = 0
    for a in range(KINDS):
        total += remembered[a]
    evidence = np.zeros((KINDS, MAX_CHAIN + 2), np.int64)  # cards of others by animal and rank
    rank = np.zeros(KINDS, np.int64)
    hidden = np.zeros(KINDS)
    for i in range(view.chain_length):
        if view.chain_animals[i] > 0:
            a = view.chain_animals[i] - 1
            rank[a] += 1
            evidence[a, rank[a]] += view.chain_seats[i] > 1
        else:
            share_out(view, view.chain_seats[i] - 1, hidden)
    weights = np.empty(DICE + 1)
    for a in range(KINDS):
        weights[:] = 0.0
        if dice[a] == USUAL_DICE and faces[a] == USUAL_DICE:
            weights[:] = USUAL[total, remembered[a]]
        elif dice[a] > 0:
            chance = faces[a] / (FACES * dice[a])
            dice_distribution(dice[a], chance, total, remembered[a], weights)
        else:
            weights[0] = 1.0
        against = 0  # cards that would be wrong if c dice showed the animal
        for k in range(1, rank[a] + 1):
            against += evidence[a, k]
        for c in range(DICE + 1):
            if c > 0 and c <= rank[a]:
                against -= evidence[a, c]
            weights[c] *= doubt**against
        out[a, DICE + 1] = 0.0
        for c in range(DICE, -1, -1):
            out[a, c] = out[a, c + 1] + weights[c]
        whole = out[a, 0]
        fewer = min(hidden[a], 1.0)
        for k in range(DICE + 1):
            kept = out[a, k] if k == 0 else (1.0 - fewer) * out[a, k] + fewer * out[a, k + 1]
            out[a, k] = kept / whole


@kernel
def share_out(view, k, hidden):
    """Add to ``hidden`` (float64 (9,)) the shares of each animal among seat ``k``'s unseen cards."""
    unseen = np.empty(KINDS)
    total = 0.0
    for a in range(KINDS):
        unseen[a] = view.left[k, a]
    for i in range(view.chain_length):
        if view.chain_seats[i] == 1 + k and view.chain_animals[i] > 0:
            unseen[view.chain_animals[i] - 1] -= 1
    for a in range(KINDS):
        total += unseen[a]
    for a in range(KINDS):
        hidden[a] += unseen[a] / total
