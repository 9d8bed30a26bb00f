"""PyTorch's variant of pycute, exact: `bitstride.compat.torch_pycute` in place of `torch.distributed._pycute`.

The rightmost mode is the fastest, in default strides, flat indices and answers alike. Refusals are AssertionErrors, as
there, and a `bitstride.Error` with the reason.
"""

from .int_tuple import *
from .layout import *
