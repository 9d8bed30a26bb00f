"""The operations: each answer obeys its law, or there is none and a LayoutError says why.

Tilers are the package's own: an integer tiles the first mode, a tuple tiles mode by mode, and modes beyond it stay.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import gcd
from typing import Any

from .... import _core
from ...._errors import Error
from ..._refused import MALFORMED, refusing
from .core import (
    Layout,
    LayoutError,
    MalformedError,
    Swizzle,
    UnsupportedComposedLayoutError,
    answer,
    as_list,
    as_shape,
    as_tuple,
    compute_col_major_strides,
    coords_all_none,
    exact,
    expected_layout,
    fold,
    fold_accumulate,
    is_int,
    is_tuple,
    make_swizzle,
    transform_tuple,
    unwrap,
    zip_transform,
)
from .expr import (
    ComposedLayout,
    all_offsets,
    as_affine_layout,
    inner_swizzle,
    is_empty,
    is_layout,
    no_inner_swizzle,
    on_inner,
    split_outer_swizzle,
)

__all__ = [
    "append",
    "blocked_product",
    "coalesce",
    "complement",
    "compose",
    "cosize",
    "crd2crd",
    "crd2flat",
    "crd2idx",
    "crd2offset",
    "depth",
    "dice_modes",
    "downcast",
    "flat_divide",
    "flat_product",
    "flatten",
    "group",
    "hier_unzip",
    "idx2crd",
    "iter_layout",
    "left_inverse",
    "logical_divide",
    "logical_product",
    "max_common_layout",
    "max_common_vector",
    "mode",
    "nullspace",
    "prepend",
    "raked_product",
    "rank",
    "replace",
    "right_inverse",
    "safe_div",
    "shape_div",
    "shape_mod",
    "size",
    "slice_and_offset",
    "slice_modes",
    "sort",
    "tiled_divide",
    "tiled_product",
    "unflatten",
    "upcast",
    "zipped_divide",
    "zipped_product",
]

_refused = refusing(LayoutError, MalformedError)

_MAX_POINTS = 1 << 20
"""Up to this number of points, two ways of writing a swizzled layout are compared."""


def _need(holds: bool, message: str) -> None:
    if not holds:
        raise LayoutError(message)


# What a layout is.


def size(obj: Any) -> int:
    """The number of elements of a shape, a layout or a tensor."""
    if is_layout(obj):
        return size(obj.shape)
    if hasattr(obj, "layout"):
        return size(obj.layout)
    if is_tuple(obj) or is_int(obj):
        return int(fold(obj, 1, lambda left, right: left * right))
    raise MalformedError(f"Cannot calculate size of {type(obj).__name__}")


def cosize(obj: Any) -> int:
    """The length of the smallest interval that holds 0 and all offsets; of a composed layout, the largest offset plus 1."""
    layout = obj if is_layout(obj) or not hasattr(obj, "layout") else obj.layout
    if size(layout) == 0:
        return 0
    if isinstance(layout, ComposedLayout):
        return max(all_offsets(layout)) + 1
    return 1 + sum((extent - 1) * abs(step) for extent, step in _leaves(layout))


def rank(obj: Any) -> int:
    """The number of modes; of an integer, 0."""
    if is_tuple(obj):
        return len(obj)
    if is_layout(obj):
        return len(as_tuple(obj.shape))
    if hasattr(obj, "layout"):
        return rank(obj.layout)
    if is_int(obj):
        return 0
    raise MalformedError(f"Cannot calculate rank of {type(obj).__name__}")


def depth(obj: Any) -> int:
    """How deep the modes are nested; of an integer, 0."""
    if is_layout(obj):
        return depth(obj.shape)
    if hasattr(obj, "layout"):
        return depth(obj.layout)
    if is_tuple(obj):
        return 1 + max(map(depth, obj)) if obj else 0
    if is_int(obj):
        return 0
    raise MalformedError(f"Cannot calculate depth of {type(obj).__name__}")


def mode(obj: Any, idx: Any) -> Any:
    """One mode of a tuple, a layout or a tensor."""
    if is_tuple(obj):
        return obj[idx] if obj else ()
    if isinstance(obj, ComposedLayout) and not inner_swizzle(obj):
        return ComposedLayout(obj.outer, mode(obj.inner, idx), offset=obj.offset)
    if isinstance(obj, Layout) and is_tuple(obj.shape):
        return Layout(obj.shape[idx], obj.stride[idx])
    if is_layout(obj) or is_int(obj):
        if idx != 0:
            raise IndexError(f"Index {idx} out of range for {obj}, which is one mode")
        return obj
    if hasattr(obj, "layout"):
        return mode(obj.layout, idx)
    raise MalformedError(f"Cannot get mode of {type(obj).__name__}")


def iter_layout(layout: Any) -> Iterator[tuple[Any, int]]:
    """Each coordinate with its offset, in column-major order."""
    return zip((idx2crd(at, layout.shape) for at in range(size(layout))), all_offsets(layout))


def _leaves(layout: Layout) -> list[tuple[int, int]]:
    """Extents with strides."""
    expected_layout(layout)
    return list(zip(flatten(layout.shape), flatten(layout.stride)))


def _modes(layout: Layout) -> list[Layout]:
    return [mode(layout, at) for at in range(rank(layout))]


def _of_modes(modes: Any) -> Layout:
    """The layout of these modes; the mode itself where there is one."""
    return Layout(as_shape([part.shape for part in modes]), as_shape([part.stride for part in modes]))


def _pair(first: Layout, second: Layout) -> Layout:
    return Layout((first.shape, second.shape), (first.stride, second.stride))


# The same elements in other modes.


@on_inner
def append(a: Any, b: Any) -> Any:
    """b as another mode at the end."""
    return Layout(as_tuple(a.shape) + (b.shape,), as_tuple(a.stride) + (b.stride,))


@on_inner
def prepend(a: Any, b: Any) -> Any:
    """b as another mode at the front."""
    return Layout((b.shape, *as_tuple(a.shape)), (b.stride, *as_tuple(a.stride)))


@on_inner
def replace(layout: Any, idx: int, new_layout: Any) -> Any:
    """Another layout in place of one mode."""
    shapes, strides = as_list(layout.shape), as_list(layout.stride)
    shapes[idx], strides[idx] = new_layout.shape, new_layout.stride
    return Layout(tuple(shapes), tuple(strides))


@on_inner
def group(layout: Any, start: int, end: int) -> Any:
    """The modes from `start` to before `end` as one mode."""
    _need(0 <= start < end <= rank(layout), f"group range [{start}, {end}) of a layout of rank {rank(layout)}")

    def grouped(modes: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*modes[:start], modes[start:end], *modes[end:])

    return Layout(grouped(as_tuple(layout.shape)), grouped(as_tuple(layout.stride)))


def flatten(obj: Any) -> Any:
    """Every leaf a mode; of an integer or a tuple, always a tuple, whose entries that are no tuples are leaves."""
    if is_int(obj):
        return (obj,)
    if is_tuple(obj):
        return tuple(leaf for entry in obj for leaf in (flatten(entry) if is_tuple(entry) else (entry,)))
    if isinstance(obj, Layout):
        return Layout(as_shape(flatten(obj.shape)), as_shape(flatten(obj.stride)))
    if isinstance(obj, ComposedLayout):
        return obj if inner_swizzle(obj) else ComposedLayout(obj.outer, flatten(obj.inner), offset=obj.offset)
    if hasattr(obj, "layout"):
        return flatten(obj.layout)
    raise MalformedError(f"Cannot flatten object of type {type(obj).__name__}")


def unflatten(obj: Any, target_profile: Any) -> Any:
    """The leaves nested as a tuple or layout is."""
    profile = target_profile.shape if isinstance(target_profile, Layout) else target_profile
    if isinstance(obj, Layout):
        return Layout(unflatten(as_tuple(obj.shape), profile), unflatten(as_tuple(obj.stride), profile))
    if not is_tuple(obj):
        raise MalformedError(f"Cannot unflatten object of type {type(obj).__name__}")
    count = len(flatten(profile))
    _need(count == len(obj), f"Rank mismatch: {len(obj)} leaves for a profile of {count}")
    leaves = iter(obj)

    def nested(part: Any) -> Any:
        return tuple(map(nested, part)) if is_tuple(part) else next(leaves)

    return nested(profile)


@on_inner
def sort(obj: Any) -> Any:
    """The leaves in the order of their strides, which is another function of the index."""
    if rank(obj) <= 1:
        return obj
    leaves = sorted((step, extent) for extent, step in _leaves(obj))
    return Layout(tuple(extent for _, extent in leaves), tuple(step for step, _ in leaves))


def coalesce(obj: Any, profile: Any = None) -> Any:
    """The same function with the fewest modes.

    A profile with None coalesces each mode. Otherwise it has sizes: each of its modes takes leaves until it has that many
    elements.
    """
    if isinstance(obj, ComposedLayout):
        if inner_swizzle(obj):
            return obj
        return ComposedLayout(obj.outer, coalesce(obj.inner, profile), offset=obj.offset)
    if is_empty(obj):
        return Layout()
    if profile is None:
        return _coalesced(obj)
    parts = as_tuple(profile) if is_int(profile) else profile
    if any(part is None for part in parts):
        _need(len(parts) >= rank(obj), f"Rank mismatch: {obj} has more modes than the profile {profile}")
        modes = [_coalesced(part) for part in _modes(obj)]
        return _of_modes(modes + [Layout(1, 0)] * (len(parts) - len(modes)))
    leaves = [leaf for leaf in _leaves(obj) if leaf[0] != 1]
    modes = []
    for extent in flatten(parts):
        taken: list[tuple[int, int]] = []
        while leaves and size(tuple(extent for extent, _ in taken)) < extent:
            taken.append(leaves.pop(0))
        modes.append(_coalesced(Layout(tuple(e for e, _ in taken), tuple(d for _, d in taken))))
    _need(not leaves, f"coalesce: the profile {profile} is smaller than {obj}")
    return Layout(tuple(part.shape for part in modes), tuple(part.stride for part in modes))


@_refused
def _coalesced(layout: Layout) -> Layout:
    if is_empty(layout):
        return Layout(1, 0)
    return answer(_core.coalesce(exact(layout)))


# Complements and inverses.


@_refused
def complement(layout: Any, cosize_bound: Any = None) -> Any:
    """What a layout leaves free up to a bound, by default its cosize; a shape as bound stands for its modes."""
    if isinstance(layout, ComposedLayout):
        no_inner_swizzle(layout, "complement")
        return complement(layout.inner, cosize(layout) if cosize_bound is None else cosize_bound)
    bound = cosize(layout) if cosize_bound is None else cosize_bound
    bound = bound.shape if isinstance(bound, (Layout, ComposedLayout)) else bound
    if size(layout) == 0 or is_empty(layout):
        return Layout(size(bound), 1) if size(bound) > 1 else Layout()
    for extent, step in _leaves(layout):
        _need(extent == 1 or step >= 0, f"complement: negative stride {step} of {layout}")
    return answer(_core.complement(exact(layout), bound))


def _inverse(layout: Any, of_affine: Callable[[Any], Any], again: Callable[[Any], Any]) -> Any:
    if layout is None or isinstance(layout, Swizzle):
        return layout
    if isinstance(layout, ComposedLayout):
        swizzled = split_outer_swizzle(layout)
        if swizzled is not None:
            return compose(again(swizzled[1]), swizzled[0])
        return ComposedLayout(again(layout.inner), again(layout.outer), offset=-layout.offset)
    if isinstance(layout, int):
        return Layout(layout)
    if size(layout) == 0 or is_empty(layout):
        return Layout(1, 0)
    return answer(of_affine(exact(layout)))


@_refused
def right_inverse(layout: Any) -> Any:
    """R with L(R(i)) = i, as far as that goes."""
    return _inverse(layout, _core.right_inverse, right_inverse)


@_refused
def left_inverse(layout: Any) -> Any:
    """R with R(L(i)) = i where L is injective, and L(R(L(i))) = L(i) elsewhere."""
    return _inverse(layout, _core.left_inverse, left_inverse)


def nullspace(layout: Any) -> Layout:
    """The indices along modes of stride 0, which do not move the offset."""
    expected_layout(layout)
    shape = flatten(layout.shape)
    before = as_tuple(compute_col_major_strides(shape)) if shape else ()
    kept = [(extent, index) for (extent, step), index in zip(_leaves(layout), before) if step == 0 and extent != 1]
    return Layout(as_shape([e for e, _ in kept]), as_shape([d for _, d in kept])) if kept else Layout(1, 0)


def max_common_layout(layout_a: Any, layout_b: Any) -> Any:
    """The longest R with a(R(i)) = b(R(i)) = i."""
    inverse = right_inverse(layout_b)
    if split_outer_swizzle(layout_a) is not None or split_outer_swizzle(layout_b) is not None:
        return coalesce(compose(inverse, Layout(max_common_vector(layout_a, layout_b), 1)))
    if isinstance(layout_a, ComposedLayout) or isinstance(layout_b, ComposedLayout):
        common = 0
        for at, coordinate in enumerate(all_offsets(inverse)):
            if layout_a(coordinate) != at or layout_b(coordinate) != at:
                break
            common += 1
        return coalesce(compose(inverse, Layout(common, 1))) if common else Layout(0, 1)
    common_modes = flatten(coalesce(compose(as_affine_layout(layout_a), inverse)))
    extent, step = _leaves(common_modes)[0] if not is_empty(common_modes) else (1, 0)
    return coalesce(compose(inverse, Layout(extent, 1))) if step == 1 else Layout(1, 0)


def max_common_vector(layout_a: Any, layout_b: Any) -> int:
    """How many elements from the first on both layouts have at the offset of their number."""
    split_a, split_b = split_outer_swizzle(layout_a), split_outer_swizzle(layout_b)
    if split_a is None and split_b is None:
        return size(max_common_layout(layout_a, layout_b))
    swizzle_a, inner_a = split_a or (None, layout_a)
    swizzle_b, inner_b = split_b or (None, layout_b)
    common = max_common_vector(inner_a, inner_b)
    if swizzle_a == swizzle_b:
        return common
    return min([common] + [1 << swizzle.base for swizzle in (swizzle_a, swizzle_b) if swizzle is not None])


# Coordinates.


def idx2crd(coord: Any, shape: Any) -> Any:
    """The coordinate of an index; each digit wraps at its extent."""
    shape = shape.shape if isinstance(shape, Layout) else shape
    if isinstance(coord, int):
        if not is_tuple(shape):
            return coord % shape
        digits = []
        for extent in shape:
            digits.append(idx2crd(coord % size(extent), extent))
            coord //= size(extent)
        return tuple(digits)
    if not is_tuple(coord):
        raise MalformedError(f"Cannot map {type(coord).__name__} to shape {shape}")
    if not is_tuple(shape):
        return coord
    _need(len(coord) == len(shape), f"Coordinate rank {len(coord)} does not match shape rank {len(shape)}")
    return zip_transform(coord, shape, idx2crd)


def crd2flat(coord: Any, shape: Any = None) -> int:
    """The index of a coordinate, in column-major order."""
    shape = shape.shape if isinstance(shape, Layout) else shape
    if isinstance(coord, int):
        return int(coord)
    if not is_tuple(coord):
        raise MalformedError(f"Unsupported coordinate type: {type(coord).__name__}")
    _need(is_tuple(shape), f"Cannot map coordinate {coord} to scalar shape {shape}")
    _need(len(coord) == len(shape), f"Coordinate rank {len(coord)} does not match shape rank {len(shape)}")
    flat, before = 0, 1
    for digit, extent in zip(coord, shape):
        flat += crd2flat(digit, extent) * before
        before *= size(extent)
    return flat


def crd2offset(coord: Any, shape: Any, stride: Any) -> Any:
    """The offset of a coordinate or an index, whose last mode goes on. None counts as 0."""
    if coord is None:
        return 0
    if not is_tuple(shape):
        _need(not is_tuple(coord), f"Cannot map coordinate {coord} to scalar shape {shape}")
        return coord * stride
    if isinstance(coord, int):
        offset = 0
        for at, (extent, step) in enumerate(zip(shape, stride), start=1):
            digit = coord if at == len(shape) else coord % size(extent)
            coord = coord if at == len(shape) else coord // size(extent)
            offset += crd2offset(digit, extent, step)
        return offset
    if not is_tuple(coord):
        raise MalformedError(f"Coordinate must be int or tuple, got {type(coord).__name__}")
    _need(len(coord) == len(shape), f"Coordinate rank {len(coord)} does not match layout rank {len(shape)}")
    return sum(map(crd2offset, coord, shape, stride))


def crd2idx(coord: Any, shape: Any, stride: Any = None) -> Any:
    """The index of a coordinate; with strides, its offset."""
    return crd2flat(coord, shape) if stride is None else crd2offset(coord, shape, stride)


def crd2crd(crd: Any, dst_shape: Any, src_shape: Any = None) -> Any:
    """A coordinate of one shape as one of another."""
    if not is_tuple(crd):
        return idx2crd(crd, dst_shape) if is_tuple(dst_shape) else crd
    if not is_tuple(dst_shape):
        _need(src_shape is not None, f"src_shape is needed to flatten the coordinate {crd}")
        return crd2flat(crd, src_shape)
    _need(len(crd) == len(dst_shape), f"Rank mismatch: {crd} and {dst_shape}")
    sources = src_shape if is_tuple(src_shape) else (None,) * len(crd)
    return tuple(map(crd2crd, crd, dst_shape, sources))


def slice_modes(crd: Any, trg: Any) -> Any:
    """The entries that the coordinate leaves free."""
    if not is_tuple(crd):
        return (trg,) if crd is None else ()
    _need(is_tuple(trg), f"Cannot slice {trg} with the coordinate {crd}")
    _need(len(crd) == len(trg), f"Rank mismatch: {crd} and {trg}")
    kept = (slice_modes(digit, entry) for digit, entry in zip(crd, trg))
    return tuple(as_shape(part) for part in kept if part)


def dice_modes(crd: Any, layout: Any) -> Any:
    """The modes that the coordinate fixes."""
    if not is_tuple(crd):
        return (Layout() if isinstance(layout, Layout) else ()) if crd is None else layout
    if isinstance(layout, Layout):
        return Layout(as_shape(dice_modes(crd, layout.shape)), as_shape(dice_modes(crd, layout.stride)))
    _need(is_tuple(layout), f"Cannot dice {layout} with the coordinate {crd}")
    _need(len(crd) == len(layout), f"Rank mismatch: {crd} and {layout}")
    kept: tuple[Any, ...] = ()
    for digit, entry in zip(crd, layout):
        if digit is not None:
            kept += dice_modes(digit, entry) if is_tuple(digit) else (entry,)
    return kept


def slice_and_offset(crd: Any, layout: Any) -> tuple[Any, int]:
    """The layout of the modes that the coordinate leaves free, and the offset that is added to it.

    Of a composed layout, the offset goes inside; it comes out where the swizzle flips no bits that vary.
    """
    if isinstance(layout, Layout):
        return _free_modes(crd, layout), crd2offset(crd, layout.shape, layout.stride)
    if inner_swizzle(layout):
        if not coords_all_none(crd):
            raise UnsupportedComposedLayoutError(f"slices of {layout}, which applies a swizzle first", "not-affine")
        return layout, 0
    inner, moved = slice_and_offset(crd, layout.inner)
    sliced = ComposedLayout(layout.outer, inner, offset=layout.offset + moved)
    return (sliced, 0) if coords_all_none(crd) else _without_swizzle(sliced) or (sliced, 0)


def _free_modes(crd: Any, layout: Layout) -> Layout:
    shape, stride = slice_modes(crd, layout.shape), slice_modes(crd, layout.stride)
    if len(shape) == 1 and is_tuple(shape[0]):
        shape, stride = shape[0], stride[0]
    return Layout(shape, stride)


def _without_swizzle(composed: ComposedLayout) -> tuple[Layout, int] | None:
    """A layout and an offset that are the same function as a swizzled layout, where its bits allow it."""
    swizzle, inner = composed.outer, composed.inner
    if not isinstance(swizzle, Swizzle) or not isinstance(inner, Layout) or size(inner) > _MAX_POINTS:
        return None
    first = swizzle(composed.offset)
    # What each bit of the inner offset adds, the others being as in the offset.
    bits = swizzle.base + swizzle.bits + abs(swizzle.shift)
    extents, steps = [2] * bits, [swizzle(composed.offset + (1 << bit)) - first for bit in range(bits)]
    if cosize(inner) > 1 << bits:
        extents.append(-(-cosize(inner) >> bits))
        steps.append(1 << bits)
    try:
        candidate = compose(Layout(tuple(extents), tuple(steps)), inner)
    except Error:
        return None
    moved = [first + offset for offset in all_offsets(candidate)]
    return (candidate, first) if moved == all_offsets(composed) else None


# Division of shapes and of element sizes.


def safe_div(a: int, b: int) -> int:
    """a / b, where b divides a."""
    _need(b != 0 and a % b == 0, f"safe_div requires {b} to divide {a} evenly")
    return a // b


def shape_div(shape: Any, divisor: int) -> Any:
    """What is left of a shape where its first elements are divided off."""

    def left(extent: int, part: int) -> int:
        _need(part != 0 and (extent % part == 0 or part % extent == 0), f"shape_div({extent}, {part}) is not divisible")
        return -(-extent // part)

    return (
        shape if divisor == 1 else fold_accumulate(shape, divisor, left, lambda mode, part: shape_div(part, size(mode)))
    )


def shape_mod(shape: Any, modulus: int) -> Any:
    """What `shape_div` divides off."""

    def taken(extent: int, part: int) -> int:
        return extent if part >= extent else gcd(extent, part)

    return fold_accumulate(shape, modulus, taken, lambda mode, part: shape_div(part, shape_mod(size(mode), part)))


@_refused
def upcast(layout: Any, n: int) -> Layout:
    """The layout in elements n times as large, where they are whole."""
    return layout if n == 1 else answer(exact(layout).upcast(n))


@_refused
def downcast(layout: Any, n: int) -> Layout:
    """The layout in elements n times as small."""
    return layout if n == 1 else answer(exact(layout).downcast(n))


# Composition.


def compose(layout_a: Any, layout_b: Any) -> Any:
    """R(i) = A(B(i)), with the modes of B; a tuple composes mode by mode."""
    if isinstance(layout_a, ComposedLayout):
        return ComposedLayout(layout_a.outer, compose(layout_a.inner, layout_b), offset=layout_a.offset)
    if isinstance(layout_a, Swizzle):
        if not is_layout(layout_b):
            raise MalformedError(f"a Swizzle is composed with a layout, not with {type(layout_b).__name__}")
        return layout_b if layout_a.bits == 0 else ComposedLayout(layout_a, layout_b)
    if not isinstance(layout_a, Layout):
        raise MalformedError(f"the first operand must be a layout or a Swizzle, not {type(layout_a).__name__}")
    if isinstance(layout_b, Layout):
        return _composed(layout_a, layout_b)
    if isinstance(layout_b, Swizzle):
        return _after_swizzle(layout_a, layout_b)
    if isinstance(layout_b, ComposedLayout):
        if layout_b.offset == 0 and isinstance(layout_b.outer, Layout):
            return compose(compose(layout_a, layout_b.outer), layout_b.inner)
        return ComposedLayout(layout_a, layout_b)
    if not is_tuple(layout_b):
        raise MalformedError(f"Invalid tiler type: {type(layout_b).__name__}")
    _need(
        len(layout_b) <= rank(layout_a),
        f"Tiler has {len(layout_b)} elements but layout has only {rank(layout_a)} modes",
    )
    parts = [_part(mode(layout_a, at), tiler) for at, tiler in enumerate(layout_b)]
    modes = parts + _modes(layout_a)[len(layout_b) :]
    return Layout(tuple(unwrap(part.shape) for part in modes), tuple(unwrap(part.stride) for part in modes))


def _part(layout: Layout, tiler: Any) -> Layout:
    """A mode composed with its part of a tuple."""
    if tiler is None:
        return layout
    if isinstance(tiler, (ComposedLayout, Swizzle)) or not (is_int(tiler) or is_tuple(tiler) or is_layout(tiler)):
        raise MalformedError(f"Invalid tiler element: {type(tiler).__name__}")
    return compose(layout, Layout(tiler, 1) if is_int(tiler) else tiler)


def _composed(layout_a: Layout, layout_b: Layout) -> Layout:
    if not (size(layout_a) and size(layout_b)) or is_empty(layout_a) or is_empty(layout_b):
        return Layout()
    return _divisible(_core.composition, layout_a, layout_b)


def _divisible(operation: Callable[[Any, Any], Any], layout_a: Layout, layout_b: Layout) -> Layout:
    """The answer of an operation that composes, whose refusals say so in the words of the package."""
    try:
        return answer(operation(exact(layout_a), exact(layout_b)))
    except Error as error:
        message = f"{layout_a} and {layout_b} are not divisible into modes: {error.message}"
        raised = MalformedError if error.code in MALFORMED else LayoutError
        raise raised(
            message, error.code, error.help, None, None, error.witness, error.chain, error.reason
        ) from None


def _after_swizzle(layout: Layout, swizzle: Swizzle) -> Any:
    """L(swizzle(i)), as a swizzle after L where that is the same function."""
    plain = ComposedLayout(layout, compose(swizzle, Layout(layout.shape)))
    if size(layout) > _MAX_POINTS:
        return plain
    try:
        moved = make_swizzle(layout(swizzle.yyy_msk), layout(swizzle.zzz_msk))
    except LayoutError:
        return plain
    candidate = layout if moved is None else compose(moved, layout)
    return candidate if all_offsets(candidate) == all_offsets(plain) else plain


# Division.


@on_inner
@_refused
def logical_divide(layout: Any, tiler: Any) -> Any:
    """Cut into tiles: (tile, rest). An integer tiles the first mode, a tuple mode by mode."""
    if isinstance(tiler, Layout):
        return answer(_core.logical_divide(exact(layout), exact(tiler)))
    if isinstance(tiler, int):
        _need(tiler > 0, f"logical_divide: a tile has elements, unlike {tiler}")
        if is_empty(layout) or size(mode(layout, 0)) % tiler != 0:
            return logical_divide(layout, Layout(tiler, 1))
        tiler = (tiler,)
    if not is_tuple(tiler):
        raise MalformedError(f"Tiler must be int, tuple, or Layout, got {type(tiler).__name__}")
    return _of_modes(_divided(layout, tiler, _of_modes))


def _divided(layout: Layout, tiler: tuple[Any, ...], of_modes: Callable[[Any], Layout]) -> list[Layout]:
    """Each mode cut by its part of a tuple; the modes beyond it stay."""
    expected_layout(layout)
    _need(
        len(tiler) <= rank(layout),
        f"logical_divide: tiler has more modes ({len(tiler)}) than layout ({rank(layout)})",
    )
    cut = [_cut(mode(layout, at), part, of_modes) for at, part in enumerate(tiler)]
    return cut + _modes(layout)[len(tiler) :]


def _cut(layout: Layout, part: Any, of_modes: Callable[[Any], Layout]) -> Layout:
    if part is None:
        return layout
    if is_tuple(part):
        return of_modes(_divided(layout, part, of_modes))
    if is_int(part) and is_int(layout.shape) and part > 0 and layout.shape % part == 0:
        rest = layout.shape // part
        return Layout((part, rest), (layout.stride if part > 1 else 0, layout.stride * part if rest > 1 else 0))
    return logical_divide(layout, Layout(part, 1) if is_int(part) else part)


@on_inner
@_refused
def zipped_divide(layout: Any, tiler: Any) -> Any:
    """Cut into tiles, which are gathered: ((tile modes), (rests, other modes))."""
    if isinstance(tiler, Layout):
        return logical_divide(layout, tiler)
    if not isinstance(tiler, int) and not is_tuple(tiler):
        raise MalformedError(f"Tiler must be int, tuple, or Layout, got {type(tiler).__name__}")
    parts = as_tuple(tiler)
    return _gathered(_divided(layout, parts, lambda modes: _gathered(modes, len(modes))), len(parts))


def _gathered(modes: list[Layout], tiled: int) -> Layout:
    """The first halves of the modes that are tiled, and all else."""
    firsts = [mode(part, 0) for part in modes[:tiled] if rank(part) == 2]
    rests = [mode(part, 1) for part in modes[:tiled] if rank(part) == 2]
    rests += [part for part in modes[:tiled] if rank(part) != 2] + modes[tiled:]
    return _pair(_of_modes(firsts or [Layout(1, 0)]), _of_modes(rests or [Layout(1, 0)]))


@on_inner
def tiled_divide(layout: Any, tiler: Any) -> Any:
    """Cut into tiles: ((tile modes), rest0, rest1, ...)."""
    zipped = zipped_divide(layout, tiler)
    return _of_modes([mode(zipped, 0), *_modes(mode(zipped, 1))])


@on_inner
def flat_divide(layout: Any, tiler: Any) -> Any:
    """Cut into tiles: (tile modes..., rest0, rest1, ...)."""
    zipped = zipped_divide(layout, tiler)
    return _of_modes([*_modes(mode(zipped, 0)), *_modes(mode(zipped, 1))])


# Products.


@on_inner
@_refused
def logical_product(layout_a: Any, layout_b: Any) -> Any:
    """Copies of A in the order of B: (A, copies); a tuple multiplies mode by mode."""
    if layout_b is None:
        return layout_a
    if isinstance(layout_b, int):
        return logical_product(layout_a, Layout(layout_b))
    if is_tuple(layout_b) and not isinstance(layout_b, Layout):
        _need(len(layout_b) <= rank(layout_a), f"layout rank {rank(layout_a)} < tiler length {len(layout_b)}")
        modes = [logical_product(mode(layout_a, at), part) for at, part in enumerate(layout_b)]
        modes += _modes(layout_a)[len(layout_b) :]
        return Layout(tuple(part.shape for part in modes), tuple(part.stride for part in modes))
    if isinstance(layout_b, ComposedLayout):
        return _product_with_swizzled(layout_a, layout_b)
    return _divisible(_core.logical_product, layout_a, layout_b)


def _product_with_swizzled(layout: Layout, copies: ComposedLayout) -> Any:
    """Copies in a swizzled order, as a swizzle after the plain product, where that is the same function."""
    swizzled = split_outer_swizzle(copies)
    if swizzled is None or not isinstance(swizzled[1], Layout):
        raise UnsupportedComposedLayoutError(f"logical_product by {copies}", "not-affine")
    if size(layout) * size(copies) > _MAX_POINTS:
        raise UnsupportedComposedLayoutError(
            f"logical_product of more than {_MAX_POINTS} elements by {copies}", "too-large"
        )
    swizzle, inner = swizzled
    plain = logical_product(layout, inner)
    places = complement(layout, size(layout) * cosize(copies))
    expected = [at + places(copy) for copy in all_offsets(copies) for at in all_offsets(layout)]
    reached = 0
    for offset in all_offsets(inner):
        reached |= offset
    candidates = [plain]
    try:
        read, flipped = (places(reached & mask) for mask in (swizzle.yyy_msk, swizzle.zzz_msk))
        moved = make_swizzle(read, flipped)
        candidates += [compose(moved, plain)] if moved is not None else []
    except LayoutError:
        pass
    for candidate in candidates:
        if all_offsets(candidate) == expected:
            return candidate
    raise UnsupportedComposedLayoutError(
        f"the product of {layout} with {copies} is no swizzle of a layout", "not-affine"
    )


def zipped_product(layout_a: Any, layout_b: Any) -> Any:
    """Copies, gathered: ((block modes), (copies))."""
    if isinstance(layout_a, ComposedLayout):
        no_inner_swizzle(layout_a, "zipped_product")
        return ComposedLayout(layout_a.outer, zipped_product(layout_a.inner, layout_b), offset=layout_a.offset)
    return hier_unzip(logical_product, layout_a, layout_b)


@on_inner
def tiled_product(layout_a: Any, layout_b: Any) -> Any:
    """Copies: ((block modes), copies0, copies1, ...)."""
    zipped = zipped_product(layout_a, layout_b)
    modes = [mode(zipped, 0), *_modes(mode(zipped, 1))]
    return Layout(tuple(part.shape for part in modes), tuple(part.stride for part in modes))


@on_inner
def flat_product(block: Any, tiler: Any) -> Any:
    """Copies: (block modes..., copies0, copies1, ...)."""
    zipped = zipped_product(block, tiler)
    modes = [*_modes(mode(zipped, 0)), *_modes(mode(zipped, 1))]
    return Layout(tuple(part.shape for part in modes), tuple(part.stride for part in modes))


def hier_unzip(splitter: Callable[[Any, Any], Any], layout_a: Any, layout_b: Any) -> Any:
    """What a splitter makes of each mode, gathered: ((first parts), (second parts, other modes))."""
    if layout_b is None:
        return _pair(Layout(1, 0), layout_a)
    if is_tuple(layout_b) and not isinstance(layout_b, Layout):
        _need(len(layout_b) <= rank(layout_a), f"layout rank {rank(layout_a)} < tiler length {len(layout_b)}")
        pairs = [hier_unzip(splitter, mode(layout_a, at), part) for at, part in enumerate(layout_b)]
        seconds = [mode(pair, 1) for pair in pairs] + _modes(layout_a)[len(layout_b) :]
        return _pair(_of_modes([mode(pair, 0) for pair in pairs]), _of_modes(seconds))
    return splitter(layout_a, Layout(layout_b) if isinstance(layout_b, int) else layout_b)


@on_inner
def blocked_product(layout_a: Any, layout_b: Any) -> Any:
    """Each mode of A with the same mode of B after it; B counts intervals of A's cosize."""
    interval = cosize(layout_a)
    spaced = Layout(layout_b.shape, transform_tuple(layout_b.stride, lambda step: step * interval))
    blocks, copies = _modes(layout_a), _modes(spaced)
    paired = [_pair(block, copy) for block, copy in zip(blocks, copies)]
    modes = paired + blocks[len(paired) :] + copies[len(paired) :]
    return Layout(tuple(part.shape for part in modes), tuple(part.stride for part in modes))


@on_inner
def raked_product(block: Any, tiler: Any) -> Any:
    """Each mode of the tiler with the same mode of the block after it."""
    ranks = max(rank(block), rank(tiler))
    product = logical_product(_padded(block, ranks), _padded(tiler, ranks))
    blocks, copies = mode(product, 0), mode(product, 1)
    _need(rank(copies) == rank(blocks), f"Rank mismatch: {copies} and {blocks}")
    modes = [_pair(copy, part) for copy, part in zip(_modes(copies), _modes(blocks))]
    return Layout(tuple(part.shape for part in modes), tuple(part.stride for part in modes))


def _padded(layout: Layout, ranks: int) -> Layout:
    """With modes 1:0 up to a rank."""
    more = ranks - rank(layout)
    if more <= 0:
        return layout
    return Layout(as_tuple(layout.shape) + (1,) * more, as_tuple(layout.stride) + (0,) * more)
