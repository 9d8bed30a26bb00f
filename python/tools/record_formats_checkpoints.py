"""Records what quantizers write into checkpoints, for `crates/formats/tests/programs_checkpoints.tsv`.

The lines are those of `record_formats.py`. The packers run on a CPU, out of unpacked wheels of compressed-tensors and a checkout:

    python python/tools/record_formats_checkpoints.py compressed-tensors-0.11.0 compressed-tensors-0.20.1 DeepGEMM \
        crates/formats/tests/programs_checkpoints.tsv
"""

from __future__ import annotations

import ast
import math
import sys
from pathlib import Path
from typing import Any, Literal, Union

import numpy as np
import torch  # type: ignore[import-not-found]

draw = np.random.default_rng(17)
lines: list[str] = []


def line(name: str, tensor: str, field: str, values: np.ndarray, stored: torch.Tensor) -> None:
    """Adds a line: the values of a field as unsigned integers, and the tensor as it lies in memory."""
    memory = stored.contiguous().view(-1).view(torch.uint8).numpy()
    lines.append("\t".join([name, tensor, f"{field}={np.ascontiguousarray(values).tobytes().hex()}", memory.tobytes().hex()]) + "\n")


def functions(path: Path, names: list[str]) -> list[Any]:
    """Functions out of a file of which the rest needs other packages."""
    own = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef) and node.name in names]
    for node in own:
        node.decorator_list = []
    scope = {"torch": torch, "np": np, "math": math, "Literal": Literal, "Union": Union}
    exec(compile(ast.Module(own, []), str(path), "exec"), scope)
    return [scope[name] for name in names]


def compressed_tensors(root: Path, version: str) -> None:
    """Weights are packed along in-features, zero points along out-features; a tensor of three axes is packed matrix by matrix."""
    [file] = [path for path in root.rglob("*.py") if "\ndef pack_to_int32(" in path.read_text()]
    [pack] = functions(file, ["pack_to_int32"])
    for bits in [3, 4, 8]:
        middle = 1 << bits - 1
        for n, k in [(40, 64), (24, 96)]:
            name = f"ct:pack@{version},bits={bits},n={n},k={k},group=32,symmetric=0"
            codes = draw.integers(0, 1 << bits, (n, k), dtype=np.uint8)
            zeros = draw.integers(0, 1 << bits, (n, k // 32), dtype=np.uint8)
            signed = [torch.tensor((own.astype(int) - middle).astype(np.int8)) for own in (codes, zeros)]
            line(name, "weight_packed", "codes", codes, pack(signed[0], bits))
            line(name, "weight_zero_point", "zeros", zeros, pack(signed[1], bits, packed_dim=0))
            line(name, "weight_shape", "shape", np.array([n, k], "<u8"), torch.tensor(torch.Size((n, k))))
        if version != "old":
            codes = draw.integers(0, 1 << bits, (3, 8, 40), dtype=np.uint8)
            stored = pack(torch.tensor((codes.astype(int) - middle).astype(np.int8)), bits)
            line(f"ct:pack@{version},bits={bits},n=8,k=40,experts=3", "weight_packed", "codes", codes, stored)


def deepgemm(root: Path) -> None:
    """Gate and up rows, which the format counts from the up rows on, and the program from the gate rows on."""
    [interleave] = functions(root / "deep_gemm/mega/__init__.py", ["_interleave_weights"])
    for experts, m, b in [(1, 64, 4), (3, 32, 8)]:
        values = draw.integers(0, 256, (experts, m, b), dtype=np.uint8)
        stored = interleave(torch.tensor(np.roll(values, m // 2, axis=1)))
        line(f"deepgemm:megamoe,m={m},b={b},experts={experts}", "weight", "codes", values, stored)


def main() -> None:
    *roots, out = map(Path, sys.argv[1:])
    compressed_tensors(roots[0], "old")
    compressed_tensors(roots[1], "0.20")
    deepgemm(roots[2])
    out.write_text("".join(lines))


if __name__ == "__main__":
    main()
