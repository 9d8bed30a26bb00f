"""Layouts for common needs: ordered, tiled up to a shape, or a grid of matrix instructions."""

from __future__ import annotations

from typing import Any

from .layouts import *
from .layouts.expr import all_offsets


def round_up(a: int, b: int) -> int:
    """The least multiple of b from a on."""
    return -(-a // b) * b


def make_ordered_layout(shape: Any, order: Any = None) -> Layout:
    """The compact layout of a shape, the modes from the fastest on as `order` lists them."""
    modes = as_tuple(shape)
    if order is None:
        order = range(len(modes))
    if not is_iterable(order):
        raise TypeError(f"make_ordered_layout: order must be iterable, got {order!r}")
    order = tuple(order)
    if sorted(order) != list(range(len(modes))):
        raise LayoutError(
            f"make_ordered_layout: order must be a permutation of {tuple(range(len(modes)))}, got {order}"
        )
    strides, before = [0] * len(modes), 1
    for at in order:
        strides[at] = before
        before *= modes[at]
    return Layout(shape, 1) if is_int(shape) else Layout(modes, tuple(strides))


def tile_to_shape(layout: Layout, target_shape: Any, order: Any = None) -> Any:
    """Copies of a layout, each after the other in `order`, until they cover a shape."""
    targets, blocks = product_each(normalize(target_shape)), product_each(layout.shape)
    if len(targets) != len(blocks):
        raise LayoutError(f"tile_to_shape needs the same number of top-level modes: {blocks} tiles {targets}")
    copies = tuple(-(-target // block) for target, block in zip(targets, blocks))
    return blocked_product(layout, make_ordered_layout(copies, order))


def make_layout_like(layout: Layout, tiler: Any) -> Layout:
    """A shape with the first strides of a layout."""
    shape = tiler.shape if isinstance(tiler, Layout) else normalize(tiler)
    strides, needed = flatten(layout.stride), len(flatten(shape))
    if needed > len(strides):
        raise LayoutError(f"make_layout_like: {shape} has more flat modes than {layout}")
    return Layout(shape, unflatten(strides[:needed], shape) if is_tuple(shape) else strides[0])


def tile_mma_grid(atom: Any, atom_layout: Layout, matrix: str = "C", tile_mnk: Any = None) -> tuple[Any, Any]:
    """Which thread holds which element of an operand, where copies of a matrix instruction cover a tile.

    `atom_layout` numbers the copies along M and N. The result is {(row, column): (thread, value, thread of the layouts)}
    and the shape of the tile; a larger `tile_mnk`, which must be a multiple, gives each thread more values.
    """
    rows_of, columns_of = {"A": (0, 2), "B": (1, 2), "C": (0, 1)}.get(matrix, (None, None))
    if rows_of is None or columns_of is None:
        raise ValueError(f"matrix must be 'A', 'B', or 'C', got {matrix!r}")
    along = (*as_tuple(atom_layout.shape), 1)[:2] + (1,)
    natural = tuple(extent * count for extent, count in zip(atom.shape_mnk, along))
    tile = natural if tile_mnk is None else tile_mnk
    for axis, extent, least in zip("MNK", tile, natural):
        if extent < least or extent % least:
            raise LayoutError(f"tile_mma_grid: {axis}={extent} is no exact multiple of {least}")
    operand = {"A": atom.a_layout, "B": atom.b_layout, "C": atom.c_layout}[matrix]
    threads, values = size(mode(operand, 0)), size(mode(operand, 1))
    # Half a warp apart where the instruction names its threads, as a quad pair does.
    apart = size(mode(atom.c_layout, 0)) // (2 if atom.thr_id is not None else 1)
    rows, columns = atom.shape_mnk[rows_of], atom.shape_mnk[columns_of]
    grid: dict[tuple[int, int], tuple[int, int, int]] = {}
    numbered = all_offsets(operand)
    for row_copy in range(along[rows_of]):
        for column_copy in range(along[columns_of]):
            copy = [0, 0, 0]
            copy[rows_of], copy[columns_of] = row_copy, column_copy
            number = copy[0] if is_int(atom_layout.shape) else atom_layout((copy[0], copy[1]))
            for at, index in enumerate(numbered):
                value, thread = divmod(at, threads)
                machine = thread if atom.thr_id is None else atom.thr_id(thread)
                row, column = index % rows + row_copy * rows, index // rows + column_copy * columns
                grid[row, column] = (machine + number * apart, value, thread + number * threads)
    first = dict(grid)
    row_times, column_times = tile[rows_of] // natural[rows_of], tile[columns_of] // natural[columns_of]
    for turn in range(1, row_times * column_times):
        row_turn, column_turn = divmod(turn, column_times)
        for (row, column), (thread, value, logical) in first.items():
            place = row + row_turn * natural[rows_of], column + column_turn * natural[columns_of]
            grid[place] = (thread, value + turn * values, logical)
    return grid, tuple(tile)
