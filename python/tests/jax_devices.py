"""Plans on eight devices of JAX: the right elements on each."""

import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ["JAX_PLATFORMS"] = "cpu"

import bitstride
import jax
import numpy
from jax.sharding import Mesh, NamedSharding, PartitionSpec

SPECS = [
    ("P('a', 'b')", "P('b', 'a')"),
    ("P(('a','b'), None)", "P(None, ('b','a'))"),
    ("P('a')", "P()"),
    ("P(None, None)", "P(('b','a'), None)"),
    ("P('a', None)", "P('a', None)"),
]


def main():
    devices = jax.devices()
    order = [3, 1, 7, 6, 0, 2, 5, 4]
    whole = numpy.arange(16 * 8, dtype="float32").reshape(16, 8)
    cases = 0
    for source, target in SPECS:
        for ids in (None, order):
            text = "" if ids is None else f",device_ids={ids}"
            grid = numpy.array([devices[own] for own in (ids or range(8))]).reshape(2, 4)
            spec = eval(source, {"P": PartitionSpec})
            array = jax.device_put(whole, NamedSharding(Mesh(grid, ("a", "b")), spec))
            before = f"shard(f32[16,8], {source}, mesh(a=2,b=4{text}))"
            moved = bitstride.plan(before, f"shard(f32[16,8], {target}, mesh(a=2,b=4))").run(array)
            plain = NamedSharding(
                Mesh(numpy.array(devices).reshape(2, 4), ("a", "b")), eval(target, {"P": PartitionSpec})
            )
            assert moved.sharding.is_equivalent_to(plain, 2), (moved.sharding, plain)
            numpy.testing.assert_array_equal(numpy.asarray(moved), whole)
            wanted = {shard.device: shard.data for shard in jax.device_put(whole, plain).addressable_shards}
            for shard in moved.addressable_shards:
                numpy.testing.assert_array_equal(shard.data, wanted[shard.device])
            cases += 1
    print(f"{cases} cases on {len(devices)} devices")


main()
