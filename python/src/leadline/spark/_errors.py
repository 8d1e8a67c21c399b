"""What Spark reports, as Leadline's exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .._errors import BadInput, Failed

__all__ = ["reported"]

#: Conditions of Spark that a path or a column which the user named brings about.
_OF_INPUT = ("PATH_NOT_FOUND", "UNABLE_TO_INFER_SCHEMA", "PATH_ALREADY_EXISTS", "TABLE_OR_VIEW_NOT_FOUND")


@contextmanager
def reported() -> Iterator[None]:
    """Raise `BadInput` or `Failed`, with one line, where Spark raises exceptions of its own.

    Raises
    ------
    BadInput
        A path that Spark cannot read.
    Failed
        Anything else: a worker that is lost, memory or disk that is full.
    """
    from py4j.protocol import Py4JError, Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        condition = error.getCondition() or ""
        kind = BadInput if condition.startswith(_OF_INPUT) else Failed
        raise kind(f"Spark: {_line(str(error))}") from error
    except Py4JJavaError as error:
        cause = error.java_exception
        while cause.getCause() is not None:
            cause = cause.getCause()
        raise Failed(f"Spark: {_line(cause.toString())}") from error
    except (Py4JError, ConnectionError) as error:
        raise Failed(f"Spark does not answer, start it again: {_line(str(error))}") from error


def _line(text: str) -> str:
    """The first line that says something."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "no message")
