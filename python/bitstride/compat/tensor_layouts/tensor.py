"""Tensors; a star import has the names of `layouts` too, as in tensor-layouts."""

from ._tensor import *
from .layouts import *
