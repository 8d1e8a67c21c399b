//! Who a command works for: a user at a terminal, or a program that calls it and prints nothing.
//!
//! Everything that commands print, say and show passes through here, and so does the wish to end them.

use std::cell::RefCell;
use std::mem;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use leadline_measure::Progress;
use leadline_trace::MemoryTrace;

/// A program that calls a command.
pub struct Caller {
    /// Set from outside to end the command early, in order.
    pub cancel: Arc<AtomicBool>,
    /// Is told how far the command is.
    pub progress: Box<dyn FnMut(&Progress) + Send>,
    /// The trace that commands read where they are given [`MEMORY`](crate::MEMORY) for one.
    pub trace: Option<MemoryTrace>,
}

/// What a command printed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// Its results, as on stdout: one JSON document where `--json` was given.
    pub text: String,
    /// Its messages, as on stderr, without the program's name.
    pub notes: Vec<String>,
    /// Of a command that judges: the line with which it ends where something does not fit, or where nothing
    /// could be judged. The results say what.
    pub verdict: Option<String>,
}

/// A call under way. Threads of the command that show progress share it.
#[derive(Clone)]
pub(crate) struct Call {
    cancel: Arc<AtomicBool>,
    trace: Option<MemoryTrace>,
    shared: Arc<Mutex<Shared>>,
}

struct Shared {
    progress: Box<dyn FnMut(&Progress) + Send>,
    answer: Answer,
}

thread_local! {
    /// Of the command that this thread runs; none where it runs for a terminal.
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
}

thread_local! {
    /// Who waits for the folder that this thread's command mounts.
    static MOUNTED: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

/// Calls `told` once the command that this thread runs next has mounted its folder.
pub(crate) fn when_mounted(told: impl FnOnce() + 'static) {
    MOUNTED.set(Some(Box::new(told)));
}

/// Programs may use the folder from now on.
pub(crate) fn mounted() {
    if let Some(told) = MOUNTED.take() {
        told();
    }
}

/// Runs `command` on this thread; what it prints is the answer, also where it fails.
pub(crate) fn answered<E>(
    caller: Caller,
    command: impl FnOnce() -> Result<(), E>,
) -> (Answer, Result<(), E>) {
    let shared = Shared { progress: caller.progress, answer: Answer::default() };
    let call = Call { cancel: caller.cancel, trace: caller.trace, shared: Arc::new(Mutex::new(shared)) };
    let _until_done = work_for(Some(call.clone()));
    let done = command();
    (mem::take(&mut call.lock().answer), done)
}

/// Lets this thread work for `call` until the guard is dropped: for threads that a command starts.
pub(crate) fn work_for(call: Option<Call>) -> Restore {
    Restore(CALL.replace(call))
}

/// Puts back, also after a panic, what this thread worked for before.
#[must_use]
pub(crate) struct Restore(Option<Call>);

impl Drop for Restore {
    fn drop(&mut self) {
        CALL.set(self.0.take());
    }
}

/// The call that this thread's command answers; none at a terminal.
pub(crate) fn call() -> Option<Call> {
    CALL.with_borrow(Clone::clone)
}

impl Call {
    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The flag that ends the command.
    pub(crate) fn cancel(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    pub(crate) fn trace(&self) -> Option<MemoryTrace> {
        self.trace.clone()
    }

    pub(crate) fn print(&self, text: &str) {
        self.lock().answer.text.push_str(text);
    }

    pub(crate) fn say(&self, note: &str) {
        self.lock().answer.notes.push(note.to_owned());
    }

    pub(crate) fn show(&self, progress: &Progress) {
        (self.lock().progress)(progress);
    }
}
