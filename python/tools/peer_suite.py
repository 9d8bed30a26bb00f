"""Runs a peer's own tests on the drop-in for it, with nothing changed but where the import leads.

`python python/tools/peer_suite.py tensor_layouts -- TESTS...` gives pytest the arguments after `--`. The peers are the names
in `DROP_INS`; their tests come from their own packages or repositories and are no part of this one.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

DROP_INS = {
    "pycute": {"pycute": "bitstride.compat.pycute"},
    "tensor_layouts": {"tensor_layouts": "bitstride.compat.tensor_layouts"},
    "torch_pycute": {"torch.distributed._pycute": "bitstride.compat.torch_pycute"},
    "triton": {
        "triton.tools": "bitstride.compat.triton",
        "triton.experimental.gluon.language": "bitstride.compat.triton.gluon",
    },
}
"""For each peer, its modules and ours in their place."""


def own(name: str) -> importlib.machinery.ModuleSpec | None:
    """The peer's own module of this name, where it is installed; nothing is imported."""
    path, spec, parts = None, None, name.split(".")
    for end in range(1, len(parts) + 1):
        spec = importlib.machinery.PathFinder.find_spec(".".join(parts[:end]), path)
        if spec is None:
            return None
        path = spec.submodule_search_locations
    return spec


class Redirect(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Answers an import of a peer's module with ours, and leaves to the peer what we do not have."""

    def __init__(self, places: dict[str, str]) -> None:
        self.places = places
        self.found: dict[str, tuple[ModuleType, Any]] = {}

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        for theirs, ours in self.places.items():
            if name == theirs or name.startswith(theirs + "."):
                try:
                    module = importlib.import_module(ours + name.removeprefix(theirs))
                except ModuleNotFoundError:
                    # Its parent may be ours, in whose folder it is not.
                    return own(name)
                self.found[name] = module, module.__spec__
                return importlib.machinery.ModuleSpec(name, self)
        return None

    def create_module(self, spec: Any) -> ModuleType:
        return self.found[spec.name][0]

    def pytest_configure(self) -> None:
        """Goes before the finder of pytest, which would take a peer's modules for tests where any file may be one."""
        sys.meta_path.insert(0, self)

    def exec_module(self, module: ModuleType) -> None:
        # The module is ours still: pickles and relative imports go by its own name.
        for found, spec in self.found.values():
            if found is module:
                module.__spec__ = spec


def main() -> int:
    import pytest

    peer, arguments = sys.argv[1], sys.argv[2:]
    places = DROP_INS[peer]
    for ours in places.values():
        importlib.import_module(ours)
    # Their packages may be installed here, and are not to be found.
    for name in [name for name in sys.modules if any(f"{name}.".startswith(f"{theirs}.") for theirs in places)]:
        del sys.modules[name]
    return int(pytest.main([argument for argument in arguments if argument != "--"], plugins=[Redirect(places)]))


if __name__ == "__main__":
    sys.exit(main())
if __name__ == "__mp_main__":
    # A process that a test started with `spawn`.
    sys.meta_path.insert(0, Redirect(DROP_INS[sys.argv[1]]))
