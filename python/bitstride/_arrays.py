"""Layouts applied to arrays of NumPy, PyTorch and whatever else has DLPack.

An array's coordinates are those of its dims, in every package alike. Where a flat index matters, layouts of CuTe have the
leftmost mode the fastest and arrays the rightmost dim.
"""

from __future__ import annotations

import functools
import importlib
import re
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import _core
from ._core import Layout
from ._errors import Error, RefusedError, UndecidedError

__all__ = ["relayout", "view"]


def relayout(
    array: Any, to: Any, from_: Any = None, element_bits: int | None = None, *, out: Any = None
) -> Any:
    """The elements of an array where another layout has them, as new flat memory; what no element fills is 0.

    `from_` says where the elements are now; by default, the array's own strides do. `to` has a place for each of its
    coordinates, and either may be any layout that `same` compares: of CuTe, XLA, Triton, or strides. `element_bits` is the
    size of an element where several share an entry of the array, as nibbles in bytes do; it needs `from_`.

    The memory is read in place, from an array of NumPy, PyTorch or JAX, from what has `__dlpack__`, or from bytes. It is
    copied first where strides are negative, or the type has no place in DLPack. An array whose memory does not hold its values is
    refused: masked, sparse, quantized, or traced by JAX. The result is an array of the same package, else
    of NumPy, with bytes where NumPy has no such type; without NumPy, a memoryview. It carries no gradient. `out` is a contiguous array of the same package and type that is
    written to instead: bytes that no element fills stay as they are there, and it may be longer.

    An array on a GPU of CUDA is moved there, on the current stream of PyTorch or CuPy, without waiting. Others, such as JAX's, are
    waited for, and the result of a package without arrays of its own is a `DeviceArray`, which has `__dlpack__`.

    >>> import numpy as np
    >>> relayout(np.array([[1, 2, 3], [4, 5, 6]]), to="(2,3):(1,2)")
    array([1, 4, 2, 5, 3, 6])
    >>> relayout(np.arange(6), from_="(2,3):(3,1)", to="(2,3):(4,1)")
    array([0, 1, 2, 0, 3, 4, 5])
    >>> relayout(np.arange(6), from_="(2,3):(3,1)", to="(2,3):(4,1)", out=np.full(8, 9))
    array([0, 1, 2, 9, 3, 4, 5, 9])
    """
    package = _module(array)
    array = _resolved(_plain(array))
    _refuse_array("to", to)
    _refuse_array("from_", from_)
    bits = _bits(array, element_bits, from_ is None)
    if from_ is None:
        readable = _readable(array)
        strides = _strides(readable)
        if strides is not None:
            return _moved(package, readable, strides, to, bits, False, out)
    return _moved(package, array, _row_major_layout(array) if from_ is None else from_, to, bits, True, out)


def view(array: Any, layout: Any) -> Any:
    """The elements of flat memory in the coordinates of a layout: one dim a mode, `[i, j]` the element at `layout(i, j)`.

    It shares the memory where strides say the same, which is where each mode has one stride; else it is a copy, such as of a
    swizzled layout, a negative stride in PyTorch, or an array of JAX. A nested mode counts its elements column-major.

    >>> import numpy as np
    >>> view(np.arange(8), "(2,4):(4,1)")
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    >>> view(np.arange(8), "(2,(2,2)):(2,(4,1))").tolist()
    [[0, 4, 1, 5], [2, 6, 3, 7]]
    """
    package = _module(array)
    flat = _flat(_plain(array))
    _refuse_array("layout", layout)
    layout = _with_modes(_core.parse(layout) if isinstance(layout, str) else layout)
    modes = layout.shape if isinstance(layout.shape, tuple) else (layout.shape,)
    extents = [Layout(mode).size for mode in modes]
    if not all(isinstance(extent, int) for extent in extents):
        raise UndecidedError(f"{layout} has sizes that are not known", "undecided")
    strides = _mode_strides(layout) if isinstance(layout, Layout) else None
    # PyTorch has no negative strides, and arrays of JAX share no memory.
    if strides is not None and package != "jaxlib" and (package != "torch" or all(stride >= 0 for stride in strides)):
        return _strided(package, flat, extents, strides, layout.offset)
    if package == "torch" and flat.requires_grad:
        raise RefusedError("a view under this layout is a copy without a gradient", "kind", help="detach() the tensor first")
    target = Layout(tuple(modes), tuple(_row_major(modes, extents)))
    copied = _moved(package, _resolved(flat), layout, target, _element_bits(flat), True)
    if isinstance(copied, memoryview):
        raise RefusedError("a copy with dims needs NumPy", "missing")
    return copied.reshape(tuple(extents))


