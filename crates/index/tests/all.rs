//! Everything that a user of the crate sees.
