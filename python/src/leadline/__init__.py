"""Leadline: know the device your storage engine runs on.

>>> import leadline
>>> disk = leadline.profile("sim:flash", quick=True)
>>> disk.k_r > 50
True
"""

from . import pool, trace
from ._errors import BadInput, Error, Failed
from ._graph import Graph
from ._models import Models, fit, predict
from ._profile import Profile, Report, compare, experiment, profile
from ._table import Table

__all__ = [
    "BadInput",
    "Error",
    "Failed",
    "Graph",
    "Models",
    "Profile",
    "Report",
    "Table",
    "compare",
    "experiment",
    "fit",
    "pool",
    "predict",
    "profile",
    "trace",
]
