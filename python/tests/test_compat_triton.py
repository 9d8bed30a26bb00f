"""The drop-in for Triton's LinearLayout and Gluon's layouts."""

import copy
import dataclasses
import pickle

import bitstride
import pytest
from bitstride.compat import triton
from bitstride.compat.triton import LinearLayout, gluon


def test_printing_and_properties():
    layout = LinearLayout.from_bases([("register", [[0, 1], [0, 2]]), ("warp", [])], ["dim0", "dim1"], [2, 4], False)
    text = "\n - register=1 -> (0, 1)\n   register=2 -> (0, 2)\n - warp is a size 1 dimension\n"
    assert str(layout) == repr(layout) == text + "where out dims are: [dim0 (size 2), dim1 (size 4)]"
    assert layout.bases == [("register", [[0, 1], [0, 2]]), ("warp", [])] and layout.out_dims == [
        ("dim0", 2),
        ("dim1", 4),
    ]
    assert (layout.num_in_dims, layout.num_out_dims) == (2, 2) and layout.get_in_dim_names() == ["register", "warp"]
    assert layout.apply({"register": 3, "warp": 0}) == {"dim0": 0, "dim1": 3} and not layout.is_surjective()
    assert layout.get_matrix_view() == [[0, 0], [1, 0], [0, 1]] and layout.is_injective() and not layout.is_invertible()
    assert str(LinearLayout()) == "\n(empty layout)" == str(LinearLayout.identity_1d(0, "a", "b"))
    assert str(LinearLayout.zeros_1d(2, "a", "b", outDimSize=4)) == "\n - a=1 -> (0)\nwhere out dims are: [b (size 4)]"


def test_operations():
    base = LinearLayout.strided_1d(8, 2, "i", "o")
    assert base.out_dims == [("o", 16)] and not base.is_surjective()
    identity = LinearLayout.identity_1d(8, "i", "o")
    assert identity.invert() == LinearLayout.identity_1d(8, "o", "i") and identity.pseudoinvert() == identity.invert()
    assert identity.compose(LinearLayout.identity_1d(8, "o", "p")) == LinearLayout.identity_1d(8, "i", "p")
    assert identity.invert_and_compose(LinearLayout.identity_1d(8, "j", "o")) == LinearLayout.identity_1d(8, "i", "j")
    product = LinearLayout.identity_1d(4, "i", "o")
    product *= LinearLayout.identity_1d(8, "i", "o")
    assert product == LinearLayout.identity_1d(32, "i", "o") and hash(product) == hash(
        LinearLayout.identity_1d(32, "i", "o")
    )
    assert product != 1 and copy.deepcopy(product) == product == pickle.loads(pickle.dumps(product))


def test_what_ends_the_process_there_is_refused_here():
    identity = LinearLayout.identity_1d(8, "i", "o")
    for refused in (
        lambda: LinearLayout.identity_1d(3, "i", "o"),
        lambda: LinearLayout.from_bases([("i", [[1]])], ["o"], None, False),
        lambda: LinearLayout.from_bases([("i", [[2]])], ["o"], [4], True),
        lambda: LinearLayout.from_bases([("i", [[]])], ["o"]),
        lambda: LinearLayout.from_bases([("i", [[1, 2]])], ["o"]),
        lambda: LinearLayout.from_bases([("i", [[1 << 70]])], ["o"]),
        lambda: LinearLayout.from_bases([("i", [[9]])], ["o"], [4], False),
        lambda: LinearLayout.from_bases([("i", [[1]])], ["o"], [3], False),
        lambda: LinearLayout.from_bases([("i", [[1]])], ["o", "p"], [3], False),
        lambda: identity.compose(LinearLayout.identity_1d(8, "x", "y")),
        lambda: LinearLayout.strided_1d(8, 2, "i", "o").invert(),
        lambda: identity.apply({"i": 8}),
        lambda: identity.apply({"i": -1}),
        lambda: identity.apply({}),
        lambda: identity.get_distributed_view(False),
        lambda: gluon.BlockedLayout([3], [32], [4], [0]).to_linear([128]),
        lambda: gluon.BlockedLayout([1], [32], [4], [0]).format_tensor_view([16, 16]),
        lambda: gluon.AutoLayout().format_tensor_view([16]),
        lambda: gluon.CoalescedLayout().rank,
    ):
        with pytest.raises(bitstride.Error) as raised:
            refused()
        assert isinstance(raised.value, ValueError)
    for wrong in (lambda: LinearLayout.identity_1d("8", "i", "o"), lambda: identity.compose(1), lambda: identity * 2):
        with pytest.raises(TypeError):
            wrong()


