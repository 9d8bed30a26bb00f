"""Records what CuTe DSL answers to the expressions of `crates/lang/tests/cute_dsl.jsonl`: its helpers for shared memory, the parts of
instructions and of their copies over a tile, and what is asked of layouts.

An instruction exists on some architectures only, so that every expression is asked for each until one answers. Each is evaluated in
a process of its own, because some end it. Run with the CuTe DSL, on the table whose answers are to be written anew:

    python python/tools/record_dsl.py crates/lang/tests/cute_dsl.jsonl
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

ARCHITECTURES = ["sm_100a", "sm_90a", "sm_120a", "sm_103a"]


def shown(value: Any) -> str:
    """A value as the DSL prints it, without blanks."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return "(" + ",".join(map(shown, value)) + ")"
    return "_" if value is None else str(value).replace(" ", "")


def names() -> dict[str, Any]:
    """What programs of the DSL import."""
    import cutlass  # type: ignore[import-not-found]
    import cutlass.utils.blackwell_helpers as sm100_utils  # type: ignore[import-not-found]
    import cutlass.utils.blockscaled_layout as blockscaled_utils  # type: ignore[import-not-found]
    import cutlass.utils.hopper_helpers as sm90_utils  # type: ignore[import-not-found]
    from cutlass import cute, utils
    from cutlass.cute.nvgpu import cpasync, tcgen05, warp, warpgroup  # type: ignore[import-not-found]

    return locals()


def answer(expression: str, known: dict[str, Any]) -> str:
    """The answer of a child process, empty where it has none."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        try:
            text = shown(eval(expression, dict(known)))
        except BaseException:  # noqa: BLE001
            text = ""
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answered:
        text = answered.read()
    os.wait()
    return text


def record(expressions: list[str]) -> list[str]:
    """The answers on the architecture that the environment names."""
    known = names()
    found: list[str] = []

    def ask() -> None:
        found.extend(answer(expression, known) for expression in expressions)

    @known["cute"].jit  # type: ignore[untyped-decorator]
    def traced() -> None:
        ask()

    traced()
    return found


def main() -> None:
    table = sys.argv[1]
    with open(table) as rows:
        expressions = [json.loads(row)["expr"] for row in rows]
    if len(sys.argv) > 2:
        print(json.dumps(record(expressions)))
        return
    answers = [""] * len(expressions)
    for architecture in ARCHITECTURES:
        environment = os.environ | {"CUTE_DSL_ARCH": architecture}
        command = [sys.executable, __file__, table, "--once"]
        printed = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
        answers = [known or new for known, new in zip(answers, json.loads(printed.splitlines()[-1]), strict=True)]
    with open(table, "w") as rows:
        for expression, text in zip(expressions, answers, strict=True):
            rows.write(json.dumps({"expr": expression, "dsl": text}, separators=(",", ":")) + "\n")


main()
