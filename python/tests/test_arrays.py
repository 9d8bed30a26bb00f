"""Arrays under layouts: views that share memory, and relayouts that read it in place."""

import itertools
import subprocess
import sys
import warnings
from types import ModuleType, SimpleNamespace

import bitstride
import numpy as np
import pytest
from bitstride import Layout, Swizzle, relayout, view, xla

LAYOUTS = [
    Layout("(4,8):(8,1)"),
    Layout("(4,8):(1,4)"),
    Layout("(4,8):(9,1)"),
    Layout("(4,(2,4)):(8,(1,2))"),
    Layout("(4,(2,4)):(2,(1,8))"),
    Layout("((2,2),8):((16,1),2)"),
    Layout("(2,3,5):(15,5,1)"),
    Layout("7:3"),
    Layout("(3,4):(0,1)"),
    Swizzle(2, 0, 2) @ Layout("(4,8):(8,1)"),
]


def gathered(flat, layout):
    """The elements in the coordinates of the modes, one at a time."""
    modes = layout.shape if isinstance(layout.shape, tuple) else (layout.shape,)
    extents = [Layout(mode).size for mode in modes]
    return np.array([flat[layout(*at)] for at in itertools.product(*map(range, extents))], flat.dtype).reshape(extents)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("dtype", ["u1", "<f2", "i4", "f8", "c16", "M8[s]", ">i4", "S3"])
def test_a_view_has_the_elements_of_the_layout(layout, dtype):
    flat = np.arange(layout.cosize).astype(dtype)
    assert (view(flat, layout) == gathered(flat, layout)).all()


def test_a_view_shares_memory_where_strides_say_the_same():
    flat = np.zeros(32, "i4")
    shared = view(flat, "(4,8):(8,1)")
    shared[1, 2] = 5
    assert flat[10] == 5 and shared.strides == (32, 4)
    assert np.shares_memory(view(flat, "(4,(2,4)):(8,(1,2))"), flat)
    assert not np.shares_memory(view(flat, "(4,(2,4)):(2,(1,8))"), flat)
    assert view(flat, Layout("(4,8):(8,1)")(2, None)).tolist() == flat[16:24].tolist()
    with pytest.raises(bitstride.RefusedError):
        view(flat, "(4,8):(9,1)")
    with pytest.raises(bitstride.RefusedError):
        view(flat, "4:-1")
    with pytest.raises(bitstride.UndecidedError):
        view(flat, Layout((bitstride.Symbol("M"), 4)))
    with pytest.raises(bitstride.Error):
        view(flat, "f32[4,4]{1,0:T(")
    with pytest.raises(bitstride.RefusedError):
        view(flat[::2].reshape(4, 4)[:, ::2], "(4,2):(2,1)")


@pytest.mark.parametrize(("source", "target"), list(itertools.product(LAYOUTS[:3] + LAYOUTS[-1:], repeat=2)), ids=str)
def test_a_relayout_leads_every_element(source, target):
    flat = np.arange(1, 1 + source.cosize, dtype="i4")
    moved = relayout(flat, target, from_=source)
    assert moved.dtype == flat.dtype and len(moved) == target.cosize and moved.flags.writeable
    places = set()
    for at in itertools.product(range(4), range(8)):
        assert moved[target(*at)] == flat[source(*at)]
        places.add(target(*at))
    assert not moved[[place for place in range(len(moved)) if place not in places]].any()


def test_the_source_is_the_strides_of_an_array():
    rows = np.arange(24).reshape(4, 6)
    for array in (rows, rows.T, rows[::2], rows[:, 1::2], np.asfortranarray(rows), rows[1:, 2:], rows[::-1]):
        target = Layout(array.shape)
        moved = relayout(array, target)
        assert all(moved[target(*at)] == array[at] for at in np.ndindex(array.shape))
    assert (relayout(rows, xla.Shape("f32[4,6]{1,0:T(2,2)}"))[:4] == [0, 1, 6, 7]).all()
    readonly = rows.copy()
    readonly.setflags(write=False)
    assert (relayout(readonly, "(4,6):(1,4)") == rows.T.reshape(-1)).all()
    assert (relayout(readonly, "(4,6):(1,4)", from_="(4,6):(6,1)") == rows.T.reshape(-1)).all()
    assert (relayout(readonly.T, "(6,4):(1,6)") == rows.reshape(-1)).all()


