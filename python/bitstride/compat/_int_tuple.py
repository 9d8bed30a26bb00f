"""Integers in nested tuples, of any size: sums never wrap."""

from __future__ import annotations

from functools import reduce
from itertools import chain
from typing import Any, Union

from ._refused import need
from ._typing import Integer

__all__ = [
    "Integer",
    "Union",
    "chain",
    "crd2crd",
    "crd2idx",
    "elem_scale",
    "flatten",
    "has_none",
    "idx2crd",
    "inner_product",
    "is_int",
    "is_tuple",
    "prefix_product",
    "product",
    "reduce",
    "shape_div",
    "signum",
    "slice_",
    "tuple_max",
]


def is_int(x: Any) -> bool:
    """Whether it is an integer."""
    return isinstance(x, Integer)


def is_tuple(x: Any) -> bool:
    """Whether it is a tuple."""
    return isinstance(x, tuple)


def flatten(t: Any) -> tuple[Any, ...]:
    """The leaves; always a tuple."""
    return tuple(chain.from_iterable(map(flatten, t))) if is_tuple(t) else (t,)


def signum(a: Any) -> int:
    """-1, 0 or 1."""
    return (a > 0) - (a < 0)


def product(a: Any) -> Any:
    """The product of the leaves."""
    return reduce(lambda left, right: left * right, flatten(a), 1) if is_tuple(a) else a


def _paired(*tuples: Any) -> Any:
    """Entries side by side, of tuples that are as long as each other."""
    lengths = {len(entries) for entries in tuples if is_tuple(entries)}
    need(len(lengths) == 1 and all(map(is_tuple, tuples)), f"{', '.join(map(str, tuples))} are not nested alike")
    return zip(*tuples)


def inner_product(a: Any, b: Any) -> Any:
    """The sum of the products of the leaves."""
    if not is_tuple(a) and not is_tuple(b):
        return a * b
    return sum(inner_product(left, right) for left, right in _paired(a, b))


def tuple_max(a: Any) -> Any:
    """The largest leaf."""
    return max(map(tuple_max, a)) if is_tuple(a) else a


def elem_scale(a: Any, b: Any) -> Any:
    """Each leaf of a times the size of b at its place."""
    if not is_tuple(a):
        return a * product(b)
    return tuple(elem_scale(left, right) for left, right in _paired(a, b))


def shape_div(a: Any, b: Any) -> Any:
    """Division from the left: each leaf takes what it can."""
    if is_tuple(a) and is_tuple(b):
        return tuple(shape_div(left, right) for left, right in _paired(a, b))
    if is_tuple(a):
        quotients = []
        for entry in a:
            quotients.append(shape_div(entry, b))
            b = shape_div(b, product(entry))
        return tuple(quotients)
    n = product(b)
    need(n != 0 and (a % n == 0 or (a != 0 and n % a == 0)), f"neither of {a} and {n} divides the other")
    return -(-a // n)


def prefix_product(a: Any, init: Any = 1) -> Any:
    """The strides of the compact column-major layout of a shape, the first being `init`."""
    if not is_tuple(a):
        need(not is_tuple(init), f"{init} is no stride of {a}")
        return init
    if is_tuple(init):
        return tuple(prefix_product(entry, first) for entry, first in _paired(a, init))
    strides = []
    for entry in a:
        strides.append(prefix_product(entry, init))
        init = init * product(entry)
    return tuple(strides)


def idx2crd(idx: Any, shape: Any, stride: Any = None) -> Any:
    """The coordinate of an index; each digit wraps at its extent."""
    if stride is None:
        stride = prefix_product(shape)
    if is_tuple(idx):
        return tuple(idx2crd(index, extent, step) for index, extent, step in _paired(idx, shape, stride))
    if is_tuple(shape):
        return tuple(idx2crd(idx, extent, step) for extent, step in _paired(shape, stride))
    need(not is_tuple(stride), f"{stride} is no stride of {shape}")
    return idx // stride % shape


def crd2idx(crd: Any, shape: Any, stride: Any = None) -> Any:
    """The offset of a coordinate; an index is split in column-major order, and the last mode goes on. None counts as 0."""
    if stride is None:
        stride = prefix_product(shape)
    if is_tuple(crd):
        return sum(crd2idx(index, extent, step) for index, extent, step in _paired(crd, shape, stride))
    rest = 0 if crd is None else crd
    if not is_tuple(shape):
        need(not is_tuple(stride), f"{stride} is no stride of {shape}")
        return rest * stride
    offset = 0
    for at, (extent, step) in enumerate(_paired(shape, stride), start=1):
        if at < len(shape):
            rest, digit = divmod(rest, product(extent))
        else:
            digit = rest
        offset += crd2idx(digit, extent, step)
    return offset


def crd2crd(crd: Any, dst_shape: Any, src_shape: Any = None) -> Any:
    """A coordinate of one shape as one of another."""
    if is_tuple(crd) and is_tuple(dst_shape):
        return tuple(crd2crd(index, extent) for index, extent in _paired(crd, dst_shape))
    if is_tuple(crd):
        need(src_shape is not None, f"{crd} is an index of {dst_shape} only with the shape that it is a coordinate of")
        return crd2idx(crd, src_shape)
    if is_tuple(dst_shape):
        return idx2crd(crd, dst_shape)
    need(crd < dst_shape, f"{crd} is beyond {dst_shape}")
    return crd


def slice_(crd: Union[None, tuple[Any, ...], int], trg: Union[tuple[Any, ...], int]) -> Any:
    """The entries of trg that crd leaves free."""
    if crd is None:
        return (trg,)
    if not is_tuple(crd):
        return ()
    return tuple(chain.from_iterable(slice_(index, entry) for index, entry in _paired(crd, trg)))


def has_none(a: Any) -> bool:
    """Whether a leaf is None."""
    return any(leaf is None for leaf in flatten(a))
