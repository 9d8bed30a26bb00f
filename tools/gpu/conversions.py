"""Conversions between register layouts on a GPU, as `plan` has them, against its wavefronts and byte for byte.

    python tools/gpu/conversions.py write FILE [COUNT]   (needs bitstride) random conversions as programs for a block of threads
    python tools/gpu/conversions.py check FILE           (needs CuPy, NumPy and a GPU) runs and compares; one command, one file

A program is a list of stores or matrix stores, a barrier and loads, in rounds, or the permutes and shuffles of a warp. `write` also
runs each program on a simulated block, lane by lane, so that a program that moves a value elsewhere is never written. Law: after a
program every register of every thread holds the bytes that the target layout says, and the wavefronts of its stores and loads are those
that `plan` says. They are read by `ncu` where it is there and may read counters; otherwise by the clock: 32 warps repeat each instruction,
and its cycles are compared with those of patterns whose wavefronts were measured before (`vectors/hardware`). Where neither tells wavefronts apart, that is said.
"""

from __future__ import annotations

import csv
import json
import random
import re
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

LANES = 32
WIDTHS = (16, 8, 4, 2, 1)
MOST_BYTES = 48 << 10
MOST_REGISTERS = 64
STORES = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"
LOADS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
DIMS = ("register", "lane", "warp", "block")
# What an instruction is: plain of a number of bytes, or matrices, plain or transposed.
PLAIN, MATRIX, TRANSPOSED = 0, 1, 2
NAMES = {"st.shared": PLAIN, "stmatrix": MATRIX, "stmatrix.trans": TRANSPOSED, "ld.shared": PLAIN, "ldmatrix": MATRIX, "ldmatrix.trans": TRANSPOSED}


# ---- layouts -------------------------------------------------------------------------------------------------------------------


class Linear:
    """A linear layout as columns: for each in dim the flat numbers of the elements that its bits move to."""

    def __init__(self, text: str) -> None:
        ins, outs = re.fullmatch(r"linear<\{(.*)\}, out=\[(.*)\]>", text.strip()).groups()
        self.sizes = [int(size.split(":")[1]) for size in outs.split(", ")] if outs else []
        self.columns = {}
        for name, bases in re.findall(r"(\w+)=\[((?:\[[^\]]*\],?)*)\]", ins):
            self.columns[name] = [self.flat(map(int, basis.split(","))) for basis in re.findall(r"\[([^\]]+)\]", bases)]

    def flat(self, values) -> int:
        """The values of the out dims side by side, the first in the lowest bits."""
        number, shift = 0, 0
        for value, size in zip(values, self.sizes, strict=True):
            number |= value << shift
            shift += size.bit_length() - 1
        return number

    def count(self, dim: str) -> int:
        return 1 << len(self.columns.get(dim, []))

    def at(self, **place: int) -> int:
        """The element of a place."""
        number = 0
        for dim, value in place.items():
            for bit, column in enumerate(self.columns.get(dim, [])):
                if value >> bit & 1:
                    number ^= column
        return number


def tables(layout: Linear) -> list[list[int]]:
    """For each thread of a block the element of each register."""
    threads = product(range(layout.count("warp")), range(layout.count("lane")))
    return [[layout.at(register=r, lane=lane, warp=warp) for r in range(layout.count("register"))] for warp, lane in threads]


# ---- programs ------------------------------------------------------------------------------------------------------------------


def places(scratch: Linear) -> dict[int, tuple[int, int]]:
    """Where the memory has each element: the offset and the round."""
    found = {}
    names = [name for name in ("vector", "bank", "segment") if name in scratch.columns]
    for numbers in product(*(range(scratch.count(name)) for name in reversed(names))):
        offset, shift, parts = 0, 0, dict(zip(reversed(names), numbers, strict=True))
        for name in names:
            offset |= parts[name] << shift
            shift += len(scratch.columns[name])
        for reps in range(scratch.count("reps")):
            found[scratch.at(**parts, reps=reps)] = (offset, reps)
    return found


def side(elements: list[list[int]], where: dict[int, tuple[int, int]], bits: int, kind: int) -> list[dict]:
    """The instructions of one side: kind, bytes, round, the address of each thread, and the registers of each 32-bit or smaller part.

    An address of matrices is that of the row that a lane gives, four matrices at once where there are so many."""
    size = bits // 8
    registers = range(len(elements[0]))
    address = {r: tuple(where[own[r]][0] * size for own in elements) for r in registers}
    rounds = {}
    for r in registers:
        own = {where[thread[r]][1] for thread in elements}
        if len(own) != 1:
            raise ValueError("lanes take different registers in one round")
        rounds.setdefault(own.pop(), []).append(r)
    made = []
    for number, held in sorted(rounds.items()):
        if kind == PLAIN:
            made += [{"kind": PLAIN, "bytes": width, "round": number, "at": at, "parts": parts} for width, at, parts in plain(held, address, size)]
        else:
            made += [{"kind": kind, "bytes": 16, "round": number, "at": at, "parts": parts} for at, parts in matrices(held, address, size, kind)]
    return made


