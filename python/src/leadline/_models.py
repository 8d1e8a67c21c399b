"""The I/O models: DAM, PDAM, affine, PIO, MQSSD, fitted to a profile."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from . import _leadline
from ._errors import BadInput
from ._sizes import block_bytes as parse_blocks
from ._table import Table

if TYPE_CHECKING:
    from ._profile import Profile

__all__ = ["Models", "fit", "predict"]


class Models:
    """Every I/O model, fitted to one profile.

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
        self._models = _leadline.Models(profile._device)
        #: The models side by side, as ``leadline models --json`` prints them.
        self.document: dict[str, Any] = json.loads(self._models.document())

    @property
    def best(self) -> str | None:
        """Name of the model that predicts what it was not fitted to best."""
        best: str | None = self.document["best"]
        return best

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

        return Table(
            {
                "name": [model["name"] for model in models],
                "mape_percent": column(lambda m: m.get("mape_percent")),
                "held_out_percent": column(lambda m: m.get("mape_cv_percent")),
                "held_out_low": column(lambda m: end(m, 0)),
                "held_out_high": column(lambda m: end(m, 1)),
            },
            self.document,
        )

    def held_out(self, model: str | None = None) -> float | None:
        """Return the error in percent on what `model` (the best one) was not fitted to."""
        wanted = model or self.best
        for entry in self.document["models"]:
            if entry["name"] == wanted:
                error: float | None = entry.get("mape_cv_percent")
                return error
        names = ", ".join(entry["name"] for entry in self.document["models"])
        raise BadInput(f"model={wanted}: is not a model; the models are {names}")

    def predict(
        self,
        reads: ArrayLike = 0.0,
        writes: ArrayLike = 0.0,
        *,
        block: ArrayLike | str = "4K",
        random: ArrayLike = 1.0,
        concurrency: ArrayLike = 1,
        batch_reads: ArrayLike | None = None,
        batch_writes: ArrayLike | None = None,
        model: str | None = None,
    ) -> Table:
        """Predict how long workloads take.

        Arguments may be arrays; they are broadcast against each other, and each element is a workload.

        Parameters
        ----------
        reads, writes
            Requests of each kind.
        block
            Bytes per request, or text such as ``"16K"``.
        random
            Share of the requests that jump, 0 to 1; each of the others begins where the one before it ended.
        concurrency
            Requests in flight; with batches, clients that each wait for their batch.
        batch_reads, batch_writes
            Issue reads or writes in batches of so many, apart from each other.
        model
            Name of the model; the best one by default.

        Returns
        -------
        Table
            A row for each workload: ``seconds``, ``seconds_low`` and ``seconds_high`` (95 % interval),
            ``requests_per_second``, ``bytes_per_second``, ``bound`` (what limits it) and ``model``.
        """
        together = batch_reads is None and batch_writes is None
        of_reads = np.multiply(_whole("concurrency", concurrency), _whole("batch_reads", batch_reads))
        of_writes = np.multiply(_whole("concurrency", concurrency), _whole("batch_writes", batch_writes))
        try:
            arrays = np.broadcast_arrays(
                np.asarray(reads, dtype=np.float64),
                np.asarray(writes, dtype=np.float64),
                parse_blocks(block),
                np.asarray(random, dtype=np.float64),
                of_reads,
                of_writes,
            )
        except (TypeError, ValueError) as error:
            raise BadInput(f"workloads: {error}") from None
        flat = [np.ascontiguousarray(array).ravel() for array in arrays]
        counts = [np.minimum(array, np.iinfo(np.uint32).max).astype(np.uint32) for array in flat[4:]]
        columns = self._models.predict(*flat[:4], *counts, together=together, model=model)
        return Table(columns)

    def __repr__(self) -> str:
        return f"Models(best={self.best!r})"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def fit(profile: Profile) -> Models:
    """Fit every I/O model to a profile: see :class:`Models`."""
    return Models(profile)


def predict(profile: Profile, reads: ArrayLike = 0.0, writes: ArrayLike = 0.0, **options: Any) -> Table:
    """Predict how long workloads take on the device of a profile: see :meth:`Models.predict`.

    Models are fitted at each call; :func:`fit` keeps them.
    """
    return fit(profile).predict(reads, writes, **options)


def _whole(name: str, values: ArrayLike | None) -> Any:
    """Whole numbers of at least 1; 1 for None."""
    if values is None:
        return np.uint64(1)
    array = np.asarray(values)
    if array.dtype.kind not in "iu" or (array < 1).any() or (array > 1 << 20).any():
        raise BadInput(f"{name}={values!r}: must be whole numbers from 1 to 1048576")
    return array.astype(np.uint64)
