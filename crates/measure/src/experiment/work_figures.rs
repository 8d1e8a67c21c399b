//! What points of work and time show: `r-by-k` and `mixed`, and what `mix-line` has in common with them.

use std::collections::BTreeSet;

use leadline_figures::Part;
use leadline_figures::number::{block, count, significant};
use leadline_profile::{PAGE_BYTES, Work, WorkPoint};

use super::figures::{Line, table};

/// Of `r-by-k`.
pub(super) fn by_size(work: &Work) -> Vec<Part> {
    let of = |reads: bool| work.points.iter().filter(move |p| (p.reads > 0) == reads);
    let mut out = Vec::new();
    for (name, reads) in [("Random reads", true), ("Random writes", false)] {
        let sizes: BTreeSet<u32> = of(reads).map(|p| p.block_bytes).collect();
        if sizes.is_empty() {
            continue;
        }
        let head = sizes.iter().map(|&bytes| block(bytes)).collect();
        let r = sizes.iter().map(|&bytes| share_of_random(bytes)).collect();
        let mut rows = vec![("r".to_owned(), r)];
        rows.extend(over_concurrencies(&work.points, |k| {
            sizes
                .iter()
                .map(|&bytes| {
                    let point = of(reads).find(|p| p.block_bytes == bytes && p.concurrency == k);
                    point.map(|p| significant(per_second(p) * f64::from(p.block_bytes) / 1e6))
                })
                .collect()
        }));
        out.push(table(&format!("{name}, MB/s by access and requests in flight"), head, rows));
    }
    out
}

/// Of `mixed`.
pub(super) fn by_share(work: &Work) -> Vec<Part> {
    let share = |p: &WorkPoint| 5 * twentieths(p);
    let shares: BTreeSet<u32> = work.points.iter().map(share).collect();
    let head = shares.iter().map(|share| format!("{share} % reads")).collect();
    let rows = over_concurrencies(&work.points, |k| {
        let at = |wanted| work.points.iter().find(|p| share(p) == wanted && p.concurrency == k);
        shares.iter().map(|&share| at(share).map(|p| count(per_second(p)))).collect()
    });
    vec![table("4K random, IOPS by share of reads and requests in flight", head, rows)]
}

/// `6.3 %`: random accesses per page.
fn share_of_random(bytes: u32) -> Option<String> {
    let percent = 100.0 * f64::from(PAGE_BYTES) / f64::from(bytes);
    Some(if percent >= 9.95 { format!("{percent:.0} %") } else { format!("{percent:.1} %") })
}

/// One line for each concurrency there is.
pub(super) fn over_concurrencies<'a>(
    points: impl IntoIterator<Item = &'a WorkPoint>,
    cells: impl Fn(u32) -> Vec<Option<String>>,
) -> Vec<Line> {
    let concurrencies: BTreeSet<u32> = points.into_iter().map(|p| p.concurrency).collect();
    concurrencies.into_iter().map(|k| (format!("k = {k}"), cells(k))).collect()
}

/// The share of reads in twentieths: what was asked for, without the chance in what was sent.
pub(super) fn twentieths(point: &WorkPoint) -> u32 {
    (20.0 * read_share(point)).round() as u32
}

/// 0 to 1.
pub(super) fn read_share(point: &WorkPoint) -> f64 {
    point.reads as f64 / (point.reads + point.writes) as f64
}

/// Requests per second.
pub(super) fn per_second(point: &WorkPoint) -> f64 {
    (point.reads + point.writes) as f64 / point.seconds
}
