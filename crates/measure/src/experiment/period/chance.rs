//! Whether a period is more than chance: the same search in series that were shuffled.

use super::bands::{Band, Peak};
use super::events::Events;

/// Shuffled series that say how high peaks are in each band, and among the events.
const FOR_SCALE: usize = 30;

/// Shuffled series that the highest peak is compared with.
const FOR_TEST: u32 = 99;

/// After that many higher peaks in shuffled series the rest would change nothing.
const ENOUGH: u32 = 10;

/// A series is said to have a period if a peak as high has this probability where there is none.
pub(super) const FALSE_ALARMS: f64 = 0.01;

/// What is searched for a period.
pub(super) struct Searched {
    pub(super) bands: Vec<Band>,
    pub(super) events: Events,
}

impl Searched {
    pub(super) fn all(levelled: &[f64], random: &mut fastrand::Rng) -> Searched {
        Searched { bands: Band::all(levelled), events: Events::new(levelled, random) }
    }

    /// One of each band, then that of the events.
    fn peaks(&self) -> Vec<Peak> {
        let of_bands = self.bands.iter().map(|band| band.peak(&band.scores));
        of_bands.chain([self.events.peak()]).collect()
    }

    /// Heights of the same in a shuffled series.
    fn shuffled(&self, random: &mut fastrand::Rng) -> Vec<f64> {
        let mut heights = Vec::with_capacity(self.bands.len() + 1);
        for band in &self.bands {
            heights.push(band.peak(&shuffled(&band.scores, band.together(), random)).height);
        }
        heights.push(self.events.scattered(random).peak().height);
        heights
    }
}

/// How high the peaks of shuffled series are.
pub(super) struct Chance {
    /// Mean and standard deviation of each band, then of the events.
    scales: Vec<(f64, f64)>,
    /// The height that the share [`FALSE_ALARMS`] of shuffled series exceeds: of a Gumbel distribution, as of
    /// maxima, with their mean and deviation.
    critical: f64,
    /// Probability of a peak as high as the highest.
    pub(super) p_value: f64,
    /// The highest peak, where there is any.
    pub(super) highest: Option<Peak>,
}

impl Chance {
    pub(super) fn new(searched: &Searched, random: &mut fastrand::Rng) -> Chance {
        if searched.bands.is_empty() && searched.events.is_empty() {
            return Chance { scales: Vec::new(), critical: 0.0, p_value: 1.0, highest: None };
        }
        let shuffled: Vec<Vec<f64>> = (0..FOR_SCALE).map(|_| searched.shuffled(random)).collect();
        let scale = |i: usize| mean_and_deviation(&shuffled.iter().map(|of| of[i]).collect::<Vec<_>>());
        let scales: Vec<(f64, f64)> = (0..=searched.bands.len()).map(scale).collect();
        let highest = |heights: &[f64]| {
            let scaled = heights.iter().zip(&scales).map(|(&height, &of)| scaled(height, of));
            scaled.enumerate().fold((0, f64::NEG_INFINITY), |a, b| if b.1 > a.1 { b } else { a })
        };
        let own = searched.peaks();
        let (best, height) = highest(&own.iter().map(|peak| peak.height).collect::<Vec<_>>());
        let (mut higher, mut heights) = (0, Vec::new());
        while (heights.len() as u32) < FOR_TEST && higher < ENOUGH {
            let (_, by_chance) = highest(&searched.shuffled(random));
            higher += u32::from(by_chance >= height);
            heights.push(by_chance);
        }
        let (mean, deviation) = mean_and_deviation(&heights);
        let gumbel = -(-(1.0 - FALSE_ALARMS).ln()).ln();
        let critical = mean + deviation * (gumbel - 0.5772) * 6f64.sqrt() / std::f64::consts::PI;
        let p_value = f64::from(higher + 1) / (heights.len() + 1) as f64;
        Chance { scales, critical, p_value, highest: Some(own[best]) }
    }

    /// Whether the highest peak is hardly chance.
    pub(super) fn is_period(&self) -> bool {
        self.p_value <= FALSE_ALARMS
    }

    /// Whether a peak in `band`, which is like that of `searched`, or the one of `events` is higher than
    /// shuffled series have.
    pub(super) fn is_exceeded(&self, searched: &Searched, band: Option<&Band>, events: &Events) -> bool {
        let scale = |band: &Band| {
            let like = searched.bands.iter().position(|of| of.is_like(band))?;
            self.scales.get(like)
        };
        let in_band = band.is_some_and(|band| {
            let height = band.peak(&band.scores).height;
            scale(band).is_some_and(|&of| scaled(height, of) > self.critical)
        });
        let of_events = self.scales.last();
        in_band || of_events.is_some_and(|&of| scaled(events.peak().height, of) > self.critical)
    }
}

fn scaled(height: f64, (mean, deviation): (f64, f64)) -> f64 {
    (height - mean) / deviation.max(1e-9)
}

fn mean_and_deviation(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}

/// The same scores in pieces of about `together`, in random order.
fn shuffled(scores: &[f32], together: usize, random: &mut fastrand::Rng) -> Vec<f32> {
    if together <= 1 {
        let mut scores = scores.to_vec();
        random.shuffle(&mut scores);
        return scores;
    }
    let (mut pieces, mut rest) = (Vec::with_capacity(scores.len() / together + 1), scores);
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(random.usize(1..2 * together).min(rest.len()));
        pieces.push(piece);
        rest = behind;
    }
    random.shuffle(&mut pieces);
    pieces.concat()
}
