"""Frames that are kept between jobs, and let go when they are not needed any more."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Kept"]


class Kept:
    """What one run keeps in the executors; the end of a ``with`` releases all but the result."""

    def __init__(self, session: SparkSession) -> None:
        # Where the user has named a directory for checkpoints, states outlive the loss of an executor.
        self._reliable = session.sparkContext.getCheckpointDir() is not None
        self._cached: list[DataFrame] = []
        self._cut: list[DataFrame] = []

    def __enter__(self) -> Kept:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for frame in self._cached:
            frame.unpersist()
        for frame in list(self._cut):
            self.release(frame)

    def cached(self, frame: DataFrame) -> DataFrame:
        """Keep columns compressed, in memory and on local disks: for edges, which are read many times."""
        from pyspark import StorageLevel

        frame = frame.persist(StorageLevel.MEMORY_AND_DISK)
        self._cached.append(frame)
        return frame

    def cut(self, frame: DataFrame, instead_of: DataFrame | None = None) -> DataFrame:
        """Compute a state now, cut off from what it was computed from; it takes the place of `instead_of`.

        Otherwise the plan would grow with every iteration, and be computed from the beginning.
        """
        made = frame.checkpoint() if self._reliable else frame.localCheckpoint()
        self._cut.append(made)
        if instead_of is not None:
            self.release(instead_of)
        return made

    def release(self, frame: DataFrame) -> None:
        """Release a state."""
        self._cut.remove(frame)
        frame._jdf.queryExecution().logical().rdd().unpersist(False)

    def hand_over(self, frame: DataFrame) -> DataFrame:
        """Let a state outlive this run; it goes when nobody refers to it any more."""
        self._cut.remove(frame)
        return frame
