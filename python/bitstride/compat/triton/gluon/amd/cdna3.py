"""Layouts of CDNA 3."""

from .._layouts import AMDMFMALayout as AMDMFMALayout
