"""Every operation of the layout language as a function. Written by python/tools/operations.py; do not edit.

Arguments are values of the package, integers, tuples, None for `_`, or texts. A shape stands for its compact column-major
layout where a layout is needed.
"""

from __future__ import annotations

from typing import Any

from ._core import (
    coalesce,
    complement,
    composition,
    flat_divide,
    left_inverse,
    logical_divide,
    logical_product,
    right_inverse,
    tiled_divide,
    zipped_divide,
    zipped_product,
)
from ._core import call as _call
from ._core import fit_table as _fit_table

__all__ = [
    "action_remove_broadcasted_regs",
    "add",
    "address_sectors",
    "address_wavefronts",
    "affine",
    "affine_map",
    "align_layouts",
    "append",
    "apply",
    "at",
    "atom",
    "bank_conflicts",
    "bank_conflicts_memdesc",
    "bits",
    "blocked_product",
    "bruhat",
    "byte_size",
    "byte_strides",
    "ceil_div",
    "cga",
    "chain",
    "coalesce",
    "colex_less",
    "column_major",
    "combine_cta_cga_with_shape",
    "common_coarsening",
    "common_digits",
    "common_refinement",
    "compatible",
    "complement",
    "compose",
    "composition",
    "concat_ins",
    "concat_outs",
    "congruent",
    "contiguity",
    "contiguous_elems_along_out_dim",
    "convert",
    "coordinate_at",
    "coordinates",
    "coprofile",
    "copy_atom",
    "coshape",
    "cosize",
    "crd2crd",
    "crd2idx",
    "cycles",
    "decode_descriptor",
    "decode_instruction_descriptor",
    "decompose_bitcast",
    "deduce_transpose",
    "depth",
    "describe",
    "describe_tiles",
    "descriptor",
    "device_memory",
    "device_shard",
    "dice",
    "diff",
    "digits",
    "div",
    "divide_left",
    "divide_right",
    "domain_distribute",
    "domain_offset",
    "downcast",
    "drop_dims",
    "drop_unit_dims",
    "elem_less",
    "element_strides",
    "eq",
    "equal_ignoring_out_sizes",
    "evenly_divides",
    "filter_zeros",
    "fit",
    "flat_divide",
    "flat_product",
    "flatten",
    "flatten_ins",
    "flatten_outs",
    "floor_div",
    "free_variable_masks",
    "get_nonswizzle_portion",
    "get_reps",
    "get_slice",
    "get_swizzle_portion",
    "greatest_common_domain",
    "group",
    "hardware_view",
    "holes",
    "identity_1d",
    "identity_standard_nd",
    "idx2crd",
    "image",
    "index_at",
    "infer_broadcast",
    "infer_expand_dims",
    "infer_fp4_to_fp",
    "infer_fp_to_fp4",
    "infer_gather",
    "infer_join",
    "infer_memdesc_index",
    "infer_memdesc_reshape",
    "infer_memdesc_subslice",
    "infer_reduce",
    "infer_reshape",
    "infer_split",
    "infer_trans",
    "insert",
    "instruction_descriptor",
    "inverse",
    "invert",
    "invert_and_compose",
    "is_bijective",
    "is_injective",
    "is_invertible",
    "is_legal_cat",
    "is_surjective",
    "is_trivial_over",
    "is_untiled",
    "is_valid",
    "kernel",
    "largest_vectorisation",
    "law",
    "layout",
    "layout_add",
    "left_inverse",
    "lex_less",
    "linear_index",
    "local_partition",
    "local_tile",
    "logical_divide",
    "logical_product",
    "lstsq",
    "make_cotiled_copy",
    "make_fragment_like",
    "make_identity_layout",
    "make_layout",
    "make_layout_like",
    "make_ordered_layout",
    "make_smem_layout_a",
    "make_smem_layout_b",
    "make_smem_layout_epi",
    "make_smem_layout_sf",
    "make_smem_layout_sfa",
    "make_smem_layout_sfb",
    "make_swizzle",
    "make_tiled_copy_A",
    "make_tiled_copy_B",
    "make_tiled_copy_C",
    "make_tiled_copy_C_atom",
    "make_tiled_copy_D",
    "make_tiled_copy_S",
    "matrix",
    "max_common_layout",
    "max_common_vector",
    "minimal_cvt",
    "mma_of_layouts",
    "mod",
    "move_dim",
    "mul",
    "normalized_transpose",
    "nullspace",
    "num_consecutive_in_out",
    "obeys",
    "offsets",
    "optimal_swizzle",
    "optimal_swizzle_tiles",
    "owners",
    "padded_size",
    "padding",
    "part",
    "partition_A",
    "partition_B",
    "partition_C",
    "partition_D",
    "partition_S",
    "partition_fragment_A",
    "partition_fragment_B",
    "partition_fragment_C",
    "partition_shape_A",
    "partition_shape_B",
    "partition_shape_C",
    "permute_dims",
    "physical_dims",
    "plan",
    "preimages",
    "prepend",
    "print_layout",
    "print_linear",
    "product_each",
    "pseudoinvert",
    "quotient",
    "raked_product",
    "rank",
    "recast",
    "reg_perm_for_divide",
    "remove",
    "remove_zero_bases_along_dim",
    "rename_in_dim",
    "rename_out_dim",
    "replace",
    "rescale",
    "reshape",
    "reshape_ins",
    "reshape_is_bitcast",
    "reshape_outs",
    "reshard",
    "resize_in_dim",
    "resize_out_dim",
    "retile",
    "right_inverse",
    "round_up",
    "row_major",
    "same",
    "same_memory",
    "sectors",
    "select",
    "shape",
    "shape_div",
    "shape_mod",
    "size",
    "smem_atom",
    "smem_layout",
    "square_sublayout_is_identity",
    "squeeze_ins",
    "squeeze_outs",
    "squeezed_owners",
    "stride",
    "strided_1d",
    "sublayout",
    "sublayout_is_zero",
    "subslice",
    "swizzle",
    "swizzle_between",
    "tag",
    "take",
    "tensor",
    "tensor_map",
    "tensor_reshape",
    "tensor_transpose",
    "tensor_view",
    "thr_layout_vmnk",
    "tile_atom_to_shape_SF",
    "tile_to_mma_shape",
    "tile_to_shape",
    "tiled_copy",
    "tiled_copy_tv",
    "tiled_dims",
    "tiled_divide",
    "tiled_index",
    "tiled_mma",
    "tiled_product",
    "tma",
    "tmem_load",
    "to_jax",
    "to_linear",
    "to_mosaic",
    "transpose_ins",
    "transpose_is_bitcast",
    "transpose_outs",
    "tv",
    "unflatten",
    "unit_dims",
    "unmodified_dims",
    "upcast",
    "warp_shuffle_decomp",
    "wavefronts",
    "weakly_congruent",
    "which_atom",
    "with_layout",
    "with_shape",
    "without_layout",
    "zeros_1d",
    "zeros_like",
    "zipped_divide",
    "zipped_product",
]


def rank(X: Any) -> Any:
    """The number of top-level modes; of a linear layout, the dimension of its image.

    Args:
        X: a shape or other tuple, or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: rank(((2,4),(3,5)):((3,6),(1,24)))
    """
    return _call("rank", X)


def depth(X: Any) -> Any:
    """How deep the nesting goes; an integer has depth 0.

    Args:
        X: a shape or other tuple, or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: depth((2,(1,6)))
    """
    return _call("depth", X)


def size(X: Any) -> Any:
    """The product of the extents; of an instruction, of how many threads it is.

    Args:
        X: a shape or other tuple, or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: size((4,(2,4)))
    """
    return _call("size", X)


def shape(X: Any) -> Any:
    """The shape of a layout, the dims of an array.

    Args:
        X: a shape or other tuple, or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: shape((4,8):(8,1))
    """
    return _call("shape", X)


def stride(X: Any) -> Any:
    """The stride of a layout.

    Args:
        X: a shape or other tuple, or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: stride((4,8):(8,1))
    """
    return _call("stride", X)


def congruent(A: Any, B: Any) -> Any:
    """Whether both are nested alike.

    Args:
        A: the first tuple.
        B: the second tuple.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: congruent((2,(1,6)), (0,(0,0)))
    """
    return _call("congruent", A, B)


def weakly_congruent(A: Any, B: Any) -> Any:
    """Whether the second is the first with leaves replaced by tuples.

    Args:
        A: the first tuple.
        B: the second tuple.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: weakly_congruent((2,6), (2,(1,6)))
    """
    return _call("weakly_congruent", A, B)


def compatible(A: Any, B: Any) -> Any:
    """Whether every coordinate of the first shape is one of the second.

    Args:
        A: the first tuple.
        B: the second tuple.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: compatible((4,3), ((2,2),3))
    """
    return _call("compatible", A, B)


def evenly_divides(shape: Any, tile: Any) -> Any:
    """Whether tiles of the second fill the first.

    Args:
        shape: extents, counted in elements.
        tile: the extents of the tile.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: evenly_divides((6,8), (3,4))
    """
    return _call("evenly_divides", shape, tile)


def common_refinement(A: Any, B: Any) -> Any:
    """The coarsest shape both are compatible with.

    Args:
        A: the first tuple.
        B: the second tuple.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: common_refinement(((2,3),20), (6,(4,5)))
    """
    return _call("common_refinement", A, B)


def common_coarsening(A: Any, B: Any) -> Any:
    """The finest shape compatible with both.

    Args:
        A: the first tuple.
        B: the second tuple.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: common_coarsening((4,(3,5)), ((2,2),15))
    """
    return _call("common_coarsening", A, B)


def shape_div(shape: Any, n: Any) -> Any:
    """Division from the left: each leaf takes what it can.

    Args:
        shape: extents, counted in elements.
        n: the divisor: an integer, or one for each mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: shape_div((3,6,2,8), 9)
    """
    return _call("shape_div", shape, n)


def shape_mod(shape: Any, n: Any) -> Any:
    """What shape_div takes away: the first n elements.

    Args:
        shape: extents, counted in elements.
        n: the divisor: an integer, or one for each mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: shape_mod((3,6,2,8), 9)
    """
    return _call("shape_mod", shape, n)


def ceil_div(shape: Any, n: Any) -> Any:
    """Division rounding up, leaf by leaf or from the left.

    Args:
        shape: extents, counted in elements.
        n: the divisor: an integer, or one for each mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: ceil_div((10,7), (4,2))
    """
    return _call("ceil_div", shape, n)


def round_up(shape: Any, unit: Any) -> Any:
    """The least multiple of the unit that is no less, leaf by leaf.

    Args:
        shape: extents, counted in elements.
        unit: one integer, or one for each leaf.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: round_up((10,7), (4,2))
    """
    return _call("round_up", shape, unit)


def product_each(X: Any) -> Any:
    """The size of each mode.

    Args:
        X: a shape or other tuple, or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: product_each(((2,3),4))
    """
    return _call("product_each", X)


def add(a: Any, *b: Any) -> Any:
    """The sum of integers, where `+` would be read as an offset.

    Args:
        a: an integer, which may be unknown.
        b: an integer, which may be unknown.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: add(M, 4)
    """
    return _call("add", a, *b)


def div(a: Any, b: Any) -> Any:
    """Division of integers, towards zero.

    Args:
        a: an integer, which may be unknown.
        b: an integer, which may be unknown.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: div(7, 2)
    """
    return _call("div", a, b)


def floor_div(a: Any, b: Any) -> Any:
    """Division of integers, rounding down, as `//` of Python.

    Args:
        a: an integer, which may be unknown.
        b: an integer, which may be unknown.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: floor_div(-7, 2)
    """
    return _call("floor_div", a, b)


def mod(a: Any, b: Any) -> Any:
    """The remainder of div.

    Args:
        a: an integer, which may be unknown.
        b: an integer, which may be unknown.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: mod(7, 2)
    """
    return _call("mod", a, b)


def min(a: Any, b: Any) -> Any:
    """The smaller of two extents.

    Args:
        a: an integer, which may be unknown.
        b: an integer, which may be unknown.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: min(7, 2)
    """
    return _call("min", a, b)


def lex_less(coordinate: Any, other: Any) -> Any:
    """Lexicographic order: the leftmost difference decides.

    Args:
        coordinate: an integer, or one for each mode, counted from 0.
        other: the coordinate that it is compared with.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: lex_less((0,1), (1,0))
    """
    return _call("lex_less", coordinate, other)


def colex_less(coordinate: Any, other: Any) -> Any:
    """Colexicographic order: the rightmost difference decides, as between column-major indices.

    Args:
        coordinate: an integer, or one for each mode, counted from 0.
        other: the coordinate that it is compared with.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: colex_less((1,0), (0,1))
    """
    return _call("colex_less", coordinate, other)


def elem_less(coordinate: Any, other: Any) -> Any:
    """Whether every leaf is less: a coordinate within a shape.

    Args:
        coordinate: an integer, or one for each mode, counted from 0.
        other: the coordinate that it is compared with.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: elem_less((1,2), (2,3))
    """
    return _call("elem_less", coordinate, other)


def flatten(X: Any) -> Any:
    """The same leaves without nesting.

    Args:
        X: a shape or other tuple, or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: flatten((2,(1,6)):(1,(6,2)))
    """
    return _call("flatten", X)


def unflatten(X: Any, nesting: Any) -> Any:
    """The leaves of the first in the nesting of the second.

    Args:
        X: a shape or other tuple, or a layout.
        nesting: a tuple nested as the answer is to be; its integers do not matter.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: unflatten((2,1,6), (0,(0,0)))
    """
    return _call("unflatten", X, nesting)


def select(X: Any, *position: Any) -> Any:
    """The modes at the given positions.

    Args:
        X: a shape or other tuple, or a layout.
        position: the number of a mode, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        ModeError: the layout has no such mode.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: select((2,3,5), 2, 0)
    """
    return _call("select", X, *position)


