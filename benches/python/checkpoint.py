"""A 2 GiB checkpoint from 8 files to 4, along both dims, beside `cat` of the same bytes in one run.

Run it on an idle machine, with the released program: `python benches/python/checkpoint.py target/release/bitstride [FOLDER]`. Each time is
the least of three turns, with the pages of the source in memory. The aims are at most 2.5 times `cat`, bytes read at most 1.01 of
those needed, and anonymous memory of at most the limit and 64 MiB.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy

TENSORS, ROWS, COLUMNS, FILES, TURNS = 16, 8192, 4096, 8, 3


def write(folder: Path) -> None:
    folder.mkdir()
    for file in range(FILES):
        shape = [ROWS // FILES, COLUMNS]
        size = shape[0] * shape[1] * 4
        header: dict[str, object] = {
            f"layers.{number}.weight": {
                "dtype": "I32",
                "shape": shape,
                "data_offsets": [number * size, (number + 1) * size],
            }
            for number in range(TENSORS)
        }
        offsets = {name: {"saved_offsets": [file * shape[0], 0]} for name in header}
        header["__metadata__"] = {"DCP_SHARDING_INFO": json.dumps(offsets)}
        text = json.dumps(header).encode()
        with open(folder / f"shard-{file:05}.safetensors", "wb") as out:
            out.write(len(text).to_bytes(8, "little") + text)
            for number in range(TENSORS):
                first = number * ROWS * COLUMNS + file * shape[0] * COLUMNS
                numpy.arange(first, first + shape[0] * COLUMNS, dtype="<i4").tofile(out)


def check(folder: Path, dim: int) -> None:
    """That the files have the elements of the tensors, by their definition."""
    for file, path in enumerate(sorted(folder.iterdir())):
        data = numpy.memmap(path, "u1", "r")
        length = int.from_bytes(data[:8].tobytes(), "little")
        header = json.loads(data[8 : 8 + length].tobytes())
        for number in range(TENSORS):
            entry = header[f"layers.{number}.weight"]
            start, end = (8 + length + offset for offset in entry["data_offsets"])
            own = data[start:end].view("<i4").reshape(entry["shape"])
            rows, columns = (numpy.arange(extent) for extent in entry["shape"])
            rows, columns = (rows + file * len(rows), columns) if dim == 0 else (rows, columns + file * len(columns))
            base = number * ROWS * COLUMNS
            for at in range(0, len(rows), 512):
                wanted = base + rows[at : at + 512, None] * COLUMNS + columns
                assert (own[at : at + 512] == wanted).all(), f"{path}: {number}"


def timed(command: list[str]) -> tuple[float, int, str]:
    """Seconds, the most anonymous bytes in memory while it ran, and what was printed."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    most = 0
    while child.poll() is None:
        status = Path(f"/proc/{child.pid}/status").read_text()
        most = max([most, *(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))])
        time.sleep(0.005)
    seconds = time.perf_counter() - start
    said = child.communicate()[0]
    assert child.returncode == 0, f"{command}: {said}"
    return seconds, most * 1024, said


def main() -> None:
    program = sys.argv[1]
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as name:
        root = Path(name)
        write(root / "in")
        (root / "rules").write_text("* [Shard(1)]\n")
        needed = 4 * TENSORS * ROWS * COLUMNS
        sources = " ".join(str(path) for path in sorted((root / "in").iterdir()))
        commands = {"cat": ["sh", "-c", f"cat {sources} > {root / 'out'}"]}
        for memory in ("256MiB", "1GiB"):
            for dim in (0, 1):
                rules = ["--rules", str(root / "rules")] if dim else []
                start = [program, "--json", "reshard", str(root / "in"), str(root / "out"), "--to", "tp=4"]
                commands[f"dim {dim}, {memory}"] = [*start, "--memory", memory, *rules]
        commands["dim 1, verified"] = [*commands["dim 1, 256MiB"], "--verify"]
        best = dict.fromkeys(commands, float("inf"))
        most = dict.fromkeys(commands, 0)
        read = dict.fromkeys(commands, 0)
        for turn in range(TURNS):
            for case, command in commands.items():
                seconds, memory_used, said = timed(command)
                best[case], most[case] = min(best[case], seconds), max(most[case], memory_used)
                if said:
                    read[case] = json.loads(said)["read"]
                    if turn == 0 and "MiB" in case:
                        check(root / "out", int(case[4]))
                (shutil.rmtree if said else os.remove)(root / "out")
        print(
            f"{needed >> 20} MiB, {FILES} files to 4\n{'':18}{'seconds':>9}{'/ cat':>7}{'read / needed':>15}{'MiB':>6}"
        )
        for case in commands:
            shown = f"{read[case] / needed:15.3f}" if read[case] else " " * 15
            print(f"{case:18}{best[case]:9.2f}{best[case] / best['cat']:7.2f}{shown}{most[case] >> 20:6}")


main()
