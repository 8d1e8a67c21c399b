"""Holds the capture against what PostgreSQL itself says: counters, EXPLAIN, the pages in its pool."""

from __future__ import annotations

import json
from typing import NamedTuple

from cluster import DATABASE, Cluster, Failed
from join import FORKS, Join
from tracer import trace

# Nothing is evicted or written back behind a test's back, so that what a run made dirty still is at its end.
SETTINGS = {
    "shared_buffers": "512MB",
    "bgwriter_lru_maxpages": "0",
    "checkpoint_timeout": "1d",
    "max_wal_size": "16GB",
    "max_parallel_workers_per_gather": "0",
}
# `marker` is read before and after the statement under test, to find it in the trace. A page of `rows` holds
# 2 rows and has space for the new version of one. Rows of `fresh` have no hint bits yet.
TABLES = """
create extension pageinspect;
create table marker as select 1 as one;
create table rows (id int primary key, filler char(2000) not null) with (fillfactor = 60);
alter table rows alter filler set storage plain;
insert into rows select id, 'x' from generate_series(1, 1000) id;
create table fresh (id int, filler char(2000) not null);
alter table fresh alter filler set storage plain;
"""
MARK = "select one from marker"
# Of the row 500: the root of the index, its leaf that names the row, the block that has the row.
PLACES = """
select (select root from bt_metap('rows_pkey')), leaf, (rows.ctid::text::point)[0]::int
from rows, generate_series(1, pg_relation_size('rows_pkey')::int / 8192 - 1) leaf,
     bt_page_items('rows_pkey', leaf) item
where id = 500 and item.htid = rows.ctid and (bt_page_stats('rows_pkey', leaf)).type = 'l'
"""

Access = tuple[str, str, int, bool]  # relation, fork, block, written


class Check(NamedTuple):
    """One thing that was checked, and the numbers."""

    passed: bool
    name: str
    numbers: str


def self_test(work_dir: str) -> bool:
    """Runs all checks and prints one line each; whether all passed."""
    with Cluster(work_dir, SETTINGS) as cluster:
        cluster.client("pgbench", "-i", "-q", "-s", "2", DATABASE)
        cluster.sql(TABLES)
        cluster.sql("create extension pg_buffercache", "postgres")
        cluster.sql("vacuum (freeze, analyze) marker, rows")
        checks = [
            *pgbench(cluster, 1, 1000, "tpcb-like"),
            *pgbench(cluster, 4, 250, "tpcb-like"),
            *pgbench(cluster, 2, 500, "select-only"),
            *scan(cluster),
            *update(cluster),
            *hints(cluster),
            *temporary(cluster),
        ]
    for check in checks:
        print(f"{'pass' if check.passed else 'FAIL'}  {check.name}: {check.numbers}")
    failed = sum(not check.passed for check in checks)
    print(f"{len(checks) - failed} of {len(checks)} checks passed")
    return failed == 0


