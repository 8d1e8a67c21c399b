//! Traces as their users have them: files by name, in and out.

mod archives;
mod by_file;
mod capture;
mod columns;
mod compression;
mod conversion;
mod docs;
mod formats;
mod generators;
mod hostile;
mod recognition;
mod wrong;

use leadline_trace::{Format, Request, Trace, TraceError, read};

/// The path of a sample.
fn sample(name: &str) -> String {
    format!("{}/tests/traces/samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A trace in memory.
fn in_memory(bytes: impl Into<Vec<u8>>, format: Option<Format>) -> Result<Box<dyn Trace>, TraceError> {
    read(Box::new(std::io::Cursor::new(bytes.into())), "t", format)
}

/// All requests; fails at the first error.
#[track_caller]
fn all(mut trace: Box<dyn Trace>) -> Vec<Request> {
    std::iter::from_fn(|| trace.next().unwrap()).collect()
}

/// `R volume address length` or `W`, and the time behind `@` where it is not 0.
fn short(request: &Request) -> String {
    let Request { at_ns, volume, write, address, length } = request;
    let letter = if *write { 'W' } else { 'R' };
    let at = if *at_ns > 0 { format!(" @{at_ns}") } else { String::new() };
    format!("{letter} {volume} {address} {length}{at}")
}
