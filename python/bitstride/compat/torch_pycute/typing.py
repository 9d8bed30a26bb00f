"""What an integer is."""

from .._typing import Integer

__all__ = ["Integer"]
