"""This program's own use of a directory over which a file system is mounted: what it has open there."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

__all__ = ["Below"]


class Below:
    """A directory before something is mounted over it, and the way back there.

    Parameters
    ----------
    folder
        The directory, which nothing is mounted over yet.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = ""
        self._mount = ""
        self._device = -1
        self._below = -1
        # Where it cannot be opened, there will be no mount.
        with suppress(OSError, ValueError):
            self._folder = os.path.realpath(folder)
            self._below = os.open(self._folder, os.O_PATH | os.O_DIRECTORY)

    def close(self) -> None:
        """Let go of the directory."""
        if self._below >= 0:
            os.close(self._below)
            self._below = -1

    def go_in(self) -> None:
        """Make relative paths lead into what was mounted, where the current directory is in the directory."""
        root = os.open(self._folder, os.O_PATH | os.O_DIRECTORY)
        try:
            self._mount = _mount_of(str(root))
            self._device = os.fstat(root).st_dev
        finally:
            os.close(root)
        here = self._here()
        if here is not None:
            os.chdir(here)

    def go_out(self) -> list[str]:
        """Make relative paths lead below again, and sync what this program has open in the mount.

        Returns
        -------
        list of str
            The files and directories that it has open there.
        """
        here = self._here()
        if here is not None:
            with suppress(OSError):
                place = os.open(os.path.relpath(here, self._folder), os.O_PATH, dir_fd=self._below)
                os.fchdir(place)
                os.close(place)
        return sorted({*self._open(), *self._mapped()})

    def _here(self) -> str | None:
        """The current directory, if it is in the directory."""
        try:
            here = os.getcwd()
        except OSError:
            return None
        return here if os.path.commonpath([here, self._folder]) == self._folder else None

    def _open(self) -> list[str]:
        names = []
        for descriptor in os.listdir("/proc/self/fd"):
            # Others come and go.
            with suppress(OSError):
                if _mount_of(descriptor) == self._mount:
                    names.append(os.readlink(f"/proc/self/fd/{descriptor}"))
                    # What the kernel holds back would be lost.
                    os.fsync(int(descriptor))
        return names

    def _mapped(self) -> list[str]:
        device = f"{os.major(self._device):02x}:{os.minor(self._device):02x}"
        with open("/proc/self/maps", errors="surrogateescape") as maps:
            places = [line.split(maxsplit=5) for line in maps]
        names = {place[5].rstrip("\n") for place in places if len(place) == 6 and place[3] == device}
        for name in names:
            with suppress(OSError):
                mapped = os.open(name, os.O_RDONLY)
                try:
                    os.fsync(mapped)
                finally:
                    os.close(mapped)
        return sorted(names)


def _mount_of(descriptor: str) -> str:
    """The kernel's number of the mount to which a descriptor leads; the mount itself is not asked."""
    with open(f"/proc/self/fdinfo/{descriptor}") as info:
        found = re.search(r"^mnt_id:\s*(\d+)", info.read(), re.MULTILINE)
    return found[1] if found else ""
