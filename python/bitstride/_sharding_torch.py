"""Plans of tensors over devices, carried out by `torch.distributed`: what is no run of memory is packed, exchanged and unpacked."""

from __future__ import annotations

import ctypes
import math
import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

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
    # That of gloo is slower than the exchange.
    if _is_one_call(local, memory) and _is_gather(plan, size):
        # As bytes: NCCL has no 16-bit integers.
        flat = [tensor.reshape(-1).view(torch.uint8) for tensor in (out, local.contiguous())]
        dist.all_gather_into_tensor(*flat, group=group)
        return out
    if memory is not None and local.is_cuda and ("met", group) not in plan._kept:
        # Pairs that exchange something need that all ranks have met before.
        dist.all_reduce(local.new_zeros(1, dtype=torch.uint8), group=group)
        plan._kept["met", group] = True
    for number, (gives, takes) in enumerate(_rounds(plan, rank, memory)):
        move = _exchange if plan.reduction is None else _combine
        move(plan, _Turn(rank, memory, number, _is_one_call(local, memory)), gives, takes, local, out, group)
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


class _Turn(NamedTuple):
    """A round of a rank."""

    rank: int
    memory: int | None
    number: int
    is_one_call: bool
    """Whether all ranks exchange in one call."""


def _is_one_call(local: Any, memory: int | None) -> bool:
    """On GPUs, unless there are rounds, which may leave some ranks out."""
    return bool(local.is_cuda) and memory is None


class _Part(NamedTuple):
    """A piece, or in rounds a part of one, that goes to another rank or comes from one. Where all exchange in one call, a rank has at most one of each with
    another."""

    piece: Piece
    peer: int
    is_packed: bool
    """Whether it lies in a buffer; else it is one run of memory in the tensor itself."""
    first: int
    last: int
    """Its elements, from the start of the buffer or of the tensor."""


def _parts(pieces: Sequence[Piece], tensor: Any, side: int, all_packed: bool) -> list[_Part]:
    """Where pieces lie that are exchanged: before (side 0) or after (side 1)."""
    parts = []
    packed = 0
    for piece in pieces:
        size = piece.elements()
        first = None if all_packed else _run_of(tensor, [piece], side)
        is_packed = first is None
        if first is None:
            first = packed
            packed += size
        parts.append(_Part(piece, piece.source if side else piece.target, is_packed, first, first + size))
    return parts


def _places(
    plan: ReshardPlan, turn: _Turn, pieces: Sequence[Piece], tensor: Any, side: int, all_packed: bool = False
) -> tuple[list[_Part], list[Any]]:
    """The parts, found once for all runs, and the memory of each as bytes."""
    key = ("parts", turn, side, tensor.is_contiguous())
    if key not in plan._kept:
        plan._kept[key] = _parts(pieces, tensor, side, all_packed)
    parts: list[_Part] = plan._kept[key]
    width = tensor.element_size()
    size = max((part.last for part in parts if part.is_packed), default=0)
    buffer = _buffer(plan, side, size * width, tensor)
    flat = tensor.reshape(-1).view(torch.uint8) if tensor.is_contiguous() else buffer
    return parts, [(buffer if part.is_packed else flat)[part.first * width : part.last * width] for part in parts]


def _start(
    turn: _Turn,
    sends: Sequence[_Part],
    sent: Sequence[Any],
    takes: Sequence[_Part],
    received: Sequence[Any],
    like: Any,
    group: Any,
) -> list[Any]:
    """Begins an exchange: on GPUs by one call of all ranks, or else by calls of those pairs that exchange something."""
    if turn.is_one_call:
        lists = []
        for parts, places in ((takes, received), (sends, sent)):
            own = [like.new_empty(0, dtype=torch.uint8)] * dist.get_world_size(group)
            for part, place in zip(parts, places):
                own[part.peer] = place
            lists.append(own)
        return [dist.all_to_all(*lists, group=group, async_op=True)]
    whole = dist.group.WORLD if group is None else group
    ranks = dist.get_process_group_ranks(whole)
    operations = [
        dist.P2POp(begin, place, ranks[part.peer], whole)
        for begin, parts, places in ((dist.irecv, takes, received), (dist.isend, sends, sent))
        for part, place in zip(parts, places)
    ]
    return list(dist.batch_isend_irecv(operations)) if operations else []