def pgbench(cluster: Cluster, clients: int, transactions: int, script: str) -> list[Check]:
    """Counts, dirty pages and the join itself after a run of pgbench."""
    load = ["-n", "-c", str(clients), "-t", str(transactions), "-b", script, "--random-seed=1", DATABASE]
    # Questions to the database itself count, too, so between the two counts there is none.
    heap, heap_before = filenode(cluster, "pgbench_accounts"), heap_count(cluster)
    cluster.wait_until_idle()
    cluster.sql("checkpoint", "postgres")  # all pages clean
    before = cluster.counted()
    join = trace(cluster, lambda: cluster.client("pgbench", *load))
    counted, pages = cluster.counted() - before, pool(cluster)
    heap_counted = heap_count(cluster) - heap_before
    seen = sum(fork.database != 0 for fork, _, _ in join.accesses())
    heap_seen = sum(fork.filenode == heap and fork.database != 0 for fork, _, _ in join.accesses())
    written = {(*fork, block) for fork, block, write in join.accesses() if write and fork.database != 0}
    dirty = {page for page, is_dirty, _ in pages if is_dirty}
    held = {buffer: page for page, _, buffer in pages}
    mine = {
        b: (*fork, block) for b, (fork, block) in join.buffers.items() if fork.database == cluster.database
    }
    wrong = sum(held.get(buffer) != page for buffer, page in mine.items())
    run = f"{script}, {clients} x {transactions}"
    return [
        Check(
            join.lost == 0 and join.unmatched == 0,
            f"{run}: events",
            f"{join.lost} lost, {join.unmatched} pages dirty without a read, {len(join)} accesses",
        ),
        Check(
            abs(seen - counted) <= counted // 1000,
            f"{run}: accesses",
            f"{seen} traced, {counted} by pg_stat_database ({100 * (seen - counted) / counted:+.3f} %)",
        ),
        Check(
            heap_seen == heap_counted,
            f"{run}: accesses to the heap of pgbench_accounts",
            f"{heap_seen} traced, {heap_counted} by pg_statio_user_tables",
        ),
        Check(
            written == dirty,
            f"{run}: pages written",
            f"{len(written)} traced, {len(dirty)} by pg_buffercache, {len(written ^ dirty)} in one only",
        ),
        Check(
            wrong == 0 and bool(mine),
            f"{run}: which page a buffer holds",
            f"{len(mine)} buffers, {wrong} otherwise by pg_buffercache",
        ),
    ]


def heap_count(cluster: Cluster) -> int:
    """Accesses to pgbench_accounts and its forks, by PostgreSQL's count."""
    count = (
        "select heap_blks_hit + heap_blks_read from pg_statio_user_tables where relname = 'pgbench_accounts'"
    )
    return int(cluster.sql(count))


def filenode(cluster: Cluster, relation: str) -> int:
    return int(cluster.sql(f"select pg_relation_filenode('{relation}')"))


def pool(cluster: Cluster) -> list[tuple[tuple[int, ...], bool, int]]:
    """What PostgreSQL's buffer pool holds of the database: page, whether dirty, buffer."""
    rows = cluster.sql(
        "select reltablespace, reldatabase, relfilenode, relforknumber, relblocknumber, isdirty, bufferid"
        f" from pg_buffercache where reldatabase = {cluster.database}",
        "postgres",
    )
    fields = [row.split(",") for row in rows.splitlines()]
    return [(tuple(map(int, f[:5])), f[5] == "t", int(f[6])) for f in fields]


def between_marks(cluster: Cluster, join: Join) -> list[Access]:
    """The accesses of the one statement between the last two reads of `marker`."""
    known = cluster.relations()
    accesses = [
        (known[fork].name.removeprefix("public."), FORKS[fork.fork], block, write)
        for fork, block, write in join.accesses()
        if fork in known
    ]
    marks = [i for i, access in enumerate(accesses) if access[0] == "marker"]
    if len(marks) < 2:
        raise Failed("the self-test's marks are not in the trace")
    return accesses[marks[-2] + 1 : marks[-1]]


def explained(cluster: Cluster, warm: str, statement: str) -> tuple[list[Access], int, int]:
    """The accesses of `statement`, and how many (with planning) and how many pages made dirty EXPLAIN says it
    had. `warm`, a statement like it, fills the session's caches of the catalogue: what fills them is not all
    in EXPLAIN's counts. Then all pages are made clean."""
    output: list[str] = []
    explain = "explain (analyze, buffers, format json) "
    session = ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", DATABASE]
    for command in (
        MARK,
        explain + warm,
        "explain " + statement,
        "checkpoint",
        MARK,
        explain + statement,
        MARK,
    ):
        session += ["-c", command]
    join = trace(cluster, lambda: output.append(cluster.client("psql", *session)))
    begin = output[0].rindex("\n[\n") + 1  # psql's output is plain rows but for the report
    report = json.JSONDecoder().raw_decode(output[0][begin:])[0][0]
    parts = [report["Plan"], report["Planning"]]
    count = sum(part["Shared Hit Blocks"] + part["Shared Read Blocks"] for part in parts)
    return between_marks(cluster, join), count, sum(part["Shared Dirtied Blocks"] for part in parts)


