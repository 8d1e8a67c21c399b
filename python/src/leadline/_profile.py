"""What a device can do: loaded, asked, and shown."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _leadline, _profile_tables
from ._command import text
from ._errors import BadInput
from ._page import Report
from ._parameters import Interval, Parameters
from ._table import Table
from ._words import count_of, flag_of, one_line, path_of, text_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ._models import Models

__all__ = ["Interval", "Profile", "Report"]


#: What a profile keeps once it was asked for.
_MADE_AGAIN = ("document", "_headline", "points", "parameters", "timeline")


class Profile(Parameters):
    """What was measured of a device.

    The numbers without a place (``k_r``, ``alpha``, ...) are for random 4 KiB requests if these were
    measured; :meth:`at` and :attr:`parameters` have the numbers of other patterns and sizes. Each has its 95
    % interval in the attribute of the same name with ``_ci``. What was not measured is None.

    Examples
    --------
    >>> p = Profile.load("device:p4510")
    >>> p.k_r, p.alpha
    (80, 2.8)
    >>> bool(p.points["iops"].max() > 50_000)
    True
    """

    __module__ = "leadline"

    def __init__(
        self, device: _leadline.DeviceProfile, path: str | None = None, notes: Sequence[str] = ()
    ) -> None:
        self._device = device
        self._path = path
        #: What was said while it was measured: what was to be done, and warnings. Empty if it was loaded.
        self.notes = tuple(notes)

    @classmethod
    def load(cls, source: str | os.PathLike[str]) -> Profile:
        """Load a profile.

        Parameters
        ----------
        source
            A file that ``leadline profile`` or :meth:`save` wrote, or ``device:NAME`` for published numbers.

        Returns
        -------
        Profile

        Raises
        ------
        BadInput
            It cannot be read, is not a profile, or holds impossible numbers; the line says where.

        Examples
        --------
        >>> Profile.load("device:p4510").k_r
        80
        """
        name = text(source)
        path = None if name.startswith("device:") else name
        return cls(_leadline.DeviceProfile.load(name), path)

    @classmethod
    def from_json(cls, document: str, name: str = "profile") -> Profile:
        """Read the text of a profile.

        Parameters
        ----------
        document
            What :meth:`to_json` returned, or the content of a profile's file.
        name
            What messages call it.

        Returns
        -------
        Profile

        Raises
        ------
        BadInput
            It is not a profile, or holds impossible numbers; the line says where.

        Examples
        --------
        >>> Profile.from_json(Profile.load("device:p4510").to_json()).k_r
        80
        """
        if not isinstance(document, str):
            raise BadInput(f"document: must be the text of a profile, not {type(document).__name__}")
        text_of("document", document)
        return cls(_leadline.DeviceProfile.parse(document, str(name)))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the profile to a file, whole or not at all.

        Parameters
        ----------
        path
            The file; one of that name is replaced.

        Raises
        ------
        Failed
            It cannot be written.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "disk.json"
        >>> Profile.load("device:p4510").save(file)
        >>> Profile.load(file).k_r
        80
        """
        name = path_of("path", path)
        self._device.save(name)
        self._path = name

    def to_json(self) -> str:
        """Return the profile as JSON (schema ``leadline.profile/1``).

        Returns
        -------
        str
            What :meth:`from_json` takes.

        Examples
        --------
        >>> Profile.from_json(Profile.load("device:p4510").to_json()).k_r
        80
        """
        return self._device.to_json()

    @cached_property
    def document(self) -> dict[str, Any]:
        """The whole profile as dictionaries and lists, in the words of its schema."""
        document: dict[str, Any] = json.loads(self._device.to_json())
        return document

    @property
    def name(self) -> str:
        """Short name of the device, such as ``nvme0n1`` or ``sim-flash``."""
        return str(self.document["device"]["name"])

    @property
    def target(self) -> str:
        """What was measured, as it was given."""
        return str(self.document["device"]["target"])

    @property
    def complete(self) -> bool:
        """Whether the measurement came to its end."""
        return bool(self.document["validity"]["complete"])

    @property
    def checks(self) -> Table:
        """How far the numbers can be trusted: ``name``, ``status`` (ok, violated, unknown), ``detail``."""
        return _profile_tables.checks(self.document)

    @property
    def created(self) -> str | None:
        """When the measurement began (RFC 3339, UTC); None of a simulated device."""
        return self.document.get("created")

    @property
    def device(self) -> dict[str, Any]:
        """What was measured: ``capacity_bytes``, ``model``, ``link`` and what else the kernel tells."""
        return dict(self.document["device"])

    @property
    def method(self) -> dict[str, Any]:
        """How it was measured: ``engine``, ``seed``, ``measured_seconds``, ``footprint_bytes`` and others."""
        return dict(self.document["method"])

    @property
    def validity(self) -> dict[str, Any]:
        """How far the numbers can be trusted: ``state``, ``bytes_written``, ``cpu_pressure`` and others."""
        return dict(self.document["validity"])

    @property
    def experiments(self) -> dict[str, Any]:
        """What :func:`leadline.experiment` added, by the experiment's name."""
        return dict(self.document.get("experiments", {}))

    def at(self, pattern: str = "random", block_bytes: int = 4096) -> dict[str, Any]:
        """Return the numbers of one pattern and block size.

        Parameters
        ----------
        pattern
            ``random`` or ``sequential``.
        block_bytes
            Size of each request, bytes.

        Returns
        -------
        dict
            The entry of ``document["parameters"]``.

        Raises
        ------
        BadInput
            It was not measured; the line says what was.

        Examples
        --------
        >>> Profile.load("device:p4510").at("random", 4096)["k_r"]
        80
        """
        text_of("pattern", pattern)
        count_of("block_bytes", block_bytes)
        entries = self.document["parameters"]
        for entry in entries:
            if entry["pattern"] == pattern and entry["block_bytes"] == block_bytes:
                return dict(entry)
        known = ", ".join(f"{entry['pattern']} {entry['block_bytes']}" for entry in entries)
        wanted = f"{one_line(pattern)} {block_bytes}"
        raise BadInput(f"{self._device.name}: {wanted} was not measured; it has {known or 'nothing'}")

    @cached_property
    def _headline(self) -> dict[str, Any]:
        place = self._device.headline()
        return {} if place is None else dict(self.document["parameters"][place])

    @cached_property
    def points(self) -> Table:
        """Every operating point that was measured.

        Columns: ``op`` (read, write), ``pattern`` (random, sequential), ``block_bytes``, ``concurrency``,
        ``durable``, ``iops`` with ``iops_low`` and ``iops_high`` (95 % interval), ``bandwidth_bytes`` (per
        second), ``latency_mean_us``, ``latency_p50_us`` and so on to ``latency_p99.99_us`` and
        ``latency_max_us`` (microseconds), ``cpu_bound``, ``cpu_us_per_op``. NaN where not measured.
        """
        return _profile_tables.points(self.document)

    @cached_property
    def parameters(self) -> Table:
        """The numbers of every pattern and block size.

        Columns: ``pattern``, ``block_bytes``, and the attributes of those names (``k_r``, ``alpha``, ...),
        each with its 95 % interval in ``_low`` and ``_high``; ``censored_read`` and ``censored_write``.
        """
        return _profile_tables.parameters(self.document)

    @cached_property
    def timeline(self) -> Table:
        """Throughput over the run: ``at_seconds``, ``phase``, ``bytes_per_second``, ``written_bytes``."""
        return _profile_tables.timeline(self.document)

    def sentences(self) -> list[str]:
        """Return what the numbers mean, in three sentences.

        Returns
        -------
        list of str
            One sentence each.

        Examples
        --------
        >>> len(Profile.load("device:p4510").sentences()) > 0
        True
        """
        return list(self._device.sentences())

    def summary(self, width: int = 80, details: bool = False) -> str:
        """Return what the command line prints of the profile, in lines of at most `width` characters.

        How many reads and writes in flight use the device, how many reads one write is worth, and how far to
        trust these numbers.

        Parameters
        ----------
        width
            Characters of a line.
        details
            Whether the tables, the plot, other definitions of k, every check and the experiments follow.

        Returns
        -------
        str
            Lines, as the command line prints them.

        Raises
        ------
        BadInput
            `width` is no whole number, or out of range, or `details` is neither True nor False.

        Examples
        --------
        >>> "p4510" in Profile.load("device:p4510").summary()
        True
        """
        columns = min(count_of("width", width, 1), 10_000)
        return self._device.summary(columns, flag_of("details", details))

    def report(self, path: str | os.PathLike[str] | None = None) -> Report:
        """Make the page about the profile.

        Parameters
        ----------
        path
            Also write the page to this file, which is replaced if it exists.

        Returns
        -------
        Report
            A notebook shows it.

        Raises
        ------
        BadInput
            The file cannot be written, or is the profile's own.

        Examples
        --------
        >>> page = Profile.load("device:p4510").report()
        >>> "<html" in page.html
        True
        """
        return Report.of([self], path)

    def compare(self, *others: Profile | str | os.PathLike[str]) -> Table:
        """Compare with other profiles: see :func:`leadline.compare`.

        Parameters
        ----------
        *others
            Profiles, their files, or ``device:NAME``.

        Returns
        -------
        Table
            As of :func:`leadline.compare`, of which this profile is the first.

        Raises
        ------
        BadInput
            There is no other, or one cannot be read.

        Examples
        --------
        >>> disk = Profile.load("device:p4510")
        >>> set(disk.compare("device:p4510")["profile"].tolist())
        {1}
        """
        from ._comparison import compare

        return compare(self, *others)

    def models(self) -> Models:
        """Fit every I/O model to the profile.

        Returns
        -------
        Models
            As :func:`leadline.fit` gives them.

        Examples
        --------
        >>> Profile.load("device:p4510").models().best
        'pio'
        """
        from ._models import Models

        return Models(self)

    def plot(self, ax: Axes | None = None, *, block_bytes: int | None = None) -> Axes:
        """Draw throughput over concurrency, a line for each operation and pattern (needs Matplotlib).

        Parameters
        ----------
        ax
            Where to; new axes by default.
        block_bytes
            Size of the requests; 4096 by default, or the smallest that was measured.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        BadInput
            There are no such requests among the points.

        Examples
        --------
        >>> Profile.load("device:p4510").plot().get_xlabel()
        'requests in flight'
        """
        from ._plot import concurrency_curves

        sizes = sorted(set(self.points["block_bytes"].tolist()))
        if block_bytes is not None:
            block_bytes = count_of("block_bytes", block_bytes, 1)
        if not sizes or (block_bytes is not None and block_bytes not in sizes):
            known = ", ".join(map(str, sizes)) or "no points"
            raise BadInput(f"block_bytes={one_line(block_bytes)}: was not measured; the profile has {known}")

        return concurrency_curves(self, ax, block_bytes)

    def _refuse_to_replace(self, output: object) -> None:
        """Refuse an output that is the profile's own file: commands are given a copy and cannot tell."""
        if output is None or self._path is None:
            return
        try:
            same = os.path.samefile(self._path, text(output))
        except OSError:  # one of them is not there
            return
        if same:
            line = "is the file of the profile, which it would replace; name another"
            raise BadInput(f"{text(output)}: {line}")

    @contextmanager
    def _as_argument(self) -> Iterator[str]:
        """Give what commands take for a profile: its file, or one made for the time being."""
        if self._path is None and self._device.name.startswith("device:"):
            yield self._device.name
            return
        from tempfile import TemporaryDirectory

        with TemporaryDirectory(prefix="leadline-") as folder:
            # What is in memory counts, also where the file has changed since.
            path = os.path.join(folder, f"{self.name}.json")
            self._device.save(path)
            yield path

    def __getstate__(self) -> dict[str, Any]:
        # As JSON, which any version reads; tables are made again.
        kept = {name: value for name, value in self.__dict__.items() if name not in _MADE_AGAIN}
        return kept | {"_device": (self._device.to_json(), self._device.name)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._device = _leadline.DeviceProfile.parse(*state["_device"])

    def __repr__(self) -> str:
        counts = [("k_r", self.k_r), ("k_w", self.k_w)]
        numbers = [f"{name}={value}" for name, value in counts if value is not None]
        if self.alpha is not None:
            numbers.append(f"alpha={self.alpha:.3g}")
        return f"Profile({self.target!r}: {', '.join(numbers) or 'nothing measured'})"

    def _repr_html_(self) -> str:
        import html

        sentences = "".join(f"<p>{html.escape(sentence)}</p>" for sentence in self.sentences())
        return f"<div><b>{html.escape(self.target)}</b>{sentences}</div>"
