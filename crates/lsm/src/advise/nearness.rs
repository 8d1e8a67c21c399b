//! How far a layout is from RocksDB's defaults.

use std::cmp::Ordering;

use crate::Layout;

/// How far a single level is from the fanout that RocksDB has by default.
const SINGLE_LEVEL: f64 = 4.0;

/// How far a filter is from none.
const FILTER: f64 = 1.0;

/// Each setting that is searched counts by how many doublings it is away from RocksDB's default: fanout 10,
/// four files in level 0, memtables of 64 MiB, blocks of 4 KiB, one compaction at a time. A filter counts as
/// one doubling, a single level in place of fanout and files of level 0 as four.
pub(super) fn distance(layout: &Layout) -> f64 {
    let default = Layout::default();
    let doublings = |value: f64, usual: f64| (value / usual).log2().abs();
    let shape = match layout.is_single_level() {
        true => SINGLE_LEVEL,
        false => {
            doublings(layout.fanout, default.fanout)
                + doublings(f64::from(layout.l0_files), f64::from(default.l0_files))
        }
    };
    shape
        + doublings(layout.memtable_bytes as f64, default.memtable_bytes as f64)
        + doublings(f64::from(layout.block_bytes), f64::from(default.block_bytes))
        + doublings(f64::from(layout.jobs.max(1)), f64::from(default.jobs))
        + if layout.bloom_bits == default.bloom_bits { 0.0 } else { FILTER }
}

/// How many more operations per second each doubling away from the defaults must bring.
pub(super) const PER_DOUBLING: f64 = 1.1;

/// Share of the most operations per second that a layout must do, however near it is.
pub(super) const LEAST: f64 = 0.75;

/// What a layout is worth: the logarithm of its operations per second, less what its distance from the
/// defaults must have brought.
pub(super) fn worth(layout: &Layout, per_second: f64) -> f64 {
    per_second.max(f64::MIN_POSITIVE).ln() - PER_DOUBLING.ln() * distance(layout)
}

/// The nearer one first; of two that are as near, one and the same always, whatever they were found to do.
pub(super) fn nearer(a: &Layout, b: &Layout) -> Ordering {
    // Sums of logarithms that are equal may differ by rounding.
    let steps = |layout: &Layout| (distance(layout) * 1e6).round();
    let settings = |l: &Layout| {
        [
            f64::from(l.jobs),
            l.memtable_bytes as f64,
            f64::from(l.l0_files),
            f64::from(l.block_bytes),
            -l.fanout,
            l.bloom_bits,
        ]
    };
    steps(a).total_cmp(&steps(b)).then_with(|| {
        let pairs = settings(a).into_iter().zip(settings(b));
        pairs.map(|(a, b)| a.total_cmp(&b)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_nearest_and_each_setting_counts_by_its_doublings() {
        let default = Layout::default();
        assert_eq!(distance(&default), 0.0);
        for (layout, wanted) in [
            (Layout { fanout: 20.0, ..default }, 1.0),
            (Layout { fanout: 5.0, l0_files: 8, ..default }, 2.0),
            (Layout { memtable_bytes: 16 << 20, bloom_bits: 10.0, ..default }, 3.0),
            (Layout { block_bytes: 65536, jobs: 4, ..default }, 6.0),
            (default.single_level(1), 4.0),
        ] {
            assert!((distance(&layout) - wanted).abs() < 1e-9, "{layout:?}: {}", distance(&layout));
        }
    }

    #[test]
    fn of_two_that_are_as_near_one_always_comes_first() {
        let default = Layout::default();
        let (small, large) = (Layout { l0_files: 2, ..default }, Layout { l0_files: 8, ..default });
        assert_eq!(nearer(&small, &large), nearer(&large, &small).reverse());
        assert!(nearer(&small, &large).is_ne());
    }
}
