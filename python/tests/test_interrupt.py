"""Ctrl-C: work ends in order, with KeyboardInterrupt, and nothing is left behind."""

import os
import signal
import subprocess
import sys
import textwrap

import pytest

#: What a program does until it is interrupted; each says "ready" once its work is under way.
WORK = {
    "profile": """
        leadline.profile(folder, full=True, size="64M", progress=ready)
    """,
    "simulated": """
        leadline.experiment("tail", "sim:flash", seconds=80_000, progress=ready)
    """,
    "import": """
        import numpy as np
        pairs = np.random.default_rng(1).integers(0, 1 << 40, (2, 20_000_000), dtype=np.uint64)
        leadline.Graph.from_edges(*pairs, path=folder + "/g.graph", memory="64M", progress=ready)
    """,
    "export": """
        import numpy as np
        pairs = np.random.default_rng(1).integers(0, 1 << 40, (2, 5_000_000), dtype=np.uint64)
        leadline.Graph.from_edges(*pairs).export(folder + "/out", progress=ready)
    """,
    "graph": """
        import threading
        import numpy as np
        ids = np.arange(200_000, dtype=np.uint32)
        graph = leadline.Graph.from_edges(ids, (ids * 7 + 1) % len(ids))
        threading.Timer(0.2, ready).start()
        graph.pagerank(iterations=1_000_000)
    """,
    "update": """
        import threading
        import numpy as np
        ids = np.arange(200_000, dtype=np.uint32)
        graph = leadline.Graph.from_edges(ids, (ids * 7 + 1) % len(ids))
        with graph.update() as update:
            threading.Timer(0.2, ready).start()
            while True:
                update.insert_edges(ids, ids)
                update.delete_vertices(ids[:1000])
                update.maintain()
    """,
}


@pytest.mark.parametrize("work", WORK)
def test_ctrl_c_is_a_keyboard_interrupt_and_leaves_nothing(work, tmp_path):
    folder, temporary = tmp_path / "data", tmp_path / "tmp"
    folder.mkdir()
    temporary.mkdir()
    program = f"""
import leadline, sys
folder = {os.fspath(folder)!r}
def ready(*_):
    print("ready", flush=True)
try:
{textwrap.indent(textwrap.dedent(WORK[work]), "    ")}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
    environment = os.environ | {"TMPDIR": os.fspath(temporary)}
    running = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=120)
    assert said.splitlines()[-1] == "interrupted"
    assert running.returncode == 0
    assert list(folder.iterdir()) == []
    assert list(temporary.iterdir()) == []
