"""The drop-in for PyTorch's pycute: the rightmost mode is the fastest."""

import dataclasses
import itertools

import bitstride
import pytest
from bitstride.compat import pycute
from bitstride.compat import torch_pycute as tp
from bitstride.compat.torch_pycute import Layout

NAMES = """IntTuple Integer Layout LayoutBase as_tuple coalesce complement composition cosize crd2crd crd2idx elem_scale filter
flatten has_none idx2crd inner_product is_int is_layout is_tuple left_inverse logical_divide logical_product make_layout
match_structure product right_inverse shape_div signum size slice_ slice_and_offset suffix_product tiled_divide tiled_product
tuple_max zipped_divide zipped_product hier_unzip"""


def test_names():
    assert set(NAMES.split()) <= set(dir(tp))


def test_the_rightmost_mode_is_the_fastest():
    layout = Layout((2, (3, 4)))
    assert layout.stride == (12, (4, 1)) and [layout(i) for i in range(24)] == list(range(24))
    assert str(layout) == "(2, (3, 4)):(12, (4, 1))" and repr(Layout(4)) == "Layout(4,1)"
    assert tp.suffix_product((3, (2, 4)), 2) == (16, (8, 2)) and tp.idx2crd(9, (4, 8)) == (1, 1)
    assert tp.crd2idx((1, None), (4, 8)) == 8 and tp.crd2idx(100, (4, 8)) == 100
    assert tp.crd2crd((1, 2), 32, (4, 8)) == 10 and tp.match_structure((1, (2, 3)), (4, (5, 6)))
    assert layout != 1 and Layout(4) != Layout((4,)) and hash(Layout((2, 2))) == hash(Layout((2, 2), (2, 1)))
    assert layout(1, None) == Layout(((3, 4),), ((4, 1),)) and layout[1] == Layout((3, 4), (4, 1))


def test_answers():
    assert tp.coalesce(Layout((2, (1, 6)), (6, (6, 1)))) == Layout(12, 1)
    assert tp.complement(Layout(4, 2), 16) == Layout((2, 2), (8, 1))
    assert tp.logical_divide(Layout(16), 4) == Layout((4, 4), (1, 4))
    assert tp.zipped_divide(Layout((4, 8)), (2, 4)) == Layout(((2, 4), (2, 2)), ((8, 1), (16, 4)))
    assert tp.logical_product(Layout(4), 3) == Layout((4, 3), (1, 4))
    with pytest.raises(AssertionError) as raised:
        tp.complement(Layout((2, 2), (1, 1)))
    assert isinstance(raised.value, bitstride.Error)


def test_laws_and_agreement_with_the_other_order():
    shapes = [2, 4, (2, 3), (4, 2), ((2, 2), 3)]
    layouts = [Layout(shape) for shape in shapes] + [Layout((2, 3), (1, 2)), Layout((4, 2), (1, 4)), Layout(4, 3)]
    for a, b in itertools.product(layouts, repeat=2):
        try:
            composed = tp.composition(a, b)
        except AssertionError:
            continue
        assert [composed(i) for i in range(composed.size())] == [a(b(i)) for i in range(b.size())]
    for a in layouts:
        right, left = tp.right_inverse(a), tp.left_inverse(a)
        assert all(a(right(i)) == i for i in range(right.size()))
        assert all(left(a(i)) == i for i in range(a.size()))
        mirrored = pycute.Layout(tp.int_tuple.mirrored(a.shape), tp.int_tuple.mirrored(a.stride))
        assert [mirrored(i) for i in range(a.size())] == [a(i) for i in range(a.size())]


def test_a_frozen_dataclass_is_a_layout_too():
    @dataclasses.dataclass(frozen=True)
    class Mesh(Layout):
        shape: tuple
        stride: tuple

    mesh = Mesh((2, 4), (4, 1))
    assert tp.is_layout(mesh) and tp.coalesce(mesh) == Layout(8, 1) and mesh(3) == 3 and type(mesh[0]) is Layout
