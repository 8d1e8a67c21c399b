"""What all runs of pytest here share: plugins, and that examples which mount something need FUSE."""

import os

import pytest

pytest_plugins = ["pytester", "leadline.testing"]

#: What has examples that mount drives or captures.
MOUNTING = {
    "leadline.Drive",
    "leadline.EmulatedDrive",
    "leadline._capture.capture",
    "leadline._emulate.emulate",
    "leadline.testing",
    "leadline.trace.Capture",
}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.access("/dev/fuse", os.R_OK | os.W_OK):
        return
    for item in items:
        if item.name in MOUNTING:
            item.add_marker(pytest.mark.skip(reason="/dev/fuse cannot be opened here"))
