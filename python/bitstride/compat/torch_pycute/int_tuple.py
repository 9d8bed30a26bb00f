"""Integers in nested tuples; flat indices have the rightmost mode the fastest."""

from __future__ import annotations

from typing import Any, Union

from .. import _int_tuple as _colex
from .._int_tuple import (
    elem_scale,
    flatten,
    has_none,
    inner_product,
    is_int,
    is_tuple,
    product,
    shape_div,
    signum,
    slice_,
    tuple_max,
)
from .._refused import need
from .typing import Integer

IntTuple = Union[int, tuple["IntTuple", ...]]

__all__ = [
    "IntTuple",
    "Integer",
    "as_tuple",
    "crd2crd",
    "crd2idx",
    "elem_scale",
    "flatten",
    "has_none",
    "idx2crd",
    "inner_product",
    "is_int",
    "is_tuple",
    "match_structure",
    "product",
    "shape_div",
    "signum",
    "slice_",
    "suffix_product",
    "tuple_max",
]


def mirrored(x: Any) -> Any:
    """The entries in reverse order at every level, which turns one order of flat indices into the other."""
    return tuple(map(mirrored, reversed(x))) if is_tuple(x) else x


def as_tuple(x: Any) -> Any:
    """The modes: an integer is its only one; what is no integer stays."""
    return (x,) if is_int(x) else x


def match_structure(a: Any, b: Any) -> bool:
    """Whether two tuples are nested alike."""
    if is_tuple(a) and is_tuple(b):
        return len(a) == len(b) and all(map(match_structure, a, b))
    return is_int(a) and is_int(b)


def suffix_product(a: Any, init: Any = 1) -> Any:
    """The strides of the compact layout of a shape with the rightmost mode the fastest, whose stride is `init`."""
    return mirrored(_colex.prefix_product(mirrored(a), mirrored(init)))


def idx2crd(idx: Any, shape: Any, stride: Any = None) -> Any:
    """The coordinate of an index; each digit wraps at its extent."""
    return _colex.idx2crd(idx, shape, suffix_product(shape) if stride is None else stride)


def crd2idx(crd: Any, shape: Any, stride: Any = None) -> Any:
    """The offset of a coordinate or an index, whose first mode goes on. None counts as 0."""
    stride = suffix_product(shape) if stride is None else stride
    return _colex.crd2idx(mirrored(crd), mirrored(shape), mirrored(stride))


def crd2crd(crd: Any, dst_shape: Any, src_shape: Any = None) -> Any:
    """A coordinate of one shape as one of another."""
    if is_tuple(crd) and is_tuple(dst_shape):
        need(len(crd) == len(dst_shape), f"{crd} and {dst_shape} are not nested alike")
        return tuple(map(crd2crd, crd, dst_shape))
    if is_tuple(crd):
        need(src_shape is not None, f"{crd} is an index of {dst_shape} only with the shape that it is a coordinate of")
        return crd2idx(crd, src_shape)
    if is_tuple(dst_shape):
        return idx2crd(crd, dst_shape)
    need(crd < dst_shape, f"{crd} is beyond {dst_shape}")
    return crd
