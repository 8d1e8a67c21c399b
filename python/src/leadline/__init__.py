"""Leadline: know the device your storage engine runs on.

>>> import leadline
>>> disk = leadline.profile("sim:flash", quick=True)
>>> disk.k_r > 50
True
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import pool, trace
    from ._drive import Drive
    from ._emulate import EmulatedDrive, emulate
    from ._errors import BadInput, Error, Extrapolated, Failed, NotConverged, Warning
    from ._graph import Graph
    from ._graph_queries import Subgraph
    from ._graph_update import GraphUpdate
    from ._measure import experiment, import_profile, profile
    from ._models import Models, fit, predict
    from ._profile import Profile, Report, compare
    from ._table import Table

__all__ = [
    "BadInput",
    "Drive",
    "EmulatedDrive",
    "Error",
    "Extrapolated",
    "Failed",
    "Graph",
    "GraphUpdate",
    "Models",
    "NotConverged",
    "Profile",
    "Report",
    "Subgraph",
    "Table",
    "Warning",
    "compare",
    "emulate",
    "experiment",
    "fit",
    "import_profile",
    "pool",
    "predict",
    "profile",
    "trace",
]

#: The names of each module, which is loaded when one of them is first used: networkx loads this package to
#: hear what its backend can do, and `import networkx` should not take the time of NumPy and the extension.
_NAMES = {
    "_drive": ("Drive",),
    "_emulate": ("EmulatedDrive", "emulate"),
    "_errors": ("BadInput", "Error", "Extrapolated", "Failed", "NotConverged", "Warning"),
    "_graph": ("Graph",),
    "_graph_queries": ("Subgraph",),
    "_graph_update": ("GraphUpdate",),
    "_measure": ("experiment", "import_profile", "profile"),
    "_models": ("Models", "fit", "predict"),
    "_profile": ("Profile", "Report", "compare"),
    "_table": ("Table",),
}


def __getattr__(name: str) -> Any:
    if name in ("pool", "trace"):
        return import_module(f".{name}", __name__)
    for module, names in _NAMES.items():
        if name in names:
            value = getattr(import_module(f".{module}", __name__), name)
            # The next time it is found without coming here.
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
