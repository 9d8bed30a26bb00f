"""Layouts and their operations."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any, Union

from .._algebra import Algebra, AnyLayout, LayoutBase, cosize, is_layout, size
from .int_tuple import crd2idx, prefix_product

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


class Layout(AnyLayout):
    """A shape and a stride as Python has them; without a stride, compact and column-major."""


def _as_it_is(x: Any) -> Any:
    return x


_algebra = Algebra(Layout, prefix_product, crd2idx, _as_it_is)

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
