"""Layouts: construction, operators, evaluation, methods, arrays."""

import bitstride
import numpy
import pytest
from bitstride import Layout, _


def test_construction():
    assert str(Layout((4, 8), (8, 1))) == "(4,8):(8,1)"
    assert str(Layout((4, (2, 3)))) == "(4,(2,3)):(1,(4,8))"
    assert str(Layout(4)) == "4:1" and str(Layout(())) == "():()"
    assert Layout([4, [2, 3]], [6, [3, 1]]) == Layout((4, (2, 3)), (6, (3, 1)))
    assert Layout(("M", 4), (1, "M")) == Layout("(M,4):(1,M)") == Layout((bitstride.Symbol("M"), 4), (1, "M"))
    assert Layout(numpy.int64(4), numpy.int32(2)) == Layout("4:2")
    assert Layout(Layout("4:2")) == Layout("4:2")
    for wrong in [((4, 8), (8, 1, 1)), ((-1,), (1,)), ("(4,8", None), ((2**63,), (1,)), ("4:2", (1,))]:
        with pytest.raises(bitstride.Error):
            Layout(*(part for part in wrong if part is not None))
    for wrong in [4.0, object(), {"a": 1}]:
        with pytest.raises(TypeError):
            Layout(wrong)
    with pytest.raises(bitstride.Error):
        Layout((True, 2))


def test_layouts_of_other_packages_are_read_by_their_attributes():
    class Foreign:
        shape, stride = (4, (2, 3)), (6, (3, 1))

    assert bitstride.coalesce(Foreign()) == bitstride.coalesce("(4,(2,3)):(6,(3,1))")


def test_layouts_of_arrays():
    array = numpy.zeros((3, 4, 5), dtype=numpy.float32)
    assert Layout.from_array(array) == Layout("(3,4,5):(20,5,1)")
    assert Layout.from_array(array.T[::-1, ::2]) == Layout("(5,2,3):(-1,10,20)")
    assert Layout.from_array(numpy.broadcast_to(array[0], (7, 4, 5))) == Layout("(7,4,5):(0,5,1)")
    assert Layout.from_array(array[0, 0, 0]) == Layout("():()")
    pairs = numpy.zeros(4, dtype=[("a", "i1"), ("b", "i4")])["b"]
    with pytest.raises(bitstride.RefusedError):
        Layout.from_array(pairs)

    class Tensor:
        shape = (3, 5)

        def stride(self):
            return (5, 1)

    assert Layout.from_array(Tensor()) == Layout(Tensor()) == Layout("(3,5):(5,1)")
    with pytest.raises(AttributeError):
        Layout.from_array(3)


def test_attributes():
    layout = Layout("((2,2),3):((24,2),8)")
    assert layout.shape == ((2, 2), 3) and layout.stride == ((24, 2), 8)
    assert (layout.size, layout.cosize, layout.rank, layout.depth, len(layout), layout.offset) == (12, 43, 2, 2, 2, 0)
    assert Layout("4:1").shape == 4 and Layout("4:1").rank == 1 and Layout("()").rank == 0
    unknown = Layout("(M,4):(1,M)")
    assert unknown.shape == (bitstride.Symbol("M"), 4) and unknown.size == bitstride.Symbol("4*M")
    assert bool(Layout("0:1")) and Layout("(4,8):(8,1) + 3").offset == 3


def test_modes():
    layout = Layout("((2,2),3):((24,2),8)")
    assert layout[0] == Layout("(2,2):(24,2)") and layout[-1] == layout[1] == Layout("3:8")
    assert layout[0, 1] == layout[0][1] == Layout("2:2")
    assert layout[1:] == Layout("(3):(8)") and layout[::-1] == Layout("(3,(2,2)):(8,(24,2))")
    assert list(layout) == [layout[0], layout[1]] and list(Layout("4:1")) == [Layout("4:1")]
    for wrong in [2, -3, 2**70, (0, 5)]:
        with pytest.raises((IndexError, bitstride.Error)):
            layout[wrong]
    with pytest.raises(IndexError) as raised:
        layout[2]
    assert isinstance(raised.value, bitstride.Error) and raised.value.code == "no-mode"


def test_evaluation():
    layout = Layout("((2,2),3):((24,2),8)")
    assert [layout(index) for index in range(12)] == [layout(c) for c in layout.coordinates()]
    assert layout((1, 0), 2) == layout(((1, 0), 2)) == 40 == layout(1, 2) == layout(numpy.int64(1), 2)
    assert Layout("(4,8):(8,1)")(1, 2) == 10 and Layout("4:3")(100) == 300 and Layout("4:3")(-1) == -3
    assert Layout("(M,4):(1,M)")(0, 1) == bitstride.Symbol("M")
    assert Layout("(4,8):(1@0,1@1)")(1, 2) == (1, 2)
    assert Layout("(4,8):(8,1) + 3")(1, 2) == 13
    with pytest.raises(bitstride.Error):
        layout(1, 2, 3)
    with pytest.raises(TypeError):
        layout(1.5)
    with pytest.raises(bitstride.Error) as raised:
        Layout((2, 2), (2**62, 2**62))(3)
    assert raised.value.code == "overflow"


