//! How a graph is worked on.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// How a graph is worked on.
#[derive(Debug, Clone)]
pub struct Options {
    /// Most bytes of everything: vertex state, index, cache, buffers, output.
    pub memory: u64,
    /// Threads that read and compute; at least 1.
    pub threads: usize,
    /// Reads in flight, of all threads together: the device's k_r; at least 1.
    pub depth: u32,
    /// What the device allows, where it limits operations and not only bytes. Where that is not known, a run
    /// finds out from its first reads.
    pub limit: Option<DeviceLimit>,
    /// The directory of temporary files for vertex state that the cap has no room for; the store's own where
    /// there is none. They have no names, so none is left behind.
    pub temp: Option<PathBuf>,
    /// Set from outside to end a run early.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Operations and bytes per second that a device allows, such as a cloud volume: with small requests the
/// first are used up long before the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeviceLimit {
    /// Reads per second, however large they are.
    pub operations_per_second: f64,
    /// Bytes per second.
    pub bytes_per_second: f64,
}

impl DeviceLimit {
    /// Bytes of a request from which on bytes are limited, and not operations.
    pub fn bytes_per_operation(&self) -> f64 {
        self.bytes_per_second / self.operations_per_second
    }
}

impl Default for Options {
    /// A gibibyte or a quarter of the machine's memory, whichever is less; all processors; 64 reads in
    /// flight.
    fn default() -> Self {
        let pages = rustix::param::page_size() as u64;
        let memory = rustix::system::sysinfo();
        let installed = memory.totalram as u64 * u64::from(memory.mem_unit.max(1));
        let quarter = (installed / 4).max(64 * pages);
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        Options { memory: quarter.min(1 << 30), threads, depth: 64, limit: None, temp: None, stop: None }
    }
}

impl Options {
    /// Sets the most bytes of everything.
    pub fn with_memory(mut self, bytes: u64) -> Options {
        self.memory = bytes;
        self
    }

    /// Sets the number of threads.
    pub fn with_threads(mut self, threads: usize) -> Options {
        self.threads = threads;
        self
    }

    /// Sets how many reads are in flight, of all threads together.
    pub fn with_depth(mut self, depth: u32) -> Options {
        self.depth = depth;
        self
    }

    /// Sets what the device allows.
    pub fn with_limit(mut self, limit: Option<DeviceLimit>) -> Options {
        self.limit = limit;
        self
    }

    /// Sets the directory of temporary files.
    pub fn with_temp(mut self, folder: impl Into<PathBuf>) -> Options {
        self.temp = Some(folder.into());
        self
    }

    /// Sets the flag that ends a run early.
    pub fn with_stop(mut self, stop: Arc<AtomicBool>) -> Options {
        self.stop = Some(stop);
        self
    }
}
