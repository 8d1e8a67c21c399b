//! A capture in memory: the requests that a device sees, in the order of issue.

use std::path::Path;

use leadline_trace::capture::{Event, Operation, Reader, Thread};

use crate::PlacementError;

/// Most requests of a capture, so that their numbers fit in 32 bits with room to spare.
const MOST_REQUESTS: usize = 1 << 31;

/// So often the watcher is asked, in events.
const WATCH_EVERY: u64 = 1 << 16;

/// What a request does to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Reads.
    Read,
    /// Writes, not durable by itself.
    Write,
    /// Writes durably.
    DurableWrite,
    /// Makes all writes before durable.
    Flush,
}

/// A request of a capture. Times are nanoseconds since the capture began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// When it was issued.
    pub issued_ns: u64,
    /// When it was completed.
    pub completed_ns: u64,
    /// First byte of the file.
    pub offset: u64,
    /// Bytes; 0 of a flush.
    pub bytes: u32,
    /// Index into [`Captured::threads`].
    pub thread: u32,
    /// Index into [`Captured::files`].
    pub file: u32,
    /// What it does.
    pub kind: Kind,
}

/// A file of a capture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Its path, relative to the directory that was captured.
    pub name: String,
    /// Bytes up to the end of the last request: all that the capture knows of its size.
    pub bytes: u64,
}

/// A capture, in memory: 40 bytes per request.
#[derive(Debug, Clone, Default)]
pub struct Captured {
    /// As it is called: the file's name without directory and endings.
    pub name: String,
    /// The requests that reach a device, in the order of issue.
    pub requests: Vec<Request>,
    /// Files, some perhaps without requests.
    pub files: Vec<File>,
    /// Threads.
    pub threads: Vec<Thread>,
    /// From its beginning to its end.
    pub ended_ns: u64,
}

impl Captured {
    /// Reads the capture at `path`. `watch` is asked now and then whether to go on, with the share that was
    /// read.
    ///
    /// # Errors
    /// [`PlacementError::Trace`] where it cannot be read or is not a capture, [`PlacementError::Requests`]
    /// where it has none or too many, [`PlacementError::Interrupted`] where the watcher ended it.
    pub fn load(
        path: &(impl AsRef<Path> + ?Sized),
        watch: &mut dyn FnMut(Option<f64>) -> bool,
    ) -> Result<Captured, PlacementError> {
        let path = path.as_ref();
        let mut reader = Reader::open(path)?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(".zst").unwrap_or(&name);
        let name = stem.strip_suffix(".capture").unwrap_or(stem).to_owned();
        let mut captured = Captured { name, ..Captured::default() };
        let mut events = 0u64;
        let mut ends: Vec<u64> = Vec::new();
        while let Some(event) = reader.next_event()? {
            events += 1;
            if events.is_multiple_of(WATCH_EVERY) && !watch(reader.progress()) {
                return Err(PlacementError::Interrupted);
            }
            let Some(request) = Request::of(&event) else { continue };
            ends.resize(ends.len().max(event.file as usize + 1), 0);
            ends[event.file as usize] = ends[event.file as usize].max(event.offset + event.length);
            captured.requests.push(request);
        }
        if captured.requests.is_empty() || captured.requests.len() > MOST_REQUESTS {
            return Err(PlacementError::Requests {
                path: path.display().to_string(),
                found: captured.requests.len(),
            });
        }
        ends.resize(reader.files().len(), 0);
        let files = reader.files().iter().zip(ends);
        captured.files = files.map(|(name, bytes)| File { name: name.clone(), bytes }).collect();
        captured.threads = reader.threads().to_vec();
        captured.ended_ns = reader.ended_ns().unwrap_or(0);
        Ok(captured)
    }
}

impl Request {
    /// The request of an event; `None` where no device sees it.
    fn of(event: &Event) -> Option<Request> {
        let kind = match event.operation {
            Operation::Read => Kind::Read,
            Operation::Write => Kind::Write,
            Operation::DurableWrite => Kind::DurableWrite,
            Operation::Sync => Kind::Flush,
            _ => return None,
        };
        if kind != Kind::Flush && event.length == 0 {
            return None;
        }
        let Event { issued_ns, completed_ns, thread, file, offset, length, .. } = *event;
        // Longer ones do not come out of a file system.
        let bytes = u32::try_from(length).ok()?;
        Some(Request { issued_ns, completed_ns, offset, bytes, thread, file, kind })
    }
}
