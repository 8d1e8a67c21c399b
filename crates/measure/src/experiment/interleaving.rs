//! `interleaving`: bandwidth over requests in flight and their size. Figure 4 of Yang, Li and Lilja (ACM
//! TOMPECS 5(1), 2020), section 4.2.

use leadline_device::format_size;
use leadline_profile::{Interleaving, InterleavingPoint, OpKind, Pattern, Point, WorkPoint};

use super::cells;
use super::extremes::{INTERLEAVING_CONCURRENCY, INTERLEAVING_SIZES, interleaving_sizes};
use super::frame::Frame;
use super::timed::workload;
use crate::MeasureError;
use crate::outcome::Stop;

/// Requests in flight.
const CONCURRENCIES: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, INTERLEAVING_CONCURRENCY];

/// Runs the experiment: measures what the profile does not have.
///
/// # Errors
/// As [`super::run`].
pub(super) fn run(frame: &mut Frame) -> Result<(Interleaving, Option<Stop>), MeasureError> {
    let sizes = interleaving_sizes(frame.plan.region);
    let mut notes = Vec::new();
    let left_out: Vec<String> = INTERLEAVING_SIZES
        .iter()
        .filter(|size| !sizes.contains(size))
        .map(|&size| format_size(size.into()))
        .collect();
    if !left_out.is_empty() {
        notes.push(format!(
            "left out, since {} hold fewer than {INTERLEAVING_CONCURRENCY} of them: requests of {}",
            format_size(frame.plan.region.len),
            left_out.join(", ")
        ));
    }
    let ops: &[OpKind] = if frame.plan.writes { &[OpKind::Read, OpKind::Write] } else { &[OpKind::Read] };
    let (mut wanted, mut points) = (Vec::new(), Vec::new());
    for pattern in [Pattern::Sequential, Pattern::Random] {
        for &op in ops {
            for &size in &sizes {
                for k in CONCURRENCIES {
                    match frame.plan.known.iter().find(|known| is(known, op, pattern, size, k)) {
                        Some(known) => points.push(taken(known)),
                        None => wanted.push((workload(op, pattern, false, size), k)),
                    }
                }
            }
        }
    }
    if !points.is_empty() {
        let all = points.len() + wanted.len();
        notes.push(format!("{} of {all} points are the profile's own", points.len()));
    }
    let (work, stop) = cells::measure(frame, &wanted, notes)?;
    points.extend(work.points.iter().map(measured));
    points.sort_by_key(|p| (p.pattern == Pattern::Random, p.op, p.block_bytes, p.concurrency));
    Ok((Interleaving { procedure: work.procedure, points }, stop))
}

fn is(point: &Point, op: OpKind, pattern: Pattern, block_bytes: u32, k: u32) -> bool {
    let same =
        (point.op, point.pattern, point.block_bytes, point.concurrency) == (op, pattern, block_bytes, k);
    same && !point.durable
}

fn taken(known: &Point) -> InterleavingPoint {
    let block = f64::from(known.block_bytes);
    InterleavingPoint {
        op: known.op,
        pattern: known.pattern,
        block_bytes: known.block_bytes,
        concurrency: known.concurrency,
        bandwidth_bytes: known.bandwidth_bytes,
        bandwidth_ci: known.iops_ci.map(|ends| ends.map(|iops| iops * block)),
        from_profile: true,
        cpu_bound: known.cpu_bound,
    }
}

fn measured(point: &WorkPoint) -> InterleavingPoint {
    let bytes = (point.reads + point.writes) as f64 * f64::from(point.block_bytes);
    InterleavingPoint {
        op: if point.reads > 0 { OpKind::Read } else { OpKind::Write },
        pattern: if point.random_fraction > 0.0 { Pattern::Random } else { Pattern::Sequential },
        block_bytes: point.block_bytes,
        concurrency: point.concurrency,
        bandwidth_bytes: bytes / point.seconds,
        // The longer it may have taken, the slower it may be.
        bandwidth_ci: point.seconds_ci.map(|[low, high]| [bytes / high, bytes / low]),
        from_profile: false,
        cpu_bound: point.cpu_bound,
    }
}
