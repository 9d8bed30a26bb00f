"""Writes python/bitstride/_operations.py, the names at the end of __init__.py and the doc comments of compiled operations.

All are from the table of operations.

With --check, only compares.

Run it after a change of the table: `python python/tools/operations.py`.
"""

from __future__ import annotations

import builtins
import importlib.util
import keyword
import re
import sys
import textwrap
from pathlib import Path
from typing import Any


def compiled() -> Any:
    """The compiled part alone: the package needs the file that is written here."""
    package = importlib.util.find_spec("bitstride")
    assert package is not None and package.submodule_search_locations, "install the package first"
    for folder in package.submodule_search_locations:
        for file in Path(folder).glob("_core*"):
            spec = importlib.util.spec_from_file_location("_core", file)
            if file.suffix != ".pyi" and spec is not None and spec.loader is not None:
                module = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(module)
                return module
    raise SystemExit("the package has no compiled part")


FOLDER = Path(__file__).parents[1] / "bitstride"
TARGET = FOLDER / "_operations.py"
SOURCE = Path(__file__).parents[2] / "crates" / "python" / "src" / "operations.rs"
PACKAGE = FOLDER / "__init__.py"
NAMES = "# The operations, by python/tools/operations.py."

# Compiled functions, which are faster for layouts of plain integers. Their docstrings are comments in SOURCE.
COMPILED = [
    "coalesce", "complement", "composition", "flat_divide", "left_inverse", "logical_divide", "logical_product",
    "right_inverse", "tiled_divide", "zipped_divide", "zipped_product",
]  # fmt: skip

HEAD = '''"""Every operation of the layout language as a function. Written by python/tools/operations.py; do not edit.

Arguments are values of the package, integers, tuples, None for `_`, or texts. A shape stands for its compact column-major
layout where a layout is needed.
"""

from __future__ import annotations

from typing import Any

from ._core import {compiled}
from ._core import call as _call
from ._core import fit_table as _fit_table

'''

FIT = '''

def fit(offsets: Any, shape: Any = None) -> Any:
    """The layout that these offsets are: of CuTe, else linear, else mixed, else an affine map.

    Offsets are an array whose entry (i, j, ...) is the offset of that coordinate, or a list with the first dim of `shape` the
    fastest; a text is an expression of the language.

    Args:
        offsets: the place of each element in elements.
        shape: the extents of the tensor, where `offsets` is a list.

    Raises:
{raised}

    Example: fit((0,5,1,6,10,15,11,16), (4,2))
    """
    if shape is None:
        return _fit_table(offsets)
    return _call("fit", tuple(offsets) if hasattr(offsets, "ndim") else offsets, shape)
'''

OWNERS = '''

def owners(threads_or_shape: Any, order_or_tensor_shape: Any, tensor_shape: Any = None, /) -> Any:
    """{law}

    Args:
        threads_or_shape: the threads in a table, or the shape of a table of threads.
        order_or_tensor_shape: the extents of the tensor; of a shape of threads its dims, the fastest first.
        tensor_shape: the extents of the tensor, after an order.

    Raises:
{raised}

    Example: {example}
    """
    if tensor_shape is None:
        return _call("owners", threads_or_shape, order_or_tensor_shape)
    return _call("owners", threads_or_shape, order_or_tensor_shape, tensor_shape)
'''


def sentence(law: str) -> str:
    law = law.replace("\\", "")
    return law[0].upper() + law[1:].rstrip(".") + "."


def raised(parameters: list[tuple[str, bool, bool, str]]) -> list[str]:
    """What a function of these parameters raises."""
    lines = ["Error: an argument cannot be read, or is of another kind."]
    if any(re.match("the number of (a|the first) mode", meaning) for *_, meaning in parameters):
        lines.append("ModeError: the layout has no such mode.")
    lines.append("RefusedError: there is no such answer; its `code`, `help` and `witness` say why.")
    lines.append("UndecidedError: an unknown integer would decide it.")
    return [" " * 8 + line for line in lines]


