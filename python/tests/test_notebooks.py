"""Every notebook of docs/notebooks runs, and prints what it shows.

A notebook is Markdown that jupytext opens. A block of text after a block of Python is what that block prints. With
BITSTRIDE_UPDATE_NOTEBOOKS=1 in the environment, the texts are written anew.
"""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[2] / "docs" / "notebooks").glob("*.md"))
CELL = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def test_there_are_notebooks():
    assert [notebook.stem for notebook in NOTEBOOKS] == ["fragment", "kernel", "packed", "swizzle", "tiling", "tpu"]


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda notebook: notebook.stem)
def test_a_notebook_prints_what_it_shows(notebook):
    namespace: dict = {}

    def run(cell: re.Match) -> str:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(cell[1], notebook.name, "exec"), namespace)
        text = "".join(line.rstrip() + "\n" for line in printed.getvalue().splitlines())
        if not update:
            assert (cell[2] or "") == text, cell[1]
        return f"```python\n{cell[1]}```\n" + (f"\n```text\n{text}```\n" if text else "")

    update = "BITSTRIDE_UPDATE_NOTEBOOKS" in os.environ
    page = notebook.read_text()
    written = CELL.sub(run, page)
    if update:
        notebook.write_text(written)
    assert len(page.splitlines()) <= 200
