//! The stores, each with the settings that its documentation recommends.

#[cfg(feature = "fjall")]
pub mod fjall;
#[cfg(feature = "leadline")]
pub mod leadline;
#[cfg(feature = "lmdb")]
pub mod lmdb;
#[cfg(feature = "redb")]
pub mod redb;
#[cfg(feature = "rocksdb")]
pub mod rocksdb;
#[cfg(feature = "sqlite")]
pub mod sqlite;
