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
        """``fill`` from entry ``first`` on, each entry raised by a number; see below."""
        field.reshape(-1)[first:] = source.reshape(-1) + int(raised)

    def fill_by_seat(field, source, seat, players, most):
        """Fill a field by seat from one of the same shape, clockwise from ``seat``; see below."""
        field[:] = 0
        for k in range(players):
            field[k] = np.minimum(source[(seat + k) % players], most)

    def raise_by_seat(field, source, seat, players, raised):
        """``fill_by_seat``, each entry raised by a number; it wraps around in the type of ``source``."""
        field[:] = 0
        for k in range(players):
            field[k] = source[(seat + k) % players] + int(raised)

    def mark_by_seat(field, source, seat, players, value):
        """``fill_by_seat`` with 1 where an entry of ``source`` is ``value``, else 0."""
        field[:] = 0
        for k in range(players):
            field[k] = source[(seat + k) % players] == value

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
        if array.dtype.bitwidth > field.dtype.bitwidth:
            return builder.trunc(entries, wide)
        if array.dtype.bitwidth == field.dtype.bitwidth:
            return entries
        return (builder.sext if array.dtype.signed else builder.zext)(entries, wide)

    def splat(builder, number, entries):
        """A number in every entry of a vector like ``entries``, cut to its type."""
        width = entries.type.element.width
        number = builder.trunc(number, ir.IntType(width)) if width < 64 else number
        first = builder.insert_element(
            ir.Constant(entries.type, ir.Undefined), number, ir.Constant(ir.IntType(32), 0)
        )
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), entries.type.count), None)
        return builder.shuffle_vector(first, first, everywhere)

    def is_field(array):
        return isinstance(array, types.NestedArray)

    @intrinsic
    def fill(typing_context, field, source):
        """Fill an array that is a field of a record from one of as many entries (C-contiguous).

        Whole numbers, perhaps of a narrower type in ``source``. All entries at once: in a loop, the
        compiler cannot know that no store changes what is still to be read.
        """
        if not is_field(field) or source.layout != "C":
            return None
        count = int(np.prod(field.shape))

        def generate(context, builder, signature, arguments):
            target = entries_of(context, builder, field, arguments[0], count)
            read = entries_of(context, builder, source, arguments[1], count)
            entries = as_wide(builder, loaded(builder, read, source), source, field)
            builder.store(entries, target, align=field.dtype.bitwidth // 8)

        return types.void(field, source), generate

    @intrinsic(prefer_literal=True)
    def fill_raised(typing_context, field, first, source, raised):
        """``fill`` from entry ``first`` (a literal) on, each entry raised by a number.

        It wraps around in the type of ``source``.
        """
        if not is_field(field) or source.layout != "C" or not isinstance(first, types.IntegerLiteral):
            return None
        start = first.literal_value
        count = int(np.prod(field.shape)) - start

        def generate(context, builder, signature, arguments):
            target, _, read, raised = arguments
            begin = ir.Constant(ir.IntType(64), start)
            target = entries_of(context, builder, field, target, count, begin)
            entries = loaded(builder, entries_of(context, builder, source, read, count), source)
            entries = builder.add(entries, splat(builder, raised, entries))
            entries = as_wide(builder, entries, source, field)
            builder.store(entries, target, align=field.dtype.bitwidth // 8)

        return types.void(field, first, source, types.int64), generate

    def by_seat(change):
        """An intrinsic that fills a field row by row: seat 0 of it is ``seat`` of the source, and so on
        clockwise; rows of seats at which nobody sits are 0. ``change`` makes a row of what was read.
        """

        def intrinsic_body(typing_context, field, source, seat, players, number):
            if not is_field(field) or source.layout != "C" or field.shape[1:] != source.shape[1:]:
                return None
            width = int(np.prod(field.shape[1:]))

            def generate(context, builder, signature, arguments):
                target, read, seat, players, number = arguments
                i64 = players.type
                size = field.shape[0] * width
                align = field.dtype.bitwidth // 8
                all_rows = entries_of(context, builder, field, target, size)
                builder.store(ir.Constant(all_rows.type.pointee, None), all_rows, align=align)
                done = builder.append_basic_block("done")
                for k in range(field.shape[0]):  # a loop would be unrolled, for rows that are not there
                    row = builder.append_basic_block("row")
                    sits = builder.icmp_signed("<", ir.Constant(i64, k), players)
                    builder.cbranch(sits, row, done)
                    builder.position_at_end(row)
                    p = builder.add(seat, ir.Constant(i64, k))
                    beyond = builder.icmp_signed(">=", p, players)
                    p = builder.select(beyond, builder.sub(p, players), p)
                    at = builder.mul(p, ir.Constant(i64, width))
                    entries = entries_of(context, builder, source, read, width, at)
                    entries = change(builder, loaded(builder, entries, source), number, source, field)
                    place = ir.Constant(i64, k * width)
                    pointer = entries_of(context, builder, field, target, width, place)
                    builder.store(entries, pointer, align=align)
                builder.branch(done)
                builder.position_at_end(done)

            numbers = (types.int64, types.int64, types.int64)
            return types.void(field, source, *numbers), generate

        return intrinsic_body

    def cut_off(builder, row, number, source, field):
        most = splat(builder, number, row)
        below = builder.icmp_signed if source.dtype.signed else builder.icmp_unsigned
        row = builder.select(below("<", row, most), row, most)
        return as_wide(builder, row, source, field)

    def raise_row(builder, row, number, source, field):
        return as_wide(builder, builder.add(row, splat(builder, number, row)), source, field)

    def mark_row(builder, row, number, source, field):
        equal = builder.icmp_unsigned("==", row, splat(builder, number, row))
        wide = ir.VectorType(ir.IntType(field.dtype.bitwidth), row.type.count)
        return builder.zext(equal, wide)

    fill_by_seat = intrinsic(by_seat(cut_off))
    raise_by_seat = intrinsic(by_seat(raise_row))
    mark_by_seat = intrinsic(by_seat(mark_row))