def take(X: Any, begin: Any, end: Any) -> Any:
    """The modes begin..end.

    Args:
        X: a shape or other tuple, or a layout.
        begin: the number of the first mode, counted from 0.
        end: the number after the last mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        ModeError: the layout has no such mode.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: take((2,3,5,7), 1, 3)
    """
    return _call("take", X, begin, end)


def group(X: Any, begin: Any, end: Any) -> Any:
    """The modes begin..end made one mode.

    Args:
        X: a shape or other tuple, or a layout.
        begin: the number of the first mode, counted from 0.
        end: the number after the last mode.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        ModeError: the layout has no such mode.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: group((2,3,5,7), 1, 3)
    """
    return _call("group", X, begin, end)


def append(X: Any, mode: Any, rank: Any = None) -> Any:
    """With one more mode at the end, or as many as make a rank.

    Args:
        X: a shape or other tuple, or a layout.
        mode: the new mode: an integer, a tuple or a layout.
        rank: the rank to reach, at most 64: the mode is added as often as it takes; once where it is left out.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: append((2,3):(1,2), 4:10)
    """
    if rank is None:
        return _call("append", X, mode)
    return _call("append", X, mode, rank)


def prepend(X: Any, mode: Any, rank: Any = None) -> Any:
    """With one more mode at the front, or as many as make a rank.

    Args:
        X: a shape or other tuple, or a layout.
        mode: the new mode: an integer, a tuple or a layout.
        rank: the rank to reach, at most 64: the mode is added as often as it takes; once where it is left out.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: prepend((2,3), 7)
    """
    if rank is None:
        return _call("prepend", X, mode)
    return _call("prepend", X, mode, rank)


def replace(X: Any, position: Any, mode: Any) -> Any:
    """With the mode at a position replaced.

    Args:
        X: a shape or other tuple, or a layout.
        position: the number of a mode, counted from 0.
        mode: the new mode: an integer, a tuple or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        ModeError: the layout has no such mode.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: replace((2,3,5), 1, (7,7))
    """
    return _call("replace", X, position, mode)


def insert(X: Any, position: Any, mode: Any) -> Any:
    """With a mode inserted before a position.

    Args:
        X: a shape or other tuple, or a layout.
        position: the number of a mode, counted from 0.
        mode: the new mode: an integer, a tuple or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        ModeError: the layout has no such mode.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: insert((2,3,5), 1, 7)
    """
    return _call("insert", X, position, mode)


def remove(X: Any, position: Any) -> Any:
    """Without the mode at a position.

    Args:
        X: a shape or other tuple, or a layout.
        position: the number of a mode, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        ModeError: the layout has no such mode.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: remove((2,3,5), 1)
    """
    return _call("remove", X, position)


def crd2idx(coordinate: Any, X: Any) -> Any:
    """The offset of a coordinate in a layout, the column-major index in a shape.

    Args:
        coordinate: a column-major index, or an integer for each mode, counted from 0.
        X: a shape or other tuple, or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: crd2idx((1,2), (2,3))
    """
    return _call("crd2idx", coordinate, X)


def idx2crd(index: Any, shape: Any) -> Any:
    """The natural coordinate of a column-major index in a shape.

    Args:
        index: the number of an element, column-major, counted from 0.
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: idx2crd(4, (2,3))
    """
    return _call("idx2crd", index, shape)


def coordinate_at(L: Any, offset: Any) -> Any:
    """The coordinate that leads to an offset, in each leaf how often its stride fits: where a thread is in a
    layout of threads.

    Args:
        L: a layout of CuTe.
        offset: the offset that the coordinate leads to.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: coordinate_at((32,2,2,1):(1,32,64,0), 105)
    """
    return _call("coordinate_at", L, offset)


def crd2crd(coordinate: Any, from_shape: Any, to_shape: Any) -> Any:
    """A coordinate of one shape as the one of another with the same column-major index.

    Args:
        coordinate: a column-major index, or an integer for each mode, counted from 0.
        from_shape: the shape of the given coordinate.
        to_shape: the shape of the coordinate in the answer.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: crd2crd((1,2), (2,3), (3,2))
    """
    return _call("crd2crd", coordinate, from_shape, to_shape)


def coordinates(shape: Any) -> Any:
    """The coordinates of a shape in column-major order, the leftmost mode the fastest.

    Args:
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: coordinates((2,2))
    """
    return _call("coordinates", shape)


def offsets(X: Any) -> Any:
    """The offsets of a layout in column-major order, the leftmost mode the fastest.

    Args:
        X: a shape or other tuple, or a layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: offsets((2,3):(3,1))
    """
    return _call("offsets", X)


def make_layout(*L: Any) -> Any:
    """The layout whose modes are the arguments.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_layout(4:2, (2,3):(1,8))
    """
    return _call("make_layout", *L)


def zip(A: Any, B: Any) -> Any:
    """The modes of two layouts paired: ((a0,b0),(a1,b1)).

    Args:
        A: the first layout of CuTe.
        B: the second layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: zip((2,3):(2,4), (2,2):(1,12))
    """
    return _call("zip", A, B)


def layout(L: Any, position_or_path: Any) -> Any:
    """The mode at a position, or at a path of positions.

    Args:
        L: a layout of CuTe.
        position_or_path: the number of a mode, or the numbers from the outside in.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        ModeError: the layout has no such mode.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: layout(((2,2),3):((24,2),8), (0,1))
    """
    return _call("layout", L, position_or_path)


def column_major(shape: Any) -> Any:
    """The compact layout with the leftmost mode fastest.

    Args:
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: column_major((3,4))
    """
    return _call("column_major", shape)


def row_major(shape: Any) -> Any:
    """The compact layout with the rightmost mode fastest.

    Args:
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: row_major((3,4))
    """
    return _call("row_major", shape)


def make_ordered_layout(shape: Any, order: Any) -> Any:
    """The compact layout in which a mode of smaller order is faster.

    Args:
        shape: extents, counted in elements.
        order: one rank for each mode: the mode of the smallest rank is the fastest.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_ordered_layout((4,8,4), (1,2,0))
    """
    return _call("make_ordered_layout", shape, order)


def make_layout_like(L: Any) -> Any:
    """The compact layout with the modes in the same order; broadcasts stay.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_layout_like((2,3,4,5):(0,42,4,0))
    """
    return _call("make_layout_like", L)


def make_fragment_like(L: Any) -> Any:
    """The registers for a layout: the first mode compact, the others in the order of their strides.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_fragment_like((4,2,8):(9,100,4))
    """
    return _call("make_fragment_like", L)


def make_identity_layout(shape: Any) -> Any:
    """Every coordinate to itself.

    Args:
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_identity_layout((4,8))
    """
    return _call("make_identity_layout", shape)


def cosize(L: Any) -> Any:
    """The length of the smallest interval that holds 0 and the image.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: cosize((4,8):(-1,5))
    """
    return _call("cosize", L)


def coshape(L: Any) -> Any:
    """The cosize along each coordinate of the codomain.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: coshape((4,8):(1@0,2@1))
    """
    return _call("coshape", L)


def coprofile(L: Any) -> Any:
    """The nesting of the codomain.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: coprofile((4,8):(1@0,2@1))
    """
    return _call("coprofile", L)


def get_swizzle_portion(L: Any) -> Any:
    """The swizzle of a layout, on its elements or on their bytes; one that moves nothing where there is none.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: get_swizzle_portion(Sw<3,3,3> o (8,64):(64,1))
    """
    return _call("get_swizzle_portion", L)


def get_nonswizzle_portion(L: Any) -> Any:
    """The layout under its swizzle, from where it starts.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: get_nonswizzle_portion(Sw<3,3,3> o (8,64):(64,1))
    """
    return _call("get_nonswizzle_portion", L)


def filter(L: Any, profile: Any = None) -> Any:
    """Without stride-0 and size-1 modes.

    Args:
        L: a layout of CuTe.
        profile: a tuple: modes below its leaves are merged, others stay.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: filter((2,3,4):(0,1,3))
    """
    if profile is None:
        return _call("filter", L)
    return _call("filter", L, profile)


def filter_zeros(L: Any) -> Any:
    """Every stride-0 mode gets the extent 1.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: filter_zeros((7,16,4):(0,0,1))
    """
    return _call("filter_zeros", L)


def chain(A: Any, B: Any) -> Any:
    """A after B as a composed function, of any families, never refused.

    Args:
        A: the layout that is applied last.
        B: the layout that is applied first.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: chain((6,2):(1,7), (3,2):(2,3))
    """
    return _call("chain", A, B)


def with_shape(L: Any, shape: Any) -> Any:
    """The composition with the compact layout of a shape.

    Args:
        L: a layout of CuTe.
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: with_shape(20:2, (5,4))
    """
    return _call("with_shape", L, shape)


def nullspace(L: Any) -> Any:
    """The indices that broadcasts send to 0.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: nullspace((7,5,16):(3,1,0))
    """
    return _call("nullspace", L)


def max_common_vector(A: Any, B: Any) -> Any:
    """How many elements a copy between two layouts may move at once.

    Args:
        A: the first layout of CuTe.
        B: the second layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: max_common_vector(12:1, 3:1)
    """
    return _call("max_common_vector", A, B)


def max_common_layout(A: Any, B: Any) -> Any:
    """The longest R with A(R(i)) = i = B(R(i)).

    Args:
        A: the first layout of CuTe.
        B: the second layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: max_common_layout((6,9):(1,6), (6,9):(1,6))
    """
    return _call("max_common_layout", A, B)


def domain_distribute(shape: Any, n: Any) -> Any:
    """An ordered layout of n column-major indices of a shape.

    Args:
        shape: extents, counted in elements.
        n: how many elements are distributed.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: domain_distribute((15,14), 6)
    """
    return _call("domain_distribute", shape, n)


def tiled_product(block: Any, tiler: Any) -> Any:
    """Copies of the block, its modes gathered: ((x,y),z,w).

    Args:
        block: the layout that is repeated.
        tiler: where the copies lie, in units of the block.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tiled_product((2,2):(4,1), (2,3):(1,2))
    """
    return _call("tiled_product", block, tiler)


def flat_product(block: Any, tiler: Any) -> Any:
    """Copies of the block, its modes beside theirs: (x,y,z,w).

    Args:
        block: the layout that is repeated.
        tiler: where the copies lie, in units of the block.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: flat_product((2,2):(4,1), (2,3):(1,2))
    """
    return _call("flat_product", block, tiler)


def blocked_product(block: Any, copies: Any) -> Any:
    """Copies laid out as blocks: ((x,z),(y,w)).

    Args:
        block: the layout that is repeated.
        copies: where the copies lie, in units of the block.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: blocked_product((2,5):(5,1), (3,4):(1,3))
    """
    return _call("blocked_product", block, copies)


def raked_product(block: Any, copies: Any) -> Any:
    """Copies interleaved: ((z,x),(w,y)).

    Args:
        block: the layout that is repeated.
        copies: where the copies lie, in units of the block.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: raked_product((2,5):(5,1), (3,4):(1,3))
    """
    return _call("raked_product", block, copies)


def tile_to_shape(block: Any, shape: Any, order: Any = None) -> Any:
    """The block repeated until it covers a shape, modes in the given order.

    Args:
        block: the layout that is repeated.
        shape: extents, counted in elements.
        order: one rank for each mode: the mode of the smallest rank is the fastest.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tile_to_shape((3,8):(8,1), (6,16), (1,0))
    """
    if order is None:
        return _call("tile_to_shape", block, shape)
    return _call("tile_to_shape", block, shape, order)


def local_tile(L: Any, tiler: Any, coordinate: Any, projection: Any = None) -> Any:
    """The tile at a coordinate; by a projection such as <1,_,1>, without the modes of tiler and coordinate that
    are `_`.

    Args:
        L: a layout of CuTe.
        tiler: a layout, a shape, or <…> with one entry a mode.
        coordinate: which tile, in units of tiles; `_` keeps a mode.
        projection: 1 for each mode that takes part, `_` for the others.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: local_tile((128,64):(64,1), (32,32), (1,_))
    """
    if projection is None:
        return _call("local_tile", L, tiler, coordinate)
    return _call("local_tile", L, tiler, coordinate, projection)


def local_partition(L: Any, threads: Any, thread: Any, projection: Any = None) -> Any:
    """What one thread of a tile sees in every tile; by a projection, without the modes of threads that are `_`.

    Args:
        L: a layout of CuTe.
        threads: the layout of the threads, or its shape.
        thread: the number of the thread, counted from 0.
        projection: 1 for each mode that takes part, `_` for the others.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: local_partition((32,16):(16,1), (8,4):(4,1), 5)
    """
    if projection is None:
        return _call("local_partition", L, threads, thread)
    return _call("local_partition", L, threads, thread, projection)


def domain_offset(coordinate: Any, L: Any) -> Any:
    """The layout from a coordinate on: its offset is added.

    Args:
        coordinate: a column-major index, or an integer for each mode, counted from 0.
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: domain_offset((2,4), (8,8):(8,1))
    """
    return _call("domain_offset", coordinate, L)


def slice(L: Any, coordinate: Any) -> Any:
    """The modes with _, and the offset of the others.

    Args:
        L: a layout of any family.
        coordinate: a number where a mode is fixed, `_` where it is kept.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: slice((2,6,7):(1,2,12), (1,_,1))
    """
    return _call("slice", L, coordinate)


def dice(L: Any, coordinate: Any) -> Any:
    """The modes without _.

    Args:
        L: a layout of CuTe.
        coordinate: a number where a mode is fixed, `_` where it is kept.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: dice((2,6,7):(1,2,12), (1,_,1))
    """
    return _call("dice", L, coordinate)


def recast(L: Any, old_bits: Any, new_bits: Any) -> Any:
    """Elements of old bits seen as elements of new bits.

    Args:
        L: a layout of CuTe.
        old_bits: bits of an element before.
        new_bits: bits of an element after.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: recast((8,8):(8,1), 16, 32)
    """
    return _call("recast", L, old_bits, new_bits)


