"""Records what servers make of quantized weights, scales and caches when they load them, for `crates/formats/tests/programs_serving.tsv`.

The lines are those of `record_formats.py`. All packers run on a CPU, out of checkouts and an unpacked wheel of vLLM:

    python python/tools/record_formats_serving.py AITER triton_kernels DeepGEMM FlashMLA flashinfer vllm crates/formats/tests/programs_serving.tsv

Here `triton_kernels` is the folder that has the package of this name, and `vllm` the one that has the package `vllm`.
"""

from __future__ import annotations

import ast
import ctypes
import re
import subprocess
import sys
import tempfile
import types
from importlib import import_module
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import torch  # type: ignore[import-not-found]

draw = np.random.default_rng(11)
lines: list[str] = []


def line(name: str, tensor: str, fields: dict[str, Any], stored: torch.Tensor) -> None:
    """Adds a line; fields are arrays of unsigned integers, the tensor is written as it lies in memory."""
    texts = [f"{field}={np.ascontiguousarray(values).tobytes().hex()}" for field, values in fields.items()]
    order = sorted(range(stored.dim()), key=lambda dim: -stored.stride(dim))
    memory = stored.permute(order).contiguous().view(-1).view(torch.uint8).numpy()
    lines.append("\t".join([name, tensor, *texts, memory.tobytes().hex()]) + "\n")


def numbers(*shape: int, end: int = 256) -> np.ndarray:
    """Bytes below an end."""
    return draw.integers(0, end, shape, dtype=np.uint8)


def source(path: Path, **modules: Any) -> Any:
    """A module of a file, beside stand-ins for modules that packing does not need."""
    sys.modules.update(modules)
    module = types.ModuleType(path.stem)
    SourceFileLoader(path.stem, str(path)).exec_module(module)
    return module


def functions(path: Path, names: list[str], **known: Any) -> list[Any]:
    """Functions out of a file of which the rest needs a GPU, also those within others."""
    tree = ast.parse(path.read_text())
    own = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name in names]
    scope = {"torch": torch, "Tuple": tuple, **known}
    exec(compile(ast.Module(own, []), str(path), "exec"), scope)
    return [scope[name] for name in names]


def aiter(root: Path) -> None:
    """AITER: weights as rows of bytes, and scales."""
    shuffle = source(root / "aiter/ops/shuffle.py", **{
        name: MagicMock() for name in ["aiter", "aiter.jit", "aiter.jit.utils", "aiter.jit.utils.chip_info"]
    })
    for n, b, rows in [(16, 64, 16), (48, 32, 16), (64, 32, 32)]:
        values = numbers(n, b)
        stored = shuffle.shuffle_weight(torch.tensor(values), layout=(rows, 16))
        line(f"aiter:weight,m={n},b={b},rows={rows}", "weight", {"codes": values}, stored)
        # Elements of two bytes, and the same tiles under other names.
        if b % 64 == 0:
            wide = shuffle.shuffle_weight(torch.tensor(values).view(torch.bfloat16), layout=(rows, 16))
            assert (wide.view(torch.uint8) == stored).all()
        if rows == 16:
            for other in [shuffle.shuffle_weight_f4, shuffle.shuffle_mxfp8fp4_b, shuffle.shuffle_weight_gfx1250]:
                assert (other(torch.tensor(values)).view(-1) == stored.view(-1)).all()
    for experts, n, b in [(1, 64, 64), (3, 32, 64)]:
        values = numbers(experts, n, b)
        stored = shuffle.shuffle_weight_a16w4(torch.tensor(values), 16, True)
        line(f"aiter:w13,experts={experts},m={n},b={b}", "weight", {"codes": values}, stored)
    for m, s in [(256, 16)]:
        values = numbers(m, s)
        line(f"aiter:scale,m={m},s={s}", "scales", {"scales": values}, shuffle.shuffle_scale(torch.tensor(values)))
    for experts, n, s in [(1, 64, 8), (2, 32, 14)]:
        values = numbers(experts, n, s)
        stored = shuffle.shuffle_scale_a16w4(torch.tensor(values).view(experts * n, s), experts, True)
        line(f"aiter:w13scale,experts={experts},m={n},s={s}", "scales", {"scales": values}, stored)
    for m, s in [(64, 8), (50, 4)]:
        values = numbers(m, s)
        stored = shuffle.shuffle_mxfp8fp4_scale(torch.tensor(values))
        line(f"aiter:scale32x4,m={m},s={s}", "scales", {"scales": values}, stored)
        assert m % 32 or (shuffle.shuffle_scale_n32k4(torch.tensor(values), 1).view(-1) == stored.view(-1)).all()


