"""Emulated drives with what tests want of them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ._emulate import EmulatedDrive, Faults
from ._profile import Profile
from ._renamed import renamed
from ._sizes import Size
from ._words import flag_of

__all__ = ["Disk"]


class Disk(EmulatedDrive):
    """An emulated drive for a test: :class:`leadline.EmulatedDrive`, with short ways to lose and to fail.

    Parameters
    ----------
    device
        ``sim:NAME``, ``sim:FILE.toml``, ``device:NAME``, a profile or its file; by default a cloud volume
        with 3,000 requests per second, where a sync takes about a millisecond.
    backing, mount, slowdown, faults, strict, cache_size, timing_cpu, capacity, output, trace
        As of :func:`leadline.emulate`.
    lenient
        No failure at the end if the machine could not keep up with the device: tests of what a program does
        need no punctual disk.

    Examples
    --------
    >>> from leadline.testing import Disk
    >>> with Disk() as disk:
    ...     _ = (disk.path / "a").write_text("not synced")
    ...     disk.crash()["names_lost"] > 0, list(disk.path.iterdir())
    (True, [])
    """

    __module__ = "leadline.testing"

    @renamed(cache="cache_size", timing_processor="timing_cpu", report="output")
    def __init__(
        self,
        device: str | os.PathLike[str] | Profile = "sim:gp3",
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
        lenient: bool = True,
    ) -> None:
        super().__init__(
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

    def crash(self, *, seed: int | None = None) -> dict[str, int]:
        """Cut the power and mount the disk again: what a program finds when the machine has started again.

        Parameters
        ----------
        seed
            Let some of what was not synced survive, chosen by this seed; by default nothing does.

        Returns
        -------
        dict
            How many ``writes`` and changes to ``names`` were not durable, and how many of them were lost:
            ``writes_lost``, ``names_lost``.

        Raises
        ------
        BadInput
            The seed is no whole number of 64 bits.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> import os
        >>> from leadline.testing import Disk
        >>> with Disk() as disk, open(disk.path / "log", "w") as log:
        ...     _ = log.write("synced ")
        ...     log.flush()
        ...     os.fsync(log.fileno())
        ...     _ = log.write("and not")
        ...     log.flush()
        ...     _ = disk.crash()
        ...     (disk.path / "log").read_text()
        'synced '
        """
        cut = self.power_cut(seed=seed)
        self.remount()
        return cut

    @renamed(most="limit")
    def every_crash(self, *, limit: int | None = None) -> Iterator[Path]:
        """Iterate over the states that a power cut could leave now; the disk itself goes on.

        Parameters
        ----------
        limit
            At most this number of states; 256 by default. Up to 16 changes that are not durable, these are
            all combinations if there is room for them; else the most telling ones, and some at random.

        Yields
        ------
        Path
            A directory with what would be on the disk; it is gone with the next one.

        Raises
        ------
        BadInput
            There are more states than are tried.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> from leadline.testing import Disk
        >>> with Disk() as disk:
        ...     _ = (disk.path / "a").write_text("hello")
        ...     sorted({tuple(p.read_text() for p in state.iterdir()) for state in disk.every_crash()})
        [(), ('',), ('hello',)]
        """
        with tempfile.TemporaryDirectory(prefix="leadline-", ignore_cleanup_errors=True) as folder:
            for state in self.enumerate_power_cuts(Path(folder) / "states", limit=limit):
                yield state
                shutil.rmtree(state, ignore_errors=True)

    def fail_reads(self, path: str | None = None, *, times: int | None = None) -> None:
        """Let reads fail with EIO, also of what the kernel has in its page cache.

        Parameters
        ----------
        path
            Only requests to files whose path from the root of the mount matches this glob, such as
            ``"wal/**"``.
        times
            Only this number of requests that reach the drive; by default all from now on. The kernel tries
            once more where reading ahead has failed.

        Raises
        ------
        BadInput
            An option is out of range.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> from leadline.testing import Disk
        >>> with Disk() as disk:
        ...     _ = (disk.path / "a").write_text("hello")
        ...     disk.fail_reads("a")
        ...     (disk.path / "a").read_text()
        Traceback (most recent call last):
        OSError: [Errno 5] Input/output error
        """
        self._fail("eio", "read", path, times)
        self._forget_pages()

    def fail_writes(self, path: str | None = None, *, times: int | None = None, full: bool = False) -> None:
        """Let writes fail with EIO, or ENOSPC. Programs are told of buffered ones when they sync or close.

        Parameters
        ----------
        path
            Only requests to files whose path from the root of the mount matches this glob.
        times
            Only this number of requests that reach the drive; by default all from now on.
        full
            Fail with ENOSPC, as a full disk.

        Raises
        ------
        BadInput
            An option is out of range.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> from leadline.testing import Disk
        >>> with Disk() as disk:
        ...     disk.fail_writes(full=True)
        ...     _ = (disk.path / "a").write_text("hello")
        Traceback (most recent call last):
        OSError: [Errno 28] No space left on device
        """
        self._fail("enospc" if full else "eio", "write", path, times)

    def fail_syncs(
        self, path: str | None = None, *, times: int | None = None, drop_dirty: bool = False
    ) -> None:
        """Let fsync and fdatasync fail with EIO.

        Parameters
        ----------
        path
            Only requests to files whose path from the root of the mount matches this glob.
        times
            Only this number; by default all from now on.
        drop_dirty
            What the sync was to make durable is dropped, as Linux does it: the next sync succeeds without it.

        Raises
        ------
        BadInput
            An option is out of range.
        Failed
            The drive is closed, or has ended.

        Examples
        --------
        >>> import os
        >>> from leadline.testing import Disk
        >>> with Disk() as disk, open(disk.path / "a", "wb") as file:
        ...     disk.fail_syncs(times=1)
        ...     os.fsync(file.fileno())
        Traceback (most recent call last):
        OSError: [Errno 5] Input/output error
        """
        kind = "drop-dirty" if flag_of("drop_dirty", drop_dirty) else "eio"
        self._fail(kind, "fsync", path, times)

    def _fail(self, kind: str, operation: str, path: str | None, times: int | None) -> None:
        self.inject(kind, operation=operation, path=path, times=times, forever=times is None)

    def _forget_pages(self) -> None:
        """Makes the kernel read from the drive again what it has of files."""
        for folder, _, names in os.walk(self.path):
            for name in names:
                # What cannot be opened by this program is not read by it.
                with suppress(OSError):
                    file = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
                    try:
                        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
                    finally:
                        os.close(file)
