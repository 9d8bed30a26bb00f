"""Kills `bitstride reshard` at random times: the output is whole or absent, and the next run writes only what is missing.

`python tools/kill_reshard.py target/release/bitstride [SEEDS]`. A short version is a test, crates/cli/tests/reshard_checkpoint.rs.
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

TENSORS, ROWS, COLUMNS, FILES = 24, 512, 1024, 4


def write(folder: Path, columns: int) -> None:
    """A checkpoint of `FILES` files, whose tensors have rows of that many columns."""
    folder.mkdir()
    for file in range(FILES):
        rows = ROWS // FILES
        size = rows * columns * 4
        names = [f"t{number}" for number in range(TENSORS)]
        header: dict[str, object] = {
            name: {"dtype": "F32", "shape": [rows, columns], "data_offsets": [at * size, (at + 1) * size]}
            for at, name in enumerate(names)
        }
        offsets = {name: {"saved_offsets": [file * rows, 0]} for name in names}
        header["__metadata__"] = {"DCP_SHARDING_INFO": json.dumps(offsets)}
        text = json.dumps(header).encode()
        data = random.Random(file).randbytes(TENSORS * size)
        (folder / f"shard-{file}.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)


def main() -> None:
    program, seeds = str(Path(sys.argv[1]).resolve()), int(sys.argv[2]) if len(sys.argv) > 2 else 50
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write(root / "in", COLUMNS)
        (root / "rules").write_text("* [Shard(1)]\n")

        def command(out: str, *options: str) -> list[str]:
            return [
                program,
                "--json",
                "reshard",
                "in",
                out,
                "--to",
                "tp=8",
                "--rules",
                "rules",
                "--memory",
                "64KiB",
                *options,
            ]

        start = time.perf_counter()
        subprocess.run(command("whole"), cwd=root, check=True, capture_output=True)
        whole = time.perf_counter() - start
        wanted = {path.name: path.read_bytes() for path in (root / "whole").iterdir()}
        absent = kept = 0
        for seed in range(seeds):
            out = root / f"out{seed}"
            child = subprocess.Popen(command(out.name), cwd=root, stdout=subprocess.DEVNULL)
            time.sleep(random.Random(seed).uniform(0, 1.2 * whole))
            os.kill(child.pid, signal.SIGKILL)
            child.wait()
            if not out.exists():
                absent += 1
                journal = root / f"out{seed}.part" / "done.txt"
                done = journal.read_text().count("\n") if journal.exists() else 0
                said = json.loads(subprocess.run(command(out.name), cwd=root, check=True, capture_output=True).stdout)
                assert said["kept"] == done, f"seed {seed}: {done} tensors were there, and {said['kept']} were kept"
                assert said["written"] == (TENSORS - done) * ROWS * COLUMNS * 4, f"seed {seed}"
                kept += done
            assert {path.name: path.read_bytes() for path in out.iterdir()} == wanted, f"seed {seed}: other bytes"
            assert not (root / f"out{seed}.part").exists()
            for path in out.iterdir():
                path.unlink()
        print(
            f"{seeds} runs killed: {absent} outputs absent, {seeds - absent} whole; the next runs kept {kept} tensors"
        )
        assert absent and kept


if __name__ == "__main__":
    main()
