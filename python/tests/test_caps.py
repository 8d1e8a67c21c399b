"""Caps that hold: what a process has more in memory than before is at most `memory` and 16 MiB.

Each case runs in a process of its own, which sets its peak back before the work. What the caller holds is
there before. Caps are small, so that small graphs show what grows with the graph.
"""

import subprocess
import sys

import numpy as np
import pytest

import leadline

#: What a process may have above the cap: buffers of a size that no cap changes, stacks, the allocator.
SLACK = 16 << 20

#: Measures `work`; what `prepare` makes is the caller's.
PROGRAM = """
import sys
import numpy as np
import leadline
from leadline import _leadline
def resident(name):
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(name))
def command(*arguments):
    code = _leadline.main(["leadline", "graph", *map(str, arguments)])
    assert code == 0, code
# Code is read into memory when it first runs.
with leadline.Graph.from_edges(["a", "b"], ["b", "c"]) as small:
    with small.update() as update:
        update.insert_edges(["c"], ["d"])
        update.delete_vertices(["a"])
    small.compact()
{prepare}
with open("/proc/self/clear_refs", "w") as references:
    references.write("5")
before = resident("VmRSS")
{work}
print("more:", resident("VmHWM") - before)
"""


def more(folder, prepare, work):
    """Bytes that a process has more at most."""
    program = PROGRAM.format(prepare=prepare, work=work)
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return int(done.stdout.rpartition("more:")[2])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("caps")


def names(kind, first, count):
    """Code for the ids of a path of ``count`` vertices."""
    if kind == "numbers":
        return f"np.arange({first}, {first} + {count}, dtype=np.uint64) * 5"
    return f"['person-%09d' % (5 * i) for i in range({first}, {first} + {count})]"


@pytest.mark.parametrize("kind", ["numbers", "strings"])
@pytest.mark.parametrize("face", ["python", "command line"])
def test_an_update_that_adds_vertices(folder, kind, face):
    """Ten times as many new vertices as fit in memory at once, in one commit."""
    count = 500_000
    start = "leadline.Graph.from_edges([1], [2], path='g').close()"
    if kind == "strings":
        start = "leadline.Graph.from_edges(['a'], ['b'], path='g').close()"
    prepare = f"ids = {names(kind, 1, count)}\n{start}"
    if face == "python":
        work = (
            "g = leadline.Graph.open('g')\n"
            "with g.update(memory='16M') as update:\n    update.insert_edges(ids[:-1], ids[1:])"
        )
    else:
        prepare += (
            "\nwith open('more.csv', 'w') as file:\n    file.write('source,target\\n')\n"
            "    file.writelines(f'{u},{v}\\n' for u, v in zip(ids[:-1], ids[1:]))"
        )
        work = "command('update', 'g', 'more.csv', '--memory', '16M', '--commit-every', 10**9)"
    assert more(folder, prepare, work) < (16 << 20) + SLACK
    check = "g = leadline.Graph.open('g')\nassert (g.vertices, g.edges) == (%d, %d), (g.vertices, g.edges)"
    # Of the two at first one is among the numbers, or none.
    more(folder, "", check % (count + 2, count))


@pytest.mark.parametrize("kind", ["numbers", "strings"])
def test_an_update_that_deletes(folder, kind):
    count = 300_000
    prepare = (
        f"ids = {names(kind, 1, count)}\n"
        "leadline.Graph.from_edges(ids[:-1], ids[1:], path='h', directed=False).close()\n"
        "g = leadline.Graph.open('h')"
    )
    work = (
        "with g.update(memory='16M') as update:\n"
        "    update.delete_edges(ids[:200_000], ids[1:200_001])\n"
        "    update.delete_vertices(ids[200_000:])"
    )
    assert more(folder, prepare, work) < (16 << 20) + SLACK
    more(folder, "", "g = leadline.Graph.open('h')\nassert (g.vertices, g.edges) == (200_000, 0)")


@pytest.mark.parametrize("kind", ["numbers", "strings"])
def test_an_import_of_what_the_caller_holds(folder, kind):
    """The caller's strings are not copied."""
    few = names(kind, 1, 50_000)
    all_of_them = f"np.tile({few}, 20)" if kind == "numbers" else f"{few} * 20"
    prepare = f"ids = {all_of_them}\nsource, target = ids[:-1], ids[1:]"
    work = "leadline.Graph.from_edges(source, target, path='i', memory='32M').close()"
    assert more(folder, prepare, work) < (32 << 20) + SLACK


@pytest.mark.parametrize("kind", ["numbers", "strings"])
def test_compaction(folder, kind):
    """It takes what the changes take, and no more for a larger graph."""
    prepare = (
        f"ids = {names(kind, 1, 500_000)}\n"
        "leadline.Graph.from_edges(ids[1:], ids[:-1], path='c').close()\n"
        "g = leadline.Graph.open('c')\n"
        "with g.update() as update:\n    update.delete_edges(ids[5:6], ids[4:5])\n"
        "del ids"
    )
    assert more(folder, prepare, "assert g.compact()['compacted']") < SLACK


def test_what_a_cap_cannot_hold_is_refused_with_what_it_needs(folder):
    ids = np.arange(200_000, dtype=np.uint64)
    with leadline.Graph.from_edges(np.zeros_like(ids), ids, path=folder / "hub") as hub:
        with hub.update(memory="16M") as update:
            with pytest.raises(leadline.BadInput, match="deleting the 200000 edges of a vertex needs"):
                update.delete_vertices([0])
                update.commit()
        with leadline.Graph.open(hub.path) as same:
            assert same.edges == 200_000
