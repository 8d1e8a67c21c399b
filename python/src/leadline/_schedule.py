"""Schedules of faults, written as the command line reads them (``leadline docs emulate``, Faults)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import cast

from ._errors import BadInput
from ._values import text

__all__ = ["schedule"]


def schedule(faults: object) -> str:
    """Return the text of a schedule (TOML) with these faults; what is wrong in it, its reader says.

    Parameters
    ----------
    faults
        Dictionaries with the keys of an entry, or one with these as ``"fault"`` and other keys of the file.
    """
    document = faults if isinstance(faults, Mapping) else {"fault": faults}
    lines = []
    for key, value in document.items():
        if key != "fault":
            lines.append(f"{_key(key)} = {_value('faults', key, value)}")
    for number, fault in enumerate(_entries(document.get("fault", ()))):
        lines.append("[[fault]]")
        lines += [f"{_key(key)} = {_value(f'faults[{number}]', key, value)}" for key, value in fault.items()]
    return "\n".join(lines) + "\n"


def _entries(faults: object) -> list[Mapping[object, object]]:
    several = isinstance(faults, Iterable) and not isinstance(faults, (str, bytes, Mapping))
    given: list[object] = [*cast("Iterable[object]", faults)] if several else [faults]
    entries = []
    for number, entry in enumerate(given):
        if not isinstance(entry, Mapping):
            raise BadInput(
                f"faults[{number}] = {entry!r}: must be a dictionary such as {{'kind': 'eio'}}; a file of "
                "faults is given by its path"
            )
        entries.append(entry)
    return entries


def _key(key: object) -> str:
    return json.dumps(str(key), ensure_ascii=False)


def _value(place: str, key: object, value: object) -> str:
    if isinstance(value, str):
        # As in TOML.
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return text(value, place)
    if isinstance(value, (list, tuple)) and all(isinstance(part, int) for part in value):
        return f"[{', '.join(text(int(part), place) for part in value)}]"
    raise BadInput(f"{place}[{key!r}] = {value!r}: must be a text, a number or a range such as [0, 8192]")
