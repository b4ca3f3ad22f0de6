"""The uniform choice from a mask, 64 entries at a time, against one entry at a time."""

import numpy as np
import pytest

from cardgames_env.core import bits
from cardgames_env.core.jit import kernel
from cardgames_env.core.policy import choose_random
from cardgames_env.core.rng import WORDS, below, seed_stream


@kernel
def choose_all(masks, rng, out):
    for i in range(len(masks)):
        out[i] = choose_random(masks[i], rng)


@kernel
def positions(word, out, in_steps):
    for left in range(len(out)):
        out[left] = bits.nth_bit(word, left)
        in_steps[left] = bits.nth_bit_in_steps(word, left)


@pytest.mark.parametrize("actions", [1, 7, 8, 15, 16, 23, 31, 63, 64, 65, 100, 127, 128, 411, 448])
def test_choice_from_masks_of_any_length(actions):
    draw = np.random.default_rng(actions)
    masks = (draw.random((200, actions)) < draw.random((200, 1))).astype(np.int8)
    masks[np.arange(200), draw.integers(actions, size=200)] = 1
    rng, same = np.zeros((2, WORDS), np.uint64)
    seed_stream(rng, np.uint64(7))
    seed_stream(same, np.uint64(7))
    chosen = np.zeros(200, np.int64)
    choose_all(masks, rng, chosen)
    for mask, action in zip(masks, chosen, strict=True):
        legal = np.flatnonzero(mask)
        assert action == legal[int(below(same, len(legal)))]
    assert (rng == same).all()


@pytest.mark.parametrize("word", [1, 2**63, 2**64 - 1, 0xF00F00000000A005])
def test_nth_bit_with_and_without_the_instruction_for_it(word):
    expected = [i for i in range(64) if word >> i & 1]
    found, in_steps = np.zeros((2, len(expected)), np.int64)
    positions(np.uint64(word), found, in_steps)
    assert found.tolist() == expected == in_steps.tolist()


@kernel
def write_and_collect(words, out, again):
    for i in range(len(words)):
        bits.write(words[i], out[i])
        again[i] = bits.collect(out[i], 0)


@pytest.mark.parametrize("actions", [32, 33, 47, 48, 54, 63, 64])
def test_a_word_written_as_a_mask_and_read_again(actions):
    top = np.uint64(64 - actions)
    words = np.random.default_rng(actions).integers(0, 2**64, 50, dtype=np.uint64) >> top
    out = np.full((50, actions), 9, np.int8)
    again = np.zeros(50, np.uint64)
    write_and_collect(words, out, again)
    assert out.tolist() == [[int(word) >> a & 1 for a in range(actions)] for word in words]
    assert (again == words).all()
