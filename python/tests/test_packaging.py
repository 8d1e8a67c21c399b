"""What pip sees of the package: its version, its licences, and that all that it announces is there."""

import importlib.metadata
import importlib.resources
import re
import subprocess
import sys

import leadline

DISTRIBUTION = importlib.metadata.distribution("leadline")


def test_all_that_is_announced_to_others_can_be_loaded() -> None:
    announced = {(point.group, point.name): point for point in DISTRIBUTION.entry_points}
    assert ("console_scripts", "leadline") in announced
    for place, point in announced.items():
        assert point.load() is not None, place


def test_what_networkx_loads_does_not_load_networkx() -> None:
    # networkx loads it while it is itself being imported.
    for point in DISTRIBUTION.entry_points:
        if point.group == "networkx.backend_info":
            program = f"import sys, {point.module}; sys.exit('networkx' in sys.modules)"
            subprocess.run([sys.executable, "-c", program], check=True)


def test_licences_and_types_are_part_of_the_package() -> None:
    assert set(DISTRIBUTION.metadata.get_all("License-File") or []) == {"LICENSE-APACHE", "LICENSE-MIT"}
    assert importlib.resources.files(leadline).joinpath("py.typed").is_file()


def test_the_package_alone_needs_numpy_only() -> None:
    needs = [need for need in DISTRIBUTION.requires or [] if "extra ==" not in need]
    assert [re.split(r"[^a-z]", need)[0] for need in needs] == ["numpy"]


def test_what_networkx_loads_when_it_is_imported_loads_nothing_else() -> None:
    program = (
        "import sys, leadline.networkx.info; sys.exit(bool({'numpy', 'leadline._leadline'} & {*sys.modules}))"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_importing_the_package_loads_nothing_that_takes_time() -> None:
    program = "import sys; before = {*sys.modules}; import leadline; print(*{*sys.modules} - before)"
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    loaded = {name for name in ran.stdout.split() if not name.startswith("importlib")}
    assert loaded <= {"leadline", "warnings"}


def test_using_the_package_loads_no_library_but_numpy() -> None:
    program = """
import sys, leadline
disk = leadline.Profile.load("device:p4510")
repr(disk.points), leadline.fit(disk).predict(reads=1e6), disk.points[:2].to_dicts()
with leadline.Graph.from_edges([1, 2], [2, 3]) as graph:
    repr(graph.pagerank())
print(sorted({name.split(".")[0] for name in sys.modules} - {*sys.stdlib_module_names}))
"""
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    for other in ("matplotlib", "networkx", "pandas", "polars", "pyarrow", "pyspark", "ray", "scipy", "tqdm"):
        assert repr(other) not in ran.stdout
    assert "'numpy'" in ran.stdout


def test_each_public_name_is_there_and_is_shown() -> None:
    program = "import leadline as l; print({*l.__all__} - {*dir(l)}); from leadline import *; print(Graph)"
    shown = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert shown.stdout == "set()\n<class 'leadline.Graph'>\n"
    for name in leadline.__all__:
        assert getattr(leadline, name) is vars(leadline)[name]
