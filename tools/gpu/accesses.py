"""Accesses to shared memory on a GPU, counted by its profiler, against the counts of `wavefronts`.

    python tools/gpu/accesses.py write FOLDER    (needs bitstride) kernels.cu and expected.json
    python tools/gpu/accesses.py check FOLDER    (needs nvcc, ncu and a GPU) runs and compares

Each kernel is one warp. A kernel of one access reads or writes a tile in plain, padded or swizzled memory; a kernel of a conversion
writes a tile from one layout of registers and reads it into another, and what arrives is compared too. Law: the profiler's wavefronts
of each kernel are those that were expected, and every value that was read is the one that was written there.
"""

from __future__ import annotations

import contextlib
import csv
import itertools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

LANES = 32
WIDEST = 16
MOST_BYTES = 48 << 10
STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"


class Access(NamedTuple):
    """One warp's access to a tile: (lane, value) to element, how wide, and the byte address and elements of each instruction."""

    threads: str
    transfer: str
    width: int
    addresses: list[list[int]]
    elements: list[list[list[int]]]


class Kernel(NamedTuple):
    """The accesses of a kernel to one memory, with the wavefronts that are expected of its stores and loads."""

    memory: str
    bits: int
    accesses: list[Access]
    stores: int
    loads: int


def counted(memory: str, threads: str, bits: int, transfer: str) -> tuple[int, int]:
    """The wavefronts that are expected, and the bytes that a lane transfers at once."""
    import bitstride

    count, notes = bitstride.evaluate(f"wavefronts({memory}, {threads}, {bits}, {transfer})")
    return int(count), int(re.search(r"of (\d+) bytes? a lane", notes[0])[1])


def places_of(memory: str) -> list[int]:
    """Where the elements lie, counted down the columns. A map over F2 may be no layout of CuTe."""
    import bitstride

    value = bitstride.parse(memory)
    if not isinstance(value, bitstride.Map):
        return [int(place) for place in value.offsets()]
    (_, rows, _), (_, columns, _) = value.domain
    return [int(value.at((row, column))) for column in range(columns) for row in range(rows)]


