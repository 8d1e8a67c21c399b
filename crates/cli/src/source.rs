//! What TRACE on the command line names: a file, a generator, what a program has in memory.

use std::ffi::OsStr;

use leadline_trace::{ReadAs, Recognition, RecognizedBy, STDIN, Skipped, Trace, TraceError, open_as};

use crate::console;
use crate::messages;
use crate::paths::MEMORY;

/// The trace that TRACE names, read as is said.
///
/// # Errors
/// As [`open_as`].
pub(crate) fn open_trace(
    name: &(impl AsRef<OsStr> + ?Sized),
    read_as: &ReadAs,
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
    open_as(name, read_as.clone())
}

/// Says what a trace was taken for, where its lines told it.
pub(crate) fn say_recognized(name: &dyn std::fmt::Display, told: &Recognition) {
    if told.by == RecognizedBy::Content {
        messages::note(&format!("{name}: read as {}", told.words()));
    }
}

/// Says what was passed over of a trace, beside what says nothing.
pub(crate) fn say_skipped(skipped: &Skipped) {
    for kind in
        skipped.kinds().iter().filter(|kind| !["empty lines", "comments", "header"].contains(&&*kind.what))
    {
        messages::note(&format!(
            "{} {} left out, the first in line {}",
            kind.count, kind.what, kind.first_line
        ));
    }
}
