"""What goes wrong, in the words of the command line."""

__all__ = ["BadInput", "Error", "Failed"]


class Error(Exception):
    """Anything that Leadline refuses or fails at, in one line."""

    __module__ = "leadline"


class BadInput(Error, ValueError):
    """What was given cannot be used; the line names it and the remedy (exit code 2 of the command line)."""

    __module__ = "leadline"


class Failed(Error, RuntimeError):
    """The operation went wrong: a full disk, a device that fails (exit code 1 of the command line)."""

    __module__ = "leadline"
