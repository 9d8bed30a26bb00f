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


void: dtype = dtype("void")
int1: dtype = dtype("int1")
int8: dtype = dtype("int8")
int16: dtype = dtype("int16")
int32: dtype = dtype("int32")
int64: dtype = dtype("int64")
uint8: dtype = dtype("uint8")
uint16: dtype = dtype("uint16")
uint32: dtype = dtype("uint32")
uint64: dtype = dtype("uint64")
float8e5: dtype = dtype("fp8e5")
float8e5b16: dtype = dtype("fp8e5b16")
float8e4nv: dtype = dtype("fp8e4nv")
float8e4b8: dtype = dtype("fp8e4b8")
float8e4b15: dtype = dtype("fp8e4b15")
float16: dtype = dtype("fp16")
bfloat16: dtype = dtype("bf16")
float32: dtype = dtype("fp32")
float64: dtype = dtype("fp64")
