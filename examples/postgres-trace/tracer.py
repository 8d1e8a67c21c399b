"""Runs a workload under bpftrace and joins what it saw."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable, Iterator

from cluster import BIN, Cluster, Failed, Unusable
from join import Join

SCRIPT = Path(__file__).resolve().with_name("buffers.bt")
PROBES = (
    "usdt:{}:postgresql:buffer__read__done",
    "uprobe:{}:ReadBufferExtended",
    "uprobe:{}:ReadBufferWithoutRelcache",
    "uprobe:{}:MarkBufferDirty",
    "uprobe:{}:MarkBufferDirtyHint",
)
# Pages of the ring of each CPU (a power of two; 8192: 32 MiB), and processes that may take part in a run.
BUFFERS = {"BPFTRACE_PERF_RB_PAGES": "8192", "BPFTRACE_MAP_KEYS_MAX": "65536"}


def check_probes() -> None:
    """Refuses a machine on which the probes cannot be set."""
    if not Path("/sys/bus/event_source/devices/uprobe").exists():
        raise Unusable(
            "this kernel has no uprobes; it takes one built with CONFIG_UPROBE_EVENTS and CONFIG_BPF_EVENTS"
        )
    for probe in (form.format(BIN / "postgres") for form in PROBES):
        found = subprocess.run(["bpftrace", "-l", probe], capture_output=True, text=True, check=False)
        if probe not in found.stdout.split():
            raise Unusable(
                f"no probe {probe}: take Debian's postgresql-15, which is built with --enable-dtrace"
            )


class Tracer:
    """bpftrace on the cluster's server, within a `with`."""

    def __init__(self, cluster: Cluster) -> None:
        self.events, self.complaints = cluster.folder / "events", cluster.folder / "bpftrace.err"
        with open(self.events, "wb") as out, open(self.complaints, "wb") as err:
            self.process = subprocess.Popen(
                ["bpftrace", str(SCRIPT)],
                cwd=cluster.folder,
                env={**BUFFERS, **os.environ},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )

    def __enter__(self) -> Tracer:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def wait_until_set(self, cluster: Cluster) -> None:
        """bpftrace does not say when its probes are set: sessions in another database show it."""
        for _ in self._poll("no event"):
            cluster.sql("select 1", "postgres")
            lines = [line.split() for line in self.events.read_text(encoding="ascii").splitlines()]
            kinds = {f[3] for f in lines if len(f) == 5 or (len(f) == 10 and f[9] != "0")}
            if {"r", "t"} <= kinds:
                return

    def wait_until_empty(self, end_ns: int) -> None:
        """Until all that happened before `end_ns` has come out: a later tick from each processor."""
        processors = os.cpu_count() or 1
        seen: set[int] = set()
        with open(self.events, "rb") as lines:
            lines.seek(0, os.SEEK_END)
            rest = b""
            for _ in self._poll(f"no tick after the workload from all {processors} processors"):
                *whole, rest = (rest + lines.read()).split(b"\n")
                fields = [line.split() for line in whole if b" t " in line]
                seen |= {int(f[4]) for f in fields if len(f) == 5 and int(f[0]) > end_ns}
                if len(seen) >= processors:
                    return

    def _poll(self, failure: str) -> Iterator[None]:
        """Turns until the caller has what it waits for, at most for a minute, and while bpftrace lives."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Failed(f"bpftrace ended early: {self._last_error()}")
            yield
            time.sleep(0.1)
        raise Failed(f"bpftrace: {failure} within a minute: {self._last_error()}")

    def _last_error(self) -> str:
        lines = self.complaints.read_text(errors="replace").splitlines()
        # bpftrace complains where root may not raise this limit; kernels since 5.11 do not hold BPF to it.
        errors = [line for line in lines if "ERROR" in line and "RLIMIT_MEMLOCK" not in line]
        return errors[-1] if errors else "no message"


def trace(cluster: Cluster, workload: Callable[[], object], hints: bool = True) -> Join:
    """What `workload` accessed in the cluster's database."""
    with Tracer(cluster) as tracer:
        tracer.wait_until_set(cluster)
        start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC)  # the clock of bpftrace's nsecs
        workload()
        tracer.wait_until_empty(time.clock_gettime_ns(time.CLOCK_MONOTONIC))
    cluster.wait_until_idle()  # only now: these questions are no part of the workload
    events = str(tracer.events)
    order = {**os.environ, "LC_ALL": "C", "TMPDIR": str(cluster.folder)}
    sort = ["sort", "-n", "-k1,1", "-k2,2", "-o", events, events]
    if subprocess.run(sort, env=order, start_new_session=True, check=False).returncode != 0:
        raise Failed(f"sort of the events failed; is there space in {cluster.folder.parent}?")
    with open(events, encoding="ascii") as lines:
        return Join(cluster.database, start_ns, hints).feed(lines)
