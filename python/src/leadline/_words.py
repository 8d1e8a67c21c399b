"""Values in messages, and the kinds of arguments that only Python can get wrong."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import BadInput

__all__ = ["count_of", "is_utf8", "one_line", "text_of"]

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
