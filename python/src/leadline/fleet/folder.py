"""A fleet in a directory: a file for each profile and an index, whole or not at all."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .._errors import BadInput, Failed
from .._profile import Profile

__all__ = ["load", "save"]

_SCHEMA = "leadline.fleet/1"
_INDEX = "fleet.json"


def save(folder: Path, profiles: Mapping[str, Profile], failures: Mapping[str, str]) -> None:
    """Make the directory; it appears under its name when all of it is written."""
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise BadInput(
            f"{folder}: exists; name a directory that does not, so that what was stays to compare with"
        )
    try:
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        # Next to it, because a rename does not cross file systems.
        made = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.absolute().parent))
    except OSError as error:
        raise BadInput(f"{folder}: {error.strerror}") from None
    try:
        _fill(made, profiles, failures)
        made.chmod(0o755)
        os.replace(made, folder)
        _make_durable(folder.absolute().parent)
    except OSError as error:
        raise Failed(f"{folder}: {error.strerror}; nothing was saved") from None
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _fill(folder: Path, profiles: Mapping[str, Profile], failures: Mapping[str, str]) -> None:
    nodes = []
    for place, (node, profile) in enumerate(profiles.items()):
        # The place keeps names apart that are the same without the characters that files do not have.
        file = f"{place:03}-{re.sub(r'[^A-Za-z0-9._-]', '_', node)[:100]}.json"
        profile._device.save(os.fspath(folder / file))
        nodes.append({"name": node, "file": file})
    index = {"schema": _SCHEMA, "nodes": nodes, "failures": dict(failures)}
    with open(folder / _INDEX, "w", encoding="utf-8") as out:
        json.dump(index, out, indent=1, ensure_ascii=False)
        out.write("\n")
        out.flush()
        os.fsync(out.fileno())
    _make_durable(folder)


def _make_durable(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def load(folder: Path) -> tuple[dict[str, Profile], dict[str, str]]:
    """Return the profiles and the failures of a directory."""
    path = folder / _INDEX
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        schema = index["schema"]
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}; Fleet.save makes such directories") from None
    except (ValueError, KeyError, TypeError):
        raise BadInput(f"{path}: is not the index of a fleet; Fleet.save makes such directories") from None
    if schema != _SCHEMA:
        raise BadInput(f"{path}: has the schema {schema}, and this version reads {_SCHEMA}")
    try:
        files = {str(node["name"]): str(node["file"]) for node in index["nodes"]}
        failures = {str(node): str(why) for node, why in index["failures"].items()}
    except (KeyError, TypeError, AttributeError):
        raise BadInput(f"{path}: is damaged: nodes or failures are not as {_SCHEMA} has them") from None
    # A file's name and no path: an index must not lead out of its directory.
    outside = next((file for file in files.values() if Path(file).name != file), None)
    if outside is not None:
        raise BadInput(f"{path}: {outside!r} is not a file next to it")
    return {node: Profile.load(folder / file) for node, file in files.items()}, failures