def test_packed_elements_and_plain_bytes():
    nibbles = np.array([0x10, 0x32, 0x54, 0x76], "u1")
    assert relayout(nibbles, "(2,4):(1,2)", from_="(2,4):(4,1)", element_bits=4).tolist() == [0x40, 0x51, 0x62, 0x73]
    assert bytes(relayout(b"abcdef", "(2,3):(1,2)", from_="(2,3):(3,1)")) == b"adbecf"
    with pytest.raises(bitstride.Error, match="bytes"):
        relayout(b"abcde", "(2,3):(1,2)", from_="(2,3):(3,1)")
    assert relayout(np.zeros((0, 3)), "(0,3):(3,1)").tolist() == []


class Borrowed:
    """An array of a package that has only DLPack."""

    def __init__(self, array, versioned):
        self.array, self.versioned = array, versioned

    def __dlpack__(self, **asked):
        if asked and not self.versioned:
            raise TypeError("only the first version")
        return self.array.__dlpack__(**asked)


@pytest.mark.parametrize("versioned", [True, False])
def test_memory_of_any_package_with_dlpack(versioned):
    rows = np.arange(6, dtype="u1").reshape(2, 3)
    for _ in range(100):
        assert bytes(relayout(Borrowed(rows, versioned), "(2,3):(1,2)")) == bytes([0, 3, 1, 4, 2, 5])


@pytest.mark.parametrize("dtype", ["u1", "i2", "i4", "f8", "c16", "?"])
def test_what_has_dlpack_alone_is_what_its_capsule_says(dtype):
    rows = np.arange(12).astype(dtype).reshape(3, 4)
    target, source = Layout("(3,4):(1,3)"), Layout("(3,4):(4,1)")
    for array in (rows, rows.T, rows[::2], rows[:, 1::2], rows[::-1], rows[:, ::-2], rows[:0]):
        whole = relayout(Borrowed(array, True), Layout(array.shape))
        assert whole.dtype == rows.dtype and whole.tolist() == array.T.reshape(-1).tolist()
    flat = Borrowed(rows.reshape(-1), True)
    assert relayout(flat, target, from_=source).tolist() == rows.T.reshape(-1).tolist()
    assert view(flat, source).tolist() == rows.tolist()
    out = np.zeros(12, dtype)
    assert relayout(flat, target, from_=source, out=out) is out and out.tolist() == rows.T.reshape(-1).tolist()
    lent = Borrowed(np.zeros(12, dtype), True)
    assert relayout(flat, target, from_=source, out=lent) is lent
    assert lent.array.tolist() == rows.T.reshape(-1).tolist()
    other = "u1" if dtype != "u1" else "i1"
    for wrong in (np.zeros(12, other), Borrowed(np.zeros(12, other), True)):
        refused(lambda wrong=wrong: relayout(flat, target, from_=source, out=wrong), "not written to an array of")


def test_types_that_numpy_lacks_are_bytes():
    real = pytest.importorskip("torch")
    rows = real.arange(4, dtype=real.bfloat16).reshape(2, 2)
    moved = relayout(Borrowed(rows, True), "(2,2):(1,2)")
    assert moved.tobytes() == rows.T.contiguous().view(real.uint8).numpy().tobytes()
    refused(lambda: view(Borrowed(rows, True), "(2,2):(1,2)"), "NumPy does not read elements of bfloat16")
    refused(lambda: relayout(Borrowed(rows, True), "(2,2):(1,2)", out=np.zeros(4, "u2")), "not written to an array of")


def test_arrays_of_arrow():
    arrow = pytest.importorskip("pyarrow")
    twelve = arrow.array(np.arange(12, dtype=np.int32))
    moved = relayout(twelve, from_="(3,4):(4,1)", to="(3,4):(1,3)")
    assert moved.dtype == np.int32 and moved.tolist() == np.arange(12).reshape(3, 4).T.reshape(-1).tolist()
    assert view(twelve, "(3,4):(4,1)").tolist() == np.arange(12).reshape(3, 4).tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        refused(lambda: relayout(arrow.array([1, None, 3]), "3:1"), "pyarrow does not share the memory .* no nulls")


class Withheld:
    """An array whose package gives its memory to nobody."""

    def __dlpack__(self, **asked):
        raise RuntimeError("not for this type")


