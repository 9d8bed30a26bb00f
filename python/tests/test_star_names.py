"""A star import of a module of another package, and of its drop-in: the names are there."""

import importlib
import importlib.util
import json
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NAMES = json.loads((HERE / "star_names.json").read_text())
"""By python/tools/record_names.py, where the packages are."""


SUITE = importlib.util.spec_from_file_location("peer_suite", HERE.parent / "tools" / "peer_suite.py")
assert SUITE is not None and SUITE.loader is not None
peer_suite = importlib.util.module_from_spec(SUITE)
SUITE.loader.exec_module(peer_suite)


def drop_in(module: str) -> str:
    places = {theirs: ours for peer in peer_suite.DROP_INS.values() for theirs, ours in peer.items()}
    return next(ours + module.removeprefix(theirs) for theirs, ours in places.items() if f"{module}.".startswith(f"{theirs}."))


def test_every_drop_in_is_recorded():
    assert len(NAMES) > 20 and sum(map(len, NAMES.values())) > 650


@pytest.mark.parametrize("module", NAMES)
def test_a_star_import_has_the_names(module):
    star: dict = {}
    exec(f"from {drop_in(module)} import *", star)
    assert not set(NAMES[module]) - set(star)


def test_what_a_drop_in_lacks_is_left_to_the_peer(tmp_path, monkeypatch):
    (tmp_path / "some_peer" / "tools").mkdir(parents=True)
    for folder in (tmp_path / "some_peer", tmp_path / "some_peer" / "tools"):
        (folder / "__init__.py").write_text("")
    (tmp_path / "some_peer" / "tools" / "disassembler.py").write_text("IS_THEIRS = True")
    monkeypatch.syspath_prepend(tmp_path)
    redirect = peer_suite.Redirect({"some_peer.tools": "bitstride.compat.triton"})
    monkeypatch.setattr(sys, "meta_path", [redirect, *sys.meta_path])
    try:
        from bitstride.compat.triton import LinearLayout

        assert importlib.import_module("some_peer.tools").LinearLayout is LinearLayout
        assert importlib.import_module("some_peer.tools.disassembler").IS_THEIRS
        with pytest.raises(ModuleNotFoundError, match="some_peer.tools.nothing"):
            importlib.import_module("some_peer.tools.nothing")
    finally:
        for name in [name for name in sys.modules if name.startswith("some_peer")]:
            del sys.modules[name]
