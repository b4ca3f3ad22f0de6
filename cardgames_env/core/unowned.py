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

    @intrinsic
    def fill(typing_context, field, source):
        """Fill an array that is a field of a record from one of as many entries (C-contiguous).

        Whole numbers, perhaps of a narrower type in ``source``. All entries at once: in a loop, the
        compiler cannot know that no store changes what is still to be read.
        """
        if not isinstance(field, types.NestedArray) or source.layout != "C":
            return None
        count = int(np.prod(field.shape))

        def generate(context, builder, signature, arguments):
            def entries_of(array, value):
                data = context.make_array(array)(context, builder, value).data
                entries = ir.VectorType(data.type.pointee, count)
                return builder.bitcast(data, entries.as_pointer())

            target, read = entries_of(field, arguments[0]), entries_of(source, arguments[1])
            entries = builder.load(read, align=source.dtype.bitwidth // 8)
            if source.dtype.bitwidth < field.dtype.bitwidth:
                widen = builder.sext if source.dtype.signed else builder.zext
                entries = widen(entries, target.type.pointee)
            builder.store(entries, target, align=field.dtype.bitwidth // 8)

        return types.void(field, source), generate
