"""Composed layouts, and what takes either kind of layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Union

from ..._refused import refusing
from .core import (
    Layout,
    LayoutError,
    MalformedError,
    Swizzle,
    UnsupportedComposedLayoutError,
    as_tuple,
    exact,
    has_none,
    is_int,
    is_tuple,
)

__all__ = [
    "ComposedLayout",
    "LayoutExpr",
    "as_affine_layout",
    "as_layout",
    "as_layout_expr",
    "is_affine",
    "is_empty",
    "is_layout",
    "is_pure_shape",
    "split_outer_swizzle",
]

_refused = refusing(LayoutError, MalformedError)


@dataclass(frozen=True)
class ComposedLayout:
    """outer(offset + inner(coordinate)).

    The domain is that of `inner`; where that is a swizzle, as in the inverse of a composed layout, that of `outer`.
    """

    outer: Any
    inner: Any
    offset: int = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        if not callable(self.outer):
            raise TypeError(f"ComposedLayout outer must be callable, got {type(self.outer).__name__}")
        if not isinstance(self.inner, (Layout, ComposedLayout, Swizzle)):
            raise TypeError(f"ComposedLayout inner must be a layout or a Swizzle, got {type(self.inner).__name__}")
        if not is_int(self.offset):
            raise TypeError(f"ComposedLayout offset must be int, got {type(self.offset).__name__}")

    @property
    def shape(self) -> Any:
        """The extents of the domain."""
        return self.outer.shape if isinstance(self.inner, Swizzle) else self.inner.shape

    def __repr__(self) -> str:
        return f"ComposedLayout({self.outer!r}, {self.inner!r}, offset={self.offset!r})"

    def __str__(self) -> str:
        offset = f"{{{self.offset}}} o " if self.offset else ""
        return f"({self.outer}) o {offset}({self.inner})"

    def __call__(self, *args: Any) -> Any:
        """The offset of a coordinate or an index; with None, the layout of the free modes."""
        from .algebra import slice_and_offset

        coords = args[0] if len(args) == 1 else args
        if coords is None:
            return self
        if has_none(coords):
            return slice_and_offset(coords, self)[0]
        return self.outer(self.offset + self.inner(coords))

    def __len__(self) -> int:
        from .algebra import size

        return size(self)

    def __iter__(self) -> Iterator[Any]:
        return iter(Layout(self.shape))


LayoutExpr = Union[Layout, ComposedLayout]


def _layout_of(obj: Any) -> Any:
    """A layout, or that of a tensor."""
    return obj.layout if hasattr(obj, "layout") and not is_layout(obj) else obj


def is_layout(x: Any) -> bool:
    """Whether it is a layout, composed or not."""
    return isinstance(x, (Layout, ComposedLayout))


def is_affine(obj: Any) -> bool:
    """Whether it is a layout, or a tensor's layout, that is not composed."""
    return isinstance(_layout_of(obj), Layout)


def is_pure_shape(t: Any) -> bool:
    """Whether it is integers in nested tuples."""
    return all(map(is_pure_shape, t)) if is_tuple(t) else is_int(t)


def is_empty(obj: Any) -> bool:
    """Whether it is a layout without modes; one with a mode of extent 0 has a mode."""
    layout = _layout_of(obj)
    return is_layout(layout) and layout.shape == ()


def as_layout_expr(obj: Any) -> Any:
    """A layout from a layout, a tensor, or whatever has a shape and a stride."""
    layout = _layout_of(obj)
    if is_layout(layout):
        return layout
    if hasattr(layout, "shape") and hasattr(layout, "stride"):
        return Layout(layout.shape, layout.stride)
    raise TypeError(f"Expected a layout, got {type(obj).__name__}")


def as_layout(obj: Any) -> Layout:
    """The same, of what is not composed."""
    layout = as_layout_expr(obj)
    if not isinstance(layout, Layout):
        raise TypeError("Expected affine Layout, got ComposedLayout")
    return layout


def as_affine_layout(obj: Any) -> Layout:
    """The same, of what is not composed."""
    return as_layout(obj)


def split_outer_swizzle(layout: Any) -> tuple[Swizzle, Any] | None:
    """The swizzle and what it is applied to, of a swizzle after a layout without an offset."""
    if isinstance(layout, ComposedLayout) and isinstance(layout.outer, Swizzle) and layout.offset == 0:
        return layout.outer, layout.inner
    return None


def inner_swizzle(layout: Any) -> bool:
    """Whether it is a composed layout that applies a swizzle first, as an inverse does."""
    return isinstance(layout, ComposedLayout) and isinstance(layout.inner, Swizzle)


def no_inner_swizzle(layout: Any, operation: str) -> None:
    """Refuses a layout that applies a swizzle first, which has no modes to work on."""
    if inner_swizzle(layout):
        raise UnsupportedComposedLayoutError(
            f"{operation} is not defined on {layout}, which applies a swizzle first and has no modes", "not-affine"
        )


def on_inner(operation: Callable[..., Any]) -> Callable[..., Any]:
    """The same operation, which works on the inner layout of a composed one."""
    import functools

    @functools.wraps(operation)
    def forwarded(layout: Any, *arguments: Any, **named: Any) -> Any:
        if isinstance(layout, ComposedLayout):
            no_inner_swizzle(layout, operation.__name__)
            inner = forwarded(layout.inner, *arguments, **named)
            return ComposedLayout(layout.outer, inner, offset=layout.offset)
        return operation(layout, *arguments, **named)

    return forwarded


@_refused
def all_offsets(layout: Any) -> list[int]:
    """The offsets of all indices in column-major order."""
    if isinstance(layout, Layout):
        if 0 in _flat(layout.shape):
            return []
        offsets: list[int] = exact(layout).offsets().tolist()
        return offsets
    inner = range(_product(layout.shape)) if isinstance(layout.inner, Swizzle) else all_offsets(layout.inner)
    first = layout.inner if isinstance(layout.inner, Swizzle) else lambda offset: offset
    return [layout.outer(layout.offset + first(offset)) for offset in inner]


def _flat(shape: Any) -> tuple[int, ...]:
    return tuple(leaf for mode in shape for leaf in _flat(mode)) if is_tuple(shape) else as_tuple(shape)


def _product(shape: Any) -> int:
    size = 1
    for extent in _flat(shape):
        size *= extent
    return size
