//! `interleaving`: bandwidth over requests in flight and their size. Figure 4 of Yang, Li and Lilja (ACM
//! TOMPECS 5(1), 2020), section 4.2.

mod figures;

use leadline_device::format_size;
use leadline_figures::Part;
use leadline_profile::{
    DeviceProfile, Experiments, Interleaving, InterleavingPoint, OpKind, PAGE_BYTES, Pattern, Point,
    WorkPoint,
};

use super::cells;
use super::context::ExperimentContext;
use super::kind::{Experiment, LEAST_BUDGET};
use super::timed::workload;
use crate::MeasureError;
use crate::load::Region;
use crate::outcome::Stop;

/// Bytes per request.
const SIZES: [u32; 7] = [4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10, 128 << 10, 256 << 10];

/// Most requests in flight, and the fewest of one size that the region must hold: each has a place of its own
/// then.
const MOST_REQUESTS: u32 = 256;

/// Requests in flight.
const CONCURRENCIES: [u32; 9] = [1, 2, 4, 8, 16, 32, 64, 128, MOST_REQUESTS];

/// `interleaving`.
pub(super) struct InterleavingExperiment;

impl Experiment for InterleavingExperiment {
    fn name(&self) -> &'static str {
        "interleaving"
    }

    fn help(&self) -> &'static str {
        "bandwidth of 4K to 256K requests, 1 to 256 in flight"
    }

    // Three rounds of the largest requests, most of them in flight, are most of this.
    fn write_budget(&self, region_bytes: u64) -> u64 {
        region_bytes.saturating_mul(4).max(LEAST_BUDGET / 2 * 3)
    }

    fn largest_request(&self, region: Region) -> u32 {
        sizes(region).last().copied().unwrap_or(PAGE_BYTES)
    }

    fn most_in_flight(&self) -> u32 {
        MOST_REQUESTS
    }

    fn least_region(&self) -> u64 {
        u64::from(MOST_REQUESTS) * u64::from(PAGE_BYTES)
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { interleaving: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.interleaving.as_ref().map(figures::text)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Interleaving, Option<Stop>), MeasureError> {
    let sizes = sizes(context.plan.region);
    let mut notes = Vec::new();
    let left_out: Vec<String> =
        SIZES.iter().filter(|size| !sizes.contains(size)).map(|&size| format_size(size.into())).collect();
    if !left_out.is_empty() {
        notes.push(format!(
            "left out, since {} hold fewer than {MOST_REQUESTS} of them: requests of {}",
            format_size(context.plan.region.len),
            left_out.join(", ")
        ));
    }
    let ops: &[OpKind] = if context.plan.writes { &[OpKind::Read, OpKind::Write] } else { &[OpKind::Read] };
    let (mut wanted, mut points) = (Vec::new(), Vec::new());
    for pattern in [Pattern::Sequential, Pattern::Random] {
        for &op in ops {
            for &size in &sizes {
                for k in CONCURRENCIES {
                    match context.plan.known.iter().find(|known| is(known, op, pattern, size, k)) {
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
    let (work, stop) = cells::measure(context, &wanted, notes)?;
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

/// The sizes of which the region holds enough, ascending.
fn sizes(region: Region) -> Vec<u32> {
    let holds = |size: u32| region.len / u64::from(size);
    SIZES.into_iter().filter(|&size| holds(size) >= u64::from(MOST_REQUESTS)).collect()
}
