//! Seastar, without it: whether the four rates that its scheduler is given explain what a device does of
//! reads and writes together, by fio.

mod fit;
mod mix;
mod plan;
mod proof;
mod rates;

pub use mix::Mix;
pub use plan::Plan;
pub use proof::{Errors, MixResult, MixRun, Proof, SCHEMA, foresee, prove};
pub use rates::Rates;
