"""Random calls: an answer or a sentence, never a crash."""

import os

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import leadline
from leadline import Graph
from leadline._graph_algorithms import NAMES

#: All of them with --exhaustive.
CALLS = 10_000 if os.environ.get("LEADLINE_EXHAUSTIVE") else 150

sometimes = settings(
    max_examples=CALLS,
    deadline=None,
    database=None,
    # By default the same calls each time.
    derandomize=CALLS < 10_000,
    suppress_health_check=list(HealthCheck),
)

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-2, 5),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["lru", "all", "4K", "64M", "sim:flash", "device:p4510", "gen:zipf?ops=50", "cow-x"]),
    st.binary(max_size=3),
    st.complex_numbers(),
)
types = st.sampled_from(["u1", "i4", "u4", "i8", "u8", "f4", "f8", "bool", "U3", "O", "c16", "M8[s]"])


@st.composite
def arrays(draw):
    numbers = draw(st.lists(st.integers(-1, 20), max_size=6))
    array = np.array(numbers, dtype=np.int64).astype(draw(types))
    shape = draw(st.sampled_from(["flat", "reversed", "column", "matrix"]))
    return {
        "flat": array,
        "reversed": array[::-1],
        "column": np.stack([array, array], axis=1)[:, 0],
        "matrix": array.reshape(-1, 1),
    }[shape]


anything = st.one_of(
    scalars, arrays(), st.lists(scalars, max_size=4), st.dictionaries(st.text(max_size=3), scalars)
)


def answered(call):
    """Whether it answered; what it refuses or fails at, it says in a sentence."""
    try:
        call()
    except (leadline.Error, TypeError, ValueError, OverflowError, KeyError) as error:
        assert str(error)
        return False
    return True


#: What algorithms are asked about.
ARGUMENTS = {
    "bfs": ["source"],
    "sssp": ["source"],
    "dfs": ["source"],
    "walk": ["source"],
    "similarity": ["vertex", "other"],
    "louvain": ["max_levels"],
}


@sometimes
@given(
    source=anything,
    target=anything,
    weight=anything,
    vertices=anything,
    options=st.dictionaries(
        st.sampled_from(["directed", "dedupe", "reverse", "renumber", "plain", "block", "memory"]),
        scalars,
        max_size=2,
    ),
    algorithm=st.sampled_from(NAMES),
    argument=anything,
)
def test_graphs_answer_or_say_why_not(source, target, weight, vertices, options, algorithm, argument):
    def call():
        with Graph.from_edges(source, target, weight, vertices=vertices, **options) as graph:
            arguments = {name: argument for name in ARGUMENTS.get(algorithm, [])}
            getattr(graph, algorithm)(**arguments)

    answered(call)


@sometimes
@given(
    strings=st.booleans(),
    weighted=st.booleans(),
    method=st.sampled_from(
        ["insert_edges", "delete_edges", "set_weights", "insert_vertices", "delete_vertices"]
    ),
    arguments=st.lists(anything, min_size=1, max_size=3),
    options=st.dictionaries(st.sampled_from(["one", "strict", "memory", "threads"]), scalars, max_size=1),
)
def test_updates_answer_or_say_why_not(strings, weighted, method, arguments, options):
    ids = ["a", "b"] if strings else [1, 2]
    with Graph.from_edges(ids, ids, [1, 2] if weighted else None) as graph:

        def call():
            with graph.update(**options) as update:
                getattr(update, method)(*arguments)

        answered(call)
        with Graph.open(graph.path) as new:
            assert new.vertices == len(new.wcc())
