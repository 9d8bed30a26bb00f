"""Integers in nested tuples, layouts, tiles and swizzles.

A layout is the function that sends a coordinate to an offset, the sum of its entries times the strides. A flat index is
column-major: the leftmost mode is the fastest. Integers have any size, and sums never wrap.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import index
from typing import Any, Union

from .... import _core
from ...._errors import Error

IntOrIntTuple = Union[int, tuple["IntOrIntTuple", ...]]

__all__ = [
    "IntOrIntTuple",
    "Layout",
    "LayoutError",
    "Swizzle",
    "TensorStorageError",
    "Tile",
    "UnsupportedComposedLayoutError",
    "as_list",
    "as_shape",
    "as_tuple",
    "compatible",
    "compute_col_major_strides",
    "compute_row_major_strides",
    "concat",
    "congruent",
    "coords_all_none",
    "elem_scale",
    "fold",
    "fold_accumulate",
    "has_none",
    "inner_product",
    "is_int",
    "is_iterable",
    "is_scalar",
    "is_tuple",
    "make_swizzle",
    "normalize",
    "prefix_product",
    "product_each",
    "suffix_product",
    "transform_tuple",
    "tuple_max",
    "unwrap",
    "weakly_congruent",
    "zip_transform",
]


class LayoutError(Error):
    """An operation on layouts that has no answer."""


class MalformedError(LayoutError, TypeError, AttributeError):
    """An argument that is not what an operation takes: tensor-layouts raises any of these for one, by where it meets it."""


class UnsupportedComposedLayoutError(Error, NotImplementedError):
    """An operation that a composed layout of this form does not have."""


class TensorStorageError(Error):
    """Storage that does not hold what a tensor addresses."""


def _need(holds: bool, message: str) -> None:
    if not holds:
        raise LayoutError(message)


def is_tuple(x: Any) -> bool:
    """Whether it is a tuple."""
    return isinstance(x, tuple)


def is_int(x: Any) -> bool:
    """Whether it is an integer; truth values are none."""
    return isinstance(x, int) and not isinstance(x, bool)


def is_scalar(x: Any) -> bool:
    """Whether it is a shape of one extent without parentheses."""
    return is_int(x)


def is_iterable(x: Any) -> bool:
    """Whether it can be iterated over and is no text."""
    return isinstance(x, Iterable) and not isinstance(x, (str, bytes))


def has_none(a: Any) -> bool:
    """Whether a leaf is None."""
    return bool(fold(a, False, lambda found, leaf: found or leaf is None))


def coords_all_none(a: Any) -> bool:
    """Whether all leaves are None."""
    return bool(fold(a, True, lambda all_none, leaf: all_none and leaf is None))


def as_tuple(x: Any) -> tuple[Any, ...]:
    """The modes: an integer is its only one."""
    return (x,) if isinstance(x, int) else tuple(x)


def as_shape(items: Any) -> Any:
    """A tuple of these modes; the mode itself where there is one."""
    return items[0] if len(items) == 1 else tuple(items)


def as_list(x: Any) -> list[Any]:
    """The modes in a list."""
    return list(as_tuple(x))


def unwrap(t: Any) -> Any:
    """The entry of a tuple that has one entry; anything else as it is."""
    return t[0] if is_tuple(t) and len(t) == 1 else t


def normalize(x: Any) -> Any:
    """Integers in nested tuples, from any nested iterables of anything that counts as an integer."""
    if is_int(x):
        return x
    if is_iterable(x):
        return tuple(map(normalize, x))
    return _integer(x, TypeError(f"Cannot normalize shape: {type(x).__name__}"))


def _integer(x: Any, otherwise: TypeError) -> int:
    """An integer of Python or of another package, such as NumPy; no truth value."""
    if isinstance(x, bool) or not hasattr(x, "__index__"):
        raise otherwise
    try:
        return index(x)
    except TypeError:
        raise otherwise from None


def congruent(a: Any, b: Any) -> bool:
    """Whether two tuples are nested alike."""
    if is_tuple(a) and is_tuple(b):
        return len(a) == len(b) and all(map(congruent, a, b))
    return isinstance(a, int) and isinstance(b, int)


def weakly_congruent(a: Any, b: Any) -> bool:
    """Whether b is nested as a is, or deeper: an integer in a stands for any part of b."""
    if isinstance(a, int):
        return True
    return is_tuple(a) and is_tuple(b) and len(a) == len(b) and all(map(weakly_congruent, a, b))


def compatible(a: Any, b: Any) -> bool:
    """Whether the sizes agree and every coordinate of a is a coordinate of b."""
    if is_tuple(a) and is_tuple(b):
        return len(a) == len(b) and all(map(compatible, a, b))
    return not is_tuple(a) and _product(a) == _product(b)


def tuple_max(a: Any) -> Any:
    """The largest leaf."""
    return fold(a, -float("inf"), max)


def transform_tuple(t: Any, f: Callable[[Any], Any]) -> Any:
    """f of every leaf, nested as before."""
    return tuple(transform_tuple(entry, f) for entry in t) if is_tuple(t) else f(t)


def zip_transform(a: Any, b: Any, f: Callable[[Any, Any], Any]) -> Any:
    """f of every leaf of a with what stands at its place in b."""
    if not is_tuple(a):
        return f(a, b)
    _need(is_tuple(b) and len(a) == len(b), f"Structure mismatch: {a} vs {b}")
    return tuple(zip_transform(left, right, f) for left, right in zip(a, b))


def fold(t: Any, init: Any, f: Callable[[Any, Any], Any]) -> Any:
    """f over the leaves from the left."""
    return reduce(lambda state, entry: fold(entry, state, f), t, init) if is_tuple(t) else f(init, t)


def fold_accumulate(t: Any, init: Any, f: Callable[[Any, Any], Any], update: Callable[[Any, Any], Any]) -> Any:
    """f of every leaf and the state before it; `update` makes the state after an entry."""
    if not is_tuple(t):
        return f(t, init)
    entries = []
    for entry in t:
        entries.append(fold_accumulate(entry, init, f, update))
        init = update(entry, init)
    return tuple(entries)


def _product(a: Any) -> Any:
    """The product of the leaves."""
    return fold(a, 1, lambda left, right: left * right)


def elem_scale(a: Any, b: Any) -> Any:
    """Each leaf of a times the size of b at its place."""
    if is_tuple(a):
        if not is_tuple(b):
            raise TypeError(f"Cannot elem_scale tuple {a} by the integer {b}")
        return zip_transform(a, b, elem_scale)
    return a * _product(b)


def inner_product(a: Any, b: Any) -> int:
    """The sum of the products of the leaves."""
    if is_tuple(a):
        _need(is_tuple(b) and len(a) == len(b), f"Structure mismatch: {a} vs {b}")
        return sum(map(inner_product, a, b))
    if not isinstance(a, int) or not isinstance(b, int):
        raise TypeError(f"Expected int, got {type(a).__name__} and {type(b).__name__}")
    return a * b


def _running_product(a: Any, init: Any, backward: bool) -> Any:
    """For each leaf, `init` times the leaves before it; after it, where they are counted backward."""
    if not is_tuple(a):
        _need(not is_tuple(init), f"Structure mismatch: {a} vs {init}")
        return init
    if is_tuple(init):
        _need(len(a) == len(init), f"Length mismatch: {len(a)} vs {len(init)}")
        return tuple(_running_product(entry, first, backward) for entry, first in zip(a, init))
    strides = []
    for entry in reversed(a) if backward else a:
        strides.append(_running_product(entry, init, backward))
        init = init * _product(entry)
    return tuple(reversed(strides) if backward else strides)


def prefix_product(a: Any, init: Any = 1) -> Any:
    """For each leaf, `init` times the leaves before it."""
    return _running_product(a, init, False)


def suffix_product(a: Any, init: Any = 1) -> Any:
    """For each leaf, `init` times the leaves after it."""
    return _running_product(a, init, True)


def product_each(shape: Any) -> tuple[int, ...]:
    """The size of each mode."""
    return tuple(map(_product, as_tuple(shape)))


def compute_col_major_strides(shape: Any) -> Any:
    """The compact strides with the leftmost mode the fastest; 0 for modes of extent 1 before any other."""

    def stride(extent: int, before: int) -> int:
        return 0 if extent == 1 and before == 1 else before

    return fold_accumulate(shape, 1, stride, lambda entry, before: before * _product(entry))


def compute_row_major_strides(shape: Any) -> Any:
    """The compact strides with the rightmost mode the fastest."""
    return suffix_product(shape)


def _validated(x: Any, name: str) -> Any:
    """A shape or stride as nested tuples of Python's integers."""
    if is_int(x):
        return x
    if isinstance(x, (list, tuple)):
        return tuple(_validated(entry, name) for entry in x)
    return _integer(x, TypeError(f"Layout {name} must be int or tuple of ints, got {type(x).__name__}"))


