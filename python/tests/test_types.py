"""A user's script under ``mypy --strict`` has no errors where it is right, and has them where it is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")

SCRIPT = '''
from collections.abc import Iterator

import leadline
import numpy as np
from leadline import pool, trace
from numpy.typing import NDArray


def batches() -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint64]]]:
    for _ in range(3):
        yield np.arange(5, dtype=np.uint64), np.arange(5, dtype=np.uint64)


def ranks(path: str) -> dict[int, float]:
    with leadline.Graph.from_edges(batches(), path=path, memory="64M", directed=False) as graph:
        table: leadline.Table = graph.pagerank(iterations=20)
        with graph.update(strict=True) as update:
            update.insert_edges([1], [2])
            done = update.commit()
        count: int = graph.vertices + graph.edges + done["changes"]
        near: leadline.Subgraph = graph.ego(1, hops=2)
        for batch in graph.edges(100):
            assert isinstance(batch, leadline.Table) and len(near.vertices) < count
    return dict(zip(table["vertex"].tolist(), table["rank"].tolist(), strict=True))


def sweep() -> leadline.Table:
    misses = pool.simulate("gen:paper-ms", frames=[10, 100], policy="all", device="sim:flash")
    for part in trace.open("gen:zipf?ops=50", batch=10):
        print(part.column_names, part["address"].sum())
    return misses


def costs(place: str) -> float:
    try:
        disk: leadline.Profile = leadline.profile(place, quick=True)
    except leadline.BadInput as error:
        raise SystemExit(str(error)) from None
    models: leadline.Models = leadline.fit(disk)
    table = models.predict(reads=1e6, concurrency=[1, 4])
    return float(table["seconds"].min())
'''

#: Lines that are wrong, and what of mypy says so.
WRONG = [
    ("leadline.Graph.from_edges([1], [2], memory=1.5)", "arg-type"),
    ("leadline.Graph.from_edges([1], [2], reversed=True)", "call-arg"),
    ("leadline.Graph.from_edges([1], [2]).pagerank(damping='high')", "arg-type"),
    ("leadline.Graph.from_edges([1], [2]).pagerang()", "attr-defined"),
    ("x: str = leadline.Graph.from_edges([1], [2]).vertices", "assignment"),
    ("leadline.no_such_function()", "attr-defined"),
]


def checked(folder: Path, *scripts: str) -> list[str]:
    """What mypy says of scripts."""
    for number, script in enumerate(scripts):
        (folder / f"script{number}.py").write_text(script)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "."]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert not done.stderr
    return done.stdout.splitlines()


def test_users_scripts_are_checked_against_the_package(tmp_path: Path) -> None:
    wrong = "import leadline\n" + "".join(f"{line}\n" for line, _ in WRONG)
    said = checked(tmp_path, SCRIPT, wrong)
    assert [line for line in said if line.startswith("script0")] == []
    errors = [line for line in said if "error" in line]
    found = [(int(line.split(":")[1]), line.rpartition("[")[2].rstrip("]")) for line in errors]
    assert found == [(number, code) for number, (_, code) in enumerate(WRONG, 2)], said
