"""Runs networkx's own tests on the backend.

As a program it lists, for each function, the calls that reached the backend and the tests they came from:

    python python/tests/networkx_suite.py            # all of networkx's tests
    python python/tests/networkx_suite.py algorithms/components algorithms/tests/test_core.py
    python python/tests/networkx_suite.py --fallback # functions that are not here run in networkx

Without falling back, a test ends as an expected failure at its first call of a function that the backend
lacks, and many begin with one, such as a relabelling of nodes. Falling back reaches the calls behind these.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import networkx


def run(parts: list[str], *, fallback: bool) -> dict[str, Any]:
    """Run the tests in these files and folders of networkx (all, if there are none).

    Parameters
    ----------
    parts : list of str
        Paths within networkx.
    fallback : bool
        Whether networkx runs what the backend lacks.

    Returns
    -------
    dict
        ``tests``: by outcome, how many; ``failed``: which; ``differing``: calls whose result was not
        networkx's; ``functions``: by name, ``calls`` that reached the backend, the ``tests`` they came from,
        and how many of those ``passed``.
    """
    package = Path(networkx.__file__).parent
    environment = {
        **os.environ,
        "NETWORKX_TEST_BACKEND": "leadline",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
    }
    # Any text at all in this variable switches falling back on.
    environment["NETWORKX_FALLBACK_TO_NX"] = "yes" if fallback else ""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "calls.json")
        environment["LEADLINE_NETWORKX_CALLS"] = str(report)
        command = [sys.executable, "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider"]
        # No configuration but networkx's own: its conftest.py reads the variable.
        command += ["-p", "networkx_calls", "-c", os.devnull, f"--rootdir={package.parent}"]
        command += [f"--confcutdir={package}", *(str(package / part) for part in parts or [""])]
        done = subprocess.run(command, env=environment, cwd=folder, capture_output=True, text=True)
        found = json.loads(report.read_text()) if report.exists() else {}
        if not found.get("tests"):
            # pytest could not begin: leadline is not installed as networkx looks for it, for one.
            raise RuntimeError(done.stdout + done.stderr)
        return {"output": done.stdout, **found}


def main() -> int:
    """Print what was reached; 1 if a test failed or a result differed."""
    parts = [argument for argument in sys.argv[1:] if argument != "--fallback"]
    found = run(parts, fallback="--fallback" in sys.argv)
    print(f"{'function':36} {'calls':>7} {'tests':>6} {'passed':>7}")
    for name, counts in found["functions"].items():
        print(f"{name:36} {counts['calls']:7} {counts['tests']:6} {counts['passed']:7}")
    print(", ".join(f"{count} tests {outcome}" for outcome, count in sorted(found["tests"].items())))
    for test in found["failed"]:
        print(f"failed: {test}")
    for call in found["differing"]:
        print(f"differs: {call}")
    return 1 if found["failed"] or found["differing"] else 0


if __name__ == "__main__":
    sys.exit(main())
