"""Drop-ins refuse with the exceptions of their packages, also what is no argument of theirs: recorded by
`python/tools/record_refusals.py`."""

import contextlib
import importlib
import io
from pathlib import Path

import pytest

DROP_INS = {
    "pycute": "bitstride.compat.pycute",
    "torch.distributed._pycute": "bitstride.compat.torch_pycute",
    "tensor_layouts": "bitstride.compat.tensor_layouts",
}
ROWS = [line.split("\t") for line in (Path(__file__).parent / "refusals.tsv").read_text().splitlines()]


@pytest.mark.parametrize("package", DROP_INS)
def test_refusals_are_of_the_packages_types(package):
    names = dict(vars(importlib.import_module(DROP_INS[package])))
    if package == "pycute":
        names |= vars(importlib.import_module(f"{DROP_INS[package]}.swizzle"))
    rows = [(call, kind) for of, call, kind in ROWS if of == package]
    assert len(rows) == 400
    wrong = []
    for call, kind in rows:
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                eval(call, names)
        except Exception as error:
            if kind not in [base.__name__ for base in type(error).__mro__]:
                wrong.append((call, kind, type(error).__name__, str(error)))
    assert not wrong, (len(wrong), wrong[:60])
