#!/usr/bin/env python3
"""Time tensor-layouts' equality of functions on this benchmark's operands.

    python3 same.py      # pip install tensor-layouts

Prints one JSON object a line, {"case": name, "ns": least}. The package
compares offset by offset, so the large case takes about a minute and is run
once.
"""

import json
import sys
from time import perf_counter

from timing import least_ns

try:
    from tensor_layouts import Layout
    from tensor_layouts.analysis import functionally_equal
except ImportError as error:
    print(f"tensor-layouts: not usable ({error}); pip install tensor-layouts", file=sys.stderr)
    sys.exit(3)

SMALL = Layout((4, 4), (1, 4)), Layout(((2, 2), (2, 2)), ((1, 2), (4, 8)))
LARGE = Layout((2048, 2048), (1, 2048)), Layout(((32, 64), (64, 32)), ((1, 32), (2048, 131072)))


def say(case, seconds):
    print(json.dumps({"case": case, "ns": seconds * 1e9}))


assert functionally_equal(*SMALL)
say("cute_4", least_ns(lambda: functionally_equal(*SMALL)) / 1e9)
start = perf_counter()
assert functionally_equal(*LARGE)
say("cute_2048", perf_counter() - start)