def test_slices():
    layout = Layout("(4,8):(8,1)")
    assert layout(None, 2) == layout(_, 2) == layout(slice(None), 2) == layout.slice((None, 2)) == bitstride.parse("slice((4,8):(8,1), (_,2))")
    assert layout(None, 2).offset == 2 and str(layout(1, None)) == "(8):(1) + 8"
    assert layout(None, None) == layout


def test_operators():
    a, b = Layout("(6,2):(8,2)"), Layout("(4,3):(3,1)")
    assert a @ b == bitstride.composition(a, b) == a.composition(b) == Layout("((2,2),3):((24,2),8)")
    assert a @ "(4,3):(3,1)" == "(6,2):(8,2)" @ b == a @ b
    assert Layout("(8,64):(64,1)") @ (4, None) == Layout("(4,64):(64,1)")
    assert str(bitstride.Swizzle(3, 4, 3) @ Layout("(8,64):(64,1)")) == "Sw<3,4,3> o 0 o (8,64):(64,1)"
    with pytest.raises(bitstride.RefusedError) as raised:
        Layout("(6,2):(1,7)") @ Layout("(3,2):(2,3)")
    assert raised.value.code == "carry" and "nearest" in raised.value.help


def test_methods_are_the_operations():
    layout = Layout("(9,(4,8)):(59,(13,1))")
    tiler = (Layout("3:3"), Layout("(2,4):(1,8)"))
    for name in ["logical_divide", "zipped_divide", "tiled_divide", "flat_divide"]:
        assert getattr(layout, name)(tiler) == bitstride.call(name, layout, tiler) == getattr(bitstride, name)(layout, tiler)
        assert getattr(layout, name)((3, 8)) == bitstride.parse(f"{name}({layout}, <3, 8>)")
        assert getattr(layout, name)(3) == bitstride.parse(f"{name}({layout}, 3)")
    block = Layout("(2,5):(5,1)")
    for name in ["logical_product", "zipped_product", "blocked_product", "raked_product"]:
        assert getattr(block, name)(Layout("(3,4):(1,3)")) == bitstride.parse(f"{name}({block}, (3,4):(1,3))")
    assert Layout("4:2").complement(24) == Layout("(2,3):(1,8)") == bitstride.complement(L="4:2", target=24)
    assert Layout("4:2").complement() == bitstride.parse("complement(4:2)")
    assert Layout("(2,(1,6)):(1,(6,2))").coalesce() == Layout("12:1")
    assert Layout("(2,(1,6)):(1,(6,2))").coalesce((None, None)) == bitstride.parse("coalesce((2,(1,6)):(1,(6,2)), (_,_))")
    assert Layout("(4,8):(8,1)").right_inverse() == Layout("(8,4):(4,1)")
    assert Layout("(4,8):(1,5)").left_inverse() == bitstride.parse("left_inverse((4,8):(1,5))")
    assert Layout("(2,3,5)").select(2, 0) == Layout("(5,2):(6,1)") == bitstride.select("(2,3,5):(1,2,6)", 2, 0)
    assert Layout("(2,3,5)").group(0, 2) == Layout("((2,3),5)")
    assert Layout("(2,3):(1,2)").append("4:10") == Layout("(2,3,4):(1,2,10)")
    assert Layout("(7,16,4):(0,0,1)").filter_zeros() == Layout("(1,1,4):(0,0,1)")
    assert Layout("(2,3,4):(0,1,3)").filter() == Layout("12:1")
    assert Layout("(2,(1,6))").flatten() == Layout("(2,1,6):(1,0,2)")
    assert Layout("(128,64):(64,1)").local_tile((32, 32), (1, None)) == bitstride.parse("local_tile((128,64):(64,1), (32,32), (1,_))")
    assert Layout("(3,8):(8,1)").tile_to_shape((6, 16), order=(1, 0)) == bitstride.parse("tile_to_shape((3,8):(8,1), (6,16), (1,0))")
    assert Layout("(8,8):(8,1)").recast(16, 32) == bitstride.parse("recast((8,8):(8,1), 16, 32)")
    assert 3 in Layout("(4,8):(8,1)") and 40 not in Layout("(4,8):(8,1)") and numpy.int64(3) in Layout("4:1") and -1 not in Layout("4:2")


