//! Everything that a user of the crate sees.

mod api;
mod full_disk;
mod model;
mod read_only;
mod virtual_day;
