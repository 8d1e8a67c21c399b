"""Values that leave the process and come back: pickles, copies, and what works with them."""

import copy
import multiprocessing
import pickle

import numpy as np
import pytest

import leadline
from leadline import Profile, Table, pool

COSTS = {"k": [1, 8, 32, 128], "t_us": [56.0, 1.1, 0.4, 0.08], "alpha_us": [3.5, 0.27, 0.2, 0.1]}


class Measured(Profile):
    """A profile with a place."""


class Ranks(Table):
    """A table of a class of its own."""


def cells():
    return {
        "id": np.ma.MaskedArray(np.array([1, 2**63 + 1, 3], dtype=np.uint64), mask=[False, False, True]),
        "small": np.array([7, 8, 9], dtype=np.uint32),
        "seconds": np.array([0.1, np.nan, -0.0]),
        "write": np.ma.MaskedArray([True, False, True], mask=[True, False, False]),
        "name": ["a", None, "ü" * 1000],
    }


@pytest.fixture(scope="module")
def table():
    return Table(cells(), {"why": [1, 2]}, ["noted"], {"small": "bytes"})


@pytest.fixture(scope="module")
def published():
    return Profile.load("device:p4510")


def same(a, b):
    """Whether both are the same to whoever uses them."""
    if isinstance(a, Table):
        known, again = ((t.info, t.notes, t.units, [t[n].dtype for n in t.columns]) for t in (a, b))
        return type(a) is type(b) and a == b and known == again
    if isinstance(a, Profile):
        known, again = ((p.to_json(), p.notes, p.target) for p in (a, b))
        return type(a) is type(b) and a.points == b.points and known == again
    if isinstance(a, leadline.Models):
        asked = {"reads": [1e6, 1e3]}
        return type(a) is type(b) and a.document == b.document and a.predict(**asked) == b.predict(**asked)
    return type(a) is type(b) and a.html == b.html


def values(table, published):
    return [
        table,
        table[:0],
        table[1:],
        table[::-1][["name", "id"]],
        published,
        leadline.fit(published),
        leadline.fit(COSTS),
        published.report(),
        pool.simulate([1, 2, 1], frames=[1, 2], ace="cow", n=8),
    ]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_what_was_pickled(table, published, protocol):
    for value in values(table, published):
        assert same(value, pickle.loads(pickle.dumps(value, protocol=protocol)))


def test_copies_are_what_was_copied(table, published):
    for value in values(table, published):
        assert same(value, copy.copy(value)) and same(value, copy.deepcopy(value))
    deep, shallow = copy.deepcopy(table), copy.copy(table)
    deep.info["why"].append(3)
    assert table.info == shallow.info == {"why": [1, 2]}
    assert shallow["small"].ctypes.data == table["small"].ctypes.data


def test_numbers_are_the_same_to_the_bit(table):
    again = pickle.loads(pickle.dumps(table))
    for name in ("id", "seconds", "small"):
        assert np.asarray(again[name]).tobytes() == np.asarray(table[name]).tobytes() or name == "id"
    assert again["id"].tolist() == [1, 2**63 + 1, None]


def test_large_tables_leave_their_bytes_out_of_the_pickle():
    table, buffers = Table({"x": np.arange(100_000)}), []
    pickled = pickle.dumps(table, protocol=5, buffer_callback=buffers.append)
    assert len(pickled) < 2000 and sum(buffer.raw().nbytes for buffer in buffers) >= 800_000
    assert pickle.loads(pickled, buffers=buffers) == table


def test_subclasses_stay_what_they_are(published):
    ranks = Ranks({"x": [1]}, {"k": 1})
    ranks.place = "here"
    measured = Measured.from_json(published.to_json())
    measured.place = "there"
    for value in (ranks, measured, ranks[:1]):
        for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
            assert type(again) is type(value) and again.place == value.place


def test_rows_and_errors_are_pickled(table):
    row = pickle.loads(pickle.dumps(table[2]))
    assert row == table[2] and row.id is None and row["small"] == 9
    for wrong in (lambda: table["rank"], lambda: table[9], lambda: Profile.load("/nowhere")):
        with pytest.raises(leadline.BadInput) as raised:
            wrong()
        again = pickle.loads(pickle.dumps(raised.value))
        assert type(again) is type(raised.value) and str(again) == str(raised.value)


def test_a_pickle_that_was_cut_short_is_no_table(table):
    kind, (of, bytes_), _ = table.__reduce__()
    for end in (0, 8, len(bytes_) // 2):
        with pytest.raises(ValueError):
            kind(of, bytes_[:end].copy())


def asked(value):
    """What another process says of a value, and the value."""
    numbers = value["small"].sum() if isinstance(value, Table) else value.k_r
    return int(numbers), value


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_other_processes_get_values_and_give_them_back(table, published, method):
    with multiprocessing.get_context(method).Pool(1) as workers:
        both = (table, published)
        for value, (number, again) in zip(both, workers.map(asked, both), strict=True):
            assert number == asked(value)[0] and same(value, again)


def test_joblib_gets_values_and_gives_them_back(table, published):
    joblib = pytest.importorskip("joblib")
    both = (table, published)
    answers = joblib.Parallel(n_jobs=2, backend="loky")(joblib.delayed(asked)(value) for value in both)
    assert all(same(value, again) for value, (_, again) in zip(both, answers, strict=True))


def test_cloudpickle_takes_what_a_function_holds(table, published):
    cloudpickle = pytest.importorskip("cloudpickle")
    models = leadline.fit(published)
    number, again = pickle.loads(cloudpickle.dumps(lambda: (models.best, table)))()
    assert number == models.best and same(table, again)
