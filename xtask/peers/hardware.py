#!/usr/bin/env python3
"""Time what other packages know of accesses and conversions on this benchmark's operands.

    python3 hardware.py tensor-layouts|triton      # pip install tensor-layouts triton

Prints one JSON object a line, {"case": name, "ns": least}. tensor-layouts counts the bank conflicts of
one warp. Triton's binding has the map of a conversion, from places of the target to places of the source; how it goes
through shared memory is not bound. Every answer is compared with the one written here. Exits 3 where the package that is
asked for is not installed.
"""

import json
import sys

from timing import least_ns


def say(case, ns):
    print(json.dumps({"case": case, "ns": ns}))


def accesses():
    from tensor_layouts import Layout, Swizzle, compose
    from tensor_layouts.analysis import bank_conflicts

    column = Layout(32, 64)
    swizzled = compose(Swizzle(3, 3, 3), column)
    for case, lanes, ways in [("access_column", column, 32), ("access_swizzled", swizzled, 4)]:
        found = bank_conflicts(lanes, element_bytes=2)["max_ways"]
        assert found == ways, (case, found)
        say(case, least_ns(lambda lanes=lanes: bank_conflicts(lanes, element_bytes=2)))


def conversions():
    from triton._C.libtriton.linear_layout import LinearLayout

    def layout(register, lane, warp):
        ins = [("register", register), ("lane", lane), ("warp", warp)]
        return LinearLayout.from_bases(ins, ["dim0", "dim1"], [128, 64], True)

    rows = layout([[0, 1], [0, 2], [0, 4], [16, 0], [32, 0], [64, 0]],
                  [[0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], [[4, 0], [8, 0]])
    columns = layout([[1, 0], [2, 0], [4, 0], [64, 0], [0, 16], [0, 32]],
                     [[8, 0], [16, 0], [32, 0], [0, 1], [0, 2]], [[0, 4], [0, 8]])
    moved = dict(columns.invert_and_compose(rows).bases)
    assert moved["register"][0] == [0, 8, 0], moved
    say("conversion_map", least_ns(lambda: columns.invert_and_compose(rows)))


PEERS = {"tensor-layouts": accesses, "triton": conversions}

try:
    PEERS[sys.argv[1]]()
except ImportError as error:
    print(f"{sys.argv[1]}: not usable ({error}); pip install {sys.argv[1]}", file=sys.stderr)
    sys.exit(3)
