//! What would have been found: slow reads are added to the series without its period, and looked for.

use super::bands::Band;
use super::cells::quantile;
use super::chance::{Chance, Searched};
use super::events::Events;

/// Times that slow reads are added for one probability, and how many must be found.
const TRIES: u32 = 20;
const FOUND: u32 = 19;

/// The smallest penalty is looked for between these, in units of the noise, in that many halvings.
const LEAST: f64 = 0.1;
const MOST: f64 = 1000.0;
const HALVINGS: u32 = 6;

/// A period must fit that many times.
const PERIODS: f64 = 10.0;

/// The noise of a series, and what stands out of it.
pub(super) struct Power<'a> {
    searched: &'a Searched,
    chance: &'a Chance,
    noise: Vec<f64>,
}

impl<'a> Power<'a> {
    /// Of a series that has slow reads every `period`, or none: then they are replaced by others.
    pub(super) fn new(
        levelled: &[f64],
        period: Option<f64>,
        searched: &'a Searched,
        chance: &'a Chance,
        random: &mut fastrand::Rng,
    ) -> Power<'a> {
        let mut noise = levelled.to_vec();
        if let Some(period) = period {
            let most = quantile(levelled, (1.0 - 1.2 / period).max(0.5));
            let others: Vec<f64> = levelled.iter().copied().filter(|&us| us < most).collect();
            if !others.is_empty() {
                let slow = noise.iter_mut().filter(|us| **us >= most);
                slow.for_each(|us| *us = others[random.usize(..others.len())]);
            }
        }
        Power { searched, chance, noise }
    }

    /// Share of such series in which slow reads of this period and penalty are found.
    pub(super) fn probability(&self, period: f64, penalty: f64, random: &mut fastrand::Rng) -> f64 {
        let found = (0..TRIES).filter(|_| self.is_found(period, penalty, random)).count();
        found as f64 / f64::from(TRIES)
    }

    /// The smallest penalty with this period that is found 19 times of 20, microseconds; `None` where the
    /// series is too short for the period.
    pub(super) fn smallest(&self, period: f64, random: &mut fastrand::Rng) -> Option<f64> {
        if (self.noise.len() as f64) < PERIODS * period {
            return None;
        }
        let unit = 0.5 * (quantile(&self.noise, 0.84) - quantile(&self.noise, 0.16));
        if unit <= 0.0 {
            // All reads take the same time, and any that does not stands out.
            return Some(0.0);
        }
        let (mut low, mut high) = (LEAST, MOST);
        let enough = |penalty: f64, random: &mut fastrand::Rng| {
            let mut missed = 0;
            (0..TRIES).all(|_| {
                missed += u32::from(!self.is_found(period, penalty * unit, random));
                missed <= TRIES - FOUND
            })
        };
        if !enough(high, random) {
            return None;
        }
        for _ in 0..HALVINGS {
            let middle = f64::sqrt(low * high);
            if enough(middle, random) { high = middle } else { low = middle }
        }
        Some(high * unit)
    }

    fn is_found(&self, period: f64, penalty: f64, random: &mut fastrand::Rng) -> bool {
        let mut series = self.noise.clone();
        random.shuffle(&mut series);
        let mut next = random.f64() * period;
        while (next as usize) < series.len() {
            series[next as usize] += penalty;
            next += period;
        }
        let band = Band::of_period(&series, period);
        self.chance.is_exceeded(self.searched, band.as_ref(), &Events::new(&series, random))
    }
}
