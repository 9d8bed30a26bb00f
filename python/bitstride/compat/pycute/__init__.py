"""CUTLASS's pycute, exact: `from bitstride.compat.pycute import *` in place of `from pycute import *`.

Names, classes and printing are pycute's. Where its answer is wrong, a refusal is raised that is both an AssertionError, as
pycute raises, and a `bitstride.Error` with the reason. Flat indices are column-major; Python's rounding of negative ones is
kept.
"""

from .._refused import Refused as Refused
from .int_tuple import *
from .layout import *
from .swizzle import *
from .typing import *
