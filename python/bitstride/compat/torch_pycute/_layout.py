"""Layouts and their operations: CuTe's on mirrored modes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._algebra import Algebra, AnyLayout, LayoutBase, cosize, is_layout, size
from .int_tuple import crd2idx, mirrored, suffix_product

__all__ = [
    "Layout",
    "LayoutBase",
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


class Layout(AnyLayout):
    """A shape and a stride; without a stride, compact with the rightmost mode the fastest."""


_algebra = Algebra(Layout, suffix_product, crd2idx, mirrored)

coalesce: Callable[..., Any] = _algebra.coalesce
complement: Callable[..., Any] = _algebra.complement
composition: Callable[..., Any] = _algebra.composition
filter: Callable[..., Any] = _algebra.filter
hier_unzip: Callable[..., Any] = _algebra.hier_unzip
left_inverse: Callable[..., Any] = _algebra.left_inverse
logical_divide: Callable[..., Any] = _algebra.logical_divide
logical_product: Callable[..., Any] = _algebra.logical_product
make_layout: Callable[..., Any] = _algebra.make_layout
right_inverse: Callable[..., Any] = _algebra.right_inverse
slice_and_offset: Callable[..., Any] = _algebra.slice_and_offset
tiled_divide: Callable[..., Any] = _algebra.tiled_divide
tiled_product: Callable[..., Any] = _algebra.tiled_product
zipped_divide: Callable[..., Any] = _algebra.zipped_divide
zipped_product: Callable[..., Any] = _algebra.zipped_product
