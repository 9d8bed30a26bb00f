"""pycute's layouts and operations, for either order of flat indices.

CuTe's leftmost mode is the fastest. A variant whose rightmost mode is the fastest is CuTe on mirrored modes: a mirrored
layout is the same function of the flat index.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any, ClassVar

from .. import _core
from ._int_tuple import has_none, is_int, is_tuple, product, slice_
from ._refused import Malformed, Refused, need, refusing

_refused = refusing(Refused, Malformed)


class LayoutBase:
    """What layouts and composed layouts share."""


def is_layout(x: Any) -> bool:
    """Whether it is a layout or a composed one."""
    return isinstance(x, LayoutBase)


def size(layout: Any) -> Any:
    """The number of elements of a layout or a shape."""
    return layout.size() if is_layout(layout) else product(layout)


@_refused
def cosize(layout: Any) -> Any:
    """The length of the smallest interval that holds 0 and all offsets."""
    return layout.cosize()


class AnyLayout(LayoutBase):
    """A shape and a stride as Python has them; without a stride, compact."""

    _algebra: ClassVar[Algebra]
    """The operations, in the order of this class."""

    shape: Any
    stride: Any

    def __init__(self, _shape: Any, _stride: Any = None) -> None:
        self.shape = _shape
        self.stride = self._algebra.compact(_shape) if _stride is None else _stride

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, AnyLayout):
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
            return self._algebra.layout(slice_(crd, self.shape), slice_(crd, self.stride))
        return self._algebra.offset(crd, self.shape, self.stride)

    def __getitem__(self, i: Any) -> Any:
        if is_tuple(self.shape):
            return self._algebra.layout(self.shape[i], self.stride[i])
        need(i == 0, f"{self} has the mode 0 alone")
        return self._algebra.layout(self.shape, self.stride)

    def size(self) -> Any:
        """The number of elements."""
        return product(self.shape)

    def cosize(self) -> Any:
        """The length of the smallest interval that holds 0 and all offsets."""
        return _core.Layout(self.shape, self.stride).cosize

    def __str__(self) -> str:
        return f"{self.shape}:{self.stride}"

    def __repr__(self) -> str:
        return f"Layout({self.shape},{self.stride})"


class Algebra:
    """The operations on one class of layouts."""

    def __init__(
        self,
        layout: type[AnyLayout],
        compact: Callable[[Any], Any],
        offset: Callable[..., Any],
        mirror: Callable[[Any], Any],
    ) -> None:
        layout._algebra = self
        self.layout = layout
        self.compact = compact
        self.offset = offset
        self.mirror = mirror

    def _exact(self, layout: Any) -> Any:
        """The same function of a flat index in the exact algebra; an integer n is n:1."""
        layout = self.layout(layout) if is_int(layout) else layout
        need(hasattr(layout, "shape") and hasattr(layout, "stride"), f"a layout is needed here, not {layout!r}", "kind")
        return _core.Layout(self.mirror(layout.shape), self.mirror(layout.stride))

    def _answer(self, layout: Any) -> Any:
        """The answer as a layout of the class."""
        return self.layout(self.mirror(layout.shape), self.mirror(layout.stride))

    def _by_mode(self, operation: Any, layout: Any, parts: Any) -> Any:
        """An operation on the first modes, each with its part; the other modes stay."""
        need(len(layout) >= len(parts), f"{layout} has fewer modes than there are parts")
        first = (operation(layout[at], part) for at, part in enumerate(parts))
        return self.make_layout(chain(first, (layout[at] for at in range(len(parts), len(layout)))))

    def make_layout(self, *layouts: Any) -> Any:
        """The layout whose modes are these: several layouts, or one iterable of them."""
        if len(layouts) == 1 and not is_layout(layouts[0]):
            (layouts,) = layouts
        shape, stride = zip(*((layout.shape, layout.stride) for layout in layouts))
        return self.layout(shape, stride)

    @_refused
    def coalesce(self, layout: Any, profile: Any = None) -> Any:
        """The same function with the fewest modes; with a tuple, mode by mode."""
        if is_tuple(profile):
            return self._by_mode(self.coalesce, layout, profile)
        return self._answer(_core.coalesce(self._exact(layout)))

    @_refused
    def filter(self, layout: Any, profile: Any = None) -> Any:
        """Without stride-0 and size-1 modes; with a tuple, mode by mode."""
        if is_tuple(profile):
            return self._by_mode(self.filter, layout, profile)
        return self._answer(self._exact(layout).filter())

    @_refused
    def composition(self, layoutA: Any, layoutB: Any) -> Any:
        """R(i) = A(B(i)), in the profile of B; a tuple composes mode by mode, and None leaves a mode."""
        if layoutB is None:
            return layoutA
        if is_tuple(layoutB):
            return self._by_mode(self.composition, layoutA, layoutB)
        return self._answer(_core.composition(self._exact(layoutA), self._exact(layoutB)))

    @_refused
    def complement(self, layout: Any, max_idx: Any = 1) -> Any:
        """What a layout leaves free, up to max_idx."""
        return self._answer(_core.complement(self._exact(layout), max_idx))

    @_refused
    def right_inverse(self, layout: Any) -> Any:
        """L(R(i)) = i, as far as that goes."""
        return self._inverse(_core.right_inverse, layout)

    @_refused
    def left_inverse(self, layout: Any) -> Any:
        """R(L(i)) = i, where L is injective."""
        return self._inverse(_core.left_inverse, layout)

    def _inverse(self, operation: Any, layout: Any) -> Any:
        """The inverse of a layout; an integer n stands for n:1, which is its own, and None for itself."""
        if layout is None:
            return None
        inverse = operation(self._exact(layout))
        return self.layout(layout) if is_int(layout) else self._answer(inverse)

    def _pair(self, layout: Any) -> Any:
        """The two modes of an answer, in their order."""
        return self.make_layout(self._answer(layout[0]), self._answer(layout[1]))

    @_refused
    def logical_divide(self, layoutA: Any, layoutB: Any) -> Any:
        """Cut into tiles: (tile, rest), mode by mode for a tuple."""
        if layoutB is None:
            return layoutA
        if is_tuple(layoutB):
            return self._by_mode(self.logical_divide, layoutA, layoutB)
        return self._pair(_core.logical_divide(self._exact(layoutA), self._exact(layoutB)))

    @_refused
    def logical_product(self, layoutA: Any, layoutB: Any) -> Any:
        """Copies of A in the order of B: (A, copies), mode by mode for a tuple."""
        if layoutB is None:
            return layoutA
        if is_tuple(layoutB):
            return self._by_mode(self.logical_product, layoutA, layoutB)
        return self._pair(_core.logical_product(self._exact(layoutA), self._exact(layoutB)))

    @_refused
    def hier_unzip(self, splitter: Any, layoutA: Any, layoutB: Any) -> Any:
        """What a splitter makes of each mode, gathered: ((first parts), (second parts, other modes))."""
        if layoutB is None:
            return self.make_layout(self.layout(1, 0), layoutA)
        if not is_tuple(layoutB):
            return splitter(layoutA, layoutB)
        need(len(layoutA) >= len(layoutB), f"{layoutA} has fewer modes than there are parts")
        pairs = [self.hier_unzip(splitter, layoutA[at], part) for at, part in enumerate(layoutB)]
        others = (layoutA[at] for at in range(len(layoutB), len(layoutA)))
        firsts = self.make_layout(pair[0] for pair in pairs)
        return self.make_layout(firsts, self.make_layout(chain((pair[1] for pair in pairs), others)))

    def _unrolled(self, zipped: Any) -> Any:
        """The modes of the second part side by side with the first part."""
        return self.make_layout(chain([zipped[0]], (zipped[1][at] for at in range(len(zipped[1])))))

    def zipped_divide(self, layoutA: Any, layoutB: Any) -> Any:
        """Cut into tiles, which are gathered."""
        return self.hier_unzip(self.logical_divide, layoutA, layoutB)

    def tiled_divide(self, layoutA: Any, layoutB: Any) -> Any:
        """Cut into tiles: ((tile modes), rest0, rest1, ...)."""
        return self._unrolled(self.zipped_divide(layoutA, layoutB))

    def zipped_product(self, layoutA: Any, layoutB: Any) -> Any:
        """Copies, gathered."""
        return self.hier_unzip(self.logical_product, layoutA, layoutB)

    def tiled_product(self, layoutA: Any, layoutB: Any) -> Any:
        """Copies: ((block modes), copies0, copies1, ...)."""
        return self._unrolled(self.zipped_product(layoutA, layoutB))

    def slice_and_offset(self, crd: Any, layout: Any) -> tuple[Any, Any]:
        """The layout of the modes that crd leaves free, and the offset of the others."""
        free = self.layout(slice_(crd, layout.shape), slice_(crd, layout.stride))
        return free, self.offset(crd, layout.shape, layout.stride)
