"""Tensors over devices move as planned: every element, and no byte more than the bound."""

import collections
import gzip
import itertools
import json
import os
import random
import re
import subprocess
import sys
from pathlib import Path

import bitstride
import pytest
from bitstride._sharding import _blocks, _part

numpy = pytest.importorskip("numpy")

FOLDER = Path(__file__).parent
DATA = FOLDER.parents[1] / "testdata" / "sharding"


def recorded(name):
    """The pairs of a file, with the bytes that each device lacks by enumeration."""
    with gzip.open(DATA / name, "rt") as file:
        for line in file:
            row = json.loads(line)
            row = row.get("in", row) | row
            array = f"{row['dtype']}[{','.join(map(str, row['shape']))}]"

            def mesh(own):
                names = own.get("names") or [None] * len(own["sizes"])
                axes = [str(size) if name is None else f"{name}={size}" for name, size in zip(names, own["sizes"])]
                ids = own.get("device_ids")
                return f"mesh({','.join(axes)}{'' if ids is None else f',device_ids={ids}'})"

            def side(own):
                if isinstance(own, str):
                    return f"shard({array}, {own}, {mesh(row['mesh'])})"
                return f"shard({array}, {own['text']}, {mesh(own['mesh'])})"

            yield side(row["source"]), side(row["target"]), row


def shards(row, side, whole, extents):
    """The local arrays that a row states, from its ranges; an empty one has the extents that we say."""
    found = []
    for device, own in enumerate(extents):
        dims = row[f"{side}_shards"].get(str(device), [[]])
        indices = [[index for run in dim for index in range(*run)] for dim in dims]
        found.append(whole[numpy.ix_(*indices)] if all(indices) else whole[:0].reshape(own))
    return found


@pytest.mark.parametrize("name", ["reshard-jax.jsonl.gz", "reshard-dtensor.jsonl.gz"])
def test_recorded_pairs_receive_the_least_bytes(name):
    count = 0
    for source, target, row in recorded(name):
        whole = numpy.arange(numpy.prod(row["shape"], dtype=int), dtype="f4").reshape(row["shape"])
        plan = bitstride.plan(source, target)
        moved = plan.simulate(shards(row, "source", whole, plan.before))
        for own, wanted in zip(moved, shards(row, "target", whole, plan.after)):
            numpy.testing.assert_array_equal(own, wanted, f"{source} to {target}")
        assert moved.received == [row["min_recv_bytes"].get(str(device), 0) for device in range(len(moved))], source
        count += 1
    assert count > 100


