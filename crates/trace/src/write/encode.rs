//! What a format has to do to be written.

use crate::{Request, Unit};

/// What a format does with a request.
pub(crate) trait Encode: Send {
    /// What the format counts in.
    fn unit(&self) -> Unit;

    /// Whether the format tells writes from reads, and has times.
    fn keeps_writes(&self) -> bool {
        true
    }

    fn keeps_times(&self) -> bool {
        true
    }

    /// What comes before the first request.
    fn begin(&mut self, _out: &mut Vec<u8>) {}

    /// One request, in the format's unit.
    ///
    /// # Errors
    /// What the format cannot express.
    fn request(&mut self, request: &Request, out: &mut Vec<u8>) -> Result<(), String>;

    /// What comes behind the last request.
    fn end(&mut self, _out: &mut Vec<u8>) {}
}
