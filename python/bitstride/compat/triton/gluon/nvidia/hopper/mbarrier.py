"""Barriers in shared memory."""

from ..ampere.mbarrier import MBarrierLayout as MBarrierLayout
