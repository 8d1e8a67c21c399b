"""What is asked of a store as a whole: what it holds, whether it is intact, whether results are right."""

from __future__ import annotations

from typing import Any

from ._command import run
from ._graph_run import Path
from ._progress import Progress
from ._sizes import Size, memory_text

__all__ = ["Checks"]


class Checks:
    """How the store of :class:`leadline.Graph`, and what came of it, is checked."""

    path: Path

    def _need_open(self) -> None:
        raise NotImplementedError

    def info(self, *, report: Path | None = None, progress: Progress = False) -> dict[str, Any]:
        """Say what the store holds, and how its degrees are distributed. All blocks are read.

        If the store was changed since the graph was opened, it is about its newest version.

        Parameters
        ----------
        report
            Also write a page with a plot of the degrees to this file, which is replaced if it exists.
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Returns
        -------
        dict
            Vertices, edges, blocks and bytes of the store and of its parts, and degrees, as ``leadline graph
            info --json`` has them.

        Raises
        ------
        BadInput
            The file of the page cannot be made.
        Failed
            The store cannot be read.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 1, 7], [2, 3, 8]) as g:
        ...     g.info()["vertices"]
        5
        """
        self._need_open()
        found, _ = run("graph info", self.path, options={"report": report}, progress=progress)
        return dict(found)

    def verify(self, *, progress: Progress = False) -> dict[str, Any]:
        """Read every byte of the store and check that it is intact.

        Parameters
        ----------
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Returns
        -------
        dict
            ``vertices``, ``entries`` (of lists), ``blocks`` and ``bytes`` that were read.

        Raises
        ------
        BadInput
            The store is damaged; the message says where.
        Failed
            It cannot be read.

        Examples
        --------
        >>> import leadline
        >>> with leadline.Graph.from_edges([1, 1, 7], [2, 3, 8]) as g:
        ...     g.verify()["vertices"]
        5
        """
        self._need_open()
        found, _ = run("graph verify", self.path, progress=progress)
        return dict(found)

    @staticmethod
    def validate(
        found: Path,
        reference: Path,
        *,
        algorithm: str,
        memory: Size | None = None,
        temp: Path | None = None,
        progress: Progress = False,
    ) -> dict[str, Any]:
        """Compare a result with a reference by the rules of LDBC Graphalytics.

        Parameters
        ----------
        found
            The result: a file with a line "id value" per vertex, in any order, such as an algorithm's
            ``output="levels.graphalytics"``.
        reference
            The reference, of the same form.
        algorithm
            ``"bfs"``, ``"pr"``, ``"wcc"``, ``"cdlp"``, ``"lcc"`` or ``"sssp"``: it decides how values are
            compared.
        memory
            Most memory; by default 1G or a quarter of the machine's.
        temp
            Directory of temporary files, for lines that exceed the memory; by default the system's.
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Returns
        -------
        dict
            ``valid`` (True), ``vertices`` and others.

        Raises
        ------
        BadInput
            A file cannot be read, or is not of that form.
        Failed
            The result is not valid; the message counts what is different, missing and too much.

        Examples
        --------
        >>> import leadline, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "reference").write_text("1 0\\n2 1\\n")
        >>> with leadline.Graph.from_edges([1], [2]) as g:
        ...     _ = g.bfs(1, output=folder / "levels.graphalytics")
        ...     g.validate(folder / "levels.graphalytics", folder / "reference", algorithm="bfs")["valid"]
        True
        """
        given = {"algorithm": algorithm, "memory": memory_text(memory), "temp": temp}
        report, _ = run("graph validate", found, reference, options=given, progress=progress)
        return dict(report)
