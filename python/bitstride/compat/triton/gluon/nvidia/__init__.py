"""The layouts of NVIDIA's instructions."""

from . import ampere as ampere
from . import blackwell as blackwell
from . import hopper as hopper
from . import rubin as rubin
