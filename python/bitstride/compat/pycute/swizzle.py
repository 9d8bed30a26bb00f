"""Swizzles and composed layouts; a star import has the names of `layout` too, as in pycute."""

from ._swizzle import *
from .layout import *