def agreement(name: str, accesses: list[Access], count: int, dirtied: int) -> list[Check]:
    """With EXPLAIN, in numbers."""
    written = {access[:3] for access in accesses if access[3]}
    return [
        Check(len(accesses) == count, f"{name}: accesses", f"{len(accesses)} traced, {count} by EXPLAIN"),
        Check(
            len(written) == dirtied,
            f"{name}: pages made dirty",
            f"{len(written)} traced, {dirtied} by EXPLAIN",
        ),
    ]


def in_order(name: str, accesses: list[Access], table: str, write: bool, blocks: int) -> Check:
    """Each block of the table once, from the first to the last, all read or all written."""
    got = [access for access in accesses if access[0] == table]
    first, last = (got[0][2], got[-1][2]) if got else (None, None)
    numbers = (
        f"{len(got)} accesses, {sum(a[3] for a in got)} of them writes, to blocks {first} to {last} traced"
    )
    expected = [(table, "main", block, write) for block in range(blocks)]
    return Check(got == expected, f"{name}: blocks in order", f"{numbers}; the table has {blocks} blocks")


def scan(cluster: Cluster) -> list[Check]:
    """A sequential scan reads each block once, in order, and writes none."""
    statement = "select count(filler) from rows"
    accesses, count, dirtied = explained(cluster, statement, statement)
    blocks = int(cluster.sql("select pg_relation_size('rows') / 8192"))
    exact = in_order("scan", accesses, "rows", False, blocks)
    return [exact, *agreement("scan", accesses, count, dirtied)]


def update(cluster: Cluster) -> list[Check]:
    """One row by its key: down the index, the row's page read by the index scan, read again for the columns
    that stay, and written; then the bit is cleared that says all rows of the page are visible to everyone."""
    statement = "update rows set filler = 'y' where id = {}"
    root, leaf, block = map(int, cluster.sql(PLACES).split(","))
    accesses, count, dirtied = explained(cluster, statement.format(10), statement.format(500))
    heap = ("rows", "main", block)
    expected: list[Access] = [
        ("rows_pkey", "main", root, False),
        ("rows_pkey", "main", leaf, False),
        (*heap, False),
        (*heap, False),
        (*heap, True),
        ("rows", "vm", 0, True),
    ]
    order = "; ".join(
        f"{'W' if write else 'R'} {name} {fork} {number}" for name, fork, number, write in accesses
    )
    order += f" traced; by pageinspect root {root}, leaf {leaf}, row in block {block}"
    exact = Check(accesses == expected, "update of one row: order", order)
    return [exact, *agreement("update of one row", accesses, count, dirtied)]


def hints(cluster: Cluster) -> list[Check]:
    """The first to read new rows sets their hint bits: a SELECT that writes every page."""
    cluster.sql("insert into fresh select id, 'x' from generate_series(1, 100) id")
    blocks = int(cluster.sql("select pg_relation_size('fresh') / 8192"))
    statement = "select count(*) from fresh"
    accesses, count, dirtied = explained(cluster, "select count(*) from marker", statement)
    exact = in_order("hint bits", accesses, "fresh", True, blocks)
    return [exact, *agreement("hint bits", accesses, count, dirtied)]


def temporary(cluster: Cluster) -> list[Check]:
    """A temporary table is not in the shared pool: counted, left out, and it disturbs nothing."""
    statements = (
        "create temp table own as select 1 as id from generate_series(1, 1000); update own set id = 2"
    )
    join = trace(cluster, lambda: cluster.sql(statements))
    return [
        Check(
            join.temporary > 0 and join.unmatched == 0,
            "temporary table: left out",
            f"{join.temporary} accesses, {join.unmatched} pages dirty without a read",
        )
    ]
