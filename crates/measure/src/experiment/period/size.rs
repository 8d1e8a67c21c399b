//! How long a period is, and how much slower the slow reads are, by autocovariance.

use super::cells::quantile;

/// Cells in a period, where it is that long: the resolution.
const CELLS: f64 = 256.0;

/// A short period is told from its multiple at this lag at least.
const LEAST_LAG: f64 = 32.0;

/// How far the distance of two slow reads may be from the period, as a share of it.
const VARIES: f64 = 0.04;

/// A lag whose covariance is less than this share of the peak's does not say where the peak is.
const OF_PEAK: f64 = 0.25;

/// Divisors by which a period may be too long.
const DIVISORS: [usize; 7] = [7, 6, 5, 4, 3, 2, 1];

/// The largest divisor is right at which the covariance is this share of the most at any.
const AS_HIGH: f64 = 0.5;

/// Multiples of a period at which it must recur.
const MULTIPLES: usize = 3;

/// Every second read is the shortest period there is; less what a peak may be off.
const SHORTEST: f64 = 1.9;

/// Pieces of the series that are resampled, and resamples.
const PIECES: usize = 16;
const RESAMPLES: usize = 200;

/// Each piece once.
const WHOLE: [usize; PIECES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// A period and what it costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::experiment) struct Size {
    /// Reads.
    pub(in crate::experiment) period: f64,
    /// Its 95 % interval.
    pub(in crate::experiment) period_ci: [f64; 2],
    /// Time by which the slow reads of a period are slower than the others, in all, microseconds.
    pub(in crate::experiment) penalty: f64,
    /// Its 95 % interval.
    pub(in crate::experiment) penalty_ci: [f64; 2],
}

/// Which reads are correlated.
#[derive(Debug, Clone, Copy)]
enum Kept {
    /// All: of slow reads that do not stand out there must be many, and then the rest cancels.
    All,
    /// The slowest, twice as many as there are periods: the rest would only add noise.
    Slowest,
}

/// The period near `found`, or the part of it that is one already; by whichever reads tell its penalty more
/// exactly. `None` where neither does.
pub(super) fn size(levelled: &[f64], found: f64, random: &mut fastrand::Rng) -> Option<Size> {
    let exact = |size: &Size| (size.penalty_ci[1] - size.penalty_ci[0]) / size.penalty;
    let sizes = [Kept::All, Kept::Slowest].into_iter().filter_map(|kept| {
        let size = size_by(levelled, fundamental(levelled, found, kept), kept, random)?;
        Some((exact(&size), size))
    });
    sizes.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, size)| size)
}

/// Whether a series has slow reads with this period, of whichever penalty.
pub(super) fn recurs(levelled: &[f64], period: f64, random: &mut fastrand::Rng) -> bool {
    [Kept::All, Kept::Slowest].into_iter().any(|kept| recurs_by(levelled, period, kept, random))
}

/// They must be there at the period and at its first multiples alike: another period may have one of those.
fn recurs_by(levelled: &[f64], period: f64, kept: Kept, random: &mut fastrand::Rng) -> bool {
    let fine = Fine::new(levelled, period, kept);
    let of = |multiple| {
        let at = Lags { multiple, period: period / fine.cell as f64 };
        let pieces = fine.pieces(&at);
        (at, pieces)
    };
    let lags: Vec<(Lags, Vec<Piece>)> = (1..=MULTIPLES).map(of).collect();
    let excesses = |drawn: &[usize]| lags.iter().map(|(at, pieces)| at.excess(pieces, drawn)).collect();
    let found: Vec<f64> = excesses(&WHOLE);
    let most = found.iter().copied().fold(0.0, f64::max);
    let sum = |drawn: &[usize]| -> f64 { excesses(drawn).iter().sum() };
    let resampled: Vec<f64> = (0..RESAMPLES).map(|_| sum(&drawn(random))).collect();
    most > 0.0 && quantile(&resampled, 0.025) > 0.0 && found.iter().all(|&excess| excess > OF_PEAK * most)
}

fn size_by(levelled: &[f64], found: f64, kept: Kept, random: &mut fastrand::Rng) -> Option<Size> {
    let fine = Fine::new(levelled, found, kept);
    let at = Lags::of(found / fine.cell as f64);
    let pieces = fine.pieces(&at);
    let (period, penalty) = at.estimate(&pieces, &WHOLE)?;
    let (mut periods, mut penalties) = (Vec::new(), Vec::new());
    for _ in 0..RESAMPLES {
        let (period, penalty) = at.estimate(&pieces, &drawn(random)).unwrap_or((period, 0.0));
        periods.push(period);
        penalties.push(penalty);
    }
    let cell = fine.cell as f64;
    let resolution = 0.5 / at.multiple as f64;
    let ends = |values: &[f64], value: f64, least: f64| {
        let (low, high) = (quantile(values, 0.025), quantile(values, 0.975));
        [low.min(value - least), high.max(value + least)]
    };
    let [low, high] = ends(&periods, period, resolution);
    Some(Size {
        period: period * cell,
        period_ci: [low * cell, high * cell],
        penalty,
        penalty_ci: ends(&penalties, penalty, 1e-3 * penalty),
    })
}

