//! Telling a person how far it is.

/// How far a run is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// `layout`, `precondition`, `steady state`, `search`, `measure`, or the name of an experiment.
    pub phase: &'static str,
    /// Share of the phase that is done, 0 to 1.
    pub done: f64,
    /// What is being done at the moment; may be empty.
    pub detail: String,
}
