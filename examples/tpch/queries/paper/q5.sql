-- Local Supplier Volume
-- The paper has 91 % sequential reads, each page once: LINEITEM is scanned, ORDERS follows in the order of
-- its key, and SUPPLIER and CUSTOMER, which fit in the pool, are read at random. MariaDB begins with REGION
-- and reaches ORDERS and LINEITEM by CUSTOMER's keys, at random.
select straight_join
    n_name,
    sum(l_extendedprice * (1 - l_discount)) as revenue
from
    lineitem,
    supplier,
    nation,
    region,
    orders,
    customer
where
    c_custkey = o_custkey
    and l_orderkey = o_orderkey
    and l_suppkey = s_suppkey
    and c_nationkey = s_nationkey
    and s_nationkey = n_nationkey
    and n_regionkey = r_regionkey
    and r_name = 'ASIA'
    and o_orderdate >= date '1994-01-01'
    and o_orderdate < date '1994-01-01' + interval '1' year
group by
    n_name
order by
    revenue desc
