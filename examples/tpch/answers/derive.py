#!/usr/bin/env python3
"""Derives the expected answers of TPC-H's queries with SQLite, from the rows that MariaDB is given.

    tpch rows --scale 0.01 ROWS
    answers/derive.py 0.01 ROWS queries/default > answers/0.01.json

An answer in short is that of src/answers.rs: the number of rows, the CRC-32 of the columns that are no
numbers, and for each column of numbers the sum over the rows of row number times value.
"""

import calendar
import datetime
import json
import os
import re
import sqlite3
import sys
import zlib

TABLES = {
    "region": "r_regionkey i, r_name t, r_comment t",
    "nation": "n_nationkey i, n_name t, n_regionkey i, n_comment t",
    "supplier": "s_suppkey i, s_name t, s_address t, s_nationkey i, s_phone t, s_acctbal r, s_comment t",
    "customer": "c_custkey i, c_name t, c_address t, c_nationkey i, c_phone t, c_acctbal r, c_mktsegment t, "
    "c_comment t",
    "part": "p_partkey i, p_name t, p_mfgr t, p_brand t, p_type t, p_size i, p_container t, p_retailprice r, "
    "p_comment t",
    "partsupp": "ps_partkey i, ps_suppkey i, ps_availqty i, ps_supplycost r, ps_comment t",
    "orders": "o_orderkey i, o_custkey i, o_orderstatus t, o_totalprice r, o_orderdate t, o_orderpriority t, "
    "o_clerk t, o_shippriority i, o_comment t",
    "lineitem": "l_orderkey i, l_partkey i, l_suppkey i, l_linenumber i, l_quantity r, l_extendedprice r, "
    "l_discount r, l_tax r, l_returnflag t, l_linestatus t, l_shipdate t, l_commitdate t, l_receiptdate t, "
    "l_shipinstruct t, l_shipmode t, l_comment t",
}
INDEXES = [
    "region (r_regionkey)", "nation (n_nationkey)", "supplier (s_suppkey)", "customer (c_custkey)",
    "part (p_partkey)", "partsupp (ps_partkey, ps_suppkey)", "orders (o_orderkey)", "orders (o_custkey)",
    "lineitem (l_orderkey)", "lineitem (l_partkey, l_suppkey)",
]
TYPES = {"i": int, "r": float, "t": str}


def load(db, folder):
    for table, columns in TABLES.items():
        names, kinds = zip(*(column.split() for column in columns.split(", ")))
        db.execute(f"create table {table} ({', '.join(names)})")
        convert = [TYPES[kind] for kind in kinds]
        with open(os.path.join(folder, f"{table}.tbl"), encoding="ascii") as file:
            rows = ([kind(value) for kind, value in zip(convert, line.split("|"))] for line in file)
            db.executemany(f"insert into {table} values ({', '.join('?' * len(names))})", rows)
    for number, index in enumerate(INDEXES):
        db.execute(f"create index i{number} on {index}")
    db.execute("analyze")


def shifted(match):
    """A date and an interval, as one date."""
    day = datetime.date.fromisoformat(match[1])
    count = int(match[3]) if match[2] == "+" else -int(match[3])
    if match[4] == "day":
        day += datetime.timedelta(days=count)
    else:
        months = day.year * 12 + day.month - 1 + count * (12 if match[4] == "year" else 1)
        last = calendar.monthrange(months // 12, months % 12 + 1)[1]
        day = day.replace(year=months // 12, month=months % 12 + 1, day=min(day.day, last))
    return f"'{day}'"


def dialect(text, scale):
    text = re.sub(r"date '([\d-]+)' ([+-]) interval '(\d+)' (day|month|year)", shifted, text)
    text = re.sub(r"date '([\d-]+)'", r"'\1'", text)
    text = re.sub(r"extract\(year from (\w+)\)", r"cast(substr(\1, 1, 4) as integer)", text)
    text = re.sub(r"substring\((\w+) from (\d) for (\d)\)", r"substr(\1, \2, \3)", text)
    # Binary fractions have no 0.07.
    discount = "l_discount between 0.06 - 0.01 and 0.06 + 0.01"
    text = text.replace(discount, "round(100 * l_discount) between 5 and 7")
    return text.replace("{fraction}", repr(0.0001 / scale))


def in_short(rows):
    crc, sums = 0, []
    for column in zip(*rows):
        texts = ["NULL" if value is None else str(value) for value in column]
        if all(isinstance(value, (int, float)) or re.fullmatch(r"-?[\d.]+", str(value)) for value in column):
            sums.append(sum(number * float(value) for number, value in enumerate(column, 1)))
        else:
            crc = zlib.crc32("".join(text + "\n" for text in texts).encode(), crc)
    return {"rows": len(rows), "text_crc32": f"{crc:08x}", "sums": sums}


def main():
    scale, rows, queries = float(sys.argv[1]), sys.argv[2], sys.argv[3]
    db = sqlite3.connect(":memory:")
    db.execute("pragma case_sensitive_like = on")
    load(db, rows)
    answers = {}
    for number in range(1, 23):
        with open(os.path.join(queries, f"q{number}.sql"), encoding="ascii") as file:
            answers[f"q{number}"] = in_short(db.execute(dialect(file.read(), scale)).fetchall())
            print(f"q{number}", file=sys.stderr)
    print(json.dumps(answers, indent=1))


main()
