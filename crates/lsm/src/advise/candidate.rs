//! A layout with all that it costs.

use super::memory::without_cache;
use super::wanted::Wanted;
use crate::{Layout, Machine, Prediction, predict};

/// A layout with what it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its costs.
    pub prediction: Prediction,
    /// Mean time of the mix's queries, microseconds; 0 where it has none.
    pub read_us: f64,
    /// Bytes that memtables, filters and indexes take; the block cache has the rest.
    pub memory_bytes: f64,
    /// Years that the drive lasts; `None` where its rating or its own write amplification is not known.
    pub life_years: Option<f64>,
}

impl Candidate {
    pub(super) fn of(wanted: &Wanted, layout: &Layout, machine: &Machine) -> Self {
        let prediction = predict(&wanted.data, layout, machine, &wanted.demands);
        Candidate {
            read_us: prediction.mix.read_us,
            memory_bytes: without_cache(layout, &wanted.data),
            life_years: wanted.life(prediction.mix.per_second.value, prediction.write_amplification.value),
            prediction,
        }
    }
}
