"""Values in messages, and the kinds of arguments that only Python can get wrong."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from ._errors import BadInput

__all__ = ["count_of", "flag_of", "is_utf8", "one_line", "path_of", "text_of"]

#: Characters of a value in a message.
_MOST = 60


def one_line(value: object) -> str:
    """A value as Python writes it, short and in one line."""
    text = " ".join(repr(value).split())
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."


def text_of(name: str, value: Any) -> str | None:
    """The argument `name`, which must be text or None."""
    if value is not None and not isinstance(value, str):
        raise BadInput(f"{name}={one_line(value)}: must be text")
    if value is not None and not is_utf8(value):
        raise BadInput(f"{name}={one_line(value)}: is no text")
    return value


def flag_of(name: str, value: Any) -> bool:
    """The argument `name`, which must be True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise BadInput(f"{name}={one_line(value)}: must be True or False")
    return bool(value)


def path_of(name: str, value: Any) -> str:
    """The argument `name`, which must be the path of a file or directory, as text."""
    if not isinstance(value, (str, bytes, os.PathLike)):
        raise BadInput(f"{name}={one_line(value)}: must be a path")
    path = os.fsdecode(value)
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise BadInput(f"{name}={one_line(value)}: is no name of a file") from None
    if "\0" in path:
        raise BadInput(f"{name}={one_line(value)}: is no name of a file")
    return path


def is_utf8(text: str) -> bool:
    """Whether it is text, and not half of a character."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def count_of(name: str, value: Any, least: int = 0) -> int:
    """The argument `name`, which must be a whole number that is not too large."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not whole or not least <= value < 1 << 63:
        raise BadInput(f"{name}={one_line(value)}: must be a whole number of at least {least}")
    return int(value)
