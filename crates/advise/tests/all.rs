//! All tests of the crate in one program, which links once.

mod asked;
mod cassandra;
mod ceph;
mod cockroachdb;
mod common;
mod corpus;
mod datafusion;
mod drives;
mod duckdb;
mod etcd;
mod foyer;
mod in_force;
mod innodb;
mod kafka;
mod linux;
mod mongodb;
mod mutations;
mod own_advice;
mod parity;
mod postgresql;
mod programs;
mod redis;
mod rocksdb;
mod seastar;
mod sqlite;
mod zfs;
