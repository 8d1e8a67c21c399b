//! 3D XPoint: no translation and no garbage collection, data is updated in place, and each page is spread
//! over the channels.

mod access;
mod alignment;
mod channels;
mod disturb;
mod medium;
mod settle;
mod spec;

pub use alignment::XpointAlignment;
pub use disturb::XpointDisturb;
pub(crate) use medium::Medium;
pub use settle::XpointSettle;
pub use spec::{XpointGeometry, XpointSpec, XpointStall, XpointTiming};

/// What requests are split into when they take turns, what a place is where reads are counted, and what
/// requests are best aligned to.
const PAGE_BYTES: u64 = 4096;

/// The pages that a request touches, by number.
fn pages(offset: u64, len: u32) -> std::ops::RangeInclusive<u64> {
    offset / PAGE_BYTES..=(offset + u64::from(len) - 1) / PAGE_BYTES
}
