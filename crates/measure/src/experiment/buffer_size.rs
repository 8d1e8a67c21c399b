//! How large a read buffer is, from how long the first and the later reads of regions of many sizes took.

use leadline_profile::BufferPoint;

use super::period::quantile;

/// A buffer is said to be there if later reads are faster, which has this probability where there is none;
const FALSE_ALARMS: f64 = 0.01;

/// if that many more of them are fast, of regions that fit: less is what a cache of the drive's mapping
/// makes, of which a first read brings in what its many neighbours need;
const LEAST_DIFFERENCE: f64 = 0.03;

/// and if the shares of fast and of slow reads that are shorter than some latency differ by this much: less
/// is what software makes, which is a little slower with what it has not done for a while.
const LEAST_DISTANCE: f64 = 0.3;

/// How often first and later reads are exchanged at random.
const EXCHANGES: u32 = 999;

/// Where there are that many visits of places that were not read before, first reads are told by those alone.
const ENOUGH_FRESH: usize = 10;

/// A region of which this share is held fits into the buffer, one of which less than that is does not.
const FITS: f64 = 0.95;
const FITS_NOT: f64 = 0.5;

/// Standard errors by which a share must be lower than that.
const CERTAIN: f64 = 3.0;

/// Where the first pass finds more than this share in the buffer, nothing is left for the later ones to show.
const MOST_AT_FIRST: f64 = 0.98;

/// The timed reads of one region, microseconds: one entry a pass, each with the same pages in the same order.
#[derive(Debug, Clone)]
pub(super) struct Visit {
    /// Bytes of the region.
    pub(super) bytes: u64,
    /// Whether its place was not read before: a buffer that holds all of the drive that is read answers first
    /// reads elsewhere.
    pub(super) fresh: bool,
    pub(super) passes: Vec<Vec<f64>>,
}

impl Visit {
    /// Mean latency of its first reads, seconds.
    pub(super) fn first_seconds(&self) -> f64 {
        mean(self.first()) / 1e6
    }

    fn first(&self) -> &[f64] {
        &self.passes[0]
    }

    fn later(&self) -> impl Iterator<Item = f64> {
        self.passes[1..].iter().flatten().copied()
    }

    /// How often the first read of a page is slower than a later one, less how often it is faster; -1 to 1.
    /// Of the same page, so that places on the drive that are slower than others do not matter.
    fn first_is_slower(&self) -> f64 {
        let pairs = self.passes[1..].iter().flat_map(|later| self.first().iter().zip(later));
        let (sum, count) = pairs.fold((0.0, 0u32), |(sum, count), (first, later)| {
            (sum + f64::from(i8::from(first > later) - i8::from(first < later)), count + 1)
        });
        sum / f64::from(count.max(1))
    }
}

/// What the visits come to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Estimate {
    pub(super) detected: bool,
    pub(super) p_value: f64,
    /// Largest difference between the shares of fast and of slow reads that are shorter than some latency.
    pub(super) distance: f64,
    /// The largest region that fits, and the smallest that does not.
    pub(super) between: Option<(u64, u64)>,
    /// The largest region, where it fits.
    pub(super) at_least: Option<u64>,
    /// Sizes between which the share that is held falls below [`FITS`], and below [`FITS_NOT`].
    pub(super) falls: [Option<(u64, u64)>; 2],
    pub(super) fast_us: Option<f64>,
    pub(super) slow_us: f64,
    pub(super) points: Vec<BufferPoint>,
}

/// Estimates from at least one visit.
pub(super) fn estimate(visits: &[Visit], seed: u64) -> Estimate {
    let mut sorted: Vec<&Visit> = visits.iter().collect();
    sorted.sort_by_key(|visit| visit.bytes);
    let sizes: Vec<&[&Visit]> = sorted.chunk_by(|a, b| a.bytes == b.bytes).collect();
    let fresh: Vec<&Visit> = sorted.iter().copied().filter(|visit| visit.fresh).collect();
    let compared = if fresh.len() >= ENOUGH_FRESH { &fresh } else { &sorted };
    let levels = Levels::new(&first(compared), &later(sizes[0]), &later(sizes[sizes.len() - 1]));
    let distance = levels.fast - levels.slow;
    let slower = |visit: &&Visit| match distance >= LEAST_DISTANCE {
        true => levels.shorter(&later(&[*visit])) - levels.shorter(visit.first()),
        // Nothing to tell fast from slow by.
        false => visit.first_is_slower(),
    };
    let (p_value, fit) = p_value(compared, &compared.iter().map(slower).collect::<Vec<_>>(), seed);
    let fitting = &compared[..fit];
    let difference = levels.shorter(&later(fitting)) - levels.shorter(&first(fitting));
    let distance = levels.fast - levels.slow;
    let detected = p_value <= FALSE_ALARMS && difference >= LEAST_DIFFERENCE && distance >= LEAST_DISTANCE;
    let shares: Vec<Held> = sizes.iter().map(|of| levels.held(&first(of), &later(of))).collect();
    let held = |i: usize| detected.then(|| shares[i].share);
    let falls = [FITS, FITS_NOT].map(|level| {
        let next = shares.iter().position(|held| held.share + CERTAIN * held.error < level);
        next.filter(|&next| detected && next > 0).map(|next| (sizes[next - 1][0].bytes, sizes[next][0].bytes))
    });
    let largest = sizes[sizes.len() - 1][0].bytes;
    Estimate {
        detected,
        p_value,
        distance: distance.max(0.0),
        between: falls[0].zip(falls[1]).map(|((fits, _), (_, not))| (fits, not)),
        at_least: (detected && falls[0].is_none()).then_some(largest),
        falls,
        fast_us: detected.then(|| mean(&later(sizes[0]))),
        slow_us: mean(&first(compared)),
        points: (0..sizes.len()).map(|i| point(sizes[i], held(i))).collect(),
    }
}

