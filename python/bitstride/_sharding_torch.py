"""Plans of tensors over devices, carried out by `torch.distributed`: pack, one exchange of bytes, unpack."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Sequence
from typing import Any

from ._errors import RefusedError
from ._sharding import Piece, ReshardPlan, _blocks, _part, placements_of

NEW_MIN_BYTES = 32 << 20
"""The allocator of glibc keeps smaller blocks for the next use."""

PAGE, MADV_HUGEPAGE = 4096, 14
"""The bytes of a page, and Linux's advice to `madvise`."""

# Imported only for tensors of PyTorch, so that it is there.
torch: Any = sys.modules.get("torch")
dist: Any = getattr(torch, "distributed", None)

ELEMENTS = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int64": "s64", "int32": "s32",
    "int16": "s16", "int8": "s8", "uint8": "u8", "bool": "pred", "complex64": "c64", "complex128": "c128",
}  # fmt: skip


def run(plan: ReshardPlan, tensor: Any, group: Any, memory: int | None, out: Any = None) -> Any:
    """What this rank holds afterwards; a DTensor for a DTensor."""
    if hasattr(tensor, "placements") and hasattr(tensor, "device_mesh"):
        if out is not None:
            raise RefusedError("a DTensor has memory of its own: `out` is of local tensors", "kind")
        return _run_dtensor(plan, tensor, group, memory)
    local = tensor.detach()
    rank, size = dist.get_rank(group), dist.get_world_size(group)
    if size != plan.devices:
        raise RefusedError(f"the group has {size} ranks, and the plan is of {plan.devices} devices", "rank-mismatch")
    plan._check(local, rank)
    extents = plan.after[rank]
    shape = (0,) if extents is None else extents
    if out is None:
        out = _in_huge_pages(local.new_empty(shape))
    else:
        _check_result(out, local, shape)
    if plan.reduction == "avg" and not local.is_floating_point() and not local.is_complex():
        raise RefusedError("the mean of integers is no integer", "kind")
    if _is_reduction(plan):
        _reduce(plan, local, out, rank, group, memory)
        return out
    if memory is None and _is_gather(plan, size):
        # As bytes: NCCL has no 16-bit integers.
        flat = [tensor.reshape(-1).view(torch.uint8) for tensor in (out, local.contiguous())]
        dist.all_gather_into_tensor(*flat, group=group)
        return out
    for gives, takes in _rounds(plan, rank, memory):
        if plan.reduction is None:
            _exchange(plan, gives, takes, local, out, rank, size, group)
        else:
            _combine(plan, gives, takes, local, out, rank, size, group)
    if plan.reduction == "avg":
        out /= plan.summands
    return out


