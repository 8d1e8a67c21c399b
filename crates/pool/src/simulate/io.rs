//! Requests to the simulated device, and whom their completions are for.

use leadline_device::{Completion, NEVER, Nanos, QueuePair, Request, Wear};

use super::SimulateError;
use crate::policy::{Frame, Page};

/// What a request does, and for whom.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Task {
    /// Reads a page for this client.
    Read(u32),
    /// Reads a page ahead.
    Ahead,
    /// Writes a page for this client.
    Write(u32),
    /// Writes a page in the background.
    Clean,
}

/// A queue pair with a task for each slot.
pub(super) struct Io {
    queue: Box<dyn QueuePair>,
    page_bytes: u32,
    pub(super) pages: u64,
    tasks: Vec<(Task, Frame)>,
    free: Vec<u32>,
    done: Vec<Completion>,
}

impl Io {
    pub(super) fn new(queue: Box<dyn QueuePair>, page_bytes: u32) -> Self {
        let slots = queue.shape().depth;
        Io {
            pages: queue.geometry().capacity_bytes / u64::from(page_bytes),
            queue,
            page_bytes,
            tasks: vec![(Task::Clean, 0); slots as usize],
            free: (0..slots).rev().collect(),
            done: Vec::with_capacity(slots as usize),
        }
    }

    #[inline]
    pub(super) fn now(&self) -> Nanos {
        self.queue.now()
    }

    #[inline]
    pub(super) fn submit(&mut self, task: Task, frame: Frame, page: Page) -> Result<(), SimulateError> {
        let slot = self.free.pop().expect("a slot for every frame that can be in flight");
        self.tasks[slot as usize] = (task, frame);
        let (offset, len) = (page * u64::from(self.page_bytes), self.page_bytes);
        let request = match task {
            Task::Read(_) | Task::Ahead => Request::read(slot, offset, len),
            Task::Write(_) | Task::Clean => Request::write(slot, offset, len),
        };
        Ok(self.queue.submit(request)?)
    }

    /// What the device has done to its medium so far.
    pub(super) fn wear(&self) -> Option<Wear> {
        self.queue.wear()
    }

    #[inline]
    pub(super) fn in_flight(&self) -> u32 {
        self.queue.in_flight()
    }

    /// Waits for the next completions: how many there are for [`Io::completed`].
    #[inline]
    pub(super) fn wait(&mut self) -> Result<usize, SimulateError> {
        self.done.clear();
        self.queue.reap(1, NEVER, &mut self.done)?;
        Ok(self.done.len())
    }

    /// One of the completions waited for: its task, its frame, and the errno of a failure.
    #[inline]
    pub(super) fn completed(&mut self, at: usize) -> (Task, Frame, Option<i32>) {
        let Completion { slot, result, .. } = self.done[at];
        self.free.push(slot);
        let (task, frame) = self.tasks[slot as usize];
        (task, frame, (result < 0).then(|| -result))
    }
}
