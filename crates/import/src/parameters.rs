//! The parameters of each pattern and size, as far as loads and plateaus support them.

use std::collections::BTreeSet;

use leadline_profile::{Censored, OpKind, Parameters, Pattern};

use crate::curve::{self, Flat, Reading};
use crate::interval::{around, ratio};
use crate::load::{Kind, Load, Plateau};

/// One entry per pattern and size of which there is anything, and sentences on what the curves do not say.
pub(crate) fn parameters(loads: &[Load], plateaus: &[Plateau]) -> (Vec<Parameters>, Vec<String>) {
    let kinds = loads.iter().map(|load| load.kind).chain(plateaus.iter().map(|plateau| plateau.kind));
    let sizes: BTreeSet<(Pattern, u32)> = kinds.map(|kind| (kind.pattern, kind.block_bytes)).collect();
    let mut notes = Vec::new();
    let entries = sizes
        .into_iter()
        .map(|(pattern, block_bytes)| entry(loads, plateaus, pattern, block_bytes, &mut notes))
        .collect();
    (entries, notes)
}

/// A number with its interval.
type Interval = (f64, [f64; 2]);

/// One curve, as a profile has it.
struct Curve<'a> {
    loads: Vec<&'a Load>,
    reading: Reading,
    /// As the curve says, or else another file.
    plateau: Option<Interval>,
}

impl<'a> Curve<'a> {
    fn of(loads: &'a [Load], plateaus: &[Plateau], kind: Kind) -> Curve<'a> {
        let mut loads: Vec<&Load> = loads.iter().filter(|load| load.kind == kind).collect();
        loads.sort_by_key(|load| load.concurrency);
        let reading = curve::read(&loads);
        let told = || {
            let found = plateaus.iter().find(|plateau| plateau.kind == kind)?;
            Some((found.iops, around(found.iops, None)))
        };
        let plateau = match &reading {
            Reading::Flat(flat) => Some((flat.plateau, flat.plateau_ci)),
            _ => told(),
        };
        Curve { loads, reading, plateau }
    }

    fn flat(&self) -> Option<&Flat> {
        match &self.reading {
            Reading::Flat(flat) => Some(flat),
            _ => None,
        }
    }

    /// Throughput with one in flight, where that was measured.
    fn one(&self) -> Option<Interval> {
        let load = self.loads.first().filter(|load| load.concurrency == 1)?;
        Some((load.iops(), around(load.iops(), load.spread)))
    }

    /// X_max R_1.
    fn little(&self) -> Option<f64> {
        let one = self.loads.first().filter(|load| load.concurrency == 1)?;
        Some(self.flat()?.plateau * one.latency.mean / 1e6).filter(|servers| *servers > 0.0)
    }

    /// Why there is no k.
    fn note(&self) -> Option<String> {
        let (first, last) = (self.loads.first()?, self.loads.last()?);
        let what = first.kind.words();
        match self.reading {
            Reading::Flat(_) => None,
            Reading::Grows => Some(format!(
                "{what}: still grow at the highest concurrency, {}, so that neither the most nor how many in \
                 flight it takes is known",
                last.concurrency
            )),
            Reading::TooFew => Some(format!(
                "{what}: {} of at least three concurrencies that reach over a factor of four, so that neither \
                 the most nor how many in flight it takes is known",
                self.loads.len()
            )),
        }
    }
}

fn entry(
    loads: &[Load],
    plateaus: &[Plateau],
    pattern: Pattern,
    block_bytes: u32,
    notes: &mut Vec<String>,
) -> Parameters {
    let of = |op, durable| Curve::of(loads, plateaus, Kind { pattern, block_bytes, op, durable });
    let (read, write, durable) = (of(OpKind::Read, false), of(OpKind::Write, false), of(OpKind::Write, true));
    notes.extend([&read, &write, &durable].into_iter().filter_map(Curve::note));
    let over = |above: Option<Interval>, below: Option<Interval>| {
        let ((above, above_ci), (below, below_ci)) = above.zip(below)?;
        Some((above / below, ratio(above_ci, below_ci)))
    };
    let alpha = over(read.plateau, write.plateau);
    let alpha_durable = over(read.plateau, durable.plateau);
    let (alpha_1, alpha_1_durable) = (over(read.one(), write.one()), over(read.one(), durable.one()));
    let k = |curve: &Curve, of: fn(&Flat) -> (u32, [u32; 2])| curve.flat().map(of);
    let (k_r, k_r_90) = (k(&read, |flat| flat.k), k(&read, |flat| flat.k_90));
    let (k_w, k_w_90) = (k(&write, |flat| flat.k), k(&write, |flat| flat.k_90));
    Parameters {
        alpha: value(alpha),
        alpha_ci: interval(alpha),
        alpha_1: value(alpha_1),
        alpha_1_ci: interval(alpha_1),
        alpha_durable: value(alpha_durable),
        alpha_durable_ci: interval(alpha_durable),
        alpha_1_durable: value(alpha_1_durable),
        alpha_1_durable_ci: interval(alpha_1_durable),
        k_r: value(k_r),
        k_r_ci: interval(k_r),
        k_r_90: value(k_r_90),
        k_r_90_ci: interval(k_r_90),
        k_r_little: read.little(),
        k_r_knee: read.flat().and_then(|flat| flat.knee),
        k_w: value(k_w),
        k_w_ci: interval(k_w),
        k_w_90: value(k_w_90),
        k_w_90_ci: interval(k_w_90),
        k_w_little: write.little(),
        k_w_knee: write.flat().and_then(|flat| flat.knee),
        max_read_iops: value(read.plateau),
        max_read_iops_ci: interval(read.plateau),
        max_write_iops: value(write.plateau),
        max_write_iops_ci: interval(write.plateau),
        max_durable_write_iops: value(durable.plateau),
        max_durable_write_iops_ci: interval(durable.plateau),
        censored: Censored { read: read.reading == Reading::Grows, write: write.reading == Reading::Grows },
        ..Parameters::new(pattern, block_bytes)
    }
}

fn value<T>(of: Option<(T, [T; 2])>) -> Option<T> {
    of.map(|(value, _)| value)
}

fn interval<T>(of: Option<(T, [T; 2])>) -> Option<[T; 2]> {
    of.map(|(_, interval)| interval)
}

#[cfg(test)]
mod tests {
    use leadline_profile::Latency;

