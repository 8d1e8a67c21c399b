//! What a long load of writes comes to: where its bandwidth fell for good, what it was before and after, each
//! with its interval.

use leadline_profile::SustainedCliff;

use super::fall::rate;
use super::sampled_load::Sample;
use super::stretches::{percentile, resampled};
use crate::cliff::{best_split, find_split};

/// Cliffs are searched on either side of one, so often.
const DEPTH: u32 = 2;

/// Without a cliff, the burst is this share of the time.
const BURST: f64 = 0.1;

/// And what is sustained this share of it, at the end.
const SUSTAINED: f64 = 0.5;

/// After a cliff, this share of the samples that follow is left out of what is sustained.
const SETTLING: f64 = 0.1;

/// The halves of what is sustained may differ by this share.
const SETTLED: f64 = 0.05;

/// Samples that are sustained, at least, to be called settled.
const SETTLED_SAMPLES: usize = 12;

/// Resamples of intervals.
const RESAMPLES: usize = 500;

/// No interval of a rate is narrower than this share of it.
const RESOLUTION: f64 = 0.001;

/// Burst and sustained bandwidth.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Levels {
    /// Bytes per second, with the 95 % interval.
    pub(super) burst: (f64, Option<[f64; 2]>),
    pub(super) sustained: (f64, Option<[f64; 2]>),
    /// Sustained / burst.
    pub(super) ratio: (f64, Option<[f64; 2]>),
    pub(super) settled: bool,
    pub(super) cliffs: Vec<SustainedCliff>,
}

/// Of samples of requests of `block_bytes`; `None` where there are too few.
pub(super) fn levels(samples: &[Sample], block_bytes: u32, seed: u64) -> Option<Levels> {
    let mut random = fastrand::Rng::with_seed(seed);
    let rates: Vec<f64> = samples.iter().map(|sample| sample.ops / sample.seconds).collect();
    let mut splits = Vec::new();
    search(&rates, 0, DEPTH, &mut splits);
    splits.sort_unstable();
    let ends = (splits.first().copied(), splits.last().copied());
    let burst = &samples[..ends.0.unwrap_or_else(|| index_at(samples, BURST))];
    let after = &samples[ends.1.unwrap_or_else(|| index_at(samples, 1.0 - SUSTAINED))..];
    let settling = if ends.1.is_some() { (SETTLING * after.len() as f64).ceil() as usize } else { 0 };
    let sustained = &after[settling.min(after.len().saturating_sub(1))..];
    if burst.is_empty() || sustained.is_empty() || rate(burst) <= 0.0 || rate(sustained) <= 0.0 {
        return None;
    }
    let bytes = f64::from(block_bytes);
    let mut of = |part: &[Sample]| -> Vec<f64> {
        (0..RESAMPLES).map(|_| rate(&resampled(part, &mut random)) * bytes).collect()
    };
    let (bursts, sustains) = (of(burst), of(sustained));
    let ratios: Vec<f64> = bursts.iter().zip(&sustains).map(|(burst, sustained)| sustained / burst).collect();
    let (first, second) = sustained.split_at(sustained.len() / 2);
    let settled =
        sustained.len() >= SETTLED_SAMPLES && (rate(first) - rate(second)).abs() <= SETTLED * rate(sustained);
    let value = |value: f64, values: Vec<f64>| (value, interval(value, values));
    let edges: Vec<usize> = [0].into_iter().chain(splits.iter().copied()).chain([samples.len()]).collect();
    Some(Levels {
        burst: value(rate(burst) * bytes, bursts),
        sustained: value(rate(sustained) * bytes, sustains),
        ratio: value(rate(sustained) / rate(burst), ratios),
        settled,
        cliffs: edges
            .windows(3)
            .map(|edges| cliff(samples, &rates, [edges[0], edges[1], edges[2]], bytes, &mut random))
            .collect(),
    })
}

/// Finds splits of a part of a series, and of the parts on either side.
fn search(rates: &[f64], offset: usize, depth: u32, splits: &mut Vec<usize>) {
    let Some(split) = find_split(rates) else { return };
    splits.push(offset + split);
    if depth > 1 {
        search(&rates[..split], offset, depth - 1, splits);
        search(&rates[split..], offset + split, depth - 1, splits);
    }
}

/// Samples until this share of the time has passed.
fn index_at(samples: &[Sample], share: f64) -> usize {
    let all: f64 = samples.iter().map(|sample| sample.seconds).sum();
    let mut passed = 0.0;
    let until = samples.iter().take_while(|sample| {
        passed += sample.seconds;
        passed <= share * all
    });
    until.count().max(1).min(samples.len())
}

