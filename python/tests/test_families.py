"""Linear layouts, encodings, XLA's shapes, maps, and questions across families."""

import bitstride
import numpy
import pytest
from bitstride import LinearLayout, triton, xla


def test_linear_layouts():
    layout = LinearLayout({"register": [[1]], "lane": [[2], [4]]}, {"dim0": 8})
    assert layout == LinearLayout("linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>")
    assert layout == LinearLayout([("register", [[1]]), ("lane", [[2], [4]])], [("dim0", 8)])
    assert layout.bases == {"register": [[1]], "lane": [[2], [4]]}
    assert layout.in_dims == {"register": 2, "lane": 4} and layout.out_dims == {"dim0": 8} and layout.rank == 3
    assert layout(register=1, lane=2) == layout.apply({"register": 1, "lane": 2}) == {"dim0": 5}
    assert layout.table().tolist() == [[n] for n in range(8)]
    assert layout.invert() == layout.call("invert")
    one = bitstride.identity_1d(2, "register", "dim0")
    assert one * bitstride.identity_1d(4, "lane", "dim0") == layout
    assert bitstride.transpose_ins(layout, ("lane", "register")).in_dims == {"lane": 4, "register": 2}
    assert layout.is_bijective() is True
    # `M` is an unknown in a text; where a dim is named, it is the name.
    named = bitstride.identity_1d(4, "M", "size") * bitstride.identity_1d(2, in_dim="K", out_dim="size")
    assert list(bitstride.transpose_ins(named, ("K", "M")).in_dims) == ["K", "M"]
    with pytest.raises(bitstride.Error) as raised:
        layout(register=2, lane=0)
    with pytest.raises(bitstride.Error) as raised:
        LinearLayout({"lane": [[3]]}, {"dim0": 2})
    assert raised.value.code == "basis-not-below-out-size"


def test_a_linear_layout_takes_a_dict_and_arrays():
    layout = LinearLayout({"register": [[1, 0], [2, 0]], "lane": [[4, 1], [8, 0]]}, {"dim0": 16, "dim1": 2})
    assert layout({"register": 1, "lane": 2}) == layout({"register": 1}, lane=2) == layout(register=1, lane=2)
    images = layout(register=numpy.arange(4)[:, None], lane=numpy.arange(4))
    assert list(images) == ["dim0", "dim1"] and images["dim1"].shape == (4, 4)
    for register in range(4):
        for lane in range(4):
            alone = layout(register=register, lane=lane)
            assert {name: image[register, lane] for name, image in images.items()} == alone
    # Of no places at all, too.
    empty = numpy.zeros(0, int)
    assert layout(register=empty, lane=0)["dim1"].shape == (0,)
    with pytest.raises(bitstride.Error):
        layout(register=empty)
    with pytest.raises(TypeError):
        layout({"register": 1}, register=1, lane=0)
    for wrong in ({"lane": numpy.arange(2)}, {"register": numpy.arange(5), "lane": 0}):
        with pytest.raises(bitstride.Error):
            layout(wrong)


def test_encodings():
    blocked = triton.BlockedLayout(
        size_per_thread=[1, 2], threads_per_warp=[4, 8], warps_per_cta=[2, 1], order=[1, 0]
    )
    assert repr(blocked).startswith("BlockedLayout(size_per_thread=[1, 2], threads_per_warp=[4, 8]")
    assert blocked.order == [1, 0] and blocked.cga_layout == [] and blocked.name == "ttg.blocked"
    linear = blocked.to_linear((16, 16))
    assert isinstance(linear, LinearLayout) and linear == bitstride.to_linear(blocked, (16, 16))
    assert linear.tensor_view().startswith("[[")
    assert blocked == bitstride.Encoding(str(blocked)) and hash(blocked) == hash(bitstride.Encoding(str(blocked)))


MMA = triton.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
SHAPES = {
    triton.BlockedLayout([1, 2], [4, 8], [2, 1], [1, 0], [[0, 1]]): (32, 32),
    triton.SliceLayout(0, MMA): (32,),
    triton.DotOperandLayout(0, MMA, 2): (32, 32),
    MMA: (32, 32),
    triton.AMDMFMALayout(3, [32, 32, 8], True, [2, 2]): (64, 64),
    triton.AMDWMMALayout(2, True, [[1, 0], [0, 1]]): (64, 64),
    triton.DistributedLinearLayout([[0, 1]], [[0, 2], [1, 0]], [[2, 0]], []): (4, 4),
    triton.DistributedLinearLayout([], [], [], [], [1, 1]): (1, 1),
    triton.SwizzledSharedLayout(4, 1, 8, [1, 0]): (16, 64),
    triton.NVMMASharedLayout(128, 16): (64, 64),
    triton.NVMMASharedLayout(128, 16, rank=3, transposed=True): (64, 8, 8),
    triton.SharedLinearLayout([[0, 1], [0, 2], [1, 0]]): (2, 4),
    triton.TensorMemoryLayout((128, 64), 1): (128, 64),
    triton.TensorMemoryScalesLayout(): (128, 4),
}


