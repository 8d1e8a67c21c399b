//! What `interleaving` shows: bandwidth by size and requests in flight.

use std::collections::BTreeSet;

use leadline_figures::Part;
use leadline_figures::number::{block, capital, significant};
use leadline_profile::{Interleaving, OpKind, Pattern};

use crate::experiment::figures::{FOREGROUNDS, table};
use crate::experiment::timed::words as requests;

pub(super) fn text(found: &Interleaving) -> Vec<Part> {
    let of = |(op, pattern): (OpKind, Pattern)| {
        let here = || found.points.iter().filter(move |p| (p.op, p.pattern) == (op, pattern));
        let sizes: BTreeSet<u32> = here().map(|p| p.block_bytes).collect();
        let ks: BTreeSet<u32> = here().map(|p| p.concurrency).collect();
        let row = |k: u32| {
            let cell = |&size: &u32| {
                let point = here().find(|p| (p.block_bytes, p.concurrency) == (size, k))?;
                Some(significant(point.bandwidth_bytes / 1e6))
            };
            (format!("k = {k}"), sizes.iter().map(cell).collect())
        };
        let title =
            format!("{}, MB/s by size and requests in flight", capital(&requests(op, pattern, false)));
        let head = sizes.iter().map(|&size| block(size)).collect();
        (!sizes.is_empty()).then(|| table(&title, head, ks.into_iter().map(row).collect()))
    };
    FOREGROUNDS.into_iter().filter_map(of).collect()
}
