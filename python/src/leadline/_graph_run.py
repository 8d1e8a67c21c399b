"""What every run of an algorithm has in common."""

from __future__ import annotations

import json
import os
from typing import NamedTuple

from . import _leadline
from ._errors import NotConverged
from ._notes import warn
from ._progress import Progress, showing
from ._sizes import Size, memory_bytes
from ._table import Table

__all__ = ["Path", "Run", "RunOptions", "Runs", "run_options"]

#: A file or directory.
Path = str | os.PathLike[str]

#: Memory, threads, reads in flight and directory of temporary files, as the extension takes them.
RunOptions = tuple[int | None, int | None, int | None, Path | None]


class Run(NamedTuple):
    """How a run is done, and where its result goes: what each method of an algorithm takes besides."""

    memory: Size | None
    threads: int | None
    concurrency: int | None
    temp: Path | None
    output: Path | None
    runs: int | None
    progress: Progress


class Runs:
    """A graph that algorithms run on."""

    _store: _leadline.Store

    def _run(self, algorithm: str, run: Run, **arguments: object) -> Table:
        options = run_options(run.memory, run.threads, run.concurrency, run.temp)
        with showing(run.progress) as callback:
            columns, info, notes, unfinished = _leadline.run_algorithm(
                self._store, algorithm, arguments, options, run.runs, run.output, callback
            )
        if unfinished is not None:
            warn(unfinished, NotConverged)
        return Table(columns, json.loads(info), notes)


def run_options(
    memory: Size | None = None,
    threads: int | None = None,
    concurrency: int | None = None,
    temp: Path | None = None,
) -> RunOptions:
    """What a run does otherwise than how the graph was opened, as the extension takes it."""
    return memory_bytes(memory), threads, concurrency, temp
