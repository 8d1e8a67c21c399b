"""Pages about profiles, and fio jobs of what was measured."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path as FilePath

from ._command import run, text
from ._errors import BadInput
from ._profile import Report
from ._profiled import Path, ProfileLike, named, output_or_temporary

__all__ = ["report"]


def report(
    *profiles: ProfileLike,
    output: Path | None = None,
    fio_jobs: Path | None = None,
) -> Report:
    """Make an HTML page about a profile, or about several side by side.

    Parameters
    ----------
    *profiles
        Profiles, files of profiles, or ``"device:NAME"``; others are compared with the first one.
    output
        Also write the page to this file, which is replaced if it exists.
    fio_jobs
        Write one fio job per measured point into this directory (one profile only).

    Returns
    -------
    Report
        The page; a notebook shows it. :func:`compare` has the numbers of several.

    Raises
    ------
    BadInput
        A profile cannot be read, or a simulated or published device has no jobs for fio.

    Examples
    --------
    >>> import leadline
    >>> page = leadline.report("device:p4510", "device:p4800x")
    >>> page.html.startswith("<!")
    True
    """
    if not profiles:
        raise BadInput("profiles: name at least one")
    with ExitStack() as stack:
        names = [stack.enter_context(named(profile, [output], "profiles"))[0] for profile in profiles]
        written = stack.enter_context(output_or_temporary(output, "report.html"))
        run("report", *names, options={"output": written, "fio_jobs": fio_jobs})
        return Report(FilePath(text(written)).read_text(encoding="utf-8"))
