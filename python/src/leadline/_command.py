"""The commands of the command line as functions: arguments in, what ``--json`` prints out.

Names, defaults, checks and units of arguments are those of the command line, which is the one place that has
them: ``max_writes="1G"`` is ``--max-writes 1G``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._leadline import call
from ._progress import Progress, showing

__all__ = ["flags", "run"]


def run(
    words: str,
    *positional: object,
    options: Mapping[str, object] | None = None,
    progress: Progress = False,
    trace: tuple[Any, Any] | None = None,
) -> tuple[Any, list[str]]:
    """Run ``leadline WORDS OPTIONS --json POSITIONAL``; `trace` is what the trace ``memory:`` holds.

    Returns
    -------
    tuple
        The JSON document that it printed, and its messages.
    """
    arguments = [*words.split(), *flags(options or {}), "--json", "--", *map(text, positional)]
    with showing(progress) as callback:
        printed, notes = call(arguments, callback, trace)
    return json.loads(printed), notes


def flags(options: Mapping[str, object]) -> list[str]:
    """Options as flags: ``None`` and ``False`` are left out, ``True`` stands alone, sequences get commas."""
    given: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            given.append(flag)
        else:
            # One word, so that a value may begin with a dash.
            given.append(f"{flag}={listed(value)}")
    return given


def listed(value: object) -> str:
    """A value as the command line writes it; several with commas between them."""
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike)):
        return ",".join(text(part) for part in value)
    return text(value)


def text(value: object) -> str:
    """One value as the command line writes it."""
    if isinstance(value, os.PathLike):
        return os.fsdecode(os.fspath(value))
    if isinstance(value, np.generic):
        return str(value.item())
    return str(value)
