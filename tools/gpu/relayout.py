"""Emitted relayout kernels on a GPU: their bytes against the relayout of files, and their time against a copy.

    python tools/gpu/relayout.py write FOLDER [PROGRAM]    (needs the program `bitstride`) kernels, sources' sizes and expected bytes
    python tools/gpu/relayout.py check FOLDER              (needs a GPU, and NVRTC or nvcc) compiles, runs, compares and times

Small pairs of layouts are compared byte for byte with what `bitstride relayout` writes, places of no element included. Large ones
are compared on the device, each element by the index functions of both layouts, and timed: the median of some runs, beside a copy
of as many bytes by the driver. Only ctypes is used. Law: no byte differs.
"""

from __future__ import annotations

import ctypes
import glob
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

THREADS = 256
RUNS = 15
PAIRS = 260
ROOM = 256

# The rows that are timed: a name, both layouts, and the bits of an element.
ROWS = [
    ("transpose f32", "(8192,16384):(16384,1)", "(8192,16384):(1,8192)", 32),
    ("transpose f16", "(16384,16384):(16384,1)", "(16384,16384):(1,16384)", 16),
    ("transpose u8", "(16384,32768):(32768,1)", "(16384,32768):(1,16384)", 8),
    ("transpose f64", "(8192,8192):(8192,1)", "(8192,8192):(1,8192)", 64),
    ("transpose 16 bytes", "(4096,8192):(8192,1)", "(4096,8192):(1,4096)", 128),
    ("transpose odd f16", "(20011,16007):(16007,1)", "(20011,16007):(1,20011)", 16),
    ("transpose odd f32", "(10007,12011):(12011,1)", "(10007,12011):(1,10007)", 32),
    ("rows to T(8,128) f32", "f32[16384,8192]{1,0}", "f32[16384,8192]{1,0:T(8,128)}", 32),
    ("T(8,128) to rows f32", "f32[16384,8192]{1,0:T(8,128)}", "f32[16384,8192]{1,0}", 32),
    ("rows to T(8,128)(2,1) bf16", "bf16[16384,16384]{1,0}", "bf16[16384,16384]{1,0:T(8,128)(2,1)}", 16),
    ("T(8,128)(2,1) to rows bf16", "bf16[16384,16384]{1,0:T(8,128)(2,1)}", "bf16[16384,16384]{1,0}", 16),
    ("columns to T(8,128) f32, ragged", "f32[10001,9999]{0,1}", "f32[10001,9999]{1,0:T(8,128)}", 32),
    ("NCHW to NHWC f16", "(64,256,112,112):(3211264,12544,112,1)", "(64,256,112,112):(3211264,1,28672,256)", 16),
    ("NHWC to NCHW f16", "(64,256,112,112):(3211264,1,28672,256)", "(64,256,112,112):(3211264,12544,112,1)", 16),
    ("NCHW to NHWC f32, 3 channels", "(64,3,512,512):(786432,262144,512,1)", "(64,3,512,512):(786432,1,1536,3)", 32),
    ("pixels to planes u8", "(64,3,1024,1024):(3145728,1,3072,3)", "(64,3,1024,1024):(3145728,1048576,1024,1)", 8),
    ("planes to pixels u8", "(64,3,1024,1024):(3145728,1048576,1024,1)", "(64,3,1024,1024):(3145728,1,3072,3)", 8),
    ("heads of 64 bf16", "(32,2048,32,64):(4194304,2048,64,1)", "(32,2048,32,64):(4194304,64,131072,1)", 16),
    ("3210 f32", "(64,96,112,128):(1376256,14336,128,1)", "(64,96,112,128):(1,64,6144,688128)", 32),
    ("5-D 40213 f16", "(16,20,24,28,512):(6881280,344064,14336,512,1)", "(16,20,24,28,512):(10240,512,163840,3932160,1)", 16),
    ("5-D 43210 f32", "(20,24,28,30,160):(3225600,134400,4800,160,1)", "(20,24,28,30,160):(1,20,480,13440,403200)", 32),
    ("6-D f16", "(24,14,16,18,40,64):(10321920,737280,46080,2560,64,1)", "(24,14,16,18,40,64):(64,1536,21504,344064,6193152,1)", 16),
    ("6-D 543210 f32", "(12,14,16,18,40,64):(10321920,737280,46080,2560,64,1)", "(12,14,16,18,40,64):(1,12,168,2688,48384,1935360)", 32),
    ("MX scales u8", "((32,4,256),(4,2048)):((8192,262144,1048576),(1,4))", "((32,4,256),(4,2048)):((16,4,1048576),(1,512))", 8),
    ("swizzled tiles f16", "(16384,16384):(16384,1)", "((8,2048),(64,256)):((64,131072),(1,512))", 16),
    ("swizzled 128B f16", "((8,2048),(64,256)):((64,131072),(1,512))", "Sw<3,3,3> o ((8,2048),(64,256)):((64,131072),(1,512))", 16),
    ("swizzled 128B from columns f16", "((8,2048),(64,256)):((1,8),(16384,1048576))", "Sw<3,3,3> o ((8,2048),(64,256)):((64,131072),(1,512))", 16),
]


