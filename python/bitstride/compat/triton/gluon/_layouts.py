"""Gluon's layout classes, which print, compare and are named as there; `to_linear(shape)` is the exact layout of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from .... import triton as _exact
from ...._core import Encoding
from ...._errors import Error, RefusedError
from ....triton import _plain
from ..._refused import need
from ..linear import LinearLayout

__all__ = [
    "AMDMFMALayout",
    "AMDWMMALayout",
    "AutoLayout",
    "BlockedLayout",
    "CoalescedLayout",
    "DistributedLayout",
    "DistributedLinearLayout",
    "DotOperandLayout",
    "MBarrierLayout",
    "NVMMADistributedLayout",
    "NVMMASharedLayout",
    "PaddedSharedLayout",
    "PartitionedSharedLayout",
    "SharedLayout",
    "SharedLinearLayout",
    "SliceLayout",
    "SwizzledSharedLayout",
    "TensorMemoryLayout",
    "TensorMemoryScalesLayout",
]

Sizes = list[int]
Bases = list[list[int]]


def _frozen(x: Any) -> Any:
    return tuple(map(_frozen, x)) if isinstance(x, (list, tuple)) else x


def _joined(sizes: Any) -> str:
    return "_".join(map(str, sizes))


def _bases(bases: Any) -> str:
    return _joined("~".join(map(str, image)) for image in bases or ())


def _is_power(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0


def _need_ranks(rank: int, *families: Sequence[Sequence[int]]) -> None:
    for bases in families:
        for image in bases:
            need(len(image) == rank, f"the image {image} of a bit has other than {rank} coordinates")


class _Layout:
    """What all classes share."""

    def __post_init__(self) -> None:
        for each in fields(self):  # type: ignore[arg-type]
            self._set(each.name, _plain(getattr(self, each.name)))
        self._check()

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _check(self) -> None:
        """Refuses fields that do not go together."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return all(getattr(self, each.name) == getattr(other, each.name) for each in fields(self))  # type: ignore[arg-type]

    def __hash__(self) -> int:
        return hash(tuple(_frozen(getattr(self, each.name)) for each in fields(self)))  # type: ignore[arg-type]

    def encoding(self) -> Encoding:
        """The same layout in `bitstride.triton`."""
        return _exact.from_gluon(self)

    def to_linear(self, shape: Sequence[int]) -> LinearLayout:
        """The linear layout of a tensor of this shape."""
        return LinearLayout._of(self.encoding().to_linear(tuple(map(_plain, shape))))

    def _view(self, shape: Sequence[int], use_hw_view: bool) -> str:
        try:
            linear = self.to_linear(shape)._exact
        except Error as error:
            message = f"{type(self).__name__} cannot be visualized: {error.message}"
            raise RefusedError(message, error.code, error.help) from None
        return str(linear.hardware_view() if use_hw_view else linear.tensor_view())

    def format_tensor_view(self, shape: Sequence[int]) -> str:
        """For each element of a tensor, the places that hold it."""
        return self._view(shape, False)

    def format_hardware_view(self, shape: Sequence[int]) -> str:
        """For each place, the element that it holds."""
        return self._view(shape, True)


class DistributedLayout(_Layout):
    """A layout of a tensor in registers."""


class SharedLayout(_Layout):
    """A layout of a tensor in shared memory."""


@dataclass(frozen=True, eq=False)
class AutoLayout(DistributedLayout):
    """A layout that the compiler chooses."""

    @property
    def rank(self) -> int:
        """There is none."""
        raise RefusedError("AutoLayout has no rank", "not-a-layout")

    def mangle(self) -> str:
        """The name in that of a kernel."""
        return "AL"


@dataclass(frozen=True, eq=False)
class CoalescedLayout(DistributedLayout):
    """A layout that the compiler chooses by the accesses to memory."""

    @property
    def rank(self) -> int:
        """There is none."""
        raise RefusedError("CoalescedLayout has no rank", "not-a-layout")

    def mangle(self) -> str:
        """The name in that of a kernel."""
        return "CL"


