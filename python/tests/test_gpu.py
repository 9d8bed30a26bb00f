"""Arrays on a GPU: the same bytes as on the processor, in the order of the package's own stream. Without a GPU each test says that it did not run.

On a machine with a GPU and without Rust, a wheel is carried there: `BITSTRIDE_PAIRS=2000 pytest -rs python/tests/test_gpu.py`.
"""

import os
import random

import numpy as np
import pytest

import bitstride
from bitstride import Layout, Swizzle, relayout, view

PAIRS = int(os.environ.get("BITSTRIDE_PAIRS", "100"))


def on_gpu(package):
    """A package that has a GPU."""
    try:
        module = __import__(package)
        if package == "torch":
            found = module.cuda.is_available()
        elif package == "cupy":
            found = module.cuda.runtime.getDeviceCount() > 0
        else:
            found = module.default_backend() == "gpu"
    except Exception as error:  # Each package fails in its own way where there is no GPU.
        pytest.skip(f"NOT RUN: {package} has no GPU here: {error}")
    if not found:
        pytest.skip(f"NOT RUN: {package} has no GPU here")
    return module


@pytest.fixture
def torch():
    return on_gpu("torch")


@pytest.fixture
def cupy():
    return on_gpu("cupy")


@pytest.fixture
def jax():
    return on_gpu("jax")


def strided(draw, extents):
    """Strides of some order of the dims, now and then with gaps."""
    strides, step = [0] * len(extents), 1
    for dim in draw.sample(range(len(extents)), len(extents)):
        strides[dim] = step
        step *= extents[dim] + draw.choice([0, 0, 0, 1, 5])
    return f"({','.join(map(str, extents))}):({','.join(map(str, strides))})"


def target(draw, extents):
    count = int(np.prod(extents))
    if draw.random() < 0.2 and count >= 64 and count & (count - 1) == 0:
        return f"Sw<2,1,3> o {Layout(tuple(extents))}"
    if draw.random() < 0.3:
        order = ",".join(map(str, draw.sample(range(len(extents)), len(extents))))
        tile = ",".join(str(draw.choice([1, 2, 3, 8])) for _ in extents)
        return f"u8[{','.join(map(str, extents))}]{{{order}:T({tile})}}"
    return strided(draw, extents)


def pairs(count):
    for seed in range(count):
        draw = random.Random(seed)
        rank = draw.randint(1, 5)
        extents = [draw.choice([1, 2, 3, 4, 7, 8, 16, 33]) for _ in range(rank)]
        yield seed, extents, strided(draw, extents), target(draw, extents)


TYPES = ["bool", "uint8", "int16", "float16", "bfloat16", "int32", "float32", "int64", "float64", "complex64", "complex128", "float8_e4m3fn"]


def test_random_pairs_have_the_bytes_of_the_processor(torch):
    for seed, _, source, to in pairs(PAIRS):
        dtype = getattr(torch, TYPES[seed % len(TYPES)])
        size = int(bitstride.cosize(source))
        width = torch.empty(0, dtype=dtype).element_size()
        noise = torch.from_numpy(np.random.default_rng(seed).integers(0, 2 if dtype is torch.bool else 256, size * width, dtype=np.uint8))
        here = noise.view(dtype)
        there = here.cuda()
        right = relayout(here, from_=source, to=to)
        got = relayout(there, from_=source, to=to)
        assert got.is_cuda and got.dtype == dtype
        assert torch.equal(got.cpu().view(torch.uint8), right.view(torch.uint8)), (source, to, dtype)
        # Into memory that is there: bytes that no element fills stay.
        outs = [torch.full((right.numel() + 3,), 1, dtype=torch.uint8).to(dtype).to(device) for device in ("cpu", "cuda")]
        for array, out in zip((here, there), outs):
            assert relayout(array, from_=source, to=to, out=out) is out
        assert torch.equal(outs[1].cpu().view(torch.uint8), outs[0].view(torch.uint8)), (source, to, dtype)


