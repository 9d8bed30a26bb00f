"""Reshards of a tensor between processes: the plan, a bare exchange of the same bytes, and DTensor, in one run.

Run it on an idle machine: `python benches/python/reshard.py [EXTENT] [cuda]`, with eight processes on gloo, or one a GPU on NCCL. Each time is the least of several turns, of the slowest rank;
turns of the three alternate, and each makes new memory for its result, of one size: from some size on an allocator gives memory back to the system, and
each page that is new again costs more than its copy. The last column is the plan beside the exchange where both write to memory that is there. The aims are at most 2.0 times the exchange, and never slower than DTensor.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bitstride
import torch
import torch.distributed as dist
import torch.multiprocessing
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Replicate, Shard

IS_CUDA = "cuda" in sys.argv
DEVICE = "cuda" if IS_CUDA else "cpu"
RANKS, TURNS = (torch.cuda.device_count(), 20) if IS_CUDA else (8, 5)

R, S0, S1 = Replicate(), Shard(0), Shard(1)
CASES: dict[str, tuple[tuple[int, ...], list[Any], list[Any]]] = {
    "S0 -> S1": ((RANKS,), [S0], [S1]),
    "S1 -> S0": ((RANKS,), [S1], [S0]),
    "S0 -> R": ((RANKS,), [S0], [R]),
}
MESHES: dict[str, tuple[tuple[int, ...], list[Any], list[Any]]] = {
    "S0S0 -> S1S1": ((2, 4), [S0, S0], [S1, S1]),
    "S0S1 -> S1S0": ((2, 4), [S0, S1], [S1, S0]),
    "RS0 -> S1S1": ((2, 4), [R, S0], [S1, S1]),
    "S0R -> RS0": ((2, 4), [S0, R], [R, S0]),
}
if RANKS == 8:
    CASES |= MESHES


def timed(work: Callable[[], Any]) -> float:
    """The seconds of the slowest rank."""
    dist.barrier()
    _finished()
    start = time.perf_counter()
    work()
    _finished()
    seconds = torch.tensor([time.perf_counter() - start], device=DEVICE)
    dist.all_reduce(seconds, dist.ReduceOp.MAX)
    return float(seconds)


def _finished() -> None:
    if IS_CUDA:
        torch.cuda.synchronize()


def work(rank: int, extent: int, store: str) -> None:
    torch.set_num_threads(1)
    if IS_CUDA:
        torch.cuda.set_device(rank)
    dist.init_process_group("nccl" if IS_CUDA else "gloo", rank=rank, world_size=RANKS, init_method=f"file://{store}")
    if rank == 0:
        print(f"{extent} x {extent} int32 on {RANKS} ranks of {DEVICE}; seconds")
        print(f"{'':14}{'plan':>8}{'exchange':>10}{'DTensor':>9}{'/exchange':>11}{'/DTensor':>10}{'in place':>10}")
    for name, (sizes, source, target) in CASES.items():
        mesh = init_device_mesh(DEVICE, sizes)
        words = ", ".join("Replicate()" if own is R else f"Shard({own.dim})" for own in target)
        tensor = DTensor.from_local(_part(extent, rank, sizes, source).to(DEVICE), mesh, source, run_check=False)
        plan = bitstride.plan(tensor, f"shard(s32[{extent},{extent}], [{words}], mesh({','.join(map(str, sizes))}))")
        local = tensor.to_local()
        sends, receives = [0] * RANKS, [0] * RANKS
        for piece in plan.pieces:
            if piece.source == rank and piece.target != rank:
                sends[piece.target] += 4 * piece.elements()
            if piece.target == rank and piece.source != rank:
                receives[piece.source] += 4 * piece.elements()
        sent = torch.zeros(sum(sends), dtype=torch.uint8, device=DEVICE)

        size = max(sum(receives), 4 * math.prod(plan.after[rank] or (0,)))
        out = torch.zeros(plan.after[rank] or (0,), dtype=torch.int32, device=DEVICE)
        there = torch.zeros(sum(receives), dtype=torch.uint8, device=DEVICE)

        def exchange() -> None:
            received = torch.empty(size, dtype=torch.uint8, device=DEVICE)[: sum(receives)]
            dist.all_to_all_single(received, sent, receives, sends)

        cases: list[Callable[[], Any]] = [
            lambda: plan.run(local),
            exchange,
            lambda: tensor.redistribute(mesh, target),
            lambda: plan.run(local, out=out),
            lambda: dist.all_to_all_single(there, sent, receives, sends),
        ]
        ours, theirs = cases[0](), cases[2]()
        assert torch.equal(ours, theirs.to_local()), f"{name}: other elements than DTensor's"
        del ours, theirs
        best = [float("inf")] * len(cases)
        for _ in range(TURNS):
            best = [min(own, timed(case)) for own, case in zip(best, cases)]
        if rank == 0:
            own, bare, torchs, own_there, bare_there = best
            print(f"{name:14}{own:8.4f}{bare:10.4f}{torchs:9.4f}{own / bare:11.2f}{own / torchs:10.3f}{own_there / bare_there:10.2f}", flush=True)
    dist.destroy_process_group()


def _part(extent: int, rank: int, sizes: tuple[int, ...], placements: list[Any]) -> Any:
    """What a rank has of the numbers of the elements, by the definition of placements."""
    dims = [torch.arange(extent, dtype=torch.int32)] * 2
    below = RANKS
    for size, placement in zip(sizes, placements):
        below //= size
        if placement is not R:
            dims[placement.dim] = dims[placement.dim].chunk(size)[rank // below % size]
    return dims[0][:, None] * extent + dims[1]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        extent = next((int(given) for given in sys.argv[1:] if given.isdigit()), 8192)
        torch.multiprocessing.spawn(work, (extent, str(Path(folder) / "store")), nprocs=RANKS)
