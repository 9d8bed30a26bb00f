"""Integers in nested tuples, of any size: sums never wrap."""

from .._int_tuple import *
from .._int_tuple import __all__ as __all__
