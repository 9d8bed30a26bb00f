"""Kills `bitstride repack` of a checkpoint of several files at random times: an index names whole files, or there is none.

`python tools/kill_repack.py target/release/bitstride [SEEDS]`. A short version is a test, crates/cli/tests/repack_process.rs.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FILES, ROWS, COLUMNS = 6, 1024, 4096
INDEX = "model.safetensors.index.json"


def write(folder: Path) -> None:
    folder.mkdir()
    names = {}
    for file in range(FILES):
        name = f"in-{file}.safetensors"
        size = ROWS * COLUMNS
        header = json.dumps({f"t{file}": {"dtype": "U8", "shape": [ROWS, COLUMNS], "data_offsets": [0, size]}}).encode()
        data = random.Random(file).randbytes(size)
        (folder / name).write_bytes(len(header).to_bytes(8, "little") + header + data)
        names[f"t{file}"] = name
    (folder / INDEX).write_text(json.dumps({"weight_map": names}))


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def main() -> None:
    program, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write(root / "in")
        before = held(root / "in")
        tensors = [word for file in range(FILES) for word in ("--tensor", f"t{file}")]

        def command(out: str) -> list[str]:
            (root / out).mkdir(exist_ok=True)
            formats = ["--from", "mx:scale", "--to", "mx:scale128x4"]
            return [program, "repack", f"in/{INDEX}", f"{out}/{INDEX}", *formats, *tensors]

        start = time.perf_counter()
        subprocess.run(command("whole"), cwd=root, check=True, capture_output=True)
        whole = time.perf_counter() - start
        wanted = held(root / "whole")
        absent = 0
        for seed in range(seeds):
            out = f"out{seed}"
            child = subprocess.Popen(command(out), cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(random.Random(seed).uniform(0, 1.2 * whole))
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            left = held(root / out)
            if INDEX in left:
                assert left == wanted, f"seed {seed}: an index of files that are not whole"
                again = subprocess.run(command(out), cwd=root, capture_output=True)
                assert again.returncode != 0 and held(root / out) == wanted, f"seed {seed}: the old index is not whole"
            else:
                absent += 1
                subprocess.run(command(out), cwd=root, check=True, capture_output=True)
                now = held(root / out)
                assert {name: now[name] for name in wanted} == wanted, f"seed {seed}: other bytes"
            for path in (root / out).iterdir():
                path.unlink()
        assert held(root / "in") == before
        print(f"{seeds} runs killed: {absent} without an index, {seeds - absent} whole")
        assert absent


main()
