//! Long work: on a thread of its own and without Python's lock, so that other threads of Python run
//! meanwhile, and Ctrl-C ends it in order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use leadline_measure::Progress;
use pyo3::prelude::*;

use crate::errors;

/// How often the interpreter is asked whether a signal came, and progress is shown.
const TICK: Duration = Duration::from_millis(50);

/// What the work has of whoever waits for it.
#[derive(Default)]
pub(crate) struct Watch {
    /// Set once the work is to end early.
    pub(crate) cancel: Arc<AtomicBool>,
    /// How far it is, if that was not shown yet.
    latest: Arc<Mutex<Option<Progress>>>,
}

impl Watch {
    /// A function to be told how far the work is, from any thread.
    pub(crate) fn shows(&self) -> impl FnMut(&Progress) + Send + use<> {
        let latest = Arc::clone(&self.latest);
        move |progress| {
            *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
        }
    }

    /// Calls `callback(phase, share, detail)` if there is something new to show.
    fn report(&self, callback: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Some(callback), Some(progress)) = (callback, latest) {
            callback.call1((progress.phase, progress.done, progress.detail))?;
        }
        Ok(())
    }
}

/// Runs `work` to its end. `progress` is called now and then with the phase, the share of it that is done (0
/// to 1) and a detail in words.
///
/// # Errors
/// KeyboardInterrupt, or whatever else a signal's handler or `progress` raised, once the work has ended in
/// order; `leadline.Failed` where it panicked.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let (result, raised) = std::thread::scope(|scope| {
        let (done, mut ended) = channel::<()>();
        let (watch, mut raised) = (&watch, None);
        let worker = scope.spawn(move || {
            // Dropped when the work ends, however it does.
            let _done = done;
            work(watch)
        });
        loop {
            let ended = &mut ended;
            if py.detach(move || ended.recv_timeout(TICK)) != Err(RecvTimeoutError::Timeout) {
                break;
            }
            if let Err(error) = py.check_signals().and_then(|()| watch.report(progress)) {
                watch.cancel.store(true, Ordering::Relaxed);
                raised = Some(error);
                break;
            }
        }
        (py.detach(move || worker.join()), raised)
    });
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => Ok(result),
        (None, Err(panic)) => Err(errors::defect(py, &*panic)),
    }
}
