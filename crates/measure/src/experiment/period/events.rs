//! Few slow reads that stand out: whether they come at even distances.

use super::bands::Peak;

/// The slowest that many reads are looked at.
const COUNTS: [usize; 9] = [6, 8, 12, 16, 24, 32, 48, 64, 96];

/// That many times the most reads that are looked at are sorted: of several close together one counts.
const CANDIDATES: usize = 64;

/// There must be that many times the reads that are looked at.
const FEWEST_READS: usize = 16;

/// Two reads closer than this share of the mean distance are one event.
const APART: f64 = 0.125;

/// How far events are moved for comparison, in mean distances.
const MOVED: f64 = 4.0;

/// Multiples of a period that are looked at.
const TEETH: usize = 3;

/// How far a distance may be from a multiple of the period, as shares of it: for periods that are constant,
/// and for those that vary.
const TOLERANCES: [f64; 2] = [0.004, 0.03];

/// The slowest reads of a series, as many as [`COUNTS`] says, for each count.
pub(super) struct Events {
    reads: usize,
    /// Ascending.
    sets: Vec<Vec<usize>>,
}

impl Events {
    /// Of a series; among reads that are alike, those at random.
    pub(super) fn new(levelled: &[f64], random: &mut fastrand::Rng) -> Events {
        let reads = levelled.len();
        let mut order: Vec<usize> = (0..reads).collect();
        random.shuffle(&mut order);
        let slowest_first = |&a: &usize, &b: &usize| levelled[b].total_cmp(&levelled[a]);
        let candidates = CANDIDATES * COUNTS[COUNTS.len() - 1];
        if candidates < reads {
            order.select_nth_unstable_by(candidates, slowest_first);
            order.truncate(candidates);
        }
        order.sort_by(slowest_first);
        let counts = COUNTS.into_iter().filter(|&count| FEWEST_READS * count <= reads);
        Events { reads, sets: counts.filter_map(|count| slowest(&order, reads, count)).collect() }
    }

    /// The most even distance: the height is a logarithm of likelihoods.
    pub(super) fn peak(&self) -> Peak {
        let none = Peak { height: 0.0, period: 0.0 };
        self.sets
            .iter()
            .map(|set| evenness(set, self.reads))
            .fold(none, |a, b| if b.height > a.height { b } else { a })
    }

    /// As many events, each moved at random by up to [`MOVED`] mean distances: where there were more of them
    /// there still are, and what was even is not.
    pub(super) fn scattered(&self, random: &mut fastrand::Rng) -> Events {
        let scatter = |set: &Vec<usize>| {
            let reach = (MOVED * self.reads as f64 / set.len() as f64) as usize;
            let mut places: Vec<usize> = set
                .iter()
                .map(|&place| {
                    let (low, high) = (place.saturating_sub(reach), (place + reach).min(self.reads - 1));
                    random.usize(low..=high)
                })
                .collect();
            places.sort_unstable();
            places
        };
        Events { reads: self.reads, sets: self.sets.iter().map(scatter).collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }
}

/// The first `count` of `order` that are not close to one before, ascending; `None` where there are fewer.
fn slowest(order: &[usize], reads: usize, count: usize) -> Option<Vec<usize>> {
    let apart = (APART * reads as f64 / count as f64) as usize;
    let mut set: Vec<usize> = Vec::with_capacity(count);
    for &i in order {
        if set.iter().all(|&j| i.abs_diff(j) >= apart) {
            set.push(i);
        }
        if set.len() == count {
            set.sort_unstable();
            return Some(set);
        }
    }
    None
}

/// The distance that most pairs have, or a multiple of it: log likelihood of as many pairs against that of
/// events at random places.
fn evenness(places: &[usize], reads: usize) -> Peak {
    let mut distances: Vec<f64> = Vec::with_capacity(places.len() * (places.len() - 1) / 2);
    for (i, from) in places.iter().enumerate() {
        distances.extend(places[i + 1..].iter().map(|to| (to - from) as f64));
    }
    distances.sort_unstable_by(f64::total_cmp);
    let within = |low: f64, high: f64| {
        distances.partition_point(|&d| d <= high) - distances.partition_point(|&d| d < low)
    };
    let mut best = Peak { height: 0.0, period: 0.0 };
    let n = reads as f64;
    let pairs = (places.len() * (places.len() - 1)) as f64 / 2.0;
    for tolerance in TOLERANCES {
        for period in places.windows(2).map(|pair| (pair[1] - pair[0]) as f64) {
            let (mut found, mut expected) = (0.0, 0.0);
            for tooth in 1..=TEETH {
                let lag = tooth as f64 * period;
                let half = (tolerance * lag).max(0.5);
                if lag + half >= n {
                    break;
                }
                found += within(lag - half, lag + half) as f64;
                expected += pairs * 2.0 * (n - lag) / n / n * (2.0 * half).max(1.0);
            }
            // One pair has this distance because it was chosen for it.
            found -= 1.0;
            if found > expected {
                let height = found * (found / expected).ln() - (found - expected);
                if height > best.height {
                    best = Peak { height, period };
                }
            }
        }
    }
    best
}