def test_memory_that_is_not_shared_is_refused():
    refused(lambda: relayout(Withheld(), "4:1"), "not for this type")
    refused(lambda: view(Withheld(), "4:1"), "not for this type")
    with pytest.raises(bitstride.Error) as caught:
        relayout(Withheld(), "4:1")
    assert isinstance(caught.value.__cause__, RuntimeError)


class OnGpu(Borrowed):
    """An array that says that a GPU has it."""

    def __dlpack_device__(self):
        return (2, 0)


def test_an_array_on_a_gpu_is_read_there():
    rows = OnGpu(np.arange(6, dtype="u1").reshape(2, 3), True)
    # NumPy lets no stream wait for it, and each of its versions says so by another exception.
    refused(lambda: relayout(rows, "(2,3):(1,2)"), "does not share the memory")
    rows.__class__.__dlpack__ = lambda self, stream, **asked: self.array.__dlpack__(**asked)
    with pytest.raises(bitstride.Error, match="of DLPack's kind 1, not on a GPU") as caught:
        relayout(rows, "(2,3):(1,2)")
    assert caught.value.code == "kind"
    refused(lambda: view(rows, "6:1"), "PyTorch, CuPy or JAX")


def test_moves_on_gpus_are_kept_by_what_they_were_asked():
    from bitstride._arrays import _kept_move, _move

    rows, columns = "(2,3):(3,1)", "(2,3):(1,2)"
    kept = _move(rows, columns, 8)
    assert _move("".join(rows), columns, 8) is kept
    assert _move(Layout(rows), columns, 8) is _move(Layout(rows), columns, 8)
    for other in ((columns, rows, 8), (rows, columns, 16), (Layout(rows), columns, 8)):
        assert _move(*other) is not kept
    assert _kept_move.cache_info().maxsize == 1024

    class Changing:
        shape, stride = (2, 3), (3, 1)

    changing = Changing()
    assert _move(changing, columns, 8) is not _move(changing, columns, 8)
    with pytest.raises(bitstride.Error):
        _move("(2,3", columns, 8)


def test_out_is_written_to():
    rows = np.arange(6, dtype="i2").reshape(2, 3)
    out = np.full(9, -1, "i2")
    assert relayout(rows, "(2,3):(4,1)", out=out) is out and out.tolist() == [0, 1, 2, -1, 3, 4, 5, -1, -1]
    assert relayout(b"abcdef", from_="(2,3):(3,1)", to="(2,3):(1,2)", out=out[:3]) is not None
    assert out[:3].tobytes() == b"adbecf"
    frozen = np.zeros(6, "i2")
    frozen.setflags(write=False)
    for wrong in (out[:5], out[::2], frozen, rows.reshape(-1), bytearray(12), [0] * 6):
        with pytest.raises((bitstride.Error, TypeError)):
            relayout(rows, "(2,3):(1,2)", out=wrong)
    assert rows.reshape(-1).tolist() == list(range(6))


def test_memory_that_is_read_flat_has_no_gaps():
    steps = np.arange(12, dtype="i4")[::2]
    for array in (steps, steps.astype("S2")[::2], np.arange(12).reshape(3, 4)[:, :2], Borrowed(steps, True)):
        with pytest.raises(bitstride.Error):
            relayout(array, "(3,2):(1,3)", from_="(3,2):(2,1)")
    # Strides that only DLPack says are those of the array too.
    assert relayout(Borrowed(np.arange(6).reshape(2, 3).T, True), "(3,2):(1,3)").tolist() == list(range(6))
    assert relayout(steps, "6:1").tolist() == [0, 2, 4, 6, 8, 10] == view(steps, "6:1").tolist()
    with pytest.raises(bitstride.Error):
        view(steps, Swizzle(1, 0, 1) @ Layout("(2,2):(2,1)"))


@pytest.mark.parametrize("dtype", ["S3", "M8[s]", ">i4", "g", "G", "?", "f2"])
def test_types_of_all_kinds_move_by_their_strides(dtype):
    rows = np.arange(12).reshape(3, 4).astype(dtype)
    for array in (rows, rows.T, rows[::2], rows[::-1, ::2]):
        moved = relayout(array, Layout(array.shape))
        assert moved.dtype == array.dtype and moved.tolist() == array.T.reshape(-1).tolist()


