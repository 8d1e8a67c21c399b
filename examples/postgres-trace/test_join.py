"""The join, on lines as bpftrace writes them. In this folder: `python3 -B -m unittest`; needs no root."""

from __future__ import annotations

import io
import subprocess
import sys
import unittest
from pathlib import Path

from join import Extent, Fork, Join, Relation, number, write_map, write_trace

BENCH, OTHER = 16384, 5
TABLE = Fork(1663, BENCH, 16431, 0)
INDEX = Fork(1663, BENCH, 16436, 0)
VISIBLE = Fork(1663, BENCH, 16431, 2)
SHARED = Fork(1664, 0, 1262, 0)

# Recorded from PostgreSQL 15.18: the self-test's update of one row by its key. The backend's sequence, 209 to
# 216, is counted from 1 here.
UPDATE = """\
Attaching 7 probes...
13080637662843 1 6602 r 2029 0 3 1663 16384 16436
13080637691647 2 6602 r 2028 0 2 1663 16384 16436
13080637700000 0 0 t 1
13080637707216 3 6602 r 2075 0 249 1663 16384 16431
13080637728275 4 6602 r 2075 0 249 1663 16384 16431
13080637746840 5 6602 r 2075 0 249 1663 16384 16431
13080637759343 6 6602 r 2331 2 0 1663 16384 16431
13080637771015 7 6602 d 2331
13080637779611 8 6602 d 2075
"""


class Backend:
    """Events of one backend, numbered as buffers.bt does."""

    def __init__(self, process: int) -> None:
        self.process, self.sequence = process, 0

    def read(self, ns: int, buffer: int, fork: Fork, block: int) -> str:
        page = f"{fork.fork} {block} {fork.tablespace} {fork.database} {fork.filenode}"
        return self._line(ns, f"r {buffer} {page}")

    def dirty(self, ns: int, buffer: int, kind: str = "d") -> str:
        return self._line(ns, f"{kind} {buffer}")

    def _line(self, ns: int, event: str) -> str:
        self.sequence += 1
        return f"{ns} {self.sequence} {self.process} {event}\n"


def joined(*lines: str, hints: bool = True, start_ns: int = 0) -> Join:
    return Join(BENCH, start_ns, hints).feed(lines)


class TheJoin(unittest.TestCase):
    def test_a_recorded_update_reads_down_the_index_and_writes_the_row_and_the_visibility_map(self) -> None:
        join = Join(BENCH).feed(UPDATE.splitlines())
        expected = [(INDEX, 3, False), (INDEX, 2, False), (TABLE, 249, False), (TABLE, 249, False)]
        self.assertEqual(list(join.accesses()), [*expected, (TABLE, 249, True), (VISIBLE, 0, True)])
        self.assertEqual((len(join), join.writes(), join.lost, join.unmatched), (6, 2, 0, 0))

    def test_a_buffer_that_has_changed_its_page_marks_the_new_one(self) -> None:
        a = Backend(1)
        join = joined(a.read(1, 9, TABLE, 7), a.dirty(2, 9), a.read(3, 9, TABLE, 8), a.read(4, 5, TABLE, 1))
        self.assertEqual([write for _, _, write in join.accesses()], [True, False, False])
        join = joined((b := Backend(1)).read(1, 9, TABLE, 7), b.read(2, 9, TABLE, 8), b.dirty(3, 9))
        self.assertEqual(list(join.accesses()), [(TABLE, 7, False), (TABLE, 8, True)])

    def test_backends_that_share_a_buffer_mark_only_their_own_reads(self) -> None:
        a, b = Backend(1), Backend(2)
        join = joined(a.read(1, 9, TABLE, 7), b.read(2, 9, TABLE, 7), a.dirty(3, 9), a.dirty(4, 9))
        self.assertEqual([write for _, _, write in join.accesses()], [True, False])
        self.assertEqual(join.writes(), 1)

    def test_hint_bits_write_unless_told_otherwise(self) -> None:
        for hints in (True, False):
            a = Backend(1)
            join = joined(a.read(1, 9, TABLE, 7), a.dirty(2, 9, "h"), hints=hints)
            self.assertEqual(join.writes(), int(hints))

    def test_temporary_tables_other_databases_and_the_time_before_are_left_out(self) -> None:
        a = Backend(1)
        early = [a.read(1, 9, TABLE, 7)]
        outside = [
            a.read(11, -3, TABLE, 1),
            a.dirty(12, -3),
            a.read(13, 4, TABLE._replace(database=OTHER), 1),
        ]
        late = [a.dirty(14, 9), a.dirty(15, 4), a.read(16, 6, SHARED, 0)]
        join = joined(*early, *outside, *late, start_ns=10)
        self.assertEqual(list(join.accesses()), [(SHARED, 0, False)])
        self.assertEqual((join.temporary, join.unmatched), (1, 0))

    def test_the_last_block_a_relation_can_have_is_kept(self) -> None:
        join = joined(Backend(1).read(1, 9, INDEX, 0), Backend(2).read(2, 9, TABLE, 2**32 - 2))
        self.assertEqual(list(join.accesses()), [(INDEX, 0, False), (TABLE, 2**32 - 2, False)])


