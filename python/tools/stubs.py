"""Writes the docstrings of python/bitstride/_core.pyi: those of the compiled part, with an example that was run.

Editors and the site read the stub alone. With --check, only compares.

Run it after a change of a doc comment in crates/python or of the stub: `python python/tools/stubs.py`.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

import bitstride
from bitstride import _core

STUB = Path(__file__).parents[1] / "bitstride" / "_core.pyi"

VALUES = {
    "AffineMap": "AffineMap('affine_map<(d0, d1) -> (d0 * 8 + d1)>')",
    "BareLayout": "parse('{1,0:T(8,128)}')",
    "Basis": "Basis('2@0')",
    "CuteLayout": "Layout('((2,2),3):((24,2),8)')",
    "ComposedLayout": "ComposedLayout('Sw<1,2,1> o 0 o (4,8):(8,1)')",
    "Encoding": "Encoding('#ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 4, order = [1, 0]}>')",
    "Explanation": "explain('complement(4:2, 24)')",
    "Instruction": "atom('SM80_16x8x16_F32F16F16F32_TN')",
    "Layout": "Layout('((2,2),3):((24,2),8)')",
    "LinearLayout": "LinearLayout('linear<{register=[[1]], lane=[[2],[4]]}, out=[dim0:8]>')",
    "Map": "Map('(2,3):(3,1)')",
    "Picture": "show('(2,2):(2,1)')",
    "Shape": "xla.Shape('bf16[5,130]{1,0:T(8,128)(2,1)}')",
    "Sharding": 'Sharding("shard(f32[8,6], P(\'a\', None), mesh(a=2))")',
    "Step": "explain('complement(4:2, 24)').steps[0]",
    "Swizzle": "Swizzle(3, 4, 3)",
    "Symbol": "Symbol('N')",
    "Tiler": "Tiler('<3:4, 8:2>')",
    "Value": "parse('(2,3):(3,1)')",
    "Verdict": "diff('(2,3):(3,1)', '(2,3):(1,2)')",
}
"""A value of each class, by whose members the examples are."""

CALLS = {
    "CuteLayout.contains": "(4,)",
    "Map.contains": "(4,)",
    "Shape.contains": "(4,)",
    "Encoding.to_linear": "((4, 4),)",
    "LinearLayout.apply": "({'register': 1, 'lane': 2},)",
    "LinearLayout.minimal_cvt": "('linear<{register=[[4]], lane=[[1],[2]]}, out=[dim0:8]>',)",
    "Value.call": "('size',)",
}
"""Arguments of methods that are no operations."""


def arguments(example: str) -> list[str]:
    """The texts of the arguments of a call."""
    inner, parts, depth = example[example.index("(") + 1 : -1].replace("->", "→"), [""], 0
    for character in inner:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip().replace("→", "->") for part in parts]


def written(text: str) -> str:
    """An argument as Python has it: a number, a tuple, or a text."""
    try:
        return str(ast.literal_eval(text))
    except (SyntaxError, ValueError):
        return repr(text)


OPERATIONS = {row[0]: arguments(row[4]) for row in bitstride.operations()}


def examples(kind: str, name: str, member: Any) -> list[str]:
    """What may be an example of a member, best first: that of the operation of its name, then that of its class."""
    if kind not in VALUES:
        return []
    own, is_property, found = VALUES[kind], not callable(member), []
    if name in OPERATIONS:
        first, *others = OPERATIONS[name]
        call = "" if is_property else f"({', '.join(map(written, others))})"
        found += [f"{base}.{name}{call}" for base in (f"{own.partition('(')[0]}({first!r})", own)]
    given = ", ".join(map(repr, ast.literal_eval(CALLS.get(f"{kind}.{name}", "()"))))
    found.append(f"{own}.{name}" + ("" if is_property else f"({given})"))
    return [f"bitstride.{expression}" for expression in found]


def example(kind: str, name: str, member: Any) -> str:
    """An example that answers, as a doctest; nothing where none does."""
    for expression in examples(kind, name, member):
        try:
            value = eval(expression, {"bitstride": bitstride})
        except (TypeError, ValueError):
            continue
        # What is long, or of this run alone, shows a reader nothing.
        answer = repr(value)
        if value is not None and len(answer) <= 240 and "\n\n" not in answer and " at 0x" not in answer:
            return f"\n\n>>> {expression}\n{answer}"
    return ""


def document(kind: str, name: str, member: Any) -> str:
    text = inspect.getdoc(member) or ""
    # Of a slot Python writes the same of all classes.
    is_slot = name.startswith("__") and text == (inspect.getdoc(getattr(object, name, None)) or text)
    if not text or (is_slot and kind):
        return ""
    return text + (example(kind, name, member) if kind and not name.startswith("_") else "")


def quoted(text: str, indent: int) -> str:
    text = text.replace("\\", "\\\\")
    literal = f'"""{text}\n"""' if "\n" in text else f'"""{text}"""'
    return textwrap.indent(literal, " " * indent)


def with_docstrings(source: str) -> str:
    """The stub with a docstring wherever the compiled part has one, and none elsewhere."""
    lines = source.split("\n")
    edits: list[tuple[int, int, list[str]]] = []

    def edit(node: ast.ClassDef | ast.FunctionDef, text: str) -> None:
        first, indent = node.body[0], node.col_offset + 4
        has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        doc = quoted(text, indent).split("\n") if text else []
        begin = min([first.lineno, *(mark.lineno for mark in getattr(first, "decorator_list", []))]) - 1
        end = first.end_lineno or first.lineno
        if isinstance(node, ast.ClassDef):
            edits.append((begin, end if has_docstring else begin, doc))
            return
        # Its one statement stands in the line of the head, or below as a docstring.
        head = lines[begin][: first.col_offset].rstrip() if not has_docstring else lines[begin - 1]
        start = begin - 1 if has_docstring else begin
        edits.append((start, end, [head, *doc] if doc else [f"{head} ..."]))

    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef):
            edit(node, document("", node.name, getattr(_core, node.name)))
        elif isinstance(node, ast.ClassDef):
            kind = getattr(_core, node.name)
            edit(node, inspect.cleandoc(kind.__doc__ or ""))
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    edit(member, document(node.name, member.name, getattr(kind, member.name)))
    for begin, end, replacement in sorted(edits, reverse=True):
        lines[begin:end] = replacement
    return "\n".join(lines)


if __name__ == "__main__":
    text = with_docstrings(STUB.read_text())
    if "--check" not in sys.argv[1:]:
        STUB.write_text(text)
    elif STUB.read_text() != text:
        sys.exit(f"{STUB} has other docstrings than the compiled part; run python/tools/stubs.py")
