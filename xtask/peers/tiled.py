#!/usr/bin/env python3
"""Time XLA's own text of shapes and Mosaic's maps on this benchmark's operands.

    python3 tiled.py      # pip install jaxlib

Prints one JSON object a line, {"case": name, "ns": least}. jaxlib binds the
parser and the printer of shapes, and MLIR's parser and printer of memref
types; it binds no function that tells an offset or compares two memories.
Every answer is compared with the one written here. Exits 3 if the package is
not installed.
"""

import json
import sys

from timing import least_ns

TEXT = "bf16[65536,65536]{1,0:T(8,128)(2,1)}"
MEMREF = "memref<65536x65536xbf16, #tpu.tiled<(8,128)(2,1),[512,1]>>"

try:
    from jaxlib import xla_client
    from jaxlib.mlir import ir
    from jaxlib.mosaic.python import tpu
except ImportError as error:
    print(f"jaxlib: not usable ({error}); pip install jaxlib", file=sys.stderr)
    sys.exit(3)


def say(case, call):
    print(json.dumps({"case": case, "ns": least_ns(call)}))


def main():
    shape = xla_client.Shape(TEXT)
    assert str(shape) == TEXT, str(shape)
    say("parse", lambda: xla_client.Shape(TEXT))
    say("print", lambda: str(shape))
    context = ir.Context()
    tpu.register_dialect(context)
    context.load_all_available_dialects()
    memref = ir.MemRefType(ir.Type.parse(MEMREF, context))
    written = (
        "(d0, d1) -> ((d0 floordiv 8) * 524288 + (d1 floordiv 128) * 1024"
        " + ((d0 mod 8) floordiv 2) * 256 + (d1 mod 128) * 2 + d0 mod 2)"
    )
    assert str(memref.affine_map) == written, str(memref.affine_map)
    say("affine_map", lambda: str(memref.affine_map))


main()
