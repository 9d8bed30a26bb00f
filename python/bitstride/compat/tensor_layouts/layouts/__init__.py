"""Layouts and their algebra."""

from .algebra import *
from .core import *
from .expr import *
