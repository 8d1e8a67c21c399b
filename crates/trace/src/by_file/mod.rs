//! What a trace asked of each of its files: how much, in sequence or at random, how often again, and for how
//! long. One pass; memory is bounded by the files and their distinct pages.

mod distinct;
mod runs;
mod source;
mod tally;
#[cfg(feature = "figures")]
mod words;

use std::ffi::OsStr;

use serde::Serialize;

use crate::open::{Opened, open_either};
use crate::{BadLines, ReadAs, Recognition, Skipped, TraceError};
use distinct::Sample;
use runs::{Extent, Span};
use tally::{Busy, Tally};

/// The schema of [`ByFile`] as JSON.
pub const BY_FILE_SCHEMA: &str = "leadline.trace-by-file/1";

/// Chunks of 512 pages up to which pages are counted exactly, unless asked otherwise: about 600 MB where all
/// of them are used.
pub const MOST_CHUNKS: usize = 1 << 22;

/// A share of random reads above this makes a trace a random one (Yang et al., 2020).
const RANDOM_SHARE: f64 = 0.5;

/// A rate of repeated access above this makes it a repeated one.
const REPEATED_RATE: f64 = 1.1;

/// How a trace is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByFileOptions {
    /// Bytes of a page, at least 1.
    pub page_bytes: u32,
    /// Bytes that a database reads ahead at once; at least four pages.
    pub extent_bytes: u64,
    /// Chunks of 512 pages up to which distinct pages are counted exactly; more are sampled.
    pub most_chunks: usize,
    /// Whether the first bad line is an error; else bad lines are counted and passed over.
    pub strict: bool,
}

impl Default for ByFileOptions {
    /// InnoDB's pages of 16K and extents of 1M.
    fn default() -> Self {
        ByFileOptions { page_bytes: 16 << 10, extent_bytes: 1 << 20, most_chunks: MOST_CHUNKS, strict: false }
    }
}

/// What a trace asked of its files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ByFile {
    /// [`BY_FILE_SCHEMA`].
    pub schema: &'static str,
    /// The trace, as it was named.
    pub trace: String,
    /// The format that it was read in, and what told it; `None` where nothing was read.
    pub format: Option<Recognition>,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Bytes of an extent.
    pub extent_bytes: u64,
    /// Whether the trace has names for its files; else they are called `volume 0` and so on.
    pub named: bool,
    /// Whether distinct pages were counted exactly; else from a sample of them.
    pub exact: bool,
    /// Lines that were no requests.
    pub bad_lines: BadLines,
    /// Lines that hold no request and are not wrong, by kind.
    pub skipped: Skipped,
    /// Length of a capture; else from the first request to the last, where the trace has times.
    pub seconds: Option<f64>,
    /// Time of it during which no request was in flight, where the trace says when requests were completed.
    pub computing_seconds: Option<f64>,
    /// All files together.
    pub all: Usage,
    /// Each of them, most bytes first.
    pub files: Vec<FileUsage>,
}

/// What was asked of one file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FileUsage {
    /// Its name, the last one that it had.
    pub name: String,
    /// The rest.
    #[serde(flatten)]
    pub usage: Usage,
}

