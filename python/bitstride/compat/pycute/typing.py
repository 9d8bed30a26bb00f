"""What an integer is."""

from .._typing import *
from .._typing import __all__ as __all__
