"""The drop-in for tensor-layouts: its names, printing and tilers, and where it is exact instead."""

import itertools
import pickle
from types import ModuleType

import bitstride
import pytest
from bitstride.compat import tensor_layouts as tl
from bitstride.compat.tensor_layouts import (
    ComposedLayout,
    Layout,
    LayoutError,
    Swizzle,
    Tensor,
    Tile,
    analysis,
    layout_utils,
)

NAMES = """ComposedLayout CopyAtom IntOrIntTuple Layout LayoutError LayoutExpr MMAAtom Swizzle Tensor TensorStorageError Tile
UnsupportedComposedLayoutError append as_affine_layout as_layout as_layout_expr as_list as_shape as_tuple blocked_product
coalesce compatible complement compose compute_col_major_strides compute_row_major_strides concat congruent coords_all_none
cosize crd2crd crd2flat crd2idx crd2offset depth dice_modes downcast elem_scale flat_divide flat_product flatten fold
fold_accumulate group has_none hier_unzip idx2crd inner_product is_affine is_empty is_int is_iterable is_layout is_pure_shape
is_scalar is_tuple iter_layout left_inverse logical_divide logical_product make_swizzle max_common_layout max_common_vector
mode normalize nullspace prefix_product prepend product_each raked_product rank replace right_inverse safe_div shape_div
shape_mod size slice_and_offset slice_modes sort split_outer_swizzle suffix_product tiled_divide tiled_product
transform_tuple tuple_max unflatten unwrap upcast weakly_congruent zip_transform zipped_divide zipped_product"""


def test_a_star_import_has_the_names():
    modules = {name for name, value in vars(tl).items() if isinstance(value, ModuleType)}
    assert {name for name in dir(tl) if name[0] != "_"} - modules == set(NAMES.split())
    assert layout_utils.round_up(5, 4) == 8


def test_printing_and_evaluation():
    layout = Layout((2, (3, 4)))
    assert str(layout) == "(2, (3, 4)) : (1, (2, 6))" and eval(repr(layout)) == layout
    assert str(Layout((4,))) == "(4) : (1)" and repr(Layout(4)) == "Layout(4, 1)" and Layout((1, 4)).stride == (0, 1)
    assert (
        len(layout) == 24 and list(Layout((2, 2))) == [(0, 0), (1, 0), (0, 1), (1, 1)] and list(Layout(3)) == [0, 1, 2]
    )
    assert [layout(i) for i in range(24)] == list(range(24)) and layout(100) == 100 and Layout((2, 3), (2, 1))(-1) == 1
    assert layout(None) is layout and layout(1, None) == Layout(((3, 4),), ((2, 6),))
    assert Layout(Layout(3), Layout(4, 3)) == Layout((3, 4), (1, 3)) and Layout(Layout(4)) == Layout((4,))
    composed = ComposedLayout(Swizzle(2, 1, 3), Layout(64, 1), offset=3)
    assert str(composed) == "(Swizzle(2, 1, 3)) o {3} o (64 : 1)" and eval(repr(composed)) == composed
    assert repr(Tile(Layout(4))) == "Tile(Layout(4, 1))" and pickle.loads(pickle.dumps(Tile(Layout(4)))) == (Layout(4),)
    assert {layout, composed, Swizzle(2, 1, 3)} == {eval(repr(x)) for x in (layout, composed, Swizzle(2, 1, 3))}
    assert layout != 1 and Swizzle(2, 1, 3) != 1


def test_integers_of_other_packages_and_of_any_size():
    np = pytest.importorskip("numpy")
    assert Layout((np.int32(4), np.int64(8))) == Layout((4, 8)) and type(Layout(np.int8(4)).shape) is int
    for wrong in (True, 1.5, "4", None, np.zeros(2)):
        with pytest.raises(TypeError):
            Layout(wrong)
    assert Layout(2**40, 2**40)(3) == 3 * 2**40 and tl.size((2**40, 2**40)) == 2**80
    with pytest.raises(LayoutError):
        tl.coalesce(Layout(2**70, 1))


