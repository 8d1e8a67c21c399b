"""The object that networkx calls: conversions, and each function under its own name.

networkx loads this module when it first needs the backend. Nothing here imports networkx before a method is
called, because programs may load entry points in any order.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .functions import FUNCTIONS


class Backend:
    """What networkx's entry point ``networkx.backends`` names."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in FUNCTIONS:
            raise AttributeError(name)
        module = import_module(f".algorithms.{FUNCTIONS[name].module}", __package__)
        function: Callable[..., Any] = getattr(module, name)
        # The next time it is found without coming here.
        setattr(self, name, function)
        return function

    @staticmethod
    def convert_from_nx(graph: Any, **options: Any) -> Any:
        """A :class:`.StoredGraph` of a networkx graph; see :func:`.convert.from_networkx`."""
        from .convert import from_networkx

        return from_networkx(graph, **options)

    @staticmethod
    def convert_to_nx(result: Any, *, name: str | None = None) -> Any:
        """A networkx graph of a :class:`.StoredGraph`; any other result as it is."""
        from .convert import to_networkx
        from .graph import StoredGraph

        return to_networkx(result) if isinstance(result, StoredGraph) else result

    def can_run(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
        """True, or why a call would not give networkx's result here."""
        function = getattr(self, name)
        declines = getattr(function, "declines", None)
        if declines is None:
            return True
        try:
            bound = inspect.signature(function).bind(*args, **kwargs)
        except TypeError:
            # networkx raises it again when the function is called, with its own words.
            return True
        bound.apply_defaults()
        return declines(**bound.arguments) or True

    @staticmethod
    def should_run(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool | str:
        """True, or why networkx itself would be faster. Asked only if a graph had to be converted first."""
        import networkx as nx

        from .convert import count_edges

        graph = args[0] if args else kwargs["G"]
        least = nx.config.backends.leadline.min_edges
        edges = count_edges(graph)
        if edges < least:
            return f"{edges} edges are fewer than nx.config.backends.leadline.min_edges ({least})"
        return True


#: The object of the entry point.
backend_interface = Backend()
