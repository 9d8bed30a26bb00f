"""Checkpoints in file systems of fsspec and on Ray: the files of one process, whole or absent, and no byte read that no file has."""

import json
import sys

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