def _with_modes(layout: Any) -> Any:
    """A layout whose modes are the dims of a view."""
    if hasattr(layout, "shape"):
        return layout
    try:
        # The layout of a tensor of PyTorch or of a strided tensor has modes in the notation of CuTe.
        converted = layout.convert("cute")
    except (AttributeError, Error):
        converted = None
    if not isinstance(converted, Layout):
        raise RefusedError(f"{layout} has no modes to be the dims of an array", "kind")
    return converted


def _refuse_array(name: str, layout: Any) -> None:
    if hasattr(layout, "__dlpack__"):
        help = "`Layout.from_array` is the layout of an array"
        raise RefusedError(f"`{name}` is a layout, not an array of {_module(layout)}", "kind", help=help)


# The same shapes and strides come again in a loop of calls.
_kept_layout = functools.lru_cache(maxsize=1024)(lambda shape, strides: Layout(tuple(shape), tuple(strides)))


def _strides(array: Any) -> Any:
    """The layout of an array, where it says its strides."""
    if _module(array) == "torch":
        return _kept_layout(array.shape, array.stride())
    if isinstance(array, _Lent):
        return _kept_layout(tuple(array.shape), tuple(array.stride))
    return Layout.from_array(array) if hasattr(array, "strides") or hasattr(array, "stride") else None


def _row_major_layout(array: Any) -> Any:
    shape = tuple(array.shape) if hasattr(array, "shape") else (len(array),)
    return Layout(shape, tuple(_row_major(shape, shape)))


def _row_major(modes: Sequence[Any], extents: Sequence[int]) -> list[Any]:
    """Strides with the rightmost mode the fastest, where the leaves of a mode count column-major."""
    strides: list[Any] = []
    before = 1
    for mode, extent in zip(reversed(modes), reversed(extents)):
        strides.insert(0, _scaled(Layout(mode).stride, before))
        before *= extent
    return strides


def _scaled(stride: Any, by: int) -> Any:
    return tuple(_scaled(step, by) for step in stride) if isinstance(stride, tuple) else stride * by


def _mode_strides(layout: Layout) -> list[int] | None:
    """The stride of each mode, where each has one."""
    whole = layout.shape if isinstance(layout.shape, tuple) else None
    strides = []
    for mode in [layout] if whole is None else list(layout):
        merged = mode.coalesce()
        if isinstance(merged.shape, tuple) or not isinstance(merged.stride, int):
            return None
        strides.append(merged.stride)
    return strides


_PACKAGES = ("torch", "numpy", "jaxlib", "cupy")


def _module(array: Any) -> str:
    """The package of an array; a subclass is of the package that it extends."""
    for base in type(array).__mro__:
        package = base.__module__.partition(".")[0]
        if package in _PACKAGES:
            return package
    return type(array).__module__.partition(".")[0]


