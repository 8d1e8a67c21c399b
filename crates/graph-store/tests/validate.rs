//! Results compared with references by the rules of Graphalytics.

use std::collections::HashMap;
use std::fs;

use leadline_graph_store::graphalytics::{Benchmark, ValidateOptions, ValidationReport, validate};
use leadline_graph_store::import::LEAST_MEMORY;

/// Compares lines in random orders with the least memory.
fn compare(
    algorithm: Benchmark,
    reference: &[(u64, u64)],
    found: &[(u64, u64)],
    rng: &mut fastrand::Rng,
) -> ValidationReport {
    let dir = tempfile::tempdir().unwrap();
    let paths = [dir.path().join("reference"), dir.path().join("found")];
    for (path, lines) in paths.iter().zip([reference, found]) {
        let mut lines = lines.to_vec();
        rng.shuffle(&mut lines);
        let text: String = lines.iter().map(|(id, value)| format!("{id} {value}\n")).collect();
        fs::write(path, text).unwrap();
    }
    let options = ValidateOptions {
        memory: LEAST_MEMORY,
        temp: dir.path().to_owned(),
        shown: 3,
        ..ValidateOptions::default()
    };
    validate(&paths[1], &paths[0], algorithm, &options, &mut |_| {}).unwrap()
}

/// Whether labels put the same vertices together, in the most obvious way.
fn same_partition(reference: &[(u64, u64)], found: &[(u64, u64)]) -> bool {
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    reference.iter().zip(found).all(|((_, expected), (_, found))| {
        there.entry(expected).or_insert(found) == &found && back.entry(found).or_insert(expected) == &expected
    })
}

#[test]
fn partitions_are_the_same_whatever_their_labels_and_any_other_is_not() {
    let mut rng = fastrand::Rng::with_seed(3);
    let (mut same, mut other) = (0, 0);
    for _ in 0..300 {
        let classes = rng.u64(1..5);
        let reference: Vec<(u64, u64)> = (0..rng.u64(1..8)).map(|id| (id * 3, rng.u64(..classes))).collect();
        let mut found: Vec<(u64, u64)> = reference.iter().map(|(id, label)| (*id, 100 - label)).collect();
        if rng.bool() {
            let at = rng.usize(..found.len());
            found[at].1 = 100 - rng.u64(..classes + 1);
        }
        let report = compare(Benchmark::Wcc, &reference, &found, &mut rng);
        let expected = same_partition(&reference, &found);
        assert_eq!(report.valid, expected, "{reference:?} {found:?}");
        assert_eq!(report.different == 0, expected);
        if expected { same += 1 } else { other += 1 }
    }
    assert!(same > 50 && other > 50, "{same} and {other}");
}

#[test]
fn what_does_not_fit_in_memory_is_compared_all_the_same() {
    let mut rng = fastrand::Rng::with_seed(4);
    let reference: Vec<(u64, u64)> = (0..200_000).map(|id| (id * 7 + (1 << 60), id / 3)).collect();
    for algorithm in [Benchmark::Cdlp, Benchmark::Wcc] {
        let report = compare(algorithm, &reference, &reference, &mut rng);
        assert!(report.valid && report.vertices == 200_000, "{report:?}");
        assert!(report.bytes_spilled > 1 << 20 && report.peak_memory_bytes <= LEAST_MEMORY, "{report:?}");
        let mut found = reference.clone();
        found[70_001].1 = 1 << 40;
        found[3000].1 = 1 << 40;
        found.swap_remove(5);
        found.push((1, 1));
        let report = compare(algorithm, &reference, &found, &mut rng);
        let id = |at: u64| at * 7 + (1 << 60);
        // The smallest vertex names a component: without 3000, that of 3001 and 3002 has another name.
        let (first, different) = if algorithm == Benchmark::Cdlp { (3000, 2) } else { (3001, 3) };
        let ids: Vec<u64> = report.differences.iter().map(|difference| difference.id).collect();
        assert_eq!(ids, [1, id(5), id(first)]);
        assert_eq!((report.different, report.missing, report.extra), (different, 1, 1));
        let [extra, missing, _] = &report.differences[..] else { panic!("{report:?}") };
        assert!(!report.valid && extra.expected.is_none() && missing.found.is_none(), "{report:?}");
    }
}
