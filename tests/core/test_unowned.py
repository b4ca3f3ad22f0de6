"""Fields of records filled many entries at a time."""

import numpy as np
import pytest

from cardgames_env.core.jit import COMPILER_OFF, kernel
from cardgames_env.core.unowned import (
    fill,
    fill_clockwise,
    fill_raised,
    mark_row,
    part,
    raise_row,
)


@kernel
def fill_both(targets, sources):
    fill(targets[0].row, sources[0].row)
    fill_raised(targets[0].rest, 1, part(sources[0].rest, 2, 2 + len(targets[0].rest) - 1), 3)


@kernel
def fill_rows(targets, sources, shift):
    rows = len(sources[0].table)
    for k in range(rows):
        p = k + shift if k + shift < rows else k + shift - rows
        raise_row(targets[0].raised, k, sources[0].table, p, 1)
        mark_row(targets[0].marked, k, sources[0].table, p, 2)


@kernel
def fill_seats(targets, sources, viewer, players):
    fill_clockwise(targets[0].row, sources[0].row, viewer, players)


def records(array):
    """An array whose fields kernels can read by name, also as plain Python."""
    return array.view(np.recarray) if COMPILER_OFF else array


def between_guards(*fields):
    """One record of these fields with a guard entry around each, all entries 77."""
    guarded = [("guard", np.int16)]
    for k, field in enumerate(fields):
        guarded += [field, (f"guard{k}", np.int16)]
    record = np.zeros(1, np.dtype(guarded))
    record.view(np.int16)[:] = 77
    return record


@pytest.mark.parametrize("narrow", [np.int8, np.int16])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 13, 15, 16, 17, 31, 33, 104])
def test_fill_writes_every_entry_and_no_other(count, narrow):
    draw = np.random.default_rng(count)
    source = np.zeros(1, [("row", narrow, (count,)), ("rest", narrow, (count + 9,))])
    source["row"] = draw.integers(-5, 100, count)
    source["rest"] = draw.integers(-5, 100, count + 9)
    target = between_guards(("row", np.int16, (count,)), ("rest", np.int16, (count + 1,)))
    fill_both(records(target), records(source))
    assert target["row"].tolist() == source["row"].tolist()
    assert target["rest"][0].tolist() == [77, *(source["rest"][0, 2 : count + 2] + 3).tolist()]
    assert [target[name][0] for name in target.dtype.names if "guard" in name] == [77] * 3


@pytest.mark.parametrize("shift", [0, 2, 4])
@pytest.mark.parametrize("width", [1, 4, 6, 8, 11])
def test_rows(width, shift):
    source = np.zeros(1, [("table", np.int8, (5, width))])
    source["table"] = np.random.default_rng(width).integers(-1, 5, (5, width))
    target = between_guards(("raised", np.int16, (5, width)), ("marked", np.int16, (5, width)))
    fill_rows(records(target), records(source), shift)
    turned = np.roll(source["table"][0], -shift, axis=0)
    assert (target["raised"][0] == turned + 1).all()
    assert (target["marked"][0] == (turned == 2)).all()
    assert [target[name][0] for name in target.dtype.names if "guard" in name] == [77] * 3


@pytest.mark.parametrize("viewer", [0, 1, 3])
@pytest.mark.parametrize("count", [3, 16, 50])
def test_seats_counted_from_a_viewer(count, viewer):
    source = np.zeros(1, [("row", np.int8, (count,))])
    source["row"] = np.random.default_rng(count).integers(-1, 4, count)
    target = between_guards(("row", np.int16, (count,)))
    fill_seats(records(target), records(source), viewer, 4)
    seats = source["row"][0].tolist()
    assert target["row"][0].tolist() == [0 if p < 0 else 1 + (p - viewer) % 4 for p in seats]
    assert [target[name][0] for name in target.dtype.names if "guard" in name] == [77] * 2
