//! From one trace to another.

use std::io::Write;

use crate::{Trace, TraceError, Writer};

/// So often the watcher is asked, in lines read.
const WATCH_EVERY: u64 = 1 << 14;

/// What was copied.
#[derive(Debug, Default)]
pub struct CopySummary {
    /// Requests written.
    pub requests: u64,
    /// Bad lines or records left out.
    pub skipped: u64,
    /// The first of them.
    pub first_skipped: Option<TraceError>,
}

/// Why a copy ended before the trace did.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The trace cannot be read.
    #[error(transparent)]
    Read(TraceError),
    /// The copy cannot be written.
    #[error(transparent)]
    Write(TraceError),
    /// The watcher ended it.
    #[error("interrupted")]
    Interrupted,
}

/// Writes all requests of `trace`. With `skip_bad`, lines that are wrong are left out and counted. `watch` is
/// asked now and then whether to go on, with the requests so far and the share of the trace that was read,
/// where that is known.
///
/// # Errors
/// [`CopyError`]; what was written by then is in the writer's output.
pub fn copy<W: Write>(
    trace: &mut dyn Trace,
    writer: &mut Writer<W>,
    skip_bad: bool,
    watch: &mut dyn FnMut(u64, Option<f64>) -> bool,
) -> Result<CopySummary, CopyError> {
    let mut copied = CopySummary::default();
    loop {
        if (copied.requests + copied.skipped).is_multiple_of(WATCH_EVERY)
            && !watch(copied.requests, trace.progress())
        {
            return Err(CopyError::Interrupted);
        }
        match trace.next() {
            Ok(Some(request)) => {
                writer.write(&request).map_err(CopyError::Write)?;
                copied.requests += 1;
            }
            Ok(None) => return Ok(copied),
            Err(error @ TraceError::Syntax { .. }) if skip_bad => {
                copied.skipped += 1;
                copied.first_skipped.get_or_insert(error);
            }
            Err(error) => return Err(CopyError::Read(error)),
        }
    }
}