@dataclass(frozen=True, eq=False)
class BlockedLayout(DistributedLayout):
    """Blocks of elements a thread, threads a warp, warps a block; `order` has the fastest dim first."""

    size_per_thread: Sizes
    threads_per_warp: Sizes
    warps_per_cta: Sizes
    order: Sizes
    cga_layout: Bases = field(default_factory=list)

    def _check(self) -> None:
        sizes = (self.size_per_thread, self.threads_per_warp, self.warps_per_cta, self.order)
        need(len(set(map(len, sizes))) == 1, f"{self} has parameters of different ranks")

    @property
    def rank(self) -> int:
        """The number of dims."""
        return len(self.order)

    def mangle(self) -> str:
        """The name in that of a kernel."""
        sizes = (self.size_per_thread, self.threads_per_warp, self.warps_per_cta, self.order)
        return f"B{_joined(map(_joined, sizes))}_{_bases(self.cga_layout)}B"


@dataclass(frozen=True, eq=False)
class SliceLayout(DistributedLayout):
    """The parent without one dim."""

    dim: int
    parent: Any

    @property
    def rank(self) -> int:
        """The number of dims."""
        return int(self.parent.rank) - 1

    @property
    def cga_layout(self) -> Bases:
        """The images of the bits of the block, without the dim."""
        need(0 <= self.dim < self.parent.rank, f"{self.parent} has no dim {self.dim}")
        return [image[: self.dim] + image[self.dim + 1 :] for image in self.parent.cga_layout]

    def mangle(self) -> str:
        """The name in that of a kernel."""
        return f"SL{self.dim}_{self.parent.mangle()}SL"


@dataclass(frozen=True, eq=False)
class DistributedLinearLayout(DistributedLayout):
    """The images of the bits of register, lane, warp and block in a tensor of a shape."""

    reg_bases: Bases
    lane_bases: Bases
    warp_bases: Bases
    block_bases: Bases
    shape: Sizes

    def _check(self) -> None:
        _need_ranks(len(self.shape), self.reg_bases, self.lane_bases, self.warp_bases, self.block_bases)

    @property
    def rank(self) -> int:
        """The number of dims."""
        return len(self.shape)

    def mangle(self) -> str:
        """The name in that of a kernel."""
        bases = (self.reg_bases, self.lane_bases, self.warp_bases, self.block_bases, self.shape)
        return f"DLL{_joined(bases)}DLL"


@dataclass(frozen=True, eq=False)
class DotOperandLayout(DistributedLayout):
    """An operand of a matrix product whose result has the parent; `k_width` elements lie side by side along K."""

    operand_index: int
    parent: Any
    k_width: int

    @property
    def rank(self) -> int:
        """The number of dims."""
        return int(self.parent.rank)

    @property
    def cga_layout(self) -> Bases:
        """The images of the bits of the block, which do not move along K."""
        along = self.rank - (1 if self.operand_index == 0 else 2)
        need(along >= 0, f"an operand of {self.rank} dims has no K")
        return [[*image[:along], 0, *image[along + 1 :]] for image in getattr(self.parent, "cga_layout", [])]

    def mangle(self) -> str:
        """The name in that of a kernel."""
        return f"DO{self.operand_index}_{self.parent.mangle()}_{self.k_width}DO"


@dataclass(frozen=True, eq=False)
class NVMMADistributedLayout(DistributedLayout):
    """The result of NVIDIA's matrix instructions; `version` is major and minor."""

    version: Sizes
    warps_per_cta: Sizes
    instr_shape: Sizes
    cga_layout: Bases = field(default_factory=list)

    @property
    def rank(self) -> int:
        """The number of dims."""
        return len(self.warps_per_cta)

    def mangle(self) -> str:
        """The name in that of a kernel."""
        return f"MMA_{self.version}_{self.warps_per_cta}_{self.instr_shape}_{_bases(self.cga_layout)}_MMA"


