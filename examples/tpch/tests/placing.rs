//! Placement against caching.

use std::fs;

use leadline_tpch::Interrupt;
use leadline_tpch::place::{PlaceOptions, Placing, Size, Way, lines, place};
use leadline_tpch::queries::{Plans, Query};

use crate::shared::{Loaded, can_run};

fn way(predicted: f64, measured: [f64; 2]) -> Way {
    Way {
        what: "orders".to_owned(),
        copying_seconds: 0.1,
        predicted_seconds: predicted,
        measured_seconds: measured.to_vec(),
    }
}

#[test]
fn a_winner_is_one_whose_runs_are_apart() {
    let size = |placement, cache| Size { fast_bytes: 64 << 20, placement, cache };
    let right = size(way(1.0, [1.0, 1.1]), way(2.0, [1.2, 1.3]));
    let wrong = size(way(1.0, [1.4, 1.5]), way(2.0, [1.2, 1.3]));
    let unsure = size(way(1.0, [1.0, 1.25]), way(2.0, [1.2, 1.3]));
    let verdicts = [&right, &wrong, &unsure].map(Size::is_predicted);
    assert_eq!(verdicts, [Some(true), Some(false), None]);
    let all = [Placing {
        query: Query::parse("q3").unwrap(),
        plans: Plans::Default,
        slow: way(3.0, [3.0, 3.2]),
        sizes: vec![right, wrong, unsure],
    }];
    let text = lines(&all).join("\n");
    assert!(text.contains("Of 3 comparisons, 2 are told apart by their runs; in 1 of these"), "{text}");
    assert!(text.contains("64 MiB  orders: 1.00; 1.05 (1.00 to 1.10)"), "{text}");
}

/// On real drives made of two; which one wins is not asserted.
#[test]
fn both_ways_are_predicted_and_measured() {
    if !can_run() {
        return;
    }
    let loaded = Loaded::new(0.01);
    let work = loaded.temporary.path().join("work");
    fs::create_dir(&work).unwrap();
    let options = PlaceOptions {
        fast: loaded.drive(1),
        slow: loaded.drive(300),
        fast_bytes: vec![4 << 20, 64 << 20],
        queries: vec![Query::parse("q3").unwrap()],
        plans: Plans::Default,
        repeats: 1,
        limit_s: 120,
        folder: work,
    };
    let all = place(&loaded.folder, &options, &Interrupt::default(), &mut |_| {}).unwrap();
    assert!(loaded.is_left_alone());
    let [Placing { slow, sizes, .. }] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!(sizes.iter().map(|size| size.fast_bytes).collect::<Vec<_>>(), [4 << 20, 64 << 20]);
    let ways = sizes.iter().flat_map(|size| [&size.placement, &size.cache]).chain([slow]);
    for way in ways {
        assert_eq!(way.measured_seconds.len(), 1, "{way:?}");
        assert!(way.measured_seconds[0] > 0.0 && way.predicted_seconds > 0.0, "{way:?}");
    }
    // With room for all tables and copying that takes next to nothing, what is read most is placed.
    assert!(sizes[1].placement.what.contains("lineitem"), "{sizes:?}");
    assert!(sizes[1].placement.predicted_seconds < slow.predicted_seconds);
}
