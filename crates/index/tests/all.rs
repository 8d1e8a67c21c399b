//! Everything that a user of the crate sees.

mod api;
mod model;
