//! What users of the model crate rely on, as one test program: linking many would take longer than running
//! them.

mod answers;
mod channels;
mod common;
mod cost_functions;
mod coverage;
mod mqssd;
mod occupancy;
mod pdam_pio;
mod selection;
mod speedup;
mod tables;
