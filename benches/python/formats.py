"""Repacking of stored layouts beside the ways of Python packages and of ggml, in one run.

The peers are written here as those packages do it: an index array of the whole tensor for Marlin (vLLM), codes that are unpacked,
reordered and packed again (AutoAWQ), views that are transposed and copied (torchao's `to_blocked`, llama.cpp's converter). `gguf` is the
package of that name. With `BITSTRIDE_GGML_LIB`, ggml's own C++ for Q4_0 and Q4_K is called (docs/perf/formats.md says how it is built).
Each answer is compared with ours before it is timed, and all take turns; the best of some runs counts. ggml and ours write to the same
memory: where it lies makes up to half of the time.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bitstride import repack

N = 4096
SHIFTS = np.arange(0, 32, 4, dtype="u4")
RANDOM = np.random.default_rng(0)


def packed(codes: Any, axis: int) -> Any:
    """Codes of 4 bits, eight in a word along an axis."""
    eights = codes.reshape(*codes.shape[:axis], -1, 8, *codes.shape[axis + 1 :])
    return np.bitwise_or.reduce(np.moveaxis(eights, axis + 1, -1) << SHIFTS, -1)


def unpacked(words: Any) -> Any:
    """Eight codes of each word, along rows."""
    return ((words[..., None] >> SHIFTS) & 15).reshape(words.shape[0], -1)


def marlin_permutation() -> Any:
    """Where the codes of a tile of 16 x 64 go, lane by lane, as the kernel's fragments have them."""
    order = []
    for lane in range(32):
        column = lane // 4
        for block in range(4):
            rows = [2 * (lane % 4), 2 * (lane % 4) + 1, 2 * (lane % 4) + 8, 2 * (lane % 4) + 9]
            order += [16 * row + column + 8 * half + 256 * block for half in range(2) for row in rows]
    order = np.array(order).reshape(-1, 8)[:, [0, 2, 4, 6, 1, 3, 5, 7]]
    return order.reshape(-1)


