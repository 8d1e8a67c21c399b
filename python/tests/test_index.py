"""``leadline.Index``: a sorted map on disk, as Python has it and as the command line does."""

from __future__ import annotations

import os
import threading
from io import BufferedRandom
from pathlib import Path

import numpy as np
import pytest

import leadline
from leadline import BadInput, Index, _leadline


def test_it_is_a_map_in_order(tmp_path: Path) -> None:
    with Index.open(tmp_path / "i") as index:
        index[b"b"] = b"2"
        index[b"a"] = b"1"
        index[b"b"] = bytearray(b"3")
        assert (index[b"b"], index.get(b"c"), index.get(b"c", 7)) == (b"3", None, 7)
        assert b"a" in index
        assert b"c" not in index
        assert (len(index), list(index)) == (2, [b"a", b"b"])
        del index[b"a"]
        with pytest.raises(KeyError):
            index[b"a"]
        with pytest.raises(KeyError):
            del index[b"a"]
    with Index.open(tmp_path / "i", create=False) as index:
        assert list(index.range()) == [(b"b", b"3")]


@pytest.mark.parametrize("dtype", ["u1", "i2", "<u4", ">i4", "u8", ">u8"])
def test_arrays_of_integers_are_keys(tmp_path: Path, dtype: str) -> None:
    with Index.open(tmp_path, key_type="integer") as index:
        keys = np.arange(100, dtype=dtype)
        index.multi_insert(keys, [b"%d" % (number * 3) for number in range(100)])
        wanted = np.array([99, 0, 120, 7], dtype=dtype)[::-1]
        assert index.multi_get(wanted) == [b"21", None, b"0", b"297"]
        assert index.multi_get([np.uint8(7), 120]) == [b"21", None]
        assert list(index.range(97)) == [(97, b"291"), (98, b"294"), (99, b"297")]


def test_integers_sort_as_numbers_and_the_command_line_reads_them(
    tmp_path: Path,
) -> None:
    with Index.open(tmp_path / "i", key_type="integer") as index:
        index.multi_insert({2**64 - 1: b"last", 0: b"first", 256: b"c", 255: b"b"})
        assert list(index) == [0, 255, 256, 2**64 - 1]
    scan = ["index", "scan", str(tmp_path / "i"), "--key-type", "integer"]
    text, _, _ = _leadline.call(scan)
    assert text == "0\tfirst\n255\tb\n256\tc\n18446744073709551615\tlast\n"
    with Index.open(tmp_path / "i") as index:
        assert index[(255).to_bytes(8, "big")] == b"b"


def test_arrays_of_bytes_are_keys(tmp_path: Path) -> None:
    with Index.open(tmp_path) as index:
        index.multi_insert(np.array([b"a", b"abc", b""]), np.array([b"1", b"22", b"3"]))
        assert index.multi_get(np.array([b"abc", b"zz", b"a", b""])) == [b"22", None, b"1", b"3"]
        assert index.multi_get(np.array([], dtype="S4")) == []
        assert index.multi_get(np.array([b"", b""])) == [b"3", b"3"]


def test_sorted_entries_are_loaded_at_once(tmp_path: Path) -> None:
    with Index.open(tmp_path, memory="16M", node_size="8K") as index:
        index.bulk_load((b"%08d" % number, b"v%d" % number) for number in range(50_000))
        assert len(index) == 50_000
        assert index.stats()["node_bytes"] == 8192
        found = index.multi_get([b"%08d" % number for number in range(0, 50_000, 7)])
        assert found == [b"v%d" % number for number in range(0, 50_000, 7)]
        with pytest.raises(BadInput, match="has 50000 entries already"):
            index.bulk_load([(b"x", b"")])


def test_entries_in_any_order_are_loaded_too(tmp_path: Path) -> None:
    with Index.open(tmp_path, memory="4M", key_type="integer") as index:
        numbers = np.random.default_rng(7).permutation(100_000)
        index.load((int(number), b"%d" % number + b"x" * 50) for number in numbers)
        assert len(index) == 100_000
        assert [key for key, _ in index.range(to=5)] == [0, 1, 2, 3, 4]
        assert index[99_999].startswith(b"99999x")


