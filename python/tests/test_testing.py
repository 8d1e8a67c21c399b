"""leadline.testing: fixtures that find what a program has not synced."""

import contextlib
import importlib.metadata
import os
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from leadline.testing import Disk

emulated = pytest.mark.skipif(
    not os.access("/dev/fuse", os.R_OK | os.W_OK), reason="/dev/fuse cannot be opened here"
)

#: The program and its test in docs/python.md.
DOCUMENTED = re.search(
    r"```python\n(import os\n.*?)```", (Path(__file__).parents[2] / "docs/python.md").read_text(), re.DOTALL
)[1]


@pytest.fixture
def project(pytester, monkeypatch):
    """A project of its own whose conftest.py names the plugin."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makeconftest('pytest_plugins = "leadline.testing"')
    return pytester


@emulated
def test_a_missing_sync_is_found_and_one_that_is_there_is_enough(project):
    fsync = next(line for line in DOCUMENTED.splitlines(True) if "os.fsync" in line)
    strict = "import pytest\n@pytest.mark.slow_disk(strict=True)\ndef test"
    project.makepyfile(
        test_synced=DOCUMENTED,
        test_forgotten=DOCUMENTED.replace(fsync, ""),
        # The file is synced, and the folder in which it is new is not.
        test_folder=DOCUMENTED.replace("def test", strict),
    )
    ran = project.runpytest_inprocess("--strict-markers", "-v")
    ran.assert_outcomes(passed=1, failed=2)
    ran.stdout.fnmatch_lines_random(
        ["test_synced.py::* PASSED*", "FAILED test_forgotten.py::*", "FAILED test_folder.py::*"]
    )
    assert ran.stdout.str().count("E       FileNotFoundError") == 2


@emulated
@pytest.mark.slow_disk("sim:optane", cache_size="64M")
def test_a_marker_says_which_disk_it_is(slow_disk):
    assert slow_disk.counters()["device"] == "sim:optane"


@emulated
@pytest.mark.parametrize("slow_disk", ["sim:gp3", "device:p4510"], indirect=True)
def test_a_test_runs_on_several_disks(slow_disk, request):
    assert slow_disk.counters()["device"] == request.node.callspec.params["slow_disk"]


@emulated
def test_a_test_has_as_many_disks_as_it_wants_and_all_end(project):
    project.makepyfile(
        """
        def test_two(emulated_disk):
            one, other = emulated_disk("sim:flash"), emulated_disk("sim:gp3", capacity=None)
            (one.path / "a").write_text("a")
            (other.path / "b").write_text("b")
            other.crash()
            assert (one.path / "a").exists() and not (other.path / "b").exists()
            print("at", one.path.parent.parent)
            1 / 0
        """
    )
    ran = project.runpytest_inprocess()
    ran.assert_outcomes(failed=1)
    folder = ran.stdout.str().partition("\nat ")[2].split()[0]
    assert f" {folder}" not in Path("/proc/self/mountinfo").read_text()
    # What the failed test has left can be looked at.
    assert (Path(folder) / "disk0/backing/a").read_text() == "a"


@pytest.mark.parametrize(("setting", "outcome"), [("false", "skipped"), ("true", "errors")])
def test_without_fuse_tests_are_skipped_or_fail_as_is_set(project, monkeypatch, setting, outcome):
    monkeypatch.setattr("leadline.testing._missing", lambda: "there is no FUSE")
    project.makepyfile("def test(slow_disk): assert slow_disk.path")
    ran = project.runpytest_inprocess("-rs", "-o", f"leadline_require_disks={setting}")
    ran.assert_outcomes(**{outcome: 1})
    ran.stdout.fnmatch_lines(["*there is no FUSE*"])


@emulated
def test_a_crash_leaves_what_was_synced_and_a_seed_chooses_of_the_rest():
    with Disk("sim:flash") as disk:
        for name in "abcdefgh":
            (disk.path / name).write_text(name)
        lost = disk.crash(seed=3)
        left = [path.name for path in disk.path.iterdir()]
        assert 0 < lost["names_lost"] < lost["names"] and 0 < len(left) < 8
        # The machine was off: all that is there now is durable.
        assert disk.crash() == {"writes": 0, "writes_lost": 0, "names": 0, "names_lost": 0}
        assert [path.name for path in disk.path.iterdir()] == left


@emulated
@pytest.mark.parametrize(
    ("journal", "synchronous", "survive"),
    # By default SQLite does not sync the folder from which it removes the journal of a commit.
    [("WAL", "FULL", 20), ("WAL", "NORMAL", 0), ("DELETE", "EXTRA", 20), ("DELETE", "FULL", 19)],
)
def test_a_crash_keeps_the_promises_of_sqlite_and_no_more(slow_disk, journal, synchronous, survive):
    with contextlib.closing(sqlite3.connect(slow_disk.path / "db", isolation_level=None)) as database:
        database.execute(f"PRAGMA journal_mode={journal}")
        database.execute(f"PRAGMA synchronous={synchronous}")
        database.execute("CREATE TABLE t(n INTEGER PRIMARY KEY)")
        for n in range(20):
            database.execute("INSERT INTO t VALUES (?)", (n,))
        slow_disk.crash()
    with contextlib.closing(sqlite3.connect(slow_disk.path / "db")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        tables = database.execute("SELECT name FROM sqlite_master").fetchall()
        kept = database.execute("SELECT count(*) FROM t").fetchone()[0] if tables else 0
    assert kept == survive


@emulated
def test_every_state_that_a_crash_could_leave_is_seen_and_the_disk_goes_on():
    with Disk("sim:flash") as disk:
        (disk.path / "a").write_text("new")
        states = {tuple(path.read_text() for path in state.iterdir()) for state in disk.every_crash()}
        assert states == {(), ("",), ("new",)} and (disk.path / "a").read_text() == "new"
        assert len(list(disk.every_crash(limit=2))) == 2


@emulated
def test_reads_writes_and_syncs_fail_where_they_are_told_to():
    with Disk("sim:flash") as disk:
        for name in ("a", "b"):
            (disk.path / name).write_bytes(bytes(10_000))
        disk.fail_reads("a")
        with pytest.raises(OSError, match="Input/output error"):
            (disk.path / "a").read_bytes()
        assert (disk.path / "b").read_bytes() == bytes(10_000)
        disk.fail_writes("b", full=True, times=1)
        with pytest.raises(OSError, match="No space left"), open(disk.path / "b", "wb") as file:
            file.write(b"new")
            file.flush()
            os.fsync(file.fileno())
        with open(disk.path / "c", "wb") as file:
            file.write(b"new")
            file.flush()
            disk.fail_syncs("c", times=1, drop_dirty=True)
            with pytest.raises(OSError, match="Input/output error"):
                os.fsync(file.fileno())
            # It is as if nothing had been wrong, and the bytes are gone.
            os.fsync(file.fileno())
        disk.crash()
        assert (disk.path / "c").read_bytes() == b""


def test_who_names_the_plugin_loads_neither_numpy_nor_the_extension_for_it():
    program = "import sys, leadline.testing; sys.exit(bool({'numpy', 'leadline._leadline'} & {*sys.modules}))"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_nobody_gets_the_plugin_who_does_not_name_it():
    announced = importlib.metadata.distribution("leadline").entry_points
    assert [point for point in announced if point.group == "pytest11"] == []
