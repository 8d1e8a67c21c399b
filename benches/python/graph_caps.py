"""Resident memory of the commands of `leadline graph` under a cap, on the command line and in Python.

python graph_caps.py LEADLINE FOLDER [--scale 20] [--caps 64M,256M] [--kinds numbers,strings] [--only update],
where LEADLINE is the command's binary and FOLDER has room for some gigabytes. A graph of at most 2^scale
vertices and five times as many edges is made once per kind of ids. What each process has more than when it
began is held against the cap; what is more than 16 MiB above it is marked.

Needs polars.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

#: What a process may have above the cap.
SLACK = 16 << 20

#: Options of each algorithm on the command line; FIRST is a vertex.
ALGORITHMS = {
    "bfs": ["--source", "FIRST"],
    "wcc": [],
    "scc": [],
    "pagerank": [],
    "sssp": ["--source", "FIRST"],
    "cdlp": ["--iterations", "3"],
    "lcc": [],
    "triangles": [],
    "louvain": [],
    "leiden": [],
    "kcore": [],
    "similarity": ["--top", "5"],
    "dfs": [],
    "walk": ["--walkers", "100000"],
}

#: The same as arguments in Python.
KEYWORDS = {
    "bfs": "FIRST",
    "sssp": "FIRST",
    "cdlp": "iterations=3",
    "similarity": "top=5",
    "walk": "walkers=100000",
}

#: Runs in a process of its own: the graph's edges, as NumPy arrays or lists of strings.
GENERATE = """
import sys
import numpy as np
import polars as pl
folder, scale, strings = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "strings"
random = np.random.default_rng(1)
count, edges = 1 << scale, 5 << scale
def some():
    # Few vertices have many edges.
    return (count * random.random(edges) ** 2).astype(np.uint64)