def _text(x: Any) -> str:
    return str(x) if isinstance(x, int) else "(" + ", ".join(map(_text, x)) + ")"


class Layout:
    """A shape and a stride; without a stride, compact and column-major. Several layouts become the modes of one.

    The length is the size, and iteration gives the coordinates in column-major order.
    """

    def __init__(self, *args: Any) -> None:
        if args and all(isinstance(mode, Layout) for mode in args):
            shape = tuple(mode.shape for mode in args)
            stride = tuple(mode.stride for mode in args)
        elif len(args) > 2:
            raise TypeError("Layout() takes a shape, a shape and a stride, or layouts as modes")
        else:
            shape = _validated(args[0], "shape") if args else ()
            least = fold(shape, 0, min)
            if least < 0:
                raise MalformedError(f"Layout shape must contain only nonnegative extents, got {least}", "range")
            stride = _validated(args[1], "stride") if len(args) == 2 else compute_col_major_strides(shape)
        _need(congruent(shape, stride), f"Shape {shape} and Stride {stride} are not congruent")
        self._shape: Any = shape
        self._stride: Any = stride

    @property
    def shape(self) -> Any:
        """The extents, as nested as the modes are."""
        return self._shape

    @property
    def stride(self) -> Any:
        """What a step along each mode adds to the offset, in elements."""
        return self._stride

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.shape == other.shape and self.stride == other.stride

    def __hash__(self) -> int:
        return hash((self.shape, self.stride))

    def __repr__(self) -> str:
        return f"Layout({self.shape!r}, {self.stride!r})"

    def __str__(self) -> str:
        return f"{_text(self.shape)} : {_text(self.stride)}"

    def __call__(self, *args: Any) -> Any:
        """The offset of a coordinate or an index; with None, the layout of the free modes."""
        from .algebra import crd2offset, slice_modes

        coords = args[0] if len(args) == 1 else args
        if coords is None:
            return self
        if has_none(coords):
            return Layout(slice_modes(coords, self.shape), slice_modes(coords, self.stride))
        return crd2offset(coords, self.shape, self.stride)

    def squeeze(self) -> Layout:
        """Without modes of extent 1."""
        return Layout(*self.filter_shapes(self.shape, self.stride, 1))

    def filter(self) -> Layout:
        """Without modes of stride 0."""
        return Layout(*self.filter_strides(self.shape, self.stride, 0))

    def filter_shapes(self, shape: Any, stride: Any, target: int) -> tuple[Any, Any]:
        """Shape and stride without the leaves of this extent."""
        return _without(shape, stride, lambda extent, step: extent == target)

    def filter_strides(self, shape: Any, stride: Any, target: int) -> tuple[Any, Any]:
        """Shape and stride without the leaves of this stride."""
        return _without(shape, stride, lambda extent, step: step == target)

    def __len__(self) -> int:
        return int(_product(self.shape))

    def __iter__(self) -> Iterator[Any]:
        from .algebra import idx2crd

        return (idx2crd(at, self.shape) for at in range(len(self)))


