"""Layouts applied to arrays of NumPy, PyTorch and whatever else has DLPack.

An array's coordinates are those of its dims, in every package alike. Where a flat index matters, layouts of CuTe have the
leftmost mode the fastest and arrays the rightmost dim.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import Any

from . import _core
from ._core import Layout
from ._errors import RefusedError, UndecidedError

__all__ = ["relayout", "view"]


def relayout(
    array: Any, to: Any, from_: Any = None, element_bits: int | None = None, *, out: Any = None
) -> Any:
    """The elements of an array where another layout has them, as new flat memory; what no element fills is 0.

    `from_` says where the elements are now; by default, the array's own strides do. `to` has a place for each of its
    coordinates, and either may be any layout that `same` compares: of CuTe, XLA, Triton, or strides. `element_bits` is the
    size of an element where several share an entry of the array, as nibbles in bytes do.

    The memory is read in place, from an array of NumPy, PyTorch or JAX, from what has `__dlpack__`, or from bytes. It is
    copied first where strides are negative, or the type has no place in DLPack. The result is an array of the same package, else
    of NumPy; without NumPy, a memoryview. `out` is contiguous memory of the same package that is written to instead: bytes that
    no element fills stay as they are there, and it may be longer.

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
    bits = _element_bits(array) if element_bits is None else element_bits
    if from_ is None:
        readable = _readable(array)
        strides = _strides(readable)
        if strides is not None:
            return _moved(readable, strides, to, bits, False, out)
    return _moved(array, _row_major_layout(array) if from_ is None else from_, to, bits, True, out)


def view(array: Any, layout: Any) -> Any:
    """The elements of flat memory in the coordinates of a layout: one dim a mode, `[i, j]` the element at `layout(i, j)`.

    It shares the memory where strides say the same, which is where each mode has one stride; else it is a copy, such as of a
    swizzled layout. A nested mode counts its elements column-major.

    >>> import numpy as np
    >>> view(np.arange(8), "(2,4):(4,1)")
    array([[0, 1, 2, 3],
           [4, 5, 6, 7]])
    >>> view(np.arange(8), "(2,(2,2)):(2,(4,1))").tolist()
    [[0, 4, 1, 5], [2, 6, 3, 7]]
    """
    flat = _flat(array)
    layout = _core.parse(layout) if isinstance(layout, str) else layout
    if not hasattr(layout, "shape"):
        raise RefusedError(f"{layout} has no modes to be the dims of an array", "kind")
    modes = layout.shape if isinstance(layout.shape, tuple) else (layout.shape,)
    extents = [Layout(mode).size for mode in modes]
    if not all(isinstance(extent, int) for extent in extents):
        raise UndecidedError(f"{layout} has sizes that are not known", "undecided")
    strides = _mode_strides(layout) if isinstance(layout, Layout) else None
    if strides is not None:
        return _strided(flat, extents, strides, layout.offset)
    target = Layout(tuple(modes), tuple(_row_major(modes, extents)))
    copied = _moved(flat, layout, target, _element_bits(array), True)
    if isinstance(copied, memoryview):
        raise RefusedError("a copy with dims needs NumPy", "missing")
    return copied.reshape(tuple(extents))


# The same shapes and strides come again in a loop of calls.
_kept_layout = functools.lru_cache(maxsize=1024)(lambda shape, strides: Layout(tuple(shape), tuple(strides)))


def _strides(array: Any) -> Any:
    """The layout of an array, where it says its strides."""
    if _module(array) == "torch":
        return _kept_layout(array.shape, array.stride())
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


def _module(array: Any) -> str:
    return type(array).__module__.partition(".")[0]


def _flat(array: Any) -> Any:
    """The memory of an array as one dim, without a copy."""
    if len(getattr(array, "shape", (0,))) == 1:
        return array
    if _module(array) == "torch":
        return array.view(-1)
    if not array.flags.c_contiguous:
        raise RefusedError("an array whose memory is to be read flat must be contiguous", "kind")
    return array.reshape(-1)


