"""A strategy of a solved game as a Parquet file: one row per information set and action."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from cardgames_env.core.files import write_whole
from experiments.solve import BATCH, reach
from experiments.tree import Tree

SCHEMA = pa.schema(
    [
        pa.field("infoset", pa.int32()),
        pa.field("seat", pa.int8()),
        pa.field("key", pa.dictionary(pa.int32(), pa.large_string())),
        pa.field("action", pa.int16()),
        pa.field("name", pa.dictionary(pa.int32(), pa.string())),
        pa.field("probability", pa.float64()),
        pa.field("reach", pa.float64()),
    ]
)


def check_writable(path: Path) -> None:
    """Notice before a long run that its file could not be written. Raises OSError."""
    new = not path.exists()
    with path.open("ab"):
        pass
    if new:
        path.unlink()


def write_solution(tree: Tree, strategy: np.ndarray, path: Path) -> None:
    """Write a strategy.

    ``key`` is for readers (see ``keys``); ``reach`` the probability that play comes to the information
    set.
    """
    infoset = tree.slot_infoset
    names, name_of = np.unique(tree.slot_action, return_inverse=True)
    columns = [
        pa.array(infoset, pa.int32()),
        pa.array(tree.seat[infoset], pa.int8()),
        pa.DictionaryArray.from_arrays(
            pa.array(infoset, pa.int32()), pa.array(keys(tree), pa.large_string())
        ),
        pa.array(tree.slot_action),
        pa.DictionaryArray.from_arrays(
            pa.array(name_of, pa.int32()), [tree.game.action_name(int(a)) for a in names]
        ),
        pa.array(strategy),
        pa.array(reach(tree, strategy)[infoset]),
    ]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, schema=SCHEMA), buffer, compression="zstd")
    write_whole(path, buffer.getvalue())


def keys(tree: Tree) -> list[str]:
    """What the owner of each information set has seen and done, in words.

    At its first decision the entries of its view that are not 0, then after each of its actions those
    that have changed since; without what is the same throughout the game.
    """
    labels, telling = _labels(tree), _telling(tree)
    slot_infoset = tree.slot_infoset
    texts: list[str] = []
    for numbers in _batches(tree):
        now = tree.views(numbers)[:, telling]
        came_by = tree.came_by[numbers]
        before = tree.views(slot_infoset[np.maximum(came_by, 1) - 1])[:, telling]
        before[came_by == 0] = 0
        for up, old, new in zip(came_by.tolist(), before, now, strict=True):
            changed = np.flatnonzero(old != new)
            text = " ".join(f"{labels[telling[i]]}={new[i]}" for i in changed)
            if up > 0:
                name = tree.game.action_name(int(tree.slot_action[up - 1]))
                text = "; ".join(filter(None, [texts[slot_infoset[up - 1]], name, text]))
            texts.append(text)
    return texts


def _batches(tree: Tree) -> Iterator[np.ndarray]:
    for first in range(0, tree.num_infosets, BATCH):
        yield np.arange(first, min(first + BATCH, tree.num_infosets))


def _labels(tree: Tree) -> list[str]:
    """A name for every entry of the flat view: ``hand[2]``."""
    labels = []
    for field in tree.game.view_fields:
        if field.shape == ():
            labels.append(field.name)
        else:
            places = np.ndindex(*field.shape)
            labels += [f"{field.name}[{','.join(map(str, place))}]" for place in places]
    return labels


def _telling(tree: Tree) -> np.ndarray:
    """The entries of the flat view that are not the same everywhere."""
    first = tree.views(np.array([0]))[0]
    differs = np.zeros(len(first), bool)
    for numbers in _batches(tree):
        differs |= (tree.views(numbers) != first).any(axis=0)
    return np.flatnonzero(differs)
