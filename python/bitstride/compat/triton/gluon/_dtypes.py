"""Types of elements, by which layouts are chosen."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "bfloat16",
    "dtype",
    "float16",
    "float32",
    "float64",
    "float8e4b15",
    "float8e4b8",
    "float8e4nv",
    "float8e5",
    "float8e5b16",
    "int1",
    "int16",
    "int32",
    "int64",
    "int8",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "void",
]


@dataclass(frozen=True, repr=False)
class dtype:
    """A type by Triton's short name, such as fp16."""

    name: str

    @property
    def primitive_bitwidth(self) -> int:
        """The bits of an element; 0 of `void`."""
        if self.name == "void":
            return 0
        if self.name.startswith("fp8"):
            return 8
        return int(self.name.lstrip("abcdefghijklmnopqrstuvwxyz"))

    @property
    def itemsize(self) -> int:
        """The whole bytes of an element, as Triton counts them: 0 of `int1`."""
        return self.primitive_bitwidth // 8

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        long = self.name.replace("bf", "bfloat") if self.name.startswith("bf") else self.name.replace("fp", "float")
        return f"triton.language.{long}"


void = dtype("void")
int1, int8, int16, int32, int64 = (dtype(f"int{bits}") for bits in (1, 8, 16, 32, 64))
uint8, uint16, uint32, uint64 = (dtype(f"uint{bits}") for bits in (8, 16, 32, 64))
float8e5, float8e5b16, float8e4nv, float8e4b8, float8e4b15 = (
    dtype(f"fp8{kind}") for kind in ("e5", "e5b16", "e4nv", "e4b8", "e4b15")
)
float16, bfloat16, float32, float64 = (dtype(name) for name in ("fp16", "bf16", "fp32", "fp64"))
