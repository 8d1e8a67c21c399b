//! What can go wrong.

/// Why nothing can be said about a tree.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LsmError {
    /// A number outside of what makes sense: what it is, and what it may be.
    #[error("{name} is {value}; it must be {range}")]
    OutOfRange {
        /// What the number is, in words.
        name: &'static str,
        /// The number, with its unit.
        value: String,
        /// What it may be.
        range: &'static str,
    },
    /// The profile lacks what predictions are made from: what it lacks.
    #[error("the profile has no {0}; measure them first")]
    Profile(String),
}