def test_what_is_no_memory_is_refused():
    for wrong in (None, 3, "text", object()):
        with pytest.raises((TypeError, AttributeError, bitstride.Error)):
            relayout(wrong, "(2,3):(1,2)", from_="(2,3):(3,1)")
    with pytest.raises(bitstride.RefusedError):
        relayout(np.zeros(6, "u1"), "(2,3):(0,1)", from_="(2,3):(3,1)")
    with pytest.raises((TypeError, OverflowError, bitstride.Error)):
        relayout(np.zeros(6, "u1"), "(2,3):(1,2)", from_="(2,3):(3,1)", element_bits=-8)


def test_without_numpy_bytes_are_moved():
    program = """
import sys
from types import ModuleType
sys.modules["numpy"] = None
import bitstride
assert bytes(bitstride.relayout(b"abcdef", "(2,3):(1,2)", from_="(2,3):(3,1)")) == b"adbecf"
"""
    subprocess.run([sys.executable, "-c", program], check=True)


class OfJax:
    """As much of an array of JAX as says how it lies in memory."""

    def __init__(self, order, shape, dtype, tiling=None):
        layout = SimpleNamespace(major_to_minor=order, tiling=tiling, sub_byte_element_size_in_bits=0)
        self.format, self.shape, self.dtype = SimpleNamespace(layout=layout), shape, np.dtype(dtype)


def test_attributes_of_jax():
    tiled = OfJax((1, 0), (16, 256), "f4", ((8, 128),))
    plain = OfJax((1, 0), (16, 256), "f4")
    for layout in (tiled.format, tiled.format.layout):
        for element in ("f32", "float32", np.float32, np.dtype("f4"), SimpleNamespace(dtype=np.dtype("f4"))):
            assert str(xla.from_jax(layout, (16, 256), element)) == "f32[16,256]{0,1:T(8,128)}"
    assert str(xla.from_jax(tiled)) == "f32[16,256]{0,1:T(8,128)}"
    assert str(Layout.from_array(plain)) == "(16,256):(1,16)"
    assert str(Layout.from_array(OfJax((2, 0, 1), (2, 3, 5), "f4"))) == "(2,3,5):(3,1,6)"
    with pytest.raises(bitstride.Error, match="tiles"):
        Layout.from_array(tiled)
    with pytest.raises(TypeError, match="needs a shape"):
        xla.from_jax(plain.format)
    with pytest.raises(TypeError, match="order of its dims"):
        xla.from_jax(3)
    for element in (object(), str, np.dtype("S3")):
        with pytest.raises(TypeError, match="no element type"):
            xla.from_jax(plain.format, (16, 256), element)


@pytest.mark.parametrize(
    ("name", "of_xla"),
    [("bool", "pred"), ("int8", "s8"), ("uint64", "u64"), ("complex64", "c64"), ("bfloat16", "bf16")]
    + [("float8_e4m3fn", "f8e4m3fn"), ("float8_e8m0fnu", "f8e8m0fnu"), ("float4_e2m1fn", "f4e2m1fn"), ("int4", "s4")],
)
def test_types_of_jax(name, of_xla):
    assert xla.array(name, (4,)).element_type == of_xla
    assert xla.array(SimpleNamespace(name=name), (4,)) == xla.array(of_xla, (4,)) == xla.Shape(f"{of_xla}[4]{{0}}")


def test_arrays_of_the_real_jax():
    jax = pytest.importorskip("jax")
    x = jax.numpy.zeros((3, 5), "float32")
    assert str(xla.from_jax(x)) == "f32[3,5]{1,0}" and str(Layout.from_array(x)) == "(3,5):(5,1)"
    for element, of_xla in ((jax.numpy.float32, "f32"), (jax.numpy.int4, "s4"), (jax.numpy.bfloat16, "bf16")):
        assert xla.from_jax(x.format, x.shape, element).element_type == of_xla


@pytest.mark.parametrize("shape", [(2, 3), (1, 1), (1,)])
def test_an_array_as_an_operand_is_its_layout(shape):
    class Array:
        """An array of one element has `__index__`, as any array of integers of PyTorch."""

        def __index__(self):
            return 0

    array = Array()
    array.shape, array.stride = shape, lambda: (7,) * len(shape)
    assert Layout(array) == Layout(shape, (7,) * len(shape))
    assert bitstride.same(array, Layout(shape, (7,) * len(shape)))
    del array.stride
    with pytest.raises(TypeError):
        Layout(array)
    with pytest.raises(TypeError, match="Layout.from_array"):
        Layout(np.zeros(shape, "i8"))
    assert Layout(np.int64(4)) == Layout(np.array(4)) == Layout("4:1")


