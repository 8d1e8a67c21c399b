"""Graphs that change: what a store holds after changes, and what is refused."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import leadline
from leadline import Graph


#: Of a store whose import kept parallel edges and self-loops.
NOTHING_DROPPED = {"duplicates_dropped": 0, "self_loops_dropped": 0}


class Model:
    """What a graph should be: vertices, and the weights of the copies of each edge."""

    def __init__(self, directed, weighted):
        self.directed, self.weighted = directed, weighted
        self.vertices, self.edges = set(), {}

    def key(self, source, target):
        return (source, target) if self.directed else (min(source, target), max(source, target))

    def insert(self, source, target, weight):
        self.vertices |= {source, target}
        self.edges.setdefault(self.key(source, target), []).append(weight if self.weighted else 1.0)

    def delete(self, source, target, one):
        """Whether it was there."""
        weights = self.edges.get(self.key(source, target), [])
        if one and len(weights) > 1:
            weights.remove(min(weights))
            return True
        return self.edges.pop(self.key(source, target), None) is not None

    def set(self, source, target, weight, one):
        weights = self.edges.get(self.key(source, target), [])
        if one and weights:
            weights[weights.index(min(weights))] = weight
        else:
            weights[:] = [weight] * len(weights)
        return bool(weights)

    def delete_vertex(self, vertex):
        self.edges = {ends: weights for ends, weights in self.edges.items() if vertex not in ends}
        known = vertex in self.vertices
        self.vertices.discard(vertex)
        return known

    def rows(self):
        return sorted((*ends, weight) for ends, weights in self.edges.items() for weight in weights)


def exported(graph, folder):
    """Vertices, and edges with their weights, as an export has them."""
    parquet = pytest.importorskip("pyarrow.parquet")
    graph.export(folder)
    edges = parquet.read_table(folder / "edges").to_pydict()
    weights = edges.get("weight") or [1.0] * len(edges["source"])
    rows = zip(edges["source"], edges["target"], weights, strict=True)
    if not graph.directed:
        rows = ((min(a, b), max(a, b), weight) for a, b, weight in rows)
    return set(parquet.read_table(folder / "vertices")["vertex"].to_pylist()), sorted(rows)


@pytest.mark.parametrize("strings", [False, True])
@pytest.mark.parametrize(
    ("directed", "weighted", "one"), [(True, True, False), (True, False, True), (False, True, True)]
)
def test_random_changes_make_the_graph_of_a_model(directed, weighted, one, strings, tmp_path):
    random = np.random.default_rng([directed, weighted, one, strings])
    kinds = [list] if strings else [list, np.uint32, np.int32, np.uint64, np.int64]

    def some(count):
        numbers = random.integers(0, 40, count).tolist()
        return [f"v {number}" for number in numbers] if strings else numbers

    def column(ids):
        kind = random.choice(kinds)
        return ids if kind is list else np.array(ids, dtype=kind)

    model = Model(directed, weighted)
    pairs = some(60), some(60)
    weights = random.integers(1, 9, 60) / 2 if weighted else None
    for at, ends in enumerate(zip(*pairs, strict=True)):
        model.insert(*ends, weights[at] if weighted else 1.0)
    path = tmp_path / "g"
    Graph.from_edges(*pairs, weights, path=path, directed=directed).close()
    version = 0
    for commit in range(6):
        with Graph.open(path) as graph, graph.update(one=one) as update:
            changes = missing = 0
            for _ in range(8):
                count = int(random.integers(0, 12))
                sources, targets = some(count), some(count)
                weights = random.integers(1, 9, count) / 2
                what = random.choice(["insert", "insert", "delete", "set", "vertices", "gone"])
                if what == "insert":
                    given = weights.astype(random.choice(["f4", "f8"])) if weighted else None
                    update.insert_edges(column(sources), column(targets), given)
                    for edge in zip(sources, targets, weights.tolist(), strict=True):
                        model.insert(*edge)
                elif what == "delete":
                    update.delete_edges(column(sources), column(targets))
                    for edge in zip(sources, targets, strict=True):
                        missing += not model.delete(*edge, one)
                elif what == "set" and weighted:
                    update.set_weights(column(sources), column(targets), weights.tolist())
                    for edge in zip(sources, targets, weights.tolist(), strict=True):
                        missing += not model.set(*edge, one)
                elif what == "gone":
                    # Fewer of them, so that some are left.
                    sources = sources[:2]
                    update.delete_vertices(column(sources))
                    missing += sum(not model.delete_vertex(vertex) for vertex in sources)
                else:
                    update.insert_vertices(column(sources))
                    model.vertices.update(sources)
                changes += len(sources)
            assert (update.version, update.pending) == (version, changes)
            version += changes
            expected = {"version": version, "changes": changes, "missing": missing, **NOTHING_DROPPED}
            expected |= {"vertices": len(model.vertices), "edges": len(model.rows())}
            assert update.commit() == expected
            if commit % 2:
                update.maintain()
        with Graph.open(path) as graph:
            if commit == 4:
                assert graph.compact()["compacted"]
            assert (graph.vertices, graph.edges) == (len(model.vertices), len(model.rows()))
            assert (graph.version, graph.weighted) == (version, weighted)
            assert exported(graph, tmp_path / "out") == (model.vertices, model.rows())
            assert sorted(graph.ids().tolist()) == sorted(model.vertices)
    assert version > 0


def test_a_store_imported_without_copies_takes_none_unless_it_is_told_to(tmp_path):
    edges = [1, 2, 3, 3], [2, 3, 1, 3]
    with Graph.from_edges(*edges, path=tmp_path / "g", dedupe=True, drop_self_loops=True) as graph:
        info = graph.info()
        assert info["dedupe"] and info["drop_self_loops"]
        for multi, dropped, kept in [(False, 2, 4), (True, 0, 7)]:
            with graph.update(multi=multi) as update:
                update.insert_edges([1, 2, 9, 5], [2, 3, 1, 5])
                report = update.commit()
            expected = {"duplicates_dropped": dropped, "self_loops_dropped": 1, "edges": kept}
            assert {name: report[name] for name in expected} == expected
        graph.compact()
    with Graph.open(tmp_path / "g") as graph, graph.update() as update:
        update.insert_edges([1], [2])
        assert update.commit()["duplicates_dropped"] == 1


def test_an_open_graph_goes_on_with_its_version():
    with Graph.from_edges([1, 2], [2, 3], memory="32M") as graph:
        before = graph.bfs(1)["level"].tolist()
        with graph.update() as update:
            update.insert_edges([1], [3])
        assert graph.bfs(1)["level"].tolist() == before == [0, 1, 2]
        assert (graph.version, graph.edges) == (0, 2)
        with Graph.open(graph.path) as new:
            assert new.bfs(1)["level"].tolist() == [0, 1, 1]
            assert (new.version, new.edges) == (1, 3)
            report = new.compact()
            assert report["version"] == 1 and report["compacted"]
            assert not graph.compact()["compacted"]
            assert new.bfs(1)["level"].tolist() == [0, 1, 1] and graph.bfs(1)["level"].tolist() == before
        folder = graph.path.parent
    assert not folder.exists()


def test_runs_on_a_changed_store_do_not_take_of_its_memory():
    with Graph.from_edges(np.arange(1000), np.arange(1000), memory="32M") as graph:
        with graph.update() as update:
            update.insert_edges(np.arange(1000), np.arange(1000)[::-1])
        with Graph.open(graph.path, memory="32M") as new:
            caps = [new.wcc().info["memory_cap_bytes"] for _ in range(3)]
            assert caps[0] == caps[1] == caps[2] > 30 << 20
            assert new.estimate("wcc")["memory_cap_bytes"] == caps[0]


def test_a_with_block_that_ends_by_an_exception_commits_nothing():
    with Graph.from_edges([1], [2]) as graph:
        with pytest.raises(ZeroDivisionError), graph.update() as update:
            update.insert_edges([1], [3])
            update.commit()
            update.insert_edges([1], [4])
            raise ZeroDivisionError
        with Graph.open(graph.path) as new:
            assert new.ids().tolist() == [1, 2, 3]
        # The store can be changed again.
        with graph.update() as update:
            assert (update.version, update.pending) == (1, 0)


def test_what_is_closed_is_not_committed_and_takes_no_changes():
    with Graph.from_edges([1], [2]) as graph:
        with graph.update() as update:
            update.insert_edges([1], [3])
            update.close()
        for call in [
            update.commit,
            update.maintain,
            lambda: update.insert_vertices([1]),
            lambda: update.version,
            lambda: update.pending,
        ]:
            with pytest.raises(leadline.BadInput, match="closed"):
                call()
        assert repr(update) == "GraphUpdate(closed)"
        update.close()
        with Graph.open(graph.path) as new:
            assert (new.vertices, new.version) == (2, 0)
    with pytest.raises(leadline.BadInput, match="closed"):
        graph.update()
    with pytest.raises(leadline.BadInput, match="closed"):
        graph.compact()


def test_one_object_at_a_time_changes_a_store():
    with Graph.from_edges([1], [2]) as graph:
        first = graph.update()
        for refused in [graph.update, graph.compact]:
            with pytest.raises(leadline.BadInput, match="is being changed") as raised:
                refused()
            assert os.fspath(graph.path) in str(raised.value)
        program = "import leadline, sys; leadline.Graph.open(sys.argv[1]).update()"
        other = [sys.executable, "-c", program, os.fspath(graph.path)]
        refused = subprocess.run(other, capture_output=True, text=True)
        assert refused.returncode == 1 and "BadInput" in refused.stderr
        assert "is being changed by another process" in refused.stderr
        # What is forgotten lets go of it.
        del first
        graph.update().close()
        assert subprocess.run(other, capture_output=True).returncode == 0


def test_strict_changes_are_all_there_or_none_is_made():
    with Graph.from_edges([1, 2], [2, 3], [1, 1]) as graph:
        for call, said in [
            (lambda update: update.delete_edges([1, 1, 1], [2, 3, 4]), "not have the edge 1 3 to delete"),
            (lambda update: update.set_weights([7], [2], [1.0]), "the edge 7 2"),
            (lambda update: update.delete_vertices([9]), "the vertex 9"),
        ]:
            with pytest.raises(leadline.BadInput, match=said), graph.update(strict=True) as update:
                update.insert_edges([5], [6])
                call(update)
        with graph.update(strict=True) as update:
            update.insert_edges([5], [6])
            update.delete_edges([9], [9])
            with pytest.raises(leadline.BadInput, match="the edge 9 9"):
                update.commit()
            assert update.pending == 0
            update.delete_edges([1], [2])
            report = update.commit()
        expected = {"version": 1, "changes": 1, "missing": 0, "vertices": 3, "edges": 1}
        assert report == expected | NOTHING_DROPPED


def test_tables_are_taken_as_an_import_takes_them():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"from": ["a", "b"], "to": ["b", "c"], "cost": [2, 3]})
    with Graph.from_edges(["a"], ["a"], [1.0]) as graph, graph.update() as update:
        update.insert_edges(table)
        update.set_weights(table.assign(cost=table["cost"] * 2))
        update.delete_edges(table[table["to"] == "c"])
        assert update.commit()["edges"] == 2
        with Graph.open(graph.path) as new:
            assert new.sssp("a")["distance"].tolist() == [0, 4, float("inf")]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda update: update.insert_edges([1, 2], [3]), "2 sources and 1 targets"),
        (lambda update: update.delete_edges(np.array([1]), np.array([3, 4])), "1 sources and 2 targets"),
        (lambda update: update.insert_edges([1], [2], [1.0, 2.0]), "2 weights and 1 edges"),
        (lambda update: update.insert_edges(["ann"], ["bob"]), "sources: expected numbers"),
        (lambda update: update.insert_edges([1], ["bob"]), "targets: expected numbers"),
        (lambda update: update.delete_vertices(["ann"]), "vertices: expected numbers"),
        (lambda update: update.insert_edges(np.array([4, -3]), np.array([1, 1])), "sources[1]: -3"),
        (lambda update: update.delete_edges(np.array([4]), np.array([-1], "i4")), "targets[0]: -1"),
        (lambda update: update.insert_vertices(np.array([-7])), "vertices[0]: -7"),
        (lambda update: update.insert_vertices([1 << 64]), "2^64"),
        (lambda update: update.insert_edges([1.5], [2.5]), "whole numbers or strings, not 1.5"),
        (lambda update: update.insert_edges([[1]], [[2]]), "dimension"),
        (lambda update: update.insert_edges([1, 2], [2, 3], [1, np.nan]), "weights[1]: expected a finite"),
        (lambda update: update.set_weights([1], [2], [np.inf]), "weights[0]: expected a finite"),
        (lambda update: update.set_weights([1], [2], ["heavy"]), "weights"),
        (lambda update: update.set_weights([1], [2]), "weights: give one for each edge"),
        (lambda update: update.insert_edges(7), "int has no columns"),
        (lambda update: update.insert_vertices(7), "vertices: must be an array or a list, not int"),
    ],
)
def test_bad_changes_are_one_line_that_names_them_and_leave_the_rest(call, words):
    with Graph.from_edges([1], [2], [0.5]) as graph, graph.update() as update:
        update.insert_edges([2], [3])
        with pytest.raises(leadline.BadInput) as raised:
            call(update)
        line = str(raised.value)
        assert words in line and "\n" not in line and "--" not in line
        assert update.pending == 1
        assert update.commit()["edges"] == 2


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda graph: graph.update().insert_edges(["a"], ["b"], [1]), "has no weights"),
        (lambda graph: graph.update().set_weights(["a"], ["b"], [1]), "has no weights"),
        (lambda graph: graph.update().insert_edges([1], [2]), "sources: expected strings"),
        (lambda graph: graph.update().insert_vertices(["x" * 2_000_000]), "vertices[0]: expected an id of"),
        (lambda graph: graph.update(threads=0), "threads=0"),
        (lambda graph: graph.update(memory="lots"), "memory"),
    ],
)
def test_what_a_store_does_not_take_is_named(call, words):
    with Graph.from_edges(["a"], ["b"]) as graph:
        with pytest.raises(leadline.BadInput) as raised:
            call(graph)
        assert words in str(raised.value) and "--" not in str(raised.value)


def test_a_whole_graph_is_refused_as_a_change():
    networkx = pytest.importorskip("networkx")
    with Graph.from_edges([1], [2]) as graph, graph.update() as update:
        with pytest.raises(leadline.BadInput, match="DiGraph is a whole graph"):
            update.insert_edges(networkx.DiGraph([(1, 2)]))


def test_changes_of_several_threads_are_all_made():
    with Graph.from_edges([0], [0]) as graph, graph.update() as update:

        def insert(thread):
            for edge in range(50):
                update.insert_edges([thread], [edge])

        threads = [threading.Thread(target=insert, args=[thread]) for thread in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert update.commit()["edges"] == 1 + 4 * 50


def test_changes_beyond_the_memory_are_one_commit():
    ids = np.arange(50_000)
    with Graph.from_edges([0], [1]) as graph:
        with pytest.raises(RuntimeError), graph.update(memory="1M") as update:
            update.insert_edges(ids, ids[::-1])
            assert update.pending == len(ids)
            with Graph.open(graph.path) as new:
                assert (new.edges, new.version) == (1, 0)
            raise RuntimeError
        with graph.update(memory="1M") as update:
            assert update.pending == 0
            update.insert_edges(ids, ids[::-1])
            assert update.commit()["edges"] == 1 + len(ids)
        with Graph.open(graph.path) as new:
            assert (new.edges, new.version) == (1 + len(ids), len(ids))


class Alarm(Exception):
    """What a handler of signals raises."""


@pytest.fixture
def alarm():
    """Raises after a tenth of a second."""

    def handler(number, frame):
        raise Alarm

    before = signal.signal(signal.SIGALRM, handler)
    yield lambda: signal.setitimer(signal.ITIMER_REAL, 0.1)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_an_exception_of_a_signal_drops_what_is_pending(alarm):
    many = np.zeros(1_000_000, dtype=np.uint32)
    with Graph.from_edges([0], [1]) as graph, graph.update(memory="16M") as update:
        # Once more where the signal came between two calls.
        for _ in range(5):
            with pytest.raises(Alarm):
                alarm()
                while True:
                    update.insert_edges(many, many)
            if update.pending == 0:
                break
        assert update.pending == 0
        update.insert_edges([1], [2])
        expected = {"version": 1, "changes": 1, "missing": 0, "vertices": 3, "edges": 2}
        assert update.commit() == expected | NOTHING_DROPPED


def test_progress_is_shown_and_what_it_raises_ends_the_work():
    seen = []
    ids = np.random.default_rng(1).permutation(300_000)

    def stop(phase, done, detail):
        raise ZeroDivisionError

    with Graph.from_edges(ids[:-1], ids[1:]) as graph:
        with graph.update() as update:
            update.insert_edges([1], [2])
        version = Graph.open(graph.path).version
        try:
            graph.compact(progress=stop)
        except ZeroDivisionError:
            assert Graph.open(graph.path).version == version
        graph.compact(progress=lambda *step: seen.append(step))
        assert all(phase == "compact" and 0 <= done <= 1 for phase, done, _ in seen)
        with Graph.open(graph.path) as new:
            assert new.edges == len(ids)
