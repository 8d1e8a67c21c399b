"""Whatever a public function is called with, it answers, or raises BadInput or Failed with a sentence."""

from __future__ import annotations

import inspect
import itertools
import os
import signal
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import any_call
import pytest
from any_call import ANYTHING, DEVICES, FITTING, MADE, QUICK, TARGETS, Call

pytest.importorskip("hypothesis")

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import leadline

#: All of them with --exhaustive.
CALLS = 10_000 if os.environ.get("LEADLINE_EXHAUSTIVE") else 250

#: Seconds that a call may take on a busy machine.
LONGEST = 120

EVERY = any_call.all_calls()

sometimes = settings(
    max_examples=CALLS,
    deadline=None,
    database=None,
    # By default the same calls each time.
    derandomize=CALLS < 10_000,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The current folder, with files, in which everything has to stay."""
    place = tmp_path_factory.mktemp("calls")
    any_call.prepare(place)
    before = Path.cwd()
    around = [before, before.parent, place.parent, Path.home(), Path("/")]
    there = {outside: set(os.listdir(outside)) for outside in around}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        patch.setattr(tempfile, "tempdir", os.fspath(place))
        patch.setenv("TMPDIR", os.fspath(place))
        yield place
    for outside, names_before in there.items():
        assert set(os.listdir(outside)) - names_before == set(), f"written to {outside}"


@st.composite
def calls(draw: st.DrawFn) -> tuple[Call, int, dict[str, Any]]:
    """Something public, which object of its class, and arguments: most of them fit."""
    call = draw(st.sampled_from(EVERY))
    wrong = draw(st.sampled_from([0, 0, 1, 1, 2, 5]))
    arguments: dict[str, Any] = {}
    for name, parameter in call.parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        needed = parameter.default is parameter.empty
        fitting = FITTING.get(name, [])
        if name in TARGETS and not call.name.startswith("leadline.Graph"):
            # Always given: the default may be a real device.
            arguments[name] = draw(st.sampled_from(DEVICES))
        elif name in QUICK:
            arguments[name] = QUICK[name]
        elif wrong and draw(st.booleans()):
            wrong -= 1
            arguments[name] = draw(st.sampled_from(ANYTHING))()
        elif fitting and (needed or draw(st.booleans())):
            arguments[name] = draw(st.sampled_from(fitting))
        elif needed:
            arguments[name] = draw(st.sampled_from(ANYTHING))()
    return call, draw(st.integers(0, 2)), arguments


def test_every_public_class_is_known() -> None:
    owners = {call.owner.__name__ for call in EVERY if call.owner is not None}
    assert owners <= MADE.keys(), "any_call.MADE says how to make one"
    assert len(EVERY) > 80


@sometimes
@given(calls())
def test_a_call_answers_or_says_why_not(folder: Path, drawn: tuple[Call, int, dict[str, Any]]) -> None:
    call, which, arguments = drawn
    with warnings.catch_warnings(), limited(call.name):
        warnings.simplefilter("ignore")
        try:
            answer(folder, call, which, arguments)
        except leadline.Error as error:
            line = str(error)
            assert line and "\n" not in line, f"{call.name}: {line!r} is no line"


def answer(folder: Path, call: Call, which: int, arguments: dict[str, Any]) -> None:
    """Make a call, of an object of its own where it needs one, and look at what it gives."""
    keywords = dict(arguments)
    positional = [
        keywords.pop(name)
        for name, parameter in call.parameters.items()
        if parameter.kind == parameter.POSITIONAL_ONLY and name in keywords
    ]
    if call.owner is None:
        return used(call.function(*positional, **keywords))
    owner = MADE[call.owner.__name__](folder, which)
    try:
        if call.function is None:
            used(getattr(owner, call.name.rpartition(".")[2]))
        else:
            used(call.function(owner, *positional, **keywords))
    finally:
        if hasattr(owner, "close"):
            owner.close()


def used(result: Any) -> None:
    """Look at a result as a notebook would."""
    if inspect.isgenerator(result) or hasattr(result, "__next__"):
        list(itertools.islice(result, 3))
    assert isinstance(repr(result), str)
    if hasattr(result, "_repr_html_"):
        result._repr_html_()
    if hasattr(result, "close"):
        result.close()


class limited:
    """Ends what takes too long, which no answer may."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        def late(*_: object) -> None:
            raise TimeoutError(f"{self.name} takes more than {LONGEST} seconds")

        self.before = signal.signal(signal.SIGALRM, late)
        signal.alarm(LONGEST)

    def __exit__(self, *_: object) -> None:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, self.before)