def vllm_marlin(codes: Any) -> Any:
    """Tiles of 16 x 16, each permuted by an index array, eight codes a word."""
    k, n = codes.shape
    tiles = codes.reshape(k // 16, 16, n // 16, 16).transpose(0, 2, 1, 3).reshape(k // 16, n * 16)
    permutation = marlin_permutation()
    tiles = tiles.reshape(-1, permutation.size)[:, permutation].reshape(tiles.shape)
    words = np.zeros((tiles.shape[0], tiles.shape[1] // 8), "u4")
    for at in range(8):
        words |= tiles[:, at::8] << np.uint32(4 * at)
    return words


def autoawq_reorder(qweight: Any) -> Any:
    """Words along out-features, unpacked, put in order, and packed along in-features."""
    order = np.arange(N).reshape(-1, 8)[:, [0, 4, 1, 5, 2, 6, 3, 7]].reshape(-1)
    return packed(unpacked(qweight)[:, order], 0)


def to_blocked(scales: Any) -> Any:
    """Scales in tiles of 128 x 4."""
    m, s = scales.shape
    tiles = scales.reshape(m // 128, 128, s // 4, 4).transpose(0, 2, 1, 3)
    return np.ascontiguousarray(tiles.reshape(-1, 4, 32, 4).transpose(0, 2, 1, 3)).reshape(m, s)


def mxfp4_blocks(blocks: Any, scales: Any) -> Any:
    """Pairs of codes as halves of 16, behind their scale."""
    low, high = blocks & 15, blocks >> 4
    codes = np.stack([low, high], -1).reshape(*blocks.shape[:2], 32)
    halves = codes[..., :16] | codes[..., 16:] << 4
    return np.concatenate([scales[..., None], halves], -1).reshape(blocks.shape[0], -1)


def q4_0_rows(blocks: Any) -> Any:
    """Eight rows of Q4_0 interleaved by eight bytes."""
    grouped = blocks.reshape(N // 8, 8, N // 32, 18).transpose(0, 2, 1, 3)
    codes = grouped[..., 2:].reshape(N // 8, N // 32, 8, 2, 8).transpose(0, 1, 3, 2, 4) ^ 0x88
    parts = [grouped[..., :2].reshape(N // 8, N // 32, 16), codes.reshape(N // 8, N // 32, 128)]
    return np.concatenate(parts, -1).reshape(N // 8, -1)


def compiled(name: str, blocks: Any, made: Any) -> Callable[[], Any] | None:
    """ggml's repacking into given memory, from a library that was built of its source."""
    path = os.environ.get("BITSTRIDE_GGML_LIB")
    if path is None:
        return None
    function = getattr(ctypes.CDLL(path), name)
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64]

    def run() -> Any:
        function(made.ctypes.data, blocks.ctypes.data, N, N)
        return made

    return run


Cases = dict[str, tuple[int, dict[str, Callable[[], Any]]]]


def memory() -> Cases:
    """Bytes of packed input, and who repacks them."""
    codes = RANDOM.integers(0, 16, (N, N)).astype("u4")
    qweight = packed(codes, 0).view("i4")
    awq_order = np.arange(N).reshape(-1, 8)[:, [0, 2, 4, 6, 1, 3, 5, 7]].reshape(-1)
    awq = packed(codes[:, awq_order], 1).view("i4")
    scales = RANDOM.integers(0, 256, (16384, 1024)).astype("u1")
    hf = {
        "blocks": RANDOM.integers(0, 256, (N, N // 32, 16)).astype("u1"),
        "scales": RANDOM.integers(0, 255, (N, N // 32)).astype("u1"),
    }
    q4_0 = RANDOM.integers(0, 256, (N, N // 32 * 18)).astype("u1")
    q4_k = RANDOM.integers(0, 256, (N, N // 256 * 144)).astype("u1")
    made = np.zeros(q4_0.size, "u1")
    rows = "rows=8,interleave=8"
    cases: Cases = {
        "GPTQ to Marlin": (
            qweight.nbytes,
            {
                "bitstride": lambda: repack(qweight, "gptq:v2", "marlin", fields="codes"),
                "as vLLM": lambda: vllm_marlin(unpacked(qweight.view("u4").T).T),
            },
        ),
        "AWQ to GPTQ": (
            awq.nbytes,
            {
                "bitstride": lambda: repack(awq, "awq:gemm", "gptq:v2", fields="codes"),
                "as AutoAWQ": lambda: autoawq_reorder(awq.view("u4")),
            },
        ),
        "scales to 128x4": (
            scales.nbytes,
            {
                "bitstride": lambda: repack(scales, "mx:scale", "mx:scale128x4"),
                "as torchao": lambda: to_blocked(scales),
            },
        ),
        "MXFP4 to GGUF": (
            sum(array.nbytes for array in hf.values()),
            {
                "bitstride": lambda: next(iter(repack(hf, "hf:mxfp4", "gguf:mxfp4").values())),
                "as llama.cpp's converter": lambda: mxfp4_blocks(**hf),
            },
        ),
        "Q4_0 to 8x8": (
            q4_0.nbytes,
            {
                "bitstride": lambda: repack(q4_0, "gguf:q4_0", f"ggml:q4_0,{rows}"),
                "NumPy": lambda: q4_0_rows(q4_0),
            },
        ),
        "Q4_0 to 8x8, into memory": (
            q4_0.nbytes,
            {
                "bitstride": lambda: repack(q4_0, "gguf:q4_0", f"ggml:q4_0,{rows}", made),
                "ggml": compiled("repack_q4_0_8x8", q4_0, made),
            },
        ),
        "Q4_0 to 4x4, into memory": (
            q4_0.nbytes,
            {
                "bitstride": lambda: repack(q4_0, "gguf:q4_0", "ggml:q4_0,rows=4,interleave=4", made),
                "ggml": compiled("repack_q4_0_4x4", q4_0, made),
            },
        ),
        "Q4_K to 8x8, into memory": (
            q4_k.nbytes,
            {
                "bitstride": lambda: repack(q4_k, "gguf:q4_K", f"ggml:q4_K,{rows}", made),
                "ggml": compiled("repack_q4_K_8x8", q4_k, made),
            },
        ),
    }
    return {name: (size, {peer: run for peer, run in peers.items() if run}) for name, (size, peers) in cases.items()}


def files(folder: Path) -> Cases:
    """A file of 268 MB, repacked and copied."""
    k, n = 16384, 32768
    source, target = folder / "in.npy", folder / "out.npy"
    np.save(source, RANDOM.integers(-(2**31), 2**31, (k // 8, n), dtype="i4"))
    size = source.stat().st_size

    def ours() -> None:
        target.unlink(missing_ok=True)
        repack(source, "gptq:v2", "marlin", target, fields="codes", tensors="tensor")

    def copy() -> None:
        target.unlink(missing_ok=True)
        shutil.copyfile(source, target)

    return {"GPTQ to Marlin, file to file": (size, {"bitstride": ours, "copy of the file": copy})}


def timed(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def report(cases: Cases, runs: int) -> None:
    for name, (size, peers) in cases.items():
        # As bytes, since all may write to the same memory.
        answers = {peer: None if (answer := run()) is None else answer.tobytes() for peer, run in peers.items()}
        for peer, answer in answers.items():
            assert answer == answers["bitstride"], f"{name}: {peer} answers something else"
        rounds = [{peer: timed(run) for peer, run in peers.items()} for _ in range(runs)]
        times = {peer: min(times[peer] for times in rounds) for peer in peers}
        line = [
            f"{peer} {took * 1e3:.2f} ms ({size / took / 1e9:.1f} GB/s, {took / times['bitstride']:.1f}x)"
            for peer, took in times.items()
        ]
        print(f"{name:30}", "   ".join(line), flush=True)


if __name__ == "__main__":
    report(memory(), 21)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BITSTRIDE_BENCH_FOLDER")) as folder:
        report(files(Path(folder)), 5)
