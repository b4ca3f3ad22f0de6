"""Arrays without reference counts, for the inner loops."""

from __future__ import annotations

from llvmlite import ir
from numba.extending import intrinsic

from cardgames_env.core.jit import COMPILER_OFF

if COMPILER_OFF:

    def unowned(array):
        """The array itself."""
        return array

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
