#!/usr/bin/env python3
"""Time the relayouts of `cargo xtask bench relayout` in another library.

    python3 relayout.py numpy    # pip install numpy
    python3 relayout.py torch    # pip install torch numpy
    python3 relayout.py onednn   # pip install onednn numpy

Standard input asks, a line of JSON each, and each has its answer on standard
output. First come {"threads": t, "sides": [s, d], "runs": r}: the most bytes of
both buffers, and how many runs a turn is.
Then cases, {"bytes", "shape", "from", "to", "sides"}: loops with
their strides in elements on both sides, the outermost of the destination first,
and the bytes of both buffers. The answer is {"sum"} of the bytes that it leaves, or
{"refused"} with the reason. Every {} after a case takes a turn; its answer is
{"seconds"}. Exits 3 if the package is not installed.
"""

import ctypes
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

try:
    import numpy as np
except ImportError as error:
    print(f"not usable ({error}); pip install numpy", file=sys.stderr)
    sys.exit(3)

PAGE = 2 << 20


def memory(size):
    """Bytes that begin with a huge page; NumPy asks for such pages itself."""
    room = np.empty(size + PAGE, np.uint8)
    first = -room.ctypes.data % PAGE
    return room[first:first + size]


def fill(room):
    """The same noise as in the bench."""
    words = room[:len(room) // 4 * 4].view(np.uint32)
    mixed = np.arange(len(words), dtype=np.uint32) * np.uint32(2654435761)
    mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x85EBCA6B)
    words[:] = (mixed ^ (mixed >> np.uint32(13))) & np.uint32(0xBFFFBFFF) | np.uint32(0x20002000)


