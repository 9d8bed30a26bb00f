"""Plans on eight processes of torch.distributed: the right elements on each, by tensors, in rounds, and by DTensors."""

import os
import sys
import tempfile
from pathlib import Path

import bitstride
import torch
import torch.distributed as dist
import torch.multiprocessing
from bitstride import _sharding_torch as engine
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

PAIRS = [
    ((2, 4), "Shard(0), Replicate()", "Shard(1), Replicate()"),
    ((2, 4), "Shard(0), Shard(0)", "Shard(1), Shard(1)"),
    ((2, 4), "Shard(0), Shard(1)", "Shard(1), Shard(0)"),
    ((2, 4), "Replicate(), Shard(0)", "Shard(1), Shard(1)"),
    ((2, 4), "Shard(0), Replicate()", "Replicate(), Shard(0)"),
    ((8,), "Shard(0)", "Shard(1)"),
    ((8,), "Shard(1)", "Shard(0)"),
    ((8,), "Shard(0)", "Replicate()"),
    ((8,), "Replicate()", "Shard(1)"),
    ((8,), "Shard(0)", "Shard(0)"),
    ((2, 2, 2), "Shard(0), Shard(0), Replicate()", "Replicate(), Shard(1), Shard(0)"),
    ((2, 4), "_StridedShard(0, split_factor=4), Shard(0)", "Shard(1), Replicate()"),
    ((2, 4), "_StridedShard(0, split_factor=2), Replicate()", "Replicate(), Shard(0)"),
]

