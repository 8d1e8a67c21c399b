//! The crash proof: power cuts at random moments under databases and Leadline's own stores.

mod client;
mod drive;
mod ledgers;
mod postgres;
mod program;
mod server;
mod sqlite;
mod trial;