COMPOSED = bitstride.ComposedLayout("Sw<3,4,3> o 0 o ((4,2),64):((64,256),1)")

CALLS = {
    "composition": ("(4,8):(8,1)",),
    "complement": (64,),
    "coalesce": ((None, None),),
    "right_inverse": (),
    "left_inverse": (),
    **{f"{kind}_divide": ((4, 8),) for kind in ("logical", "zipped", "tiled", "flat")},
    **{f"{kind}_product": ("2:1",) for kind in ("logical", "zipped", "blocked", "raked")},
    "tile_to_shape": ((16, 128),),
    "local_tile": ((4, 8), (1, None)),
    "local_partition": ("(2,4):(4,1)", 3),
    "select": (1, 0),
    "group": (0, 2),
    "append": ("2:1",),
    "prepend": ("2:1",),
    "flatten": (),
    "filter": (),
    "filter_zeros": (),
    "with_shape": ((16, 32),),
    "slice": ((1, None),),
    "recast": (16, 8),
    "upcast": (2,),
    "downcast": (2,),
    "coordinates": (),
}


def answered(call):
    try:
        answer = call()
        return type(answer), str(answer)
    except bitstride.Error as error:
        return error.code, error.message


@pytest.mark.parametrize("layout", [COMPOSED, COMPOSED.inner], ids=str)
@pytest.mark.parametrize("name", CALLS)
def test_composed_layouts_have_the_methods_of_layouts(name, layout):
    arguments = CALLS[name]
    if name == "coordinates":
        assert layout.coordinates() == COMPOSED.inner.coordinates() or list(layout.coordinates()) == COMPOSED.inner.coordinates()
        return
    wanted = answered(lambda: getattr(bitstride, name)(layout, *arguments))
    assert answered(lambda: getattr(layout, name)(*arguments)) == wanted
    parameters = next(row for row in bitstride.operations() if row[0] == name)[2][1:]
    if parameters and not parameters[-1][2]:
        named = dict(zip((parameter for parameter, *_ in parameters), arguments))
        assert answered(lambda: getattr(layout, name)(**named)) == wanted


def test_every_method_of_layouts_is_shared():
    own = {name for name in vars(Layout) if not name.startswith("_")}
    assert own <= {"shape", "stride", "offset", "size", "cosize", "rank", "depth", "from_array"}
    assert set(CALLS) | {"offsets", "contains"} == {name for name in vars(bitstride.CuteLayout) if not name.startswith("_")}


def test_composed_layouts_have_modes():
    assert len(COMPOSED) == COMPOSED.rank == 2 and COMPOSED.depth == 2
    assert list(COMPOSED) == [COMPOSED[0], COMPOSED[1]] and COMPOSED[-1] == COMPOSED[1]
    assert all(type(mode) is bitstride.ComposedLayout for mode in COMPOSED)
    assert COMPOSED[0, 1] == COMPOSED[0][1] and COMPOSED[::-1] == COMPOSED.select(1, 0)
    for at, mode in enumerate(COMPOSED):
        assert mode.offsets().tolist() == [COMPOSED(*(i if at == dim else 0 for dim in range(2))) for i in range(mode.size)]
    for wrong in (2, -3, 2**62):
        with pytest.raises(IndexError):
            COMPOSED[wrong]
    assert COMPOSED(1, 2) in COMPOSED and -1 not in COMPOSED
    assert COMPOSED @ "(4,8):(8,1)" == COMPOSED.composition("(4,8):(8,1)")


def test_arguments_have_names():
    assert Layout(shape=(4, 8), stride=(8, 1)) == Layout((4, 8), stride=(8, 1)) == Layout("(4,8):(8,1)")
    swizzle = bitstride.Swizzle(bits=3, base=4, shift=3)
    assert bitstride.ComposedLayout(outer=swizzle, offset=0, inner="(8,64):(64,1)") == swizzle @ Layout("(8,64):(64,1)")
    assert bitstride.fit(offsets=[0, 5, 1, 6], shape=(4,)) == bitstride.fit([0, 5, 1, 6], (4,))
    blocked = bitstride.triton.BlockedLayout([1, 2], [4, 8], [2, 1], [1, 0])
    assert blocked.to_linear(shape=(8, 16)) == bitstride.to_linear(encoding=blocked, shape=(8, 16))
    assert Layout("(4,8):(8,1)").convert("xla", type="bf16") == bitstride.convert("(4,8):(8,1)", "xla", type="bf16")
    assert Layout("4:1").same(other="4:1") and Layout("4:1").at(coordinate=2) == 2


