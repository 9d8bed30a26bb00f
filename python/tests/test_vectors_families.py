"""Recorded answers of CuTe, Triton and XLA, each asked of the package's values and functions, not by a text."""

import functools
import gzip
import json
import re
from pathlib import Path

import bitstride
from bitstride import LinearLayout
from bitstride.xla import Shape

TESTDATA = Path(__file__).parents[2] / "testdata"


def read(name):
    file = TESTDATA / name
    text = gzip.decompress(file.read_bytes()).decode() if file.suffix == ".gz" else file.read_text()
    return [json.loads(line) for line in text.splitlines()]


def code_of(call):
    """The answer, or the code of the refusal, spelled as in the rows."""
    try:
        return call()
    except bitstride.Error as error:
        return {"error": error.code.replace("-", "_")}


def layout(row):
    return LinearLayout(dict(row["bases"]), dict(row["outs"]))


def parts(linear):
    if not isinstance(linear, LinearLayout):
        return linear
    return {"bases": [list(item) for item in linear.bases.items()], "outs": [list(item) for item in linear.out_dims.items()]}


@functools.cache
def typed(text):
    return bitstride.parse(text)


NAMES = {row[0] for row in bitstride.operations()}
STATIC = re.compile(r"_\d")


def test_cute():
    """Known, dynamic and unknown integers, swizzles, tilers: a call of typed values has the value of the text."""
    asked, differ = 0, []
    for file in sorted((TESTDATA / "cute").glob("*.jsonl")):
        for row in read(f"cute/{file.name}"):
            if row["op"] not in NAMES or "in" not in row:
                continue
            # Beside `_5` a plain 5 is dynamic, and what it stands beside is the whole text.
            if len({bool(STATIC.search(text)) for text in row["in"]}) > 1:
                continue
            expression = f"{row['op']}({', '.join(row['in'])})"
            wanted = code_of(lambda: bitstride.parse(expression))
            if code_of(lambda: getattr(bitstride, row["op"])(*map(typed, row["in"]))) != wanted:
                differ.append((expression, wanted))
            asked += 1
    assert asked > 7000 and not differ, (asked, differ[:3])


def linear_answer(row):
    op = row["op"]
    if op in ("identity_1d", "strided_1d", "zeros_1d"):
        return getattr(bitstride, op)(*row["args"])
    if op == "from_bases":
        names, sizes = row["out_names"], row["out_sizes"]
        return LinearLayout(dict(row["bases"]), names if sizes is None else dict(zip(names, sizes)))
    a = layout(row["a"])
    if op == "apply":
        return a.apply(dict(row["x"]))
    if op in ("invert", "pseudoinvert"):
        return getattr(a, op)()
    b = layout(row["b"])
    return a * b if op == "mul" else getattr(a, op)(b)


def test_linear_layouts():
    ops = {"apply", "compose", "identity_1d", "invert", "invert_and_compose", "mul", "pseudoinvert", "strided_1d", "zeros_1d"}
    rows = [row for row in read("triton/ll_algebra.jsonl.gz") if row["op"] in ops]
    differ = []
    for row in rows:
        answer = parts(code_of(lambda: linear_answer(row)))
        if "error" in row:
            wanted = {"error": row["error"]}
        elif row["op"] == "apply":
            wanted = dict(row["out"])
        else:
            wanted = {key: row["out"][key] for key in ("bases", "outs")}
        if answer != wanted:
            differ.append((row["id"], answer, wanted))
    assert len(rows) > 4000 and not differ, (len(differ), differ[:3])


def test_types_of_triton():
    rows = [row for row in read("triton/real_types.jsonl.gz") + read("triton/foreign_shapes.jsonl.gz") if row.get("out")]
    compared = 0
    for row in rows:
        # A type of a part ends with the shape of the whole, whose layout the row has. Three buffers are a map. In tensor memory
        # the row is of the encoding, which does not know how large an element is.
        is_part = re.search(r", \d+(x\d+)*>$", row["text"])
        if is_part or "tensor_memory" in row["text"] or typed(row["text"]).kind == "map":
            continue
        linear = LinearLayout(row["text"])
        wanted = {name: images for name, images in row["out"].items() if name != "shape"}
        # Of several buffers a row has the layout of one.
        more = len(linear.out_dims) - len(next((images[0] for images in wanted.values() if images), linear.out_dims))
        bases = {name: linear.bases[name] for name in wanted}
        found = {name: [image[more:] for image in images if not any(image[:more])] for name, images in bases.items()}
        assert found == wanted, row["id"]
        compared += 1
    assert compared > 1500, compared


def test_arrays_of_xla():
    rows, asked = read("xla/index.jsonl.gz"), 0
    for row in rows:
        array = Shape(row["shape"])
        assert array.shape == tuple(row["dims"]) and array.minor_to_major == tuple(row["minor_to_major"]), row["id"]
        assert array.byte_size == row["bytes"], row["id"]
        if "linear" in row and row["dims"]:
            assert [array(number) for number in range(row["elements"])] == row["linear"], row["id"]
            asked += row["elements"]
    assert len(rows) > 1500 and asked > 10_000, asked


def test_strides_and_relations_of_xla():
    for row in read("xla/strides.jsonl.gz"):
        array = Shape(row["shape"])
        assert array.byte_size == row["byte_size"] and array.minor_to_major == tuple(row["minor_to_major"]), row["id"]
        assert array.element_bits == row["element_bits"], row["id"]
    for row in read("xla/relations.jsonl.gz"):
        found = code_of(lambda: Shape(row["shape"]).convert("cute"))
        if row["cute"] is not None:
            assert bitstride.same(found, row["shape"]) and bitstride.same(row["cute"], row["shape"]), row["id"]


def test_reshapes_of_xla():
    rows = [row for row in read("xla/bitcast.jsonl.gz") if row["op"] == "reshape"]
    for row in rows:
        found = bitstride.reshape_is_bitcast(Shape(row["input"]), Shape(row["output"]))
        assert found == row["is_bitcast"], row["id"]
    assert len(rows) > 500
