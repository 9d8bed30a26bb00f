"""Tensors over devices: the plan by which one sharding becomes another, and what carries it out.

A plan lists pieces: what one device gives to one device, as runs of positions in both local tensors. Local tensors have
just the elements that a device holds. Law: what a device receives from others is the planner's bound, byte for byte.
"""

from __future__ import annotations

import functools
import itertools
import json
import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from . import _core, _operations
from ._errors import RefusedError

__all__ = ["ReshardPlan", "plan", "reshard"]

Dim = list[list[int]]
"""Segments along a dim: source, target, length, count, source stride, target stride."""


Place = tuple[Any, ...]


class Piece(NamedTuple):
    """What one device gives to one device: the product of the segments of each dim."""

    source: int
    target: int
    dims: tuple[Dim, ...]

    def extents(self) -> list[int]:
        """How many indices it has along each dim."""
        return [sum(segment[2] * segment[3] for segment in dim) for dim in self.dims]

    def elements(self) -> int:
        return math.prod(self.extents())

    def place(self) -> Place:
        """Where it comes to: the device, and the runs along each dim. All summands of some values come to one place."""
        runs = (tuple((to, length, count, step) for _, to, length, count, _, step in dim) for dim in self.dims)
        return self.target, *runs


class Local(list[Any]):
    """The local arrays of all devices; `received` has the bytes that each got from others, each summand counted."""

    received: list[int]


