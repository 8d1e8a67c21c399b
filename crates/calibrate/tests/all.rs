//! Calibrations of simulated drives, whose true parameters are known.

mod drives;

mod checks;
mod recovery;
mod refusals;
