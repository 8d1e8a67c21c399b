"""Captures: a directory that is recorded while programs use it, ``leadline trace capture``."""

from __future__ import annotations

import os
import re
import threading
import weakref
from collections.abc import Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._below import Below
from ._command import flags, text
from ._drive import from_root
from ._errors import BadInput, Error, Warning
from ._notes import warn
from ._serving import Serving

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Capture", "capture"]

#: What the command says where programs have files of the directory open at the end.
_WAITS = "waiting for their end"


class Capture:
    """A directory that is recorded, as :func:`leadline.trace.capture` gives it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from leadline import trace
    >>> with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as data:
    ...     with trace.capture(data, Path(folder) / "a.capture") as recorded:
    ...         _ = (recorded.folder / "a").write_bytes(bytes(5000))
    ...     recorded.output.name, recorded.info()["requests"]["written_bytes"]
    ('a.capture', 5000)
    """

    __module__ = "leadline.trace"

    def __init__(self, folder: str | os.PathLike[str], output: str | os.PathLike[str]) -> None:
        #: The directory that is recorded, from the root.
        self.folder = from_root("folder", folder)
        #: The file of the trace, from the root; it appears at the end.
        self.output = from_root("output", output)
        self._lock = threading.Lock()
        self._warned: set[str] = set()
        # Behind -- comes a command.
        place = text(folder)
        given = flags("trace capture", {"output": output})
        words = ["trace", "capture", *given, "./" * place.startswith("-") + place]
        self._below = Below(self.folder)
        try:
            self._serving = Serving(words)
        except Error as error:
            self._below.close()
            raise type(error)(re.sub("^-o ", "output=", str(error))) from None
        except BaseException:
            self._below.close()
            raise
        self._below.go_in()
        self._ends = weakref.finalize(self, self._serving.end)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was said: how much was recorded, and warnings."""
        return tuple(line for line in self._serving.messages() if "Ctrl-C ends it" not in line)

    @property
    def closed(self) -> bool:
        """Whether the capture has ended."""
        return not self._serving.is_running

    def info(self, **options: Any) -> dict[str, Any]:
        """Describe what was recorded, once the capture has ended.

        Parameters
        ----------
        **options
            Arguments of :func:`leadline.trace.info`, such as ``by="file"``.

        Returns
        -------
        dict
            As of :func:`leadline.trace.info`.

        Raises
        ------
        BadInput
            The capture has not ended.

        Examples
        --------
        >>> import leadline.trace, pathlib, tempfile
        >>> place = pathlib.Path(tempfile.mkdtemp())
        >>> (place / "data").mkdir()
        >>> with leadline.trace.capture(place / "data", place / "trace") as capture:
        ...     _ = (place / "data/a").write_bytes(bytes(5000))
        >>> capture.info()["requests"]["writes"] > 0
        True
        """
        from .trace import info

        if self._ends.alive:
            raise BadInput(f"{self.output}: is still being recorded; it is there after close()")
        return info(self.output, **options)

    def close(self) -> None:
        """End the capture, whose file appears; a second call does nothing.

        Programs that have files of the directory open are waited for, with a `leadline.Warning`. Ctrl-C ends
        the wait: their open files no longer work then. Open files of this program are not waited for:
        they are synced, and no longer work from then on.

        Raises
        ------
        Failed
            Not all could be recorded, as on a full disk; there is no file then.
        """
        # A process that was forked has no part in it.
        if not self._serving.is_mine:
            return
        with self._lock:
            if not self._ends.alive:
                return
            # A second try, after Ctrl-C, finds what is left then.
            left = self._below.go_out()
            if left:
                names = ", ".join(left[:3]) + (" and others" if len(left) > 3 else "")
                self._warn(f"{names}: still open in this program, and leads nowhere from now on")
            self._serving.end(lambda said: self._look(said, bool(left)), is_hurried=True)
            self._ends.detach()
            self._below.close()
        failure = self._serving.failure()
        if failure is not None:
            raise failure

    def _look(self, said: Sequence[str], is_ours: bool) -> None:
        """Looks what the end waits for."""
        waits = next((line for line in said if _WAITS in line), None)
        if waits is None:
            return
        if is_ours:
            self._serving.insist()
        else:
            self._warn(waits)

    def _warn(self, line: str) -> None:
        if line not in self._warned:
            self._warned.add(line)
            warn(line, Warning)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Error:
            # What went wrong first is what is told.
            if error is None:
                raise

    def __repr__(self) -> str:
        return f"Capture({os.fspath(self.folder)!r}{', closed' if self.closed else ''})"


def capture(folder: str | os.PathLike[str], output: str | os.PathLike[str]) -> Capture:
    """Record the requests of programs to a directory: every request, with its times, thread, file and place.

    A file system is mounted over the directory that hands everything on to it, until the block of the
    ``with`` ends, or this program, however that happens; this program and others are recorded if they open
    their files in that time, by paths through the directory. A process of its own serves the mount. It needs
    ``/dev/fuse``, and for plain users ``fusermount3`` (Debian package fuse3). See ``leadline docs capture``.

    Parameters
    ----------
    folder
        The directory to record. Where the current directory is in it, relative paths are recorded, too.
    output
        The file to write, outside the directory; it is replaced if it exists.

    Returns
    -------
    Capture
        End it with ``with`` or ``close()``; ``output`` is the file of the trace, and :meth:`Capture.info`
        describes it.

    Raises
    ------
    BadInput
        The directory cannot be recorded, or the file not be written.
    Failed
        FUSE is not there or may not be used; the line has the remedy.

    Examples
    --------
    >>> import subprocess, tempfile
    >>> from leadline import trace
    >>> with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as data:
    ...     with trace.capture(data, folder + "/a.capture") as recorded:
    ...         _ = subprocess.run("echo hello > a; cat a", shell=True, cwd=data, stdout=subprocess.DEVNULL)
    ...     recorded.info(by="file")["files"][0]["name"]
    'a'
    """
    return Capture(folder, output)
