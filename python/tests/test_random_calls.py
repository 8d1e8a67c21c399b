"""Random calls: an answer or a sentence, never a crash."""

import inspect
import os
import warnings

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
        st.sampled_from(["directed", "dedupe", "reverse", "renumber", "plain", "block_size", "memory"]),
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


QUESTIONS = ["neighbors", "degree", "ego", "subgraph", "edges", "ids"]

#: What runs no longer than it takes to notice.
SMALL = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 30),
    st.sampled_from([-0.5, 0.25, 1.0, 2.5]),
    st.text(max_size=3),
)


@sometimes
@given(data=st.data(), name=st.sampled_from([*NAMES, *QUESTIONS]))
def test_methods_of_graphs_answer_or_refuse_and_nothing_else(data, name):
    method = getattr(Graph, name) if name != "edges" else type(_graph().edges).__call__
    parameters = [each for each in inspect.signature(method).parameters if each != "self"]
    given = data.draw(st.lists(st.sampled_from(parameters), max_size=4, unique=True))
    values = st.one_of(SMALL, anything)
    # Work without end, and files with odd names, say nothing about arguments.
    long = ("iterations", "walkers", "per_vertex", "length", "runs", "p", "q")
    arguments = {
        each: data.draw(SMALL if each in long else values)
        for each in given
        if each not in ("progress", "levels")
    }
    required = [
        each.name
        for each in inspect.signature(method).parameters.values()
        if each.default is each.empty and each.name not in ("self", *arguments)
    ]
    arguments |= {each: data.draw(values) for each in required}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", leadline.NotConverged)
        try:
            answer = getattr(_graph(), name)(**arguments)
            if name == "edges":
                list(answer)
        except leadline.Error as error:
            assert str(error) and "\n" not in str(error)


def _graph(kept=[]):
    if not kept:
        kept.append(Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 7], [1.0, 2.0, 0.5, 4.0], directed=False))
    return kept[0]
