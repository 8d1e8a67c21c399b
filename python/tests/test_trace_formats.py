"""Each format of traces as a reader of a few lines in plain Python has it."""

import struct
from pathlib import Path

import pytest

import leadline
from leadline import trace

SAMPLES = Path(__file__).parents[2] / "crates/trace/tests/traces/samples"

SECTOR = 512


def lines(path):
    return path.read_text().splitlines()


def rows(path, separator=None):
    return [[field.strip() for field in line.split(separator)] for line in lines(path) if line.strip()]


def alibaba(path):
    return [(int(t) * 1000, d, o == "W", int(a), int(n)) for d, o, a, n, t in rows(path, ",")]


def tencent(path):
    return [
        (int(t) * 10**9, v, o == "1", int(a) * SECTOR, int(n) * SECTOR) for t, a, n, o, v in rows(path, ",")
    ]


def systor(path):
    read = [row for row in rows(path, ",")[1:] if row[2]]
    return [(nanoseconds(t, 9), v, o == "W", int(a), int(n)) for t, _, o, v, a, n in read]


def fiu(path):
    return [
        (int(t), (major, minor), o == "W", int(a) * SECTOR, int(n) * SECTOR)
        for t, _, _, a, n, o, major, minor, _ in rows(path)
    ]


def disksim(path):
    return [
        (nanoseconds(t, 6), v, int(flags, 16) % 2 == 0, int(a) * SECTOR, int(n) * SECTOR)
        for t, v, a, n, flags in rows(path)
    ]


def mqsim(path):
    return [(int(t), v, o == "0", int(a) * SECTOR, int(n) * SECTOR) for t, v, a, n, o in rows(path)]


def biosnoop(path):
    read = [row for row in rows(path)[2:] if row[-5] in ("R", "W", "WS")]
    return [(nanoseconds(r[0], 9), r[-6], "W" in r[-5], int(r[-4]) * SECTOR, int(r[-3])) for r in read]


def lirs(path):
    return [(0, 0, False, int(line), 1) for line in lines(path) if line.strip("*")]


def fio(path):
    requests, now = [], 0
    for name, action, *numbers in rows(path)[1:]:
        if action == "wait":
            now += int(numbers[0]) * 1000
        if action in ("read", "write"):
            requests.append((now, name, action == "write", *map(int, numbers)))
    return requests


def nanoseconds(text, decimals):
    whole, _, fraction = text.partition(".")
    return int(whole + fraction.ljust(decimals, "0")[:decimals])


def relative(requests):
    """Times from the first request on, and volumes as numbers in the order in which they appear."""
    volumes, latest, result = [], 0, []
    for at, volume, write, address, length in requests:
        if volume not in volumes:
            volumes.append(volume)
        latest = max(latest, at - requests[0][0])
        result.append((latest, volumes.index(volume), write, address, length))
    return result


def read(path, **options):
    batches = list(trace.open(path, **options))
    names = ("at_ns", "volume", "write", "address", "length")
    return [row for batch in batches for row in zip(*(batch[name].tolist() for name in names), strict=True)]


@pytest.mark.parametrize(
    ("name", "reader", "format"),
    [
        ("ali.csv", alibaba, None),
        ("cbs.csv", tencent, None),
        ("lun.csv", systor, None),
        ("fiu.blk", fiu, None),
        ("disksim.trace", disksim, None),
        ("mqsim.trace", mqsim, "mqsim"),
        ("bio.txt", biosnoop, None),
        ("loop.trc", lirs, "lirs"),
        ("v2.log", fio, None),
    ],
)
def test_requests_are_those_of_a_reader_of_a_few_lines(name, reader, format):
    expected = relative(reader(SAMPLES / name))
    assert expected
    assert read(SAMPLES / name, format=format) == expected


def test_requests_of_key_value_caches_are_those_of_a_reader_of_a_few_lines():
    keys = [line.split(",") for line in lines(SAMPLES / "cluster.csv")]
    keys = [(",".join(row[1:-5]), row[-2] not in ("get", "gets")) for row in keys if row[-2] != "delete"]
    cached = [row for row in rows(SAMPLES / "kv2022.csv", ",")[1:] if row[1] != "DELETE"]
    repeated = [(key, op == "SET") for key, op, _, count, _ in cached for _ in range(int(count))]
    for name, expected in [("cluster.csv", keys), ("kv2022.csv", repeated)]:
        found = read(SAMPLES / name)
        assert [write for _, _, write, _, _ in found] == [write for _, write in expected]
        # The same name is the same object, another name another.
        assert len({(key, row[3]) for (key, _), row in zip(expected, found, strict=True)}) == len(
            {key for key, _ in expected}
        )


def test_records_of_blktrace_are_those_of_struct(tmp_path):
    queue, issue = 1 | 1 << 20, 7 | 1 << 22
    for order in "<>":
        for cpu in range(2):
            packed = b""
            for i in range(100):
                for action in (queue, issue):
                    kind = action | 1 << 16 + i % 2
                    record = (0x65617407, i, i * 1000 + cpu * 500, i * 8, 4096, kind, 412, 8 << 20, cpu, 0, 0)
                    packed += struct.pack(order + "IIQQIIIIIHH", *record)
            (tmp_path / f"sda.blktrace.{cpu}").write_bytes(packed)
        all_of_both = [(i * 1000 + cpu * 500, i) for i in range(100) for cpu in range(2)]
        of_both = [(at, 0, i % 2 == 1, i * 4096, 4096) for at, i in all_of_both]
        assert read(tmp_path / "sda") == of_both
        assert read(tmp_path) == of_both
        assert len(read(tmp_path / "sda.blktrace.1")) == 100


def test_info_names_the_format_and_the_evidence():
    told = trace.info(SAMPLES / "cbs.csv")["format"]
    assert (told["format"], told["by"], told["looked_at"], told["fitting"]) == ("tencent", "content", 5, 5)
    assert "within the format's ranges" in told["evidence"]


def test_columns_are_read_as_they_are_named(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("when;what;where;how much\n10;read;8;16\n12;write;24;8\n")
    columns = "time:us,op,offset:sectors,size:sectors"
    expected = [(0, 0, False, 4096, 8192), (2000, 0, True, 12288, 4096)]
    assert read(path, columns=columns) == expected
    unit = {"columns": "time,op,offset:sectors,size:sectors", "timestamp_unit": "us"}
    assert read(path, **unit, delimiter="semicolon", header="yes") == expected
    assert trace.info(path, columns=columns)["requests"]["writes"] == 1
    names = "time:us=when,op=what,offset:sectors=where,size:sectors=how much"
    assert trace.info(path, columns=names, delimiter=";")["format"]["format"] == "columns"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"columns": "time,page"}, "columns: time: has no unit; write time:s"),
        ({"columns": "page", "format": "msr"}, "give one of them"),
        ({"header": "yes"}, "are for columns"),
        ({"columns": "page", "header": "perhaps"}, "header=perhaps: must be yes or no"),
        ({"columns": "page,size", "delimiter": "|"}, "log.txt:1: "),
        ({"columns": "-,page=9"}, "log.txt:1: expected a column 9, found 2 columns"),
    ],
)
def test_what_columns_cannot_be_is_said(tmp_path, options, said):
    path = tmp_path / "log.txt"
    path.write_text("5 6\n7 8\n")
    with pytest.raises(leadline.BadInput) as caught:
        read(path, **options)
    assert said in str(caught.value)
