"""Files that appear whole or not at all."""

from __future__ import annotations

import os

from ._errors import BadInput, Failed

__all__ = ["write_whole"]


def write_whole(name: str, text: str) -> None:
    """Write a text to a file, which is replaced if it exists.

    Raises
    ------
    BadInput
        There is no such directory, or it may not be written to.
    Failed
        The disk is full, or fails.
    """
    beside = f"{name}.{os.getpid()}.new"
    try:
        if os.path.isdir(name):
            raise IsADirectoryError(21, "is a directory")
        with open(beside, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(beside, name)
    except OSError as error:
        if os.path.exists(beside):
            os.remove(beside)
        known = (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError)
        raise (BadInput if isinstance(error, known) else Failed)(f"{name}: {error.strerror}") from None