def rescale(L: Any, up: Any, down: Any) -> Any:
    """Up old elements in each down new ones.

    Args:
        L: a layout of CuTe.
        up: how many old elements are taken together.
        down: how many new elements these become.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: rescale((8,8):(8,1), 2, 1)
    """
    return _call("rescale", L, up, down)


def upcast(L: Any, n: Any) -> Any:
    """N neighbouring elements become one.

    Args:
        L: a layout of CuTe.
        n: how many elements become one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: upcast((4,8):(8,1), 4)
    """
    return _call("upcast", L, n)


def downcast(L: Any, n: Any) -> Any:
    """Every element becomes n neighbouring ones.

    Args:
        L: a layout of CuTe.
        n: how many parts each element becomes.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: downcast((4,8):(8,1), 2)
    """
    return _call("downcast", L, n)


def layout_add(A: Any, B: Any) -> Any:
    """R(i) = A(i) + B(i).

    Args:
        A: the first layout of CuTe.
        B: the second layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: layout_add((2,4):(1,2), (2,4):(4,1))
    """
    return _call("layout_add", A, B)


def greatest_common_domain(shape: Any, other_shape: Any) -> Any:
    """The indices on which two shapes move alike.

    Args:
        shape: extents, counted in elements.
        other_shape: the other shape.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: greatest_common_domain((6,35), (15,14))
    """
    return _call("greatest_common_domain", shape, other_shape)


def make_swizzle(sources: Any, targets: Any) -> Any:
    """The swizzle from a mask of sources and a mask of targets.

    Args:
        sources: a mask of the bits that are read.
        targets: a mask of the bits that are changed, as many.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_swizzle(896, 112)
    """
    return _call("make_swizzle", sources, targets)


def print_layout(L: Any) -> Any:
    """The table that CuTe prints.

    Args:
        L: a layout of CuTe.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: print_layout((4,8):(8,1))
    """
    return _call("print_layout", L)


def to_linear(encoding: Any, shape: Any) -> Any:
    """The linear layout of an encoding for a shape.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: to_linear(#ttg.blocked<{sizePerThread=[1,2], threadsPerWarp=[4,8], warpsPerCTA=[2,1],
        order=[1,0]}>, (16,16))
    """
    return _call("to_linear", encoding, shape)


def identity_1d(size: Any, in_dim: Any, out_dim: Any) -> Any:
    """X -> x on n values of a dim.

    Args:
        size: how many values the dim has, a power of two.
        in_dim: the name of the dim that it takes.
        out_dim: the name of the dim that it leads to.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: identity_1d(8, lane, dim0)
    """
    return _call("identity_1d", size, in_dim, out_dim)


def strided_1d(size: Any, stride: Any, in_dim: Any, out_dim: Any) -> Any:
    """X -> x * stride on n values of a dim.

    Args:
        size: how many values the dim has, a power of two.
        stride: the step between neighbours, a power of two.
        in_dim: the name of the dim that it takes.
        out_dim: the name of the dim that it leads to.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: strided_1d(4, 2, lane, dim0)
    """
    return _call("strided_1d", size, stride, in_dim, out_dim)


def zeros_1d(size: Any, in_dim: Any, out_dim: Any, out_size: Any = None) -> Any:
    """X -> 0 on n values of a dim; the out dim has size 1 or the size given.

    Args:
        size: how many values the dim has, a power of two.
        in_dim: the name of the dim that it takes.
        out_dim: the name of the dim that it leads to.
        out_size: the size of the dim that it leads to, a power of two.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: zeros_1d(4, lane, dim0)
    """
    if out_size is None:
        return _call("zeros_1d", size, in_dim, out_dim)
    return _call("zeros_1d", size, in_dim, out_dim, out_size)


def identity_standard_nd(in_dim: Any, shape: Any, order: Any) -> Any:
    """An in dim walks over a shape, the dims in order (the first fastest).

    Args:
        in_dim: the name of the dim that it takes.
        shape: the extents of the tensor.
        order: the dims, the fastest first.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: identity_standard_nd(register, (2,4), (1,0))
    """
    return _call("identity_standard_nd", in_dim, shape, order)


def zeros_like(L: Any) -> Any:
    """The same dims, everything to 0.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: zeros_like(identity_1d(4, lane, dim0))
    """
    return _call("zeros_like", L)


def mul(A: Any, B: Any) -> Any:
    """The product (direct sum): side by side, the first the minor part.

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: mul(identity_1d(2, register, dim0), identity_1d(4, lane, dim0))
    """
    return _call("mul", A, B)


def divide_left(A: Any, B: Any) -> Any:
    """The C with A = mul(B, C).

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: divide_left(identity_1d(8, lane, dim0), identity_1d(2, lane, dim0))
    """
    return _call("divide_left", A, B)


def divide_right(A: Any, B: Any) -> Any:
    """The C with A = mul(C, B).

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: divide_right(identity_1d(8, lane, dim0), identity_1d(2, lane, dim0))
    """
    return _call("divide_right", A, B)


def compose(A: Any, B: Any) -> Any:
    """B after A: x -> B(A(x)).

    Args:
        A: the linear layout that is applied first.
        B: the linear layout that is applied last.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: compose(identity_1d(4, lane, dim0), strided_1d(4, 2, dim0, offset))
    """
    return _call("compose", A, B)


def invert(L: Any) -> Any:
    """The inverse.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: invert(linear<{lane=[[3],[1]]}, out=[dim0:4]>)
    """
    return _call("invert", L)


def pseudoinvert(L: Any) -> Any:
    """A right inverse: for each element its place with the earliest bits.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: pseudoinvert(linear<{lane=[[1],[0],[3]]}, out=[dim0:4]>)
    """
    return _call("pseudoinvert", L)


def invert_and_compose(A: Any, B: Any) -> Any:
    """The C with A(x) = B(C(x)): where in B the element at x of A is.

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: invert_and_compose(identity_1d(4, lane, dim0), linear<{offset=[[2],[1]]}, out=[dim0:4]>)
    """
    return _call("invert_and_compose", A, B)


def lstsq(A: Any, B: Any) -> Any:
    """The X with A(X(y)) = B(y), every free bit 0.

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: lstsq(linear<{offset=[[2],[1]]}, out=[dim0:4]>, identity_1d(4, lane, dim0))
    """
    return _call("lstsq", A, B)


def minimal_cvt(A: Any, B: Any) -> Any:
    """What a conversion from A to B moves: place in B -> place in A, without the dims that stay.

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: minimal_cvt(linear<{register=[[1]], lane=[[2]]}, out=[dim0:4]>, linear<{register=[[2]],
        lane=[[1]]}, out=[dim0:4]>)
    """
    return _call("minimal_cvt", A, B)


def transpose_ins(L: Any, dims: Any) -> Any:
    """The in dims in another order.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dims: names of dims.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: transpose_ins(linear<{register=[[1]], lane=[[2]]}, out=[dim0:4]>, (lane, register))
    """
    return _call("transpose_ins", L, dims)


def transpose_outs(L: Any, dims: Any) -> Any:
    """The out dims in another order.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dims: names of dims.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: transpose_outs(linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>, (dim1, dim0))
    """
    return _call("transpose_outs", L, dims)


def reshape_ins(L: Any, dims: Any, sizes: Any) -> Any:
    """All in bits in a row, cut again into dims of these names and sizes.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dims: names of dims.
        sizes: one size for each dim, powers of two.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: reshape_ins(linear<{offset=[[1],[2],[4]]}, out=[dim0:8]>, (vector, bank), (2,4))
    """
    return _call("reshape_ins", L, dims, sizes)


def reshape_outs(L: Any, dims: Any, sizes: Any) -> Any:
    """All out bits in a row, cut again into dims of these names and sizes.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dims: names of dims.
        sizes: one size for each dim, powers of two.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: reshape_outs(linear<{offset=[[1],[2],[4]]}, out=[dim0:8]>, (dim1, dim0), (2,4))
    """
    return _call("reshape_outs", L, dims, sizes)


def flatten_ins(L: Any) -> Any:
    """One in dim, named as the first.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: flatten_ins(linear<{register=[[1]], lane=[[2]]}, out=[dim0:4]>)
    """
    return _call("flatten_ins", L)


def flatten_outs(L: Any) -> Any:
    """One out dim, named as the first.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: flatten_outs(linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>)
    """
    return _call("flatten_outs", L)


def concat_ins(A: Any, B: Any) -> Any:
    """The in dims of both, into the same out dims.

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: concat_ins(linear<{register=[[1]]}, out=[dim0:4]>, linear<{lane=[[2]]}, out=[dim0:4]>)
    """
    return _call("concat_ins", A, B)


def concat_outs(A: Any, B: Any) -> Any:
    """The out dims of both, from the same in dims.

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: concat_outs(identity_1d(4, lane, dim0), identity_1d(4, lane, dim1))
    """
    return _call("concat_outs", A, B)


def squeeze_ins(L: Any, dim: Any) -> Any:
    """Without an in dim of size 1.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dim: the name of a dim.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: squeeze_ins(linear<{register=[], lane=[[1]]}, out=[dim0:2]>, register)
    """
    return _call("squeeze_ins", L, dim)


def squeeze_outs(L: Any, dim: Any) -> Any:
    """Without an out dim of size 1.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dim: the name of a dim.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: squeeze_outs(linear<{lane=[[0,1]]}, out=[dim0:1, dim1:2]>, dim0)
    """
    return _call("squeeze_outs", L, dim)


def resize_in_dim(L: Any, dim: Any, size: Any) -> Any:
    """An in dim cut to a size, or filled up with zero bases.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dim: the name of a dim.
        size: how many values the dim has, a power of two.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: resize_in_dim(identity_1d(4, lane, dim0), lane, 8)
    """
    return _call("resize_in_dim", L, dim, size)


def resize_out_dim(L: Any, dim: Any, size: Any) -> Any:
    """An out dim cut to a size.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dim: the name of a dim.
        size: how many values the dim has, a power of two.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: resize_out_dim(identity_1d(4, lane, dim0), dim0, 2)
    """
    return _call("resize_out_dim", L, dim, size)


def rename_in_dim(L: Any, dim: Any, new_name: Any) -> Any:
    """An in dim under another name.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dim: the name of a dim.
        new_name: the new name of the dim.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: rename_in_dim(identity_1d(4, lane, dim0), lane, warp)
    """
    return _call("rename_in_dim", L, dim, new_name)


def rename_out_dim(L: Any, dim: Any, new_name: Any) -> Any:
    """An out dim under another name.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dim: the name of a dim.
        new_name: the new name of the dim.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: rename_out_dim(identity_1d(4, lane, dim0), dim0, offset)
    """
    return _call("rename_out_dim", L, dim, new_name)


def sublayout(L: Any, in_dims: Any, out_dims: Any) -> Any:
    """Some in dims, the others 0, into some out dims.

    Args:
        L: a linear layout, or a tensor with its encoding.
        in_dims: names of dims that it takes.
        out_dims: names of dims that it leads to.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: sublayout(linear<{register=[[1,0]], lane=[[0,1]]}, out=[dim0:2, dim1:2]>, lane, dim1)
    """
    return _call("sublayout", L, in_dims, out_dims)


def sublayout_is_zero(L: Any, in_dims: Any, out_dims: Any) -> Any:
    """Whether these in dims never move these out dims.

    Args:
        L: a linear layout, or a tensor with its encoding.
        in_dims: names of dims that it takes.
        out_dims: names of dims that it leads to.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: sublayout_is_zero(linear<{register=[[1,0]], lane=[[0,1]]}, out=[dim0:2, dim1:2]>, lane, dim0)
    """
    return _call("sublayout_is_zero", L, in_dims, out_dims)


def square_sublayout_is_identity(L: Any, dims: Any) -> Any:
    """Whether these dims, taken in and out, map by the identity, whatever comes from other dims.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dims: names of dims.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: square_sublayout_is_identity(linear<{lane=[[1]]}, out=[lane:2]>, lane)
    """
    return _call("square_sublayout_is_identity", L, dims)


def is_trivial_over(L: Any, dims: Any) -> Any:
    """Whether these dims map by the identity and have nothing to do with the others.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dims: names of dims.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: is_trivial_over(linear<{lane=[[1]]}, out=[lane:2]>, lane)
    """
    return _call("is_trivial_over", L, dims)


def quotient(L: Any, dims: Any) -> Any:
    """Without dims it is trivial over.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dims: names of dims.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: quotient(linear<{register=[[1,0]], lane=[[0,1]]}, out=[register:2, lane:2]>, lane)
    """
    return _call("quotient", L, dims)


def free_variable_masks(L: Any) -> Any:
    """For each in dim, the bits that add nothing new: places that differ in them hold the same data.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: free_variable_masks(linear<{register=[[1],[0]], lane=[[1]]}, out=[dim0:2]>)
    """
    return _call("free_variable_masks", L)


def remove_zero_bases_along_dim(L: Any, dim: Any) -> Any:
    """An in dim without its zero bases.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dim: the name of a dim.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: remove_zero_bases_along_dim(linear<{register=[[1],[0],[2]]}, out=[dim0:4]>, register)
    """
    return _call("remove_zero_bases_along_dim", L, dim)


def num_consecutive_in_out(L: Any) -> Any:
    """How many values of the first in dim are consecutive values of the first out dim.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: num_consecutive_in_out(linear<{register=[[1],[2],[8]]}, out=[dim0:16]>)
    """
    return _call("num_consecutive_in_out", L)


def contiguous_elems_along_out_dim(L: Any, dim: Any) -> Any:
    """How many consecutive values of an out dim, from 0 on, all places together reach.

    Args:
        L: a linear layout, or a tensor with its encoding.
        dim: the name of a dim.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: contiguous_elems_along_out_dim(linear<{register=[[1],[2]], lane=[[4]]}, out=[dim0:8]>, dim0)
    """
    return _call("contiguous_elems_along_out_dim", L, dim)


