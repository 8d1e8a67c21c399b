//! Every test of this crate.

mod common;
mod duckdb;
mod etcd;
mod mariadb;
mod postgresql;
mod rocksdb;
mod seastar;
mod sqlite;
