"""Commands and functions have the same options, defaults and ranges."""

import inspect
import json
from keyword import iskeyword

import pytest
from parity_table import EVERYWHERE, FACES, LEFT_OUT, NOT_IN_PYTHON, OWN, PYTHON_ONLY, SAMPLES, SELVES

import leadline
from leadline import _leadline

COMMANDS = {command["path"]: command for command in json.loads(_leadline.commands(ranges=True))["commands"]}

#: What all algorithms on graphs take.
HOW_IT_RUNS = {"memory", "threads", "concurrency", "temp", "output", "runs"}

#: How much was compared, for the last test.
compared = dict.fromkeys(["commands", "functions", "options", "defaults", "ranges", "choices", "kinds"], 0)


class Called(Exception):
    """Instead of the command."""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A directory in which nothing is, and nothing is lost."""
    monkeypatch.chdir(tmp_path)


def parts(path):
    """All arguments and options of a command."""
    command = COMMANDS[path]
    return [*command["arguments"], *command["options"]]


def parameter(face, option):
    name = option["name"].replace("-", "_")
    return face.renamed.get(option["name"], name + "_" if iskeyword(name) else name)


def faced(path):
    """The options of a command that are parameters of its function, with the parameter's name."""
    face = FACES[path]
    for option in parts(path):
        if option["name"] in {**LEFT_OUT, **face.left_out}:
            continue
        yield option, parameter(face, option)


def takes_any(face):
    kinds = {p.kind for p in inspect.signature(face.function).parameters.values()}
    return inspect.Parameter.VAR_KEYWORD in kinds


def itself(method):
    """What the method is called on."""
    for kind, make in SELVES.items():
        if getattr(kind, method.__name__, None) is method:
            return make()
    raise AssertionError(f"{method.__qualname__}: parity_table.SELVES has nothing of its class")


def call(face, **given):
    """Call the function with what it needs and `given`."""
    positional, named = [], {**face.needs, **given}
    for name, p in inspect.signature(face.function).parameters.items():
        if name == "self":
            positional.append(itself(face.function))
        elif p.kind is p.VAR_POSITIONAL:
            positional.append(named.pop(name, SAMPLES[name]))
        elif p.default is p.empty and p.kind is not p.VAR_KEYWORD:
            value = named.pop(name, SAMPLES.get(name, "x"))
            if p.kind is p.KEYWORD_ONLY:
                named[name] = value
            else:
                positional.append(value)
    return face.function(*positional, **named)


def recorded(monkeypatch, face, **given):
    """The arguments with which the function calls its command."""
    told = []

    def record(arguments, *_):
        told.append(arguments)
        raise Called

    monkeypatch.setattr(_leadline, "call", record)
    with pytest.raises(Called):
        call(face, **given)
    return told[0]


def number(text, range_):
    """A number of a range as Python has it."""
    if range_["unit"]:
        return text + range_["unit"]
    return int(text) if range_["whole"] else float(text)


def sample(option, name):
    """A value that the option takes."""
    if option["kind"] in ("flag", "switch"):
        return True
    if option.get("range"):
        return number(option["range"]["most" if option["range"]["whole"] else "least"], option["range"])
    if option["choices"]:
        return option["choices"][0]
    if "yes" in option["words"]:
        return True
    return SAMPLES.get(name, option["default"] or "x")


def test_every_command_has_a_function_or_a_reason():
    for path in COMMANDS:
        left_out = [each for each in NOT_IN_PYTHON if path == each or path.startswith(each + " ")]
        assert len(left_out) == (path not in FACES), path
        compared["commands"] += path in FACES
    assert set(FACES) <= set(COMMANDS), "there are no such commands"


def test_options_of_every_command_are_left_out_with_a_reason():
    assert set(json.loads(_leadline.commands())["everywhere"]) == set(EVERYWHERE)


def test_every_public_function_is_a_commands_or_has_a_reason():
    modules = [leadline, leadline.btree, leadline.lsm, leadline.pool, leadline.trace]
    public = {getattr(module, name) for module in modules for name in module.__all__}
    for kind in (leadline.Drive, leadline.Graph):
        public |= {getattr(kind, name) for name in dir(kind) if not name.startswith("_")}
    functions = {each for each in public if inspect.isfunction(each) or inspect.ismethod(each)}
    faces = {face.function for face in FACES.values()}
    known = faces | set(PYTHON_ONLY)
    assert not {each.__qualname__ for each in functions - known}
    compared["functions"] = len(functions | faces)