def tiled(shape: list[int]) -> str:
    order = list(range(len(shape)))
    random.shuffle(order)
    tile = random.choice(["(8,128)", "(2,4)", "(8,128)(2,1)", "(4,8)(4,1)", "(16,16)", "(32)"])
    return f"f32[{','.join(map(str, shape))}]{{{','.join(map(str, order))}:T{tile}}}"


def strided(shape: list[int]) -> str:
    order = list(range(len(shape)))
    random.shuffle(order)
    strides, stride = [0] * len(shape), 1
    for number, at in enumerate(order):
        strides[at] = stride
        stride *= shape[at] + (random.choice([0, 0, 0, 1, 3, 8]) if number == 0 else 0)
    text = f"({','.join(map(str, shape))}):({','.join(map(str, strides))})"
    return f"Sw<{random.choice([2, 3])},{random.choice([2, 3])},{random.choice([3, 4])}> o {text}" if random.random() < 0.2 else text


def pair() -> tuple[str, str, str, int]:
    extents = random.choice([[1, 3, 5, 8, 16, 33], [8, 16, 32, 64], [2, 3, 4, 7, 16, 64, 130]])
    shape = [random.choice(extents) for _ in range(random.choice([1, 2, 3, 4]))]
    while math.prod(shape) > 20_000:
        shape.pop()
    side = lambda: tiled(shape) if len(shape) > 1 and random.random() < 0.35 else strided(shape)  # noqa: E731
    return "", side(), side(), random.choice([8, 8, 16, 16, 24, 32, 32, 64, 96, 128])


def pattern(count: int) -> bytes:
    """The bytes of a source, as the kernel `fill` writes them."""
    return bytes(((at + 1) * 0x9E3779B1 >> 13) & 255 for at in range(count))


def write(folder: Path, program: str) -> None:
    """The sources of all kernels, and the bytes that small ones must leave."""
    folder.mkdir(parents=True, exist_ok=True)
    random.seed(5)
    made, expected = [], bytearray()
    asked = ROWS + [pair() for _ in range(PAIRS)]
    for number, (name, source, target, bits) in enumerate(asked):
        # An array of XLA has elements of its own size.
        size = lambda text: re.sub(r"^f32(?=\[)", {8: "u8", 16: "bf16", 32: "f32", 64: "f64"}.get(bits, "f32"), text)  # noqa: E731
        if bits not in (8, 16, 32, 64) and "[" in source + target:
            continue
        source, target = size(source), size(target)
        emitted = subprocess.run([program, "emit", "relayout", source, target, "--bits", str(bits), "--lang", "cuda"], capture_output=True, text=True)
        if emitted.returncode:
            if name:
                print(f"{name}: {emitted.stderr}")
            continue
        text = emitted.stdout
        taken, given = map(int, re.search(r"// Moves (\d+) bytes on the device to (\d+)", text).groups())
        launched = re.search(r"relayout_kernel<<<(\d+), (\d+)", text)
        blocks, threads = map(int, launched.groups())
        if threads != THREADS:
            sys.exit(f"{source} -> {target}: {threads} threads a block, {THREADS} are launched")
        row = {"name": name or f"{source} -> {target}, {bits} bits", "file": f"k{number}.cu", "bytes": [taken, given], "blocks": blocks, "timed": bool(name), "expected": len(expected)}
        if not name:
            with tempfile.TemporaryDirectory() as scratch:
                files = [f"{scratch}/{end}.bin" for end in ("in", "out")]
                Path(files[0]).write_bytes(pattern(taken))
                command = [program, "relayout", *files, "--from", source, "--to", target, "--element", str(bits)]
                if subprocess.run(command, capture_output=True).returncode:
                    continue
                out = Path(files[1]).read_bytes()
                # A file has whole tiles; a kernel writes up to the last element.
                expected += out[:given] + bytes(max(given - len(out), 0))
        (folder / row["file"]).write_text(text)
        made.append(row)
    (folder / "expected.bin").write_bytes(expected)
    (folder / "rows.json").write_text(json.dumps(made))
    print(f"{sum(row['timed'] for row in made)} rows that are timed, {sum(not row['timed'] for row in made)} pairs that are compared")