def access(memory: str, threads: str, bits: int, transfer: str) -> tuple[Access, int]:
    """An access with what is expected of it. Values that lie side by side are transferred at once, as wide as was said."""
    import bitstride

    wavefronts, width = counted(memory, threads, bits, transfer)
    places = places_of(memory)
    held = [int(element) for element in bitstride.parse(threads).offsets()]
    lanes = [held[lane::LANES] for lane in range(LANES)]
    order = sorted(range(len(lanes[0])), key=lambda value: places[lanes[0][value]])
    together = width * 8 // bits
    groups = [order[at : at + together] for at in range(0, len(order), together)]
    addresses = [[places[lane[group[0]]] * bits // 8 for lane in lanes] for group in groups]
    elements = [[[lane[value] for value in group] for lane in lanes] for group in groups]
    return Access(threads, transfer, width, addresses, elements), wavefronts


def kernel(memory: str, bits: int, asked: list[tuple[str, str]]) -> Kernel:
    made = [access(memory, threads, bits, transfer) for threads, transfer in asked]
    of = lambda names: sum(count for one, count in made if one.transfer in names)  # noqa: E731
    return Kernel(memory, bits, [one for one, _ in made], of(("st", "stmatrix")), of(("ld", "ldmatrix")))


def patterns(rows: int, columns: int, bits: int) -> dict[str, str]:
    """How warps look at a tile of rows, as layouts of lanes and values, elements counted down its columns."""
    widest = min(WIDEST * 8 // bits, columns)
    wide = {f"rows of {v}": f"(({columns // v},{LANES * v // columns}),{v}):(({rows * v},1),{rows})" for v in (1, widest) if LANES * v >= columns}
    long = {f"a row of {v}": f"({LANES},{v}):({rows * v},{rows})" for v in (1, widest) if LANES * v < columns}
    return wide | long | {
        "a column": f"({LANES},1):(1,0)",
        "wide columns": f"({LANES},{widest}):(1,{rows})",
        "fragments": f"((4,8),(2,2)):(({2 * rows},1),({rows},8))",
    }


def whole(rows: int, columns: int, bits: int) -> dict[str, str]:
    """Layouts by which one warp holds a whole tile."""
    vector = min(WIDEST * 8 // bits, columns)
    lanes = min(columns // vector, LANES)
    return {
        "by rows": f"(({lanes},{LANES // lanes}),({vector},{rows * lanes // LANES},{columns // vector // lanes})):(({rows * vector},1),({rows},{LANES // lanes},{rows * vector * lanes}))",
        "by columns": f"({LANES},({rows // LANES},{columns})):(1,({LANES},{rows}))",
    }


TILES = [(32, 32), (64, 32), (32, 64), (64, 64), (128, 32), (32, 128)]


def kernels() -> list[Kernel]:
    """All kernels: accesses to plain, padded and swizzled tiles, and conversions through each."""
    import bitstride

    made = []
    for (rows, columns), bits in itertools.product(TILES, (8, 16, 32, 64)):
        if rows * (columns + WIDEST * 8 // bits) * bits // 8 > MOST_BYTES:
            continue
        plain = f"({rows},{columns}):({columns},1)"
        padded = f"({rows},{columns}):({columns + max(WIDEST * 8 // bits, 1)},1)"
        asked = patterns(rows, columns, bits)
        column = asked["a column"]
        memories = [plain, padded]
        for name, threads in asked.items():
            if name != "a column":
                found = bitstride.evaluate(f"swizzle({plain}, {bits}, {threads}, st, {column}, ld)")[0]
                memories.append(str(found))
        for memory in dict.fromkeys(memories):
            for threads in asked.values():
                made += [kernel(memory, bits, [(threads, transfer)]) for transfer in ("st", "ld")]
            if bits == 16:
                # There is none where a swizzle tears rows of 16 bytes.
                with contextlib.suppress(bitstride.RefusedError):
                    made.append(kernel(memory, bits, [(f"({LANES},8):(1,{rows})", "ldmatrix")]))
            first, second = whole(rows, columns, bits).values()
            if rows * columns * bits // 8 <= MOST_BYTES // 6:
                made.append(kernel(memory, bits, [(first, "st"), (second, "ld")]))
                made.append(kernel(memory, bits, [(second, "st"), (first, "ld")]))
    return made


HEADER = """// Written by tools/gpu/accesses.py.
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
typedef unsigned char byte;
template <int W> struct Word;
template <> struct Word<1> { typedef unsigned char type; };
template <> struct Word<2> { typedef unsigned short type; };
template <> struct Word<4> { typedef unsigned int type; };
template <> struct Word<8> { typedef uint2 type; };
template <> struct Word<16> { typedef uint4 type; };
__device__ void put(unsigned at, const unsigned char v) { asm volatile("st.shared.u8 [%0], %1;" :: "r"(at), "r"((unsigned)v) : "memory"); }
__device__ void put(unsigned at, const unsigned short v) { asm volatile("st.shared.u16 [%0], %1;" :: "r"(at), "h"(v) : "memory"); }
__device__ void put(unsigned at, const unsigned v) { asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(v) : "memory"); }
__device__ void put(unsigned at, const uint2 v) { asm volatile("st.shared.v2.u32 [%0], {%1,%2};" :: "r"(at), "r"(v.x), "r"(v.y) : "memory"); }
__device__ void put(unsigned at, const uint4 v) { asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(at), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory"); }
__device__ void get(unsigned at, unsigned char &v) { unsigned r; asm volatile("ld.shared.u8 %0, [%1];" : "=r"(r) : "r"(at) : "memory"); v = (unsigned char)r; }
__device__ void get(unsigned at, unsigned short &v) { asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(at) : "memory"); }
__device__ void get(unsigned at, unsigned &v) { asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory"); }
__device__ void get(unsigned at, uint2 &v) { asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(v.x), "=r"(v.y) : "r"(at) : "memory"); }
__device__ void get(unsigned at, uint4 &v) { asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(at) : "memory"); }
template <int W> __device__ void store(unsigned base, const int *at, const byte *data, int count) {
  for (int i = 0; i < count; i++) put(base + at[i * 32 + threadIdx.x], ((const typename Word<W>::type *)data)[i * 32 + threadIdx.x]);
}
template <int W> __device__ void load(unsigned base, const int *at, byte *out, int count) {
  for (int i = 0; i < count; i++) { typename Word<W>::type v; get(base + at[i * 32 + threadIdx.x], v); ((typename Word<W>::type *)out)[i * 32 + threadIdx.x] = v; }
}
__device__ void matrices(unsigned base, const int *at, byte *out, int count) {
  for (int i = 0; i < count; i++) { uint4 v; asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
      : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"(base + at[i * 32 + threadIdx.x]) : "memory"); ((uint4 *)out)[i * 32 + threadIdx.x] = v; }
}
"""

MAIN = """
typedef void (*Kernel)(const int *, const int *, const byte *, byte *);
int main(int count, char **names) {
  FILE *file = fopen(names[1], "rb"); fseek(file, 0, SEEK_END); size_t size = ftell(file); rewind(file);
  std::vector<byte> all(size); if (fread(all.data(), 1, size, file) != size) return 2;
  byte *device, *out; cudaMalloc(&device, size); cudaMalloc(&out, 1 << 20); cudaMemcpy(device, all.data(), size, cudaMemcpyHostToDevice);
  int wrong = 0;
  for (int k = 0; k < KERNELS; k++) {
    const int *e = ENTRIES[k];
    FUNCTIONS[k]<<<1, 32, e[4]>>>((const int *)(device + e[0]), (const int *)(device + e[1]), device + e[2], out);
    if (cudaDeviceSynchronize() != cudaSuccess) { printf("kernel %d: %s\\n", k, cudaGetErrorString(cudaGetLastError())); return 2; }
    if (e[5]) { std::vector<byte> came(e[5]); cudaMemcpy(came.data(), out, e[5], cudaMemcpyDeviceToHost);
      if (memcmp(came.data(), all.data() + e[3], e[5])) { wrong++; printf("kernel %d: other values arrived\\n", k); } }
  }
  printf("values: %d kernels wrong\\n", wrong);
  return wrong != 0;
}
"""


def values(access: Access, bits: int) -> bytes:
    """What each instruction and lane holds: the numbers of its elements."""
    mask = (1 << bits) - 1
    return b"".join(
        (element * 2654435761 & mask).to_bytes(bits // 8, "little") for group in access.elements for lane in group for element in lane
    )


def table(access: Access) -> bytes:
    return b"".join(address.to_bytes(4, "little") for group in access.addresses for address in group)


def write(folder: Path) -> None:
    """The source of all kernels, their tables, and what is expected of them."""
    folder.mkdir(parents=True, exist_ok=True)
    source, entries, data, expected = [HEADER], [], bytearray(), []

    def placed(part: bytes) -> int:
        data.extend(b"\0" * (-len(data) % WIDEST))
        at = len(data)
        data.extend(part)
        return at

    for number, one in enumerate(kernels()):
        body, tables, stored, arriving = [], [], b"", b""
        for access, name in zip(one.accesses, ("first", "second"), strict=False):
            count = len(access.addresses)
            tables.append(placed(table(access)))
            if access.transfer == "st":
                body.append(f"store<{access.width}>(base, {name}, data, {count});")
                stored = values(access, one.bits)
            elif access.transfer == "ld":
                body.append(f"load<{access.width}>(base, {name}, out, {count});")
                arriving = values(access, one.bits) if stored else b""
            else:
                body.append(f"matrices(base, {name}, out, {count});")
        size = max(address for access in one.accesses for group in access.addresses for address in group) + WIDEST
        entries.append([*(tables * 2)[:2], placed(stored), placed(arriving), size, len(arriving)])
        lines = " __syncwarp(); ".join(body)
        source.append(
            f"__global__ void k{number}(const int *first, const int *second, const byte *data, byte *out) {{ extern __shared__ "
            f"__align__(1024) byte memory[]; unsigned base = (unsigned)__cvta_generic_to_shared(memory); {lines} }}"
        )
        expected.append(
            {"memory": one.memory, "bits": one.bits, "accesses": [[a.threads, a.transfer] for a in one.accesses], "st": one.stores, "ld": one.loads}
        )
    rows = ",".join("{" + ",".join(map(str, entry)) + "}" for entry in entries)
    names = ",".join(f"k{number}" for number in range(len(entries)))
    main = MAIN.replace("KERNELS", str(len(entries))).replace("int main", f"const int ENTRIES[][6] = {{{rows}}};\nKernel FUNCTIONS[] = {{{names}}};\nint main")
    (folder / "kernels.cu").write_text("\n".join([*source, main]))
    (folder / "tables.bin").write_bytes(data)
    (folder / "expected.json").write_text(json.dumps(expected))
    print(f"{len(expected)} kernels")


def check(folder: Path) -> int:
    """Compiles, runs under the profiler, and compares; 0 where all agree."""
    expected = json.loads((folder / "expected.json").read_text())
    missing = [tool for tool in ("nvcc", "ncu", "nvidia-smi") if shutil.which(tool) is None]
    if missing:
        print(f"SKIPPED: {len(expected)} kernels were not run; {', '.join(missing)} not found")
        return 0
    program = str(folder / "kernels")
    subprocess.run(["nvcc", "-arch=native", "-O1", "-o", program, str(folder / "kernels.cu")], check=True)
    command = ["ncu", "--csv", "--page", "raw", "--metrics", f"{STORES},{LOADS}", program, str(folder / "tables.bin")]
    ran = subprocess.run(command, capture_output=True, text=True)
    said = ran.stdout
    print(next((line for line in said.splitlines() if line.startswith("values:")), said[-2000:] + ran.stderr[-2000:]))
    start = said.index('"ID"')
    rows = [row for row in csv.DictReader(said[start:].splitlines()) if row["ID"].isdigit()]
    number = lambda text: int(float(text.replace(",", "")))  # noqa: E731
    wrong = 0
    for row, one in zip(rows, expected, strict=True):
        came = {"st": number(row[STORES]), "ld": number(row[LOADS])}
        if came != {"st": one["st"], "ld": one["ld"]}:
            wrong += 1
            if wrong <= 20:
                print(f"differs: {one} counted {came}")
    print(f"wavefronts: {len(rows)} kernels, {wrong} differ")
    return int(wrong != 0 or ran.returncode != 0)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", folder]:
            write(Path(folder))
        case ["check", folder]:
            sys.exit(check(Path(folder)))
        case _:
            sys.exit(__doc__)
