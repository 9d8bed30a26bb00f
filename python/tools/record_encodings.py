"""Records the linear layouts of drawn types and of drawn layouts of Gluon, for `testdata/triton/drawn_types.jsonl`.

A row has a type, or a call of Gluon with a shape, and the layout that Triton gives it; what Triton refuses is left out. Parameters
go together as in programs, or do not: dims smaller than a tile, blocks of a cluster that share elements, any order, ranks 1 to 5.
The library exports its symbols, so a text is read and laid out by it without a kernel. It ends the process where it is asked what it
cannot answer, so the questions are asked in child processes. Run with Triton 3.9:

    python python/tools/record_encodings.py 1500 | gzip -n9 > testdata/triton/drawn_types.jsonl.gz
"""

from __future__ import annotations

import ctypes
import json
import os
import random
import re
import sys
from collections.abc import Iterator
from typing import Any

from triton._C import libtriton  # type: ignore[import-not-found]
from triton._C.libtriton import gluon_ir, ir
from triton.experimental.gluon import language as gl  # type: ignore[import-not-found]
from triton.experimental.gluon.language.amd.gfx1250 import PartitionedSharedLayout  # type: ignore[import-not-found]
from triton.experimental.gluon.language.nvidia.blackwell import (  # type: ignore[import-not-found]
    TensorMemoryLayout,
    TensorMemoryScalesLayout,
)

draw = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 39)
NAMES = {"gl": gl, "TensorMemoryLayout": TensorMemoryLayout, "TensorMemoryScalesLayout": TensorMemoryScalesLayout}
NAMES["PartitionedSharedLayout"] = PartitionedSharedLayout
Question = tuple[str, list[int]]


def power(low: int, high: int) -> int:
    return 1 << draw.randint(low, high)


def split(rank: int, bits: int) -> list[int]:
    """Sizes whose product is a power of two."""
    sizes = [1] * rank
    for _ in range(bits):
        sizes[draw.randrange(rank)] *= 2
    return sizes


def some_rank() -> int:
    return draw.choice([1, 2, 2, 2, 2, 3, 3, 4, 5])


def order(rank: int) -> list[int]:
    return draw.sample(range(rank), rank)


def units(rank: int, count: int, zeros: float) -> list[list[int]]:
    """Bases of single bits, the bits of each dim from the lowest on, some of which are zero; in any order."""
    following, bases = [1] * rank, []
    for _ in range(count):
        basis = [0] * rank
        if draw.random() >= zeros:
            dim = draw.randrange(rank)
            basis[dim] = following[dim]
            following[dim] *= 2
        bases.append(basis)
    draw.shuffle(bases)
    return bases


def cluster(rank: int) -> list[list[int]]:
    return units(rank, draw.choice([0, 0, 0, 1, 1, 2, 3]), 0.25)


def shape(rank: int) -> list[int]:
    while True:
        sizes = [power(0, draw.choice([1, 3, 6, 8])) for _ in range(rank)]
        elements = 1
        for size in sizes:
            elements *= size
        if elements <= 1 << 16:
            return sizes


def blocked(rank: int) -> str:
    sizes = [power(0, draw.choice([0, 1, 3])) for _ in range(rank)]
    threads, warps = split(rank, draw.choice([5, 6, 3, 0])), split(rank, draw.choice([0, 1, 2, 3]))
    return f"gl.BlockedLayout({sizes}, {threads}, {warps}, {order(rank)}, {cluster(rank)})"


def nvidia_mma(rank: int) -> str:
    version = draw.choice([2, 2, 3]) if rank == 2 else 2
    tile = draw.choice([[16, 8], [16, 8], [8, 8], [16, 16]])
    instruction = [1] * (rank - 2) + tile if version == 2 else [16, draw.choice([8, 16, 64, 256]), draw.choice([8, 16, 32])]
    warps = split(rank, draw.choice([0, 1, 2, 3]))
    return f"gl.NVMMADistributedLayout([{version}, 0], {warps}, {instruction}, {cluster(rank)})"


def amd_mfma(rank: int) -> str:
    instruction = draw.choice([[32, 32, 8], [16, 16, 16], [16, 16, 4], [64, 4, 4], [4, 64, 4]])
    bits = draw.choice([None, None, 32, 64])
    tiles = [power(0, 1) for _ in range(rank)] if draw.random() < 0.4 else None
    version, transposed, warps = draw.randint(1, 4), draw.random() < 0.5, split(rank, draw.choice([0, 1, 2, 3]))
    return f"gl.amd.AMDMFMALayout({version}, {instruction}, {transposed}, {warps}, {bits}, {tiles}, {cluster(rank)})"


