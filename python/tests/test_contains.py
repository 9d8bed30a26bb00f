"""Which offsets are reached, one at a time and of arrays."""

import bitstride
import pytest
from bitstride import ComposedLayout, Layout

np = pytest.importorskip("numpy")


@pytest.mark.parametrize(
    "layout",
    [
        Layout("(4,2):(3,100)"),
        Layout("((2,3),4):((1,0),-5)"),
        Layout("(4,0):(1,4)"),
        Layout("(4,8):(8,1)")(2, None),
        ComposedLayout("Sw<2,1,3> o 0 o (4,8):(8,1)"),
        bitstride.xla.Shape("f32[3,5]{1,0:T(2,2)}"),
        bitstride.Map("tensor((2,3), (-3,2), 4)"),
    ],
)
def test_an_array_has_the_answers_of_its_entries(layout):
    asked = np.arange(-40, 120).reshape(16, 10)
    mask = layout.contains(asked)
    assert mask.dtype == bool and mask.shape == asked.shape
    reached = set(layout.offsets().tolist())
    assert mask.ravel().tolist() == [offset in reached for offset in asked.ravel().tolist()]
    assert mask.ravel().tolist() == [offset in layout for offset in asked.ravel().tolist()]
    assert all(layout.contains(int(offset)) is (int(offset) in reached) for offset in asked.ravel()[::7])


def test_what_is_no_offset_is_refused():
    layout = Layout("(4,8):(8,1)")
    assert layout.contains([3, 99]).tolist() == [True, False]
    with pytest.raises(TypeError):
        layout.contains(np.array([0.5]))
    with pytest.raises(TypeError):
        layout.contains("3")
    with pytest.raises(bitstride.Error):
        Layout("(M,4):(4,1)").contains(np.array([1, 2]))