def _exchange(
    plan: ReshardPlan, turn: _Turn, gives: list[Piece], takes: list[Piece], local: Any, out: Any, group: Any
) -> None:
    """One round. Bytes go from where they lie to where they belong, or through buffers where that is no run of memory; what stays on
    the rank is copied meanwhile. Steps of a part each, packed during the exchange of another, were slower on two H200.

    On a GPU the exchange begins after all that its stream was given before, and beside what it is given next; `wait` has the stream wait.
    """
    sends, sent = _places(plan, turn, [piece for piece in gives if piece.target != turn.rank], local, 0)
    receives, received = _places(plan, turn, [piece for piece in takes if piece.source != turn.rank], out, 1)
    _copy(sends, sent, local, 0)
    works = _start(turn, sends, sent, receives, received, local, group) if plan.total else []
    for piece in gives:
        if piece.target == turn.rank:
            for before, after in _blocks(piece):
                _part(out, after).copy_(_part(local, before))
    for work in works:
        work.wait()
    _copy(receives, received, out, 1)


def _combine(
    plan: ReshardPlan, turn: _Turn, gives: list[Piece], takes: list[Piece], local: Any, out: Any, group: Any
) -> None:
    """One round of summands: each rank gets those of its elements, and combines them in the order of the plan, which is that of all ranks."""
    others = [piece for piece in takes if piece.source != turn.rank]
    sends, sent = _places(plan, turn, [piece for piece in gives if piece.target != turn.rank], local, 0)
    receives, received = _places(plan, turn, others, out, 1, all_packed=True)
    _copy(sends, sent, local, 0)
    for work in _start(turn, sends, sent, receives, received, local, group):
        work.wait()
    packed = {id(part.piece): place.view(local.dtype) for part, place in zip(receives, received)}
    combine = {
        "sum": torch.add, "avg": torch.add, "product": torch.mul, "max": torch.maximum, "min": torch.minimum,
        "band": torch.bitwise_and, "bor": torch.bitwise_or, "bxor": torch.bitwise_xor,
    }[plan.reduction or "sum"]  # fmt: skip
    filled = set()
    for piece in takes:
        is_first = piece.place() not in filled
        filled.add(piece.place())
        at = 0
        for before, after in _blocks(piece):
            place = _part(out, after)
            if piece.source == turn.rank:
                part = _part(local, before)
            else:
                part = packed[id(piece)][at : at + place.numel()].view(place.shape)
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
            for pieces in plan.rounds(memory, rank)
        ]
    found: list[tuple[list[Piece], list[Piece]]] = plan._kept[key]
    return found


def _copy(parts: Sequence[_Part], places: Sequence[Any], tensor: Any, side: int) -> None:
    """Copies the parts that lie in a buffer from the local tensor (side 0), or to it (side 1)."""
    for part, place in zip(parts, places):
        if part.is_packed:
            _copy_blocks([part.piece], tensor, place.view(tensor.dtype), side)


def _copy_blocks(pieces: Sequence[Piece], tensor: Any, packed: Any, side: int) -> None:
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


def _run_of(tensor: Any, pieces: Sequence[Piece], side: int) -> int | None:
    """Where pieces begin in the flat memory of a tensor that holds them one after the other, without gaps; None where it does not."""
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
    return start or 0


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


def _buffer(plan: ReshardPlan, side: int, size: int, like: Any) -> Any:
    """Memory of a given number of bytes. On a CPU it is kept for the next run of the plan; a GPU's allocator does that by itself, and
    knows the stream on which it is used."""
    if like.device.type != "cpu":
        return torch.empty(size, dtype=torch.uint8, device=like.device)
    kept = plan._kept.get(("buffer", side))
    if kept is None or kept.numel() < size:
        kept = plan._kept["buffer", side] = torch.empty(size, dtype=torch.uint8)
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
        first = _run_of(local, gives, 0)
        if first is None:
            packed = _buffer(plan, 0, size, local).view(local.dtype)
            _copy_blocks(gives, local, packed, 0)
        else:
            packed = local.view(-1)[first : first + size // local.element_size()]
        result = out if _run_of(out, [mine], 1) is not None else torch.empty_like(out)
        dist.reduce_scatter_tensor(result.view(-1), packed, operation, group=own)
        if result is not out:
            _copy_blocks([mine], out, result.view(-1), 1)
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
        lists = sorted(tuple(sorted(own)) for own in plan._members)
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
