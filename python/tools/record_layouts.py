"""Records what CuTe C++ and the CuTe DSL answer on registers like a layout's, equal orders, swizzled layouts that start
elsewhere, and tuples of one mode, for `testdata/cute/layouts.jsonl`.

The C++ questions are static and become one program. Run with the CuTe DSL, and the include folders of CUTLASS and CUDA:

    python python/tools/record_layouts.py CUTLASS/include CUDA/include > testdata/cute/layouts.jsonl
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cutlass.cute as cute  # type: ignore[import-not-found]

draw = random.Random(49)
EXTENTS = [1, 2, 2, 3, 4, 4, 5, 8]
Nest = Any


def shape(rank: int) -> Nest:
    """A shape of modes, some of which nest."""
    mode = lambda: tuple(draw.choices(EXTENTS, k=2)) if draw.random() < 0.3 else draw.choice(EXTENTS)  # noqa: E731
    return tuple(mode() for _ in range(rank))


def like(nest: Nest, leaves: Iterator[Any]) -> Nest:
    """A tuple of the same nesting with other leaves."""
    return tuple(like(entry, leaves) for entry in nest) if isinstance(nest, tuple) else next(leaves)


def leaves(nest: Nest) -> list[Any]:
    """The leaves from the left."""
    return [leaf for entry in nest for leaf in leaves(entry)] if isinstance(nest, tuple) else [nest]


def layout(extents: Nest, compact: bool = True) -> tuple[Nest, Nest]:
    """A layout of a shape, compact in some order or with any strides, two of which may be equal."""
    sizes = leaves(extents)
    strides, step = [draw.choice([0, 1, 2, 3, 8, 8, 40, 64]) for _ in sizes], 1
    if compact:
        for at in draw.sample(range(len(sizes)), len(sizes)):
            strides[at], step = step, step * sizes[at]
    return extents, like(extents, iter(strides))


class Question:
    """An operation with its operands: layouts are pairs, shapes are tuples, a swizzle stands before its offset and layout."""

    def __init__(self, op: str, *operands: Any) -> None:
        self.op, self.operands = op, operands

    def texts(self) -> list[str]:
        return [text(operand) for operand in self.operands]

    def cpp(self) -> str:
        name = {"tile_to_shape_ord": "tile_to_shape"}.get(self.op, self.op)
        return f"{name}({', '.join(map(cpp, self.operands))})"

    def dsl(self) -> str:
        name = {"tile_to_shape_ord": "tile_to_shape"}.get(self.op, self.op)
        try:
            return str(getattr(cute, name)(*map(python, self.operands)))
        except Exception as error:
            return f"!{type(error).__name__.lower()}"


def is_layout(operand: Any) -> bool:
    return isinstance(operand, list)


def text(operand: Any) -> str:
    if isinstance(operand, dict):
        return f"Sw<{','.join(map(str, operand['swizzle']))}> o {operand['offset']} o {text(operand['layout'])}"
    if is_layout(operand):
        return ":".join(map(text, operand))
    return f"({','.join(map(text, operand))})" if isinstance(operand, tuple) else str(operand)


def cpp(operand: Any) -> str:
    if isinstance(operand, dict):
        swizzle = ",".join(map(str, operand["swizzle"]))
        return f"composition(Swizzle<{swizzle}>{{}}, Int<{operand['offset']}>{{}}, {cpp(operand['layout'])})"
    if is_layout(operand):
        return f"make_layout({cpp(operand[0])}, {cpp(operand[1])})"
    return f"make_tuple({', '.join(map(cpp, operand))})" if isinstance(operand, tuple) else f"Int<{operand}>{{}}"


def python(operand: Any) -> Any:
    if isinstance(operand, dict):
        return cute.make_composed_layout(
            cute.make_swizzle(*operand["swizzle"]), operand["offset"], python(operand["layout"])
        )
    return cute.make_layout(operand[0], stride=operand[1]) if is_layout(operand) else operand


def questions() -> Iterator[Question]:
    for _ in range(50):
        extents = draw.choice(EXTENTS) if draw.random() < 0.1 else shape(draw.choice([1, 2, 3, 3, 4]))
        yield Question("make_fragment_like", list(layout(extents, draw.random() < 0.5)))
    for _ in range(12):
        extents = tuple(draw.choices(EXTENTS, k=draw.choice([2, 3, 4])))
        yield Question("make_ordered_layout", extents, tuple(draw.choice([0, 0, 1, 2]) for _ in extents))
    for _ in range(8):
        block = (draw.choice([2, 4]), draw.choice([2, 8]))
        target = (block[0] * draw.choice([1, 2]), block[1] * draw.choice([2, 3]), draw.choice([1, 3]))
        order = draw.choice([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 1, 2), (2, 0, 1)])
        yield Question("tile_to_shape_ord", list(layout(block)), target, order)
    for _ in range(12):
        swizzle, offset = (draw.choice([1, 2, 3]), draw.choice([0, 1, 3]), 3), draw.choice([0, 0, 3, 8, 16])
        yield Question("cosize", {"swizzle": swizzle, "offset": offset, "layout": list(layout(shape(2)))})
    for op in ["flat_divide", "tiled_divide", "zipped_divide"]:
        for _ in range(4):
            size = draw.choice([4, 8, 12])
            yield Question(op, list(layout((size,))), (draw.choice([1, 2, 4]),))
    for op in ["flat_product", "tiled_product", "raked_product", "blocked_product"]:
        for _ in range(4):
            yield Question(op, list(layout(draw.choice([(4,), ((2, 4),), (8,)]))), list(layout(draw.choice([(3,), (4,), ((2, 2),)]))))


def answers(asked: list[Question], includes: list[str]) -> list[str]:
    """What a program of CuTe C++ prints, without the marks of static integers."""
    lines = "\n".join(f'print({question.cpp()}); printf("\\n");' for question in asked)
    program = f"#include <cute/tensor.hpp>\n#include <cstdio>\nusing namespace cute;\nint main() {{\n{lines}\n}}\n"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "layouts.cpp")
        source.write_text(program)
        binary = Path(folder, "layouts")
        flags = [f"-I{include}" for include in includes]
        subprocess.run(["g++", "-std=c++20", *flags, source, "-o", binary], check=True)
        printed = subprocess.run([binary], check=True, capture_output=True, text=True).stdout
    return [re.sub(r"[_ ]", "", line) for line in printed.splitlines()]


def record(asked: list[Question], cpp_answers: list[str]) -> None:
    for number, (question, of_cpp) in enumerate(zip(asked, cpp_answers, strict=True)):
        of_dsl = question.dsl().replace(" ", "").replace("S<", "Sw<")
        row = {"id": f"{question.op}-l-{number:03}", "op": question.op, "in": question.texts(), "cpp": of_cpp}
        print(json.dumps(row | ({"same": "dsl"} if of_dsl == of_cpp else {"dsl": of_dsl}), separators=(",", ":")))


ASKED = list(questions())
ANSWERS = answers(ASKED, sys.argv[1:])


@cute.jit  # type: ignore[untyped-decorator]
def run() -> None:
    record(ASKED, ANSWERS)


run()
