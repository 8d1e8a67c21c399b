"""The extension module, written in Rust (crates/python)."""

import os
from collections.abc import Callable, Iterator
from typing import Any, final

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Self, disjoint_base

__all__ = [
    "MEMORY",
    "Columns",
    "DeviceProfile",
    "Models",
    "Store",
    "TraceReader",
    "call",
    "comparison",
    "import_arrays",
    "main",
    "page",
    "parse_size",
]

MEMORY: str

_Callback = Callable[[str, float, str], Any]
_Trace = tuple[NDArray[np.uint64], NDArray[np.bool_]]

def call(
    arguments: list[str], progress: _Callback | None = None, trace: _Trace | None = None
) -> tuple[str, list[str]]: ...
def main(arguments: list[str]) -> int: ...
def parse_size(name: str, text: str) -> int: ...

@disjoint_base
class Columns:
    def __new__(cls, columns: object) -> Self: ...
    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, name: str, /) -> NDArray[Any]: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...
    def row(self, row: int) -> tuple[Any, ...]: ...

@final
class DeviceProfile:
    @property
    def name(self) -> str: ...
    @staticmethod
    def load(name: str) -> DeviceProfile: ...
    @staticmethod
    def parse(text: str, name: str) -> DeviceProfile: ...
    def to_json(self) -> str: ...
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def headline(self) -> int | None: ...
    def read_depth(self) -> int: ...
    def sentences(self) -> list[str]: ...
    def summary(self, width: int) -> str: ...

def page(profiles: list[DeviceProfile]) -> str: ...
def comparison(profiles: list[DeviceProfile]) -> str: ...

@final
class Models:
    def __new__(cls, profile: DeviceProfile) -> Models: ...
    def document(self) -> str: ...
    def predict(
        self,
        reads: NDArray[np.float64],
        writes: NDArray[np.float64],
        block_bytes: NDArray[np.uint32],
        random: NDArray[np.float64],
        reads_in_flight: NDArray[np.uint32],
        writes_in_flight: NDArray[np.uint32],
        *,
        together: bool,
        model: str | None = None,
    ) -> Columns: ...

@final
class TraceReader:
    def __new__(cls, name: str, format: str | None = None, batch: int = 65536) -> TraceReader: ...
    @property
    def unit(self) -> str: ...
    def __iter__(self) -> Iterator[Columns]: ...
    def __next__(self) -> Columns: ...

_Ids = NDArray[Any] | list[str]

def import_arrays(
    store: str,
    sources: _Ids,
    targets: _Ids,
    weights: NDArray[Any] | None,
    vertices: _Ids | None,
    vertices_below: int | None,
    *,
    undirected: bool,
    dedupe: bool,
    drop_self_loops: bool,
    reverse: bool,
    renumber: bool,
    plain: bool,
    block_bytes: int,
    memory: int | None = None,
    progress: _Callback | None = None,
) -> str: ...

_Options = tuple[int | None, int | None, int | None]

@final
class Store:
    def __new__(cls, path: str, memory: int | None, threads: int | None, depth: int | None) -> Store: ...
    @property
    def vertices(self) -> int: ...
    @property
    def edges(self) -> int: ...
    @property
    def directed(self) -> bool: ...
    @property
    def weighted(self) -> bool: ...
    def close(self) -> None: ...
    def bfs(self, sources: list[str], parents: bool, options: _Options) -> tuple[Columns, str]: ...
    def wcc(self, options: _Options) -> tuple[Columns, str]: ...
    def pagerank(
        self, damping: float, iterations: int, tolerance: float, personal: list[str], options: _Options
    ) -> tuple[Columns, str]: ...
    def sssp(self, sources: list[str], options: _Options) -> tuple[Columns, str]: ...
    def cdlp(self, iterations: int, options: _Options) -> tuple[Columns, str]: ...
    def lcc(self, options: _Options) -> tuple[Columns, str]: ...
    def kcore(self, options: _Options) -> tuple[Columns, str]: ...
    def dfs(self, sources: list[str], options: _Options) -> tuple[Columns, str]: ...
    def walk(
        self,
        sources: list[str],
        walkers: int | None,
        per_vertex: int | None,
        length: int,
        p: float,
        q: float,
        weighted: bool,
        seed: int,
        options: _Options,
    ) -> tuple[Columns, str]: ...
