"""``python -m leadline``: the command ``leadline``."""

import sys

from ._cli import main

if __name__ == "__main__":
    sys.argv[0] = "leadline"
    sys.exit(main())
