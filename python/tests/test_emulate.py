"""Emulated drives: a directory that loses what was not synced, is commanded, and ends as its owner ends."""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

import leadline
from leadline import Drive, emulate

pytestmark = pytest.mark.skipif(
    not os.access("/dev/fuse", os.R_OK | os.W_OK), reason="/dev/fuse cannot be opened here"
)

#: So long something may take that does not happen at once, before it is a failure. Seconds.
PATIENCE = 60


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """A device that takes no time worth mentioning."""
    path = tmp_path_factory.mktemp("device") / "quick.toml"
    served = "service_us = 1\nservers = 64\n"
    path.write_text(f'kind = "parametric"\ncapacity = "1G"\n[read]\n{served}[write]\n{served}')
    return f"sim:{path}"


@pytest.fixture
def drive(quick):
    with emulate(quick, lenient=True) as drive:
        yield drive


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """Where temporary folders are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", os.fspath(folder))
    monkeypatch.setenv("TMPDIR", os.fspath(folder))
    return folder


def synced(path, data=b"synced"):
    with open(path, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return path


def is_mounted(folder):
    return f" {folder}" in Path("/proc/self/mountinfo").read_text()


def eventually(is_so):
    """Wait for what other processes do."""
    end = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


def test_a_drive_is_a_folder_until_the_end_of_the_block(quick, tmp_path, temporary):
    with emulate(quick, lenient=True) as drive:
        synced(drive.path / "a")
        assert is_mounted(drive.path) and not drive.closed and drive.report is None
    assert drive.closed and not is_mounted(temporary) and list(temporary.iterdir()) == []
    assert drive.report["schema"] == "leadline.emulate/1" and drive.report["flushes"] == 1
    backing, mount, report = tmp_path / "backing", tmp_path / "mount", tmp_path / "report.json"
    backing.mkdir()
    mount.mkdir()
    with emulate(quick, backing=backing, mount=mount, output=report, lenient=True) as drive:
        (mount / "a").write_text("not synced")
        assert drive.path == mount and drive.backing == backing and not (backing / "a").exists()
    assert (backing / "a").read_text() == "not synced" and list(mount.iterdir()) == []
    assert json.loads(report.read_text()) == drive.report and list(temporary.iterdir()) == []


def test_a_power_cut_loses_what_was_not_synced(drive):
    synced(drive.path / "kept")
    (drive.path / "lost").write_text("lost")
    with open(drive.path / "kept", "rb") as file:
        cut = drive.power_cut()
        with pytest.raises(OSError, match="Input/output error"):
            os.fsync(file.fileno())
    assert (cut["writes"], cut["writes_lost"]) == (1, 1) and cut["names"] == cut["names_lost"] > 0
    assert [path.name for path in drive.path.iterdir()] == ["kept"]
    for name in "abcdefgh":
        (drive.path / name).write_text(name)
    cut = drive.power_cut(seed=3)
    assert 0 < cut["writes_lost"] < cut["writes"] == 8
    assert len(drive.counters()["power_cuts"]) == 2


def test_a_drive_is_commanded_also_by_others(drive, tmp_path):
    other = Drive(drive.path)
    other.wait(seconds=PATIENCE)
    synced(drive.path / "a", bytes(100_000))
    counters = other.counters()
    assert (counters["flushes"], counters["written_bytes"]) == (1, 100_000)
    extents = other.map("a")
    assert extents["bytes"].sum() == 102_400 and extents["file_offset_bytes"][0] == 0
    places = other.map(drive.path / "a")["device_offset_bytes"]
    assert places.tolist() == extents["device_offset_bytes"].tolist()
    other.inject("eio", operation="fsync", path="/b*", times=2)
    synced(drive.path / "a")
    for _ in range(2):
        with pytest.raises(OSError):
            synced(drive.path / "b")
    synced(drive.path / "b")
    other.device("sim:gp3")
    assert drive.counters()["device"] == "sim:gp3"
    other.device(leadline.Profile.load("device:p4510"))
    other.start_trace(tmp_path / "a.capture")
    (drive.path / "c").write_bytes(bytes(5000))
    assert other.stop_trace()["files"] == 1
    assert leadline.trace.info(tmp_path / "a.capture")["requests"]["written_bytes"] == 5000


def test_the_states_that_a_power_cut_could_leave_are_written(drive, tmp_path):
    (drive.path / "a").write_text("hello")
    states = drive.enumerate_power_cuts(tmp_path / "states")
    texts = sorted({tuple(path.read_text() for path in state.iterdir()) for state in states})
    assert texts == [(), ("",), ("hello",)]
    assert (drive.path / "a").read_text() == "hello"
    assert len(drive.enumerate_power_cuts(tmp_path / "two", limit=2)) == 2


def test_a_remount_serves_what_was_saved_and_reports_anew(drive):
    (drive.path / "a").write_text("hello")
    writes = drive.counters()["writes"]
    drive.remount()
    assert (drive.path / "a").read_text() == "hello"
    assert writes == drive.report["writes"] == 1 and drive.counters()["writes"] == 0


def test_relative_paths_belong_to_the_folder_of_the_first_mount(quick, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("backing", "mount", "elsewhere"):
        (tmp_path / name).mkdir()
    with emulate(quick, backing="backing", mount="mount", output="report.json", lenient=True) as drive:
        os.chdir("elsewhere")
        drive.remount()
        assert drive.path == tmp_path / "mount"
        (drive.path / "a").write_text("hello")
    assert (tmp_path / "backing/a").read_text() == "hello" and list(Path().iterdir()) == []


@pytest.mark.parametrize("as_file", [False, True])
def test_faults_happen_as_they_are_planned(quick, tmp_path, as_file):
    faults = {"seed": 7, "fault": [{"kind": "enospc", "operation": "write", "path": "b", "after_ops": 1}]}
    if as_file:
        path = tmp_path / "faults.toml"
        text = 'seed = 7\n[[fault]]\nkind = "enospc"\noperation = "write"\npath = "b"\nafter_ops = 1\n'
        path.write_text(text)
        faults = path
    with emulate(quick, faults=faults, lenient=True) as drive:
        for name in "aab":
            synced(drive.path / name)
        with pytest.raises(OSError, match="No space left"):
            synced(drive.path / "b")
        assert drive.counters()["faults"] == {"enospc": 1}


def test_a_profile_is_a_device(temporary):
    with emulate(leadline.Profile.load("device:p4510"), capacity="1G", lenient=True) as drive:
        space = os.statvfs(drive.path)
        assert space.f_blocks * space.f_frsize == 1 << 30
    assert list(temporary.iterdir()) == []


def test_two_drives_at_once_do_not_know_of_each_other(quick, temporary):
    def use(text):
        with emulate(quick, lenient=True) as drive:
            synced(drive.path / "a", text)
            (drive.path / "b").write_text("lost")
            drive.power_cut()
            found.append((text, (drive.path / "a").read_bytes(), len(list(drive.path.iterdir()))))

    found = []
    threads = [threading.Thread(target=use, args=(text,)) for text in (b"one", b"two", b"three")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [(text, text, 1) for text in (b"one", b"three", b"two")]
    assert list(temporary.iterdir()) == []


def test_a_process_that_was_forked_does_not_end_the_drive(drive):
    process = multiprocessing.get_context("fork").Process(target=drive.close)
    process.start()
    process.join()
    assert process.exitcode == 0 and is_mounted(drive.path)
    synced(drive.path / "a")


def test_threads_that_close_a_drive_at_once_all_find_it_closed(quick):
    drive = emulate(quick, lenient=True)
    threads = [threading.Thread(target=drive.close) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
        assert drive.closed
    drive.close()


#: How a program ends that has a drive and a file open on it, which is called `drive` and `file` there.
ENDS = {
    "exception": "1 / 0",
    "sys.exit": "sys.exit()",
    "os._exit": "os._exit(0)",
    "not closed": "kept.append(drive); print('ready', flush=True); break",
    "SIGKILL": "print('ready', flush=True); time.sleep(600)",
    "SIGTERM": "print('ready', flush=True); time.sleep(600)",
    "SIGINT": "print('ready', flush=True); time.sleep(600)",
}


@pytest.mark.parametrize("end", ENDS)
def test_however_a_program_ends_no_mount_is_left(end, quick, tmp_path, temporary):
    backing = tmp_path / "backing"
    backing.mkdir()
    block = "while True:" if end == "not closed" else "with drive:"
    program = f"""
