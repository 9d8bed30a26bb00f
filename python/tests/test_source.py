"""The source distribution."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not shutil.which("cargo"), reason="the source is packaged by cargo")
def test_the_source_has_what_a_reader_looks_for(tmp_path):
    pytest.importorskip("maturin")
    command = [sys.executable, "-m", "maturin", "sdist", "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env={**os.environ, "CARGO_NET_OFFLINE": "true"})
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as source:
        files = {name.partition("/")[2] for name in source.getnames()}
    assert {"CHANGELOG.md", "README.md", "LICENSE-MIT", "LICENSE-APACHE", "Cargo.lock", "pyproject.toml"} <= files
    crates = {file.split("/")[1] for file in files if file.startswith("crates/")}
    assert {f"crates/{crate}/LICENSE-MIT" for crate in crates - {"oracle", "python"}} <= files
    assert not any(file.startswith("python/tests") for file in files)
