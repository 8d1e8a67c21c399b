"""Measuring a device, and making a profile of what others measured."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

from . import _leadline
from ._command import run, text
from ._profile import Profile
from ._profiled import paths_of
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size

__all__ = ["experiment", "import_profile", "profile"]

_Path = str | os.PathLike[str]


@renamed(block_sizes="block_size")
def profile(
    target: _Path = ".",
    *,
    output: _Path | None = None,
    report: _Path | None = None,
    for_: str | None = None,
    quick: bool = False,
    full: bool = False,
    size: Size | None = None,
    engine: str | None = None,
    destructive: bool = False,
    reads_only: bool = False,
    keep_scratch: bool = False,
    block_size: Size | Sequence[Size] | None = None,
    granularity: bool = False,
    cpus: str | int | Sequence[int] | None = None,
    buffered: bool = False,
    iopoll: bool = False,
    sqpoll: bool = False,
    max_concurrency: int | None = None,
    precondition: int | None = None,
    max_writes: Size | None = None,
    resume: _Path | None = None,
    serial: bool = False,
    seed: int | None = None,
    progress: Progress = False,
) -> Profile:
    """Measure a device: asymmetry, concurrency of reads and writes, latencies.

    Other threads of Python run meanwhile. Ctrl-C ends it in order, and the scratch file is gone.

    Parameters
    ----------
    target
        A directory (a scratch file is made in it and removed), a file, a block device (only read, unless
        ``destructive=True``), or ``sim:NAME`` for a simulated device.
    output
        Also write the profile to this file; what was measured is then kept if the run is cut short.
    report
        Also write the page (HTML) to this file, which is replaced if it exists.
    for_
        Go on with the experiments that :func:`leadline.advise` needs for this system; ``"all"`` for the
        experiments of all systems.
    quick
        Measure for half a minute instead of two.
    full
        Measure until the numbers are known to within 5 %, an hour at most, after a steady-state test.
    size
        Size of the scratch file, bytes or text such as ``"4G"``; a tenth of the free space by default, at
        most 8G, with `quick` 1G.
    engine
        How requests reach the kernel: ``"io_uring"``, or ``"psync"``, the default where the kernel refuses
        io_uring.
    destructive
        Allow a block device that is not in use to be overwritten.
    reads_only
        Measure reads only.
    keep_scratch
        Keep the scratch file as ``leadline-scratch.dat``, which can be the target of the next run.
    block_size
        Block sizes to measure, 512 to 16M; 4K and 8K by default.
    granularity
        Measure every power of two from the smallest block that the target takes to 256K.
    cpus
        Run one thread on each of these processors, pinned to it: ``[0, 2]`` or ``"0-1"``; one thread that is
        not pinned by default.
    buffered
        Go through the page cache; this measures memory.
    iopoll
        Poll for completions (io_uring; the driver needs poll queues).
    sqpoll
        Let a kernel thread poll for submissions (io_uring).
    max_concurrency
        Highest number of requests in flight to try, 1 to 4096; 1024 by default, with psync 128.
    precondition
        Write the scratch file this number of times at random before measuring; 0 by default.
    max_writes
        Stop writing once this much was written in all, bytes or text such as ``"10G"``; by default twice the
        scratch file or 4G, whichever is more, after the layout.
    resume
        Continue the interrupted run of this profile, with its settings.
    serial
        Record the drive's serial number in the profile.
    seed
        Seed of all random choices, 0 to 2^64 - 1; the time of day by default, 1 on simulated devices.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Profile

    Raises
    ------
    BadInput
        The target or an option cannot be used.
    Failed
        The device failed, or the disk is full.

    Examples
    --------
    >>> p = profile("sim:flash", quick=True)
    >>> p.k_r > 50, p.alpha > 2
    (True, True)
    """
    options = {
        "output": output,
        "report": report,
        "for": for_,
        "quick": quick,
        "full": full,
        "size": size,
        "engine": engine,
        "destructive": destructive,
        "reads_only": reads_only,
        "keep_scratch": keep_scratch,
        "block_size": block_size,
        "granularity": granularity,
        "cpus": cpus,
        "buffered": buffered,
        "iopoll": iopoll,
        "sqpoll": sqpoll,
        "max_concurrency": max_concurrency,
        "precondition": precondition,
        "max_writes": max_writes,
        "resume": resume,
        "serial": serial,
        "seed": seed,
    }
    document, notes = run("profile", target, options=options, progress=progress)
    return _measured(document, target, notes)


def import_profile(
    files: _Path | Sequence[_Path],
    *,
    output: _Path | None = None,
    report: _Path | None = None,
    format: str | None = None,
    pattern: str | None = None,
    mountpoint: str | None = None,
    name: str | None = None,
) -> Profile:
    """Make a partial profile of what other programs measured of one device.

    It has what the files have, with wide intervals: see ``leadline docs profile-import``. What was read,
    skipped and assumed of each is in ``document["method"]["imported"]``.

    Parameters
    ----------
    files
        One file or several: fio's JSON, iotune's ``io_properties.yaml``, etcd's ``/metrics``, the output of
        ``pg_test_fsync``, ``ceph tell osd.N bench`` or ioping.
    output
        Also write the profile to this file.
    report
        Also write the page (HTML) to this file.
    format
        What the files are, such as ``"fio"``; told by their content by default.
    pattern
        Where ioping read, which its output does not say: ``"random"`` or ``"sequential"``.
    mountpoint
        Which disk of an ``io_properties.yaml`` that has several.
    name
        What to call the device; the disk that fio or ioping names by default.

    Returns
    -------
    Profile

    Raises
    ------
    BadInput
        A file cannot be read, is none of these or could be several of them, or nothing in it can be used.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> bench = {"bytes_written": 12288000, "blocksize": 4096, "elapsed_sec": 4.0, "bytes_per_sec": 3072000}
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "osd.json").write_text(json.dumps(bench))
    ...     p = import_profile(Path(folder, "osd.json"))
    >>> p.at()["max_durable_write_iops"]
    750.0
    """
    several = paths_of(files)
    options = {
        "output": output,
        "report": report,
        "format": format,
        "pattern": pattern,
        "mountpoint": mountpoint,
        "name": name,
    }
    document, notes = run("profile import", *several, options=options)
    return _measured(document, several[0], notes)


def experiment(
    name: str,
    target: _Path = ".",
    *,
    into: _Path | None = None,
    quick: bool = False,
    seconds: float | None = None,
    size: Size | None = None,
    engine: str | None = None,
    destructive: bool = False,
    reads_only: bool = False,
    keep_scratch: bool = False,
    read_share: float | None = None,
    writes: bool = False,
    max_bytes: Size | None = None,
    pattern: str | None = None,
    fill: float | None = None,
    max_writes: Size | None = None,
    seed: int | None = None,
    progress: Progress = False,
) -> Profile:
    """Run extra measurements.

    Parameters
    ----------
    name
        The experiment: ``r-by-k``, ``mixed``, ``ladder``, ``tail``, ``fsync`` and all others that ``leadline
        experiment --help`` lists; ``"all"`` for all that the target allows.
    target
        As for :func:`profile`.
    into
        The profile's file that the result is added to; it is made where there is none.
    quick
        Measure for half as long or less; ``leadline docs experiments`` has the times.
    seconds
        Measure for this number of seconds, 0.1 to 86400.
    size
        Size of the scratch file, bytes or text such as ``"4G"``; as for :func:`profile` by default.
    engine
        How requests reach the kernel: ``"io_uring"`` or ``"psync"``.
    destructive
        Allow a block device that is not in use to be overwritten.
    reads_only
        Measure reads only (not with experiments that need writes).
    keep_scratch
        Keep the scratch file as ``leadline-scratch.dat``, which can be the target of the next run.
    read_share
        Reads of the program that pio-classes imitates, percent of its requests, 0 to 100; 50 by default.
    writes
        Load with writes instead of reads (burst).
    max_bytes
        Read or write no more than this (burst, sustained), bytes or text such as ``"64G"``.
    pattern
        Which pages to write (write-amplification): ``"uniform"``, ``"zipf:THETA"``, ``"zones:P/W"`` or
        ``"sequential"``.
    fill
        Write only to this part of what is used (write-amplification), percent, above 0 and at most 100.
    max_writes
        Write no more than this in all, layout included; reads go on.
    seed
        Seed of all random choices, 0 to 2^64 - 1; the time of day by default, 1 on simulated devices.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Profile
        The profile with the result in ``document["experiments"]``.

    Raises
    ------
    BadInput
        The experiment, the target or an option cannot be used.
    Failed
        The device failed, or the disk is full.

    Examples
    --------
    >>> p = experiment("ladder", "sim:flash", quick=True)
    >>> sorted(p.document["experiments"])
    ['ladder']
    """
    options = {
        "into": into,
        "quick": quick,
        "seconds": seconds,
        "size": size,
        "engine": engine,
        "destructive": destructive,
        "reads_only": reads_only,
        "keep_scratch": keep_scratch,
        "read_share": read_share,
        "writes": writes,
        "max_bytes": max_bytes,
        "pattern": pattern,
        "fill": fill,
        "max_writes": max_writes,
        "seed": seed,
    }
    document, notes = run("experiment", name, target, options=options, progress=progress)
    return _measured(document, target, notes)


def _measured(document: Any, target: object, notes: Sequence[str]) -> Profile:
    """The profile that a command printed."""
    return Profile(_leadline.DeviceProfile.parse(json.dumps(document), text(target)), notes=notes)
