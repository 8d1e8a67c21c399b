"""The commands of the command line as functions: arguments in, what ``--json`` prints out.

Names, defaults, checks and units of arguments come from the command line, the one place that has
them: ``max_writes="1G"`` is ``--max-writes 1G``. What is checked here is what Python alone can get wrong:
names and kinds of values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any

from . import _leadline
from ._errors import Error, Failed
from ._notes import warn_of
from ._progress import Progress, showing
from ._values import Option, as_flags, no_such, text, written

__all__ = ["flags", "judged", "positionals", "run", "text"]


def run(
    words: str,
    *positional: object,
    options: Mapping[str, object] | None = None,
    progress: Progress = False,
    trace: tuple[Any, Any] | None = None,
    called: Mapping[str, str] | None = None,
) -> tuple[Any, list[str]]:
    """Run ``leadline WORDS OPTIONS --json POSITIONAL``; `trace` is what the trace ``memory:`` holds.

    Returns
    -------
    tuple
        The JSON document that it printed, and its messages. Those about extrapolation are warned of, too.

    Raises
    ------
    BadInput
        An option is none of the command's, or a value is none that the option takes.
    Failed
        The operation failed, or its answer is that something does not fit.
    """
    document, notes, verdict = judged(
        words, *positional, options=options, progress=progress, trace=trace, called=called
    )
    if verdict is not None:
        raise Failed(verdict)
    return document, notes


def judged(
    words: str,
    *positional: object,
    options: Mapping[str, object] | None = None,
    progress: Progress = False,
    trace: tuple[Any, Any] | None = None,
    called: Mapping[str, str] | None = None,
) -> tuple[Any, list[str], str | None]:
    """As :func:`run`, for commands that judge: the last part is the line that says what does not fit.

    `called` says what messages are to call files that are made for the time being.
    """

    def said(line: str) -> str:
        for file, name in (called or {}).items():
            line = line.replace(file, name)
        return line

    given = flags(words, options or {})
    arguments = [*words.split(), *given, "--json", "--", *positionals(words, positional)]
    with showing(progress) as callback:
        try:
            printed, notes, verdict = _leadline.call(arguments, callback, trace)
        except Error as error:
            raise type(error)(said(str(error))) from None
    notes = [said(note) for note in notes]
    warn_of(notes)
    return json.loads(printed), notes, None if verdict is None else said(verdict)


def flags(words: str, options: Mapping[str, object]) -> list[str]:
    """Options of a command as flags; ``None`` is the command's own default."""
    known, _ = _commands()[words]
    given: list[str] = []
    for name, value in options.items():
        option = known.get(name.rstrip("_").replace("_", "-"))
        if option is None:
            close = get_close_matches(name, [each.python for each in known.values()], n=1)
            raise no_such(name, f"leadline {words}", close)
        given += as_flags(option, value)
    return given


def positionals(words: str, positional: Sequence[object]) -> Iterator[str]:
    """Arguments of a command without a flag; the last one may be several."""
    _, known = _commands()[words]
    for place, value in enumerate(positional):
        yield written(known[min(place, len(known) - 1)], value)


@cache
def _commands() -> dict[str, tuple[dict[str, Option], list[Option]]]:
    """Of each command its options, by name, and its arguments."""

    def read(options: list[dict[str, Any]]) -> list[Option]:
        return [Option(*(one[name] for name in Option._fields)) for one in options]

    commands = json.loads(_leadline.commands(ranges=False))["commands"]
    return {
        command["path"]: (
            {option.name: option for option in read(command["options"])},
            read(command["arguments"]),
        )
        for command in commands
    }