def test_a_load_that_fails_leaves_the_index_empty(tmp_path: Path) -> None:
    def entries():
        yield from ((b"%08d" % number, b"v") for number in range(20_000))
        raise ZeroDivisionError

    with Index.open(tmp_path) as index:
        with pytest.raises(ZeroDivisionError):
            index.bulk_load(entries())
        with pytest.raises(BadInput, match="entry 1 "):
            index.bulk_load([(b"b", b""), (b"a", b"")])
        with pytest.raises(BadInput, match="value 1="):
            index.bulk_load([(b"a", b""), (b"b", "text")])
        assert len(index) == 0
        index.bulk_load({b"a": b"1"})
        assert index[b"a"] == b"1"


def test_ranges_come_from_either_end(tmp_path: Path) -> None:
    with Index.open(tmp_path) as index:
        index.multi_insert([(b"%04d" % number, b"") for number in range(5000)])
        forward = [key for key, _ in index.range(b"0100", b"4000")]
        assert forward == [b"%04d" % number for number in range(100, 4000)]
        assert [key for key, _ in index.range(b"0100", b"4000", reverse=True)] == forward[::-1]
        assert list(index.range(b"3", b"3")) == []
        assert next(iter(index.range(to=b"2", reverse=True))) == (b"1999", b"")


def test_a_snapshot_stands_still_and_ends_with_its_index(tmp_path: Path) -> None:
    with Index.open(tmp_path) as index:
        index.multi_insert({b"a": b"1", b"b": b"2"})
        before = index.snapshot()
        index[b"a"] = b"new"
        del index[b"b"]
        assert (before[b"a"], before.multi_get([b"b", b"c"]), len(before)) == (b"1", [b"2", None], 2)
        assert list(before.range()) == [(b"a", b"1"), (b"b", b"2")]
        entries = index.range()
        assert next(entries) == (b"a", b"new")
    with pytest.raises(BadInput, match="is closed"):
        before[b"a"]
    with pytest.raises(BadInput, match="is closed"):
        list(index.range())
    # Nothing keeps it.
    Index.open(tmp_path).close()


def test_a_batch_is_made_at_its_end_or_not_at_all(tmp_path: Path) -> None:
    with Index.open(tmp_path) as index:
        index[b"a"] = b"1"
        with index.batch() as batch:
            batch[b"b"] = b"2"
            del batch[b"a"]
            assert (len(batch), b"b" in index) == (2, False)
        assert list(index.range()) == [(b"b", b"2")]
        with pytest.raises(ZeroDivisionError), index.batch() as batch:
            batch[b"c"] = b"3"
            raise ZeroDivisionError
        assert list(index.range()) == [(b"b", b"2")]


