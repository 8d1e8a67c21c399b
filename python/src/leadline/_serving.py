"""Mounts that a process of its own serves for as long as this program wants them.

A program that served its own mount would wait for itself where it ends with files open there, and where it
faults in a page of a mapping.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from . import _leadline
from ._errors import BadInput, Error, Failed
from ._served import END, INSIST, READY

__all__ = ["Serving", "new_scratch", "remove"]

#: The interpreter sees neither the current directory nor variables that could lead to another `leadline`.
_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from leadline._served import main; main()"

#: What stands before a message and says of which kind it is.
_KIND = re.compile(r"^(error|warning|note): ")

#: How often it is looked how the end goes on. Seconds.
_LOOK = 0.05

#: So long Ctrl-C may wait. Seconds.
_SOON = 0.3

#: So long a mount may take to go once the process that served it was killed. Seconds.
_GONE = 5.0


class Serving:
    """``leadline WORDS`` in a process of its own; programs can use its mount once this is made.

    Parameters
    ----------
    words
        Of the command line.
    scratch
        A directory that the process removes at its end if nobody else does; none if empty.
    here
        The directory to which relative paths belong; the current one by default.

    Raises
    ------
    BadInput, Failed
        What the command says.
    """

    def __init__(self, words: Sequence[str], scratch: str = "", here: str | None = None) -> None:
        self._here = here
        self._words = [*words]
        self._owner = os.getpid()
        self._lock = threading.Lock()
        # What it says is read when somebody wants to know; a pipe would have to be emptied meanwhile.
        self._said = os.memfd_create("leadline")
        heard, ready = os.pipe()
        control, self._control = os.pipe()
        try:
            self._process = self._start([scratch, *words], control, ready)
        except BaseException:
            self._forget()
            os.close(heard)
            raise
        finally:
            os.close(control)
            os.close(ready)
        try:
            is_ready = os.read(heard, len(READY)) == READY
        except BaseException:
            self._leave(scratch)
            raise
        finally:
            os.close(heard)
        if not is_ready:
            self.end()
            raise self.failure() or Failed(f"{words[0]}: has ended before its directory was mounted")

    def _start(self, arguments: Sequence[str], control: int, ready: int) -> subprocess.Popen[bytes]:
        if not sys.executable:
            raise Failed("sys.executable: names no Python, which is started to serve the mount")
        for word in arguments:
            if "\0" in word:
                raise BadInput(f"{word!r}: has a null byte, which no name has")
        packages = Path(_leadline.__file__).absolute().parent.parent
        command = [sys.executable, "-I", "-S", "-c", _START, str(packages), str(self._owner), str(control)]
        try:
            return subprocess.Popen(
                [*command, *arguments],
                cwd=self._here,
                stdin=subprocess.DEVNULL,
                stdout=ready,
                stderr=self._said,
                pass_fds=[control],
                # Ctrl-C in a terminal is this program's, which ends the mount when it is done with it.
                start_new_session=True,
            )
        except OSError as error:
            raise Failed(f"{sys.executable}: cannot be started to serve the mount: {error}") from None

    @property
    def is_mine(self) -> bool:
        """Whether this process has started it, and was not forked since."""
        return os.getpid() == self._owner

    @property
    def is_running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def messages(self) -> tuple[str, ...]:
        """Return the lines that the command has printed so far, including a failure's."""
        with self._lock:
            return self._messages()

    def _messages(self) -> tuple[str, ...]:
        if self._said < 0:
            return self._last
        said = os.pread(self._said, os.fstat(self._said).st_size, 0).decode(errors="replace")
        return tuple(_KIND.sub("", line) for line in said.splitlines())

    def failure(self) -> Error | None:
        """Return what went wrong, once the process has ended."""
        code = self._process.returncode
        if not code:
            return None
        if code < 0:
            return Failed(f"the process that served the mount was killed (signal {-code})")
        said = self.messages()
        if not said:
            return Failed("the process that served the mount has failed")
        line = _leadline.in_python(said[-1], self._words)
        return BadInput(line) if code == 2 else Failed(line)

    def end(
        self, look: Callable[[Sequence[str]], object] | None = None, *, is_hurried: bool = False
    ) -> None:
        """End the process in order, and wait for it.

        Parameters
        ----------
        look
            Is called now and then with what the command has said, while it is waited for.
        is_hurried
            Whether it does not wait for other programs any longer where this one does not wait for it, as
            after Ctrl-C.
        """
        if not self.is_mine:
            return
        with self._lock:
            if self._said < 0:
                return
            self._tell(END)
            try:
                while self._running_still():
                    if look is not None:
                        look(self._messages())
            except BaseException:
                if is_hurried:
                    self.insist()
                raise
            self._last = self._messages()
            self._forget()

    def _leave(self, scratch: str) -> None:
        """End it before its directory is mounted, without waiting for that."""
        self._forget()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_SOON)
            # It may not have got so far that it removes its directory.
            remove(scratch)

    def insist(self) -> None:
        """Take the mount away from programs that still use it."""
        self._tell(INSIST)

    def _running_still(self) -> bool:
        try:
            self._process.wait(_LOOK)
        except subprocess.TimeoutExpired:
            return True
        return False

    def _tell(self, word: bytes) -> None:
        # Who has ended hears nothing.
        with suppress(OSError):
            os.write(self._control, word)

    def _forget(self) -> None:
        os.close(self._control)
        os.close(self._said)
        self._said = self._control = -1


def new_scratch() -> str:
    """Make a directory for what a mount needs."""
    try:
        return tempfile.mkdtemp(prefix="leadline-")
    except OSError as error:
        raise Failed(f"the directory for temporary files: {error}; TMPDIR names another one") from None


def remove(scratch: str) -> None:
    """Remove a directory in which something was mounted, unless its name is empty."""
    if not scratch:
        return
    end = time.monotonic() + _GONE
    while True:
        shutil.rmtree(scratch, ignore_errors=True)
        # The mount of a process that was killed goes a moment later.
        if not os.path.lexists(scratch) or time.monotonic() > end:
            return
        time.sleep(_LOOK)
