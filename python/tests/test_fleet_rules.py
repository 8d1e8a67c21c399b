"""What a fleet says of its nodes: outliers, drift, folders, pages. Without a cluster."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import leadline
from leadline import fleet
from leadline.fleet import Fleet

DRIVE = """
kind = "parametric"
capacity = "64G"
jitter = "lognormal"
seed = {seed}
noise = {noise}
noise_seed = {seed}
cap_iops = {cap}
[read]
service_us = {read_us}
servers = 64
[write]
service_us = {write_us}
servers = 64
"""


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    """Profile a drive that differs from others of its kind by its luck."""
    folder = tmp_path_factory.mktemp("drives")

    def profiled(seed, cap=4000, read_us=180, noise=0):
        path = folder / f"{seed}-{cap}-{read_us}-{noise}.toml"
        path.write_text(
            DRIVE.format(seed=seed, cap=cap, read_us=read_us, write_us=1.1 * read_us, noise=noise)
        )
        return leadline.profile(f"sim:{path}", quick=True, block_size=["4K"], seed=seed)

    return profiled


@pytest.fixture(scope="module")
def alike(drive):
    return [drive(seed) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def throttled(drive):
    return drive(4, cap=1000)


def changed(profile, **numbers):
    """The profile with other numbers for random 4K."""
    document = json.loads(profile.to_json())
    for entry in document["parameters"]:
        if (entry["pattern"], entry["block_bytes"]) == ("random", 4096):
            entry.update(numbers)
    return leadline.Profile.from_json(json.dumps(document))


def outliers(*profiles):
    """Nodes and quantities of random 4K."""
    table = Fleet({f"n{place}": profile for place, profile in enumerate(profiles)}).outliers
    return {(row["node"], row["quantity"]) for row in table.to_dicts() if row["pattern"] == "random"}


def test_the_throttled_disk_is_found_and_named(alike, throttled):
    found = Fleet({"a": alike[0], "b": throttled, "c": alike[1]})
    assert set(found.outliers["node"]) == {"b"}
    worst = found.outliers.to_dicts()[0]
    assert worst["slow"] and worst["ratio"] == pytest.approx(0.25, rel=0.02)
    assert (worst["pattern"], worst["block_bytes"], worst["nodes"]) == ("random", 4096, 3)
    assert found.table["verdict"].tolist() == ["like the others", "slow", "like the others"]
    assert "b is slow" in repr(found) and "b is slow" in found._repr_html_()
    assert found.table["max_read_iops"][1] == throttled.max_read_iops
    assert found.table["max_read_iops_low"][1] == throttled.max_read_iops_ci[0]


def test_equal_disks_have_no_outlier(alike):
    found = Fleet(dict(zip("abc", alike, strict=True)))
    assert len(found.outliers) == 0 and found.outliers.info["undecided"] == []
    assert set(found.table["verdict"]) == {"like the others"}


def test_two_nodes_that_differ_are_not_outliers_but_undecided(alike, throttled):
    found = Fleet({"a": alike[0], "b": throttled})
    assert len(found.outliers) == 0
    assert ("random", 4096, "max_read_iops") in found.outliers.info["undecided"]
    assert set(found.table["verdict"]) == {"undecided"}
    assert "none is the odd one" in repr(found)


def test_two_kinds_of_disks_are_undecided_until_one_has_most_nodes(alike, throttled):
    number = ("n3", "max_read_iops")
    assert number not in outliers(alike[0], alike[1], throttled, throttled)
    assert outliers(*alike, throttled) >= {number}
    assert {node for node, _ in outliers(*alike, throttled, throttled)} == {"n3", "n4"}


def test_intervals_that_overlap_and_differences_that_do_not_matter_are_no_reason(alike):
    first, second, third = alike
    iops = first.max_read_iops
    wide = changed(third, max_read_iops=iops / 2, max_read_iops_ci=[iops / 3, iops * 1.01])
    assert outliers(first, second, wide) == set()
    near = changed(third, max_read_iops=iops * 0.95, max_read_iops_ci=[iops * 0.94, iops * 0.96])
    assert outliers(first, second, near) == set()
    far = changed(third, max_read_iops=iops * 0.85, max_read_iops_ci=[iops * 0.84, iops * 0.86])
    assert outliers(first, second, far) == {("n2", "max_read_iops")}


def test_k_must_be_twice_as_large_because_it_is_read_off_a_flat_curve(alike):
    first, second, third = (changed(profile, k_r=20, k_r_ci=[19, 21]) for profile in alike)
    assert outliers(first, second, changed(third, k_r=38, k_r_ci=[37, 39])) == set()
    assert outliers(first, second, changed(third, k_r=42, k_r_ci=[41, 43])) == {("n2", "read_concurrency")}


def test_a_faster_node_differs_and_is_not_slow(alike):
    first, second, third = alike
    iops = 2 * first.max_read_iops
    found = Fleet(
        {"a": first, "b": second, "c": changed(third, max_read_iops=iops, max_read_iops_ci=[iops, iops])}
    )
    assert found.outliers.to_dicts()[0]["node"] == "c" and not found.outliers["slow"].any()
    assert found.table["verdict"].tolist() == ["like the others", "like the others", "differs"]


def test_of_three_that_all_differ_the_middle_one_is_no_outlier(alike):
    iops = alike[0].max_read_iops
    low, high = (
        changed(profile, max_read_iops=times * iops, max_read_iops_ci=[times * iops, times * iops])
        for profile, times in zip(alike[1:], (0.5, 2), strict=True)
    )
    assert outliers(alike[0], low, high) == {("n1", "max_read_iops"), ("n2", "max_read_iops")}


def test_drift_is_each_node_against_itself(alike, throttled):
    then = Fleet({"a": alike[0], "b": alike[1], "gone": alike[2]})
    now = Fleet({"a": alike[2], "b": throttled, "new": alike[0]}, since=then)
    rows = [row for row in now.drift.to_dicts() if row["changed"]]
    assert {row["node"] for row in rows} == {"b"}
    iops = next(r for r in rows if (r["pattern"], r["quantity"]) == ("random", "max_read_iops"))
    assert iops["then"] == alike[1].max_read_iops and iops["now"] == throttled.max_read_iops
    assert iops["ratio"] == pytest.approx(0.25, rel=0.02) and iops["verdict"] == "differs"
    assert now.drift.info["new"] == ["new"] and now.drift.info["gone"] == ["gone"]
    assert then.drift is None


def test_what_is_saved_is_loaded_again_and_never_replaced(alike, tmp_path):
    # Names that no file can have, and two that would have the same file.
    saved = Fleet({"10.0.0.1#a/b": alike[0], "10.0.0.1#a:b": alike[1]}, {"c": "the node died"})
    saved.save(tmp_path / "first")
    loaded = Fleet.load(tmp_path / "first")
    assert loaded.failures == saved.failures
    assert [p.document for p in loaded.profiles.values()] == [p.document for p in saved.profiles.values()]
    assert list(loaded.profiles) == list(saved.profiles)
    with pytest.raises(leadline.BadInput, match="exists"):
        saved.save(tmp_path / "first")
    assert [path.name for path in tmp_path.iterdir()] == ["first"]


def test_a_folder_that_cannot_be_written_is_not_there(alike, tmp_path, monkeypatch):
    monkeypatch.setattr(
        os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device"))
    )
    with pytest.raises(leadline.Failed, match="No space left on device"):
        Fleet({"a": alike[0]}).save(tmp_path / "fleet")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("index", "words"),
    [
        ("{", "is not the index"),
        ("[]", "is not the index"),
        ('{"schema": "leadline.fleet/2"}', "leadline.fleet/2"),
        ('{"schema": "leadline.fleet/1"}', "damaged"),
        (
            '{"schema": "leadline.fleet/1", "failures": {}, "nodes": [{"name": "a", "file": "../a.json"}]}',
            "is not a file next to it",
        ),
        (
            '{"schema": "leadline.fleet/1", "failures": {}, "nodes": [{"name": "a", "file": "a.json"}]}',
            "a.json",
        ),
    ],
)
def test_a_folder_that_is_not_a_fleet_is_refused(index, words, tmp_path):
    (tmp_path / "fleet.json").write_text(index)
    with pytest.raises(leadline.BadInput) as raised:
        Fleet.load(tmp_path)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_a_folder_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(leadline.BadInput, match="nothing"):
        Fleet.load(tmp_path / "nothing")


def test_the_page_says_first_what_is_wrong(alike, throttled, tmp_path):
    then = Fleet({"node-a": alike[0], "node-b": alike[2], "node-c": alike[1]})
    found = Fleet(
        {"node-a": alike[0], "node-b": throttled, "node-c": alike[1]}, {"node-d": "the node died"}, since=then
    )
    page = found.report(tmp_path / "fleet.html").html
    assert (tmp_path / "fleet.html").read_text() == page
    body = page[page.index("<body>") :]
    assert body.index("node-b is slow; node-d failed") < body.index("node-d has no profile: the node died")
    assert body.index("node-d has no profile") < body.index('id="nodes"') < body.index('id="curves"')
    assert "node-b changed since last time: 0.25 times its reads per second (4K random) of then" in body
    assert "node-a and node-c have no number out of line" in body


def test_a_fleet_without_profiles_has_a_page_too():
    found = Fleet({}, {"a": "the node <died>"})
    assert "the node &lt;died&gt;" in found.report().html
    assert found.table["verdict"].tolist() == ["failed"] and np.isnan(found.table["k_r"]).all()


def test_the_nodes_are_drawn_with_their_intervals(alike, throttled):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = Fleet({"a": alike[0], "b": throttled, "c": alike[1]})
    ax = found.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b", "c"]
    assert "iops" in ax.get_xlabel()
    with pytest.raises(leadline.BadInput, match="quantity="):
        found.plot(quantity="speed")


def test_the_package_comes_without_ray_and_says_what_to_install():
    program = """
import sys
sys.modules["ray"] = None
from leadline import fleet
try:
    fleet.profile("sim:flash")
except ImportError as error:
    print(error)
"""
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout == "leadline.fleet needs Ray: pip install 'ray>=2.10' (the extra [ray] of leadline)\n"


@pytest.mark.skipif(not os.environ.get("LEADLINE_EXHAUSTIVE"), reason="a hundred profiles")
def test_equal_noisy_disks_are_rarely_called_outliers(drive):
    # No cap, which would hide the noise; slow, which takes less time to simulate.
    disks = [drive(seed, cap=0, read_us=1800, noise=0.1) for seed in range(100)]
    groups = [disks[place : place + 5] for place in range(0, 100, 5)]
    assert sum(len(outliers(*group)) > 0 for group in groups) <= 1


@pytest.mark.parametrize("wrong", [{"output": "page.html"}, {"threads": 0}, {"threads": "all"}])
def test_arguments_of_a_sweep_are_looked_at_before_the_cluster(wrong):
    with pytest.raises(leadline.BadInput, match=next(iter(wrong))):
        fleet.sweep([1, 2, 3], frames=2, **wrong)
