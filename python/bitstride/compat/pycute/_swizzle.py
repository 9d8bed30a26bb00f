"""Swizzles and composed layouts."""

from __future__ import annotations

from typing import Any

from .._refused import need
from .int_tuple import has_none
from ._layout import LayoutBase, slice_and_offset

__all__ = [
    "ComposedLayout",
    "Swizzle",
    "shiftl",
    "shiftr",
]


def shiftr(a: int, s: int) -> int:
    """a shifted right by s bits; left for a negative s."""
    return a >> s if s >= 0 else a << -s


def shiftl(a: int, s: int) -> int:
    """a shifted left by s bits; right for a negative s."""
    return shiftr(a, -s)


class Swizzle:
    """Flips `bits` bits from `base` on by those `shift` bits higher, or lower for a negative shift."""

    def __init__(self, bits: int, base: int, shift: int) -> None:
        need(bits >= 0 and base >= 0, f"bits {bits} and base {base} of a swizzle are not negative")
        need(abs(shift) >= bits, f"a shift of {shift} is less than {bits} bits")
        self.bits = bits
        self.base = base
        self.shift = shift
        mask = (1 << bits) - 1
        self.yyy_msk: int = mask << base + max(0, shift)
        self.zzz_msk: int = mask << base - min(0, shift)

    def __call__(self, offset: int) -> int:
        return offset ^ shiftr(offset & self.yyy_msk, self.shift)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Swizzle):
            return NotImplemented
        return (self.bits, self.base, self.shift) == (other.bits, other.base, other.shift)

    def __hash__(self) -> int:
        return hash((self.bits, self.base, self.shift))

    def size(self) -> int:
        """The number of offsets that it permutes."""
        return 1 << self.bits + self.base + abs(self.shift)

    def cosize(self) -> int:
        """The same: it is a permutation."""
        return self.size()

    def __str__(self) -> str:
        return f"SW_{self.bits}_{self.base}_{self.shift}"

    def __repr__(self) -> str:
        return f"Swizzle({self.bits},{self.base},{self.shift})"


class ComposedLayout(LayoutBase):
    """B(offset + A(c))."""

    def __init__(self, layoutB: Any, offset: Any, layoutA: Any) -> None:
        self.layoutB = layoutB
        self.offset = offset
        self.layoutA = layoutA

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ComposedLayout):
            return NotImplemented
        mine, theirs = vars(self), vars(other)
        return mine == theirs

    def __hash__(self) -> int:
        return hash((self.layoutB, self.offset, self.layoutA))

    def __len__(self) -> int:
        return len(self.layoutA)

    def __call__(self, *args: Any) -> Any:
        """The offset of a coordinate or an index; with None, the function of the free modes."""
        crd = args[0] if len(args) == 1 else args
        if has_none(crd):
            free, offset = slice_and_offset(crd, self.layoutA)
            return ComposedLayout(self.layoutB, self.offset + offset, free)
        return self.layoutB(self.offset + self.layoutA(*args))

    def __getitem__(self, i: Any) -> ComposedLayout:
        return ComposedLayout(self.layoutB, self.offset, self.layoutA[i])

    def size(self) -> Any:
        """The number of elements."""
        return self.layoutA.size()

    def cosize(self) -> Any:
        """The reach of what is applied last."""
        return self.layoutB.cosize()

    def __str__(self) -> str:
        return f"{self.layoutB} o {self.offset} o {self.layoutA}"

    def __repr__(self) -> str:
        return f"ComposedLayout({self.layoutB!r},{self.offset!r},{self.layoutA!r})"
