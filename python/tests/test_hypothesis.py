"""Laws at random: evaluation, composition, complement and inverses, against plain Python.

Hypothesis finds small counterexamples among few cases; a generator of our own tries the same laws on 100,000.
"""

import random

import bitstride
from bitstride import Layout
from hypothesis import given, settings
from hypothesis import strategies as st


def shapes(leaves):
    return st.recursive(leaves, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=5)


@st.composite
def layouts(draw, low=-40):
    shape = draw(shapes(st.integers(1, 5)))

    def strided(part):
        return tuple(map(strided, part)) if isinstance(part, tuple) else draw(st.integers(low, 40))

    return shape, strided(shape)


def leaves(part):
    return [leaf for inner in part for leaf in leaves(inner)] if isinstance(part, tuple) else [part]


def offsets(shape, stride):
    found = [0]
    for extent, step in zip(leaves(shape), leaves(stride)):
        found = [start + step * at for at in range(extent) for start in found]
    return found


def check_evaluation(parts):
    layout = Layout(*parts)
    wanted = offsets(*parts)
    assert layout.shape == parts[0] and layout.stride == parts[1] and layout.size == len(wanted)
    assert layout.offsets().tolist() == wanted and [layout(i) for i in range(layout.size)] == wanted
    assert Layout(str(layout)) == layout and eval(repr(layout)) == layout
    assert layout.coalesce().offsets().tolist() == wanted and layout.flatten().offsets().tolist() == wanted


def check_composition(outer, inner):
    """The composition is the function, or refused."""
    a, b = Layout(*outer), Layout(*inner)
    try:
        composed = a @ b
    except bitstride.Error as error:
        assert error.code in {"split", "carry", "not-a-layout"}
        return
    assert composed.offsets().tolist() == [a(index) for index in b.offsets().tolist()]


def check_complement_and_inverses(parts, target):
    layout = Layout(*parts)
    try:
        rest = layout.complement(target)
    except bitstride.Error:
        pass
    else:
        both = bitstride.make_layout(layout, rest).filter()
        assert both.is_injective()
    right = layout.right_inverse()
    assert [layout(place) for place in right.offsets().tolist()] == list(range(right.size))
    try:
        left = layout.left_inverse()
    except bitstride.Error:
        return
    assert [layout(left(place)) for place in layout.offsets().tolist()] == layout.offsets().tolist()


@settings(max_examples=1500, deadline=None)
@given(layouts())
def test_evaluation_is_the_inner_product(parts):
    check_evaluation(parts)


@settings(max_examples=1500, deadline=None)
@given(layouts(), layouts(low=0))
def test_composition_is_the_function_or_refused(outer, inner):
    check_composition(outer, inner)


@settings(max_examples=1000, deadline=None)
@given(layouts(low=0), st.integers(1, 200))
def test_complement_and_inverses(parts, target):
    check_complement_and_inverses(parts, target)


def drawn(chance, low, depth=0):
    """A shape and a stride, nested alike, of at most about 60 elements."""
    if depth == 2 or (depth and chance.random() < 0.7):
        # Strides that fit together come up often, and others too.
        return chance.randint(1, 4), chance.choice((0, 1, 2, 3, 4, 6, 8, 12, 16, 24, chance.randint(low, 40)))
    parts = [drawn(chance, low, depth + 1) for _ in range(chance.randint(1, 3 - depth))]
    return tuple(shape for shape, _ in parts), tuple(stride for _, stride in parts)


def test_a_hundred_thousand_cases():
    chance = random.Random(20)
    for _ in range(50_000):
        check_evaluation(drawn(chance, -40))
    for _ in range(20_000):
        check_composition(drawn(chance, -40), drawn(chance, 0))
    for _ in range(30_000):
        check_complement_and_inverses(drawn(chance, 0), chance.randint(1, 200))