def named(column):
    # Ids in no order, and far apart.
    ids = (column * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(3)
    return pl.Series(ids).cast(pl.String).str.zfill(20).str.slice(3).alias("") if strings else pl.Series(ids)
def write(name, source, target):
    frame = pl.DataFrame({"source": source, "target": target, "weight": random.random(edges).round(3)})
    frame.write_parquet(f"{folder}/{name}.parquet")
    frame.write_csv(f"{folder}/{name}.csv")
    np.save(f"{folder}/{name}.weight.npy", frame["weight"].to_numpy())
    if not strings:
        np.save(f"{folder}/{name}.source.npy", source.to_numpy())
        np.save(f"{folder}/{name}.target.npy", target.to_numpy())
    frame.select("source", "target").write_csv(f"{folder}/{name}.txt", include_header=False, separator=" ")
def prefixed(series):
    return "user-" + series if strings else series
source, target = some(), some()
write("base", prefixed(named(source)), prefixed(named(target)))
# Nine in ten of these vertices are new.
shift = np.uint64(count - count // 10)
write("more", prefixed(named(some() + shift)), prefixed(named(some() + shift)))
"""

#: Runs in a process of its own: prints what the work took above what was there before.
MEASURE = """
import json, sys
import numpy as np
import leadline
def resident(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(name))
def edges(path):
    weights = np.load(path + ".weight.npy")
    with open(path + ".txt") as file:
        if file.read(4) != "user":
            return np.load(path + ".source.npy"), np.load(path + ".target.npy"), weights
        file.seek(0)
        source, target = [], []
        for line in file:
            first, second = line.split()
            source.append(first)
            target.append(second)
    return source, target, weights
# Code that was not used yet is no memory of the work.
with leadline.Graph.from_edges(["a", "b"], ["b", "c"], [1.0, 2.0], directed=False) as small:
    small.sssp("a"), small.wcc(), small.louvain()
    with small.update() as update:
        update.insert_edges(["c"], ["d"], [1.0])
{prepare}
with open("/proc/self/clear_refs", "w") as references:
    references.write("5")
before = resident("VmRSS")
refused = None
try:
    {work}
except leadline.BadInput as error:
    refused = str(error)
print(json.dumps([resident("VmHWM") - before, refused]))
"""


def command(arguments, start, folder):
    """Run a command; bytes above its start, and its message where it refuses."""
    arguments = [str(argument) for argument in arguments]
    done = subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=folder
    )
    message = done.stderr.read()
    _, status, usage = os.wait4(done.pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if code not in (0, 2):
        sys.exit(f"{arguments}: exit code {code}: {message}")
    return (usage.ru_maxrss << 10) - start, message.strip().splitlines()[-1] if code == 2 else None


def python(prepare, work, folder):
    """Do the same in Python."""
    program = MEASURE.format(prepare=prepare, work=work.strip().replace("\n", "\n    "))
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def size(text):
    """Bytes of a size such as 64M."""
    return int(text[:-1]) << {"K": 10, "M": 20, "G": 30}[text[-1]]


def cell(cap, run):
    """What a run took, and whether that is more than it may."""
    if run is None:
        return "–"
    taken, refused = run()
    words = f"{taken / (1 << 20):.1f} MiB"
    if refused is not None:
        words += f", refused: {refused[:150]}"
    return f"**{words} ({(taken - cap) / (1 << 20):+.1f})**" if taken > cap + SLACK else words


class Cases:
    """The commands on one kind of ids under one cap: each gives what the command line and Python took."""

    def __init__(self, given, kind, cap):
        self.binary, self.start, self.cap = given.leadline, given.start, cap
        self.folder = given.folder / f"{kind}-{given.scale}"
        self.store, self.grown = self.folder / "base.graph", self.folder / "grown.graph"
        self.changed, self.out = self.folder / "changed.graph", self.folder / "out"
        if not (self.folder / "more.txt").exists():
            self.folder.mkdir(parents=True, exist_ok=True)
            subprocess.run([sys.executable, "-c", GENERATE, self.folder, str(given.scale), kind], check=True)
        if not self.store.exists():
            self.must("import", "base.parquet", self.store, "--weights", "--undirected", "--memory", "2G")
        if not self.grown.exists():
            self.fresh(self.store)
            self.must("update", self.changed, "more.parquet", "--memory", "4G", "--commit-every", "100000000")
            self.changed.rename(self.grown)

    def must(self, *arguments):
        """Run a command that is not measured."""
        arguments = [self.binary, "graph", *map(str, arguments)]
        subprocess.run(arguments, check=True, cwd=self.folder, capture_output=True)

    def fresh(self, of):
        """A copy of a store, to change it."""
        if self.changed.is_dir():
            shutil.rmtree(self.changed)
        else:
            self.changed.unlink(missing_ok=True)
        (shutil.copytree if of.is_dir() else shutil.copy)(of, self.changed)

    def command(self, *arguments, cap=True, of=None):
        """A run of a command, maybe on a fresh copy of a store."""
        memory = ["--memory", self.cap] if cap else []

        def run():
            if of is not None:
                self.fresh(of)
            words = [self.binary, "graph", *map(str, arguments), *memory]
            return command(words, self.start, self.folder)

        return run

    def python(self, prepare, work, of=None):
        """The same in Python, where `{cap}`, `{store}` and others stand for their values."""

        def run():
            if of is not None:
                self.fresh(of)
            names = {"cap": self.cap, "store": self.store, "changed": self.changed, "out": self.out}
            return python(prepare.format(**names), work.format(**names), self.folder)

        return run

    def imports(self):
        text = ["--undirected", "--header", "no"]
        given = "undirected=True, header=False, memory='{cap}'"
        yield (
            "import, text",
            self.command("import", "base.txt", self.out, *text),
            self.python("", f"leadline.Graph.import_file('base.txt', '{{out}}', {given}).close()"),
        )
        all_of_it = ["--weights", "--dedupe", "--reverse"]
        for form in ("csv", "parquet"):
            name = f"import, {form}, {' '.join(all_of_it)}"
            yield name, self.command("import", f"base.{form}", self.out, *all_of_it), None
        renumbered = ["--undirected", "--renumber", "--ignore-columns"]
        run = self.command("import", "base.parquet", self.out, *renumbered)
        yield "import, parquet, --renumber", run, None
        work = "leadline.Graph.from_edges(s, t, w, path='{out}', memory='{cap}').close()"
        yield "import, arrays", None, self.python("s, t, w = edges('base')", work)

    def changes(self):
        update = "\nwith g.update(memory='{cap}') as update:\n    update."
        opened = "s, t, w = edges('{}')\ng = leadline.Graph.open('{{changed}}')"
        yield (
            "update, nine in ten ends are new",
            self.command("update", self.changed, "more.parquet", of=self.store),
            self.python(opened.format("more"), update + "insert_edges(s, t, w)", of=self.store),
        )
        once = ["--commit-every", 10**9]
        of = {"of": self.store}
        yield "update, one commit", self.command("update", self.changed, "more.parquet", *once, **of), None
        yield (
            "update, --delete",
            self.command("update", self.changed, "base.txt", "--delete", "--header", "no", of=self.store),
            self.python(opened.format("base"), update + "delete_edges(s, t)", of=self.store),
        )
        opened = "g = leadline.Graph.open('{changed}')"
        yield (
            "compact, which has no cap",
            self.command("compact", self.changed, cap=False, of=self.grown),
            self.python(opened, "g.compact()", of=self.grown),
        )

    def exports(self):
        yield "export, text", self.command("export", self.store, "edges.txt"), None
        yield "export, parquet", self.command("export", self.store, "edges.parquet"), None
        shutil.rmtree(self.folder / "folder", ignore_errors=True)
        yield (
            "export, folder",
            self.command("export", self.store, "folder/"),
            self.python("g = leadline.Graph.open('{store}')", "g.export('folder', memory='{cap}')"),
        )

    def answers(self):
        first = (self.folder / "base.txt").open().readline().split()[0]
        for name, options in ALGORITHMS.items():
            words = [first if word == "FIRST" else word for word in options]
            arguments = KEYWORDS.get(name, "").replace("FIRST", repr(first))
            work = f"g = leadline.Graph.open('{{store}}', memory='{{cap}}')\nkept = g.{name}({arguments})"
            yield name, self.command(name, self.store, *words, "-o", "result.csv"), self.python("", work)
        work = f"g = leadline.Graph.open('{{store}}', memory='{{cap}}')\ng.neighbors([{first!r}])"
        yield "neighbors", self.command("neighbors", self.store, first), self.python("", work)
        work = "g = leadline.Graph.open('{store}', memory='{cap}')\nfor batch in g.edges(100000):\n    pass"
        yield "edges, in batches", None, self.python("", work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("leadline", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", type=int, default=20)
    parser.add_argument("--caps", default="64M,256M")
    parser.add_argument("--kinds", default="numbers,strings")
    parser.add_argument("--only", default="", help="rows whose name has this")
    given = parser.parse_args()
    given.leadline, given.folder = given.leadline.resolve(), given.folder.resolve()
    given.start, _ = command([given.leadline, "graph", "--help"], 0, given.folder)
    print("| command | ids | cap | command line | Python |\n| --- | --- | --- | --- | --- |", flush=True)
    for kind in given.kinds.split(","):
        for cap in given.caps.split(","):
            cases = Cases(given, kind, cap)
            for group in (cases.imports, cases.changes, cases.exports, cases.answers):
                for name, *runs in group():
                    if given.only in name:
                        cells = [cell(size(cap), run) for run in runs]
                        print(f"| {name} | {kind} | {cap} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