def document(law: str, parameters: list[tuple[str, bool, bool, str]], example: str) -> str:
    lines = textwrap.wrap(sentence(law), 112, initial_indent='    """', subsequent_indent="    ")
    lines += ["", "    Args:"]
    for parameter, _, _, meaning in parameters:
        lines += textwrap.wrap(f"{spelled(parameter)}: {meaning}.", 112, initial_indent=" " * 8, subsequent_indent=" " * 12)
    lines += ["", "    Raises:", *raised(parameters)]
    lines += ["", *textwrap.wrap("Example: " + example, 112, initial_indent="    ", subsequent_indent="        ",
                                 break_long_words=False, break_on_hyphens=False), '    """']  # fmt: skip
    return "\n".join(lines)


def spelled(parameter: str) -> str:
    return parameter + "_" if keyword.iskeyword(parameter) else parameter


def function(name: str, parameters: list[tuple[str, bool, bool, str]], law: str, example: str) -> str:
    declared, passed, optional = [], [], []
    for parameter, is_optional, is_repeated, _ in parameters:
        parameter = spelled(parameter)
        if is_repeated:
            declared.append(f"*{parameter}: Any")
            passed.append(f"*{parameter}")
        elif is_optional:
            declared.append(f"{parameter}: Any = None")
            optional.append(parameter)
        else:
            declared.append(f"{parameter}: Any")
            passed.append(parameter)
    lines = [f"\n\ndef {name}({', '.join(declared)}) -> Any:", document(law, parameters, example)]
    given = ", ".join([f'"{name}"', *passed])
    for at, parameter in enumerate(optional):
        before = "".join(f", {other}" for other in optional[:at])
        lines += [f"    if {parameter} is None:", f"        return _call({given}{before})"]
    lines.append(f"    return _call({given}{''.join(f', {parameter}' for parameter in optional)})\n")
    return "\n".join(lines)


def exported() -> list[str]:
    """The names of a star import, which leaves Python's own alone."""
    return sorted(row[0] for row in compiled().operations() if not hasattr(builtins, row[0]))


def listed(names: list[str]) -> str:
    return "[\n" + "".join(f'    "{name}",\n' for name in names) + "]\n"


def package() -> str:
    head, _, _ = PACKAGE.read_text().partition(NAMES)
    return f"{head}{NAMES} A star import leaves Python's own names alone.\n__all__ += {listed(exported())}"


def written() -> str:
    rows = [row for row in compiled().operations() if row[0] not in COMPILED]
    imported = "".join(f"    {name},\n" for name in COMPILED)
    parts = [HEAD.format(compiled=f"(\n{imported})")]
    parts.append(f"__all__ = {listed(exported())}")
    for name, _group, parameters, law, example in rows:
        if name == "fit":
            parts.append(FIT.replace("{raised}", "\n".join(raised(parameters))))
        elif name == "owners":
            parts.append(OWNERS.format(law=sentence(law), example=example, raised="\n".join(raised(parameters))))
        else:
            parts.append(function(name, parameters, law, example))
    return "".join(parts)


def commented() -> str:
    """The source of the compiled functions, with their docstrings as doc comments."""
    source = SOURCE.read_text()
    for name, _group, parameters, law, example in compiled().operations():
        if name not in COMPILED:
            continue
        lines = textwrap.dedent(document(law, parameters, example).replace('"""', "", 1).removesuffix('"""').rstrip()).splitlines()
        head = rf"(?=(?: *#\[.*\n)* *(?:pub\(crate\) fn )?{name}\(\w+[:)])"
        comment = re.compile(rf"(?:^ *///.*\n)+{head}", re.MULTILINE)
        found = comment.search(source)
        assert found, f"{SOURCE} has no doc comment of {name}"
        indent = found[0][: found[0].index("/")]
        text = "".join(f"{indent}/// {line}".rstrip() + "\n" for line in lines)
        source = source[: found.start()] + text + source[found.end() :]
    return source


if __name__ == "__main__":
    for file, text in {TARGET: written(), PACKAGE: package(), SOURCE: commented()}.items():
        if "--check" not in sys.argv[1:]:
            file.write_text(text)
        elif file.read_text() != text:
            sys.exit(f"{file} is not what the table of operations says")
