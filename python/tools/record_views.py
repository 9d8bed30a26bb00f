"""Records what PyTorch, NumPy and einops make of chains of views, for `crates/core/tests/views.tsv`.

A line is a text as programs write it and, behind tabs, what the library makes of it: `shape` and the places of all
elements, `= value` of what is asked for a shape or strides, or `refused`. The memory that a tensor is made for holds its own
places, so the elements of a view, or of a copy, say where they lay. Run with the three libraries:

    python python/tools/record_views.py 2600 > crates/core/tests/views.tsv
"""

from __future__ import annotations

import random
import sys
import warnings
from typing import Any

import einops  # type: ignore[import-not-found]
import numpy as np
import torch  # type: ignore[import-not-found]

warnings.simplefilter("ignore")
draw = random.Random(20)
SIZES = [1, 2, 2, 3, 3, 4, 6]


def sizes_text(sizes: list[int], brackets: bool = False) -> str:
    """Sizes side by side, or as a tuple or a list."""
    inner = ",".join(map(str, sizes))
    if not brackets and sizes and draw.random() < 0.5:
        return inner
    return f"[{inner}]" if draw.random() < 0.3 else f"({inner}{',' if len(sizes) == 1 else ''})"


def base(library: str) -> tuple[str, Any]:
    """A tensor as it is made, and the same one with its places as elements."""
    sizes = [draw.choice(SIZES) for _ in range(draw.choice([1, 2, 2, 3, 3, 4]))]
    count = int(np.prod(sizes))
    way = draw.random()
    if library == "torch":
        if way < 0.2 and len(sizes) == 4:
            text = f"torch.empty({sizes_text(sizes)}, memory_format=torch.channels_last)"
            return text, strided(sizes, torch.empty(sizes, memory_format=torch.channels_last).stride())
        if way < 0.4:
            order, strides, step = draw.sample(range(len(sizes)), len(sizes)), [0] * len(sizes), 1
            for dim in order:
                strides[dim] = step
                step *= sizes[dim]
            return f"torch.empty_strided({sizes_text(sizes, True)}, {sizes_text(strides, True)})", strided(sizes, strides)
        if way < 0.5:
            return f"torch.arange({count})", torch.arange(count)
        maker = draw.choice(["empty", "zeros", "randn"])
        return f"torch.{maker}({sizes_text(sizes)})", torch.arange(count).view(sizes)
    if way < 0.3:
        return f"np.zeros({sizes_text(sizes, True)}, order='F')", np.arange(count).reshape(sizes[::-1]).T
    if way < 0.4:
        return f"np.arange({count})", np.arange(count)
    return f"np.{draw.choice(['zeros', 'empty', 'ones'])}({sizes_text(sizes, True)})", np.arange(count).reshape(sizes)


def strided(sizes: list[int], strides: Any) -> Any:
    """A tensor of these strides whose elements are their places."""
    last = sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    return torch.arange(last + 1).as_strided(sizes, tuple(strides))


def dim(rank: int) -> int:
    """A dim, from either end; one in 15 is none."""
    return draw.choice([rank, -rank - 1]) if draw.random() < 1 / 15 or rank == 0 else draw.randrange(-rank, rank)


def regrouped(sizes: list[int]) -> list[int]:
    """Other sizes of as many elements, one of them perhaps to be worked out."""
    count, new = int(np.prod(sizes)), []
    while count > 1 and len(new) < 3:
        divisors = [n for n in range(1, count + 1) if count % n == 0]
        new.append(draw.choice(divisors))
        count //= new[-1]
    new.append(count)
    draw.shuffle(new)
    if draw.random() < 0.2:
        new[draw.randrange(len(new))] = -1
    if draw.random() < 0.05:
        new.append(2)
    return new


