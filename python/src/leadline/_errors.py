"""What goes wrong, and what is to be minded about a result, in the words of the command line."""

import re

__all__ = ["BadInput", "Error", "Extrapolated", "Failed", "NotConverged", "Warning"]


class Error(Exception):
    """Anything that Leadline refuses or fails at, in one line."""

    __module__ = "leadline"

    def __init__(self, line: object = "") -> None:
        # What was given may be shown in several.
        super().__init__(re.sub(r"\s*\n\s*", " ", str(line)))


class BadInput(Error, ValueError):
    """What was given cannot be used; the line names it and the remedy (exit code 2 of the command line)."""

    __module__ = "leadline"


class Failed(Error, RuntimeError):
    """The operation went wrong: a full disk, a device that fails (exit code 1 of the command line)."""

    __module__ = "leadline"


class Warning(UserWarning):
    """What is to be minded about a result that was given; ``warnings`` shows or hides it by its class."""

    __module__ = "leadline"


class NotConverged(Warning):
    """The work ended at its limit before it was as exact as was asked for."""

    __module__ = "leadline"


class Extrapolated(Warning):
    """The result goes beyond what was measured, and may be far off."""

    __module__ = "leadline"
