"""Layouts of gfx1250."""

from .._layouts import PartitionedSharedLayout as PartitionedSharedLayout
