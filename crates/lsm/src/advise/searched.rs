//! A layout as the search sees it.

use super::candidate::Candidate;
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

impl Searched {
    /// A layout that was looked at with all its costs.
    pub(super) fn of(candidate: &Candidate) -> Self {
        let found = &candidate.prediction;
        Searched {
            layout: found.layout,
            per_second: found.mix.per_second.value,
            read_us: candidate.read_us,
            insert_per_s: found.insert_per_s.value,
            space_amplification: found.space_amplification.value,
            write_amplification: found.write_amplification.value,
            p99_us: found.mix.point_p99_us,
            life_years: candidate.life_years,
        }
    }
}
