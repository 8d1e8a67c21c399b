"""Stores made of files of edges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._command import run
from ._errors import BadInput
from ._graph_run import Path
from ._progress import Progress
from ._renamed import renamed
from ._sizes import Size
from ._words import flag_of

if TYPE_CHECKING:
    from ._graph import Graph

__all__ = ["Imports"]

#: A column of a text or table: its name, or its number from 1.
Column = str | int


class Imports:
    """How :class:`leadline.Graph` is made of files."""

    @classmethod
    @renamed(block="block_size")
    def import_file(
        cls,
        edges: Path,
        path: Path,
        *,
        format: str | None = None,
        undirected: bool | None = None,
        directed: bool | None = None,
        bipartite: bool = False,
        vertices: Path | None = None,
        dedupe: bool | str | None = None,
        drop_self_loops: bool = False,
        weights: bool = False,
        reverse: bool = False,
        block_size: Size | None = None,
        plain: bool = False,
        renumber: bool = False,
        ids: str | None = None,
        memory: Size | None = None,
        threads: int | None = None,
        force: bool = False,
        delimiter: str | None = None,
        header: bool | None = None,
        skip: int | None = None,
        comment: str | None = None,
        source_column: Column | None = None,
        target_column: Column | None = None,
        weight_column: Column | None = None,
        ignore_columns: bool = False,
        progress: Progress = False,
    ) -> Graph:
        """Make a store of a file of edges, and open it.

        What is not said is told from the file; where that leaves a doubt, :class:`leadline.BadInput` names
        the argument that decides. :meth:`preview_file` shows how a file is read, and
        :attr:`~leadline.Graph.imported` of the graph what was done.

        Parameters
        ----------
        edges
            A file of edges in any format that ``leadline graph import`` reads, compressed or not. Or a
            directory of Parquet files, above all one that :meth:`~leadline.Graph.export` wrote.
        path
            The store to write; a store of that name is replaced once the new one is whole.
        format
            Format of the edges, such as ``"csv"``, ``"snap"``, ``"mtx"`` or ``"parquet"``; by default from
            what is in the file, and its ending.
        directed
            Whether each edge goes one way; by default as the file declares, else it does.
        undirected
            The same the other way round: give one of them.
        bipartite
            Rows and columns of a matrix are vertices of two kinds: columns are numbered behind rows.
        vertices
            A file of vertices, of which some may have no edge: one in a line, or in a column of a ``.csv`` or
            ``.tsv``.
        dedupe
            Merge parallel edges into one: ``True`` or ``"min"`` with the least of their weights, ``"max"``,
            ``"sum"`` or ``"first"``. Updates of the store add no parallel edges either.
        drop_self_loops
            Leave out edges from a vertex to itself, also in updates of the store.
        weights
            Keep the weights of edges.
        reverse
            Keep lists of incoming edges too; an undirected graph has them anyway.
        block_size
            Bytes of a block, ``"4K"`` (the default) to ``"64K"``.
        plain
            Keep lists uncompressed.
        renumber
            Keep vertices by falling degree, so that the most-read vertices are close together.
        ids
            What ids are: ``"auto"`` (the default: as in the first edge), ``"numbers"`` or ``"strings"``.
        memory
            Most memory for the import, and for the graph; by default 1G or a quarter of the machine's.
        threads
            Threads that parse text, 1 to 1024; by default one per processor.
        force
            Replace `path` even if it is not a graph store.
        delimiter
            What separates columns: ``"blanks"``, ``"tab"``, ``"comma"``, ``"semicolon"``, ``"bar"`` or a
            character; by default told from the first lines.
        header
            Whether the first line names the columns; by default told from the first lines.
        skip
            Lines to pass over at the beginning.
        comment
            What comments begin with, or ``"none"``; by default ``#`` and ``%``.
        source_column, target_column, weight_column
            Columns by name, or by number from 1; by default those with known names, else the first two.
            Weights of the column that is named are kept.
        ignore_columns
            Leave out columns although they look like weights or like ends of other edges.
        progress
            ``True`` for a bar, or a function that is called with phase, share and detail.

        Returns
        -------
        Graph
            Open; it is closed as any other.

        Raises
        ------
        BadInput
            The file is not of its format, can be read in two ways, or a file that is no store is in the way.
        Failed
            The disk is full, or the file cannot be read.

        Examples
        --------
        >>> import leadline, pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> _ = (folder / "edges.csv").write_text("source,target\\n1,2\\n2,3\\n")
        >>> with leadline.Graph.import_file(folder / "edges.csv", folder / "g", directed=False) as g:
        ...     g.edges, g.directed, g.imported["edges_read"]
        (2, False, 2)
        """
        given = {
            "format": format,
            **_direction(directed, undirected),
            "bipartite": bipartite,
            "vertices": vertices,
            "dedupe": dedupe,
            "drop_self_loops": drop_self_loops,
            "weights": weights,
            "reverse": reverse,
            "block_size": block_size,
            "plain": plain,
            "renumber": renumber,
            "ids": ids,
            "memory": memory,
            "threads": threads,
            "force": force,
            "delimiter": delimiter,
            "header": header,
            "skip": skip,
            "comment": comment,
            "source_column": source_column,
            "target_column": target_column,
            "weight_column": weight_column,
            "ignore_columns": ignore_columns,
        }
        report, notes = run("graph import", edges, path, options=given, progress=progress)
        graph: Graph = cls.open(path, memory=memory)  # type: ignore[attr-defined]
        graph.imported = report
        graph.notes = (*notes, *report["input"].get("notes", ()))
        return graph

    @staticmethod
    def preview_file(
        edges: Path,
        *,
        format: str | None = None,
        undirected: bool | None = None,
        directed: bool | None = None,
        bipartite: bool = False,
        vertices: Path | None = None,
        weights: bool = False,
        ids: str | None = None,
        memory: Size | None = None,
        delimiter: str | None = None,
        header: bool | None = None,
        skip: int | None = None,
        comment: str | None = None,
        source_column: Column | None = None,
        target_column: Column | None = None,
        weight_column: Column | None = None,
        ignore_columns: bool = False,
    ) -> dict[str, Any]:
        """Show how :meth:`import_file` reads a file: its first five edges, and what was told from the file.

        Parameters
        ----------
        edges
            The file of edges.
        format, directed, undirected, bipartite, vertices, weights, ids, memory
            As for :meth:`import_file`.
        delimiter, header, skip, comment
            As for :meth:`import_file`.
        source_column, target_column, weight_column, ignore_columns
            As for :meth:`import_file`.

        Returns
        -------
        dict
            ``edges``, each as text, and ``input``: the format, what separates columns, which were read and
            left out, what ids are, and notes.

        Raises
        ------
        BadInput
            As for :meth:`import_file`.

        Examples
        --------
        >>> import leadline, pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "edges.txt"
        >>> _ = file.write_text("1 2\\n2 3\\n")
        >>> leadline.Graph.preview_file(file)["input"]["ids"]
        'numbers'
        """
        given = {
            "preview": True,
            "format": format,
            **_direction(directed, undirected),
            "bipartite": bipartite,
            "vertices": vertices,
            "weights": weights,
            "ids": ids,
            "memory": memory,
            "delimiter": delimiter,
            "header": header,
            "skip": skip,
            "comment": comment,
            "source_column": source_column,
            "target_column": target_column,
            "weight_column": weight_column,
            "ignore_columns": ignore_columns,
        }
        preview, _ = run("graph import", edges, options=given)
        return dict(preview)


def _direction(directed: bool | None, undirected: bool | None) -> dict[str, object]:
    """The flag that says which way edges go; none where nobody says."""
    one_way = None if directed is None else flag_of("directed", directed)
    both_ways = None if undirected is None else flag_of("undirected", undirected)
    if one_way is None and both_ways is None:
        return {}
    if one_way == both_ways:
        raise BadInput(f"directed={one_way} and undirected={both_ways}: contradict each other; give one")
    return {"directed" if one_way or both_ways is False else "undirected": True}
