//! All tests of the crate in one program, which links once.

mod ceph;
mod common;
mod etcd;
mod innodb;
mod postgresql;
mod seastar;
