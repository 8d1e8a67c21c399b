//! Ctrl-C, SIGTERM and a closed terminal.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::TpchError;

/// Set once the user wants it to end. Whatever waits looks at it every 50 ms, and unwinds: servers are killed
/// and drives unmounted on the way.
#[derive(Debug, Clone, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Set by the signals that ask a program to end.
    ///
    /// # Errors
    /// The system's reason.
    pub fn on_signals() -> io::Result<Interrupt> {
        leadline_examples::interrupted().map(Interrupt)
    }

    /// Asks for the end.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// # Errors
    /// [`TpchError::Interrupted`] where the end was asked for.
    pub(crate) fn check(&self) -> Result<(), TpchError> {
        if self.is_set() { Err(TpchError::Interrupted) } else { Ok(()) }
    }
}