/// Numbers of one file, or of all. Shares are from 0 to 1; `None` where there is nothing to take a share of.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Usage {
    /// Reads and writes.
    pub requests: u64,
    /// Requests that read.
    pub reads: u64,
    /// Requests that write.
    pub writes: u64,
    /// Of captures: fsync and fdatasync.
    pub syncs: u64,
    /// Of captures: operations that neither move bytes nor sync, such as truncations and renames.
    pub other_operations: u64,
    /// Bytes read and written.
    pub bytes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// Accesses to pages: a request of several pages is as many.
    pub page_accesses: u64,
    /// Page accesses that read.
    pub page_reads: u64,
    /// Page accesses that write.
    pub page_writes: u64,
    /// Reads of pages that belong to a run of whole extents.
    pub sequential_page_reads: u64,
    /// All others.
    pub random_page_reads: u64,
    /// Writes of pages, likewise.
    pub sequential_page_writes: u64,
    /// All others.
    pub random_page_writes: u64,
    /// Sequential reads of pages / reads of pages.
    pub sequential_read_share: Option<f64>,
    /// Random ones / reads of pages.
    pub random_read_share: Option<f64>,
    /// Sequential writes of pages / writes of pages.
    pub sequential_write_share: Option<f64>,
    /// Random ones / writes of pages.
    pub random_write_share: Option<f64>,
    /// Pages accessed once or more.
    pub distinct_pages: u64,
    /// The same in bytes.
    pub footprint_bytes: u64,
    /// Accesses to pages / distinct pages.
    pub repeat_access_rate: Option<f64>,
    /// Time during which a request was in flight, where the trace says when requests were completed.
    pub io_seconds: Option<f64>,
    /// What kind of reader it has; `None` where nothing is read.
    pub class: Option<Class>,
}

/// How something is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
pub enum Class {
    /// Half of the pages or more in sequence.
    #[serde(rename = "sequential")]
    Sequential,
    /// More than half of the pages at random.
    #[serde(rename = "random")]
    Random,
    /// At random, and more than 1.1 accesses to a page on average.
    #[serde(rename = "random and repeated")]
    RandomAndRepeated,
}

impl Class {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Class::Sequential => "sequential",
            Class::Random => "random",
            Class::RandomAndRepeated => "random and repeated",
        }
    }
}

impl Usage {
    /// Fills in what follows from the counts.
    fn with_shares(mut self) -> Usage {
        let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
        self.requests = self.reads + self.writes;
        self.bytes = self.read_bytes.saturating_add(self.written_bytes);
        self.page_accesses = self.page_reads + self.page_writes;
        self.sequential_read_share = ratio(self.sequential_page_reads, self.page_reads);
        self.random_read_share = ratio(self.random_page_reads, self.page_reads);
        self.sequential_write_share = ratio(self.sequential_page_writes, self.page_writes);
        self.random_write_share = ratio(self.random_page_writes, self.page_writes);
        self.repeat_access_rate = ratio(self.page_accesses, self.distinct_pages);
        let repeated = self.repeat_access_rate.is_some_and(|rate| rate > REPEATED_RATE);
        self.class = self.random_read_share.map(|random| match (random > RANDOM_SHARE, repeated) {
            (false, _) => Class::Sequential,
            (true, false) => Class::Random,
            (true, true) => Class::RandomAndRepeated,
        });
        self
    }

    /// The sum; the time in flight is not one, and is that of the whole.
    fn sum(files: &[FileUsage], io_seconds: Option<f64>) -> Usage {
        let of = |count: fn(&Usage) -> u64| files.iter().map(|file| count(&file.usage)).sum();
        Usage {
            reads: of(|usage| usage.reads),
            writes: of(|usage| usage.writes),
            syncs: of(|usage| usage.syncs),
            other_operations: of(|usage| usage.other_operations),
            read_bytes: of(|usage| usage.read_bytes),
            written_bytes: of(|usage| usage.written_bytes),
            page_reads: of(|usage| usage.page_reads),
            page_writes: of(|usage| usage.page_writes),
            sequential_page_reads: of(|usage| usage.sequential_page_reads),
            random_page_reads: of(|usage| usage.random_page_reads),
            sequential_page_writes: of(|usage| usage.sequential_page_writes),
            random_page_writes: of(|usage| usage.random_page_writes),
            distinct_pages: of(|usage| usage.distinct_pages),
            footprint_bytes: of(|usage| usage.footprint_bytes),
            io_seconds,
            ..Usage::default()
        }
        .with_shares()
    }
}

