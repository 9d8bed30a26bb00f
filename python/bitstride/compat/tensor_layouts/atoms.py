"""Instructions that multiply or copy tiles, by their layouts of threads and values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .layouts import Layout

__all__ = ["CopyAtom", "Layout", "MMAAtom"]


@dataclass(frozen=True)
class MMAAtom:
    """A matrix instruction: each operand's layout sends (thread, value) to an index into its tile, column-major.

    A is M x K, B is N x K and C is M x N; `thr_id` sends a thread of the layouts to a thread of the machine.
    """

    name: str
    ptx: str
    shape_mnk: tuple[int, int, int]
    thr_id: Any
    a_layout: Any
    b_layout: Any
    c_layout: Any

    def __str__(self) -> str:
        return f"MMAAtom('{self.name}', {'x'.join(map(str, self.shape_mnk))})"


@dataclass(frozen=True)
class CopyAtom:
    """A copy instruction: the layouts send (thread, value) to a bit of the source and of the destination."""

    name: str
    ptx: str
    thr_id: Any
    src_layout_bits: Any
    dst_layout_bits: Any

    def __str__(self) -> str:
        return f"CopyAtom('{self.name}')"
