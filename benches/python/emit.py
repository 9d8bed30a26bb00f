"""Instructions of emitted index functions beside code as it is written by hand, for ten real layouts.

Run it with a C compiler and `objdump` at hand: `python benches/python/emit.py target/release/bitstride [CC]`. Both functions are
compiled with -O2 and compared at every point of the domain; instructions are those of the function, without its return.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from math import prod
from pathlib import Path

# Name, layout, extents of the coordinates, and what a kernel's author writes, of coordinates a, b, c, d.
LAYOUTS = [
    ("padded rows", "(128,64):(72,1)", (128, 64), "a * 72 + b"),
    ("128-byte swizzle of halves", "Sw<3,3,3> o (64,64):(64,1)", (64, 64), "(a * 64 + b) ^ (((a * 64 + b) >> 3) & 56)"),
    ("64-byte swizzle of halves", "Sw<2,3,3> o (64,32):(32,1)", (64, 32), "(a * 32 + b) ^ (((a * 32 + b) >> 3) & 24)"),
    (
        "XLA's f32 tiles",
        "f32[1024,1024]{1,0:T(8,128)}",
        (1024, 1024),
        "(a / 8 * 8 + b / 128) * 1024 + a % 8 * 128 + b % 128",
    ),
    (
        "XLA's bf16 tiles",
        "bf16[1024,1024]{1,0:T(8,128)(2,1)}",
        (1024, 1024),
        "(a / 8 * 8 + b / 128) * 1024 + a % 8 / 2 * 256 + b % 128 * 2 + a % 2",
    ),
    (
        "channels in sixteens",
        "tag(aBcd16b, (8,64,14,14))",
        (8, 64, 14, 14),
        "(((a * 4 + b / 16) * 14 + c) * 14 + d) * 16 + b % 16",
    ),
    ("NHWC from NCHW", "(8,64,14,14):(12544,1,896,64)", (8, 64, 14, 14), "((a * 14 + c) * 14 + d) * 64 + b"),
    (
        "an accumulator of mma.m16n8k16, rows of 8",
        "(32,4):(1,1)",
        (32, 4),
        "(a / 4 + b / 2 * 8) * 8 + a % 4 * 2 + b % 2",
    ),
    ("rows of ldmatrix.x4 in a swizzled tile", "", (32,), "((a % 16) * 64 + a / 16 * 8) ^ ((a % 8) * 8)"),
    (
        "block scales in tiles of 128 x 4",
        "",
        (256, 16),
        "(a / 128 * 4 + b / 4) * 512 + a % 32 * 16 + a % 128 / 32 * 4 + b % 4",
    ),
]

# The layouts that are no notation by themselves.
EXPRESSIONS = {
    "an accumulator of mma.m16n8k16, rows of 8": "((4,8),(2,2)):((2,8),(1,64))",
    "rows of ldmatrix.x4 in a swizzled tile": "Sw<3,3,3> o (((8,2),2)):(((64,512),8))",
    "block scales in tiles of 128 x 4": "((32,4,2),(4,4)):((16,4,2048),(1,512))",
}


def emitted(program: str, expression: str) -> str:
    """The function to the place, by the command."""
    text = subprocess.run([program, "emit", "index", expression], check=True, capture_output=True, text=True).stdout
    return text[: text.index("\n}\n") + 3]


def instructions(folder: Path, compiler: str, source: str) -> dict[str, int]:
    (folder / "f.c").write_text(source)
    subprocess.run([compiler, "-O2", "-c", "-fno-pic", folder / "f.c", "-o", folder / "f.o"], check=True)
    listing = subprocess.run(["objdump", "-d", folder / "f.o"], check=True, capture_output=True, text=True).stdout
    counts = {}
    for name, body in re.findall(r"<(\w+)>:\n((?:.+\n)+)", listing):
        words = [line.split("\t")[2].split()[0] for line in body.splitlines() if line.count("\t") >= 2]
        counts[name] = len([word for word in words if not re.match(r"ret|nop|endbr|cs|data16|xchg", word)])
    return counts


def main() -> None:
    program, compiler = sys.argv[1], (sys.argv + ["cc"])[2]
    print("| layout | emitted | by hand |\n|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, expression, extents, by_hand in LAYOUTS:
            names = "abcd"[: len(extents)]
            ours = emitted(program, EXPRESSIONS.get(title, expression)).replace("static inline ", "")
            theirs = f"uint32_t by_hand({', '.join(f'uint32_t {name}' for name in names)}) {{ return {by_hand}; }}"
            loops = "".join(f"for (uint32_t {n} = 0; {n} < {e}; {n}++) " for n, e in zip(names, extents, strict=True))
            given = ", ".join(names)
            test = f"int main(void) {{ uint64_t points = 0; {loops}{{ if (layout_offset({given}) != by_hand({given})) return 1; points++; }} return points != {prod(extents)}; }}"
            counts = instructions(folder, compiler, f"{ours}\n{theirs}\n")
            (folder / "t.c").write_text(f"{ours}\n{theirs}\n{test}\n")
            subprocess.run([compiler, "-O1", folder / "t.c", "-o", folder / "t"], check=True)
            subprocess.run([folder / "t"], check=True)
            print(f"| {title} | {counts['layout_offset']} | {counts['by_hand']} |")


if __name__ == "__main__":
    main()
