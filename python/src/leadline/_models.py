"""The I/O models: DAM, PDAM, affine, PIO, MQSSD, fitted to a profile or to a table."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _leadline
from ._command import text
from ._errors import BadInput, Extrapolated
from ._model_table import csv_of, named_by_rows
from ._notes import warn
from ._profile import Profile
from ._questions import speedups, sustained
from ._renamed import renamed
from ._sizes import Size
from ._table import Table
from ._words import one_line, text_of
from ._workloads import Workloads, concurrencies

__all__ = ["Models", "fit", "predict"]

_Path = str | os.PathLike[str]


class Models:
    """Every I/O model, fitted to one profile or table; :func:`fit` makes them.

    Examples
    --------
    >>> import leadline
    >>> models = leadline.fit(leadline.Profile.load("device:p4510"))
    >>> models.best
    'pio'
    >>> times = models.predict(reads=1e6, concurrency=[1, 64])
    >>> bool(times["seconds"][0] > 10 * times["seconds"][1])
    True
    """

    __module__ = "leadline"

    def __init__(self, profile: Profile) -> None:
        self._of(_leadline.Models(profile._device), (profile, None, 1.0))

    def _of(
        self, models: _leadline.Models, source: tuple[Profile | None, tuple[str, str] | None, float]
    ) -> None:
        self._models = models
        #: What was fitted to: a profile, or the text and the name of a table and its `setup_per`.
        self._source = source
        #: The models side by side, as ``leadline models --json`` prints them.
        self.document: dict[str, Any] = json.loads(models.document())

    @property
    def best(self) -> str | None:
        """Name of the model that predicts what it was not fitted to best."""
        best: str | None = self.document["best"]
        return best

    @property
    def profile(self) -> Profile | None:
        """What the models were fitted to; None for a table of costs."""
        return self._source[0]

    @property
    def table(self) -> Table:
        """A row for each model: ``name``, ``mape_percent`` and ``held_out_percent``.

        Both are mean absolute errors in percent: on the points that it was fitted to, and on those held out
        (with ``held_out_low`` and ``held_out_high``, a 95 % interval). NaN where a model was not fitted.
        """
        models = self.document["models"]

        def column(value: Any) -> Any:
            return np.array([np.nan if (found := value(m)) is None else found for m in models], dtype=float)

        def end(model: dict[str, Any], which: int) -> float | None:
            ends = model.get("mape_cv_ci_percent")
            return None if ends is None else float(ends[which])

        notes = [f"{model['name']}: {note}" for model in models for note in model.get("notes", ())]
        notes = [note.replace("--setup-per N", "setup_per=N") for note in notes]
        return Table(
            {
                "name": [model["name"] for model in models],
                "mape_percent": column(lambda m: m.get("mape_percent")),
                "held_out_percent": column(lambda m: m.get("mape_cv_percent")),
                "held_out_low": column(lambda m: end(m, 0)),
                "held_out_high": column(lambda m: end(m, 1)),
            },
            self.document,
            notes,
            units={"held_out_low": "%", "held_out_high": "%"},
        )

    def held_out(self, model: str | None = None) -> float | None:
        """Return how far a model is off on what it was not fitted to.

        Parameters
        ----------
        model
            Its name; the best one by default.

        Returns
        -------
        float or None
            Mean absolute error, percent; None where the model was not fitted or too little was measured.

        Raises
        ------
        BadInput
            There is no model of that name.

        Examples
        --------
        >>> fitted = fit("device:p4510")
        >>> fitted.held_out(fitted.best) == fitted.held_out()
        True
        """
        wanted = text_of("model", model) or self.best
        for entry in self.document["models"]:
            if entry["name"] == wanted:
                error: float | None = entry.get("mape_cv_percent")
                return error
        names = ", ".join(entry["name"] for entry in self.document["models"])
        raise BadInput(f"model={one_line(wanted)}: is not a model; the models are {names}")

    @renamed(block="block_size")
    def predict(
        self,
        reads: ArrayLike | None = None,
        writes: ArrayLike | None = None,
        *,
        block_size: ArrayLike | Size | None = None,
        random: ArrayLike | None = None,
        concurrency: ArrayLike | None = None,
        batch_reads: ArrayLike | None = None,
        batch_writes: ArrayLike | None = None,
        model: str | None = None,
        what_if: str | Sequence[int] | ArrayLike | None = None,
        slo: str | Sequence[str] | None = None,
        mix: str | None = None,
        speedup: bool = False,
    ) -> Table:
        """Predict how long workloads take, or what load the device sustains.

        Arguments may be arrays; they are broadcast against each other, and each element is a workload.

        Parameters
        ----------
        reads, writes
            Requests of each kind, from 0 (the default) to 1e18.
        block_size
            Bytes per request, or text such as ``"16K"``, up to 1G; 4K by default.
        random
            Share of the requests that jump, 0 to 1 (the default); every other request begins where the one
            before it ended.
        concurrency
            Requests in flight, 1 (the default) to 1048576; with batches, clients that each wait for their
            batch.
        batch_reads, batch_writes
            Issue reads or writes in batches of this size, separately.
        model
            Name of the model: ``dam``, ``pdam``, ``affine``, ``pio``, ``mqssd`` or ``shared``. By default
            what was measured where it was, elsewhere the best model.
        what_if
            Numbers of requests in flight, for each of which the workload is predicted.
        slo
            Instead of a workload: a percentile of latency and its limit, such as ``"p99=1ms"``. The load that
            keeps it is predicted, from what ``leadline.experiment("ladder")`` measured.
        mix
            With `slo`: reads and writes, percent, such as ``"70/30"``; ``"100/0"`` by default.
        speedup
            Predict the speed-up by batching (PIO formulas) for workloads from all reads to all writes.

        Returns
        -------
        Table
            A row for each workload: ``seconds``, ``seconds_low`` and ``seconds_high`` (95 % interval),
            ``requests_per_second``, ``bytes_per_second``, ``bound`` (what limits it), ``model`` and
            ``extrapolated`` (whether it goes beyond what was measured; ``notes`` say how). With `what_if`
            also ``concurrency``.

            With `slo` a row for each limit: ``percentile``, ``limit_us``, ``read_share``, ``block_bytes``,
            ``iops`` with its interval, ``load`` (share of the capacity) and ``capacity_iops``. With `speedup`
            a row for each ``read_share``: ``unbatched_cost`` (in reads), and the speed-ups
            ``batched_writes``, ``batched_reads`` and ``batched_both``.

        Raises
        ------
        BadInput
            A workload cannot be done, or what the question needs was not measured.

        Warns
        -----
        Extrapolated
            A workload goes beyond what was measured.

        Examples
        --------
        >>> fitted = fit("device:p4510")
        >>> table = fitted.predict(reads=1e6, concurrency=[1, 16])
        >>> bool(table["seconds"][0] > table["seconds"][1])
        True
        """
        workload = {
            "reads": reads,
            "writes": writes,
            "block_size": block_size,
            "random": random,
            "concurrency": concurrency,
            "batch_reads": batch_reads,
            "batch_writes": batch_writes,
            "model": model,
            "what_if": what_if,
        }
        if not isinstance(speedup, (bool, np.bool_)):
            raise BadInput(f"speedup={one_line(speedup)}: must be True or False")
        if slo is not None or speedup:
            return self._asked(workload, slo, mix, speedup)
        if mix is not None:
            raise BadInput("mix: is for slo; reads and writes say it of a workload")
        if what_if is None:
            return self._predicted(Workloads.of(workload))
        for name in ("concurrency", "batch_reads", "batch_writes"):
            if workload[name] is not None:
                raise BadInput(f"{name}: cannot be given with what_if, which has the requests in flight")
        in_flight = concurrencies(what_if)
        found = self._predicted(Workloads.of(workload | {"concurrency": in_flight}, one="what_if"))
        return Table({"concurrency": in_flight, **dict(found)}, found.info, found.notes)

    def _predicted(self, workloads: Workloads) -> Table:
        columns, notes = self._models.predict(
            *workloads.arrays, together=workloads.together, model=workloads.model
        )
        if notes:
            more = f" (and {len(notes) - 1} more in notes)" if len(notes) > 1 else ""
            warn(f"{notes[0]}{more}", Extrapolated)
        return Table(columns, notes=notes)

    def _asked(self, workload: dict[str, Any], slo: Any, mix: str | None, speedup: bool) -> Table:
        """What is no question about one workload."""
        profile = self.profile
        if profile is None:
            what = "slo" if slo is not None else "speedup"
            raise BadInput(f"{what}: is answered from measured requests, and this is a table of costs")
        if not speedup:
            return sustained(profile, workload, slo, mix)
        if slo is not None or mix is not None:
            raise BadInput("slo: cannot be given with speedup; ask for one of them")
        return speedups(profile, workload)

    def __reduce__(self) -> tuple[Any, ...]:
        made = ("_models", "_source", "document")
        kept = {name: value for name, value in self.__dict__.items() if name not in made}
        return _unpickled, (type(self), self._source), kept or None

    def __repr__(self) -> str:
        return f"Models(best={self.best!r})"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def fit(source: Profile | _Path | Any, *, setup_per: float | None = None) -> Models:
    """Fit every I/O model.

    Parameters
    ----------
    source
        A profile; the file of one, or ``device:NAME``; or a table of measured points or of costs by
        concurrency (``leadline docs model-tables``): a file (CSV), a DataFrame of pandas or polars, a
        :class:`Table`, an Arrow table, or a dictionary of columns.
    setup_per
        For a table of costs: each of its setup costs covers this number of accesses; 1 by default.

    Returns
    -------
    Models

    Raises
    ------
    BadInput
        It is none of these, or holds too little; of a table, the row and the column are named.

    Examples
    --------
    >>> costs = {"k": [1, 8, 32, 128], "t_us": [56, 1.1, 0.4, 0.08], "alpha_us": [3.5, 0.27, 0.2, 0.1]}
    >>> fit(costs).best
    'mqssd'
    """
    per = 1.0 if setup_per is None else setup_per
    if isinstance(per, bool) or not isinstance(per, (int, float, np.integer, np.floating)):
        raise BadInput(f"setup_per={one_line(setup_per)}: must be a positive number")
    if isinstance(per, int) and per >= 1 << 63:
        raise BadInput("setup_per: must be below 2^63")
    if isinstance(source, Profile):
        if setup_per is not None:
            raise BadInput("setup_per: is for a table of costs")
        return Models(source)
    if isinstance(source, (str, os.PathLike)):
        return _of_file(text(source), float(per))
    with named_by_rows():
        return _of_table(Models, (csv_of(source), "table"), float(per))


@renamed(block="block_size")
def predict(
    source: Profile | _Path | Any,
    reads: ArrayLike | None = None,
    writes: ArrayLike | None = None,
    *,
    block_size: ArrayLike | Size | None = None,
    random: ArrayLike | None = None,
    concurrency: ArrayLike | None = None,
    batch_reads: ArrayLike | None = None,
    batch_writes: ArrayLike | None = None,
    model: str | None = None,
    what_if: str | Sequence[int] | ArrayLike | None = None,
    slo: str | Sequence[str] | None = None,
    mix: str | None = None,
    speedup: bool = False,
) -> Table:
    """Predict how long workloads take on a device, or what load it sustains.

    Models are fitted at each call; :func:`fit` keeps them.

    Parameters
    ----------
    source
        As for :func:`fit`.
    reads, writes, block_size, random, concurrency, batch_reads, batch_writes, model, what_if, slo, mix,
    speedup
        As for :meth:`Models.predict`.

    Returns
    -------
    Table
        As of :meth:`Models.predict`.

    Raises
    ------
    BadInput
        As for :func:`fit` and :meth:`Models.predict`.

    Warns
    -----
    Extrapolated
        A workload goes beyond what was measured.

    Examples
    --------
    >>> predict("device:p4510", reads=1e6)["bound"].tolist()
    ['concurrency']
    """
    return fit(source).predict(
        reads,
        writes,
        block_size=block_size,
        random=random,
        concurrency=concurrency,
        batch_reads=batch_reads,
        batch_writes=batch_writes,
        model=model,
        what_if=what_if,
        slo=slo,
        mix=mix,
        speedup=speedup,
    )


def _of_file(name: str, setup_per: float) -> Models:
    made = _leadline.Models.of_file(name, setup_per)
    device = made.profile()
    models = Models.__new__(Models)
    if device is None:
        with open(name, encoding="utf-8-sig") as table:
            models._of(made, (None, (table.read(), name), setup_per))
    else:
        models._of(made, (Profile(device, None if name.startswith("device:") else name), None, 1.0))
    return models


def _of_table(kind: type[Models], table: tuple[str, str], setup_per: float) -> Models:
    made = _leadline.Models.of_table(*table, setup_per)
    device = made.profile()
    models = kind.__new__(kind)
    if device is None:
        models._of(made, (None, table, setup_per))
    else:
        models._of(made, (Profile(device), None, 1.0))
    return models


def _unpickled(
    kind: type[Models], source: tuple[Profile | None, tuple[str, str] | None, float]
) -> Models:
    profile, table, setup_per = source
    if table is not None:
        return _of_table(kind, table, setup_per)
    assert profile is not None
    models = kind.__new__(kind)
    models._of(_leadline.Models(profile._device), source)
    return models
