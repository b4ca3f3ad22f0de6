"""Sets of small integers as bits of uint64 words: member ``i`` is bit ``i % 64`` of word ``i // 64``."""

from __future__ import annotations

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from cardgames_env.core.jit import COMPILER_OFF, kernel

ZERO = np.uint64(0)
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

    def gathered(entries, first, lanes):
        """``lanes`` entries of an int8 array from ``first`` on, as bits of a uint64: 1 where not 0."""
        word = 0
        for i in range(lanes):
            word |= int(entries[first + i] != 0) << i
        return np.uint64(word)

    def count(word):
        """How many bits of a uint64 are set, as int64."""
        return int(word).bit_count()

    def nth_bit(word, left):
        """The position of the set bit that has ``left`` set bits below it, as int64."""
        word = int(word)
        for _ in range(left):
            word &= word - 1
        return lowest_bit(word)

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

    @intrinsic(prefer_literal=True)
    def gathered(typing_context, entries, first, lanes):
        """The ``lanes`` (a literal) entries of an int8 array from ``first`` on, at most 64, as bits of a
        uint64: 1 where not 0.
        """
        if not isinstance(lanes, types.IntegerLiteral):
            return None
        vector = ir.VectorType(ir.IntType(8), lanes.literal_value)

        def generate(context, builder, signature, arguments):
            array = context.make_array(entries)(context, builder, arguments[0])
            pointer = builder.gep(array.data, [arguments[1]])
            pointer = builder.bitcast(pointer, vector.as_pointer())
            values = builder.load(pointer, align=1)
            members = builder.icmp_unsigned("!=", values, ir.Constant(vector, None))
            word = builder.bitcast(members, ir.IntType(vector.count))
            return builder.zext(word, ir.IntType(64)) if vector.count < WORD_BITS else word

        return types.uint64(entries, types.int64, lanes), generate

    @intrinsic
    def count(typing_context, word):
        """How many bits of a uint64 are set, as int64."""

        def generate(context, builder, signature, arguments):
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    @intrinsic
    def nth_bit(typing_context, word, left):
        """The position of the set bit that has ``left`` set bits below it, as int64."""

        def generate(context, builder, signature, arguments):
            word, left = arguments
            i64 = ir.IntType(64)
            one = ir.Constant(i64, 1)
            if deposits_bits(context):
                kind = ir.FunctionType(i64, [i64, i64])
                deposit = cgutils.get_or_insert_function(
                    builder.module, kind, "llvm.x86.bmi.pdep.64"
                )
                bit = builder.call(deposit, [builder.shl(one, left), word])
                return builder.cttz(bit, ir.Constant(ir.IntType(1), 1))
            return context.compile_internal(builder, nth_bit_in_steps.py_func, signature, arguments)

        return types.int64(types.uint64, types.int64), generate

    def deposits_bits(context):
        """Whether code is compiled for a CPU with a fast PDEP instruction."""
        codegen = context.codegen()
        slow = ("znver1", "znver2")  # dozens of steps there
        return "+bmi2" in codegen._tm_features and numba.config.CPU_NAME not in slow


@kernel
def nth_bit_in_steps(word, left):
    """``nth_bit`` for any CPU: by halves, without a branch that depends on the bits."""
    position = ZERO
    width = np.uint64(32)
    while width > ZERO:
        here = count(word & ((ONE << width) - ONE))
        step = width if left >= here else ZERO
        left -= here if left >= here else 0
        word >>= step
        position += step
        width >>= ONE
    return np.int64(position)


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


@kernel
def collect(entries, first):
    """The bytes of an array from ``first`` on, at most 64 of them, as bits of a word: 1 where not 0."""
    n = len(entries)
    if first + WORD_BITS <= n:
        return gathered(entries, first, 64)
    if n >= WORD_BITS:  # the last 64, without those before `first`
        return gathered(entries, n - WORD_BITS, 64) >> np.uint64(WORD_BITS + first - n)
    if n >= 48:  # 32, 16 and the last 16, which may be the same in part
        last = gathered(entries, n - 16, 16) << np.uint64(n - 16)
        return gathered(entries, 0, 32) | gathered(entries, 32, 16) << np.uint64(32) | last
    if n >= 32:  # the first 32 and the last 32
        return gathered(entries, 0, 32) | gathered(entries, n - 32, 32) << np.uint64(n - 32)
    if n >= 16:
        return gathered(entries, 0, 16) | gathered(entries, n - 16, 16) << np.uint64(n - 16)
    if n >= 8:
        return gathered(entries, 0, 8) | gathered(entries, n - 8, 8) << np.uint64(n - 8)
    return collect_few(entries)


@kernel
def write(word, out):
    """Set ``out`` (int8, 32 to 64 entries) to 1 at every member of a word, and to 0 elsewhere.

    In two stores, from which ``collect`` can read at once what has not yet reached the cache.
    """
    last = len(out) - 32
    spread(word >> np.uint64(last), out, last, 32)
    spread(word, out, 0, 32)


@kernel
def collect_few(entries):
    """All of fewer than 8 entries."""
    word = np.uint64(0)
    for i in range(len(entries)):
        word |= np.uint64(entries[i] != 0) << np.uint64(i)
    return word
