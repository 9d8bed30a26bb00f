"""Every example of the pages on Python runs, and their commands are those of the package."""

import doctest
import ast
import re
import subprocess
import sys
import zlib
from pathlib import Path

import bitstride
import pytest
from bitstride import _arrays, _sharding, _stored, triton, xla

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python.md"
PAGES = {PAGE: 35, ROOT / "docs" / "python-drop-ins.md": 3, ROOT / "docs" / "repack.md": 9}
"""The pages, and how many examples they have at least."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_run(page):
    found = doctest.testfile(str(page), module_relative=False)
    assert found.attempted >= PAGES[page] and not found.failed
    assert len(page.read_text().splitlines()) <= 200


@pytest.mark.parametrize("module", [_arrays, _sharding, _stored, triton, xla], ids=lambda module: module.__name__)
def test_docstrings_run(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed


def test_commands_run():
    commands = re.findall(r'^python -c "(.*)"   # (.*)$', PAGE.read_text(), re.MULTILINE)
    assert commands
    for command, printed in commands:
        done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
        assert done.stdout == printed + "\n"
    assert (ROOT / "benches" / "python" / "run.py").exists() and (ROOT / "pyproject.toml").exists()


def test_the_stub_has_the_docstrings_of_the_compiled_part():
    pytest.importorskip("numpy")
    subprocess.run([sys.executable, ROOT / "python" / "tools" / "stubs.py", "--check"], check=True)
    stub = ast.parse((ROOT / "python" / "bitstride" / "_core.pyi").read_text())
    classes = [node for node in stub.body if isinstance(node, ast.ClassDef)]
    public = [node for parent in [stub, *classes] for node in parent.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))]
    public = [node for node in public if not node.name.startswith("_")]
    assert len(public) > 150
    assert not [node.name for node in public if not ast.get_docstring(node)]
    # Every value has members with examples that were run.
    for kind in classes:
        if issubclass(getattr(bitstride._core, kind.name), bitstride.Value):
            members = [node for node in kind.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]
            assert not members or any(">>> " in (ast.get_docstring(member) or "") for member in members), kind.name


def test_the_site_has_every_public_name(tmp_path):
    pytest.importorskip("mkdocstrings_handlers.python")
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    pages = ["python-api.md", "python-operations.md"]
    (tmp_path / "docs").mkdir()
    for page in pages:
        (tmp_path / "docs" / page).symlink_to(ROOT / "docs" / page)
    site = tmp_path / "site"
    # Links to the other pages lead nowhere here.
    folders = {"docs_dir": str(tmp_path / "docs"), "site_dir": str(site)}
    build(load_config(str(ROOT / "mkdocs.yml"), nav=pages, strict=False, **folders))
    inventory = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    found = {line.split(" ")[0] for line in inventory.splitlines()}
    wanted = {f"bitstride.{name}" for name in {*bitstride.__all__, *bitstride._operations.__all__} - {"__version__"}}
    wanted |= {f"bitstride.{module}.{name}" for module in ("triton", "xla") for name in getattr(bitstride, module).__all__}
    for name in bitstride.__all__:
        kind = getattr(bitstride, name)
        if isinstance(kind, type) and kind.__module__ == "bitstride" and issubclass(kind, bitstride.Value):
            wanted |= {f"bitstride.{name}.{member}" for member in vars(kind) if not member.startswith("_")}
    assert len(wanted) > 400 and not wanted - found, sorted(wanted - found)
    # Examples are blocks, not quotations of quotations.
    page = (site / "python-api" / "index.html").read_text()
    assert page.count("<code>") > 200 and "<blockquote>" not in page
