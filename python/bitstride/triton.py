"""Triton's encodings under the names that Gluon gives them; with a shape, each is a linear layout.

>>> from bitstride import triton
>>> blocked = triton.BlockedLayout([1, 2], [4, 8], [2, 1], [1, 0])
>>> blocked.to_linear((16, 16))(register=1, lane=0, warp=0, block=0)
{'dim0': 0, 'dim1': 1}

Any encoding is also read from its text: `triton.Encoding("#ttg.blocked<{...}>")`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Any, ClassVar, TypeVar

from ._core import Encoding, LinearLayout
from ._errors import RefusedError

__all__ = [
    "AMDMFMALayout",
    "AMDWMMALayout",
    "BlockedLayout",
    "DistributedLinearLayout",
    "DotOperandLayout",
    "Encoding",
    "NVMMADistributedLayout",
    "NVMMASharedLayout",
    "PaddedSharedLayout",
    "PartitionedSharedLayout",
    "SharedLinearLayout",
    "SliceLayout",
    "SwizzledSharedLayout",
    "TensorMemoryLayout",
    "TensorMemoryScalesLayout",
    "from_gluon",
]

Sizes = Sequence[int]
Bases = Sequence[Sequence[int]]
_Self = TypeVar("_Self", bound="_Named")


def _written(value: Any) -> str:
    """A parameter in the spelling of MLIR."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, Encoding)):
        return str(value)
    if is_dataclass(value):
        return str(from_gluon(value))
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {_written(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, Iterable):
        return "[" + ", ".join(map(_written, value)) + "]"
    if not hasattr(value, "__index__"):
        raise RefusedError(f"a parameter of an encoding is an integer, a list or an encoding, not {type(value).__name__}", "kind")
    return str(value.__index__())


def _from_text(kind: type[_Self], text: str) -> _Self:
    return Encoding.__new__(kind, text)


def _plain(x: Any) -> Any:
    """Without the wrapper of a compile-time constant of Triton."""
    if type(x).__name__ == "constexpr" and hasattr(x, "value"):
        return _plain(x.value)
    return type(x)(map(_plain, x)) if type(x) in (list, tuple) else x


class _Field:
    """A parameter, read from the encoding."""

    def __init__(self, key: str, default: Any = None) -> None:
        self.path: list[str] = key.split(".")
        self.default: Any = default

    def __get__(self, encoding: Encoding | None, kind: type | None = None) -> Any:
        if encoding is None:
            return self
        value: Any = encoding.fields
        for key in self.path:
            value = value.get(key, self.default)
            if value is None:
                return None
        return list(self.default) if value is self.default and isinstance(value, list) else value


class _Named(Encoding):
    """An encoding with parameters under Gluon's names."""

    __slots__ = ()
    __match_args__: ClassVar[tuple[str, ...]] = ()
    _name: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        """Every class reads its own values too, as text or as a layout of Gluon."""
        make = cls.__new__

        @functools.wraps(make)
        def new(kind: type[_Self], *fields: Any, **named: Any) -> _Self:
            text = fields[0] if len(fields) == 1 and not named else None
            if not (isinstance(text, (str, Encoding)) or is_dataclass(text)):
                return make(kind, *fields, **named)
            read = Encoding(text)
            if read.name != cls._name:
                raise RefusedError(f"an encoding {cls._name} is needed here, not {read.name}", "kind")
            return _from_text(kind, str(read))

        setattr(cls, "__new__", staticmethod(new))

    @classmethod
    def _of(cls: type[_Self], fields: Mapping[str, Any], outside: str = "", after: str = "") -> _Self:
        given = {key: value for key, value in fields.items() if value is not None and value != [] and value != ()}
        return _from_text(cls, f"#{cls._name}<{outside}{_written(given)}{after}>").checked()

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({fields})"

    def __reduce__(self) -> Any:
        return _from_text, (type(self), str(self))


class BlockedLayout(_Named):
    """Blocks of elements a thread, threads a warp, warps a block; `order` has the fastest dim first."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.blocked"
    __match_args__: ClassVar[tuple[str, ...]] = ("size_per_thread", "threads_per_warp", "warps_per_cta", "order", "cga_layout")
    size_per_thread: _Field = _Field("sizePerThread")
    threads_per_warp: _Field = _Field("threadsPerWarp")
    warps_per_cta: _Field = _Field("warpsPerCTA")
    order: _Field = _Field("order")
    cga_layout: _Field = _Field("CGALayout", [])

    def __new__(
        cls, size_per_thread: Sizes, threads_per_warp: Sizes, warps_per_cta: Sizes, order: Sizes, cga_layout: Bases = ()
    ) -> BlockedLayout:
        return cls._of(
            {
                "sizePerThread": size_per_thread,
                "threadsPerWarp": threads_per_warp,
                "warpsPerCTA": warps_per_cta,
                "order": order,
                "CGALayout": list(cga_layout),
            },
        )


class SliceLayout(_Named):
    """The parent without one dim."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.slice"
    __match_args__: ClassVar[tuple[str, ...]] = ("dim", "parent")
    dim: _Field = _Field("dim")
    parent: _Field = _Field("parent")

    def __new__(cls, dim: int, parent: Encoding) -> SliceLayout:
        return cls._of({"dim": dim, "parent": parent})


class DotOperandLayout(_Named):
    """An operand of a matrix product whose result has the parent."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.dot_op"
    __match_args__: ClassVar[tuple[str, ...]] = ("operand_index", "parent", "k_width")
    operand_index: _Field = _Field("opIdx")
    parent: _Field = _Field("parent")
    k_width: _Field = _Field("kWidth", 0)

    def __new__(cls, operand_index: int, parent: Encoding, k_width: int = 0) -> DotOperandLayout:
        return cls._of({"opIdx": operand_index, "parent": parent, "kWidth": k_width or None})


class NVMMADistributedLayout(_Named):
    """The result of NVIDIA's matrix instructions; `version` is major and minor."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.nvidia_mma"
    __match_args__: ClassVar[tuple[str, ...]] = ("version", "warps_per_cta", "instr_shape", "cga_layout")
    warps_per_cta: _Field = _Field("warpsPerCTA")
    instr_shape: _Field = _Field("instrShape")
    cga_layout: _Field = _Field("CGALayout", [])

    def __new__(
        cls, version: Sizes, warps_per_cta: Sizes, instr_shape: Sizes, cga_layout: Bases = ()
    ) -> NVMMADistributedLayout:
        major, minor = version
        return cls._of(
            {
                "versionMajor": major,
                "versionMinor": minor,
                "warpsPerCTA": warps_per_cta,
                "instrShape": instr_shape,
                "CGALayout": list(cga_layout),
            },
        )

    @property
    def version(self) -> list[int]:
        return [self.fields["versionMajor"], self.fields.get("versionMinor", 0)]


class AMDMFMALayout(_Named):
    """The result of AMD's MFMA instructions."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.amd_mfma"
    __match_args__: ClassVar[tuple[str, ...]] = (
        "version",
        "instr_shape",
        "transposed",
        "warps_per_cta",
        "element_bitwidth",
        "tiles_per_warp",
        "cga_layout",
    )
    version: _Field = _Field("version")
    instr_shape: _Field = _Field("instrShape")
    transposed: _Field = _Field("isTransposed", False)
    warps_per_cta: _Field = _Field("warpsPerCTA")
    element_bitwidth: _Field = _Field("elementBitWidth", 32)
    tiles_per_warp: _Field = _Field("tilesPerWarp")
    cga_layout: _Field = _Field("CGALayout", [])

    def __new__(
        cls,
        version: int,
        instr_shape: Sizes,
        transposed: bool,
        warps_per_cta: Sizes,
        element_bitwidth: int | None = None,
        tiles_per_warp: Sizes | None = None,
        cga_layout: Bases = (),
    ) -> AMDMFMALayout:
        return cls._of(
            {
                "version": version,
                "warpsPerCTA": warps_per_cta,
                "instrShape": instr_shape,
                "isTransposed": transposed,
                "tilesPerWarp": tiles_per_warp,
                "elementBitWidth": element_bitwidth,
                "CGALayout": list(cga_layout),
            },
        )


class AMDWMMALayout(_Named):
    """The result of AMD's WMMA instructions."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.amd_wmma"
    __match_args__: ClassVar[tuple[str, ...]] = ("version", "transposed", "warp_bases", "reg_bases", "instr_shape", "cga_layout", "rank")
    version: _Field = _Field("version")
    transposed: _Field = _Field("isTranspose", False)
    warp_bases: _Field = _Field("ctaLayout.warp", [])
    reg_bases: _Field = _Field("ctaLayout.register", [])
    instr_shape: _Field = _Field("instrShape", [16, 16, 16])
    cga_layout: _Field = _Field("CGALayout", [])
    rank: _Field = _Field("rank", 2)

    def __new__(
        cls,
        version: int,
        transposed: bool,
        warp_bases: Bases,
        reg_bases: Bases | None = None,
        instr_shape: Sizes | None = None,
        cga_layout: Bases = (),
        rank: int | None = None,
    ) -> AMDWMMALayout:
        tiles = {"register": reg_bases, "warp": warp_bases}
        return cls._of(
            {
                "version": version,
                "isTranspose": transposed,
                "ctaLayout": {key: bases for key, bases in tiles.items() if bases is not None},
                "instrShape": instr_shape,
                "CGALayout": list(cga_layout),
                "rank": rank,
            },
        )


class DistributedLinearLayout(_Named):
    """The images of the bits of register, lane, warp and block; they say the shape unless there are none."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.linear"
    __match_args__: ClassVar[tuple[str, ...]] = ("reg_bases", "lane_bases", "warp_bases", "block_bases", "shape")
    reg_bases: _Field = _Field("register", [])
    lane_bases: _Field = _Field("lane", [])
    warp_bases: _Field = _Field("warp", [])
    block_bases: _Field = _Field("block", [])

    def __new__(
        cls, reg_bases: Bases, lane_bases: Bases, warp_bases: Bases, block_bases: Bases, shape: Sizes = ()
    ) -> DistributedLinearLayout:
        bases = (reg_bases, lane_bases, warp_bases, block_bases, shape)
        return _from_text(cls, f"DistributedLinearLayout({', '.join(map(_written, bases))})")

    @property
    def shape(self) -> list[int]:
        fields = self.fields
        images = [image for name in ("register", "lane", "warp", "block") for image in fields.get(name, [])]
        return _reach(images) or [1] * fields.get("rank", 0)


def _reach(images: Bases) -> list[int]:
    """The smallest shape, with extents that are powers of two, that holds all images."""
    return [1 << max(values).bit_length() for values in zip(*images)]


class SwizzledSharedLayout(_Named):
    """Shared memory whose rows are swizzled: phases of `per_phase` rows, up to `max_phase` of them."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.swizzled_shared"
    __match_args__: ClassVar[tuple[str, ...]] = ("vec", "per_phase", "max_phase", "order", "cga_layout")
    vec: _Field = _Field("vec")
    per_phase: _Field = _Field("perPhase")
    max_phase: _Field = _Field("maxPhase")
    order: _Field = _Field("order")
    cga_layout: _Field = _Field("CGALayout", [])

    def __new__(
        cls, vec: int, per_phase: int, max_phase: int, order: Sizes, cga_layout: Bases = ()
    ) -> SwizzledSharedLayout:
        return cls._of(
            {
                "vec": vec,
                "perPhase": per_phase,
                "maxPhase": max_phase,
                "order": order,
                "CGALayout": list(cga_layout),
            },
        )


class NVMMASharedLayout(_Named):
    """Shared memory as NVIDIA's matrix instructions and TMA read it; the swizzle spans 0, 32, 64 or 128 bytes."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.nvmma_shared"
    __match_args__: ClassVar[tuple[str, ...]] = ("swizzle_byte_width", "element_bitwidth", "rank", "transposed", "fp4_padded", "cga_layout")
    swizzle_byte_width: _Field = _Field("swizzlingByteWidth")
    element_bitwidth: _Field = _Field("elementBitWidth")
    transposed: _Field = _Field("transposed", False)
    fp4_padded: _Field = _Field("fp4Padded", False)
    cga_layout: _Field = _Field("CGALayout", [])

    def __new__(
        cls,
        swizzle_byte_width: int,
        element_bitwidth: int,
        rank: int = 2,
        transposed: bool = False,
        fp4_padded: bool = False,
        cga_layout: Bases = (),
    ) -> NVMMASharedLayout:
        return cls._of(
            {
                "swizzlingByteWidth": swizzle_byte_width,
                "transposed": transposed,
                "elementBitWidth": element_bitwidth,
                "fp4Padded": fp4_padded or None,
                "rank": None if rank == 2 else rank,
                "CGALayout": list(cga_layout),
            },
        )

    @property
    def rank(self) -> int:
        cga = self.cga_layout
        return self.fields.get("rank", len(cga[0]) if cga else 2)


class PaddedSharedLayout(_Named):
    """Shared memory with padding after every interval of elements."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.padded_shared"
    __match_args__: ClassVar[tuple[str, ...]] = ("interval_padding_pairs", "offset_bases", "cga_layout")
    interval_padding_pairs: _Field = _Field("intervals")

    def __new__(
        cls, interval_padding_pairs: Bases, offset_bases: Bases, cga_layout: Bases = ()
    ) -> PaddedSharedLayout:
        # Gluon's class has a shape, which the bases say.
        arguments = (interval_padding_pairs, offset_bases, cga_layout, [0] * len((*offset_bases, *cga_layout, ())[0]))
        return _from_text(cls, f"PaddedSharedLayout({', '.join(map(_written, arguments))})")

    @classmethod
    def with_identity_for(
        cls, interval_padding_pairs: Bases, shape: Sizes, order: Sizes, cga_layout: Bases = ()
    ) -> PaddedSharedLayout:
        """Offsets that walk over the part of a shape that a block of the cluster holds, the dims in order."""
        arguments = (interval_padding_pairs, shape, order, cga_layout)
        return _from_text(cls, f"PaddedSharedLayout.with_identity_for({', '.join(map(_written, arguments))})")

    @property
    def cga_layout(self) -> list[list[int]]:
        """The images of the bits of the block, in parts of the shape that one block holds."""
        part = _reach(self.offset_bases)
        return [[value // extent for value, extent in zip(image, part)] for image in self.fields.get("block", [])]

    @property
    def offset_bases(self) -> list[list[int]]:
        fields = self.fields
        return fields["offset"] if "offset" in fields else _walk(fields["shape"], fields["order"])


def _walk(shape: Sizes, order: Sizes) -> list[list[int]]:
    """The images of the bits of an offset that walks over a shape, the dims in order."""
    bases = []
    for dim in order:
        size = 1
        while size < shape[dim]:
            bases.append([size if at == dim else 0 for at in range(len(shape))])
            size *= 2
    return bases


class SharedLinearLayout(_Named):
    """Shared memory by the images of the bits of the offset."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.shared_linear"
    __match_args__: ClassVar[tuple[str, ...]] = ("offset_bases", "block_bases", "alignment")
    offset_bases: _Field = _Field("offset", [])
    block_bases: _Field = _Field("block", [])
    alignment: _Field = _Field("alignment", 16)

    def __new__(cls, offset_bases: Bases, block_bases: Bases = (), alignment: int = 16) -> SharedLinearLayout:
        fields = {"offset": offset_bases, "block": list(block_bases)}
        return cls._of(fields, after=f", alignment = {int(alignment)}")


class PartitionedSharedLayout(_Named):
    """Shared memory in partitions, each laid out alike."""

    __slots__ = ()
    _name: ClassVar[str] = "ttg.partitioned_shared"
    __match_args__: ClassVar[tuple[str, ...]] = ("num_partitions", "num_groups", "partition_dim", "partition_layout")
    num_partitions: _Field = _Field("numPartitions")
    num_groups: _Field = _Field("numGroups")
    partition_dim: _Field = _Field("partitionDim")
    partition_layout: _Field = _Field("partitionLayout")

    def __new__(
        cls, num_partitions: int, num_groups: int, partition_dim: int, partition_layout: Encoding
    ) -> PartitionedSharedLayout:
        return cls._of(
            {
                "numPartitions": num_partitions,
                "numGroups": num_groups,
                "partitionDim": partition_dim,
                "partitionLayout": partition_layout,
            },
        )


class TensorMemoryLayout(_Named):
    """Blackwell's tensor memory, in blocks of rows and columns."""

    __slots__ = ()
    _name: ClassVar[str] = "ttng.tensor_memory_encoding"
    __match_args__: ClassVar[tuple[str, ...]] = ("block", "col_stride", "cga_layout", "two_ctas", "fp4_padded")
    col_stride: _Field = _Field("colStride")
    cga_layout: _Field = _Field("CGALayout", [])
    two_ctas: _Field = _Field("twoCTAs", False)
    fp4_padded: _Field = _Field("fp4Padded", False)

    def __new__(
        cls, block: Sizes, col_stride: int, cga_layout: Bases = (), two_ctas: bool = False, fp4_padded: bool = False
    ) -> TensorMemoryLayout:
        rows, columns = block
        fields = {
            "blockM": rows,
            "blockN": columns,
            "colStride": col_stride,
            "CGALayout": list(cga_layout) or None,
            "twoCTAs": two_ctas or None,
            "fp4Padded": fp4_padded or None,
        }
        given = ", ".join(f"{key} = {_written(value)}" for key, value in fields.items() if value is not None)
        return _from_text(cls, f"#{cls._name}<{given}>")

    @property
    def block(self) -> tuple[int, int]:
        return self.fields["blockM"], self.fields["blockN"]


class TensorMemoryScalesLayout(_Named):
    """The scales of block-scaled matrix instructions in tensor memory."""

    __slots__ = ()
    _name: ClassVar[str] = "ttng.tensor_memory_scales_encoding"
    __match_args__: ClassVar[tuple[str, ...]] = ("cga_layout", "block_rep_order")
    cga_layout: _Field = _Field("CGALayout", [])
    block_rep_order: _Field = _Field("blockRepOrder", "mnThenK")

    def __new__(cls, cga_layout: Bases = (), block_rep_order: str = "mnThenK") -> TensorMemoryScalesLayout:
        fields = [f"CGALayout = {_written(cga_layout)}"] if cga_layout else []
        fields += [f"blockRepOrder = {block_rep_order}"] if block_rep_order != "mnThenK" else []
        return _from_text(cls, f"#{cls._name}<{', '.join(fields)}>")


def from_gluon(layout: Any) -> Encoding:
    """The encoding of a layout object of Gluon, by the name and the fields of its class; Triton is not imported.

    >>> from bitstride.compat.triton import gluon
    >>> from_gluon(gluon.SliceLayout(0, gluon.BlockedLayout([1, 2], [4, 8], [2, 1], [1, 0]))).to_linear((16,)).out_dims
    {'dim0': 16}
    """
    layout = _plain(layout)
    # A class that only fixes fields of another, such as that of barriers, is the other.
    names = [base.__name__ for base in type(layout).__mro__]
    name = next((base for base in names if base in __all__), names[0])
    kind = globals().get(name)
    if name not in __all__ or not (isinstance(kind, type) and issubclass(kind, _Named)):
        raise RefusedError(f"{name} is no layout of Gluon that has an encoding", "not-a-layout")
    make: Any = kind
    fields = {field: _plain(getattr(layout, field)) for field in kind.__match_args__ if hasattr(layout, field)}
    parts = {field: from_gluon(part) for field, part in fields.items() if field in ("parent", "partition_layout")}
    encoding: Encoding = make(**{**fields, **parts})
    return encoding


def _of_triton(object: Any) -> Encoding | LinearLayout:
    """What an object of Triton is in this package: a linear layout, or a layout of Gluon."""
    if type(object).__name__ == "LinearLayout":
        return LinearLayout(object.bases, object.out_dims)
    return from_gluon(object)