def _in_huge_pages(tensor: Any) -> Any:
    """New memory of a size that allocators get from the system each time, as huge pages where Linux has some: 512 times as few are made."""
    size = tensor.numel() * tensor.element_size()
    if sys.platform == "linux" and tensor.device.type == "cpu" and size >= NEW_MIN_BYTES:
        # Whole pages inside; what the system refuses changes nothing.
        first = -(-tensor.data_ptr() // PAGE) * PAGE
        last = (tensor.data_ptr() + size) // PAGE * PAGE
        ctypes.CDLL(None).madvise(ctypes.c_void_p(first), ctypes.c_size_t(last - first), MADV_HUGEPAGE)
    return tensor


def _check_result(out: Any, local: Any, shape: tuple[int, ...]) -> None:
    """That a result may be written to a tensor."""
    wanted = (shape, local.dtype, local.device)
    if (tuple(out.shape), out.dtype, out.device) != wanted or not out.is_contiguous():
        message = f"out is {tuple(out.shape)} of {out.dtype} on {out.device}, and the result is a contiguous tensor of {wanted}"
        raise RefusedError(message, "kind")
    if out.numel() and out.untyped_storage().data_ptr() == local.untyped_storage().data_ptr():
        raise RefusedError("out shares the memory of the tensor, which is read while it is written", "overlap")


def _is_reduction(plan: ReshardPlan) -> bool:
    """Whether the engine's own reductions of groups do it: each device keeps its shard, or a share of one size. All ranks find the same."""
    if "reduction" not in plan._kept:
        sizes = [0 if extents is None else math.prod(extents) for extents in plan.after]
        # As many pieces as there are devices and summands, and each device gets some: all summands of one place.
        one_each = plan.count == plan.devices * plan.summands and 0 not in sizes
        width = plan.element_bits // 8
        has_own = all(got < size * width * plan.summands for got, size in zip(plan.receive, sizes))
        is_known = plan.movement == "all-reduce" or plan.movement == "reduce-scatter" and len(set(sizes)) == 1
        plan._kept["reduction"] = plan.reduction is not None and is_known and one_each and has_own
    found: bool = plan._kept["reduction"]
    return found


def _is_gather(plan: ReshardPlan, size: int) -> bool:
    """Whether all ranks give all they have to all, and put it side by side in the order of ranks: the engine's own collective, which
    packs nothing. All ranks find the same, as they look at what the first one gets: all of them get all."""
    if "gather" not in plan._kept:
        first = plan.before[0] or (0,)
        rows, *others = first
        dims = [[[0, source * rows, rows, 1, rows, rows]] for source in range(size)]
        whole = [[[0, 0, extent, 1, extent, extent]] for extent in others]
        plan._kept["gather"] = (
            rows > 0
            and all(extents == first for extents in plan.before)
            and all(extents == (rows * size, *others) for extents in plan.after)
            and {piece.source: list(piece.dims) for piece in plan.pieces_of(0) if piece.target == 0}
            == {source: [dims[source], *whole] for source in range(size)}
        )
    found: bool = plan._kept["gather"]
    return found


def _combine(
    plan: ReshardPlan, gives: list[Piece], takes: list[Piece], local: Any, out: Any, rank: int, size: int, group: Any
) -> None:
    """One round of summands: each rank gets those of its elements, and combines them in the order of the plan, which is that of all ranks."""
    width = local.element_size()
    splits = [[0] * size, [0] * size]
    sent_pieces = [piece for piece in gives if piece.target != rank]
    for piece in sent_pieces:
        splits[0][piece.target] += piece.elements() * width
    starts = {}
    at = 0
    for piece in sorted((piece for piece in takes if piece.source != rank), key=lambda piece: piece.source):
        starts[id(piece)] = at
        at += piece.elements()
        splits[1][piece.source] += piece.elements() * width
    sent = _buffer(plan, "send", sum(splits[0]), local)
    _copy(sent_pieces, local, sent.view(local.dtype), 0)
    received = _buffer(plan, "receive", sum(splits[1]), local)
    dist.all_to_all_single(received, sent, splits[1], splits[0], group=group)
    packed = received.view(local.dtype)
    combine = {
        "sum": torch.add, "avg": torch.add, "product": torch.mul, "max": torch.maximum, "min": torch.minimum,
        "band": torch.bitwise_and, "bor": torch.bitwise_or, "bxor": torch.bitwise_xor,
    }[plan.reduction or "sum"]  # fmt: skip
    filled = set()
    for piece in takes:
        is_first = piece.place() not in filled
        filled.add(piece.place())
        at = starts.get(id(piece), 0)
        for before, after in _blocks(piece):
            place = _part(out, after)
            if piece.source == rank:
                part = _part(local, before)
            else:
                part = packed[at : at + place.numel()].view(place.shape)
                at += place.numel()
            if is_first:
                place.copy_(part)
            else:
                place.copy_(combine(place, part))


def _rounds(plan: ReshardPlan, rank: int, memory: int | None) -> list[tuple[list[Piece], list[Piece]]]:
    """What a rank gives and takes in each round, by the other rank; found once for all runs."""
    key = ("rounds", rank, memory)
    if key not in plan._kept:
        plan._kept[key] = [
            (
                sorted((piece for piece in pieces if piece.source == rank), key=lambda piece: piece.target),
                sorted(
                    (piece for piece in pieces if piece.target == rank),
                    # Summands stay in the order in which they are combined.
                    key=lambda piece: piece.source if plan.reduction is None else 0,
                ),
            )
            for pieces in ([plan.pieces_of(rank)] if memory is None else plan.rounds(memory))
        ]
    found: list[tuple[list[Piece], list[Piece]]] = plan._kept[key]
    return found


def _exchange(
    plan: ReshardPlan, gives: list[Piece], takes: list[Piece], local: Any, out: Any, rank: int, size: int, group: Any
) -> None:
    """One round: what goes to a rank lies together, and so does what comes from one."""
    width = local.element_size()
    # A piece for this rank itself goes through the exchange only where nothing else must then be packed or unpacked.
    with_own = _run_of(local, gives, 0) is not None or _run_of(out, takes, 1) is not None
    if not with_own:
        for piece in gives:
            if piece.target == rank:
                for before, after in _blocks(piece):
                    _part(out, after).copy_(_part(local, before))
        gives = [piece for piece in gives if piece.target != rank]
        takes = [piece for piece in takes if piece.source != rank]
    if not plan.total:
        # Nothing goes between ranks; all know it.
        for piece in gives:
            for before, after in _blocks(piece):
                _part(out, after).copy_(_part(local, before))
        return
    splits = [[0] * size, [0] * size]
    for piece in gives:
        splits[0][piece.target] += piece.elements() * width
    for piece in takes:
        splits[1][piece.source] += piece.elements() * width
    sent = _run_of(local, gives, 0)
    if sent is None:
        sent = _buffer(plan, "send", sum(splits[0]), local)
        _copy(gives, local, sent.view(local.dtype), 0)
    received = _run_of(out, takes, 1)
    is_direct = received is not None
    if not is_direct:
        received = _buffer(plan, "receive", sum(splits[1]), local)
    dist.all_to_all_single(received, sent, splits[1], splits[0], group=group)
    if not is_direct:
        _copy(takes, out, received.view(out.dtype), 1)


def _copy(pieces: Sequence[Piece], tensor: Any, packed: Any, side: int) -> None:
    """Copies pieces one after the other into packed memory (side 0, from the local tensor) or out of it (side 1)."""
    at = 0
    for piece in pieces:
        for block in _blocks(piece):
            part = _part(tensor, block[side])
            other = packed[at : at + part.numel()].view(part.shape)
            at += part.numel()
            if side == 0:
                other.copy_(part)
            else:
                part.copy_(other)


def _run_of(tensor: Any, pieces: Sequence[Piece], side: int) -> Any:
    """The bytes of pieces where they lie in a tensor, one after the other and without gaps; None where they do not."""
    if not tensor.is_contiguous():
        return None
    start = end = None
    for piece in pieces:
        for block in _blocks(piece):
            first = _contiguous(tensor, block[side])
            if first is None or (end is not None and first != end):
                return None
            start = first if start is None else start
            end = first + math.prod(length * count for _, length, count, _ in block[side])
    flat = tensor.reshape(-1)
    return flat[start or 0 : end or 0].view(torch.uint8)


def _contiguous(tensor: Any, block: Sequence[tuple[int, int, int, int]]) -> int | None:
    """Where a block begins in the flat memory of a contiguous tensor, where it is one run of it."""
    first, is_whole = 0, True
    for (start, length, count, stride), extent, step in reversed(list(zip(block, tensor.shape, tensor.stride()))):
        if count > 1 and stride != length:
            return None
        # All dims below are whole, or this one has a single index.
        if not is_whole and length * count > 1:
            return None
        is_whole = is_whole and length * count == extent
        first += start * step
    return first


def _buffer(plan: ReshardPlan, name: str, size: int, like: Any) -> Any:
    """Memory of a given number of bytes, kept for the next run of the plan."""
    key = (name, like.device)
    kept = plan._kept.get(key)
    if kept is None or kept.numel() < size:
        kept = plan._kept[key] = torch.empty(size, dtype=torch.uint8, device=like.device)
    return kept[:size]


def _reduce(plan: ReshardPlan, local: Any, out: Any, rank: int, group: Any, memory: int | None) -> None:
    """Summands become values by the engine's reductions, in each group of ranks that have summands of the same elements."""
    operation = {
        "sum": dist.ReduceOp.SUM, "avg": dist.ReduceOp.SUM, "product": dist.ReduceOp.PRODUCT,
        "max": dist.ReduceOp.MAX, "min": dist.ReduceOp.MIN,
        "band": dist.ReduceOp.BAND, "bor": dist.ReduceOp.BOR, "bxor": dist.ReduceOp.BXOR,
    }[plan.reduction or "sum"]  # fmt: skip
    pieces = plan.pieces_of(rank)
    members = sorted({piece.source for piece in pieces if piece.target == rank})
    own = _group(plan, members, group)
    gives = sorted((piece for piece in pieces if piece.source == rank), key=lambda piece: piece.target)
    (mine,) = (piece for piece in gives if piece.target == rank)
    if plan.movement == "all-reduce":
        for before, after in _blocks(mine):
            _part(out, after).copy_(_part(local, before))
        dist.all_reduce(out, operation, group=own)
    else:
        size = sum(piece.elements() for piece in gives) * local.element_size()
        if memory is not None and size > memory:
            message = f"a reduce-scatter takes {size} bytes of buffers, and the limit is {memory}"
            raise RefusedError(message, "too-large", help="a larger memory")
        packed = _run_of(local, gives, 0)
        if packed is None:
            packed = _buffer(plan, "send", size, local)
            _copy(gives, local, packed.view(local.dtype), 0)
        result = out if _run_of(out, [mine], 1) is not None else torch.empty_like(out)
        dist.reduce_scatter_tensor(result.view(-1), packed.view(local.dtype), operation, group=own)
        if result is not out:
            _copy([mine], out, result.view(-1), 1)
    if plan.reduction == "avg":
        out /= len(members)


def _group(plan: ReshardPlan, members: list[int], group: Any) -> Any:
    """The process group of some ranks of a group. PyTorch has all ranks of the job make each group, in one order."""
    if len(members) == plan.devices:
        return group
    if plan.devices != dist.get_world_size():
        raise RefusedError(
            f"summands of {len(members)} ranks each, in a group of {plan.devices}: only all ranks of the job can make such groups",
            "kind",
            help="a plan of the devices of one such group, and that group",
        )
    if "groups" not in plan._kept:
        givers: dict[int, set[int]] = {}
        for piece in plan.pieces:
            givers.setdefault(piece.target, set()).add(piece.source)
        lists = sorted({tuple(sorted(own)) for own in givers.values()})
        whole = dist.group.WORLD if group is None else group
        plan._kept["groups"] = {
            own: dist.new_group([dist.get_global_rank(whole, rank) for rank in own]) for own in lists
        }
    return plan._kept["groups"][tuple(members)]


def _run_dtensor(plan: ReshardPlan, tensor: Any, group: Any, memory: int | None) -> Any:
    """A DTensor as the target's."""
    own = text_of(tensor)
    if not plan.source.same(own):
        raise RefusedError(f"the plan begins at {plan.source}, and the DTensor is {own}", "kind")
    local = run(plan, tensor.to_local(), group, memory)
    if "target" not in plan._kept:
        plan._kept["target"] = _placed(plan, tensor.device_mesh)
    mesh, placements = plan._kept["target"]
    strides = torch.empty(tensor.shape, device="meta").stride()
    return type(tensor).from_local(local, mesh, placements, run_check=False, shape=tensor.shape, stride=strides)


def _placed(plan: ReshardPlan, mesh: Any) -> tuple[Any, list[Any]]:
    """The mesh and the placements of the target."""
    tensors = sys.modules["torch.distributed.tensor"]
    placements, axes, ids = placements_of(str(plan.target.convert("dtensor")))
    made: list[Any] = []
    for name, arguments in placements:
        if name == "Replicate":
            made.append(tensors.Replicate())
        elif name == "Partial":
            made.append(tensors.Partial(*(argument.strip("'\"") for argument in arguments)))
        elif name == "Shard":
            made.append(tensors.Shard(int(arguments[0])))
        else:
            strided = sys.modules["torch.distributed.tensor.placement_types"]._StridedShard
            made.append(strided(int(arguments[0]), split_factor=int(arguments[1].rpartition("=")[2])))
    sizes = [size for _, size in axes]
    wanted = torch.tensor(ids or list(range(plan.devices)), dtype=torch.int).reshape(sizes)
    if list(mesh.shape) == sizes and torch.equal(mesh.mesh.cpu(), wanted):
        return mesh, made
    return type(mesh)(mesh.device_type, wanted, mesh_dim_names=tuple(name for name, _ in axes)), made


def text_of(tensor: Any) -> str:
    """The sharding of a DTensor, as text."""
    element = ELEMENTS.get(str(tensor.dtype).removeprefix("torch."))
    if element is None:
        raise RefusedError(f"elements of {tensor.dtype} have no name in a sharding", "kind")
    written = []
    for placement in tensor.placements:
        name = type(placement).__name__
        if name == "_StridedShard":
            written.append(f"_StridedShard({placement.dim}, split_factor={placement.split_factor})")
        elif name == "Shard":
            written.append(f"Shard({placement.dim})")
        elif name == "Partial":
            written.append(f"Partial('{placement.reduce_op}')")
        elif name == "Replicate":
            written.append("Replicate()")
        else:
            raise RefusedError(f"the placement {placement} is none of Shard, Replicate, Partial, _StridedShard", "kind")
    mesh = tensor.device_mesh
    names = mesh.mesh_dim_names or [str(number) for number in range(mesh.ndim)]
    is_named = all(name.isidentifier() for name in names)
    axes = ",".join(f"{name}={size}" if is_named else str(size) for name, size in zip(names, mesh.shape))
    ids = mesh.mesh.flatten().tolist()
    order = "" if ids == list(range(len(ids))) else f",device_ids={ids}"
    shape = ",".join(str(extent) for extent in tensor.shape)
    return f"shard({element}[{shape}], [{', '.join(written)}], mesh({axes}{order}))"
