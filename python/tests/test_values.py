"""Every kind of value: texts that read back, equality, hashes, pickles, immutability."""

import copy
import json
import pickle

import weakref

import bitstride
import pytest
from bitstride import triton, xla
from test_operations import arguments

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
    bitstride.Instruction("atom(SM80_16x8x16_F32F16F16F32_TN)"),
    bitstride.Sharding("shard(f32[8,6], P('a', None), mesh(a=2,b=4))"),
]


def example_values():
    """One value of each class and kind that the table's examples have, as arguments and as answers."""
    found = {}
    for name, _, _, _, example in bitstride.operations():
        for text in (example, *arguments(example)):
            try:
                answer = bitstride.parse(text)
            except bitstride.Error:
                continue
            for value in answer if isinstance(answer, (list, tuple)) else [answer]:
                if isinstance(value, bitstride.Value):
                    found.setdefault((type(value), value.kind, str(value)[:4]), value)
    return list(found.values())


EXAMPLES = example_values()


def test_every_kind_has_a_class_of_its_own():
    kinds = {}
    for value in EXAMPLES:
        kinds.setdefault(type(value), set()).add(value.kind)
    assert all(len(of) == 1 for kind, of in kinds.items() if kind is not bitstride.Instruction), kinds
    assert kinds[bitstride.Instruction] == {"atom", "tiled_mma", "tiled_copy", "slice"}
    assert len(kinds) >= 14


@pytest.mark.parametrize("value", EXAMPLES, ids=str)
def test_values_of_examples_keep_the_laws(value):
    test_the_text_reads_back(value)
    test_repr_reads_back(value)
    test_pickles_and_copies(value)


@pytest.mark.parametrize("value", VALUES, ids=str)
def test_the_text_reads_back(value):
    again = type(value)(str(value))
    assert type(again) is type(value)
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


def test_what_has_no_picture_says_why():
    for value, reason in [
        (bitstride.Layout("(M,N):(N,1)"), "the value of M is not known"),
        (bitstride.parse("affine_map<(d0, d1) -> (d1, d0)>"), "has no extents"),
        (bitstride.Encoding("#ttg.blocked<{sizePerThread=[1], threadsPerWarp=[32], warpsPerCTA=[1], order=[0]}>"), "one for each shape"),
    ]:
        assert value._repr_svg_() is None and reason in value._repr_html_()


def test_an_encoding_is_drawn_for_a_shape():
    encoding = bitstride.triton.BlockedLayout([1, 2], [4, 8], [1, 1], [1, 0])
    linear = encoding.to_linear((4, 16))
    assert encoding.show(shape=(4, 16)).svg == bitstride.show(encoding, shape=(4, 16)).svg == linear.show().svg
    with pytest.raises(bitstride.Error):
        encoding.show(shape=(4,))


def test_cells_say_what_they_are_to_a_pointer():
    svg = bitstride.Layout("(2,4):(4,1)").show().svg
    assert svg.count("<title>") == 9 and "<title>row 1, column 2; 6; element 5, place 6</title>" in svg


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


def test_every_class_with_parts_matches_them():
    match bitstride.LinearLayout({"lane": [[1], [2]]}, {"dim0": 4}):
        case bitstride.LinearLayout({"lane": [[1], [2]]}, {"dim0": size}):
            assert size == 4
        case _:
            raise AssertionError
    match xla.Shape("f32[3,5]{1,0:T(2,2)}"):
        case xla.Shape("f32", (3, 5), order, ((2, 2),)):
            assert order == (1, 0)
        case _:
            raise AssertionError
    match bitstride.Symbol("M", div=8):
        case bitstride.Symbol({"M": div}):
            assert div == 8
        case _:
            raise AssertionError
    match bitstride.Tiler("<3:4, 8>"):
        case bitstride.Tiler((bitstride.Layout(3, 4), whole)):
            assert str(whole) in ("8", "8:1")
        case _:
            raise AssertionError
    for value in VALUES:
        names = getattr(type(value), "__match_args__", ())
        assert all(hasattr(value, name) for name in names)
        assert names or type(value).__name__ in {"Encoding", "BareLayout", "AffineMap", "Sharding", "Basis"}


def test_what_explains_and_draws_is_pickled():
    for expression in ("complement(4:2, 24)", "composition((6,2):(1,7), (3,2):(2,3))"):
        explanation = bitstride.explain(expression)
        assert str(pickle.loads(pickle.dumps(explanation))) == str(explanation)
        for step in explanation.steps:
            again = pickle.loads(pickle.dumps(step))
            assert repr(again) == repr(step) and again.rule == step.rule and again.value == step.value
            assert step.rule.partition("<")[0] in step._repr_html_() and "<code>" in step._repr_html_()
    picture = bitstride.show("(2,4):(4,1)")
    again = pickle.loads(pickle.dumps(picture))
    assert (again.text, again.svg) == (picture.text, picture.svg) and picture._repr_html_() == picture.svg


def test_values_are_referred_to_weakly():
    for value in VALUES:
        assert weakref.ref(value)() is value


def test_a_symbol_is_subtracted():
    M, N = bitstride.Symbol("M"), bitstride.Symbol("N")
    assert str(M - N) == str(M + N * -1) and str(M - 1) == "M-1" and str(1 - M) == str(M * -1 + 1)
    assert M - M == 0 and -M + M == 0 and -(-M) == M and type(-M) is bitstride.Symbol
    with pytest.raises(bitstride.Error):
        (M * (1 << 62)) - (M * -(1 << 62))


def test_an_instruction_has_parts():
    atom = bitstride.Instruction("atom(SM80_16x8x16_F32F16F16F32_TN)")
    assert str(atom["A"]) == "((4,8),(2,2,2)):((32,1),(16,8,128))" and "A" in atom and "S" not in atom
    for part in atom.parts:
        assert atom[part] == bitstride.parse(f"{atom}.{part}")
    with pytest.raises(KeyError):
        atom["S"]


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


def test_division_of_unknowns_is_that_of_python():
    for a in range(-9, 10):
        for b in (-4, -1, 1, 3):
            assert int(bitstride.floor_div(a, b)) == a // b
    unknown = bitstride.Symbol("M") - 8
    for text, of in ((str(unknown // 3), lambda m: (m - 8) // 3), (str(unknown % 3), lambda m: (m - 8) % 3)):
        for m in range(1, 20):
            assert int(bitstride.parse(text.replace("M", str(m)))) == of(m), text
