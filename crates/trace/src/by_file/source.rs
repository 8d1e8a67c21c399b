//! The way through a capture, and through any other trace.

use super::{ByFile, Counting, Span};
use crate::capture::Reader;
use crate::{Lenient, Trace, TraceError, Unit};

/// Requests between two reports of progress.
const REPORT_EVERY: u64 = 1 << 16;

/// Everything that a capture holds.
pub(super) fn capture(
    name: &str,
    mut reader: Reader,
    mut counting: Counting,
    progress: &mut (dyn FnMut(u64, Option<f64>) + Send),
) -> Result<ByFile, TraceError> {
    let page_bytes = u64::from(counting.options.page_bytes.max(1));
    let mut events = 0u64;
    while let Some(event) = reader.next_event()? {
        events += 1;
        if events.is_multiple_of(REPORT_EVERY) {
            progress(events, reader.progress());
        }
        let (offset, length) = (event.offset, event.length);
        if event.operation.moves_bytes() && length > 0 {
            let (first, last) = (offset / page_bytes, (offset + length - 1) / page_bytes);
            let span = Span {
                start: offset,
                end: offset + length,
                first,
                pages: last - first + 1,
                bytes: length,
                times: Some((event.issued_ns, event.completed_ns)),
            };
            counting.moved(event.file, event.operation.is_write(), &span);
        } else {
            counting.file(event.file).moved_nothing(event.operation);
        }
        counting.in_flight(event.file, event.issued_ns, event.completed_ns);
    }
    let names = reader.files();
    // The folder itself has no name within it.
    let name_of = |file: u32| {
        names.get(file as usize).map(|name| match name.as_str() {
            "" => ".".to_owned(),
            name => name.to_owned(),
        })
    };
    let seconds = reader.ended_ns().map(|ended_ns| ended_ns as f64 / 1e9);
    let found = counting.finish(name, seconds, true, name_of);
    Ok(ByFile { format: reader.recognition().cloned(), ..found })
}

/// The requests of any other trace, which does not say when they were completed.
pub(super) fn trace(
    name: &str,
    trace: Box<dyn Trace>,
    mut counting: Counting,
    progress: &mut (dyn FnMut(u64, Option<f64>) + Send),
) -> Result<ByFile, TraceError> {
    let (unit, timed) = (trace.unit(), trace.timed());
    let page_bytes = u64::from(counting.options.page_bytes.max(1));
    let mut trace = Lenient::new(trace, counting.options.strict);
    let mut last_ns = 0;
    while let Some(request) = trace.next()? {
        let length = u64::from(request.length.max(1));
        let (start, end) = (request.address, request.address.saturating_add(length));
        let (first, last, bytes) = match unit {
            Unit::Page => (start, start.saturating_add(length - 1), length.saturating_mul(page_bytes)),
            Unit::Byte => (start / page_bytes, start.saturating_add(length - 1) / page_bytes, length),
        };
        let pages = last - first + 1;
        // The last page of all has none behind it: it counts as the one before.
        let span = Span { start, end, first: first.min(u64::MAX - pages), pages, bytes, times: None };
        counting.moved(request.volume, request.write, &span);
        last_ns = request.at_ns;
        if counting.requests.is_multiple_of(REPORT_EVERY) {
            progress(counting.requests, trace.progress());
        }
    }
    let seconds = (timed && counting.requests > 0).then(|| last_ns as f64 / 1e9);
    let name_of = |volume: u32| trace.volume_name(volume).map(str::to_owned);
    let found = counting.finish(name, seconds, false, name_of);
    Ok(ByFile {
        format: trace.recognition().cloned(),
        bad_lines: trace.bad_lines().clone(),
        skipped: trace.skipped().cloned().unwrap_or_default(),
        ..found
    })
}
