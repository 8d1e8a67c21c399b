#!/usr/bin/env python3
"""`leadline trace predict` beside runs: programs captured on one emulated drive and run on three others.

    trace_predict.py LEADLINE FOLDER RESULTS [NAME…]  does what RESULTS does not have yet, of these programs
    trace_predict.py --table RESULTS                  what was predicted and what the runs took

LEADLINE is the program; FOLDER has room for 2 GB. Each program runs three times on each drive, each time on a
fresh mount, so that the page cache is cold, and on a copy of the same files. A run takes as long as its own
capture, from which nothing else is taken; the run of the median time counts. It goes on where it was ended.
As root, for PostgreSQL's sake; needs sqlite3, git, tar, sort and PostgreSQL with pgbench.
"""

import json
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

CAPTURED_ON = "sim:optane"
DRIVES = ["sim:hdd-disk", "sim:gp3", "sim:sata"]
ROUNDS = 3
PYTHON = sys.executable
HERE = pathlib.Path(__file__).resolve()


# What the programs find: each fills an empty folder.

def nothing(folder: pathlib.Path) -> None:
    """An empty folder."""


def database(folder: pathlib.Path) -> None:
    """A table of 60 MB with an index."""
    with sqlite3.connect(folder / "db") as db:
        db.execute("CREATE TABLE t (k INTEGER PRIMARY KEY, v TEXT, w INTEGER)")
        rng = random.Random(1)
        rows = ((i, "%0240x" % rng.getrandbits(960), rng.randrange(1 << 30)) for i in range(220_000))
        db.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        db.execute("CREATE INDEX w ON t (w)")


def blob(folder: pathlib.Path) -> None:
    """A file of 256 MB."""
    rng = random.Random(2)
    with open(folder / "blob", "wb") as file:
        for _ in range(256):
            file.write(rng.randbytes(1 << 20))


def blobs(folder: pathlib.Path) -> None:
    """That, and another of 128 MB."""
    blob(folder)
    with open(folder / "blob", "rb") as file:
        (folder / "other").write_bytes(file.read(128 << 20)[::-1])


def lines(folder: pathlib.Path) -> None:
    """A text of 48 MB."""
    rng = random.Random(3)
    with open(folder / "lines", "w", encoding="ascii") as file:
        file.writelines(f"{rng.getrandbits(64):016x} {i}\n" for i in range(2_000_000))


def tree(folder: pathlib.Path) -> None:
    """Some hundred files of up to 100 KB in 20 folders."""
    rng = random.Random(4)
    for i in range(600):
        place = folder / "src" / str(i % 20)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{i}.txt").write_bytes(rng.randbytes(int(10 ** rng.uniform(2.5, 5)) // 2).hex().encode())


def archive(folder: pathlib.Path) -> None:
    """The same in an archive."""
    tree(folder)
    subprocess.run(["tar", "cf", "src.tar", "src"], cwd=folder, check=True)
    shutil.rmtree(folder / "src")


def repository(folder: pathlib.Path) -> None:
    """The same with its history, packed."""
    tree(folder)
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0"]
    subprocess.run([*git, "init", "-q"], cwd=folder, check=True)
    for i in range(20):
        for file in sorted((folder / "src" / str(i)).iterdir()):
            file.write_text(f"{i}\n" + file.read_text())
        subprocess.run([*git, "add", "."], cwd=folder, check=True)
        subprocess.run([*git, "commit", "-qm", f"change {i}"], cwd=folder, check=True)
    subprocess.run([*git, "gc", "-q"], cwd=folder, check=True)


def postgres(folder: pathlib.Path) -> None:
    """A cluster with pgbench's tables of 80 MB."""
    shutil.chown(folder, "postgres")
    as_postgres(folder, "initdb -D pg --auth=trust -N >/dev/null; "
                "echo \"unix_socket_directories = '/tmp'\" >> pg/postgresql.conf; "
                "echo 'port = 54399' >> pg/postgresql.conf; "
                "pg_ctl -D pg -w -l /dev/null start >/dev/null; createdb -h /tmp -p 54399 bench; "
                "pgbench -h /tmp -p 54399 -i -q -s 5 bench 2>/dev/null; pg_ctl -D pg -w stop >/dev/null")


def as_postgres(folder: pathlib.Path, script: str) -> None:
    path = "PATH=$(echo /usr/lib/postgresql/*/bin):$PATH; "
    subprocess.run(["runuser", "-u", "postgres", "--", "bash", "-ec", path + script], cwd=folder, check=True)


# The programs, in the folder of the mount. Those of Python run in a process of their own, by their names.

def shell(script: str):
    """A program that bash runs."""
    return lambda folder: subprocess.run(["bash", "-ec", script], cwd=folder, check=True,
                                         stdout=subprocess.DEVNULL)


def python(name: str):
    """One of the functions below, run by itself."""
    return shell(f"{PYTHON} {HERE} --run {name}")


