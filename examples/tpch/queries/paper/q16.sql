-- Parts/Supplier Relationship
-- The paper has 76 % random reads, but each page once: PART is scanned, and PARTSUPP follows in the order of
-- its key, a part of which is skipped. MariaDB joins the same tables in the same order, but first sorts the
-- parts by the columns of GROUP BY, so that it reads PARTSUPP in no order, and many pages more than once.
-- The derived table, which LIMIT keeps from being merged, is grouped after the join.
select
    p_brand,
    p_type,
    p_size,
    count(distinct ps_suppkey) as supplier_cnt
from
    (
        select straight_join
            p_brand,
            p_type,
            p_size,
            ps_suppkey
        from
            part,
            partsupp
        where
            p_partkey = ps_partkey
            and p_brand <> 'Brand#45'
            and p_type not like 'MEDIUM POLISHED%'
            and p_size in (49, 14, 23, 45, 19, 3, 36, 9)
            and ps_suppkey not in (
                select
                    s_suppkey
                from
                    supplier
                where
                    s_comment like '%Customer%Complaints%'
            )
        limit 18446744073709551615
    ) as supplied
group by
    p_brand,
    p_type,
    p_size
order by
    supplier_cnt desc,
    p_brand,
    p_type,
    p_size
