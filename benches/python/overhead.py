"""What calling Leadline from Python costs over the command line, in alternating runs.

python overhead.py LEADLINE FOLDER [--scale 20] [--rounds 5], where LEADLINE is the command's binary and
FOLDER is on the disk that graphs are to lie on. Prints medians, their spread and ratios (Python / command
line).
"""

import argparse
import json
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np

import leadline
from leadline import pool
from rmat import rmat


def timed(work):
    """Seconds of the wall clock, and what `work` gave."""
    begun = time.perf_counter()
    found = work()
    return time.perf_counter() - begun, found


def command(binary, *arguments):
    """Run the command; its document."""
    done = subprocess.run([binary, *map(str, arguments), "--json"], check=True, capture_output=True)
    return json.loads(done.stdout)


def compare(name, rounds, cli, python):
    """Alternate both, and print medians with their spread, and the ratio."""
    times = {"command line": [], "Python": []}
    for round_ in range(rounds + 1):
        for who, work in (("command line", cli), ("Python", python)):
            seconds = work()
            # The first round fills caches.
            if round_ > 0:
                times[who].append(seconds)
    medians = {who: statistics.median(each) for who, each in times.items()}
    shown = ", ".join(
        f"{who} {medians[who]:.4f} s ({min(each):.4f} to {max(each):.4f})" for who, each in times.items()
    )
    print(f"{name}: {shown}, ratio {medians['Python'] / medians['command line']:.3f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("leadline")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    source, target = rmat(given.scale)
    pairs, store = given.folder / "rmat.u32", given.folder / "rmat.graph"
    interleaved = bytearray(8 * len(source))
    view = np.frombuffer(interleaved, dtype=np.uint32)
    view[0::2], view[1::2] = source, target
    pairs.write_bytes(interleaved)
    print(f"{len(source)} edges")

    compare(
        "import (.u32 file / NumPy arrays), seconds of the import",
        given.rounds,
        lambda: command(given.leadline, "graph", "import", pairs, store)["seconds"],
        lambda: timed(lambda: leadline.Graph.from_edges(source, target, path=store).close())[0],
    )
    root = int(source[0])
    cap = ["--memory", "1G"]
    compare(
        "BFS, seconds of the run",
        given.rounds,
        lambda: command(given.leadline, "graph", "bfs", store, "--source", root, *cap)["seconds"],
        lambda: search(store, root).info["seconds"],
    )
    compare(
        "BFS, from opening to the result (the whole process with its result as .bin / a table in memory)",
        given.rounds,
        lambda: timed(
            lambda: command(
                given.leadline, "graph", "bfs", store, "--source", root, *cap, "-o", given.folder / "bfs.bin"
            )
        )[0],
        lambda: timed(lambda: search(store, root))[0],
    )
    compare(
        "PageRank, ten iterations, seconds of the run",
        given.rounds,
        lambda: command(given.leadline, "graph", "pagerank", store, *cap)["seconds"],
        lambda: ranks(store).info["seconds"],
    )
    sweep = ["--frames", "1000,10000", "--policy", "lru,clock,arc", "--ace", "off,cow-x"]
    name = "gen:paper-wis?ops=2000000"
    compare(
        "sweep of 12 pools, seconds of the whole",
        given.rounds,
        lambda: timed(
            lambda: command(given.leadline, "pool", "simulate", name, *sweep, "--device", "sim:flash")
        )[0],
        lambda: timed(
            lambda: pool.simulate(
                name,
                frames=[1000, 10000],
                policy=["lru", "clock", "arc"],
                ace=["off", "cow-x"],
                device="sim:flash",
            )
        )[0],
    )


def search(store, root):
    with leadline.Graph.open(store, memory="1G") as graph:
        return graph.bfs(root)


def ranks(store):
    with leadline.Graph.open(store, memory="1G") as graph:
        return graph.pagerank()


if __name__ == "__main__":
    main()