def sqlite(script: str):
    """What SQLite's shell does."""
    return lambda folder: subprocess.run(["sqlite3", "db"], cwd=folder, input=script, text=True, check=True,
                                         stdout=subprocess.DEVNULL)


def commits(mode: str, synchronous: str, times: int):
    """SQLite, a commit for each row."""
    pragmas = f"PRAGMA journal_mode={mode}; PRAGMA synchronous={synchronous};"
    table = "CREATE TABLE IF NOT EXISTS n (k INTEGER PRIMARY KEY, v TEXT);"
    rows = "".join(f"INSERT INTO n (v) VALUES (hex(randomblob({200 + i % 900})));" for i in range(times))
    return sqlite(pragmas + table + rows)


def lookups(mapped: int, times: int):
    """SQLite, rows by their key."""
    rng = random.Random(5)
    rows = "".join(f"SELECT sum(w) FROM t WHERE k={rng.randrange(220_000)};" for _ in range(times))
    return sqlite(f"PRAGMA mmap_size={mapped};{rows}")


def on_postgres(script: str):
    """A server, what its clients ask, and its end."""
    start = "pg_ctl -D pg -w -l /dev/null start >/dev/null; "
    stop = "; pg_ctl -D pg -w -m fast stop >/dev/null"
    return lambda folder: as_postgres(folder, start + script + " >/dev/null 2>&1" + stop)


def run_mapped() -> None:
    """Dependent reads of a mapped file, and one page dirtied."""
    import mmap
    rng = random.Random(6)
    with open("blob", "r+b") as file:
        mapped = mmap.mmap(file.fileno(), 0)
        mapped.madvise(mmap.MADV_RANDOM)
        at = 0
        for _ in range(1200):
            at = (at * 31 + mapped[at] + rng.randrange(1 << 28)) % len(mapped)
        mapped[0] = 1


def run_reads() -> None:
    """Dependent reads of 16K, computing, and a result that is synced."""
    import hashlib
    rng = random.Random(7)
    total = hashlib.sha256()
    with open("blob", "rb", buffering=0) as file:
        for _ in range(1000):
            page = os.pread(file.fileno(), 16384, rng.randrange(256 * 64) * 16384)
            for _ in range(20):
                total.update(page)
    with open("result", "w", encoding="ascii") as file:
        file.write(total.hexdigest())
        file.flush()
        os.fsync(file.fileno())


def run_threads() -> None:
    """Four threads that read past the page cache; the main one goes on when all have ended."""
    import mmap
    import threading

    def work(seed: int) -> None:
        rng = random.Random(seed)
        fd = os.open("blob", os.O_RDONLY | os.O_DIRECT)
        page = mmap.mmap(-1, 16384)
        for _ in range(300):
            os.preadv(fd, [page], rng.randrange(256 * 64) * 16384)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with open("blob", "rb", buffering=0) as file:
        for i in range(100):
            os.pread(file.fileno(), 16384, (i * 37 % 256) << 20)


PROGRAMS = {
    "sqlite, journal delete": (nothing, commits("DELETE", "FULL", 300)),
    "sqlite, journal truncate": (nothing, commits("TRUNCATE", "FULL", 300)),
    "sqlite, WAL, each commit synced": (nothing, commits("WAL", "FULL", 800)),
    "sqlite, WAL, checkpoints synced": (nothing, commits("WAL", "NORMAL", 12000)),
    "sqlite, lookups": (database, lookups(0, 1500)),
    "sqlite, lookups, mapped": (database, lookups(1 << 30, 1500)),
    "sqlite, scan": (database, shell("sqlite3 db 'SELECT sum(length(v)) FROM t'")),
    "sort, by parts": (lines, shell("LC_ALL=C sort -S 8M --parallel=1 -T . lines -o sorted")),
    "sha256sum": (blob, shell("sha256sum blob")),
    "git add and commit": (tree, shell("git init -q; git add .; git -c user.name=a -c user.email=a@b commit "
                                       "-qm all")),
    "git log of a packed history": (repository, shell("git log --stat -p | wc -c")),
    "tar, pack": (tree, shell("tar cf out.tar src")),
    "tar, unpack": (archive, shell("tar xf src.tar")),
    "python, mapped reads": (blob, python("mapped")),
    "python, reads and computing": (blob, python("reads")),
    "python, four threads": (blob, python("threads")),
    "two processes at once": (blobs, shell(f"{PYTHON} {HERE} --run reads & sha256sum other; wait")),
    "postgres, 1000 transactions": (postgres, on_postgres("pgbench -h /tmp -p 54399 -n -N -t 1000 bench")),
    "postgres, reads of 4 clients": (postgres,
                                     on_postgres("pgbench -h /tmp -p 54399 -n -S -c 4 -t 500 bench")),
    "postgres, scan": (postgres, on_postgres(
        "psql -h /tmp -p 54399 bench -c 'SELECT count(filler) FROM pgbench_accounts'")),
}


