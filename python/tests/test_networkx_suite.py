"""networkx's own tests pass on the backend, and reach it."""

from __future__ import annotations

import os
from typing import Any

import pytest

pytest.importorskip("networkx", "3.4")

import networkx_suite

from leadline.networkx.functions import FUNCTIONS

#: Files of networkx's tests that take a few seconds together, and reach most functions.
SMOKE = [
    "algorithms/components/tests/test_connected.py",
    "algorithms/components/tests/test_weakly_connected.py",
    "algorithms/link_analysis/tests/test_pagerank.py",
    "algorithms/shortest_paths/tests/test_unweighted.py",
    "algorithms/tests/test_cluster.py",
    "algorithms/tests/test_core.py",
]

#: What these lack is in other files.
REST = [
    "algorithms/components",
    "algorithms/link_analysis",
    "algorithms/shortest_paths",
    "algorithms/traversal",
    "algorithms/tests/test_cluster.py",
    "algorithms/tests/test_core.py",
    "algorithms/tests/test_cycles.py",
    "algorithms/tests/test_dag.py",
    "algorithms/tests/test_lowest_common_ancestors.py",
    "algorithms/tree/tests/test_mst.py",
    "algorithms/tree/tests/test_recognition.py",
]

#: Functions that only the tests in REST call.
NOT_IN_SMOKE = {
    "has_path",
    "descendants",
    "ancestors",
    "descendants_at_distance",
    "dijkstra_path_length",
    "single_source_dijkstra_path_length",
    "multi_source_dijkstra_path_length",
}


def check(found: dict[str, Any], functions: set[str]) -> None:
    assert not found["failed"], found["output"]
    assert not found["differing"]
    unreached = {name for name in functions if found["functions"][name]["calls"] == 0}
    assert not unreached


def test_the_most_important_of_networkx_tests_pass() -> None:
    check(networkx_suite.run(SMOKE, fallback=True), FUNCTIONS.keys() - NOT_IN_SMOKE)


exhaustive = pytest.mark.skipif(
    "LEADLINE_EXHAUSTIVE" not in os.environ, reason="only if LEADLINE_EXHAUSTIVE=1"
)


@exhaustive
def test_networkx_tests_pass_where_networkx_runs_what_is_not_here() -> None:
    check(networkx_suite.run(REST, fallback=True), set(FUNCTIONS))


@exhaustive
def test_networkx_tests_pass_without_falling_back() -> None:
    # Most end before they come to these functions: at a call of something that is not here.
    reached = {"pagerank", "connected_components", "is_weakly_connected", "descendants", "triangles"}
    check(networkx_suite.run(REST, fallback=False), reached)