import leadline, os, sys, time
kept = []
drive = leadline.emulate({quick!r}, backing={os.fspath(backing)!r}, lenient=True)
file = open(drive.path / "a", "w")
file.write("hello")
file.flush()
{block}
    {ENDS[end]}
"""
    running = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    if end.startswith("SIG"):
        assert running.stdout.readline() == "ready\n"
        running.send_signal(getattr(signal, end))
    running.communicate(timeout=PATIENCE)
    if end in ("SIGKILL", "SIGTERM", "os._exit"):
        eventually(lambda: list(temporary.iterdir()) == [])
    assert list(temporary.iterdir()) == [] and not is_mounted(temporary)
    assert (backing / "a").read_text() == "hello"


@pytest.mark.parametrize("moment", ["mounting", "waiting"])
def test_ctrl_c_ends_a_mount_that_begins_and_a_wait(moment, quick, temporary):
    work = {
        "mounting": f"leadline.emulate({quick!r}, lenient=True)",
        "waiting": f"leadline.Drive({os.fspath(temporary)!r}).wait(seconds=600)",
    }
    program = f"""
import leadline, os, signal, threading
leadline.emulate, leadline.Drive
threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {work[moment]}
    threading.Event().wait()
except KeyboardInterrupt:
    print("interrupted")
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=PATIENCE)
    assert (ran.stdout, ran.stderr) == ("interrupted\n", "")
    eventually(lambda: list(temporary.iterdir()) == [])


