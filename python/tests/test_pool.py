"""Pools and traces."""

import numpy as np
import pytest

import leadline
from leadline import pool, trace


def lru_misses(pages, frames):
    """A plain LRU, to compare with."""
    held, misses = {}, 0
    for page in pages:
        if page in held:
            del held[page]
        else:
            misses += 1
            if len(held) == frames:
                del held[next(iter(held))]
        held[page] = True
    return misses


def test_misses_of_an_array_are_those_of_a_plain_lru():
    random = np.random.default_rng(1)
    pages = random.zipf(1.3, 20_000) % 5_000
    table = pool.simulate(pages, frames=[10, 100, 1000])
    assert table["misses"].tolist() == [lru_misses(pages.tolist(), frames) for frames in (10, 100, 1000)]
    assert table["miss_ratio"] == pytest.approx(table["misses"] / len(pages))


def test_an_array_and_a_file_of_the_same_accesses_have_the_same_outcome(tmp_path):
    random = np.random.default_rng(2)
    pages, writes = random.integers(0, 500, 5_000), random.random(5_000) < 0.5
    path = tmp_path / "trace.pages"
    path.write_text("".join(f"{'W' if w else 'R'} {p}\n" for p, w in zip(pages, writes, strict=True)))
    options = {"frames": 50, "policy": ["lru", "clock"], "ace": ["off", "cow-x"], "device": "sim:flash"}
    of_array, of_file = pool.simulate(pages, writes, **options), pool.simulate(path, **options)
    assert of_array.info["cells"] == of_file.info["cells"]
    assert (of_array["writes"] > 0).all() and (of_array["seconds"] > 0).all()


def test_batched_write_back_takes_as_many_pages_as_the_profile_says():
    profile = leadline.Profile.load("device:p4510")
    table = pool.simulate("gen:paper-wis?ops=20000", frames=500, ace="cow-x", profile=profile)
    assert table["n"].tolist() == [profile.at().get("k_w_90") or profile.k_w]


def test_a_trace_comes_in_batches_of_requests():
    batches = list(trace.open("gen:paper-ms?ops=1000", batch=300))
    assert [len(batch) for batch in batches] == [300, 300, 300, 100]
    assert batches[0].column_names == ["at_ns", "volume", "write", "address", "length"]
    writes = sum(batch["write"].sum() for batch in batches)
    assert writes == trace.info("gen:paper-ms?ops=1000")["requests"]["writes"]


def test_miss_ratios_are_those_of_simulated_caches():
    curve = trace.miss_ratios("gen:zipf?ops=20000&pages=1000")
    sizes = [int(size) for size in curve["pages"] if size in (8, 64, 512)]
    assert len(sizes) == 3
    simulated = pool.simulate("gen:zipf?ops=20000&pages=1000", frames=sizes)
    ratios = dict(zip(curve["pages"], curve["miss_ratio"], strict=True))
    assert simulated["miss_ratio"] == pytest.approx([ratios[size] for size in sizes], abs=0.01)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: pool.simulate([1, -2], frames=1), "trace[1] = -2"),
        (lambda: pool.simulate([1.5], frames=1), "float64"),
        (lambda: pool.simulate([[1]], frames=1), "(1, 1)"),
        (lambda: pool.simulate([1, 2], [True], frames=1), "1 elements"),
        (lambda: pool.simulate([1], [1], frames=1), "booleans"),
        (lambda: pool.simulate("gen:paper-ms", [True], frames=1), "writes"),
        (lambda: pool.simulate([1], frames=0), "frames="),
        (lambda: pool.simulate([1], frames=1, policy="best"), "policy="),
        (lambda: pool.simulate(np.zeros(0, dtype=np.uint64), frames=1), "no request"),
        (lambda: pool.simulate("gen:nothing", frames=1), "nothing"),
        (lambda: pool.simulate([1], frames=np.geomspace(10, 1000, 4)), "frames=46.4159: must be a whole"),
        (lambda: pool.simulate([1], frames=[]), "frames: is empty"),
        (lambda: pool.simulate([1], frames=float("nan")), "frames=nan"),
        (lambda: pool.simulate("gen:zipf", frames=9, read_share=[10, 0.5]), 'write 50 for a share of 0.5'),
        (lambda: pool.simulate(b"12", frames=1), "np.frombuffer"),
        (lambda: pool.simulate([1], frames=1, header=True), "header"),
        (lambda: trace.info([1, 2], by="file"), "by='file'"),
        (lambda: trace.info([1, 2], [True]), "1 elements"),
        (lambda: trace.info([1, 2], sample_pages=0), "sample_pages="),
        (lambda: trace.miss_ratios(["a"]), "page numbers"),
        (lambda: trace.open([1, 2]), "an array is open already"),
        (lambda: trace.open("gen:paper-ms", batch=1.5), "batch=1.5"),
        (lambda: trace.open("/nowhere"), "/nowhere"),
        (lambda: trace.open("gen:paper-ms", batch=0), "batch=0"),
        (lambda: trace.open("/etc/hostname", format="tape"), "format=tape"),
    ],
)
def test_bad_input_is_one_line_that_names_it(call, words):
    with pytest.raises(leadline.BadInput) as raised:
        call()
    assert words in str(raised.value) and "\n" not in str(raised.value)