@pytest.mark.parametrize("encoding", SHAPES, ids=lambda encoding: type(encoding).__name__)
def test_each_encoding_is_linear_for_a_shape(encoding):
    assert encoding.to_linear(SHAPES[encoding]).out_dims
    again = eval(repr(encoding), vars(triton))
    assert again == encoding and repr(again) == repr(encoding)


@pytest.mark.parametrize(
    ("kind", "fields", "code"),
    [
        (triton.BlockedLayout, ([1, 2], [4, 8], [2, 1], [1, 1]), "order-not-permutation"),
        (triton.BlockedLayout, ([1, 3], [4, 8], [2, 1], [1, 0]), "size-not-power-of-two"),
        (triton.BlockedLayout, ([1, 2], [4, 8], [0, 1], [1, 0]), "size-not-power-of-two"),
        (triton.BlockedLayout, ([2], [4, 8], [2, 1], [1, 0]), "rank-mismatch"),
        (triton.SliceLayout, (3, MMA), "slice-dim-out-of-range"),
        (triton.DotOperandLayout, (2, MMA, 2), "parameter"),
        (triton.NVMMADistributedLayout, ([2, 0], [3, 1], [16, 8]), "size-not-power-of-two"),
        (triton.NVMMADistributedLayout, ([7, 0], [4, 1], [16, 8]), "parameter"),
        (triton.SwizzledSharedLayout, (8, 1, 8, [0, 0]), "order-not-permutation"),
        (triton.NVMMASharedLayout, (100, 16), "parameter"),
        (triton.AMDMFMALayout, (9, [32, 32, 8], True, [2, 2]), "parameter"),
    ],
)
def test_parameters_that_no_shape_allows_are_refused_when_made(kind, fields, code):
    with pytest.raises(bitstride.Error) as raised:
        kind(*fields)
    assert raised.value.code == code


def test_encodings_of_memory_that_are_not_linear():
    padded = triton.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 64], [1, 0])
    assert padded.interval_padding_pairs == [(64, 8)] and len(padded.offset_bases) == 12
    assert triton.PaddedSharedLayout([[64, 8]], padded.offset_bases) == padded
    parts = triton.PaddedSharedLayout.with_identity_for([[8, 1]], [4, 8], [1, 0], [[0, 1]])
    assert parts.fields["block"] == [[0, 4]] and parts.cga_layout == [[0, 1]]
    assert eval(repr(parts), vars(triton)) == parts
    with pytest.raises(bitstride.RefusedError):
        padded.to_linear((64, 64))
    piece = triton.SwizzledSharedLayout(4, 1, 8, [1, 0])
    assert triton.PartitionedSharedLayout(2, 1, 0, piece).partition_layout == piece


def test_padding_in_each_block_of_a_cluster():
    from bitstride.compat.triton import gluon

    for cga in ([], [[1, 0]], [[0, 1], [2, 0], [1, 0]]):
        mine = triton.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 32], [1, 0], cga)
        theirs = gluon.PaddedSharedLayout.with_identity_for([[64, 8]], [64, 32], [1, 0], cga)
        assert mine.offset_bases == theirs.offset_bases and mine.cga_layout == cga
    with pytest.raises(bitstride.Error, match="whose blocks divide it"):
        triton.PaddedSharedLayout.with_identity_for([[64, 8]], [1, 64], [1, 0], [[1, 0]])


def test_the_shape_that_linear_bases_fill():
    assert triton.DistributedLinearLayout([[0, 1]], [[0, 2], [1, 0]], [[2, 0]], []).shape == [4, 4]
    assert triton.DistributedLinearLayout([[0, 0]], [[0, 2]], [], []).shape == [1, 4]


def test_a_class_reads_texts_of_its_own_kind():
    text = str(MMA)
    assert type(triton.NVMMADistributedLayout(text)) is triton.NVMMADistributedLayout
    assert triton.NVMMADistributedLayout(bitstride.Encoding(text)) == MMA
    with pytest.raises(bitstride.RefusedError, match="ttg.blocked is needed here, not ttg.nvidia_mma"):
        triton.BlockedLayout(text)
    with pytest.raises(bitstride.Error):
        triton.BlockedLayout("(4,8):(8,1)")


def test_wrong_parameters_are_refused():
    for wrong in (object(), 1.5, None):
        with pytest.raises(bitstride.Error):
            triton.SliceLayout(0, wrong).to_linear((16,))
    with pytest.raises(bitstride.Error):
        triton.BlockedLayout([3, 2], [4, 8], [2, 1], [1, 0]).to_linear((16, 16))
    with pytest.raises(bitstride.Error):
        triton.BlockedLayout([1, 2], [4, 8], [2, 1], [1, 0]).to_linear((16,))


