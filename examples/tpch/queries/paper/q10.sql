-- Returned Item Reporting
-- The paper has 93 % sequential reads, each page once: LINEITEM is scanned, ORDERS follows in the order of
-- its key, and CUSTOMER, which fits in the pool, is read at random. (From ORDERS on, a quarter's orders
-- would touch too few pages of LINEITEM for read-ahead.) MariaDB begins with NATION and reaches ORDERS and
-- LINEITEM by CUSTOMER's keys, at random.
select straight_join
    c_custkey,
    c_name,
    sum(l_extendedprice * (1 - l_discount)) as revenue,
    c_acctbal,
    n_name,
    c_address,
    c_phone,
    c_comment
from
    lineitem,
    orders,
    customer,
    nation
where
    c_custkey = o_custkey
    and l_orderkey = o_orderkey
    and o_orderdate >= date '1993-10-01'
    and o_orderdate < date '1993-10-01' + interval '3' month
    and l_returnflag = 'R'
    and c_nationkey = n_nationkey
group by
    c_custkey,
    c_name,
    c_acctbal,
    c_phone,
    n_name,
    c_address,
    c_comment
order by
    revenue desc
limit 20
