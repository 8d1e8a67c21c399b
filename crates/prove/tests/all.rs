//! Every test of this crate.

mod common;
mod mariadb;
mod postgresql;
