//! What is said of LSM trees, in words, tables and charts: which layout suits a workload, what a layout
//! costs, and how far that is from what was measured.

mod advice;
mod advice_page;
mod cells;
mod comparison;
mod json;
mod prediction;
mod processor;
mod question;
mod validation_charts;
mod validation_page;
mod words;

pub use advice::advice_text;
pub use advice_page::advice_page;
pub use comparison::comparison_sentences;
pub use json::{advice_json, prediction_json};
pub use prediction::prediction_text;
pub use processor::processor_costs;
pub use question::Question;
pub use validation_page::validation_page;
