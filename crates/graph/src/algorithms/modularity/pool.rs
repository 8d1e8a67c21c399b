//! The threads of levels in memory.

use rayon::ThreadPool;

use crate::GraphError;

/// Entries of a level in memory from which on it is worth it to wake other threads.
const ENTRIES_FOR_ALL: usize = 1 << 15;

/// Threads that are started when there is work for them.
pub(super) struct Pool {
    threads: usize,
    pool: Option<ThreadPool>,
}

impl Pool {
    pub(super) fn new(threads: usize) -> Pool {
        Pool { threads, pool: None }
    }

    /// Runs a level of that many entries: on all threads, if it has work for them.
    pub(super) fn run<T: Send>(
        &mut self,
        entries: usize,
        step: impl FnOnce() -> Result<T, GraphError> + Send,
    ) -> Result<T, GraphError> {
        let threads = self.threads;
        if threads == 1 || entries < ENTRIES_FOR_ALL {
            return step();
        }
        let pool = match &self.pool {
            Some(pool) => pool,
            None => {
                let made = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .thread_name(|i| format!("leadline-graph-{i}"))
                    .build()
                    .map_err(|error| GraphError::Threads { threads, reason: error.to_string() })?;
                self.pool.insert(made)
            }
        };
        pool.install(step)
    }
}
