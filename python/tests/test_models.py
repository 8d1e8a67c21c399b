"""Models: what they are fitted to, and what they are asked."""

import json
import warnings

import numpy as np
import pytest

import leadline
from leadline import Profile
from leadline._command import run

COSTS = {"k": [1, 8, 32, 128], "t_us": [56.0, 1.1, 0.4, 0.08], "alpha_us": [3.5, 0.27, 0.2, 0.1]}
#: 400 KiB at 1 %, and blocks one after the other, as in docs/model-tables.md.
POINTS = {
    "op": ["read", "read", "read", "write"],
    "random_fraction": [1.0, 1.0, 0.01, 0.0],
    "concurrency": [1, 16, 1, 1],
    "block_bytes": [4096, 4096, 4096, 131072],
    "bytes": [491520000, 6553600000, 16384000000, 12582912000],
    "seconds": [10.0, 10.0, 10.0, 10.0],
}


@pytest.fixture(scope="module")
def flash(tmp_path_factory):
    """A profile with latencies over load."""
    path = tmp_path_factory.mktemp("flash") / "flash.json"
    leadline.profile("sim:flash", quick=True, output=path)
    return leadline.experiment("ladder", "sim:flash", quick=True, into=path)


@pytest.fixture(scope="module")
def published():
    return leadline.fit("device:p4510")


def csv(columns):
    rows = zip(*columns.values(), strict=True)
    return "\n".join(",".join(map(str, row)) for row in [columns.keys(), *rows]) + "\n"


def test_a_file_and_the_name_of_a_device_are_profiles(tmp_path, published):
    profile = Profile.load("device:p4510")
    path = tmp_path / "disk.json"
    profile.save(path)
    expected = leadline.fit(profile)
    for source in ("device:p4510", path, str(path)):
        assert leadline.fit(source).document == expected.document
        assert leadline.predict(source, reads=1e6) == expected.predict(1e6)
    assert published.profile.target == "device:p4510"


@pytest.mark.parametrize("columns", [COSTS, POINTS], ids=["costs", "points"])
def test_tables_of_any_library_are_fitted_as_their_file_is(tmp_path, columns):
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    path = tmp_path / "table.csv"
    path.write_text(csv(columns))
    expected, _ = run("models", path)
    for source in (
        path,
        columns,
        {name: np.array(values) for name, values in columns.items()},
        leadline.Table(columns),
        pandas.DataFrame(columns),
        polars.DataFrame(columns),
        pyarrow.table(columns),
    ):
        assert leadline.fit(source).document == expected


def test_setup_costs_of_many_accesses_are_divided(tmp_path):
    summed = COSTS | {"t_us": [2621.44 * us for us in COSTS["t_us"]]}
    assert any("setup_per" in note for note in leadline.fit(summed).table.notes)
    divided = leadline.fit(summed, setup_per=2621.44).predict(reads=1e6, concurrency=8)["seconds"]
    assert divided == pytest.approx(leadline.fit(COSTS).predict(reads=1e6, concurrency=8)["seconds"])


def test_what_was_not_measured_is_noted_and_warned_of(flash, tmp_path):
    path, models = tmp_path / "flash.json", leadline.fit(flash)
    flash.save(path)
    with pytest.warns(leadline.Extrapolated, match="k = 100000 was not measured") as caught:
        table = models.predict(reads=1e6, concurrency=[1, 100_000])
    assert caught[0].filename == __file__ and len(caught) == 1
    assert table["extrapolated"].tolist() == [False, True]
    document, _ = run("predict", path, options={"reads": 1e6, "concurrency": 100_000})
    assert list(table.notes) == document["notes"]
    with pytest.warns(leadline.Extrapolated, match="more in notes"):
        many = models.predict(reads=1e6, concurrency=np.arange(100_000, 100_050))
    assert len(many.notes) == 21 and "30 further" in many.notes[-1]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert models.predict(reads=1e6, concurrency=8).notes == ()


def test_what_if_has_the_rows_of_the_command_line(flash, tmp_path):
    path, models = tmp_path / "flash.json", leadline.fit(flash)
    flash.save(path)
    asked = {"reads": 1e6, "writes": 1e5, "block_size": "4K"}
    document, _ = run("predict", path, options=asked | {"what_if": "k=1,2,64"})
    for what_if in ([1, 2, 64], "k=1,2,64", np.array([1.0, 2.0, 64.0])):
        table = models.predict(**asked, what_if=what_if)
        for row, expected in zip(table, document["what_if"], strict=True):
            assert (row.concurrency, row.seconds, row.bound) == (
                expected["k"],
                expected["seconds"],
                expected["bound"],
            )


