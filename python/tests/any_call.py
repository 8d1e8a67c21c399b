"""All public functions and methods of the package, and values to call them with, sensible and not."""

from __future__ import annotations

import datetime
import importlib
import inspect
import os
import pkgutil
import shutil
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

import leadline

#: What is public and is not called here, with the reason.
LEFT_OUT = {
    "leadline.fleet": "needs a Ray cluster; tests/test_fleet.py",
    "leadline.spark": "needs Java; tests/test_spark.py",
}


class Call(NamedTuple):
    """Something public that can be called."""

    name: str
    #: The class whose object it needs first; None for functions.
    owner: type | None
    #: By name: parameters, and whether there are further ones under any name.
    parameters: dict[str, inspect.Parameter]
    function: Any


def all_calls() -> list[Call]:
    """Every public function, constructor, method and property of the package."""
    found: dict[str, Call] = {}
    for module in _modules():
        for name in module.__all__:
            value = getattr(module, name)
            if inspect.isclass(value):
                found.update((call.name, call) for call in _of_class(f"{module.__name__}.{name}", value))
            elif callable(value) and not type(value).__module__.startswith("_pytest"):
                # pytest alone calls its fixtures.
                found[f"{module.__name__}.{name}"] = _call(f"{module.__name__}.{name}", None, value)
    # What a class inherits is called once, of one of them.
    once = {getattr(call.function, "__func__", call.function) or call.name: call for call in found.values()}
    return sorted(once.values(), key=lambda call: call.name)


def _modules() -> Iterator[ModuleType]:
    yield leadline
    for found in pkgutil.iter_modules(leadline.__path__, "leadline."):
        if not found.name.startswith("leadline._") and found.name not in LEFT_OUT:
            yield importlib.import_module(found.name)


def _of_class(name: str, value: type) -> Iterator[Call]:
    if issubclass(value, BaseException) or getattr(value, "_is_protocol", False):
        return
    if value.__name__ in MOUNTED and not os.access("/dev/fuse", os.R_OK | os.W_OK):
        return
    if value.__name__ not in MADE or value is leadline.Table:
        yield _call(name, None, value)
    for member in dir(value):
        static = inspect.getattr_static(value, member)
        if member.startswith("_"):
            # Python says what its protocols raise: KeyError and others.
            continue
        if isinstance(static, (classmethod, staticmethod)):
            yield _call(f"{name}.{member}", None, getattr(value, member))
        elif callable(getattr(value, member)):
            yield _call(f"{name}.{member}", value, getattr(value, member))
        else:
            yield Call(f"{name}.{member}", value, {}, None)


def _call(name: str, owner: type | None, function: Any) -> Call:
    parameters = dict(inspect.signature(function).parameters)
    if owner is not None:
        parameters.pop(next(iter(parameters)))
    return Call(name, owner, parameters, function)


def prepare(folder: Path) -> None:
    """Put files that values name into a directory."""
    (folder / "edges.csv").write_text("source,target,weight\n1,2,0.5\n2,3,1.5\n7,1,2\n")
    (folder / "trace.csv").write_text("".join(f"{page % 7},{page % 2}\n" for page in range(50)))
    (folder / "postgresql.conf").write_text("random_page_cost = 4\n")
    (folder / "empty").write_bytes(b"")
    (folder / "noise").write_bytes(bytes(range(256)))
    (folder / "folder").mkdir()
    leadline.Profile.load("device:p4510").save(folder / "disk.json")
    for weighted, strings in [(False, False), (True, False), (True, True)]:
        ids = ["1", "2", "7", "a"] if strings else [1, 2, 7, 5]
        weights = [0.5, 1.5, 2.0] if weighted else None
        name = f"{'strings' if strings else 'weights' if weighted else 'plain'}.graph"
        graph = leadline.Graph.from_edges(
            ids[:3], ids[1:], weights, path=folder / name, directed=strings or not weighted, memory="16M"
        )
        graph.close()


