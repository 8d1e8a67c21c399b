//! `mix-line`: what Seastar's I/O scheduler assumes of a disk, measured. It takes reads and writes to share
//! the device along a straight line, and requests to cost a fixed part and one per byte; here are random
//! requests of a small and of a large size at five shares of reads, and reads and writes alone at sizes
//! between and beyond.

mod figures;

use leadline_figures::Part;
use leadline_profile::{DeviceProfile, Experiments, PAGE_BYTES, Work};
use serde_json::{Value, json};

use super::cells;
use super::context::ExperimentContext;
use super::kind::Experiment;
use super::r_by_k::sizes_that_fit;
use crate::MeasureError;
use crate::load::Region;
use crate::outcome::Stop;

/// Shares of reads.
const READ_SHARES: [f64; 5] = [1.0, 0.75, 0.5, 0.25, 0.0];

/// Bytes per request, and whether reads and writes are mixed at this size.
const SIZES: [(u32, bool); 5] =
    [(4 << 10, true), (256 << 10, true), (16 << 10, false), (64 << 10, false), (1 << 20, false)];

/// Requests in flight.
const CONCURRENCIES: [u32; 3] = [16, 64, 128];

/// The sizes of which the region holds enough, ascending, and those that are left out, in words.
pub(super) fn sizes(region: Region) -> (Vec<u32>, Option<String>) {
    let mut sizes = SIZES.map(|(size, _)| size);
    sizes.sort_unstable();
    sizes_that_fit(&sizes, region)
}

/// `mix-line`.
pub(super) struct MixLineExperiment;

impl Experiment for MixLineExperiment {
    fn name(&self) -> &'static str {
        "mix-line"
    }

    fn help(&self) -> &'static str {
        "reads mixed with writes at 4K and 256K, for Seastar"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn largest_request(&self, region: Region) -> u32 {
        sizes(region).0.last().copied().unwrap_or(PAGE_BYTES)
    }

    fn run(&self, context: &mut ExperimentContext) -> Result<(Experiments, Option<Stop>), MeasureError> {
        let (found, stop) = run(context)?;
        Ok((Experiments { mix_line: Some(found), ..Experiments::default() }, stop))
    }

    fn text(&self, profile: &DeviceProfile) -> Option<Vec<Part>> {
        profile.experiments.mix_line.as_ref().map(figures::text)
    }

    fn sentences(&self, profile: &DeviceProfile) -> Option<Vec<String>> {
        profile.experiments.mix_line.as_ref().map(figures::sentences)
    }

    fn chart(&self, profile: &DeviceProfile) -> Option<Value> {
        profile.experiments.mix_line.as_ref().map(|found| json!(figures::MixChart::all(found)))
    }
}

fn run(context: &mut ExperimentContext) -> Result<(Work, Option<Stop>), MeasureError> {
    let (sizes, note) = sizes(context.plan.region);
    let mut wanted = Vec::new();
    for (size, mixed) in SIZES.into_iter().filter(|(size, _)| sizes.contains(size)) {
        for share in READ_SHARES.into_iter().filter(|share| mixed || [0.0, 1.0].contains(share)) {
            wanted.extend(CONCURRENCIES.map(|k| (ExperimentContext::workload(share, size), k)));
        }
    }
    cells::measure(context, &wanted, note.into_iter().collect())
}