@pytest.mark.parametrize("path", FACES)
def test_every_option_is_a_parameter_or_left_out_with_a_reason(path):
    face = FACES[path]
    names = {option["name"] for option in parts(path)}
    parameters = set(inspect.signature(face.function).parameters) - {"self"}
    expected = {name for _, name in faced(path)}
    assert not set(face.left_out) - names, "left out, and no option"
    assert not set(face.renamed) - names, "renamed, and no option"
    if not takes_any(face):
        assert expected - parameters == set(), "options without a parameter"
    assert parameters - expected - set(OWN) - set(face.own) == set(), "parameters without an option"
    compared["options"] += len(names)


@pytest.mark.parametrize("path", FACES)
def test_parameters_stand_in_the_order_of_the_help(path):
    parameters = inspect.signature(FACES[path].function).parameters.values()
    # What has to be given comes first in Python.
    free = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is not p.empty]
    expected = [name for _, name in faced(path) if name in free]
    if "estimate" in FACES[path].left_out:
        # What an algorithm does comes before how it runs.
        expected.sort(key=HOW_IT_RUNS.__contains__)
    assert [name for name in free if name in expected] == expected


@pytest.mark.parametrize("path", FACES)
def test_defaults_are_the_commands_own(path):
    parameters = inspect.signature(FACES[path].function).parameters
    for option, name in faced(path):
        p = parameters.get(name)
        if p is None or p.default is p.empty:
            continue
        default = option["default"]
        own = [False, None] if option["kind"] in ("flag", "switch") else [None]
        assert p.default in own or text(p.default) == default or same_number(p.default, default), name
        compared["defaults"] += 1


def text(value):
    return str(value) if not isinstance(value, (tuple, list)) else ",".join(map(str, value))


def same_number(value, default):
    """Whether a default with a unit or in percent is the number of Python's."""
    units = {"%": 0.01, "K": 1024}
    try:
        scale = units.get(default[-1:], 1)
        return float(default.rstrip("%K")) * scale == float(value)
    except (TypeError, ValueError, AttributeError):
        return False


@pytest.mark.parametrize("path", [path for path, face in FACES.items() if face.calls])
def test_each_parameter_is_its_option(path, monkeypatch):
    face = FACES[path]
    positional = {each["name"] for each in COMMANDS[path]["arguments"]}
    for option, name in faced(path):
        if option["name"] in positional:
            continue
        given = recorded(monkeypatch, face, **{name: sample(option, name)})
        flag = f"--{option['name']}"
        assert any(word == flag or word.startswith(flag + "=") for word in given), (flag, given)
        assert [word for word in given if word in path.split()][: len(path.split())] == path.split()


@pytest.mark.parametrize("path", [path for path, face in FACES.items() if not face.no_ranges])
def test_ranges_end_where_the_commands_do(path):
    face = FACES[path]
    positional = {each["name"] for each in COMMANDS[path]["arguments"]}
    for option, name in faced(path):
        range_ = option.get("range")
        if range_ is None or option["name"] in positional:
            continue
        for end in ("below", "above"):
            beyond = range_[end]
            if beyond is None:
                continue
            with pytest.raises(leadline.BadInput, match=rf"^{name}[=:]"):
                call(face, **{name: number(beyond, range_)})
            words = path.replace("ctl ", "ctl /nowhere ").split()
            words.append(f"--{option['name']}={beyond}{range_['unit']}")
            with pytest.raises(leadline.BadInput, match=rf"^{name}[=:]"):
                _leadline.call(words)
            compared["ranges"] += 1


@pytest.mark.parametrize("path", [path for path, face in FACES.items() if face.calls])
def test_what_an_option_does_not_take_is_refused_by_name(path):
    face = FACES[path]
    for option, name in faced(path):
        wrong = {"flag": ["yes", 1, []], "switch": [1j]}.get(option["kind"], [1j, object(), []])
        if option["kind"] in ("value", "list", "repeated") and "yes" not in option["words"]:
            wrong.append(True)
        for value in wrong:
            with pytest.raises(leadline.BadInput, match=name):
                call(face, **{name: value})
            compared["kinds"] += 1
        if option["choices"]:
            with pytest.raises(leadline.BadInput, match=rf"^{name}='no such'"):
                call(face, **{name: "no such"})
            compared["choices"] += 1


def test_the_sum_of_it(capsys):
    """Last: says how much was compared; a difference has failed above."""
    counts = ", ".join(f"{count} {what}" for what, count in compared.items())
    with capsys.disabled():
        print(f"\nparity: {counts}; differences: 0")
    assert all(compared.values())