def triton_kernels(root: Path) -> None:
    """triton_kernels: the layouts of values and scales, made of matrices (in-features, out-features) with pairs along the last axis."""
    package = types.ModuleType("triton_kernels")
    package.__path__ = [str(root / "triton_kernels")]
    sys.modules["triton_kernels"] = package

    def layout(module: str, name: str, *parameters: int) -> Any:
        own = import_module(f"triton_kernels.tensor_details.layout_details.{module}")
        return getattr(own, name)(*parameters)

    def values(name: str, own: Any, k: int, n: int) -> None:
        codes = numbers(k, n, end=16)
        transformation = own.make_transformation([k, n], True)
        stored = transformation.swizzle_data(torch.tensor(codes[:, ::2] | codes[:, 1::2] << 4))
        if "blackwell.value" in name:
            # What fills up a row is not written.
            stored[k // 2 :] = 0
        line(f"{name},k={k},n={n}", "weight", {"codes": codes}, stored)

    def scales(name: str, own: Any, m: int, s: int) -> None:
        given = numbers(m, s)
        stored = own.make_transformation([s, m], False).swizzle_data(torch.tensor(given.T.copy()))
        line(f"{name},m={m},s={s}", "scales", {"scales": given}, stored)

    for mma, k, n in [(3, 192, 32), (2, 64, 16)]:
        values(f"triton:hopper.value,mma={mma}", layout("hopper_value", "HopperMXValueLayout", -2, mma), k, n)
    values("triton:blackwell.value", layout("blackwell_value", "BlackwellMXValueLayout"), 256, 8)
    values("triton:blackwell.value", layout("blackwell_value", "BlackwellMXValueLayout"), 320, 6)
    for block_k, block_n, k, n in [(128, 4, 256, 8), (256, 4, 288, 6), (64, 4, 96, 6)]:
        own = layout("blackwell_value_shuffled", "BlackwellMX4ValueShuffledLayout", block_k, block_n)
        values(f"triton:blackwell.shuffled,block_k={block_k},block_n={block_n}", own, k, n)
    for warps, m, s in [(8, 256, 4), (4, 140, 3)]:
        scales(f"triton:hopper.scale,warps={warps}", layout("hopper_scale", "HopperMXScaleLayout", -2, warps), m, s)
    for m, s in [(128, 8), (140, 5)]:
        scales("triton:blackwell.scale", layout("blackwell_scale", "BlackwellMXScaleLayout"), m, s)
        scales("triton:cdna4.scale", layout("cdna4_scale", "CDNA4MXScaleLayout"), m, s)
    # The layout of gfx1250 is that of cuBLAS.
    scales("mx:scale128x4", layout("gfx1250_scale", "GFX1250MXScaleLayout"), 140, 6)


def deepgemm(root: Path) -> None:
    """DeepGEMM: packed exponents, and the cache of an indexer."""

    def up(x: int, to: int) -> int:
        return -(-x // to) * to

    sizes = {"get_tma_aligned_size": lambda rows, size: up(rows, 16 // size), "align": up}
    (packed,) = functions(root / "tests/test_layout.py", ["get_mn_major_tma_aligned_packed_ue8m0_tensor_torch_impl"], **sizes)
    for m, s in [(50, 6), (64, 8)]:
        given = numbers(m, s, end=254) + 1
        values = np.ldexp(np.float32(1), given.astype(np.int32) - 127)
        stored = packed(torch.tensor(values))
        whole = torch.as_strided(stored, (-(-s // 4), up(m, 4)), (up(m, 4), 1))
        line(f"deepgemm:ue8m0,m={m},s={s}", "scales", {"scales": values}, whole)
    (cast,) = functions(root / "tests/test_attention.py", ["kv_cache_cast_to_fp8"])
    for pages, block, d in [(2, 32, 16), (1, 8, 128)]:
        # Keys of which each token's largest is 448*2^i have scales that are powers of two, and are their own codes.
        keys = torch.tensor(numbers(pages * block, d, end=126)).view(torch.float8_e4m3fn).float()
        keys[:, 0] = 448
        scales = np.ldexp(np.float32(1), draw.integers(-8, 8, pages * block))
        stored, _ = cast((keys * torch.tensor(scales)[:, None]).view(pages, block, 1, d))
        fields = {"keys": keys.to(torch.float8_e4m3fn).view(torch.uint8).numpy(), "scales": scales}
        line(f"deepgemm:kv.index,t={pages * block},d={d},block={block}", "cache", fields, stored)


def flashmla(root: Path) -> None:
    """FlashMLA: caches of codes, scales and the rotary part."""
    quant = source(root / "tests/quant.py")
    for name, own, group, groups, rope in [("v32", "V32_FP8Sparse", 128, 4, 64), ("model1", "MODEL1_FP8Sparse", 64, 7, 64)]:
        pages, block = 2, 2
        t, d = pages * block, group * groups
        codes = torch.tensor(numbers(t, d, end=126)).view(torch.float8_e4m3fn).float()
        codes[:, ::group] = 448
        scales = np.ldexp(np.float32(1), draw.integers(-8, 8, (t, groups)))
        rotary = torch.tensor(draw.integers(-99, 99, (t, rope)), dtype=torch.bfloat16)
        values = torch.cat([(codes * torch.tensor(scales).repeat_interleave(group, 1)).bfloat16(), rotary], 1)
        assert (values[:, :d].float() == codes * torch.tensor(scales).repeat_interleave(group, 1)).all()
        stored = quant.quantize_k_cache(values.view(pages, block, 1, -1), quant.FP8KVCacheLayout[own]).view(torch.uint8)
        if name == "model1":
            # The last byte of a token's exponents and the end of a page are not written.
            page = -(-584 * block // 576) * 576
            whole = torch.zeros(pages, page, dtype=torch.uint8)
            whole[:, : 584 * block] = stored.reshape(pages, -1)
            whole[:, 576 * block :].view(pages, -1, 8)[:, :block, 7] = 0
            stored = whole
        kinds = torch.tensor(scales).to(torch.float8_e8m0fnu).view(torch.uint8).numpy() if name == "model1" else scales
        parts = {"codes": codes.to(torch.float8_e4m3fn).view(torch.uint8).numpy(), "scales": kinds}
        parts["rope"] = rotary.view(torch.int16).numpy()
        line(f"flashmla:kv.{name},t={t},block={block}", "cache", parts, stored)


def flashinfer(root: Path) -> None:
    """The offsets of the 8x4 tiles, by the function that kernels call."""
    text = (root / "csrc/nv_internal/tensorrt_llm/kernels/quantization_utils.cuh").read_text()
    own = re.search(r"inline __device__ __host__ int64_t get_sf_out_offset_8x4\(int mIdx.*?\n}\n", text, re.DOTALL)
    assert own
    with tempfile.TemporaryDirectory() as folder:
        code, library = Path(folder, "offset.cpp"), Path(folder, "offset.so")
        code.write_text('#include <cstdint>\n#define __device__\n#define __host__\nextern "C" ' + own[0].removeprefix("inline "))
        subprocess.run(["g++", "-shared", "-fPIC", "-o", library, code], check=True)
        offset = ctypes.CDLL(str(library)).get_sf_out_offset_8x4
        offset.restype = ctypes.c_int64
        for m, s in [(16, 8), (13, 6)]:
            given, stored = numbers(m, s), np.zeros((-(-m // 8) * 8, -(-s // 4) * 4), np.uint8)
            for row in range(m):
                for column in range(s):
                    stored.reshape(-1)[offset(row, column, s)] = given[row, column]
            line(f"mx:scale8x4,m={m},s={s}", "scales", {"scales": given}, torch.tensor(stored))


def vllm(root: Path) -> None:
    """vLLM: MXFP4 weights for Marlin, of which the codes are packed by the function that its tests hold against the kernel."""
    utils = root / "vllm/model_executor/layers/quantization/utils"
    marlin, tests, fp4 = utils / "marlin_utils.py", utils / "marlin_utils_test.py", utils / "marlin_utils_fp4.py"
    scale_perms, permute = functions(marlin, ["get_scale_perms", "marlin_permute_scales"])
    known = {"get_scale_perms": scale_perms, "np": np, "GPTQ_MARLIN_TILE": 16, "get_pack_factor": lambda bits: 32 // bits}
    permute.__globals__.update(known)
    _, pack, weight_perm = functions(tests, ["marlin_permute_weights", "marlin_weights", "get_weight_perm"], **known)
    (process,) = functions(fp4, ["mxfp4_marlin_process_scales"])
    for k, n in [(64, 64), (32, 64)]:
        codes, scales = numbers(k, n, end=16), numbers(k // 32, n, end=200) + 20
        name = f"marlin:mxfp4,k={k},n={n}"
        line(name, "weight", {"codes": codes}, pack(torch.tensor(codes.astype(np.int32)), k, n, 4, weight_perm(4)))
        wide = torch.tensor(scales).view(torch.float8_e8m0fnu).to(torch.bfloat16)
        line(name, "weight_scale", {"scales": scales}, process(permute(wide, k, n, 32)))


def main() -> None:
    """Records each program that a command line names."""
    *roots, out = map(Path, sys.argv[1:])
    for program, root in zip([aiter, triton_kernels, deepgemm, flashmla, flashinfer, vllm], roots, strict=True):
        program(root)
    out.write_text("".join(lines))


main()
