//! Recording requests as they happen, on several threads, into a capture.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use leadline_files::{Compression, Compressor, NewFile};

use super::{Event, Operation, Thread, Writer};
use crate::TraceError;

/// Events that go to the thread that compresses at once, and batches that may wait for it.
const BATCH: usize = 4096;
const BATCHES: usize = 64;
/// Writes a capture while requests are issued and completed on any thread. The file appears when it is
/// finished, or not at all.
///
/// A capture is in the order of issue, so an event waits in memory (about 64 bytes) until those issued before
/// it are completed.
#[derive(Debug)]
pub struct Recorder {
    name: String,
    state: Mutex<State>,
    thread: Mutex<Option<JoinHandle<Result<CaptureSummary, TraceError>>>>,
}

/// What a capture holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct CaptureSummary {
    /// Events.
    pub events: u64,
    /// Files they were for.
    pub files: u32,
    /// Threads they came from.
    pub threads: u32,
    /// Bytes of the capture's file.
    pub bytes: u64,
}

/// A request that was recorded and is not completed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket(u64);

#[derive(Debug, Default)]
struct State {
    /// Of the first of `open`.
    first: u64,
    /// In the order of issue; those that are completed wait for the ones before them.
    open: VecDeque<Open>,
    files: HashMap<u64, u32>,
    threads: HashMap<u32, u32>,
    /// When each thread last had an answer.
    answered_ns: Vec<u64>,
    last_ns: u64,
    batch: Vec<Record>,
    /// To the thread that compresses; `None` once finished, or where that failed.
    sender: Option<SyncSender<Vec<Record>>>,
}

#[derive(Debug)]
struct Open {
    event: Event,
    completed: bool,
    /// Of a rename.
    new_name: Option<String>,
}

#[derive(Debug)]
enum Record {
    File(String),
    Thread(Thread),
    Event(Event, Option<String>),
    End(u64),
}

