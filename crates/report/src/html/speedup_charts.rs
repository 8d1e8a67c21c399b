//! What an application of each PIO class gains on this device: the model's formulas with its own numbers, and
//! what was measured.

use leadline_model::speedup::predicted;
use leadline_model::speedup::speedup;
use leadline_model::{Model, Observations, Pio, PioNumbers, Predict};
use leadline_profile::{PAGE_BYTES, PioClass, PioClasses};
use serde::Serialize;

use super::chart_numbers::{Line, Measured, point, round};

/// Steps of a curve over the share of reads.
const STEPS: u32 = 50;

/// Classes that batch.
const BATCHED: [PioClass; 3] = [PioClass::BatchedWrites, PioClass::BatchedReads, PioClass::BatchedBoth];

/// The predicted speed-ups.
#[derive(Debug, Serialize)]
pub(super) struct Speedup {
    /// One unbatched write in reads.
    alpha: f64,
    k_r: f64,
    k_w: f64,
    classes: Vec<ClassCurves>,
}

#[derive(Debug, Serialize)]
struct ClassCurves {
    class: &'static str,
    /// k and `[share of reads, speed-up]`.
    lines: Vec<(u32, Line)>,
}

/// One class and share of reads, over the batch.
#[derive(Debug, Serialize)]
pub(super) struct MeasuredClass {
    class: &'static str,
    /// Share of reads, 0 to 1.
    reads: f64,
    /// `[batch, speed-up, low, high]`
    measured: Vec<Measured>,
    /// `[batch, speed-up]` by PIO; empty where the device's numbers are not known.
    by_pio: Line,
    /// `[batch, speed-up]` by the chosen model; empty without one.
    by_model: Line,
}

/// PIO's numbers of a device, of random requests of a page; `None` unless it was measured (or published) for
/// reads and writes.
pub(super) fn numbers(observations: &Observations) -> Option<PioNumbers> {
    Pio::fit(&observations.of_random_requests(PAGE_BYTES)).ok()?.numbers()
}

/// Figures 7 to 9 of Papon and Athanassoulis (DaMoN 2021), on this device: k = 2, 4, 8 and so on, and what it
/// can do.
pub(super) fn speedups(numbers: &PioNumbers) -> Speedup {
    let of = |class: PioClass| {
        let most = [(class.batches_reads(), numbers.k_r), (class.batches_writes(), numbers.k_w)]
            .into_iter()
            .filter_map(|(batches, k)| batches.then_some(k))
            .fold(1.0, f64::max)
            .min(1e6) as u32;
        let mut ks: Vec<u32> = (1..20).map(|i| 1 << i).take_while(|k| *k < most).collect();
        ks.push(most);
        let line = |k: u32| {
            let at = |step: u32| {
                let reads = f64::from(step) / f64::from(STEPS);
                point(reads, speedup(class, reads, &numbers.with_batch(k)))
            };
            (k, (0..=STEPS).filter_map(at).collect())
        };
        ClassCurves { class: class.words(), lines: ks.into_iter().map(line).collect() }
    };
    Speedup {
        alpha: round(numbers.alpha),
        k_r: numbers.k_r,
        k_w: numbers.k_w,
        classes: BATCHED.map(of).into_iter().collect(),
    }
}

/// What `pio-classes` measured, and what the formulas and the chosen model say.
pub(super) fn measured(
    classes: &PioClasses,
    numbers: Option<&PioNumbers>,
    model: Option<&dyn Predict>,
) -> Vec<MeasuredClass> {
    let mut groups: Vec<(PioClass, f64)> = Vec::new();
    for p in classes.points.iter().filter(|p| p.class != PioClass::Unbatched) {
        if !groups.contains(&(p.class, p.read_share)) {
            groups.push((p.class, p.read_share));
        }
    }
    groups.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let of = |(class, reads): (PioClass, f64)| {
        let mut here: Vec<_> =
            classes.points.iter().filter(|p| p.class == class && p.read_share == reads).collect();
        here.sort_by_key(|p| p.batch);
        let largest = here.last().map_or(1, |p| p.batch);
        let predict =
            |k: u32| numbers.and_then(|n| point(f64::from(k), speedup(class, reads, &n.with_batch(k))));
        let by_model = |k: u32| point(f64::from(k), predicted(model?, class, reads, k, classes.block_bytes)?);
        let batches = (0..80).map(|i| 2f64.powf(f64::from(i) / 4.0).round() as u32);
        let mut batches: Vec<u32> = batches.take_while(|k| *k < largest).chain([largest]).collect();
        batches.dedup();
        MeasuredClass {
            class: class.words(),
            reads: round(reads),
            measured: here
                .iter()
                .filter_map(|p| {
                    let (batch, value) = point(f64::from(p.batch), p.speedup)?;
                    let (low, high) = p.speedup_ci.map(|[low, high]| (round(low), round(high))).unzip();
                    Some((batch, value, low, high))
                })
                .collect(),
            by_model: batches.iter().filter_map(|&k| by_model(k)).collect(),
            by_pio: batches.into_iter().filter_map(predict).collect(),
        }
    };
    groups.into_iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{published_profile, reads_only, studied_profile};

    #[test]
    fn a_batch_gains_at_most_what_runs_at_once() {
        let numbers = PioNumbers { alpha: 0.28, k_r: 80.0, k_w: 8.0 };
        let chart = speedups(&numbers);
        let names: Vec<&str> = chart.classes.iter().map(|c| c.class).collect();
        assert_eq!(names, ["batched writes", "batched reads", "batched reads and writes"]);
        let ks = |i: usize| chart.classes[i].lines.iter().map(|l| l.0).collect::<Vec<_>>();
        assert_eq!(ks(0), [2, 4, 8]);
        assert_eq!(ks(1), [2, 4, 8, 16, 32, 64, 80]);
        let end = |class: usize, line: usize, last: bool| {
            let line = &chart.classes[class].lines[line].1;
            if last { line[line.len() - 1] } else { line[0] }
        };
        assert_eq!(end(0, 2, false), (0.0, 8.0), "writes alone gain k_w");
        assert_eq!(end(1, 6, true), (1.0, 80.0), "reads alone gain k_r");
        assert_eq!(end(2, 6, false), (0.0, 8.0), "64 in flight, yet only k_w writes at once");
    }

    #[test]
    fn published_numbers_are_enough_and_reads_alone_are_not() {
        let numbers_of = |profile| numbers(&Observations::from_profile(&profile));
        let published = numbers_of(published_profile()).expect("numbers");
        assert_eq!((published.k_r, published.k_w), (80.0, 8.0));
        assert!(numbers_of(reads_only()).is_none());
    }

    #[test]
    fn measured_speedups_stand_beside_the_predicted() {
        let profile = studied_profile();
        let classes = profile.experiments.pio_classes.as_ref().expect("measured");
        let numbers = numbers(&Observations::from_profile(&profile));
        let groups = measured(classes, numbers.as_ref(), None);
        assert_eq!(groups.len(), 9, "three classes at three shares of reads");
        let group = &groups[0];
        assert_eq!((group.class, group.reads), ("batched writes", 0.1));
        assert_eq!(group.measured.iter().map(|m| m.0).collect::<Vec<_>>(), [2.0, 4.0, 8.0, 16.0, 32.0]);
        for m in &group.measured {
            assert!(m.2 < Some(m.1) && Some(m.1) < m.3);
            assert!(group.by_pio.iter().any(|p| p.0 == m.0));
        }
        assert!(measured(classes, None, None).iter().all(|g| g.by_pio.is_empty()));
    }
}
