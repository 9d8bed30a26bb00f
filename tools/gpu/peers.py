"""How fast torch, torch.compile, JAX and cuTENSOR move the rows of `relayout.py`, on the same GPU.

    python tools/gpu/peers.py [cutensor]    (needs a GPU, torch, and JAX; with a word, that peer alone)

A row is one strided copy: both layouts as strides over a common shape. torch copies between two views of raw storage,
`torch.compile` is given the same copy, afresh for each row, and JAX the transposition. Times are medians: of 15 runs by events,
and for JAX of 9 by the clock, each of 5 calls. cuTENSOR permutes in the library that `BITSTRIDE_CUTENSOR` names, where it is set. Prints GB/s of one side, and the share of a copy of as many bytes by torch. Rows
with swizzles or ragged tiles are no strided copy and are left out, as is what a peer has no type for.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import statistics
import sys
import time
from pathlib import Path
from typing import Callable, NamedTuple

import torch

sys.path.insert(0, str(Path(__file__).parent))
from relayout import ROWS  # noqa: E402

ALONE = sys.argv[1:2]
if not ALONE:
    import jax
    import jax.numpy as jnp

RUNS = 15
TORCH_TYPES = {8: torch.uint8, 16: torch.int16, 32: torch.int32, 64: torch.int64, 128: torch.complex128}
JAX_TYPES = {} if ALONE else {8: jnp.uint8, 16: jnp.int16, 32: jnp.int32}


class Views(NamedTuple):
    """Both sides of a row as strides, in elements, over one shape."""

    shape: list[int]
    source: list[int]
    target: list[int]


# Tiled layouts of whole tiles, by hand.
TILED = {
    "rows to T(8,128) f32": Views([2048, 8, 64, 128], [8 * 8192, 8192, 128, 1], [8 * 8192, 128, 1024, 1]),
    "T(8,128) to rows f32": Views([2048, 8, 64, 128], [8 * 8192, 128, 1024, 1], [8 * 8192, 8192, 128, 1]),
    "rows to T(8,128)(2,1) bf16": Views([2048, 4, 2, 128, 128], [8 * 16384, 2 * 16384, 16384, 128, 1], [8 * 16384, 256, 1, 1024, 2]),
    "T(8,128)(2,1) to rows bf16": Views([2048, 4, 2, 128, 128], [8 * 16384, 256, 1, 1024, 2], [8 * 16384, 2 * 16384, 16384, 128, 1]),
    "swizzled tiles f16": Views([2048, 8, 256, 64], [8 * 16384, 16384, 64, 1], [131072, 64, 512, 1]),
}


def views(name: str, source: str, target: str) -> Views | None:
    """A row as a strided copy, where it is one."""
    if name in TILED:
        return TILED[name]
    if "Sw" in target or "[" in source:
        return None
    (shape, of), (other, to) = (side.split(":") for side in (source, target))
    numbers = lambda text: [int(number) for number in re.findall(r"\d+", text)]  # noqa: E731
    return Views(numbers(shape), numbers(of), numbers(to)) if shape == other else None


def median(run: Callable[[], object]) -> float:
    """Milliseconds."""
    times = []
    for turn in range(RUNS + 3):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        run()
        end.record()
        end.synchronize()
        if turn >= 3:
            times.append(begin.elapsed_time(end))
    return statistics.median(times)


def by_jax(row: Views, bits: int) -> float:
    """Milliseconds of the transposition in JAX."""
    order, then = (sorted(range(len(row.shape)), key=lambda at: -side[at]) for side in (row.source, row.target))
    x = jnp.zeros([row.shape[at] for at in order], JAX_TYPES[bits])
    move = jax.jit(lambda x: jnp.transpose(x, [order.index(at) for at in then]))
    move(x).block_until_ready()
    times = []
    for _ in range(9):
        begin = time.perf_counter()
        for _ in range(5):
            y = move(x)
        y.block_until_ready()
        times.append((time.perf_counter() - begin) / 5 * 1e3)
    return statistics.median(times)


class CuTensor:
    """Permutations of cuTENSOR 2, which has floats alone: its type of a number of bits, the type that it computes in, and its one."""

    TYPES = {16: (2, "32F", ctypes.c_float * 1), 32: (0, "32F", ctypes.c_float * 1), 64: (1, "64F", ctypes.c_double * 1), 128: (5, "64F", ctypes.c_double * 2)}

    def __init__(self, path: str) -> None:
        self.library, self.handle = ctypes.CDLL(path), ctypes.c_void_p()
        self.call("cutensorCreate", ctypes.byref(self.handle))

    def call(self, name: str, *arguments: object) -> None:
        error = getattr(self.library, name)(*arguments)
        if error:
            raise RuntimeError(f"{name}: error {error}")

    def made(self, name: str, *arguments: object) -> ctypes.c_void_p:
        pointer = ctypes.c_void_p()
        self.call(name, self.handle, ctypes.byref(pointer), *arguments)
        return pointer

    def time(self, row: Views, bits: int, source: torch.Tensor, target: torch.Tensor) -> float:
        """Milliseconds."""
        dtype, computes, scalar = self.TYPES[bits]
        count = len(row.shape)
        numbers = ctypes.c_int64 * count
        modes = (ctypes.c_int32 * count)(*range(count))
        tensor = lambda strides: self.made("cutensorCreateTensorDescriptor", ctypes.c_uint32(count), numbers(*row.shape), numbers(*strides), dtype, ctypes.c_uint32(128))  # noqa: E731
        computes_in = ctypes.c_void_p.in_dll(self.library, f"CUTENSOR_COMPUTE_DESC_{computes}")
        identity = 1
        move = self.made("cutensorCreatePermutation", tensor(row.source), modes, identity, tensor(row.target), modes, computes_in)
        preference = self.made("cutensorCreatePlanPreference", -1, 0)
        plan = self.made("cutensorCreatePlan", move, preference, ctypes.c_uint64(0))
        one = scalar(1.0)
        pointers = [ctypes.c_void_p(tensor.data_ptr()) for tensor in (source, target)]
        return median(lambda: self.call("cutensorPermute", self.handle, plan, one, *pointers, None))


def timed(row: Views, bits: int) -> tuple[float, dict[str, float]]:
    """Milliseconds of a copy, and of each peer."""
    source = torch.zeros(math.prod(row.shape), dtype=TORCH_TYPES[bits], device="cuda")
    target = torch.empty_like(source)
    a, b = source.as_strided(row.shape, row.source), target.as_strided(row.shape, row.target)
    times = {"torch": median(lambda: b.copy_(a))}
    if not ALONE:
        # Each row is compiled for its own shape; without this, torch gives up after some shapes and runs uncompiled.
        torch._dynamo.reset()
        compiled = torch.compile(lambda b, a: b.copy_(a), dynamic=False)
        times["compiled"] = median(lambda: compiled(b, a))
    library = os.environ.get("BITSTRIDE_CUTENSOR")
    if library and bits in CuTensor.TYPES:
        floats = {16: torch.half, 32: torch.float, 64: torch.double, 128: torch.complex128}[bits]
        # Numbers alone: what is multiplied by 1 may come back as another NaN.
        moved = torch.rand(math.prod(row.shape), dtype=floats, device="cuda").view(source.dtype)
        times["cutensor"] = CuTensor(library).time(row, bits, moved, target)
        if not torch.equal(b, moved.as_strided(row.shape, row.source)):
            raise RuntimeError("cuTENSOR moved something else")
        del moved
    copy = median(lambda: target.copy_(source))
    del source, target, a, b
    torch.cuda.empty_cache()
    if bits in JAX_TYPES:
        times["jax"] = by_jax(row, bits)
    return copy, times


def main() -> None:
    print(torch.cuda.get_device_name(), "torch", torch.__version__, *([] if ALONE else ["jax", jax.__version__]))
    for name, source, target, bits in ROWS:
        row = views(name, source, target)
        if row is None:
            continue
        try:
            copy, times = timed(row, bits)
        except Exception as why:  # noqa: BLE001  a peer that fails is a row that says so
            print(f"{name:40} {type(why).__name__}: {why}", flush=True)
            continue
        rate = math.prod(row.shape) * bits / 8 / 1e6
        text = ", ".join(f"{peer} {rate / taken:.0f} = {copy / taken:.3f}" for peer, taken in times.items())
        print(f"{name:40} copy {rate / copy:.0f} GB/s; {text}", flush=True)


if __name__ == "__main__":
    main()