def tensor_reshape(L: Any, shape: Any) -> Any:
    """The layout of the reshaped tensor, whose last dim is the fastest.

    Args:
        L: a linear layout, or a tensor with its encoding.
        shape: the extents of the tensor.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tensor_reshape(tensor<4x4xf16, #ttg.blocked<{sizePerThread=[1,2], threadsPerWarp=[4,2],
        warpsPerCTA=[1,1], order=[1,0]}>>, (16))
    """
    return _call("tensor_reshape", L, shape)


def tensor_transpose(L: Any, order: Any) -> Any:
    """The layout of the tensor with its dims in another order.

    Args:
        L: a linear layout, or a tensor with its encoding.
        order: for each dim of the answer the number of the dim that it was.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tensor_transpose(linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>, (1,0))
    """
    return _call("tensor_transpose", L, order)


def combine_cta_cga_with_shape(cta: Any, cga: Any, shape: Any) -> Any:
    """The layout of one block, repeated over the blocks of a cluster and fitted to a shape.

    Args:
        cta: the layout within one CTA.
        cga: the layout of the CTAs.
        shape: the extents of the tensor.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: combine_cta_cga_with_shape(identity_standard_nd(register, (2,4), (1,0)), linear<{block=[[1,0]]},
        out=[dim0:2, dim1:1]>, (4,8))
    """
    return _call("combine_cta_cga_with_shape", cta, cga, shape)


def owners(threads_or_shape: Any, order_or_tensor_shape: Any, tensor_shape: Any = None, /) -> Any:
    """The threads that hold each element of a tensor, row by row: owners(L, T) for a matrix L of threads of any sizes, owners(S, O, T) for one of shape S numbered in order O; dims are matched from the last.

    Args:
        threads_or_shape: the threads in a table, or the shape of a table of threads.
        order_or_tensor_shape: the extents of the tensor; of a shape of threads its dims, the fastest first.
        tensor_shape: the extents of the tensor, after an order.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: owners((2,3), (1,0), (4,2))
    """
    if tensor_shape is None:
        return _call("owners", threads_or_shape, order_or_tensor_shape)
    return _call("owners", threads_or_shape, order_or_tensor_shape, tensor_shape)


def squeezed_owners(threads: Any, dim: Any, tensor_shape: Any) -> Any:
    """Owners, of a matrix of threads L with a dim squeezed: squeezed_owners(L, dim, T), where T may still have
    that dim.

    Args:
        threads: the threads in a table, or the shape of a table of threads.
        dim: the number of a dim, counted from 0.
        tensor_shape: the extents of the tensor.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: squeezed_owners(((0,1),(2,3)), 0, (4))
    """
    return _call("squeezed_owners", threads, dim, tensor_shape)


def is_surjective(X: Any) -> Any:
    """Whether every element has a place; of a layout of another family, whether every place has an element.

    Args:
        X: a layout of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: is_surjective(linear<{lane=[[1],[1]]}, out=[dim0:2]>)
    """
    return _call("is_surjective", X)


def is_injective(X: Any) -> Any:
    """Whether no element has two places; of a layout of another family, whether no place has two elements.

    Args:
        X: a layout of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: is_injective(linear<{lane=[[1],[1]]}, out=[dim0:2]>)
    """
    return _call("is_injective", X)


def is_invertible(X: Any) -> Any:
    """Whether every element has exactly one place.

    Args:
        X: a layout of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: is_invertible(linear<{lane=[[1],[3]]}, out=[dim0:4]>)
    """
    return _call("is_invertible", X)


def equal_ignoring_out_sizes(A: Any, B: Any) -> Any:
    """The same names, order and bases, whatever the out sizes.

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: equal_ignoring_out_sizes(identity_1d(4, lane, dim0), linear<{lane=[[1],[2]]}, out=[dim0:8]>)
    """
    return _call("equal_ignoring_out_sizes", A, B)


def eq(A: Any, B: Any) -> Any:
    """Whether two linear layouts are the same: names, their order, bases and out sizes.

    Args:
        A: the first linear layout.
        B: the second linear layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: eq(identity_1d(4, lane, dim0), linear<{lane=[[1],[2]]}, out=[dim0:4]>)
    """
    return _call("eq", A, B)


def apply(L: Any, place: Any) -> Any:
    """The element at a place: a value for each in dim, in their order.

    Args:
        L: a linear layout, or a tensor with its encoding.
        place: one integer for each dim that it takes.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: apply(linear<{register=[[0,1]], lane=[[1,1]]}, out=[dim0:2, dim1:2]>, (1,1))
    """
    return _call("apply", L, place)


def matrix(L: Any) -> Any:
    """The map as rows of 0 and 1, out bits by in bits.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: matrix(linear<{lane=[[1,0],[1,1]]}, out=[dim0:2, dim1:2]>)
    """
    return _call("matrix", L)


def cga(ctas_per_cga: Any, cta_split_num: Any = None, cta_order: Any = None) -> Any:
    """The layout of the blocks of a cluster from CTAsPerCGA, CTASplitNum (1 if not said), CTAOrder (last dim
    first).

    Args:
        ctas_per_cga: the number of CTAs along each dim.
        cta_split_num: into how many parts each dim is split.
        cta_order: the dims, the fastest first.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: cga((2,4), (2,4), (1,0))
    """
    if cta_split_num is None:
        return _call("cga", ctas_per_cga)
    if cta_order is None:
        return _call("cga", ctas_per_cga, cta_split_num)
    return _call("cga", ctas_per_cga, cta_split_num, cta_order)


def largest_vectorisation(L: Any, element_bits: Any) -> Any:
    """How many elements of a given number of bits one access to memory moves, and the register bits in that
    order.

    Args:
        L: a linear layout, or a tensor with its encoding.
        element_bits: bits of an element.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: largest_vectorisation(linear<{register=[[2],[1]], lane=[[4]]}, out=[offset:8]>, 16)
    """
    return _call("largest_vectorisation", L, element_bits)


def reg_perm_for_divide(L: Any, tile: Any) -> Any:
    """The order of register bits in which a tile divides a layout on the left.

    Args:
        L: a linear layout, or a tensor with its encoding.
        tile: the linear layout of one instruction.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: reg_perm_for_divide(linear<{register=[[2],[1]], lane=[[4]]}, out=[offset:8]>, identity_1d(2,
        register, offset))
    """
    return _call("reg_perm_for_divide", L, tile)


def get_reps(L: Any, tile: Any) -> Any:
    """What is left of a layout when a tile is taken out of it, with its bits as zero bases.

    Args:
        L: a linear layout, or a tensor with its encoding.
        tile: the linear layout of one instruction.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: get_reps(linear<{register=[[1],[2]], lane=[[4]]}, out=[offset:8]>, identity_1d(2, register,
        offset))
    """
    return _call("get_reps", L, tile)


def action_remove_broadcasted_regs(L: Any) -> Any:
    """The register bits that are not duplicates.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: action_remove_broadcasted_regs(linear<{register=[[1],[0],[2]]}, out=[dim0:4]>)
    """
    return _call("action_remove_broadcasted_regs", L)


def kernel(L: Any) -> Any:
    """The places of element 0, as the bases that span them.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: kernel(linear<{register=[[1],[0]], lane=[[1]]}, out=[dim0:2]>)
    """
    return _call("kernel", L)


def image(L: Any) -> Any:
    """The elements that have a place, as the bases that span them.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: image(linear<{register=[[3],[3]], lane=[[1]]}, out=[dim0:8]>)
    """
    return _call("image", L)


def bruhat(L: Any) -> Any:
    """An invertible map as three, the last one first: shear . bit permutation . shear.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: bruhat(linear<{offset=[[3],[1]]}, out=[dim0:4]>)
    """
    return _call("bruhat", L)


def describe(L: Any) -> Any:
    """Where each bit goes, in words.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: describe(linear<{offset=[[0,1],[1,1]]}, out=[dim0:2, dim1:2]>)
    """
    return _call("describe", L)


def print_linear(L: Any) -> Any:
    """The text that Triton prints.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: print_linear(linear<{lane=[[1,0],[0,1]]}, out=[dim0:2, dim1:2]>)
    """
    return _call("print_linear", L)


def tensor_view(L: Any) -> Any:
    """Triton's table of the tensor: who holds each element.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tensor_view(tensor<2x2xf16, #ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[2,2],
        warpsPerCTA=[1,1], order=[1,0]}>>)
    """
    return _call("tensor_view", L)


def hardware_view(L: Any) -> Any:
    """Triton's table of the hardware: what each place holds.

    Args:
        L: a linear layout, or a tensor with its encoding.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: hardware_view(tensor<2x2xf16, #ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[2,2],
        warpsPerCTA=[1,1], order=[1,0]}>>)
    """
    return _call("hardware_view", L)


def infer_trans(encoding: Any, shape: Any, order: Any) -> Any:
    """The encoding of a transposed tensor, in registers or in memory; backward with the inverse order.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.
        order: for each dim of the answer the number of the dim that it was.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_trans(#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[2,1],
        order=[1,0]}>, (16,64), (1,0))
    """
    return _call("infer_trans", encoding, shape, order)


def infer_reshape(encoding: Any, shape: Any, to: Any, wanted: Any = None) -> Any:
    """The encoding of a reshaped tensor in registers; with a wanted one, that of a reshape that may reorder;
    backward with the shapes exchanged.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.
        to: the extents of the result.
        wanted: the encoding that the result is to have.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_reshape(#ttg.blocked<{sizePerThread=[4,4], threadsPerWarp=[32,1], warpsPerCTA=[1,1],
        order=[1,0]}>, (32,4), (128))
    """
    if wanted is None:
        return _call("infer_reshape", encoding, shape, to)
    return _call("infer_reshape", encoding, shape, to, wanted)


def infer_join(encoding: Any, shape: Any) -> Any:
    """The encoding of two tensors joined in a new last dim of extent 2; backward, of a split, the same.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_join(#ttg.blocked<{sizePerThread=[4], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>,
        (128))
    """
    return _call("infer_join", encoding, shape)


def infer_split(encoding: Any, shape: Any) -> Any:
    """The encoding of the halves of a tensor whose last dim has extent 2; backward, of a join, the same.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_split(#ttg.blocked<{sizePerThread=[4,2], threadsPerWarp=[32,1], warpsPerCTA=[1,1],
        order=[1,0]}>, (128,2))
    """
    return _call("infer_split", encoding, shape)


def infer_fp4_to_fp(encoding: Any, shape: Any, dim: Any) -> Any:
    """The encoding of the floats of a tensor of bytes, two along a dim for each byte; backward,
    infer_fp_to_fp4.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.
        dim: the number of the dim, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_fp4_to_fp(#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[2,1],
        order=[1,0]}>, (16,32), 1)
    """
    return _call("infer_fp4_to_fp", encoding, shape, dim)


def infer_fp_to_fp4(encoding: Any, shape: Any, dim: Any) -> Any:
    """The encoding of the bytes that hold a tensor of floats, two along a dim in each; backward,
    infer_fp4_to_fp.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.
        dim: the number of the dim, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_fp_to_fp4(#ttg.blocked<{sizePerThread=[1,8], threadsPerWarp=[4,8], warpsPerCTA=[2,1],
        order=[1,0]}>, (16,64), 1)
    """
    return _call("infer_fp_to_fp4", encoding, shape, dim)


def infer_expand_dims(encoding: Any, dim: Any) -> Any:
    """The encoding of a tensor with a new dim of extent 1: the parent of a slice along it; backward, of a
    reduce, the same.

    Args:
        encoding: an encoding of Triton.
        dim: the number that the new dim has in the result.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_expand_dims(#ttg.slice<{dim=1, parent=#ttg.blocked<{sizePerThread=[1,4],
        threadsPerWarp=[4,8], warpsPerCTA=[2,1], order=[1,0]}>}>, 1)
    """
    return _call("infer_expand_dims", encoding, dim)


def infer_reduce(encoding: Any, dim: Any) -> Any:
    """The encoding of a tensor reduced along a dim: the slice along it; backward, of expand_dims, the same.

    Args:
        encoding: an encoding of Triton.
        dim: the number of the dim, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_reduce(#ttg.blocked<{sizePerThread=[1,4], threadsPerWarp=[4,8], warpsPerCTA=[2,1],
        order=[1,0]}>, 1)
    """
    return _call("infer_reduce", encoding, dim)


def infer_broadcast(encoding: Any, shape: Any, to: Any) -> Any:
    """The encoding of a tensor whose dims of extent 1 are repeated: the same, forward and backward.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.
        to: the extents of the result.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_broadcast(#ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[1,32], warpsPerCTA=[4,1],
        order=[1,0]}>, (1,64), (32,64))
    """
    return _call("infer_broadcast", encoding, shape, to)


def infer_gather(encoding: Any, indices: Any, source: Any, dim: Any) -> Any:
    """The encoding of elements picked along a dim: that of their indices, forward and backward.

    Args:
        encoding: an encoding of Triton.
        indices: the extents of the indices.
        source: the extents of the tensor that is picked from.
        dim: the number of the dim, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_gather(#ttg.blocked<{sizePerThread=[1,1], threadsPerWarp=[1,32], warpsPerCTA=[4,1],
        order=[1,0]}>, (8,64), (16,64), 0)
    """
    return _call("infer_gather", encoding, indices, source, dim)


def is_legal_cat(encoding: Any, shape: Any, operand: Any, operand_shape: Any) -> Any:
    """Whether a tensor can be two others one after the other: a thread has twice as many registers that are no
    copies.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.
        operand: the encoding of one operand.
        operand_shape: the extents of one operand.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: is_legal_cat(#ttg.blocked<{sizePerThread=[2], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>,
        (64), #ttg.blocked<{sizePerThread=[1], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>, (32))
    """
    return _call("is_legal_cat", encoding, shape, operand, operand_shape)


