"""The drop-in for pycute: its names, its printing, its tilers, and where it is exact instead."""

import itertools

import bitstride
import pytest

STAR: dict = {}
exec("from bitstride.compat.pycute import *", STAR)

NAMES = """ABC ComposedLayout Integer Layout LayoutBase Swizzle Union chain coalesce complement composition cosize crd2crd
crd2idx elem_scale filter flatten has_none hier_unzip idx2crd inner_product int_tuple is_int is_layout is_tuple layout
left_inverse logical_divide logical_product make_layout prefix_product product reduce right_inverse shape_div shiftl shiftr
signum size slice_ slice_and_offset swizzle tiled_divide tiled_product tuple_max typing zipped_divide zipped_product"""

Layout, Swizzle, ComposedLayout = STAR["Layout"], STAR["Swizzle"], STAR["ComposedLayout"]


def test_a_star_import_has_the_names():
    assert {name for name in STAR if not name.startswith("__")} - {"Refused"} == set(NAMES.split())


def test_printing_and_evaluation():
    layout = Layout((2, (3, 4)))
    assert str(layout) == "(2, (3, 4)):(1, (2, 6))" and repr(layout) == "Layout((2, (3, 4)),(1, (2, 6)))"
    assert eval(repr(layout), STAR) == layout and hash(eval(repr(layout), STAR)) == hash(layout)
    assert str(Layout(4)) == "4:1" and str(Layout((4,))) == "(4,):(1,)" and Layout(4) != Layout((4,))
    assert len(layout) == 2 and len(Layout(4)) == 1 and layout[1:] == Layout(((3, 4),), ((2, 6),))
    assert [layout(i) for i in range(24)] == list(range(24))
    assert layout(1, (2, 3)) == layout((1, (2, 3))) == 23 and layout(100) == 100 and Layout((2, 3), (2, 1))(-1) == 1
    assert layout(None, 0) == Layout((2,), (1,)) and Layout((4, 2))(None) == Layout(((4, 2),), ((1, 4),))
    assert str(Swizzle(2, 1, 3)) == "SW_2_1_3" and repr(Swizzle(2, 1, 3)) == "Swizzle(2,1,3)"
    composed = ComposedLayout(Swizzle(2, 1, 3), 0, Layout((8, 8), (8, 1)))
    assert str(composed) == "SW_2_1_3 o 0 o (8, 8):(8, 1)" and eval(repr(composed), STAR) == composed
    assert composed.size() == 64 and composed.cosize() == 64 and composed(1, 2) == 10 ^ (10 >> 3 & 2)
    assert composed(None, 2).offset == 2 and Swizzle(0, 4, 0)(77) == 77
    assert layout != 1 and Swizzle(2, 1, 3) != 1 and composed != 1


def test_tilers_are_pycutes():
    a = Layout((16, 8))
    assert STAR["composition"](a, (Layout(4),)) == Layout((4, 8), (1, 16))
    assert STAR["composition"](a, (None, 4)) == Layout((16, 4), (1, 16)) and STAR["composition"](a, None) == a
    assert STAR["logical_divide"](a, (4,)) == Layout(((4, 4), 8), ((1, 4), 16))
    assert STAR["zipped_divide"](a, (4, 2)) == Layout(((4, 2), (4, 4)), ((1, 16), (4, 32)))
    assert STAR["tiled_divide"](a, (4, 2)) == Layout(((4, 2), 4, 4), ((1, 16), 4, 32))
    assert STAR["left_inverse"](None) is None and STAR["right_inverse"](5) == Layout(5)
    assert STAR["make_layout"](Layout(i) for i in (2, 3)) == Layout((2, 3), (1, 1))
    with pytest.raises(AssertionError):
        STAR["composition"](a, (1, 2, 3))
    with pytest.raises(AssertionError):
        STAR["crd2idx"]((1, 2), 5)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("composition", (Layout((4, 2, 3), (2, 1, 8)), Layout((4, 6), (2, 1)))),
        ("composition", (Layout((4, 6, 8), (2, 3, 5)), Layout(6, 3))),
        ("composition", (Layout((4, 4), (1, 10)), Layout((3, 2), (1, 3)))),
        ("composition", (Layout((6, 2), (1, 7)), Layout((3, 2), (2, 3)))),
        ("complement", (Layout((4, 2), (18, 12)), 8)),
        ("complement", (Layout((2, 2), (1, 1)),)),
    ],
)
def test_what_is_no_layout_is_refused_as_pycute_refuses(operation, arguments):
    with pytest.raises(AssertionError) as raised:
        STAR[operation](*arguments)
    assert isinstance(raised.value, bitstride.Error) and raised.value.code and raised.value.message


def test_an_integer_is_its_own_inverse_and_repr_reads_back():
    assert STAR["left_inverse"](1) == STAR["right_inverse"](1) == Layout(1)
    composed = STAR["ComposedLayout"](STAR["Swizzle"](1, 0, 2), Layout(2, 1), Layout(4))
    assert eval(repr(composed), dict(STAR)) == composed


def test_answers_that_pycute_has_wrong():
    assert STAR["composition"](Layout(1, 64), Layout((3, 1), (1, 1))) == Layout((3, 1), (64, 64))
    assert STAR["logical_product"](Layout(4), 3) == Layout((4, 3), (1, 4))
    assert STAR["left_inverse"](Layout((4, 8), (1, 5))) == Layout((5, 8), (1, 4))
    assert STAR["right_inverse"](Layout((2, 6), (1, -2))) == Layout(2, 1)


def test_integers_of_any_size():
    assert STAR["product"]((2**40, 2**40)) == 2**80 and STAR["crd2idx"]((2**70, 1), (2**71, 2)) == 2**70 + 2**71
    with pytest.raises(AssertionError):
        STAR["coalesce"](Layout(2**70, 1))


def test_laws_on_small_layouts():
    shapes = [2, 4, (2, 3), (4, 2), ((2, 2), 3)]
    strides = {2: [0, 1, 3], 4: [1, 2], (2, 3): [(1, 2), (3, 1)], (4, 2): [(2, 1), (1, 4)], ((2, 2), 3): [((1, 4), 2)]}
    layouts = [Layout(shape, stride) for shape in shapes for stride in strides[shape]]
    for a, b in itertools.product(layouts, repeat=2):
        try:
            composed = STAR["composition"](a, b)
        except AssertionError:
            continue
        assert [composed(i) for i in range(composed.size())] == [a(b(i)) for i in range(b.size())]
