//! What a run needs and about how long it takes, before it runs (docs/graph-run.md).

mod blocks;
mod passes;

use serde::Serialize;

pub use blocks::{Blocks, Cost, Size, Spilled};
pub(crate) use passes::Passes;

use crate::algorithm::Algorithm;
use crate::engine::EnginePlan;
use crate::{Graph, GraphError};

/// How far off the seconds of computing may be, either way.
const COMPUTING_FACTOR: f64 = 2.0;

/// How fast a device reads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadSpeed {
    /// Bytes per second, in large requests.
    pub bandwidth_bytes: f64,
    /// Random requests of a block per second, with as many in flight as the run has; none: not known.
    pub iops: Option<f64>,
}

/// What a run needs. Intervals are the least and the most that is to be expected.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// The cap that this is for.
    pub memory_cap_bytes: u64,
    /// The least cap with which the algorithm runs.
    pub least_memory_bytes: u64,
    /// The least cap with which its result is also written to a file.
    pub least_memory_with_file_bytes: u64,
    /// The least cap with which its result also becomes rows in memory.
    pub least_memory_with_rows_bytes: u64,
    /// Whether the algorithm runs with this cap. What follows is `None` or 0 where it does not.
    pub enough_memory: bool,
    /// What the algorithm holds in memory: vertex state, lists, walkers.
    pub state_bytes: u64,
    /// All blocks of the graph, in both directions.
    pub block_bytes: u64,
    /// Blocks that the cache has room for.
    pub cache_bytes: u64,
    /// Whether these are all.
    pub all_cached: bool,
    /// Bytes read from the device in a first run, when nothing is cached.
    pub bytes_read: Option<[u64; 2]>,
    /// Vertex state written to a temporary file and read from it, where the cap has no room for all of it;
    /// else 0.
    pub spilled_bytes: Option<[u64; 2]>,
    /// Seconds without any waiting for the device; unknown for shortest paths and walks, whose costs were not
    /// measured.
    pub computing_seconds: Option<[f64; 2]>,
    /// Seconds of reading alone, where the device's speed is known.
    pub reading_seconds: Option<[f64; 2]>,
    /// Seconds of the run: from the longer of both at their least, to the sum of both at their most. Unknown
    /// where one of both is.
    pub seconds: Option<[f64; 2]>,
}

impl Graph {
    /// What an algorithm needs of memory under this graph's options, what it reads and about how long it
    /// takes, without reading a block.
    ///
    /// Memory is exact: it is asked of what the run itself asks. Bytes are exact where all vertex state fits
    /// and the algorithm passes over all blocks again and again whatever it finds (WCC, PageRank without a
    /// tolerance; CDLP and LCC of undirected graphs where their lists fit), for searches an interval that
    /// assumes that the sources lead to nearly all. Computing is good for a factor of about two on a
    /// processor and graphs like the ones with known costs (benches/RESULTS.md); others may be farther off.
    ///
    /// # Errors
    /// As the algorithm's where the graph lacks weights or incoming edges.
    pub fn estimate(
        &self,
        algorithm: &dyn Algorithm,
        speed: Option<ReadSpeed>,
    ) -> Result<Estimate, GraphError> {
        let instead = algorithm.instead(self);
        let algorithm = instead.as_deref().unwrap_or(algorithm);
        algorithm.check(self)?;
        let memory = self.options().memory;
        let (header, blocks) = (self.header(), self.all_blocks());
        let alone = algorithm.least_memory(self);
        let [file, rows] = algorithm.least_memory_with_result(self);
        let mut estimate = Estimate {
            memory_cap_bytes: memory,
            least_memory_bytes: alone,
            least_memory_with_file_bytes: file,
            least_memory_with_rows_bytes: rows,
            enough_memory: memory >= alone,
            state_bytes: algorithm.state_bytes(self, memory),
            block_bytes: u64::from(blocks) * u64::from(header.block_bytes),
            cache_bytes: 0,
            all_cached: false,
            bytes_read: None,
            spilled_bytes: None,
            computing_seconds: None,
            reading_seconds: None,
            seconds: None,
        };
        if !estimate.enough_memory {
            return Ok(estimate);
        }
        let plan = EnginePlan::new("", header, self.options(), blocks, estimate.state_bytes)?;
        let of_blocks = Blocks::new(self, plan.frames);
        let spilled = algorithm.spilled(&of_blocks);
        let read = spilled
            .map_or_else(|| algorithm.reads(&of_blocks), |spilled| spilled.blocks)
            .map(|count| count.saturating_mul(header.block_bytes.into()));
        let spilled = spilled.map_or([0; 2], |spilled| spilled.bytes);
        let computing = computing_seconds(&Size::new(self, &plan), algorithm);
        estimate.cache_bytes = u64::from(plan.frames) * u64::from(header.block_bytes);
        estimate.all_cached = plan.frames >= blocks;
        estimate.bytes_read = Some(read);
        estimate.spilled_bytes = Some(spilled);
        estimate.computing_seconds = computing;
        if let Some(speed) = speed {
            let request = if algorithm.scans() { plan.request_bytes } else { header.block_bytes };
            let reading = reading_seconds(read, spilled, speed, request);
            estimate.reading_seconds = Some(reading);
            estimate.seconds = computing.map(|[least, most]| [least.max(reading[0]), most + reading[1]]);
        }
        Ok(estimate)
    }
}

/// Seconds, at least and at most, without any waiting for the device; none where nothing was measured.
fn computing_seconds(size: &Size, algorithm: &dyn Algorithm) -> Option<[f64; 2]> {
    let [least, most] = algorithm.computing(size)?;
    Some([least / COMPUTING_FACTOR, most * COMPUTING_FACTOR].map(|nanos| nanos / size.threads / 1e9))
}

/// At best at the full bandwidth; at worst each request on its own, as random requests of a block are.
/// Vertex state is moved in large requests, and taken to be written as fast as it is read.
fn reading_seconds(bytes: [u64; 2], spilled: [u64; 2], speed: ReadSpeed, request_bytes: u32) -> [f64; 2] {
    let [least, most] = bytes.map(|bytes| bytes as f64);
    let [least_spilled, most_spilled] = spilled.map(|bytes| bytes as f64 / speed.bandwidth_bytes);
    let requests = speed.iops.map_or(0.0, |iops| most / f64::from(request_bytes) / iops);
    [
        least / speed.bandwidth_bytes + least_spilled,
        (most / speed.bandwidth_bytes).max(requests) + most_spilled,
    ]
}
