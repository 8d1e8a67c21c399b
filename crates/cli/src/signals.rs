//! Ctrl-C, SIGTERM and a closed terminal end a run early; a second one, a second later, ends it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::console;
use crate::failure::Failure;

/// A wrapper (`timeout`, a shell, a terminal that closes) may send the same wish twice; this soon it is still
/// the first.
const SAME_WISH: Duration = Duration::from_secs(1);

/// A flag that is set once one of the signals has come; the caller's own where a program called the command.
pub(crate) fn cancel_flag() -> Result<Arc<AtomicBool>, Failure> {
    if let Some(call) = console::call() {
        return Ok(call.cancel());
    }
    let cancel = Arc::new(AtomicBool::new(false));
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
        .map_err(|error| Failure::Operation(format!("signal handler: {error}")))?;
    let flag = Arc::clone(&cancel);
    std::thread::spawn(move || {
        let mut first: Option<Instant> = None;
        for _ in signals.forever() {
            if first.get_or_insert_with(Instant::now).elapsed() > SAME_WISH {
                std::process::exit(1);
            }
            flag.store(true, Ordering::Relaxed);
        }
    });
    Ok(cancel)
}
