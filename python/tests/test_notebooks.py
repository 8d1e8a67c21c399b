"""The notebooks run from their beginning to their end."""

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

NOTEBOOKS = sorted((Path(__file__).parent.parent / "examples").glob("*.ipynb"))
# One of them by default: each starts a kernel.
SMOKE = [path for path in NOTEBOOKS if path.stem == "graph_larger_than_memory"]
CHOSEN = NOTEBOOKS if os.environ.get("LEADLINE_EXHAUSTIVE") else SMOKE


@pytest.mark.parametrize("path", CHOSEN, ids=lambda path: path.stem)
def test_a_notebook_runs(path, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_kept_without_results(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None