BLOCKED = gluon.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
MMA = gluon.NVMMADistributedLayout([2, 0], [4, 1], [16, 8])
SWIZZLED = gluon.SwizzledSharedLayout(8, 4, 2, [1, 0])
NAMED = [
    (BLOCKED, "B1_4_4_8_4_1_1_0_B"),
    (gluon.SliceLayout(1, BLOCKED), "SL1_B1_4_4_8_4_1_1_0_BSL"),
    (MMA, "MMA_[2, 0]_[4, 1]_[16, 8]__MMA"),
    (gluon.DotOperandLayout(0, MMA, 2), "DO0_MMA_[2, 0]_[4, 1]_[16, 8]__MMA_2DO"),
    (gluon.DistributedLinearLayout([[1]], [[2]], [], [], [4]), "DLL[[1]]_[[2]]_[]_[]_[4]DLL"),
    (SWIZZLED, "SSS_8_4_2_1_0__SSS"),
    (gluon.NVMMASharedLayout(128, 16, cga_layout=[[1, 0]]), "NVMMA_128_16_2_False_False_1~0_NVMMA"),
    (gluon.SharedLinearLayout([[1], [2]]), "SharedLinear_[[1], [2]]_[]_16_SharedLinear"),
    (
        gluon.PaddedSharedLayout.with_identity_for([[4, 4]], [4], [0]),
        "PaddedShared_[[4, 4]]_[[1], [2]]_[]_[4]_PaddedShared",
    ),
    (gluon.AMDMFMALayout(3, [32, 32, 8], True, [4, 1]), "MFMA_3_32_32_8_True_4_1_32_1_1__MFMA"),
    (gluon.AMDWMMALayout(1, False, [[1, 0]]), "WMMA_1_False_1~0__16_16_16__2_WMMA"),
    (gluon.PartitionedSharedLayout(2, 1, 0, SWIZZLED), "Partitioned_2_1_0_SSS_8_4_2_1_0__SSS_Partitioned"),
    (gluon.TensorMemoryLayout((128, 64), 1, two_ctas=True), "TL128x64C12CTTL"),
    (gluon.TensorMemoryScalesLayout(), "TLSTLS"),
    (gluon.AutoLayout(), "AL"),
    (gluon.CoalescedLayout(), "CL"),
]


@pytest.mark.parametrize(("layout", "name"), NAMED, ids=lambda value: str(value)[:24])
def test_classes_are_values_with_gluons_names(layout, name):
    assert layout.mangle() == name and copy.copy(layout) == layout == pickle.loads(pickle.dumps(layout))
    assert hash(layout) == hash(copy.deepcopy(layout)) and eval(repr(layout), vars(gluon)) == layout and layout != 1
    for field in dataclasses.fields(layout):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(layout, field.name, None)


