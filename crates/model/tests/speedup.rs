//! The speedups of PIO's application classes: the paper's own values, its printed forms, and their bounds.

use leadline_model::PioNumbers;
use leadline_model::speedup::{curve, speedup, unbatched_cost};
use leadline_profile::PioClass;
use proptest::prelude::*;

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
}

#[test]
fn the_values_that_the_paper_states_come_out_to_two_decimals() {
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(&include_bytes!("../data/pio_speedup_spots.csv")[..]);
    let mut seen = 0;
    for row in reader.records() {
        let row = row.unwrap();
        // A concurrency that the class does not use is not given, and must not matter.
        let number = |i: usize| row[i].parse::<f64>().unwrap_or(1e3);
        let class = match &row[0] {
            "batchable_writes" => PioClass::BatchedWrites,
            "batchable_reads" => PioClass::BatchedReads,
            other => panic!("{other}"),
        };
        let numbers = PioNumbers { alpha: number(2), k_r: number(3), k_w: number(4) };
        let [ours, printed] = [speedup(class, number(1), &numbers), number(5)];
        // Two decimals: half a unit of the last one.
        assert!((ours - printed).abs() <= 0.005 + 1e-12, "{row:?}: {ours}");
        seen += 1;
    }
    assert_eq!(seen, 4);
}

#[test]
fn the_single_write_cost_and_not_the_saturated_asymmetry_is_what_the_formulas_take() {
    // Saturated (2.8, 80, 8): alpha_1 = 0.28. Half writes, even if they were free: at most 1.28 times faster.
    let numbers = PioNumbers { alpha: 2.8 * 8.0 / 80.0, k_r: 80.0, k_w: 8.0 };
    let gain = speedup(PioClass::BatchedWrites, 0.5, &numbers);
    assert!(gain < 1.28 && gain > 1.2, "{gain}");
    // And the saturated asymmetry comes back as the quotient of what each kind costs at its k.
    let read = 1.0 / numbers.k_r;
    let write = unbatched_cost(0.0, numbers.alpha) / numbers.k_w;
    assert!(close(write / read, 2.8));
}

#[test]
fn a_curve_runs_from_all_writes_to_all_reads() {
    let numbers = PioNumbers { alpha: 3.0, k_r: 16.0, k_w: 6.0 };
    let points = curve(PioClass::BatchedBoth, &numbers, 4);
    let shares: Vec<f64> = points.iter().map(|(share, _)| *share).collect();
    assert_eq!(shares, [0.0, 0.25, 0.5, 0.75, 1.0]);
    assert!(close(points[0].1, 6.0) && close(points[4].1, 16.0));
    assert!(points.windows(2).all(|pair| pair[0].1 < pair[1].1));
    assert_eq!(curve(PioClass::Unbatched, &numbers, 0).len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_class_is_as_the_paper_prints_it_and_within_its_bounds(
        f_r in prop_oneof![Just(0.0), Just(1.0), 0.0..=1.0f64],
        alpha in 0.01..100.0f64,
        k_r in 1.0..1000.0f64,
        k_w in 1.0..1000.0f64,
    ) {
        let numbers = PioNumbers { alpha, k_r, k_w };
        let of = |class| speedup(class, f_r, &numbers);
        let f_w = 1.0 - f_r;
        prop_assert!(close(of(PioClass::Unbatched), 1.0));
        let writes = of(PioClass::BatchedWrites);
        prop_assert!(close(writes, k_w * (f_r + f_w * alpha) / (k_w * f_r + f_w * alpha)));
        prop_assert!(close(writes, 1.0 + (k_w - 1.0) * f_w * alpha / (k_w * f_r + f_w * alpha)));
        let reads = of(PioClass::BatchedReads);
        prop_assert!(close(reads, k_r * (f_r + f_w * alpha) / (f_r + k_r * f_w * alpha)));
        prop_assert!(close(reads, 1.0 + (k_r - 1.0) * f_r / (f_r + k_r * f_w * alpha)));
        let both = of(PioClass::BatchedBoth);
        prop_assert!(close(both, k_r * k_w * (f_r + f_w * alpha) / (k_w * f_r + k_r * f_w * alpha)));
        let within = |value: f64, low: f64, high: f64| value >= low * (1.0 - 1e-12) && value <= high * (1.0 + 1e-12);
        prop_assert!(within(writes, 1.0, k_w), "{writes}");
        prop_assert!(within(reads, 1.0, k_r), "{reads}");
        prop_assert!(within(both, k_r.min(k_w), k_r.max(k_w)), "{both}");
        prop_assert!(both >= writes.max(reads) * (1.0 - 1e-12));
        if f_r == 0.0 {
            prop_assert!(close(writes, k_w) && close(reads, 1.0) && close(both, k_w));
        }
        if f_r == 1.0 {
            prop_assert!(close(reads, k_r) && close(writes, 1.0) && close(both, k_r));
        }
    }
}