/// Reads the trace called `name`, as [`open_as`](crate::open_as) does, to its end.
/// `progress` is told now and then how many requests have been read, and which share of the trace that is,
/// where its size is known.
///
/// # Errors
/// As [`open`](crate::open); the trace's own; a bad line only where the options are strict or it is a
/// capture, which has no lines.
pub fn by_file(
    name: &(impl AsRef<OsStr> + ?Sized),
    read_as: &ReadAs,
    options: &ByFileOptions,
    progress: &mut (dyn FnMut(u64, Option<f64>) + Send),
) -> Result<ByFile, TraceError> {
    let counting = Counting::new(options);
    let shown = name.as_ref().to_string_lossy();
    match open_either(name.as_ref(), read_as)? {
        Opened::Capture(reader) => source::capture(&shown, *reader, counting, progress),
        Opened::Trace(trace) => source::trace(&shown, trace, counting, progress),
    }
}

/// What is counted on the way through a trace.
struct Counting {
    options: ByFileOptions,
    extent: Extent,
    files: Vec<Tally>,
    busy: Busy,
    sample: Sample,
    chunks: usize,
    requests: u64,
}

impl Counting {
    fn new(options: &ByFileOptions) -> Counting {
        Counting {
            options: *options,
            extent: Extent::new(options.extent_bytes, options.page_bytes),
            files: Vec::new(),
            busy: Busy::default(),
            sample: Sample::default(),
            chunks: 0,
            requests: 0,
        }
    }

    #[inline]
    fn file(&mut self, file: u32) -> &mut Tally {
        let file = file as usize;
        if file >= self.files.len() {
            self.files.resize_with(file + 1, Tally::default);
        }
        &mut self.files[file]
    }

    /// A read or write of `file`.
    #[inline]
    fn moved(&mut self, file: u32, write: bool, span: &Span) {
        let (extent, sample) = (self.extent, self.sample);
        self.requests += 1;
        self.chunks += self.file(file).moved(write, span, extent, sample);
        while self.chunks > self.options.most_chunks {
            self.sample.halve();
            self.chunks = self.files.iter_mut().map(|file| file.thin(self.sample)).sum();
        }
    }

    /// A request was in flight; those of all files come in the order in which they were issued.
    #[inline]
    fn in_flight(&mut self, file: u32, issued_ns: u64, completed_ns: u64) {
        self.file(file).in_flight(issued_ns, completed_ns);
        self.busy.add(issued_ns, completed_ns);
    }

    /// The result; `completions` says whether requests have been reported as in flight.
    fn finish(
        self,
        trace: &str,
        seconds: Option<f64>,
        completions: bool,
        names: impl Fn(u32) -> Option<String>,
    ) -> ByFile {
        let (extent, sample, page_bytes) = (self.extent, self.sample, self.options.page_bytes);
        let mut named = true;
        let mut files = Vec::with_capacity(self.files.len());
        for (number, tally) in (0..).zip(self.files) {
            let usage = tally.finish(page_bytes, extent, sample, completions);
            if usage.requests + usage.syncs + usage.other_operations > 0 {
                let name = names(number);
                named &= name.is_some();
                files.push(FileUsage { name: name.unwrap_or_else(|| format!("volume {number}")), usage });
            }
        }
        files.sort_by(|a, b| b.usage.bytes.cmp(&a.usage.bytes).then_with(|| a.name.cmp(&b.name)));
        let io_seconds = completions.then(|| self.busy.seconds());
        ByFile {
            schema: BY_FILE_SCHEMA,
            trace: trace.to_owned(),
            format: None,
            page_bytes,
            extent_bytes: self.options.extent_bytes,
            named,
            exact: sample.is_exact(),
            bad_lines: BadLines::default(),
            skipped: Skipped::default(),
            seconds,
            computing_seconds: seconds.zip(io_seconds).map(|(all, io)| (all - io).max(0.0)),
            all: Usage::sum(&files, io_seconds),
            files,
        }
    }
}