FILL = """
extern "C" __global__ void fill(unsigned char *to, unsigned long long count) {
    for (unsigned long long at = blockIdx.x * 256ull + threadIdx.x; at < count; at += gridDim.x * 256ull) to[at] = (unsigned char)((at + 1) * 0x9E3779B1ull >> 13);
}
extern "C" __global__ void copy(const uint4 *from, uint4 *to, unsigned long long count) {
    unsigned long long first = blockIdx.x * 1024ull + threadIdx.x;
    uint4 held[4];
    #pragma unroll
    for (int turn = 0; turn < 4; turn++) if (first + turn * 256 < count) held[turn] = from[first + turn * 256];
    #pragma unroll
    for (int turn = 0; turn < 4; turn++) if (first + turn * 256 < count) to[first + turn * 256] = held[turn];
}
"""


def nvrtc() -> ctypes.CDLL | None:
    """The compiler, where there is one."""
    places = [*glob.glob("/usr/local/cuda*/lib64/libnvrtc.so*"), *glob.glob("/usr/local/cuda*/targets/*/lib/libnvrtc.so*"), *glob.glob("/usr/lib/*/libnvrtc.so*")]
    for path in sys.path:
        places += glob.glob(f"{path}/nvidia/*/lib/libnvrtc.so*")
    for place in ["libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12", *sorted(places)]:
        if "builtins" in place:
            continue
        try:
            return ctypes.CDLL(place)
        except OSError:
            continue
    return None


class Compiler:
    """CUDA source to what the driver loads."""

    def __init__(self, arch: str) -> None:
        self.arch, self.library = arch, nvrtc()
        if self.library is None and shutil.which("nvcc") is None:
            raise SystemExit("SKIPPED: there is neither NVRTC nor nvcc")

    def __call__(self, source: str) -> bytes:
        if self.library is None:
            with tempfile.TemporaryDirectory() as scratch:
                Path(f"{scratch}/k.cu").write_text("#define __CUDACC_RTC__\n" + source)
                subprocess.run(["nvcc", f"-arch=sm_{self.arch}", "-cubin", "-o", f"{scratch}/k.cubin", f"{scratch}/k.cu"], check=True)
                return Path(f"{scratch}/k.cubin").read_bytes()
        rtc, program = self.library, ctypes.c_void_p()
        rtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None)
        options = (ctypes.c_char_p * 1)(f"--gpu-architecture=sm_{self.arch}".encode())
        size = ctypes.c_size_t()
        if rtc.nvrtcCompileProgram(program, 1, options):
            rtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
            log = ctypes.create_string_buffer(size.value)
            rtc.nvrtcGetProgramLog(program, log)
            raise RuntimeError(log.value.decode())
        rtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
        image = ctypes.create_string_buffer(size.value)
        rtc.nvrtcGetCUBIN(program, image)
        rtc.nvrtcDestroyProgram(ctypes.byref(program))
        return image.raw


