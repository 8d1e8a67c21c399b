//! Recording the requests of the pass-through.

use std::time::Instant;

use leadline_trace::capture::{Event, Operation, Recorder, Ticket};

use crate::nodes::Node;

/// A capture that is being made, and its clock.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) recorder: Recorder,
    began: Instant,
}

/// A request that is not answered yet.
#[derive(Debug)]
pub(crate) struct Recorded<'a> {
    recording: &'a Recording,
    ticket: Ticket,
}

impl Recording {
    pub(crate) fn new(recorder: Recorder) -> Recording {
        Recording { recorder, began: Instant::now() }
    }

    /// Nanoseconds since it began.
    pub(crate) fn now_ns(&self) -> u64 {
        self.began.elapsed().as_nanos() as u64
    }

    /// A request of `thread` arrives: what, the first byte, and how many.
    pub(crate) fn arrived(&self, thread: u32, node: &Node, asked: (Operation, u64, u64)) -> Recorded<'_> {
        let ticket = self.recorder.issued(self.event(thread, asked), node.serial, || node.name());
        Recorded { recording: self, ticket }
    }

    /// A file is to be renamed.
    pub(crate) fn renaming(&self, thread: u32, node: &Node, new_name: String) -> Recorded<'_> {
        let event = self.event(thread, (Operation::Rename, 0, 0));
        let ticket = self.recorder.renamed(event, node.serial, || node.name(), new_name);
        Recorded { recording: self, ticket }
    }

    fn event(&self, thread: u32, (operation, offset, length): (Operation, u64, u64)) -> Event {
        let issued_ns = self.now_ns();
        Event { issued_ns, completed_ns: issued_ns, thread, file: 0, operation, offset, length }
    }
}

impl Recorded<'_> {
    /// It is about to be answered, and moved that many bytes.
    pub(crate) fn answered(self, moved: u64) {
        self.recording.recorder.completed(self.ticket, self.recording.now_ns(), moved);
    }
}
