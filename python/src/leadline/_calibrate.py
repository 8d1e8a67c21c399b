"""A simulated flash drive in the place of a measured device."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

from ._command import text
from ._documents import columns_of
from ._profiled import Path, ProfileLike, from_profile, named, output_or_temporary
from ._progress import Progress
from ._table import Table
from ._whole import write_whole
from ._words import path_of

__all__ = ["Calibration", "calibrate"]


class Calibration(Table):
    """A fitted drive, a parameter a row: see :func:`calibrate`."""

    __module__ = "leadline"

    #: The description of the drive (TOML), which ``sim:FILE.toml`` simulates.
    description: str

    def write(self, path: Path) -> None:
        """Write the description to a file, which is replaced if it exists: ``sim:FILE.toml`` simulates it.

        Parameters
        ----------
        path
            The file.

        Raises
        ------
        BadInput
            There is no such directory, or it may not be written to.
        Failed
            The disk is full, or fails.

        Examples
        --------
        See :func:`calibrate`.
        """
        write_whole(path_of("path", path), self.description)


def calibrate(
    profile: ProfileLike,
    *,
    output: Path | None = None,
    check: bool = False,
    again: ProfileLike | None = None,
    progress: Progress = False,
) -> Calibration:
    """Fit a simulated flash drive to a measured profile, and say which of its parameters the profile shows.

    It takes minutes.

    Parameters
    ----------
    profile
        A profile or the file of one; several block sizes show more of a drive than one.
    output
        Also write the description to this file, which is replaced if it exists.
    check
        Run the profile's experiments mixed, r-by-k and ladder on the fitted drive and compare:
        ``info["checks"]``.
    again
        With `check`: a profile of the same device with the same experiments, made again; how far both are
        apart is what no prediction can undercut.
    progress
        ``True`` for a bar, or a function that is called with phase, share and detail.

    Returns
    -------
    Calibration
        A table with a row for each parameter: ``name``, ``value``, ``unit``, ``low`` and ``high`` (NaN where
        the profile does not bound it), ``origin`` (``"fitted"`` or ``"default"``) and ``default_of``. Its
        ``description`` is the drive as TOML.

    Raises
    ------
    BadInput
        The profile has too little of a drive, or `check` has no experiment to compare with.

    Examples
    --------
    >>> import leadline
    >>> leadline.calibrate("device:p4510")  # published numbers are too few
    Traceback (most recent call last):
    leadline.BadInput: device:p4510: ...
    """
    with output_or_temporary(output, "drive.toml") as written, named(again, [output], "again") as (other, _):
        options = {"output": written, "check": check, "again": other}
        document, notes, _ = from_profile(
            "calibrate", [], profile, options=options, outputs=[output], progress=progress
        )
        description = FilePath(text(written)).read_text(encoding="utf-8")
    if output is None:
        # Where it was put for the time being is nobody's concern.
        notes = tuple(note for note in notes if text(written) not in note)
    fitted = Calibration(columns_of([_parameter(one) for one in document["parameters"]]), document, notes)
    fitted.description = description
    return fitted


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    low, high = parameter["range"]
    names = ("name", "value", "unit")
    ends = {"low": low, "high": high}
    return {
        **{name: parameter[name] for name in names},
        **ends,
        "origin": parameter["origin"],
        "default_of": parameter["default_of"],
    }
