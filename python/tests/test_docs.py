"""Every example of docs/python.md runs, and its commands are those of the package."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "python.md"


def test_examples_run():
    found = doctest.testfile(str(PAGE), module_relative=False)
    assert found.attempted > 30 and not found.failed


def test_commands_run():
    commands = re.findall(r'^python -c "(.*)"   # (.*)$', PAGE.read_text(), re.MULTILINE)
    assert commands
    for command, printed in commands:
        done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
        assert done.stdout == printed + "\n"
    assert (ROOT / "benches" / "python" / "run.py").exists() and (ROOT / "pyproject.toml").exists()
