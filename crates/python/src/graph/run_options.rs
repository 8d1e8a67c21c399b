//! How a run differs from how a graph was opened.

use std::path::PathBuf;

use leadline_graph::Options;
use pyo3::prelude::*;

use crate::values::{path, whole};

/// How one run differs from how the store was opened: memory (bytes), threads, reads in flight, the directory
/// of temporary files; a tuple in Python.
#[derive(Debug, Clone, Default)]
pub(crate) struct RunOptions {
    memory: Option<u64>,
    threads: Option<u64>,
    depth: Option<u64>,
    temp: Option<PathBuf>,
}

const MOST_THREADS: u64 = 1024;
const MOST_DEPTH: u64 = 4096;

impl<'py> FromPyObject<'_, 'py> for RunOptions {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<RunOptions> {
        type Given<'py> = Option<Bound<'py, PyAny>>;
        let (memory, threads, depth, temp): (Option<u64>, Given<'py>, Given<'py>, Given<'py>) =
            given.extract()?;
        let within = |name: &str, value: Given<'py>, most: u64| {
            value.map(|value| whole(name, &value, 1, most)).transpose()
        };
        Ok(RunOptions {
            memory,
            threads: within("threads", threads, MOST_THREADS)?,
            depth: within("concurrency", depth, MOST_DEPTH)?,
            temp: temp.map(|temp| path("temp", &temp)).transpose()?,
        })
    }
}

impl RunOptions {
    /// The usual options, except for those given.
    pub(super) fn over(self, usual: &Options) -> Options {
        Options {
            memory: self.memory.unwrap_or(usual.memory),
            threads: self.threads.map_or(usual.threads, |threads| threads as usize),
            depth: self.depth.map_or(usual.depth, |depth| depth as u32),
            temp: self.temp.or_else(|| usual.temp.clone()),
            limit: usual.limit,
            stop: None,
        }
    }
}