STORES = ("plain.graph", "weights.graph", "strings.graph")


def _graph(folder: Path, which: int) -> leadline.Graph:
    """An open graph of its own."""
    store = folder / "own.graph"
    if store.is_dir():
        shutil.rmtree(store)
    elif store.exists():
        store.unlink()
    name = STORES[which % len(STORES)]
    (shutil.copytree if (folder / name).is_dir() else shutil.copy)(folder / name, store)
    return leadline.Graph.open(store, memory="16M", threads=1)


def _disk(folder: Path, which: int) -> Any:
    """An emulated drive of a test."""
    return leadline.testing.Disk("sim:flash")


def _calibration() -> Any:
    """A fitted drive, without the minutes that a fit takes."""
    made = leadline.Calibration({"parameter": ["k"]})
    made.description = "kind = 'flash'"
    return made


def _index(folder: Path, which: int) -> leadline.Index:
    """An open index of its own."""
    shutil.rmtree(folder / "own.index", ignore_errors=True)
    index = leadline.Index.open(folder / "own.index", key_type=["bytes", "integer"][which % 2], memory="16M")
    index.multi_insert({b"abc": b"1"} if which % 2 == 0 else {7: b"1"})
    return index


#: Classes whose objects mount a folder.
MOUNTED = ("Capture", "Disk", "Drive", "EmulatedDrive")

#: What objects of the public classes are made of, by their names.
MADE: dict[str, Callable[[Path, int], Any]] = {
    "Graph": _graph,
    "GraphUpdate": lambda folder, which: _graph(folder, which).update(),
    "Index": _index,
    "IndexBatch": lambda folder, which: _index(folder, which).batch(),
    "IndexSnapshot": lambda folder, which: _index(folder, which).snapshot(),
    "Subgraph": lambda folder, which: _graph(folder, which).ego(1),
    "Profile": lambda folder, which: leadline.Profile.load("device:p4510"),
    "Report": lambda folder, which: leadline.Profile.load("device:p4510").report(),
    "Models": lambda folder, which: leadline.fit(leadline.Profile.load("device:p4510")),
    "Table": lambda folder, which: leadline.Table(
        {"vertex": [1, 2], "name": ["a", None], "value": [0.5, float("nan")]}
    ),
    "Advice": lambda folder, which: leadline.advise("postgresql", "device:p4510", version="16"),
    "Lint": lambda folder, which: leadline.lint(
        "postgresql", "postgresql.conf", "device:p4510", version="16"
    ),
    "Calibration": lambda folder, which: _calibration(),
    "Capture": lambda folder, which: leadline.trace.capture("folder", "captured.trace"),
    "Disk": _disk,
    "Drive": _disk,
    "EmulatedDrive": _disk,
}

