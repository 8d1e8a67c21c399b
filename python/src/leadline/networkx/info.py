"""What networkx asks about the backend while it is itself being imported."""

from __future__ import annotations

from typing import Any

from .functions import FUNCTIONS

#: What `nx.config.backends.leadline` holds at first.
DEFAULT_CONFIG = {
    # Graphs with fewer edges are left to networkx, unless a call says `backend="leadline"`.
    "min_edges": 1_000_000,
    # Cap on memory for a run, bytes or text such as "64M"; None: as in `leadline.Graph`.
    "memory": None,
    # Threads, and reads in flight; None: as in `leadline.Graph`.
    "threads": None,
    "concurrency": None,
    # What `concurrency` was called.
    "depth": None,
}


def get_info() -> dict[str, Any]:
    """The metadata of the backend, for networkx's entry point ``networkx.backend_info``."""
    return {
        "backend_name": "leadline",
        "project": "leadline",
        "package": "leadline",
        "short_summary": "Edges stay on the disk: graphs larger than memory.",
        "description": "Runs networkx's functions on Leadline's out-of-core graph engine.",
        "functions": {
            name: {"additional_docs": function.note} if function.note else {}
            for name, function in FUNCTIONS.items()
        },
        "default_config": dict(DEFAULT_CONFIG),
    }