def _without(shape: Any, stride: Any, drops: Callable[[int, int], bool]) -> tuple[Any, Any]:
    if not is_tuple(shape):
        return ((), ()) if drops(shape, stride) else (shape, stride)
    kept = [(extent, step) for extent, step in (_without(s, d, drops) for s, d in zip(shape, stride)) if extent != ()]
    return (as_shape([extent for extent, _ in kept]), as_shape([step for _, step in kept])) if kept else ((), ())


def expected_layout(layout: Any) -> None:
    """Refuses what is no layout."""
    if not isinstance(layout, Layout):
        raise MalformedError(f"Expected a layout, got {type(layout).__name__}", "kind")


def exact(layout: Layout) -> Any:
    """The same layout in the exact algebra."""
    expected_layout(layout)
    return _core.Layout(layout.shape, layout.stride)


def answer(layout: Any) -> Layout:
    """The answer of the exact algebra as a layout of this package."""
    return Layout(layout.shape, layout.stride)


def concat(t1: Any, t2: Any) -> Any:
    """The modes of one, then those of the other."""
    if is_tuple(t1) and is_tuple(t2):
        return t1 + t2
    if isinstance(t1, Layout) and isinstance(t2, Layout):
        return Layout(as_tuple(t1.shape) + as_tuple(t2.shape), as_tuple(t1.stride) + as_tuple(t2.stride))
    raise TypeError(f"Cannot concatenate {type(t1).__name__} and {type(t2).__name__}")


