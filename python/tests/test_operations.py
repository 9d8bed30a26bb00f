"""The table of operations: one function each, by position and by name, with the value of the text."""

import ast
import doctest
import inspect
import subprocess
import sys
from pathlib import Path

import bitstride
import pytest

TOOLS = Path(__file__).parents[1] / "tools"
sys.path.insert(0, str(TOOLS))
from stubs import arguments  # noqa: E402

TABLE = {name: (parameters, law, example) for name, _, parameters, law, example in bitstride.operations()}


def test_functions_are_those_of_the_table():
    subprocess.run([sys.executable, TOOLS / "operations.py", "--check"], check=True)
    own = {"bytes", "filter", "min", "slice", "zip"}
    assert set(bitstride._operations.__all__) == set(TABLE) - own and len(TABLE) > 150
    star: dict = {}
    exec("from bitstride import *", star)
    assert not own & set(star) and set(bitstride._operations.__all__) < set(star)
    for name in TABLE:
        function = getattr(bitstride, name)
        assert function.__doc__ and inspect.signature(function).parameters


def test_docstrings_have_arguments_errors_and_an_example():
    for name, (parameters, _, example) in TABLE.items():
        text = getattr(bitstride, name).__doc__
        sections = [text.find(section) for section in ("Args:\n", "Raises:\n")]
        assert 0 < sections[0] < sections[1], name
        assert f"Example: {example[:20]}" in text or f">>> {name}(" in text or f" = {name}(" in text, name
        assert all(error in text for error in ("Error: ", "RefusedError: ", "UndecidedError: ")), name
        taken = inspect.signature(getattr(bitstride, name)).parameters
        assert all(f" {parameter}: " in text for parameter in taken if parameter != "options"), name
        # A mode that is not there is an IndexError too, which a caller may await.
        modes = any("the number of a mode" in meaning for *_, meaning in parameters)
        assert ("ModeError: " in text) == (modes or "the number of the first mode" in str(parameters)), name


def test_a_flat_index_has_its_order():
    for name, (parameters, law, _) in TABLE.items():
        for text in [law, *(meaning for *_, meaning in parameters)]:
            if "flat ind" in text or "an index in a shape" in text:
                assert "major" in text or "the fastest" in text, (name, text)


def answers(call):
    try:
        return call()
    except bitstride.Error as error:
        return error.code


@pytest.mark.parametrize("name", TABLE)
def test_an_example_by_position_and_by_name(name):
    parameters, _, example = TABLE[name]
    texts = arguments(example)
    wanted = answers(lambda: bitstride.parse(example))
    assert answers(lambda: getattr(bitstride, name)(*texts)) == wanted
    assert answers(lambda: bitstride.call(name, *texts)) == wanted
    if not any(repeated for _, _, repeated, _ in parameters) and name not in {"owners"}:
        named = dict(zip((parameter for parameter, *_ in parameters), texts))
        assert answers(lambda: bitstride.call(name, **named)) == wanted


@pytest.mark.parametrize("name", TABLE)
def test_an_example_with_typed_arguments(name):
    _, _, example = TABLE[name]
    typed = []
    for text in arguments(example):
        try:
            typed.append(ast.literal_eval(text))
        except (SyntaxError, ValueError):
            try:
                typed.append(bitstride.parse(text))
            except bitstride.Error:
                typed.append(text)
    assert answers(lambda: getattr(bitstride, name)(*typed)) == answers(lambda: bitstride.parse(example))


def test_optional_arguments():
    assert bitstride.move_dim("f32[2,3,5]{2,1,0}", from_=2, to=0) == bitstride.move_dim("f32[2,3,5]{2,1,0}", 2, 0)
    assert bitstride.reshape("f32[4,6]{1,0}", (8, 3), order="row") == bitstride.parse("reshape(f32[4,6]{1,0}, (8,3), row)")
    assert bitstride.tensor((3, 5), (5, 1)) == bitstride.parse("tensor((3,5), (5,1))")
    assert bitstride.zeros_1d(4, "lane", "dim0", 2) == bitstride.parse("zeros_1d(4, lane, dim0, 2)")
    assert bitstride.owners((2, 4), (4, 8)) == bitstride.parse("owners((2,4), (4,8))")
    with pytest.raises(TypeError, match="needs from_names where to_extents is given"):
        bitstride.call("affine", "affine_map<(d0) -> (d0)>", (4,), to_extents=(4,))


def test_notes_of_an_expression():
    value, notes = bitstride.evaluate("zipped_divide(20:1, 8)")
    assert value == bitstride.Layout("(8,3):(1,8)") and notes == ["covers 24 of 20"]


def test_names_of_dims():
    layout = bitstride.LinearLayout({"M": [[1]], "o": [[2]]}, {"dim0": 4})
    assert bitstride.rename_in_dim(layout, '"M"', "lane").in_dims == {"lane": 2, "o": 2}
    assert bitstride.squeeze_ins(bitstride.identity_1d(1, "lane", "dim0"), "lane").in_dims == {}


@pytest.mark.parametrize("module", [bitstride, bitstride.triton, bitstride.xla])
def test_examples_in_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted and not found.failed
