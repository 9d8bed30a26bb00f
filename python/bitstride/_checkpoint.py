"""Checkpoints for another mesh: in this process, in object stores by `fsspec`, and on many machines by Ray.

A task is a file of the output: it reads the bytes of the source that the file has, and leaves the file whole or not at all, so that it
may be tried again. Law: nothing stands under the name of the output before all files do, and another run makes only those that are missing.
"""

from __future__ import annotations

import importlib
import json
import os
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from . import _core
from ._errors import RefusedError

__all__: list[str] = []

PLAN = "plan.json"
"""What the files of an unfinished output are made of."""

READ = 1 << 26
"""The most bytes of one request."""

ENDS = 1 << 14
"""The bytes at the start and at the end of an entry of PyTorch in which its zip says where its data is."""


def command(arguments: list[str]) -> dict[str, Any]:
    """What the command line answers as JSON; its refusals are errors."""
    code, said, failed = _core.command(["--json", *arguments])
    answer: dict[str, Any]
    answer = json.loads(said) if said.startswith("{") else {"error": {"message": failed.strip(), "code": "usage"}}
    if "error" not in answer:
        return answer
    error = answer["error"]
    if code == 4:
        raise OSError(error["message"])
    raise RefusedError(error["message"], error["code"], help=error.get("help"))


def is_far(path: str) -> bool:
    """Whether a path is of another file system, as `s3://bucket/folder` is."""
    return "://" in path


