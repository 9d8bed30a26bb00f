"""The README and its like as pages of the site: mkdocs has one folder, and they are beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = {
    "README.md": "index.md",
    "GLOSSARY.md": "glossary.md",
    "DESIGN.md": "design.md",
    "ARCHITECTURE.md": "architecture.md",
}
"""Pages of the root, and where the site has them."""


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages of the root."""
    from mkdocs.structure.files import File

    for page, place in PAGES.items():
        # The folder of the pages is that of the site.
        text = re.sub(r"(?<=[(\"])docs/(?=figures/)", "", (ROOT / page).read_text())
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Leads links to where the site has the page; links to what it does not have become plain text."""
    here = Path(page.file.src_uri).parent
    root = page.file.src_uri in PAGES.values()

    def led(link: re.Match[str]) -> str:
        text, target, anchor = link[1], link[2], link[3] or ""
        source = (ROOT / target if root else ROOT / "docs" / here / target).resolve()
        try:
            name = source.relative_to(ROOT).as_posix()
        except ValueError:
            return text
        name = PAGES.get(name, name.removeprefix("docs/"))
        if files.get_file_from_path(name) is None:
            return text
        up = "../" * len([part for part in here.parts if part])
        return f"[{text}]({up}{name}{anchor})"

    return re.sub(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)\s]*)?\)", led, markdown)
