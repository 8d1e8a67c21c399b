//! How far long work is.

/// How far a pass over an input or a store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// What it does: `read` (counted in bytes of the input), `vertices`, `look up ids`, `look up`, `count
    /// degrees`, `renumber`, `write`, `write reverse` (counted in edges).
    pub phase: &'static str,
    /// How much of it is done.
    pub done: u64,
    /// How much there is, where that is known; at most, where edges may yet prove to be duplicates.
    pub total: Option<u64>,
}
