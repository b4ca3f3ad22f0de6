"""Sets of small integers as bits of uint64 words: member ``i`` is bit ``i % 64`` of word ``i // 64``."""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from cardgames_env.core.jit import COMPILER_OFF, kernel

ONE = np.uint64(1)
WORD_BITS = 64

if COMPILER_OFF:

    def lowest_bit(word):
        """The position of the lowest set bit of a uint64 that is not 0, as int64."""
        word = int(word)
        return (word & -word).bit_length() - 1

else:

    @intrinsic
    def lowest_bit(typing_context, word):
        """The position of the lowest set bit of a uint64 that is not 0, as int64."""

        def generate(context, builder, signature, arguments):
            is_zero_undefined = context.get_constant(types.boolean, True)
            return builder.cttz(arguments[0], is_zero_undefined)

        return types.int64(types.uint64), generate


@kernel
def has(words, member):
    """Whether ``member`` (≥ 0) is in the set."""
    m = np.uint64(member)
    return (words[m >> np.uint64(6)] >> (m & np.uint64(63))) & ONE != 0


@kernel
def add(words, member):
    m = np.uint64(member)
    words[m >> np.uint64(6)] |= ONE << (m & np.uint64(63))


@kernel
def remove(words, member):
    m = np.uint64(member)
    words[m >> np.uint64(6)] &= ~(ONE << (m & np.uint64(63)))


@kernel
def expand(words, n_words, out):
    """Clear ``out`` and set it to 1 at every member (clearing and setting beats testing each bit)."""
    out[:] = 0
    for w in range(n_words):
        word = words[w]
        while word != 0:
            out[np.uint64(w * WORD_BITS + lowest_bit(word))] = 1
            word &= word - ONE
