#!/usr/bin/env python3
"""Time the linear layouts of the Triton wheel on this benchmark's operands.

    python3 linear.py      # pip install triton

Prints one JSON object a line, {"case": name, "ns": least}. What a call through
the binding costs by itself is measured on a call that does nothing and taken
off. An encoding's layout is computed once in a context and cached after that:
in 40 fresh contexts the first call less the second is what the computation
costs, and the least of those is reported. Division has no binding; it is
called by its symbol, with the addresses of the bound objects. Every answer is
compared with the one written here. The wheel is built with its assertions on.
Exits 3 if the package is not installed.
"""

import ctypes
import json
import sys
import time

from timing import least_ns

CONTEXTS = 40

try:
    from triton._C import libtriton
    from triton._C.libtriton import gluon_ir, ir
    from triton._C.libtriton.linear_layout import LinearLayout
    from triton.experimental.gluon import language as gl
except ImportError as error:
    print(f"triton: not usable ({error}); pip install triton", file=sys.stderr)
    sys.exit(3)


def powers(count, column, width):
    """The bases 1, 2, 4, … in one of `width` out dims."""
    return [[(1 << k) if at == column else 0 for at in range(width)] for k in range(count)]


def layout(ins, outs):
    return LinearLayout.from_bases(ins, list(outs), list(outs.values()), False)


def operands():
    """The layouts that the operations take."""
    tensor = {"dim0": 128, "dim1": 128}
    source = layout(
        [("register", powers(3, 1, 2) + [[0, 64], [32, 0]]),
         ("lane", [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]]),
         ("warp", [[4, 0], [8, 0]]),
         ("block", [[16, 0], [64, 0]])], tensor)
    swizzled = layout([("offset", powers(7, 1, 2) + [[1 << k, 8 << k if k < 3 else 0] for k in range(7)])], tensor)
    flat = layout([("dim0", [[128 << k] for k in range(7)]), ("dim1", powers(7, 0, 1))], {"offset": 16384})
    minor = layout([("register", powers(3, 1, 2)), ("lane", powers(5, 0, 2))], {"dim0": 32, "dim1": 8})
    major = layout([("register", powers(2, 1, 2)), ("warp", powers(2, 0, 2))], {"dim0": 4, "dim1": 4})
    return source, swizzled, flat, minor, major


def algebra():
    """name -> (call, the columns of its first in dim, flat)"""
    source, swizzled, flat, minor, major = operands()
    return {
        "product": (lambda: minor * major, [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]),
        "compose": (lambda: source.compose(flat), [[1], [2], [4], [64], [4096]]),
        "invert": (lambda: swizzled.invert(), [[136], [272], [544], [1024], [2048], [4096], [8192]]),
        "invert_and_compose": (lambda: source.invert_and_compose(swizzled), [[1], [2], [4], [64], [4096]]),
    }


def divide(whole, minor):
    """Division by the symbol of the library, and a call that does nothing in the same way."""
    library = ctypes.CDLL(libtriton.__file__)

    def address(bound):
        # The binding's objects hold their value; a 32-bit number after the header says how far in.
        return id(bound) + ctypes.c_int32.from_address(id(bound) + object.__basicsize__).value

    room = ctypes.create_string_buffer(4096)
    arguments = (ctypes.addressof(room), address(whole), address(minor))
    function = library._ZN4mlir6triton10divideLeftERKNS0_12LinearLayoutES3_
    nothing = ctypes.CDLL(None).labs
    for call in (function, nothing):
        call.restype, call.argtypes = None, [ctypes.c_void_p] * 3
    kept = (whole, minor, room)
    return (lambda: function(*arguments) or kept), (lambda: nothing(*arguments) or kept)


def encodings():
    blocked = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    mma = gl.NVMMADistributedLayout([2, 0], [2, 2], [16, 8])
    return {
        "blocked": (blocked, [128, 128]),
        "mma_v2": (mma, [128, 128]),
        "dot_operand": (gl.DotOperandLayout(0, mma, 2), [128, 64]),
        "nvmma_shared": (gl.NVMMASharedLayout(128, 16, 2), [128, 64]),
    }


def uncached_ns(encoding, shape):
    # Kept until the end: an attribute of a new context at an old address would be answered from the cache.
    spent, kept = [], []
    for _ in range(CONTEXTS):
        context = ir.context()
        ir.load_dialects(context)
        builder = gluon_ir.GluonOpBuilder(context)
        attribute = encoding._to_ir(builder)
        kept.append((context, builder, attribute))
        times = []
        for _ in range(2):
            start = time.perf_counter_ns()
            builder.to_linear_layout(attribute, shape)
            times.append(time.perf_counter_ns() - start)
        spent.append(times[0] - times[1])
    return min(spent)


def main():
    source, _, _, minor, major = operands()
    floor = least_ns(lambda: source.is_surjective())

    def report(name, ns):
        print(json.dumps({"case": name, "ns": round(ns, 1)}), flush=True)

    for name, (call, expected) in algebra().items():
        answer = [list(basis) for basis in call().bases[0][1]]
        if answer == expected:
            report(name, least_ns(call) - floor)
        else:
            print(f"triton: {name}: {answer}, expected {expected}", file=sys.stderr)
    division, nothing = divide(minor * major, minor)
    report("divide_left", least_ns(division) - least_ns(nothing))
    for name, (encoding, shape) in encodings().items():
        report(name, uncached_ns(encoding, shape))


if __name__ == "__main__":
    main()
