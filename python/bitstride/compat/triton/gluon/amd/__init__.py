"""The layouts of AMD's instructions."""

from .._layouts import AMDMFMALayout as AMDMFMALayout
from .._layouts import AMDWMMALayout as AMDWMMALayout
from . import cdna3 as cdna3
from . import cdna4 as cdna4
from . import cdna5 as cdna5
from . import gfx1250 as gfx1250