def test_lines_of_a_trace_that_were_skipped_are_told(tmp_path):
    path = tmp_path / "some.pages"
    path.write_text("R 1\nsomething else\nW 2\n")
    told = trace.info(path)
    assert told["requests"]["count"] == 2
    assert any("some.pages:2" in note for note in told["notes"])


def test_bytes_are_told_beside_objects(tmp_path):
    path = tmp_path / "cluster.csv"
    keys = [("a", 90), ("b", 10), ("a", 90), ("c", 40), ("b", 10), ("a", 90)]
    path.write_text("".join(f"{i},{key},1,{size - 1},3,get,0\n" for i, (key, size) in enumerate(keys)))
    (batch,) = trace.open(path)
    assert batch["object_bytes"].tolist() == [size for _, size in keys]
    table = pool.simulate(path, cache_size=["100B", "1K"], policy="lru")
    # In 100 bytes a and b fit, and c with b; both have gone for c.
    assert table["misses"].tolist() == [5, 3]
    assert table["objects_missed_bytes"].tolist() == [90 + 10 + 40 + 10 + 90, 140]
    assert table["objects_byte_miss_ratio"].tolist() == pytest.approx([240 / 330, 140 / 330])
    of_objects = pool.simulate(path, frames=2)
    assert of_objects["objects_miss_ratio"].tolist() == of_objects["miss_ratio"].tolist()
    with pytest.raises(leadline.BadInput, match="choose from lru"):
        pool.simulate(path, cache_size="1K", policy="arc")
    with pytest.raises(leadline.BadInput, match="no sizes of objects"):
        pool.simulate("gen:paper-ms?ops=10", cache_size="1K")


def series():
    """The pages 1, 2, 3, 1 and which of them write, as other libraries have them."""
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    pages, writes = [1, 2, 3, 1], [True, False, False, True]
    frame = pandas.DataFrame({"page": pages, "write": writes})
    chunked = pyarrow.chunked_array([pages[:1], pages[1:]])
    return [
        (frame["page"], frame["write"]),
        (frame["page"].astype("UInt64"), frame["write"].astype("boolean")),
        (polars.Series(pages), polars.Series(writes)),
        (chunked, pyarrow.array(writes)),
        (np.array(pages, dtype=np.uint8)[::-1][::-1], np.array(writes)),
        (range(1, 4), np.array([True, False, False])),
    ]


def test_columns_of_other_libraries_are_traces():
    for pages, writes in series():
        table = pool.simulate(pages, writes, frames=2)
        described = trace.info(pages, writes)["requests"]
        assert table["operations"].tolist() == [len(pages)] == [described["count"]]
        writing = int(np.asarray(writes).sum())
        assert table["operations_writing"].tolist() == [described["writes"]] == [writing]


