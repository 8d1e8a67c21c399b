//! What the memory under the cap is spent on.

use leadline_graph_store::format::{Directory, Header};

use crate::{GraphError, Options};

use super::cache::Cache;

/// Requests grow to this where blocks that are wanted lie side by side.
const MOST_REQUEST_BYTES: u32 = 64 << 10;

/// Where the device limits operations, they grow to this.
const MOST_LIMITED_BYTES: u32 = 256 << 10;

/// What is given up in turn if memory is too little: reads in flight of all threads, down to that many, then
/// bytes of each, down to that many. Flash is hardly faster with more than 16 reads, and little faster than
/// with 8; a volume that limits operations is slower the smaller they are.
const STEPS: [(u64, u32); 3] = [(16, 16 << 10), (8, 0), (0, 0)];

/// The same where the device limits operations: four in flight already take all that there are.
const LIMITED_STEPS: [(u64, u32); 2] = [(4, 0), (0, 0)];

/// Reads in flight per thread that the least memory still gives.
const LEAST_SLOTS: u32 = 2;

/// What a thread takes in addition to its buffers: the part of its stack that is used, its ring, its
/// counters.
const BYTES_PER_THREAD: u64 = 64 << 10;

/// How large everything is made. All fields together with the vertex state stay below the cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EnginePlan {
    /// Threads that read and compute.
    pub(crate) threads: usize,
    /// Reads in flight of each.
    pub(crate) slots: u32,
    /// Bytes of the buffer of each.
    pub(crate) request_bytes: u32,
    /// Frames of the cache.
    pub(crate) frames: u32,
    /// Bytes of all this and of the vertex state.
    pub(crate) bytes: u64,
}

impl EnginePlan {
    /// Divides the memory that the cap leaves in addition to `state` bytes of vertex state. Buffers get at
    /// most a third of it, the cache the rest. If that is too little for all reads in flight, they are fewer
    /// or smaller.
    ///
    /// # Errors
    /// [`GraphError::Memory`] with the least that would do.
    pub(crate) fn new(
        what: &str,
        header: &Header,
        options: &Options,
        blocks: u32,
        state: u64,
    ) -> Result<EnginePlan, GraphError> {
        let block = header.block_bytes;
        let threads = options.threads.max(1) as u64;
        let fixed = EnginePlan::fixed(options, blocks, state);
        let least = EnginePlan::least_memory(header, options, blocks, state);
        if options.memory < least {
            // Rounded up, so that what is asked for does.
            let needed = least.next_multiple_of(1 << 10);
            return Err(GraphError::Memory { what: what.into(), given: options.memory, needed });
        }
        let spare = options.memory - fixed;
        let (mut slots, mut request) = EnginePlan::wanted_buffers(block, options);
        let bytes = |slots: u32, request: u32| threads * u64::from(slots) * u64::from(request);
        let steps = if options.limit.is_some() { &LIMITED_STEPS[..] } else { &STEPS[..] };
        for &(least_reads, least_bytes) in steps {
            let least_slots = (least_reads.div_ceil(threads) as u32).max(LEAST_SLOTS);
            while slots > least_slots && bytes(slots, request) > spare / 3 {
                slots -= 1;
            }
            while request > block.max(least_bytes) && bytes(slots, request) > spare / 3 {
                request /= 2;
            }
        }
        // One slot is enough where one was asked for.
        let buffers = bytes(slots, request);
        let frames =
            ((spare - buffers.min(spare)) / Cache::bytes_per_frame(block)).min(u64::from(blocks)) as u32;
        let bytes = fixed + buffers + u64::from(frames) * Cache::bytes_per_frame(block);
        assert!(bytes <= options.memory, "a plan of {bytes} bytes for a cap of {}", options.memory);
        assert!(slots > 0 && request >= block && request.is_multiple_of(block), "reads of whole blocks");
        Ok(EnginePlan { threads: threads as usize, slots, request_bytes: request, frames, bytes })
    }

    /// Blocks that a thread has asked for and not visited, at most; they come in any order.
    pub(crate) fn blocks_at_once(&self, block_bytes: u32) -> u32 {
        self.slots * (self.request_bytes / block_bytes)
    }

    /// Bytes of buffers where there is memory enough.
    pub(crate) fn most_buffers(block_bytes: u32, options: &Options) -> u64 {
        let (slots, request) = EnginePlan::wanted_buffers(block_bytes, options);
        options.threads.max(1) as u64 * u64::from(slots) * u64::from(request)
    }

    /// Bytes that a cap of `memory` has for vertex state where there is more of it than fits: what the index
    /// leaves except for reads in flight, and a quarter of it even to those.
    pub(crate) fn room_for_state(header: &Header, options: &Options, memory: u64, blocks: u32) -> u64 {
        let rest = memory.saturating_sub(EnginePlan::fixed(options, blocks, 0));
        rest - (2 * EnginePlan::most_buffers(header.block_bytes, options)).min(rest / 4)
    }

