"""Plans of tensors over devices, carried out on arrays of JAX by the buffers of their devices."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Sequence
from typing import Any

from ._errors import RefusedError
from ._sharding import ReshardPlan, _blocks

# Imported only for arrays of JAX, so that it is there, and NumPy with it.
jax: Any = sys.modules.get("jax")
numpy: Any = sys.modules.get("numpy")


def run(plan: ReshardPlan, array: Any, devices: Sequence[Any] | None) -> Any:
    """An array with the target's sharding: each piece is sliced where it is, and copied to the device that needs it."""
    if plan.reduction is not None:
        raise RefusedError("summands of JAX are added by jax.lax.psum, inside of jax.shard_map", "kind")
    numbered = list(jax.devices() if devices is None else devices)[: plan.devices]
    if len(numbered) != plan.devices:
        raise RefusedError(f"{len(numbered)} devices, and the plan is of {plan.devices}", "rank-mismatch")
    sharding = _sharding(plan, numbered)
    held: list[Any] = [None] * plan.devices
    for shard in array.addressable_shards:
        held[numbered.index(shard.device)] = shard.data
    for device, local in enumerate(held):
        if local is None and plan.before[device] is not None:
            raise RefusedError(f"device {device} has no buffer of the array in this process", "missing")
        plan._check(local, device)
    parts: list[list[tuple[Any, tuple[int, ...]]]] = [[] for _ in numbered]
    for piece in plan.pieces:
        for before, after in _blocks(piece):
            if any(count > 1 for _, _, count, _ in before):
                raise RefusedError("a piece has gaps, and the buffers of JAX are cut into boxes only", "kind")
            box = held[piece.source][tuple(slice(start, start + length) for start, length, _, _ in before)]
            place = tuple(start for start, _, _, _ in after)
            parts[piece.target].append((jax.device_put(box, numbered[piece.target]), place))
    made = []
    for extents, boxes, device in zip(plan.after, parts, numbered):
        if extents is None:
            continue
        if len(boxes) == 1:
            made.append(boxes[0][0])
            continue
        local = jax.device_put(numpy.zeros(extents, array.dtype), device)
        for box, place in boxes:
            local = jax.lax.dynamic_update_slice(local, box, place)
        made.append(local)
    return jax.make_array_from_single_device_arrays(array.shape, sharding, made)


def _sharding(plan: ReshardPlan, devices: Sequence[Any]) -> Any:
    """The target as JAX has it."""
    text = str(plan.target.convert("jax"))
    found = re.search(r"(P\(.*\)), mesh\((.*)\)\)$", text)
    if found is None:
        raise RefusedError(f"{text} has no PartitionSpec", "kind")
    if "unreduced=" in found[1]:
        raise RefusedError("summands of JAX exist inside of a traced function only", "kind")
    ids = re.search(r"device_ids=\[([^\]]*)\]", found[2])
    sizes = re.sub(r",?\s*device_ids=\[[^\]]*\]", "", found[2])
    axes = [axis.split("=") for axis in sizes.split(",")]
    order = range(plan.devices) if ids is None else [int(own) for own in ids[1].split(",")]
    grid = numpy.array([devices[own] for own in order], dtype=object).reshape([int(size) for _, size in axes])
    mesh = jax.sharding.Mesh(grid, tuple(name.strip().strip("'\"") for name, _ in axes))
    entries = ast.literal_eval(f"[{found[1][2:-1]}]")
    return jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*entries))