class Device:
    """The driver."""

    def __init__(self) -> None:
        self.cuda = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        numbers = []
        for attribute in (75, 76):
            number = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(number), attribute, device)
            numbers.append(number.value)
        self.arch = f"{numbers[0]}{numbers[1]}"
        name = ctypes.create_string_buffer(100)
        self.call("cuDeviceGetName", name, 100, device)
        self.name = name.value.decode()

    def call(self, name: str, *arguments: object) -> None:
        error = getattr(self.cuda, name)(*arguments)
        if error:
            raise RuntimeError(f"{name}: error {error}")

    def memory(self, count: int) -> ctypes.c_uint64:
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(count, 16)))
        return pointer

    def load(self, image: bytes) -> ctypes.c_void_p:
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image)
        return module

    def function(self, module: ctypes.c_void_p, name: str) -> ctypes.c_void_p:
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def launch(self, function: ctypes.c_void_p, blocks: int, *arguments: ctypes.c_uint64) -> None:
        pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.cast(ctypes.pointer(one), ctypes.c_void_p) for one in arguments])
        self.call("cuLaunchKernel", function, blocks, 1, 1, THREADS, 1, 1, 0, None, pointers, None)

    def median(self, run: object) -> float:
        """Milliseconds."""
        events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in events:
            self.call("cuEventCreate", ctypes.byref(event), 0)
        times = []
        for turn in range(RUNS + 3):
            self.call("cuEventRecord", events[0], None)
            run()
            self.call("cuEventRecord", events[1], None)
            self.call("cuEventSynchronize", events[1])
            taken = ctypes.c_float()
            self.call("cuEventElapsedTime", ctypes.byref(taken), *events)
            if turn >= 3:
                times.append(taken.value)
        return statistics.median(times)


def check(folder: Path) -> int:
    """Compiles, runs and compares; 0 where all agree."""
    rows = json.loads((folder / "rows.json").read_text())
    expected = (folder / "expected.bin").read_bytes()
    try:
        device = Device()
    except OSError:
        print(f"SKIPPED: {len(rows)} kernels were not run; there is no driver")
        return 0
    compile_source = Compiler(device.arch)
    helpers = device.load(compile_source(FILL))
    fill, copy = device.function(helpers, "fill"), device.function(helpers, "copy")
    print(f"{device.name}, sm_{device.arch}")
    wrong, compared = 0, 0
    for row in rows:
        try:
            module = device.load(compile_source((folder / row["file"]).read_text()))
        except RuntimeError as error:
            wrong += 1
            print(f"{row['name']}: does not compile: {error}")
            continue
        kernel = device.function(module, "relayout_kernel")
        taken, given = row["bytes"]
        source, target, counter = device.memory(taken), device.memory(given + ROOM), device.memory(8)
        device.launch(fill, 4096, source, ctypes.c_uint64(taken))
        device.call("cuMemsetD8_v2", target, 0, ctypes.c_size_t(given + ROOM))
        device.call("cuMemsetD8_v2", counter, 0, ctypes.c_size_t(8))

        def run() -> None:
            if row["blocks"]:
                device.launch(kernel, row["blocks"], source, target)

        run()
        device.launch(device.function(module, "relayout_check"), 4096, source, target, counter)
        device.call("cuCtxSynchronize")
        differing = ctypes.c_uint64()
        device.call("cuMemcpyDtoH_v2", ctypes.byref(differing), counter, ctypes.c_size_t(8))
        bad = differing.value != 0
        if not row["timed"]:
            compared += 1
            came = ctypes.create_string_buffer(given + ROOM)
            device.call("cuMemcpyDtoH_v2", came, target, ctypes.c_size_t(given + ROOM))
            bad |= came.raw != expected[row["expected"] : row["expected"] + given] + bytes(ROOM)
        else:
            moved = min(taken, given)
            ours = device.median(run)
            theirs = device.median(lambda: device.call("cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(moved), None))
            copied = device.median(lambda: device.launch(copy, -(-moved // 16 // 1024), source, target, ctypes.c_uint64(moved // 16)))
            print(f"{row['name']:40} {moved / ours / 1e6:7.0f} GB/s moved, {theirs / ours:.3f} of a copy ({moved / theirs / 1e6:.0f}), {copied / ours:.3f} of a copying kernel", flush=True)
        if bad:
            wrong += 1
            print(f"{row['name']}: differs ({differing.value} bytes of elements)")
        for pointer in (source, target, counter):
            device.call("cuMemFree_v2", pointer)
        device.call("cuModuleUnload", module)
    print(f"{len(rows)} kernels, {compared} compared byte for byte: {wrong} wrong")
    return int(wrong != 0)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", folder]:
            write(Path(folder), os.environ.get("BITSTRIDE", "bitstride"))
        case ["write", folder, program]:
            write(Path(folder), program)
        case ["check", folder]:
            sys.exit(check(Path(folder)))
        case _:
            sys.exit(__doc__)
