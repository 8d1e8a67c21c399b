"""Disks for tests, with pytest: slow ones, and ones that lose what was not synced when the power is cut.

>>> from leadline.testing import Disk
>>> with Disk("sim:gp3") as disk:
...     _ = (disk.path / "a").write_text("not synced")
...     _ = disk.crash()
...     list(disk.path.iterdir())
[]

A line in ``conftest.py``, ``pytest_plugins = "leadline.testing"``, gives tests the fixtures :func:`slow_disk`
and :func:`emulated_disk`. It is not an entry point, which pytest would load, with the names of our fixtures,
in every project of an environment that has Leadline. What the disks need (NumPy and the extension) is loaded
when a test asks for one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from ._optional import needed

with needed("leadline.testing", "pytest"):
    import pytest

if TYPE_CHECKING:
    from . import Profile
    from ._disk import Disk

__all__ = ["Disk", "EmulateDisk", "emulated_disk", "slow_disk"]

#: The setting that makes a test fail where no disk can be emulated; it is skipped otherwise.
_REQUIRE = "leadline_require_disks"


def __getattr__(name: str) -> Any:
    if name == "Disk":
        from ._disk import Disk

        return Disk
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


class EmulateDisk(Protocol):
    """What :func:`emulated_disk` gives: a function that mounts a disk for the test."""

    def __call__(self, device: str | os.PathLike[str] | Profile = "sim:gp3", **options: Any) -> Disk:
        """Mount a disk; the options are as for :class:`Disk`."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Make the setting known."""
    parser.addini(
        _REQUIRE, "tests fail where no disk can be emulated, and are not skipped", type="bool", default=False
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers", "slow_disk(device, **options): what the fixture slow_disk is, as leadline.testing.Disk"
    )


@pytest.fixture
def emulated_disk(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmulateDisk]:
    """Mount disks for a test: ``emulated_disk(device, **options)`` gives a :class:`Disk`.

    All end after the test. Their files are in pytest's temporary directory, where they can be looked at when
    the test has failed. A test is skipped where no disk can be emulated, or fails with the setting
    ``leadline_require_disks = true``.

    Examples
    --------
    ::

        def test_the_copy_is_durable(emulated_disk):
            source, target = emulated_disk("device:s4610"), emulated_disk("sim:hdd-disk", strict=True)
            (source.path / "a").write_text("hello")
            copy(source.path / "a", target.path / "a")
            target.crash()
            assert (target.path / "a").read_text() == "hello"
    """
    disks: list[Disk] = []

    def mount(device: str | os.PathLike[str] | Profile = "sim:gp3", **options: Any) -> Disk:
        reason = _missing()
        if reason is not None:
            (pytest.fail if request.config.getini(_REQUIRE) else pytest.skip)(reason)
        from ._disk import Disk

        folder = tmp_path_factory.mktemp("disk")
        for name in ("backing", "mount"):
            if options.get(name) is None:
                options[name] = folder / name
                (folder / name).mkdir()
        disks.append(Disk(device, **options))
        return disks[-1]

    yield mount
    _close(disks)


@pytest.fixture
def slow_disk(request: pytest.FixtureRequest, emulated_disk: EmulateDisk) -> Disk:
    """Give a test a :class:`Disk`: a cloud volume, where a sync takes about a millisecond.

    ``@pytest.mark.slow_disk("device:s4610", strict=True)`` makes it another one, and
    ``@pytest.mark.parametrize("slow_disk", ["sim:gp3", "sim:hdd-disk"], indirect=True)`` runs the test on
    each.

    Examples
    --------
    ::

        def test_a_saved_document_survives_a_crash(slow_disk):
            save(slow_disk.path / "document", "hello")
            slow_disk.crash()
            assert load(slow_disk.path / "document") == "hello"
    """
    marker = request.node.get_closest_marker("slow_disk")
    arguments, options = (marker.args, marker.kwargs) if marker else ((), {})
    if hasattr(request, "param"):
        arguments = (request.param, *arguments[1:])
    return emulated_disk(*arguments, **options)


def _missing() -> str | None:
    """Say why no disk can be emulated here; None where one can."""
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return "no disk can be emulated here: /dev/fuse cannot be opened"
    if os.geteuid() != 0 and shutil.which("fusermount3") is None:
        return "no disk can be emulated here: fusermount3 is not there (Debian package fuse3)"
    return None


def _close(disks: list[Disk]) -> None:
    """End all, also where one of them cannot end in order."""
    failures = []
    while disks:
        try:
            disks.pop().close()
        except Exception as error:
            failures.append(error)
    if failures:
        raise failures[0]