class _Lent:
    """An array of a package that is not known here, and what DLPack says of it; what else it has may mean something else."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.is_on_gpu: bool = _says_gpu(array)
        self.shape, self.stride, name, self.element_bits = _core.dlpack_facts(array, self.is_on_gpu)
        self.dtype: Any = _dtype(name)


def _lent_to_numpy(array: _Lent) -> Any:
    """The same memory as an array of NumPy."""
    try:
        import numpy

        return numpy.from_dlpack(array.array)
    except (BufferError, ImportError, RuntimeError, TypeError, ValueError) as error:
        raise RefusedError(f"NumPy does not read elements of {array.dtype} through DLPack", "kind") from error


def _dtype(name: str) -> Any:
    """The type of this name of NumPy, or the name where NumPy has no such type."""
    try:
        import numpy

        return numpy.dtype(name)
    except (ImportError, TypeError):
        return name


def _plain(array: Any) -> Any:
    """The array as its package's own class, one of NumPy for JAX, with DLPack's facts where the package is not known; refused where its memory does not hold its elements."""
    package = _module(array)
    if isinstance(array, (bytes, bytearray, memoryview)):
        if isinstance(array, memoryview) and not array.c_contiguous:
            raise RefusedError("a memoryview must be contiguous", "kind")
        return array
    if package == "torch" and isinstance(array, sys.modules["torch"].Tensor):
        return _plain_tensor(sys.modules["torch"], array)
    if package == "numpy" and isinstance(array, sys.modules["numpy"].ndarray):
        return _plain_numpy(sys.modules["numpy"], array)
    if package == "jax" and hasattr(array, "aval"):
        raise RefusedError("an array that JAX traces, as under jit, has no memory", "kind")
    if package in ("numpy", "torch") or not hasattr(array, "__dlpack__"):
        raise RefusedError(f"a value of type {type(array).__name__} is no array and no bytes", "kind")
    if package == "cupy":
        return array
    if package != "jaxlib":
        return _Lent(array)
    if array.is_deleted():
        raise RefusedError("the array of JAX is deleted", "kind")
    try:
        if _is_on_gpu(package, array):
            return array
    except BufferError as error:
        help = "jax.device_put moves it to one device"
        raise RefusedError("an array of JAX on several devices has no one memory", "kind", help=help) from error
    # JAX does not give types of fewer than 8 bits to DLPack.
    return sys.modules["numpy"].asarray(array)


def _plain_tensor(torch: Any, tensor: Any) -> Any:
    if type(tensor) is not torch.Tensor:
        # Such a class keeps its elements in other tensors, or nowhere.
        if type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__:
            raise RefusedError(f"the memory of a {type(tensor).__name__} does not hold its elements", "kind")
        tensor = tensor.as_subclass(torch.Tensor)
    if tensor.layout is not torch.strided or tensor.is_nested:
        kind = "nested" if tensor.is_nested else str(tensor.layout)
        raise RefusedError(f"a tensor that is {kind} has no strides", "kind", help="make it dense first")
    if tensor.is_quantized:
        raise RefusedError("the elements of a quantized tensor need its scales", "kind", help="move its int_repr()")
    if tensor.is_meta:
        raise RefusedError("a tensor on the device meta has no elements", "kind")
    return tensor


def _plain_numpy(numpy: Any, array: Any) -> Any:
    if type(array) is not numpy.ndarray:
        if isinstance(array, numpy.ma.MaskedArray):
            help = "pass `.data`, or what `.filled()` gives"
            raise RefusedError("the mask of a masked array would be lost", "kind", help=help)
        array = array.view(numpy.ndarray)
    # These entries are references to memory elsewhere.
    if array.dtype.hasobject or array.dtype.kind == "T":
        raise RefusedError(f"the memory of an array of {array.dtype} does not hold its elements", "kind")
    return array


def _resolved(array: Any) -> Any:
    """The array; for a tensor that is a lazy conjugate or negative, its values in memory."""
    return array.resolve_conj().resolve_neg() if _module(array) == "torch" and _is_lazy(array) else array


def _is_lazy(tensor: Any) -> bool:
    return bool(tensor.is_conj() or tensor.is_neg())


def _flat(array: Any) -> Any:
    """The memory of an array as one dim, without a copy."""
    package = _module(array)
    if package not in ("torch", "cupy") and not (package == "jaxlib" and _is_on_gpu(package, array)):
        if _is_on_gpu(package, array):
            raise RefusedError("a view of memory on a GPU is an array of PyTorch, CuPy or JAX", "kind")
        try:
            import numpy
        except ImportError:
            raise RefusedError("an array with dims needs NumPy", "missing") from None
        if isinstance(array, (bytes, bytearray)):
            array = numpy.frombuffer(array, "u1") if len(array) else numpy.zeros(0, "u1")
        elif isinstance(array, memoryview):
            # Its entries may be larger than bytes.
            array = numpy.asarray(array)
        elif isinstance(array, _Lent):
            array = _lent_to_numpy(array)
    if len(array.shape) == 1:
        return array
    # JAX has no other arrays.
    is_contiguous = package == "jaxlib" or (array.is_contiguous() if package == "torch" else array.flags.c_contiguous)
    if not is_contiguous:
        raise RefusedError("an array whose memory is to be read flat must be contiguous", "kind")
    return array.reshape(-1)


def _has_dlpack(array: Any) -> bool:
    """Whether NumPy lends an array through DLPack, which has its type."""
    if not (array.flags.writeable or _lends_read_only()):
        return False
    kind, size = array.dtype.kind, array.dtype.itemsize
    # Types of ml_dtypes are no builtin types, and some have the kind `f`.
    return array.dtype.isbuiltin == 1 and kind in "biufc" and size <= (16 if kind == "c" else 8)


def _lends_read_only() -> bool:
    """Whether this NumPy lends arrays that are not written to, as versions from 2.1 on do."""
    major, minor = sys.modules["numpy"].__version__.split(".")[:2]
    return (int(major), int(minor)) >= (2, 1)


def _readable(array: Any) -> Any:
    """The array; a row-major copy where its strides are negative, or its memory can only be read as bytes."""
    if isinstance(array, _Lent) and not array.is_on_gpu and any(step < 0 for step in array.stride):
        return _lent_to_numpy(array).copy("C")
    if _module(array) != "numpy":
        return array
    is_reversed = any(step < 0 for step in array.strides)
    return array.copy("C") if is_reversed or not _has_dlpack(array) else array


def _memory(array: Any) -> Any:
    """What the compiled part reads: an array with DLPack, or bytes."""
    if isinstance(array, (bytes, bytearray, memoryview)):
        return bytes(array)
    if isinstance(array, _Lent):
        return array.array
    if _module(array) == "torch":
        return array.detach() if array.requires_grad else array
    if _module(array) != "numpy" or _has_dlpack(array):
        return array
    if not array.flags.c_contiguous:
        raise RefusedError("an array whose memory is to be read flat must be contiguous", "kind")
    return array.tobytes()


def _element_bits(array: Any) -> int:
    if isinstance(array, _Lent):
        return array.element_bits
    size = getattr(array, "itemsize", 1)
    return 8 * int(array.element_size() if hasattr(array, "element_size") else size)


def _bits(array: Any, element_bits: int | None, is_whole: bool) -> int:
    """The bits of an element. `is_whole` is an array that is moved by its own strides, which count entries."""
    entry = _element_bits(array)
    if element_bits is None:
        return entry
    if not 0 < element_bits < 1 << 32:
        raise RefusedError(f"elements of {element_bits} bits: an element has at least one bit", "range")
    if is_whole and element_bits != entry:
        help = "`from_` says where elements of another size are"
        raise RefusedError(f"the array's entries have {entry} bits, and its elements {element_bits}", "kind", help=help)
    name = str(getattr(array, "dtype", ""))
    if element_bits < 8 and entry == 8 and re.fullmatch(r"u?int[124]|float[46]_\w+", name):
        raise RefusedError(f"NumPy keeps each entry of {name} in a byte of its own", "kind", help="leave element_bits out")
    return element_bits


def _writable(package: str, array: Any, out: Any) -> Any:
    """The memory of `out`, for the elements of an array of a package."""
    given = _module(out)
    if given == "jaxlib":
        raise RefusedError("arrays of jaxlib are not written to", "kind")
    # What is moved of a package that is not known here becomes NumPy's.
    home = package if package in _PACKAGES else "numpy"
    if given not in (package, home) and package != "builtins":
        raise RefusedError(f"an array of {package} is moved to one of {package}, not of {given}", "kind")
    if given == "builtins" or not hasattr(out, "__dlpack__"):
        raise RefusedError("`out` must be an array with DLPack", "kind")
    out = _plain(out)
    dtypes = getattr(array, "dtype", None), getattr(out, "dtype", None)
    if package != "builtins" and dtypes[0] != dtypes[1]:
        raise RefusedError(f"elements of {dtypes[0]} are not written to an array of {dtypes[1]}", "kind")
    if given == "torch":
        if _is_lazy(out):
            raise RefusedError("`out` is a tensor whose memory holds its values conjugated or negated", "kind")
        if out.requires_grad:
            raise RefusedError("`out` is a tensor that requires a gradient", "kind", help="pass out.detach()")
    if isinstance(out, _Lent):
        return out.array
    if given != "numpy":
        return out
    if not out.flags.writeable:
        raise RefusedError("`out` is read-only", "kind")
    if _has_dlpack(out):
        return out
    if not out.flags.c_contiguous:
        raise RefusedError("the elements of the array for the result are not row-major without gaps", "kind")
    return out.reshape(-1).view("u1")


def _allocated(new: Callable[[int], Any], size: int) -> Any:
    try:
        return new(size)
    except (MemoryError, RuntimeError, ValueError) as error:
        raise Error(f"there is no memory for a result of {size} bytes", "too-large") from error


def _moved(
    package: str, array: Any, source: Any, target: Any, bits: int, is_flat: bool, out: Any = None
) -> Any:
    """The elements in new memory, as an array of a package, or in `out`."""
    memory = None if out is None else _writable(package, array, out)
    if _is_on_gpu(package, array):
        return _moved_on_gpu(package, array, (source, target, bits, is_flat), out)
    question = _memory(array), source, target, bits, is_flat
    try:
        if out is not None:
            _core.relayout(*question, lambda size: memory)
            return out
        return _moved_to_new(package, array, question)
    except RefusedError as error:
        # The compiled part has one message for this and for what is read-only.
        if out is not None and error.code == "overlap" and _module(out) in ("numpy", "torch"):
            raise RefusedError("`out` shares memory with the array that is moved", "overlap") from None
        raise


def _moved_to_new(package: str, array: Any, question: tuple[Any, Any, Any, int, bool]) -> Any:
    if package == "torch":
        torch = sys.modules["torch"]
        new = functools.partial(torch.zeros, dtype=torch.uint8)
        return _core.relayout(*question, functools.partial(_allocated, new)).view(array.dtype)
    try:
        import numpy
    except ImportError:
        return memoryview(_core.relayout(*question))
    made = _core.relayout(*question, functools.partial(_allocated, functools.partial(numpy.zeros, dtype="u1")))
    dtype = getattr(array, "dtype", "u1")
    return _of_package(package, made if isinstance(dtype, str) else made.view(dtype))


def _of_package(package: str, array: Any) -> Any:
    """An array of NumPy as one of JAX, if the package is JAX's."""
    return sys.modules["jax"].numpy.array(array) if package == "jaxlib" else array


