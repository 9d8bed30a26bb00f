"""Layouts and their operations."""

from __future__ import annotations

from itertools import chain
from typing import Any, Union

from ... import _core
from ._refused import need, refusing
from .int_tuple import crd2idx, has_none, is_int, is_tuple, prefix_product, product, slice_

__all__ = [
    "Layout",
    "LayoutBase",
    "Union",
    "chain",
    "coalesce",
    "complement",
    "composition",
    "cosize",
    "filter",
    "hier_unzip",
    "is_layout",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "make_layout",
    "right_inverse",
    "size",
    "slice_and_offset",
    "tiled_divide",
    "tiled_product",
    "zipped_divide",
    "zipped_product",
]


class LayoutBase:
    """What layouts and composed layouts share."""


def is_layout(x: Any) -> bool:
    """Whether it is a layout or a composed one."""
    return isinstance(x, LayoutBase)


class Layout(LayoutBase):
    """A shape and a stride as Python has them; without a stride, compact and column-major."""

    def __init__(self, _shape: Any, _stride: Any = None) -> None:
        self.shape = _shape
        self.stride = prefix_product(_shape) if _stride is None else _stride

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return bool(self.shape == other.shape and self.stride == other.stride)

    def __hash__(self) -> int:
        return hash((self.shape, self.stride))

    def __len__(self) -> int:
        return len(self.shape) if is_tuple(self.shape) else 1

    def __call__(self, *args: Any) -> Any:
        """The offset of a coordinate or an index; with None, the layout of the free modes."""
        crd = args[0] if len(args) == 1 else args
        if has_none(crd):
            return Layout(slice_(crd, self.shape), slice_(crd, self.stride))
        return crd2idx(crd, self.shape, self.stride)

    def __getitem__(self, i: Any) -> Layout:
        if is_tuple(self.shape):
            return Layout(self.shape[i], self.stride[i])
        need(i == 0, f"{self} has the mode 0 alone")
        return Layout(self.shape, self.stride)

    def size(self) -> Any:
        """The number of elements."""
        return product(self.shape)

    def cosize(self) -> Any:
        """The length of the smallest interval that holds 0 and all offsets."""
        return _exact(self).cosize

    def __str__(self) -> str:
        return f"{self.shape}:{self.stride}"

    def __repr__(self) -> str:
        return f"Layout({self.shape},{self.stride})"


def _exact(layout: Any) -> Any:
    """The same layout in the exact algebra."""
    return _core.Layout(layout.shape, layout.stride)


def _answer(layout: Any) -> Layout:
    """The answer as a layout of this module."""
    return Layout(layout.shape, layout.stride)


def _tiler(tile: Any) -> Layout:
    """The layout of a tile; an integer n is n:1."""
    return Layout(tile) if is_int(tile) else tile


def _by_mode(operation: Any, layout: Any, parts: Any) -> Layout:
    """An operation on the first modes, each with its part; the other modes stay."""
    need(len(layout) >= len(parts), f"{layout} has fewer modes than there are parts")
    first = (operation(layout[at], part) for at, part in enumerate(parts))
    return make_layout(chain(first, (layout[at] for at in range(len(parts), len(layout)))))


def make_layout(*layouts: Any) -> Layout:
    """The layout whose modes are these: several layouts, or one iterable of them."""
    if len(layouts) == 1 and not is_layout(layouts[0]):
        (layouts,) = layouts
    shape, stride = zip(*((layout.shape, layout.stride) for layout in layouts))
    return Layout(shape, stride)


def size(layout: Any) -> Any:
    """The number of elements of a layout or a shape."""
    return layout.size() if is_layout(layout) else product(layout)


@refusing
def cosize(layout: Any) -> Any:
    """The length of the smallest interval that holds 0 and all offsets."""
    return layout.cosize()


@refusing
def coalesce(layout: Any, profile: Any = None) -> Layout:
    """The same function with the fewest modes; with a tuple, mode by mode."""
    if is_tuple(profile):
        return _by_mode(coalesce, layout, profile)
    return _answer(_core.coalesce(_exact(layout)))


