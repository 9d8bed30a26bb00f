"""Layouts of CDNA 5."""

from .._layouts import AMDWMMALayout as AMDWMMALayout
from .._layouts import PartitionedSharedLayout as PartitionedSharedLayout