def test_tilers_are_the_peers():
    a = Layout((16, 8))
    assert tl.compose(a, (Layout(4),)) == Layout((4, 8), (1, 16)) and tl.compose(a, (None, 4)) == Layout(
        (16, 4), (1, 16)
    )
    assert tl.zipped_divide(a, 2) == Layout((2, (8, 8)), (1, (2, 16)))
    assert tl.zipped_divide(a, (4, 2)) == Layout(((4, 2), (4, 4)), ((1, 16), (4, 32)))
    assert tl.zipped_divide(Layout(((4, 4), 8)), ((2, 2), 4)) == Layout(
        (((2, 2), 4), ((2, 2), 2)), (((1, 4), 16), ((2, 8), 64))
    )
    assert tl.tiled_divide(a, (4, 2)) == Layout(((4, 2), 4, 4), ((1, 16), 4, 32))
    assert tl.flat_divide(a, (4, 2)) == Layout((4, 2, 4, 4), (1, 16, 4, 32))
    assert tl.blocked_product(Layout((2, 2)), Layout((2, 2))) == Layout(((2, 2), (2, 2)), ((1, 4), (2, 8)))
    assert tl.raked_product(Layout((2, 2)), Layout((2, 2))) == Layout(((2, 2), (2, 2)), ((4, 1), (8, 2)))
    with pytest.raises(LayoutError, match="elements but layout has only"):
        tl.compose(a, (1, 2, 3))


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        (tl.compose, (Layout((4, 4), (1, 10)), Layout((3, 2), (1, 3)))),
        (tl.compose, (Layout((6, 2), (1, 7)), Layout((3, 2), (2, 3)))),
        (tl.complement, (Layout((4, 2), (18, 12)), 8)),
        (tl.complement, (Layout(4, -1),)),
        (tl.upcast, (Layout(2, 3), 2)),
        (tl.logical_divide, (Layout(4), 0)),
        (tl.zipped_divide, (Layout((4, 4)), (2, 0))),
        (tl.safe_div, (4, 0)),
        (tl.shape_div, (4, 0)),
        (tl.coalesce, (Layout((2, (1, 6)), (1, (6, 2))), (1, 1))),
        (analysis.to_F2_matrix, (Layout((4, 4), (1, 3)),)),
    ],
)
def test_what_is_no_answer_is_refused_as_the_peer_refuses(operation, arguments):
    with pytest.raises(LayoutError) as raised:
        operation(*arguments)
    assert isinstance(raised.value, ValueError) and isinstance(raised.value, bitstride.Error) and raised.value.message


def test_products_of_layouts_of_one_mode_keep_the_mode():
    for one, other in [(8, 4), ((8,), 4), (8, (4,)), ((8,), (4,))]:
        assert tl.blocked_product(Layout(one), Layout(other)) == Layout(((8, 4),), ((1, 8),))
        assert tl.raked_product(Layout(one), Layout(other)) == Layout(((4, 8),), ((8, 1),))


def test_too_many_offsets_are_a_refusal_of_the_peers_type():
    with pytest.raises(LayoutError):
        analysis.footprint(Layout(1 << 40))


def test_answers_that_the_peer_has_wrong():
    assert tl.compose(Layout(1, 64), Layout((3, 1), (1, 1))) == Layout((3, 1), (64, 64))
    assert tl.coalesce(Layout((2, 2), (2, 1)), 4) == Layout(((2, 2),), ((2, 1),))
    assert not tl.compatible((2, 2, 3), (4, 3)) and tl.cosize(Layout((4, 0), (1, 100))) == 0


def test_laws_on_small_layouts():
    layouts = [
        Layout(4),
        Layout(4, 2),
        Layout((2, 3)),
        Layout((2, 3), (3, 1)),
        Layout((4, 2), (2, 1)),
        Layout(((2, 2), 3)),
    ]
    for a, b in itertools.product(layouts, repeat=2):
        try:
            composed = tl.compose(a, b)
        except LayoutError:
            continue
        assert [composed(i) for i in range(len(composed))] == [a(b(i)) for i in range(len(b))]
    for a in layouts:
        left = tl.left_inverse(a)
        assert all(left(a(i)) == i for i in range(len(a)))
        both = Layout(a, tl.complement(a, 24))
        assert analysis.is_injective(both)


