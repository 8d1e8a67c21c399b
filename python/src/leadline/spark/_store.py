"""From Spark to a store on this machine."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._graph import Graph
from .._progress import Progress
from .._sizes import Size
from ._errors import reported
from ._input import EXPORT, Input, read
from ._session import session_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

__all__ = ["import_"]


def import_(
    edges: Any,
    path: str | os.PathLike[str],
    *,
    directed: bool | None = None,
    vertices: DataFrame | None = None,
    folder: str | os.PathLike[str] | None = None,
    memory: Size | None = None,
    progress: Progress = False,
    **options: Any,
) -> Graph:
    """Make a store on this machine of edges that Spark has, and open it.

    Spark writes the edges as Parquet into a directory, from which they are imported.

    Parameters
    ----------
    edges, directed, vertices
        See :func:`bfs`, which also says what is raised. A column ``weight`` is kept.
    path
        The store to write; a store of that name is replaced.
    folder
        An empty or new directory for the Parquet files, which are removed at the end. The executors write it
        and this process reads it, so on a cluster it must be mounted on all machines by one name. By default
        a new directory next to the store.
    memory
        Most memory for the import, and for the graph.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail: of the import.
    **options
        Options of ``leadline graph import``: ``reverse=True``, ``dedupe=True`` and so on.
    """
    session = session_of(edges)
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
    parent = Path(path).parent if folder is None else Path(folder)
    place = Path(tempfile.mkdtemp(prefix="leadline-spark-", dir=parent.resolve()))
    try:
        with reported():
            _write(read(session, edges, directed, vertices), place)
        return Graph.import_file(place, path, memory=memory, progress=progress, **options)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _write(found: Input, place: Path) -> None:
    """Write a directory as ``leadline graph export --partitions`` does."""
    every = found.all_vertices()
    for name, frame in (("edges", found.edges), ("vertices", every)):
        frame.write.parquet((place / name).as_uri())
        # What Spark writes next to the rows.
        for file in (place / name).iterdir():
            if not file.name.endswith(".parquet") or file.name.startswith((".", "_")):
                file.unlink()
        for number, file in enumerate(sorted((place / name).iterdir())):
            file.rename(file.with_name(f"part-{number:05}.parquet"))
    about = {
        "format": EXPORT,
        "directed": found.directed,
        "weighted": found.weighted,
        "vertices": every.count(),
        "edges": found.count,
    }
    (place / "graph.json").write_text(json.dumps(about))
