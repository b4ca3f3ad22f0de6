"""Sets of small integers as bits of uint64 words: member ``i`` is bit ``i % 64`` of word ``i // 64``."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
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

    def spread(word, out, first, lanes):
        """Write the lowest ``lanes`` bits of ``word`` to ``out[first:]`` as 0 or 1."""
        for i in range(lanes):
            out[first + i] = int(word) >> i & 1

else:

    @intrinsic
    def lowest_bit(typing_context, word):
        """The position of the lowest set bit of a uint64 that is not 0, as int64."""

        def generate(context, builder, signature, arguments):
            is_zero_undefined = context.get_constant(types.boolean, True)
            return builder.cttz(arguments[0], is_zero_undefined)

        return types.int64(types.uint64), generate

    @intrinsic(prefer_literal=True)
    def spread(typing_context, word, out, first, lanes):
        """Write the lowest ``lanes`` (a literal) bits of ``word`` to ``out[first:]`` as 0 or 1."""
        if not isinstance(lanes, types.IntegerLiteral):
            return None
        count = lanes.literal_value
        entry = ir.IntType(out.dtype.bitwidth)

        def generate(context, builder, signature, arguments):
            word, out_value, start, _ = arguments
            array = context.make_array(out)(context, builder, out_value)
            lowest = builder.trunc(word, ir.IntType(count)) if count < WORD_BITS else word
            members = builder.bitcast(lowest, ir.VectorType(ir.IntType(1), count))
            entries = builder.zext(members, ir.VectorType(entry, count))
            pointer = builder.gep(array.data, [start])
            pointer = builder.bitcast(pointer, entries.type.as_pointer())
            builder.store(entries, pointer, align=entry.width // 8)

        return types.void(types.uint64, out, types.int64, lanes), generate


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
def expand(words, out):
    """Set ``out`` (at most 64 entries a word) to 1 at every member and to 0 elsewhere.

    Many entries at a time: a test or a store for each one was a third of a decision.
    """
    n = len(out)
    a = 0
    while a + 64 <= n:
        spread(word_from(words, a), out, a, 64)
        a += 64
    while a + 32 <= n:
        spread(word_from(words, a), out, a, 32)
        a += 32
    while a + 4 <= n:
        spread(word_from(words, a), out, a, 4)
        a += 4
    while a < n:
        out[np.uint64(a)] = word_from(words, a) & ONE
        a += 1


@kernel
def word_from(words, member):
    """The bits from ``member`` on, to the end of its word."""
    m = np.uint64(member)
    return words[m >> np.uint64(6)] >> (m & np.uint64(63))
