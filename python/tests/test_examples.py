"""Examples of methods: pytest does not look for them in classes that say another module than their own."""

import doctest
import os

import pytest

import leadline
import leadline.testing
from leadline import trace

#: Classes whose examples mount something.
MOUNTING = (leadline.Drive, trace.Capture)


def examples():
    public = {name: getattr(leadline, name) for name in leadline.__all__}
    for found in [*public.values(), trace.Capture, leadline.testing.Disk]:
        if isinstance(found, type):
            for test in doctest.DocTestFinder().find(found, module=False, globs={**public}):
                # The class itself has its own turn.
                if test.examples and test.name != found.__name__:
                    yield pytest.param(found, test, id=test.name)


@pytest.mark.parametrize(("found", "example"), [*examples()])
def test_the_example_of_a_method_runs(found, example, tmp_path, monkeypatch):
    if issubclass(found, MOUNTING) and not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("/dev/fuse cannot be opened here")
    monkeypatch.chdir(tmp_path)
    said = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    outcome = runner.run(example, out=said.append)
    assert outcome.failed == 0, "".join(said)
