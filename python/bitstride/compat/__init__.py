"""Drop-ins: modules with the names and types of other packages, over the exact algebra.

A change of one import switches: `from bitstride.compat.pycute import *` for `from pycute import *`.
"""
