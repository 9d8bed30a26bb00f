"""Writes python/tests/star_names.json: the names that a star import of each module of the packages with drop-ins brings.

Run it where the packages are: `python python/tools/record_names.py`. Names of Python's own library are left out.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import typing
from pathlib import Path

GLUON = "triton.experimental.gluon.language"
MODULES = {
    "pycute": ["", ".int_tuple", ".layout", ".swizzle", ".typing"],
    "tensor_layouts": ["", ".analysis", ".atoms", ".layouts", ".layout_utils", ".tensor"],
    "torch.distributed._pycute": ["", ".int_tuple", ".layout", ".typing"],
}
"""The modules that stand in whole; of Gluon, the classes of layouts and the types of elements do."""


def names(module: str) -> list[str]:
    loaded = importlib.import_module(module)
    found = getattr(loaded, "__all__", None) or [name for name in vars(loaded) if not name.startswith("_")]

    def is_own(name: str) -> bool:
        value = getattr(loaded, name)
        origin = (getattr(value, "__module__", None) or "").split(".")[0]
        return not inspect.ismodule(value) and getattr(typing, name, None) is not value and (
            origin in ("", "typing") or origin not in (*sys.stdlib_module_names, "typing_extensions", "builtins")
        )  # fmt: skip

    return sorted(filter(is_own, found))


def gluon(module: str) -> list[str]:
    from triton.language import dtype

    loaded = importlib.import_module(module)
    found = {name: value for name, value in vars(loaded).items() if not name.startswith("_")}
    return sorted(
        name
        for name, value in found.items()
        if (isinstance(value, dtype) and module == GLUON)
        or (inspect.isclass(value) and name.endswith("Layout") and value.__module__.startswith(GLUON))
    )


if __name__ == "__main__":
    rows = {package + part: names(package + part) for package, parts in MODULES.items() for part in parts}
    for part in ["", ".amd", *(f".amd.{chip}" for chip in ("cdna3", "cdna4", "cdna5", "gfx1250"))]:
        rows[GLUON + part] = gluon(GLUON + part)
    for part in ("ampere", "hopper", "blackwell", "rubin", "ampere.mbarrier", "hopper.mbarrier"):
        rows[f"{GLUON}.nvidia.{part}"] = gluon(f"{GLUON}.nvidia.{part}")
    lines = [f"  {json.dumps(module)}: {json.dumps(rows[module])}" for module in rows]
    (Path(__file__).parents[1] / "tests" / "star_names.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
