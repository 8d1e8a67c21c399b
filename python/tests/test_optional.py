"""Libraries that are used where they are installed: without one, the error names it and its extra."""

import importlib.metadata
import re
import subprocess
import sys

import pytest

import leadline
from leadline._optional import LIBRARIES, missing, needed

TABLE = leadline.Table({"vertex": [1, 2]})


def subgraph() -> leadline.Subgraph:
    with leadline.Graph.from_edges([1], [2]) as graph:
        return graph.subgraph([1, 2])


USES = {
    "igraph": ("to_igraph()", lambda: subgraph().to_igraph()),
    "matplotlib": ("a plot", lambda: leadline.Profile.load("device:p4510").plot()),
    "networkx": ("to_networkx()", lambda: subgraph().to_networkx()),
    "pandas": ("to_pandas()", TABLE.to_pandas),
    "polars": ("to_polars()", TABLE.to_polars),
    "pyarrow": ("to_pyarrow()", TABLE.to_pyarrow),
    "scipy": ("to_scipy()", lambda: subgraph().to_scipy()),
}


def test_each_library_is_in_its_extra_as_the_error_says() -> None:
    wanted = {(entry.extra, entry.requirement) for entry in LIBRARIES.values() if entry.extra}
    requires = importlib.metadata.requires("leadline") or []
    needs = [re.fullmatch(r"(\S+) ; extra == '(\w+)'", need) for need in requires]
    assert {(need[2], need[1]) for need in needs if need and need[2] not in ("all", "test")} == wanted
    (everything,) = (need[1] for need in needs if need and need[2] == "all")
    extras = everything.removeprefix("leadline[").removesuffix("]").split(",")
    assert {*extras} == {extra for extra, _ in wanted}


@pytest.mark.parametrize("module", USES)
def test_without_a_library_one_line_says_what_installs_it(monkeypatch, module) -> None:
    who, use = USES[module]
    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModuleNotFoundError) as raised:
        use()
    assert str(raised.value) == missing(who, module)


def test_without_pytest_its_plugin_says_so() -> None:
    program = "import sys; sys.modules['pytest'] = None; import leadline.testing"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stderr.endswith("Error: leadline.testing needs pytest: pip install 'pytest>=8'\n")


def test_a_library_that_is_broken_is_not_called_missing() -> None:
    with pytest.raises(ModuleNotFoundError, match="^No module named 'of_the_library'$"):
        with needed("a plot", "matplotlib"):
            import of_the_library  # noqa: F401