def test_a_drive_whose_process_is_killed_is_a_failure_and_leaves_nothing(quick, temporary):
    drive = emulate(quick, lenient=True)
    os.kill(drive._serving._process.pid, signal.SIGKILL)
    with pytest.raises(leadline.Failed, match="killed"):
        drive.close()
    assert drive.closed and drive.report is None
    assert list(temporary.iterdir()) == [] and not is_mounted(temporary)
    with pytest.raises(leadline.BadInput, match="no emulated drive"):
        drive.counters()
    with pytest.raises(leadline.BadInput, match="has ended"):
        drive.remount()


def test_what_a_program_fails_with_goes_before_what_the_drive_fails_with(quick):
    with pytest.raises(ZeroDivisionError), emulate(quick, lenient=True) as drive:
        os.kill(drive._serving._process.pid, signal.SIGKILL)
        1 / 0  # noqa: B018


@pytest.fixture
def small(tmp_path):
    """A disk of 64 KiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root mounts a small file system")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", folder], check=True)
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_states_for_which_there_is_no_room_leave_nothing(drive, small):
    synced(drive.path / "a", bytes(40_000))
    (drive.path / "a").write_bytes(bytes(10))
    with pytest.raises(leadline.Failed, match="No space left"):
        drive.enumerate_power_cuts(small / "states")
    assert list((small / "states").iterdir()) == []


def test_what_a_full_backing_disk_does_not_take_is_told_at_the_end(quick, small, temporary):
    drive = emulate(quick, backing=small, lenient=True)
    (drive.path / "a").write_bytes(bytes(1 << 20))
    with pytest.raises(leadline.Failed, match="could not be made durable: No space left"):
        drive.close()
    assert drive.report["written_bytes"] == 1 << 20 and list(temporary.iterdir()) == []
    # Nothing is left there for a second one.
    (small / "b").write_bytes(bytes(os.statvfs(small).f_bavail * 4096))
    with pytest.raises(leadline.Failed, match="no space is left on its file system"):
        emulate(quick, backing=small)


#: What is refused: arguments of `emulate`, and what the line names.
REFUSED = [
    ({"device": "sim:nothing"}, "sim:nothing: no such device"),
    ({"device": "nothing.json"}, "nothing.json: No such file"),
    ({"device": 3}, "3: is not a modelled device"),
    ({"device": "a\0b"}, "null byte"),
    ({"output": "a\0b"}, "null byte"),
    ({"backing": "/nowhere"}, "/nowhere: is not a directory; make it first"),
    ({"mount": "/nowhere"}, "/nowhere: is not a directory; make it first"),
    ({"mount": "/proc"}, "/proc: something is mounted there already"),
    ({"slowdown": 0.5}, "slowdown=.*from 1 to 1000000"),
    ({"slowdown": float("nan")}, "slowdown="),
    ({"cache_size": 3}, "cache_size=.*write the unit"),
    ({"capacity": "much"}, "capacity="),
    ({"timing_cpu": 4096}, "processor 4096"),
    ({"output": "/nowhere/x"}, "/nowhere/x: its directory cannot be written"),
    ({"trace": "/nowhere/x"}, "/nowhere/x: its directory cannot be written"),
    ({"trace": "/tmp/x", "output": "/tmp/x"}, "trace=/tmp/x: is the same file as output="),
    ({"faults": "/nowhere/x"}, "/nowhere/x: No such file"),
    ({"faults": [{"kind": "meteor"}]}, "^faults: line 2, column 10: must be one of `eio`.*found \"meteor\""),
    ({"faults": [{"kind": "eio", "times": 0}]}, "^faults: line 1.*times: must be at least 1"),
    ({"faults": [{"kind": "eio", "probability": 2.5}]}, "probability: must be from 0 to 1"),
    ({"faults": ["eio"]}, r"faults\[0\] = 'eio': must be a dictionary"),
    ({"faults": 7}, "must be a dictionary"),
    ({"faults": [{"kind": b"eio"}]}, r"faults\[0\]\['kind'\] = b'eio'"),
    ({"faults": {"seed": 10**5000}}, "faults: a number of more than 4300 digits"),
    ({"faults": [{"kind": None}]}, r"faults\[0\]\['kind'\] = None"),
    ({"faults": [{"kind": "\ud800"}]}, "faults"),
]


@pytest.mark.parametrize(("arguments", "line"), REFUSED, ids=[line for _, line in REFUSED])
def test_bad_arguments_are_refused_and_leave_nothing(arguments, line, quick, temporary):
    with pytest.raises(leadline.BadInput, match=line):
        emulate(**{"device": quick, "lenient": True, **arguments})
    assert list(temporary.iterdir()) == []


def test_bad_commands_are_refused_and_change_nothing(drive, quick, tmp_path):
    (drive.path / "a").write_text("hello")
    refused = [
        (lambda: drive.inject("meteor"), "meteor"),
        (lambda: drive.inject("torn-write", operation="read"), "torn-write does not apply to read"),
        (lambda: drive.inject("eio", times=0), "times="),
        (lambda: drive.inject("eio", times=2, forever=True), "times=.* cannot be used with forever="),
        (lambda: drive.inject("eio", path="["), "range pattern"),
        (lambda: drive.power_cut(seed=-1), "seed="),
        (lambda: drive.power_cut(seed=1 << 64), "seed="),
        (lambda: drive.map("b"), "b: No such file"),
        (lambda: drive.device("sim:nothing"), "sim:nothing: no such device"),
        (lambda: drive.stop_trace(), "no trace is being recorded"),
        (lambda: drive.start_trace("/nowhere/x"), "/nowhere/x"),
        (lambda: drive.enumerate_power_cuts(drive.path / "x"), "folder=.*is inside MOUNT"),
        (lambda: drive.enumerate_power_cuts(drive.backing / "x"), "is in the backing directory"),
        (lambda: Drive(tmp_path).counters(), "no emulated drive is mounted there"),
        (lambda: Drive(tmp_path).wait(seconds=0.1), "no emulated drive is mounted there"),
        (lambda: emulate(quick, mount=drive.path), "something is mounted there already"),
        (lambda: emulate(quick, backing=drive.backing), "another emulated drive uses this directory"),
    ]
    for command, line in refused:
        with pytest.raises(leadline.BadInput, match=line):
            command()
    assert (drive.path / "a").read_text() == "hello" and drive.counters()["faults"] == {}


def test_a_remount_does_not_replace_the_trace_of_the_first_mount(quick, tmp_path):
    with emulate(quick, trace=tmp_path / "a.capture", lenient=True) as drive:
        (drive.path / "a").write_bytes(bytes(5000))
        with pytest.raises(leadline.BadInput, match=r"trace=.*start_trace\(\)"):
            drive.remount()
    assert leadline.trace.info(tmp_path / "a.capture")["requests"]["written_bytes"] == 5000


def test_where_fuse_may_not_be_used_the_failure_names_the_remedy(quick, temporary):
    program = f"""
import leadline
try:
    leadline.emulate({quick!r})
except leadline.Failed as failure:
    print(failure)
"""
    # A name space of its own has another /dev.
    script = 'mount -t tmpfs none /dev && mknod -m 666 /dev/null c 1 3 && exec "$0" -c "$1"'
    command = ["unshare", "--mount", "sh", "-c", script, sys.executable, textwrap.dedent(program)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    if ran.returncode != 0:
        pytest.skip(f"no name space of its own: {ran.stderr}")
    assert ran.stdout.startswith("/dev/fuse: No such file") and "load the kernel's module" in ran.stdout
    assert list(temporary.iterdir()) == []
