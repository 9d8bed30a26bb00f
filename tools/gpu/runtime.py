"""Relayouts of arrays on a GPU by the package, beside those of NumPy: PyTorch, CuPy and JAX, each where it is there.

    python tools/gpu/runtime.py [PAIRS]    (needs the package `bitstride`, a GPU, and one of the three)

Random pairs of layouts are moved on the GPU and by the processor, and compared byte for byte: the array's own strides, memory that
begins anywhere, streams, `out`, and what must be refused. Then PyTorch times moves beside copies. Rust's side of this is the test
`device` of `bitstride-gpu`. Law: no byte differs.
"""

from __future__ import annotations

import importlib
import math
import random
import statistics
import sys
import time
from typing import Any

import bitstride
import numpy as np

RUNS = 15

# The rows that are timed: a name, both layouts, and the type of an element.
ROWS = [
    ("transpose f32", "(8192,16384):(16384,1)", "(8192,16384):(1,8192)", "float32"),
    ("transpose f16", "(16384,16384):(16384,1)", "(16384,16384):(1,16384)", "float16"),
    ("transpose u8", "(16384,32768):(32768,1)", "(16384,32768):(1,16384)", "uint8"),
    ("rows to T(8,128) f32", "f32[16384,8192]{1,0}", "f32[16384,8192]{1,0:T(8,128)}", "float32"),
    ("rows to T(8,128)(2,1) bf16", "bf16[16384,16384]{1,0}", "bf16[16384,16384]{1,0:T(8,128)(2,1)}", "bfloat16"),
    ("NCHW to NHWC f16", "(64,256,112,112):(3211264,12544,112,1)", "(64,256,112,112):(3211264,1,28672,256)", "float16"),
    ("swizzled 128B f16", "((8,2048),(64,256)):((64,131072),(1,512))", "Sw<3,3,3> o ((8,2048),(64,256)):((64,131072),(1,512))", "float16"),
]


def strided(shape: list[int]) -> str:
    order = list(range(len(shape)))
    random.shuffle(order)
    strides, stride = [0] * len(shape), 1
    for number, at in enumerate(order):
        strides[at] = stride
        stride *= shape[at] + (random.choice([0, 0, 0, 1, 3, 8]) if number == 0 else 0)
    text = f"({','.join(map(str, shape))}):({','.join(map(str, strides))})"
    swizzle = f"Sw<{random.choice([2, 3])},{random.choice([2, 3])},{random.choice([3, 4])}> o "
    return swizzle + text if random.random() < 0.2 else text


def tiled(shape: list[int]) -> str:
    order = list(range(len(shape)))
    random.shuffle(order)
    tile = random.choice(["(8,128)", "(2,4)", "(8,128)(2,1)", "(4,8)(4,1)", "(16,16)", "(32)"])
    return f"s8[{','.join(map(str, shape))}]{{{','.join(map(str, order))}:T{tile}}}"


def pair() -> tuple[str, str, int]:
    """Two layouts of a tensor, and the bits of an element."""
    extents = random.choice([[1, 3, 5, 8, 16, 33], [8, 16, 32, 64], [2, 3, 4, 7, 16, 64, 130]])
    shape = [random.choice(extents) for _ in range(random.choice([1, 2, 3, 4]))]
    while math.prod(shape) > 20_000:
        shape.pop()
    bits = random.choice([1, 2, 4, 8, 8, 16, 16, 24, 32, 64, 128])
    tiles = bits == 8 and len(shape) > 1 and random.random() < 0.5
    return (tiled(shape) if tiles else strided(shape)), strided(shape), bits


