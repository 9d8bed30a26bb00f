"""Recorded questions of testdata as calls with typed arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

TESTDATA = Path(__file__).parents[2] / "testdata" / "cute"

FILES = {
    "coalesce": ["coalesce"],
    "complement": ["complement"],
    "composition": ["composition"],
    "divide": ["logical_divide", "zipped_divide", "tiled_divide", "flat_divide"],
    "inverse": ["left_inverse", "right_inverse", "nullspace"],
    "make": ["make_layout_like", "make_ordered_layout", "filter", "filter_zeros", "flatten"],
    "product": ["logical_product", "zipped_product", "tiled_product", "blocked_product", "raked_product"],
}

PLAIN = re.compile(r"[-0-9(),:<> _]*")


def rows() -> Iterator[tuple[str, list[str], str]]:
    """The operation, its arguments as texts, and what CuTe's C++ library answers."""
    for file, operations in FILES.items():
        for line in (TESTDATA / f"{file}.jsonl").read_text().splitlines():
            row = json.loads(line)
            if row["op"] in operations and all(PLAIN.fullmatch(text) for text in row["in"]):
                yield row["op"], row["in"], row.get("cpp", "")
