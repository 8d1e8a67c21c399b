//! Equations 9 to 12 of the paper (sections 5.2.1 and 5.2.2).
//!
//! They are given up to a constant, which is left out here: only ratios between two layouts, two
//! concurrencies or two devices mean anything. Symbols: F is [`Layout::fanout`], C [`Layout::l0_files`], T
//! [`Layout::file_bytes`], B' [`Layout::block_bytes`], N [`Data::bytes`], and B a page of 4096 bytes.

use leadline_profile::PAGE_BYTES;

use crate::{Data, Layout};

/// What accesses cost with k of them at a time: device time per access, not latency, so the inverse of a
/// throughput. Microseconds, at least 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AccessCosts {
    /// t(k): added by a read at a random place.
    pub read_setup_us: f64,
    /// s(k): added by a write at a random place.
    pub write_setup_us: f64,
    /// alpha(k): a page that is read.
    pub read_page_us: f64,
    /// beta(k): a page that is written.
    pub write_page_us: f64,
}

/// log_F(N / (C T)): levels below level 1. A tree that fits into level 1 has none.
fn levels(data: &Data, layout: &Layout) -> f64 {
    let level_1 = f64::from(layout.l0_files) * layout.file_bytes as f64;
    (data.bytes() / level_1).max(1.0).ln() / layout.fanout.ln()
}

fn pages(bytes: f64) -> f64 {
    bytes / f64::from(PAGE_BYTES)
}

/// A point query, microseconds up to a constant: equation 10, (C + log_F(N / (C T))) (t + B' alpha / B), or,
/// for a single level, equation 12, t + B' alpha / B. The fanout must be above 1.
pub fn point_us(data: &Data, layout: &Layout, costs: &AccessCosts) -> f64 {
    let runs = if layout.is_single_level() { 1.0 } else { f64::from(layout.l0_files) + levels(data, layout) };
    runs * (costs.read_setup_us + pages(f64::from(layout.block_bytes)) * costs.read_page_us)
}

/// A scan that returns `bytes` of pairs, microseconds up to a constant: a point query, and X (t / T + alpha /
/// B) for X bytes (below equation 10).
pub fn scan_us(data: &Data, layout: &Layout, costs: &AccessCosts, bytes: f64) -> f64 {
    let files = bytes / layout.file_bytes as f64;
    point_us(data, layout, costs) + files * costs.read_setup_us + pages(bytes) * costs.read_page_us
}

/// Compaction per pair inserted, microseconds up to a constant: equation 9, (C + F log_F(N / (C T))) / T (t +
/// s + T (alpha + beta) / B), or, for a single level, equation 11, which has T in place of the files that are
/// touched. What divides and what replaces is T in pairs, as section 5.2.2 says. With one constant for both,
/// equation 11 is larger than equation 9 by the pairs in a file.
pub fn insert_us(data: &Data, layout: &Layout, costs: &AccessCosts) -> f64 {
    let pairs = layout.file_bytes as f64 / data.pair_bytes();
    let touched = if layout.is_single_level() {
        pairs
    } else {
        f64::from(layout.l0_files) + layout.fanout * levels(data, layout)
    };
    let setups = costs.read_setup_us + costs.write_setup_us;
    let file = setups + pages(layout.file_bytes as f64) * (costs.read_page_us + costs.write_page_us);
    touched / pairs * file
}
