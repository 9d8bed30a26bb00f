"""Triton's `LinearLayout` and Gluon's layout classes, without a kernel or a GPU.

`from bitstride.compat.triton import LinearLayout` stands for `from triton.tools import LinearLayout`, and
`from bitstride.compat.triton import gluon as ttgl` for the layouts of `triton.experimental.gluon.language`. What ends the
process in Triton raises a `bitstride.Error` here, which is a ValueError.
"""

from . import gluon as gluon
from .gluon import *
from .linear import *
