//! Long work: on a thread of its own and without Python's lock, so that other threads of Python run
//! meanwhile, and Ctrl-C ends it in order.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

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
    /// Of work that does not say so itself: says how far it is.
    meter: Mutex<Option<Meter>>,
}

/// Says how far work is, when it is asked.
type Meter = Box<dyn Fn() -> Progress + Send>;

impl Watch {
    /// A function to be told how far the work is, from any thread.
    pub(crate) fn shows(&self) -> impl FnMut(&Progress) + Send + use<> {
        let latest = Arc::clone(&self.latest);
        move |progress| {
            *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
        }
    }

    /// From now on this is asked how far the work is.
    pub(crate) fn ask(&self, meter: impl Fn() -> Progress + Send + 'static) {
        *self.meter.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(meter));
    }

    /// Calls `callback(phase, share, detail)` if there is something new to show.
    fn report(&self, callback: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let meter = self.meter.lock().unwrap_or_else(PoisonError::into_inner);
        let latest = latest.or_else(|| meter.as_ref().map(|meter| meter()));
        // Not while a program's own function is called.
        drop(meter);
        if let (Some(callback), Some(progress)) = (callback, latest) {
            callback.call1((progress.phase, progress.done, progress.detail))?;
        }
        Ok(())
    }
}

/// What the work has of an iterator in Python, whose turns are taken by the thread that waits for the work.
pub(crate) struct Feed<A> {
    asks: Sender<()>,
    answers: Receiver<Option<A>>,
}

impl<A> Feed<A> {
    /// The next item; nothing at the end.
    ///
    /// # Errors
    /// The work is to end: taking a turn raised an exception, or a signal came.
    pub(crate) fn next(&self) -> Result<Option<A>, Ended> {
        self.asks.send(()).map_err(|_| Ended)?;
        self.answers.recv().map_err(|_| Ended)
    }
}

/// Nobody waits for the work any more.
pub(crate) struct Ended;

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
    run_fed(py, progress, |_| Ok(None::<()>), |watch, _| work(watch))
}

/// As [`run`], with what `next` makes of Python's objects. It is called on the thread of the caller, which
/// Ctrl-C reaches and to which generators may be bound, and has Python's lock.
///
/// # Errors
/// As [`run`], and what `next` gave.
pub(crate) fn run_fed<T: Send, A: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    mut next: impl FnMut(Python<'_>) -> PyResult<Option<A>>,
    work: impl FnOnce(&Watch, Feed<A>) -> T + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let (result, raised) = std::thread::scope(|scope| {
        let (done, mut asked) = channel::<()>();
        let (answers, answered) = channel::<Option<A>>();
        let feed = Feed { asks: done.clone(), answers: answered };
        let (watch, mut raised) = (&watch, None);
        let worker = scope.spawn(move || {
            // Dropped when the work ends, however it does.
            let _done = done;
            work(watch, feed)
        });
        let mut shown = Instant::now();
        loop {
            let asked = &mut asked;
            let turn = match py.detach(move || asked.recv_timeout(TICK)) {
                Ok(()) => next(py).map(|item| answers.send(item).unwrap_or(())),
                Err(RecvTimeoutError::Timeout) => Ok(()),
                Err(RecvTimeoutError::Disconnected) => break,
            };
            let looked = turn.and_then(|()| py.check_signals()).and_then(|()| {
                if shown.elapsed() < TICK {
                    return Ok(());
                }
                shown = Instant::now();
                watch.report(progress)
            });
            if let Err(error) = looked {
                watch.cancel.store(true, Ordering::Relaxed);
                raised = Some(error);
                break;
            }
        }
        // Work that waits for an item ends.
        drop(answers);
        (py.detach(move || worker.join()), raised)
    });
    match (raised, result) {
        (Some(error), _) => Err(error),
        (None, Ok(result)) => Ok(result),
        (None, Err(panic)) => Err(errors::defect(py, &*panic)),
    }
}