    use super::*;

    const READS: Kind =
        Kind { pattern: Pattern::Random, block_bytes: 4096, op: OpKind::Read, durable: false };
    const WRITES: Kind = Kind { op: OpKind::Write, ..READS };

    /// That many servers that take 100 us each.
    fn load(kind: Kind, servers: u32, concurrency: u32) -> Load {
        let busy = f64::from(concurrency.min(servers));
        let latency = Latency { mean: 100.0 * f64::from(concurrency) / busy, ..Latency::default() };
        let (ops, spread) = (1e4 * busy, Some(0.0));
        Load { kind, concurrency, ops, seconds: 1.0, spread, latency, histogram: Vec::new() }
    }

    #[test]
    fn what_two_flat_curves_say_is_what_the_device_has() {
        let curve = |kind, servers| [1, 2, 4, 8, 16, 32, 64].map(|k| load(kind, servers, k));
        let loads = [curve(READS, 16), curve(WRITES, 4)].concat();
        let (entries, notes) = parameters(&loads, &[]);
        let [entry] = entries.as_slice() else { panic!("{entries:?}") };
        assert_eq!(
            (entry.k_r, entry.k_w, entry.alpha, entry.alpha_1),
            (Some(16), Some(4), Some(4.0), Some(1.0))
        );
        assert_eq!(entry.k_r_little, Some(16.0));
        assert_eq!((entry.max_read_iops, entry.max_write_iops), (Some(160_000.0), Some(40_000.0)));
        assert!(entry.alpha_ci.unwrap()[0] < 4.0 / 1.2 && entry.alpha_ci.unwrap()[1] > 4.8);
        assert_eq!(notes, [""; 0]);
    }

    #[test]
    fn what_a_curve_does_not_support_is_left_out_and_said() {
        let reads = [1, 2, 4, 8].map(|k| load(READS, 64, k));
        let loads = [reads.to_vec(), vec![load(WRITES, 4, 1)]].concat();
        let (entries, notes) = parameters(&loads, &[]);
        let entry = &entries[0];
        assert_eq!((entry.k_r, entry.k_w, entry.alpha, entry.max_read_iops), (None, None, None, None));
        assert_eq!((entry.censored.read, entry.censored.write), (true, false));
        assert_eq!(entry.alpha_1, Some(1.0));
        assert!(notes[0].starts_with("random reads of 4K: still grow at the highest concurrency, 8"));
        assert!(notes[1].starts_with("random writes of 4K: 1 of at least three"));
    }

    #[test]
    fn a_plateau_that_is_told_fills_what_no_curve_says() {
        let told = [Plateau { kind: READS, iops: 9e4 }, Plateau { kind: WRITES, iops: 3e4 }];
        let loads = [1, 2, 4, 8, 16].map(|k| load(READS, 4, k));
        let (entries, _) = parameters(&loads, &told);
        assert_eq!((entries[0].max_read_iops, entries[0].max_write_iops), (Some(40_000.0), Some(30_000.0)));
        assert_eq!((entries[0].k_r, entries[0].k_w), (Some(4), None));
        assert_eq!(entries[0].max_write_iops_ci, Some([24_000.0, 37_500.0]));
    }
}