def test_layouts_are_the_exact_ones():
    linear = BLOCKED.to_linear([16, 32])
    assert linear.apply({"register": 3, "lane": 9, "warp": 1, "block": 0}) == {"dim0": 5, "dim1": 7}
    assert linear.get_distributed_view(False) == BLOCKED.format_tensor_view([16, 32])
    assert gluon.SliceLayout(1, BLOCKED).rank == 1 and gluon.DotOperandLayout(1, MMA, 2).rank == 2
    assert gluon.SharedLinearLayout([[3, 1], [1, 0], [0, 1]]).shape == [4, 2]
    assert gluon.SliceLayout(0, gluon.BlockedLayout([1, 1], [4, 8], [1, 1], [1, 0], [[1, 0]])).cga_layout == [[0]]
    assert gluon.NVMMASharedLayout.get_default_for([64, 64], 16).swizzle_byte_width == 128
    assert gluon.NVMMASharedLayout.get_default_for([64, 16], 8).swizzle_byte_width == 0
    # One element, whose rank only the shape says, and bases that are sums of bits.
    assert gluon.DistributedLinearLayout([], [], [], [], [1]).to_linear([1]).out_dims == [("dim0", 1)]
    assert gluon.DistributedLinearLayout([[1]], [[3]], [], [], [4]).to_linear([4]).bases[1] == ("lane", [[3]])
    # Blocks of a cluster count parts of the tensor.
    padded = gluon.PaddedSharedLayout.with_identity_for([[8, 1]], [4, 8], [1, 0], [[0, 1]])
    assert str(padded.encoding()).endswith("block = [[0, 4]]}>")
    with pytest.raises(AssertionError) as raised:
        gluon.BlockedLayout([1, 4], [4], [4, 1], [1, 0])
    assert isinstance(raised.value, bitstride.Error)
    with pytest.raises(ValueError, match="PaddedSharedLayout cannot be visualized"):
        gluon.PaddedSharedLayout.with_identity_for([[32, 4]], [16, 64], [1, 0]).format_tensor_view([16, 64])


class constexpr:  # noqa: N801
    """As Triton wraps what is known at compile time."""

    def __init__(self, value):
        self.value = value


def test_objects_of_gluon_are_known_by_name_and_fields():
    class BlockedLayout:
        size_per_thread, threads_per_warp, warps_per_cta, order, cga_layout = (
            [1, 4],
            [4, 8],
            [4, 1],
            constexpr([1, 0]),
            [],
        )

    assert bitstride.triton.from_gluon(BlockedLayout()) == BLOCKED.encoding()
    assert gluon.BlockedLayout(constexpr([1, 4]), [4, constexpr(8)], [4, 1], [1, 0]) == BLOCKED
    assert bitstride.triton.from_gluon(constexpr(gluon.SliceLayout(1, BLOCKED))).name == "ttg.slice"
    for wrong in (object(), gluon.AutoLayout(), 3):
        with pytest.raises(bitstride.RefusedError):
            bitstride.triton.from_gluon(wrong)
    assert set(dir(triton)) >= {"LinearLayout", "BlockedLayout", "gluon"}


def test_objects_of_triton_are_operands():
    encoding, shape = BLOCKED.encoding(), (32, 64)
    linear = encoding.to_linear(shape)
    assert bitstride.to_linear(BLOCKED, shape) == bitstride.Encoding(BLOCKED).to_linear(shape) == linear
    assert bitstride.triton.BlockedLayout(BLOCKED) == encoding
    assert bitstride.triton.SliceLayout(0, BLOCKED) == bitstride.triton.SliceLayout(0, encoding)
    theirs = BLOCKED.to_linear(shape)
    assert bitstride.same(theirs, linear) and bitstride.LinearLayout(theirs) == linear
    assert bitstride.show(theirs).text == bitstride.show(linear).text
    with pytest.raises(bitstride.RefusedError):
        bitstride.Encoding(gluon.AutoLayout())


def test_objects_of_the_real_triton_are_operands():
    module = pytest.importorskip("triton._C.libtriton")
    theirs = module.linear_layout.LinearLayout.from_bases([("lane", [[1], [2]])], ["dim0"])
    assert bitstride.LinearLayout(theirs) == bitstride.LinearLayout({"lane": [[1], [2]]}, {"dim0": 4})
    ttgl = pytest.importorskip("triton.experimental.gluon.language")
    blocked = ttgl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    assert bitstride.Encoding(blocked) == BLOCKED.encoding()
    assert bitstride.triton.SliceLayout(0, blocked).parent == BLOCKED.encoding()
