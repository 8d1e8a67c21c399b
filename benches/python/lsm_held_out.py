#!/usr/bin/env python3
"""LSM predictions beside RocksDB on 20 trees that nothing was fitted to.

    lsm_held_out.py LEADLINE PROFILE FOLDER RESULTS   measures what RESULTS does not have yet
    lsm_held_out.py --table RESULTS                   what was predicted and measured

LEADLINE is the program; its `lsm validate` calibrates the processor's costs on this machine and measures the
device under FOLDER anew for each group. It goes on where it was ended, so that it may be run for some minutes
at a time. Needs db_bench (Debian: rocksdb-tools). Pairs are stored uncompressed and read with direct I/O.
"""

import json
import pathlib
import statistics
import subprocess
import sys

# Key and value, bytes; data; layouts; compaction threads; clients. A correction may be fitted to the first
# FITTED trees; the others tell whether it holds.
GROUPS = [
    (24, 300, "128M", "F=4,8,12,single", 4, 4),
    (16, 1000, "128M", "F=4,8,12,flash", 2, 1),
    (32, 100, "128M", "F=4,12,8,single", 4, 8),
    (20, 500, "128M", "F=6,10,20,flash", 8, 2),
    (16, 4000, "128M", "F=3,8,16,single", 4, 16),
]

FITTED = 10


def measure(leadline: str, profile: str, folder: str, results: pathlib.Path) -> None:
    results.mkdir(parents=True, exist_ok=True)
    for number, (key, value, scale, layouts, jobs, clients) in enumerate(GROUPS):
        output = results / f"group-{number + 1}.json"
        if output.exists():
            continue
        command = [leadline, "lsm", "validate", profile, folder, "--scale", scale, "--key-size", str(key)]
        command += ["--value-size", str(value), "--layouts", layouts, "--jobs", str(jobs)]
        command += ["--clients", str(clients), "--repeats", "1", "--duration", "2", "--profile-seconds", "10"]
        subprocess.run([*command, "-o", str(output)], check=True, stdout=subprocess.DEVNULL)


def cells(results: pathlib.Path) -> list[tuple[int, str, dict]]:
    """The number of each tree, its name and its cell, in the order of GROUPS."""
    found = []
    tree = 0
    for number, (key, value, scale, layouts, _, clients) in enumerate(GROUPS):
        output = results / f"group-{number + 1}.json"
        compared = json.loads(output.read_text())["comparison"]["cells"] if output.exists() else []
        names = [f"F={name}" if name.isdigit() else name for name in layouts.split(",")]
        for name in names:
            tree += 1
            for cell in compared:
                if cell["layout"] == name:
                    found.append((tree, f"{key}+{value} {scale} {name}, {clients} clients", cell))
    return found


def table(results: pathlib.Path) -> None:
    all_cells = cells(results)
    for kind in ("point", "scan", "fill"):
        print(f"\n{kind}: predicted (95 % interval) : measured")
        of_kind = [(tree, name, cell) for tree, name, cell in all_cells if cell["kind"] == kind]
        halves: dict[str, list[tuple[float, bool]]] = {"first": [], "second": []}
        for tree, name, cell in of_kind:
            low, high = cell["predicted"]["ci"]
            value, measured = cell["predicted"]["value"], cell["measured"]["median"]
            error, covered = value / measured - 1, low <= measured <= high
            halves["first" if tree <= FITTED else "second"].append((error, covered))
            print(f"{tree:2} {name:36} {value:9.4g} ({low:.4g} to {high:.4g}) : {measured:9.4g} {error:+.0%}"
                  f"{'' if covered else ' not covered'}; off: {', '.join(cell['off']) or 'none'}")
        for half, errors in [*halves.items(), ("all", halves["first"] + halves["second"])]:
            if errors:
                sizes = [abs(error) for error, _ in errors]
                covered = sum(covered for _, covered in errors)
                print(f"   {half}: {covered} of {len(errors)} covered, errors {min(errors)[0]:+.0%} to "
                      f"{max(errors)[0]:+.0%}, median of their sizes {statistics.median(sizes):.0%}")


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--table":
        table(pathlib.Path(sys.argv[2]))
    elif len(sys.argv) == 5:
        measure(sys.argv[1], sys.argv[2], sys.argv[3], pathlib.Path(sys.argv[4]))
    else:
        sys.exit(__doc__)