def test_views_of_tensors_are_moved_by_their_own_strides(torch):
    base = torch.arange(4 * 6 * 8, dtype=torch.int32, device="cuda").reshape(4, 6, 8)
    views = [
        base,
        base.permute(2, 0, 1),
        base[1:, ::2, 3:],
        base[2],
        base[:, 1:2].expand(4, 5, 8),
        base[1, 2, 3],
        base[:0],
        base.view(torch.int16),
        base.as_strided((3, 3), (1, 1), 5),
    ]
    for each in views:
        to = Layout(tuple(each.shape)) if each.dim() else "1:0"
        got = relayout(each, to=to)
        # Leftmost fastest.
        right = each.cpu().permute(tuple(reversed(range(each.dim())))).reshape(-1)
        assert torch.equal(got.cpu(), right), tuple(each.shape)


def test_work_follows_the_current_stream(torch):
    stream = torch.cuda.Stream()
    size = 1 << 24
    for _ in range(10):
        source = torch.zeros(size, dtype=torch.int32, device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            # It is still being made when the move is asked.
            torch.cuda._sleep(20_000_000)
            source += 7
            moved = relayout(source, from_=f"(4096,{size // 4096}):({size // 4096},1)", to=f"(4096,{size // 4096}):(1,4096)")
            total = moved.sum()
        stream.synchronize()
        assert int(total) == 7 * size


def test_a_graph_holds_a_move(torch):
    source = torch.zeros((256, 512), dtype=torch.float16, device="cuda")
    out = torch.zeros(256 * 512, dtype=torch.float16, device="cuda")
    relayout(source, to="(256,512):(1,256)", out=out)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        relayout(source, to="(256,512):(1,256)", out=out)
    source.copy_(torch.arange(256 * 512, device="cuda").reshape(256, 512) % 2048)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(out.reshape(512, 256).T, source)


def test_what_is_not_in_memory_is_resolved_or_refused(torch):
    values = torch.tensor([[1 + 2j, 3 - 1j], [0.5j, 2]], dtype=torch.complex64, device="cuda")
    assert torch.equal(relayout(values.conj(), to="(2,2):(1,2)"), torch.view_as_real(values.conj().resolve_conj().T.contiguous()).view(torch.complex64).reshape(-1))
    grad = torch.ones((2, 3), device="cuda", requires_grad=True)
    assert not relayout(grad, to="(2,3):(1,2)").requires_grad
    flat = torch.arange(16, dtype=torch.uint8, device="cuda")
    for call in (
        lambda: relayout(flat, from_="(4,4):(4,1)", to="(4,4):(1,4)", out=flat),
        lambda: relayout(flat, from_="(4,4):(4,1)", to="(4,4):(1,4)", out=flat[:8]),
        lambda: relayout(flat, from_="(4,4):(4,1)", to="(4,4):(1,4)", out=flat.cpu()),
        lambda: relayout(flat.cpu(), from_="(4,4):(4,1)", to="(4,4):(1,4)", out=torch.zeros_like(flat)),
        lambda: relayout(flat, from_="(4,8):(8,1)", to="(4,8):(1,4)"),
        lambda: relayout(flat, from_="(4,4):(4,1)", to="(4,4):(1,4)", out=torch.zeros((16, 2), dtype=torch.uint8, device="cuda")[:, 0]),
        lambda: relayout(flat, from_="(4,4):(4,1)", to="(4,4):(1,4)", out=torch.zeros(16, device="cuda")),
    ):
        with pytest.raises(bitstride.Error):
            call()
    # The memory was not written to.
    assert flat.tolist() == list(range(16))


def test_elements_smaller_than_bytes(torch):
    packed = torch.randint(0, 256, (64 * 32,), dtype=torch.uint8)
    for source, to in [("(64,64):(64,1)", "(64,64):(1,64)"), ("(64,64):(64,1)", "(64,(8,8)):(8,(1,512))")]:
        right = relayout(packed, from_=source, to=to, element_bits=4)
        got = relayout(packed.cuda(), from_=source, to=to, element_bits=4)
        assert torch.equal(got.cpu(), right)


def test_views_on_a_gpu(torch):
    flat = torch.arange(64, dtype=torch.float32, device="cuda")
    shared = view(flat, "(4,16):(16,1)")
    assert shared.data_ptr() == flat.data_ptr() and torch.equal(shared, flat.reshape(4, 16))
    swizzled = Swizzle(1, 0, 3) @ Layout("(8,8):(8,1)")
    assert torch.equal(view(flat, swizzled).cpu(), view(flat.cpu(), swizzled))


def test_cupy_on_its_own_stream(cupy):
    for seed, _, source, to in pairs(PAIRS // 4):
        here = np.random.default_rng(seed).integers(0, 256, int(bitstride.cosize(source)), dtype=np.uint8)
        with cupy.cuda.Stream(non_blocking=True) as stream:
            moved = relayout(cupy.asarray(here), from_=source, to=to)
            stream.synchronize()
        assert isinstance(moved, cupy.ndarray)
        assert np.array_equal(cupy.asnumpy(moved), relayout(here, from_=source, to=to)), (source, to)
    rows = cupy.arange(6, dtype="f4").reshape(2, 3)
    out = cupy.full(8, 9, "f4")
    assert relayout(rows.T, to="(3,2):(1,4)", out=out) is out
    assert out.tolist() == [0, 1, 2, 9, 3, 4, 5, 9]
    flat = cupy.arange(8)
    shared = view(flat, "(2,4):(4,1)")
    flat[0] = 9
    assert shared.tolist() == [[9, 1, 2, 3], [4, 5, 6, 7]]
    assert view(flat, "(4,2):(1,4)").tolist() == [[9, 4], [1, 5], [2, 6], [3, 7]]
    assert view(flat, Swizzle(1, 0, 1) @ Layout("(2,2):(2,1)")).tolist() == [[9, 1], [3, 2]]


def test_jax_waits_for_what_is_moved(jax):
    for seed, _, source, to in pairs(PAIRS // 4):
        here = np.random.default_rng(seed).integers(0, 2**15, int(bitstride.cosize(source)), dtype=np.int16)
        moved = relayout(jax.numpy.asarray(here), from_=source, to=to)
        assert isinstance(moved, jax.Array) and next(iter(moved.devices())).platform == "gpu"
        assert np.array_equal(np.asarray(moved), relayout(here, from_=source, to=to)), (source, to)
    rows = jax.numpy.arange(6, dtype="bfloat16").reshape(2, 3)
    assert relayout(rows, to="(2,3):(1,2)").tolist() == [0, 3, 1, 4, 2, 5]
    assert view(rows, "(3,2):(1,3)").tolist() == [[0, 3], [1, 4], [2, 5]]
    assert view(jax.numpy.arange(4), Swizzle(1, 0, 1) @ Layout("(2,2):(2,1)")).tolist() == [[0, 1], [3, 2]]
    assert relayout(rows > 2, to="(2,3):(1,2)").tolist() == [False, True, False, True, False, True]


def test_memory_lent_by_another_package(torch):
    class Lent:
        """What a package has that is not known here."""

        def __init__(self, tensor):
            self.tensor = tensor

        def __dlpack__(self, stream=None, **ignored):
            return self.tensor.__dlpack__(stream=stream)

        def __dlpack_device__(self):
            return self.tensor.__dlpack_device__()

    rows = torch.arange(6, dtype=torch.int32, device="cuda").reshape(2, 3)
    moved = relayout(Lent(rows.T), to="(3,2):(1,3)")
    assert torch.from_dlpack(moved).view(torch.int32).tolist() == [0, 1, 2, 3, 4, 5]
    with pytest.raises(BufferError):
        np.from_dlpack(moved)


def test_more_than_two_to_the_32_bytes(torch):
    rows, columns = (1 << 16) + 1, (1 << 16) + 3
    source = torch.arange(rows * columns, dtype=torch.int64, device="cuda").to(torch.uint8).reshape(rows, columns)
    moved = relayout(source, to=f"({rows},{columns}):(1,{rows})")
    assert torch.equal(moved.reshape(columns, rows).T, source)
