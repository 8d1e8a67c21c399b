//! What the example promises, as one test program: linking many would take longer than running them.

mod bad_input;
mod ends;
mod patterns;
mod placing;
mod predictions;
mod runs;
mod shared;
