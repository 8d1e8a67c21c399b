//! What the memory under the cap is spent on.

use crate::format::{Directory, Header};
use crate::{GraphError, Options};

use super::cache::Cache;

/// Requests grow to this where blocks that are wanted lie side by side.
const MOST_REQUEST_BYTES: u32 = 64 << 10;

/// Reads in flight per thread that the least memory still gives.
const LEAST_SLOTS: u32 = 2;

/// What a thread takes beside its buffers: the part of its stack that is used, its ring, its counters.
const BYTES_A_THREAD: u64 = 64 << 10;

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
    /// Shares out what the cap leaves beside `state` bytes of vertex state. Buffers get at most a third of
    /// it, the cache the rest.
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
        while request > block && bytes(slots, request) > spare / 3 {
            request /= 2;
        }
        while slots > LEAST_SLOTS && bytes(slots, request) > spare / 3 {
            slots -= 1;
        }
        // One slot is enough where one was asked for.
        let buffers = bytes(slots, request);
        let frames =
            ((spare - buffers.min(spare)) / Cache::bytes_a_frame(block)).min(u64::from(blocks)) as u32;
        let bytes = fixed + buffers + u64::from(frames) * Cache::bytes_a_frame(block);
        Ok(EnginePlan { threads: threads as usize, slots, request_bytes: request, frames, bytes })
    }

    /// Bytes of buffers where there is memory enough.
    pub(crate) fn most_buffers(block_bytes: u32, options: &Options) -> u64 {
        let (slots, request) = EnginePlan::wanted_buffers(block_bytes, options);
        options.threads.max(1) as u64 * u64::from(slots) * u64::from(request)
    }

    /// Bytes that a cap of `memory` has for vertex state where there is more of it than fits: what the index
    /// leaves but for reads in flight, and a quarter of it even to those.
    pub(crate) fn room_for_state(header: &Header, options: &Options, memory: u64, blocks: u32) -> u64 {
        let rest = memory.saturating_sub(EnginePlan::fixed(options, blocks, 0));
        rest - (2 * EnginePlan::most_buffers(header.block_bytes, options)).min(rest / 4)
    }

    /// The least cap that has room for so many bytes of vertex state where there is more than fits.
    pub(crate) fn memory_for_state(header: &Header, options: &Options, blocks: u32, state: u64) -> u64 {
        let rest =
            (state + 2 * EnginePlan::most_buffers(header.block_bytes, options)).min((state * 4).div_ceil(3));
        EnginePlan::fixed(options, blocks, 0) + rest
    }

    /// Reads in flight of each thread, and the bytes of the buffer of each, where there is memory enough.
    fn wanted_buffers(block_bytes: u32, options: &Options) -> (u32, u32) {
        let slots = options.depth.div_ceil(options.threads.max(1) as u32).max(1);
        (slots, MOST_REQUEST_BYTES.max(block_bytes))
    }

    /// The least memory that does, `state` bytes of vertex state among it.
    pub(crate) fn least_memory(header: &Header, options: &Options, blocks: u32, state: u64) -> u64 {
        let buffers = options.threads.max(1) as u64 * u64::from(LEAST_SLOTS * header.block_bytes);
        EnginePlan::fixed(options, blocks, state) + buffers
    }

    /// What is taken whatever the memory: index, state and threads without their buffers.
    fn fixed(options: &Options, blocks: u32, state: u64) -> u64 {
        let index = Directory::bytes_for(u64::from(blocks)) + Cache::BYTES_A_BLOCK * u64::from(blocks);
        index + state + options.threads.max(1) as u64 * BYTES_A_THREAD
    }
}
