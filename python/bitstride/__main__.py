"""`python -m bitstride` is the command `bitstride`."""

import sys

from ._core import main

if __name__ == "__main__":
    sys.exit(main())
