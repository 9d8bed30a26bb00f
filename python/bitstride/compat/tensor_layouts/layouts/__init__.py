"""Layouts and their algebra."""

from . import algebra, core, expr
from .algebra import *
from .core import *
from .expr import *

__all__: list[str] = []
__all__ += algebra.__all__
__all__ += core.__all__
__all__ += expr.__all__