class ReshardPlan:
    """How a tensor over devices becomes another one. Make it by `plan(source, target)`.

    `movement` names the class, `received` the least bytes of each device, `before` and `after` the extents of the local
    tensors (None where a device holds nothing), `send` and `receive` the bytes that each device exchanges with others, and
    `count` how many pieces there are: `pieces` lists them, and `pieces_of(device)` those of one device, which is found without the
    others. `to_json()` has all of it, but for the pieces where there are many.
    """

    def __init__(self, source: Any, target: Any) -> None:
        self.source: _core.Sharding = _sharding(source)
        self.target: _core.Sharding = _sharding(target)
        self._text = _core.moves(self.source, self.target)
        fields = json.loads(self._text)
        self.movement: str = fields["movement"]
        self.devices: int = fields["devices"]
        self.received: list[int] = fields["received"]
        self.total: int = int(fields["total"])
        moves = fields["moves"]
        if "error" in moves:
            error = moves["error"]
            raise RefusedError(error["message"], error["code"], help=error.get("help"))
        self.element_bits: int = moves["element_bits"]
        self.before: list[tuple[int, ...] | None] = [_extents(own) for own in moves["before"]]
        self.after: list[tuple[int, ...] | None] = [_extents(own) for own in moves["after"]]
        self.send: list[int] = moves["send"]
        self.receive: list[int] = moves["receive"]
        reduction = moves.get("reduction", {"operation": None, "group": 1})
        self.reduction: str | None = reduction["operation"]
        # How many summands a value has; as many pieces come to each place, one after the other.
        self.summands: int = reduction["group"]
        self.count: int = moves["count"]
        self._listed: dict[str, Any] | None = moves if "pieces" in moves else None
        # The devices that have summands of the same elements, for each such group.
        self._members: list[list[int]] = reduction.get("members", [])
        # What an engine keeps for the next run: buffers, groups, the mesh of the target.
        self._kept: dict[Any, Any] = {}

    @functools.cached_property
    def pieces(self) -> list[Piece]:
        """What goes where, by receiver."""
        return _pieces(self._listed or json.loads(_core.pieces(self.source, self.target)))

    def pieces_of(self, device: int) -> list[Piece]:
        """What a device gets, with what it gives itself, and then what it gives to others.

        >>> moved = plan("shard(f32[4], [Shard(0)], mesh(2))", "shard(f32[4], [Replicate()], mesh(2))")
        >>> [(piece.source, piece.target) for piece in moved.pieces_of(0)]
        [(0, 0), (1, 0), (0, 1)]
        """
        key = ("pieces", device)
        if key not in self._kept:
            self._kept[key] = _pieces(json.loads(_core.pieces(self.source, self.target, device)))
        found: list[Piece] = self._kept[key]
        return found

    def to_json(self) -> str:
        """The plan as JSON, in the form that `bitstride reshard A --to B --json` prints."""
        return self._text

    def __repr__(self) -> str:
        return f"ReshardPlan({self.movement}: {self.count} pieces, {self.total} bytes between {self.devices} devices)"

    def simulate(self, arrays: Sequence[Any]) -> Local:
        """The local arrays afterwards, from those of all devices before, in this process by NumPy.

        >>> import numpy as np
        >>> moved = plan("shard(s64[4], [Shard(0)], mesh(2))", "shard(s64[4], [Replicate()], mesh(2))")
        >>> after = moved.simulate([np.array([1, 2]), np.array([3, 4])])
        >>> after[0].tolist(), after[1].tolist(), after.received
        ([1, 2, 3, 4], [1, 2, 3, 4], [16, 16])
        """
        import numpy

        if len(arrays) != self.devices:
            raise RefusedError(f"{len(arrays)} local arrays for {self.devices} devices", "rank-mismatch")
        for device, array in enumerate(arrays):
            self._check(array, device)
        some = next(numpy.asarray(array) for array in arrays if array is not None)
        result = Local(None if extents is None else numpy.zeros(extents, some.dtype) for extents in self.after)
        result.received = [0] * self.devices
        combine = _ufunc(numpy, self.reduction)
        filled: set[Place] = set()
        for piece in self.pieces:
            is_first = combine is None or piece.place() not in filled
            for before, after in _blocks(piece):
                source, target = _part(arrays[piece.source], before), _part(result[piece.target], after)
                if is_first:
                    target[...] = source
                elif combine is not None:
                    combine(target, source, out=target)
                if piece.source != piece.target:
                    result.received[piece.target] += target.nbytes
            if combine is not None:
                filled.add(piece.place())
        if self.reduction == "avg":
            self._divide(result)
        return result

    def run(
        self,
        tensor: Any,
        group: Any = None,
        memory: int | None = None,
        devices: Sequence[Any] | None = None,
        out: Any = None,
    ) -> Any:
        """What this process holds afterwards.

        A local tensor of `torch` is that of the device whose number is the rank in `group` (by default all ranks); all ranks
        call it, and bytes move at once, or in as many rounds as keep the buffers of each rank within `memory` bytes. The
        result is new memory, or `out`, a contiguous tensor of the result's extents that shares no memory with `tensor`. A
        DTensor becomes a DTensor. An array of JAX becomes another, where this process has all its devices; `devices` has
        them by number (by default `jax.devices()`).
        """
        package = type(tensor).__module__.partition(".")[0]
        if package in ("jax", "jaxlib"):
            if out is not None:
                raise RefusedError("arrays of JAX are not written to: `out` is of tensors of torch", "kind")
            from ._sharding_jax import run as run_jax

            return run_jax(self, tensor, devices)
        if package == "torch":
            from ._sharding_torch import run as run_torch

            return run_torch(self, tensor, group, memory, out)
        raise RefusedError(f"a tensor of torch or an array of JAX is needed, not {type(tensor).__name__}", "kind")

    def rounds(self, memory: int | None, device: int) -> list[list[Piece]]:
        """What a device gets and gives, in rounds in which it sends and receives `memory` bytes at most.

        A piece has the same parts for both of its devices, and all devices go through the parts in one order, so that none waits for
        one that waits for it: of all parts that are not done, the first one is in the rounds of both of its devices.

        >>> moved = plan("shard(f32[8], [Shard(0)], mesh(2))", "shard(f32[8], [Replicate()], mesh(2))")
        >>> [[(piece.source, piece.target, piece.elements()) for piece in pieces] for pieces in moved.rounds(24, 0)]
        [[(0, 0, 4), (0, 1, 1), (1, 0, 1), (0, 1, 1), (1, 0, 1), (0, 1, 1), (1, 0, 1)], [(0, 1, 1), (1, 0, 1)]]
        """
        key = ("rounds", memory, device)
        if key not in self._kept:
            self._kept[key] = self._in_rounds(memory, device)
        found: list[list[Piece]] = self._kept[key]
        return found

    def _in_rounds(self, memory: int | None, device: int) -> list[list[Piece]]:
        pieces = self.pieces_of(device)
        if memory is None:
            return [pieces]
        width = self.element_bits // 8
        # All summands of some values are in one round, in which they are combined in one order on all devices.
        together = self.summands
        if memory < width * together:
            message = f"an element takes {width * together} bytes of buffers, and the limit is {memory}"
            raise RefusedError(message, "too-large", help="a larger memory")
        gets = [piece for piece in pieces if piece.target == device]
        gives = [piece for piece in pieces if piece.target != device]
        rounds: list[list[Piece]] = [[]]
        parts: list[tuple[tuple[int, ...], tuple[Piece, ...]]] = []
        for unit in [*(gets[at : at + together] for at in range(0, len(gets), together)), *([piece] for piece in gives)]:
            if all(piece.source == piece.target for piece in unit):
                rounds[0] += unit
                continue
            cut = zip(*(_cut(piece, max(memory // 4 // width // together, 1)) for piece in unit))
            for number, own in enumerate(cut):
                source, target = unit[0].source, unit[0].target
                # Devices that are equally far apart exchange at a time; summands come to a device from several of them at a time.
                turn = ((target - source) % self.devices, number, source) if self.reduction is None else (number, target)
                parts.append((turn, own))
        load = 0
        for _, own in sorted(parts, key=lambda part: part[0]):
            size = sum(part.elements() * width for part in own if part.source != part.target)
            if load + size > memory:
                rounds.append([])
                load = 0
            rounds[-1] += own
            load += size
        return rounds

    def _check(self, array: Any, device: int) -> None:
        """That a local array is what a device holds."""
        extents = self.before[device]
        if extents is None:
            return
        shape = None if array is None else tuple(array.shape)
        if shape != extents:
            raise RefusedError(f"device {device} holds a tensor of {extents} before, not of {shape}", "rank-mismatch")
        bits = 8 * int(array.itemsize)
        if bits != self.element_bits:
            message = f"elements of {bits} bits, and the sharding is of {self.element_bits} bits"
            raise RefusedError(message, "kind")

    def _divide(self, arrays: Sequence[Any]) -> None:
        """From sums to means."""
        for array in arrays:
            if array is not None:
                if array.dtype.kind in "biu":
                    raise RefusedError("the mean of integers is no integer", "kind")
                array /= self.summands


def plan(source: Any, target: Any, element_bits: Any = None, capability: Any = None) -> Any:
    """How a tensor gets from one layout to another.

    Of tensors over devices, the `ReshardPlan`: which pieces go from which device to which. Of register layouts of Triton, with
    the bits of an element, what the operation `plan` answers: nothing, registers, shuffles or shared memory, with the numbers.

    Args:
        source: the tensor over devices as it is: a sharding, its text, or a DTensor; or a register layout.
        target: the same tensor as it shall be.
        element_bits: bits of an element, of register layouts.
        capability: the compute capability, of register layouts.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: the two are no layouts of one tensor, or one does not say where elements are.
        UndecidedError: an unknown integer would decide it.

    >>> moved = plan("shard(f32[8,6], P('a', None), mesh(a=2))", "shard(f32[8,6], P(None, 'a'), mesh(a=2))")
    >>> moved.movement, moved.send, moved.before, moved.after
    ('all-to-all', [48, 48], [(4, 6), (4, 6)], [(8, 3), (8, 3)])
    """
    if element_bits is not None:
        return _operations.plan(source, target, element_bits, capability)
    return ReshardPlan(source, target)


def reshard(A: Any, B: Any, **options: Any) -> Any:
    """What has to move from one sharding to another, in a sentence; or a checkpoint written for another mesh.

    `reshard(A, B)` of tensors over devices names the class, the least bytes that devices receive, and what named collectives
    take. `reshard(FOLDER, OUT, to="tp=4")` writes the checkpoint FOLDER to OUT as `bitstride reshard` does, and returns what was
    done as a dict. Options: `rules` (a file), `memory` ("256MiB"), `dry_run`, `verify`, and `repack`, the names of two stored
    formats. Where FOLDER or OUT is a URL of `fsspec`
    ("s3://bucket/folder"), or with `ray=True`, each file of OUT is a task that reads what the file has; Ray runs them on its machines.

    Args:
        A: the tensor over devices that is there; or the folder of a checkpoint.
        B: the same tensor as it shall be; or the folder to write.

    Raises:
        Error: an argument cannot be read, or is of another kind.
        RefusedError: the two are no layouts of one tensor, or a file cannot be moved exactly.
        UndecidedError: an unknown integer would decide it.

    >>> reshard("shard(f32[8,6], P('a', None), mesh(a=2))", "shard(f32[8,6], P(None, 'a'), mesh(a=2))")
    'all-to-all: each of 2 devices receives 48 bytes at least, 96 in all'
    """
    if "to" not in options:
        if options:
            raise TypeError(f"reshard() of tensors takes no {', '.join(options)}")
        return _operations.reshard(A, B)
    for name in options:
        if name not in ("to", "rules", "memory", "dry_run", "verify", "repack", "ray"):
            raise TypeError(f"reshard() has no option {name}")
    from . import _checkpoint

    source, out, ray = str(A), str(B), options.pop("ray", None)
    if ray or _checkpoint.is_far(source) or _checkpoint.is_far(out):
        for name in ("memory", "verify", "repack"):
            if options.pop(name, None):
                raise RefusedError(f"{name} is of checkpoints that one process moves on its own machine", "kind")
        return _checkpoint.spread(source, out, ray=ray, **options)
    arguments = ["reshard", source, out]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if name == "repack" and value is not None:
            arguments += [flag, *value]
        elif value is True:
            arguments.append(flag)
        elif value is not None and value is not False:
            arguments += [flag, str(value)]
    return _checkpoint.command(arguments)


def _sharding(value: Any) -> _core.Sharding:
    """A sharding of the package: of its text, of a DTensor, or itself."""
    if hasattr(value, "placements") and hasattr(value, "device_mesh"):
        from ._sharding_torch import text_of

        value = text_of(value)
    return _core.Sharding(value)


def _pieces(listed: dict[str, Any]) -> list[Piece]:
    segments: list[Dim] = listed["segments"]
    return [Piece(source, target, tuple(segments[dim] for dim in dims)) for source, target, *dims in listed["pieces"]]


def _extents(own: list[int] | None) -> tuple[int, ...] | None:
    return None if own is None else tuple(own)


def _parts(extents: Sequence[int], wanted: int) -> list[int]:
    """In how many parts to cut each dim, the first ones first, for that many parts at least where there are as many elements."""
    parts = []
    for extent in extents:
        part = min(extent, wanted)
        parts.append(part)
        wanted = -(-wanted // part)
    return parts


def _cut(piece: Piece, most: int) -> Iterator[Piece]:
    """The piece in parts of nearly one size, of a given number of elements at most."""
    extents = piece.extents()
    wanted = -(-math.prod(extents) // most)
    parts = _parts(extents, wanted)
    while math.prod(-(-extent // part) for extent, part in zip(extents, parts)) > most:
        wanted += -(-wanted // 4)
        parts = _parts(extents, wanted)
    choices = []
    for dim, extent, count in zip(piece.dims, extents, parts):
        ends = [extent * part // count for part in range(count + 1)]
        choices.append([_slice(dim, start, end) for start, end in zip(ends, ends[1:])])
    for dims in itertools.product(*choices):
        yield Piece(piece.source, piece.target, dims)


def _slice(dim: Dim, start: int, end: int) -> Dim:
    """The indices of segments from one position to another."""
    kept: Dim = []
    before = 0
    for source, target, length, count, source_stride, target_stride in dim:
        first, last = max(start - before, 0), min(end - before, length * count)
        before += length * count
        while first < last:
            block, inside = divmod(first, length)
            whole = (last - first) // length if inside == 0 else 0
            size = length if whole else min(length - inside, last - first)
            at, to = source + block * source_stride + inside, target + block * target_stride + inside
            kept.append([at, to, size, max(whole, 1), source_stride, target_stride])
            first += size * max(whole, 1)
    return kept


Block = tuple[list[tuple[int, int, int, int]], list[tuple[int, int, int, int]]]


def _blocks(piece: Piece) -> Iterator[Block]:
    """The products of one segment a dim, as (start, length, count, stride) for each dim, before and after."""
    for dims in itertools.product(*piece.dims):
        before = [(source, length, count, stride) for source, _, length, count, stride, _ in dims]
        after = [(target, length, count, stride) for _, target, length, count, _, stride in dims]
        yield before, after


def _part(array: Any, block: Sequence[tuple[int, int, int, int]]) -> Any:
    """The elements of a block, in the memory of an array: one dim for each that is one run, two for each of several."""
    reach = [slice(start, start + (count - 1) * stride + length) for start, length, count, stride in block]
    part = array[(*reach, ...)] if _is_numpy(array) else array[tuple(reach)]
    if all(count == 1 for _, _, count, _ in block):
        return part
    strides = part.strides if _is_numpy(array) else part.stride()
    extents: list[int] = []
    steps: list[int] = []
    for (_, length, count, stride), step in zip(block, strides):
        if count > 1:
            extents.append(count)
            steps.append(stride * step)
        extents.append(length)
        steps.append(step)
    if not _is_numpy(array):
        return part.as_strided(extents, steps, part.storage_offset())
    from numpy.lib.stride_tricks import as_strided

    return as_strided(part, extents, steps)


def _is_numpy(array: Any) -> bool:
    return type(array).__module__.partition(".")[0] == "numpy"


def _ufunc(numpy: Any, operation: str | None) -> Any:
    """How NumPy combines summands."""
    names = {
        "sum": "add", "avg": "add", "product": "multiply", "max": "maximum", "min": "minimum",
        "band": "bitwise_and", "bor": "bitwise_or", "bxor": "bitwise_xor",
    }  # fmt: skip
    return None if operation is None else getattr(numpy, names[operation])


def placements_of(text: str) -> tuple[list[tuple[str, list[str]]], list[tuple[str, int]], list[int] | None]:
    """The placements of a DTensor's text with their arguments, the axes of its mesh, and its devices where it lists them."""
    found = re.search(r"\[([^\[\]]*)\], mesh\((.*)\)\)$", text)
    if found is None:
        raise RefusedError(f"{text} has no placements", "kind")
    placements = [
        (name, [argument.strip() for argument in arguments.split(",") if argument.strip()])
        for name, arguments in re.findall(r"(\w+)\(([^)]*)\)", found[1])
    ]
    ids = re.search(r"device_ids=\[([^\]]*)\]", found[2])
    sizes = re.sub(r",?\s*device_ids=\[[^\]]*\]", "", found[2])
    axes = []
    for number, axis in enumerate(sizes.split(",")):
        name, _, size = axis.rpartition("=")
        axes.append((name.strip().strip("'\"") or str(number), int(size)))
    return placements, axes, None if ids is None else [int(own) for own in ids[1].split(",")]