class Store:
    """A folder: of this machine, or of a file system of `fsspec`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.fs: Any = None
        if is_far(path):
            try:
                core = importlib.import_module("fsspec.core")
            except ImportError:
                raise RefusedError(f"{path} needs fsspec", "missing", help="pip install fsspec") from None
            self.fs, self.path = core.url_to_fs(path)
        self.path = self.path.rstrip("/")

    def beside(self, suffix: str) -> Store:
        """The folder whose name goes on with a suffix."""
        other = object.__new__(Store)
        other.fs, other.path = self.fs, self.path + suffix
        return other

    def exists(self) -> bool:
        return bool(self.fs.exists(self.path)) if self.fs else os.path.exists(self.path)

    def size(self, name: str) -> int | None:
        """The bytes of a file; None where there is none."""
        try:
            path = f"{self.path}/{name}"
            return int(self.fs.info(path)["size"]) if self.fs else os.path.getsize(path)
        except FileNotFoundError:
            return None

    def read(self, name: str) -> str | None:
        if self.size(name) is None:
            return None
        path = f"{self.path}/{name}"
        return str(self.fs.cat_file(path).decode()) if self.fs else Path(path).read_text()

    def begin(self, plan: str) -> None:
        """An empty folder with a plan."""
        self.remove()
        if self.fs:
            self.fs.makedirs(self.path, exist_ok=True)
            self.fs.pipe_file(f"{self.path}/{PLAN}", plan.encode())
        else:
            os.makedirs(self.path)
            Path(self.path, PLAN).write_text(plan)

    def remove(self) -> None:
        if self.exists():
            if self.fs:
                self.fs.rm(self.path, recursive=True)
            else:
                shutil.rmtree(self.path)

    def put(self, file: Path, name: str) -> None:
        """Copies a file of this machine to a name, which it gets when it is whole."""
        part = f"{self.path}/{name}.{uuid.uuid4().hex}"
        self.fs.put_file(str(file), part)
        self.fs.mv(part, f"{self.path}/{name}")

    def finish(self, names: list[str], out: Store) -> None:
        """Removes all other files, and gives the folder its name."""
        if not self.fs:
            for entry in os.listdir(self.path):
                if entry not in names:
                    os.remove(os.path.join(self.path, entry))
            os.rename(self.path, out.path)
            return
        for entry in self.fs.ls(self.path, detail=False):
            if entry.rpartition("/")[2] not in names:
                self.fs.rm_file(entry)
        self.fs.mv(self.path, out.path, recursive=True)


class Heads(NamedTuple):
    """What a mirror begins with, for another one of the same checkpoint, perhaps on another machine."""

    files: list[tuple[str, str, int]]
    """The name of each file in the folder, its path in the other file system, and its bytes."""
    parts: list[tuple[str, int, bytes]]
    """What was read of a file, and where it begins."""


class Mirror:
    """The headers of a checkpoint of another file system in files of this one, which have holes for all other bytes."""

    def __init__(self, source: str, folder: Path, heads: Heads | None = None) -> None:
        self.store, self.folder = Store(source), folder
        self.far: dict[str, str] = {}
        self.heads = Heads([], []) if heads is None else heads
        if heads is None:
            self._read()
            return
        for name, path, size in heads.files:
            self._place(name, path, size)
        for name, start, data in heads.parts:
            self._fill(folder / name, start, data)

    def _place(self, name: str, path: str, size: int) -> Path:
        """A file of holes."""
        local = self.folder / name
        local.parent.mkdir(parents=True, exist_ok=True)
        self.far[str(local)] = path
        with local.open("wb") as file:
            file.truncate(size)
        return local

    def _fill(self, local: Path, start: int, data: bytes) -> None:
        with local.open("r+b") as file:
            file.seek(start)
            file.write(data)

    def _read(self) -> None:
        found = self.store.fs.find(self.store.path, detail=True)
        if not found:
            raise FileNotFoundError(f"no such folder, or an empty one: {self.store.path}")
        folder = self.folder
        for path, about in found.items():
            inside = path[len(self.store.path) :].lstrip("/")
            if ".." in Path(inside).parts:
                raise RefusedError(f"{path} is a name that leads out of its folder", "kind")
            local = self._place(inside, path, about["size"])
            self.heads.files.append((inside, path, about["size"]))
            name = local.name
            if name.endswith(".safetensors"):
                length = int.from_bytes(self._head(local, 0, min(8, about["size"])), "little")
                self._head(local, 8, min(length, about["size"] - 8))
            elif name.endswith((".json", ".zarray", ".metadata")):
                self._head(local, 0, about["size"])
        # Of the files of PyTorch the ends of each entry, which say where its data is.
        metadata = folder / ".metadata"
        for file, start, length in _core.dcp_entries(metadata.read_bytes()) if metadata.exists() else ():
            local = folder / file
            if str(local) not in self.far:
                continue
            end = min(start + length, local.stat().st_size)
            first = min(start + ENDS, end)
            self._head(local, start, first - start)
            last = max(end - ENDS, first)
            self._head(local, last, end - last)

    def _head(self, local: Path, start: int, length: int) -> bytes:
        """Fills some bytes of a file that other mirrors begin with too; the last ones that were read."""
        name, data = str(local.relative_to(self.folder)), b""
        for first, data in self._fetched(local, start, length):
            self.heads.parts.append((name, first, data))
        return data

    def fetch(self, local: Path, start: int, length: int) -> None:
        """Fills some bytes of a file."""
        for _ in self._fetched(local, start, length):
            pass

    def _fetched(self, local: Path, start: int, length: int) -> Iterator[tuple[int, bytes]]:
        """Fills some bytes of a file; what was read in each request, and where it begins."""
        path = self.far[str(local)]
        for first in range(start, start + length, READ):
            last = min(first + READ, start + length)
            data = bytes(self.store.fs.cat_file(path, start=first, end=last))
            if len(data) != last - first:
                raise OSError(f"{path} has {len(data)} bytes at {first}, and {last - first} were wanted")
            self._fill(local, first, data)
            yield first, data


def write_file(
    source: str, part: str, file: dict[str, Any], number: int, to: str, rules: str | None, heads: Heads | None
) -> int:
    """Makes one file of an output, unless it is there; how many bytes of the source were read. A source in another file system begins with
    the heads that were read of it."""
    store = Store(part)
    if store.size(file["name"]) == file["bytes"]:
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        folder, read = source, None
        options = ["--to", to, "--file", str(number), *_rules(rules, Path(scratch))]
        if is_far(source):
            mirror = Mirror(source, Path(scratch, "in"), heads)
            folder, read = str(mirror.folder), 0
            for path, start, length in command(["reshard", folder, "out", *options, "--dry-run"])["reads"]:
                wanted = os.path.getsize(path) - start if length is None else length
                mirror.fetch(Path(path), start, wanted)
                read += wanted
        out = Path(scratch, file["name"]) if store.fs else Path(store.path, file["name"])
        done = command(["reshard", folder, str(out), *options])
        if store.fs:
            store.put(out, file["name"])
        return int(done["read"] if read is None else read)


def _rules(rules: str | None, folder: Path) -> list[str]:
    """The options of rules, whose text is written to a file."""
    if rules is None:
        return []
    path = folder / "rules"
    path.write_text(rules)
    return ["--rules", str(path)]


def spread(source: str, out: str, to: str, rules: Any = None, dry_run: bool = False, ray: Any = None) -> dict[str, Any]:
    """Writes a checkpoint file by file, each a task of its own: one after the other, or on the machines of Ray."""
    text = None if rules is None else Path(rules).read_text()
    source = source if is_far(source) else os.path.abspath(source)
    out = (out if is_far(out) else os.path.abspath(out)).rstrip("/")
    heads = None
    with tempfile.TemporaryDirectory() as scratch:
        folder, about = source, [str(os.path.getmtime(source))] if not is_far(source) else []
        if is_far(source):
            mirror = Mirror(source, Path(scratch, "in"))
            folder, heads = str(mirror.folder), mirror.heads
            about = [f"{path} {os.path.getsize(local)}" for local, path in mirror.far.items()]
        plan = command(["reshard", folder, "out", "--to", to, "--dry-run", *_rules(text, Path(scratch))])
    if dry_run:
        return plan
    store = Store(out)
    if store.exists():
        raise RefusedError(f"{out} is there already, and nothing is written over it", "exists")
    part, files = store.beside(".part"), plan["files"]
    said = json.dumps({"source": source, "about": about, "to": to, "rules": text, "files": files})
    if part.read(PLAN) != said:
        part.begin(said)
    numbered = list(enumerate(files, 1))
    missing = [(number, file) for number, file in numbered if part.size(file["name"]) != file["bytes"]]
    arguments = [(source, out + ".part", file, number, to, text) for number, file in missing]
    read = sum(_tasks(ray, arguments, heads) if ray else [write_file(*own, heads) for own in arguments])
    part.finish([file["name"] for file in files], store)
    written = sum(file["bytes"] for _, file in missing)
    return plan | {"read": read, "written": written, "kept": len(files) - len(missing)}


def _tasks(ray: Any, arguments: list[tuple[Any, ...]], heads: Heads | None) -> list[int]:
    """The tasks on Ray; one whose worker dies is tried again."""
    if ray is True:
        try:
            ray = importlib.import_module("ray")
        except ImportError:
            raise RefusedError("ray=True needs Ray", "missing", help="pip install ray") from None
    if not ray.is_initialized():
        ray.init()
    task = ray.remote(max_retries=16)(write_file)
    # Kept once for all tasks.
    kept = ray.put(heads)
    tasks = [task.remote(*own, kept) for own in arguments]
    try:
        found: list[int] = ray.get(tasks)
    except BaseException:
        # What goes on would write beside the next run, which counts what is there.
        for one in tasks:
            ray.cancel(one, force=True)
        ray.wait(tasks, num_returns=len(tasks), timeout=30)
        raise
    return found
