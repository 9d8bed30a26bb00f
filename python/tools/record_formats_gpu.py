"""Records what PyTorch stores of 4-bit weights for its kernel of NVIDIA GPUs, for `crates/formats/tests/programs_gpu.tsv`.

The lines are those of `record_formats.py`. The codes are those that the kernel multiplies with, read by an identity matrix. Run it on a GPU:

    python python/tools/record_formats_gpu.py crates/formats/tests/programs_gpu.tsv
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch  # type: ignore[import-not-found]

draw = np.random.default_rng(11)


def recorded(n: int, k: int, tiles: int, group: int) -> list[str]:
    """The lines of one weight."""
    codes = draw.integers(0, 16, (n, k), dtype=np.uint8)
    # The packer takes pairs with the first code in the high bits.
    pairs = torch.tensor(codes[:, ::2] << 4 | codes[:, 1::2]).cuda()
    packed = torch.ops.aten._convert_weight_to_int4pack(pairs, tiles)

    def read(weights: torch.Tensor, scales: np.ndarray, zeros: np.ndarray) -> np.ndarray:
        both = torch.tensor(np.stack([scales, zeros], -1)).to(torch.bfloat16).cuda()
        identity = torch.eye(k, dtype=torch.bfloat16, device="cuda")
        made = torch.ops.aten._weight_int4pack_mm(identity, weights, group, both)
        return made.float().cpu().numpy().T

    groups = k // group
    ones, none = np.ones((groups, n), np.float32), np.zeros((groups, n), np.float32)
    # The kernel reads code - 8.
    assert (read(packed, ones, none) + 8 == codes).all()
    scales = (draw.permutation(groups * n) % 120 + 1).reshape(groups, n).astype(np.float32)
    zeros = (draw.permutation(groups * n) % 110 + 1).reshape(groups, n).astype(np.float32)
    nines = torch.ops.aten._convert_weight_to_int4pack(torch.full_like(pairs, 0x99), tiles)
    own = [read(nines, scales, none), read(nines, none, zeros)]
    texts = [codes.tobytes().hex()]
    for values, given in zip(own, [scales, zeros], strict=True):
        by_group = values[:, ::group]
        assert (values == by_group.repeat(group, 1)).all() and (by_group == given.T).all()
        texts.append(torch.tensor(by_group.T.copy()).to(torch.bfloat16).view(torch.int16).numpy().tobytes().hex())
    both = torch.tensor(np.stack([scales, zeros], -1)).to(torch.bfloat16).view(torch.int16).numpy()
    name = f"torch:int4tiles,n={n},k={k},tiles={tiles},group={group}"
    return [
        "\t".join([name, "qdata", f"codes={texts[0]}", packed.cpu().numpy().tobytes().hex()]) + "\n",
        "\t".join([name, "scale_and_zero", f"scales={texts[1]}", f"zeros={texts[2]}", both.tobytes().hex()]) + "\n",
    ]


def main() -> None:
    """Records weights of several extents and tiles."""
    lines: list[str] = []
    for n, k, tiles, group in [(8, 128, 8, 32), (24, 64, 4, 32), (16, 32, 2, 32), (8, 256, 8, 128)]:
        lines += recorded(n, k, tiles, group)
    Path(sys.argv[1]).write_text("".join(lines))


main()