class WhatIsMissing(unittest.TestCase):
    def test_a_gap_in_a_backends_sequence_is_counted_as_lost(self) -> None:
        a, b = Backend(1), Backend(2)
        lines = [a.read(t, 9, TABLE, t) for t in range(6)]
        other = [b.read(t, 9, TABLE, t) for t in range(3)]
        self.assertEqual(joined(*lines, *other).lost, 0)
        self.assertEqual(joined(*lines[:2], *lines[4:], *other).lost, 2)
        self.assertEqual(joined(*lines, *other[1:]).lost, 1, "the first events of a backend can be lost, too")

    def test_what_bpftrace_says_it_lost_is_counted(self) -> None:
        self.assertEqual(joined("Lost 3 events\n", "Lost 4 events\n").lost, 7)

    def test_a_page_marked_dirty_but_never_read_is_counted(self) -> None:
        self.assertEqual(joined(Backend(1).dirty(1, 9)).unmatched, 1)

    def test_a_line_that_is_no_event_is_refused_by_its_number(self) -> None:
        for line in ("1 2 3 x 4\n", "1 2 3 r 4 0 1\n", "error: no\n", "1 2\n"):
            with self.assertRaisesRegex(ValueError, "^event 2: `.*` is not of buffers.bt$"):
                joined(Backend(1).read(1, 9, TABLE, 7), line)


class PageNumbers(unittest.TestCase):
    def test_forks_get_runs_of_numbers_without_gaps_and_the_map_leads_back(self) -> None:
        a = Backend(1)
        gone = Fork(1663, BENCH, 999, 0)
        reads = [(TABLE, 2), (INDEX, 5), (VISIBLE, 0), (gone, 1), (TABLE, 0)]
        join = joined(*(a.read(t, t, fork, block) for t, (fork, block) in enumerate(reads, 1)), a.dirty(9, 2))
        # The index grew after the catalogue was asked; the table is longer than what was read of it.
        known = {
            TABLE: Relation("public.t", 4),
            INDEX: Relation("public.i,x", 3),
            VISIBLE: Relation("public.t", 1),
        }
        extents = number(join, known)
        trace, table = io.StringIO(), io.StringIO()
        write_trace(join, extents, ["by a test"], trace)
        write_map(extents, table)
        self.assertEqual(trace.getvalue(), "# by a test\nR 10\nW 7\nR 12\nR 1\nR 8\n")
        self.assertEqual(
            table.getvalue(),
            "first_page,relation,fork,blocks\n"
            '0,filenode:1663/16384/999,main,2\n2,"public.i,x",main,6\n8,public.t,main,4\n12,public.t,vm,1\n',
        )
        self.assertEqual(extents[VISIBLE], Extent(12, "public.t", "vm", 1))


class Usage(unittest.TestCase):
    def test_bad_usage_is_one_line_that_names_the_option_and_exit_code_2(self) -> None:
        for arguments, named in ((["--scale", "0"], "--scale"), (["--set", "x"], "--set"), ([], "-o FILE")):
            command = [sys.executable, "-B", str(Path(__file__).with_name("capture")), *arguments]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(named, done.stderr)


if __name__ == "__main__":
    unittest.main()