def test_positions_are_one_sequence_or_several():
    layout = Layout("(2,3,5)")
    for positions in ((2, 0), [2, 0]):
        assert layout.select(positions) == bitstride.select(layout, positions) == layout.select(2, 0)
        assert bitstride.call("select", layout, positions) == layout.select(2, 0)
    with pytest.raises(bitstride.Error):
        layout.select(0, (1, 2))


def test_notes_come_with_the_value():
    assert Layout("20:1").zipped_divide(8).notes == ("covers 24 of 20",)
    assert Layout("24:1").zipped_divide(8).notes == ()
    assert "beyond its size" in (Layout("(4,6):(1,10)") @ Layout("8:8")).notes[0]
    assert Layout("20:1").zipped_divide(8) == Layout("(8,3):(1,8)")


def test_unknown_sizes():
    m, n = bitstride.Symbol("M"), bitstride.Symbol("N")
    tiled = Layout((m, n), (1, m)).zipped_divide((32, 16))
    assert str(tiled) == "((32,16),(ceil_div(M,32),ceil_div(N,16))):((1,M),(32,16*M))"
    assert 4 * m == m * 4 == bitstride.Symbol("4*M") and m + 4 == 4 + m
    with pytest.raises(bitstride.UndecidedError):
        Layout((m, n), (1, m)).offsets()


def test_all_offsets():
    for text in ["(4,8):(8,1)", "((2,2),3):((24,2),8)", "4:-3", "7:0", "():()", "(3,0):(1,2)", "(4,8):(8,1) + 3",
                 "(300,300):(300,1)", "Sw<3,4,3> o 5 o (8,64):(64,1)", "Sw<2,0,3> o 0 o (128,128):(128,1)",
                 "(64):(2) o 0 o (8,4):(4,1)"]:  # fmt: skip
        layout = bitstride.parse(text)
        offsets = layout.offsets()
        assert offsets.dtype == numpy.int64 and offsets.shape == (layout.size,) and offsets.flags.writeable
        if layout.size < 1000:
            assert offsets.tolist() == [layout(index) for index in range(layout.size)]
        assert (layout(numpy.arange(layout.size)) == offsets).all()
    with pytest.raises(bitstride.Error):
        Layout(2**40).offsets()
    with pytest.raises(bitstride.Error):
        Layout((2**62, 2**62, 2**62), (0, 0, 0)).offsets()
    with pytest.raises(bitstride.Error):
        Layout((2, 2), (2**62, 2**62)).offsets()


def test_arrays_of_coordinates():
    layout = Layout("(4,8):(8,1)")
    rows, columns = numpy.meshgrid(numpy.arange(4), numpy.arange(8), indexing="ij")
    assert (layout(rows, columns) == rows * 8 + columns).all()
    assert (layout(rows, 3) == rows * 8 + 3).all() and layout(rows, columns).shape == (4, 8)
    assert layout(numpy.array([[1, 2], [3, 4]])).tolist() == [10, 28]
    assert layout(numpy.array([1, 2], dtype=numpy.uint8)).tolist() == [8, 16]
    assert layout(numpy.array([], dtype=numpy.int64)).tolist() == []
    for wrong in [numpy.array([1.5]), numpy.zeros((2, 2, 2), dtype=int)]:
        with pytest.raises(TypeError):
            layout(wrong)
    with pytest.raises(bitstride.Error):
        layout(numpy.array([2**63], dtype=numpy.uint64))
    with pytest.raises(bitstride.Error):
        layout(numpy.array([[1, 2, 3]]))


def test_fit_of_an_array():
    table = Layout("(6,(2,4)):(16,(1,2))").offsets().reshape((6, 8), order="F")
    assert bitstride.fit(table) == Layout("(6,8):(16,1)")
    assert bitstride.fit([0, 5, 1, 6, 10, 15, 11, 16], (4, 2)) == Layout("((2,2),2):((5,1),10)")
    swizzled = bitstride.parse("Sw<3,0,3> o 0 o (8,8):(8,1)")
    found = bitstride.fit(swizzled.offsets().reshape((8, 8), order="F"))
    assert found.same(swizzled)
    with pytest.raises(bitstride.RefusedError):
        bitstride.fit(numpy.array([0, 1, 2, 3, 5, 4, 11]))


def test_a_path_has_integers():
    layout = bitstride.Layout("((2,3),4):((1,2),6)")
    assert layout[0, 1] == layout[0][1] and layout[:1].rank == 1
    with pytest.raises(TypeError):
        layout[:, 0]


def test_what_is_left_out_is_named():
    with pytest.raises(TypeError, match="bits, base and shift"):
        bitstride.Swizzle(3, 4)
    with pytest.raises(TypeError, match="one layout or more"):
        bitstride.show()
