"""pytest plugin for networkx's own tests: counts the calls that reach the backend, and checks each one.

networkx compares a backend's results with what its tests expect. A test that calls anything else that the
backend lacks ends as an expected failure, so the number of tests that passed says little. Here, every call
that reached the backend is counted under its function and its test, and repeated with networkx's own function
on the graph converted back: results, or exceptions, must be equal.

Writes a JSON document to the file that LEADLINE_NETWORKX_CALLS names.
"""

from __future__ import annotations

import functools
import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from leadline.networkx.functions import FUNCTIONS
from leadline.networkx.graph import StoredGraph

BACKEND = "leadline"

calls: Counter[str] = Counter()
tests: dict[str, set[str]] = defaultdict(set)
files: Counter[str] = Counter()
outcomes: dict[str, str] = {}
differing: list[str] = []
running: list[str] = ["none"]


def same(ours: Any, theirs: Any) -> bool:
    """Whether two results are equal, doubles but for their last digits."""
    if isinstance(ours, dict):
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, float):
        return ours == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    return type(ours) is type(theirs) and ours == theirs


def outcome(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[str, Any]:
    """What a call returns, an iterator as a list, or raises."""
    try:
        result = function(*args, **kwargs)
        return ("returns", list(result) if isinstance(result, Iterator) else result)
    except NotImplementedError:
        raise
    except Exception as error:
        return ("raises", error)


def checked(name: str, function: Any) -> Any:
    """A function of the backend that counts its calls, and repeats each with networkx's."""
    original = nx.utils.backends._registered_algorithms[name].orig_func

    @functools.wraps(function)
    def call(graph: StoredGraph, *args: Any, **kwargs: Any) -> Any:
        how, ours = outcome(function, (graph, *args), kwargs)
        calls[name] += 1
        tests[name].add(running[-1])
        files[running[-1].partition("::")[0]] += 1
        # networkx's functions call others of networkx, which shall not come here.
        priority, nx.config.backend_priority.algos = nx.config.backend_priority.algos, []
        try:
            there = nx.utils.backends._load_backend(BACKEND).convert_to_nx(graph)
            expected_how, expected = outcome(original, (there, *args), kwargs)
        finally:
            nx.config.backend_priority.algos = priority
        if how == expected_how == "raises":
            equal = type(ours) is type(expected)
        else:
            equal = how == expected_how and same(ours, expected)
        if not equal:
            differing.append(f"{running[-1]}: {name}: {how} {ours!r}; networkx: {expected_how} {expected!r}")
        if how == "raises":
            raise ours
        return iter(ours) if isinstance(ours, list) else ours

    return call


def pytest_collection_finish(session: pytest.Session) -> None:
    backend = nx.utils.backends._load_backend(BACKEND)
    for name in FUNCTIONS:
        setattr(backend, name, checked(name, getattr(backend, name)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    running.append(item.nodeid)
    try:
        return (yield)
    finally:
        running.pop()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        outcomes[report.nodeid] = "xfailed" if hasattr(report, "wasxfail") else report.outcome


def pytest_sessionfinish(session: pytest.Session) -> None:
    document = {
        "tests": dict(Counter(outcomes.values())),
        "failed": sorted(test for test, outcome in outcomes.items() if outcome == "failed"),
        "differing": differing,
        "files": dict(files.most_common()),
        "functions": {
            name: {
                "calls": calls[name],
                "tests": len(tests[name]),
                "passed": sum(outcomes.get(test) == "passed" for test in tests[name]),
            }
            for name in FUNCTIONS
        },
    }
    Path(os.environ["LEADLINE_NETWORKX_CALLS"]).write_text(json.dumps(document, indent=1))
