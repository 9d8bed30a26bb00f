"""Layouts of CDNA 4."""

from .._layouts import AMDMFMALayout as AMDMFMALayout
from .._layouts import DotOperandLayout as DotOperandLayout