/// What tells a fast read from a slow one.
struct Levels {
    /// Microseconds: fast ones are mostly shorter.
    threshold: f64,
    /// Shares that are shorter, of fast and of slow reads.
    fast: f64,
    slow: f64,
}

/// The share of a region that a pass leaves in the buffer until the next, with its standard error.
struct Held {
    share: f64,
    error: f64,
}

impl Levels {
    /// From the first reads of all regions, the later ones of the smallest, and those of the largest.
    fn new(first: &[f64], smallest: &[f64], largest: &[f64]) -> Levels {
        // The buffer may answer first reads too, of pages that came with a neighbour.
        let slow = if mean(largest) > mean(first) { largest } else { first };
        let (mut slow, mut fast) = (slow.to_vec(), smallest.to_vec());
        slow.sort_unstable_by(f64::total_cmp);
        fast.sort_unstable_by(f64::total_cmp);
        let below = |sorted: &[f64], us: f64| {
            sorted.partition_point(|&value| value <= us) as f64 / sorted.len() as f64
        };
        let apart = |us: f64| below(&fast, us) - below(&slow, us);
        let best = fast.iter().copied().max_by(|&a, &b| apart(a).total_cmp(&apart(b))).unwrap_or(0.0);
        // Half-way to the next slow read, where none lies between.
        let next = slow.get(slow.partition_point(|&us| us <= best));
        let threshold = next.map_or(best, |next| 0.5 * (best + next));
        Levels { threshold, fast: below(&fast, threshold), slow: below(&slow, threshold) }
    }

    /// Share of the reads that are shorter than the threshold.
    fn shorter(&self, reads: &[f64]) -> f64 {
        reads.iter().filter(|&&us| us <= self.threshold).count() as f64 / reads.len() as f64
    }

    /// Share of fast reads among these.
    fn fast_share(&self, reads: &[f64]) -> f64 {
        ((self.shorter(reads) - self.slow) / (self.fast - self.slow).max(1e-9)).clamp(0.0, 1.0)
    }

    fn held(&self, first: &[f64], later: &[f64]) -> Held {
        let (at_first, share) = (self.fast_share(first), self.fast_share(later));
        if at_first > MOST_AT_FIRST {
            return Held { share, error: 0.0 };
        }
        let n = later.len() as f64;
        let shorter = self.shorter(later);
        let error = (shorter * (1.0 - shorter) / n).sqrt().max(1.0 / n) / (self.fast - self.slow).max(1e-9);
        let rest = 1.0 - at_first;
        Held { share: ((share - at_first) / rest).clamp(0.0, 1.0), error: error / rest }
    }
}

/// Probability of first reads being that much slower than later ones by chance: the same, with first and
/// later exchanged in random visits. And how many visits: up to the size at which it is most, since the size
/// of the buffer is not known. `slower`: by how much first reads are, one of each visit, ascending in size.
fn p_value(visits: &[&Visit], slower: &[f64], seed: u64) -> (f64, usize) {
    let ends_size = |i: usize| visits.get(i + 1).is_none_or(|next| next.bytes > visits[i].bytes);
    let ends: Vec<bool> = (0..visits.len()).map(ends_size).collect();
    let most = |sign: &mut dyn FnMut() -> f64| {
        let (mut sum, mut squares, mut most) = (0.0, 0.0, (0.0, 1));
        for (i, value) in slower.iter().enumerate() {
            sum += sign() * value;
            squares += value * value;
            if ends[i] && squares > 0.0 && sum / f64::sqrt(squares) > most.0 {
                most = (sum / squares.sqrt(), i + 1);
            }
        }
        most
    };
    let (found, fit) = most(&mut || 1.0);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut sign = || if random.bool() { 1.0 } else { -1.0 };
    let as_much = (0..EXCHANGES).filter(|_| most(&mut sign).0 >= found).count();
    ((as_much + 1) as f64 / f64::from(EXCHANGES + 1), fit)
}

