//! Every test of this crate.

mod common;
mod etcd;
mod mariadb;
mod postgresql;
mod rocksdb;
mod seastar;
mod sqlite;