def weighed(room):
    """The sum of eight bytes each, times odd numbers, modulo 2^64."""
    padded = np.zeros(-(-len(room) // 8) * 8, np.uint8)
    padded[:len(room)] = room
    words = padded.view(np.uint64)
    odd = np.arange(len(words), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    return int((words * odd).sum(dtype=np.uint64))


def parts(count, threads):
    return [slice(count * n // threads, count * (n + 1) // threads) for n in range(threads)]


class Copier:
    """numpy.copyto, cut along one axis for several threads, each of which keeps to a processor of its own."""

    def __init__(self, threads):
        self.threads = threads
        free = sorted(os.sched_getaffinity(0))[:threads]

        def keep():
            if free:
                os.sched_setaffinity(0, [free.pop()])

        self.pool = ThreadPoolExecutor(threads, initializer=keep) if threads > 1 else None

    def cut(self, target, source, axis):
        if not self.pool:
            return lambda: np.copyto(target, source)
        at = [(slice(None),) * axis + (part,) for part in parts(target.shape[axis], self.threads)]
        pairs = [(target[index], source[index]) for index in at]
        return lambda: list(self.pool.map(lambda pair: np.copyto(*pair), pairs))


def numpy_call(case, source, target, copier):
    kind = {1: np.uint8, 2: np.uint16, 4: np.float32, 8: np.float64}[case["bytes"]]
    size = case["bytes"]

    def view(room, strides):
        return np.lib.stride_tricks.as_strided(
            room[:len(room) // size * size].view(kind), case["shape"], [size * stride for stride in strides])

    longest = next((at for at, count in enumerate(case["shape"]) if count >= 8), 0)
    return copier.cut(view(target, case["to"]), view(source, case["from"]), longest)


def torch_call(case, source, target, torch):
    kind = {1: torch.uint8, 2: torch.bfloat16, 4: torch.float32, 8: torch.float64}[case["bytes"]]
    size = case["bytes"]

    def view(room, strides):
        flat = torch.from_numpy(room[:len(room) // size * size]).view(kind)
        return torch.as_strided(flat, case["shape"], strides)

    into, out_of = view(target, case["to"]), view(source, case["from"])
    return lambda: into.copy_(out_of)


class OneDnn:
    """Reorders through the C interface of libdnnl."""

    CPU, IN_ORDER, FROM, TO = 1, 1, 1, 17
    KINDS = {1: 6, 2: 2, 4: 3}

    class Argument(ctypes.Structure):
        _fields_ = [("at", ctypes.c_int), ("memory", ctypes.c_void_p)]

    def __init__(self):
        self.library = ctypes.CDLL(os.path.join(sys.prefix, "lib", "libdnnl.so.3"))
        self.engine = self.made("dnnl_engine_create", ctypes.c_int(self.CPU), ctypes.c_size_t(0))
        self.stream = self.made("dnnl_stream_create", self.engine, ctypes.c_uint(self.IN_ORDER))

    def called(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} answers {status}")

    def made(self, name, *arguments):
        made = ctypes.c_void_p()
        self.called(name, ctypes.byref(made), *arguments)
        return made

    def call(self, case, source, target):
        shape, sides = case["shape"], [case["from"], case["to"]]
        if case["bytes"] == 8:
            # Eight bytes are a dim of two times four.
            shape, sides = shape + [2], [[2 * stride for stride in side] + [1] for side in sides]
        rank, kind = len(shape), self.KINDS[min(case["bytes"], 4)]
        numbers = ctypes.c_int64 * rank

        def described(strides):
            return self.made("dnnl_memory_desc_create_with_strides", rank, numbers(*shape),
                             ctypes.c_int(kind), numbers(*strides))

        shapes = [described(side) for side in sides]
        reorder = self.made("dnnl_reorder_primitive_desc_create", shapes[0], self.engine, shapes[1], self.engine, None)
        primitive = self.made("dnnl_primitive_create", reorder)
        memories = [self.made("dnnl_memory_create", shape, self.engine, ctypes.c_void_p(room.ctypes.data))
                    for shape, room in zip(shapes, (source, target))]
        arguments = (self.Argument * 2)((self.FROM, memories[0].value), (self.TO, memories[1].value))

        def run():
            self.called("dnnl_primitive_execute", primitive, self.stream, 2, arguments)
            self.called("dnnl_stream_wait", self.stream)

        return run


def caller(name, threads, copier):
    """(case, source, target) -> a call that moves it."""
    try:
        if name == "numpy":
            return lambda case, source, target: numpy_call(case, source, target, copier)
        if name == "torch":
            import torch

            torch.set_num_threads(threads)
            return lambda case, source, target: torch_call(case, source, target, torch)
        return OneDnn().call
    except (ImportError, OSError, RuntimeError) as error:
        print(f"not usable ({error}); pip install {name}", file=sys.stderr)
        sys.exit(3)


def seconds(call, runs):
    """Of the last of some runs, as ours: each finds in the caches what it left there itself."""
    for _ in range(1, runs):
        call()
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def with_libraries():
    """Starts this script again where the loader does not look in the environment's own libraries yet.

    The wheel of oneDNN runs on SYCL, whose processor device is an OpenCL library of its own. It has as many threads as
    there are processors that it may use.
    """
    libraries = os.path.join(sys.prefix, "lib")
    known = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    if libraries not in known:
        os.environ["LD_LIBRARY_PATH"] = ":".join([libraries, *filter(None, known)])
        os.environ["OCL_ICD_FILENAMES"] = os.path.join(libraries, "libintelocl.so")
        threads = int(os.environ.get("OMP_NUM_THREADS", "1"))
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
        os.execv(sys.executable, [sys.executable, *sys.argv])


def main():
    name = sys.argv[1]
    if name == "onednn":
        with_libraries()

    def answer(told):
        print(json.dumps(told), flush=True)

    begin = json.loads(sys.stdin.readline())
    call = caller(name, begin["threads"], Copier(begin["threads"]))
    whole = [memory(size) for size in begin["sides"]]
    fill(whole[0])
    answer({})
    for line in sys.stdin:
        case = json.loads(line)
        if not case:
            answer({"seconds": seconds(move, begin["runs"])})
            continue
        source, target = (room[:size] for room, size in zip(whole, case["sides"]))
        target[:] = 0
        try:
            move = call(case, source, target)
            move()
            answer({"sum": str(weighed(target))})
        except RuntimeError as error:
            answer({"refused": str(error)})


if __name__ == "__main__":
    main()
