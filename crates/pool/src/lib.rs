//! A buffer pool that knows its device.
//!
//! Four decisions that most pools take as one are apart here (Papon and Athanassoulis, ICDE 2023): which page goes next
//! ([`policy`]), which dirty pages are written back together and how many pages are evicted ([`ace`]), and which are
//! read ahead (`prefetch`). [`simulate`] runs them over a trace in virtual time; [`Pool`] is the real thing.

pub mod ace;
mod adapt;
mod buffer;
pub mod policy;
pub mod prefetch;
pub mod replay;
pub mod simulate;
mod writer;

pub use adapt::Adaptive;
pub use buffer::{Pool, PoolConfig, PoolError, PoolStats, ReadGuard, WalHook, WriteGuard};
