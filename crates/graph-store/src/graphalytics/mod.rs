//! LDBC Graphalytics (Iosup et al., VLDB 2016; its specification is arXiv 2011.15028): the parameters that
//! the benchmark gives for a graph, and its rules for judging a result. docs/graphalytics.md says how to run
//! it.

pub(crate) mod properties;
mod rule;
mod validate;

pub use properties::Properties;
pub use rule::Benchmark;
pub use validate::{Difference, ValidateOptions, ValidationReport, validate};
