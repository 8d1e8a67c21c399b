"""Emulated drives that this program mounts: ``leadline emulate`` as a context manager."""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._command import flags, text
from ._drive import Drive, from_root
from ._errors import BadInput, Error, Failed
from ._profile import Profile
from ._renamed import renamed
from ._schedule import schedule
from ._serving import Serving, new_scratch, remove
from ._sizes import Size

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["EmulatedDrive", "Faults", "emulate"]

#: A file of faults, the faults themselves, or the whole document of such a file.
Faults = str | os.PathLike[str] | Iterable[Mapping[str, object]] | Mapping[str, object]


class EmulatedDrive(Drive):
    """A drive that this program has mounted, as :func:`leadline.emulate` gives it.

    It ends with the block of its ``with``, with :meth:`close`, and in any case with the program. Everything
    becomes durable first: the backing directory then holds all files.

    Examples
    --------
    >>> import leadline
    >>> with leadline.emulate("sim:flash", lenient=True) as drive:
    ...     _ = (drive.path / "a").write_text("hello")
    ...     _ = drive.power_cut()
    ...     drive.remount()
    ...     (drive.path / "a").exists()
    False
    """

    __module__ = "leadline"

    def __init__(self, device: str | os.PathLike[str] | Profile, **options: object) -> None:
        self._lock = threading.Lock()
        self._reported: dict[str, Any] | None = None
        # To which relative paths belong, also at the next mount.
        self._here = os.fspath(from_root("the current directory", "."))
        self._scratch = new_scratch()
        try:
            given = self._folders(options)
            self._report = from_root("output", given["output"])
            self._words = ["emulate", *flags("emulate", given), "--", self._device(device)]
            super().__init__(from_root("mount", given["mount"]))
            self._mount()
        except BaseException:
            remove(self._scratch)
            raise

    def _folders(self, options: Mapping[str, object]) -> dict[str, object]:
        """The options, with places in the scratch directory where none are named."""
        scratch = Path(self._scratch)
        given = dict.fromkeys(("backing", "mount", "output", "faults", "trace")) | dict(options)
        for name in ("backing", "mount"):
            if given[name] is None:
                given[name] = scratch / name
                (scratch / name).mkdir()
        self.backing = from_root("backing", given["backing"])
        self._replaces = given["trace"]
        if given["output"] is None:
            given["output"] = scratch / "report.json"
        faults = given["faults"]
        if faults is not None and not isinstance(faults, (str, os.PathLike)):
            given["faults"] = scratch / "faults"
            _write_text(scratch / "faults", schedule(faults))
        return given

    def _device(self, device: str | os.PathLike[str] | Profile) -> str:
        if not isinstance(device, Profile):
            return text(device, "device")
        path = Path(self._scratch) / "device.json"
        _write_text(path, device.to_json())
        return str(path)

    def _mount(self) -> None:
        self._earlier = _identity(self._report)
        try:
            self._serving = Serving(self._words, self._scratch, self._here)
        except Error as error:
            raise type(error)(self._in_our_words(str(error))) from None
        self._ends = weakref.finalize(self, _end, self._serving, self._scratch)

    def _in_our_words(self, line: str) -> str:
        """A message with arguments where it names files that were made of them."""
        for name in ("faults", "device.json", "backing", "mount"):
            argument = name.partition(".")[0]
            line = line.replace(os.path.join(self._scratch, name), argument)
        return line

    @property
    def notes(self) -> tuple[str, ...]:
        """What was said about the mount: what was assumed of the device, and warnings."""
        said = (self._in_our_words(line) for line in self._serving.messages())
        return tuple(line for line in said if "is mounted on" not in line)

    @property
    def closed(self) -> bool:
        """Whether the drive has ended, also by ``fusermount3 -u`` or because its process was killed."""
        return not self._serving.is_running

    @property
    def report(self) -> dict[str, Any] | None:
        """The report of the last mount, as :meth:`counters` has it; None before the drive has ended."""
        return self._reported

    def close(self) -> None:
        """End the drive: everything becomes durable, and the mount goes. A second call does nothing.

        Files that are still open there lead nowhere from now on.

        Raises
        ------
        Failed
            Not everything could be made durable, as on a full disk; or the machine could not keep up with
            the device, and it was not mounted with ``lenient=True``.

        Examples
        --------
        >>> import leadline
        >>> drive = leadline.emulate("sim:flash", lenient=True)
        >>> drive.close()
        >>> drive.report["requests"]
        0
        """
        # A process that was forked has no part in it.
        if not self._serving.is_mine:
            return
        with self._lock:
            if not self._ends.alive:
                return
            self._serving.end()
            self._read_report()
            self._ends.detach()
            remove(self._scratch)
            self._raise_failure()

    def remount(self) -> None:
        """End the drive and mount it again, as after a restart of the machine: no file is open any more.

        Raises
        ------
        BadInput
            The drive has ended, or writes ``trace``, which the second mount would replace.
        Failed
            As :meth:`close`; the drive has ended then.

        Examples
        --------
        >>> import leadline
        >>> with leadline.emulate("sim:flash", lenient=True) as drive:
        ...     _ = (drive.path / "a").write_text("hello")
        ...     drive.remount()
        ...     (drive.path / "a").read_text()
        'hello'
        """
        if self._replaces is not None:
            raise BadInput(
                "remount: would replace the file of trace=; record with start_trace() and stop_trace()"
            )
        if not self._serving.is_mine:
            raise BadInput("remount: the drive belongs to the process that has mounted it")
        with self._lock:
            if not self._ends.alive:
                raise BadInput("remount: the drive has ended; mount another with the same backing directory")
            self._serving.end()
            self._read_report()
            self._ends.detach()
            try:
                self._raise_failure()
                self._mount()
            except BaseException:
                remove(self._scratch)
                raise

    def _read_report(self) -> None:
        # A drive that was killed leaves none.
        if _identity(self._report) not in (None, self._earlier):
            self._reported = json.loads(self._report.read_text(encoding="utf-8"))

    def _raise_failure(self) -> None:
        failure = self._serving.failure()
        if failure is not None:
            raise type(failure)(self._in_our_words(str(failure)))

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
        return f"{type(self).__name__}({os.fspath(self.path)!r}{', closed' if self.closed else ''})"