def test_tensors_of_the_real_pytorch_are_operands():
    real = pytest.importorskip("torch")
    for tensor in (real.zeros(2, 3), real.zeros((2, 3), dtype=real.int64), real.zeros((1, 1), dtype=real.int64)):
        assert Layout(tensor) == Layout.from_array(tensor) and bitstride.same(tensor, Layout.from_array(tensor))
    assert Layout(real.tensor(4)) == Layout("4:1")


class Tensor:
    """As much of a tensor of PyTorch as is used, over NumPy."""

    __module__ = "torch"
    is_cuda = requires_grad = is_nested = is_quantized = is_meta = False
    layout = "torch.strided"
    __torch_dispatch__ = None

    def __init__(self, array, lazy=""):
        self.array, self.shape, self.dtype, self.lazy = array, array.shape, array.dtype, lazy

    def is_conj(self):
        return self.lazy == "conj"

    def is_neg(self):
        return self.lazy == "neg"

    def resolve_conj(self):
        return Tensor(self.array.conj()) if self.is_conj() else self

    def resolve_neg(self):
        return Tensor(-self.array) if self.is_neg() else self

    def as_subclass(self, to):
        return to(self.array, self.lazy)

    def is_contiguous(self):
        return self.array.flags.c_contiguous

    def stride(self):
        return tuple(step // self.array.itemsize for step in self.array.strides)

    def element_size(self):
        return self.array.itemsize

    def storage_offset(self):
        if self.array.base is None:
            return 0
        return (self.array.ctypes.data - self.array.base.ctypes.data) // self.array.itemsize

    def detach(self):
        return self

    def view(self, to):
        return Tensor(self.array.view(to))

    def as_strided(self, shape, strides, offset):
        # The offset is into the whole storage, as PyTorch's is.
        steps = [step * self.array.itemsize for step in strides]
        storage = self.array if self.array.base is None else self.array.base.reshape(-1)
        return Tensor(np.lib.stride_tricks.as_strided(storage[offset:], shape, steps), self.lazy)

    def reshape(self, shape):
        return Tensor(self.array.reshape(shape), self.lazy)

    def __len__(self):
        return len(self.array)

    def __dlpack__(self, **asked):
        return self.array.__dlpack__(**asked)


@pytest.fixture
def torch(monkeypatch):
    torch = ModuleType("torch")
    torch.uint8, torch.Tensor, torch.strided = np.uint8, Tensor, "torch.strided"
    torch.zeros = lambda size, dtype: Tensor(np.zeros(size, dtype))
    monkeypatch.setitem(sys.modules, "torch", torch)
    return torch


def test_tensors_become_tensors(torch):
    rows = Tensor(np.arange(6, dtype="f4").reshape(2, 3))
    moved = relayout(rows, "(2,3):(1,2)")
    assert isinstance(moved, Tensor) and moved.array.tolist() == [0, 3, 1, 4, 2, 5] and moved.dtype == "f4"
    shared = view(rows, "(3,2):(1,3)")
    assert shared.array.tolist() == [[0, 3], [1, 4], [2, 5]] and np.shares_memory(shared.array, rows.array)
    swizzled = Swizzle(1, 0, 1) @ Layout("(2,2):(2,1)")
    assert view(Tensor(np.arange(4)), swizzled).array.tolist() == [[0, 1], [3, 2]]


class TensorOnGpu(Tensor):
    """A tensor that says that a GPU has it."""

    is_cuda = True

    def get_device(self):
        return 0

    def as_subclass(self, to):
        return self

    def resolve_conj(self):
        return TensorOnGpu(self.array.conj())


TensorOnGpu.__module__ = "torch"


def test_tensors_on_a_gpu_are_read_through_the_capsule_of_pytorch(torch):
    torch._C = SimpleNamespace(_cuda_getCurrentRawStream=lambda device: 0)
    torch.utils = SimpleNamespace(dlpack=SimpleNamespace(to_dlpack=lambda tensor: tensor.array.__dlpack__()))
    rows = np.arange(6, dtype="f4").reshape(2, 3)
    for out in (None, TensorOnGpu(np.zeros(6, "f4"))):
        with pytest.raises(bitstride.Error, match="of DLPack's kind 1, not on a GPU"):
            relayout(TensorOnGpu(rows), "(2,3):(1,2)", out=out)
    with pytest.raises(bitstride.Error, match="conjugated"):
        relayout(TensorOnGpu(rows), "(2,3):(1,2)", out=TensorOnGpu(np.zeros(6, "f4"), "conj"))
    with pytest.raises(bitstride.Error, match="to one of torch"):
        relayout(TensorOnGpu(rows), "(2,3):(1,2)", out=rows)


def test_elements_beyond_four_gibibytes_are_read():
    # The system gives memory only to what is touched.
    base = np.zeros((1 << 32) + 64, "u1")
    base[:3], base[-3:] = [1, 2, 3], [4, 5, 6]
    rows = np.lib.stride_tricks.as_strided(base, (2, 3), (len(base) - 3, 1))
    assert relayout(rows, "(2,3):(1,2)").tolist() == [1, 4, 2, 5, 3, 6]
    assert relayout(base, from_=f"(2,3):({len(base) - 3},1)", to="(2,3):(3,1)").tolist() == [1, 2, 3, 4, 5, 6]


def test_results_share_no_memory_with_their_source():
    flat = np.arange(6, dtype="u1")
    with pytest.raises(bitstride.Error, match="of its own"):
        bitstride._core.relayout(flat, "(2,3):(3,1)", "(2,3):(1,2)", 8, True, lambda size: flat)
    frozen = np.zeros(6, "u1")
    frozen.setflags(write=False)
    # Versions of NumPy before 2.1 do not lend it.
    with pytest.raises(bitstride.Error, match="of its own|readonly"):
        bitstride._core.relayout(flat, "(2,3):(3,1)", "(2,3):(1,2)", 8, True, lambda size: frozen)
    with pytest.raises(bitstride.Error, match="destination"):
        bitstride._core.relayout(flat, "(2,3):(3,1)", "(2,3):(1,2)", 8, True, lambda size: np.zeros(5, "u1"))


def refused(call, match, code="kind"):
    with pytest.raises(bitstride.RefusedError, match=match) as caught:
        call()
    assert caught.value.code == code


SWIZZLED = Swizzle(1, 0, 1) @ Layout("(2,2):(2,1)")


def test_the_memory_of_a_view_may_have_a_stride(torch):
    flat = np.arange(24.0)
    for memory in (flat[::2], flat[1::2], flat.reshape(2, 12)[:, 3], flat[5:]):
        for layout in (Layout("(2,1):(1,1)"), Layout("(2,2):(1,0)"), Layout("(2,2):(1,0)")(1, None)):
            expected = view(memory, layout)
            assert (expected == gathered(memory, layout).reshape(expected.shape)).all() or layout.offset
            assert view(Tensor(memory), layout).array.tolist() == expected.tolist()
    assert view(Tensor(flat[::2]), "(3,4):(4,1)").array[0].tolist() == [0, 2, 4, 6]
    refused(lambda: view(Tensor(flat.reshape(4, 6).T), "(3,4):(4,1)"), "contiguous")


def test_lazy_tensors_are_moved_by_their_values(torch):
    flat = np.arange(4) * (1 + 2j)
    for lazy, values in (("conj", flat.conj()), ("neg", -flat)):
        tensor = Tensor(flat, lazy)
        assert relayout(tensor, "4:1").array.tolist() == values.tolist()
        assert relayout(tensor, from_="4:1", to="4:1").array.tolist() == values.tolist()
        assert view(tensor, SWIZZLED).array.tolist() == view(values, SWIZZLED).tolist()
        assert view(tensor, "(2,2):(2,1)").lazy == lazy
        refused(lambda tensor=tensor: relayout(Tensor(flat.copy()), "4:1", out=tensor), "conjugated or negated")


@pytest.mark.parametrize(
    ("name", "value", "match"),
    [
        ("layout", "torch.sparse_coo", "torch.sparse_coo has no strides"),
        ("is_nested", True, "nested"),
        ("is_quantized", True, "quantized"),
        ("is_meta", True, "meta"),
    ],
)
def test_tensors_without_strided_memory_are_refused(torch, name, value, match):
    tensor = Tensor(np.arange(4))
    setattr(tensor, name, value)
    refused(lambda: relayout(tensor, "4:1"), match)
    refused(lambda: view(tensor, "4:1"), match)
    refused(lambda: relayout(Tensor(np.arange(4)), "4:1", out=tensor), match)


def test_gradients_are_not_lost_in_silence(torch):
    tensor = Tensor(np.arange(4))
    tensor.requires_grad = True
    refused(lambda: view(tensor, SWIZZLED), "gradient")
    refused(lambda: relayout(Tensor(np.arange(4)), "4:1", out=tensor), "requires a gradient")
    assert view(tensor, "(2,2):(2,1)").array.tolist() == [[0, 1], [2, 3]]
    assert relayout(tensor, "4:1").array.tolist() == [0, 1, 2, 3]


class OwnTensor(Tensor):
    """A tensor whose class is of another module."""


class Wrapper(Tensor):
    """A tensor that keeps its elements in others."""

    def __torch_dispatch__(self):
        raise AssertionError


class OwnArray(np.ndarray):
    pass


def test_subclasses_are_of_the_package_that_they_extend(torch):
    rows = np.arange(6, dtype="f4").reshape(2, 3)
    columns = [0, 3, 1, 4, 2, 5]
    own = OwnTensor(rows)
    assert type(relayout(own, "(2,3):(1,2)")) is type(view(own, "6:1")) is Tensor
    assert relayout(own, "(2,3):(1,2)", out=Tensor(np.zeros(6, "f4"))).array.tolist() == columns
    refused(lambda: relayout(Wrapper(rows), "(2,3):(1,2)"), "Wrapper does not hold")
    own = rows.view(OwnArray)
    assert type(relayout(own, "(2,3):(1,2)")) is np.ndarray
    assert relayout(own[::-1], "(2,3):(1,2)").tolist() == [3, 0, 4, 1, 5, 2]
    assert relayout(own, "(2,3):(1,2)", out=np.zeros(6, "f4")).tolist() == columns
    assert relayout(rows, "(2,3):(1,2)", out=np.zeros(6, "f4").view(OwnArray)).tolist() == columns


class FakeJax:
    """As much of an array of JAX as is used, over NumPy."""

    __module__ = "jaxlib"
    sharded = False

    def __init__(self, array, deleted=False):
        self.array, self.shape, self.dtype, self.deleted = array, array.shape, array.dtype, deleted

    def is_deleted(self):
        return self.deleted

    def reshape(self, shape):
        return FakeJax(self.array.reshape(shape))

    def __array__(self, *asked, **named):
        return self.array

    def __dlpack__(self, **asked):
        raise RuntimeError("not for this type")

    def __dlpack_device__(self):
        if self.sharded:
            raise BufferError("sharded")
        return (1, 0)


def test_arrays_of_jax_become_arrays_of_jax(monkeypatch):
    jax = ModuleType("jax")
    jax.numpy = SimpleNamespace(array=lambda array: FakeJax(np.array(array)))
    monkeypatch.setitem(sys.modules, "jax", jax)
    flat = np.arange(4.0)
    for array, layout in ((flat, "(2,2):(2,1)"), (flat.reshape(2, 2), "(2,2):(2,1)"), (flat, SWIZZLED)):
        viewed = view(FakeJax(array), layout)
        assert isinstance(viewed, FakeJax) and viewed.array.tolist() == view(flat, layout).tolist()
    assert relayout(FakeJax(flat.reshape(2, 2)), "(2,2):(1,2)").array.tolist() == [0, 2, 1, 3]
    for source in (FakeJax(flat), bytes(32)):
        refused(lambda source=source: relayout(source, "4:1", "4:1", out=FakeJax(flat)), "not written to")
    refused(lambda: relayout(FakeJax(flat, True), "4:1"), "deleted")
    sharded = FakeJax(flat)
    sharded.sharded = True
    refused(lambda: relayout(sharded, "4:1"), "several devices")
    tracer = type("Tracer", (), {"__module__": "jax._src.core", "aval": None})()
    refused(lambda: relayout(tracer, "4:1"), "traces")


def test_entries_of_another_size_need_a_source():
    for array, bits in ((np.arange(8, dtype="u1"), 4), (np.arange(4, dtype="i4"), 16), (b"abcd", 4)):
        refused(lambda array=array, bits=bits: relayout(array, f"{len(array)}:1", element_bits=bits), "entries have")
    assert relayout(np.arange(4, dtype="i4"), "4:1", element_bits=32).tolist() == [0, 1, 2, 3]
    for bits in (0, -8, 1 << 32):
        refused(lambda bits=bits: relayout(bytes(4), "4:1", "4:1", element_bits=bits), "bits", "range")


def test_what_does_not_hold_its_elements_is_refused():
    masked = np.ma.array([1, 2, 3, 4], mask=[0, 1, 0, 0])
    for array, match in (
        (masked, "mask"),
        (np.array([1, "a", None, 2], object), "object"),
        (np.zeros(4, [("a", object)]), "does not hold"),
        ([1, 2, 3, 4], "list is no array"),
        (3, "int is no array"),
        (None, "NoneType is no array"),
        (np.float32(3), "float32 is no array"),
        (memoryview(bytes(8))[::2], "contiguous"),
    ):
        refused(lambda array=array: relayout(array, "4:1"), match)
        refused(lambda array=array: view(array, "4:1"), match)
    flat = np.arange(4)
    refused(lambda: relayout(flat, flat), "`to` is a layout")
    refused(lambda: relayout(flat, "4:1", flat), "`from_` is a layout")
    refused(lambda: view(flat, flat), "`layout` is a layout")
    for far in (10**13, 10**17):
        with pytest.raises(bitstride.Error, match="no memory") as caught:
            relayout(flat.reshape(2, 2), f"(2,2):(1,{far})")
        assert caught.value.code == "too-large"
    assert view(b"abcd", "(2,2):(1,2)").tolist() == [[97, 99], [98, 100]]
    for layout in ("(2,2):(1,2)", SWIZZLED):
        assert view(memoryview(flat), layout).tolist() == view(flat, layout).tolist()
    assert view(Borrowed(flat.reshape(2, 2), True), "(2,2):(1,2)").tolist() == [[0, 2], [1, 3]]


def test_out_has_the_type_and_memory_of_its_own():
    flat = np.arange(4, dtype="<i4")
    for other in ("<f4", ">i4", "u1", "i8"):
        refused(lambda other=other: relayout(flat, "4:1", out=np.zeros(16, other)), "not written to an array of")
    for dtype in (">i4", "S3", "M8[s]"):
        array = np.arange(4).astype(dtype)
        assert relayout(array, "(4):(1)", out=np.zeros(4, dtype)).tolist() == array.tolist()
        refused(lambda a=array: relayout(a, "4:1", out=np.zeros(8, a.dtype)[::2]), "row-major")
    frozen = np.zeros(4, "<i4")
    frozen.setflags(write=False)
    refused(lambda: relayout(flat, "4:1", out=frozen), "read-only")
    refused(lambda: relayout(flat, "4:1", out=flat), "shares memory", "overlap")


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2", "float8_e4m3fn", "int4"])
def test_types_of_ml_dtypes(name):
    dtype = np.dtype(getattr(pytest.importorskip("ml_dtypes"), name))
    rows = np.array([[0, 1], [1, 1]]).astype(dtype)
    out = np.zeros(4, dtype)
    assert relayout(rows, "(2,2):(1,2)", out=out) is out and out.astype("f4").tolist() == [0, 1, 1, 1]
    assert view(rows, SWIZZLED).dtype == dtype
    if name == "int4":
        refused(lambda: relayout(rows, "(2,2):(1,2)", "(2,2):(2,1)", element_bits=4), "in a byte")


def test_layouts_of_tensors_have_dims():
    flat = np.arange(12)
    assert view(flat, "torch.empty(3,4).t()").tolist() == flat.reshape(3, 4).T.tolist()
    assert view(flat, "tensor((3),(-1),3)").tolist() == [3, 2, 1]
    refused(lambda: view(flat, "Sw<1,0,1>"), "no modes")


def test_negative_strides_of_a_tensor_are_copied(torch):
    assert view(Tensor(np.arange(12)), "tensor((3),(-1),3)").array.tolist() == [3, 2, 1]


def test_layouts_of_arrays_without_strides_are_refused() -> None:
    class Sparse:
        """A tensor of PyTorch that says of itself what sparse ones do."""

        shape, layout = (3, 3), "torch.sparse_coo"

        def stride(self) -> tuple[int, int]:
            return 0, 0

    class Dense(Sparse):
        layout = "torch.strided"

    assert str(Layout.from_array(Dense())) == "(3,3):(0,0)"
    for array in (Sparse(), type("Array", (), {"shape": (2, 3)})()):
        with pytest.raises(bitstride.Error, match="no strides"):
            Layout.from_array(array)
    with pytest.raises(bitstride.Error, match="no strides"):
        Layout(Sparse())
