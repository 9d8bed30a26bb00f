"""Records what CuTe C++ answers to the expressions of `crates/lang/tests/cute_cpp.jsonl`.

They are evaluated by the host's compiler, which needs the headers of CUTLASS and of CUDA; what they declare for the device is stood in
for. Run on the table whose answers are to be written anew, with the folders of headers:

    python python/tools/record_cpp.py crates/lang/tests/cute_cpp.jsonl CUTLASS/include CUDA/include …

An expression that the compiler refuses has an empty answer.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HEAD = """
struct Dim { unsigned x = 0, y = 0, z = 0; operator unsigned() const { return x; } };
static Dim threadIdx, blockIdx, blockDim, gridDim;
inline void __syncthreads() {}
inline void __syncwarp() {}
#include <cute/tensor.hpp>
#include <cutlass/detail/sm100_blockscaled_layout.hpp>
#include <cutlass/gemm/collective/builders/sm90_common.inl>
#include <cutlass/gemm/collective/builders/sm100_common.inl>
#include <cutlass/gemm/dispatch_policy.hpp>
#include <cutlass/gemm/gemm.h>
#include <cutlass/numeric_types.h>
#include <cstdio>
using namespace cute;
using namespace cutlass;
int main() {
"""
# A file of more statements takes the compiler long.
PART = 100


def value(expression: str) -> str:
    """The text as a value: a type is made by `{}`."""
    is_type = re.match(r"(cute::)?(Layout|ComposedLayout|Swizzle|GMMA::|UMMA::)\W*", expression) and expression.endswith(">")
    return expression + "{}" if is_type else expression


def compiled(expressions: list[str], folders: list[str]) -> list[str]:
    """What the expressions print; empty for each that is refused."""
    refused: set[int] = set()
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "rows.cpp"), Path(folder, "rows")
        # Functions that nothing calls are left out, since those of the CUDA runtime have no definition here.
        command = ["g++", "-std=c++17", "-O0", "-w", "-fmax-errors=5000", "-ffunction-sections", "-Wl,--gc-sections", *(f"-I{folder}" for folder in folders)]
        while True:
            rows = [row for row in range(len(expressions)) if row not in refused]
            lines = [f'printf("{row}\\t"); print({value(expressions[row])}); printf("\\n");' for row in rows]
            source.write_text(HEAD + "\n".join(lines) + "\n}\n")
            done = subprocess.run([*command, str(source), "-o", str(program)], capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            first = HEAD.count("\n") + 1
            wrong = {int(line) - first for line in re.findall(r"rows\.cpp:(\d+):", done.stderr)}
            found = {rows[line] for line in wrong if 0 <= line < len(rows)}
            if not found:
                raise SystemExit(done.stderr)
            refused |= found
        printed = subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout
    answers = dict(line.split("\t", 1) for line in printed.splitlines() if "\t" in line)
    return [answers.get(str(row), "") for row in range(len(expressions))]


def main() -> None:
    table, folders = sys.argv[1], sys.argv[2:]
    with open(table) as rows:
        expressions = [json.loads(row)["expr"] for row in rows]
    answers: list[str] = []
    for start in range(0, len(expressions), PART):
        answers += compiled(expressions[start : start + PART], folders)
    with open(table, "w") as rows:
        for expression, text in zip(expressions, answers, strict=True):
            rows.write(json.dumps({"expr": expression, "cpp": text}, separators=(",", ":")) + "\n")


main()
