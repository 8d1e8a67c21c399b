"""Settings in use, judged by a device."""

from __future__ import annotations

from collections.abc import Sequence

from ._advise import text_columns, written
from ._errors import Warning
from ._notes import warn
from ._profiled import Path, ProfileLike, from_profile
from ._sizes import Size
from ._table import Table

__all__ = ["Lint", "lint"]

#: Verdicts, the worst last.
_VERDICTS = (
    "fits",
    "not-judged",
    "moot",
    "off",
    "meaningless",
    "too-low",
    "too-high",
    "wrong",
    "unknown",
    "invalid",
    "out-of-range",
)


class Lint(Table):
    """What of a configuration fits a device, one key a row: see :func:`lint`."""

    __module__ = "leadline"

    #: The line with which the command line ends where something does not fit or nothing was judged.
    verdict: str | None

    @property
    def judged(self) -> int:
        """Keys whose values were compared with what fits the device."""
        return sum(verdict not in ("not-judged", "moot", "off") for verdict in self["verdict"].tolist())

    @property
    def wrong(self) -> int:
        """Keys that do not fit."""
        fits: int = sum(verdict == "fits" for verdict in self["verdict"].tolist())
        return self.judged - fits

    @property
    def ok(self) -> bool:
        """Whether something was judged, and all of it fits."""
        return self.verdict is None

    @property
    def worst(self) -> str | None:
        """The worst verdict; None where there is none."""
        ranks = {verdict: rank for rank, verdict in enumerate(_VERDICTS)}
        return max(self["verdict"], key=lambda verdict: ranks.get(verdict, len(ranks)), default=None)


def lint(
    system: str,
    config: Path | None,
    profile: ProfileLike,
    *,
    config_root: Path | None = None,
    connect: str | None = None,
    version: str | None = None,
    cores: int | None = None,
    memory: Size | None = None,
    data: Size | None = None,
    read_p99: str | None = None,
    drive: str | None = None,
    osd: int | None = None,
) -> Lint:
    """Judge a configuration in use by a measured device: which keys fit, are too low or too high.

    That something does not fit is an answer, and no exception. Where nothing could be judged at all, which
    is no praise, ``ok`` is False, and a :class:`leadline.Warning` says why.

    Parameters
    ----------
    system
        The system, or ``"auto"``: whatever the file has settings of.
    config
        Its configuration (``leadline docs lint`` lists the kinds of files), or the address of a server that
        runs: ``"postgresql://HOST/DATABASE"``, ``"mysql://HOST/"`` or ``"mysql:///SOCKET"``. None with
        `connect`.
    profile
        A profile, the file of one, or ``"device:NAME"``.
    config_root
        Directory that stands for ``/`` where the configuration includes files by absolute paths.
    connect
        Ask a running server, by keywords such as ``"host=db dbname=postgres"`` or an address.
    version
        Version of the system, as its program prints it; what the configuration tells by default, else the
        one that is installed here.
    cores
        Processors that the system may use, 1 to 4096; the profiled machine's by default.
    memory
        Memory that the system may use, bytes or text such as ``"16G"``.
    data
        Data that it holds, bytes or text: with `memory`, the share of it that is cached.
    read_p99
        Read latency whose 99th percentile writing in the background must not exceed, such as ``"5ms"``.
    drive
        What the drive is called where the configuration is for, ``"nvme0n1"`` or ``"nvme0n1:MODEL"``.
    osd
        Number of the OSD of Ceph that has the drive: its own section of a ``ceph.conf`` is judged.

    Returns
    -------
    Lint
        A table with a row for each key: ``key``, ``verdict`` (``"fits"``, ``"too-low"``, ``"off"``,
        ``"not-judged"``, ...), ``found``, ``advised``, ``times`` (how far off), ``costs`` (in words),
        ``reason``, ``needs_restart``, ``place`` (file and line); with ``"auto"`` also ``system``. It has
        ``ok``, ``judged``, ``wrong`` and ``worst``, too.

    Raises
    ------
    BadInput
        The configuration cannot be read, or is another system's.
    Failed
        The server does not answer.

    Examples
    --------
    >>> import leadline
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "postgresql.conf")
    ...     _ = path.write_text("checkpoint_completion_target = 0.1\\n")
    ...     found = leadline.lint("postgresql", path, "device:p4510", version="15")
    >>> found.ok, found.worst, found["key"].tolist(), found["advised"].tolist()
    (False, 'too-low', ['checkpoint_completion_target'], ['0.9'])
    """
    options = {
        "config_root": config_root,
        "connect": connect,
        "version": version,
        "cores": cores,
        "memory": memory,
        "data": data,
        "read_p99": read_p99,
        "drive": drive,
        "osd": osd,
    }
    before: Sequence[object] = [system] if config is None else [system, config]
    document, notes, verdict = from_profile("lint", before, profile, options=options)
    several = document.get("systems", [document])
    rows = [{"system": one.get("system"), **finding} for one in several for finding in one["findings"]]
    for row in rows:
        row["advised"] = written(row["advised"])
        if row["costs"] is not None:
            times, work = row["costs"]
            row["costs"] = f"{work} takes {times:.3g} times as long"
    names = ["key", "verdict", "found", "advised", "times", "costs", "reason", "needs_restart", "place"]
    if "systems" in document:
        names.insert(0, "system")
    said = [note for one in several for note in one["notes"]]
    found = Lint(text_columns(rows, names), document, [*said, *notes])
    found.verdict = verdict
    if verdict is not None and not found.judged:
        warn(verdict, Warning)
    return found