def _is_on_gpu(package: str, array: Any) -> bool:
    """Whether an array says that it is on a GPU of CUDA."""
    if package == "torch":
        return bool(array.is_cuda)
    return array.is_on_gpu if isinstance(array, _Lent) else _says_gpu(array)


def _says_gpu(array: Any) -> bool:
    cuda = 2
    return hasattr(array, "__dlpack_device__") and int(array.__dlpack_device__()[0]) == cuda


# Moves of earlier calls: another call is a lookup and a launch.
_kept_move = functools.lru_cache(maxsize=1024)(_core.DeviceMove)


def _move(source: Any, target: Any, bits: int) -> _core.DeviceMove:
    # What else is a layout may change, or be equal to what is none.
    is_constant = isinstance(source, (str, _core.Value)) and isinstance(target, (str, _core.Value))
    return (_kept_move if is_constant else _core.DeviceMove)(source, target, bits)


def _moved_on_gpu(package: str, array: Any, question: tuple[Any, Any, int, bool], out: Any) -> Any:
    """The same on the GPU that has the array, in the order of its package's current stream."""
    source, target, bits, is_flat = question
    move = _move(source, target, bits)
    # The default stream, which DLPack counts as 1.
    default = 1
    if package == "torch":
        torch = sys.modules["torch"]
        stream = _torch_stream(torch, array) or default
        if out is not None:
            place = _torch_capsule(torch, _plain(out))
            move.run(_torch_capsule(torch, array), is_flat, stream, lambda size, is_whole: place)
            return out

        def new(size: int, is_whole: bool) -> Any:
            return (torch.empty if is_whole else torch.zeros)(size, dtype=torch.uint8, device=array.device)

        return move.run(_torch_capsule(torch, array), is_flat, stream, new).view(array.dtype)
    if package == "cupy":
        cupy = sys.modules["cupy"]
        with array.device:
            stream = cupy.cuda.get_current_stream().ptr or default
            if out is not None:
                return move.run(array, is_flat, stream, lambda size, is_whole: out)
            new = lambda size, is_whole: (cupy.empty if is_whole else cupy.zeros)(size, "u1")  # noqa: E731
            return move.run(array, is_flat, stream, new).view(array.dtype)
    if out is not None:
        raise RefusedError(f"arrays of {package} are not written to", "kind")
    made = move.run(_memory(array), is_flat, default)
    return sys.modules["jax"].dlpack.from_dlpack(made).view(array.dtype) if package == "jaxlib" else made


