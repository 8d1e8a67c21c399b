//! `r-by-k`: random accesses of many lengths at many concurrencies, each one request: the MQSSD paper's
//! benchmark, with requests in flight where it has threads.

use leadline_device::format_size;
use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, PAGE_BYTES, Work};

use super::cells;
use super::context::ExperimentContext;
use super::kind::{Experiment, LEAST_BUDGET};
use super::work_figures;
use crate::MeasureError;
use crate::load::Region;
use crate::outcome::Stop;

/// Bytes of an access: r = 4096 / bytes from 100 % down to 0.1 %. The largest, 128 in flight, take 512 MiB of
/// memory.
const SIZES: [u32; 6] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// Requests in flight.
const CONCURRENCIES: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// Extents of one size that the region must hold, or they would not be random accesses.
const FEWEST_EXTENTS: u64 = 16;

/// The sizes of which the region holds enough, ascending, and those that are left out, in words.
pub(super) fn sizes(region: Region) -> (Vec<u32>, Option<String>) {
    sizes_that_fit(&SIZES, region)
}

/// Those of `sizes` of which the region holds enough, and the others, in words.
pub(super) fn sizes_that_fit(sizes: &[u32], region: Region) -> (Vec<u32>, Option<String>) {
    let enough = |size: &u32| region.len / u64::from(*size) >= FEWEST_EXTENTS;
    let (held, out): (Vec<u32>, Vec<u32>) = sizes.iter().partition(|size| enough(size));
    let names: Vec<String> = out.iter().map(|&size| format_size(size.into())).collect();
    let note = (!names.is_empty()).then(|| {
        let region = format_size(region.len);
        let names = names.join(", ");
        format!("left out, since {region} hold fewer than {FEWEST_EXTENTS} of them: accesses of {names}")
    });
    (held, note)
}

/// `r-by-k`.
pub(super) struct RByKExperiment;

impl Experiment for RByKExperiment {
    fn name(&self) -> &'static str {
        "r-by-k"
    }

    fn help(&self) -> &'static str {
        "random accesses from 4K to 4M, 1 to 128 in flight"
    }

    fn write_budget(&self, region_bytes: u64) -> u64 {
        region_bytes.saturating_mul(4).max(4 * LEAST_BUDGET)
    }

    fn largest_request(&self, region: Region) -> u32 {
        sizes(region).0.last().copied().unwrap_or(PAGE_BYTES)
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { r_by_k: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.r_by_k.as_ref().map(work_figures::by_size)
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Work, Option<Stop>), MeasureError> {
    let (sizes, note) = sizes(context.plan.region);
    let shares: &[f64] = if context.plan.writes { &[1.0, 0.0] } else { &[1.0] };
    let mut wanted = Vec::new();
    for &share in shares {
        for &size in &sizes {
            wanted.extend(CONCURRENCIES.map(|k| (ExperimentContext::workload(share, size), k)));
        }
    }
    cells::measure(context, &wanted, note.into_iter().collect())
}
