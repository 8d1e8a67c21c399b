"""What Python gives to commands, and how they refuse it: in a sentence that names the argument."""

import numpy as np
import pytest

import leadline
from leadline._command import flags, run


@pytest.mark.parametrize(
    ("command", "option", "value", "given"),
    [
        ("profile", "quick", True, ["--quick"]),
        ("profile", "quick", np.True_, ["--quick"]),
        ("profile", "quick", False, []),
        ("profile", "seed", None, []),
        ("profile", "for_", "postgresql", ["--for=postgresql"]),
        ("profile", "block_size", ["4K", 8192], ["--block-size=4K,8192"]),
        ("profile", "cpus", [0, 1], ["--cpus=0,1"]),
        ("pool simulate", "frames", np.array([10.0, 20.0]), ["--frames=10,20"]),
        ("pool simulate", "frames", 1e6, ["--frames=1000000"]),
        ("pool simulate", "ace", False, ["--ace=off"]),
        ("trace info", "header", True, ["--header=yes"]),
        ("trace info", "header", False, ["--header=no"]),
        ("graph import", "dedupe", True, ["--dedupe"]),
        ("graph import", "dedupe", "max", ["--dedupe=max"]),
        ("btree advise", "mix", {"point": 60, "insert": 40.0}, ["--mix=point=60,insert=40"]),
        ("prove", "set", {"a": 1, "b": "x,y"}, ["--set=a=1", "--set=b=x,y"]),
        ("profile", "output", b"/tmp/p\xff", ["--output=/tmp/p\udcff"]),
    ],
)
def test_values_are_written_as_the_command_line_takes_them(command, option, value, given):
    assert flags(command, {option: value}) == given


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"sede": 1}, "sede=: is no argument of leadline profile; did you mean seed= ?"),
        ({"wishes": 1}, "wishes=: is no argument of leadline profile"),
        ({"quick": "yes"}, "quick='yes': must be True or False"),
        ({"seed": True}, "seed=True: takes a value (N)"),
        ({"seed": False}, "seed=False: takes a value (N), or None for the default"),
        ({"seed": [1]}, "seed=[1]: takes one value"),
        ({"block_size": []}, "block_size=[]: is empty; name a value, or leave it out"),
        ({"block_size": {"4K": 1}}, "block_size={'4K': 1}: takes values, and no pairs of name and value"),
        ({"output": 3}, "output=3: must be a path, or a name"),
        ({"seed": 1j}, "seed=1j: must be text, a number or a path"),
        ({"seed": 10**5000}, "seed: a number of more than 4300 digits is out of range"),
        ({"output": "\ud800"}, r"output='\ud800': is no text, nor the name of a file"),
        ({"seed": -1}, "seed='-1': must be a whole number that is not negative"),
        ({"seed": 2**64}, "seed='18446744073709551616': is too large"),
        ({"max_concurrency": 0}, "max_concurrency='0': must be from 1 to 4096"),
        ({"block_size": ["3K5"]}, "block_size='3K5': "),
        ({"for_": "x"}, "for_='x': must be one of postgresql, "),
        ({"for_": "mysqll"}, "for_='mysqll'; did you mean 'innodb'?"),
        ({"output": "-"}, "output=-: is standard output, which is for the command line; name a file"),
        ({"quick": True, "full": True}, "the argument quick=True cannot be used with full=True"),
        ({"reads_only": True, "destructive": True}, "destructive=True"),
    ],
)
def test_a_refusal_names_the_argument_of_python(options, line):
    with pytest.raises(leadline.BadInput) as refused:
        run("profile", "sim:flash", options=options)
    assert line in str(refused.value)
    assert "--" not in str(refused.value) and "\n" not in str(refused.value)


def test_other_commands_are_named_as_they_are_typed():
    with pytest.raises(leadline.BadInput, match="measure more with leadline experiment r-by-k TARGET --into"):
        mix = {"point": 100}
        leadline.btree.advise("device:p4510", data="1G", key_size=16, value_size=100, mix=mix)


def test_a_remedy_says_what_to_set(tmp_path):
    path = tmp_path / "bad.pages"
    path.write_text("R 1\nW 2\nx\nR 4\n")
    with pytest.raises(leadline.BadInput, match="skip_bad=True skips such lines"):
        leadline.trace.convert(path, tmp_path / "x.iolog")
    done = leadline.trace.convert(path, tmp_path / "x.iolog", skip_bad=True)
    assert (done["requests"], done["skipped"]) == (3, 1)


def test_notes_name_arguments_too():
    replayed = leadline.trace.replay("gen:paper-ms?ops=100", "sim:flash")
    said = " ".join(replayed.notes)
    assert "pace=" in said and "--" not in said


@pytest.mark.parametrize(
    ("name", "system", "version"),
    [("mysql", "innodb", "mysql-"), ("mariadb", "innodb", "mariadb-"), ("postgres", "postgresql", "")],
)
def test_a_system_is_known_by_its_other_names(name, system, version):
    advice = leadline.advise(name, "device:p4510")
    assert advice.info["system"] == system and advice.info["version"].startswith(version)


@pytest.mark.parametrize("progress", [3, "yes", []])
def test_progress_is_a_function_or_not(progress):
    with pytest.raises(leadline.BadInput, match=r"^progress="):
        leadline.profile("sim:flash", quick=True, progress=progress)
