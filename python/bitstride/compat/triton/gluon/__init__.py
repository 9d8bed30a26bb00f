"""Gluon's layout classes and types of elements, under the names and in the modules of `triton.experimental.gluon.language`.

Classes print, compare and are named as there; `to_linear(shape)` is the exact layout of each.
"""

from . import amd as amd
from . import nvidia as nvidia
from ._dtypes import *
from ._layouts import *
