"""Plans between two GPUs by NCCL, which has no 16-bit integers: every element of five types, gathered and exchanged, at once, in
rounds of little memory, and on a stream of the caller that has much to do before.

Run it where PyTorch has two GPUs; otherwise it says that it was skipped.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import bitstride
import torch
import torch.distributed as dist
import torch.multiprocessing

RANKS = 2
TYPES = {"s16": torch.int16, "f32": torch.float32, "pred": torch.bool, "c64": torch.complex64, "bf16": torch.bfloat16}
PAIRS = [(0, None), (1, None), (0, 1)]


def work(rank: int, store: str) -> None:
    torch.cuda.set_device(rank)
    dist.init_process_group("nccl", rank=rank, world_size=RANKS, init_method=f"file://{store}")
    count = 0
    for name, dtype in TYPES.items():
        whole = (torch.arange(8 * 6, device="cuda").reshape(8, 6) % 7).to(dtype)
        for source, target in PAIRS:
            before, after = (f"[{'Replicate()' if dim is None else f'Shard({dim})'}]" for dim in (source, target))
            plan = bitstride.plan(*(f"shard({name}[8,6], {own}, mesh({RANKS}))" for own in (before, after)))
            local = whole.chunk(RANKS, source)[rank].contiguous()
            wanted = whole if target is None else whole.chunk(RANKS, target)[rank]
            # By rows, and by columns.
            for given in (local, local.t().contiguous().t()):
                assert torch.equal(plan.run(given), wanted), (name, source, target)
                assert torch.equal(plan.run(given, memory=64), wanted), (name, source, target, "in rounds")
                count += 2
    # Each result is read, and each tensor written again, on the caller's stream at once.
    side = torch.cuda.Stream()
    first = torch.arange(1024 * 2048, device="cuda", dtype=torch.int32).reshape(1024, 2048)
    load = torch.rand(4096, 4096, device="cuda")
    for source, target in [(0, 1), (1, 0)]:
        plan = bitstride.plan(*(f"shard(s32[1024,2048], [Shard({dim})], mesh({RANKS}))" for dim in (source, target)))
        local, wanted = first.chunk(RANKS, source)[rank].contiguous(), first.chunk(RANKS, target)[rank]
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            given, wrong = local.clone(), torch.zeros((), dtype=torch.int64, device="cuda")
            for turn in range(20):
                load @ load
                given.copy_(local + turn)
                moved = plan.run(given)
                given.fill_(-1)
                wrong += (moved != wanted + turn).sum()
                count += 1
            assert int(wrong) == 0, (source, target, int(wrong))
    if rank == 0:
        print(f"{count} reshards, 0 wrong")
    dist.destroy_process_group()


if __name__ == "__main__":
    if torch.cuda.device_count() < RANKS:
        print(f"SKIPPED: {RANKS} GPUs are needed, and nothing was run")
        sys.exit(0)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(work, (str(Path(folder) / "store"),), nprocs=RANKS)
