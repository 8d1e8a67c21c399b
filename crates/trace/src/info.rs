//! What a trace is like: one pass, constant memory.

#[cfg(feature = "figures")]
mod charts;
mod hot;
#[cfg(feature = "figures")]
mod page;
mod requests;
mod reuse;
#[cfg(feature = "figures")]
mod words;

use serde::Serialize;

pub use hot::{HotSet, Hotness};
#[cfg(feature = "figures")]
pub(crate) use page::warning;
pub use requests::{ObjectSizes, RateCell, Rates, Requests, Sizes, VolumeHeat};
pub use reuse::{CACHE_SHARES, DistanceBin, ReuseInfo, Sampling};

use crate::lenient::{BadLines, Lenient};
use crate::reuse::Reuse;
use crate::{Pages, Recognition, Request, Skipped, Trace, TraceError, Unit};
use requests::RequestCounter;

/// The schema of [`Info`] as JSON.
pub const INFO_SCHEMA: &str = "leadline.trace-info/1";

/// Distinct pages up to which everything is exact, unless asked otherwise: about 150 MB.
pub const MOST_PAGES: usize = 1 << 20;

/// Requests between two reports of progress.
const REPORT_EVERY: u64 = 1 << 16;

/// How a trace is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InfoOptions {
    /// Bytes of a page, at least 1: cuts a trace of bytes into pages, and is the size of pages in a trace of
    /// pages.
    pub page_bytes: u32,
    /// Distinct pages up to which everything is exact; more are sampled.
    pub most_pages: usize,
    /// Whether the first bad line is an error; else bad lines are counted and passed over.
    pub strict: bool,
}

impl Default for InfoOptions {
    fn default() -> Self {
        InfoOptions { page_bytes: 4096, most_pages: MOST_PAGES, strict: false }
    }
}

/// What a trace is like. Shares are from 0 to 1; `None` where there is nothing to take a share of.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// [`INFO_SCHEMA`].
    pub schema: &'static str,
    /// The trace, as it was named.
    pub trace: String,
    /// The format that it was read in, and what told it; `None` where nothing was read.
    pub format: Option<Recognition>,
    /// What its addresses and lengths count: `page` or `byte`.
    pub unit: &'static str,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Lines that were no requests.
    pub bad_lines: BadLines,
    /// Lines that hold no request and are not wrong, by kind.
    pub skipped: Skipped,
    /// What can be said of requests one by one; always exact.
    pub requests: Requests,
    /// Sizes of the objects that were asked for, where each page is an object of its own size.
    pub objects: Option<ObjectSizes>,
    /// Accesses to pages: a request of several pages is as many.
    pub accesses: u64,
    /// How pages were followed.
    pub sampling: Sampling,
    /// Distinct pages accessed; a whole number where exact.
    pub footprint_pages: f64,
    /// The same in bytes.
    pub footprint_bytes: f64,
    /// Distinct pages written.
    pub written_pages: f64,
    /// Accesses to a page that was accessed before / accesses.
    pub repeat_share: Option<f64>,
    /// Reuse distances, and the miss ratio of LRU caches.
    pub reuse: ReuseInfo,
    /// How unevenly accesses are spread over pages.
    pub hotness: Hotness,
}

/// Reads a trace to its end. `progress` is told now and then how many requests have been read, and which
/// share of the trace that is, where its size is known.
///
/// # Errors
/// The trace's own; a bad line only where the options are strict.
pub fn info(
    name: &str,
    trace: impl Trace,
    options: &InfoOptions,
    progress: &mut (dyn FnMut(u64, Option<f64>) + Send),
) -> Result<Info, TraceError> {
    let unit = trace.unit();
    let timed = trace.timed();
    let format = trace.recognition().cloned();
    let unit_bytes = if unit == Unit::Page { options.page_bytes } else { 1 };
    let mut counting = RequestCounter::new(u64::from(unit_bytes), timed);
    let (mut bad_lines, mut skipped) = (BadLines::default(), Skipped::default());
    let mut reuse = Reuse::new(options.most_pages);
    let tap = Tap {
        trace: Lenient::new(trace, options.strict),
        counting: &mut counting,
        bad: &mut bad_lines,
        skipped: &mut skipped,
        progress,
    };
    let mut pages = Pages::new(tap, options.page_bytes.max(1));
    while let Some(access) = pages.next()? {
        reuse.access(access.page, access.write);
    }
    drop(pages);
    let (accesses, footprint) = (reuse.accesses(), reuse.pages());
    let written = reuse.followed().filter(|page| page.writes > 0).count() as f64 / reuse.rate();
    Ok(Info {
        schema: INFO_SCHEMA,
        trace: name.to_owned(),
        format,
        unit: if unit == Unit::Page { "page" } else { "byte" },
        page_bytes: options.page_bytes,
        bad_lines,
        skipped,
        objects: counting.objects(),
        requests: counting.finish(),
        accesses,
        sampling: Sampling::of(&reuse, options.most_pages),
        footprint_pages: footprint,
        footprint_bytes: footprint * f64::from(options.page_bytes),
        written_pages: written,
        repeat_share: (accesses > 0).then(|| (1.0 - footprint / accesses as f64).max(0.0)),
        reuse: ReuseInfo::of(&reuse),
        hotness: Hotness::of(&reuse),
    })
}

/// Counts requests on their way to [`Pages`].
struct Tap<'a, T> {
    trace: Lenient<T>,
    counting: &'a mut RequestCounter,
    bad: &'a mut BadLines,
    skipped: &'a mut Skipped,
    progress: &'a mut (dyn FnMut(u64, Option<f64>) + Send),
}

impl<T: Trace> Trace for Tap<'_, T> {
    fn unit(&self) -> Unit {
        self.trace.unit()
    }

    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        let request = self.trace.next()?;
        match &request {
            Some(request) => {
                self.counting.add(request);
                if let Some(bytes) = self.trace.object_bytes() {
                    self.counting.add_object(bytes);
                }
                if self.counting.count().is_multiple_of(REPORT_EVERY) {
                    (self.progress)(self.counting.count(), self.trace.progress());
                }
            }
            None => {
                *self.bad = self.trace.bad_lines().clone();
                *self.skipped = self.trace.skipped().cloned().unwrap_or_default();
            }
        }
        Ok(request)
    }
}