def infer_memdesc_reshape(encoding: Any, shape: Any, to: Any) -> Any:
    """The encoding of a reshaped tensor in shared memory; backward with the shapes exchanged.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.
        to: the extents of the result.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_memdesc_reshape(#ttg.nvmma_shared<{swizzlingByteWidth=128, transposed=false,
        elementBitWidth=16, rank=3}>, (2,64,64), (128,64))
    """
    return _call("infer_memdesc_reshape", encoding, shape, to)


def infer_memdesc_index(encoding: Any, shape: Any) -> Any:
    """The encoding of one buffer of several: the same.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the memory, the first counts buffers.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_memdesc_index(#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>, (3,64,64))
    """
    return _call("infer_memdesc_index", encoding, shape)


def infer_memdesc_subslice(encoding: Any, shape: Any, start: Any, to: Any) -> Any:
    """The encoding of a part of a tensor in shared memory: the same, where the cut does not go through its
    pattern.

    Args:
        encoding: an encoding of Triton.
        shape: the extents of the tensor.
        start: the coordinate of the first element.
        to: the extents of the part.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: infer_memdesc_subslice(#ttg.swizzled_shared<{vec=8, perPhase=1, maxPhase=8, order=[1,0]}>, (64,64),
        (16,0), (16,64))
    """
    return _call("infer_memdesc_subslice", encoding, shape, start, to)


def tmem_load(variant: Any, block: Any, warps: Any, bits: Any) -> Any:
    """The registers that a load from tensor memory fills with one block.

    Args:
        variant: lanes and bits that a row moves: (32,32), (16,64), (16,128) or (16,256).
        block: 64 or 128 rows, and the columns.
        warps: how many warps load: 4 or 8.
        bits: bits of an element: 8, 16 or 32.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tmem_load((32,32), (128,64), 4, 32)
    """
    return _call("tmem_load", variant, block, warps, bits)


def linear_index(array: Any, index: Any) -> Any:
    """The offset of an index in elements, all tiles included.

    Args:
        array: an array of XLA with its layout.
        index: one number for each dim, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: linear_index(f32[3,5]{1,0:T(2,2)}, (2,3))
    """
    return _call("linear_index", array, index)


def index_at(array: Any, offset: Any) -> Any:
    """The index of the element at an offset, or the word padding.

    Args:
        array: an array of XLA with its layout.
        offset: a place in memory, counted in elements from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: index_at(f32[3,5]{1,0:T(2,2)}, 17)
    """
    return _call("index_at", array, offset)


def tiled_index(array: Any, index: Any) -> Any:
    """The coordinates of an index after all tiles.

    Args:
        array: an array of XLA with its layout.
        index: one number for each dim, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tiled_index(f32[3,5]{1,0:T(2,2)}, (2,3))
    """
    return _call("tiled_index", array, index)


def physical_dims(array: Any) -> Any:
    """The extents in the order of memory, before any tile.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: physical_dims(f32[3,5]{0,1:T(2,2)})
    """
    return _call("physical_dims", array)


def tiled_dims(array: Any) -> Any:
    """The extents after all tiles, the last the fastest.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tiled_dims(bf16[16,256]{1,0:T(8,128)(2,1)})
    """
    return _call("tiled_dims", array)


def padded_size(array: Any) -> Any:
    """The number of places: elements and padding.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: padded_size(f32[3,5]{1,0:T(2,2)})
    """
    return _call("padded_size", array)


def byte_size(array: Any) -> Any:
    """The bytes of all places.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: byte_size(bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)})
    """
    return _call("byte_size", array)


def element_strides(array: Any) -> Any:
    """How far apart neighbours along each dim lie, in elements.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: element_strides(f32[3,5]{0,1})
    """
    return _call("element_strides", array)


def byte_strides(array: Any) -> Any:
    """The same in bytes.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: byte_strides(bf16[4,16]{1,0})
    """
    return _call("byte_strides", array)


def digits(array: Any) -> Any:
    """(dim, weight, radix, stride) of each digit: the offset is the sum of stride * ((index of dim / weight)
    mod radix).

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: digits(bf16[16,256]{1,0:T(8,128)(2,1)})
    """
    return _call("digits", array)


def common_digits(A: Any, B: Any) -> Any:
    """Runs of dims with as many elements in both, and (run, weight, radix, stride) of each digit of them in
    both.

    Args:
        A: the first array.
        B: the second array.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: common_digits(f32[4,6]{1,0}, f32[8,3]{0,1})
    """
    return _call("common_digits", A, B)


def padding(array: Any) -> Any:
    """What padding costs, which dim causes it, and which order of the dims would cost less; of any other layout
    how many of its places are reached.

    Args:
        array: an array of XLA, a tuple of arrays, or any other layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: padding(s32[8388608,8,4]{2,1,0:T(8,128)})
    """
    return _call("padding", array)


def describe_tiles(array: Any) -> Any:
    """The three equivalent pictures: index formula, tile decomposition, pad-reshape-transpose.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: describe_tiles(f32[3,5]{1,0:T(2,2)})
    """
    return _call("describe_tiles", array)


def is_untiled(array: Any) -> Any:
    """Whether the tiles change nothing.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: is_untiled(f32[2,4]{0,1:T(*,4)(1,2)})
    """
    return _call("is_untiled", array)


def same_memory(A: Any, B: Any) -> Any:
    """Whether each element, by row-major number, lies at the same offset in both, with as much padding.

    Args:
        A: the first array.
        B: the second array.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: same_memory(f32[2,7,8,11,10]{4,3,2,1,0:T(*,*,2,*,3)}, f32[112,110]{1,0:T(2,3)})
    """
    return _call("same_memory", A, B)


def reshape_is_bitcast(A: Any, B: Any) -> Any:
    """Whether a reshape moves nothing: same_memory, under XLA's name.

    Args:
        A: the first array.
        B: the second array.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: reshape_is_bitcast(f32[8,4,4]{2,1,0:T(8,8)(2,1)}, f32[8,4,4]{2,1,0})
    """
    return _call("reshape_is_bitcast", A, B)


def transpose_is_bitcast(A: Any, B: Any, dims: Any) -> Any:
    """Whether a transpose moves nothing; dim k of the second is dim dims[k] of the first.

    Args:
        A: the first array.
        B: the second array.
        dims: for each dim of the second array the number of the dim of the first.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: transpose_is_bitcast(s8[1,4]{1,0}, s8[4,1]{1,0}, (1,0))
    """
    return _call("transpose_is_bitcast", A, B, dims)


def deduce_transpose(A: Any, B: Any) -> Any:
    """The dims of the transpose that a bitcast is.

    Args:
        A: the first array.
        B: the second array.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: deduce_transpose(f32[5,4]{1,0:T(4,8)(2,1)}, f32[4,5]{0,1:T(4,8)(2,1)})
    """
    return _call("deduce_transpose", A, B)


def decompose_bitcast(A: Any, B: Any) -> Any:
    """What a bitcast does: a reshape, a transpose, or transpose, reshape and transpose.

    Args:
        A: the first array.
        B: the second array.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: decompose_bitcast(f32[4,6]{0,1}, f32[8,3]{1,0})
    """
    return _call("decompose_bitcast", A, B)


def align_layouts(array: Any, dims: Any) -> Any:
    """Other dims in the same memory: the layout that makes the reshape free.

    Args:
        array: an array of XLA with its layout.
        dims: the extents of the answer.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: align_layouts(f32[4,6,2]{2,0,1}, (4,3,2,2))
    """
    return _call("align_layouts", array, dims)


def unmodified_dims(from_dims: Any, to_dims: Any) -> Any:
    """The pairs of dims that a reshape leaves as they are.

    Args:
        from_dims: the extents before.
        to_dims: the extents after.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: unmodified_dims((6,1,8,1), (6,1,1,8))
    """
    return _call("unmodified_dims", from_dims, to_dims)


def unit_dims(from_dims: Any, to_dims: Any) -> Any:
    """The dims of extent 1 that a reshape deletes, and those that it inserts.

    Args:
        from_dims: the extents before.
        to_dims: the extents after.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: unit_dims((2,1,3), (2,3,1))
    """
    return _call("unit_dims", from_dims, to_dims)


def normalized_transpose(dims: Any, permutation: Any) -> Any:
    """The same transpose with as few dims as say it: the extents of the result and the dims.

    Args:
        dims: the extents before.
        permutation: for each dim of the answer the number of the dim that it was.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: normalized_transpose((5,2,3,1,4), (3,0,4,1,2))
    """
    return _call("normalized_transpose", dims, permutation)


def permute_dims(array: Any, dims: Any) -> Any:
    """The array whose dim k is dim dims[k], in the same memory.

    Args:
        array: an array of XLA with its layout.
        dims: for each dim of the answer the number of the dim that it was.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: permute_dims(f32[2,3,5]{2,1,0:T(2,4)}, (2,0,1))
    """
    return _call("permute_dims", array, dims)


def move_dim(array: Any, from_: Any, to: Any) -> Any:
    """The array with a dim at another number, in the same memory.

    Args:
        array: an array of XLA with its layout.
        from_: the number of the dim that moves.
        to: where it is in the answer, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: move_dim(f32[2,3,5]{2,1,0}, 2, 0)
    """
    return _call("move_dim", array, from_, to)


def drop_dims(array: Any, dims: Any) -> Any:
    """The array without some dims of extent 1, in the same memory.

    Args:
        array: an array of XLA with its layout.
        dims: numbers of dims, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: drop_dims(f32[1,256]{1,0:T(8,128)}, 0)
    """
    return _call("drop_dims", array, dims)


def drop_unit_dims(array: Any) -> Any:
    """The array without the dims of extent 1 that can be dropped, in the same memory.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: drop_unit_dims(f32[1,3,1,5]{3,2,1,0:T(2,2)})
    """
    return _call("drop_unit_dims", array)


def without_layout(array: Any) -> Any:
    """The shape alone, which stands for its row-major layout.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: without_layout(f32[3,5]{0,1:T(2,2)})
    """
    return _call("without_layout", array)


def with_layout(array: Any, layout: Any) -> Any:
    """The same dims and elements in another layout, as XLA or JAX writes it; in vector registers as Mosaic
    writes it.

    Args:
        array: an array of XLA with its layout.
        layout: a layout of XLA or JAX without its array, or one of vector registers of Mosaic.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: with_layout(bf16[16,256], Layout(major_to_minor=(0, 1), tiling=((8, 128), (2, 1))))
    """
    return _call("with_layout", array, layout)


def to_jax(array: Any) -> Any:
    """The layout of an array as JAX writes it.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: to_jax(bf16[16,256]{1,0:T(8,128)(2,1)})
    """
    return _call("to_jax", array)


def to_mosaic(array: Any) -> Any:
    """The array as Mosaic writes it, with strides in tiles.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: to_mosaic(bf16[16,256]{1,0:T(8,128)(2,1)})
    """
    return _call("to_mosaic", array)


def affine_map(array: Any) -> Any:
    """The affine map from an index to the offset in elements, as Mosaic prints it.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: affine_map(bf16[16,256]{1,0:T(8,128)(2,1)})
    """
    return _call("affine_map", array)


def is_valid(array: Any) -> Any:
    """True, or the reason why a shape that XLA reads has no meaning.

    Args:
        array: an array of XLA with its layout.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: is_valid(f32[3,5]{1,0:T(8,128)})
    """
    return _call("is_valid", array)


def same(A: Any, B: Any) -> Any:
    """Whether two layouts put the same elements at the same places, or the first that they do not.

    Args:
        A: the first layout, of any family.
        B: the second layout, of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: same(f32[16,256]{1,0:T(8,128)}, ((8,2),(128,2)):((128,2048),(1,1024)))
    """
    return _call("same", A, B)


def diff(A: Any, B: Any) -> Any:
    """How many elements lie elsewhere, between which coordinates, and the first of them.

    Args:
        A: the first layout, of any family.
        B: the second layout, of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: diff(f32[4,4]{1,0:T(2,2)}, f32[4,4]{1,0})
    """
    return _call("diff", A, B)


def at(X: Any, coordinate: Any) -> Any:
    """What a coordinate, or the number of an element in X's own order, leads to: a place, or the element at a
    place.

    Args:
        X: a layout of any family.
        coordinate: one integer for each axis, or the number of a point: column-major in layouts of CuTe and
            places of linear layouts, row-major in other tensors.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: at(tensor<16x8xf32, #ttg.nvidia_mma<{versionMajor=2, versionMinor=0, warpsPerCTA=[1,1],
        instrShape=[16,8]}>>, (2,5,0,0))
    """
    return _call("at", X, coordinate)


def tv(L: Any, tile_shape: Any) -> Any:
    """A layout of threads and values into the flat index of a tile of this shape, the first dim the fastest.

    Args:
        L: a layout of CuTe.
        tile_shape: the extents of the tile.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tv(((4,8),(2,2)):((32,1),(16,8)), (16,8))
    """
    return _call("tv", L, tile_shape)


def convert(X: Any, notation: Any, type: Any = None) -> Any:
    """The same layout as cute, padded, linear, triton, mixed, xla (of elements of a type), strides, tag or
    affine; or in the words of cpp, dsl, pycute, torch, numpy, jax, mosaic, ttgir (of elements of a type), gluon
    or einops; or as a function of c, or in latex; a tensor over devices as hlo, hlo_mesh, jax, sdy, dtensor or
    tv.

    Args:
        X: a layout of any family.
        notation: cute, padded, linear, triton, mixed, xla, strides, tag, affine, cpp, dsl, pycute, torch,
            numpy, jax, mosaic, gluon, ttgir, einops, c or latex; of a tensor over devices hlo, hlo_mesh, jax,
            sdy, dtensor or tv.
        type: the type of an element, such as bf16.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: convert(bf16[16,256]{1,0:T(8,128)(2,1)}, cute)
    """
    if type is None:
        return _call("convert", X, notation)
    return _call("convert", X, notation, type)