/// The shortest of the periods that `found` may be a multiple of.
fn fundamental(levelled: &[f64], found: f64, kept: Kept) -> f64 {
    let excess = |period: f64, multiple: usize| {
        let fine = Fine::new(levelled, period, kept);
        let at = Lags { multiple, period: period / fine.cell as f64 };
        at.excess(&fine.pieces(&at), &WHOLE) / fine.cell as f64
    };
    // At every multiple that is no multiple of `found`: a single one may be a period of its own.
    let least = |divisor: usize| {
        let period = found / divisor as f64;
        if period < SHORTEST {
            return f64::NEG_INFINITY;
        }
        let multiples = 1..=(divisor - 1).clamp(1, 3);
        multiples.map(|multiple| excess(period, multiple)).fold(f64::INFINITY, f64::min)
    };
    let heights: Vec<(usize, f64)> = DIVISORS.into_iter().map(|divisor| (divisor, least(divisor))).collect();
    let highest = heights.iter().map(|&(_, height)| height).fold(0.0, f64::max);
    let as_high = heights.into_iter().find(|&(_, height)| height >= AS_HIGH * highest);
    let divisor = as_high.map_or(1, |(divisor, _)| divisor);
    found / divisor as f64
}

/// Pieces of a resample.
fn drawn(random: &mut fastrand::Rng) -> [usize; PIECES] {
    std::array::from_fn(|_| random.usize(..PIECES))
}

/// The series in cells that are short against the period.
struct Fine {
    cell: usize,
    sums: Vec<f64>,
}

impl Fine {
    /// Reads slower than twice the typical slow read count as that slow: one that took a hundred times as
    /// long would outweigh all others.
    fn new(levelled: &[f64], period: f64, kept: Kept) -> Fine {
        let most = 2.0 * quantile(levelled, 1.0 - 0.5 / period).max(0.0);
        let least = match kept {
            Kept::All => f64::NEG_INFINITY,
            Kept::Slowest => quantile(levelled, (1.0 - 2.0 / period).max(0.0)),
        };
        let cell = ((period / CELLS) as usize).max(1);
        let value = |us: &f64| if *us < least { 0.0 } else { us.clamp(-most, most) };
        let sum = |cell: &[f64]| cell.iter().map(value).sum();
        Fine { cell, sums: levelled.chunks_exact(cell).map(sum).collect() }
    }

    /// Sums of products at each lag, and how many, in each piece of the series.
    fn pieces(&self, at: &Lags) -> Vec<Piece> {
        let lags = at.all();
        let length = self.sums.len().div_ceil(PIECES);
        let piece = |i: usize| {
            let of = |&lag: &usize| {
                let begin = (i * length).min(self.sums.len());
                let end = ((i + 1) * length).min(self.sums.len().saturating_sub(lag)).max(begin);
                let products = self.sums[begin..end].iter().zip(self.sums.get(begin + lag..).unwrap_or(&[]));
                (products.map(|(a, b)| a * b).sum(), (end - begin) as f64)
            };
            lags.iter().map(of).collect()
        };
        (0..PIECES).map(piece).collect()
    }
}

/// Sum of products and their number, one a lag of [`Lags::all`].
type Piece = Vec<(f64, f64)>;

/// The lags round a multiple of a period, and half a period before and behind that.
struct Lags {
    multiple: usize,
    /// Cells.
    period: f64,
}

impl Lags {
    fn of(period: f64) -> Lags {
        Lags { multiple: (LEAST_LAG / period).ceil().max(1.0) as usize, period }
    }

    fn centre(&self) -> f64 {
        self.multiple as f64 * self.period
    }

    /// Lags on either side of the centre.
    fn half(&self) -> f64 {
        (VARIES * self.centre()).min(0.5 * self.period - 0.5).max(0.0)
    }

    fn round(&self, centre: f64) -> std::ops::RangeInclusive<usize> {
        let (low, high) = (centre - self.half(), centre + self.half());
        let (low, high) = (low.ceil() as usize, high.floor() as usize);
        if low < high { low..=high } else { centre.round() as usize..=centre.round() as usize }
    }

    fn peak(&self) -> std::ops::RangeInclusive<usize> {
        self.round(self.centre())
    }

    /// Those round the peak, then those that say what is usual.
    fn all(&self) -> Vec<usize> {
        let before = self.round(self.centre() - 0.5 * self.period);
        let behind = self.round(self.centre() + 0.5 * self.period);
        self.peak().chain(before).chain(behind).filter(|&lag| lag > 0).collect()
    }

    /// Covariance at each lag of the peak less the usual one.
    fn covariances(&self, pieces: &[Piece], drawn: &[usize]) -> Vec<f64> {
        let at = |lag: usize| {
            let (sum, pairs) = drawn
                .iter()
                .map(|&i| pieces[i][lag])
                .fold((0.0, 0.0), |(sum, pairs), (products, count)| (sum + products, pairs + count));
            if pairs > 0.0 { sum / pairs } else { 0.0 }
        };
        let (peak, all) = (self.peak().count(), pieces[0].len());
        let usual = (peak..all).map(at).sum::<f64>() / (all - peak).max(1) as f64;
        (0..peak).map(|lag| at(lag) - usual).collect()
    }

    fn excess(&self, pieces: &[Piece], drawn: &[usize]) -> f64 {
        self.covariances(pieces, drawn).iter().sum()
    }

    /// Period in cells, and penalty: a slow read in each period, `penalty` slower, makes a covariance of
    /// penalty² / period at lags of a period.
    fn estimate(&self, pieces: &[Piece], drawn: &[usize]) -> Option<(f64, f64)> {
        let covariances = self.covariances(pieces, drawn);
        let highest = covariances.iter().copied().fold(0.0, f64::max);
        let weight = |c: f64| (c - OF_PEAK * highest).max(0.0);
        let weights: f64 = covariances.iter().map(|&c| weight(c)).sum();
        let places: f64 = self.peak().zip(&covariances).map(|(lag, &c)| lag as f64 * weight(c)).sum();
        let excess: f64 = covariances.iter().sum();
        let period = places / weights / self.multiple as f64;
        (weights > 0.0 && excess > 0.0).then(|| (period, (excess * period).sqrt()))
    }
}
