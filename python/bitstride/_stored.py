"""Stored layouts of checkpoints, in memory and in files, and source text of layouts.

A format has a name such as `gptq:v1,bits=4,group=128`; `formats()` lists them. What a name leaves open, such as the extents, is
given by `shape` or read off the arrays.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, overload

from . import _core
from ._arrays import _memory, _module
from ._errors import Error, RefusedError, UndecidedError

__all__ = [
    "Check",
    "Elsewhere",
    "FieldCheck",
    "Format",
    "Probed",
    "StoredField",
    "StoredTensor",
    "check",
    "emit",
    "formats",
    "probe",
    "repack",
]

Shape = str | Mapping[str, int] | Iterable[int] | None
"""Extents: `"k=128,n=256"`, `{"k": 128, "n": 256}`, or `(128, 256)` in the order of the first format's axes."""


@dataclass(frozen=True)
class StoredTensor:
    """A tensor of a format, as a container declares it."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int


@dataclass(frozen=True)
class StoredField:
    """What a tensor holds: codes, scales, zero points, indices."""

    name: str
    tensor: str
    kind: str
    bits: int
    axes: dict[str, int]
    stored: tuple[str, ...]
    """How a value becomes the stored bits, one step after the other."""
    places: tuple[dict[str, Any], ...]
    """Layouts: `layout` in units of `unit_bits` bits, for all elements or those that `over` says, of `index` where that is set; other
    `notations` that hold it, and for experts `stack_bits`, the extents of leading axes with the bits from one to the next."""


@dataclass(frozen=True)
class Format:
    """A stored layout. Without all its parameters, `tensors` and `fields` are empty."""

    name: str
    about: str
    writers: str
    readers: str
    confused_with: tuple[str, ...]
    parameters: dict[str, str | None]
    """Each with its default, or None where it has to be given."""
    tensors: tuple[StoredTensor, ...] = ()
    fields: tuple[StoredField, ...] = ()


@dataclass(frozen=True)
class Elsewhere:
    """An element that lies elsewhere, and the bits of memory of it, the least significant first."""

    element: tuple[int, ...]
    producer_bits: tuple[int, ...]
    consumer_bits: tuple[int, ...]


@dataclass(frozen=True)
class FieldCheck:
    """Whether a reader finds what a writer stored, for one field."""

    name: str
    verdict: Literal["same", "same places", "different", "not compared"]
    mapped: tuple[str, ...] = ()
    """What has to be done to the producer's codes to get the consumer's, in order: `+1`, `xor 0x8`."""
    elements: int | None = None
    differing: int | None = None
    """How many elements lie elsewhere; None where these are too many elements to be counted."""
    first: Elsewhere | None = None
    """The first of them, with the last axis the fastest."""
    first_column_major: Elsewhere | None = None
    same_kind: bool = True
    """Whether the values are of one kind, wherever they lie."""
    tensors: tuple[str | None, str | None] = (None, None)
    """The type and extents of the tensors; None where a format has no such field."""
    passes_shape_checks: bool = False
    reason: str | None = None
    """Why it is not compared."""

    def __bool__(self) -> bool:
        return self.verdict == "same" and self.same_kind


@dataclass(frozen=True)
class Check:
    """What a check of two formats finds; true where every field is read as it was stored."""

    producer: str
    consumer: str
    holds: bool | None
    """None where it is undecided."""
    fields: dict[str, FieldCheck]
    cure: str | None
    """The command that cures it, or why none does."""
    lines: tuple[str, ...] = field(repr=False)

    def __bool__(self) -> bool:
        return bool(self.holds)

    def __str__(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True)
class Probed:
    """What a packer does to bits."""

    layouts: tuple[str, ...]
    """One layout of all bits, or one for each bit plane."""
    xor: int | None
    """What is xored into each code; None where that is not one constant."""
    formats: tuple[str, ...]
    """The formats that the packer writes."""
    output_bits: int
    same_places: dict[str, int]
    """Formats with other codes at the same places, each with what is xored into its codes to get those of the packer."""


@overload
def formats(name: None = None, shape: Shape = None, *, definitions: str | None = None) -> list[Format]: ...
@overload
def formats(name: str, shape: Shape = None, *, definitions: str | None = None) -> Format: ...
def formats(name: str | None = None, shape: Shape = None, *, definitions: str | None = None) -> list[Format] | Format:
    """All formats, or one by its name; `definitions` is a text with formats of your own.

    >>> from bitstride import formats
    >>> [format.name for format in formats() if "AutoAWQ" in format.writers][:3]
    ['awq:gemm', 'awq:gemv', 'awq:gemvfast']
    >>> formats("awq:gemm", shape=(128, 64)).tensors[0]
    StoredTensor(name='qweight', dtype='i32', shape=(128, 8), bytes=4096)
    >>> place = formats("gguf:q4_0", shape=(1, 32)).fields[0].places[0]
    >>> place["layout"], place["unit_bits"], place["over"], place["index"]
    ('(1,(16,2,1)):(36,(2,1,36)) + 4', 4, [], None)
    """
    answer = json.loads(_core.formats(name, _extents(shape), definitions))
    return [_format(own) for own in answer] if isinstance(answer, list) else _format(answer)


def check(
    producer: str,
    consumer: str,
    shape: Shape = None,
    *,
    fields: str | Iterable[str] = (),
    definitions: str | None = None,
) -> Check:
    """Whether a reader of one format finds what a writer of another stored.

    >>> from bitstride import check
    >>> answer = check("gptq:v1", "gptq:v2", shape={"k": 128, "n": 256})
    >>> bool(answer), answer.fields["codes"].verdict, answer.fields["zeros"].mapped
    (False, 'same', ('+1',))
    >>> wrong = check("awq:gemm", "gptq:v1", shape=(128, 256)).fields["codes"]
    >>> wrong.differing, wrong.first
    (32736, Elsewhere(element=(0, 1), producer_bits=(16, 17, 18, 19), consumer_bits=(32, 33, 34, 35)))
    >>> print(check("nvfp4:kv.v", "nvfp4:kv.k", shape=(32, 8)).lines[0])
    scales: different, 240 of 256 elements lie elsewhere
    """
    lines, holds, answer = _core.check(producer, consumer, _extents(shape), _names(fields), definitions)
    read = json.loads(answer)
    found = {own["field"]: _field_check(own) for own in read["fields"]}
    return Check(read["producer"], read["consumer"], holds, found, read["repack"], tuple(lines))


def repack(
    x: Any,
    from_: str,
    to: str,
    out: Any = None,
    *,
    shape: Shape = None,
    fields: str | Iterable[str] = (),
    tensors: str | Iterable[str] = (),
    definitions: str | None = None,
) -> Any:
    """Arrays in another stored layout, or a file as the file `out`. Values are moved and never rounded.

    `x` is an array, a dict of arrays by the names that a checkpoint gives them (`qweight`, or `model.layers.0.q_proj.qweight`), or
    the path of a file. Of a dict, the answer has the tensors that are made and all others as they are; arrays of PyTorch become
    tensors, all others arrays of NumPy. Of a file, it is a dict with what was made, as `bitstride --json repack` prints it.

    `out` is the path of the file that is made of a file. For arrays it is memory that is written to instead of new: an array, or a
    dict of arrays by the names of the tensors that are made, each row-major and of their type and extents, or bytes (`uint8`) of
    their size. It may not be memory of `x`; where a value is refused, some of it is already written.

    >>> import numpy as np
    >>> from bitstride import repack
    >>> repack(np.array([[0x12, 0x34]], "u1"), "bnb:nf4,n=1,k=4", "pairs:low,kind=nf4", fields="codes").tolist()
    [[33, 67]]
    >>> scales = repack(np.arange(1024, dtype="u2").astype("u1").reshape(128, 8), "mx:scale", "mx:scale128x4")
    >>> scales.shape, scales[0].tolist()
    ((128, 8), [0, 1, 2, 3, 0, 1, 2, 3])
    >>> layer = {"qweight": np.zeros((16, 64), "i4"), "scales": np.ones((1, 64), "f2")}
    >>> made = repack(layer, "gptq:v2", "marlin", fields=["codes", "scales"])
    >>> {name: (array.dtype.name, array.shape) for name, array in made.items()}
    {'qweight': ('int32', (8, 128)), 'scales': ('float16', (1, 64))}
    """
    if isinstance(x, (str, os.PathLike)):
        return _repacked_file(x, from_, to, out, shape, _names(fields), _names(tensors), definitions)
    if isinstance(out, (str, os.PathLike)):
        raise TypeError("arrays are not written to a file: out is an array, or a dict of arrays")
    is_alone = not isinstance(x, Mapping)
    if is_alone:
        # A tensor without a name is the first of its format, or the one of the field.
        x = {_tensor_of(from_, tuple(_names(fields)), definitions): x}
    arrays = [_described(array) for array in x.values()]
    described = tuple((name, *kind) for name, (kind, _) in zip(x, arrays, strict=True))
    chosen = tuple(_names(fields)), tuple(_names(tensors))
    plan = _repack_plan(described, (from_, to), _extents(shape), chosen, definitions)
    is_torch = any(_module(array) == "torch" for array in x.values())
    new = _torch_bytes if is_torch else _numpy_bytes
    targets = None if out is None else _Targets(out, plan.made)
    made = plan.run([memory for _, memory in arrays], targets or (lambda *tensor: new(tensor[-1])))
    kept = list(x.values())
    answer = {}
    for name, dtype, extents, memory, number in made:
        if number is not None:
            answer[name] = kept[number]
        else:
            answer[name] = targets.arrays[name] if targets else _typed(memory, dtype, tuple(extents), is_torch)
    if is_alone and len(answer) == 1:
        return next(iter(answer.values()))
    return answer


def probe(
    function: Callable[[Any], Any],
    shape: Iterable[int],
    bits: int = 4,
    *,
    dtype: Any = None,
    definitions: str | None = None,
) -> Probed:
    """The layout of a packer, found by running it on numbered tensors of codes.

    `function` takes an array of NumPy with these extents and `dtype`, by default the smallest without a sign that holds the codes,
    and answers an array, a tensor or bytes. It is called about log2(elements x bits) + 2 times. One that does more than to move
    and flip bits is refused, with a bit that shows it.

    >>> from bitstride import probe
    >>> def pack(codes):
    ...     return (codes[:, 0::2] | codes[:, 1::2] << 4) ^ 0x88
    >>> found = probe(pack, (2, 8))
    >>> found.layouts, found.xor, found.formats, found.same_places["pairs:low,n=2,k=8,kind=uint"]
    (('(2,8):(8,1) in units of 4 bits',), 8, (), 8)
    """
    import numpy

    extents = [int(extent) for extent in shape]
    inputs = _core.probe_inputs(extents, bits)
    smallest = "u1" if bits <= 8 else "u2" if bits <= 16 else "u4"
    outputs = []
    for _, codes in inputs:
        array = numpy.frombuffer(codes, "<u4").reshape(extents).astype(smallest if dtype is None else dtype)
        outputs.append(_bytes(function(array)))
    read = json.loads(_core.probe_read(extents, bits, outputs, definitions))
    xor = None if read["xor"] is None else int(read["xor"], 16)
    others = {own["format"]: int(own["xor"], 16) for own in read["same_places"]}
    return Probed(tuple(read["layouts"]), xor, tuple(read["formats"]), read["output_bits"], others)


def emit(
    what: Literal["index", "relayout", "tv"],
    layout: Any,
    target: Any = None,
    *,
    bits: int | None = None,
    lang: str = "c",
) -> str:
    """Source text of layouts: `c`, `cuda`, `python`, `rust`, `mlir` or `triton`.

    `index` has the functions of one layout, from coordinates to places and back. `relayout` has a kernel that moves a tensor of
    elements of `bits` bits from one layout to another. `tv` has the loads and stores of a thread, whose threads and values the
    first layout leads to coordinates, in a memory that the second lays out.

    >>> from bitstride import emit
    >>> source = emit("index", "(4,8):(8,1)", lang="python")
    >>> names = {}
    >>> exec(source, names)
    >>> [name for name in names if not name.startswith("_")]
    ['layout_offset', 'layout_coordinate']
    >>> "__global__" in emit("relayout", "(64,64):(64,1)", "(64,64):(1,64)", bits=16, lang="cuda")
    True
    """
    return _core.emit(what, layout, target, bits, lang)


def _extents(shape: Shape) -> str | None:
    if shape is None or isinstance(shape, str):
        return shape
    if isinstance(shape, Mapping):
        return ",".join(f"{name}={extent}" for name, extent in shape.items())
    return ",".join(str(int(extent)) for extent in shape)


def _names(names: str | Iterable[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _format(read: dict[str, Any]) -> Format:
    tensors = (
        StoredTensor(own["name"], own["dtype"], tuple(own["shape"]), own["bytes"]) for own in read.get("tensors", ())
    )
    fields = (
        StoredField(
            own["name"],
            own["tensor"],
            own["kind"],
            own["bits"],
            {axis["name"]: axis["extent"] for axis in own["axes"]},
            tuple(own["stored"]),
            tuple(own["places"]),
        )
        for own in read.get("fields", ())
    )
    parameters = {own["name"]: own["default"] for own in read["parameters"]}
    confused = tuple(read["confused_with"])
    name = read.get("format", read["name"])
    texts = (read["about"], read["writers"], read["readers"])
    return Format(name, *texts, confused, parameters, tuple(tensors), tuple(fields))


def _field_check(read: dict[str, Any]) -> FieldCheck:
    common = {"tensors": tuple(read["tensors"]), "passes_shape_checks": read["passes_shape_checks"]}
    if "error" in read:
        return FieldCheck(read["field"], "not compared", reason=read["error"]["message"], **common)

    def elsewhere(found: dict[str, list[int]] | None) -> Elsewhere | None:
        if found is None:
            return None
        return Elsewhere(tuple(found["element"]), tuple(found["producer_bits"]), tuple(found["consumer_bits"]))

    return FieldCheck(
        read["field"],
        read["verdict"],
        tuple(read.get("mapped", ())),
        read["elements"],
        read["differing"],
        elsewhere(read["first"]),
        elsewhere(read["first_column_major"]),
        read["same_kind"],
        **common,
    )


def _repacked_file(
    path: str | os.PathLike[str],
    from_: str,
    to: str,
    out: str | os.PathLike[str] | None,
    shape: Shape,
    fields: list[str],
    tensors: list[str],
    definitions: str | None,
) -> dict[str, Any]:
    if out is None:
        raise TypeError("a file is repacked into the file that out names")
    if definitions is not None:
        raise TypeError("definitions are for arrays; the command takes them as files")
    arguments = ["--json", "repack", f"--from={from_}", f"--to={to}"]
    extents = _extents(shape)
    arguments += [] if extents is None else [f"--shape={extents}"]
    arguments += [f"--field={name}" for name in fields] + [f"--tensor={name}" for name in tensors]
    code, printed, _ = _core.command([*arguments, "--", os.fspath(path), os.fspath(out)])
    answer: dict[str, Any] = json.loads(printed)
    if code == 0:
        return answer
    error = answer["error"]
    kind = {1: RefusedError, 3: UndecidedError}.get(code, Error)
    raise kind(error["message"], error["code"], error.get("help"))


# Layers of a model have the same formats and extents, so that one plan serves all of them.
_repack_plan = functools.lru_cache(maxsize=32)(_core.RepackPlan)
_tensor_of = functools.lru_cache(maxsize=32)(_core.tensor_of)
"""The tensor of a format that an array without a name is."""


_NUMPY = {
    "bool": "bool",
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "int64": "i64",
    "uint8": "u8",
    "uint16": "u16",
    "uint32": "u32",
    "uint64": "u64",
    "float16": "f16",
    "bfloat16": "bf16",
    "float32": "f32",
    "float64": "f64",
    "float8_e4m3fn": "f8_e4m3",
    "float8_e5m2": "f8_e5m2",
    "float8_e8m0fnu": "f8_e8m0",
}
"""Types of NumPy, PyTorch and ml_dtypes, and how a file of named tensors calls them."""


def _type_word(dtype: Any) -> str:
    """How NumPy, PyTorch and ml_dtypes call a type."""
    return str(dtype).removeprefix("torch.")


# Kept, since NumPy takes 10 us for it.
_type_name = functools.lru_cache(maxsize=256)(_type_word)


def _described(array: Any) -> tuple[tuple[str, tuple[int, ...], int], Any]:
    """The type, the extents and the number of bytes of an array, and its memory."""
    if isinstance(array, (bytes, bytearray, memoryview)):
        memory = bytes(array)
        return ("u8", (len(memory),), len(memory)), memory
    if _module(array) not in ("numpy", "torch"):
        import numpy

        array = numpy.asarray(array)
    name = _type_name(array.dtype)
    if name not in _NUMPY or _module(array) == "numpy" and not array.dtype.isnative:
        raise RefusedError(f"arrays of {name} are not stored in files of tensors", "kind")
    kind = _NUMPY[name], tuple(int(extent) for extent in array.shape), int(array.nbytes)
    if _module(array) == "torch":
        array = array.contiguous()
        # Types that DLPack does not have are read as bytes.
        return kind, _memory(array.view(sys.modules["torch"].uint8) if array.ndim else array)
    import numpy

    return kind, _memory(numpy.ascontiguousarray(array))


def _numpy_bytes(size: int) -> Any:
    import numpy

    return numpy.empty(size, "u1")


def _torch_bytes(size: int) -> Any:
    torch = sys.modules["torch"]
    return torch.empty(size, dtype=torch.uint8)


class _Targets:
    """Arrays that somebody gave for the tensors that are made, by their names.

    Called with the name, type, extents and bytes of a tensor, it checks the array for it and gives the memory of that.
    """

    def __init__(self, out: Any, made: list[str]) -> None:
        self.arrays = dict(out) if isinstance(out, Mapping) else {made[0] if len(made) == 1 else "one array": out}
        if self.arrays.keys() != set(made):
            given, needed = ", ".join(self.arrays), ", ".join(made)
            raise RefusedError(f"out has {given}; the tensors that are made are {needed}", "dim-names-mismatch")

    def __call__(self, name: str, dtype: str, shape: list[int], size: int) -> Any:
        array = self.arrays[name]
        package = _module(array)
        if package not in ("numpy", "torch"):
            given = type(array).__name__
            raise TypeError(f"out has a {given} for {name}; what is written to is an array of NumPy or a tensor of PyTorch")
        own = _type_name(array.dtype)
        kind = _NUMPY.get(own, own), list(array.shape)
        if kind != (dtype, shape) and (own != "uint8" or array.nbytes != size):
            have, need = (f"{of}[{','.join(map(str, extents))}]" for of, extents in (kind, (dtype, shape)))
            raise RefusedError(f"out has {have} for {name}, which is {need} and has {size} bytes", "kind")
        if not (array.is_contiguous() if package == "torch" else array.flags.c_contiguous):
            raise RefusedError(f"the elements of the array for {name} are not row-major without gaps", "kind")
        # Types that DLPack does not have are written as bytes.
        is_scalar = array.ndim == 0
        return _memory(array if is_scalar else array.view(sys.modules["torch"].uint8 if package == "torch" else "u1"))


def _typed(memory: Any, dtype: str, shape: tuple[int, ...], is_torch: bool) -> Any:
    """The bytes as an array of a type, or of integers of its size where the package has no such type."""
    names = [name for name, own in _NUMPY.items() if own == dtype]
    if is_torch:
        torch = sys.modules["torch"]
        types = [getattr(torch, name) for name in names if hasattr(torch, name)]
        return memory.view(types[0]).reshape(shape) if types else memory.reshape(*shape[:-1], -1)
    import numpy

    for name in names:
        try:
            return memory.view(name).reshape(shape)
        except TypeError:
            try:
                more = importlib.import_module("ml_dtypes")
            except ImportError:
                continue
            return memory.view(getattr(more, name)).reshape(shape)
    size = memory.nbytes // max(1, int(numpy.prod(shape, dtype="i8")))
    return memory.view(f"u{size}").reshape(shape) if size in (1, 2, 4, 8) else memory.reshape(*shape[:-1], -1)


def _bytes(packed: Any) -> bytes:
    if isinstance(packed, (bytes, bytearray, memoryview)):
        return bytes(packed)
    if _module(packed) == "torch":
        packed = packed.detach().contiguous().view(-1).view(sys.modules["torch"].uint8).numpy()
    import numpy

    return numpy.ascontiguousarray(packed).tobytes()