def test_threads_use_it_at_the_same_time(tmp_path: Path) -> None:
    with Index.open(tmp_path, durability="never") as index:

        def work(own: int) -> None:
            for number in range(200):
                index[b"%d-%03d" % (own, number)] = b"%d" % number
                assert index[b"%d-%03d" % (own, number)] == b"%d" % number

        threads = [threading.Thread(target=work, args=(own,)) for own in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(index) == 800
        assert index.verify()["problems"] == []


def test_an_index_that_is_only_read_is_shared_and_not_changed(tmp_path: Path) -> None:
    with Index.open(tmp_path / "i") as index:
        index[b"ada"] = b"1815"
        with pytest.raises(BadInput, match=r"open already.*close it there first"):
            Index.open(tmp_path / "i", read_only=True)
    path = tmp_path / "i"
    with Index.open(path, read_only=True) as one, Index.open(path, read_only=True) as other:
        assert one[b"ada"] == other[b"ada"] == b"1815"
        assert list(one.snapshot().range()) == [(b"ada", b"1815")]
        changes = [
            lambda: one.multi_insert({b"a": b"1"}),
            lambda: one.load([(b"a", b"1")]),
            one.checkpoint,
        ]
        for change in changes:
            with pytest.raises(BadInput, match=r"i: the index is open for reading only; .*read_only=True"):
                change()
        with pytest.raises(BadInput, match="open already"):
            Index.open(tmp_path / "i")
    with pytest.raises(BadInput, match="there is no index"):
        Index.open(tmp_path / "none", read_only=True)
    assert not (tmp_path / "none").exists()


def test_what_cannot_be_used_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("x")
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer" / "index").write_text("leadline index 9\nnode bytes 4096\n")
    for path, options, said in [
        ("none", {"create": False}, "make one with Index.open"),
        ("other", {}, "something else than an index"),
        ("newer", {}, "leadline index 9"),
        ("new", {"node_size": 5000}, "node_size=5000: must be 4K"),
        ("new", {"concurrency": 2000}, "from 1 to 1024"),
        ("new", {"key_type": "text"}, "'bytes' or 'integer'"),
        ("new", {"durability": "always"}, "'commit', 'never' or seconds"),
        ("new", {"memory": 64}, "memory='64'"),
    ]:
        with pytest.raises(BadInput, match=said):
            Index.open(tmp_path / path, **options)
    assert not (tmp_path / "new").exists()
    with Index.open(tmp_path / "i", node_size="4K") as index:
        with pytest.raises(BadInput, match="is open already"):
            Index.open(tmp_path / "i")
        for key, said in [("a", r"text.encode\(\)"), (7, "must be bytes"), (b"k" * 600, "600 bytes")]:
            with pytest.raises(BadInput, match=said):
                index[key] = b""
        with pytest.raises(BadInput, match="must be bytes"):
            index[b"a"] = "text"
        with pytest.raises(BadInput, match="must be an array of bytes"):
            index.multi_get(np.array([1, 2]))
        with pytest.raises(BadInput, match="as many as keys"):
            index.multi_insert([b"a"], [])
        assert len(index) == 0
    with pytest.raises(BadInput, match="node_size"):
        Index.open(tmp_path / "i", node_size="8K")
    with Index.open(tmp_path / "n", key_type="integer") as index:
        for key in (-1, 2**64, True, b"a", 1.0):
            with pytest.raises(BadInput, match="must be an integer"):
                index.get(key)
        with pytest.raises(BadInput, match="must not be negative"):
            index.multi_get(np.array([1, -2]))
    index.close()
    with pytest.raises(BadInput, match="is closed"):
        index.get(1)


def place_of(content: bytes, file: BufferedRandom) -> int:
    """Where in the data of a sparse file this is first."""
    data = 0
    while True:
        data = os.lseek(file.fileno(), data, os.SEEK_DATA)
        hole = os.lseek(file.fileno(), data, os.SEEK_HOLE)
        found = os.pread(file.fileno(), hole - data, data).find(content)
        if found >= 0:
            return data + found
        data = hole


def test_damage_is_named_and_the_rest_is_read(tmp_path: Path) -> None:
    with Index.open(tmp_path) as index:
        index.bulk_load((b"%06d" % number, b"value of %d" % number) for number in range(5000))
    with (tmp_path / "pages").open("r+b") as file:
        file.seek(place_of(b"value of 2500", file))
        file.write(b"V")
    with Index.open(tmp_path) as index:
        found = index.verify()
        assert not found["sound"]
        assert len(found["problems"]) == 1
        assert "the keys from" in found["problems"][0]["what"]
        assert index[b"000001"] == b"value of 1"
        with pytest.raises(leadline.Failed, match="page"):
            index[b"002500"]


def test_a_profile_chooses_the_size_of_a_new_index_s_nodes(tmp_path: Path) -> None:
    leadline.profile("sim:flash", quick=True).save(tmp_path / "p.json")
    leadline.experiment("r-by-k", "sim:flash", quick=True, into=tmp_path / "p.json")
    profile = leadline.Profile.load(tmp_path / "p.json")
    mix = {"point": 60, "range": 10, "insert": 30}
    advice = leadline.btree.advise(profile, data="1G", key_size=16, value_size=100, mix=mix, memory="256M")
    best = int(advice["node_bytes"][advice["chosen"]][0])
    with Index.open(tmp_path / "new", profile=profile) as index:
        assert index.stats()["node_bytes"] == min(max(best, 4096), 65536)
    # What is asked for counts.
    with Index.open(tmp_path / "asked", profile=profile, node_size="32K") as index:
        assert index.stats()["node_bytes"] == 32768