def _torch_stream(torch: Any, array: Any) -> int:
    """The handle of the current stream of the GPU that has a tensor."""
    # What PyTorch's own generated code calls: a tenth of the time that a `Stream` takes.
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return int(torch.cuda.current_stream(array.device).cuda_stream if raw is None else raw(array.get_device()))


def _torch_capsule(torch: Any, array: Any) -> Any:
    """A tensor as PyTorch itself gives it to DLPack, without what `__dlpack__` does about streams in Python."""
    return torch.utils.dlpack.to_dlpack(array.detach() if array.requires_grad else array)


def _strided(package: str, flat: Any, extents: list[int], strides: list[int], offset: int) -> Any:
    reaches = [(extent - 1) * stride for extent, stride in zip(extents, strides)]
    least = offset + sum(min(0, reach) for reach in reaches)
    most = offset + sum(max(0, reach) for reach in reaches)
    if 0 not in extents and (least < 0 or most >= len(flat)):
        raise RefusedError(f"the layout addresses {least}..{most} of {len(flat)} elements", "range")
    # The one dim of the memory may itself have a stride, such as a column of a matrix.
    if package == "torch":
        step = flat.stride()[0]
        start = flat.storage_offset() + (offset * step if 0 not in extents else 0)
        return flat.as_strided(extents, [stride * step for stride in strides], start)
    steps = [stride * flat.strides[0] for stride in strides]
    # CuPy's has this name of NumPy's.
    stride_tricks = importlib.import_module("cupy.lib" if package == "cupy" else "numpy.lib").stride_tricks
    viewed = stride_tricks.as_strided(flat[offset if 0 not in extents else 0 :], extents, steps)
    return viewed
