"""Graphs beyond one machine's disk: the algorithms of :class:`leadline.Graph` on Spark.

Functions have the names, arguments and results of the local engine's methods, and give DataFrames. They need
PySpark 4, which the extra ``[spark]`` installs, and Java 17 or later; importing this module needs neither.
"""

from ._clustering import lcc
from ._components import wcc
from ._cores import kcore
from ._labels import cdlp
from ._ranks import pagerank
from ._store import import_
from ._traversal import bfs, sssp

__all__ = ["bfs", "cdlp", "import_", "kcore", "lcc", "pagerank", "sssp", "wcc"]
