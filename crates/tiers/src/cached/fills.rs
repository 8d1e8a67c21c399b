//! Blocks on their way: from the slow device, and into the fast one.

use leadline_pool::policy::Frame;
use leadline_sim::Slab;

/// A read of the fast device that a request waits for.
#[derive(Debug, Clone, Copy)]
pub(super) struct WaitingRead {
    pub(super) request: u32,
    pub(super) offset: u64,
    pub(super) len: u64,
}

/// What has to be done once parts are.
pub(super) enum Task {
    /// Blocks are read from the slow device and taken in when they are there.
    Fetch { blocks: Vec<u64> },
    /// Blocks are written to that many frames of the fast device, and read after that by who came early.
    Fill { first: Frame, frames: u32, waiting: Vec<WaitingRead> },
}

/// Those that are under way.
#[derive(Default)]
pub(super) struct Tasks {
    /// Each with its parts that are not done.
    tasks: Slab<(u32, Task)>,
    /// The fill of each frame that is being written, plus one; 0 for none.
    fill_of: Vec<u32>,
}

impl Tasks {
    /// A task whose parts are still to be sent.
    pub(super) fn begin(&mut self, task: Task) -> u32 {
        let range = match &task {
            Task::Fill { first, frames, .. } => *first as usize..(*first + *frames) as usize,
            Task::Fetch { .. } => 0..0,
        };
        let number = self.tasks.insert((0, task));
        if self.fill_of.len() < range.end {
            self.fill_of.resize(range.end, 0);
        }
        self.fill_of[range].fill(number + 1);
        number
    }

    /// That many parts were sent.
    pub(super) fn sent(&mut self, number: u32, parts: u32) {
        if let Some((left, _)) = self.tasks.get_mut(number) {
            *left += parts;
        }
    }

    /// A part is done; with the last, the task.
    pub(super) fn part_done(&mut self, number: u32) -> Option<Task> {
        let (left, _) = self.tasks.get_mut(number)?;
        *left -= 1;
        if *left > 0 {
            return None;
        }
        let (_, task) = self.tasks.remove(number)?;
        if let Task::Fill { first, frames, .. } = task {
            for fill in &mut self.fill_of[first as usize..(first + frames) as usize] {
                // Another block may be on its way into the frame by now.
                if *fill == number + 1 {
                    *fill = 0;
                }
            }
        }
        Some(task)
    }

    /// Lets a read wait where the frame is being written; false where it is not.
    pub(super) fn wait(&mut self, frame: Frame, read: WaitingRead) -> bool {
        let Some(number) = self.fill_of.get(frame as usize).and_then(|fill| fill.checked_sub(1)) else {
            return false;
        };
        match self.tasks.get_mut(number) {
            Some((_, Task::Fill { waiting, .. })) => {
                waiting.push(read);
                true
            }
            _ => false,
        }
    }
}
