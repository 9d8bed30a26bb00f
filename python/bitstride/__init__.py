"""One exact algebra for tensor layouts: the true answer, or a refusal that shows why there is none.

>>> import bitstride
>>> bitstride.Layout("(6,2):(8,2)") @ bitstride.Layout("(4,3):(3,1)")
Layout('((2,2),3):((24,2),8)')

Values never change; `type(x)(str(x)) == x`. A flat index into a layout of CuTe is column-major, the leftmost mode the
fastest; tensors of all other families are numbered row-major.
"""

import builtins as _builtins

from . import triton as triton
from . import xla as xla
from ._core import (
    AffineMap,
    Basis,
    ComposedLayout,
    Encoding,
    Explanation,
    Layout,
    LinearLayout,
    Map,
    Picture,
    Step,
    Swizzle,
    Symbol,
    Tiler,
    Value,
    Verdict,
    __version__,
    call,
    evaluate,
    explain,
    operations,
    parse,
    show,
)
from ._errors import Error, ModeError, RefusedError, UndecidedError, Witness
from ._operations import *
from ._operations import __all__ as _names

_ = None
"""A mode that is left as it is, or left free."""

__all__ = [
    "AffineMap",
    "Basis",
    "ComposedLayout",
    "Encoding",
    "Error",
    "Explanation",
    "Layout",
    "LinearLayout",
    "Map",
    "ModeError",
    "Picture",
    "RefusedError",
    "Step",
    "Swizzle",
    "Symbol",
    "Tiler",
    "UndecidedError",
    "Value",
    "Verdict",
    "Witness",
    "__version__",
    "call",
    "evaluate",
    "explain",
    "operations",
    "parse",
    "show",
    "triton",
    "xla",
]
# A star import leaves Python's own names alone; `bitstride.zip` is there all the same.
__all__ += [name for name in _names if not hasattr(_builtins, name)]
