"""Libraries that are used where they are installed: one line says which is missing and what installs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

__all__ = ["LIBRARIES", "missing", "needed"]


class Library(NamedTuple):
    """A library, by its module's name in :data:`LIBRARIES`."""

    #: As its users call it.
    name: str
    #: As pip takes it; so it stands in pyproject.toml.
    requirement: str
    #: The extra of this package that installs it.
    extra: str | None


LIBRARIES = {
    "igraph": Library("igraph", "igraph>=0.11", "igraph"),
    "matplotlib": Library("Matplotlib", "matplotlib>=3.7", "plot"),
    "networkx": Library("networkx", "networkx>=3.4", "networkx"),
    "pandas": Library("pandas", "pandas>=2.0", "pandas"),
    "polars": Library("polars", "polars>=1.3", "polars"),
    "pyarrow": Library("pyarrow", "pyarrow>=14", "arrow"),
    "pyspark": Library("PySpark", "pyspark>=4.0,<5", "spark"),
    "pytest": Library("pytest", "pytest>=8", None),
    "ray": Library("Ray", "ray>=2.10", "ray"),
    "scipy": Library("SciPy", "scipy>=1.10", "scipy"),
}


def missing(who: str, module: str) -> str:
    """Return the line: the command in it works whether or not this package is on an index.

    >>> missing("leadline.fleet", "ray")
    "leadline.fleet needs Ray: pip install 'ray>=2.10' (the extra [ray] of leadline)"
    """
    library = LIBRARIES[module]
    extra = f" (the extra [{library.extra}] of leadline)" if library.extra else ""
    return f"{who} needs {library.name}: pip install '{library.requirement}'{extra}"


@contextmanager
def needed(who: str, module: str) -> Iterator[None]:
    """Around an import of `module`: where it is not installed, the error says what installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        # A module that the library itself lacks is another matter.
        if error.name is None or error.name.partition(".")[0] != module:
            raise
        raise ModuleNotFoundError(missing(who, module), name=module) from None
