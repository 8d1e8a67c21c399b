"""Every public function says what it takes, what it gives, what it refuses, and shows how it is called."""

from __future__ import annotations

import inspect
import re

import pytest
from any_call import Call, all_calls

#: Sections of numpydoc.
HEADING = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)

EVERY = [call for call in all_calls() if call.function is not None]
PROPERTIES = [call for call in all_calls() if call.function is None]


def sections(docstring: str) -> dict[str, str]:
    """The text below each heading; the summary is under \"\"."""
    parts = HEADING.split(docstring)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def named(section: str) -> set[str]:
    """The names that entries are about: ``source, target`` are two, and a type behind a colon is none."""
    entries = [line for line in section.splitlines() if line and not line.startswith((" ", "\t"))]
    return {name.strip(" *") for line in entries for name in line.partition(":")[0].split(",")}


def missing(call: Call) -> list[str]:
    """What a docstring lacks."""
    docstring = inspect.getdoc(call.function) or ""
    found = sections(docstring)
    lacks = [] if found[""].strip() else ["a summary"]
    parameters = set(call.parameters)
    undescribed = parameters - named(found.get("Parameters", "")) - named(found.get("Other Parameters", ""))
    lacks += [f"the parameter {name}" for name in sorted(undescribed)]
    is_class = inspect.isclass(call.function)
    gives = not is_class and inspect.signature(call.function).return_annotation not in (None, "None")
    if gives and not found.keys() & {"Returns", "Yields"}:
        lacks.append("Returns")
    if parameters and "Raises" not in found:
        lacks.append("Raises")
    # Where one function needs another, the example is in one of them.
    if (parameters or gives) and not re.search(">>> |^See :", found.get("Examples", ""), re.MULTILINE):
        lacks.append("Examples")
    return lacks


@pytest.mark.parametrize("call", EVERY, ids=lambda call: call.name)
def test_a_docstring_is_whole(call: Call) -> None:
    assert missing(call) == []


@pytest.mark.parametrize("call", PROPERTIES, ids=lambda call: call.name)
def test_a_property_says_what_it_is(call: Call) -> None:
    assert call.owner is not None
    described = inspect.getattr_static(call.owner, call.name.rpartition(".")[2])
    assert (inspect.getdoc(described) or "").strip()
