"""Arguments by the names that they had in earlier versions."""

import inspect

import pytest

import leadline
from leadline import Drive, Graph, btree, lsm, pool, trace
from leadline.testing import Disk

#: Functions that can be called, the old name of an argument and the new one, and a value that is refused.
REFUSED = [
    (lambda **given: leadline.profile("sim:flash", **given), "block_sizes", "block_size", ["3K5"]),
    (lambda **given: leadline.predict("device:p4510", reads=1, **given), "block", "block_size", "2G"),
    (
        lambda **given: leadline.place("t", fast="sim:flash", slow="sim:sata", **given),
        "block",
        "block_size",
        "5K",
    ),
    (
        lambda **given: btree.advise("device:p4510", data="1G", mix="point=100", value_size=1, **given),
        "key",
        "key_size",
        "x",
    ),
    (
        lambda **given: lsm.advise("device:p4510", data="1G", mix="point=100", key_size=1, **given),
        "value",
        "value_size",
        "x",
    ),
    (lambda **given: lsm.validate("device:p4510", ".", **given), "scale", "data", "x"),
    (lambda **given: lsm.validate("device:p4510", ".", **given), "duration", "seconds", 0),
    (lambda **given: lsm.validate("device:p4510", ".", **given), "repeats", "rounds", "x"),
    (lambda **given: trace.info("gen:zipf?ops=9", **given), "page_bytes", "page_size", "3"),
    (lambda **given: trace.convert("gen:zipf?ops=9", "a.pages", **given), "from_", "format", "elf"),
    (lambda **given: pool.simulate([1], **given), "cache_bytes", "cache_size", "x"),
    (lambda **given: leadline.emulate("sim:flash", **given), "cache", "cache_size", "x"),
    (lambda **given: leadline.emulate("sim:flash", **given), "report", "output", "a\0b"),
    (lambda **given: Graph.from_edges([1], [2], **given), "block", "block_size", "5K"),
    (lambda **given: Graph.from_edges([1], [2]).wcc(**given), "depth", "concurrency", 5000),
]


@pytest.mark.parametrize(("call", "old", "new", "value"), REFUSED, ids=lambda each: str(each)[:20])
def test_the_old_name_is_the_new_one_and_warns(call, old, new, value):
    with (
        pytest.warns(DeprecationWarning, match=f"the argument {old} is called {new}"),
        pytest.raises(leadline.BadInput, match=rf"\b{new}[=:]"),
    ):
        call(**{old: value})


def test_both_names_at_once_are_refused():
    with pytest.raises(leadline.BadInput, match="^block_sizes=: is block_size=, which is given, too"):
        leadline.profile("sim:flash", block_sizes="4K", block_size="8K")


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (pool.simulate, {"output": "report", "page_bytes": "page_size"}),
        (trace.replay, {"output": "report"}),
        (trace.info, {"output": "report"}),
        (leadline.place, {"output": "report"}),
        (lsm.predict, {"cache": "cache_size"}),
        (Drive.enumerate_power_cuts, {"most": "limit"}),
        (Disk.every_crash, {"most": "limit"}),
        (Graph.open, {"depth": "concurrency"}),
    ],
)
def test_only_the_new_name_is_in_the_signature(function, names):
    parameters = inspect.signature(function).parameters
    for old, new in names.items():
        assert new in parameters and old not in parameters