def _has_dlpack(array: Any) -> bool:
    """Whether DLPack has the type of an array of NumPy."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    return array.dtype.isnative and kind in "biufc" and size <= (16 if kind == "c" else 8)


def _readable(array: Any) -> Any:
    """The array; a row-major copy where its strides are negative, or its memory can only be read as bytes."""
    if _module(array) != "numpy":
        return array
    is_reversed = any(step < 0 for step in array.strides)
    return array.copy("C") if is_reversed or not _has_dlpack(array) else array


def _memory(array: Any) -> Any:
    """What the compiled part reads: an array with DLPack, or bytes."""
    if isinstance(array, (bytes, bytearray, memoryview)):
        return bytes(array)
    if _module(array) == "torch":
        return array.detach() if array.requires_grad else array
    if _module(array) != "numpy" or _has_dlpack(array):
        return array
    if not array.flags.c_contiguous:
        raise RefusedError("an array whose memory is to be read flat must be contiguous", "kind")
    return array.tobytes()


def _element_bits(array: Any) -> int:
    size = getattr(array, "itemsize", 1)
    return 8 * int(array.element_size() if hasattr(array, "element_size") else size)


def _moved(array: Any, source: Any, target: Any, bits: int, is_flat: bool, out: Any = None) -> Any:
    """The elements in new memory, as an array of the package that an array is of, or in `out`."""
    package = _module(array)
    if _is_on_gpu(package, array):
        return _moved_on_gpu(package, array, (source, target, bits, is_flat), out)
    question = _memory(array), source, target, bits, is_flat
    if out is not None:
        if _module(out) != package and package != "builtins":
            raise RefusedError(f"an array of {package} is moved to one of {package}, not of {_module(out)}", "kind")
        memory = _memory(out)
        if isinstance(memory, bytes):
            raise RefusedError("`out` must be an array with DLPack", "kind")
        _core.relayout(*question, lambda size: memory)
        return out
    if package == "torch":
        torch = sys.modules["torch"]
        made = _core.relayout(*question, lambda size: torch.zeros(size, dtype=torch.uint8))
        return made.view(array.dtype)
    try:
        import numpy
    except ImportError:
        return memoryview(_core.relayout(*question))
    made = _core.relayout(*question, lambda size: numpy.zeros(size, "u1"))
    made = made.view(getattr(array, "dtype", "u1"))
    return sys.modules["jax"].numpy.asarray(made) if package == "jaxlib" else made


def _is_on_gpu(package: str, array: Any) -> bool:
    """Whether an array says that it is on a GPU of CUDA."""
    if package == "torch":
        return bool(array.is_cuda)
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
    if out is not None and _module(out) != package:
        raise RefusedError(f"an array of {package} on a GPU is moved to one of {package} on the same GPU", "kind")
    source, target, bits, is_flat = question
    move = _move(source, target, bits)
    # The default stream, which DLPack counts as 1.
    default = 1
    if package == "torch":
        torch = sys.modules["torch"]
        stream = _torch_stream(torch, array) or default
        if out is not None:
            place = _torch_capsule(torch, out)
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
    made = move.run(array, is_flat, default)
    return sys.modules["jax"].dlpack.from_dlpack(made).view(array.dtype) if package == "jaxlib" else made


def _torch_stream(torch: Any, array: Any) -> int:
    """The handle of the current stream of the GPU that has a tensor."""
    # What PyTorch's own generated code calls: a tenth of the time that a `Stream` takes.
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return int(torch.cuda.current_stream(array.device).cuda_stream if raw is None else raw(array.get_device()))


def _torch_capsule(torch: Any, array: Any) -> Any:
    """A tensor as PyTorch itself gives it to DLPack, without what `__dlpack__` does about streams in Python."""
    if array.is_conj() or array.is_neg():
        raise RefusedError("the tensor's memory has not its values, but what they are conjugated or negated", "kind")
    return torch.utils.dlpack.to_dlpack(array.detach() if array.requires_grad else array)


def _strided(flat: Any, extents: list[int], strides: list[int], offset: int) -> Any:
    reaches = [(extent - 1) * stride for extent, stride in zip(extents, strides)]
    least = offset + sum(min(0, reach) for reach in reaches)
    most = offset + sum(max(0, reach) for reach in reaches)
    if 0 not in extents and (least < 0 or most >= len(flat)):
        raise RefusedError(f"the layout addresses {least}..{most} of {len(flat)} elements", "range")
    if _module(flat) == "torch":
        # The one dim of the memory may itself have a stride, such as a column of a matrix.
        step = flat.stride()[0]
        start = flat.storage_offset() + (offset * step if 0 not in extents else 0)
        return flat.as_strided(extents, [stride * step for stride in strides], start)
    import numpy

    flat = numpy.asarray(flat)
    steps = [stride * flat.strides[0] for stride in strides]
    return numpy.lib.stride_tricks.as_strided(flat[offset if 0 not in extents else 0 :], extents, steps)
