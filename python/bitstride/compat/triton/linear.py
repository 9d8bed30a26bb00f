"""Triton's binding of linear layouts: maps of bits between named dims, which are xored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import index
from typing import Any

from ... import _core
from ..._errors import RefusedError

__all__ = ["LinearLayout"]


class LinearLayout:
    """The image of each bit of each in dim, in the coordinates of the out dims. Equal layouts have equal hashes."""

    __slots__ = ("_exact",)

    def __init__(self) -> None:
        self._exact = _core.LinearLayout({}, {})

    @classmethod
    def _of(cls, exact: Any) -> LinearLayout:
        layout = cls.__new__(cls)
        layout._exact = exact
        return layout

    @staticmethod
    def identity_1d(size: int, inDim: str, outDim: str) -> LinearLayout:
        """i -> i; of size 0, the empty layout."""
        return LinearLayout.strided_1d(size, 1, inDim, outDim)

    @staticmethod
    def strided_1d(size: int, stride: int, inDim: str, outDim: str) -> LinearLayout:
        """i -> stride * i, both powers of two."""
        size, stride = index(size), index(stride)
        images = [[stride << bit] for bit in range(_bits(size))]
        return (
            LinearLayout._of(_core.LinearLayout({inDim: images}, {outDim: stride * size})) if size else LinearLayout()
        )

    @staticmethod
    def zeros_1d(size: int, inDim: str, outDim: str, outDimSize: int = 1) -> LinearLayout:
        """i -> 0."""
        images = [[0]] * _bits(index(size))
        return (
            LinearLayout._of(_core.LinearLayout({inDim: images}, {outDim: index(outDimSize)}))
            if size
            else LinearLayout()
        )

    @staticmethod
    def from_bases(
        bases: Iterable[tuple[str, Sequence[Sequence[int]]]],
        out_dim_names: Sequence[str],
        out_dim_sizes: Sequence[int] | None = None,
        require_surjective: bool = True,
    ) -> LinearLayout:
        """The layout with these images of bits. Without sizes, each out dim is as large as the images need."""
        named, names = list(bases), list(out_dim_names)
        if out_dim_sizes is None:
            if not require_surjective:
                raise RefusedError("out_dim_sizes must be provided when require_surjective is false", "missing")
            sizes = [1] * len(names)
            for image in (image for _, images in named for image in images):
                sizes = [max(size, 1 << index(entry).bit_length()) for size, entry in zip(sizes, image)]
        else:
            sizes = list(out_dim_sizes)
        if len(sizes) != len(names):
            raise RefusedError(f"{len(sizes)} sizes for {len(names)} out dims", "profile")
        layout = LinearLayout._of(_core.LinearLayout(named, list(zip(names, sizes))))
        if require_surjective and not layout.is_surjective():
            raise RefusedError(f"the layout does not reach all of {layout.out_dims}", "not-surjective")
        return layout

    def compose(self, other: LinearLayout, /) -> LinearLayout:
        """x -> other(self(x))."""
        return self._of(self._exact.compose(_exact(other)))

    def invert_and_compose(self, other: LinearLayout, /) -> LinearLayout:
        """The C with self(x) = other(C(x))."""
        return self._of(self._exact.invert_and_compose(_exact(other)))

    def invert(self) -> LinearLayout:
        """The inverse."""
        return self._of(self._exact.invert())

    def pseudoinvert(self) -> LinearLayout:
        """For each element its place with the earliest bits."""
        return self._of(self._exact.pseudoinvert())

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        if not isinstance(other, LinearLayout):
            return NotImplemented
        return self._of(self._exact * other._exact)

    def is_surjective(self) -> bool:
        """Whether every element is reached."""
        return bool(self._exact.is_surjective())

    def is_injective(self) -> bool:
        """Whether no two places have one element."""
        return bool(self._exact.is_injective())

    def is_invertible(self) -> bool:
        """Whether it is a bijection."""
        return self.is_surjective() and self.is_injective()

    def get_in_dim_names(self) -> list[str]:
        """The in dims in order."""
        return list(self._exact.in_dims)

    def get_out_dim_names(self) -> list[str]:
        """The out dims in order."""
        return list(self._exact.out_dims)

    @property
    def bases(self) -> list[tuple[str, list[list[int]]]]:
        """The images of the bits of each in dim."""
        return list(self._exact.bases.items())

    @property
    def out_dims(self) -> list[tuple[str, int]]:
        """The sizes of the out dims."""
        return list(self._exact.out_dims.items())

    @property
    def num_in_dims(self) -> int:
        """The number of in dims."""
        return len(self._exact.in_dims)

    @property
    def num_out_dims(self) -> int:
        """The number of out dims."""
        return len(self._exact.out_dims)

    def apply(self, inputs: Mapping[str, int]) -> dict[str, int]:
        """Where a place leads. Every in dim is named, and each index is below its size."""
        image: dict[str, int] = self._exact.apply(dict(inputs))
        return image

    def get_matrix_view(self) -> list[list[int]]:
        """The matrix over two elements: a row an out bit, a column an in bit, the lowest bits of the first dims first."""
        columns = [image for _, images in self.bases for image in images]
        rows = []
        for at, (_, size) in enumerate(self.out_dims):
            rows += [[image[at] >> bit & 1 for image in columns] for bit in range(size.bit_length() - 1)]
        return rows

    def get_distributed_view(self, use_hw_view: bool) -> str:
        """The table of a tensor in registers, or of the hardware."""
        return self._view(use_hw_view, "register", "lane", "warp", "block")

    def get_shared_view(self, use_hw_view: bool) -> str:
        """The table of a tensor in shared memory, or of the memory."""
        return self._view(use_hw_view, "offset", "block")

    def _view(self, use_hw_view: bool, *dims: str) -> str:
        missing = [dim for dim in dims if dim not in self._exact.in_dims]
        if missing:
            raise RefusedError(
                f"a view needs the in dims {', '.join(dims)}; {', '.join(missing)} is missing", "missing"
            )
        return str(self._exact.hardware_view() if use_hw_view else self._exact.tensor_view())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LinearLayout):
            return NotImplemented
        return bool(self._exact == other._exact)

    def __hash__(self) -> int:
        return hash(self._exact)

    def __reduce__(self) -> Any:
        return _again, (self._exact,)

    def __str__(self) -> str:
        if not self._exact.in_dims:
            return "\n(empty layout)"
        lines = []
        for name, images in self.bases:
            steps = [f"{name}={1 << bit} -> ({', '.join(map(str, image))})" for bit, image in enumerate(images)]
            lines.append(" - " + ("\n   ".join(steps) if steps else f"{name} is a size 1 dimension"))
        outs = ", ".join(f"{name} (size {size})" for name, size in self.out_dims)
        return "\n" + "\n".join([*lines, f"where out dims are: [{outs}]"])

    __repr__ = __str__


def _bits(size: int) -> int:
    """How many bits it takes to number a count of places."""
    if size < 0 or size & (size - 1):
        raise RefusedError(f"the size {size} is no power of two", "not-linear")
    return max(size, 1).bit_length() - 1


def _exact(layout: LinearLayout) -> Any:
    if not isinstance(layout, LinearLayout):
        raise TypeError(f"a LinearLayout is needed, not {type(layout).__name__}")
    return layout._exact


def _again(exact: Any) -> LinearLayout:
    return LinearLayout._of(exact)
