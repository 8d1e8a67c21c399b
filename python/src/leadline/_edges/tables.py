"""Tables with columns of sources and targets: pandas, polars, Arrow, DuckDB, dictionaries, records."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .._errors import BadInput
from .._leadline import ArrowBatches
from .arrow import batches_of_stream
from .batch import Batch, Edges
from .columns import batches_of_columns, library

__all__ = ["SOURCES", "TARGETS", "WEIGHTS", "Ends", "edges_of_table", "is_table"]

#: How the columns of a table of edges may be called.
SOURCES = ("source", "src", "from", "u")
TARGETS = ("target", "dst", "to", "v")
WEIGHTS = ("weight", "w", "cost", "distance")


@dataclass(frozen=True)
class Ends:
    """Which columns have the ends of edges, where the caller says so."""

    source: Any = None
    target: Any = None

    def refuse(self, kind: str) -> None:
        """Refuse names of columns where there are none."""
        for argument, value in (("source_column", self.source), ("target_column", self.target)):
            if value is not None:
                shown = reprlib.repr(value)
                raise BadInput(f"{argument}={shown}: is for tables; {kind} have no columns with names")


def is_table(source: Any) -> bool:
    """Whether it has columns with names."""
    if isinstance(source, dict):
        return len(source) > 0
    return _names(source) is not None or hasattr(source, "__arrow_c_stream__")


def _names(table: Any) -> list[Any] | None:
    """Names of its columns; None where it is no table, or only Arrow's interface tells."""
    if isinstance(table, np.ndarray):
        return None if table.dtype.names is None else list(table.dtype.names)
    if _is_lazy(table):
        return list(table.collect_schema().names())
    candidates = (
        getattr(table, "column_names", None),
        getattr(getattr(table, "schema", None), "names", None),
        getattr(table, "columns", None),
        table if isinstance(table, dict) else None,
    )
    for names in candidates:
        if names is not None and hasattr(names, "__iter__") and not isinstance(names, str):
            return list(names)
    return None


def edges_of_table(table: Any, weight: Any, ends: Ends, place: str = "") -> Edges:
    """Edges of a table: the columns that the caller names, or those with known names.

    Parameters
    ----------
    table
        What :func:`is_table` holds for.
    weight
        The name of the column of weights, or an array of them; None or True for one with a known name, False
        for none.
    ends
        The columns of sources and targets.
    place
        What messages say before the names of columns.
    """
    streams = hasattr(table, "__arrow_c_stream__") and library(table) != "pandas"
    stream = None
    names = _names(table)
    if names is None:
        stream = ArrowBatches(table)
        names = stream.names
    chosen = _chosen(names, weight, ends, place)
    if not isinstance(weight, (str, bool, type(None))):
        if streams or _is_lazy(table):
            raise BadInput(f"{place}weight: name a column of the table, which is read in parts")
        return Edges(batches_of_columns(table[chosen[0]], table[chosen[1]], weight, place))
    if _is_lazy(table):
        return Edges(_of_lazy(table, chosen, place), streamed=True)
    if hasattr(table, "read_next_batch"):
        return Edges(_of_reader(table, weight, ends), streamed=True)
    if streams:
        places = [names.index(name) for name in chosen]
        # What a query finds is gone once it was read.
        streamed = not hasattr(table, "__len__") or library(table) == "duckdb"
        return Edges(batches_of_stream(stream or _selected(table, chosen, places), places, place), streamed)
    source, target, values = [*(table[name] for name in chosen), None][:3]
    return Edges(batches_of_columns(source, target, values, place))


def _is_lazy(table: Any) -> bool:
    return library(table) == "polars" and type(table).__name__ == "LazyFrame"


def _of_lazy(frame: Any, chosen: Sequence[Any], place: str) -> Iterator[Batch]:
    """A query of polars, run in parts."""
    if not hasattr(frame, "collect_batches"):
        raise BadInput("edges: this version of polars runs no query in parts; give frame.collect()")
    first = 0
    for part in frame.select(chosen).collect_batches():
        yield from batches_of_stream(part, range(len(chosen)), place, first)
        first += len(part)


def _of_reader(reader: Any, weight: Any, ends: Ends) -> Iterator[Batch]:
    """Batches of pyarrow, read in Python: what raises an exception there raises the same one here."""
    for number, part in enumerate(reader, 1):
        yield from edges_of_table(part, weight, ends, f"batch {number}: ").batches


def _selected(table: Any, chosen: Sequence[Any], places: list[int]) -> Any:
    """The table with no more than the columns that are read, where its library can do that without a copy."""
    if library(table) not in ("polars", "pyarrow") or len(set(chosen)) < len(chosen):
        return table
    places[:] = range(len(chosen))
    return table.select(list(chosen))


def _chosen(names: list[Any], weight: Any, ends: Ends, place: str) -> list[Any]:
    """The columns of sources, of targets, and of weights where there are any."""
    source = _named(names, ends.source, SOURCES, "source_column", place)
    target = _named(names, ends.target, TARGETS, "target_column", place)
    if source is None or target is None:
        shown = ", ".join(map(str, names))
        what = f"{place}edges: the columns are {shown}"
        if len(names) == 2:
            what += ", and edges may lead from either to the other"
        remedy = "name two of them source and target, or say source_column= and target_column="
        raise BadInput(f"{what}; {remedy}")
    if weight is False or not isinstance(weight, (str, bool, type(None))):
        return [source, target]
    found = _named(names, weight if isinstance(weight, str) else None, WEIGHTS, "weight", place)
    if found is None and weight is True:
        shown = ", ".join(map(str, names))
        raise BadInput(f"{place}weight=True: no column is called weight; name one of {shown}")
    return [source, target] if found is None else [source, target, found]


def _named(names: list[Any], given: Any, usual: tuple[str, ...], argument: str, place: str) -> Any:
    """The column that is given, or the one with a known name."""
    if given is not None:
        if not isinstance(given, Hashable) or given not in names:
            known = ", ".join(map(str, names))
            shown = f"{reprlib.repr(given)}: no column is called so; the columns are {known}"
            raise BadInput(f"{place}{argument}={shown}")
        found = [given]
    else:
        found = [name for name in names if str(name).lower() in usual]
    if len(set(map(str, found))) > 1:
        both = " and ".join(map(str, found[:2]))
        raise BadInput(f"{place}edges: {both} may both be meant; {argument}= says which")
    if found and sum(name == found[0] for name in names) > 1:
        raise BadInput(f"{place}edges: several columns are called {found[0]}; rename all but one")
    return found[0] if found else None
