//! How an index is opened.

use std::time::Duration;

use leadline_pool::PoolConfig;
use leadline_profile::DeviceProfile;

use crate::error::IndexError;
use crate::log::Durability;

/// How an index is opened. What is not set is as [`Options::default`] says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of a node: a power of two from 4,096 to 65,536. Of an index that exists, what it was made with;
    /// 4,096 for a new one. Which size suits a device and a workload says `leadline btree advise`.
    pub node_bytes: Option<u32>,
    /// Bytes of memory for nodes; 256 MiB. An index needs 10 to 25 MiB more, and what batches take.
    pub cache_bytes: u64,
    /// When changes are durable; [`Durability::EveryCommit`].
    pub durability: Durability,
    /// Reads that one call keeps in flight, from 1 to 1,024 (k_r of the device); 64.
    pub reads: u32,
    /// Nodes that are written at once, from 1 to 1,024 (k_w of the device); 32.
    pub writes: u32,
    /// Bytes of log from which on a checkpoint is made; 256 MiB.
    pub checkpoint_bytes: u64,
    /// Share of a node that [`Index::bulk_load`](crate::Index::bulk_load) fills, 0.5 to 1; 0.9.
    pub fill: f64,
    /// Bytes that the nodes may take at most; 1 TiB. They take what they need: the file is sparse. An index
    /// keeps the number that it was made with.
    pub most_bytes: u64,
    /// Whether an index is made where there is none; true.
    pub create: bool,
    /// Whether the index is only read, as by several processes at once; false. Nothing in its directory is
    /// written, which may be read-only, and no index is made. Changes that only its log has are made in
    /// memory, and must fit in [`Options::cache_bytes`].
    pub read_only: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            node_bytes: None,
            cache_bytes: 256 << 20,
            durability: Durability::EveryCommit,
            reads: 64,
            writes: 32,
            checkpoint_bytes: 256 << 20,
            fill: 0.9,
            most_bytes: 1 << 40,
            create: true,
            read_only: false,
        }
    }
}

impl Options {
    /// For a measured device: as many reads in flight, and nodes written at once, as the profile says are
    /// served at once (the numbers that give 90 % of the throughput).
    ///
    /// # Errors
    /// The profile has no numbers for random writes.
    pub fn for_profile(profile: &DeviceProfile) -> Result<Options, IndexError> {
        let config = PoolConfig::for_profile(profile, 4096, 64)?;
        Ok(Options { reads: config.reads_ahead, writes: config.n, ..Options::default() })
    }

    /// Sets [`Options::node_bytes`].
    #[must_use]
    pub fn node_bytes(self, node_bytes: u32) -> Options {
        Options { node_bytes: Some(node_bytes), ..self }
    }

    /// Sets [`Options::cache_bytes`].
    #[must_use]
    pub fn cache_bytes(self, cache_bytes: u64) -> Options {
        Options { cache_bytes, ..self }
    }

    /// Sets [`Options::durability`].
    #[must_use]
    pub fn durability(self, durability: Durability) -> Options {
        Options { durability, ..self }
    }

    /// Makes changes durable at most `interval` after they are acknowledged.
    #[must_use]
    pub fn durable_every(self, interval: Duration) -> Options {
        self.durability(Durability::Every(interval))
    }

    /// Sets [`Options::reads`].
    #[must_use]
    pub fn reads(self, reads: u32) -> Options {
        Options { reads, ..self }
    }

    /// Sets [`Options::writes`].
    #[must_use]
    pub fn writes(self, writes: u32) -> Options {
        Options { writes, ..self }
    }

    /// Sets [`Options::checkpoint_bytes`].
    #[must_use]
    pub fn checkpoint_bytes(self, checkpoint_bytes: u64) -> Options {
        Options { checkpoint_bytes, ..self }
    }

    /// Sets [`Options::fill`].
    #[must_use]
    pub fn fill(self, fill: f64) -> Options {
        Options { fill, ..self }
    }

    /// Sets [`Options::most_bytes`].
    #[must_use]
    pub fn most_bytes(self, most_bytes: u64) -> Options {
        Options { most_bytes, ..self }
    }

    /// Sets [`Options::read_only`].
    #[must_use]
    pub fn read_only(self, read_only: bool) -> Options {
        Options { read_only, ..self }
    }

    /// Sets [`Options::create`].
    #[must_use]
    pub fn create(self, create: bool) -> Options {
        Options { create, ..self }
    }
}
