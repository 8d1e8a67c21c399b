"""Random calls of what mounts something: an answer, or a line of BadInput or Failed, never anything else."""

import inspect
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_random_calls import anything, sometimes

import leadline
from leadline import Drive, trace
from leadline.testing import Disk

COMMANDS = [command for name, command in vars(Drive).items() if not name.startswith("_")]
MOUNTING = [leadline.emulate, trace.capture, Disk, Drive, *COMMANDS]

#: What a wait for a drive that never comes is not to take.
NO_TIME = st.sampled_from([0, 0.05, -1, float("nan"), "x", True, 1j, [], {}, b"1"])


@sometimes
@given(st.sampled_from(MOUNTING), st.data())
def test_drives_and_captures_answer_or_refuse(tmp_path_factory, function, data):
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    required = {p.name: anything for p in parameters if p.default is p.empty}
    optional = {p.name: anything for p in parameters if p.default is not p.empty}
    if function is Drive.wait:
        required, optional = {"seconds": NO_TIME}, {}
    arguments = data.draw(st.fixed_dictionaries(required, optional=optional))
    folder = tmp_path_factory.getbasetemp()
    of = [Drive(folder)] if function in COMMANDS else []
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        # What is not refused before that is not mounted.
        patch.setattr("sys.executable", "/bin/false")
        before = os.listdir(folder)
        try:
            function(*of, **arguments)
        except leadline.Error as error:
            assert str(error) and "\n" not in str(error)
        assert os.listdir(folder) == before