def random_sharding(chance, shape):
    """A sharding of 16 devices, and the local arrays of a tensor by the definition of its placements."""
    sizes = chance.choice([[16], [2, 8], [4, 4], [2, 2, 4]])
    placements = []
    for _ in sizes:
        dim = chance.randrange(len(shape))
        factor = chance.choice([2, 3, 4])
        placements.append(
            chance.choice(
                ["Replicate()", f"Shard({dim})", f"Shard({dim})", f"_StridedShard({dim}, split_factor={factor})"]
            )
        )
    text = f"shard(s32[{','.join(map(str, shape))}], [{', '.join(placements)}], mesh({','.join(map(str, sizes))}))"

    def chunks(indices, count):
        size = -(-len(indices) // count)
        return [indices[at * size : (at + 1) * size] for at in range(count)]

    def local(whole, device):
        dims = [list(range(extent)) for extent in shape]
        for at, (size, placement) in enumerate(zip(sizes, placements)):
            own = device // int(numpy.prod(sizes[at + 1 :], dtype=int)) % size
            if placement == "Replicate()":
                continue
            dim = int(placement[placement.index("(") + 1 :].split(",")[0].rstrip(")"))
            factor = int(placement.split("=")[1].rstrip(")")) if "=" in placement else 1
            dims[dim] = [index for part in chunks(dims[dim], factor) for index in chunks(part, size)[own]]
        return whole[numpy.ix_(*dims)]

    return text, lambda whole: [local(whole, device) for device in range(16)]


def in_rounds(plan, memory):
    """The pieces of all devices in the parts of their rounds, which are those that are listed: each within the limit and by both of its devices,
    and none waits for ever."""
    listed = plan.pieces
    rounds = [plan.rounds(memory, device) for device in range(plan.devices)]
    gives, takes = [], []
    for device, own in enumerate(rounds):
        for pieces in own:
            others = [piece for piece in pieces if piece.source != piece.target]
            if memory is not None:
                assert sum(plan.element_bits // 8 * piece.elements() for piece in others) <= memory
            gives += [piece for piece in others if piece.source == device]
            takes += [piece for piece in pieces if piece.target == device]
    assert sorted(gives) == sorted(piece for piece in takes if piece.source != piece.target)
    assert sum(piece.elements() for piece in takes) == sum(piece.elements() for piece in listed)
    if memory is None:
        assert sorted(takes) == sorted(listed)
    # What is in the rounds that both of its devices are at moves, and a round without anything left is over.
    left = [[{repr(piece) for piece in pieces if piece.source != piece.target} for pieces in own] for own in rounds]
    while True:
        left = [list(itertools.dropwhile(lambda messages: not messages, own)) for own in left]
        if not any(left):
            break
        count = collections.Counter(message for own in left if own for message in own[0])
        moved = {message for message, sides in count.items() if sides == 2}
        assert moved, "devices wait for each other"
        for own in left:
            if own:
                own[0] -= moved
    return takes


def test_random_pairs_of_16_devices_and_rounds():
    chance = random.Random(7)
    for _ in range(150):
        shape = [chance.choice([1, 5, 7, 16, 24, 33]) for _ in range(chance.choice([1, 2, 3]))]
        whole = numpy.arange(numpy.prod(shape), dtype="i4").reshape(shape)
        (source, before), (target, after) = random_sharding(chance, shape), random_sharding(chance, shape)
        plan = bitstride.plan(source, target)
        moved = plan.simulate(before(whole))
        for own, wanted in zip(moved, after(whole)):
            numpy.testing.assert_array_equal(own, wanted, f"{source} to {target}")
        assert moved.received == plan.received == plan.receive
        # The parts of rounds are the pieces, and none has more than the limit.
        memory = chance.choice([64, 200, 1000])
        plan.pieces = in_rounds(plan, memory)
        again = plan.simulate(before(whole))
        assert again.received == moved.received
        for own, wanted in zip(again, moved):
            numpy.testing.assert_array_equal(own, wanted)


def test_summands():
    summands = [numpy.full((4, 6), float(device)) for device in range(4)]

    def moved(operation, target):
        source = f"shard(f64[4,6], [Partial({operation!r})], mesh(4))"
        return bitstride.plan(source, f"shard(f64[4,6], [{target}], mesh(4))").simulate(summands)

    assert [own.tolist() for own in moved("sum", "Shard(0)")] == [[[6.0] * 6]] * 4
    assert moved("sum", "Shard(0)").received == [144] * 4
    assert [own[3, 5] for own in moved("max", "Replicate()")] == [3.0] * 4
    assert [own[0, 0] for own in moved("avg", "Replicate()")] == [1.5] * 4
    assert [own[0, 0] for own in moved("product", "Replicate()")] == [0.0] * 4


@pytest.mark.parametrize("memory", [None, 128, 400])
def test_summands_that_move_with_other_elements(memory):
    shape = (9, 7)
    whole = numpy.arange(63.0).reshape(shape)

    def text(placements, sizes):
        return f"shard(f64[9,7], [{placements}], mesh({','.join(map(str, sizes))}))"

    for sizes, source, target in [
        ((4,), "Partial()", "Shard(0)"),
        ((4,), "Partial()", "Shard(1)"),
        ((2, 2), "Partial(), Shard(0)", "Shard(0), Replicate()"),
        ((2, 2), "Partial(), Shard(0)", "Replicate(), Shard(0)"),
        ((2, 4), "Shard(1), Partial()", "Shard(0), Shard(0)"),
        ((2, 2, 2), "Partial(), Replicate(), Partial()", "Shard(1), Shard(0), Replicate()"),
        ((2, 3), "Partial('max'), Shard(0)", "Shard(1), Replicate()"),
        ((2, 3), "Partial('avg'), Shard(0)", "Shard(1), Replicate()"),
    ]:
        plan = bitstride.plan(text(source, sizes), text(target, sizes))
        everywhere = ", ".join(["Replicate()"] * len(sizes))
        values = re.sub(r"Partial\([^)]*\)", "Replicate()", source)
        held = bitstride.plan(text(values, sizes), text(everywhere, sizes))
        # What each device has of the tensor, times 1, 2, … for each summand.
        local = [numpy.zeros(extents) for extents in held.before]
        for piece in held.pieces:
            for before, after in _blocks(piece):
                _part(local[piece.source], before)[...] = _part(whole, after)
        for device, own in enumerate(local):
            rest, factor, weight = device, 1, 1
            for size, word in reversed(list(zip(sizes, source.split(", ")))):
                rest, at = divmod(rest, size)
                if word.startswith("Partial"):
                    factor, weight = factor + at * weight, weight * size
            own *= factor
        plan.pieces = in_rounds(plan, memory)
        moved = plan.simulate(local)
        summands = range(1, plan.summands + 1)
        value = {"sum": sum(summands), "max": max(summands), "avg": sum(summands) / len(summands)}[plan.reduction]
        gathered = bitstride.plan(text(target, sizes), text(everywhere, sizes))
        for own in gathered.simulate(moved):
            numpy.testing.assert_allclose(own, whole * value, err_msg=f"{source} to {target}")
        assert moved.received == plan.receive


def test_a_rank_of_1024_finds_its_rounds_without_the_list_of_all_pieces():
    plan = bitstride.plan("shard(f32[8192,8192], [Shard(0)], mesh(1024))", "shard(f32[8192,8192], [Shard(1)], mesh(1024))")
    rounds = plan.rounds(65536, 5)
    assert "pieces" not in vars(plan) and plan.count == 1 << 20
    pieces = [piece for own in rounds for piece in own]
    assert sum(piece.elements() for piece in pieces if piece.target == 5) == 8192 * 8
    assert sum(piece.elements() for piece in pieces if piece.source == 5) == 8192 * 8
    # Both devices of a piece have it in the same parts.
    given = [piece for piece in pieces if (piece.source, piece.target) == (5, 77)]
    assert given == [piece for own in plan.rounds(65536, 77) for piece in own if (piece.source, piece.target) == (5, 77)]


def test_who_has_summands_of_the_same_elements():
    for source, target in [
        ("[Partial(), Shard(1)], mesh(2,4)", "[Replicate(), Shard(1)], mesh(2,4)"),
        ("[Partial(), Shard(1)], mesh(2,4,device_ids=[3,1,7,6,0,2,5,4])", "[Shard(0), Shard(1)], mesh(2,4,device_ids=[3,1,7,6,0,2,5,4])"),
        ("[Partial('max')], mesh(8)", "[Shard(0)], mesh(8)"),
    ]:
        plan = bitstride.plan(f"shard(f32[16,8], {source})", f"shard(f32[16,8], {target})")
        listed = {}
        for piece in plan.pieces:
            listed.setdefault(piece.target, []).append(piece.source)
        assert sorted(map(sorted, plan._members)) == sorted({tuple(sorted(own)): sorted(own) for own in listed.values()}.values())


def test_devices_that_hold_nothing_or_all():
    only, all_ = "shard(f32[8], '{maximal device=3}', 4)", "shard(f32[8], '{devices=[4]<=[4]}')"
    whole = numpy.arange(8, dtype="f4")
    moved = bitstride.plan(only, all_).simulate([None, None, None, whole])
    assert [own.tolist() for own in moved] == [[0, 1], [2, 3], [4, 5], [6, 7]] and moved.received == [8, 8, 8, 0]
    back = bitstride.plan(all_, only).simulate(moved)
    assert back[:3] == [None] * 3 and back[3].tolist() == whole.tolist() and back.received == [0, 0, 0, 24]
    # More devices than before, tensors without dims, and without elements.
    more = bitstride.plan("shard(f32[8], [Shard(0)], mesh(2))", "shard(f32[8], [Shard(0)], mesh(4))")
    assert [own.tolist() for own in more.simulate([whole[:4], whole[4:], None, None])] == [
        own.tolist() for own in moved
    ]
    single = "shard(f32[], [Replicate()], mesh(2))"
    assert [own.tolist() for own in bitstride.plan(single, single).simulate([whole[3].reshape(())] * 2)] == [3, 3]
    empty = bitstride.plan("shard(f32[0,4], [Shard(0)], mesh(2))", "shard(f32[0,4], [Shard(1)], mesh(2))")
    assert [own.shape for own in empty.simulate([whole[:0].reshape(0, 4)] * 2)] == [(0, 2)] * 2


def test_what_is_refused():
    def code(call):
        with pytest.raises(bitstride.Error) as error:
            call()
        return error.value.code

    shard, replicate = "shard(f32[8], [Shard(0)], mesh(2))", "shard(f32[8], [Replicate()], mesh(2))"
    partial = "shard(f32[8], [Partial()], mesh(2))"
    plan = bitstride.plan(shard, replicate)
    assert code(lambda: bitstride.plan(replicate, partial)) == "not-a-layout"
    assert code(lambda: bitstride.plan(shard, "shard(f32[9], [Shard(0)], mesh(2))")) == "rank-mismatch"
    assert code(lambda: bitstride.plan("(4,2):(2,1)", shard)) == "kind"
    assert code(lambda: plan.simulate([numpy.zeros(8, "f4")] * 2)) == "rank-mismatch"
    assert code(lambda: plan.simulate([numpy.zeros(4, "f8")] * 2)) == "kind"
    assert code(lambda: plan.simulate([numpy.zeros(4, "f4")] * 3)) == "rank-mismatch"
    assert code(lambda: plan.simulate([None] * 2)) == "rank-mismatch"
    assert code(lambda: plan.rounds(3, 0)) == "too-large"
    assert code(lambda: plan.run([1, 2])) == "kind"


def test_the_plan_is_data_as_on_the_command_line():
    source, target = "shard(f32[8,6], [Shard(0)], mesh(a=4))", "shard(f32[8,6], [Replicate()], mesh(a=4))"
    plan = bitstride.plan(bitstride.Sharding(source), bitstride.Sharding(target))
    assert isinstance(plan.source, bitstride.Sharding) and plan.source.shape == (8, 6) and plan.source.devices == 4
    program = [sys.executable, "-c", "import sys; from bitstride._core import main; sys.exit(main())"]
    said = subprocess.run([*program, "--json", "reshard", source, "--to", target], capture_output=True, check=True)
    assert json.loads(said.stdout) == json.loads(plan.to_json())
    assert plan.send == plan.receive == [144] * 4


@pytest.mark.parametrize("script", ["torch_ranks.py", "jax_devices.py"])
def test_engines(script):
    """Eight processes of torch on gloo, and eight devices of JAX; each in processes of its own."""
    package = script.partition("_")[0]
    if subprocess.run([sys.executable, "-c", f"import {package}"], capture_output=True).returncode:
        message = f"{package} cannot be imported: its plans were not run"
        print(f"SKIPPED: {message}", file=sys.stderr)
        pytest.skip(message)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, FOLDER / script], capture_output=True, text=True, env=environment, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "cases" in done.stdout


def test_a_checkpoint_for_another_mesh(tmp_path):
    data = numpy.arange(48, dtype="<i4").reshape(8, 6)
    header = json.dumps({"w": {"dtype": "I32", "shape": [8, 6], "data_offsets": [0, 192]}}).encode()
    (tmp_path / "in").mkdir()
    whole = len(header).to_bytes(8, "little") + header + data.tobytes()
    (tmp_path / "in" / "model.safetensors").write_bytes(whole)
    planned = bitstride.reshard(tmp_path / "in", tmp_path / "out", to="tp=2", dry_run=True)
    assert len(planned["files"]) == 2 and not (tmp_path / "out").exists()
    done = bitstride.reshard(tmp_path / "in", tmp_path / "out", to="tp=2", memory="1MiB")
    assert (done["read"], done["written"]) == (192, 192)
    second = sorted((tmp_path / "out").iterdir())[1].read_bytes()
    assert second.endswith(data[4:].tobytes())
    with pytest.raises(bitstride.RefusedError, match="is there already"):
        bitstride.reshard(tmp_path / "in", tmp_path / "out", to="tp=2")
    with pytest.raises(OSError):
        bitstride.reshard(tmp_path / "nothing", tmp_path / "other", to="tp=2")
    with pytest.raises(TypeError):
        bitstride.reshard(tmp_path / "in", tmp_path / "other", to="tp=2", ways=2)


def test_a_checkpoint_in_another_format_on_the_way(tmp_path):
    scales = numpy.arange(256 * 8, dtype="u1").reshape(256, 8)
    header = json.dumps({"w": {"dtype": "U8", "shape": [256, 8], "data_offsets": [0, 2048]}}).encode()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "x.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + scales.tobytes())
    bitstride.reshard(tmp_path / "in", tmp_path / "out", to="tp=2", repack=("mx:scale", "mx:scale128x4"))
    for number, path in enumerate(sorted((tmp_path / "out").iterdir())):
        own = scales[128 * number : 128 * (number + 1)]
        # Rows 32 apart side by side, four columns a tile.
        wanted = own.reshape(4, 32, 2, 4).transpose(2, 1, 0, 3).tobytes()
        assert path.read_bytes().endswith(wanted)