class Package:
    """What differs between packages."""

    def __init__(self, name: str) -> None:
        self.name, self.of = name, importlib.import_module(name)

    def there(self) -> bool:
        match self.name:
            case "torch":
                return bool(self.of.cuda.is_available())
            case "cupy":
                return bool(self.of.cuda.runtime.getDeviceCount())
            case _:
                return any(device.platform == "gpu" for device in self.of.devices())

    def put(self, array: Any) -> Any:
        match self.name:
            case "torch":
                return self.of.from_numpy(array.copy()).cuda()
            case "cupy":
                return self.of.asarray(array)
            case _:
                return self.of.device_put(array, self.of.devices("gpu")[0])

    def get(self, array: Any) -> Any:
        match self.name:
            case "torch":
                return array.cpu().numpy()
            case "cupy":
                return self.of.asnumpy(array)
            case _:
                return np.asarray(array)

    def writes(self) -> bool:
        return self.name != "jax"


def compared(package: Package, count: int) -> int:
    """How many of some pairs differ."""
    wrong = moved = 0
    while moved < count:
        source, target, bits = pair()
        try:
            room = np.frombuffer(random.randbytes(1 << 19), "u1").copy()
            ours = bitstride.relayout(room, from_=source, to=target, element_bits=bits)
        except bitstride.Error:
            continue
        moved += 1
        skew = random.choice([0, 0, 0, 1, 2, 4, 8])
        try:
            theirs = package.get(package_moved(package, room, skew, source, target, bits))
        except bitstride.Error as error:
            print(f"{package.name}: {source} -> {target}, {bits} bits: {error}")
            wrong += 1
            continue
        if skew:
            ours = bitstride.relayout(room[skew:].copy(), from_=source, to=target, element_bits=bits)
        if not np.array_equal(ours, theirs):
            print(f"{package.name}: {source} -> {target}, {bits} bits, {skew} behind: differs")
            wrong += 1
    return wrong


def package_moved(package: Package, room: Any, skew: int, source: str, target: str, bits: int) -> Any:
    array = package.put(room)[skew:]
    return bitstride.relayout(array, from_=source, to=target, element_bits=bits)


def others(package: Package) -> None:
    """Strides of arrays, types, `out`, refusals."""
    rows = np.arange(64 * 96, dtype="i4").reshape(64, 96)
    array = package.put(rows)
    moved = bitstride.relayout(array, to="(64,96):(1,64)")
    assert type(moved) is type(array) and moved.dtype == array.dtype
    assert np.array_equal(package.get(moved), rows.T.reshape(-1))
    if package.name != "jax":
        assert np.array_equal(package.get(bitstride.relayout(array.T, to="(96,64):(64,1)")), rows.T.reshape(-1))
        assert np.array_equal(package.get(bitstride.relayout(array[::2, 3:], to="(32,93):(93,1)")), rows[::2, 3:].reshape(-1))
    if package.writes():
        out = package.put(np.full(64 * 100, -1, "i4"))
        assert bitstride.relayout(array, to="(64,96):(100,1)", out=out) is out
        wanted = np.full((64, 100), -1, "i4")
        wanted[:, :96] = rows
        assert np.array_equal(package.get(out).reshape(64, 100), wanted)
        for wrong in (out[:100], out[::2], package.put(np.zeros(4, "i4")), array.reshape(-1), np.zeros(64 * 96, "i4")):
            refused(lambda wrong=wrong: bitstride.relayout(array, to="(64,96):(1,64)", out=wrong))
    refused(lambda: bitstride.relayout(array, from_="(64,97):(97,1)", to="(64,97):(1,64)"))
    # What is kept of a call says nothing about the memory of the next.
    bitstride.relayout(array, from_="(64,96):(96,1)", to="(64,96):(1,64)")
    refused(lambda: bitstride.relayout(array[:63], from_="(64,96):(96,1)", to="(64,96):(1,64)"))
    refused(lambda: bitstride.relayout(array, to="(64,96):(0,1)"))
    if package.name == "torch":
        stream = package.of.cuda.Stream()
        large = package.of.zeros(64 << 20, dtype=package.of.int32, device="cuda")
        for number in range(20):
            with package.of.cuda.stream(stream):
                large.fill_(number)
                moved = bitstride.relayout(large, from_="(8192,8192):(8192,1)", to="(8192,8192):(1,8192)")
                total = (moved == number).all()
            stream.synchronize()
            assert bool(total), number
        half = package.of.arange(4096, dtype=package.of.float32, device="cuda").to(package.of.bfloat16).reshape(64, 64)
        assert package.of.equal(bitstride.relayout(half, to="(64,64):(1,64)"), half.T.reshape(-1))