impl Recorder {
    /// A capture that will be at `path`, compressed.
    ///
    /// # Errors
    /// [`TraceError::Write`] where no file can be made there.
    pub fn create(path: impl AsRef<Path>) -> Result<Recorder, TraceError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let file = NewFile::create(path)?;
        let failed = |source| TraceError::Io { path: name.clone(), source };
        let out = Compressor::new(file, Some(Compression::Zstd)).map_err(failed)?;
        let (sender, records) = sync_channel::<Vec<Record>>(BATCHES);
        let written_as = name.clone();
        let write = move || {
            let failed = |source| TraceError::Io { path: written_as.clone(), source };
            let mut writing = Writing { writer: Writer::new(out), summary: CaptureSummary::default() };
            for record in records.iter().flatten() {
                if let Record::End(ended_ns) = record {
                    return writing.end(ended_ns, failed);
                }
                writing.record(record).map_err(failed)?;
            }
            Err(TraceError::Name { name: written_as.clone(), reason: "was given up".to_owned() })
        };
        let thread = std::thread::Builder::new().name("capture".into()).spawn(write).map_err(failed)?;
        let state = State { sender: Some(sender), ..State::default() };
        Ok(Recorder { name, state: Mutex::new(state), thread: Mutex::new(Some(thread)) })
    }

    /// A request was issued, `event.issued_ns` after the beginning; of `event`, `thread` is the number that
    /// the kernel has for it, and `completed_ns` and `file` do not count. `node` tells files apart, and
    /// `name` is asked when it comes up first.
    pub fn issued(&self, event: Event, node: u64, name: impl FnOnce() -> String) -> Ticket {
        let mut state = self.state();
        let ticket = state.issued(event, node, name, None);
        self.hand_over(state);
        ticket
    }

    /// A file was renamed, as by [`Recorder::issued`]; `name` is the one that it had, where the file comes up
    /// first.
    pub fn renamed(
        &self,
        event: Event,
        node: u64,
        name: impl FnOnce() -> String,
        new_name: String,
    ) -> Ticket {
        let mut state = self.state();
        let event = Event { operation: Operation::Rename, ..event };
        let ticket = state.issued(event, node, name, Some(new_name));
        self.hand_over(state);
        ticket
    }

    /// The request was completed, `at_ns` after the beginning, and moved `length` bytes.
    pub fn completed(&self, ticket: Ticket, at_ns: u64, length: u64) {
        let mut state = self.state();
        let Some(place) = ticket.0.checked_sub(state.first) else { return };
        let Some(open) = state.open.get_mut(place as usize) else { return };
        open.event.completed_ns = at_ns.max(open.event.issued_ns);
        let (thread, answered_ns) = (open.event.thread as usize, open.event.completed_ns);
        if open.event.operation.moves_bytes() {
            open.event.length = length;
        }
        open.completed = true;
        let last_ns = &mut state.answered_ns[thread];
        *last_ns = answered_ns.max(*last_ns);
        state.close();
        self.hand_over(state);
    }

    /// Whether it could not be written any further, such as on a full disk; [`Recorder::finish`] says why.
    pub fn has_failed(&self) -> bool {
        self.state().sender.is_none()
    }

    /// Ends the capture, `ended_ns` after its beginning, and gives the file its name. What is in flight
    /// counts as completed then, and as having moved nothing. What is recorded later is not in the capture.
    ///
    /// # Errors
    /// [`TraceError::Io`] or [`TraceError::Write`] where not all of it could be written; no file is left
    /// then.
    pub fn finish(&self, ended_ns: u64) -> Result<CaptureSummary, TraceError> {
        let mut state = self.state();
        for open in &mut state.open {
            if !open.completed {
                open.event.completed_ns = ended_ns.max(open.event.issued_ns);
                open.event.length = if open.event.operation.moves_bytes() { 0 } else { open.event.length };
                open.completed = true;
            }
        }
        state.close();
        let ended_ns = ended_ns.max(state.last_ns);
        state.batch.push(Record::End(ended_ns));
        let batch = std::mem::take(&mut state.batch);
        if let Some(sender) = state.sender.take() {
            // Fails where the thread has failed, which is what it says below.
            let _ = sender.send(batch);
        }
        drop(state);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let finished = |reason: &str| TraceError::Name { name: self.name.clone(), reason: reason.to_owned() };
        match thread.map(JoinHandle::join) {
            Some(Ok(summary)) => summary,
            Some(Err(_)) => Err(finished("the thread that wrote it panicked")),
            None => Err(finished("is finished already")),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a full batch to the thread that compresses; waits where it is far behind.
    fn hand_over(&self, mut state: MutexGuard<'_, State>) {
        if state.batch.len() < BATCH {
            return;
        }
        let batch = std::mem::replace(&mut state.batch, Vec::with_capacity(BATCH));
        // Under the lock: batches stay in order.
        if state.sender.as_ref().is_some_and(|sender| sender.send(batch).is_err()) {
            state.sender = None;
        }
    }
}

impl State {
    fn issued(
        &mut self,
        event: Event,
        node: u64,
        name: impl FnOnce() -> String,
        new_name: Option<String>,
    ) -> Ticket {
        let ticket = Ticket(self.first + self.open.len() as u64);
        if self.sender.is_none() {
            return ticket;
        }
        let files = self.files.len() as u32;
        let file = *self.files.entry(node).or_insert_with(|| {
            self.batch.push(Record::File(name()));
            files
        });
        let threads = self.threads.len() as u32;
        let thread = *self.threads.entry(event.thread).or_insert_with(|| {
            self.batch.push(Record::Thread(Thread::running(event.thread)));
            self.answered_ns.push(0);
            threads
        });
        // Threads that hold different times wait for the lock in any order. And who measures them may correct
        // them for what the way of a request takes, which is an estimate: what a thread has an answer to came
        // before what it asks for now.
        let issued_ns = event.issued_ns.max(self.last_ns).max(self.answered_ns[thread as usize]);
        self.last_ns = issued_ns;
        let event = Event { issued_ns, completed_ns: issued_ns, thread, file, ..event };
        self.open.push_back(Open { event, completed: false, new_name });
        ticket
    }

    /// What is completed and has nothing open before it leaves.
    fn close(&mut self) {
        while self.open.front().is_some_and(|open| open.completed)
            && let Some(Open { event, new_name, .. }) = self.open.pop_front()
        {
            self.first += 1;
            self.last_ns = self.last_ns.max(event.issued_ns);
            self.batch.push(Record::Event(event, new_name));
        }
    }
}

/// What the thread that compresses has.
struct Writing {
    writer: Writer<Compressor<NewFile>>,
    summary: CaptureSummary,
}

impl Writing {
    fn record(&mut self, record: Record) -> io::Result<()> {
        match record {
            Record::File(name) => self.summary.files = self.writer.file(&name)? + 1,
            Record::Thread(thread) => self.summary.threads = self.writer.thread(&thread)? + 1,
            Record::Event(event, new_name) => {
                // Past the most there may be, the last one stands for the rest.
                let file = event.file.min(self.summary.files - 1);
                let event = Event { file, thread: event.thread.min(self.summary.threads - 1), ..event };
                match new_name {
                    Some(name) => self.writer.rename(&event, &name)?,
                    None => self.writer.event(&event)?,
                }
                self.summary.events += 1;
            }
            Record::End(_) => {}
        }
        Ok(())
    }

    fn end(
        mut self,
        ended_ns: u64,
        failed: impl Fn(io::Error) -> TraceError,
    ) -> Result<CaptureSummary, TraceError> {
        let compressor = self.writer.finish(ended_ns).map_err(&failed)?;
        self.summary.bytes = compressor.finish().map_err(failed)?.finish()?;
        Ok(self.summary)
    }
}

impl Thread {
    /// A thread of this machine, as it is called now.
    fn running(tid: u32) -> Thread {
        let read = |what: &str| std::fs::read_to_string(format!("/proc/{tid}/{what}")).unwrap_or_default();
        let status = read("status");
        let pid = status.lines().find_map(|line| line.strip_prefix("Tgid:")).map(str::trim);
        let pid = pid.and_then(|pid| pid.parse().ok()).unwrap_or(0);
        Thread { tid, pid, name: read("comm").trim_end().to_owned() }
    }
}

impl Drop for Recorder {
    /// Without [`Recorder::finish`] nothing is left, and the thread has ended.
    fn drop(&mut self) {
        self.state().sender = None;
        if let Some(thread) = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = thread.join();
        }
    }
}