def amd_wmma(rank: int) -> str:
    version = draw.choice([1, 2, 3, 3])
    instruction = draw.choice({1: [[16, 16, 16]], 2: [[16, 16, 16], [16, 16, 32]]}.get(version, [[16, 16, 4], [16, 16, 128], [32, 16, 128]]))
    tiles = units(rank, draw.randint(0, 4), 0)
    cut = draw.randint(0, len(tiles))
    transposed = draw.random() < 0.5
    return (
        f"gl.amd.AMDWMMALayout({version}, {transposed}, {tiles[cut:]}, {tiles[:cut]}, {instruction}, {cluster(rank)}, {rank})"
    )


def distributed(rank: int, depth: int = 0) -> str:
    """A layout of registers of any kind."""
    kinds = [blocked] + ([nvidia_mma, amd_mfma, amd_wmma, operand] if rank in (2, 3) else [])
    if depth < 2 and rank < 5:
        kinds.append(lambda rank: f"gl.SliceLayout({draw.randrange(rank + 1)}, {distributed(rank + 1, depth + 1)})")
    return draw.choice(kinds)(rank)


def operand(rank: int) -> str:
    parent = draw.choice([blocked, nvidia_mma, nvidia_mma, amd_mfma, amd_wmma])(rank)
    width = 0 if "Blocked" in parent else draw.choice([1, 2, 4, 8, 16])
    return f"gl.DotOperandLayout({draw.choice([0, 1])}, {parent}, {width})"


def linear() -> Question:
    """A layout of registers by its bases, which may be sums of bits."""
    rank = some_rank()
    bases = units(rank, draw.randint(1, 9), 0.1)
    for basis in bases[:-1]:
        if draw.random() < 0.1:
            basis[:] = [value ^ other for value, other in zip(basis, bases[-1], strict=True)]
    places: list[list[list[int]]] = [[], [], [], []]
    for basis in bases:
        draw.choice(places).append(basis)
    reach = [1 << max(basis[dim] for basis in bases).bit_length() for dim in range(rank)]
    return f"gl.DistributedLinearLayout({', '.join(map(str, places))}, {reach})", shape(rank)


def offsets(sizes: list[int], part: float) -> tuple[list[list[int]], list[list[int]]]:
    """Bases of shared memory that reach over a shape, some of them sums, and others for the blocks of a cluster."""
    bases = [[1 << bit if at == dim else 0 for at in range(len(sizes))] for dim, size in enumerate(sizes) for bit in range(size.bit_length() - 1)]
    draw.shuffle(bases)
    cut = draw.randint(0, 2) if draw.random() < part else 0
    own, blocks = bases[cut:], bases[:cut]
    for basis in own[:-1]:
        if draw.random() < 0.2:
            basis[:] = [value ^ other for value, other in zip(basis, own[-1], strict=True)]
    return own, blocks


