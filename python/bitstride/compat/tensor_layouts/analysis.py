"""What a layout does to memory: its image, aliasing, bank conflicts, coalescing, permutations, and bit matrices.

Reports list elements, so that their work grows with the size. Mode 0 of a layout is the threads and all other modes are
the values of a thread. Addresses count from the least one that a group of threads accesses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from math import lcm
from typing import Any

from .atoms import MMAAtom
from .layouts import *
from .layouts.algebra import _modes
from .layouts.expr import all_offsets, inner_swizzle

__all__ = [
    "aliasing_profile",
    "atom_summary",
    "bank_conflicts",
    "coalescing_efficiency",
    "contiguity",
    "cycles",
    "explain",
    "fixed_points",
    "footprint",
    "from_F2_matrix",
    "functionally_equal",
    "gap_profile",
    "image",
    "is_bijective",
    "is_contiguous",
    "is_even_permutation",
    "is_injective",
    "is_surjective",
    "mode_contiguity",
    "offset_table",
    "operand_analysis",
    "order",
    "per_group_bank_conflicts",
    "per_group_coalescing",
    "permutation_parity",
    "segment_analysis",
    "slice_contiguity",
    "thread_stride_profile",
    "to_F2_matrix",
]


# Images.


def image(layout: Any) -> list[int]:
    """The offsets, sorted, each once."""
    return sorted(set(all_offsets(as_layout_expr(layout))))


def is_injective(layout: Any) -> bool:
    """Whether no two coordinates have one offset."""
    return len(image(layout)) == size(layout)


def is_surjective(layout: Any, codomain_size: int | None = None) -> bool:
    """Whether every offset below a size is reached; without a size, every one between the least and the largest."""
    reached = image(layout)
    if codomain_size is None:
        return not reached or len(reached) == reached[-1] - reached[0] + 1
    if not is_int(codomain_size):
        raise TypeError("codomain_size must be an integer")
    if codomain_size < 0:
        raise ValueError("codomain_size must be non-negative")
    return reached == list(range(codomain_size))


def is_bijective(layout: Any) -> bool:
    """Whether each offset of an interval as long as the cosize is reached once."""
    return len(image(layout)) == size(layout) == cosize(layout)


def is_contiguous(layout: Any) -> bool:
    """The same: the elements fill an interval."""
    return is_bijective(layout)


def functionally_equal(a: Any, b: Any) -> bool:
    """Whether two layouts have the same offset at each index."""
    return size(a) == size(b) and all_offsets(as_layout_expr(a)) == all_offsets(as_layout_expr(b))


def offset_table(layout: Any) -> dict[int, list[Any]]:
    """For each offset, the coordinates that have it."""
    layout = as_layout_expr(layout)
    table: dict[int, list[Any]] = {}
    for coordinate, offset in iter_layout(layout):
        table.setdefault(offset, []).append(coordinate)
    return table


def aliasing_profile(layout: Any) -> dict[str, Any]:
    """How many coordinates share an offset."""
    ways = Counter(all_offsets(as_layout(layout)))
    shared = sorted(offset for offset, count in ways.items() if count > 1)
    return {
        "has_aliasing": bool(shared),
        "max_alias_ways": max(ways.values(), default=0),
        "aliased_offset_count": len(shared),
        "duplicate_elements": sum(ways.values()) - len(ways),
        "reuse_histogram": dict(sorted(Counter(ways.values()).items())),
        "aliased_offsets": shared,
    }


def footprint(layout: Any) -> dict[str, Any]:
    """The extent of the offsets, and how densely they fill it."""
    reached, total = image(layout), size(as_layout_expr(layout))
    span = reached[-1] - reached[0] + 1 if reached else 0
    return {
        "min_offset": reached[0] if reached else 0,
        "max_offset": reached[-1] if reached else 0,
        "span": span,
        "unique_offsets": len(reached),
        "total_elements": total,
        "reuse_factor": total / len(reached) if reached else 0.0,
        "holes": span - len(reached),
    }


def gap_profile(layout: Any) -> dict[str, Any]:
    """The runs of neighbouring offsets, as pairs of their ends, and the gaps between them."""
    runs: list[tuple[int, int]] = []
    for offset in image(layout):
        if runs and offset == runs[-1][1] + 1:
            runs[-1] = runs[-1][0], offset
        else:
            runs.append((offset, offset))
    gaps = [following[0] - run[1] - 1 for run, following in zip(runs, runs[1:])]
    return {
        "runs": runs,
        "gap_sizes": gaps,
        "max_gap": max(gaps, default=0),
        "avg_gap": sum(gaps) / len(gaps) if gaps else 0.0,
        "run_count": len(runs),
        "isolated_offsets": sum(first == last for first, last in runs),
    }


# The memory of GPUs.


def _threads_and_values(layout: Any) -> tuple[int, int]:
    threads = size(mode(layout, 0)) if rank(layout) else 1
    return threads, size(layout) // threads if threads else 0


class _Accesses:
    """The offsets of each thread."""

    def __init__(self, layout: Any, group_size: int, name: str) -> None:
        if group_size <= 0:
            raise ValueError(f"{name} must be positive, got {group_size}")
        self.layout = as_layout_expr(layout)
        self.threads, self.values = _threads_and_values(self.layout)
        self.offsets = all_offsets(self.layout)
        self.group_size = group_size

    def group(self, number: int = 0) -> list[tuple[int, int]]:
        """Each access of a group of threads: the thread and the offset."""
        first = number * self.group_size
        threads = range(first, min(first + self.group_size, self.threads))
        return [(t, self.offsets[v * self.threads + t]) for t in threads for v in range(self.values)]

    def groups(self) -> Iterator[list[tuple[int, int]]]:
        return map(self.group, range(-(-self.threads // self.group_size)))

    def rebased(self, number: int = 0) -> list[int]:
        """The offsets of a group, counted from the least."""
        offsets = [offset for _, offset in self.group(number)]
        return [offset - min(offsets) for offset in offsets]


def _conflicts(accesses: list[tuple[int, int]], element_bytes: int, banks: int, width: int) -> dict[str, Any]:
    words: dict[int, set[int]] = {}
    threads: dict[int, list[int]] = {}
    for thread, offset in accesses:
        word = offset * element_bytes // width
        words.setdefault(word % banks, set()).add(word)
        threads.setdefault(word % banks, []).append(thread)
    ways = max(map(len, words.values()), default=1)
    return {"conflict_free": ways == 1, "max_ways": ways, "bank_to_threads": threads}


def bank_conflicts(
    layout: Any, *, element_bytes: int, num_banks: int = 32, bank_width_bytes: int = 4, group_size: int = 32
) -> dict[str, Any]:
    """How many words of one bank of shared memory the first group of threads accesses."""
    accesses = _Accesses(layout, group_size, "group_size").group()
    return _conflicts(accesses, element_bytes, num_banks, bank_width_bytes)


def per_group_bank_conflicts(
    layout: Any, *, element_bytes: int, group_size: int = 32, num_banks: int = 32, bank_width_bytes: int = 4
) -> dict[str, Any]:
    """The same for every group of threads."""
    accesses = _Accesses(layout, group_size, "group_size")
    groups = [_conflicts(group, element_bytes, num_banks, bank_width_bytes) for group in accesses.groups()]
    ways = [group["max_ways"] for group in groups]
    worst = max(ways, default=0)
    return {"groups": groups, "worst_group": ways.index(worst) if ways else 0, "worst_max_ways": worst}


def _coalescing(offsets: list[int], element_bytes: int, line_bytes: int) -> dict[str, Any]:
    lines = sorted({offset * element_bytes // line_bytes for offset in offsets})
    moved = len(lines) * line_bytes
    efficiency = len(set(offsets)) * element_bytes / moved if moved else 0.0
    return {"transactions": len(lines), "efficiency": efficiency, "cache_lines": lines}


def coalescing_efficiency(
    layout: Any, *, element_bytes: int, warp_size: int = 32, cache_line_bytes: int = 128
) -> dict[str, Any]:
    """How many cache lines the first warp accesses, and how much of them it uses."""
    return _coalescing(_Accesses(layout, warp_size, "warp_size").rebased(), element_bytes, cache_line_bytes)


def per_group_coalescing(
    layout: Any, *, element_bytes: int, group_size: int = 32, cache_line_bytes: int = 128
) -> dict[str, Any]:
    """The same for every group of threads."""
    accesses = _Accesses(layout, group_size, "group_size")
    count = -(-accesses.threads // group_size)
    groups = [_coalescing(accesses.rebased(at), element_bytes, cache_line_bytes) for at in range(count)]
    used = [group["efficiency"] for group in groups]
    worst = min(used, default=float("inf"))
    return {"groups": groups, "worst_group": used.index(worst) if used else 0, "worst_efficiency": worst}


def segment_analysis(
    layout: Any, *, element_bytes: int, warp_size: int = 32, segment_bytes: int = 32, cache_line_bytes: int = 128
) -> dict[str, Any]:
    """How many segments and cache lines the first warp accesses, in bytes."""
    offsets = _Accesses(layout, warp_size, "warp_size").rebased()
    addresses = [offset * element_bytes for offset in offsets]
    segments = len({address // segment_bytes for address in addresses})
    used = len(set(offsets)) * element_bytes
    first = addresses[0] if addresses else 0
    return {
        "segments": segments,
        "cache_lines": len({address // cache_line_bytes for address in addresses}),
        "unique_bytes": used,
        "requested_bytes": len(addresses) * element_bytes,
        "transferred_bytes": segments * segment_bytes,
        "segment_efficiency": used / (segments * segment_bytes) if segments else 0.0,
        "first_byte_addr": first,
        "first_alignment": first % segment_bytes,
    }


def thread_stride_profile(layout: Any) -> dict[str, Any]:
    """How the offset of each value moves from a thread to the next."""
    accesses = _Accesses(layout, 1, "group_size")
    threads, offsets = accesses.threads, accesses.offsets
    deltas = []
    for value in range(accesses.values):
        places = offsets[value * threads : (value + 1) * threads]
        deltas.append([following - place for place, following in zip(places, places[1:])])
    strides = [sorted(set(steps)) for steps in deltas]
    every = sorted({step for steps in strides for step in steps})
    return {
        "thread_count": threads,
        "value_count": accesses.values,
        "per_value_deltas": deltas,
        "per_value_unique_strides": strides,
        "per_value_constant_stride": [steps[0] if len(steps) == 1 else None for steps in strides],
        "per_value_is_constant": [len(steps) <= 1 for steps in strides],
        "global_unique_strides": every,
        "is_uniform": len(every) <= 1,
        "has_broadcast_lane": [0] in strides,
    }


# Permutations.


def cycles(layout: Any) -> list[list[int]]:
    """The cycles of a layout that fills an interval, whose offsets count from the least."""
    offsets = all_offsets(as_layout_expr(layout))
    reached = sorted(set(offsets))
    if len(reached) != len(offsets):
        raise LayoutError(f"{layout} is not injective: {len(offsets)} elements, {len(reached)} offsets")
    if reached and reached[-1] - reached[0] + 1 != len(reached):
        raise LayoutError(
            f"the image of {layout} is not a dense interval: {len(reached)} of {reached[0]}..{reached[-1]}"
        )
    found, visited = [], [False] * len(offsets)
    for start in range(len(offsets)):
        cycle = []
        at = start
        while not visited[at]:
            visited[at] = True
            cycle.append(at)
            at = offsets[at] - reached[0]
        if cycle:
            found.append(cycle)
    return found


def fixed_points(layout: Any) -> list[int]:
    """The indices that are their own offsets."""
    return [at for at, offset in enumerate(all_offsets(as_layout_expr(layout))) if at == offset]


def order(layout: Any) -> int:
    """How often the permutation must be repeated to be the identity."""
    return lcm(*map(len, cycles(layout)))


def permutation_parity(layout: Any) -> int:
    """1 for an even permutation, -1 for an odd one."""
    return -1 if sum(len(cycle) - 1 for cycle in cycles(layout)) % 2 else 1


def is_even_permutation(layout: Any) -> bool:
    """Whether the permutation is even."""
    return permutation_parity(layout) == 1


# Vectors.


def contiguity(layout: Any) -> int:
    """How many elements from the first on have neighbouring offsets, from 0 on."""
    layout = as_affine_layout(layout)
    return max_common_vector(layout, Layout(size(layout)))


def mode_contiguity(layout: Any) -> list[int]:
    """The same of each mode alone."""
    layout = as_affine_layout(layout)
    return [contiguity(part) for part in _modes(layout)] if rank(layout) else [1]


def slice_contiguity(layout: Any, coord: Any) -> int:
    """The same of the modes that a coordinate leaves free."""
    free = as_affine_layout(layout)(coord)
    return contiguity(free) if is_layout(free) else 1


# Instructions.


def atom_summary(atom: MMAAtom) -> dict[str, Any]:
    """Threads and values of a matrix instruction; prints them too."""
    m, n, k = atom.shape_mnk
    operands = {"a": atom.a_layout, "b": atom.b_layout, "c": atom.c_layout}
    values = {name: size(mode(layout, 1)) for name, layout in operands.items()}
    repeats = {name: layout.filter() != layout for name, layout in operands.items()}
    result = {
        "name": atom.name,
        "shape_mnk": atom.shape_mnk,
        "threads": size(mode(atom.c_layout, 0)),
        **{f"values_{name}": count for name, count in values.items()},
        "c_coverage_ok": sorted(all_offsets(atom.c_layout)) == list(range(m * n)),
        "a_broadcast": repeats["a"],
        "b_broadcast": repeats["b"],
    }
    lines = [
        atom.name,
        f"  Shape (M, N, K): {m} x {n} x {k}",
        f"  Threads:          {result['threads']}",
        f"  Values per thread: A={values['a']}, B={values['b']}, C={values['c']}",
        f"  C covers M*N:     {result['c_coverage_ok']}",
    ]
    lines += [f"  {name.upper()} has broadcast (stride-0) modes" for name in "ab" if repeats[name]]
    result["text"] = "\n".join(lines)
    print(result["text"])
    return result


def operand_analysis(atom: MMAAtom) -> dict[str, dict[str, Any]]:
    """Which elements each operand of a matrix instruction covers."""
    m, n, k = atom.shape_mnk
    return {
        "a": _coverage(atom.a_layout, m * k),
        "b": _coverage(atom.b_layout, n * k),
        "c": _coverage(atom.c_layout, m * n),
    }


def _coverage(layout: Any, domain: int) -> dict[str, Any]:
    accessed = all_offsets(layout)
    reached, expected = set(accessed), set(range(domain))
    return {
        "domain_size": domain,
        "unique_offsets": len(reached),
        "total_accesses": len(accessed),
        "duplicates": len(accessed) - len(reached),
        "coverage_ok": reached == expected,
        "missing": sorted(expected - reached),
        "extra": sorted(reached - expected),
        "thread_utilization": len(reached) / len(accessed) if accessed else 0.0,
    }


# Explanations.


def _steps_of_divide(L: Any, T: Any) -> list[str]:
    T = Layout(T) if isinstance(T, int) else T
    if not is_layout(T):
        return ["Each mode of L is divided by its entry of T.", f"L = {L}", f"T = {T}"]
    extent = size(coalesce(L))
    rest = complement(T, extent)
    return [
        "= compose(L, Layout(T, complement(T, size(L))))",
        f"L = {L}",
        f"T = {T}",
        f"complement(T, {extent}) = {rest}",
        f"compose({L}, {Layout(T, rest)}) = {logical_divide(L, T)}",
    ]


def _steps_of_product(A: Any, B: Any) -> list[str]:
    B = Layout(B) if isinstance(B, int) else B
    if not is_layout(B):
        parts = [
            f"mode {at}: logical_product({mode(A, at)}, {b}) = {logical_product(mode(A, at), b)}"
            for at, b in enumerate(B)
        ]
        return ["Each mode of A is multiplied by its entry of B.", *parts]
    bound = size(A) * cosize(B)
    free = complement(A, bound)
    return [
        "= Layout(A, compose(complement(A, size(A) * cosize(B)), B))",
        f"A = {A}",
        f"B = {B}",
        f"size(A) = {size(A)}",
        f"cosize(B) = {cosize(B)}",
        f"size(A) * cosize(B) = {bound}",
        f"complement(A, {bound}) = {free}",
        f"compose({free}, {B}) = {compose(free, B)}",
    ]


def _steps_of_complement(L: Any, bound: Any = None) -> list[str]:
    bound = cosize(L) if bound is None else bound
    free = complement(L, bound)
    return [
        f"image(L) = {image(L)}",
        f"codomain = [0, {bound})",
        f"complement = {free}",
        f"image(complement) = {image(free)}",
    ]


def _steps_of_compose(A: Any, B: Any) -> list[str]:
    result = compose(A, B)
    first = range(min(size(result), 8))
    if is_layout(B):
        return ["C(i) = A(B(i))", *(f"i={i}: B({i})={B(i)}, A({B(i)})={result(i)}" for i in first)]
    lines = ["For tuple tilers, composition is applied mode-by-mode."]
    for at in range(rank(A)):
        if at < len(B):
            tiler = Layout(B[at]) if isinstance(B[at], int) else B[at]
            lines.append(f"mode {at}: compose({mode(A, at)}, {tiler}) = {compose(mode(A, at), tiler)}")
        else:
            lines.append(f"mode {at}: unchanged = {mode(A, at)}")
    coordinates = (idx2crd(i, result.shape) for i in first)
    return lines + [f"coord={coordinate}: result({coordinate})={result(coordinate)}" for coordinate in coordinates]


def _steps_of_right_inverse(L: Any) -> list[str]:
    R = right_inverse(L)
    checks = [f"R({i})={R(i)}, L(R({i}))={L(R(i))}" for i in range(min(size(R), 8))]
    return ["R such that L(R(i)) == i", f"L = {L}", f"R = {R}", "Verification:", *checks]


def _steps_of_left_inverse(L: Any) -> list[str]:
    R = left_inverse(L)
    checks = [f"L({i})={L(i)}, R(L({i}))={R(L(i))}" for i in range(min(size(L), 8))]
    return ["R such that R(L(i)) == i", f"L = {L}", f"R = {R}", "Verification:", *checks]


def _steps_of_blocked(A: Any, B: Any) -> list[str]:
    modes = [f"mode {at}: {part}" for at, part in enumerate(_modes(blocked_product(A, B)))]
    return ["A varies fastest: ((A0, B0), (A1, B1), ...)", f"logical_product(A, B) = {logical_product(A, B)}", *modes]


def _steps_of_raked(A: Any, B: Any) -> list[str]:
    first = range(min(size(A) * size(B), 8))
    blocked, raked = blocked_product(A, B), raked_product(A, B)
    return [
        "B varies fastest: ((B0, A0), (B1, A1), ...)",
        f"blocked_product(A, B) = {blocked}, from the first on {[blocked(i) for i in first]}",
        f"raked_product(A, B) = {raked}, from the first on {[raked(i) for i in first]}",
    ]


def _regrouped(structure: str) -> Callable[[Any, Any], list[str]]:
    def steps(L: Any, T: Any) -> list[str]:
        return [f"logical_divide({L}, {T}) = {logical_divide(L, T)}", f"Structure: {structure}"]

    return steps


_STEPS: dict[Any, Callable[..., list[str]]] = {
    logical_divide: _steps_of_divide,
    logical_product: _steps_of_product,
    complement: _steps_of_complement,
    compose: _steps_of_compose,
    right_inverse: _steps_of_right_inverse,
    left_inverse: _steps_of_left_inverse,
    blocked_product: _steps_of_blocked,
    raked_product: _steps_of_raked,
    zipped_divide: _regrouped("((tiles), (rests))"),
    tiled_divide: _regrouped("((tiles), rest0, rest1, ...)"),
    flat_divide: _regrouped("(tile0, tile1, ..., rest0, rest1, ...)"),
}


def explain(fn: Any, *args: Any) -> str:
    """How an operation comes to its result, as text that is printed too."""
    if fn in _STEPS:
        question = f"{fn.__name__}({', '.join(map(str, args))})"
        text = "\n  ".join([question, *_STEPS[fn](*args), f"result = {fn(*args)}"])
    else:
        names = ", ".join(sorted(operation.__name__ for operation in _STEPS))
        text = f"explain() does not support {getattr(fn, '__name__', fn)}; it does: {names}."
    print(text)
    return text


# Matrices over the field of two elements.


def to_F2_matrix(layout: Any) -> list[list[int]]:
    """The bit matrix M with offset bits = M times index bits, modulo 2; rows and columns from the lowest bit on.

    Extents are powers of two, strides not negative, and no two modes reach the same bit of the offset, except by a swizzle.
    """
    if isinstance(layout, ComposedLayout):
        if inner_swizzle(layout):
            raise UnsupportedComposedLayoutError(
                f"to_F2_matrix of {layout}, which applies a swizzle first", "not-affine"
            )
        if layout.offset != 0:
            raise LayoutError(f"to_F2_matrix: the offset {layout.offset} is no linear map of bits", "not-linear")
        images = _bit_images(layout.inner)
        if isinstance(layout.outer, Swizzle):
            images = [layout.outer(offset) for offset in images]
        else:
            columns = _bit_images(layout.outer)
            reach = max(images, default=0)
            if reach >> len(columns):
                raise LayoutError(f"to_F2_matrix: {reach} is beyond the {1 << len(columns)} elements of {layout.outer}")
            images = [_sum_of_bits(columns, offset) for offset in images]
        rows = max(1, max(images, default=0).bit_length())
    else:
        layout = as_affine_layout(layout)
        images = _bit_images(layout)
        rows = max(1, (cosize(layout) - 1).bit_length())
    return [[offset >> row & 1 for offset in images] for row in range(rows)]


def _sum_of_bits(columns: list[int], offset: int) -> int:
    total = 0
    for at, column in enumerate(columns):
        if offset >> at & 1:
            total ^= column
    return total


def _bit_images(layout: Any) -> list[int]:
    """The offset of each bit of the index."""
    if isinstance(layout, ComposedLayout):
        matrix = to_F2_matrix(layout)
        return [sum(row[at] << bit for bit, row in enumerate(matrix)) for at in range(len(matrix[0]))]
    images = []
    for extent, step in zip(flatten(layout.shape), flatten(layout.stride)):
        if extent < 1 or extent & extent - 1:
            raise LayoutError(f"to_F2_matrix: the extent {extent} of {layout} is not a power of 2", "not-linear")
        if step < 0 and extent > 1:
            raise LayoutError(f"to_F2_matrix does not support negative strides such as {step}", "not-linear")
        images += [step << bit for bit in range(extent.bit_length() - 1)]
    if sum(images) != _sum_of_bits(images, (1 << len(images)) - 1):
        raise LayoutError(f"to_F2_matrix: offsets of {layout} carry, so that it is no linear map of bits", "not-linear")
    return images


def from_F2_matrix(M: list[list[int]], shape: Any) -> Any:
    """The layout of a shape whose bit matrix this is, under one swizzle where it needs one."""
    if not M:
        raise LayoutError("a bit matrix has a row or more")
    columns = len(M[0])
    for row in M:
        if len(row) != columns or any(entry not in (0, 1) for entry in row):
            raise LayoutError(
                f"a bit matrix has rows of {columns} entries 0 or 1 each, not {row}; it is not rectangular"
            )
    extents = as_tuple(shape)
    for extent in extents:
        if not is_int(extent) or extent < 1 or extent & extent - 1:
            raise LayoutError(f"from_F2_matrix: the extent {extent} is not a power of 2")
    if size(extents) != 1 << columns:
        raise LayoutError(f"from_F2_matrix: the shape {shape} has {size(extents)} elements, the matrix {1 << columns}")
    images = [sum(row[at] << bit for bit, row in enumerate(M)) for at in range(columns)]
    for swizzle in _swizzles(len(M)):
        unswizzled = images if swizzle is None else [swizzle(offset) for offset in images]
        strides, at = [], 0
        for extent in extents:
            strides.append(unswizzled[at] if extent > 1 else 0)
            at += extent.bit_length() - 1
        plain = Layout(as_shape(extents), as_shape(strides))
        candidate = plain if swizzle is None else ComposedLayout(swizzle, plain)
        try:
            if to_F2_matrix(candidate) == M:
                return candidate
        except LayoutError:
            continue
    raise UnsupportedComposedLayoutError(f"no layout of the shape {shape} under one swizzle has this bit matrix")


def _swizzles(rows: int) -> Iterator[Swizzle | None]:
    """No swizzle, then all that stay within this number of bits, those of the fewest bits first."""
    yield None
    for bits in range(1, rows):
        for base in range(rows - bits):
            for shift in range(bits, rows - bits - base + 1):
                yield Swizzle(bits, base, shift)
                yield Swizzle(bits, base, -shift)
