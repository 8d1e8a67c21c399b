//! Every test of this crate.

mod options_loaded;
mod options_read;
mod options_written;
