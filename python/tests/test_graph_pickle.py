"""Graphs in other processes: pickled as their paths."""

import copy
import multiprocessing
import os
import pickle
import tempfile

import pytest

import leadline
from leadline import Graph


@pytest.fixture
def graph(tmp_path):
    with Graph.from_edges([1, 2, 7], [2, 3, 8], path=tmp_path / "g.graph") as graph:
        yield graph


def reached(graph, source):
    """How many vertices a search reaches: work for another process."""
    return int((graph.bfs(source)["level"] >= 0).sum())


def test_a_graph_is_pickled_as_how_it_was_opened(graph, tmp_path, monkeypatch):
    options = {"memory": "32M", "threads": 1, "concurrency": 8, "temp": tmp_path}
    monkeypatch.chdir(tmp_path)
    with Graph.open("g.graph", **options) as opened:
        pickled = pickle.dumps(opened)
    assert len(pickled) < 1000
    monkeypatch.chdir("/")
    with pickle.loads(pickled) as other:
        assert other.path == tmp_path / "g.graph" and reached(other, 1) == 3
        info = other.wcc().info
        assert (info["memory_cap_bytes"], info["threads"], info["depth"]) == (32 << 20, 1, 8)


def test_a_copy_is_closed_by_itself(graph):
    with copy.copy(graph) as other, copy.deepcopy(graph) as third:
        assert reached(other, 1) == reached(third, 1) == 3
    assert reached(graph, 1) == 3


def test_what_was_pickled_is_that_version_or_nothing(graph, tmp_path):
    pickled = pickle.dumps(graph)
    with graph.update() as update:
        update.insert_edges([3], [7])
    with pytest.raises(leadline.BadInput, match="is at version 1, and was at 0 when the graph was pickled"):
        pickle.loads(pickled)
    # Of another store, which is in its place.
    other = tmp_path / "other"
    with Graph.from_edges([1], [2], path=other) as g:
        pickled = pickle.dumps(g)
    Graph.from_edges([3, 4], [4, 5], path=other).close()
    with pytest.raises(leadline.BadInput, match="is another store than when the graph was pickled"):
        pickle.loads(pickled)
    graph.close()
    with pytest.raises(leadline.BadInput, match="closed"):
        pickle.dumps(graph)


def test_a_temporary_graph_goes_to_others_while_it_is_open():
    with Graph.from_edges([1, 2], [2, 3]) as graph:
        pickled = pickle.dumps(graph)
        with pickle.loads(pickled) as other:
            assert reached(other, 1) == 3
        # The other one has not taken the store with it.
        assert graph.path.exists() and reached(graph, 1) == 3
    with pytest.raises(leadline.BadInput, match="temporary, and went when its graph was closed"):
        pickle.loads(pickled)


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_work_on_one_graph(method):
    with Graph.from_edges([1, 2, 7], [2, 3, 8]) as graph:
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.starmap(reached, [(graph, source) for source in [1, 2, 7, 3]]) == [3, 2, 2, 1]
        assert graph.path.exists() and reached(graph, 1) == 3


def test_a_child_that_ends_does_not_take_a_temporary_store_with_it():
    with Graph.from_edges([1, 2], [2, 3]) as graph:
        child = os.fork()
        if child == 0:
            # As at the end of a program, and not by leaving at once.
            graph.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert graph.path.exists() and reached(graph, 1) == 3
    assert not graph.path.exists()


def test_joblib_works_on_one_graph(graph):
    joblib = pytest.importorskip("joblib")
    tasks = [joblib.delayed(reached)(graph, source) for source in [1, 2, 7]]
    assert joblib.Parallel(n_jobs=2)(tasks) == [3, 2, 2]


def test_ray_works_on_one_graph(graph):
    ray = pytest.importorskip("ray")
    # As it sends arguments of tasks; a cluster takes long to start.
    with ray.cloudpickle.loads(ray.cloudpickle.dumps({"graph": graph}))["graph"] as other:
        assert reached(other, 1) == 3


@pytest.mark.skipif(not os.environ.get("LEADLINE_EXHAUSTIVE"), reason="only if LEADLINE_EXHAUSTIVE=1")
def test_tasks_on_a_ray_cluster_work_on_one_graph(graph, monkeypatch):
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    # A short path: Ray's sockets are in it.
    with tempfile.TemporaryDirectory(prefix="ray-", dir="/tmp") as folder:
        monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        monkeypatch.setenv("RAY_TMPDIR", folder)
        # A machine that is busy takes long to start it.
        monkeypatch.setenv("RAY_raylet_start_wait_time_s", "150")
        node = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}
        cluster = Cluster(initialize_head=True, head_node_args=node)
        ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
        try:
            task = ray.remote(lambda graph, source: int((graph.bfs(source)["level"] >= 0).sum()))
            assert ray.get([task.remote(graph, source) for source in [1, 2, 7]]) == [3, 2, 2]
        finally:
            ray.shutdown()
            cluster.shutdown()
