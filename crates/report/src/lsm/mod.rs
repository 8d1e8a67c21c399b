//! LSM trees: which layout suits a workload, and what a layout costs, for people and for scripts.

mod advice;
mod json;
mod prediction;
mod question;
mod words;

pub use advice::render_lsm_advice;
pub use json::{lsm_advice_json, lsm_prediction_json};
pub use prediction::render_lsm_prediction;
pub use question::LsmQuestion;