@refusing
def filter(layout: Any, profile: Any = None) -> Layout:
    """Without stride-0 and size-1 modes; with a tuple, mode by mode."""
    if is_tuple(profile):
        return _by_mode(filter, layout, profile)
    return _answer(_exact(layout).filter())


@refusing
def composition(layoutA: Any, layoutB: Any) -> Layout:
    """R(i) = A(B(i)), in the profile of B; a tuple composes mode by mode, and None leaves a mode."""
    if layoutB is None:
        return layoutA
    if is_tuple(layoutB):
        return _by_mode(composition, layoutA, layoutB)
    return _answer(_core.composition(_exact(layoutA), _exact(_tiler(layoutB))))


@refusing
def complement(layout: Any, max_idx: Any = 1) -> Layout:
    """What a layout leaves free, up to max_idx."""
    return _answer(_core.complement(_exact(_tiler(layout)), max_idx))


@refusing
def right_inverse(layout: Any) -> Any:
    """L(R(i)) = i, as far as that goes."""
    return None if layout is None else _answer(_core.right_inverse(_exact(_tiler(layout))))


@refusing
def left_inverse(layout: Any) -> Any:
    """R(L(i)) = i, where L is injective."""
    return None if layout is None else _answer(_core.left_inverse(_exact(_tiler(layout))))


@refusing
def logical_divide(layoutA: Any, layoutB: Any) -> Layout:
    """Cut into tiles: (tile, rest), mode by mode for a tuple."""
    if layoutB is None:
        return layoutA
    if is_tuple(layoutB):
        return _by_mode(logical_divide, layoutA, layoutB)
    return _answer(_core.logical_divide(_exact(layoutA), _exact(_tiler(layoutB))))


@refusing
def logical_product(layoutA: Any, layoutB: Any) -> Layout:
    """Copies of A in the order of B: (A, copies), mode by mode for a tuple."""
    if layoutB is None:
        return layoutA
    if is_tuple(layoutB):
        return _by_mode(logical_product, layoutA, layoutB)
    return _answer(_core.logical_product(_exact(layoutA), _exact(_tiler(layoutB))))


@refusing
def hier_unzip(splitter: Any, layoutA: Any, layoutB: Any) -> Layout:
    """What a splitter makes of each mode, gathered: ((first parts), (second parts, other modes))."""
    if layoutB is None:
        return make_layout(Layout(1, 0), layoutA)
    if not is_tuple(layoutB):
        return splitter(layoutA, layoutB)
    need(len(layoutA) >= len(layoutB), f"{layoutA} has fewer modes than there are parts")
    pairs = [hier_unzip(splitter, layoutA[at], part) for at, part in enumerate(layoutB)]
    others = (layoutA[at] for at in range(len(layoutB), len(layoutA)))
    firsts = make_layout(pair[0] for pair in pairs)
    return make_layout(firsts, make_layout(chain((pair[1] for pair in pairs), others)))


def _unrolled(zipped: Layout) -> Layout:
    """The modes of the second part side by side with the first part."""
    return make_layout(chain([zipped[0]], (zipped[1][at] for at in range(len(zipped[1])))))


def zipped_divide(layoutA: Any, layoutB: Any) -> Layout:
    """Cut into tiles, which are gathered."""
    return hier_unzip(logical_divide, layoutA, layoutB)


def tiled_divide(layoutA: Any, layoutB: Any) -> Layout:
    """Cut into tiles: ((tile modes), rest0, rest1, ...)."""
    return _unrolled(zipped_divide(layoutA, layoutB))


def zipped_product(layoutA: Any, layoutB: Any) -> Layout:
    """Copies, gathered."""
    return hier_unzip(logical_product, layoutA, layoutB)


def tiled_product(layoutA: Any, layoutB: Any) -> Layout:
    """Copies: ((block modes), copies0, copies1, ...)."""
    return _unrolled(zipped_product(layoutA, layoutB))


def slice_and_offset(crd: Union[None, tuple[Any, ...], int], layout: Any) -> tuple[Layout, Any]:
    """The layout of the modes that crd leaves free, and the offset of the others."""
    free = Layout(slice_(crd, layout.shape), slice_(crd, layout.stride))
    return free, crd2idx(crd, layout.shape, layout.stride)
