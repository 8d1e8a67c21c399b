//! Ctrl-C, SIGTERM, a closed terminal and used-up processor time end a run early; a second signal, a second
//! later, ends it at once. A file that grows beyond its limit is an error of writing, not the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::console;
use crate::failure::Failure;

/// A wrapper (`timeout`, a shell, a terminal that closes) may send the same wish twice; this soon it is still
/// the first.
const SAME_WISH: Duration = Duration::from_secs(1);

/// Lets writes beyond the limit of a file's size (`ulimit -f`) fail as all others do, with a line that names
/// the file, instead of ending the process.
///
/// The signal is handled and not ignored: programs that we start would be born deaf to what is ignored.
pub(crate) fn outlive_file_limit() {
    // Without it the signal ends the process, as it always has.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// A flag that is set once one of the signals has come; the caller's own where a program called the command.
pub(crate) fn cancel_flag() -> Result<Arc<AtomicBool>, Failure> {
    if let Some(call) = console::call() {
        return Ok(call.cancel());
    }
    let cancel = Arc::new(AtomicBool::new(false));
    let failed = |error| Failure::Operation(format!("signal handler: {error}"));
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGXCPU]).map_err(failed)?;
    let flag = Arc::clone(&cancel);
    let watch = move || {
        let mut first: Option<Instant> = None;
        for signal in signals.forever() {
            // This one comes every second until the hard limit ends the process.
            if signal != SIGXCPU && first.get_or_insert_with(Instant::now).elapsed() > SAME_WISH {
                std::process::exit(1);
            }
            flag.store(true, Ordering::Relaxed);
        }
    };
    // Limits of memory and of threads may be in its way.
    std::thread::Builder::new().spawn(watch).map_err(failed)?;
    Ok(cancel)
}
