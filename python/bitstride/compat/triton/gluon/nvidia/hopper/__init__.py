"""Hopper: its layouts are those of `gluon`, and that of barriers."""

from . import mbarrier as mbarrier
