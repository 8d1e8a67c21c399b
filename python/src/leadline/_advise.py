"""Settings of real systems, advised for a device."""

from __future__ import annotations

import json
from typing import Any

from ._documents import columns_of
from ._profiled import Path, ProfileLike, from_profile
from ._sizes import Size
from ._table import Table

__all__ = ["Advice", "advise", "text_columns", "written"]


class Advice(Table):
    """Settings for a device, one a row: see :func:`advise`."""

    __module__ = "leadline"

    _asked: tuple[str, ProfileLike, dict[str, object]]

    @property
    def files(self) -> dict[str, str]:
        """The settings in the system's own syntax: the text of each file, by its name."""
        return {file["name"]: file["text"] for file in _files(self.info)}

    def write(self, path: Path) -> None:
        """Write the settings in the system's own syntax.

        Parameters
        ----------
        path
            The file, which is replaced if it exists; several files go into a new directory of this name.

        Raises
        ------
        BadInput
            The settings differ from version to version and none is known, or the file cannot be made.
        Failed
            Nothing can be advised.

        Examples
        --------
        >>> import leadline, pathlib, tempfile
        >>> conf = pathlib.Path(tempfile.mkdtemp()) / "leadline.conf"
        >>> leadline.advise("postgresql", "device:p4510", version="16").write(conf)
        >>> "checkpoint_completion_target = 0.9" in conf.read_text()
        True
        """
        system, profile, options = self._asked
        given = {**options, "output": path}
        from_profile("advise", [system], profile, options=given, outputs=[path])


def advise(
    system: str,
    profile: ProfileLike,
    *,
    version: str | None = None,
    cores: int | None = None,
    memory: Size | None = None,
    data: Size | None = None,
    read_p99: str | None = None,
    drive: str | None = None,
    osd: int | None = None,
    output: Path | None = None,
) -> Advice:
    """Choose the settings of a database, a storage system or Linux for a measured device.

    Parameters
    ----------
    system
        The system: ``"postgresql"``, ``"innodb"``, ``"rocksdb"`` and so on (``leadline docs advise`` lists
        them), or ``"all"``.
    profile
        A profile, the file of one, or ``"device:NAME"``.
    version
        Version of the system, as its program prints it (``"15.4"``, ``"mysql-8.0.36"``); the one that is
        installed here by default.
    cores
        Processors that the system may use, 1 to 4096; the profiled machine's by default.
    memory
        Memory that the system may use, bytes or text such as ``"16G"``.
    data
        Data that it holds, bytes or text: with `memory`, the share of it that is cached; nothing is cached by
        default.
    read_p99
        Read latency whose 99th percentile writing in the background must not exceed, with its unit, such as
        ``"5ms"``; twice the latency of an idle device by default.
    drive
        What the drive is called where the settings are for, ``"nvme0n1"`` or ``"nvme0n1:MODEL"``; as in the
        profile by default.
    osd
        Number of the OSD of Ceph that has the drive.
    output
        Also write the settings in the system's own syntax to this file, as :meth:`Advice.write` does.

    Returns
    -------
    Advice
        A table with a row for each key: ``key``, ``value`` (text), ``number`` (NaN where it is none),
        ``unit``, ``low`` and ``high`` (95 % interval), ``default``, ``rule``, ``source`` and ``status``:
        ``"advised"``, ``"default"`` (as without advice) or ``"not measured"``, where ``rule`` says what is
        lacking and how it is measured. With ``"all"`` also ``system``. ``files`` has the settings in the
        system's own syntax, ``info`` the whole document.

    Raises
    ------
    BadInput
        There is no such system or version, or the profile cannot be read.
    Failed
        Nothing can be advised, and `output` was given.

    Examples
    --------
    >>> import leadline
    >>> settings = leadline.advise("postgresql", "device:p4510", version="15", memory="16G")
    >>> advised = settings["status"] != "not measured"
    >>> settings["key"][advised].tolist()
    ['seq_page_cost', 'bgwriter_flush_after', 'checkpoint_completion_target']
    >>> "checkpoint_completion_target = 0.9" in settings.files["leadline.conf"]
    True
    """
    options: dict[str, object] = {
        "version": version,
        "cores": cores,
        "memory": memory,
        "data": data,
        "read_p99": read_p99,
        "drive": drive,
        "osd": osd,
    }
    given = {**options, "output": output}
    document, notes, _ = from_profile("advise", [system], profile, options=given, outputs=[output])
    several = document.get("systems", [document])
    rows = [row for one in several for row in _settings(one)]
    names = ["key", "value", "number", "unit", "low", "high", "default", "rule", "source", "status"]
    if "systems" in document:
        names.insert(0, "system")
    said = [note for one in several for note in one["notes"]]
    advice = Advice(text_columns(rows, names), document, [*said, *notes])
    advice._asked = (system, profile, options)
    return advice


def _settings(advice: dict[str, Any]) -> list[dict[str, Any]]:
    """A row for each key, missing keys last."""
    rows = []
    for setting in advice["settings"]:
        value, default = setting["value"], setting["default"]
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        rows.append(
            {
                **{name: setting[name] for name in ("key", "unit", "low", "high", "rule", "source")},
                "system": advice["system"],
                "value": written(value),
                "number": float(value) if is_number else None,
                "default": written(default),
                "status": "default" if value == default else "advised",
            }
        )
    for missing in advice["missing"]:
        key, reason = missing["key"], missing["reason"]
        rows.append({"system": advice["system"], "key": key, "rule": reason, "status": "not measured"})
    return rows


def text_columns(rows: list[dict[str, Any]], names: list[str]) -> dict[str, Any]:
    """The columns; columns of text also where no row has any."""
    columns = columns_of(rows, only=names)
    numbers = ("number", "low", "high", "times", "needs_restart")
    return {
        name: column if name in numbers else [row.get(name) for row in rows]
        for name, column in columns.items()
    }


def written(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _files(document: dict[str, Any]) -> list[dict[str, str]]:
    return [file for one in document.get("systems", [document]) for file in one["files"]]
