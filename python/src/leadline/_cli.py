"""The command ``leadline``."""

import signal
import sys

from ._leadline import main as run


def main() -> int:
    """Run the command line; the exit code."""
    # Commands handle Ctrl-C themselves, and those that do not are ended by it, as the binary is.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(sys.argv)
