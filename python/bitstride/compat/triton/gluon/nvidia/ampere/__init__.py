"""Layouts of Ampere."""

from ..._layouts import DotOperandLayout as DotOperandLayout
from ..._layouts import NVMMADistributedLayout as NVMMADistributedLayout
from . import mbarrier as mbarrier
