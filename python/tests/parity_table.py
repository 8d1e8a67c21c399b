"""Which function runs which command, and what is left out or called otherwise, with the reason.

A new command or function adds a line; a new option of a command is a parameter, or stands here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import leadline
from leadline import Graph, Models, Profile, btree, lsm, pool, trace


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


#: Of every command.
LEFT_OUT = {"json": "the result is the document that it prints"}
OWN = {"progress": "the command line shows it on a terminal"}

PLAN = {"dry-run": "prints a plan and no result; max_writes limits what is written"}
HIDDEN = "hidden, for Leadline's own tests"

FACES = {
    "profile": Face(leadline.profile, {**PLAN, "budget-seconds": HIDDEN}),
    "profile import": Face(leadline.import_profile),
    "experiment": Face(leadline.experiment, PLAN),
    "report": Face(leadline.report),
    "predict": Face(
        Models.predict,
        {
            "profile": "Models are those of a profile",
            "what-if": "concurrency takes an array",
            "slo": "not there yet",
            "mix": "belongs to slo",
            "speedup": "not there yet",
        },
        calls=False,
        no_ranges="arrays, of which a refusal names the element; random is a share of 1",
    ),
    "models": Face(
        leadline.fit,
        {"setup-per": "for tables of costs, which it does not take", "output": "Profile.report is the page"},
        {"subject": "profile"},
        calls=False,
        no_ranges="it has no numbers",
    ),
    "advise": Face(leadline.advise, {"explain": "the table has all columns"}),
    "lint": Face(leadline.lint),
    "prove": Face(leadline.prove, PLAN),
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
}

#: Commands that no function runs, and those below them.
NOT_IN_PYTHON = {
    "completions": "for shells",
    "man": "for man",
    "emulate": "lasts until it is told to end; runs in a terminal",
    "trace capture": "runs another program in a terminal",
    "graph": "methods of Graph, with arrays in the place of files",
}

#: Public functions that are no command's.
PYTHON_ONLY = {
    leadline.compare: "report prints it for several profiles",
    leadline.predict: "Models.predict of a new fit",
    trace.open: "iterates over a trace",
    trace.miss_ratios: "of trace.info, as a table",
    trace.plot_miss_ratios: "draws them",
    trace.generators: "trace generate --list",
    Profile.load: "commands take the file's name",
}

#: What methods are called on, by class.
SELVES: dict[str, Callable[[], Any]] = {
    "Graph": lambda: Graph.from_edges([1, 2], [2, 3]),
    "Models": lambda: leadline.fit(Profile.load("device:p4510")),
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
    "key": 16,
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
    "value": 100,
    "config": "postgresql.conf",
    "name": "ladder",
}

__all__ = ["FACES", "LEFT_OUT", "NOT_IN_PYTHON", "OWN", "PYTHON_ONLY", "SAMPLES", "SELVES", "Face"]
