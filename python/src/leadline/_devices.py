"""Devices whose numbers are known without measuring."""

from __future__ import annotations

from typing import Any, overload

from ._command import run
from ._documents import columns_of
from ._profiled import Path
from ._table import Table

__all__ = ["devices"]

#: What is published of a device, with its unit.
_NUMBERS = ("alpha", "alpha_1", "k_r", "k_w", "read_latency_us", "write_latency_us", "cap_iops")


@overload
def devices(name: None = None) -> Table: ...


@overload
def devices(name: Path) -> dict[str, Any]: ...


def devices(name: Path | None = None) -> Table | dict[str, Any]:
    """List the devices whose numbers are known without measuring, or show one of them.

    ``device:NAME`` is the profile of one that has published numbers, ``sim:NAME`` measures one that is
    simulated.

    Parameters
    ----------
    name
        A device of the list, or the file of a description (``"./device.toml"``): all that is known of it.

    Returns
    -------
    Table
        Without `name`, a row for each device and way to it: ``name``, ``class``, ``simulated``,
        ``published``, ``path`` (``"file system"``, ``"raw"``), ``block_bytes``, ``pattern``, ``alpha``,
        ``alpha_1``, ``k_r``, ``k_w``, ``read_latency_us``, ``write_latency_us``, ``cap_iops`` (NaN where not
        published), ``description`` and ``source``.
    dict
        With `name`: the device, as the command line prints it.

    Raises
    ------
    BadInput
        There is no such device.

    Examples
    --------
    >>> import leadline
    >>> t = leadline.devices()
    >>> sorted(set(t["name"][t["k_r"] > 50]))
    ['p4510']
    >>> leadline.devices("flash")["simulated"]["read"]["servers"]
    80
    """
    if name is not None:
        device: dict[str, Any] = run("devices", name)[0]
        return device
    document, notes = run("devices")
    rows = [row for device in document["devices"] for row in _ways(device)]
    names = ["name", "class", "simulated", "published", "path", "block_bytes", "pattern", *_NUMBERS]
    return Table(columns_of(rows, only=[*names, "description", "source"]), document, notes)


def _ways(device: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each way to a device that numbers are published of, at least one."""
    known = {name: device[name] for name in ("name", "class", "description", "source")}
    known["simulated"] = device["simulated"] is not None
    published = device["published"]
    return [{**known, **way, "published": bool(published)} for way in published or [{}]]
