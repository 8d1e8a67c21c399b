//! What TRACE on the command line names: a file, a generator, what a program has in memory.

use std::ffi::OsStr;

use leadline_trace::{Format, STDIN, Trace, TraceError, open, open_as};

use crate::console;
use crate::paths::MEMORY;

/// The trace that TRACE names, in the format given or the one that its ending or content tells.
///
/// # Errors
/// As [`open`].
pub(crate) fn open_trace(
    name: &(impl AsRef<OsStr> + ?Sized),
    format: Option<Format>,
) -> Result<Box<dyn Trace>, TraceError> {
    let name = name.as_ref();
    if let Some(call) = console::call() {
        match call.trace() {
            Some(trace) if name == MEMORY => return Ok(Box::new(trace)),
            // What a program's standard input holds is its own.
            _ if name == STDIN => {
                let reason = "standard input is for the command line; name a file".to_owned();
                return Err(TraceError::Name { name: STDIN.to_owned(), reason });
            }
            _ => {}
        }
    }
    match format {
        Some(format) => open_as(name, format),
        None => open(name),
    }
}
