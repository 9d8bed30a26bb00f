"""The package beside its peers, in one run: nanoseconds a call, and how many times faster it is.

Peers are pycute (`pip install nvidia-cutlass --no-deps`), tensor-layouts, Triton and NumPy, as far as they can be imported. Each case
runs in batches of about 1 ms, in turns with its peers, and counts its best batch.
"""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import bitstride
from bitstride import Layout, LinearLayout, Swizzle

Case = Callable[[], Any]


def module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except Exception:  # A peer that does not load is no peer here.
        return None


pycute, tl, triton = module("pycute"), module("tensor_layouts"), module("triton.tools")


def algebra(
    name: str, ours: Callable[..., Any], peers: str, *operands: tuple[Any, Any] | Any
) -> tuple[str, dict[str, Case]]:
    """A case with layouts as operands."""

    def built(make: Callable[..., Any], call: Callable[..., Any]) -> Case:
        values = [make(*part) if isinstance(part, tuple) else part for part in operands]
        return lambda: call(*values)

    cases = {"bitstride": built(Layout, ours)}
    if pycute is not None and hasattr(pycute, peers):
        cases["pycute"] = built(pycute.Layout, getattr(pycute, peers))
    theirs = {"composition": "compose"}.get(peers, peers)
    if tl is not None and hasattr(tl, theirs):
        cases["tensor-layouts"] = built(tl.Layout, getattr(tl, theirs))
    return name, cases


def plain(name: str, build: Callable[[Any], Case]) -> tuple[str, dict[str, Case]]:
    """A case that only needs the class of layouts."""
    cases = {"bitstride": build(Layout)}
    for peer, at in {"pycute": pycute, "tensor-layouts": tl}.items():
        if at is not None:
            cases[peer] = build(at.Layout)
    return name, cases


def equal(left: Any, right: Any) -> Case:
    return lambda: left == right


def text(layout: Any) -> Case:
    return lambda: str(layout)


def at(layout: Any, index: int) -> Case:
    return lambda: layout(index)


def table(name: str, ours: Case, shape: Any, stride: Any, by_index: bool) -> tuple[str, dict[str, Case]]:
    def loop(layout: Any, count: int) -> Case:
        if by_index:
            return lambda: [layout(index) for index in range(count)]
        return lambda: [layout((i, j)) for i in range(256) for j in range(256)]

    cases = {"bitstride": ours}
    for peer, at in {"pycute": pycute, "tensor-layouts": tl}.items():
        if at is not None:
            cases[peer] = loop(at.Layout(shape, stride), 65536)
    return name, cases


def linear() -> list[tuple[str, dict[str, Case]]]:
    """Triton's binding beside the native class."""
    bits = [[1 << bit] for bit in range(13)]
    halves = {"lane": bits[:5], "warp": bits[5:]}
    ours = LinearLayout(halves, {"dim0": 8192})
    after = LinearLayout({"dim0": bits[::-1]}, {"out": 8192})
    half = LinearLayout({"lane": bits[:6]}, {"dim0": 64})
    blocked = bitstride.triton.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    spread = blocked.to_linear((64, 128))
    cases: list[tuple[str, dict[str, Case]]] = [
        ("linear: from bases, 13 bits", {"bitstride": lambda: LinearLayout(halves, {"dim0": 8192})}),
        ("linear: identity of 128", {"bitstride": lambda: bitstride.identity_1d(128, "lane", "dim0")}),
        ("linear: apply a point", {"bitstride": lambda: ours(lane=3, warp=7)}),
        ("linear: product", {"bitstride": lambda: half * half}),
        ("linear: compose 13 bits", {"bitstride": lambda: ours.compose(after)}),
        ("linear: invert 13 bits", {"bitstride": lambda: ours.invert()}),
        ("linear: pseudoinvert", {"bitstride": lambda: ours.pseudoinvert()}),
        ("linear: invert and compose", {"bitstride": lambda: ours.invert_and_compose(ours)}),
        ("linear: equality", {"bitstride": lambda: ours == after}),
        ("linear: is surjective", {"bitstride": lambda: ours.is_surjective()}),
        ("linear: bases", {"bitstride": lambda: ours.bases}),
        ("linear: text", {"bitstride": lambda: str(ours)}),
        ("linear: view of 64 x 128", {"bitstride": lambda: spread.tensor_view()}),
        ("linear: table of 8,192", {"bitstride": lambda: ours.table()}),
    ]
    if triton is not None and hasattr(triton, "LinearLayout"):
        binding = triton.LinearLayout
        build = binding.from_bases
        theirs = build(list(halves.items()), ["dim0"], [8192], True)
        last = build([("dim0", bits[::-1])], ["out"], [8192], True)
        part = build([("lane", bits[:6])], ["dim0"], [64], True)
        wide = build(list(spread.bases.items()), list(spread.out_dims), list(spread.out_dims.values()), True)
        peers: list[Case] = [
            lambda: build(list(halves.items()), ["dim0"], [8192], True),
            lambda: binding.identity_1d(128, "lane", "dim0"),
            lambda: theirs.apply({"lane": 3, "warp": 7}),
            lambda: part * part,
            lambda: theirs.compose(last),
            lambda: theirs.invert(),
            lambda: theirs.pseudoinvert(),
            lambda: theirs.invert_and_compose(theirs),
            lambda: theirs == last,
            lambda: theirs.is_surjective(),
            lambda: theirs.bases,
            lambda: str(theirs),
            lambda: wide.get_distributed_view(False),
            lambda: [theirs.apply({"lane": lane, "warp": warp}) for warp in range(256) for lane in range(32)],
        ]
        for (_, timed), peer in zip(cases, peers, strict=True):
            timed["triton"] = peer
    return cases