def index(sizes: list[int], library: str) -> str:
    """An index in brackets: numbers, slices, new dims and `...`."""
    entries, dots = [], draw.random() < 0.3
    for size in sizes[: draw.randint(0 if dots else 1, len(sizes))] if sizes else []:
        way = draw.random()
        if way < 0.3:
            entries.append(str(draw.randint(-size, max(size - 1, 0))))
        elif way < 0.6:
            entries.append(":")
        else:
            ends = [draw.choice(["", str(draw.randint(-size, size))]) for _ in range(2)]
            steps = ["", "", ":2", ":3"] + ([":-1", ":-2"] if library == "np" or draw.random() < 0.1 else [])
            entries.append(":".join(ends) + draw.choice(steps))
    if draw.random() < 0.25:
        entries.insert(draw.randint(0, len(entries)), "None")
    if dots:
        entries.insert(draw.randint(0, len(entries)), "...")
    if draw.random() < 0.04:
        entries.append(draw.choice(["0", ":"]))
    return f"[{', '.join(entries) or '...'}]"


def pattern(sizes: list[int]) -> tuple[str, str]:
    """A pattern of einops with a verb and sizes."""
    names, left, given = iter("abcdefghijklmnopqrstuvwxy"), [], []
    axes: list[str] = []
    for size in sizes:
        parts = [n for n in range(2, size) if size % n == 0]
        if parts and draw.random() < 0.5:
            outer, inner = next(names), next(names)
            left.append(f"({outer} {inner})")
            given.append(f"{inner}={draw.choice(parts)}")
            axes += [outer, inner]
        else:
            axes.append(next(names))
            left.append(axes[-1])
    draw.shuffle(axes)
    verb = "rearrange"
    if draw.random() < 0.3:
        verb, new = "repeat", draw.choice(["2", "z", "1"])
        axes.insert(draw.randint(0, len(axes)), new)
        given += ["z=3"] if new == "z" else []
    if draw.random() < 0.06 and axes:
        axes.pop()
    right = []
    while axes:
        count = draw.choice([1, 1, 2])
        right.append(axes[0] if len(axes[:count]) == 1 else f"({' '.join(axes[:count])})")
        axes = axes[count:]
    return verb, f"'{' '.join(left)} -> {' '.join(right)}'" + "".join(f", {size}" for size in given)


def counts(rank: int) -> list[int]:
    """How often each dim is repeated, and perhaps new ones; now and then too few."""
    return [draw.choice([1, 1, 2, 3]) for _ in range(max(rank + draw.choice([0, 0, 0, 1, -1]), 1))]


