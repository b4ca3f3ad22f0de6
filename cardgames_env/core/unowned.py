"""Arrays without reference counts, and whole rows at a time, for the inner loops."""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from cardgames_env.core.jit import COMPILER_OFF

if COMPILER_OFF:

    def unowned(array):
        """The array itself."""
        return array

    def flat(array):
        """The entries of a C-contiguous array, of any shape, in one row."""
        return array.reshape(-1)

    def part(array, first, end):
        """The entries ``first`` to before ``end`` of a row; 0 ≤ first ≤ end ≤ length."""
        return array[first:end]

    def fill(field, source):
        """Fill an array that is a field of a record from one of as many entries."""
        field.reshape(-1)[:] = source.reshape(-1)

    def fill_raised(field, first, source, raised):
        """``fill`` from entry ``first`` on, each entry raised by a number."""
        field.reshape(-1)[first:] = source.reshape(-1) + int(raised)

    def raise_row(field, k, source, p, raised):
        """Row ``k`` of a field from row ``p`` of a table, each entry raised by a number."""
        field[k] = source[p] + int(raised)

    def mark_row(field, k, source, p, value):
        """Row ``k`` of a field from row ``p`` of a table: 1 where an entry is ``value``, else 0."""
        field[k] = source[p] == value

    def fill_clockwise(field, source, viewer, players):
        """``fill`` with seats counted from a viewer: of seat p, 1 + how many places clockwise of the
        viewer it sits; 0 for −1, which is no seat.
        """
        seats = source.reshape(-1).astype(int)
        field.reshape(-1)[:] = np.where(seats < 0, 0, 1 + (seats - int(viewer)) % int(players))

