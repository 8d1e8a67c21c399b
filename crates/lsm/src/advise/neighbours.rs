//! One step away from the chosen layout.

use super::candidate::Candidate;
use super::memory::with_cache;
use super::parallel::in_parallel;
use super::wanted::Wanted;
use crate::{Layout, Machine, Mix, Operation};

/// A layout that differs from the chosen one in one setting.
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbour {
    /// What differs, such as `fanout 12`.
    pub change: String,
    /// Its costs.
    pub candidate: Candidate,
}

/// What one step in each direction comes to.
pub(super) fn neighbours(
    wanted: &Wanted,
    chosen: &Candidate,
    machine: &Machine,
    progress: &mut dyn FnMut(f64),
) -> Vec<Neighbour> {
    let steps: Vec<(String, Layout)> = steps(&chosen.prediction.layout, &wanted.demands.mix)
        .into_iter()
        .filter_map(|(change, layout)| {
            Some((change, with_cache(&layout, &wanted.data, wanted.memory_bytes)?))
        })
        .collect();
    let neighbour = |(change, layout): &(String, Layout)| Neighbour {
        change: change.clone(),
        candidate: Candidate::of(wanted, layout, machine),
    };
    in_parallel(&steps, &neighbour, progress)
}

fn steps(from: &Layout, mix: &Mix) -> Vec<(String, Layout)> {
    let mut steps = Vec::new();
    let mut step = |change: String, layout: Layout| {
        if layout != *from {
            steps.push((change, layout));
        }
    };
    if from.is_single_level() {
        let base = 4 * from.memtable_bytes;
        step(
            "levels with fanout 10".to_owned(),
            Layout { levels: 7, l0_files: 4, base_bytes: base, ..*from },
        );
    } else {
        for fanout in [from.fanout / 2.0, from.fanout * 2.0].into_iter().filter(|f| *f >= 2.0) {
            step(format!("fanout {fanout}"), Layout { fanout, ..*from });
        }
        for files in [from.l0_files / 2, from.l0_files * 2].into_iter().filter(|f| *f >= 1) {
            let base_bytes = from.memtable_bytes * u64::from(files);
            let change = format!("{files} file{} in level 0", if files == 1 { "" } else { "s" });
            step(change, Layout { l0_files: files, base_bytes, ..*from });
        }
        let single = from.single_level(from.jobs);
        step("a single level".to_owned(), single);
    }
    for block in
        [from.block_bytes / 2, from.block_bytes * 2].into_iter().filter(|b| (1024..=65536).contains(b))
    {
        step(format!("blocks of {} KiB", block / 1024), Layout { block_bytes: block, ..*from });
    }
    // A filter serves point queries alone.
    let points = mix.share(Operation::Point) + mix.share(Operation::Absent) > 0.0;
    let bits = if from.bloom_bits > 0.0 { 0.0 } else { 10.0 };
    let change = if bits > 0.0 { "a filter of 10 bits per key" } else { "no filter" };
    if points {
        step(change.to_owned(), Layout { bloom_bits: bits, ..*from });
    }
    for jobs in [from.jobs / 2, from.jobs * 2].into_iter().filter(|j| *j >= 1) {
        let change = format!("{jobs} compaction{} at a time", if jobs == 1 { "" } else { "s" });
        step(change, Layout { jobs, subcompactions: jobs, ..*from });
    }
    steps
}