def step(text: str, tensor: Any, library: str) -> str:
    """A text with one more view."""
    sizes = list(tensor.shape)
    rank = len(sizes)
    order = draw.sample(range(rank), rank)
    signed = [at - rank if draw.random() < 0.3 else at for at in order]
    at = dim(rank)
    size = sizes[at] if -rank <= at < rank else 1
    verb, of_pattern = pattern(sizes)
    both: dict[str, Any] = {
        "reshape": lambda: f"{text}.reshape({sizes_text(regrouped(sizes))})",
        "T": lambda: f"{text}.T" if rank in (0, 2) or library == "np" else f"{text}.mT",
        # PyTorch swaps dim 0 of a tensor of no dims with itself, NumPy refuses that, and it is refused here.
        "swapaxes": lambda: f"{text}.swapaxes({at}, {dim(rank)})" if rank else f"{text}.squeeze()",
        "squeeze": lambda: f"{text}.squeeze({draw.choice(['', str(at)])})",
        "index": lambda: text + index(sizes, library),
        "ravel": lambda: draw.choice([f"{text}.ravel()", f"{library}.ravel({text})"]),
        "diagonal": lambda: f"{text}.diagonal({draw.choice(['', '1', '-1', f'0, {at}, {dim(rank)}'])})",
        "rot90": lambda: f"{library}.rot90({text}{draw.choice(['', f', {draw.randint(-3, 4)}', f', {draw.randint(0, 3)}, ({at}, {dim(rank)})'])})",
        "flipped": lambda: f"{library}.{draw.choice(['fliplr', 'flipud'])}({text})",
        "moveaxis": lambda: f"{library}.moveaxis({text}, {at}, {dim(rank)})",
        "einops": lambda: f"{draw.choice(['', 'einops.'])}{verb}({text}, {of_pattern})",
    }
    own: dict[str, Any] = {
        "transpose": lambda: draw.choice([f"{text}.transpose({sizes_text(signed)})", f"np.transpose({text})"]),
        "flatten": lambda: f"{text}.flatten()",
        "expand_dims": lambda: f"np.expand_dims({text}, {draw.choice([at, f'({at}, {dim(rank + 2)})', f'({dim(rank + 2)}, {dim(rank + 2)})'])})",
        "matrix_transpose": lambda: draw.choice([f"np.matrix_transpose({text})", f"np.permute_dims({text}, {sizes_text(signed, True)})"]),
        "asarray": lambda: f"np.asarray({text})",
        "broadcast_to": lambda: f"np.broadcast_to({text}, {sizes_text([2, *sizes], True)})",
        "order": lambda: f"{text}.reshape({sizes_text(regrouped(sizes), True)}, order='F')",
        "copy": lambda: f"{text}.copy()",
        "tile": lambda: f"np.tile({text}, {sizes_text(counts(rank), True)})",
        "flip": lambda: f"np.flip({text}, {at})",
        "split": lambda: f"np.{draw.choice(['array_split', 'split'])}({text}, {draw.choice(['2', '3', '[1, 3]'])}, {at})[{draw.choice([0, 1, -1])}]",
    }
    if library == "torch":
        own = {
            "transpose": lambda: draw.choice(["{0}.transpose({1}, {2})", "torch.transpose({0}, {1}, {2})"]).format(
                text, at if rank else 1, dim(rank)
            ),
            "permute": lambda: draw.choice(["{0}.permute({1})", "torch.permute({0}, {2})"]).format(
                text, sizes_text(signed), sizes_text(signed, True)
            ),
            "view": lambda: f"{text}.view({sizes_text(regrouped(sizes))})",
            "t": lambda: f"{text}.t()",
            "movedim": lambda: f"{text}.movedim({at}, {dim(rank)})",
            "unsqueeze": lambda: f"{text}.unsqueeze({dim(rank + 1)})",
            "expand": lambda: f"{text}.expand({sizes_text([*[2, 1, 3][: draw.choice([0, 1, 2])], *sizes])})",
            "flatten": lambda: f"{text}.flatten({draw.choice(['', str(at), f'{at}, {dim(rank)}'])})",
            "unflatten": lambda: f"{text}.unflatten({at}, {sizes_text(regrouped([size]), True)})",
            "narrow": lambda: f"{text}.narrow({at}, {draw.randint(0, size)}, {draw.randint(0, size)})",
            "select": lambda: f"{text}.select({at}, {draw.randrange(-size - 1, size + 1)})",
            "unfold": lambda: f"{text}.unfold({at}, {draw.randint(1, size + 1)}, {draw.randint(1, 2)})",
            "chunk": lambda: f"{text}.chunk({draw.randint(1, 4)}, {at})[{draw.choice([0, -1])}]",
            "split": lambda: f"torch.split({text}, {draw.randint(1, 4)}, dim={at})[{draw.choice([0, -1])}]",
            "unbind": lambda: f"{text}.unbind({at})[{draw.choice([0, -1])}]",
            "contiguous": lambda: f"{text}.contiguous()",
            # PyTorch gives a tensor of no dims itself, and refuses its `mT`; here both are refused.
            "adjoint": lambda: text + (draw.choice([".mH", ".adjoint()"]) if rank else ".detach()"),
            "as_other": lambda: draw.choice(
                [f"{text}.expand_as(torch.zeros({sizes_text([2, *sizes], True)}))"]
                + [f"{text}.{verb}_as(torch.zeros({sizes_text([abs(n) for n in regrouped(sizes)], True)}))" for verb in ("view", "reshape")]
            ),
            "same_memory": lambda: text + draw.choice([".data", ".requires_grad_(False)", ".detach()"]),
            "through_numpy": lambda: f"torch.from_numpy({text}.numpy(){draw.choice(['', '.T', f'.reshape({sizes_text(regrouped(sizes), True)})'])})",
            "pieces": lambda: draw.choice(
                [
                    f"{text}.unsafe_chunk({draw.randint(1, 4)}, {at})[0]",
                    f"{text}.narrow_copy({at}, {draw.randint(0, size)}, {draw.randint(0, size)})",
                    f"{text}.split_with_sizes([{size // 2}, {size - size // 2}], {at})[-1]",
                ]
            ),
            "copies": lambda: text + draw.choice([".clone()", ".clone(memory_format=torch.preserve_format)", ".detach()"]),
            "format": lambda: text + draw.choice(
                [
                    ".contiguous(memory_format=torch.channels_last)",
                    ".clone(memory_format=torch.contiguous_format)",
                    ".to(torch.float64, memory_format=torch.channels_last)",
                ]
            ),
            "repeat": lambda: f"{text}.{draw.choice(['repeat', 'tile'])}({sizes_text(counts(rank))})",
            "flip": lambda: draw.choice(["{0}.flip({1})", "torch.flip({0}, [{1}])"]).format(text, at),
            "tensor_split": lambda: draw.choice(["{0}.tensor_split({1}, {2})[{3}]", "torch.tensor_split({0}, {1}, dim={2})[{3}]"]).format(
                text, draw.choice([draw.randint(0, 4), f"({draw.randint(-2, 3)}, {draw.randint(-2, 5)})"]), at, draw.choice([0, 1, -1])
            ),
            "as_strided": lambda: draw.choice(["torch.as_strided({0}, (2,3), ({1},1))", "{0}.as_strided((2,2), (1,{1}))"]).format(
                text, draw.randint(0, 6)
            ),
        }
    views = both | own
    # What the library does not have, is refused.
    if draw.random() < 0.02:
        return text + draw.choice([".permute(0)", ".expand_dims(0)", ".copy()", ".unsqueeze(0)", ".view(-1, foo=1)"])
    return str(views[draw.choice(list(views))]())


