"""Docstrings as pages need them: examples become blocks of code, and what follows `Example:` becomes code."""

from __future__ import annotations

import re
from typing import Any

import griffe


def paged(text: str) -> str:
    text = re.sub(r"^>>> .*(?:\n(?!\n).*)*(?:\n\n>>> .*(?:\n(?!\n).*)*)*", r"```pycon\n\g<0>\n```", text, flags=re.MULTILINE)
    return re.sub(r"^Example: ((?:.|\n(?!\n))*)", lambda found: f"Example: `{' '.join(found[1].split())}`", text, flags=re.MULTILINE)


class Docstrings(griffe.Extension):
    """Rewrites each docstring when it is read."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = paged(obj.docstring.value)
