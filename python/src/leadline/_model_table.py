"""Tables that models are fitted to: columns of any library, as the CSV that the reader takes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._errors import BadInput
from ._table import Table

__all__ = ["csv_of", "named_by_rows"]


def csv_of(source: Any) -> str:
    """The text of a table; numbers in it are exact."""
    table = _table(source)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    for row in table:
        writer.writerow(map(_field, row))
    return text.getvalue()


def _field(cell: Any) -> str:
    # pandas has NaN where a field is empty.
    if cell is None or cell != cell:
        return ""
    return repr(cell) if isinstance(cell, float) else str(cell)


def _table(source: Any) -> Table:
    if isinstance(source, Table):
        return source
    if hasattr(source, "collect") and hasattr(source, "lazy"):
        raise BadInput("source: a LazyFrame holds no numbers yet; give .collect()")
    if isinstance(source, Mapping):
        return Table(source)
    names = getattr(source, "column_names", None)
    names = getattr(source, "columns", None) if names is None else names
    if names is None or callable(names):
        what = type(source).__name__
        raise BadInput(f"source: must be a profile, a file, device:NAME, or a table of columns, not {what}")
    return Table({str(name): np.asarray(source[name]) for name in names})


@contextmanager
def named_by_rows() -> Iterator[None]:
    """Errors name a line of the text: say which row of the table it is, from 0 as rows are."""
    try:
        yield
    except BadInput as error:
        line = re.sub(r"\bline (\d+)", lambda found: f"row {int(found[1]) - 2}", str(error))
        raise BadInput(line.replace("row -1", "its columns")) from None
