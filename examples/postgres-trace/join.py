"""The join: from the events of buffers.bt to page accesses with R or W, and to dense page numbers."""

from __future__ import annotations

import csv
from array import array
from typing import Iterable, Iterator, NamedTuple, TextIO

FORKS = ("main", "fsm", "vm", "init")
# An access is packed in 64 bits: index of its fork, block (32 bits), written (1 bit).
BLOCK_SHIFT, FORK_SHIFT = 1, 33
# Stands for an access that is none of the trace's: another database, before the start, a temporary table.
OUTSIDE = -1


class Fork(NamedTuple):
    """A file of pages: one fork of one relation."""

    tablespace: int
    database: int  # 0: the catalogues that all databases share
    filenode: int
    fork: int  # index into FORKS


class Join:
    """Accesses in the order of the reads. One is a write if the page was marked dirty by the process that
    read it, after this read and before the next read of the same buffer by the same process.

    A page is marked dirty only while it is pinned, and a pin begins with a read, so the buffer still holds
    the page that the process found in it last: the join by (process, buffer) cannot name a wrong page."""

    def __init__(self, database: int, start_ns: int = 0, hints: bool = True) -> None:
        """Keeps accesses to `database` (an oid) and to the shared catalogues from `start_ns` on; `hints`:
        pages made dirty by hint bits alone count as written."""
        self.database, self.start_ns, self.hints = database, start_ns, hints
        self.forks: list[Fork] = []
        self.blocks: list[int] = []  # for each of `forks`, the highest block + 1
        self.temporary = 0  # accesses to temporary tables, left out
        self.missing = 0  # events missing from the sequences
        self.told = 0  # events that bpftrace says it lost
        self.unmatched = 0  # marked dirty without a read before: should never be
        self.buffers: dict[int, tuple[Fork, int]] = {}  # buffer -> the page it held last, by any process
        self._packed = array("Q")
        self._fork_index: dict[Fork, int] = {}
        self._last: dict[tuple[int, int], int] = {}  # (process, buffer) -> access
        self._sequence: dict[int, int] = {}

    def feed(self, lines: Iterable[str]) -> Join:
        """Takes the output of bpftrace, sorted by time."""
        for number, line in enumerate(lines, 1):
            fields = line.split()
            if not fields or fields[0] == "Attaching":
                continue
            try:
                if fields[0] == "Lost":
                    self.told += int(fields[1])
                else:
                    self._event(fields)
            except (ValueError, IndexError):
                raise ValueError(f"event {number}: `{line.strip()}` is not of buffers.bt") from None
        return self

    @property
    def lost(self) -> int:
        """Events lost. Each of the two ways to know misses some: the sequences those at the end of a process,
        bpftrace those it has not been told of."""
        return max(self.missing, self.told)

    def _event(self, fields: list[str]) -> None:
        ns, sequence, process, buffer = int(fields[0]), int(fields[1]), int(fields[2]), int(fields[4])
        if fields[3] == "t":
            return
        self.missing += abs(sequence - self._sequence.get(process, 0) - 1)
        self._sequence[process] = sequence
        if fields[3] == "r":
            fork, block, tablespace, database, filenode = map(int, fields[5:10])
            page = Fork(tablespace, database, filenode, fork)
            self._last[process, buffer] = self._read(ns, buffer, page, block)
        elif fields[3] == "d" or (fields[3] == "h" and self.hints):
            self._dirty(process, buffer)
        elif fields[3] != "h":
            raise ValueError

    def _read(self, ns: int, buffer: int, fork: Fork, block: int) -> int:
        if buffer > 0:
            self.buffers[buffer] = (fork, block)
        if ns < self.start_ns or fork.database not in (self.database, 0):
            return OUTSIDE
        if buffer < 0:
            self.temporary += 1
            return OUTSIDE
        index = self._fork_index.setdefault(fork, len(self.forks))
        if index == len(self.forks):
            self.forks.append(fork)
            self.blocks.append(0)
        self.blocks[index] = max(self.blocks[index], block + 1)
        self._packed.append(index << FORK_SHIFT | block << BLOCK_SHIFT)
        return len(self._packed) - 1

    def _dirty(self, process: int, buffer: int) -> None:
        access = self._last.get((process, buffer))
        if access is None:
            self.unmatched += 1
        elif access != OUTSIDE:
            self._packed[access] |= 1

    def __len__(self) -> int:
        return len(self._packed)

    def accesses(self) -> Iterator[tuple[Fork, int, bool]]:
        """Fork, block, written."""
        for packed in self._packed:
            yield self.forks[packed >> FORK_SHIFT], packed >> BLOCK_SHIFT & 0xFFFFFFFF, bool(packed & 1)

    def writes(self) -> int:
        """How many accesses write."""
        return sum(packed & 1 for packed in self._packed)


class Extent(NamedTuple):
    """A line of the map: where a fork's pages are among the numbers of the trace."""

    first_page: int
    relation: str
    fork: str
    blocks: int


class Relation(NamedTuple):
    """What the catalogue knows of a fork."""

    name: str
    blocks: int


def number(join: Join, known: dict[Fork, Relation]) -> dict[Fork, Extent]:
    """Gives each fork that was accessed a run of page numbers as long as the fork is, one after the other by
    name. What the catalogue no longer knows (dropped, rewritten) is named by its file."""

    def name(fork: Fork) -> str:
        return known[fork].name if fork in known else "filenode:{}/{}/{}".format(*fork[:3])

    extents: dict[Fork, Extent] = {}
    first = 0
    for fork, seen in sorted(zip(join.forks, join.blocks), key=lambda item: (name(item[0]), item[0])):
        blocks = max(seen, known[fork].blocks if fork in known else 0)
        extents[fork] = Extent(first, name(fork), FORKS[fork.fork], blocks)
        first += blocks
    return extents


def write_trace(join: Join, extents: dict[Fork, Extent], header: list[str], out: TextIO) -> None:
    """`R page` and `W page`, one access a line, below the header's comments."""
    out.writelines(f"# {line}\n" for line in header)
    for fork, block, written in join.accesses():
        out.write(f"{'W' if written else 'R'} {extents[fork].first_page + block}\n")


def write_map(extents: dict[Fork, Extent], out: TextIO) -> None:
    """The map as csv."""
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(Extent._fields)
    writer.writerows(extents.values())
