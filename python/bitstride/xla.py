"""XLA's tiled arrays.

>>> from bitstride import xla
>>> shape = xla.Shape("f32[3,5]{1,0:T(2,2)}")
>>> shape(2, 3), shape.tiles
(17, ((2, 2),))
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ._core import BareLayout, Shape

__all__ = ["BareLayout", "Shape", "array", "from_jax"]


def array(
    element: str,
    dims: Sequence[int],
    minor_to_major: Sequence[int] | None = None,
    tiles: Sequence[Sequence[int]] = (),
    element_bits: int = 0,
) -> Shape:
    """The array of these dims; row-major unless `minor_to_major` says otherwise.

    `tiles` are extents, the first tile first, and `element_bits` what an element takes in memory where it is packed.

    >>> array("bf16", (16, 256), tiles=[(8, 128), (2, 1)])
    Shape('bf16[16,256]{1,0:T(8,128)(2,1)}')
    """
    order = range(len(dims) - 1, -1, -1) if minor_to_major is None else minor_to_major
    after = "".join(f"({','.join(str(int(extent)) for extent in tile)})" for tile in tiles)
    after = f"T{after}" if after else ""
    after += f"E({int(element_bits)})" if element_bits else ""
    layout = ",".join(str(int(dim)) for dim in order) + (f":{after}" if after else "")
    text = f"{element}[{','.join(str(int(dim)) for dim in dims)}]"
    return Shape(f"{text}{{{layout}}}" if layout else text)


def from_jax(layout: Any, shape: Sequence[int], element: str) -> Shape:
    """The array whose layout is a `jax.experimental.layout.Layout` or `Format`, for a shape and an element type.

    JAX's order is from major to minor, XLA's from minor to major.
    """
    layout = getattr(layout, "layout", layout)
    major_to_minor = getattr(layout, "major_to_minor", None)
    if major_to_minor is None:
        raise TypeError(f"a layout of JAX with an order of its dims is needed, not {layout!r}")
    tiles = getattr(layout, "tiling", None) or ()
    bits = getattr(layout, "sub_byte_element_size_in_bits", 0) or 0
    return array(element, shape, tuple(reversed(tuple(major_to_minor))), tiles, bits)
