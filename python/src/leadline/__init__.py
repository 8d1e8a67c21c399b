"""Leadline: know the device your storage engine runs on.

>>> import leadline
>>> disk = leadline.profile("sim:flash", quick=True)
>>> disk.k_r > 50
True
"""

from importlib import import_module

# Checkers of types take it for true. The module typing, which has it too, takes ten times as long to load as
# this one.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from . import btree, fleet, lsm, pool, spark, testing, trace
    from ._advise import Advice, advise
    from ._calibrate import Calibration, calibrate
    from ._comparison import compare
    from ._devices import devices
    from ._drive import Drive
    from ._emulate import EmulatedDrive, emulate
    from ._errors import BadInput, Error, Extrapolated, Failed, NotConverged, Warning
    from ._graph import Graph
    from ._graph_update import GraphUpdate
    from ._index import Index
    from ._index_batch import IndexBatch
    from ._index_view import IndexSnapshot
    from ._lint import Lint, lint
    from ._measure import experiment, import_profile, profile
    from ._models import Models, fit, predict
    from ._place import place
    from ._profile import Profile, Report
    from ._prove import prove
    from ._report import report
    from ._subgraph import Subgraph
    from ._table import Table

__all__ = [
    "Advice",
    "BadInput",
    "Calibration",
    "Drive",
    "EmulatedDrive",
    "Error",
    "Extrapolated",
    "Failed",
    "Graph",
    "GraphUpdate",
    "Index",
    "IndexBatch",
    "IndexSnapshot",
    "Lint",
    "Models",
    "NotConverged",
    "Profile",
    "Report",
    "Subgraph",
    "Table",
    "Warning",
    "advise",
    "btree",
    "calibrate",
    "compare",
    "devices",
    "emulate",
    "experiment",
    "fit",
    "import_profile",
    "lint",
    "lsm",
    "place",
    "pool",
    "predict",
    "profile",
    "prove",
    "report",
    "trace",
]

#: Modules that are imported when they are first used.
_MODULES = ("btree", "lsm", "pool", "trace")

#: Those that need what is installed only on demand, so that ``import *`` leaves them out.
_OPTIONAL_MODULES = ("fleet", "spark", "testing")

#: The names of each module, which is loaded when one of them is first used: networkx loads this package to
#: hear what its backend can do, and `import networkx` should not take the time of NumPy and the extension.
_NAMES = {
    "_advise": ("Advice", "advise"),
    "_calibrate": ("Calibration", "calibrate"),
    "_comparison": ("compare",),
    "_devices": ("devices",),
    "_drive": ("Drive",),
    "_emulate": ("EmulatedDrive", "emulate"),
    "_errors": ("BadInput", "Error", "Extrapolated", "Failed", "NotConverged", "Warning"),
    "_graph": ("Graph",),
    "_graph_update": ("GraphUpdate",),
    "_index": ("Index",),
    "_index_batch": ("IndexBatch",),
    "_index_view": ("IndexSnapshot",),
    "_lint": ("Lint", "lint"),
    "_measure": ("experiment", "import_profile", "profile"),
    "_models": ("Models", "fit", "predict"),
    "_place": ("place",),
    "_profile": ("Profile", "Report"),
    "_prove": ("prove",),
    "_report": ("report",),
    "_subgraph": ("Subgraph",),
    "_table": ("Table",),
}


if not TYPE_CHECKING:
    # Checkers of types have the imports above, and know of no other name.

    def __getattr__(name: str) -> object:
        if name in _MODULES or name in _OPTIONAL_MODULES:
            return import_module(f".{name}", __name__)
        for module, names in _NAMES.items():
            if name in names:
                value = getattr(import_module(f".{module}", __name__), name)
                # The next time it is found without coming here.
                globals()[name] = value
                return value
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    own = [name for name in globals() if name.startswith("__")]
    return sorted({*own, *__all__, *_OPTIONAL_MODULES})
