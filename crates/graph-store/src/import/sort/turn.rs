//! One after the other, in the order of their numbers, whichever thread comes first.

use std::sync::{Condvar, Mutex, PoisonError};

use crate::GraphError;

/// Something that parts are handed to in order.
#[derive(Debug)]
pub(crate) struct Turn<S> {
    state: Mutex<TurnState<S>>,
    changed: Condvar,
}

#[derive(Debug)]
struct TurnState<S> {
    sink: S,
    /// Whose turn it is.
    next: usize,
    /// Somebody gave up: nobody's turn will come any more.
    lost: bool,
}

/// The right to a turn; dropped without having been taken, it is lost to all who come later.
#[derive(Debug)]
pub(crate) struct Place<'a, S> {
    turn: &'a Turn<S>,
    part: usize,
    taken: bool,
}

impl<S> Turn<S> {
    pub(crate) fn new(sink: S) -> Turn<S> {
        Turn { state: Mutex::new(TurnState { sink, next: 0, lost: false }), changed: Condvar::new() }
    }

    pub(crate) fn of(&self, part: usize) -> Place<'_, S> {
        Place { turn: self, part, taken: false }
    }
}

impl<S> Place<'_, S> {
    /// Waits for its turn, and does it. [`GraphError::Interrupted`] where an earlier one failed, who says
    /// why.
    pub(crate) fn take(
        mut self,
        work: impl FnOnce(&mut S) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        let mut state = self.turn.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.next != self.part && !state.lost {
            state = self.turn.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.lost {
            return Err(GraphError::Interrupted);
        }
        work(&mut state.sink)?;
        state.next += 1;
        self.taken = true;
        self.turn.changed.notify_all();
        Ok(())
    }
}

impl<S> Drop for Place<'_, S> {
    fn drop(&mut self) {
        if !self.taken {
            self.turn.state.lock().unwrap_or_else(PoisonError::into_inner).lost = true;
            self.turn.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_come_in_order_whoever_comes_first() {
        let turn = Turn::new(Vec::new());
        std::thread::scope(|scope| {
            for part in (0..8).rev() {
                let turn = &turn;
                scope.spawn(move || {
                    turn.of(part).take(|seen| {
                        seen.push(part);
                        Ok(())
                    })
                });
            }
        });
        let seen = turn.state.into_inner().unwrap().sink;
        assert_eq!(seen, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn nobody_waits_for_one_who_failed() {
        let turn = Turn::new(());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| turn.of(2).take(|()| Ok(())));
            drop(turn.of(0));
            assert!(matches!(waiting.join(), Ok(Err(GraphError::Interrupted))));
        });
        assert!(turn.of(1).take(|()| Ok(())).is_err());
    }
}
