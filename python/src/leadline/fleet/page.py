"""What a fleet's page says: first what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _leadline
from .verdicts import WORTH, WORTH_OF_K, importance

if TYPE_CHECKING:
    from .profiles import Fleet

__all__ = ["heading", "numbers_in_words", "page", "troubles"]

#: Numbers of a node that a sentence has; the table has all.
_SAID = 3

_QUANTITIES = {
    "alpha": "alpha",
    "alpha1": "alpha_1",
    "alpha_durable": "alpha of durable writes",
    "alpha1_durable": "alpha_1 of durable writes",
    "read_concurrency": "k_r",
    "read_concurrency90": "k_r_90",
    "write_concurrency": "k_w",
    "write_concurrency90": "k_w_90",
    "max_read_iops": "reads per second",
    "max_write_iops": "writes per second",
    "max_durable_write_iops": "durable writes per second",
}

_RULES = [
    "Two numbers differ where their 95 % intervals are apart and one is at least "
    f"{WORTH:g} times the other ({WORTH_OF_K:g} times for k, which is read off a curve where it is flat). "
    "Overlapping intervals cannot be told apart.",
    "A node is an outlier in a number where more than half of the nodes, itself counted, differ from it in "
    "the same direction. It is slow where that is fewer requests per second.",
    "Two nodes alone have no outlier, nor have two kinds of disks with as many nodes each: nobody can say "
    "which is the odd one.",
    "Since last time, each node is compared with itself.",
]


def page(fleet: Fleet) -> str:
    """The page, HTML."""
    names = list(fleet.profiles)
    said = {
        "heading": heading(fleet),
        "troubles": troubles(fleet),
        "sentences": _sentences(fleet),
        "rules": _RULES,
        "nodes": names,
        "outliers": [
            {
                "node": names.index(row["node"]),
                **{name: row[name] for name in ("pattern", "block_bytes", "quantity", "ratio")},
            }
            for row in fleet.outliers.to_dicts()
        ],
        "drift": _changes(fleet),
    }
    return _leadline.fleet_page(json.dumps(said), [profile._device for profile in fleet.profiles.values()])


def heading(fleet: Fleet) -> str:
    """What is wrong, in one line."""
    slow, odd = _slow_and_odd(fleet)
    changed = list(dict.fromkeys(row["node"] for row in _changes(fleet)))
    said = []
    if slow:
        said.append(f"{_listed(slow)} {_are(slow)} slow")
    if odd:
        said.append(f"{_listed(odd)} {'differ' if len(odd) > 1 else 'differs'} from the rest")
    if fleet.failures:
        said.append(f"{_listed(fleet.failures)} failed")
    if changed:
        said.append(f"{_listed(changed)} changed since last time")
    if said:
        return "; ".join(said)
    if len(fleet.profiles) < 2:
        return f"{_listed(fleet.profiles)} was profiled" if fleet.profiles else "No node was profiled"
    if fleet.outliers.info["undecided"]:
        return f"{len(fleet.profiles)} nodes differ, and none is the odd one"
    return f"{len(fleet.profiles)} nodes, none out of line"


def troubles(fleet: Fleet) -> list[str]:
    """What is wrong, a sentence for each node."""
    rows = fleet.outliers.to_dicts()
    slow, odd = _slow_and_odd(fleet)
    said = []
    for node in [*slow, *odd]:
        found = [row for row in rows if row["node"] == node]
        said.append(f"{node} {'is slow' if node in slow else 'differs'}: {numbers_in_words(found)}.")
    said += [f"{node} has no profile: {why.rstrip('.')}." for node, why in fleet.failures.items()]
    for node, changes in _by_node(_changes(fleet)).items():
        words = [_change_in_words(change["row"]) for change in changes]
        said.append(f"{node} changed since last time: {_some(words)}.")
    return said


def numbers_in_words(rows: Sequence[Mapping[str, Any]]) -> str:
    """The numbers of one node that others do not agree with."""
    return _some([f"{row['ratio']:.3g} times the other nodes' {_number(row)}" for row in rows])


def _sentences(fleet: Fleet) -> list[str]:
    """What else there is to say."""
    alike = [node for node in fleet.profiles if node not in set(fleet.outliers["node"])]
    said = []
    undecided = fleet.outliers.info["undecided"]
    if undecided:
        keys = ("pattern", "block_bytes", "quantity")
        numbers = sorted((dict(zip(keys, key, strict=True)) for key in undecided), key=importance)
        words = [_number(number) for number in numbers]
        said.append(f"Nodes differ, and none is the odd one, in {_some(words)}.")
    elif len(fleet.profiles) > 1 and alike:
        said.append(f"{_listed(alike)} {'have' if len(alike) > 1 else 'has'} no number out of line.")
    drift = fleet.drift
    if drift is None:
        return said
    info = drift.info
    same = [node for node in info["nodes"] if node not in _by_node(_changes(fleet))]
    if same:
        said.append(f"{_listed(same)} {_are(same)} as last time, as far as can be told.")
    if info["replaced"]:
        has = "have" if len(info["replaced"]) > 1 else "has"
        said.append(f"{_listed(info['replaced'])} {has} another device than last time, as it seems.")
    if info["new"]:
        said.append(f"{_listed(info['new'])}: there is no profile of last time to compare with.")
    if info["gone"]:
        said.append(
            f"{_listed(info['gone'])} had a profile last time and {_are(info['gone'])} without one now."
        )
    return said


def _slow_and_odd(fleet: Fleet) -> tuple[list[str], list[str]]:
    rows = fleet.outliers.to_dicts()
    slow = list(dict.fromkeys(row["node"] for row in rows if row["slow"]))
    return slow, list(dict.fromkeys(row["node"] for row in rows if row["node"] not in slow))


def _changes(fleet: Fleet) -> list[dict[str, Any]]:
    """Of the drift, what changed; for each node, the most important first."""
    drift = fleet.drift
    if drift is None:
        return []
    rows = zip(drift.info["rows"], drift["changed"], strict=True)
    return sorted(
        (row for row, changed in rows if changed),
        key=lambda change: (drift.info["nodes"].index(change["node"]), *importance(change["row"])),
    )


def _by_node(changes: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for change in changes:
        found.setdefault(change["node"], []).append(change)
    return found


def _change_in_words(row: Mapping[str, Any]) -> str:
    ratio = row["verdicts"][0]["differs"]["ratio"]
    return f"{ratio:.3g} times its {_number(row)} of then"


def _number(row: Mapping[str, Any]) -> str:
    """``reads per second (4K random)``."""
    size = row["block_bytes"]
    block = f"{size >> 10}K" if size % 1024 == 0 else f"{size}B"
    return f"{_QUANTITIES[row['quantity']]} ({block} {row['pattern']})"


def _some(words: Sequence[str]) -> str:
    """The first few of many."""
    left = len(words) - _SAID
    return ", ".join(words[:_SAID]) + (f" and {left} more" if left > 0 else "")


def _listed(names: Iterable[str]) -> str:
    shown = list(names)
    if len(shown) > _SAID + 1:
        return ", ".join(shown[:_SAID]) + f" and {len(shown) - _SAID} others"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def _are(names: Sequence[str]) -> str:
    return "are" if len(names) > 1 else "is"