def fit(offsets: Any, shape: Any = None) -> Any:
    """The layout that these offsets are: of CuTe, else linear, else mixed, else an affine map.

    Offsets are an array whose entry (i, j, ...) is the offset of that coordinate, or a list with the first dim of `shape` the
    fastest; a text is an expression of the language.

    Args:
        offsets: the place of each element in elements.
        shape: the extents of the tensor, where `offsets` is a list.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: fit((0,5,1,6,10,15,11,16), (4,2))
    """
    if shape is None:
        return _fit_table(offsets)
    return _call("fit", tuple(offsets) if hasattr(offsets, "ndim") else offsets, shape)


def affine(map: Any, extents: Any, from_names: Any = None, to_extents: Any = None, to_names: Any = None) -> Any:
    """An affine map of MLIR over dims of these extents, to an offset, or to coordinates where it has several
    results; affine(MAP, from, names, to, names) is one between axes of these names, which are the dims of a
    tensor where none are given.

    Args:
        map: an affine map of MLIR.
        extents: the extent of each dim of the map.
        from_names: names of the dims that it takes.
        to_extents: the extent of each result.
        to_names: names of the results.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: affine(affine_map<(d0, d1) -> (d0 * 8 + d1 mod 4)>, (4,8))
    """
    if from_names is None:
        return _call("affine", map, extents)
    if to_extents is None:
        return _call("affine", map, extents, from_names)
    if to_names is None:
        return _call("affine", map, extents, from_names, to_extents)
    return _call("affine", map, extents, from_names, to_extents, to_names)


def subslice(memory: Any, start: Any, shape: Any) -> Any:
    """A part of a tensor in memory: from where, and of what shape; element -> place, as memdesc_subslice has
    it.

    Args:
        memory: a tensor in memory.
        start: the coordinate of the first element.
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: subslice(!ttg.memdesc<64x64xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false,
        elementBitWidth = 16}>, #ttg.shared_memory, mutable>, (0,16), (64,16))
    """
    return _call("subslice", memory, start, shape)


def law(operation: Any, *operand: Any) -> Any:
    """Whether the answer of an operation obeys its law, point by point; also written law composition(A, B).

    Args:
        operation: the name of an operation.
        operand: what the operation is applied to, as it takes it.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: law(composition, (6,2):(8,2), (4,3):(3,1))
    """
    return _call("law", operation, *operand)


def obeys(R: Any, operation: Any, *operand: Any) -> Any:
    """Whether a given answer obeys the law of an operation; also written law composition(A, B) == R.

    Args:
        R: the answer that is held against the law.
        operation: the name of an operation.
        operand: what the operation is applied to, as it takes it.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: obeys(((2,2),3):((24,2),7), composition, (6,2):(8,2), (4,3):(3,1))
    """
    return _call("obeys", R, operation, *operand)


def inverse(X: Any) -> Any:
    """From places to elements, padding where there is none; of a layout of CuTe the layout to column-major
    indices, where it is one.

    Args:
        X: a layout of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: inverse((64,8):(1,72))
    """
    return _call("inverse", X)


def is_bijective(X: Any) -> Any:
    """Whether every place has exactly one element.

    Args:
        X: a layout of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: is_bijective(f32[16,256]{1,0:T(8,128)})
    """
    return _call("is_bijective", X)


def holes(X: Any) -> Any:
    """How many places are reached by none, up to the last one that is.

    Args:
        X: a layout of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: holes((64,8):(1,72))
    """
    return _call("holes", X)


def preimages(X: Any, place: Any) -> Any:
    """All points that lead to a place.

    Args:
        X: a layout of any family.
        place: a place: an offset, or one integer for each axis.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: preimages((4,8):(0,1), 3)
    """
    return _call("preimages", X, place)


def contiguity(X: Any, axis: Any) -> Any:
    """How many neighbours along an axis stay neighbours, and the widest aligned vector of them.

    Args:
        X: a layout of any family.
        axis: the number of an axis, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: contiguity((64,8):(1,72), 0)
    """
    return _call("contiguity", X, axis)


def cycles(X: Any) -> Any:
    """A permutation: after how many times it is the identity, how many cycles it has, how many points stay.

    Args:
        X: a layout of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: cycles((4,8):(8,1))
    """
    return _call("cycles", X)


def tensor(shape: Any, strides: Any, offset: Any = None) -> Any:
    """A tensor in memory by its strides in elements, as NumPy and PyTorch have them: tensor(shape, strides,
    offset).

    Args:
        shape: extents, counted in elements.
        strides: one step for each dim, in elements.
        offset: the offset of the first element, in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tensor((3,5), (5,1))
    """
    if offset is None:
        return _call("tensor", shape, strides)
    return _call("tensor", shape, strides, offset)


def tag(format: Any, shape: Any) -> Any:
    """A blocked format of oneDNN for dims of these extents.

    Args:
        format: a format tag of oneDNN, such as nChw16c.
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tag(nChw16c, (8,64,14,14))
    """
    return _call("tag", format, shape)


def bytes(X: Any, element_bits: Any) -> Any:
    """Places counted in bytes, where an element has element_bits bits.

    Args:
        X: a layout of any family.
        element_bits: bits of an element.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: bytes(f32[3,5]{1,0:T(2,2)}, 32)
    """
    return _call("bytes", X, element_bits)


def bits(X: Any, element_bits: Any) -> Any:
    """Places counted in bits, where an element has element_bits bits.

    Args:
        X: a layout of any family.
        element_bits: bits of an element.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: bits((8,4):(1,8), 4)
    """
    return _call("bits", X, element_bits)


def reshape(X: Any, shape: Any, order: Any = None) -> Any:
    """The tensor read in another shape: elements keep their numbers in X's own order, or in the order that is
    named, row or column.

    Args:
        X: a layout of any family.
        shape: extents, counted in elements.
        order: row or column: how elements are numbered; the own order of X where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: reshape(f32[4,6]{1,0}, (8,3))
    """
    if order is None:
        return _call("reshape", X, shape)
    return _call("reshape", X, shape, order)


def device_shard(X: Any, device: Any) -> Any:
    """The box of a tensor that a device holds, dim by dim.

    Args:
        X: a tensor over devices.
        device: the number of a device, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: device_shard(shard(f32[8,6], P(('b','a'), None), mesh(a=2,b=4)), 1)
    """
    return _call("device_shard", X, device)


def device_memory(X: Any) -> Any:
    """The map from a device and an offset in its memory to the element there, through the tiles of the array.

    Args:
        X: a tensor over devices.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: device_memory(shard(bf16[32,256]{1,0:T(8,128)(2,1)}, P('a', None), mesh(a=2)))
    """
    return _call("device_memory", X)


def reshard(A: Any, B: Any) -> Any:
    """What has to move from one sharding to another: the class, the least bytes that devices receive, and what
    named collectives take.

    Args:
        A: the tensor over devices that is there.
        B: the same tensor as it shall be.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: reshard(shard(f32[8,8], P('a', None), mesh(a=2,b=4)), shard(f32[8,8], P(None, 'a'), mesh(a=2,b=4)))
    """
    return _call("reshard", A, B)


def wavefronts(memory: Any, threads: Any, element_bits: Any, transfer: Any = None, machine: Any = None) -> Any:
    """How many wavefronts of shared memory an access by threads takes: ld, st, ldmatrix or stmatrix.

    Args:
        memory: a tensor in memory.
        threads: lanes (mode 0, or the dim lane) and the values of each, to elements; of ldmatrix rows and what
            is in them.
        element_bits: bits of an element.
        transfer: ld, st, ldmatrix or stmatrix; ld where it is missing.
        machine: nvidia, whose memory was measured, or amd, by its documentation; nvidia where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: wavefronts((64,64):(72,1), 32:1, 16)
    """
    if transfer is None:
        return _call("wavefronts", memory, threads, element_bits)
    if machine is None:
        return _call("wavefronts", memory, threads, element_bits, transfer)
    return _call("wavefronts", memory, threads, element_bits, transfer, machine)


def bank_conflicts(memory: Any, threads: Any, element_bits: Any, transfer: Any = None, machine: Any = None) -> Any:
    """How many of those wavefronts are conflicts: lanes of one phase that ask one bank for different words.

    Args:
        memory: a tensor in memory.
        threads: lanes (mode 0, or the dim lane) and the values of each, to elements; of ldmatrix rows and what
            is in them.
        element_bits: bits of an element.
        transfer: ld, st, ldmatrix or stmatrix; ld where it is missing.
        machine: nvidia, whose memory was measured, or amd, by its documentation; nvidia where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: bank_conflicts(Sw<2,0,5> o (32,32):(32,1), 32:1, 32)
    """
    if transfer is None:
        return _call("bank_conflicts", memory, threads, element_bits)
    if machine is None:
        return _call("bank_conflicts", memory, threads, element_bits, transfer)
    return _call("bank_conflicts", memory, threads, element_bits, transfer, machine)


def sectors(memory: Any, threads: Any, element_bits: Any, transfer: Any = None) -> Any:
    """How many sectors of 32 bytes of global memory an access by threads touches.

    Args:
        memory: a tensor in memory.
        threads: lanes (mode 0, or the dim lane) and the values of each, to elements; of ldmatrix rows and what
            is in them.
        element_bits: bits of an element.
        transfer: ld, st, ldmatrix or stmatrix; ld where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: sectors((64,64):(64,1), 32:64, 32)
    """
    if transfer is None:
        return _call("sectors", memory, threads, element_bits)
    return _call("sectors", memory, threads, element_bits, transfer)


def address_wavefronts(addresses: Any, bytes: Any, transfer: Any = None, machine: Any = None) -> Any:
    """How many wavefronts of shared memory one access takes, from the byte address of each lane, `_` for one
    that takes no part.

    Args:
        addresses: the byte address of each lane, `_` for one that takes no part.
        bytes: bytes that each lane transfers: 1, 2, 4, 8 or 16.
        transfer: ld, st, ldmatrix or stmatrix; ld where it is missing.
        machine: nvidia, whose memory was measured, or amd, by its documentation; nvidia where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: address_wavefronts((0,128,256,384,_,4), 4)
    """
    if transfer is None:
        return _call("address_wavefronts", addresses, bytes)
    if machine is None:
        return _call("address_wavefronts", addresses, bytes, transfer)
    return _call("address_wavefronts", addresses, bytes, transfer, machine)


def address_sectors(addresses: Any, bytes: Any, transfer: Any = None) -> Any:
    """How many sectors of global memory one access touches, from the byte address of each lane.

    Args:
        addresses: the byte address of each lane, `_` for one that takes no part.
        bytes: bytes that each lane transfers: 1, 2, 4, 8 or 16.
        transfer: ld, st, ldmatrix or stmatrix; ld where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: address_sectors((0,4,8,12,32,36), 4)
    """
    if transfer is None:
        return _call("address_sectors", addresses, bytes)
    return _call("address_sectors", addresses, bytes, transfer)


def plan(source: Any, target: Any, element_bits: Any, capability: Any = None) -> Any:
    """How a tensor gets from one register layout to another: nothing, registers, shuffles or shared memory,
    with the numbers.

    Args:
        source: the register layout that the tensor has.
        target: the register layout that it gets.
        element_bits: bits of an element.
        capability: the compute capability, such as 80 or 90, which says what matrix instructions there are.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: plan(tensor<16x16xf32, #ttg.blocked<{sizePerThread = [2, 4], threadsPerWarp = [8, 4], warpsPerCTA =
        [1, 1], order = [1, 0]}>>, tensor<16x16xf32, #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8,
        4], warpsPerCTA = [1, 1], order = [1, 0]}>>, 32)
    """
    if capability is None:
        return _call("plan", source, target, element_bits)
    return _call("plan", source, target, element_bits, capability)


def warp_shuffle_decomp(source: Any, target: Any, element_bits: Any) -> Any:
    """The moves within a warp: how registers are renamed, which lane is read, bits (register, lane before, lane
    after) that are exchanged, -1 for no lane, and register bits in a word.

    Args:
        source: the register layout that the tensor has.
        target: the register layout that it gets.
        element_bits: bits of an element.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: warp_shuffle_decomp(linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>, linear<{register=[[2]],
        lane=[[1],[4]]}, out=[dim0:8]>, 32)
    """
    return _call("warp_shuffle_decomp", source, target, element_bits)


def optimal_swizzle_tiles(source: Any, target: Any, element_bits: Any, capability: Any = None) -> Any:
    """The shared memory for such a conversion by the best pair of plain and matrix instructions of a compute
    capability.

    Args:
        source: the register layout that the tensor has.
        target: the register layout that it gets.
        element_bits: bits of an element.
        capability: the compute capability, such as 80 or 90, which says what matrix instructions there are.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: optimal_swizzle_tiles(tensor<16x16xf16, #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [16,
        2], warpsPerCTA = [1, 1], order = [1, 0]}>>, tensor<16x16xf16, #ttg.nvidia_mma<{versionMajor = 2,
        versionMinor = 0, warpsPerCTA = [1, 1], instrShape = [16, 8]}>>, 16)
    """
    if capability is None:
        return _call("optimal_swizzle_tiles", source, target, element_bits)
    return _call("optimal_swizzle_tiles", source, target, element_bits, capability)


def optimal_swizzle(source: Any, target: Any, element_bits: Any, banks: Any = None) -> Any:
    """The shared memory for such a conversion by plain loads and stores: vector, bank and segment to the
    tensor.

    Args:
        source: the register layout that the tensor has.
        target: the register layout that it gets.
        element_bits: bits of an element.
        banks: how many banks of 4 bytes there are; 32 where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: optimal_swizzle(linear<{register=[[0,1]], lane=[[1,0]]}, out=[dim0:2, dim1:2]>,
        linear<{register=[[1,0]], lane=[[0,1]]}, out=[dim0:2, dim1:2]>, 32)
    """
    if banks is None:
        return _call("optimal_swizzle", source, target, element_bits)
    return _call("optimal_swizzle", source, target, element_bits, banks)