@dataclass(frozen=True, eq=False)
class AMDMFMALayout(DistributedLayout):
    """The result of AMD's MFMA instructions."""

    version: int
    instr_shape: Sizes
    transposed: bool
    warps_per_cta: Sizes
    element_bitwidth: Any = None
    tiles_per_warp: Any = None
    cga_layout: Bases = field(default_factory=list)

    def _check(self) -> None:
        if self.element_bitwidth is None:
            self._set("element_bitwidth", 32)
        if self.tiles_per_warp is None:
            self._set("tiles_per_warp", [1] * len(self.warps_per_cta))
        need(1 <= self.version <= 4, f"version must be in the [1, 4] range, not {self.version}")
        known = ([32, 32], [16, 16], [64, 4], [4, 64])
        need(
            len(self.instr_shape) == 3 and self.instr_shape[:2] in known, f"invalid intrinsic shape {self.instr_shape}"
        )
        need(self.element_bitwidth in (32, 64), f"element bitwidth must be 32 or 64, not {self.element_bitwidth}")
        _need_ranks(len(self.warps_per_cta), self.cga_layout)

    @property
    def rank(self) -> int:
        """The number of dims."""
        return len(self.warps_per_cta)

    def mangle(self) -> str:
        """The name in that of a kernel."""
        parts = (
            self.version,
            _joined(self.instr_shape),
            self.transposed,
            _joined(self.warps_per_cta),
            self.element_bitwidth,
            _joined(self.tiles_per_warp),
            _bases(self.cga_layout),
        )
        return f"MFMA_{_joined(parts)}_MFMA"


@dataclass(frozen=True, eq=False)
class AMDWMMALayout(DistributedLayout):
    """The result of AMD's WMMA instructions."""

    version: int
    transposed: bool
    warp_bases: Bases
    reg_bases: Any = None
    instr_shape: Any = None
    cga_layout: Bases = field(default_factory=list)
    rank: Any = None

    def _check(self) -> None:
        self._set("warp_bases", list(map(list, self.warp_bases)))
        self._set("reg_bases", list(map(list, self.reg_bases or [])))
        if self.instr_shape is None:
            self._set("instr_shape", [16, 16, 16])
        if self.rank is None:
            self._set("rank", 2)
        need(1 <= self.version <= 3, f"version must be in the [1, 3] range, not {self.version}")
        _need_ranks(self.rank, self.warp_bases, self.cga_layout)

    def mangle(self) -> str:
        """The name in that of a kernel."""
        parts = (
            self.version,
            self.transposed,
            _bases(self.warp_bases),
            _bases(self.reg_bases),
            _joined(self.instr_shape),
            _bases(self.cga_layout),
            self.rank,
        )
        return f"WMMA_{_joined(parts)}_WMMA"


def _shape_per_cta(shape: Sequence[int], cga_layout: Bases) -> Sizes:
    """The part of a shape that a block of a cluster holds."""
    parts = list(shape)
    for dim in range(len(parts)):
        furthest = max((image[dim] for image in cga_layout), default=0)
        blocks = 2 * furthest or 1
        need(parts[dim] % blocks == 0, f"{blocks} blocks do not divide the extent {parts[dim]} of {shape}")
        parts[dim] //= blocks
    return parts


