//! What looks at a store without an engine: its summary, its degrees, and the check of every byte.

mod degrees;
#[cfg(feature = "figures")]
mod info;
#[cfg(feature = "figures")]
mod sharded;
mod store_file;
mod summary;
mod verify;

pub use degrees::{DegreeBucket, DegreeDistribution, degree_distribution};
#[cfg(feature = "figures")]
pub use info::{DegreeBin, GraphInfo, GraphSpace};
#[cfg(feature = "figures")]
pub use sharded::ShardedInfo;
pub(crate) use store_file::{Side, StoreFile};
pub use summary::{Summary, summarise};
pub use verify::{VerifyReport, verify};
