-- Important Stock Identification
-- The paper has 66 % sequential reads: PARTSUPP is scanned. MariaDB begins with NATION and reaches PARTSUPP
-- by SUPPLIER's keys, at random.
select straight_join
    ps_partkey,
    sum(ps_supplycost * ps_availqty) as value
from
    partsupp,
    supplier,
    nation
where
    ps_suppkey = s_suppkey
    and s_nationkey = n_nationkey
    and n_name = 'GERMANY'
group by
    ps_partkey having
        sum(ps_supplycost * ps_availqty) > (
            select straight_join
                sum(ps_supplycost * ps_availqty) * {fraction}
            from
                partsupp,
                supplier,
                nation
            where
                ps_suppkey = s_suppkey
                and s_nationkey = n_nationkey
                and n_name = 'GERMANY'
        )
order by
    value desc