def evaluated(text: str, made: str, tensor: Any) -> Any:
    """What the text gives, with the tensor in place of the one that it makes; None where the library refuses it."""
    names = {"torch": torch, "np": np, "einops": einops, "rearrange": einops.rearrange, "repeat": einops.repeat}
    try:
        return eval(text.replace(made, "made"), names | {"made": tensor})  # noqa: S307
    except Exception:  # noqa: BLE001
        return None


def line(text: str, value: Any) -> str:
    """A text with what it gives."""
    if value is None:
        return f"{text}\trefused"
    if isinstance(value, bool):
        return f"{text}\t= {str(value).lower()}"
    if isinstance(value, int):
        return f"{text}\t= {value}"
    if isinstance(value, tuple):
        return f"{text}\t= ({','.join(map(str, value))})"
    places = ",".join(map(str, np.asarray(value).reshape(-1).astype(int).tolist()))
    return f"{text}\t({','.join(map(str, value.shape))})\t{places}"


def rows(count: int) -> None:
    """Prints `count` lines, each text once."""
    seen: set[str] = set()
    while len(seen) < count:
        library = draw.choice(["torch", "torch", "np"])
        made, memory = base(library)
        text, value = made, memory
        for _ in range(draw.choice([1, 1, 2, 2, 3, 4])):
            text = step(text, value, library)
            value = evaluated(text, made, memory)
            if value is None:
                break
        if value is not None and library == "torch" and draw.random() < 0.2 and all(size > 1 for size in value.shape):
            ends = [".stride()", ".stride()", ".shape", ".size()", ".numel()", ".dim()", ".is_contiguous()", ".storage_offset()"]
            ends += [f".stride({at})" for at in (0, -1) if value.ndim]
            text += draw.choice(ends + [f".shape[{at}]" for at in (0, -1) if value.ndim])
            value = evaluated(text, made, memory)
        elif value is not None and library == "np" and draw.random() < 0.05:
            text += draw.choice([".size", ".ndim", ".shape"])
            value = evaluated(text, made, memory)
        row = line(text, value)
        # How long the memory of `empty_strided` is, its canonical text does not say.
        if text not in seen and len(row) < 400 and not ("empty_strided" in text and ".as_strided" in text):
            seen.add(text)
            print(row)


if __name__ == "__main__":
    rows(int(sys.argv[1]))
