//! LSM trees: which layout suits a workload, what a layout costs, and how far that is from what was measured,
//! for people and for scripts.

pub(crate) mod advice;
pub(crate) mod comparison;
mod json;
mod prediction;
mod processor;
pub(crate) mod question;
pub(crate) mod words;

pub use advice::render_lsm_advice;
pub use comparison::lsm_comparison_sentences;
pub use json::{lsm_advice_json, lsm_prediction_json};
pub use prediction::render_lsm_prediction;
pub use processor::lsm_processor_costs;
pub use question::LsmQuestion;
