//! A buffer pool that knows its device.
//!
//! Four decisions that most pools take as one are separate here (Papon and Athanassoulis, ICDE 2023): which
//! page is evicted next ([`policy`]), which dirty pages are written back together and how many pages are
//! evicted ([`ace`]), and which are read ahead ([`prefetch`]). [`Pool`] is the real thing; with the feature
//! `simulate`, `simulate` runs the same decisions over a trace in virtual time, and `replay` runs a trace on
//! the real pool.
//!
//! ```
//! use std::sync::Arc;
//!
//! use leadline_device::MemoryDevice;
//! use leadline_pool::ace::Ace;
//! use leadline_pool::{Pool, PoolConfig};
//!
//! # fn main() -> Result<(), leadline_pool::PoolError> {
//! // Pages of 4 KiB, 16 of them in memory; dirty victims are written 8 at a time.
//! let device = Arc::new(MemoryDevice::new(1 << 20, 4096));
//! let pool = Pool::open(device, PoolConfig::new(4096, 16).ace(Ace::CowX).n(8))?;
//! for page in 0..100_u64 {
//!     pool.write(page)?[..8].copy_from_slice(&page.to_le_bytes());
//! }
//! assert_eq!(pool.read(3)?[..8], 3_u64.to_le_bytes());
//! assert!(pool.stats().writes >= 84, "each page that left had been changed");
//! pool.close()?;
//! # Ok(())
//! # }
//! ```

#[cfg(feature = "accesses")]
mod accesses;
pub mod ace;
mod batch_search;
mod buffer;
mod cache_line;
mod config_error;
mod evict;
pub mod policy;
pub mod prefetch;
#[cfg(feature = "simulate")]
pub mod replay;
mod select;
mod setters;
#[cfg(feature = "simulate")]
pub mod simulate;

#[cfg(feature = "accesses")]
pub use accesses::{Access, accesses_of};
pub use batch_search::BatchSearch;
pub use buffer::{
    Damage, OutOfPlace, PageOp, Pool, PoolConfig, PoolError, PoolStats, ReadGuard, WalHook, WriteGuard,
};
pub use config_error::ConfigError;
