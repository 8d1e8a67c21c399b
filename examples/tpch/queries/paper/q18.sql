-- Large Volume Customer
-- The paper has 99 % sequential reads: LINEITEM is scanned for the subquery, and ORDERS. MariaDB scans
-- CUSTOMER and reaches ORDERS by its key of customers, at random.
select straight_join
    c_name,
    c_custkey,
    o_orderkey,
    o_orderdate,
    o_totalprice,
    sum(l_quantity)
from
    orders,
    customer,
    lineitem
where
    o_orderkey in (
        select
            l_orderkey
        from
            lineitem
        group by
            l_orderkey having
                sum(l_quantity) > 300
    )
    and c_custkey = o_custkey
    and o_orderkey = l_orderkey
group by
    c_name,
    c_custkey,
    o_orderkey,
    o_orderdate,
    o_totalprice
order by
    o_totalprice desc,
    o_orderdate
limit 100
