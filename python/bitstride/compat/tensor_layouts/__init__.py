"""tensor-layouts, exact: `from bitstride.compat.tensor_layouts import *` in place of `from tensor_layouts import *`.

Names, classes, tilers and printing are tensor-layouts'. Where its answer is wrong, a LayoutError is raised, which is a
ValueError as there, and a `bitstride.Error` with the reason. A flat index is column-major. The tables of instructions
(`atoms_nv` and others) and the drawings (`viz`) are tensor-layouts' own files where that is installed, run on this package.
"""

from importlib.util import find_spec as _find_spec

from .atoms import *
from .layouts import *
from .tensor import *

_peer = _find_spec("tensor_layouts")
if _peer is not None and _peer.submodule_search_locations:
    __path__ += list(_peer.submodule_search_locations)
