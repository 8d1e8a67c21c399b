"""What runs in the process that serves a mount: the command, and who watches over it.

The process ends in order when its owner says so, and also when its owner is gone, however that ended.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import sys
import threading

from ._leadline import serve

__all__ = ["END", "INSIST", "READY", "main"]

#: Said by the owner: end in order; do not wait for those who still use the mount. Where it hangs up without
#: a word it is gone, or does not want to hear of the mount any more.
END, INSIST = b"e", b"i"

#: Said to the owner once programs may use the mount.
READY = b"ready"

#: How often it is looked whether the owner is there, where the system cannot tell at once. Milliseconds.
LOOK_MS = 200


class _Owner:
    """The process that has started this one."""

    def __init__(self, pid: int, control: int) -> None:
        self._pid = pid
        self._control = control
        self._poll = select.poll()
        self._poll.register(control, select.POLLIN)
        self._handle = -1
        try:
            # A pipe does not tell: processes that the owner has forked may hold its end.
            self._handle = os.pidfd_open(pid)
            self._poll.register(self._handle, select.POLLIN)
        except OSError:
            pass

    def wait(self) -> bytes:
        """Return what it says next; nothing where it has hung up or is gone."""
        while os.getppid() == self._pid:
            ready = dict(self._poll.poll(LOOK_MS if self._handle < 0 else None))
            if self._handle in ready:
                break
            if self._control in ready:
                return os.read(self._control, 1)
        return b""


class _Watch(threading.Thread):
    """Ends this process for its owner."""

    def __init__(self, owner: _Owner) -> None:
        super().__init__(daemon=True)
        self._owner = owner
        #: Whether nobody else will remove the scratch directory.
        self.is_left = False

    def run(self) -> None:
        ended = False
        while True:
            said = self._owner.wait()
            self.is_left |= not said
            # A second signal would cut the end short.
            if not ended or said == INSIST:
                ended = True
                os.kill(os.getpid(), signal.SIGTERM)
            if not said:
                return


def main() -> None:
    """Run the command of ``sys.argv``: the owner, its pipe, a scratch directory or nothing, and the words."""
    owner, control, scratch, *words = sys.argv[1:]
    # Blocked where the thread that started this process had it blocked.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    os.set_inheritable(int(control), False)
    watch = _Watch(_Owner(int(owner), int(control)))
    watch.start()
    code = serve(["leadline", *words], lambda: os.write(sys.stdout.fileno(), READY))
    if watch.is_left and scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    # The watch is still waiting.
    os._exit(code)