#: Values of no kind in particular. Some are made anew for each call: they are used up, or changed.
ANYTHING: list[Callable[[], Any]] = [
    *(
        lambda value=value: value
        for value in [
            *(None, True, False, 0, 1, -1, 2, 7, 2**31, 2**32, 2**63, 2**64, -(2**70), 10**400),
            *(0.0, 0.5, -0.5, 1.5, 1e-300, 1e300, float("nan"), float("inf"), -float("inf")),
            *("", "a", "1", "0", "-1", "nan", "1e9", "all", "none", "4K", "64M", "3X", "%", "\n", "a\0b"),
            *("\ud800", "ü" * 300, "x" * 5000, "--help", "--no-such", "-", "missing.csv", "missing/x.json"),
            *("edges.csv", "trace.csv", "plain.graph", "strings.graph", "disk.json", "empty", "noise"),
            *("folder", "sim:flash", "sim:nothing", "device:p4510", "gen:zipf?ops=50", "lru", "pagerank"),
            *(b"", b"abc", 1 + 2j, Decimal("0.5"), Decimal("nan"), Fraction(1, 3), Ellipsis, len, object()),
            *(datetime.date(2026, 1, 1), datetime.timedelta(seconds=1), np.int8(-1), np.uint64(7)),
            *(np.float32(0.5), np.float64("nan"), np.datetime64("NaT"), np.str_("a"), np.bool_(True)),
            *([], [1, 2], [1, "a"], [None], [[1], [2]], ["a", "b"], [1.5], [True], [(1, 2), (2, 3)]),
            *((), (1, 2), ("a",), {}, {"a": 1}, {1: "a"}, {"source": [1], "target": [2]}, {1, 2}),
            *(range(3), slice(1, 2), Path("missing"), Path("edges.csv"), Path("disk.json"), ValueError("x")),
            *(np.zeros(0), np.arange(3), np.arange(4)[::2], np.array(5), np.zeros((2, 2), dtype=int)),
            *(np.array(["a", "b"]), np.array([None, 1]), np.array([1.5, np.nan]), np.array([-1, 2])),
            *(np.array([1, 2], dtype=">u2"), np.array(["NaT"], dtype="M8[s]")),
            np.ma.masked_array([1, 2], [0, 1]),
            *(np.array([2**63], dtype=np.uint64), np.array([1j]), np.arange(3, dtype=np.float16)),
        ]
    ),
    lambda: iter([(1, 2)]),
    lambda: (row for row in [([1], [2]), "x"]),
    lambda: memoryview(b"abc"),
    lambda: leadline.Table({"source": [1, 2], "target": [2, 7]}),
    lambda: leadline.Profile.load("device:p4510"),
    lambda: open(os.devnull),  # noqa: SIM115
]

#: Values that fit, by the name of a parameter.
FITTING: dict[str, list[Any]] = {
    "memory": ["16M", "64M", 1 << 25],
    "threads": [1, 2],
    "concurrency": [1, 16],
    "source": [1, [1, 2], "a", "1"],
    "target": [[2, 3], ["b", "c"]],
    "vertex": [1, "1", [1, 2]],
    "vertices": [[1, 2], ["1", "a"]],
    "frames": [10, [5, 10]],
    "trace": ["gen:zipf?ops=50", "trace.csv", [1, 2, 3, 1]],
    "policy": ["lru", "all", ["lru", "clock"]],
    "path": ["out.graph", "out.json", "out.html"],
    "folder": ["out"],
    "output": ["out.json"],
    "edges": ["edges.csv"],
    "store": ["plain.graph", "weights.graph"],
    "name": ["ladder", "a"],
    "algorithm": ["pagerank", "bfs"],
    "direction": ["in", "out", "both"],
    "iterations": [3],
    "length": [5],
    "walkers": [2],
    "top": [2],
    "files": ["disk.json", ["noise"]],
    "row": [0],
    "batch": [10],
    "reads": [1e6, [1, 2]],
    "block_size": ["4K", 4096],
    "weight": [[0.5, 1.0], None],
    "source_column": ["source"],
    "target_column": ["target"],
    "dedupe": [True, "max"],
    **{name: [True, False] for name in ("directed", "drop_self_loops", "reverse", "renumber", "plain")},
    "profile": [leadline.Profile.load("device:p4510")],
    "document": ["{}"],
    "key": [b"abc", 7],
    "keys": [[b"abc", b"x"], [7, 8], np.array([7, 9]), np.array([b"abc"])],
    "entries": [{b"b": b"2"}, [(7, b"1")], {}],
    "key_type": ["bytes", "integer"],
    "durability": ["commit", "never", 0.5],
    "node_size": ["4K", 8192],
}

#: Devices that may be measured: none that is real. What is left out here would be the current folder.
DEVICES: list[Any] = ["sim:flash", "sim:nothing", "device:nothing", "missing", "missing/x", 7, b"x", [], 1.5]
TARGETS = frozenset({"target", "targets", "device", "devices", "drive", "disk", "on", "to", "mount", "place"})

#: Options that make what they are given to quick, if it has them.
QUICK = {"quick": True, "rounds": 1, "runs": 1, "seeds": 1, "max_time": "1s", "seconds": 1, "progress": False}
