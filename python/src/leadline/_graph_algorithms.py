"""The algorithms that run on an open graph."""

from __future__ import annotations

from collections.abc import Callable

from . import _leadline
from ._graph_communities import Communities
from ._graph_ids import Source, source_ids
from ._graph_ranks import Ranks
from ._graph_run import Path, Run
from ._graph_structure import Structure
from ._graph_traversal import Traversal
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["NAMES", "Algorithms"]

#: What each is called, and what it computes.
_LISTED = _leadline.algorithms()

#: What they are called, as methods and as commands.
NAMES = tuple(name for name, _ in _LISTED)


class Algorithms(Traversal, Structure, Ranks, Communities):
    """What :class:`leadline.Graph` can be asked; each method is one run over the store."""


def _method(algorithm: str, about: str) -> Callable[..., Table]:
    """Run an algorithm that has no method of its own."""

    @renamed(depth="concurrency")
    def method(
        self: Algorithms,
        source: Source = None,
        *,
        memory: Size | None = None,
        threads: int | None = None,
        concurrency: int | None = None,
        temp: Path | None = None,
        output: Path | None = None,
        runs: int | None = None,
        progress: Progress = False,
        **arguments: object,
    ) -> Table:
        if source is not None:
            arguments["source"] = source_ids(source)
        run = Run(memory, threads, concurrency, temp, output, runs, progress)
        return self._run(algorithm, run, **arguments)

    method.__name__ = method.__qualname__ = algorithm
    method.__doc__ = f"{about}.\n\nThe arguments are the options of ``leadline graph {algorithm}``."
    return method


for _name, _about in _LISTED:
    if not hasattr(Algorithms, _name):
        setattr(Algorithms, _name, _method(_name, _about))
