"""Records what programs store of quantized weights, for `crates/formats/tests/programs.tsv`.

A line is the name of a format, one of its tensors, the values of each field in it, and the bytes of the tensor, behind tabs.
Values are in the order of the field's axes, the last one fastest, each in as few little-endian bytes as its bits need. The bytes
are those that a packer wrote, or those that a reader turned into these values. Run it with the programs installed:

    python python/tools/record_formats.py libggml.so AutoAWQ crates/formats/tests/programs.tsv

where `libggml.so` has `src/ggml-quants.c` and `src/ggml.c` of ggml, and `AutoAWQ` is a checkout.
"""

from __future__ import annotations

import ctypes
import sys
import types
import warnings
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

import gguf  # type: ignore[import-not-found]
import mlx.core as mx  # type: ignore[import-not-found]
import numpy as np
import onnx  # type: ignore[import-not-found]
import onnxruntime  # type: ignore[import-not-found]
import torch  # type: ignore[import-not-found]
from hqq.core.quantize import Quantizer  # type: ignore[import-not-found]
from optimum.quanto import qint2, qint4  # type: ignore[import-not-found]
from optimum.quanto.tensor.grouped import group as quanto_group  # type: ignore[import-not-found]
from optimum.quanto.tensor.packed import PackedTensor  # type: ignore[import-not-found]
from optimum.quanto.tensor.weights.qbits import WeightQBitsTensor  # type: ignore[import-not-found]

draw = np.random.default_rng(11)
lines: list[str] = []


def line(name: str, tensor: str, fields: dict[str, tuple[int, Any]], stored: Any) -> None:
    """Adds a line; a field is its bits and its values."""
    texts = []
    for field, (bits, values) in fields.items():
        width = 1 if bits <= 8 else 2 if bits <= 16 else 4
        texts.append(f"{field}={np.ascontiguousarray(values).astype(f'<u{width}').tobytes().hex()}")
    lines.append("\t".join([name, tensor, *texts, np.ascontiguousarray(stored).tobytes().hex()]) + "\n")


def codes(bits: int, *shape: int) -> np.ndarray:
    """Values of some bits."""
    return draw.integers(0, 1 << bits, shape, dtype=np.uint32)


def halves(*shape: int) -> np.ndarray:
    """Numbers that differ, exact in 16 bits."""
    count = int(np.prod(shape))
    return (draw.permutation(count).astype(np.float16) + 1).reshape(shape)


