"""XLA's tiled arrays.

>>> from bitstride import xla
>>> shape = xla.Shape("f32[3,5]{1,0:T(2,2)}")
>>> shape(2, 3), shape.tiles
(17, ((2, 2),))
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ._core import BareLayout, Shape

__all__ = ["BareLayout", "Shape", "array", "from_jax"]


def array(
    element: Any,
    dims: Sequence[int],
    minor_to_major: Sequence[int] | None = None,
    tiles: Sequence[Sequence[int]] = (),
    element_bits: int = 0,
) -> Shape:
    """The array of these dims; row-major unless `minor_to_major` says otherwise.

    `element` is a name of XLA such as "bf16", or a type of NumPy or JAX. `tiles` are extents, the first tile first, and `element_bits` what an element takes in memory where it is packed.

    >>> array("bf16", (16, 256), tiles=[(8, 128), (2, 1)])
    Shape('bf16[16,256]{1,0:T(8,128)(2,1)}')
    """
    order = range(len(dims) - 1, -1, -1) if minor_to_major is None else minor_to_major
    after = "".join(f"({','.join(str(int(extent)) for extent in tile)})" for tile in tiles)
    after = f"T{after}" if after else ""
    after += f"E({int(element_bits)})" if element_bits else ""
    layout = ",".join(str(int(dim)) for dim in order) + (f":{after}" if after else "")
    text = f"{_element(element)}[{','.join(str(int(dim)) for dim in dims)}]"
    return Shape(f"{text}{{{layout}}}" if layout else text)


def from_jax(layout: Any, shape: Sequence[int] | None = None, element: Any = None) -> Shape:
    """The array whose layout is a `jax.experimental.layout.Layout` or `Format`, for a shape and an element type.

    An array of JAX alone has all three. An element type is a name of XLA such as "bf16", or what NumPy reads as a type. JAX's
    order is from major to minor, XLA's from minor to major.

    Raises:
        TypeError: the layout has no order, or the shape or the element type is missing.
    """
    array_format = getattr(layout, "format", None)
    if array_format is not None and hasattr(layout, "dtype"):
        shape = layout.shape if shape is None else shape
        element = layout.dtype if element is None else element
        layout = array_format
    layout = getattr(layout, "layout", layout)
    major_to_minor = getattr(layout, "major_to_minor", None)
    if major_to_minor is None:
        raise TypeError(f"a layout of JAX with an order of its dims is needed, not {layout!r}")
    if shape is None or element is None:
        raise TypeError("a layout of JAX needs a shape and an element type; an array of JAX has both")
    tiles = getattr(layout, "tiling", None) or ()
    bits = getattr(layout, "sub_byte_element_size_in_bits", 0) or 0
    return array(element, shape, tuple(reversed(tuple(major_to_minor))), tiles, bits)


_KINDS = {"int": "s", "uint": "u", "float": "f", "bfloat": "bf", "complex": "c"}


def _element(element: Any) -> str:
    """XLA's name of an element type: of one that it has itself, or of a type of NumPy or JAX."""
    # The scalar types of JAX have their type of NumPy, and those of NumPy have its name.
    named = getattr(getattr(element, "dtype", None), "name", None), getattr(element, "name", None)
    names = (*named, getattr(element, "__name__", None), element)
    name = next((name for name in names if isinstance(name, str)), "")
    if name in ("bool", "bool_"):
        return "pred"
    found = re.fullmatch(r"([a-z]+?)(\d+)(_\w+)?", name)
    if found is None or found[1] not in _KINDS:
        if isinstance(element, str):
            return element
        raise TypeError(f"{element!r} is no element type of XLA")
    return _KINDS[found[1]] + found[2] + (found[3] or "").replace("_", "")
