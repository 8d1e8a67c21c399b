"""Tables as text and HTML, on one screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._table import Table

__all__ = ["as_html", "as_text"]

#: Rows that are shown at the beginning and at the end of a long table.
_ROWS = 5
#: Columns that are shown in HTML, half of them from each end.
_COLUMNS = 20
#: Characters of a cell; fewer where columns would be left out.
_WIDEST, _NARROW = 40, 24


def as_text(table: Table) -> str:
    """The table as lines, no wider than the terminal."""
    import shutil

    names = table.column_names
    numbers = [table[:1][name].dtype.kind in "iuf" for name in names]
    for widest in (_WIDEST, _NARROW):
        cells, rows_left_out = _cells(table, names, widest)
        widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
        shown = _fitting(widths, shutil.get_terminal_size((100, 24)).columns)
        if len(shown) == len(names):
            break
    left_out = len(names) - len(shown)
    # Where columns are left out.
    gap = next((at for at, (a, b) in enumerate(zip(shown, shown[1:])) if b > a + 1), len(shown) - 1)

    def line(row: Sequence[str], gap_text: str) -> str:
        padded = [row[c].rjust(widths[c]) if numbers[c] else row[c].ljust(widths[c]) for c in shown]
        if left_out:
            padded.insert(gap + 1, gap_text)
        return "  ".join(padded).rstrip()

    lines = [line(names, "..."), *(line(row, "...") for row in cells)]
    if rows_left_out:
        lines.insert(1 + _ROWS, f"... {rows_left_out} rows ...")
    if left_out:
        lines.append(f"... {_counted(left_out, 'column')}: {', '.join(_missing(names, shown))}"[:200])
    return "\n".join([f"Table with {_counted(len(table), 'row')}", *lines])


def as_html(table: Table, units: Mapping[str, str]) -> str:
    """The table as HTML, with units below the names."""
    import html

    names = table.column_names
    if len(names) > _COLUMNS:
        half = _COLUMNS // 2
        names = [*names[:half], *names[-half:]]
    cells, rows_left_out = _cells(table, names, _WIDEST)

    def line(row: Sequence[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(cell)}</{tag}>" for cell in row) + "</tr>"

    head = line(names, "th")
    if any(name in units for name in names):
        head += line([units.get(name, "") for name in names], "td")
    rows = [line(row, "td") for row in cells]
    if rows_left_out:
        rows.insert(_ROWS, f'<tr><td colspan="{len(names)}">… {rows_left_out} rows …</td></tr>')
    left_out = len(table.column_names) - len(names)
    # Between the halves, but named only below: a column of dots says nothing.
    below = f"<p>{len(table)} rows, {_counted(left_out, 'column')} not shown</p>" if left_out else ""
    return f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>{below}"


def _cells(table: Table, names: list[str], widest: int) -> tuple[list[list[str]], int]:
    """The first and last rows as text, and how many are left out between them."""
    count = len(table)
    ends = [table] if count <= 2 * _ROWS else [table[:_ROWS], table[-_ROWS:]]
    rows = [[_shown(row[name], widest) for name in names] for end in ends for row in end.rows()]
    return rows, count - len(rows)


def _fitting(widths: Sequence[int], most: int) -> list[int]:
    """Which columns fit: always the first, and two from the left for each from the right."""
    if sum(widths) + 2 * (len(widths) - 1) <= most:
        return list(range(len(widths)))
    room = most - widths[0] - len("  ...")
    first, last = [0], list[int]()
    left, right = 1, len(widths) - 1
    while left <= right:
        place = right if 2 * len(last) + 2 <= len(first) else left
        room -= widths[place] + 2
        if room < 0:
            break
        if place == right:
            last.insert(0, place)
            right -= 1
        else:
            first.append(place)
            left += 1
    return first + last


def _missing(names: Sequence[str], shown: Sequence[int]) -> list[str]:
    return [name for place, name in enumerate(names) if place not in shown]


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _shown(cell: Any, widest: int) -> str:
    """A cell as text."""
    text = f"{cell:.6g}" if isinstance(cell, (float, np.floating)) else str(cell)
    text = text.replace("\n", "\\n")
    return text if len(text) <= widest else f"{text[: widest - 3]}..."