def arrays() -> list[tuple[str, dict[str, Case]]]:
    """Elements moved, beside NumPy's copy of a transposed view."""
    numpy = module("numpy")
    if numpy is None:
        return []
    square = numpy.arange(1 << 22, dtype="f4").reshape(2048, 2048)
    turned, tiled = Layout("(2048,2048):(1,2048)"), Layout("((16,128),(16,128)):((16,32768),(1,256))")
    tiles = square.reshape(128, 16, 128, 16).transpose(0, 2, 1, 3)
    return [
        (
            "transpose 2048 x 2048 floats",
            {"bitstride": lambda: bitstride.relayout(square, turned), "numpy": lambda: square.T.copy("C")},
        ),
        (
            "tiles of 16 x 16, of the same",
            {"bitstride": lambda: bitstride.relayout(square, tiled), "numpy": lambda: tiles.copy("C")},
        ),
    ]


def cases() -> list[tuple[str, dict[str, Case]]]:
    matrix = Layout((256, 256), (256, 1))
    leaves = Layout((16, 16, 16, 16), (4096, 1, 256, 16))
    swizzled = Swizzle(3, 3, 3) @ matrix
    return [
        plain("construct", lambda layout: lambda: layout((4, 2, 3), (2, 1, 8))),
        plain("equality", lambda layout: equal(layout((4, 8), (8, 1)), layout((4, 8), (8, 1)))),
        plain("text", lambda layout: text(layout((4, 8), (8, 1)))),
        plain("evaluate at an index", lambda layout: at(layout((4, 2, 3), (2, 1, 8)), 17)),
        algebra("composition", bitstride.composition, "composition", ((10, 2), (16, 4)), ((5, 4), (1, 5))),
        algebra("complement, 2 modes", bitstride.complement, "complement", ((2, 4), (1, 6)), 24),
        algebra("coalesce, 5 leaves", bitstride.coalesce, "coalesce", ((2, (1, 6), (4, 2)), (1, (6, 2), (12, 48)))),
        algebra("logical_divide by one", bitstride.logical_divide, "logical_divide", ((4, 2, 3), (2, 1, 8)), (4, 2)),
        algebra("zipped_divide by one", bitstride.zipped_divide, "zipped_divide", ((4, 2, 3), (2, 1, 8)), (4, 2)),
        algebra("logical_product", bitstride.logical_product, "logical_product", ((2, 2), (4, 1)), (6, 1)),
        algebra("right_inverse", bitstride.right_inverse, "right_inverse", ((4, 8), (8, 1))),
        algebra("left_inverse", bitstride.left_inverse, "left_inverse", ((4, 8), (8, 1))),
        table("table 256 x 256", matrix.offsets, (256, 256), (256, 1), False),
        table("table of 65,536 by index", leaves.offsets, (16, 16, 16, 16), (4096, 1, 256, 16), True),
        ("table 256 x 256, swizzled", {"bitstride": swizzled.offsets}),
        *linear(),
        *arrays(),
    ]


def batch(case: Case, times: int) -> float:
    start = time.perf_counter_ns()
    for _ in range(times):
        case()
    return (time.perf_counter_ns() - start) / times


def best(timed: dict[str, Case]) -> dict[str, float]:
    times = {name: max(1, int(1e6 / max(batch(case, 1), 1))) for name, case in timed.items()}
    times = {name: max(1, int(1e6 / max(batch(timed[name], count), 1))) for name, count in times.items()}
    found: dict[str, list[float]] = {name: [] for name in timed}
    for _ in range(25 if max(times.values()) > 1 else 3):
        for name, case in timed.items():
            found[name].append(batch(case, times[name]))
    return {name: min(runs) for name, runs in found.items()}


def main() -> None:
    empty = best({"bitstride": lambda: None})["bitstride"]
    print(f"the call that is timed takes {empty:.0f} ns of each number")
    ratios: dict[str, list[float]] = {}
    for name, timed in cases():
        found = best(timed)
        ours = found.pop("bitstride")
        peers = []
        for peer, theirs in found.items():
            ratios.setdefault(peer, []).append(theirs / ours)
            peers.append(f"{peer} {theirs:,.0f} ns, {theirs / ours:,.1f} times")
        print(f"{name:28} {ours:>10,.0f} ns   {'; '.join(peers)}")
    for peer, all_ratios in ratios.items():
        print(f"{peer}: median {statistics.median(all_ratios):,.1f} times, least {min(all_ratios):,.1f} times")


if __name__ == "__main__":
    main()