def bank_conflicts_memdesc(source: Any, memory: Any, element_bits: Any, banks: Any = None) -> Any:
    """The wavefronts beyond one a phase of an access from registers to a given shared memory, by vectors of up
    to 16 bytes.

    Args:
        source: the register layout that the tensor has.
        memory: the layout in shared memory, from offset.
        element_bits: bits of an element.
        banks: how many banks of 4 bytes there are; 32 where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: bank_conflicts_memdesc(linear<{register=[], lane=[[1],[2]]}, out=[dim0:4]>,
        linear<{offset=[[1],[2]]}, out=[dim0:4]>, 32)
    """
    if banks is None:
        return _call("bank_conflicts_memdesc", source, memory, element_bits)
    return _call("bank_conflicts_memdesc", source, memory, element_bits, banks)


def descriptor(tile: Any, element_bits: Any, major: Any, address: Any = None, cores: Any = None) -> Any:
    """The matrix descriptor of a tile (mn,k): (start, leading, stride) in units of 16 bytes and the bytes of
    the swizzle.

    Args:
        tile: a tile (mn,k) in shared memory, its swizzle of bytes or of elements.
        element_bits: bits of an element.
        major: K or MN: the dim whose elements lie side by side; of a tile of rows ROW_MAJOR or COL_MAJOR.
        address: where the tile starts, in bytes; 0 where it is missing.
        cores: wgmma or tcgen05; wgmma where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: descriptor(Sw<3,4,3> o bytes[16] o ((8,8),64):((64,512),1), 16, K, 1024)
    """
    if address is None:
        return _call("descriptor", tile, element_bits, major)
    if cores is None:
        return _call("descriptor", tile, element_bits, major, address)
    return _call("descriptor", tile, element_bits, major, address, cores)


def tensor_map(element_bits: Any, shape: Any, strides: Any, box: Any, swizzle: Any = None, element_strides: Any = None) -> Any:
    """Where a box that TMA copies comes to lie in shared memory, dims from the innermost on; or the rule that
    the driver breaks.

    Args:
        element_bits: bits of an element.
        shape: extents, counted in elements.
        strides: the stride of each dim but the innermost, in bytes.
        box: the extent of the box along each dim, in elements.
        swizzle: the bytes that the swizzle spans: 32, 64 or 128; 0 for none.
        element_strides: of how many elements along each dim one is read.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tensor_map(16, (256,128), 512, (64,8), 128)
    """
    if swizzle is None:
        return _call("tensor_map", element_bits, shape, strides, box)
    if element_strides is None:
        return _call("tensor_map", element_bits, shape, strides, box, swizzle)
    return _call("tensor_map", element_bits, shape, strides, box, swizzle, element_strides)


def tma(global_: Any, shared: Any, element_bits: Any, tile: Any = None, unit_bits: Any = None, address: Any = None) -> Any:
    """The tensor map by which TMA copies a tile between two layouts, as the call of tensor_map that has it; or
    the rules that are broken.

    Args:
        global_: the tensor in global memory; integers that are not static are unknown to the compiler.
        shared: a tile in shared memory, its swizzle of bytes or of elements.
        element_bits: bits of an element.
        tile: the extents of the tile; the sizes of the modes of shared memory where it is missing.
        unit_bits: the bits of an element of the map where it is another one: 4, 8, 16, 32 or 64.
        address: where the tile starts, in bytes; 0 where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tma((1024,256):(1,1024), Sw<3,4,3> o bytes[16] o ((64,2),(8,8)):((1,512),(64,1024)), 16)
    """
    if tile is None:
        return _call("tma", global_, shared, element_bits)
    if unit_bits is None:
        return _call("tma", global_, shared, element_bits, tile)
    if address is None:
        return _call("tma", global_, shared, element_bits, tile, unit_bits)
    return _call("tma", global_, shared, element_bits, tile, unit_bits, address)


def decode_descriptor(word: Any, cores: Any = None) -> Any:
    """The fields of a word of 64 bits: (start, leading, stride) in units of 16 bytes and the bytes of the
    swizzle.

    Args:
        word: the word, an integer or in quotes as "0x08410010".
        cores: wgmma or tcgen05; wgmma where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: decode_descriptor("0x4000004000010040")
    """
    if cores is None:
        return _call("decode_descriptor", word)
    return _call("decode_descriptor", word, cores)


def instruction_descriptor(kind: Any, A: Any, B: Any, D: Any, shape: Any, A_major: Any = None, B_major: Any = None, options: Any = None) -> Any:
    """The word of 32 bits that tells tcgen05.mma the shape and the element types of its operands.

    Args:
        kind: f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 or mxf4nvf4, as PTX has it.
        A: the type of the elements of A, such as f16 or e4m3.
        B: the type of the elements of B.
        D: the type of the sums: f16, f32 or s32.
        shape: M and N of the instruction.
        A_major: k or mn; k where it is missing.
        B_major: k or mn; k where it is missing.
        options: negate_a, negate_b, saturate, sparse, selector1, shift8, the type of scales, scale_a1,
            scale_b1, long_k.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: instruction_descriptor(f8f6f4, e4m3, e2m1, f32, (128,256), k, mn)
    """
    if A_major is None:
        return _call("instruction_descriptor", kind, A, B, D, shape)
    if B_major is None:
        return _call("instruction_descriptor", kind, A, B, D, shape, A_major)
    if options is None:
        return _call("instruction_descriptor", kind, A, B, D, shape, A_major, B_major)
    return _call("instruction_descriptor", kind, A, B, D, shape, A_major, B_major, options)


def decode_instruction_descriptor(kind: Any, word: Any) -> Any:
    """The call of instruction_descriptor that a word of an instruction of this kind is the answer of.

    Args:
        kind: f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4 or mxf4nvf4, as PTX has it.
        word: the word, an integer or in quotes as "0x08410010".

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: decode_instruction_descriptor(f16, "0x08410010")
    """
    return _call("decode_instruction_descriptor", kind, word)


def atom(name: Any, part: Any = None, extents: Any = None) -> Any:
    """A matrix or copy instruction by CuTe's name: what each thread holds, reads and writes, as a whole or one
    of its layouts.

    Args:
        name: CuTe's name of the instruction, with its template arguments where its extents stand there.
        part: A, B, C, ThrID, Shape_MNK, bits, where there are such E, SFA, SFB, MajorA, MajorB; of a copy Src,
            Dst, Ref, ThrID; all where it is missing.
        extents: numbers of the template arguments: M and N of tcgen05, the bits of a UniversalCopy.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: atom(SM80_16x8x16_F32F16F16F32_TN, A)
    """
    if part is None:
        return _call("atom", name)
    if extents is None:
        return _call("atom", name, part)
    return _call("atom", name, part, extents)


def copy_atom(atom: Any, element_bits: Any) -> Any:
    """A copy instruction for elements of some bits, CuTe's Copy_Atom: its layouts count elements.

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: copy_atom(SM75_U32x4_LDSM_N, 16)
    """
    return _call("copy_atom", atom, element_bits)


def part(X: Any, part: Any) -> Any:
    """A layout of an instruction or of its copies over a tile by name, which `X.A` writes too.

    Args:
        X: an instruction, a tiled matrix instruction or a tiled copy.
        part: as of an atom; of tiled_mma A, B, C, thr_layout_vmnk, atom, atoms, tile, permutation; of
            tiled_copy S, D, TV, atom, tile, tiler, bits.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: part(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), A)
    """
    return _call("part", X, part)


def which_atom(L: Any) -> Any:
    """The matrix and copy instructions of which this is a thread-value layout, a line each operand and family
    of names; or none.

    Args:
        L: a layout of CuTe from (thread, value), or a register layout of Triton.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: which_atom(((4,8),(2,2)):((32,1),(16,8)))
    """
    return _call("which_atom", L)


def mma_of_layouts(shape: Any, threads: Any, A: Any, B: Any, C: Any, vmnk: Any = None, tile: Any = None) -> Any:
    """The matrix instruction with these extents and layouts, as CuTe prints them; or its copies, with the
    layout of all threads and the tile.

    Args:
        shape: M, N and K of the instruction.
        threads: the threads of one instruction, CuTe's ThrID.
        A: from (thread, value) to the elements of A.
        B: from (thread, value) to the elements of B.
        C: from (thread, value) to the elements of C.
        vmnk: from the thread of an instruction and its copy along M, N and K to the number of the thread.
        tile: an extent, a permutation or `_` for each of M, N and K; as much as all copies cover where it is
            missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: mma_of_layouts((16,8,16), 32:1, ((4,8),(2,2,2)):((32,1),(16,8,128)), ((4,8),(2,2)):((16,1),(8,64)),
        ((4,8),(2,2)):((32,1),(16,8)))
    """
    if vmnk is None:
        return _call("mma_of_layouts", shape, threads, A, B, C)
    if tile is None:
        return _call("mma_of_layouts", shape, threads, A, B, C, vmnk)
    return _call("mma_of_layouts", shape, threads, A, B, C, vmnk, tile)


def smem_atom(major: Any, swizzle: Any, element_bits: Any) -> Any:
    """The smallest tile of shared memory that wgmma and tcgen05 take under a swizzle, CuTe's
    Layout_K_SW128_Atom and its like.

    Args:
        major: K or MN: the dim whose elements lie side by side; of a tile of rows ROW_MAJOR or COL_MAJOR.
        swizzle: the bytes that the swizzle spans: 32, 64 or 128; 0 for none.
        element_bits: bits of an element.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: smem_atom(K, 128, 16)
    """
    return _call("smem_atom", major, swizzle, element_bits)


def tiled_mma(atom: Any, atoms: Any = None, tile: Any = None) -> Any:
    """Copies of a matrix instruction over threads along M, N and K, and the tile that they compute: extents or
    permutations.

    Args:
        atom: a matrix instruction, or its name.
        atoms: how copies are numbered along M, N and K; one copy where it is missing.
        tile: an extent, a permutation or `_` for each of M, N and K; as much as all copies cover where it is
            missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2), <32,32,16>)
    """
    if atoms is None:
        return _call("tiled_mma", atom)
    if tile is None:
        return _call("tiled_mma", atom, atoms)
    return _call("tiled_mma", atom, atoms, tile)


def thr_layout_vmnk(mma: Any) -> Any:
    """From the thread of an instruction and its copy along M, N and K to the number of the thread.

    Args:
        mma: a tiled matrix instruction, or a single one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: thr_layout_vmnk(tiled_mma(SM70_8x8x4_F32F16F16F32_NT, (2,2):(2,1)))
    """
    return _call("thr_layout_vmnk", mma)


def partition_A(mma: Any, tensor: Any, thread: Any = None) -> Any:
    """What a thread of a tiled matrix instruction holds of a tensor: (value, rest of each mode), and where it
    starts.

    Args:
        mma: a tiled matrix instruction, or a single one.
        tensor: a tensor of rows, columns and perhaps more modes.
        thread: the number of a thread; that of the slice, where the first operand is one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,32):(32,1), 5)
    """
    if thread is None:
        return _call("partition_A", mma, tensor)
    return _call("partition_A", mma, tensor, thread)


def partition_B(mma: Any, tensor: Any, thread: Any = None) -> Any:
    """What a thread of a tiled matrix instruction holds of a tensor: (value, rest of each mode), and where it
    starts.

    Args:
        mma: a tiled matrix instruction, or a single one.
        tensor: a tensor of rows, columns and perhaps more modes.
        thread: the number of a thread; that of the slice, where the first operand is one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_B(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (96,32):(32,1), 5)
    """
    if thread is None:
        return _call("partition_B", mma, tensor)
    return _call("partition_B", mma, tensor, thread)


def partition_C(mma: Any, tensor: Any, thread: Any = None) -> Any:
    """What a thread of a tiled matrix instruction holds of a tensor: (value, rest of each mode), and where it
    starts.

    Args:
        mma: a tiled matrix instruction, or a single one.
        tensor: a tensor of rows, columns and perhaps more modes.
        thread: the number of a thread; that of the slice, where the first operand is one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_C(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,96):(96,1), 5)
    """
    if thread is None:
        return _call("partition_C", mma, tensor)
    return _call("partition_C", mma, tensor, thread)


def partition_shape_A(mma: Any, shape: Any) -> Any:
    """The shape of what a thread of a tiled matrix instruction holds of a tensor of this shape.

    Args:
        mma: a tiled matrix instruction, or a single one.
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_shape_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,32))
    """
    return _call("partition_shape_A", mma, shape)


def partition_shape_B(mma: Any, shape: Any) -> Any:
    """The shape of what a thread of a tiled matrix instruction holds of a tensor of this shape.

    Args:
        mma: a tiled matrix instruction, or a single one.
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_shape_B(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (96,32))
    """
    return _call("partition_shape_B", mma, shape)


def partition_shape_C(mma: Any, shape: Any) -> Any:
    """The shape of what a thread of a tiled matrix instruction holds of a tensor of this shape.

    Args:
        mma: a tiled matrix instruction, or a single one.
        shape: extents, counted in elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_shape_C(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,96))
    """
    return _call("partition_shape_C", mma, shape)


def get_slice(X: Any, thread: Any) -> Any:
    """Copies of an instruction over a tile with the thread of which a later question is, CuTe's get_slice and
    get_thread_slice.

    Args:
        X: an instruction, a tiled matrix instruction or a tiled copy.
        thread: the number of the thread, counted from 0.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: get_slice(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), 5)
    """
    return _call("get_slice", X, thread)


def partition_fragment_A(mma: Any, tensor: Any) -> Any:
    """The registers that a thread has for its part of a tensor, compact, in the order of the tensor's strides.

    Args:
        mma: a tiled matrix instruction, or a single one.
        tensor: a tensor of rows, columns and perhaps more modes.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_fragment_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,32):(32,1))
    """
    return _call("partition_fragment_A", mma, tensor)


