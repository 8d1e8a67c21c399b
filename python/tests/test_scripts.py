"""The scripts in docs/how-to-python.md are as short as it says, and run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("networkx")
pytest.importorskip("pandas")

PAGE = Path(__file__).resolve().parents[2] / "docs/how-to-python.md"

#: What each script is called there, how many lines it may have, and what it leaves.
SCRIPTS = {
    "From a disk to settings": (8, ["disk.json", "disk.png"]),
    "From an edge list to the neighbourhood of a hub": (10, ["wiki.graph", "near.graphml"]),
    "A sweep of policies": (8, ["misses.png"]),
}


def scripts() -> dict[str, str]:
    section = PAGE.read_text().partition("\n## Three scripts\n")[2].partition("\n## ")[0]
    return dict(re.findall(r"\*\*(.+?)\.\*\*.*?```python\n(.*?)```", section, re.DOTALL))


def test_all_scripts_are_in_the_page() -> None:
    assert scripts().keys() == SCRIPTS.keys()


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_short_and_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import matplotlib

    matplotlib.use("agg")
    most, files = SCRIPTS[name]
    script = scripts()[name]
    assert len([line for line in script.splitlines() if line.strip()]) <= most
    monkeypatch.chdir(tmp_path)
    write_edges(tmp_path / "wiki-Vote.txt")
    exec(compile(script, name, "exec"), {"__name__": "__main__"})
    assert all((tmp_path / file).stat().st_size > 0 for file in files)
    assert capsys.readouterr().out.strip()


def write_edges(path: Path) -> None:
    """A list of edges as SNAP has them."""
    random = np.random.default_rng(1)
    ids = np.minimum(random.zipf(1.6, (2000, 2)), 400)
    header = "# Directed graph: wiki-Vote.txt\n# Nodes: 400 Edges: 2000\n# FromNodeId\tToNodeId\n"
    path.write_text(header + "".join(f"{source}\t{target}\n" for source, target in ids.tolist()))
