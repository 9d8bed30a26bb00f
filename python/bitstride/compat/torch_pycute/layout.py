"""Layouts and their operations; a star import has the names of `int_tuple` too."""

from ._layout import *
from .int_tuple import *
