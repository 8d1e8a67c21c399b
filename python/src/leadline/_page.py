"""Pages that open without a network."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from . import _leadline
from ._errors import BadInput
from ._whole import write_whole
from ._words import one_line, path_of

if TYPE_CHECKING:
    from ._profile import Profile

__all__ = ["Report"]


class Report:
    """A self-contained page that opens without a network; a notebook shows it in a frame."""

    __module__ = "leadline"

    def __init__(self, page: str) -> None:
        #: The page, HTML.
        self.html = page

    @classmethod
    def of(cls, profiles: Sequence[Profile], path: str | os.PathLike[str] | None = None) -> Report:
        """Make the page about one profile, or about several side by side.

        Parameters
        ----------
        profiles
            The first is the reference of the comparison.
        path
            Also write the page to this file, which is replaced if it exists.

        Returns
        -------
        Report

        Raises
        ------
        BadInput
            The file cannot be written, or is one of the profiles' files.

        Examples
        --------
        >>> import leadline
        >>> disk = leadline.Profile.load("device:p4510")
        >>> "<html" in Report.of([disk, disk]).html
        True
        """
        several = list(profiles) if isinstance(profiles, Iterable) else [profiles]
        for profile in several:
            if not hasattr(profile, "_device"):
                raise BadInput(f"profiles={one_line(profile)}: must be profiles")
            profile._refuse_to_replace(path)
        report = cls(_leadline.page([profile._device for profile in several]))
        if path is not None:
            report.save(path)
        return report

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path
            The file; one of that name is replaced.

        Raises
        ------
        BadInput
            There is no such directory, or it may not be written to.
        Failed
            The disk is full, or fails.

        Examples
        --------
        >>> import leadline, pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "disk.html"
        >>> leadline.Profile.load("device:p4510").report().save(file)
        >>> file.stat().st_size > 10_000
        True
        """
        write_whole(path_of("path", path), self.html)

    def __repr__(self) -> str:
        return f"Report({len(self.html)} characters; .save(path) writes it)"

    def _repr_html_(self) -> str:
        import html

        # A frame, so that the page's styles and scripts stay its own.
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:640px;border:0"></iframe>'
