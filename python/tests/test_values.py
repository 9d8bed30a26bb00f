"""Every kind of value: texts that read back, equality, hashes, pickles, immutability."""

import copy
import json
import pickle

import bitstride
import pytest
from bitstride import triton, xla

VALUES = [
    bitstride.Layout("(4,8):(8,1)"),
    bitstride.Layout("((2,2),3):((24,2),8)"),
    bitstride.Layout("4:1"),
    bitstride.Layout("():()"),
    bitstride.Layout("(M,4):(1,M)"),
    bitstride.Layout("(3?,4):(1,3?)"),
    bitstride.Layout("(4,8):(1@0,1@1)"),
    bitstride.Layout("(4,8):(8,1) + 3"),
    bitstride.Swizzle(3, 4, 3),
    bitstride.Swizzle("Sw<3,4,-3>"),
    bitstride.ComposedLayout("Sw<3,4,3> o 0 o (8,64):(64,1)"),
    bitstride.Tiler("<3:3, (2,4):(1,8)>"),
    bitstride.LinearLayout("linear<{lane=[[1],[2]]}, out=[dim0:4]>"),
    bitstride.Encoding("#ttg.swizzled_shared<{vec=1, perPhase=1, maxPhase=1, order=[1,0]}>"),
    triton.BlockedLayout([1, 2], [4, 8], [2, 1], [1, 0]),
    xla.Shape("f32[3,5]{1,0:T(2,2)}"),
    xla.BareLayout("{1,0:T(8,128)}"),
    bitstride.Map("tensor((3,5), (5,1))"),
    bitstride.Map("(8,4):(^9,^1)"),
    bitstride.AffineMap("affine_map<(d0, d1) -> (d0 * 8 + d1)>"),
    bitstride.same("4:1", "4:1"),
    bitstride.same("4:1", "4:2"),
    bitstride.Symbol("M"),
    bitstride.Symbol("M", div=8),
    bitstride.Symbol("?{div=8}"),
    bitstride.Basis("2@0"),
]


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_the_text_reads_back(value):
    base = bitstride.Encoding if isinstance(value, bitstride.Encoding) else type(value)
    again = base(str(value))
    assert again == value and hash(again) == hash(value) and str(again) == str(value)
    assert not again != value


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_repr_reads_back(value):
    names = {**vars(triton), **vars(xla), **vars(bitstride)}
    assert eval(repr(value), names) == value


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_pickles_and_copies(value):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(value, protocol))
        assert again == value and type(again) is type(value)
    assert copy.copy(value) is value
    assert copy.deepcopy([value])[0] == value


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_values_never_change(value):
    with pytest.raises(AttributeError):
        value.shape = 1
    with pytest.raises(AttributeError):
        value.nothing = 1


def test_values_of_other_kinds_differ():
    assert len(set(VALUES)) == len(VALUES)
    for at, value in enumerate(VALUES):
        assert VALUES.index(value) == at
        assert value != str(value) and value != 1 and not value == None  # noqa: E711
        with pytest.raises(TypeError):
            value < value  # noqa: B015


def test_nesting_is_part_of_a_layout():
    assert bitstride.Layout("4:1") != bitstride.Layout("(4):(1)")
    assert bitstride.Layout((2, (2, 2))) != bitstride.Layout((2, 2, 2))


def test_every_value_is_drawn_or_written():
    for value in VALUES:
        html = value._repr_html_()
        assert "<code>" in html
        svg = value._repr_svg_()
        assert svg is None or svg.startswith("<svg ") and svg in html
    drawn = [value for value in VALUES if value._repr_svg_()]
    assert {type(value).__name__ for value in drawn} >= {"Layout", "ComposedLayout", "LinearLayout", "Shape"}


def test_a_picture_links_to_the_page_where_its_address_is_known(monkeypatch):
    layout = bitstride.Layout("(4,8):(8,1)")
    monkeypatch.delenv("BITSTRIDE_PAGE", raising=False)
    assert "<a " not in layout._repr_html_()
    monkeypatch.setenv("BITSTRIDE_PAGE", "http://127.0.0.1:8080/")
    link = 'href="http://127.0.0.1:8080/#1~view:;grid;a~---~a;=;(4,8):(8,1)"'
    assert link in layout._repr_html_()
    # What has no picture has nothing to open.
    assert "<a " not in bitstride.Symbol("M")._repr_html_()


def test_pictures(tmp_path):
    picture = bitstride.show(bitstride.Layout("(2,4):(4,1)"), "(2,2):(1,2)")
    assert "│ 1 │" in str(picture) and picture.svg == picture._repr_svg_()
    picture.save(tmp_path / "two.svg")
    assert (tmp_path / "two.svg").read_text() == picture.svg
    assert str(bitstride.Layout("(2,4):(4,1)").show()) in repr(bitstride.Layout("(2,4):(4,1)").show())


def test_pattern_matching():
    match bitstride.Layout("(4,8):(8,1)"):
        case bitstride.Layout((rows, columns), stride):
            assert (rows, columns, stride) == (4, 8, (8, 1))
        case _:
            raise AssertionError
    match bitstride.Swizzle(3, 4, 3):
        case bitstride.Swizzle(bits, base, shift):
            assert (bits, base, shift) == (3, 4, 3)
    match bitstride.ComposedLayout(bitstride.Swizzle(3, 4, 3), 0, "(8,64):(64,1)"):
        case bitstride.ComposedLayout(bitstride.Swizzle(3, _, _), 0, bitstride.Layout(shape)):
            assert shape == (8, 64)
        case _:
            raise AssertionError
    match triton.BlockedLayout([1, 2], [4, 8], [2, 1], [1, 0]):
        case triton.BlockedLayout([1, vector], order=[1, 0]):
            assert vector == 2
        case _:
            raise AssertionError


def test_json_is_what_the_command_prints():
    layout = bitstride.Layout("(4,8):(8,1)")
    assert json.loads(layout.to_json()) == {
        "kind": "layout",
        "value": "(4,8):(8,1)",
        "data": {"shape": [4, 8], "stride": [8, 1]},
    }
    explained = json.loads(bitstride.explain("complement(4:2, 24)").to_json())
    assert explained["value"] == "(2,3):(1,8)"
    assert explained["steps"][0]["expression"] == "div(2, 1)"
