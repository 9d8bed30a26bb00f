"""Layouts and their operations: CuTe's on mirrored modes."""

from __future__ import annotations

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

coalesce = _algebra.coalesce
complement = _algebra.complement
composition = _algebra.composition
filter = _algebra.filter
hier_unzip = _algebra.hier_unzip
left_inverse = _algebra.left_inverse
logical_divide = _algebra.logical_divide
logical_product = _algebra.logical_product
make_layout = _algebra.make_layout
right_inverse = _algebra.right_inverse
slice_and_offset = _algebra.slice_and_offset
tiled_divide = _algebra.tiled_divide
tiled_product = _algebra.tiled_product
zipped_divide = _algebra.zipped_divide
zipped_product = _algebra.zipped_product
