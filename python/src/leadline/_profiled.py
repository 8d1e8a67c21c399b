"""Commands that work from a profile."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from ._command import judged
from ._errors import BadInput
from ._profile import Profile
from ._progress import Progress
from ._words import one_line

__all__ = ["Path", "ProfileLike", "from_profile", "named", "output_or_temporary", "paths_of"]

Path = str | os.PathLike[str]

#: A profile, the file of one, or ``device:NAME`` for published numbers.
ProfileLike = Profile | Path


def from_profile(
    words: str,
    before: Sequence[object],
    profile: ProfileLike,
    after: Sequence[object] = (),
    *,
    options: Mapping[str, object],
    outputs: Sequence[object] = (),
    progress: Progress = False,
) -> tuple[Any, tuple[str, ...], str | None]:
    """Run a command with the profile between other arguments; `outputs` are files that it writes.

    Returns
    -------
    tuple
        The document, the notes, and of a command that judges the line that says what does not fit.
    """
    with named(profile, outputs) as (name, known_as):
        arguments = [*before, name, *after]
        called = {str(name): known_as}
        document, notes, verdict = judged(
            words, *arguments, options=options, progress=progress, called=called
        )
        return document, tuple(notes), verdict


@contextmanager
def named(
    profile: ProfileLike | None, outputs: Sequence[object] = (), argument: str = "profile"
) -> Iterator[tuple[Any, str]]:
    """Give what a command takes for the profile that is this argument, and what messages are to call it."""
    if isinstance(profile, Profile):
        for output in outputs:
            profile._refuse_to_replace(output)
        with profile._as_argument() as path:
            yield path, str(profile._path or path if path.startswith("device:") else profile.name)
    elif profile is None or isinstance(profile, (str, os.PathLike)):
        yield profile, str(profile)
    else:
        raise BadInput(
            f"{argument}={one_line(profile)}: must be a Profile, the file of one, or 'device:NAME'"
        )


@contextmanager
def output_or_temporary(output: Path | None, name: str) -> Iterator[Path]:
    """Give the file that a command is to write, one for the time being where none is asked for."""
    if output is not None:
        yield output
        return
    with TemporaryDirectory(prefix="leadline-") as folder:
        yield os.path.join(folder, name)


def paths_of(given: object) -> list[object]:
    """Return one path, or several, as a list; what is none is left to the command."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if isinstance(given, Iterable) and not isinstance(given, (str, bytes, os.PathLike)):
        return list(given)
    return [given]