else:

    @intrinsic
    def unowned(typing_context, array):
        """The same array, of which no slice or call counts references (each count is an atomic).

        For arrays that a caller holds for as long as the kernel runs, and only inside that kernel.
        """

        def generate(context, builder, signature, arguments):
            view = context.make_array(array)(context, builder, arguments[0])
            view.meminfo = ir.Constant(view.meminfo.type, None)
            view.parent = ir.Constant(view.parent.type, None)
            return view._getvalue()

        return array(array), generate

    @intrinsic
    def flat(typing_context, array):
        """The entries of a C-contiguous array, of any shape, in one row; unowned.

        Over one long row a loop is vectorized; over many short ones it is not.
        """
        if array.layout != "C":
            return None
        row = types.Array(array.dtype, 1, "C")

        def generate(context, builder, signature, arguments):
            view = context.make_array(array)(context, builder, arguments[0])
            out = context.make_array(row)(context, builder)
            out.data = view.data
            out.nitems = view.nitems
            out.itemsize = view.itemsize
            out.shape = cgutils.pack_array(builder, [view.nitems])
            out.strides = cgutils.pack_array(builder, [view.itemsize])
            out.meminfo = ir.Constant(out.meminfo.type, None)
            out.parent = ir.Constant(out.parent.type, None)
            return out._getvalue()

        return row(array), generate

    @intrinsic
    def part(typing_context, array, first, end):
        """The entries ``first`` to before ``end`` of a row, unowned; 0 ≤ first ≤ end ≤ length.

        A slice, without what a slice does about numbers that are negative or too large.
        """
        if array.ndim != 1 or array.layout != "C":
            return None

        def generate(context, builder, signature, arguments):
            value, first, end = arguments
            view = context.make_array(array)(context, builder, value)
            view.data = builder.gep(view.data, [first])
            view.nitems = builder.sub(end, first)
            view.shape = cgutils.pack_array(builder, [view.nitems])
            view.meminfo = ir.Constant(view.meminfo.type, None)
            view.parent = ir.Constant(view.parent.type, None)
            return view._getvalue()

        return array(array, types.int64, types.int64), generate

    CHUNK = 16  # entries that are copied at once

    def entries_of(context, builder, array, value, count, at=None):
        """Pointer to ``count`` entries of a C-contiguous array, from the entry number ``at`` on."""
        data = context.make_array(array)(context, builder, value).data
        if at is not None:
            data = builder.gep(data, [at])
        return builder.bitcast(data, ir.VectorType(data.type.pointee, count).as_pointer())

    def loaded(builder, pointer, array):
        return builder.load(pointer, align=array.dtype.bitwidth // 8)

    def as_wide(builder, entries, array, field):
        """Entries of an array as wide as those of a field."""
        wide = ir.VectorType(ir.IntType(field.dtype.bitwidth), entries.type.count)
        if entries.type == wide:
            return entries
        return (builder.sext if array.dtype.signed else builder.zext)(entries, wide)

    def splat(builder, number, entries):
        """A number (int64) in every entry of a vector like ``entries``."""
        number = builder.trunc(number, ir.IntType(entries.type.element.width))
        first = builder.insert_element(
            ir.Constant(entries.type, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
        )
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), entries.type.count), None)
        return builder.shuffle_vector(first, first, everywhere)

    def raised_by(number):
        def change(builder, entries, source, field):
            if number is not None:
                entries = builder.add(entries, splat(builder, number, entries))
            return as_wide(builder, entries, source, field)

        return change

    def chunks(count):
        """First entry and length of the pieces in which to copy so many: powers of two, few of them; the
        last ones may overlap.
        """
        first = 0
        while count - first >= CHUNK:
            yield first, CHUNK
            first += CHUNK
        if first < count:
            length = 1 << (count - first - 1).bit_length()
            if length <= count:
                yield count - length, length
            else:
                half = length // 2
                yield first, half
                yield count - half, half

    def copy(context, builder, field, target, begin, source, read, start, count, change):
        """Entries from ``start`` on of ``source`` to those from ``begin`` on of ``field``."""
        i64 = ir.IntType(64)
        for first, length in chunks(count):
            at = builder.add(start, ir.Constant(i64, first))
            entries = loaded(
                builder, entries_of(context, builder, source, read, length, at), source
            )
            entries = change(builder, entries, source, field)
            at = builder.add(begin, ir.Constant(i64, first))
            pointer = entries_of(context, builder, field, target, length, at)
            builder.store(entries, pointer, align=field.dtype.bitwidth // 8)

    def is_field(array):
        return isinstance(array, types.NestedArray)

    NOUGHT = ir.Constant(ir.IntType(64), 0)

    @intrinsic
    def fill(typing_context, field, source):
        """Fill an array that is a field of a record from one of as many entries (C-contiguous).

        Whole numbers, perhaps of a narrower type in ``source``. Many entries at once: in a loop, the
        compiler cannot know that no store changes what is still to be read.
        """
        if not is_field(field) or source.layout != "C":
            return None
        count = int(np.prod(field.shape))

        def generate(context, builder, signature, arguments):
            target, read = arguments
            change = raised_by(None)
            copy(context, builder, field, target, NOUGHT, source, read, NOUGHT, count, change)

        return types.void(field, source), generate

    @intrinsic
    def fill_clockwise(typing_context, field, source, viewer, players):
        """``fill`` with seats counted from a viewer: of seat p, 1 + how many places clockwise of the
        viewer it sits; 0 for −1, which is no seat.
        """
        if not is_field(field) or source.layout != "C":
            return None
        count = int(np.prod(field.shape))

        def generate(context, builder, signature, arguments):
            target, read, viewer, players = arguments

            def change(builder, seats, source, field):
                # Sums and minima, which are faster than choices. Unsigned, what is below 0 is large.
                place = builder.sub(seats, splat(builder, viewer, seats))
                around = builder.add(place, splat(builder, players, seats))
                before = builder.icmp_unsigned("<", place, around)
                place = builder.select(before, place, around)
                place = builder.add(place, splat(builder, ir.Constant(viewer.type, 1), seats))
                sign = splat(builder, ir.Constant(viewer.type, source.dtype.bitwidth - 1), seats)
                nobody = builder.ashr(seats, sign)  # all bits, or none
                place = builder.and_(place, builder.not_(nobody))
                return as_wide(builder, place, source, field)

            copy(context, builder, field, target, NOUGHT, source, read, NOUGHT, count, change)

        return types.void(field, source, types.int64, types.int64), generate

    @intrinsic(prefer_literal=True)
    def fill_raised(typing_context, field, first, source, raised):
        """``fill`` from entry ``first`` (a literal) on, each entry raised by a number."""
        if (
            not is_field(field)
            or source.layout != "C"
            or not isinstance(first, types.IntegerLiteral)
        ):
            return None
        start = first.literal_value
        count = int(np.prod(field.shape)) - start

        def generate(context, builder, signature, arguments):
            target, _, read, raised = arguments
            begin = ir.Constant(ir.IntType(64), start)
            change = raised_by(raised)
            copy(context, builder, field, target, begin, source, read, NOUGHT, count, change)

        return types.void(field, first, source, types.int64), generate

    def row_by_row(change_by):
        """An intrinsic: row ``k`` of a field from row ``p`` of a table with rows of the same length."""

        def row_intrinsic(typing_context, field, k, source, p, number):
            if not is_field(field) or source.layout != "C" or field.shape[1:] != source.shape[1:]:
                return None
            width = int(np.prod(field.shape[1:]))

            def generate(context, builder, signature, arguments):
                target, k, read, p, number = arguments
                begin = builder.mul(k, ir.Constant(k.type, width))
                start = builder.mul(p, ir.Constant(p.type, width))
                change = change_by(number)
                copy(context, builder, field, target, begin, source, read, start, width, change)

            return types.void(field, types.int64, source, types.int64, types.int64), generate

        return row_intrinsic

    def marked_where(number):
        def change(builder, entries, source, field):
            equal = builder.icmp_unsigned("==", entries, splat(builder, number, entries))
            wide = ir.VectorType(ir.IntType(field.dtype.bitwidth), entries.type.count)
            return builder.zext(equal, wide)

        return change

    raise_row = intrinsic(row_by_row(raised_by))
    mark_row = intrinsic(row_by_row(marked_where))
