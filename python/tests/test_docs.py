"""Every example of the pages on Python runs, and their commands are those of the package."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

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
