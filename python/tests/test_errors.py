"""Errors: one family, with the reason as data; no input crashes."""

import copy
import pickle
import threading

import bitstride
import pytest
from bitstride import Layout


def test_a_refusal_has_its_parts():
    with pytest.raises(ValueError) as raised:
        bitstride.composition("(4,4):(1,10)", "(3,2):(1,3)")
    error = raised.value
    assert isinstance(error, bitstride.RefusedError) and isinstance(error, bitstride.Error)
    assert error.code == "carry" and "carry" in error.message and error.help.startswith("nearest")
    assert error.reason["kind"] == "carry" and error.reason["steps"] == [[1], [3], [4]]
    assert error.witness.at and len(error.witness.at) == len(error.witness.gives) and error.witness.needs
    assert error.chain == "chain((4,4):(1,10), (3,2):(1,3))" and error.span is None
    assert bitstride.parse(error.chain)(5) == 11


def test_numbers_are_facts():
    with pytest.raises(bitstride.Error) as raised:
        bitstride.parse("layout((4,8):(8,1), 7)")
    assert raised.value.reason == {"kind": "no-mode", "index": 7, "rank": 2}
    with pytest.raises(bitstride.Error) as raised:
        bitstride.parse("wavefronts((8,64):(64,1), (32,1):(1,1), 0)")
    assert raised.value.reason["element_bits"] == 0 and raised.value.reason["most"] == 128


def test_a_text_is_pointed_at():
    with pytest.raises(bitstride.Error) as raised:
        bitstride.parse("size(§, (4,8:1)")
    assert raised.value.text == "size(§, (4,8:1)"
    with pytest.raises(bitstride.Error) as raised:
        bitstride.parse("make_layout(4:1, sise(3))")
    error = raised.value
    assert error.text[slice(*error.span)] == "sise" and error.help == "did you mean size?"
    assert str(error).splitlines()[1:3] == ["  make_layout(4:1, sise(3))", "                   ^^^^"]


def test_errors_are_pickled():
    with pytest.raises(bitstride.Error) as raised:
        bitstride.composition("(4,4):(1,10)", "(3,2):(1,3)")
    for again in [pickle.loads(pickle.dumps(raised.value)), copy.copy(raised.value)]:
        assert type(again) is type(raised.value) and vars(again) == vars(raised.value) and str(again) == str(raised.value)


def test_wrong_types_are_type_errors():
    for wrong in [1.5, object(), {1: 2}, b"4:1", Layout]:
        with pytest.raises(TypeError):
            bitstride.size(wrong)
    with pytest.raises(TypeError):
        bitstride.complement("4:2", targets=24)
    with pytest.raises(TypeError):
        bitstride.complement()
    with pytest.raises(TypeError):
        bitstride.call("complement", "4:2", targets=24)
    with pytest.raises(TypeError):
        bitstride.call("complement", "4:2", 24, target=24)
    with pytest.raises(TypeError):
        bitstride.call("strided_1d", 4, in_dim="lane", out_dim="dim0")
    with pytest.raises(bitstride.Error) as raised:
        bitstride.call("no_such_operation", 1)
    assert raised.value.code == "unknown-name"


EXTREMES = [0, 1, -1, 2**31, 2**62, 2**63 - 1, -(2**63), 2**63, -(2**63) - 1, 2**200]


def test_numbers_never_wrap():
    for extent in EXTREMES:
        for stride in EXTREMES:
            try:
                layout = Layout((extent, 2), (stride, stride))
            except bitstride.Error:
                continue
            assert layout.shape == (extent, 2) and layout.stride == (stride, stride)
            for question in [lambda: layout.size, lambda: layout.cosize, lambda: layout(1, 1), lambda: layout(extent),
                             layout.coalesce, layout.right_inverse, lambda: layout.complement(7),
                             lambda: layout.complement(extent), lambda: layout @ layout, lambda: layout.zipped_divide(2),
                             lambda: layout.zipped_divide((2, extent)), lambda: layout.logical_product(layout)]:  # fmt: skip
                try:
                    answer = question()
                except bitstride.Error:
                    continue
                if isinstance(answer, int):
                    assert -(2**63) <= answer < 2**63
            try:
                assert layout(1, 1) == 2 * stride
            except bitstride.Error as error:
                assert error.code == "overflow"


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = (value,)
    return value


def test_deep_nesting_is_refused():
    assert Layout(nested(100)).depth == 100
    for depth in [129, 1000, 50_000]:
        with pytest.raises(bitstride.Error) as raised:
            Layout(nested(depth))
        assert raised.value.code == "too-large"
    with pytest.raises(bitstride.Error):
        bitstride.parse("(" * 100_000)
    endless: list = []
    endless.append(endless)
    with pytest.raises(bitstride.Error):
        bitstride.size(endless)


def test_deep_texts_in_a_small_thread():
    deep = "(" * 120 + "4" + ")" * 120
    calls = "coalesce(" * 120 + "4:1" + ")" * 120
    answers: list = []
    layout, tiler = Layout(nested(120)), nested(120)

    def work() -> None:
        answers.extend([bitstride.parse(calls), bitstride.size(deep)])
        layout.zipped_divide(tiler), layout.zipped_divide(layout), layout.explain(), layout.show(), str(layout @ layout)
        layout.same(layout), layout.inverse(), layout.offsets(), Layout(str(layout))

    old = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(old)
    assert answers == [Layout("4:1"), 4]
