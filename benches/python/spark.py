"""Leadline's engine beside Spark on one machine, in alternating runs; prints a Markdown table.

python spark.py FOLDER [--scales 18,20,22] [--rounds 3] [--memory 4G] [--driver 8g] [--algorithms bfs,wcc]

FOLDER is on the disk that graphs and Spark's temporary files are to lie on. Both begin with the same folder
of Parquet, in a new process for each algorithm and round. Leadline imports it once; a run opens the store and
ends with the result as a table in memory, which is what its times are. Spark reads the Parquet in each run,
and ends with the result computed. Spark's start is not counted. Peaks are of resident memory.
"""

import argparse
import json
import multiprocessing
import os
import resource
import shutil
import statistics
import time
from pathlib import Path

import numpy as np

from rmat import rmat

ALGORITHMS = {
    "bfs": lambda on, edges, root: on.bfs(*edges, root),
    "wcc": lambda on, edges, root: on.wcc(*edges),
    "pagerank": lambda on, edges, root: on.pagerank(*edges, iterations=10),
}


def write(folder, scale):
    """A graph as `leadline graph export --partitions 16` lays it out; the vertex to start at."""
    import pyarrow
    from pyarrow import parquet

    source, target = rmat(scale)
    vertices = np.unique(np.concatenate([source, target]))
    for name in ("edges", "vertices"):
        (folder / name).mkdir(parents=True)
    pieces = zip(
        np.array_split(source, 16), np.array_split(target, 16), np.array_split(vertices, 16), strict=True
    )
    for part, (sources, targets, some) in enumerate(pieces):
        edges = {"source": sources.astype("i8"), "target": targets.astype("i8")}
        parquet.write_table(pyarrow.table(edges), folder / f"edges/part-{part:05}.parquet")
        named = pyarrow.table({"vertex": some.astype("i8")})
        parquet.write_table(named, folder / f"vertices/part-{part:05}.parquet")
    about = {"format": "leadline.graph-export/1", "directed": True, "weighted": False}
    about |= {"vertices": len(vertices), "edges": len(source)}
    (folder / "graph.json").write_text(json.dumps(about))
    return int(source[0])


def imported(folder, store, memory):
    """Seconds of the import."""
    import leadline
    from pyarrow import parquet

    edges = parquet.read_table(folder / "edges")
    vertices = parquet.read_table(folder / "vertices")["vertex"].to_numpy()
    begun = time.perf_counter()
    columns = [edges[name].to_numpy() for name in ("source", "target")]
    leadline.Graph.from_edges(*columns, vertices=vertices, path=store, reverse=True, memory=memory).close()
    return time.perf_counter() - begun


def local(store, memory, algorithm, root):
    """Seconds, and the peak of memory in bytes."""
    import leadline

    begun = time.perf_counter()
    with leadline.Graph.open(store, memory=memory) as graph:
        ALGORITHMS[algorithm](graph, [], root)
    seconds = time.perf_counter() - begun
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def spark(folder, temporary, driver, algorithm, root):
    """Seconds, the peak of the JVM's memory in bytes, and its processor time in seconds."""
    from pyspark.sql import SparkSession

    import leadline.spark

    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", driver)
        .config("spark.local.dir", temporary)
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    # Nobody counts the loading of classes.
    session.range(1000).selectExpr("sum(id)").collect()
    process = session._jvm.java.lang.ProcessHandle.current().pid()
    used, begun = processor_seconds(process), time.perf_counter()
    ALGORITHMS[algorithm](leadline.spark, [str(folder)], root)
    seconds, used = time.perf_counter() - begun, processor_seconds(process) - used
    status = Path(f"/proc/{process}/status").read_text()
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    session.stop()
    return seconds, peak * 1024, used


def processor_seconds(process):
    """What all threads of a process have used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def alone(work, *arguments):
    """What `work` returns, from a process of its own."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(work, arguments)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scales", default="18,20,22")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--memory", default="4G", help="Leadline's cap")
    parser.add_argument("--driver", default="8g", help="the heap of Spark's JVM")
    parser.add_argument("--algorithms", default="bfs,wcc,pagerank")
    given = parser.parse_args()
    columns = ["graph", "algorithm", "Leadline, import", "Leadline", "peak"]
    columns += ["Spark", "processor", "peak", "Spark / Leadline"]
    print(f"| {' | '.join(columns)} |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |", flush=True)
    for scale in map(int, given.scales.split(",")):
        folder, store = given.folder / f"rmat{scale}", given.folder / f"rmat{scale}.graph"
        shutil.rmtree(folder, ignore_errors=True)
        root = alone(write, folder, scale)
        importing = alone(imported, folder, store, given.memory)
        for algorithm in given.algorithms.split(","):
            ours, theirs = [], []
            for _ in range(given.rounds):
                ours.append(alone(local, store, given.memory, algorithm, root))
                theirs.append(alone(spark, folder, str(given.folder), given.driver, algorithm, root))
            (a, our_peak), (b, their_peak, used) = map(middle, (ours, theirs))
            print(
                f"| rmat{scale} | {algorithm} | {importing:.1f} s | {shown(ours)} | {our_peak / 1e9:.2f} GB "
                f"| {shown(theirs)} | {used:.0f} s | {their_peak / 1e9:.2f} GB | {b / a:.1f} |",
                flush=True,
            )


def middle(runs):
    """Medians of seconds and of peaks."""
    return [statistics.median(each) for each in zip(*runs, strict=True)]


def shown(runs):
    seconds = [run[0] for run in runs]
    return f"{statistics.median(seconds):.2f} s ({min(seconds):.2f} to {max(seconds):.2f})"


if __name__ == "__main__":
    main()
