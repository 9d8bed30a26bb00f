"""The package as it is installed: types, no need of NumPy, names."""

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import bitstride
import pytest


def test_stubs_say_what_is_there():
    # The files of tensor-layouts, which join the drop-in where it is installed, are not checked.
    program = "import runpy, sys; sys.modules['tensor_layouts'] = None; sys.argv[1:] = ['bitstride']; "
    program += "runpy.run_module('mypy.stubtest', run_name='__main__')"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_every_public_name_has_a_type(tmp_path):
    pyright = Path(pytest.importorskip("pyright").__file__).parent
    venv.create(tmp_path, symlinks=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(tmp_path)}))
    shutil.copytree(Path(bitstride.__file__).parent, packages / "bitstride", ignore=shutil.ignore_patterns("*.so"))
    extensions = pyright.parent / "typing_extensions.py"
    shutil.copy(extensions, packages)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--verifytypes", "bitstride", "--ignoreexternal"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PATH": path, "VIRTUAL_ENV": str(tmp_path)},
    )
    assert "Type completeness score: 100%" in done.stdout, done.stdout[-4000:] + done.stderr


def test_numpy_is_not_needed():
    program = """
import sys
sys.modules["numpy"] = None
import bitstride
layout = bitstride.Layout("(2,3):(3,1)")
assert layout.offsets().tolist() == [0, 3, 1, 4, 2, 5] and layout(1, 2) == 5
assert bitstride.LinearLayout({"lane": [[1], [2]]}, {"dim0": 4}).table().tolist() == [[0], [1], [2], [3]]
assert bitstride.fit([0, 3, 1, 4, 2, 5], (2, 3)) == layout
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_classes_are_where_they_say():
    for name in ["Layout", "Swizzle", "LinearLayout", "Error", "Symbol", "Map", "Verdict", "Explanation", "Picture"]:
        kind = getattr(bitstride, name)
        assert kind.__module__ in {"bitstride", "bitstride._errors"} and kind.__name__ == name and kind.__doc__
    assert bitstride.xla.Shape.__module__ == "bitstride.xla"
    assert bitstride.__version__.count(".") == 2


def test_the_module_is_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "bitstride", "coalesce((2,(1,6)):(1,(6,2)))"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "12:1\n", "")
    wrong = [sys.executable, "-m", "bitstride", "nothing(1)"]
    assert subprocess.run(wrong, capture_output=True, check=False).returncode not in (0, 1)


def test_names_of_other_libraries_are_refused_with_ours():
    for name, ours in (("get", "layout("), ("coalese", "coalesce"), ("group_modes", "")):
        with pytest.raises(AttributeError, match=f"no attribute '{name}'") as caught:
            getattr(bitstride, name)
        assert ours in str(caught.value)
    assert not hasattr(bitstride, "__wrapped__") and not hasattr(bitstride, "nothing")
