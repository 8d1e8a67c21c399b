"""LSM trees such as RocksDB's on a measured device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._documents import columns_of
from ._lsm_validate import validate
from ._profiled import Path, ProfileLike, from_profile
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._table import Table

__all__ = ["advise", "predict", "validate"]

#: Operations whose costs are predicted.
_OPERATIONS = ("point", "absent", "scan", "insert")


@renamed(key="key_size", value="value_size")
def advise(
    profile: ProfileLike,
    *,
    data: Size,
    key_size: Size,
    value_size: Size,
    mix: str | Mapping[str, float],
    clients: int | None = None,
    scan_pairs: int | None = None,
    cores: int | None = None,
    compressed: float | None = None,
    processor: Path | None = None,
    memory: Size | None = None,
    jobs: int | None = None,
    p99: str | None = None,
    life: str | None = None,
    rated_writes: str | float | None = None,
    device_write_amplification: float | None = None,
    rate: float | None = None,
    output: Path | None = None,
    rocksdb: str | None = None,
    report: Path | None = None,
    progress: Progress = False,
) -> Table:
    """Find the layout of an LSM tree (RocksDB's) that suits a workload and a device.

    Parameters
    ----------
    profile
        A profile, the file of one, or ``"device:NAME"``.
    data
        Keys and values in the tree, bytes or text such as ``"100G"``.
    key_size, value_size
        Size of a key and of a value, bytes.
    mix
        Operations and their percentages, which add up to 100: ``{"point": 60, "insert": 40}``; ``point``,
        ``absent``, ``scan``, ``insert``, ``update``, ``delete``; or ``"mixgraph"``.
    clients
        Clients, each with one operation at a time, 1 to 4096; 1 by default.
    scan_pairs
        Pairs that a scan returns, 1 to 100,000,000; 128 by default.
    cores
        Processor cores, 1 to 4096; the profile's machine's by default.
    compressed
        Stored bytes in percent of the bytes of keys and values, 1 to 100; 100 by default, without
        compression.
    processor
        What RocksDB costs the processor: a result of :func:`validate`, or a JSON object of such costs.
    memory
        Memory for memtables, filters, indexes and block cache, bytes or text; a sixteenth of the data by
        default, at least 1G.
    jobs
        Compactions at a time, 1 to 256; as many as serve best by default.
    p99
        Allow only layouts whose point queries' 99th percentile is at most this, such as ``"5ms"``.
    life
        Allow only layouts with which the drive lasts this number of years, such as ``"5y"``.
    rated_writes
        Bytes that may be written to the drive by its data sheet (TBW), in powers of 1000: ``"600T"``.
    device_write_amplification
        Bytes that the drive writes to its flash for each byte it is given, 1 or more.
    rate
        Operations per second that will be asked, for the life of the drive.
    output
        Also write the layout to this file: options that RocksDB loads.
    rocksdb
        Version of RocksDB that the file is for: ``"7.8"`` (the default), ``"8.6"``, ``"9"``, ``"10"``.
    report
        Also write a page (HTML) with the front as a chart to this file.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Table
        The chosen layout in the first row, then all other layouts that nothing beats in all respects:
        ``chosen``, ``fanout``, ``levels``, ``memtable_bytes`` and so on, ``point_us``, ``scan_us``,
        ``insert_per_s``, ``write_amplification``, ``mix_per_s`` (each with ``_low`` and ``_high``, a 95 %
        interval). ``info`` has the whole document.

    Raises
    ------
    BadInput
        The mix is none, the profile lacks what predictions need, or no layout keeps to the limits.

    Warns
    -----
    Extrapolated
        The profile has no requests as large as a compaction's.

    Examples
    --------
    >>> import leadline
    >>> disk = leadline.profile("sim:flash", quick=True, block_size=["4K", "64K", "512K"])
    >>> mix = {"point": 60, "insert": 40}
    >>> t = leadline.lsm.advise(disk, data="10G", key_size=16, value_size=2048, mix=mix, cores=2)
    >>> bool(t["chosen"][0]), bool(t["mix_per_s"][0] > 1000)
    (True, True)
    """
    options = {
        "data": data,
        "key_size": key_size,
        "value_size": value_size,
        "clients": clients,
        "scan_pairs": scan_pairs,
        "cores": cores,
        "compressed": compressed,
        "processor": processor,
        "mix": mix,
        "memory": memory,
        "jobs": jobs,
        "p99": p99,
        "life": life,
        "rated_writes": rated_writes,
        "device_write_amplification": device_write_amplification,
        "rate": rate,
        "output": output,
        "rocksdb": rocksdb,
        "report": report,
    }
    document, notes, _ = from_profile(
        "lsm advise", [], profile, options=options, outputs=[output, report], progress=progress
    )
    others = [layout for layout in document["front"] if layout != document["chosen"]]
    rows = [{"chosen": place == 0, **one} for place, one in enumerate([document["chosen"], *others])]
    return Table(columns_of(rows), document, notes)


@renamed(key="key_size", value="value_size", cache="cache_size")
def predict(
    profile: ProfileLike,
    *,
    data: Size,
    key_size: Size,
    value_size: Size,
    options: Path,
    clients: int | None = None,
    scan_pairs: int | None = None,
    cores: int | None = None,
    compressed: float | None = None,
    processor: Path | None = None,
    mix: str | Mapping[str, float] | None = None,
    cache_size: Size | None = None,
    family: str | None = None,
) -> Table:
    """Predict what an LSM tree costs with the OPTIONS file that a RocksDB has.

    Parameters
    ----------
    profile
        A profile, the file of one, or ``"device:NAME"``.
    data
        Keys and values in the tree, bytes or text such as ``"100G"``.
    key_size, value_size
        Size of a key and of a value, bytes.
    options
        An OPTIONS file: ``OPTIONS-NUMBER`` in the directory of a database, or one that :func:`advise` wrote.
    clients
        Clients, each with one operation at a time, 1 to 4096; 1 by default.
    scan_pairs
        Pairs that a scan returns, 1 to 100,000,000; 128 by default.
    cores
        Processor cores, 1 to 4096; the profile's machine's by default.
    compressed
        Stored bytes in percent of the bytes of keys and values, 1 to 100; 100 by default, without
        compression.
    processor
        What RocksDB costs the processor: a result of :func:`validate`, or a JSON object of such costs.
    mix
        Operations and their percentages, as for :func:`advise`; each operation alone by default.
    cache_size
        Size of the block cache, bytes or text; as the file says by default.
    family
        Column family whose options are meant; ``"default"`` by default.

    Returns
    -------
    Table
        A row for each operation (``point``, ``absent``, ``scan``, ``insert``, and ``mix`` where one was
        given): ``operation``, ``per_s`` (operations per second), ``us`` (microseconds, NaN for inserts and
        mixes) and ``bound`` (what limits it). ``info`` has the whole document: levels, amplification.

    Raises
    ------
    BadInput
        The file cannot be read, or the profile lacks what predictions need.

    Warns
    -----
    Extrapolated
        The profile has no requests as large as a compaction's.

    Examples
    --------
    >>> import leadline
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> disk = leadline.profile("sim:flash", quick=True, block_size=["4K", "64K", "512K"])
    >>> of = {"data": "10G", "key_size": 16, "value_size": 2048, "cores": 2}
    >>> with TemporaryDirectory() as folder:
    ...     file = Path(folder, "OPTIONS.ini")
    ...     _ = leadline.lsm.advise(disk, **of, mix={"point": 60, "insert": 40}, output=file)
    ...     t = leadline.lsm.predict(disk, **of, options=file)
    >>> t["operation"].tolist(), bool((t["per_s"] > 0).all())
    (['point', 'absent', 'scan', 'insert'], True)
    """
    given = {
        "data": data,
        "key_size": key_size,
        "value_size": value_size,
        "clients": clients,
        "scan_pairs": scan_pairs,
        "cores": cores,
        "compressed": compressed,
        "processor": processor,
        "options": options,
        "mix": mix,
        "cache_size": cache_size,
        "family": family,
    }
    document, notes, _ = from_profile("lsm predict", [], profile, options=given)
    rows = [_operation(document, name) for name in _OPERATIONS]
    if mix is not None:
        per_s = document["mix_per_s"]
        rows.append({"operation": "mix", "per_s": per_s, "bound": document["mix"]["bound"]})
    return Table(columns_of(rows, only=["operation", "per_s", "us", "bound"]), document, notes)


def _operation(document: dict[str, Any], name: str) -> dict[str, Any]:
    row = {"operation": name, "us": document.get(f"{name}_us"), "bound": document[name].get("bound")}
    per_s = document[name].get("per_s", document.get(f"{name}_per_s"))
    return {**row, "per_s": per_s}
