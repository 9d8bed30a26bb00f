"""Gluon's modules and types of elements in the drop-in."""

import pickle

import pytest
from bitstride.compat.triton import gluon


def test_gluon_has_its_modules_and_types_of_elements():
    assert gluon.amd.AMDMFMALayout is gluon.amd.cdna3.AMDMFMALayout is gluon.AMDMFMALayout
    assert gluon.nvidia.blackwell.TensorMemoryLayout is gluon.TensorMemoryLayout
    chosen = gluon.NVMMASharedLayout.get_default_for([128, 64], gluon.float16)
    assert (chosen.swizzle_byte_width, chosen.element_bitwidth) == (128, 16)
    bits = {gluon.void: 0, gluon.int1: 1, gluon.uint8: 8, gluon.bfloat16: 16, gluon.float8e4nv: 8, gluon.float64: 64}
    assert {kind: kind.primitive_bitwidth for kind in bits} == bits
    assert (str(gluon.float16), repr(gluon.float16)) == ("fp16", "triton.language.float16")
    assert repr(gluon.bfloat16) == "triton.language.bfloat16" and gluon.float32.itemsize == 4
    assert pickle.loads(pickle.dumps(gluon.float8e5)) == gluon.float8e5 != gluon.float16


def test_barriers():
    barrier = gluon.nvidia.hopper.mbarrier.MBarrierLayout
    assert repr(barrier()) == "MBarrierLayout(vec=1, per_phase=1, max_phase=1, order=[0], cga_layout=[])"
    assert [barrier.multicta(n).cga_layout for n in (1, 2, 8)] == [[], [[1]], [[1], [2], [4]]]
    assert [barrier.multicta(n, True).cga_layout for n in (2, 8)] == [[[0]], [[0], [1], [2]]]
    for refused in [(3,), (0,), (1, True)]:
        with pytest.raises(ValueError):
            barrier.multicta(*refused)
    assert barrier() != gluon.SwizzledSharedLayout(1, 1, 1, [0])
    assert barrier().to_linear([4]) == gluon.SwizzledSharedLayout(1, 1, 1, [0]).to_linear([4])