def _write_text(path: Path, text: str) -> None:
    """Write a file that the process which serves the mount reads."""
    try:
        path.write_text(text, encoding="utf-8")
    except UnicodeEncodeError as error:
        raise BadInput(f"{path.name}: {error}") from None
    except OSError as error:
        raise Failed(f"{path}: {error.strerror}") from None


def _identity(path: Path) -> tuple[int, int] | None:
    """Tells a file from another one of the same name; None where there is none."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_ino, found.st_mtime_ns


def _end(serving: Serving, scratch: str) -> None:
    """Ends a drive that nobody has closed."""
    serving.end()
    if serving.is_mine:
        remove(scratch)


@renamed(cache="cache_size", timing_processor="timing_cpu", report="output")
def emulate(
    device: str | os.PathLike[str] | Profile,
    *,
    backing: str | os.PathLike[str] | None = None,
    mount: str | os.PathLike[str] | None = None,
    slowdown: float | None = None,
    faults: Faults | None = None,
    strict: bool = False,
    cache_size: Size | None = None,
    timing_cpu: int | None = None,
    capacity: Size | None = None,
    output: str | os.PathLike[str] | None = None,
    trace: str | os.PathLike[str] | None = None,
    lenient: bool = False,
) -> EmulatedDrive:
    """Mount a modelled drive: a directory in which any program feels its latency, limits and faults.

    A process of its own serves the mount, and ends in order when the block of the ``with`` ends, or this
    program, however that happens. It needs ``/dev/fuse``, and for plain users ``fusermount3`` (Debian package
    fuse3).

    Parameters
    ----------
    device
        ``sim:NAME``, ``sim:FILE.toml``, ``device:NAME`` (by its published numbers), a profile or its file.
    backing
        Directory that holds the data; what is in it is what a power cut would leave. By default a temporary
        one, which is removed at the end.
    mount
        Empty directory to mount on, apart from `backing`; by default a temporary one.
    slowdown
        Stretch the device's time by this factor (1 to 1,000,000), where the machine is too slow for the
        device; 1 by default.
    faults
        What goes wrong, and when (``leadline docs emulate``, Faults): a file, or dictionaries with the keys
        of its entries, such as ``[{"kind": "eio", "operation": "fsync", "after_ops": 3}]``, or a dictionary
        with them as ``"fault"`` and a ``"seed"``.
    strict
        Names become durable only when their directory is synced, as POSIX has it, not with any later sync.
    cache_size
        Bytes written that may wait to become durable, such as ``"64M"``; 256 MiB by default.
    timing_cpu
        Time the answers on this processor (from 0), serve requests on the rest, and as root keep idle ones
        awake. Latencies are closer to the device's then; keep programs off it too.
    capacity
        Capacity of a device by its published numbers; by default what the backing file system has in all.
    output
        A file for what happened and how punctual the answers were (JSON); the drive's attribute ``report``
        has it in any case.
    trace
        A file that records every request that reaches the drive, for :mod:`leadline.trace`.
    lenient
        No failure at the end if the machine could not keep up with the device.

    Returns
    -------
    EmulatedDrive
        Use the directory ``drive.path``, and end it with ``with`` or ``close()``.

    Raises
    ------
    BadInput
        The device, a directory or an option cannot be used.
    Failed
        FUSE is not there or may not be used; the line has the remedy.

    Examples
    --------
    >>> import leadline
    >>> with leadline.emulate("sim:gp3", lenient=True) as drive:
    ...     _ = (drive.path / "a").write_text("hello")
    ...     (drive.path / "a").read_text()
    'hello'
    >>> drive.report["device"], drive.path.exists()
    ('sim:gp3', False)
    """
    return EmulatedDrive(
        device,
        backing=backing,
        mount=mount,
        slowdown=slowdown,
        faults=faults,
        strict=strict,
        cache_size=cache_size,
        timing_cpu=timing_cpu,
        capacity=capacity,
        output=output,
        trace=trace,
        lenient=lenient,
    )