def shared() -> Question:
    """A layout of shared memory of any kind."""
    rank = some_rank()
    sizes = shape(rank)
    kind = draw.choice(["swizzled", "nvmma", "nvmma", "default", "padded", "walk", "linear", "partitioned"])
    if kind == "swizzled":
        vec, per_phase, max_phase = power(0, 4), power(0, 4), power(0, 4)
        return f"gl.SwizzledSharedLayout({vec}, {per_phase}, {max_phase}, {order(rank)}, {cluster(rank)})", sizes
    if kind in ("nvmma", "default"):
        transposed, padded, blocks = draw.random() < 0.4, draw.random() < 0.2, cluster(rank)
        width, bits = draw.choice([0, 32, 64, 128]), draw.choice([8, 16, 32, 64])
        width, bits = (128, 8) if padded else (width, bits)
        sizes[0 if transposed else -1] *= max(1, width * 8 // bits)
        sizes[1 % rank if transposed else -min(2, rank)] *= 8
        for dim in range(rank):
            sizes[dim] *= 1 << sum(basis[dim] != 0 for basis in blocks)
        if kind == "default":
            # Gluon takes a list of a shape only.
            dtype = {8: "int8", 16: "float16", 32: "float32", 64: "float64"}[bits]
            return f"gl.NVMMASharedLayout.get_default_for({sizes}, gl.{dtype}, {transposed}, {padded}, {blocks})", sizes
        return f"gl.NVMMASharedLayout({width}, {bits}, {rank}, {transposed}, {padded}, {blocks})", sizes
    pairs = sorted({power(1, 7): power(0, 4) for _ in range(draw.randint(1, 3))}.items())
    intervals = [list(pair) for pair in pairs]
    if kind == "walk":
        blocks = cluster(rank)
        for dim in range(rank):
            sizes[dim] *= 1 << sum(basis[dim] != 0 for basis in blocks)
        return f"gl.PaddedSharedLayout.with_identity_for({intervals}, {sizes}, {order(rank)}, {blocks})", sizes
    if kind == "padded":
        own, blocks = offsets(sizes, 0)[0], cluster(rank)
        whole = [size << sum(basis[dim] != 0 for basis in blocks) for dim, size in enumerate(sizes)]
        return f"gl.PaddedSharedLayout({intervals}, {own}, {blocks}, {whole})", whole
    if kind == "linear":
        own, blocks = offsets(sizes, 0.5)
        return f"gl.SharedLinearLayout({own}, {blocks}, {power(0, 8)})", sizes
    partitions, groups, dim = power(0, 2), power(0, 2), draw.randrange(rank)
    piece = f"gl.SwizzledSharedLayout({power(0, 3)}, {power(0, 3)}, {power(0, 3)}, {order(rank)}, {cluster(rank)})"
    sizes[dim] *= partitions * groups
    return f"PartitionedSharedLayout({partitions}, {groups}, {dim}, {piece})", sizes


def tensor_memory() -> Question:
    """A type of tensor memory, which knows its elements, and may be a part of an allocation."""
    rows, columns = power(6, 9), power(0, 8)
    block = [draw.choice([64, 128]), power(0, 8)]
    blocks = draw.choice([[], [], [[1, 0]], [[0, 1]], [[1, 0], [0, 1]], [[0, 0]]])
    if draw.random() < 0.3:
        element, word = "i8", draw.choice(["mnThenK", "kThenMn"])
        bases = f"CGALayout = {blocks}, " if blocks else ""
        encoding = f"#ttng.tensor_memory_scales_encoding<{bases}blockRepOrder = {word}>"
        rows, columns = power(3, 9), power(1, 6)
    else:
        element = draw.choice(["f32", "f16", "i8", "bf16"])
        stride = draw.choice([1, 1, 1, 2, 4])
        more = f", CGALayout = {blocks}" if blocks else ""
        more += ", twoCTAs = true" if blocks[:1] == [[1, 0]] and draw.random() < 0.5 else ""
        more += ", fp4Padded = true" if element == "i8" and stride == 1 and draw.random() < 0.5 else ""
        encoding = f"#ttng.tensor_memory_encoding<blockM = {block[0]}, blockN = {block[1]}, colStride = {stride}{more}>"
    for basis in blocks:
        rows, columns = rows << (basis[0] != 0), columns << (basis[1] != 0)
    whole = f", {rows}x{columns}" if draw.random() < 0.3 else ""
    columns = columns // power(0, 2) or 1 if whole else columns
    return f"!ttg.memdesc<{rows}x{columns}x{element}, {encoding}, #ttng.tensor_memory, mutable{whole}>", []


def questions(count: int) -> Iterator[Question]:
    for _ in range(count):
        kind = draw.choice(["distributed", "distributed", "linear", "shared", "shared", "memory"])
        if kind == "distributed":
            rank = some_rank()
            yield distributed(rank), shape(rank)
        else:
            yield {"linear": linear, "shared": shared, "memory": tensor_memory}[kind]()


class Text(ctypes.Structure):
    """A piece of text, as LLVM passes it."""

    _fields_ = [("start", ctypes.c_char_p), ("length", ctypes.c_size_t)]


class Numbers(ctypes.Structure):
    """A list of numbers, as LLVM passes it."""

    _fields_ = [("start", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Library:
    """The layouts of Triton by its symbols."""

    def __init__(self) -> None:
        library = ctypes.CDLL(libtriton.__file__)
        pointer = ctypes.c_void_p

        def symbol(name: str, result: Any, *arguments: Any) -> Any:
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
            return function

        self.parse_type = symbol(
            "_ZN4mlir9parseTypeEN4llvm9StringRefEPNS_11MLIRContextEPmb", pointer, Text, pointer, pointer, ctypes.c_bool
        )
        name = "_ZN4mlir6triton3gpu29toLinearLayoutIgnoringPaddingE"
        self.of_attribute = symbol(name + "N4llvm8ArrayRefIlEENS_9AttributeE", None, pointer, Numbers, pointer)
        self.of_memory = symbol(name + "NS1_11MemDescTypeE", None, pointer, pointer)
        self.printed = symbol("_ZNK4mlir6triton12LinearLayout8toStringB5cxx11Ev", None, pointer, pointer)
        self.context = ir.context()
        ir.load_dialects(self.context)
        self.builder = gluon_ir.GluonOpBuilder(self.context)
        self.layout = ctypes.create_string_buffer(1 << 16)

    @staticmethod
    def held(bound: Any) -> int:
        """The pointer in an object of the binding, whose header says where it lies."""
        start = id(bound)
        behind = ctypes.c_int32.from_address(start + object.__basicsize__).value
        return int(ctypes.c_void_p.from_address(start + behind).value or 0)

    def answer(self, text: str, sizes: list[int]) -> str | None:
        """The print of the layout of a type, or of a layout of Gluon on a shape."""
        if text.startswith("!"):
            read = self.parse_type(Text(text.encode(), len(text.encode())), self.held(self.context), None, False)
            if not read:
                return None
            self.of_memory(self.layout, read)
        else:
            attribute = eval(text, NAMES)._to_ir(self.builder)  # noqa: S307
            numbers = (ctypes.c_int64 * len(sizes))(*sizes)
            self.of_attribute(self.layout, Numbers(ctypes.addressof(numbers), len(sizes)), self.held(attribute))
        string = ctypes.create_string_buffer(32)
        self.printed(string, self.layout)
        start, length = ctypes.c_void_p.from_buffer(string).value, ctypes.c_size_t.from_buffer(string, 8).value
        return ctypes.string_at(start, length).decode()


def bases(printed: str) -> dict[str, Any]:
    """The bases by in dim of a print, and the sizes of the out dims."""
    out: dict[str, Any] = {}
    last = ""
    for line in printed.splitlines():
        if line.startswith("where"):
            out["shape"] = [int(size) for size in re.findall(r"size (\d+)\)", line)]
        elif found := re.match(r" (?:-|  ) ?(\w+)=\d+ -> \((.*)\)", line):
            last = found[1]
            out.setdefault(last, []).append([int(value) for value in found[2].split(",")])
        elif found := re.match(r" - (\w+) is a size 1 dimension", line):
            out[found[1]] = []
    return out


def covers(layout: dict[str, Any]) -> bool:
    """Whether every element has a place; what Triton says of other layouts is refused here."""
    pivots: dict[int, int] = {}
    for basis in (basis for name, images in layout.items() if name != "shape" for basis in images):
        vector = 0
        for value, size in zip(basis, layout["shape"], strict=True):
            vector = vector * size + value
        while vector and vector.bit_length() in pivots:
            vector ^= pivots[vector.bit_length()]
        if vector:
            pivots[vector.bit_length()] = vector
    elements = 1
    for size in layout["shape"]:
        elements *= size
    return 1 << len(pivots) == elements


def answered(asked: list[Question]) -> Iterator[tuple[Question, str]]:
    """The answers, each child going on behind the question that ended the one before."""
    at = 0
    while at < len(asked):
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.close(reading)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            library = Library()
            with os.fdopen(writing, "w") as pipe:
                for text, sizes in asked[at:]:
                    try:
                        answer = library.answer(text, sizes)
                    except Exception:  # what Gluon refuses
                        answer = None
                    print(json.dumps(answer), file=pipe, flush=True)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            for line in pipe:
                answer = json.loads(line)
                if answer is not None:
                    yield asked[at], answer
                at += 1
        os.wait()
        at += 1


def main() -> None:
    asked = list(questions(int(sys.argv[1])))
    for number, ((text, sizes), printed) in enumerate(answered(asked)):
        row: dict[str, Any] = {"id": f"drawn-{number:04}", "text": text}
        if sizes:
            row["on"] = sizes
        layout = bases(printed)
        if covers(layout):
            print(json.dumps({**row, "out": layout}, separators=(",", ":")))


main()
