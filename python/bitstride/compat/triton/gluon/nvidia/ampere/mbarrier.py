"""Barriers in shared memory."""

from ..._layouts import MBarrierLayout as MBarrierLayout
from ..._layouts import SwizzledSharedLayout as SwizzledSharedLayout