def mounted(leadline: str, drive: str, backing: pathlib.Path, mount: pathlib.Path) -> subprocess.Popen:
    """An emulated drive with the files of `backing`; there once this returns."""
    emulate = [leadline, "emulate", drive, "--backing", backing, "--mount", mount, "--lenient"]
    process = subprocess.Popen(emulate, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while subprocess.run([leadline, "emulate", "ctl", mount, "counters"], capture_output=True).returncode:
        if process.poll() is not None:
            raise SystemExit(f"{drive}: the mount ended")
        time.sleep(0.1)
    return process


def run(leadline: str, name: str, drive: str, folder: pathlib.Path, capture: pathlib.Path) -> float:
    """Runs a program on a drive, recorded into `capture`; the share of answers that were late."""
    prepare, program = PROGRAMS[name]
    template = folder / prepare.__name__
    if not template.exists():
        making = folder / "making"
        shutil.rmtree(making, ignore_errors=True)
        making.mkdir()
        prepare(making)
        making.rename(template)
    backing, mount = folder / "backing", folder / "mount"
    shutil.rmtree(backing, ignore_errors=True)
    subprocess.run(["cp", "-a", template, backing], check=True)
    mount.mkdir(exist_ok=True)
    process = mounted(leadline, drive, backing, mount)
    control = [leadline, "emulate", "ctl", mount]
    try:
        subprocess.run([*control, "start-trace", capture], check=True, capture_output=True)
        program(mount)
        subprocess.run([*control, "stop-trace"], check=True, capture_output=True)
        counters = subprocess.run([*control, "counters", "--json"], check=True, capture_output=True).stdout
    finally:
        process.terminate()
        process.wait(timeout=300)
    return json.loads(counters).get("late_share") or 0.0


def predicted(leadline: str, capture: pathlib.Path, drives: list[str]) -> dict:
    """What `trace predict` says."""
    command = [leadline, "trace", "predict", str(capture), *drives, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def stem(name: str, drive: str, nth: int) -> str:
    """What the files of a run are called."""
    return f"{name.replace(' ', '-').replace(',', '')}.{drive.removeprefix('sim:')}.{nth}"


def measure(leadline: str, folder: pathlib.Path, results: pathlib.Path, names: list[str]) -> None:
    results.mkdir(parents=True, exist_ok=True)
    (results / "leadline").write_text(leadline)
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for nth in range(1, ROUNDS + 1):
        for name in names or PROGRAMS:
            for drive in [CAPTURED_ON, *DRIVES]:
                capture = results / f"{stem(name, drive, nth)}.capture"
                found = capture.with_suffix(".json")
                if found.exists():
                    continue
                late = run(leadline, name, drive, folder, capture)
                took = predicted(leadline, capture, [drive])["recorded"]["total_seconds"]
                found.write_text(json.dumps({"seconds": took, "late": late}))
                print(f"{name} on {drive}: {took:.3g} s, {100 * late:.1f} % late", flush=True)


def median(results: pathlib.Path, name: str, drive: str) -> tuple[float, pathlib.Path] | None:
    """Seconds and capture of the median run; none before there is one of each round."""
    found = []
    for nth in range(1, ROUNDS + 1):
        capture = results / f"{stem(name, drive, nth)}.capture"
        if not capture.with_suffix(".json").exists():
            return None
        found.append((json.loads(capture.with_suffix(".json").read_text())["seconds"], capture))
    return sorted(found)[ROUNDS // 2]


def table(results: pathlib.Path) -> None:
    """Predicts anew, from the captures that are there."""
    leadline = (results / "leadline").read_text()
    columns = "".join(f" {drive.removeprefix('sim:')}: run, s | predicted |" for drive in DRIVES)
    print("| program | requests | captured, s |" + columns)
    print("| --- | --- | --- |" + " --- | --- |" * len(DRIVES))
    offs = []
    for name in PROGRAMS:
        of = [median(results, name, drive) for drive in [CAPTURED_ON, *DRIVES]]
        if None in of:
            continue
        (captured, capture), *runs = of
        found = predicted(leadline, capture, DRIVES)
        cells = []
        for (took, _), prediction in zip(runs, found["devices"]):
            off = prediction["total_seconds"] / took - 1
            offs.append(abs(off))
            cells.append(f" {took:.3g} | {prediction['total_seconds']:.3g} ({100 * off:+.0f} %) |")
        print(f"| {name} | {found['requests']} | {captured:.3g} |" + "".join(cells))
    middle, worst = 100 * statistics.median(offs), 100 * max(offs)
    beyond = sum(off > 0.35 for off in offs)
    print(f"\n{len(offs)} predictions: {middle:.1f} % off in the median, {worst:.0f} % at most, "
          f"{beyond} beyond 35 %")


def main() -> None:
    match sys.argv[1:]:
        case ["--table", results]:
            table(pathlib.Path(results))
        case ["--run", name]:
            {"mapped": run_mapped, "reads": run_reads, "threads": run_threads}[name]()
        case [leadline, folder, results, *names] if not leadline.startswith("-"):
            measure(leadline, pathlib.Path(folder).resolve(), pathlib.Path(results).resolve(), names)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    main()
