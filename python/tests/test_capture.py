"""Captures: a directory that is recorded while this program and others use it."""

import os
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest

import leadline
from leadline import trace

pytestmark = pytest.mark.skipif(
    not os.access("/dev/fuse", os.R_OK | os.W_OK), reason="/dev/fuse cannot be opened here"
)

#: So long something may take that does not happen at once, before it is a failure. Seconds.
PATIENCE = 60


@pytest.fixture
def data(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "old").write_bytes(bytes(10_000))
    return folder


@pytest.fixture
def output(tmp_path):
    return tmp_path / "x.capture"


def is_mounted(folder):
    return f" {folder} " in Path("/proc/self/mountinfo").read_text()


def asked(recorded):
    """Bytes that were read and written of each file."""
    files = recorded.info(by="file")["files"]
    return {file["name"]: (file["read_bytes"], file["written_bytes"]) for file in files}


def test_what_this_program_and_others_ask_of_a_folder_is_recorded(data, output):
    with trace.capture(data, output) as recorded:
        (data / "new").write_bytes(bytes(5000))
        subprocess.run(["cat", data / "old"], check=True, stdout=subprocess.DEVNULL)
        assert is_mounted(data) and not recorded.closed and not output.exists()
        with pytest.raises(leadline.BadInput, match="still being recorded"):
            recorded.info()
    assert recorded.closed and not is_mounted(data) and recorded.output == output
    assert asked(recorded) == {"old": (10_000, 0), "new": (0, 5000)}
    assert (data / "new").read_bytes() == bytes(5000)
    assert recorded.notes[-1].endswith(f"of 2 files in {output}")


def test_relative_paths_are_recorded_where_the_current_folder_is_the_one(data, output, monkeypatch):
    (data / "within").mkdir()
    monkeypatch.chdir(data)
    with trace.capture(".", "../x.capture") as recorded:
        Path("new").write_bytes(b"hello")
        os.chdir("within")
        Path("other").write_bytes(b"hello")
    assert asked(recorded) == {"new": (0, 5), "within/other": (0, 5)}
    # No way leads to what was mounted.
    assert os.getcwd() == os.fspath(data / "within") and Path("other").read_bytes() == b"hello"


def test_files_that_this_program_has_open_are_saved_and_lead_nowhere(data, output):
    with pytest.warns(leadline.Warning, match="open: still open in this program"):
        with trace.capture(data, output) as recorded:
            file = open(data / "open", "wb", buffering=0)
            file.write(b"hello")
    with pytest.raises(OSError):
        file.write(b"hello")
    with pytest.raises(OSError):
        file.close()
    assert (data / "open").read_bytes() == b"hello" and asked(recorded) == {"open": (0, 5)}


@pytest.fixture
def other(data):
    """Another program, started when the directory is recorded: it has a file open until it is let go."""
    running = []

    def start():
        script = "exec 4< old; echo ready; read -r line"
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        running.append(subprocess.Popen(["sh", "-c", script], cwd=data, **pipes))
        assert running[0].stdout.readline() == b"ready\n"
        return running[0]

    yield start
    for program in running:
        program.stdin.close()
        program.stdout.close()
        program.wait(PATIENCE)


@pytest.fixture
def when_warned(monkeypatch):
    """Calls a function with each warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        yield lambda act: monkeypatch.setattr(warnings, "showwarning", lambda text, *_: act(str(text)))


def test_what_other_programs_have_open_is_waited_for(data, output, other, when_warned):
    said = []
    recorded = trace.capture(data, output)
    program = other()
    when_warned(lambda line: (said.append(line), program.stdin.close()))
    recorded.close()
    assert len(said) == 1 and "programs still use it" in said[0] and "waiting for their end" in said[0]
    assert output.exists() and not is_mounted(data)


def test_ctrl_c_ends_the_wait_for_other_programs(data, output, other, when_warned):
    def interrupt(_):
        raise KeyboardInterrupt

    recorded = trace.capture(data, output)
    other()
    when_warned(interrupt)
    with pytest.raises(KeyboardInterrupt):
        recorded.close()
    recorded.close()
    assert output.exists() and not is_mounted(data)


@pytest.mark.parametrize("end", ["1 / 0", "os._exit(0)", "SIGKILL"])
def test_however_a_program_ends_the_capture_is_complete(end, data, output):
    program = f"""
import os, time
from leadline import trace
with trace.capture({os.fspath(data)!r}, {os.fspath(output)!r}) as recorded:
    file = open(recorded.folder / "new", "wb", buffering=0)
    file.write(b"hello")
    print("ready", flush=True)
    {"time.sleep(600)" if end == "SIGKILL" else end}
"""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    running = subprocess.Popen([sys.executable, "-c", program], **pipes)
    assert running.stdout.readline() == b"ready\n"
    if end == "SIGKILL":
        running.send_signal(signal.SIGKILL)
    running.communicate(timeout=PATIENCE)
    limit = time.monotonic() + PATIENCE
    while (is_mounted(data) or not output.exists()) and time.monotonic() < limit:
        time.sleep(0.02)
    assert not is_mounted(data) and (data / "new").read_bytes() == b"hello"
    assert trace.info(output, by="file")["files"][0]["written_bytes"] == 5


@pytest.mark.skipif(os.geteuid() != 0, reason="only root mounts a small file system")
def test_where_the_disk_of_the_trace_is_full_that_is_told_at_the_end(data, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    # One page: no capture of so many requests fits.
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k", "none", small], check=True)
    try:
        with pytest.raises(leadline.Failed, match="No space left"), trace.capture(data, small / "x"):
            file = os.open(data / "old", os.O_RDONLY | os.O_DIRECT)
            for at in range(4000):
                assert len(os.pread(file, 512, at % 19 * 512)) == 512
            os.close(file)
        assert list(small.iterdir()) == []
    finally:
        subprocess.run(["umount", small], check=True)


def test_bad_arguments_are_refused_and_mount_nothing(data, output):
    refused = [
        (("/nowhere", output), "/nowhere: is not a directory"),
        ((data / "old", output), "old: is not a directory"),
        (("/", output), "is inside DIR /"),
        ((data, data / "x"), "^output=.*is inside DIR"),
        ((data, "/nowhere/x"), "/nowhere/x: its directory cannot be written"),
        (("a\0b", output), "null byte"),
        (("-a", output), "-a: is not a directory"),
    ]
    for arguments, line in refused:
        with pytest.raises(leadline.BadInput, match=line):
            trace.capture(*arguments)
    with trace.capture(data, output), pytest.raises(leadline.BadInput, match="is being captured already"):
        trace.capture(data, os.fspath(output) + "2")
    assert not is_mounted(data)
    assert sorted(path.name for path in data.parent.iterdir()) == ["data", "x.capture"]