fn point(of: &[&Visit], held_share: Option<f64>) -> BufferPoint {
    let all: Vec<f64> = of.iter().flat_map(|visit| visit.passes.iter().flatten()).copied().collect();
    BufferPoint {
        size_bytes: of[0].bytes,
        reads: all.len() as u64,
        p30_us: quantile(&all, 0.3),
        p40_us: quantile(&all, 0.4),
        mean_us: mean(&all),
        first_mean_us: mean(&first(of)),
        later_mean_us: mean(&later(of)),
        held_share,
    }
}

fn first(of: &[&Visit]) -> Vec<f64> {
    of.iter().flat_map(|visit| visit.first()).copied().collect()
}

fn later(of: &[&Visit]) -> Vec<f64> {
    of.iter().flat_map(|visit| visit.later()).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits of sizes from 256K to 8M, three of each; a latency for each size in KiB, pass and page.
    fn visits(mut us: impl FnMut(u64, usize, usize) -> f64) -> Vec<Visit> {
        let sizes = [256, 512, 1024, 2048, 4096, 8192];
        let visit = |kib: u64| {
            let mut pass = |pass: usize| (0..64).map(|page| us(kib, pass, page)).collect();
            Visit { bytes: kib << 10, fresh: true, passes: (0..3).map(&mut pass).collect() }
        };
        sizes.into_iter().flat_map(|kib| [kib; 3]).map(visit).collect()
    }

    #[test]
    fn a_buffer_lies_between_the_largest_region_that_fits_and_the_next() {
        let fits = |kib: u64, pass: usize| kib <= 1024 && pass > 0;
        let found = estimate(&visits(|kib, pass, _| if fits(kib, pass) { 10.0 } else { 80.0 }), 1);
        assert!(found.detected && found.p_value < 0.01);
        assert_eq!((found.between, found.at_least), (Some((1 << 20, 2 << 20)), None));
        assert_eq!((found.fast_us, found.slow_us), (Some(10.0), 80.0));
        let held: Vec<f64> = found.points.iter().map(|point| point.held_share.unwrap()).collect();
        assert_eq!(held, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]);
        let all_fit = estimate(&visits(|_, pass, _| if pass > 0 { 10.0 } else { 80.0 }), 1);
        assert_eq!((all_fit.between, all_fit.at_least), (None, Some(8 << 20)));
    }

    #[test]
    fn reads_that_are_alike_and_places_that_differ_are_no_buffer() {
        let alike = estimate(&visits(|_, _, _| 80.0), 1);
        assert!(!alike.detected && alike.p_value == 1.0 && alike.fast_us.is_none());
        // Pages of the medium of three kinds.
        let kinds = estimate(&visits(|_, _, page| [40.0, 80.0, 120.0][page % 3]), 1);
        assert!(!kinds.detected, "{kinds:?}");
        let mut random = fastrand::Rng::with_seed(1);
        let wrong = (0..50).filter(|_| estimate(&visits(|_, _, _| 80.0 + random.f64()), 1).detected).count();
        assert!(wrong <= 1, "{wrong} of 50");
    }

    #[test]
    fn first_reads_that_are_a_little_slower_show_no_buffer() {
        let mut random = fastrand::Rng::with_seed(1);
        let us = |_, pass, _| 80.0 + 20.0 * random.f64() + if pass == 0 { 3.0 } else { 0.0 };
        let found = estimate(&visits(us), 1);
        assert!(found.p_value <= FALSE_ALARMS && found.distance < 0.25 && !found.detected, "{found:?}");
    }

    #[test]
    fn a_cache_of_the_mapping_is_no_buffer() {
        // The first read of a region brings in the mapping of its neighbours; of large ones it is dropped.
        let mapped = |kib: u64, pass: usize, page: usize| kib <= 2048 && (pass > 0 || page > 0);
        let found =
            estimate(&visits(|kib, pass, page| if mapped(kib, pass, page) { 80.0 } else { 160.0 }), 1);
        assert!(!found.detected && found.between.is_none(), "{found:?}");
    }

    #[test]
    fn pages_that_come_with_a_neighbour_are_not_taken_for_held() {
        // Three of four first reads are fast, but of regions so large that they are dropped before.
        let neighbour = |kib: u64, page: usize| kib <= 2048 && !page.is_multiple_of(4);
        let fast = |kib: u64, pass: usize, page: usize| neighbour(kib, page) || (kib <= 1024 && pass > 0);
        let found = estimate(&visits(|kib, pass, page| if fast(kib, pass, page) { 10.0 } else { 80.0 }), 1);
        assert_eq!(found.between, Some((1 << 20, 2 << 20)), "{found:?}");
    }
}