def test_what_is_no_column_of_numbers_is_refused_with_the_remedy():
    pandas, polars, pyarrow = map(pytest.importorskip, ("pandas", "polars", "pyarrow"))
    frame = polars.DataFrame({"page": [1, None]})
    for wrong, words in [
        (frame.lazy(), '.collect()["COLUMN"]'),
        (frame, 'table["COLUMN"]'),
        (frame["page"], "elements are missing"),
        (pandas.Series([1, None], dtype="Int64"), "page numbers"),
        (pyarrow.array([1, None]), "elements are missing"),
        (np.ma.MaskedArray([1, 2], mask=[0, 1]), "elements are missing"),
        (leadline.Table({"page": [1]}), 'table["COLUMN"]'),
    ]:
        for call in (lambda pages: pool.simulate(pages, frames=1), trace.info):
            with pytest.raises(leadline.BadInput) as raised:
                call(wrong)
            assert words in str(raised.value)


def test_sweeps_take_arrays_of_whole_numbers():
    pages = np.random.default_rng(3).integers(0, 300, 2000)
    swept = pool.simulate(pages, frames=np.geomspace(1, 100, 3), clients=np.array([1, 2]), policy=["lru"])
    assert swept["frames"].tolist() == [1, 1, 10, 10, 100, 100] and swept["clients"].tolist() == [1, 2] * 3
    pandas = pytest.importorskip("pandas")
    for frames in (pandas.Series([2, 9]), (n for n in (2, 9)), range(2, 10, 7), {2: "", 9: ""}.keys()):
        assert pool.simulate(pages, frames=frames)["frames"].tolist() == [2, 9]
    with pytest.raises(leadline.BadInput, match="write 50 for a share of 0.5"):
        pool.simulate("gen:zipf?ops=50", frames=9, read_share=pandas.Series([0.5]))
    shares = pool.simulate("gen:zipf?ops=50", frames=9, read_share=np.array([10.0, 90.0]), page_size="8K")
    assert shares["read_share_percent"].tolist() == [10, 90]


def test_latency_has_the_name_that_it_has_in_profiles():
    timed = pool.simulate("gen:zipf?ops=500", frames=9, device="sim:flash")
    points = leadline.Profile.load("device:p4510").points
    names = [f"latency_{name}_us" for name in ("mean", "p50", "p99", "p99.9", "max")]
    assert all(name in timed and name in points for name in names)
    assert timed["latency_p99.9_us"][0] == timed.info["cells"][0]["latency_us"]["p999"]
    with pytest.warns(DeprecationWarning, match="latency_p99.9_us"):
        assert timed["latency_us_p999"][0] == timed["latency_p99.9_us"][0]
    assert "objects" not in timed and np.isnan(pool.simulate([1], frames=1)["seconds"][0])


def test_what_was_assumed_is_in_the_notes(tmp_path):
    swept = pool.simulate([1, 2, 3], frames=2, ace="cow", n=8)
    assert any("n = 8 is more than a pool of 2 frames holds" in note for note in swept.notes)
    path = tmp_path / "some.pages"
    path.write_text("R 1\nsomething else\nW 2\n")
    assert any("some.pages:2" in note for note in trace.miss_ratios(path).notes)


def test_miss_ratios_of_an_array_are_those_of_the_same_file(tmp_path):
    pages = np.random.default_rng(4).zipf(1.3, 3000) % 200
    path = tmp_path / "trace.pages"
    path.write_text("".join(f"R {page}\n" for page in pages))
    assert trace.miss_ratios(pages) == trace.miss_ratios(path)
    pytest.importorskip("matplotlib").use("Agg")
    ax = trace.plot_miss_ratios(trace.miss_ratios(pages))
    assert ax.lines[0].get_xdata().tolist() == trace.miss_ratios(pages)["pages"].tolist()