SWIZZLES = [Swizzle(1, 0, 1), Swizzle(2, 0, 2), Swizzle(2, 1, 3), Swizzle(1, 0, -2), Swizzle(0, 3, 3)]
PLAIN = [Layout(8), Layout(16, 2), Layout((4, 8), (8, 1)), Layout((4, 4)), Layout((2, 3), (3, 1)), Layout(6, 3)]


@pytest.mark.parametrize("swizzle", SWIZZLES, ids=repr)
def test_swizzled_layouts_are_the_functions_that_they_stand_for(swizzle):
    for plain in PLAIN:
        after = tl.compose(plain, swizzle)
        assert [after(i) for i in range(tl.size(after))] == [plain(swizzle(i)) for i in range(len(plain))]
        swizzled = tl.compose(swizzle, plain)
        assert [swizzled(i) for i in range(tl.size(swizzled))] == [swizzle(plain(i)) for i in range(len(plain))]
        for row in range(tl.size(tl.mode(plain, 0))) if tl.rank(plain) == 2 else ():
            free, offset = tl.slice_and_offset((row, None), swizzled)
            assert [offset + free(j) for j in range(tl.size(free))] == [swizzled(row, j) for j in range(tl.size(free))]
        try:
            product = tl.logical_product(plain, swizzled)
        except (LayoutError, tl.UnsupportedComposedLayoutError):
            continue
        places = tl.complement(plain, len(plain) * tl.cosize(swizzled))
        for i, j in itertools.product(range(len(plain)), range(tl.size(swizzled))):
            assert product((i, j)) == plain(i) + places(swizzled(j))


def test_bit_matrices():
    for layout in (Layout((4, 8), (8, 1)), tl.compose(Swizzle(2, 1, 3), Layout((8, 8), (8, 1)))):
        matrix = analysis.to_F2_matrix(layout)
        for index in range(tl.size(layout)):
            bits = [sum(entry * (index >> at & 1) for at, entry in enumerate(row)) % 2 for row in matrix]
            assert sum(bit << at for at, bit in enumerate(bits)) == layout(index)
        assert analysis.from_F2_matrix(matrix, layout.shape) == layout


def test_tensors():
    tensor = Tensor(Layout((4, 8), (8, 1)), data=list(range(32)))
    assert tensor[2, 3] == 19 and tensor[2, :][3] == 19 and tensor[:].to_list()[1] == 8 and tensor(2, 3) == 19
    tensor[0, 0] = 99
    assert (
        tensor[0] == 99 and repr(tensor[1, :]) == "Tensor(8 : 1, offset=8)" and str(Tensor(Layout(2))) == "{0} ∘ 2 : 1"
    )
    with pytest.raises(tl.TensorStorageError, match="addressed range"):
        tensor.data = [0]
    with pytest.raises(TypeError):
        tensor[:, 0] = 1
    copy = Tensor(Layout((4, 8)), data=[0] * 32).copy_from(tensor)
    assert copy.to_list() == tensor.to_list() and copy != tensor


def test_reports():
    column = Layout(32, 32)
    conflicts = analysis.bank_conflicts(column, element_bytes=4)
    assert conflicts == {"conflict_free": False, "max_ways": 32, "bank_to_threads": {0: list(range(32))}}
    assert analysis.coalescing_efficiency(Layout(32), element_bytes=2)["efficiency"] == 0.5
    assert analysis.cycles(Layout((2, 2), (2, 1))) == [[0], [1, 2], [3]] and analysis.order(Layout((2, 2), (2, 1))) == 2
    assert analysis.footprint(Layout(4, 2))["holes"] == 3 and analysis.gap_profile(Layout(4, 2))["run_count"] == 4
    assert "complement" in analysis.explain(tl.logical_divide, Layout(16), 4)
    assert "does not support" in analysis.explain(tl.size, 1)
