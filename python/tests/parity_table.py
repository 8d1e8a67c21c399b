"""Which function runs which command, and what is left out or called otherwise, with the reason.

A new command or function adds a line; a new option of a command is a parameter, or stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import leadline
from leadline import Drive, Graph, Profile, _leadline, btree, lsm, pool, trace


@dataclass(frozen=True)
class Face:
    """A function as the face of a command."""

    function: Callable[..., Any]
    #: Options and arguments that are no parameters, with the reason.
    left_out: Mapping[str, str] = field(default_factory=dict)
    #: What parameters are called that are not called as their option.
    renamed: Mapping[str, str] = field(default_factory=dict)
    #: Parameters that no option stands behind, with the reason.
    own: Mapping[str, str] = field(default_factory=dict)
    #: Whether it calls the command; others share its checks, and not its arguments.
    calls: bool = True
    #: Why its ranges are not compared, where they are not.
    no_ranges: str = ""
    #: What a call needs that has a default.
    needs: Mapping[str, Any] = field(default_factory=dict)


#: Of every command.
LEFT_OUT = {
    "json": "the result is the document that it prints",
    "dry-run": "prints a plan and no result",
}
#: Options that every command has, and why no function has them.
EVERYWHERE = {
    "verbose": "about lines on stderr; progress= is told how far the work is",
    "quiet": "nothing is printed; notes are in the result, warnings is Python's filter",
}
OWN = {"progress": "the command line shows it on a terminal"}

#: Of graphs.
STORE = {"store": "the graph itself"}
RUN = {
    **STORE,
    "profile": "concurrency says how many reads are in flight",
    "estimate": "Graph.estimate",
}
QUESTION = {
    **STORE,
    "profile": "concurrency says how many reads are in flight",
    "output": "a table is written by what reads it",
}
QUESTIONS = {**QUESTION, "vertices": "ids are given as arrays"}
READING = [
    "format",
    "delimiter",
    "header",
    "skip",
    "comment",
    "source-column",
    "target-column",
    "weight-column",
    "ignore-columns",
]
ENUMERATE = {"enumerate": "Drive.enumerate_power_cuts", "limit": "Drive.enumerate_power_cuts"}
#: Algorithms whose methods have all of their options.
ALGORITHMS = [name for name, _ in _leadline.algorithms() if name != "similarity"]

DETAILS = {"details": "Profile.summary(details=True)"}
HIDDEN = "hidden, for Leadline's own tests"

FACES = {
    "profile": Face(leadline.profile, {**DETAILS, "budget-seconds": HIDDEN}),
    "profile import": Face(leadline.import_profile, DETAILS),
    "experiment": Face(leadline.experiment),
    "report": Face(leadline.report, DETAILS),
    "predict": Face(
        leadline.predict,
        renamed={"profile": "source"},
        calls=False,
        no_ranges="arrays, of which a refusal names the element; random is a share of 1",
    ),
    "models": Face(
        leadline.fit,
        {"report": "Profile.report is the page"},
        {"subject": "source"},
        calls=False,
        no_ranges="tests/test_models.py tries those of setup_per",
    ),
    "advise": Face(leadline.advise, {"explain": "the table has all columns"}),
    "lint": Face(leadline.lint),
    "prove": Face(leadline.prove),
    "btree advise": Face(btree.advise),
    "lsm advise": Face(lsm.advise),
    "lsm predict": Face(lsm.predict),
    "lsm validate": Face(lsm.validate),
    "calibrate": Face(leadline.calibrate),
    "devices": Face(leadline.devices),
    "place": Face(leadline.place),
    "trace info": Face(trace.info, own={"writes": "of a trace that is an array"}),
    "trace replay": Face(trace.replay),
    "trace predict": Face(trace.predict),
    "trace convert": Face(trace.convert),
    "trace generate": Face(trace.generate, {"list": "trace.generators"}),
    "pool simulate": Face(pool.simulate, own={"writes": "of a trace that is an array"}),
    "pool replay": Face(pool.replay),
    "trace capture": Face(
        trace.capture, {"command": "with trace.capture(..): whatever the program does"}, calls=False
    ),
    "emulate": Face(leadline.emulate, calls=False, no_ranges="a process of its own checks them"),
    "emulate ctl wait": Face(Drive.wait),
    "emulate ctl counters": Face(Drive.counters),
    "emulate ctl power-cut": Face(Drive.power_cut, ENUMERATE),
    "emulate ctl inject": Face(Drive.inject),
    "emulate ctl map": Face(Drive.map),
    "emulate ctl device": Face(Drive.device),
    "emulate ctl start-trace": Face(Drive.start_trace),
    "emulate ctl stop-trace": Face(Drive.stop_trace),
    "graph import": Face(
        Graph.import_file,
        {"preview": "Graph.preview_file", "shard-vertices": "for tests: small sharded stores"},
        {"store": "path"},
    ),
    "graph export": Face(
        Graph.export,
        {
            **STORE,
            "format": "a file of edges is written by pandas, from g.edges(..)",
            "force": "what is no export is never replaced",
        },
        {"out": "folder"},
    ),
    "graph update": Face(
        Graph.update,
        {
            **STORE,
            **dict.fromkeys(["changes", "delete", *READING], "methods of GraphUpdate take arrays"),
            "commit-every": "GraphUpdate.commit",
            "profile": "writes as many blocks at a time as the graph was opened with",
        },
        calls=False,
    ),
    "graph compact": Face(Graph.compact, STORE, calls=False),
    "graph info": Face(Graph.info, STORE),
    "graph verify": Face(Graph.verify, STORE),
    "graph validate": Face(Graph.validate),
    "graph neighbors": Face(
        Graph.neighbors, {**QUESTIONS, "degrees": "Graph.degree"}, {"ids": "vertex"}, calls=False
    ),
    "graph ego": Face(
        Graph.ego, {**QUESTION, "show": "Subgraph has edges and vertices"}, calls=False
    ),
    "graph subgraph": Face(Graph.subgraph, QUESTIONS, {"ids": "vertices"}, calls=False),
    **{f"graph {name}": Face(getattr(Graph, name), RUN, calls=False) for name in ALGORITHMS},
    "graph similarity": Face(
        Graph.similarity,
        {**RUN, "pairs": "vertex and other"},
        own={"vertex": "the first of each pair", "other": "the second"},
        calls=False,
        needs={"top": 1},
    ),
}

#: Commands that no function runs, and those below them.
NOT_IN_PYTHON = {
    "index": "leadline.Index is the map itself, with the options of the same names; tests/test_index.py",
    "completions": "for shells",
    "docs": "for reading: ``leadline docs`` in a shell, ``!leadline docs`` in a notebook",
    "man": "for man",
}

#: Public functions that are no command's.
PYTHON_ONLY = {
    leadline.compare: "report prints it for several profiles",
    trace.open: "iterates over a trace",
    trace.miss_ratios: "of trace.info, as a table",
    trace.plot_miss_ratios: "draws them",
    trace.generators: "trace generate --list",
    Drive.enumerate_power_cuts: "emulate ctl power-cut --enumerate",
    Graph.open: "commands take the store's name",
    Graph.close: "commands end",
    Graph.from_edges: "of what is in memory; graph import reads files",
    Graph.preview_file: "graph import --preview",
    Graph.ids: "graph info and exports have them",
    Graph.degree: "graph neighbors --degrees",
    Graph.estimate: "of an algorithm, with --estimate",
    Profile.load: "commands take the file's name",
}

#: What methods are called on, for which classes.
SELVES: dict[type, Callable[[], Any]] = {
    Graph: lambda: Graph.from_edges([1, 2], [2, 3], [0.5, 1.5]),
    Drive: lambda: Drive("/nowhere"),
}

#: Arguments of a call that reaches the command's own checks: by parameter.
SAMPLES: dict[str, Any] = {
    "again": "device:p4510",
    "data": "1G",
    "devices": "sim:flash",
    "fast": "sim:optane",
    "files": "sweep.json",
    "frames": 10,
    "generator": "gen:zipf",
    "key_size": 16,
    "mix": {"point": 60, "insert": 40},
    "options": "OPTIONS.ini",
    "output": "result",
    "profile": "device:p4510",
    "profiles": "device:p4510",
    "slow": "sim:sata",
    "system": "postgresql",
    "target": "sim:flash",
    "trace": "gen:zipf?ops=10",
    "traces": "q3.capture",
    "value_size": 100,
    "config": "postgresql.conf",
    "name": "ladder",
}

__all__ = [
    "EVERYWHERE",
    "FACES",
    "LEFT_OUT",
    "NOT_IN_PYTHON",
    "OWN",
    "PYTHON_ONLY",
    "SAMPLES",
    "SELVES",
    "Face",
]
