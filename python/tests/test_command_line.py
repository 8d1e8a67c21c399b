"""The command line in the package."""

import json
import subprocess
import sys

import pytest

from leadline._command import flags


def run(*arguments):
    return subprocess.run([sys.executable, "-m", "leadline", *arguments], capture_output=True, text=True)


def test_the_command_is_in_the_package():
    done = run("profile", "sim:flash", "--quick", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["schema"].startswith("leadline.profile/")


def test_bad_usage_is_exit_code_2_and_one_line():
    done = run("profile", "--nothing")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "--nothing" in done.stderr


def test_options_become_flags():
    options = {"quick": True, "full": False, "seed": None, "block_size": ["4K", 8192], "max_writes": "-1"}
    assert flags("profile", options) == ["--quick", "--block-size=4K,8192", "--max-writes=-1"]


@pytest.mark.parametrize("command", [["emulate"], ["trace", "capture"]])
def test_what_mounts_a_folder_is_refused_in_the_process_and_the_function_named(command):
    import leadline
    from leadline._leadline import call

    with pytest.raises(leadline.BadInput, match=rf"in Python leadline\.{'.'.join(command)}\(\) starts one"):
        call([*command, "x"])