class Tile(tuple[Layout, ...]):
    """Layouts that tile the modes of another layout, one each."""

    __slots__ = ()

    def __new__(cls, *layouts: Layout) -> Tile:
        for at, layout in enumerate(layouts):
            if not isinstance(layout, Layout):
                raise TypeError(f"Tile element {at} must be a Layout, got {type(layout).__name__}")
        return super().__new__(cls, layouts)

    def __getnewargs__(self) -> tuple[Layout, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        return f"Tile({', '.join(map(repr, self))})"


class Swizzle:
    """Flips `bits` bits from `base` on by those `shift` bits higher, or lower for a negative shift."""

    def __init__(self, bits: int, base: int, shift: int) -> None:
        self.bits = bits
        self.base = base
        self.shift = shift

    def __repr__(self) -> str:
        return f"Swizzle({self.bits}, {self.base}, {self.shift})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Swizzle):
            return False
        return (self.bits, self.base, self.shift) == (other.bits, other.base, other.shift)

    def __hash__(self) -> int:
        return hash((self.bits, self.base, self.shift))

    @property
    def yyy_msk(self) -> int:
        """The bits that are read."""
        return ((1 << self.bits) - 1) << self.base + max(0, self.shift)

    @property
    def zzz_msk(self) -> int:
        """The bits that are flipped."""
        return ((1 << self.bits) - 1) << self.base + max(0, -self.shift)

    def __call__(self, idx: int) -> int:
        """The swizzled offset."""
        read = idx & self.yyy_msk
        return idx ^ (read >> self.shift if self.shift >= 0 else read << -self.shift)


def make_swizzle(Y: int, Z: int) -> Swizzle | None:
    """The swizzle that reads the bits of Y and flips those of Z; None where both are empty.

    Both must be runs of as many bits, one above the other.
    """
    bits = bin(Y).count("1")
    _need(bits == bin(Z).count("1"), f"make_swizzle: {Y:#b} and {Z:#b} differ in their number of bits")
    if bits == 0:
        return None
    low_y, low_z = ((mask & -mask).bit_length() - 1 for mask in (Y, Z))
    swizzle = Swizzle(bits, min(low_y, low_z), low_y - low_z)
    _need(abs(swizzle.shift) >= bits, f"make_swizzle: {Y:#b} and {Z:#b} overlap in their {bits} bits")
    _need((swizzle.yyy_msk, swizzle.zzz_msk) == (Y, Z), f"make_swizzle: {Y:#b} or {Z:#b} is no run of bits")
    return swizzle