def hqq(bits: int, n: int, k: int, group: int, axis: int) -> None:
    """Codes by the packer, held against the reader; scales and zero points by the reader."""
    name = f"hqq:bits={bits},n={n},k={k},group={group},axis={axis}"
    packing = {8: "8bit_u8", 4: "4bit_u8", 3: "3bit_32", 2: "2bit_u8", 1: "1bit_u8"}[bits]
    values = codes(bits, n, k)
    grouped = torch.tensor(values.astype(np.uint8)).reshape([-1, group] if axis == 1 else [group, -1])
    packed = Quantizer.pack[packing](grouped)
    count = n * k // group
    shape = (count, 1) if axis == 1 else (1, count)
    meta = {"packing": packing, "shape": (n, k), "group_size": group, "axis": axis, "view_as_float": False}
    meta |= {"nbits": bits, "compute_dtype": torch.float32, "scale": torch.ones(shape), "zero": torch.zeros(shape)}
    meta["unpack_view_dtype"] = packed.dtype
    assert (Quantizer.dequantize(packed, meta).numpy() == values).all()
    line(name, "W_q", {"codes": (bits, values)}, packed.numpy())
    ones = Quantizer.pack[packing](torch.ones_like(grouped))
    for tensor, field, start in [("scale", "scales", ones), ("zero", "zeros", torch.zeros_like(packed))]:
        stored = halves(*shape)
        read = Quantizer.dequantize(start, meta | {tensor: torch.tensor(stored.astype(np.float32))})
        read = read.numpy() * (1 if tensor == "scale" else -1)
        # Of axis 0 the rows that are n/group apart share a group.
        own = read[:, ::group] if axis == 1 else read[: n // group]
        assert axis == 1 or (read.reshape(group, n // group, k) == own).all()
        line(name, tensor, {field: (16, own.astype(np.float16).view(np.uint16))}, stored)


def quanto(bits: int, n: int, k: int, group: int) -> None:
    """Codes by the packer, scales and shifts by the reader."""
    name = f"quanto:bits={bits},n={n},k={k},group={group}"
    values = codes(bits, n, k)
    packed = PackedTensor.pack(quanto_group(torch.tensor(values.astype(np.uint8)), 0, group), bits)
    count = n * k // group
    scale, shift = halves(count, 1), halves(count, 1)

    def read(data: Any, scale: Any, shift: Any) -> np.ndarray:
        scale, shift = (torch.tensor(np.asarray(own, dtype=np.float32)) for own in (scale, shift))
        of = qint4 if bits == 4 else qint2
        return WeightQBitsTensor(of, 0, group, (n, k), (k, 1), data, scale, shift).dequantize().numpy()

    assert (read(packed, np.ones((count, 1)), np.zeros((count, 1))) == values).all()
    line(name, "weight._data._data", {"codes": (bits, values)}, packed._data.numpy())
    ones = PackedTensor.pack(torch.ones((count, group), dtype=torch.uint8), bits)
    scales = read(ones, scale, np.zeros((count, 1)))[:, ::group].astype(np.float16)
    line(name, "weight._scale", {"scales": (16, scales.view(np.uint16))}, scale)
    shifts = -read(ones, np.zeros((count, 1)), shift)[:, ::group].astype(np.float16)
    line(name, "weight._shift", {"shifts": (16, shifts.view(np.uint16))}, shift)


def matmulnbits(bits: int, n: int, k: int, block: int) -> None:
    """What ONNX Runtime computes with an identity matrix: the weights as it reads them."""
    name = f"onnx:matmulnbits,bits={bits},n={n},k={k},block={block}"
    blocks = -(-k // block)
    width = -(-blocks * bits // 8)

    def read(packed: np.ndarray, scales: np.ndarray, zeros: np.ndarray) -> np.ndarray:
        tensor = onnx.helper.make_tensor_value_info
        node = onnx.helper.make_node(
            "MatMulNBits", ["a", "b", "s", "z"], ["y"], domain="com.microsoft", K=k, N=n, bits=bits, block_size=block
        )
        constants = [onnx.numpy_helper.from_array(own, at) for own, at in [(packed, "b"), (scales, "s"), (zeros, "z")]]
        ends = tensor("a", onnx.TensorProto.FLOAT, [k, k]), tensor("y", onnx.TensorProto.FLOAT, [k, n])
        graph = onnx.helper.make_graph([node], "g", [ends[0]], [ends[1]], constants)
        opsets = [onnx.helper.make_opsetid("", 21), onnx.helper.make_opsetid("com.microsoft", 1)]
        model = onnx.helper.make_model(graph, opset_imports=opsets, ir_version=10)
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        return np.asarray(session.run(None, {"a": np.eye(k, dtype=np.float32)})[0]).T

    ones, none = np.ones((n, blocks), np.float32), np.zeros((n, width), np.uint8)
    packed = codes(8, n, blocks, block * bits // 8).astype(np.uint8)
    if k % block:
        # Behind the last in-feature nothing is read.
        packed[:, -1, (k % block) * bits // 8 :] = 0
    line(name, "B", {"codes": (bits, np.rint(read(packed, ones, none)))}, packed)
    scales = halves(n, blocks)
    unit = np.full_like(packed, sum(1 << at for at in range(0, 8, bits)))
    own = read(unit, scales.astype(np.float32), none)[:, ::block]
    line(name, "scales", {"scales": (16, own.astype(np.float16).view(np.uint16))}, scales)
    zeros = codes(8, n, width).astype(np.uint8)
    zeros[:, -1] &= (1 << (blocks * bits - 1) % 8 + 1) - 1
    own = -read(np.zeros_like(packed), ones, zeros)[:, ::block]
    line(name, "zero_points", {"zeros": (bits, np.rint(own))}, zeros)


def mlx(mode: str, n: int, k: int) -> None:
    """Codes and scales as MLX reads them, found by the value of each code."""
    bits, group = {"mxfp4": (4, 32), "nvfp4": (4, 16), "mxfp8": (8, 32)}[mode]
    name = f"mlx:{mode},n={n},k={k}"
    one = {"mxfp4": 127, "nvfp4": 0x38, "mxfp8": 127}[mode]

    def read(words: np.ndarray, scales: np.ndarray) -> np.ndarray:
        made = mx.dequantize(mx.array(words), mx.array(scales), group_size=group, bits=bits, mode=mode, dtype=mx.float32)
        return np.asarray(made)

    # Values and signs as in the OCP formats; E4M3 has no number for 0x7f.
    e4m3 = torch.arange(127, dtype=torch.uint8).view(torch.float8_e4m3fn).float().numpy()
    table = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6]) if bits == 4 else e4m3
    own = draw.integers(0, 256 if bits == 4 else 127, (n, k * bits // 8)) | draw.integers(0, 2, (n, k * bits // 8)) << 7
    words = own.astype(np.uint8).view("<u4")
    values = read(words, np.full((n, k // group), one, np.uint8))
    found = (abs(values)[..., None] == table).argmax(-1)
    assert (table[found] == abs(values)).all()
    found |= np.signbit(values).astype(np.int64) << bits - 1
    line(name, "weight", {"codes": (bits, found)}, words)
    scales = draw.integers(100, 120, (n, k // group), dtype=np.uint8)
    unit = np.full((n, k * bits // 32), 0x22222222 if bits == 4 else 0x38383838, np.uint32)
    values = read(unit, scales)[:, ::group]
    of = np.arange(256, dtype=np.uint8)
    known = e4m3 if mode == "nvfp4" else np.exp2(of.astype(np.float32) - 127)
    found = (values[..., None] == known).argmax(-1)
    assert (known[found] == values).all()
    line(name, "scales", {"scales": (8, found)}, scales)


def awq_gemvfast(sources: Path, n: int, k: int, group: int) -> None:
    """Codes, scales and zero points as AutoAWQ's layer stores them."""
    # The layer imports the kernels of a GPU, which packing does not need.
    kernels = types.ModuleType("awq.utils.module")
    kernels.try_import = lambda name: (None, name)  # type: ignore[attr-defined]
    sys.modules |= {"awq": types.ModuleType("awq"), "awq.utils": types.ModuleType("awq.utils"), kernels.__name__: kernels}
    loader = SourceFileLoader("gemv_fast", str(sources / "awq/modules/linear/gemv_fast.py"))
    module: Any = types.ModuleType(loader.name)
    loader.exec_module(module)
    groups = k // group
    values, scales = codes(4, n, k).astype(np.float32), np.exp2(draw.integers(-3, 3, (n, groups))).astype(np.float32)
    zeros = codes(4, n, groups).astype(np.float32)
    linear = torch.nn.Linear(k, n, bias=False)
    real = (values - zeros.repeat(group, 1)) * scales.repeat(group, 1)
    linear.weight.data = torch.tensor(real)
    packed = module.WQLinear_GEMVFast.from_linear(linear, 4, group, scales=torch.tensor(scales), zeros=torch.tensor(zeros))
    name = f"awq:gemvfast,k={k},n={n},group={group}"
    line(name, "qweight", {"codes": (4, values.T)}, packed.qweight.numpy())
    line(name, "scales", {"scales": (16, scales.T.astype(np.float16).view(np.uint16))}, packed.scales.numpy())
    # Minus zero is stored where a zero point is 0.
    scaled = -(scales * zeros).T.astype(np.float16)
    line(name, "qzeros", {"scaled_zeros": (16, scaled.view(np.uint16))}, packed.qzeros.numpy())


class Ggml:
    """Blocks of GGUF as ggml reads them."""

    def __init__(self, library: str):
        self.library = ctypes.CDLL(library)

    def read(self, kind: str, stored: np.ndarray, elements: int) -> np.ndarray:
        """The values of some blocks."""
        values = np.zeros(elements, np.float32)
        pointer = values.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        getattr(self.library, f"dequantize_row_{kind}")(stored.ctypes.data_as(ctypes.c_void_p), pointer, ctypes.c_int64(elements))
        return values

    def plain(self, kind: str, bits: int, block: int, least: int, n: int, k: int) -> None:
        """Blocks of a scale and codes behind it, read as (code + least)*scale."""
        count = n * k // block
        stored = draw.integers(0, 256, (count, 2 + block * bits // 8), dtype=np.uint8)
        scales = halves(n, k // block)
        stored[:, :2] = scales.reshape(count, 1).view(np.uint8)
        scale = scales.astype(np.float32).repeat(block, 1)
        values = np.rint(self.read(kind, stored, n * k).reshape(n, k) / scale).astype(np.int64)
        found = (values + 1) // 2 if kind == "q1_0" else values - least
        fields = {"codes": (bits, found & ((1 << bits) - 1)), "scales": (16, scales.view(np.uint16))}
        line(f"gguf:{kind},n={n},k={k}", "blocks", fields, stored)

    def written(self, kind: str, block: int, n: int, k: int) -> None:
        """Blocks of 8 bits as ggml quantizes numbers that are codes times a power of two, with their sums."""
        count = n * k // block
        size, head = {"q8_1": (36, 2), "q8_K": (292, 4)}[kind]
        values = draw.integers(-126, 127, (count, block))
        # The largest value, on which the scale depends.
        values[:, 0] = -127
        scales = np.exp2(draw.integers(-4, 5, count)).astype(np.float16 if head == 2 else np.float32)
        numbers = (values * scales[:, None]).astype(np.float32)
        stored = np.zeros((count, size), np.uint8)
        quantize = getattr(self.library, f"quantize_row_{kind}_ref")
        quantize(numbers.ctypes.data_as(ctypes.c_void_p), stored.ctypes.data_as(ctypes.c_void_p), ctypes.c_int64(n * k))
        fields = {"codes": (8, values & 255), "scales": (8 * head, scales.view(f"<u{head}"))}
        if kind == "q8_1":
            sums = (values.sum(-1) * scales.astype(np.float32)).astype(np.float16).view(np.uint16)
        else:
            sums = values.reshape(count, 16, 16).sum(-1) & 0xFFFF
        line(f"gguf:{kind},n={n},k={k}", "blocks", fields | {"sums": (16, sums)}, stored)

    def table(self, kind: str, n: int, k: int) -> None:
        """Indices, signs and scales, put into bytes here one by one; ggml and gguf-py then read the values that the tables say."""
        count = n * k // 256
        reader = gguf.quants._type_traits[getattr(gguf.GGMLQuantizationType, kind.upper())]
        reader.init_grid()
        grid = reader.grid.reshape(-1, reader.grid.shape[-1])
        length, size = grid.shape[1], reader.type_size
        index_bits = len(grid).bit_length() - 1
        blocks = np.zeros((count, size * 8), np.uint8)

        def put(at: int, bits: int, values: np.ndarray) -> None:
            for bit in range(bits):
                blocks[:, at + bit] = values >> bit & 1

        index = codes(index_bits, count, 256 // length)
        scale = halves(count)
        if kind != "iq1_m":
            put(0, 16, scale.view(np.uint16))
        fields: dict[str, tuple[int, Any]] = {"indices": (index_bits, index)}
        sign = np.ones((count, 256), np.float32)
        shift = np.zeros((count, 256), np.float32)
        of_signs = np.frombuffer(gguf.quants.IQ2_XXS.ksigns, np.uint8)
        if kind in ("iq2_xxs", "iq2_xs", "iq3_xxs"):
            own = codes(7, count, 32)
            fields["signs"] = (7, own)
            sign = 1 - 2.0 * (of_signs[own][..., None] >> np.arange(8) & 1).reshape(count, 256)
        elif kind in ("iq2_s", "iq3_s"):
            own = codes(1, count, 256)
            fields["signs"] = (1, own)
            sign = 1 - 2.0 * own
        groups = 16 if kind in ("iq2_xs", "iq2_s", "iq1_m") else 8
        scales = codes(3 if kind.startswith("iq1") else 4, count, groups)
        if kind == "iq2_xxs":
            for at in range(32):
                put(16 + 64 * (at // 4) + 8 * (at % 4), 8, index[:, at])
                put(16 + 64 * (at // 4) + 32 + 7 * (at % 4), 7, own[:, at])
            for at in range(8):
                put(16 + 64 * at + 60, 4, scales[:, at])
            factor = (scales + 0.5) / 4
        elif kind == "iq2_xs":
            for at in range(32):
                put(16 + 16 * at, 9, index[:, at])
                put(16 + 16 * at + 9, 7, own[:, at])
            for at in range(16):
                put(8 * 66 + 4 * at, 4, scales[:, at])
            factor = (scales + 0.5) / 4
        elif kind == "iq2_s":
            for at in range(32):
                put(8 * (2 + at), 8, index[:, at])
                put(8 * (66 + at // 4) + 2 * (at % 4), 2, index[:, at] >> 8)
            for at in range(256):
                put(8 * (34 + at // 8) + at % 8, 1, own[:, at])
            for at in range(16):
                put(8 * (74 + at // 2) + 4 * (at % 2), 4, scales[:, at])
            factor = (scales + 0.5) / 4
        elif kind == "iq3_xxs":
            for at in range(64):
                put(8 * (2 + at), 8, index[:, at])
            for at in range(32):
                put(8 * 66 + 32 * (at // 4) + 7 * (at % 4), 7, own[:, at])
            for at in range(8):
                put(8 * 66 + 32 * at + 28, 4, scales[:, at])
            factor = (scales + 0.5) / 2
        elif kind == "iq3_s":
            for at in range(64):
                put(8 * (2 + at), 8, index[:, at])
                put(8 * (66 + at // 8) + at % 8, 1, index[:, at] >> 8)
            for at in range(256):
                put(8 * (74 + at // 8) + at % 8, 1, own[:, at])
            for at in range(8):
                put(8 * (106 + at // 2) + 4 * (at % 2), 4, scales[:, at])
            factor = 1 + 2.0 * scales
        elif kind == "iq1_s":
            own = codes(1, count, 8)
            for at in range(32):
                put(8 * (2 + at), 8, index[:, at])
                put(8 * 34 + 16 * (at // 4) + 3 * (at % 4), 3, index[:, at] >> 8)
            for at in range(8):
                put(8 * 34 + 16 * at + 12, 3, scales[:, at])
                put(8 * 34 + 16 * at + 15, 1, own[:, at])
            fields["shifts"] = (1, own)
            shift = (0.125 - 0.25 * own).repeat(32, 1)
            factor = 1 + 2.0 * scales
        else:
            own = codes(1, count, 32)
            for at in range(32):
                put(8 * at, 8, index[:, at])
                put(8 * (32 + at // 2) + 4 * (at % 2), 3, index[:, at] >> 8)
                put(8 * (32 + at // 2) + 4 * (at % 2) + 3, 1, own[:, at])
            for at in range(16):
                put(8 * 48 + 16 * (at // 4) + 3 * (at % 4), 3, scales[:, at])
            for part in range(4):
                put(8 * 48 + 16 * part + 12, 4, scale.view(np.uint16) >> 4 * part)
            fields["shifts"] = (1, own)
            shift = (0.125 - 0.25 * own).repeat(8, 1)
            factor = 1 + 2.0 * scales
        fields["scales"] = (3 if kind.startswith("iq1") else 4, scales)
        fields["d"] = (16, scale.view(np.uint16))
        stored = np.packbits(blocks, axis=-1, bitorder="little")
        wanted = (grid[index].reshape(count, 256) * sign + shift) * factor.repeat(256 // groups, 1) * scale.astype(np.float32)[:, None]
        for read in (self.read(kind, stored, n * k), reader.dequantize_blocks(stored)):
            assert np.allclose(read.reshape(count, 256), wanted, rtol=1e-6, atol=0), kind
        line(f"gguf:{kind},n={n},k={k}", "blocks", fields, stored)


def main() -> None:
    """Records all formats."""
    warnings.simplefilter("ignore")
    library, autoawq, out = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    for bits, n, k, group in [(4, 8, 128, 64), (2, 8, 64, 32), (1, 16, 64, 64), (8, 4, 64, 32), (3, 6, 64, 32), (3, 5, 64, 16)]:
        for axis in (1, 0):
            hqq(bits, n if axis == 1 else 2 * group, k // (1 if axis == 1 else 16), group, axis)
    for bits, n, k, group in [(4, 6, 128, 64), (2, 3, 96, 32), (4, 3, 32, 32)]:
        quanto(bits, n, k, group)
    for bits, n, k, block in [(4, 4, 96, 32), (4, 3, 80, 16), (4, 3, 72, 32), (8, 3, 64, 32), (2, 3, 160, 32)]:
        matmulnbits(bits, n, k, block)
    for mode in ("mxfp4", "nvfp4", "mxfp8"):
        mlx(mode, 4, 128)
    for n, k, group in [(8, 128, 64), (8, 256, 128), (8, 64, 32)]:
        awq_gemvfast(autoawq, n, k, group)
    ggml = Ggml(library)
    ggml.plain("q1_0", 1, 128, 0, 2, 256)
    ggml.plain("q2_0", 2, 64, -1, 2, 128)
    ggml.written("q8_1", 32, 2, 64)
    ggml.written("q8_K", 256, 2, 256)
    for kind in ("iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s", "iq1_s", "iq1_m"):
        ggml.table(kind, 2, 512)
    out.write_text("".join(lines))


main()
