"""Tensors: a layout, an offset, and storage where there is some."""

from __future__ import annotations

from typing import Any

from .layouts import (
    Layout,
    TensorStorageError,
    as_affine_layout,
    as_layout_expr,
    flatten,
    has_none,
    rank,
    size,
    slice_and_offset,
    unwrap,
)
from .layouts.expr import all_offsets

__all__ = ["Tensor"]


class Tensor:
    """The element at a coordinate is the one at offset + layout(coordinate) of flat storage, kept by reference.

    Without storage, indexing gives offsets. A bare index is flat and column-major; `:` and None keep a mode.
    """

    def __init__(self, layout: Any, offset: int = 0, data: Any = None) -> None:
        self._layout = as_layout_expr(layout)
        self._offset = offset
        self.data = data

    @property
    def layout(self) -> Any:
        """The layout, without the offset."""
        return self._layout

    @property
    def offset(self) -> int:
        """What is added to all offsets of the layout."""
        return self._offset

    @property
    def shape(self) -> Any:
        """The extents of the layout."""
        return self._layout.shape

    @property
    def stride(self) -> Any:
        """The strides of the layout, where it is not composed."""
        return as_affine_layout(self._layout).stride

    @property
    def data(self) -> Any:
        """The storage, or None. What is assigned must hold all that the tensor addresses."""
        return self._data

    @data.setter
    def data(self, value: Any) -> None:
        if value is not None:
            self._check_storage(value)
        self._data = value

    def _check_storage(self, data: Any) -> None:
        dims = getattr(data, "ndim", None)
        if dims is None and hasattr(data, "shape"):
            dims = len(data.shape)
        if dims is not None and dims != 1:
            raise TypeError(f"Tensor data must be flat 1D storage; got {type(data).__name__} with {dims} dims")
        if size(self._layout) == 0:
            return
        least, most = self._bounds()
        addressed = f"addressed range [{least}, {most}] of offset {self._offset} and layout {self._layout}"
        if least < 0:
            raise TensorStorageError(f"Storage has no negative indices, as in the {addressed}", "range")
        if most >= len(data):
            raise TensorStorageError(f"Storage length {len(data)} does not cover the {addressed}", "range")

    def _bounds(self) -> tuple[int, int]:
        """The smallest and the largest address."""
        if isinstance(self._layout, Layout):
            shape, stride = flatten(self._layout.shape), flatten(self._layout.stride)
            reach = [(extent - 1) * step for extent, step in zip(shape, stride)]
            least, most = sum(min(0, part) for part in reach), sum(max(0, part) for part in reach)
        else:
            offsets = all_offsets(self._layout)
            least, most = min(offsets), max(offsets)
        return self._offset + least, self._offset + most

    def view(self, layout: Any) -> Tensor:
        """The same storage and offset under another layout."""
        if self._data is None:
            raise TensorStorageError("a view of a Tensor with no storage")
        return Tensor(layout, self._offset, self._data)

    def to_list(self) -> list[Any]:
        """The elements, or the offsets, in column-major order."""
        places = [self._offset + offset for offset in all_offsets(self._layout)]
        return places if self._data is None else [self._data[place] for place in places]

    def copy_from(self, src: Tensor) -> Tensor:
        """Takes over the elements of another tensor of the same size, in column-major order."""
        if not isinstance(src, Tensor):
            raise TypeError(f"copy_from expects a Tensor source, got {type(src).__name__}")
        if self._data is None:
            raise TypeError("Cannot copy into a Tensor with no storage")
        if size(self._layout) != size(src._layout):
            raise ValueError(f"copy_from: {size(src._layout)} elements do not fill {size(self._layout)}")
        for at, value in enumerate(src.to_list()):
            self._data[self(at)] = value
        return self

    def __repr__(self) -> str:
        offset = f", offset={self._offset}" if self._offset else ""
        return f"Tensor({self._layout}{offset})"

    def __str__(self) -> str:
        return f"{{{self._offset}}} ∘ {self._layout}"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tensor) or (self._layout, self._offset) != (other._layout, other._offset):
            return False
        if self._data is None or other._data is None or self._data is other._data:
            return self._data is other._data
        return len(self._data) == len(other._data) and all(a == b for a, b in zip(self._data, other._data))

    def __hash__(self) -> int:
        return hash((self._layout, self._offset))

    def __call__(self, *args: Any) -> Any:
        """The offset of a coordinate or an index."""
        return self._offset + self._layout(args[0] if len(args) == 1 else args)

    def __getitem__(self, key: Any) -> Any:
        """An element, or its offset; with `:` or None, the tensor of the free modes."""
        if isinstance(key, slice) and key == slice(None):
            return Tensor(self._layout, self._offset, self._data)
        if not isinstance(key, (int, tuple)):
            raise TypeError(f"Invalid tensor index: {key!r}")
        if isinstance(key, tuple):
            key = self._coordinate(key)
            if has_none(key):
                free, offset = slice_and_offset(key, self._layout)
                if isinstance(free, Layout):
                    free = Layout(unwrap(free.shape), unwrap(free.stride))
                return Tensor(free, self._offset + offset, self._data)
        return self(key) if self._data is None else self._data[self(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        """Writes one element."""
        if self._data is None:
            raise TensorStorageError("Cannot assign to a Tensor with no storage")
        if not isinstance(key, (int, tuple)) or _is_free(key):
            raise TypeError(f"assignment needs fully-fixed coordinates, not {key!r}")
        self._data[self(self._coordinate(key) if isinstance(key, tuple) else key)] = value

    def _coordinate(self, keys: tuple[Any, ...]) -> tuple[Any, ...]:
        """The keys with None in place of `:`."""
        if len(keys) != rank(self._layout):
            raise IndexError(f"Expected {rank(self._layout)} indices, got {len(keys)}")
        coordinate = tuple(None if isinstance(key, slice) and key == slice(None) else key for key in keys)
        for key in coordinate:
            if not (key is None or isinstance(key, (int, tuple))) or _has_slice(key):
                raise TypeError(f"Invalid key {key!r}: integers, tuples of them and of None, and ':' alone are keys")
        return coordinate


def _is_free(key: Any) -> bool:
    return any(map(_is_free, key)) if isinstance(key, tuple) else key is None or isinstance(key, slice)


def _has_slice(key: Any) -> bool:
    return any(map(_has_slice, key)) if isinstance(key, tuple) else isinstance(key, slice)
