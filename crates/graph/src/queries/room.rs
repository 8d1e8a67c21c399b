//! The memory of an answer.

use crate::algorithms::spare;
use crate::format::Scratch;
use crate::{Engine, Graph, GraphError, RunStats};

/// What is left of the memory for an answer.
pub(super) struct Room {
    what: String,
    /// The cap.
    given: u64,
    /// What the engine and the question take of it.
    fixed: u64,
    /// For the answer, at first.
    all: u64,
    left: u64,
}

impl Room {
    /// Runs a question that `what` names, and that takes `fixed` bytes in addition to its answer. The other
    /// half of the memory is the cache's, so that it has the same size for any question.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where the cap is too small for any answer; what the question fails with.
    pub(super) fn run<'g, T: Send>(
        graph: &'g Graph,
        what: String,
        fixed: u64,
        question: impl FnOnce(&mut Engine<'g>, &mut Room) -> Result<T, GraphError> + Send,
    ) -> Result<(T, RunStats), GraphError> {
        let options = graph.options();
        let scratch = Scratch::most_bytes(graph.header().block_bytes) * options.threads.max(1) as u64;
        let state = fixed + scratch;
        // What is taken whatever the cap, which may be less than that.
        let fixed = u64::MAX - spare(graph, u64::MAX, state);
        let (given, all) = (options.memory, options.memory.saturating_sub(fixed) / 2);
        let mut room = Room { what: what.clone(), given, fixed, all, left: all };
        Engine::run(graph, &what, state + all, |engine| question(engine, &mut room))
    }

    /// Bytes that are left.
    pub(super) fn left(&self) -> u64 {
        self.left
    }

    /// Takes that many bytes.
    ///
    /// # Errors
    /// [`GraphError::Memory`] with the memory that would do.
    pub(super) fn take(&mut self, bytes: u64) -> Result<(), GraphError> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(self.refusal(bytes)),
        }
    }

    /// Gives bytes back.
    pub(super) fn give_back(&mut self, bytes: u64) {
        self.left = (self.left + bytes).min(self.all);
    }

    fn refusal(&self, bytes: u64) -> GraphError {
        let answer = (self.all - self.left).saturating_add(bytes);
        let needed = self.fixed.saturating_add(answer.saturating_mul(2)).saturating_add(1023) / 1024 * 1024;
        GraphError::Memory { what: self.what.clone(), given: self.given, needed }
    }
}
