"""What runs on a node, and what comes back: an answer, or why there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

__all__ = ["Answer", "answering"]


class Answer(NamedTuple):
    """What a node said."""

    #: ``refused``: what was given cannot be used there (BadInput); ``failed``: the operation went wrong.
    kind: Literal["ok", "refused", "failed"]
    #: What the work returned, or one line that says why it did not.
    value: Any
    #: Ray's id of the node.
    node: str


_MISSING = "leadline is not installed there, or cannot be loaded: pip install the same wheel there"


def answering(work: Callable[..., Any]) -> Callable[..., tuple[str, Any, str]]:
    """Return a function for Ray that calls `work`, and returns the fields of an :class:`Answer`.

    It is pickled as it stands, and so is `work` if it was made in a function: neither names anything of a
    module, so that they arrive on a node without leadline too and can say so.
    """
    missing = _MISSING

    def answer(*arguments: Any) -> tuple[str, Any, str]:
        import ray

        node = ray.get_runtime_context().get_node_id()
        try:
            import leadline
        except ImportError as error:
            return "failed", f"{missing} ({error})", node
        try:
            return "ok", work(*arguments), node
        except leadline.BadInput as error:
            return "refused", str(error), node
        except leadline.Failed as error:
            return "failed", str(error), node

    return answer