/// The cliff at the second of three edges: between the first and the last of them there is no other.
fn cliff(
    samples: &[Sample],
    rates: &[f64],
    [from, at, to]: [usize; 3],
    bytes: f64,
    random: &mut fastrand::Rng,
) -> SustainedCliff {
    let mut written: Vec<f64> = Vec::with_capacity(samples.len() + 1);
    written.push(0.0);
    for sample in samples {
        written.push(written[written.len() - 1] + sample.ops * bytes);
    }
    let (before, after) = (&rates[from..at], &rates[at..to]);
    let mut places: Vec<f64> = (0..RESAMPLES)
        .filter_map(|_| {
            let mut again = resampled(before, random);
            again.extend(resampled(after, random));
            Some(written[from + best_split(&again)?])
        })
        .collect();
    // The fall is somewhere in the sample before the split or in the one after it.
    let edges = [written[at - 1], written[(at + 1).min(samples.len())]];
    let (low, high) = match places.is_empty() {
        true => (edges[0], edges[1]),
        false => (percentile(&mut places, 0.025).min(edges[0]), percentile(&mut places, 0.975).max(edges[1])),
    };
    let place = written[at];
    let [before, after] = [&samples[from..at], &samples[at..to]].map(|part| rate(part) * bytes);
    // Of each byte, what the rate after the fall would not have written in the same time.
    let beyond = 1.0 - after / before;
    SustainedCliff {
        at_bytes: place,
        at_ci: [low.max(1.0), high],
        beyond_bytes: place * beyond,
        beyond_ci: [low.max(1.0) * beyond, high * beyond],
        before_bytes_per_second: before,
        after_bytes_per_second: after,
    }
}

/// The 95 % interval of a positive value, by percentiles of the values of its resamples.
fn interval(value: f64, mut values: Vec<f64>) -> Option<[f64; 2]> {
    values.retain(|value| value.is_finite() && *value > 0.0);
    if values.len() * 2 < RESAMPLES {
        return None;
    }
    let [low, high] = [0.025, 0.975].map(|level| percentile(&mut values, level));
    Some([low.min(value * (1.0 - RESOLUTION)), high.max(value * (1.0 + RESOLUTION))])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples whose length grows, with a noise of 10 %, of a drive whose rate depends on what was written.
    fn series(seconds: f64, rate: impl Fn(f64) -> f64, seed: u64) -> Vec<Sample> {
        let mut random = fastrand::Rng::with_seed(seed);
        let (mut at, mut written, mut samples) = (0.0, 0.0, Vec::new());
        while at < seconds {
            let length = f64::max(0.0005, at / 300.0);
            let ops = rate(written) * length * (1.0 + 0.2 * 3f64.sqrt() * (random.f64() - 0.5));
            samples.push(Sample { seconds: length, ops });
            (at, written) = (at + length, written + ops);
        }
        samples
    }

    #[test]
    fn a_cliff_is_found_where_it_is_whatever_its_size() {
        for (i, size) in [3e3, 1e5, 2e6].into_iter().enumerate() {
            let samples = series(100.0, |written| if written < size { 1e5 } else { 3e4 }, i as u64);
            let found = levels(&samples, 4096, 1).expect("levels");
            let [cliff] = &found.cliffs[..] else { panic!("{:?}", found.cliffs) };
            assert!((cliff.at_bytes / 4096.0 / size - 1.0).abs() < 0.05, "{size}: {cliff:?}");
            let [low, high] = cliff.at_ci;
            assert!(low <= 4096.0 * size && 4096.0 * size <= high, "{size}: {cliff:?}");
            assert!((cliff.beyond_bytes / cliff.at_bytes - 0.7).abs() < 0.05, "{cliff:?}");
            assert!((found.ratio.0 - 0.3).abs() < 0.01 && found.settled, "{:?}", found.ratio);
            let [low, high] = found.ratio.1.expect("an interval");
            assert!(low < 0.302 && 0.298 < high && high / low < 1.1, "{low} {high}");
        }
    }

    #[test]
    fn two_cliffs_are_both_found_in_their_order() {
        let rate = |written: f64| match written {
            w if w < 2e4 => 2e5,
            w if w < 1e6 => 8e4,
            _ => 2e4,
        };
        let found = levels(&series(100.0, rate, 5), 4096, 1).expect("levels");
        let places: Vec<f64> = found.cliffs.iter().map(|cliff| cliff.at_bytes / 4096.0).collect();
        assert_eq!(places.len(), 2, "{places:?}");
        assert!((places[0] / 2e4 - 1.0).abs() < 0.06 && (places[1] / 1e6 - 1.0).abs() < 0.06, "{places:?}");
        assert!((found.ratio.0 - 0.1).abs() < 0.01);
    }

    #[test]
    fn an_even_load_has_none_and_sustains_its_burst() {
        for seed in 0..20 {
            let found = levels(&series(20.0, |_| 5e4, seed), 4096, seed).expect("levels");
            assert!(found.cliffs.is_empty() && found.settled, "{seed}: {:?}", found.cliffs);
            let [low, high] = found.ratio.1.expect("an interval");
            assert!(
                (found.ratio.0 - 1.0).abs() < 0.05 && low < 1.01 && 0.99 < high,
                "{seed}: {:?}",
                found.ratio
            );
        }
    }

    #[test]
    fn what_declines_without_a_cliff_has_a_ratio_and_has_not_settled() {
        let found =
            levels(&series(50.0, |written| 5e4 * (-written / 3e6).exp(), 4), 4096, 1).expect("levels");
        assert!(found.ratio.0 < 0.8 && !found.settled, "{found:?}");
        assert_eq!(levels(&[], 4096, 1), None);
    }
}
