"""Checkpoints in file systems of fsspec and on Ray: the files of one process, whole or absent, and no byte read that no file has."""

import io
import json
import os
import pickle
import random
import shutil
import sys
import time
from pathlib import Path

import bitstride
import pytest


def skip_without(package):
    try:
        __import__(package)
    except ImportError:
        message = f"{package} cannot be imported: checkpoints were not written with it"
        print(f"SKIPPED: {message}", file=sys.stderr)
        pytest.skip(message)


def checkpoint(folder, files=3, rows=24, columns=40):
    """Tensors cut along dim 0, as save_distributed writes them."""
    folder.mkdir()
    for file in range(files):
        header, offsets, data = {}, {}, b""
        for name in ("a.weight", "b.weight"):
            own = rows // files
            size = own * columns * 2
            header[name] = {"dtype": "I16", "shape": [own, columns], "data_offsets": [len(data), len(data) + size]}
            offsets[name] = {"saved_offsets": [file * own, 0]}
            data += bytes((file * 101 + at * 7 + len(name)) % 251 for at in range(size))
        header["__metadata__"] = {"DCP_SHARDING_INFO": json.dumps(offsets)}
        text = json.dumps(header).encode()
        (folder / f"shard-{file}.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)


def held(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture
def made(tmp_path):
    checkpoint(tmp_path / "in")
    (tmp_path / "rules").write_text("a.* [Shard(1)]\n")
    options = {"to": "tp=4", "rules": tmp_path / "rules"}
    bitstride.reshard(tmp_path / "in", tmp_path / "whole", **options)
    return tmp_path, options, held(tmp_path / "whole")


def test_file_systems(made):
    skip_without("fsspec")
    import fsspec

    folder, options, wanted = made
    memory = fsspec.filesystem("memory")
    for path in (folder / "in").iterdir():
        memory.pipe_file(f"/in/{path.name}", path.read_bytes())
    planned = bitstride.reshard("memory://in", "memory://out", dry_run=True, **options)
    assert [file["bytes"] for file in planned["files"]] == [len(wanted[file["name"]]) for file in planned["files"]]
    assert not memory.exists("/out") and not memory.exists("/out.part")

    def inside(path):
        return {own.rpartition("/")[2]: memory.cat_file(own) for own in memory.ls(path, detail=False)}

    done = bitstride.reshard("memory://in", "memory://out", **options)
    assert inside("/out") == wanted and not memory.exists("/out.part") and done["kept"] == 0
    with pytest.raises(bitstride.RefusedError, match="is there already"):
        bitstride.reshard("memory://in", "memory://out", **options)
    # From there to here, and from here to there.
    bitstride.reshard("memory://in", folder / "near", **options)
    assert held(folder / "near") == wanted
    bitstride.reshard(folder / "in", "memory://far", **options)
    assert inside("/far") == wanted
    # A run that ended early: only the files that are missing are made.
    memory.mv("/far", "/again.part", recursive=True)
    names = sorted(wanted)
    for name in names[:2]:
        memory.rm_file(f"/again.part/{name}")
    from bitstride import _checkpoint

    kept = _checkpoint.Store("memory://again.part")
    text = (folder / "rules").read_text()
    files = planned["files"]
    about = [f"{path} {len(memory.cat_file(path))}" for path in sorted(memory.find("/in"))]
    plan = {"source": "memory://in", "about": about, "to": "tp=4", "rules": text, "files": files}
    memory.pipe_file("/again.part/plan.json", json.dumps(plan).encode())
    memory.pipe_file("/again.part/model-00001-of-00004.safetensors.left", b"of a task that was killed")
    assert kept.exists()
    done = bitstride.reshard("memory://in", "memory://again", **options)
    assert (done["kept"], inside("/again")) == (2, wanted)
    assert done["written"] == sum(len(wanted[name]) for name in names[:2])
    for path in ("/in", "/out", "/again"):
        memory.rm(path, recursive=True)
    with pytest.raises(FileNotFoundError):
        bitstride.reshard("memory://nothing", "memory://out", to="tp=2")
    with pytest.raises(bitstride.RefusedError, match="one process"):
        bitstride.reshard("memory://in", "memory://out", to="tp=2", verify=True)


def test_checkpoints_of_pytorch_in_file_systems(tmp_path):
    skip_without("fsspec")
    import fsspec

    recorded = Path(__file__).parents[2] / "testdata" / "sharding" / "dcp"
    memory = fsspec.filesystem("memory")
    (tmp_path / "in").mkdir()
    for path in recorded.iterdir():
        name = ".metadata" if path.name == "metadata" else path.name
        (tmp_path / "in" / name).write_bytes(path.read_bytes())
        memory.pipe_file(f"/dcp/{name}", path.read_bytes())
    bitstride.reshard(tmp_path / "in", tmp_path / "whole", to="tp=4")
    wanted = held(tmp_path / "whole")
    for source in ("memory://dcp", f"file://{tmp_path}/in"):
        out = tmp_path / f"out{len(source)}"
        done = bitstride.reshard(source, out, to="tp=4")
        assert held(out) == wanted and done["left_out"] == ["step.count"]
    # Of a large entry only the ends are read, and what is needed.
    from bitstride import _checkpoint

    asked = []
    fetched = _checkpoint.Mirror._fetched

    def counted(self, local, start, length):
        asked.append((local.name, length))
        return fetched(self, local, start, length)

    ends, _checkpoint.Mirror._fetched, _checkpoint.ENDS = _checkpoint.ENDS, counted, 1200
    try:
        mirror = _checkpoint.Mirror("memory://dcp", tmp_path / "mirror")
        heads = len(asked)
        # Another mirror begins with the same bytes, and reads nothing; nor do the files of an output read them again.
        again = _checkpoint.Mirror("memory://dcp", tmp_path / "again", mirror.heads)
        assert len(asked) == heads and held(again.folder) == held(mirror.folder)
        bitstride.reshard("memory://dcp", tmp_path / "once", to="tp=4")
        assert [name for name, _ in asked[heads:]].count(".metadata") == 1 and held(tmp_path / "once") == wanted
    finally:
        _checkpoint.ENDS, _checkpoint.Mirror._fetched = ends, fetched
    asked = asked[:heads]
    sizes = {path.name: path.stat().st_size for path in recorded.iterdir()}
    for name in ("__0_0.distcp", "__1_0.distcp"):
        assert 0 < sum(length for own, length in asked if own == name) <= sizes[name]
    # Metadata that runs code, that names other files, and entries that are not there.
    right = (recorded / "metadata").read_bytes()
    for wrong in (b"cos\nsystem\n(\x8c\x05touchtR.", right.replace(b"__0_0", b"../_0"), right.replace(b"__0_0", b"__9_0"), right[:-9]):
        memory.pipe_file("/dcp/.metadata", wrong)
        with pytest.raises((bitstride.Error, OSError)):
            bitstride.reshard("memory://dcp", tmp_path / "bad", to="tp=2")
        assert not (tmp_path / "bad").exists() and not (tmp_path / "bad.part").exists()
    memory.rm("/dcp", recursive=True)


class Stand:
    """What stands for each class of a pickle: it keeps what it is given."""

    def __init__(self, *arguments):
        self.arguments = arguments

    def __setstate__(self, state):
        self.__dict__.update(state if isinstance(state, dict) else {"state": state})


class Reader(pickle.Unpickler):
    """Python's own reader, without any class or function of a module."""

    def find_class(self, module, name):
        bases = {"Size": tuple, "OrderedDict": dict}
        return type(name, (bases.get(name, Stand),), {"__module__": module})


def entries_of(metadata):
    """What Python's own reader finds in the metadata of a checkpoint of PyTorch."""
    found = {}
    for key, value in Reader(io.BytesIO(metadata)).load().storage_data.items():
        offset = getattr(key, "offset", None)
        if isinstance(offset, (tuple, list)) and all(type(number) is int for number in offset):
            found[key.fqn, tuple(offset)] = (value.relative_path, value.offset, value.length)
    return sorted(set(found.values()))


def changed_pickle(chance, right):
    """Numbers, memos, opcodes and bytes of a pickle changed; programs, cycles and what is nested deeply put in; the end lost."""
    data = bytearray(right)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        if not data:
            break
        at = chance.randrange(len(data))
        places = [place for place in range(len(data) - 1) if data[place] == chance.choice(b"KKh")]
        place = chance.choice(places or [at])
        number = chance.choice([-1, 0, 1, 5, 1 << 31, (1 << 63) - 1, -(1 << 63), chance.randrange(300)])
        program = chance.choice([
            b"cos\nsystem\n(\x8c\x09touch rantR", b"\x8c\x08builtins\x8c\x04exec\x93(\x8c\x01xtR", b"]\x94h\x00a", b"]\x94\x94a",
            b"}\x94\x94\x94s", b"(l(l(l", b"\x85" * 5000, b"]" * 5000, b"0000", b"2" * 50, b"\x8a\xff", b"N", b"\x88", b"(t", b"K\x05",
        ])  # fmt: skip
        chance.choice([
            lambda: data.__setitem__(slice(place, place + 2), b"\x8a\x08" + number.to_bytes(8, "little", signed=True)),
            lambda: data.__setitem__(place + 1 if places else place, chance.randrange(256)),
            lambda: data.__setitem__(slice(at, at), program),
            lambda: data.__setitem__(slice(at, at + chance.randrange(9)), b""),
            lambda: data.__setitem__(slice(at, at), data[place : place + chance.randrange(40)]),
            lambda: data.__setitem__(at, data[at] ^ 1 << chance.randrange(8)),
            lambda: data.__delitem__(slice(at, None)),
        ])()  # fmt: skip
    if data[2:3] == b"\x95" and len(data) >= 11:
        # Python's reader refuses a frame of another length, whatever is in it.
        data[3:11] = (len(data) - 11).to_bytes(8, "little")
    return bytes(data)


def test_pickles_changed_at_random_are_read_as_python_reads_them_or_refused():
    """`BITSTRIDE_HOSTILE=100000` tries as many; Python's reader must find the same, and is never given what is refused."""
    from bitstride import _core

    right = (Path(__file__).parents[2] / "testdata" / "sharding" / "dcp" / "metadata").read_bytes()
    assert _core.dcp_entries(right) == entries_of(right) != []
    chance = random.Random(5)
    modules, read, count = set(sys.modules), 0, int(os.environ.get("BITSTRIDE_HOSTILE", "2000"))
    for case in range(count):
        metadata = changed_pickle(chance, right)
        began = time.process_time()
        try:
            found = _core.dcp_entries(metadata)
        except bitstride.Error:
            found = None
        assert time.process_time() - began < 2, (case, metadata)
        if found is not None:
            try:
                wanted = entries_of(metadata)
            except (TypeError, AttributeError, MemoryError, ValueError, pickle.UnpicklingError):
                # A list as the key of a dict, a place in a memo of any size, or a class that is given something else: nothing is said of tensors.
                continue
            assert found == wanted, (case, metadata)
            read += 1
    assert set(sys.modules) == modules and not os.path.exists("ran")
    assert count // 50 < read < count // 2


def test_headers_that_lie_write_nothing(tmp_path):
    skip_without("fsspec")
    import fsspec

    memory = fsspec.filesystem("memory")
    for header in (b"{}", b"\xff" * 8, (1 << 62).to_bytes(8, "little"), b"", b"\x02\0\0\0\0\0\0\0[]"):
        memory.pipe_file("/bad/x.safetensors", header)
        with pytest.raises((bitstride.RefusedError, OSError)):
            bitstride.reshard("memory://bad", tmp_path / "out", to="tp=2")
        assert not (tmp_path / "out").exists() and not (tmp_path / "out.part").exists()
    memory.rm("/bad", recursive=True)


def test_metadata_changed_at_random_raises_errors_of_the_package_only(tmp_path):
    """The same from a folder and from a file system; `BITSTRIDE_HOSTILE=10000` tries as many."""
    skip_without("fsspec")
    import fsspec

    memory = fsspec.filesystem("memory")
    chance = random.Random(39)
    checkpoint(tmp_path / "parts", 2)
    recorded = Path(__file__).parents[2] / "testdata" / "sharding" / "dcp"
    array = {
        "zarr_format": 2, "shape": [6, 4], "chunks": [3, 4], "dtype": "<i2", "order": "C", "filters": None,
        "fill_value": 0, "compressor": None,
    }  # fmt: skip
    sources = {
        "parts": {path.name: path.read_bytes() for path in (tmp_path / "parts").iterdir()},
        "dcp": {"." * (path.name == "metadata") + path.name: path.read_bytes() for path in recorded.iterdir()},
        "zarr": {"a/.zarray": json.dumps(array).encode(), "a/0.0": bytes(24), "a/1.0": bytes(24)},
    }
    changed = {"parts": "shard-1.safetensors", "dcp": ".metadata", "zarr": "a/.zarray"}
    refused = made = 0
    count = int(os.environ.get("BITSTRIDE_HOSTILE", "60"))
    for case in range(count):
        name = chance.choice(list(sources))
        files = dict(sources[name])
        data = bytearray(files[changed[name]])
        for _ in range(chance.randrange(4)):
            # Of files with data the header, behind its length.
            at = chance.randrange(min(len(data), 300))
            word = chance.choice([b"-1", b"9223372036854775807", b"1e9", b"null", b"..", b"\0", b"\xff", b'"', b"[", b"{"])
            chance.choice([
                lambda: data.__setitem__(slice(at, at + len(word)), word),
                lambda: data.__setitem__(slice(at, at + chance.randrange(9)), b""),
                lambda: data.__setitem__(at, data[at] ^ 1 << chance.randrange(8)),
            ])()  # fmt: skip
        files[changed[name]] = bytes(data)
        if memory.exists("/hostile"):
            memory.rm("/hostile", recursive=True)
        near = tmp_path / f"in{case}"
        for path, content in files.items():
            memory.pipe_file(f"/hostile/{path}", content)
            (near / path).parent.mkdir(parents=True, exist_ok=True)
            (near / path).write_bytes(content)
        out = tmp_path / "out"
        for source in ("memory://hostile", near):
            try:
                planned = bitstride.reshard(source, out, to="tp=2", dry_run=True)
                # Arrays of zeros may be of any size.
                if sum(file["bytes"] for file in planned["files"]) < 1 << 20:
                    bitstride.reshard(source, out, to="tp=2")
                made += 1
            except (bitstride.Error, OSError):
                refused += 1
                assert not out.exists(), (case, name, bytes(data))
            for path in (out, tmp_path / "out.part"):
                shutil.rmtree(path, ignore_errors=True)
        shutil.rmtree(near)
    assert made > count / 10 and refused > count


def test_ray(made):
    skip_without("ray")
    import ray

    folder, options, wanted = made
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        done = bitstride.reshard(folder / "in", folder / "out", ray=True, **options)
        assert held(folder / "out") == wanted and done["kept"] == 0
        assert done["read"] == 2 * 24 * 40 * 2
        # One file is there from a run before, and one is half of it.
        part = folder / "again.part"
        part.mkdir()
        names = sorted(wanted)
        (part / names[0]).write_bytes(wanted[names[0]][:-1])
        done = bitstride.reshard(folder / "in", folder / "again", ray=True, **options)
        assert held(folder / "again") == wanted and done["kept"] == 0
    finally:
        ray.shutdown()