def test_limits_of_latency_and_speed_ups_are_those_of_the_command_line(flash, tmp_path):
    path = tmp_path / "flash.json"
    flash.save(path)
    table = leadline.predict(path, slo=["p99=1ms", "p50=200us"], mix="70/30")
    document, _ = run("predict", path, options={"slo": "p99=1ms", "mix": "70/30"})
    assert table.info["limits"][0] == document and table["read_share"].tolist() == [0.7, 0.7]
    assert table["iops"][0] == document["iops"] and table["percentile"].tolist() == ["p99", "p50"]
    speedup = leadline.predict("device:p4510", speedup=True)
    document, _ = run("predict", "device:p4510", options={"speedup": True})
    assert speedup.to_dicts() == document["speedup"] and speedup.info["k_r"] == 80


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"random": 50}, "random=50: must be a share from 0 to 1"),
        ({"random": "half"}, "random: must be a number"),
        ({"block_size": "2G"}, "block_size="),
        ({"block_size": 0}, "block_size="),
        ({"block_size": [[1], [1, 2]]}, "block_size=[[1], [1, 2]]: must be a size"),
        ({"reads": [[1], [1, 2]]}, "reads: must be a number"),
        ({"concurrency": 0}, "concurrency=0: must be whole numbers from 1 to 1048576"),
        ({"concurrency": 1.5}, "concurrency=1.5"),
        ({"concurrency": 2**20 + 1}, "from 1 to 1048576"),
        ({"concurrency": True}, "concurrency=True"),
        ({"batch_reads": [0, 1]}, "batch_reads="),
        ({"reads": -1}, "reads: must be from 0 to 1e18"),
        ({"reads": "many"}, "reads: must be a number"),
        ({"reads": None}, "give reads or writes (or slo, speedup)"),
        ({"what_if": "k=0"}, "what_if="),
        ({"what_if": "k=a"}, "what_if='k=a'"),
        ({"what_if": [1], "concurrency": 2}, "what_if, which has"),
        ({"what_if": [1, 2], "reads": [1, 2]}, "reads: is several workloads"),
        ({"slo": "p99=1ms"}, "reads: is of a workload"),
        ({"slo": "p99=1ms", "reads": None}, "ladder"),
        ({"slo": "p98", "reads": None}, "slo"),
        ({"slo": [], "reads": None}, "slo: is empty"),
        ({"mix": "70/30"}, "mix: is for slo"),
        ({"speedup": True, "slo": "p99=1ms", "reads": None}, "slo: cannot be given with speedup"),
        ({"model": 3}, "model=3"),
    ],
)
def test_a_question_without_an_answer_names_the_argument(published, options, words):
    with pytest.raises(leadline.BadInput) as raised:
        published.predict(**{"reads": 1e6} | options)
    line = str(raised.value)
    assert words in line and "\n" not in line and "%" not in line
    # A remedy may be a command.
    assert "--" not in line.partition("leadline experiment")[0]


@pytest.mark.parametrize(
    ("source", "options", "words"),
    [
        (COSTS | {"k": [1, 1, 2, 3]}, {}, "row 1, column k: is 1"),
        (POINTS | {"seconds": [1, -1, 1, 1]}, {}, "row 1, column seconds: is -1"),
        (POINTS | {"latency_ms": [1] * 4}, {}, "its columns: unknown column \"latency_ms\""),
        ({}, {}, "at least one"),
        (COSTS, {"setup_per": float("nan")}, "setup_per=NaN: must be a positive number"),
        (COSTS, {"setup_per": -1}, "setup_per=-1: must be a positive number"),
        (COSTS, {"setup_per": "2"}, "setup_per='2'"),
        (POINTS, {"setup_per": 2}, "setup_per=: is for a table of costs"),
        ("device:p4510", {"setup_per": 2}, "is for a table of costs"),
        ("/nowhere.json", {}, "/nowhere.json"),
        (3, {}, "must be a profile, a file"),
        (None, {}, "not NoneType"),
    ],
)
def test_what_no_model_can_be_fitted_to_is_said(source, options, words):
    with pytest.raises(leadline.BadInput) as raised:
        leadline.fit(source, **options)
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_a_table_of_costs_has_no_other_questions(tmp_path):
    for question in ({"slo": "p99=1ms"}, {"speedup": True}):
        with pytest.raises(leadline.BadInput, match="table of costs"):
            leadline.fit(COSTS).predict(**question)


def test_the_document_is_the_command_lines(flash, tmp_path):
    path = tmp_path / "flash.json"
    flash.save(path)
    assert json.dumps(leadline.fit(path).document) == json.dumps(run("models", path)[0])
