//! What `unaligned` shows: latency of sequential writes by size.

use leadline_figures::Part;
use leadline_figures::number::{block, micros};
use leadline_profile::{PAGE_BYTES, Unaligned, UnalignedPoint};

use crate::experiment::figures::{Line, table};

pub(super) fn text(found: &Unaligned) -> Vec<Part> {
    const STEP: u32 = 1 << 10;
    let largest = found.points.iter().map(|p| p.block_bytes).max().unwrap_or(0);
    let steps = PAGE_BYTES / STEP;
    let row = |page: u32| -> Line {
        let cell = |step: u32| {
            let size = page * PAGE_BYTES + step * STEP;
            let point: &UnalignedPoint = found.points.iter().find(|p| p.block_bytes == size)?;
            Some(micros(point.latency_us.mean))
        };
        let from = if page == 0 { "0".to_owned() } else { block(page * PAGE_BYTES) };
        (from, (1..=steps).map(cell).collect())
    };
    let how = match (found.procedure.direct, found.durable) {
        (true, _) => "direct",
        (false, true) => "through the page cache, each durable",
        (false, false) => "through the page cache",
    };
    let title = format!(
        "Sequential writes one at a time, {how}: mean latency by size; last column: multiples of {}",
        block(PAGE_BYTES)
    );
    let head = (1..=steps).map(|step| format!("+{}", block(step * STEP))).collect();
    vec![table(&title, head, (0..largest.div_ceil(PAGE_BYTES)).map(row).collect())]
}
