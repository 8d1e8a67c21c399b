"""Values of Python as the command line writes them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from keyword import iskeyword
from typing import NamedTuple

import numpy as np

from ._errors import BadInput
from ._words import one_line

__all__ = ["Option", "as_flags", "listed", "no_such", "text", "written"]

#: Words that say what True and False say.
_YES, _NO = ("yes", "on"), ("no", "off")


class Option(NamedTuple):
    """An option of a command."""

    name: str
    #: "flag", "switch" (with or without a value), "value", "list" or "repeated".
    kind: str
    #: What the help calls its value.
    value: str | None
    #: Words that it takes besides its values, such as "off".
    words: list[str]
    #: Whether it names files or directories.
    path: bool

    @property
    def python(self) -> str:
        """What the argument of a function is called."""
        name = self.name.replace("-", "_")
        return name + "_" if iskeyword(name) else name

    @property
    def flag(self) -> str:
        return f"--{self.name}"


def no_such(name: str, of: str, close: list[str]) -> BadInput:
    """Return the error that there is no argument `name`."""
    remedy = f"; did you mean {close[0]}= ?" if close else ""
    return BadInput(f"{name}=: is no argument of {of}{remedy}")


def as_flags(option: Option, value: object) -> list[str]:
    """Return the option as it is given on a command line: nothing where it is not given."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        value = value.item()
    if value is None:
        return []
    if isinstance(value, bool):
        return _switched(option, value)
    if option.kind == "flag":
        raise _wrong(option, value, "must be True or False")
    # One word with its flag, so that a value may begin with a dash.
    if option.kind == "repeated":
        return [f"{option.flag}={part}" for part in _parts(option, value)]
    if option.kind == "list":
        return [f"{option.flag}={','.join(_parts(option, value))}"]
    if _is_several(value):
        raise _wrong(option, value, "takes one value")
    return [f"{option.flag}={written(option, value)}"]


def written(option: Option, value: object) -> str:
    """Return one value of this option as the command line writes it."""
    if option.path and isinstance(value, (int, float, np.number)):
        raise _wrong(option, value, "must be a path, or a name")
    return text(value, option.python)


def _switched(option: Option, value: bool) -> list[str]:
    if option.kind in ("flag", "switch"):
        return [option.flag] if value else []
    for word in _YES if value else _NO:
        if word in option.words:
            return [f"{option.flag}={word}"]
    remedy = "" if value else ", or None for the default"
    raise _wrong(option, value, f"takes a value ({option.value}){remedy}")


def _wrong(option: Option, value: object, what: str) -> BadInput:
    return BadInput(f"{option.python}={one_line(value)}: {what}")


def _is_several(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike))


def _parts(option: Option, value: object) -> list[str]:
    """The values of a list; a mapping has pairs: ``{"point": 60}`` is ``point=60``."""
    if isinstance(value, Mapping):
        if "=" not in (option.value or ""):
            raise _wrong(option, value, "takes values, and no pairs of name and value")
        parts = [
            f"{text(key, option.python)}={text(part, option.python)}" for key, part in value.items()
        ]
    elif _is_several(value):
        parts = [written(option, part) for part in value]  # type: ignore[attr-defined]
    else:
        return [written(option, value)]
    if not parts:
        raise _wrong(option, value, "is empty; name a value, or leave it out")
    return parts


def listed(value: object) -> str:
    """Return a value as the command line writes it; several with commas between them."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes, os.PathLike)):
        return ",".join(text(part) for part in value)
    return text(value)


def text(value: object, name: str = "value") -> str:
    """Return one value as the command line writes it; `name` is the argument's."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (bytes, os.PathLike)):
        path = os.fspath(value)
        written = os.fsdecode(path)
    elif isinstance(value, str):
        written = value
    elif isinstance(value, float) and value.is_integer() and abs(value) < 1 << 63:
        # Where whole numbers are wanted, 1e6 is one.
        written = str(int(value))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        written = _number(value, name)
    else:
        raise BadInput(f"{name}={one_line(value)}: must be text, a number or a path")
    try:
        os.fsencode(written)
    except UnicodeEncodeError:
        raise BadInput(f"{name}={one_line(value)}: is no text, nor the name of a file") from None
    return written


def _number(value: float, name: str) -> str:
    try:
        return str(value)
    except ValueError:  # Python writes no number of that many digits
        raise BadInput(f"{name}: a number of more than 4300 digits is out of range") from None