    /// The least cap that has room for that many bytes of vertex state where there is more than fits.
    pub(crate) fn memory_for_state(header: &Header, options: &Options, blocks: u32, state: u64) -> u64 {
        let rest =
            (state + 2 * EnginePlan::most_buffers(header.block_bytes, options)).min((state * 4).div_ceil(3));
        EnginePlan::fixed(options, blocks, 0) + rest
    }

    /// Reads in flight of each thread, and the bytes of the buffer of each, where there is memory enough.
    fn wanted_buffers(block_bytes: u32, options: &Options) -> (u32, u32) {
        let slots = options.depth.div_ceil(options.threads.max(1) as u32).max(1);
        let request = options.limit.map_or(MOST_REQUEST_BYTES, |limit| {
            let wanted = (limit.bytes_per_operation() as u32).clamp(MOST_REQUEST_BYTES, MOST_LIMITED_BYTES);
            wanted.next_power_of_two()
        });
        (slots, request.max(block_bytes))
    }

    /// The least memory that does, `state` bytes of vertex state among it.
    pub(crate) fn least_memory(header: &Header, options: &Options, blocks: u32, state: u64) -> u64 {
        let buffers = options.threads.max(1) as u64 * u64::from(LEAST_SLOTS * header.block_bytes);
        EnginePlan::fixed(options, blocks, state) + buffers
    }

    /// What is taken whatever the memory: index, state and threads without their buffers.
    fn fixed(options: &Options, blocks: u32, state: u64) -> u64 {
        let index = Directory::bytes_for(u64::from(blocks)) + Cache::BYTES_PER_BLOCK * u64::from(blocks);
        index + state + options.threads.max(1) as u64 * BYTES_PER_THREAD
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DeviceLimit;
    use leadline_graph_store::format::{Layout, StoreWriter, Weights};

    /// The plan for a large graph whose cap leaves that much.
    fn plan(header: &Header, options: Options, spare: u64) -> EnginePlan {
        let memory = EnginePlan::fixed(&options, 1 << 20, 0) + spare;
        EnginePlan::new("", header, &Options { memory, ..options }, 1 << 20, 0).unwrap()
    }

    fn header() -> Header {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty");
        let (block_bytes, weights) = (4096, Weights::None);
        let layout = Layout { block_bytes, compressed: false, directed: false, weights, vertices: 0 };
        StoreWriter::create(&path, layout).unwrap().finish().unwrap().header
    }

    #[test]
    fn where_operations_are_limited_reads_are_large_and_fewer_before_they_are_smaller() {
        let header = header();
        let buffers = |operations: f64, bytes: f64, spare| {
            let limit = Some(DeviceLimit { operations_per_second: operations, bytes_per_second: bytes });
            let plan = plan(&header, Options { threads: 1, limit, ..Options::default() }, spare);
            (plan.slots, plan.request_bytes)
        };
        assert_eq!(buffers(3000.0, 125e6, 12 << 20), (64, 64 << 10));
        assert_eq!(buffers(3000.0, 125e6, 3 << 18), (4, 64 << 10));
        assert_eq!(buffers(3000.0, 125e6, 3 << 15), (4, 8 << 10));
        assert_eq!(buffers(3000.0, 125e6, 8192), (2, 4096));
        // More bytes for each operation, but no more than are one.
        assert_eq!(buffers(3000.0, 1e9, 64 << 20), (64, 256 << 10));
        assert_eq!(buffers(3000.0, 1e9, 3 << 20), (4, 256 << 10));
    }

    #[test]
    fn with_less_memory_reads_are_fewer_then_smaller_down_to_the_least() {
        let header = header();
        let buffers = |threads, depth, spare| {
            let plan = plan(&header, Options { threads, depth, ..Options::default() }, spare);
            (plan.slots, plan.request_bytes)
        };
        assert_eq!(buffers(1, 64, 12 << 20), (64, 64 << 10));
        assert_eq!(buffers(1, 64, 6 << 20), (32, 64 << 10));
        assert_eq!(buffers(1, 64, 3 << 20), (16, 64 << 10));
        assert_eq!(buffers(1, 64, 3 << 19), (16, 32 << 10));
        assert_eq!(buffers(1, 64, 3 << 18), (16, 16 << 10));
        assert_eq!(buffers(1, 64, 3 << 17), (8, 16 << 10));
        assert_eq!(buffers(1, 64, 3 << 15), (8, 4096));
        assert_eq!(buffers(1, 64, 3 << 14), (4, 4096));
        assert_eq!(buffers(1, 64, 8192), (2, 4096));
        // Those of all threads count.
        assert_eq!(buffers(4, 64, 3 << 20), (4, 64 << 10));
        assert_eq!(buffers(1, 4, 3 << 17), (4, 32 << 10));
    }
}