def refused(run: Any) -> None:
    try:
        run()
    except (bitstride.Error, BufferError, TypeError):
        return
    raise AssertionError("was not refused")


def timed(torch: Any) -> None:
    """Milliseconds by events of moves and of copies, and by the clock of calls that only launch."""

    def median(run: Any) -> float:
        times = []
        for turn in range(RUNS + 3):
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            first.record()
            run()
            last.record()
            last.synchronize()
            if turn >= 3:
                times.append(first.elapsed_time(last))
        return statistics.median(times)

    print("GB/s of one side; shares of a copy of as many bytes; out= leaves out the zeros of new memory")
    for name, source, target, kind in ROWS:
        dtype = getattr(torch, kind)
        count = bitstride.Layout(source).size if "[" not in source else math.prod(map(int, source[source.index("[") + 1 : source.index("]")].split(",")))
        array = torch.zeros(count, dtype=dtype, device="cuda")
        out, other = torch.zeros_like(array), torch.zeros_like(array)
        bytes_moved = count * array.element_size()
        started = time.perf_counter()
        bitstride.relayout(array, from_=source, to=target, out=out)
        torch.cuda.synchronize()
        first = time.perf_counter() - started
        ours = median(lambda: bitstride.relayout(array, from_=source, to=target, out=out))
        fresh = median(lambda: bitstride.relayout(array, from_=source, to=target))
        copy = median(lambda: other.copy_(array))
        print(f"{name:30} {bytes_moved / ours / 1e6:6.0f} GB/s, {copy / ours:.3f} of a copy; new memory {copy / fresh:.3f}; first call {first * 1e3:.0f} ms", flush=True)
    small = torch.zeros(64, 64, device="cuda")
    place = torch.zeros_like(small).reshape(-1)
    rows, columns = "(64,64):(64,1)", "(64,64):(1,64)"
    layouts = bitstride.Layout(rows), bitstride.Layout(columns)
    calls: list[tuple[str, Any]] = [
        ("texts, out", lambda: bitstride.relayout(small, from_=rows, to=columns, out=place)),
        ("layouts, out", lambda: bitstride.relayout(small, from_=layouts[0], to=layouts[1], out=place)),
        ("own strides, out", lambda: bitstride.relayout(small, to=columns, out=place)),
        ("texts, new memory", lambda: bitstride.relayout(small, from_=rows, to=columns)),
        ("torch: copy_ of a transposed view", lambda: place.view(64, 64).copy_(small.T)),
    ]
    for name, call in calls:
        best = math.inf
        for _ in range(10):
            torch.cuda.synchronize()
            started = time.perf_counter()
            for _ in range(500):
                call()
            best = min(best, (time.perf_counter() - started) / 500)
        print(f"a call for a small tensor, {name}: {best * 1e6:.1f} us")


def main(count: int) -> int:
    random.seed(7)
    wrong = 0
    for name in ("torch", "cupy", "jax"):
        try:
            package = Package(name)
        except ImportError:
            print(f"SKIPPED: {name} is not installed; {count} pairs were not run")
            continue
        if not package.there():
            print(f"SKIPPED: {name} has no GPU; {count} pairs were not run")
            continue
        others(package)
        own = compared(package, count)
        wrong += own
        print(f"{name}: {count} pairs, {own} wrong", flush=True)
        if name == "torch":
            timed(package.of)
    return int(wrong != 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 200))
