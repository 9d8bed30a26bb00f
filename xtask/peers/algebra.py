#!/usr/bin/env python3
"""Time a Python layout-algebra package on this benchmark's fixed operands.

    python3 algebra.py pycute           # pip install nvidia-cutlass
    python3 algebra.py tensor_layouts   # pip install tensor-layouts

Prints one JSON object a line, {"case": name, "ns": best}, where best is the
fewest nanoseconds per call, as timing.py measures them. Operands are
built before the clock starts. Every answer is compared, shape and stride, with
the one written in the table; a case that raises or answers otherwise is named
on standard error and not timed. With --check each answer is printed, nothing
is timed, and the exit status is 1 if any was wrong. Exits 3 if the package is
not installed.
"""

import argparse
import importlib
import json
import sys
from functools import partial

from timing import least_ns

PIP_NAME = {"pycute": "nvidia-cutlass", "tensor_layouts": "tensor-layouts"}


def load(name):
    """Import the package, or exit 3 with one line on standard error."""
    try:
        package = importlib.import_module(name)
        package.right_inverse  # PyPI's own "pycute" is an unrelated package
        return package
    except (ImportError, AttributeError) as error:
        print(f"{name}: not usable ({error}); pip install {PIP_NAME[name]}", file=sys.stderr)
        sys.exit(3)


def table(m):
    """The cases: name -> (zero-argument call, expected answer)."""
    L = m.Layout
    compose = getattr(m, "composition", None) or m.compose
    tiler = getattr(m, "Tile", lambda *layouts: layouts)
    a = L((4, 2, 3), (2, 1, 8))
    square = L((2048, 2048), (1, 2048))
    tiled = L(((32, 64), (64, 32)), ((1, 32), (2048, 131072)))

    def same_function(x, y):
        # Neither package has a cheap test of equality as functions; a coalesced
        # layout is a normal form, so comparing two of them decides it.
        return m.coalesce(x) == m.coalesce(y)

    return {
        "composition_2x2": (
            partial(compose, L((10, 2), (16, 4)), L((5, 4), (1, 5))),
            ((5, (2, 2)), (16, (80, 4)))),
        "composition_4x3": (
            partial(compose, L((4, 2, 3, 8), (2, 1, 8, 24)), L((4, 6, 2), (1, 4, 24))),
            ((4, (2, 3), 2), (2, (1, 8), 24))),
        "complement_2": (
            partial(m.complement, L((2, 4), (1, 6)), 24),
            (3, 2)),
        "complement_4": (
            partial(m.complement, L((2, 4, 3, 2), (1, 6, 24, 144)), 576),
            ((3, 2, 2), (2, 72, 288))),
        "coalesce": (
            partial(m.coalesce, L((2, (1, 6), (4, 2)), (1, (6, 2), (12, 48)))),
            (96, 1)),
        "logical_divide": (
            partial(m.logical_divide, a, L(4, 2)),
            (((2, 2), (2, 3)), ((4, 1), (2, 8)))),
        "zipped_divide": (
            partial(m.zipped_divide, L((9, (4, 8)), (59, (13, 1))),
                    tiler(L(3, 3), L((2, 4), (1, 8)))),
            (((3, (2, 4)), (3, (2, 2))), ((177, (13, 2)), (59, (26, 1))))),
        "logical_product": (
            partial(m.logical_product, L((2, 2), (4, 1)), L((4, 2), (2, 1))),
            (((2, 2), (4, 2)), ((4, 1), (8, 2)))),
        "right_inverse": (
            partial(m.right_inverse, a),
            ((2, 4, 3), (4, 1, 8))),
        "evaluate": (
            partial(m.crd2idx, 17, a.shape, a.stride),
            18),
        "equality_2048": (
            partial(same_function, square, tiled),
            True),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("package", choices=sorted(PIP_NAME))
    parser.add_argument("--check", action="store_true", help="print the answers, time nothing")
    args = parser.parse_args()
    wrong = 0
    for name, (call, expected) in table(load(args.package)).items():
        try:
            answer = call()
        except Exception as error:  # a package may refuse operands that another takes
            print(f"{args.package}: {name}: {error!r}", file=sys.stderr)
            wrong += 1
            continue
        plain = (answer.shape, answer.stride) if hasattr(answer, "shape") else answer
        if plain != expected:
            print(f"{args.package}: {name}: {plain}, expected {expected}", file=sys.stderr)
            wrong += 1
        if args.check:
            print(json.dumps({"case": name, "answer": plain, "right": plain == expected}))
        elif plain == expected:
            print(json.dumps({"case": name, "ns": round(least_ns(call), 1)}), flush=True)
    return 1 if args.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
