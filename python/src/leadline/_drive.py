"""Emulated drives: one that is mounted, whoever mounted it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from . import _leadline
from ._command import flags, positionals, text
from ._errors import BadInput
from ._profile import Profile
from ._renamed import renamed
from ._table import Table
from ._words import path_of

__all__ = ["Drive", "from_root"]


def from_root(name: str, path: object) -> Path:
    """Return the path that the argument `name` is, from the root."""
    if not isinstance(path, (str, os.PathLike)):
        raise BadInput(f"{name}={path!r}: must be the path of a file or directory")
    written = text(path, name)
    try:
        return Path(os.path.abspath(written))
    except OSError as error:
        raise BadInput(f"{name}={written}: the current directory is gone: {error.strerror}") from None


class Drive:
    """A drive that ``leadline emulate`` or :func:`leadline.emulate` has mounted.

    Only the user who mounted the drive and root may command it.

    Parameters
    ----------
    path
        Where the drive is mounted.

    Raises
    ------
    BadInput
        Of each method: no emulated drive is mounted there, or the drive refuses; the line says why.

    Examples
    --------
    >>> import leadline
    >>> with leadline.emulate("sim:flash", lenient=True) as mounted:
    ...     drive = leadline.Drive(mounted.path)
    ...     _ = (drive.path / "a").write_text("hello")
    ...     drive.power_cut()["names_lost"] > 0, list(drive.path.iterdir())
    (True, [])
    """

    __module__ = "leadline"

    def __init__(self, path: str | os.PathLike[str]) -> None:
        #: Where it is mounted, from the root.
        self.path = from_root("path", path)

    def wait(self, *, seconds: float | None = None) -> None:
        """Wait until the drive is mounted and ready for programs.

        Parameters
        ----------
        seconds
            No longer than this; 60 by default. After that it is `BadInput`.

        Raises
        ------
        BadInput
            The drive is not there after this time.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> import leadline
        >>> with leadline.emulate("sim:flash", lenient=True) as drive:
        ...     drive.wait(seconds=5)
        """
        self._ask("wait", seconds=seconds)

    def counters(self) -> dict[str, Any]:
        """Return what was asked of the drive since the mount, and how punctual its answers were.

        Returns
        -------
        dict
            The object of ``leadline docs emulate``, The report: ``reads``, ``writes``, ``flushes``,
            ``read_bytes``, ``written_bytes``, ``requests``, ``late``, ``kept_up``, ``overshoot_us``,
            ``faults``, ``power_cuts`` and others.

        Examples
        --------
        >>> import leadline
        >>> with leadline.emulate("sim:flash", lenient=True) as drive:
        ...     drive.counters()["writes"]
        0
        """
        return self._ask("counters")

    def power_cut(self, *, seed: int | None = None) -> dict[str, int]:
        """Cut the power: what is not durable is lost, and the mount serves what is left.

        What programs have open from before answers EIO from now on.

        Parameters
        ----------
        seed
            Let some of what is not durable survive, chosen by this seed (0 to 2^64 - 1); by default nothing
            does.

        Returns
        -------
        dict
            ``writes`` that were not durable, ``writes_lost`` of them, and the same of changes to names:
            ``names``, ``names_lost``.

        Raises
        ------
        BadInput
            The seed is no whole number of 64 bits.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> import leadline
        >>> with leadline.emulate("sim:flash", lenient=True) as drive:
        ...     _ = (drive.path / "a").write_text("hello")
        ...     drive.power_cut()["writes_lost"], (drive.path / "a").exists()
        (1, False)
        """
        return self._ask("power-cut", seed=seed)

    @renamed(most="limit")
    def enumerate_power_cuts(self, folder: str | os.PathLike[str], *, limit: int | None = None) -> list[Path]:
        """Write the states that a power cut could leave now to directories; no power is cut.

        Parameters
        ----------
        folder
            A new directory for them, neither on the drive nor in its backing directory.
        limit
            At most this number of states; 256 by default.

        Returns
        -------
        list of Path
            A directory for each state, with what would be on the drive.

        Raises
        ------
        BadInput
            The directory is there already, or there are more states than are written.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> import leadline, tempfile
        >>> from pathlib import Path
        >>> folder = Path(tempfile.mkdtemp())
        >>> with leadline.emulate("sim:flash", lenient=True) as drive:
        ...     _ = (drive.path / "a").write_text("hello")
        ...     states = drive.enumerate_power_cuts(folder / "states")
        ...     sorted({tuple(p.read_text() for p in state.iterdir()) for state in states})
        [(), ('',), ('hello',)]
        """
        into = from_root("folder", folder)
        try:
            self._ask("power-cut", enumerate=into, limit=limit)
        except BadInput as error:
            raise BadInput(str(error).replace("enumerate=", "folder=")) from None
        return sorted(into.iterdir())

    def inject(
        self,
        kind: str,
        *,
        operation: str | None = None,
        path: str | None = None,
        seconds: float | None = None,
        times: int | None = None,
        forever: bool = False,
    ) -> None:
        """Inject a fault into the next matching operation.

        Parameters
        ----------
        kind
            What goes wrong: ``"eio"``, ``"enospc"``, ``"torn-write"``, ``"lost-write"``,
            ``"misdirected-write"``, ``"bit-flip-read"``, ``"bit-flip-media"``, ``"stall"``, ``"slow"``,
            ``"flush-lies"``, ``"drop-dirty"``, ``"power-cut"`` or ``"power-cut-random"`` (``leadline docs
            emulate``, Faults).
        operation
            Only with ``"read"``, ``"write"`` or ``"fsync"``; by default with all that can have it.
        path
            Only with files whose path from the root of the mount matches this glob, such as ``"wal/**"``.
        seconds
            How long a stall or a slow period lasts; 1 by default.
        times
            How often; 1 by default.
        forever
            Every time from now on.

        Raises
        ------
        BadInput
            There is no such fault, or an option does not belong to it.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> import leadline, os
        >>> with leadline.emulate("sim:flash", lenient=True) as drive, open(drive.path / "a", "wb") as file:
        ...     drive.inject("eio", operation="fsync")
        ...     os.fsync(file.fileno())
        Traceback (most recent call last):
        OSError: [Errno 5] Input/output error
        """
        self._ask(
            "inject", kind, operation=operation, path=path, seconds=seconds, times=times, forever=forever
        )

    def map(self, file: str | os.PathLike[str]) -> Table:
        """Return where a file is on the device.

        Parameters
        ----------
        file
            The file: on the mount, or from the root of the mount.

        Returns
        -------
        Table
            A row for each extent: ``file_offset_bytes``, ``device_offset_bytes`` and ``bytes``.

        Raises
        ------
        BadInput
            There is no such file on the drive.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> import leadline
        >>> with leadline.emulate("sim:flash", lenient=True) as drive:
        ...     _ = (drive.path / "a").write_bytes(bytes(5000))
        ...     drive.map("a")["bytes"].tolist()
        [8192]
        """
        name = Path(path_of("file", file))
        if name.is_absolute() and name.is_relative_to(self.path):
            name = name.relative_to(self.path)
        extents = self._ask("map", name)["extents"]
        columns = ("file_offset_bytes", "device_offset_bytes", "bytes")
        return Table({key: np.array([part[key] for part in extents], dtype=np.uint64) for key in columns})

    def device(self, device: str | os.PathLike[str] | Profile) -> None:
        """Switch to another device model; files stay where they are.

        Parameters
        ----------
        device
            ``sim:NAME``, ``sim:FILE.toml``, ``device:NAME``, a profile or its file.

        Raises
        ------
        BadInput
            There is no such device, or its description cannot be read.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> import leadline
        >>> with leadline.emulate("sim:flash", lenient=True) as drive:
        ...     drive.device("sim:gp3")
        ...     drive.counters()["device"]
        'sim:gp3'
        """
        if isinstance(device, Profile):
            with device._as_argument() as path:
                self._ask("device", path)
        else:
            self._ask("device", device)

    def start_trace(self, file: str | os.PathLike[str]) -> None:
        """Begin to record every request that reaches the drive.

        Parameters
        ----------
        file
            The trace, which appears with :meth:`stop_trace` or at the end of the drive; it is replaced if it
            exists.

        Raises
        ------
        BadInput
            A trace is being recorded already, or the file cannot be made.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> import leadline, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with leadline.emulate("sim:flash", lenient=True) as drive:
        ...     drive.start_trace(folder + "/a.capture")
        ...     _ = (drive.path / "a").write_bytes(bytes(5000))
        ...     drive.stop_trace()["files"]
        1
        """
        self._ask("start-trace", file)

    def stop_trace(self) -> dict[str, int]:
        """End the trace that :meth:`start_trace`, or the argument ``trace`` of the mount, began.

        Returns
        -------
        dict
            ``events`` that were recorded, of how many ``files``, and the ``bytes`` of the trace.

        Examples
        --------
        See :meth:`start_trace`.
        """
        return self._ask("stop-trace")

    def __repr__(self) -> str:
        return f"Drive({os.fspath(self.path)!r})"

    def _ask(self, verb: str, *positional: object, **options: object) -> dict[str, Any]:
        command = f"emulate ctl {verb}"
        words = ["emulate", "ctl", text(self.path), verb, *flags(command, options), "--json", "--"]
        printed, _, _ = _leadline.call([*words, *positionals(command, positional)])
        document: dict[str, Any] = json.loads(printed)
        return document