@dataclass(frozen=True, eq=False)
class NVMMASharedLayout(SharedLayout):
    """Shared memory as NVIDIA's matrix instructions and TMA read it; the swizzle spans 0, 32, 64 or 128 bytes."""

    swizzle_byte_width: int
    element_bitwidth: int
    rank: int = 2
    transposed: bool = False
    fp4_padded: bool = False
    cga_layout: Any = field(default_factory=list)

    def _check(self) -> None:
        self._set("cga_layout", self.cga_layout or [])
        _need_ranks(self.rank, self.cga_layout[:1])
        need(
            self.element_bitwidth in (8, 16, 32, 64), f"elements have 8, 16, 32 or 64 bits, not {self.element_bitwidth}"
        )
        need(self.swizzle_byte_width in (0, 32, 64, 128), f"a swizzle of {self.swizzle_byte_width} bytes")
        if self.fp4_padded:
            need(self.swizzle_byte_width == 128, "fp4_padded only supports 128 byte swizzling")
            need(self.element_bitwidth == 8, "fp4_padded is only supported for element_bitwidth=8")

    @staticmethod
    def get_default_for(
        block_shape: Sequence[int],
        dtype: Any,
        transposed: bool = False,
        fp4_padded: bool = False,
        cga_layout: Any = None,
    ) -> NVMMASharedLayout:
        """The widest swizzle that the rows of a shape allow. `dtype` has a `primitive_bitwidth`, or is the number of bits."""
        block_shape = [_plain(extent) for extent in _plain(block_shape)]
        dtype, transposed, fp4_padded = _plain(dtype), _plain(transposed), _plain(fp4_padded)
        bits = getattr(dtype, "primitive_bitwidth", dtype)
        parts = _shape_per_cta(block_shape, _plain(cga_layout) or [])
        parts = parts[1:] + parts[:1] if transposed else parts
        row_bytes = parts[-1] * (2 if fp4_padded else 1) * bits // 8
        rows = 1
        for extent in parts[:-1]:
            rows *= extent
        swizzles = [width for width in (128, 64, 32) if row_bytes and row_bytes % width == 0]
        width = swizzles[0] if swizzles and len(block_shape) >= 2 and rows >= 8 else 0
        return NVMMASharedLayout(width, bits, len(block_shape), transposed, fp4_padded, cga_layout)

    def mangle(self) -> str:
        """The name in that of a kernel."""
        parts = (self.swizzle_byte_width, self.element_bitwidth, self.rank, self.transposed, self.fp4_padded)
        return f"NVMMA_{_joined(parts)}_{_bases(self.cga_layout)}_NVMMA"


@dataclass(frozen=True, eq=False)
class SwizzledSharedLayout(SharedLayout):
    """Shared memory whose rows are swizzled: phases of `per_phase` rows, up to `max_phase` of them."""

    vec: int
    per_phase: int
    max_phase: int
    order: Sizes
    cga_layout: Bases = field(default_factory=list)

    def mangle(self) -> str:
        """The name in that of a kernel."""
        parts = (self.vec, self.per_phase, self.max_phase, _joined(self.order), _bases(self.cga_layout))
        return f"SSS_{_joined(parts)}_SSS"


class MBarrierLayout(SwizzledSharedLayout):
    """Barriers one after the other; of a cluster, each block has its own, or two blocks share one."""

    def __init__(self, cga_layout: Any = None) -> None:
        super().__init__(1, 1, 1, [0], cga_layout or [])

    @staticmethod
    def multicta(num_ctas: int, two_cta: bool = False) -> MBarrierLayout:
        """Barriers of the blocks of a cluster; with `two_cta`, those of every other block."""
        blocks, is_shared = _plain(num_ctas), bool(_plain(two_cta))
        need(_is_power(blocks), f"num_ctas must be a positive power of two, not {blocks}")
        need(not is_shared or blocks > 1, f"two blocks share a barrier, and there is {blocks}")
        bits = blocks.bit_length() - 1
        return MBarrierLayout([[0]] * is_shared + [[1 << bit] for bit in range(bits - is_shared)])


@dataclass(frozen=True, eq=False)
class PaddedSharedLayout(SharedLayout):
    """Shared memory with padding after every interval of elements, both powers of two."""

    interval_padding_pairs: Bases
    offset_bases: Bases
    cga_layout: Bases
    shape: Sizes

    def _check(self) -> None:
        _need_ranks(len(self.shape), self.offset_bases, self.cga_layout)
        self.verify()

    def verify(self) -> None:
        """Refuses what is no padding."""
        pairs = self.interval_padding_pairs
        need(
            bool(pairs) and all(len(pair) == 2 for pair in pairs),
            f"pairs of interval and padding are needed, not {pairs}",
        )
        need(len({interval for interval, _ in pairs}) == len(pairs), f"an interval of {pairs} has two paddings")
        need(
            all(_is_power(n) for pair in pairs for n in pair),
            f"intervals and paddings are powers of two, unlike {pairs}",
        )
        need(len(self.shape) > 0, "the shape has no dims")

    @staticmethod
    def with_identity_for(
        interval_padding_pairs: Bases, shape: Any, order: Any, cga_layout: Any = None
    ) -> PaddedSharedLayout:
        """Offsets that walk over a shape, the dims in order."""
        pairs, shape, order, cga = map(_plain, (interval_padding_pairs, shape, order, cga_layout or []))
        need(len(shape) == len(order) and all(map(_is_power, shape)), f"{shape} has extents that are no powers of two")
        parts = _shape_per_cta(shape, cga)
        walk = [(dim, bit) for dim in order for bit in range(parts[dim].bit_length() - 1)]
        bases = [[1 << bit if at == dim else 0 for at in range(len(shape))] for dim, bit in walk]
        return PaddedSharedLayout(pairs, bases, cga, shape)

    def mangle(self) -> str:
        """The name in that of a kernel."""
        parts = (self.interval_padding_pairs, self.offset_bases, self.cga_layout, self.shape)
        return f"PaddedShared_{_joined(parts)}_PaddedShared"


