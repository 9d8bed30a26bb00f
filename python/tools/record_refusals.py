"""Records which exceptions packages raise for arguments that they do not take, for `python/tests/refusals.tsv`.

A line is a package, a call as its users write it, and behind a tab the name of the exception. Run with the packages:

    python python/tools/record_refusals.py 400 > python/tests/refusals.tsv
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import random
import signal
import sys
from typing import Any

draw = random.Random(33)
PACKAGES = {
    "pycute": "coalesce complement composition cosize crd2crd crd2idx elem_scale filter hier_unzip idx2crd inner_product left_inverse"
    " logical_divide logical_product make_layout prefix_product right_inverse shape_div slice_ slice_and_offset tiled_divide"
    " tiled_product zipped_divide zipped_product Swizzle",
    "torch.distributed._pycute": "coalesce complement composition cosize crd2crd crd2idx elem_scale filter idx2crd inner_product"
    " left_inverse logical_divide logical_product make_layout right_inverse shape_div slice_ slice_and_offset suffix_product"
    " tiled_divide tiled_product zipped_divide zipped_product",
    "tensor_layouts": "Layout append blocked_product coalesce complement compose cosize depth flat_divide flat_product flatten group"
    " left_inverse logical_divide logical_product max_common_layout max_common_vector mode nullspace prepend raked_product rank"
    " right_inverse size sort tiled_divide tiled_product upcast downcast zipped_divide zipped_product",
}
HOSTILE = ["-1", "0", "2**63", "-2**64", "10**30", "'a'", "2.5", "None", "[]", "{}", "()", "((),)", "((), 2)", "(None, 2)", "True"]
RECORDED = ("AssertionError", "AttributeError", "LayoutError", "TypeError")
"""Others say by which line a package stumbles, such as ZeroDivisionError."""


def shape(depth: int = 0) -> str:
    """A shape or a coordinate, now and then with what is none in it."""
    if draw.random() < 0.08:
        return draw.choice(HOSTILE)
    if depth > 1 or draw.random() < 0.6:
        return str(draw.choice([1, 2, 3, 4, 6, 8]))
    entries = [shape(depth + 1) for _ in range(draw.choice([1, 2, 2, 3]))]
    return f"({', '.join(entries)}{',' if len(entries) == 1 else ''})"


def argument() -> str:
    """An argument of any kind."""
    way = draw.random()
    if way < 0.25:
        return draw.choice(HOSTILE)
    if way < 0.55:
        return shape()
    if way < 0.6:
        return f"Swizzle({draw.choice([1, 2])}, 0, {draw.choice([2, 3])})"
    return f"Layout({shape()})" if draw.random() < 0.5 else f"Layout({shape()}, {shape()})"


def raised(call: str, names: dict[str, Any]) -> str | None:
    """The name of the exception that a call raises."""
    signal.alarm(1)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            eval(call, dict(names))  # noqa: S307
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001
        return type(error).__name__
    finally:
        signal.alarm(0)
    return None


def rows(count: int) -> None:
    """Prints `count` lines for each package, each call once."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    for package, functions in PACKAGES.items():
        names = vars(importlib.import_module(package))
        seen: set[str] = set()
        while len(seen) < count:
            function = draw.choice(functions.split())
            try:
                parameters = [p for p in inspect.signature(names[function]).parameters.values() if p.default is p.empty]
            except ValueError:
                continue
            call = f"{function}({', '.join(argument() for _ in range(max(len(parameters), 1)))})"
            try:
                error = raised(call, names)
            except KeyboardInterrupt:
                continue
            if error in RECORDED and call not in seen and len(call) < 160:
                seen.add(call)
                print(f"{package}\t{call}\t{error}")


if __name__ == "__main__":
    rows(int(sys.argv[1]))