def groups(held: list[int], address: dict[int, tuple[int, ...]], size: int, width: int):
    """Registers in groups of `width` bytes that lie side by side in every thread, or nothing."""
    by_first = {address[r][0]: r for r in held}
    left, made = set(held), []
    for r in sorted(held, key=lambda r: address[r][0]):
        if r not in left:
            continue
        start = address[r][0]
        group = [by_first.get(start + size * at) for at in range(width // size)]
        if start % width or None in group or not set(group) <= left:
            return None
        same = all(address[own][thread] == first + size * at for at, own in enumerate(group) for thread, first in enumerate(address[r]))
        if not same or any(first % width for first in address[r]):
            return None
        left -= set(group)
        made.append(group)
    return made


def plain(held: list[int], address: dict[int, tuple[int, ...]], size: int):
    for width in WIDTHS:
        if width >= size and (found := groups(held, address, size, width)) is not None:
            return [(width, address[group[0]], [group]) for group in found]
    raise ValueError("no access moves these registers")


def matrices(held: list[int], address: dict[int, tuple[int, ...]], size: int, kind: int):
    """Matrices of 8 rows of 16 bytes, up to four at once: the row that each lane gives, and the registers of each matrix."""
    parts = []
    if kind == MATRIX:
        found = groups(held, address, size, 4)
        if found is None:
            raise ValueError("no words of matrices")
        for group in found:
            first = address[group[0]]
            rows = [[warp[4 * row] for row in range(8)] for warp in warps(first)]
            if any(warp[lane] != own[lane // 4] + 4 * (lane % 4) for warp, own in zip(warps(first), rows, strict=True) for lane in range(LANES)):
                raise ValueError("words of other lanes")
            parts.append((rows, group))
    else:
        left = list(held)
        while left:
            even = left.pop(0)
            parts.append(transposed(even, left, address, size))
    at_once = 4 if len(parts) % 4 == 0 else 2 if len(parts) % 2 == 0 else 1
    made = []
    for start in range(0, len(parts), at_once):
        some = parts[start : start + at_once]
        at = []
        for warp in range(len(some[0][0])):
            at += [some[lane // 8 % at_once][0][warp][lane % 8] for lane in range(LANES)]
        made.append((tuple(at), [group for _, group in some]))
    return made


def transposed(even: int, left: list[int], address: dict[int, tuple[int, ...]], size: int):
    """The register whose elements are of the next rows, with the rows of each warp."""
    for odd, (low, high) in ((other, pair) for other in left for pair in ((even, other), (other, even))):
        rows, fits = [], True
        for a, b in zip(warps(address[low]), warps(address[high]), strict=True):
            own = [pair[lane] for lane in range(4) for pair in (a, b)]
            fits &= all(row % 16 == 0 for row in own)
            fits &= all(a[lane] == own[2 * (lane % 4)] + size * (lane // 4) for lane in range(LANES))
            fits &= all(b[lane] == own[2 * (lane % 4) + 1] + size * (lane // 4) for lane in range(LANES))
            rows.append(own)
        if fits:
            left.remove(odd)
            return rows, [low, high]
    raise ValueError("no rows of transposed matrices")


def warps(threads: tuple[int, ...]):
    return [threads[start : start + LANES] for start in range(0, len(threads), LANES)]


# ---- what plan says --------------------------------------------------------------------------------------------------------------


def planned(source: str, target: str, bits: int, capability: int) -> dict | None:
    """The program of a conversion with what is expected of it; none where nothing moves between lanes."""
    import bitstride

    said = str(bitstride.evaluate(f"plan({source}, {target}, {bits}, {capability})")[0])
    linear = [Linear(str(bitstride.evaluate(f"convert({own}, linear)")[0])) for own in (source, target)]
    a, b = (tables(own) for own in linear)
    # Registers that repeat others are copied by name, which is no work of a program.
    if any(len(set(zip(*own, strict=True))) < len(own[0]) for own in (a, b)):
        return None
    one = {"from": source, "to": target, "bits": bits, "capability": capability, "plan": said, "source": a, "target": b}
    if memory := re.match(r"shared memory: (\d+) bytes.*written by (\S+) \((\d+) wave.*read by (\S+) \((\d+),", said):
        size, store, stores, load, loads = memory.groups()
        if int(size) > MOST_BYTES:
            return None
        scratch = bitstride.evaluate(f"optimal_swizzle_tiles({source}, {target}, {bits}, {capability})")[0]
        where = places(Linear(str(scratch)))
        count = linear[0].count("warp")
        one |= {"bytes": int(size), "wavefronts": [int(stores) * count, int(loads) * count]}
        one |= {"stores": side(a, where, bits, NAMES[store]), "loads": side(b, where, bits, NAMES[load])}
    elif said.startswith("warp shuffles"):
        value, notes = bitstride.evaluate(f"warp_shuffle_decomp({source}, {target}, {bits})")
        registers, lanes, exchanges, packed = value
        found = [list(map(int, re.findall(r"-?\d+", str(exchange)))) for exchange in exchanges]
        selectors = [[int(word, 16) for word in re.findall(r"0x[0-9a-f]{4}", note)] for note in notes if "selectors" in note]
        lane_map = Linear(str(lanes))
        one |= {
            "registers": [column.bit_length() - 1 for column in Linear(str(registers)).columns["register"]],
            "lanes": {dim: lane_map.columns.get(dim, []) for dim in DIMS},
            "exchanges": [[*exchange, *words] for exchange, words in zip(found, selectors, strict=True)],
            "packed": int(str(packed)),
        }
    else:
        return None
    return one


def blocked(draw: random.Random, shape: tuple[int, int], warps_of: int) -> str:
    powers = lambda most: draw.choice([1 << bit for bit in range(most.bit_length())])  # noqa: E731
    across = powers(LANES)
    warps_across = powers(warps_of)
    order = draw.choice(["[1, 0]", "[0, 1]"])
    box = [powers(min(8, extent)) for extent in shape]
    return (
        f"#ttg.blocked<{{sizePerThread = {box}, threadsPerWarp = [{LANES // across}, {across}], "
        f"warpsPerCTA = [{warps_of // warps_across}, {warps_across}], order = {order}}}>"
    )


def encoding(draw: random.Random, shape: tuple[int, int], warps_of: int, bits: int) -> str:
    across = draw.choice([1 << bit for bit in range(warps_of.bit_length())])
    mma = f"#ttg.nvidia_mma<{{versionMajor = 2, versionMinor = 0, warpsPerCTA = [{warps_of // across}, {across}], instrShape = [16, 8]}}>"
    kinds = [lambda: blocked(draw, shape, warps_of)] * 3 + [lambda: mma]
    if bits <= 32:
        width = max(32 // bits, 1)
        kinds += [lambda: f"#ttg.dot_op<{{opIdx = {draw.choice([0, 1])}, parent = {mma}, kWidth = {width}}}>"]
    return draw.choice(kinds)()


def permuted(draw: random.Random, bits: int, warps_of: int) -> str:
    """The bits of a tensor dealt to registers, lanes and warps in any order; now and then lanes or warps that hold the same."""
    units = [1 << bit for bit in range(bits)]
    draw.shuffle(units)
    dealt = {"warp": [units.pop() for _ in range(warps_of.bit_length() - 1)], "lane": [units.pop() for _ in range(5)], "register": units}
    for dim in ("lane", "warp"):
        for at, column in enumerate(dealt[dim]):
            if draw.random() < 0.06:
                dealt["register"].append(column)
                dealt[dim][at] = 0
    texts = ", ".join(f"{dim}=[{','.join(f'[{column}]' for column in dealt[dim])}]" for dim in ("register", "lane", "warp"))
    return f"linear<{{{texts}, block=[]}}, out=[dim0:{1 << bits}]>"


def drawn(draw: random.Random) -> tuple[str, str, int, int]:
    bits, warps_of, capability = draw.choice([8, 16, 16, 32, 32, 64]), draw.choice([1, 2, 4]), draw.choice([70, 80, 90, 90])
    if draw.random() < 0.4:
        size = draw.randint(warps_of.bit_length() + 5, warps_of.bit_length() + 9)
        return permuted(draw, size, warps_of), permuted(draw, size, warps_of), bits, capability
    shape = draw.choice([(16, 16), (32, 32), (64, 32), (32, 64), (64, 64), (128, 32), (16, 128)])
    tensor = lambda own: f"tensor<{shape[0]}x{shape[1]}xi{bits}, {own}>"  # noqa: E731
    return tensor(encoding(draw, shape, warps_of, bits)), tensor(encoding(draw, shape, warps_of, bits)), bits, capability


def write(file: Path, count: int) -> None:
    """Random conversions, each run on a simulated block."""
    draw, made, refused, kinds = random.Random(35), [], 0, {"memory": 0, "shuffles": 0}
    import bitstride

    while len(made) < count:
        source, target, bits, capability = drawn(draw)
        try:
            one = planned(source, target, bits, capability)
        except bitstride.RefusedError:
            refused += 1
            continue
        kind = None if one is None else "memory" if "stores" in one else "shuffles"
        few = one is not None and max(len(one["source"][0]), len(one["target"][0])) <= MOST_REGISTERS
        # A third are shuffles, which are drawn more rarely.
        if not few or kinds[kind] > count * (2 if kind == "memory" else 1) // 3:
            continue
        came = simulated(one)
        if came != one["target"]:
            sys.exit(f"values arrive elsewhere: plan({source}, {target}, {bits}, {capability})")
        if kind == "memory" and counted(one) != one["wavefronts"]:
            sys.exit(f"{counted(one)} wavefronts phase by phase: {one['plan']} of plan({source}, {target}, {bits}, {capability})")
        kinds[kind] += 1
        made.append(one)
    file.write_text("\n".join(json.dumps(one, separators=(",", ":")) for one in made) + "\n")
    instructions = {name for one in made for name in re.findall(r"(?:ld|st)(?:\.shared|matrix(?:\.trans)?)", one["plan"])}
    print(f"{len(made)} conversions ({kinds['memory']} through shared memory by {', '.join(sorted(instructions))}; {kinds['shuffles']} by shuffles), all right on a simulated block; {file.stat().st_size} bytes")


# ---- a simulated block -----------------------------------------------------------------------------------------------------------


def simulated(one: dict) -> list[list[int]]:
    """The registers of all threads after the program, each holding the number of an element."""
    return through_memory(one) if "stores" in one else by_shuffles(one)


def cells(instruction: dict, bits: int, thread: int):
    """The addresses of each register that a thread gives or takes."""
    size = bits // 8
    if instruction["kind"] == PLAIN:
        for at, register in enumerate(instruction["parts"][0]):
            yield instruction["at"][thread] + at * size, register
        return
    warp, lane = thread - thread % LANES, thread % LANES
    for matrix, group in enumerate(instruction["parts"]):
        row = lambda number, matrix=matrix: instruction["at"][warp + 8 * matrix + number]  # noqa: E731
        for at, register in enumerate(group):
            if instruction["kind"] == MATRIX:
                yield row(lane // 4) + 4 * (lane % 4) + at * size, register
            else:
                yield row(2 * (lane % 4) + at) + size * (lane // 4), register


def through_memory(one: dict) -> list[list[int]]:
    out = [[-1] * len(own) for own in one["target"]]
    for number in sorted({instruction["round"] for instruction in one["stores"]}):
        memory = {}
        for instruction in (own for own in one["stores"] if own["round"] == number):
            for thread, held in enumerate(one["source"]):
                for address, register in cells(instruction, one["bits"], thread):
                    memory[address] = held[register]
        for instruction in (own for own in one["loads"] if own["round"] == number):
            for thread, held in enumerate(out):
                for address, register in cells(instruction, one["bits"], thread):
                    held[register] = memory[address]
    return out


def permute(low: list, high: list, selector: int) -> list:
    both = low + high
    return [both[selector >> 4 * nibble & 7] for nibble in range(4)]


def by_shuffles(one: dict) -> list[list[int]]:
    """Words of four parts, of which each is the number of an element; wider elements are words of one part four times."""
    each, count = 1 << one["packed"], 1 << len(one["registers"])
    parts = 4 // each
    words = []
    for held in one["source"]:
        own = [[None] * 4 for _ in range(count // each)]
        for register in range(count):
            to = sum((register >> bit & 1) << place for bit, place in enumerate(one["registers"]))
            for part in range(parts):
                own[to // each][to % each * parts + part] = held[register % len(held)]
        words.append(own)
    exchange(words, one, True)
    read = []
    for thread in range(len(words)):
        warp, lane = divmod(thread, LANES)
        row = []
        for word in range(count // each):
            numbers = {"register": word * each, "lane": lane, "warp": warp}
            from_lane = 0
            for dim, number in numbers.items():
                for bit, column in enumerate(one["lanes"][dim]):
                    from_lane ^= column if number >> bit & 1 else 0
            row.append(words[warp * LANES + from_lane][word])
        read.append(row)
    exchange(read, one, False)
    return [[own[register // each][register % each * parts] for register in range(len(target))] for own, target in zip(read, one["target"], strict=True)]


def exchange(words: list, one: dict, is_before: bool) -> None:
    for register, source, target, before_low, before_high, after_low, after_high in one["exchanges"]:
        lane_bit, low, high = (source, before_low, before_high) if is_before else (target, after_low, after_high)
        pair = 1 << register - one["packed"]
        for thread, own in enumerate(words):
            is_set = lane_bit >= 0 and thread % LANES >> lane_bit & 1
            a, b = (low, high) if not is_set else (high, low) if is_before else (low ^ 0x4444, high ^ 0x4444)
            for first in (word for word in range(len(own)) if not word & pair):
                left, right = own[first], own[first | pair]
                own[first], own[first | pair] = permute(left, right, a), permute(left, right, b)


def counted(one: dict) -> list[int]:
    """The wavefronts of the stores and the loads, phase by phase."""
    return [sum(passes(own, warp, name == "loads") for own in one[name] for warp in warps(own["at"])) for name in ("stores", "loads")]


def passes(instruction: dict, addresses: tuple[int, ...], is_load: bool) -> int:
    width = instruction["bytes"]
    if instruction["kind"] != PLAIN:
        rows = [addresses[8 * matrix : 8 * matrix + 8] for matrix in range(len(instruction["parts"]))]
        return sum(busiest(own, width) for own in rows)
    alike = any(all(addresses[lane] == addresses[lane ^ distance] for lane in range(LANES)) for distance in (1, 2))
    lanes = 128 // max(width, 4) * (2 if is_load and width > 4 and alike else 1)
    return sum(busiest(addresses[start : start + lanes], width) for start in range(0, LANES, lanes))


def busiest(addresses: tuple[int, ...], width: int) -> int:
    """The most words that one bank gives."""
    words = {address // 4 + step for address in addresses for step in range(max(width // 4, 1))}
    return max(sum(word % LANES == bank for word in words) for bank in range(LANES))


# ---- on a GPU --------------------------------------------------------------------------------------------------------------------

SOURCE = r"""
typedef unsigned char byte;
#define MOST_REGISTERS 128
// A program of stores, a barrier, and loads, in rounds. An instruction is: kind, bytes, round, how many parts, registers of a part, then the
// registers of each part; its addresses are in a table by thread.
__device__ void plain_store(unsigned at, const byte *v, int bytes) {
  const unsigned *w = (const unsigned *)v;
  if (bytes == 16) asm volatile("st.shared.v4.u32 [%0], {%1,%2,%3,%4};" :: "r"(at), "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]) : "memory");
  else if (bytes == 8) asm volatile("st.shared.v2.u32 [%0], {%1,%2};" :: "r"(at), "r"(w[0]), "r"(w[1]) : "memory");
  else if (bytes == 4) asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(w[0]) : "memory");
  else if (bytes == 2) asm volatile("st.shared.u16 [%0], %1;" :: "r"(at), "h"(*(const unsigned short *)v) : "memory");
  else asm volatile("st.shared.u8 [%0], %1;" :: "r"(at), "r"((unsigned)v[0]) : "memory");
}
__device__ void plain_load(unsigned at, byte *v, int bytes) {
  unsigned *w = (unsigned *)v;
  if (bytes == 16) asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]) : "r"(at) : "memory");
  else if (bytes == 8) asm volatile("ld.shared.v2.u32 {%0,%1}, [%2];" : "=r"(w[0]), "=r"(w[1]) : "r"(at) : "memory");
  else if (bytes == 4) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(w[0]) : "r"(at) : "memory");
  else if (bytes == 2) { unsigned short h; asm volatile("ld.shared.u16 %0, [%1];" : "=h"(h) : "r"(at) : "memory"); *(unsigned short *)v = h; }
  else { unsigned r; asm volatile("ld.shared.u8 %0, [%1];" : "=r"(r) : "r"(at) : "memory"); v[0] = (byte)r; }
}
#define ST(N, T, R, ...) asm volatile("stmatrix.sync.aligned.m8n8.x" N T ".shared.b16 [%0], " R ";" :: "r"(at), __VA_ARGS__ : "memory")
__device__ void matrix_store(unsigned at, const unsigned *w, int count, bool trans) {
#if __CUDA_ARCH__ >= 900
  if (!trans) { if (count == 4) ST("4", "", "{%1,%2,%3,%4}", "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]));
    else if (count == 2) ST("2", "", "{%1,%2}", "r"(w[0]), "r"(w[1])); else ST("1", "", "{%1}", "r"(w[0])); }
  else { if (count == 4) ST("4", ".trans", "{%1,%2,%3,%4}", "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]));
    else if (count == 2) ST("2", ".trans", "{%1,%2}", "r"(w[0]), "r"(w[1])); else ST("1", ".trans", "{%1}", "r"(w[0])); }
#endif
}
#define LD(N, T, R, A, ...) asm volatile("ldmatrix.sync.aligned.m8n8.x" N T ".shared.b16 " R ", [" A "];" : __VA_ARGS__ : "r"(at) : "memory")
__device__ void matrix_load(unsigned at, unsigned *w, int count, bool trans) {
  if (!trans) { if (count == 4) LD("4", "", "{%0,%1,%2,%3}", "%4", "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]));
    else if (count == 2) LD("2", "", "{%0,%1}", "%2", "=r"(w[0]), "=r"(w[1])); else LD("1", "", "{%0}", "%1", "=r"(w[0])); }
  else { if (count == 4) LD("4", ".trans", "{%0,%1,%2,%3}", "%4", "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3]));
    else if (count == 2) LD("2", ".trans", "{%0,%1}", "%2", "=r"(w[0]), "=r"(w[1])); else LD("1", ".trans", "{%0}", "%1", "=r"(w[0])); }
}
__device__ void execute(const int *program, const int *addresses, byte *held, int size, unsigned base, bool is_store) {
  int kind = program[0], bytes = program[1], parts = program[3], each = program[4];
  const int *registers = program + 5;
  unsigned at = base + addresses[threadIdx.x];
  __align__(16) byte word[16];
  if (is_store) for (int i = 0; i < parts * each; i++) for (int b = 0; b < size; b++) word[i * size + b] = held[registers[i] * size + b];
  if (kind == 0) { if (is_store) plain_store(at, word, bytes); else plain_load(at, word, bytes); }
  else { if (is_store) matrix_store(at, (unsigned *)word, parts, kind == 2); else matrix_load(at, (unsigned *)word, parts, kind == 2); }
  if (!is_store) for (int i = 0; i < parts * each; i++) for (int b = 0; b < size; b++) held[registers[i] * size + b] = word[i * size + b];
}
extern "C" __global__ void convert(const int *programs, const int *addresses, const byte *source, byte *target, int stores, int loads, int length,
                                   int size, int from, int to, int rounds) {
  extern __shared__ __align__(1024) byte memory[];
  unsigned base = (unsigned)__cvta_generic_to_shared(memory);
  __align__(16) byte x[MOST_REGISTERS * 8], y[MOST_REGISTERS * 8];
  for (int i = 0; i < from * size; i++) x[i] = source[threadIdx.x * from * size + i];
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < stores + loads; i++) {
      if (programs[i * length + 2] != r) continue;
      // One warp after the other: with several at once the profiler counts up to 1 % more, another number in each run.
      for (int warp = 0; warp * 32 < blockDim.x; warp++) {
        if (threadIdx.x / 32 == warp) execute(programs + i * length, addresses + i * blockDim.x, i < stores ? x : y, size, base, i < stores);
        __syncthreads();
      }
    }
  }
  for (int i = 0; i < to * size; i++) target[threadIdx.x * to * size + i] = y[i];
}
// Words in two halves: the upper one is used for elements of 64 bits only, which stay whole.
__device__ void pairs(unsigned *w, unsigned *upper, int words, const int *exchange, int packed, bool is_before) {
  int bit = is_before ? exchange[1] : exchange[2], low = exchange[is_before ? 3 : 5], high = exchange[is_before ? 4 : 6];
  int pair = 1 << (exchange[0] - packed);
  bool is_set = bit >= 0 && (threadIdx.x & 31) >> bit & 1;
  int a = !is_set ? low : is_before ? high : low ^ 0x4444, b = !is_set ? high : is_before ? low : high ^ 0x4444;
  for (int i = 0; i < words; i++) if (!(i & pair)) {
    unsigned l = w[i], h = w[i | pair]; w[i] = __byte_perm(l, h, a); w[i | pair] = __byte_perm(l, h, b);
    l = upper[i]; h = upper[i | pair]; upper[i] = __byte_perm(l, h, a); upper[i | pair] = __byte_perm(l, h, b);
  }
}
extern "C" __global__ void shuffle(const int *to_register, const int *lane_of, const int *exchanges, const byte *source, byte *target, int count,
                                   int exchanged, int packed, int size, int from, int to) {
  unsigned w[MOST_REGISTERS], upper[MOST_REGISTERS];
  // Elements lie as far apart as words have room for.
  int each = 1 << packed, words = count / each, step = 4 / each;
  for (int i = 0; i < words; i++) w[i] = upper[i] = 0;
  for (int i = 0; i < count; i++) {
    const byte *own = source + (threadIdx.x * from + i % from) * size;
    int place = to_register[i];
    for (int b = 0; b < size && b < 4; b++) ((byte *)(w + place / each))[place % each * step + b] = own[b];
    for (int b = 4; b < size; b++) ((byte *)(upper + place / each))[b - 4] = own[b];
  }
  for (int e = 0; e < exchanged; e++) pairs(w, upper, words, exchanges + 7 * e, packed, true);
  for (int i = 0; i < words; i++) {
    int lane = lane_of[threadIdx.x * words + i];
    w[i] = __shfl_sync(0xffffffff, w[i], lane); if (size == 8) upper[i] = __shfl_sync(0xffffffff, upper[i], lane);
  }
  for (int e = 0; e < exchanged; e++) pairs(w, upper, words, exchanges + 7 * e, packed, false);
  for (int i = 0; i < to; i++) {
    byte *own = target + (threadIdx.x * to + i) * size;
    for (int b = 0; b < size && b < 4; b++) own[b] = ((byte *)(w + i / each))[i % each * step + b];
    for (int b = 4; b < size; b++) own[b] = ((byte *)(upper + i / each))[b - 4];
  }
}
// Cycles of one instruction a block, repeated by all of its warps.
extern "C" __global__ void __launch_bounds__(1024) timed(const int *kinds, const int *addresses, long long *cycles, int repeats) {
  extern __shared__ __align__(1024) byte memory[];
  unsigned base = (unsigned)__cvta_generic_to_shared(memory), at = base + addresses[blockIdx.x * 32 + (threadIdx.x & 31)];
  int kind = kinds[3 * blockIdx.x], bytes = kinds[3 * blockIdx.x + 1], is_store = kinds[3 * blockIdx.x + 2];
  // Each of eight loads has registers of its own, so that none waits for the one before.
  __align__(16) byte v[8 * 16];
  for (int i = 0; i < 8 * 16; i++) v[i] = threadIdx.x;
  __syncthreads();
  long long start = clock64();
#define W(J) ((unsigned *)(v + 16 * J))
#define REPEAT(X) for (int i = 0; i < repeats; i++) { X(0); X(1); X(2); X(3); X(4); X(5); X(6); X(7); }
#define PLAIN(N) if (kind == 0 && bytes == N) { if (is_store) { REPEAT(STORE##N) } else { REPEAT(LOAD##N) } }
#define STORE16(J) plain_store(at, v + 16 * J, 16)
#define STORE8(J) plain_store(at, v + 16 * J, 8)
#define STORE4(J) plain_store(at, v + 16 * J, 4)
#define STORE2(J) plain_store(at, v + 16 * J, 2)
#define STORE1(J) plain_store(at, v + 16 * J, 1)
#define LOAD16(J) plain_load(at, v + 16 * J, 16)
#define LOAD8(J) plain_load(at, v + 16 * J, 8)
#define LOAD4(J) plain_load(at, v + 16 * J, 4)
#define LOAD2(J) plain_load(at, v + 16 * J, 2)
#define LOAD1(J) plain_load(at, v + 16 * J, 1)
  PLAIN(16) PLAIN(8) PLAIN(4) PLAIN(2) PLAIN(1)
#define MATRIX(N, K) if (kind == K && bytes == N) { if (is_store) { REPEAT(STM##N##K) } else { REPEAT(LDM##N##K) } }
#define STM41(J) matrix_store(at, W(J), 4, false)
#define STM21(J) matrix_store(at, W(J), 2, false)
#define STM11(J) matrix_store(at, W(J), 1, false)
#define STM42(J) matrix_store(at, W(J), 4, true)
#define STM22(J) matrix_store(at, W(J), 2, true)
#define STM12(J) matrix_store(at, W(J), 1, true)
#define LDM41(J) matrix_load(at, W(J), 4, false)
#define LDM21(J) matrix_load(at, W(J), 2, false)
#define LDM11(J) matrix_load(at, W(J), 1, false)
#define LDM42(J) matrix_load(at, W(J), 4, true)
#define LDM22(J) matrix_load(at, W(J), 2, true)
#define LDM12(J) matrix_load(at, W(J), 1, true)
  MATRIX(4, 1) MATRIX(2, 1) MATRIX(1, 1) MATRIX(4, 2) MATRIX(2, 2) MATRIX(1, 2)
  __syncthreads();
  long long end = clock64();
  if (threadIdx.x == 0) cycles[blockIdx.x] = end - start;
  unsigned all = 0;
  for (int i = 0; i < 32; i++) all ^= ((unsigned *)v)[i];
  if (all == 0x12345678) cycles[blockIdx.x] = 0;
}
"""


def on_gpu(every: list[dict]) -> list[bool]:
    """Whether each conversion brings every byte to its place."""
    import cupy as cp
    import numpy as np

    module = compiled()
    right = []
    for one in every:
        size, threads = one["bits"] // 8, len(one["source"])
        bytes_of = lambda elements, size=size: np.array([[e * 2654435761 * 40503 + 12345 for e in own] for own in elements], dtype=np.uint64).astype(f"<u{size}")  # noqa: E731
        source, wanted = cp.asarray(bytes_of(one["source"])), bytes_of(one["target"])
        target = cp.zeros(wanted.shape, dtype=wanted.dtype)
        if "stores" in one:
            all_of = one["stores"] + one["loads"]
            length = 5 + max(sum(map(len, own["parts"])) for own in all_of)
            programs = np.zeros((len(all_of), length), dtype=np.int32)
            for row, own in zip(programs, all_of, strict=True):
                flat = [own["kind"], own["bytes"], own["round"], len(own["parts"]), len(own["parts"][0]), *(r for part in own["parts"] for r in part)]
                row[: len(flat)] = flat
            addresses = np.array([own["at"] for own in all_of], dtype=np.int32)
            rounds = 1 + max(own["round"] for own in all_of)
            args = (cp.asarray(programs), cp.asarray(addresses), source, target, len(one["stores"]), len(one["loads"]), length, size, source.shape[1], target.shape[1], rounds)
            module.get_function("convert")((1,), (threads,), tuple(np.int32(a) if isinstance(a, int) else a for a in args), shared_mem=one["bytes"])
        else:
            count, packed = 1 << len(one["registers"]), one["packed"]
            to_register = [sum((r >> bit & 1) << place for bit, place in enumerate(one["registers"])) for r in range(count)]
            each = 1 << packed
            lane_of = []
            for thread in range(threads):
                for word in range(count // each):
                    lane = 0
                    for dim, number in (("register", word * each), ("lane", thread % LANES), ("warp", thread // LANES)):
                        for bit, column in enumerate(one["lanes"][dim]):
                            lane ^= column if number >> bit & 1 else 0
                    lane_of.append(lane)
            table = lambda numbers: cp.asarray(np.array(numbers or [0], dtype=np.int32))  # noqa: E731
            exchanges = [number for own in one["exchanges"] for number in own]
            args = (table(to_register), table(lane_of), table(exchanges), source, target, count, len(one["exchanges"]), packed, size, source.shape[1], target.shape[1])
            module.get_function("shuffle")((1,), (threads,), tuple(np.int32(a) if isinstance(a, int) else a for a in args))
        right.append(bool((cp.asnumpy(target) == wanted).all()))
    return right


def compiled():
    import cupy as cp

    return cp.RawModule(code=SOURCE, backend="nvrtc")


def profiled(file: Path, every: list[dict]) -> list[list[int]] | None:
    """The wavefronts of each conversion through memory by the profiler; none where it may not count."""
    if shutil.which("ncu") is None:
        print("ncu is not there")
        return None
    command = ["ncu", "--csv", "--page", "raw", "--kernel-name", "convert", "--metrics", f"{STORES},{LOADS}", sys.executable, __file__, "run", str(file)]
    ran = subprocess.run(command, capture_output=True, text=True)
    start = ran.stdout.find('"ID"')
    rows = [] if start < 0 else [row for row in csv.DictReader(ran.stdout[start:].splitlines()) if row["ID"].isdigit()]
    number = lambda text: int(float(text.replace(",", "")))  # noqa: E731
    if len(rows) != sum("stores" in one for one in every):
        print("ncu counts nothing:", (ran.stdout + ran.stderr).strip()[-300:])
        return None
    return [[number(row[STORES]), number(row[LOADS])] for row in rows]


def cycles(asked: list[tuple[int, int, bool, tuple[int, ...]]]) -> list[float]:
    """Cycles of one instruction of one warp, for each kind, bytes or matrices, direction and addresses: one block to a processor."""
    import cupy as cp
    import numpy as np

    function = compiled().get_function("timed")
    alone = 120 << 10
    function.max_dynamic_shared_size_bytes = alone
    kinds = cp.asarray(np.array([[kind, size, int(is_store)] for kind, size, is_store, _ in asked], dtype=np.int32))
    addresses = cp.asarray(np.array([at for *_, at in asked], dtype=np.int32))
    warps_of, few, many = 32, 8, 72
    spent = []
    for repeats in (few, few, many):
        out = cp.zeros(len(asked), dtype=np.int64)
        function((len(asked),), (warps_of * LANES,), (kinds, addresses, out, np.int32(repeats)), shared_mem=alone)
        spent.append(cp.asnumpy(out))
    return list((spent[2] - spent[1]) / ((many - few) * 8 * warps_of))


def known_patterns() -> list[tuple[int, int, bool, tuple[int, ...], int]]:
    """Instructions whose wavefronts were measured before: lanes side by side, and lanes that meet in one bank several ways."""
    made = []
    for bytes_of, is_store in product(WIDTHS, (True, False)):
        phase = min(LANES, 128 // max(bytes_of, 4))
        for ways in (1, 2, 4, 8):
            if ways <= phase:
                at = tuple(lane % (phase // ways) * max(bytes_of, 4) + lane // (phase // ways) * 128 for lane in range(LANES))
                made.append((PLAIN, bytes_of, is_store, at, ways * LANES // phase))
    for count, kind, is_store, ways in product((1, 2, 4), (MATRIX, TRANSPOSED), (True, False), (1, 2, 4, 8)):
        at = tuple((lane % 8) % (8 // ways) * 16 + (lane % 8) // (8 // ways) * 128 + lane // 8 * 1024 for lane in range(LANES))
        made.append((kind, count, is_store, at, ways * count))
    return made


def clocked(every: list[dict]) -> list[list[int]] | None:
    """The wavefronts of each conversion through memory by the clock; none where cycles do not tell them apart."""
    patterns = known_patterns()
    asked, at = [own[:4] for own in patterns], {}
    for one in every:
        for own, is_store in ((own, name == "stores") for name in ("stores", "loads") for own in one.get(name, [])):
            size = own["bytes"] if own["kind"] == PLAIN else len(own["parts"])
            for addresses in warps(own["at"]):
                key = (own["kind"], size, is_store, tuple(addresses))
                if key not in at:
                    at[key] = len(asked)
                    asked.append(key)
    spent = cycles(asked)
    lines = {}
    for (kind, size, is_store, _, wavefronts), own in zip(patterns, spent, strict=False):
        lines.setdefault((kind, size, is_store), []).append((wavefronts, own))
    decode = {}
    for key, points in lines.items():
        mean_w, mean_c = (sum(column) / len(points) for column in zip(*points, strict=True))
        slope = sum((w - mean_w) * (c - mean_c) for w, c in points) / max(sum((w - mean_w) ** 2 for w, _ in points), 1e-9)
        decode[key] = lambda c, slope=slope, mean_w=mean_w, mean_c=mean_c: (c - mean_c) / slope + mean_w
        off = max(abs(decode[key](c) - w) / max(w, 4) for w, c in points)
        if slope <= 0 or off > 0.12:
            print(f"the clock does not tell wavefronts apart: {key} has cycles {[(w, round(c, 2)) for w, c in points]}")
            return None
    found = []
    for one in (own for own in every if "stores" in own):
        both = []
        for name in ("stores", "loads"):
            total = 0
            for own in one[name]:
                size = own["bytes"] if own["kind"] == PLAIN else len(own["parts"])
                for addresses in warps(own["at"]):
                    key = (own["kind"], size, name == "stores")
                    total += round(decode[key](spent[at[(*key, tuple(addresses))]]))
            both.append(total)
        found.append(both)
    return found


def read(file: Path) -> list[dict]:
    every = [json.loads(line) for line in file.read_text().splitlines()]
    for one in every:
        for own in one.get("stores", []) + one.get("loads", []):
            own["at"] = tuple(own["at"])
    return every


def check(file: Path) -> int:
    every = read(file)
    try:
        import cupy

        cupy.cuda.Device(0).compute_capability  # noqa: B018
    except Exception as why:  # noqa: BLE001
        print(f"SKIPPED: {len(every)} conversions were not run: {why or type(why).__name__}")
        return 0
    capability = int(cupy.cuda.Device(0).compute_capability)
    fits = [one for one in every if "stores" not in one or capability >= (90 if any(own["kind"] for own in one["stores"]) else 75)]
    if len(fits) < len(every):
        print(f"SKIPPED: {len(every) - len(fits)} conversions need a newer GPU than capability {capability}")
    right = on_gpu(fits)
    wrong = [one["plan"] for one, is_right in zip(fits, right, strict=True) if not is_right]
    print(f"values: {len(fits)} conversions, {len(wrong)} wrong", *wrong[:5], sep="\n  ")
    counted, by = (profiled(file, every), "ncu") if len(fits) == len(every) else (None, "")
    if counted is None:
        counted, by = clocked(fits), "the clock"
    if counted is None:
        print("SKIPPED: wavefronts were not read")
        return int(bool(wrong))
    through = [one for one in fits if "stores" in one]
    differ = [(one, found) for one, found in zip(through, counted, strict=True) if found != one["wavefronts"]]
    for one, found in differ[:20]:
        print(f"differs: plan({one['from']}, {one['to']}, {one['bits']}, {one['capability']}) says {one['wavefronts']}, counted {found}")
    print(f"wavefronts by {by}: {len(through)} conversions through shared memory, {len(differ)} differ")
    return int(bool(wrong or differ))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", file, *count]:
            write(Path(file), int(count[0]) if count else 300)
        case ["check", file]:
            sys.exit(check(Path(file)))
        case ["run", file]:
            on_gpu(read(Path(file)))
        case _:
            sys.exit(__doc__)
