"""Layouts of Blackwell."""

from .._layouts import TensorMemoryLayout as TensorMemoryLayout
from .._layouts import TensorMemoryScalesLayout as TensorMemoryScalesLayout
from .hopper import mbarrier as mbarrier
