"""Emitted relayout kernels in Triton's language on a GPU: their bytes against the relayout of files, and their time against a copy.

    python tools/gpu/triton_kernels.py write FOLDER [PROGRAM]    (needs the program `bitstride`) sources and expected bytes
    python tools/gpu/triton_kernels.py check FOLDER              (needs a GPU, torch and Triton) runs, compares and times

The pairs are drawn as those of `relayout.py`, and its rows are timed beside a copy of as many bytes by torch. Law: no byte differs.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).parent))
from relayout import ROOM, ROWS, pair, pattern  # noqa: E402

PAIRS = 120
TIMED = ["transpose f32", "rows to T(8,128) f32", "NCHW to NHWC f16", "swizzled 128B f16", "transpose odd f16"]


def write(folder: Path, program: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    random.seed(11)
    made, expected = [], bytearray()
    for number, (name, source, target, bits) in enumerate([row for row in ROWS if row[0] in TIMED] + [pair() for _ in range(PAIRS)]):
        command = [program, "emit", "relayout", source, target, "--bits", str(bits), "--lang", "triton"]
        emitted = subprocess.run(command, capture_output=True, text=True)
        if emitted.returncode:
            continue
        taken, given = map(int, re.search(r"Moves (\d+) bytes to (\d+);", emitted.stdout).groups())
        row = {"name": name or f"{source} -> {target}, {bits} bits", "file": f"k{number}.py", "bytes": [taken, given], "timed": bool(name), "expected": len(expected)}
        if not name:
            with tempfile.TemporaryDirectory() as scratch:
                files = [f"{scratch}/{end}.bin" for end in ("in", "out")]
                Path(files[0]).write_bytes(pattern(taken))
                command = [program, "relayout", *files, "--from", source, "--to", target, "--element", str(bits)]
                if subprocess.run(command, capture_output=True).returncode:
                    continue
                out = Path(files[1]).read_bytes()
                expected += out[:given] + bytes(max(given - len(out), 0))
        (folder / row["file"]).write_text(emitted.stdout)
        made.append(row)
    (folder / "expected.bin").write_bytes(expected)
    (folder / "rows.json").write_text(json.dumps(made))
    print(f"{sum(row['timed'] for row in made)} rows that are timed, {sum(not row['timed'] for row in made)} pairs that are compared")


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def check(folder: Path) -> int:
    rows = json.loads((folder / "rows.json").read_text())
    expected = (folder / "expected.bin").read_bytes()
    try:
        import torch
        import triton.testing
    except ImportError as error:
        print(f"SKIPPED: {len(rows)} kernels were not run; {error}")
        return 0
    if not torch.cuda.is_available():
        print(f"SKIPPED: {len(rows)} kernels were not run; there is no GPU")
        return 0
    print(f"{torch.cuda.get_device_name()}, Triton {triton.__version__}")
    wrong = compared = 0
    for row in rows:
        taken, given = row["bytes"]
        module = imported(folder / row["file"])
        whole = torch.zeros(given + ROOM, dtype=torch.uint8, device="cuda")
        target = whole[:given]
        try:
            if row["timed"]:
                source = torch.randint(0, 256, (taken,), dtype=torch.uint8, device="cuda")
                ours = triton.testing.do_bench(lambda: module.relayout(source, target))
                moved = min(taken, given)
                copied = triton.testing.do_bench(lambda: target[:moved].copy_(source[:moved]))
                print(f"{row['name']:30} {moved / ours / 1e6:7.0f} GB/s moved, {copied / ours:.3f} of a copy", flush=True)
                module.test()
                continue
            source = torch.frombuffer(bytearray(pattern(taken)), dtype=torch.uint8).cuda() if taken else whole[:0]
            module.relayout(source, target)
            compared += 1
            came = whole.cpu().numpy().tobytes()
            if came != expected[row["expected"] : row["expected"] + given] + bytes(ROOM):
                wrong += 1
                print(f"{row['name']}: differs")
        except Exception as error:
            wrong += 1
            print(f"{row['name']}: {type(error).__name__}: {str(error)[:300]}")
    print(f"{compared} compared byte for byte: {wrong} wrong")
    return int(wrong != 0)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", folder]:
            write(Path(folder), os.environ.get("BITSTRIDE", "bitstride"))
        case ["write", folder, program]:
            write(Path(folder), program)
        case ["check", folder]:
            sys.exit(check(Path(folder)))
        case _:
            sys.exit(__doc__)