def test_tiled_arrays():
    shape = xla.Shape("f32[3,5]{1,0:T(2,2)}")
    assert (shape.element_type, shape.shape, shape.minor_to_major, shape.tiles) == ("f32", (3, 5), (1, 0), ((2, 2),))
    assert shape(2, 3) == shape((2, 3)) == 17 and bitstride.index_at(shape, 17) == (2, 3)
    assert shape.element_bits == 32 and shape.byte_size == 96
    assert (shape(numpy.array([[2, 3], [0, 0]])) == [17, 0]).all()
    assert xla.array("f32", (3, 5), tiles=[(2, 2)]) == shape
    assert xla.array("s4", (8,), element_bits=4) == xla.Shape("s4[8]{0:E(4)}")
    assert xla.array("f32", ()) == xla.Shape("f32[]")
    with pytest.raises(bitstride.RefusedError):
        bitstride.linear_index(xla.Shape("f32[3,5]{1,1}"), (0, 0))


@pytest.mark.parametrize(
    "value",
    [
        xla.Shape("f32[3,5]{1,0:T(2,2)}"),
        xla.Shape("f32[3,5]{0,1}"),
        bitstride.Map("tensor((3,5), (1,3))"),
        bitstride.Map("(8,4):(^9,^1)"),
        bitstride.Map(bitstride.Layout("(4,(2,4)):(8,(4,1))")),
        bitstride.Map(bitstride.Layout("128:2")),
    ],
    ids=str,
)
def test_all_offsets_of_arrays_and_maps(value):
    offsets = value.offsets()
    assert len(value) == value.rank and value.size == len(offsets) and bool(value)
    assert offsets.tolist() == [value(index) for index in range(value.size)]
    assert value(numpy.arange(value.size)).tolist() == offsets.tolist()


def test_offsets_of_what_leads_to_padding_are_refused():
    with pytest.raises(bitstride.Error, match="padding"):
        bitstride.Map("inverse(f32[5]{0:T(4)})").offsets()
    with pytest.raises(bitstride.Error):
        xla.Shape(f"f32[{2**40},8]{{1,0}}").offsets()


def test_layouts_of_jax_are_read_by_their_attributes():
    class Layout:
        major_to_minor, tiling, sub_byte_element_size_in_bits = (0, 1), ((8, 128), (2, 1)), 0

    class Format:
        layout = Layout()

    wanted = xla.Shape("bf16[16,256]{1,0:T(8,128)(2,1)}")
    assert xla.from_jax(Layout(), (16, 256), "bf16") == xla.from_jax(Format(), (16, 256), "bf16") == wanted
    with pytest.raises(TypeError):
        xla.from_jax(object(), (16, 256), "bf16")


def test_maps():
    tensor = bitstride.Map("tensor((3,5), (5,1))")
    assert tensor(2, 3) == 13 and tensor.domain == (("dim0", 3, "index"), ("dim1", 5, "index"))
    assert bitstride.Map(bitstride.Layout("(4,8):(8,1)"))(1, 2) == 10
    assert bitstride.Map(bitstride.Layout("(4,8):(8,1)")).same("(4,8):(8,1)")
    assert bitstride.preimages("(4,8):(0,1)", 3) == ((0, 3), (1, 3), (2, 3), (3, 3))


def test_conversion_and_comparison():
    shape = xla.Shape("bf16[16,256]{1,0:T(8,128)(2,1)}")
    cute = shape.convert("cute")
    assert cute == bitstride.convert(shape, "cute") == bitstride.Layout("((2,4,2),(128,2)):((1,256,2048),(2,1024))")
    assert cute.convert("xla", "bf16") == bitstride.convert(cute, "xla", "bf16")
    verdict = shape.same(cute)
    assert verdict and verdict.difference is None and "digits" in verdict.certificate
    verdict = bitstride.diff(xla.Shape("f32[4,4]{1,0:T(2,2)}"), xla.Shape("f32[4,4]{1,0}"))
    assert not verdict and verdict.differing == (8, 16) and verdict.difference["point"] == (1, 0)
    assert not bitstride.same("4:1", "8:1")


def test_explanations():
    explanation = bitstride.explain("complement(4:2, 24)")
    assert [step.expression for step in explanation.steps] == [
        "div(2, 1)",
        "ceil_div(24, 8)",
        "coalesce(make_layout(2:1, 3:8))",
    ]
    assert explanation.value == explanation.steps[-1].value == bitstride.Layout("(2,3):(1,8)")
    assert explanation.error is None and explanation.properties["size"] == "6"
    assert "<details" in explanation._repr_html_() and str(explanation).startswith("complement(4:2, 24)\n")
    assert str(bitstride.explain(bitstride.complement, bitstride.Layout("4:2"), 24)) == str(explanation)
    assert str(bitstride.explain("complement", bitstride.Layout("4:2"), 24)) == str(explanation)
    refused = bitstride.explain("composition((6,2):(1,7), (3,2):(2,3))")
    assert refused.value is None and refused.error.code == "carry"
    assert bitstride.Layout("(4,8):(8,1)").explain().properties["cosize"] == "32"
