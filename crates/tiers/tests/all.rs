//! What users of the crate rely on, as one test program: linking many would take longer than running them.

mod captured;
mod driver;
mod gaps;
mod hits;
mod measured;
mod opening;
mod placed;
mod timing;
