"""Kills workers of Ray with SIGKILL at random times while they write a checkpoint: the output is whole or absent, and another run makes
only the files that are missing.

`python tools/kill_ray.py [SEEDS]`, in an environment with the package and Ray.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import bitstride
import ray

sys.path.insert(0, str(Path(__file__).parent))
from kill_reshard import write  # noqa: E402

COLUMNS = 2048


def workers() -> list[int]:
    """The processes that run tasks."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if words.startswith(b"ray::write_file"):
            found.append(int(entry.name))
    return found


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def main() -> None:
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write(root / "in", COLUMNS)
        (root / "rules").write_text("* [Shard(1)]\n")
        options = {"to": "tp=8", "rules": root / "rules", "ray": True}
        bitstride.reshard(root / "in", root / "whole", **options)
        start = time.perf_counter()
        bitstride.reshard(root / "in", root / "timed", **options)
        whole = time.perf_counter() - start
        wanted = held(root / "whole")
        kills = failed = kept = 0
        for seed in range(seeds):
            chance, ended = random.Random(seed), threading.Event()

            def kill() -> None:
                nonlocal kills
                while not ended.wait(chance.uniform(0, whole)):
                    for process in workers()[: chance.randrange(1, 3)]:
                        os.kill(process, signal.SIGKILL)
                        kills += 1

            thread = threading.Thread(target=kill)
            thread.start()
            out = root / f"out{seed}"
            try:
                bitstride.reshard(root / "in", out, **options)
            except ray.exceptions.RayError:
                failed += 1
            ended.set()
            thread.join()
            if not out.exists():
                part = held(root / f"out{seed}.part")
                there = [name for name in wanted if part.get(name) == wanted[name]]
                assert all(part[name] == wanted[name] for name in wanted if name in part), f"seed {seed}: half of a file"
                done = bitstride.reshard(root / "in", out, **options)
                assert done["kept"] == len(there), f"seed {seed}"
                kept += len(there)
            assert held(out) == wanted, f"seed {seed}: other bytes"
            assert not (root / f"out{seed}.part").exists()
            for path in out.iterdir():
                path.unlink()
        print(f"{seeds} runs, {kills} workers killed: {failed} runs failed and were gone on with, which kept {kept} files")
        assert kills


if __name__ == "__main__":
    main()