SUMS = [
    ((2, 4), "Partial(), Shard(1)", "Replicate(), Shard(1)", lambda rank: rank // 4, lambda rank: rank % 4),
    ((2, 4), "Partial(), Shard(1)", "Shard(0), Shard(1)", lambda rank: rank // 4, lambda rank: rank % 4),
    ((8,), "Partial('max')", "Shard(0)", lambda rank: rank, lambda _: 0),
    ((8,), "Partial('avg')", "Replicate()", lambda rank: rank, lambda _: 0),
]


def sharded(shape, placements, sizes):
    extents = ",".join(map(str, shape))
    return f"shard(f32[{extents}], [{placements}], mesh({','.join(map(str, sizes))}))"


def held(text, whole, rank):
    """What a device holds of a tensor: the runs of the plan that brings all of it to every device, undone."""
    shape, size = whole.shape, dist.get_world_size()
    everywhere = bitstride.plan(text, sharded(shape, "Replicate()", (size,)))
    before = [None if extents is None else whole.new_zeros(extents) for extents in everywhere.before]
    from bitstride._sharding import _blocks, _part

    for piece in everywhere.pieces:
        for source, target in _blocks(piece):
            _part(before[piece.source], source).copy_(_part(whole, target))
    return before[rank]


class Works(list):
    """Works as one."""

    def wait(self):
        for one in self:
            one.wait()


def all_to_all(received, sent, group, async_op):
    """The collective of NCCL, which that of gloo is not: here all tensors may have sizes of their own."""
    operations = []
    for rank, (take, give) in enumerate(zip(received, sent)):
        operations += [dist.P2POp(dist.irecv, take, rank)] * bool(take.numel())
        operations += [dist.P2POp(dist.isend, give, rank)] * bool(give.numel())
    assert async_op and group is None
    return Works(dist.batch_isend_irecv(operations) if operations else [])


def work(rank, size, store):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", rank=rank, world_size=size, init_method=f"file://{store}")
    cases = 0
    plain = engine._is_one_call, dist.all_to_all
    for shape, memories in [((16, 24), (None, 400)), ((13, 9), (None,)), ((8, 8, 4), (None,))]:
        if shape == (8, 8, 4):
            # By one call of all ranks, as on GPUs.
            engine._is_one_call = lambda local, memory: memory is None
            dist.all_to_all = all_to_all
        whole = torch.arange(torch.Size(shape).numel(), dtype=torch.float32).reshape(shape)
        for sizes, source, target in PAIRS:
            plan = bitstride.plan(sharded(shape, source, sizes), sharded(shape, target, sizes))
            before, after = (held(str(side), whole, rank) for side in (plan.source, plan.target))
            for local in (before, before.transpose(0, 1).contiguous().transpose(0, 1)):
                for memory in memories:
                    moved = plan.run(local, memory=memory)
                    assert torch.equal(moved, after), (source, target, shape, memory)
                    out = torch.full_like(after, -1)
                    assert plan.run(local, memory=memory, out=out) is out and torch.equal(out, after)
                    cases += 1
    engine._is_one_call, dist.all_to_all = plain
    for wrong in (before, torch.empty(after.numel() + 1), torch.empty(after.shape, dtype=torch.int64)):
        try:
            plan.run(before, out=wrong)
        except bitstride.RefusedError:
            cases += 1
    for sizes, source, target, part, column in SUMS:
        plan = bitstride.plan(sharded((16, 8), source, sizes), sharded((16, 8), target, sizes))
        extents = plan.before[rank]
        local = torch.full(extents, float(part(rank))) + 100 * column(rank)
        ranks = [other for other in range(size) if column(other) == column(rank)]
        values = torch.tensor([part(other) + 100.0 * column(rank) for other in ranks])
        wanted = {"sum": values.sum(), "max": values.max(), "avg": values.mean()}[plan.reduction]
        moved = plan.run(local, out=torch.empty(plan.after[rank]))
        assert moved.shape == plan.after[rank] and torch.equal(moved, torch.full(moved.shape, float(wanted))), source
        cases += 1
    # Summands that move with other elements, and to uneven shares.
    whole = torch.arange(13 * 9, dtype=torch.float32).reshape(13, 9)
    for sizes, source, target, part in [
        ((8,), "Partial()", "Shard(0)", lambda rank: rank),
        ((2, 4), "Partial(), Shard(1)", "Shard(1), Replicate()", lambda rank: rank // 4),
        ((2, 4), "Partial(), Shard(1)", "Replicate(), Shard(1)", lambda rank: rank // 4),
        ((2, 4), "Shard(0), Partial('max')", "Shard(1), Shard(1)", lambda rank: rank % 4),
        ((2, 4), "Shard(0), Partial('avg')", "Replicate(), Shard(0)", lambda rank: rank % 4),
    ]:
        plan = bitstride.plan(sharded((13, 9), source, sizes), sharded((13, 9), target, sizes))
        values = ", ".join("Replicate()" if "Partial" in word else word for word in source.split(", "))
        local = held(sharded((13, 9), values, sizes), whole, rank) * (part(rank) + 1)
        factors = torch.tensor([float(number + 1) for number in range(plan.summands)])
        factor = {"sum": factors.sum(), "max": factors.max(), "avg": factors.mean()}[plan.reduction]
        for memory in (None, 200):
            moved = plan.run(local, memory=memory)
            torch.testing.assert_close(moved, held(sharded((13, 9), target, sizes), whole, rank) * factor)
            cases += 1
    # Half of the ranks, while the others do something else; they cannot make groups without these.
    halves = [dist.new_group(list(range(4))), dist.new_group(list(range(4, 8)))]
    if rank >= 4:
        whole = torch.arange(8 * 6, dtype=torch.int64).reshape(8, 6)
        plan = bitstride.plan("shard(s64[8,6], [Shard(0)], mesh(4))", "shard(s64[8,6], [Shard(1)], mesh(4))")
        moved = plan.run(whole.chunk(4)[rank - 4], halves[1])
        assert torch.equal(moved, whole[:, 2 * (rank - 4) : 2 * (rank - 3)])
        summands, values = (f"shard(s64[4,4], [{first}, Shard(1)], mesh(2,2))" for first in ("Partial()", "Shard(0)"))
        try:
            bitstride.plan(summands, values).run(torch.full((4, 2), rank), halves[1])
        except bitstride.RefusedError:
            cases += 2
    mesh = init_device_mesh("cpu", (2, 4), mesh_dim_names=("dp", "tp"))
    whole = torch.arange(12 * 8, dtype=torch.bfloat16).reshape(12, 8)
    for source, target in [
        ([Shard(0), Shard(1)], [Shard(1), Replicate()]),
        ([Replicate(), Shard(0)], [Shard(0), Shard(0)]),
    ]:
        tensor = distribute_tensor(whole, mesh, source)
        words = ", ".join("Replicate()" if own.is_replicate() else f"Shard({own.dim})" for own in target)
        plan = bitstride.plan(tensor, f"shard(bf16[12,8], [{words}], mesh(dp=2,tp=4))")
        moved = plan.run(tensor)
        wanted = distribute_tensor(whole, mesh, target)
        assert isinstance(moved, DTensor) and moved.placements == tuple(target) and moved.device_mesh == mesh
        assert torch.equal(moved.to_local(), wanted.to_local())
        other = bitstride.plan(tensor, "shard(bf16[12,8], [Shard(0)], mesh(8))").run(tensor)
        assert torch.equal(other.to_local(), distribute_tensor(whole, other.device_mesh, [Shard(0)]).to_local())
        cases += 2
    summed = DTensor.from_local(torch.ones(4, 4), mesh, [Partial(), Replicate()])
    total = bitstride.plan(summed, "shard(f32[4,4], [Replicate(), Replicate()], mesh(dp=2,tp=4))").run(summed)
    assert total.placements == (Replicate(), Replicate()) and torch.equal(total.to_local(), torch.full((4, 4), 2.0))
    try:
        plan.run(summed)
    except bitstride.RefusedError:
        cases += 2
    if rank == 0:
        print(f"{cases} cases on {size} ranks")
    dist.destroy_process_group()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        torch.multiprocessing.spawn(work, (8, str(Path(folder) / "store")), nprocs=8)
    sys.stdout.flush()