def partition_fragment_B(mma: Any, tensor: Any) -> Any:
    """The registers that a thread has for its part of a tensor, compact, in the order of the tensor's strides.

    Args:
        mma: a tiled matrix instruction, or a single one.
        tensor: a tensor of rows, columns and perhaps more modes.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_fragment_B(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (96,32):(32,1))
    """
    return _call("partition_fragment_B", mma, tensor)


def partition_fragment_C(mma: Any, tensor: Any) -> Any:
    """The registers that a thread has for its part of a tensor, compact, in the order of the tensor's strides.

    Args:
        mma: a tiled matrix instruction, or a single one.
        tensor: a tensor of rows, columns and perhaps more modes.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_fragment_C(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,96):(96,1))
    """
    return _call("partition_fragment_C", mma, tensor)


def tiled_copy(atom: Any, element_bits: Any, threads: Any, values: Any = None) -> Any:
    """Copies of a copy instruction by layouts of threads and of each thread's values, CuTe's make_tiled_copy.

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.
        threads: from (m,n) to the number of a thread.
        values: from (m,n) to the number of a thread's value; one value where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8))
    """
    if values is None:
        return _call("tiled_copy", atom, element_bits, threads)
    return _call("tiled_copy", atom, element_bits, threads, values)


def tiled_copy_tv(atom: Any, element_bits: Any, layout: Any, tile: Any) -> Any:
    """Copies of a copy instruction by one layout of (thread, value) into a tile, CuTe's make_tiled_copy_impl.

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.
        layout: from (thread, value) to the elements of the tile, column-major.
        tile: the extents of the tile, or a layout for each mode that gathers its elements.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tiled_copy_tv(SM75_U32x1_LDSM_N, 16, (32,8):(1,32), (32,8))
    """
    return _call("tiled_copy_tv", atom, element_bits, layout, tile)


def make_cotiled_copy(atom: Any, element_bits: Any, addresses: Any, data: Any) -> Any:
    """Copies of a copy instruction whose tile has the elements of a tensor at given addresses, by (thread,
    value).

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.
        addresses: from (thread, value) to the addresses of the tensor.
        data: the tensor, from coordinates to addresses.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_cotiled_copy(atom(UniversalCopy, 128), 16, (128,8):(8,1), (8,256):(256,1))
    """
    return _call("make_cotiled_copy", atom, element_bits, addresses, data)


def make_tiled_copy_A(atom: Any, element_bits: Any, mma: Any) -> Any:
    """Copies of a copy instruction that move an operand to or from where a tiled matrix instruction holds it.

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.
        mma: a tiled matrix instruction, or a single one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_tiled_copy_A(SM75_U32x4_LDSM_N, 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2),
        <32,32,16>))
    """
    return _call("make_tiled_copy_A", atom, element_bits, mma)


def make_tiled_copy_B(atom: Any, element_bits: Any, mma: Any) -> Any:
    """Copies of a copy instruction that move an operand to or from where a tiled matrix instruction holds it.

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.
        mma: a tiled matrix instruction, or a single one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_tiled_copy_B(SM75_U32x4_LDSM_N, 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2),
        <32,32,16>))
    """
    return _call("make_tiled_copy_B", atom, element_bits, mma)


def make_tiled_copy_C(atom: Any, element_bits: Any, mma: Any) -> Any:
    """Copies of a copy instruction that move an operand to or from where a tiled matrix instruction holds it.

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.
        mma: a tiled matrix instruction, or a single one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_tiled_copy_C(atom(UniversalCopy, 32), 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2),
        <32,32,16>))
    """
    return _call("make_tiled_copy_C", atom, element_bits, mma)


def make_tiled_copy_C_atom(atom: Any, element_bits: Any, mma: Any) -> Any:
    """Copies of a copy instruction that move an operand to or from where a tiled matrix instruction holds it.

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.
        mma: a tiled matrix instruction, or a single one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_tiled_copy_C_atom(SM90_U32x4_STSM_N, 16, tiled_mma(SM90_64x128x16_F32F16F16_SS))
    """
    return _call("make_tiled_copy_C_atom", atom, element_bits, mma)


def make_tiled_copy_S(atom: Any, element_bits: Any, copy: Any) -> Any:
    """Copies of a copy instruction whose threads have what those of another tiled copy read, or write.

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.
        copy: a tiled copy.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_tiled_copy_S(atom(UniversalCopy, 128), 16, tiled_copy(atom(UniversalCopy, 128), 16,
        (16,8):(8,1), (1,8)))
    """
    return _call("make_tiled_copy_S", atom, element_bits, copy)


def make_tiled_copy_D(atom: Any, element_bits: Any, copy: Any) -> Any:
    """Copies of a copy instruction whose threads have what those of another tiled copy read, or write.

    Args:
        atom: a copy instruction, or its name.
        element_bits: bits of an element.
        copy: a tiled copy.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_tiled_copy_D(atom(UniversalCopy, 32), 16, tiled_copy_tv(SM75_U32x1_LDSM_N, 16, (32,8):(1,32),
        (32,8)))
    """
    return _call("make_tiled_copy_D", atom, element_bits, copy)


def partition_S(copy: Any, tensor: Any, thread: Any = None) -> Any:
    """What a thread of a tiled copy reads or writes of a tensor: (value, rest of each mode), and where it
    starts.

    Args:
        copy: a tiled copy.
        tensor: a tensor of rows, columns and perhaps more modes.
        thread: the number of a thread; that of the slice, where the first operand is one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_S(tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8)), (128,64):(64,1), 5)
    """
    if thread is None:
        return _call("partition_S", copy, tensor)
    return _call("partition_S", copy, tensor, thread)


def partition_D(copy: Any, tensor: Any, thread: Any = None) -> Any:
    """What a thread of a tiled copy reads or writes of a tensor: (value, rest of each mode), and where it
    starts.

    Args:
        copy: a tiled copy.
        tensor: a tensor of rows, columns and perhaps more modes.
        thread: the number of a thread; that of the slice, where the first operand is one.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: partition_D(tiled_copy(atom(UniversalCopy, 128), 16, (16,8):(8,1), (1,8)), (128,64):(64,1), 5)
    """
    if thread is None:
        return _call("partition_D", copy, tensor)
    return _call("partition_D", copy, tensor, thread)


def retile(copy: Any, fragment: Any) -> Any:
    """The registers of a fragment in the order in which a tiled copy takes them, CuTe's retile_S and retile_D.

    Args:
        copy: a tiled copy.
        fragment: registers of (value, rest of each mode), as a partition gives them.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: retile(make_tiled_copy_A(SM75_U32x4_LDSM_N, 16, tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2))),
        partition_fragment_A(tiled_mma(SM80_16x8x16_F32F16F16F32_TN, (2,2)), (64,32):(32,1)))
    """
    return _call("retile", copy, fragment)


def smem_layout(major: Any, tile: Any, bits: Any, cores: Any = None) -> Any:
    """Shared memory for a tile: the atom of the widest swizzle that its contiguous mode has room for, repeated,
    as CUTLASS chooses it.

    Args:
        major: K or MN: the dim whose elements lie side by side; of a tile of rows ROW_MAJOR or COL_MAJOR.
        tile: rows, columns and perhaps more modes; or (mn,k) of an instruction, how often it fits along both,
            and perhaps more modes.
        bits: the bits of an element, or its type in CuTe DSL or MLIR.
        cores: wgmma or tcgen05; wgmma where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: smem_layout(K, (128,64,4), 16)
    """
    if cores is None:
        return _call("smem_layout", major, tile, bits)
    return _call("smem_layout", major, tile, bits, cores)


def make_smem_layout_a(mma_or_major: Any, tile: Any, bits: Any, stages: Any, major: Any = None) -> Any:
    """Shared memory for the stages of A: by which of its modes is contiguous, as on Hopper, or by a matrix
    instruction, which cuts the tile.

    Args:
        mma_or_major: a matrix instruction, tiled or not, or the dim whose elements lie side by side: K or MN,
            ROW_MAJOR or COL_MAJOR.
        tile: M, N and K of the tile.
        bits: the bits of an element, or its type in CuTe DSL or MLIR.
        stages: how many tiles are in memory at once.
        major: K or MN: the dim whose elements lie side by side; that of the instruction where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_smem_layout_a(K, (128,256,64), 16, 4)
    """
    if major is None:
        return _call("make_smem_layout_a", mma_or_major, tile, bits, stages)
    return _call("make_smem_layout_a", mma_or_major, tile, bits, stages, major)


def make_smem_layout_b(mma_or_major: Any, tile: Any, bits: Any, stages: Any, major: Any = None) -> Any:
    """Shared memory for the stages of B: by which of its modes is contiguous, as on Hopper, or by a matrix
    instruction, which cuts the tile.

    Args:
        mma_or_major: a matrix instruction, tiled or not, or the dim whose elements lie side by side: K or MN,
            ROW_MAJOR or COL_MAJOR.
        tile: M, N and K of the tile.
        bits: the bits of an element, or its type in CuTe DSL or MLIR.
        stages: how many tiles are in memory at once.
        major: K or MN: the dim whose elements lie side by side; that of the instruction where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_smem_layout_b(SM100_MMA_F16BF16_SS<half_t,half_t,float,128,256>, (128,256,64), 16, 4, K)
    """
    if major is None:
        return _call("make_smem_layout_b", mma_or_major, tile, bits, stages)
    return _call("make_smem_layout_b", mma_or_major, tile, bits, stages, major)


def make_smem_layout_epi(bits: Any, major: Any, tile: Any, stages: Any, cores: Any = None) -> Any:
    """Shared memory for the stages of C or D, whose columns are contiguous under K, its rows under MN.

    Args:
        bits: the bits of an element, or its type in CuTe DSL or MLIR.
        major: K or MN: the dim whose elements lie side by side; of a tile of rows ROW_MAJOR or COL_MAJOR.
        tile: rows and columns, each a number or a layout.
        stages: how many tiles are in memory at once.
        cores: wgmma or tcgen05; wgmma where it is missing.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_smem_layout_epi(16, K, (64,32), 2)
    """
    if cores is None:
        return _call("make_smem_layout_epi", bits, major, tile, stages)
    return _call("make_smem_layout_epi", bits, major, tile, stages, cores)


def tile_to_mma_shape(block: Any, tile: Any, order: Any = None) -> Any:
    """The block repeated over the tile of a matrix instruction, ((mn,k), copies along mn, copies along k, …).

    Args:
        block: the layout that is repeated.
        tile: ((mn,k), copies along mn, copies along k), and perhaps more modes.
        order: one rank for each mode: the mode of the smallest rank is the fastest.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tile_to_mma_shape((8,64):(64,1), ((128,16),1,4,3))
    """
    if order is None:
        return _call("tile_to_mma_shape", block, tile)
    return _call("tile_to_mma_shape", block, tile, order)


def tile_atom_to_shape_SF(shape: Any, elements: Any) -> Any:
    """Scale factors of a tensor (mn,k,l) in memory: blocks of 128 rows by four scales, first along k.

    Args:
        shape: rows, columns and perhaps batches of the elements.
        elements: how many elements along k have one scale: 16 or 32.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: tile_atom_to_shape_SF((256,512,1), 16)
    """
    return _call("tile_atom_to_shape_SF", shape, elements)


def make_smem_layout_sf(shape: Any, elements: Any, stages: Any) -> Any:
    """Shared memory for the stages of the scale factors of a tile (mn,k).

    Args:
        shape: rows, columns and perhaps batches of the elements.
        elements: how many elements along k have one scale: 16 or 32.
        stages: how many tiles are in memory at once.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_smem_layout_sf((128,256), 16, 3)
    """
    return _call("make_smem_layout_sf", shape, elements, stages)


def make_smem_layout_sfa(mma: Any, tile: Any, elements: Any, stages: Any) -> Any:
    """Shared memory for the stages of the scale factors of A, cut by a block-scaled instruction.

    Args:
        mma: a tiled matrix instruction, or a single one.
        tile: M, N and K of the tile.
        elements: how many elements along k have one scale: 16 or 32.
        stages: how many tiles are in memory at once.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_smem_layout_sfa(SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,256,16>,
        (128,256,256), 16, 3)
    """
    return _call("make_smem_layout_sfa", mma, tile, elements, stages)


def make_smem_layout_sfb(mma: Any, tile: Any, elements: Any, stages: Any) -> Any:
    """Shared memory for the stages of the scale factors of B, cut by a block-scaled instruction.

    Args:
        mma: a tiled matrix instruction, or a single one.
        tile: M, N and K of the tile.
        elements: how many elements along k have one scale: 16 or 32.
        stages: how many tiles are in memory at once.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: make_smem_layout_sfb(SM100_MMA_MXF4_SS<float_e2m1_t,float_e2m1_t,float,float_ue4m3_t,128,256,16>,
        (128,256,256), 16, 3)
    """
    return _call("make_smem_layout_sfb", mma, tile, elements, stages)


def swizzle(tile: Any, element_bits: Any, *access: Any) -> Any:
    """The swizzled or padded memory in which a set of accesses takes the fewest wavefronts, with a lower bound.

    Args:
        tile: a tile in shared memory, counted in elements.
        element_bits: bits of an element.
        access: threads to elements, as of wavefronts, and ld, st, ldmatrix or stmatrix after them (ld where it
            is missing); after the word under, what the answer is allowed: swizzle, linear, padding or rotating;
            tma, wgmma or tcgen05; amd; the least bytes of a lane.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: swizzle((32,32):(32,1), 32, 32:32, st, 32:1, ld)
    """
    return _call("swizzle", tile, element_bits, *access)


def swizzle_between(A: Any, B: Any) -> Any:
    """The swizzle that makes the second layout of the first, or the element that shows that none does.

    Args:
        A: the first layout, of any family.
        B: the second layout, of any family.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: there is no such answer; its `code`, `help` and `witness` say why.
        UndecidedError: an unknown integer would decide it.

    Example: swizzle_between((8,64):(64,1), Sw<3,3,3> o (8,64):(64,1))
    """
    return _call("swizzle_between", A, B)
