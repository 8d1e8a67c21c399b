"""Random arguments for tables, profiles, models, pools and traces: an answer, or BadInput in one line."""

import pickle
import re
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

# Beside this file.
from test_random_calls import anything, scalars, sometimes

import leadline
from leadline import Table, pool, trace

TABLE = Table(
    {
        "id": np.ma.MaskedArray(np.array([1, 2**63 + 1, 3], dtype=np.uint64), mask=[0, 0, 1]),
        "x": [1.5, float("nan"), 2],
        "name": ["a", None, "c"],
    }
)
NAMES = st.sampled_from(["id", "x", "name", "rank"])

#: How a trace is read.
READING = ["format", "columns", "timestamp_unit", "delimiter", "header", "skip", "comment"]
SWEPT = ["policy", "ace", "n", "cleaner", "clients", "frames", "cache_size", "page_size"]
SWEPT += ["read_share", "alpha_1"]
QUESTION = ["block_size", "random", "concurrency", "batch_reads", "batch_writes", "model"]
QUESTION += ["what_if", "slo", "mix", "speedup"]


#: Workloads at random go beyond what was measured.
pytestmark = pytest.mark.filterwarnings("ignore::leadline.Extrapolated")


@cache
def published():
    profile = leadline.Profile.load("device:p4510")
    return profile, leadline.fit(profile)


def answered(call):
    """Whether it answered; anything but a sentence would be raised from here."""
    try:
        call()
    except (leadline.BadInput, leadline.Failed) as error:
        line = str(error)
        assert line and "\n" not in line and "defect" not in line
        # Another command that is named is as it is typed.
        assert not re.search("--[a-z]{2}", line.partition("leadline ")[0])
        return False
    return True


def some(names, values=anything, most=3):
    return st.dictionaries(st.sampled_from(names), values, max_size=most)


@sometimes
@given(
    key=st.one_of(anything, st.builds(slice, scalars, scalars, scalars), NAMES, st.lists(NAMES, max_size=3))
)
def test_a_table_has_it_or_says_what_it_has(key):
    assert (key in TABLE) == (isinstance(key, str) and key in TABLE.columns)
    assert (TABLE == key) is False
    for call in (TABLE.__getitem__, TABLE.row, TABLE.head, TABLE.tail):
        answered(lambda call=call: repr(call(key)))


@sometimes
@given(
    columns=st.one_of(
        st.dictionaries(st.text(max_size=3), anything, max_size=3),
        st.dictionaries(scalars, anything, max_size=3),
        anything,
    )
)
def test_a_table_that_is_made_keeps_its_cells(columns):
    def call():
        table = Table(columns)
        assert pickle.loads(pickle.dumps(table)) == table == table[np.arange(len(table))]
        assert len(list(table)) == len(table.to_dicts()) == len(table.to_numpy(structured=True)) == len(table)
        table._repr_html_()
        table.to_numpy()

    answered(call)


@sometimes
@given(
    pages=st.one_of(st.just([1, 2, 1]), anything),
    writes=st.one_of(st.none(), anything),
    swept=some(SWEPT),
    reading=some([*READING, "device", "profile"], most=2),
)
def test_pools_and_traces_answer_or_say_why_not(pages, writes, swept, reading):
    answered(lambda: pool.simulate(pages, writes, **{"frames": 2} | swept | reading))
    of_traces = {name: value for name, value in reading.items() if name in READING}
    answered(lambda: trace.info(pages, writes, **of_traces, sample_pages=swept.get("n"), by=swept.get("ace")))
    answered(lambda: list(trace.open(pages, batch=swept.get("clients"), **of_traces)))


@sometimes
@given(
    source=st.one_of(anything, some(["k", "t_us", "alpha_us", "op", "seconds"], most=4)),
    setup_per=anything,
    reads=st.one_of(st.just(1e6), anything),
    question=some(QUESTION),
)
def test_models_answer_or_say_why_not(source, setup_per, reads, question):
    _, models = published()
    answered(lambda: models.predict(reads, **question))
    answered(lambda: models.held_out(source))
    answered(lambda: leadline.fit(source))
    answered(lambda: leadline.fit(source, setup_per=setup_per))


@sometimes
@given(one=anything, other=anything)
def test_profiles_answer_or_say_why_not(one, other):
    profile, _ = published()
    for call in (
        lambda: profile.at(one, other),
        lambda: profile.compare(one),
        lambda: profile.summary(one, other),
        lambda: leadline.Profile.load(one),
        lambda: leadline.Profile.from_json(one, other),
        lambda: leadline.compare(one, other),
    ):
        answered(call)
