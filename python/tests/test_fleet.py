"""A cluster of three nodes on this machine, each with a simulated disk of its own."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading

import numpy as np
import pytest

import leadline
from leadline import fleet, pool

ray = pytest.importorskip("ray")

exhaustive = pytest.mark.skipif(not os.environ.get("LEADLINE_EXHAUSTIVE"), reason="only if exhaustive")
emulated = pytest.mark.skipif(not os.path.exists("/dev/fuse"), reason="drives are emulated with FUSE")

DRIVE = """
kind = "parametric"
capacity = "64G"
jitter = "lognormal"
seed = {seed}
cap_iops = {cap}
[read]
service_us = 180
servers = 64
[write]
service_us = 200
servers = 64
"""
#: As little as a profile can be.
QUICK = {"quick": True, "block_size": ["4K"]}
#: As little as a node can have: whether tests pass must not depend on the memory of the machine.
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster():
    from ray.cluster_utils import Cluster

    # A short path: Ray's sockets are in it.
    sessions = tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp")
    with pytest.MonkeyPatch.context() as patch, sessions as folder:
        # Ray tells its makers how it is used, and tests tell nobody anything.
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_TMPDIR", folder)
        cluster = Cluster(initialize_head=True, head_node_args={**NODE, "node_name": "node-a"})
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        yield cluster
        ray.shutdown()
        cluster.shutdown()


def join(cluster, name, **options):
    """Add a node, wait until it is there, and return it."""
    node = cluster.add_node(**NODE, node_name=name, **options)
    cluster.wait_for_nodes()
    return node


@pytest.fixture(scope="module")
def three(cluster):
    return [cluster.head_node, join(cluster, "node-b"), join(cluster, "node-c")]


@pytest.fixture
def drive(tmp_path):
    """Describe a drive; without a cap (0) it has so many requests to simulate that it takes some seconds."""

    def described(seed, cap=4000):
        path = tmp_path / f"{seed}-{cap}.toml"
        path.write_text(DRIVE.format(seed=seed, cap=cap))
        return f"sim:{path}"

    return described


def test_of_three_nodes_the_faulty_one_is_found_and_named(three, drive):
    disks = {"node-a": drive(1), "node-b": drive(2, cap=1000), "node-c": drive(3)}
    found = fleet.profile(disks, **QUICK)
    assert found.failures == {} and list(found.profiles) == ["node-a", "node-b", "node-c"]
    assert {node: profile.target for node, profile in found.profiles.items()} == disks
    assert set(found.outliers["node"]) == {"node-b"} and found.outliers["slow"][0]
    assert "node-b is slow" in found.report().html

    # The models of what was measured, on the cluster and here.
    fits = fleet.fit(found)
    here = leadline.fit(found.profiles["node-b"]).table
    assert fits["held_out_percent"][fits["profile"] == "node-b"] == pytest.approx(
        here["held_out_percent"], nan_ok=True
    )


def test_a_sweep_has_the_rows_of_one_machine(three):
    random = np.random.default_rng(1)
    pages, writes = random.zipf(1.3, 5_000) % 500, random.random(5_000) < 0.5
    swept = {
        "frames": [20, 50],
        "policy": "all",
        "ace": ["off", "cow-x"],
        "n": [4, 8],
        "cleaner": "off,auto",
        "device": "sim:flash",
    }
    there, here = fleet.sweep(pages, writes, **swept), pool.simulate(pages, writes, **swept)
    assert there.info == here.info and there.column_names == here.column_names
    for name in here.column_names:
        np.testing.assert_array_equal(there[name], here[name])


def test_values_come_back_from_tasks_as_they_went(three):
    table = leadline.Table({"x": [1, None, 3], "name": ["a", None, "c"]}, {"why": 1}, ["noted"])
    profile = leadline.Profile.load("device:p4510")

    def asked(table, profile):
        return table[1:], leadline.fit(profile)

    part, models = ray.get(ray.remote(asked).remote(ray.put(table), profile))
    assert part == table[1:] and (part.info, part.notes) == (table.info, table.notes)
    assert models.document == leadline.fit(profile).document


def test_what_cannot_be_used_is_said_in_one_line(three, drive):
    for wrong, words in [
        ({"path": {"node-x": "sim:gp3"}}, "node-a, node-b, node-c"),
        ({"nodes": ["node-a", "node-x"]}, "node-x"),
        ({"nodes": "node-a"}, "nodes='node-a'"),
        ({"nodes": []}, "nodes"),
        ({"path": {"node-a": "sim:gp3"}, "nodes": ["node-a"]}, "nodes"),
        ({"wishes": 3}, "wishes="),
        ({"timeout": 0}, "timeout=0"),
        ({"since": "/nowhere"}, "/nowhere"),
        ({"output": "here.json"}, "output"),
    ]:
        with pytest.raises(leadline.BadInput) as raised:
            fleet.profile(**{"path": "sim:gp3", **wrong})
        assert words in str(raised.value) and "\n" not in str(raised.value)
    for wrong, words in [({"frames": 0}, "frames="), ({"frames": 1, "client": 2}, "did you mean clients= ?")]:
        with pytest.raises(leadline.BadInput) as raised:
            fleet.sweep([1, 2, 3], **wrong)
        assert words in str(raised.value)
    # On one node only, it is that node's failure.
    found = fleet.profile({"node-a": drive(1), "node-b": "/nowhere/at/all"}, **QUICK)
    assert list(found.profiles) == ["node-a"] and "/nowhere/at/all" in found.failures["node-b"]


@exhaustive
def test_progress_is_that_of_all_nodes(three, drive):
    told = []
    fleet.profile(
        {"node-a": drive(1, cap=0), "node-b": drive(2, cap=0)},
        **QUICK,
        progress=lambda *step: told.append(step),
    )
    shares = [share for _, share, _ in told]
    assert shares == sorted(shares) and shares[-1] == 1
    assert any("node-a" in detail or "node-b" in detail for _, _, detail in told)


@exhaustive
def test_who_shares_a_volume_waits_for_its_turn_and_who_takes_too_long_is_given_up(three, drive, tmp_path):
    description = tmp_path / "never.toml"
    os.mkfifo(description)
    told = []
    found = fleet.profile(
        {"node-a": f"sim:{description}", "node-b": drive(1, cap=0)},
        **QUICK,
        shared=True,
        timeout=30,
        progress=lambda phase, share, detail: told.append(detail),
    )
    assert found.failures == {"node-a": "it took longer than timeout=30 seconds"}
    assert list(found.profiles) == ["node-b"]
    assert any("node-b" in detail for detail in told)
    assert not any("node-b" in detail for detail in told if detail.startswith("0 of 2 nodes"))


@exhaustive
def test_a_node_without_leadline_is_named(cluster, three, drive):
    node = join(cluster, "node-bare", env_vars={"PYTHONPATH": ""})
    try:
        found = fleet.profile({"node-a": drive(1), "node-bare": drive(2)}, **QUICK)
        assert "pip install the same wheel there" in found.failures["node-bare"]
        table = fleet.sweep([1, 2, 3, 1] * 100, frames=list(range(1, 50)))
        assert len(table) == 49
    finally:
        cluster.remove_node(node)


@exhaustive
def test_what_was_saved_is_compared_with(three, drive, tmp_path):
    fleet.profile({"node-a": drive(1), "node-b": drive(2)}, **QUICK).save(tmp_path / "then")
    disks = {"node-a": drive(4), "node-b": drive(5, cap=2000)}
    now = fleet.profile(disks, **QUICK, since=tmp_path / "then")
    assert {row["node"] for row in now.drift.to_dicts() if row["changed"]} == {"node-b"}


@pytest.fixture
def folder(drive, tmp_path):
    """Mount an emulated drive."""
    mounted = []

    def mount(name, cap):
        places = [tmp_path / f"{name}-{what}" for what in ("backing", "mount")]
        for place in places:
            place.mkdir()
        command = [sys.executable, "-m", "leadline", "emulate", drive(1, cap)]
        command += ["--backing", places[0], "--mount", places[1]]
        running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        mounted.append(running)
        while "is mounted" not in (line := running.stderr.readline()):
            assert line, "it ended before it was mounted"
        return places[1]

    yield mount
    for running in mounted:
        running.terminate()
        running.communicate(timeout=120)


@exhaustive
@emulated
def test_the_faulty_one_of_three_emulated_disks_is_found_and_named(three, folder):
    disks = {"node-a": folder("a", 400), "node-b": folder("b", 400), "node-c": folder("c", 100)}
    found = fleet.profile(disks, **QUICK, size="16M", reads_only=True)
    assert found.failures == {}
    assert set(found.outliers["node"][found.outliers["slow"]]) == {"node-c"}
    assert all(list(disk.iterdir()) == [] for disk in disks.values())


@exhaustive
@emulated
def test_ctrl_c_ends_every_profile_in_order(cluster, three, folder):
    # On an emulated drive the scratch file has a name, which a profile that was killed would leave.
    volume = folder("volume", 4000)
    program = f"""
        import sys, ray
        from leadline import fleet
        ray.init(address={cluster.address!r}, log_to_driver=False, logging_level="ERROR")
        def ready(phase, share, detail):
            if "%" in detail:
                print("ready", flush=True)
        try:
            fleet.profile({os.fspath(volume)!r}, full=True, size="64M", progress=ready)
        except KeyboardInterrupt:
            # The nodes are free again: each has one CPU.
            after = fleet.profile("sim:gp3", quick=True, timeout=100)
            print("interrupted", len(after.profiles), after.failures, flush=True)
    """
    running = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, text=True
    )
    assert running.stdout.readline() == "ready\n"
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=300)
    assert said.splitlines()[-1] == "interrupted 3 {}"
    assert list(volume.iterdir()) == []


# The last one: Ray takes its time until it has noticed, and waits for the node until then.
def test_a_node_that_dies_midway_is_reported_and_the_others_are_kept(cluster, three, drive, tmp_path):
    description = tmp_path / "dies.toml"
    os.mkfifo(description)

    def die():
        # Opened for writing only once the node opens it for reading: it is at work then, and remains so.
        pipe = os.open(description, os.O_WRONLY)
        cluster.remove_node(three[2], allow_graceful=False)
        os.close(pipe)

    death = threading.Thread(target=die)
    death.start()
    found = fleet.profile({"node-a": drive(1), "node-b": drive(2), "node-c": f"sim:{description}"}, **QUICK)
    death.join()
    assert found.failures == {"node-c": "the node died while it was at work"}
    assert list(found.profiles) == ["node-a", "node-b"]
    assert "node-c has no profile: the node died while it was at work." in found.report().html
