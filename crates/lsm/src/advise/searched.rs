//! A layout as the search sees it.

use crate::Layout;

/// A layout and what the search goes by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Searched {
    pub(super) layout: Layout,
    pub(super) per_second: f64,
    pub(super) read_us: f64,
    pub(super) insert_per_s: f64,
    pub(super) space_amplification: f64,
    pub(super) write_amplification: f64,
    pub(super) p99_us: f64,
    pub(super) life_years: Option<f64>,
}
