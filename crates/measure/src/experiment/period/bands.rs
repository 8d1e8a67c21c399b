//! Autocorrelation, in bands of periods: each band sees the series in cells that are a few percent of its
//! periods long, so that a period that drifts a little still falls into the same cell.

use std::ops::RangeInclusive;

use super::cells::{maxima, scores};

/// Most cells of a band: more periods than that say nothing new.
const MOST_CELLS: usize = 1 << 14;

/// Lags of a band with cells of more than one read.
const LAGS: RangeInclusive<usize> = 16..=31;

/// Shorter periods, in cells of one read.
const SHORT_LAGS: [RangeInclusive<usize>; 3] = [2..=3, 4..=7, 8..=15];

/// A series must have that many times the cells of the longest lag.
const FEWEST_PERIODS: usize = 5;

/// Cells are ranked among that many times the longest lag, and that many at least.
const STRETCH: usize = 4;
const LEAST_STRETCH: usize = 32;

/// Multiples of a period that are looked at.
const TEETH: usize = 3;

/// Lags between two cells that are tried, as steps of a cell.
const STEPS: usize = 3;

/// Some periods, and the series in cells for them.
pub(super) struct Band {
    /// Reads in a cell.
    cell: usize,
    /// Lags in cells.
    lags: RangeInclusive<usize>,
    /// One a cell.
    pub(super) scores: Vec<f32>,
}

/// The lag of a band at which most is repeated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Peak {
    /// In standard deviations of a series without order.
    pub(super) height: f64,
    /// Reads.
    pub(super) period: f64,
}

impl Band {
    /// The bands that a series is long enough for, from short periods to long ones. Bands in which all reads
    /// are alike are left out.
    pub(super) fn all(levelled: &[f64]) -> Vec<Band> {
        let mut bands = Vec::new();
        for lags in SHORT_LAGS {
            bands.extend(Band::new(levelled, 1, lags));
        }
        let mut cell = 1;
        while is_enough(levelled.len() / cell, &LAGS) {
            bands.extend(Band::new(levelled, cell, LAGS));
            cell *= 2;
        }
        bands
    }

    /// The band that has this period, in reads; `None` where the series is too short for it.
    pub(super) fn of_period(levelled: &[f64], period: f64) -> Option<Band> {
        match SHORT_LAGS.into_iter().find(|lags| period < (lags.end() + 1) as f64) {
            Some(lags) => Band::new(levelled, 1, lags),
            None => {
                let cell = 1 << (period / *LAGS.start() as f64).log2().floor().max(0.0) as u32;
                Band::new(levelled, cell, LAGS)
            }
        }
    }

    fn new(levelled: &[f64], cell: usize, lags: RangeInclusive<usize>) -> Option<Band> {
        let used = &levelled[..levelled.len().min(cell * MOST_CELLS)];
        let scores = scores(&maxima(used, cell), (STRETCH * lags.end()).max(LEAST_STRETCH));
        let differ = scores.iter().any(|&score| score != 0.0);
        (is_enough(scores.len(), &lags) && differ).then_some(Band { cell, lags, scores })
    }

    /// Whether both have the same periods.
    pub(super) fn is_like(&self, other: &Band) -> bool {
        (self.cell, &self.lags) == (other.cell, &other.lags)
    }

    /// Cells that stay together where the series is shuffled: fewer than a period, so that what is slow for a
    /// while stays so, and periods go.
    pub(super) fn together(&self) -> usize {
        self.lags.start() / 2
    }

    /// The peak of `scores`, which are the band's own or those of a shuffled series.
    pub(super) fn peak(&self, scores: &[f32]) -> Peak {
        let correlation = self.correlation(scores);
        let steps = if self.lags.start() >= LAGS.start() { STEPS } else { 1 };
        let widest = usize::from(steps > 1);
        let mut best = Peak { height: f64::NEG_INFINITY, period: 0.0 };
        for step in self.lags.start() * steps..=self.lags.end() * steps {
            let lag = step as f64 / steps as f64;
            for spread in 0..=widest {
                let height = height(&correlation, lag, spread);
                if height > best.height {
                    best = Peak { height, period: lag * self.cell as f64 };
                }
            }
        }
        best
    }

    fn correlation(&self, scores: &[f32]) -> Vec<f32> {
        let most = (self.lags.end() * (2 * TEETH + 1)).div_ceil(2) + 1;
        correlation(scores, most.min(scores.len() * 3 / 4))
    }
}

fn is_enough(cells: usize, lags: &RangeInclusive<usize>) -> bool {
    cells > FEWEST_PERIODS * lags.end()
}

/// Sums of products of scores that many cells apart, in standard deviations of a series without order; one a
/// lag from 0 on.
pub(super) fn correlation(scores: &[f32], most: usize) -> Vec<f32> {
    (0..=most)
        .map(|lag| {
            let pairs = scores.len() - lag;
            products(&scores[..pairs], &scores[lag..]) / (pairs as f32).sqrt()
        })
        .collect()
}

/// Correlation at a lag and its multiples less that half-way between them, in standard deviations. What
/// changes slowly, or is slow for a while, is alike at both and cancels; so do multiples of a period.
///
/// `spread`: neighbours on either side that are added, for periods that vary.
fn height(correlation: &[f32], lag: f64, spread: usize) -> f64 {
    let at = |multiple: f64| {
        let centre = (multiple * lag).round() as usize;
        let sum: f32 = correlation.get(centre.checked_sub(spread)?..=centre + spread)?.iter().sum();
        Some(f64::from(sum) / ((2 * spread + 1) as f64).sqrt())
    };
    let Some(before) = at(0.5) else { return f64::NEG_INFINITY };
    let (mut teeth, mut sum, mut gap) = (0, 0.0, before);
    for tooth in 1..=TEETH {
        let (Some(peak), Some(after)) = (at(tooth as f64), at(tooth as f64 + 0.5)) else { break };
        sum += peak - 0.5 * (gap + after);
        gap = after;
        teeth += 1;
    }
    if teeth == 0 { f64::NEG_INFINITY } else { sum / (2.0 * f64::from(teeth) - 0.5).sqrt() }
}

/// Sum of the products; in eight sums, which a processor makes at once.
fn products(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for i in 0..8 {
            sums[i] += x[i] * y[i];
        }
    }
    rest + sums.iter().sum::<f32>()
}
