//! Panics of a library that reads bytes nobody has checked, as errors.
//!
//! The parquet crate panics on some damaged files (a column chunk of negative length, for one). For the user
//! that is a file like any other that cannot be read.

use std::any::Any;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// A panic of this thread is caught and told as an error: nothing is to be printed.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// What `work` gives, or what it said when it panicked. What it worked on must not be used again then.
pub(super) fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !CAUGHT.get() {
                before(panic);
            }
        }));
    });
    CAUGHT.set(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(false);
    done.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason was given");
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_what_it_said() {
        assert_eq!(guarded(|| 7), Ok(7));
        let bad: Result<(), String> = guarded(|| panic!("length {}", -1));
        assert_eq!(bad, Err("length -1".to_owned()));
        assert!(!CAUGHT.get());
    }
}
