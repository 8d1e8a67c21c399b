"""Traces made, converted, replayed and predicted, and pools replayed."""

from pathlib import Path

import pytest

import leadline
from leadline import pool, trace

#: A query, recorded under MySQL.
QUERY = Path(__file__).parents[2] / "crates/tiers/tests/data/q3-0.01.capture"


def test_a_trace_is_generated_and_converted(tmp_path):
    made = trace.generate("gen:zipf?ops=500", tmp_path / "z.pages.zst")
    assert (made["requests"], made["format"]) == (500, "pages")
    there = trace.convert(tmp_path / "z.pages.zst", tmp_path / "z.iolog")
    assert there["requests"] == 500 and there["skipped"] == 0
    assert sum(map(len, trace.open(tmp_path / "z.iolog"))) == 500
    timed = trace.convert(tmp_path / "z.iolog", tmp_path / "again.pages", format="fio")
    assert timed["times_lost"] and any("times" in note for note in timed["notes"])
    assert "gen:zipf" in trace.generators()["name"]
    for refused in ("-", tmp_path / "x.unknown"):
        with pytest.raises(leadline.BadInput):
            trace.convert("gen:zipf?ops=5", refused)


def test_a_trace_is_replayed_on_a_simulated_device():
    replayed = trace.replay("gen:paper-ms?ops=1000", "sim:flash", limit=600, pace="closed:4")
    assert replayed["requests"].tolist()[2] == 600
    assert (replayed["latency_p50_us"] <= replayed["latency_p99_us"]).all()
    assert replayed.info["pace"] == "closed:4" and any("simulated" in note for note in replayed.notes)
    with pytest.raises(leadline.BadInput, match=r"^pace="):
        trace.replay("gen:paper-ms", "sim:flash", pace="slowly")


def test_columns_of_a_trace_are_named(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("t,op,page\n0,r,1\n5,w,2\n")
    replayed = trace.replay(path, "sim:flash", columns=["time:us", "op", "page"], header=True)
    assert replayed["requests"].tolist() == [1, 1, 2]


def test_a_query_is_predicted_on_other_devices_and_placed(tmp_path):
    disk = leadline.profile("sim:flash", quick=True, seed=1)
    times = trace.predict(QUERY, "sim:sata", "sim:flash", disk, "sim:sata")
    assert times["device"].tolist() == ["sim:sata", "sim:flash", "sim-flash", "sim:sata"]
    assert times["speedup"][0] == 1 and times["speedup"][1] > 1
    placed = leadline.place(QUERY, fast="sim:optane", slow="sim:sata", weights={"q3-0.01": 2})
    best = placed["choice"].tolist()
    assert len(best) == len(placed.info["all"]["sizes"]) and set(best) <= {"placement", "cache", "neither"}
    assert (placed["cached_seconds"] <= placed["slow_seconds"] * 1.001).all()
    with pytest.raises(leadline.BadInput, match="devices"):
        trace.predict(QUERY)


def test_the_real_pool_does_what_the_simulated_one_does(tmp_path):
    real = pool.replay("gen:paper-wis?ops=500", tmp_path, frames=50, ace="cow-x", n=4)
    (simulated,) = pool.simulate("gen:paper-wis?ops=500", frames=50, ace="cow-x", n=4).to_dicts()
    assert {name: real[name] for name in ("operations", "misses", "writes", "batches")} == {
        name: simulated[name] for name in ("operations", "misses", "writes", "batches")
    }
    assert real["verified_pages"] == real["pages"]
    with pytest.raises(leadline.BadInput, match="simulated device keeps no data"):
        pool.replay("gen:zipf?ops=10", "sim:flash", frames=5)
