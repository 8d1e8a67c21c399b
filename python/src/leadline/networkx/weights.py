"""The weights of a graph's edges, as the engine can use them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Whole numbers up to this are exact as doubles.
EXACT = 2**53


@dataclass(frozen=True)
class Weights:
    """One weight for each edge, or the reason why there is none that the engine can use.

    networkx caches converted graphs and uses them for functions without weights too, so weights that cannot
    be used must not keep a graph from being converted.
    """

    #: The attribute of edges that holds them; None: no weights were asked for, and all are 1.
    attribute: Any = None
    #: As doubles, in the order of the edges; None: all are 1, or they are `unseen`.
    values: NDArray[Any] | None = None
    #: Whether all were whole numbers in Python, so that sums of them are too.
    whole: bool = True
    #: Why they cannot be used; None: they can.
    refused: str | None = None
    #: Whether they are those of a store that was opened, and not in memory.
    unseen: bool = False

    @classmethod
    def read(cls, attribute: Any, values: Iterable[Any]) -> Weights:
        """Weights from the values of the attribute, edge by edge."""
        listed = list(values)
        types = set(map(type, listed))
        if not all(issubclass(kind, (Integral, float)) for kind in types):
            return cls(attribute, refused="a weight is neither a whole number nor a double")
        whole = all(issubclass(kind, Integral) for kind in types)
        try:
            numbers = np.array(listed, dtype=np.float64)
        except OverflowError:
            return cls(attribute, refused="a weight is too large for a double")
        if not np.isfinite(numbers).all():
            return cls(attribute, refused="a weight is infinite or not a number")
        if not types <= {float} and (np.abs(numbers) >= EXACT).any():
            return cls(attribute, refused="a weight may be a whole number that no double holds")
        if whole and (numbers == 1).all():
            return cls(attribute)
        return cls(attribute, numbers, whole)

    @property
    def all_one(self) -> bool:
        """Whether each is the whole number 1."""
        return self.values is None and not self.unseen

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """The smallest and the largest that were seen."""
        if self.values is None or len(self.values) == 0:
            return (1.0, 1.0)
        return (float(self.values.min()), float(self.values.max()))

    @property
    def alike(self) -> bool:
        """Whether they are known to be one positive number."""
        lowest, highest = self.bounds
        return not self.unseen and 0 < lowest == highest
