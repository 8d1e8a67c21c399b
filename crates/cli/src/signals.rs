//! Ctrl-C, SIGTERM and a closed terminal end a run early; a second one ends it at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::failure::Failure;

/// A flag that is set once one of the signals has come.
pub(crate) fn cancel_flag() -> Result<Arc<AtomicBool>, Failure> {
    let cancel = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // In this order: the first signal sets the flag, which arms the exit for the second.
        flag::register_conditional_shutdown(signal, 1, Arc::clone(&cancel))
            .and_then(|_| flag::register(signal, Arc::clone(&cancel)))
            .map_err(|error| Failure::Operation(format!("signal handler: {error}")))?;
    }
    Ok(cancel)
}