@dataclass(frozen=True, eq=False)
class SharedLinearLayout(SharedLayout):
    """Shared memory by the images of the bits of the offset."""

    offset_bases: Bases
    block_bases: Bases = field(default_factory=list)
    alignment: int = 16

    def _check(self) -> None:
        need(bool(self.offset_bases) and bool(self.offset_bases[0]), "offset_bases must not be empty")
        _need_ranks(len(self.offset_bases[0]), self.offset_bases, self.block_bases)
        need(_is_power(self.alignment), f"alignment must be a positive power of two, not {self.alignment}")

    @property
    def shape(self) -> Sizes:
        """The smallest shape, with extents that are powers of two, that holds all images."""
        furthest = map(max, zip(*self.offset_bases, *self.block_bases))
        return [1 << reach.bit_length() for reach in furthest]

    def mangle(self) -> str:
        """The name in that of a kernel."""
        return f"SharedLinear_{self.offset_bases}_{self.block_bases}_{self.alignment}_SharedLinear"


@dataclass(frozen=True, eq=False)
class PartitionedSharedLayout(SharedLayout):
    """Shared memory in partitions, each laid out alike."""

    num_partitions: int
    num_groups: int
    partition_dim: int
    partition_layout: Any

    def _check(self) -> None:
        need(_is_power(self.num_partitions), f"num_partitions must be a power of two, got {self.num_partitions}")
        need(_is_power(self.num_groups), f"num_groups must be a power of two, got {self.num_groups}")
        need(self.partition_dim >= 0, f"partition_dim must be non-negative, got {self.partition_dim}")
        need(
            isinstance(self.partition_layout, SharedLayout), f"{self.partition_layout!r} is no layout of shared memory"
        )

    def mangle(self) -> str:
        """The name in that of a kernel."""
        parts = (self.num_partitions, self.num_groups, self.partition_dim, self.partition_layout.mangle())
        return f"Partitioned_{_joined(parts)}_Partitioned"


@dataclass(frozen=True, eq=False)
class TensorMemoryLayout(_Layout):
    """Blackwell's tensor memory, in blocks of rows and columns."""

    block: Any
    col_stride: int
    cga_layout: Bases = field(default_factory=list)
    two_ctas: bool = False
    fp4_padded: bool = False

    def _check(self) -> None:
        need(len(self.block) == 2, f"a block has rows and columns, unlike {self.block}")
        _need_ranks(2, self.cga_layout)
        need(_is_power(self.col_stride), f"col_stride must be a power of two, not {self.col_stride}")

    def mangle(self) -> str:
        """The name in that of a kernel."""
        marks = ("2CT" if self.two_ctas else "") + ("FP4P" if self.fp4_padded else "")
        return f"TL{self.block[0]}x{self.block[1]}C{self.col_stride}{_bases(self.cga_layout)}{marks}TL"


@dataclass(frozen=True, eq=False)
class TensorMemoryScalesLayout(_Layout):
    """The scales of block-scaled matrix instructions in tensor memory."""

    cga_layout: Bases = field(default_factory=list)
    block_rep_order: str = "mnThenK"

    def _check(self) -> None:
        _need_ranks(2, self.cga_layout)
        need(self.block_rep_order in ("mnThenK", "kThenMn"), f"no order is named {self.block_rep_order}")

    def mangle(self) -> str:
        """The name in that of a kernel."""
        order = "" if self.block_rep_order == "mnThenK" else f"{self.block_rep_order}_"
        return f"TLS{order}{_bases(self.cga_layout)}TLS"
