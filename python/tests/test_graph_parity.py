"""Methods of Graph and commands of ``leadline graph``: the same values are taken, and have one result."""

import inspect
import json
import re
import warnings

import pytest

import leadline
from leadline import Graph, _leadline
from leadline._graph_algorithms import NAMES


def options_of(algorithm):
    """Names of the options of a command."""
    commands = json.loads(_leadline.commands(ranges=False))["commands"]
    found = next(each for each in commands if each["path"] == f"graph {algorithm}")
    return {option["name"] for option in found["options"]}


def parameter(option):
    return "from_" if option == "from" else option.replace("-", "_")


METHODS = [name for name in dir(Graph) if name[0] != "_" and inspect.isroutine(getattr(Graph, name))]


@pytest.mark.parametrize("name", METHODS)
def test_every_argument_of_a_method_is_described(name):
    method = getattr(Graph, name)
    parameters = {name for name in inspect.signature(method).parameters if name != "self"}
    lines = re.findall(r"^ {8}([*a-z_, ]+)$", method.__doc__, re.MULTILINE)
    named = {name.lstrip("*") for line in lines for name in line.split(", ")}
    assert parameters <= named
    assert ">>>" in method.__doc__ or name == "close"


#: Values that are tried of every option that takes numbers or words.
VALUES = [0, 1, 2, -1, 0.5, 1.5, 1e-3, float("nan"), float("inf"), 2**32 + 1, 2**64, "x", "overlap"]
#: Options that name files or ids, or say how a run is done.
NOT_TRIED = {"json", "estimate", "profile", "pairs", "output", "temp", "properties", "from", "levels"}
NOT_TRIED |= {"source", "memory", "weighted", "parents"}
NEEDED = {"bfs": {"source": 1}, "sssp": {"source": 1}, "similarity": {"top": 1}}


def of_command(path, algorithm, given):
    """The result in short of the command, or None where it refuses."""
    flags = [f"--{name}={value}" for name, value in given.items()]
    try:
        text = _leadline.call(["graph", algorithm, *flags, "--json", "--", str(path)], None, None)[0]
    except leadline.BadInput:
        return None
    return json.loads(text)["result"]


def of_method(graph, algorithm, given):
    arguments = {parameter(name): value for name, value in given.items()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", leadline.NotConverged)
            return getattr(graph, algorithm)(**arguments).info["result"]
    except leadline.BadInput as error:
        assert "--" not in str(error)
        return None


def test_every_value_is_refused_by_both_or_has_one_result(tmp_path):
    path = tmp_path / "g"
    tried = refused = 0
    with Graph.from_edges([1, 2, 3, 3], [2, 3, 1, 7], [1, 2, 3, 4], path=path, directed=False) as graph:
        for algorithm in NAMES:
            for option in sorted(options_of(algorithm) - NOT_TRIED):
                for value in VALUES:
                    given = {**NEEDED.get(algorithm, {}), option: value}
                    results = of_command(path, algorithm, given), of_method(graph, algorithm, given)
                    for result in results:
                        (result or {}).pop("steps_per_second", None)
                    assert results[0] == results[1], (algorithm, given)
                    tried += 1
                    refused += results[0] is None
    assert tried > 500 and 200 < refused < tried - 100
