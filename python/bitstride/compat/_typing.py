"""What an integer is."""

from abc import ABC
from typing import Any

__all__ = [
    "ABC",
    "Integer",
]


class Integer(ABC):
    """Python's own integers; truth values are none."""

    @classmethod
    def __subclasshook__(cls, kind: Any) -> Any:
        return kind not in (bool, float) and issubclass(kind, int)
