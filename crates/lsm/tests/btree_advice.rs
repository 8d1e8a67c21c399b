//! Which node size is advised on devices whose costs are known exactly.

use leadline_lsm::Data;
use leadline_lsm::btree::{Advice, BTreeError, Operation, Usage};
use leadline_model::{ModelComparison, NotFitted, Observation, Observations, Workload};
use leadline_profile::OpKind;

/// A device on which a request of `pages` pages takes `cost(k, pages)` seconds, measured without error at
/// these sizes and at 1 to 128 requests in flight.
fn device(ops: &[OpKind], blocks: &[u32], cost: impl Fn(f64, f64) -> f64) -> ModelComparison {
    let mut all = Vec::new();
    for &op in ops {
        for &block in blocks {
            for k in (0..8).map(|doubling| 1_u32 << doubling) {
                all.push(Observation {
                    workload: Workload::pure(op, 1000.0, block, 1.0, k),
                    seconds: 1000.0 * cost(f64::from(k), f64::from(block) / 4096.0),
                    relative_error: 0.0,
                    weight: 1.0,
                });
            }
        }
    }
    ModelComparison::with_resamples(Observations { all, ..Observations::default() }, 0)
}

const BOTH: [OpKind; 2] = [OpKind::Read, OpKind::Write];
const BLOCKS: [u32; 6] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];

/// A disk: 320 pages' worth of setup, whatever is in flight.
fn disk() -> ModelComparison {
    device(&BOTH, &BLOCKS, |_, pages| 25e-6 * (320.0 + pages))
}

fn usage(mix: &str) -> Usage {
    Usage {
        data: Data::of_bytes(1e13, 8, 100),
        fill: 1.0,
        memory_bytes: 0,
        mix: mix.parse().unwrap(),
        range_bytes: 16 << 20,
    }
}

fn advise(comparison: &ModelComparison, usage: &Usage, clients: u32) -> Advice {
    Advice::new(usage, clients, Some(512), comparison, None).unwrap()
}

#[test]
fn a_disk_wants_large_nodes_and_larger_ones_for_ranges() {
    let disk = disk();
    let point = advise(&disk, &usage("point=100"), 1);
    assert_eq!(point.model, "affine");
    // 39 whole pages are best; the power of two is the one next to it, give or take whole levels.
    let affine = point.affine.unwrap();
    assert_eq!((affine.lookup_pages, affine.range_pages), (39, 320));
    let best = point.best().node_bytes();
    assert!((64 << 10..=512 << 10).contains(&best), "{best}");
    let range = advise(&disk, &usage("range=100"), 1).best().node_bytes();
    assert!(range > best && range >= 1 << 20, "{range}");
    let update = advise(&disk, &usage("update=100"), 1).best().node_bytes();
    assert!(update <= best, "writes of whole nodes favour smaller ones: {update}");
}

#[test]
fn each_operation_has_a_best_size_of_its_own() {
    let mixed = advise(&disk(), &usage("point=50,range=50"), 1);
    let [point, range, insert, update] = mixed.by_operation.map(Option::unwrap);
    assert_eq!(point, advise(&disk(), &usage("point=100"), 1).best().node_bytes());
    assert_eq!(range, advise(&disk(), &usage("range=100"), 1).best().node_bytes());
    assert!(insert <= point && update <= point && point < range, "{:?}", mixed.by_operation);
    assert_eq!(mixed.measured_in_flight, [1, 128]);
}

#[test]
fn what_a_lookup_takes_is_its_levels_times_a_node() {
    let advice = advise(&disk(), &usage("point=100"), 4);
    for size in &advice.sizes {
        let pages = f64::from(size.node_bytes()) / 4096.0;
        let levels = size.accesses.shape.height() as f64;
        // In the affine model four clients get in each other's way: each waits four times as long.
        let expected = 4.0 * levels * 25.0 * (320.0 + pages);
        let found = size.operation_us[Operation::Point as usize].unwrap();
        assert!((found.value / expected - 1.0).abs() < 1e-3, "{pages} pages: {found:?}, {expected}");
        assert!(found.ci[0] <= found.value && found.value <= found.ci[1]);
        let rate = size.mix_per_second.unwrap().value;
        assert!((rate * expected / 4e6 - 1.0).abs() < 1e-3, "{rate} operations/s");
    }
}

#[test]
fn the_best_node_shrinks_as_more_is_in_flight() {
    // Setup falls with k, as on drives with many queues; transfer is bound by the link.
    let drive = device(&BOTH, &BLOCKS, |k, pages| 80e-6 / k.min(64.0) + 1e-6 * pages);
    let advice = advise(&drive, &usage("point=80,range=20"), 1);
    let best: Vec<u32> = advice.by_concurrency.iter().map(|b| b.node_bytes).collect();
    assert_eq!(best.len(), 8);
    assert!(best.windows(2).all(|pair| pair[1] <= pair[0]), "{best:?}");
    assert!(best[7] * 4 <= best[0], "{best:?}");
    // By DAM alone a page costs what a page costs: the smallest node measured.
    let advice = advise(&drive, &usage("point=100"), 1);
    let dam = advice.by_model.iter().find(|m| m.model == "dam").unwrap();
    assert_eq!(dam.node_bytes, 4096);
    assert!(advice.by_model.iter().any(|m| m.model == "mqssd" && m.node_bytes > 4096));
}

#[test]
fn sizes_that_were_not_measured_are_shown_and_never_advised() {
    let narrow = device(&BOTH, &[4 << 10, 16 << 10], |_, pages| 25e-6 * (320.0 + pages));
    let advice = advise(&narrow, &usage("range=100"), 1);
    let sizes: Vec<u32> = advice.sizes.iter().map(|s| s.node_bytes()).collect();
    assert_eq!(sizes.first(), Some(&512));
    assert_eq!(sizes.last(), Some(&(4 << 20)));
    assert_eq!(advice.best().node_bytes(), 16 << 10);
    assert!(advice.faster_unmeasured().unwrap().node_bytes() > 16 << 10);
    // The device's block is the smallest node.
    let advice = Advice::new(&usage("point=100"), 1, Some(4096), &narrow, None).unwrap();
    assert_eq!(advice.sizes[0].node_bytes(), 4096);
}

#[test]
fn a_tree_in_memory_is_not_limited_by_the_device() {
    let in_memory = Usage { memory_bytes: u64::MAX, ..usage("point=50,update=50") };
    let advice = advise(&disk(), &in_memory, 1);
    assert!(advice.best().mix_per_second.is_none());
    assert_eq!(advice.best().node_bytes(), 4096, "nothing speaks for a larger one");
    assert_eq!(advice.best().operation_us[0].unwrap().value, 0.0);
}

#[test]
fn what_was_not_measured_is_refused_unless_the_mix_does_without() {
    let reads = device(&[OpKind::Read], &BLOCKS, |_, pages| 25e-6 * (320.0 + pages));
    let advice = advise(&reads, &usage("point=100"), 1);
    assert!(advice.best().operation_us[Operation::Insert as usize].is_none());
    let refused = |comparison: &ModelComparison, usage: &Usage, model: Option<&str>| {
        Advice::new(usage, 1, None, comparison, model).unwrap_err()
    };
    let error = refused(&reads, &usage("insert=100"), None);
    assert!(matches!(error, BTreeError::Predict(_)) && error.to_string().contains("writes"), "{error}");
    let writes = device(&[OpKind::Write], &BLOCKS, |_, pages| 25e-6 * (320.0 + pages));
    assert!(refused(&writes, &usage("point=100"), None).to_string().contains("no reads"));
    let one = device(&BOTH, &[4096], |k, pages| 25e-6 * (k + pages));
    let error = refused(&one, &usage("point=100"), Some("dam"));
    assert!(matches!(error, BTreeError::OneRequestSize { bytes: 4096 }), "{error}");
    let error = refused(&one, &usage("point=100"), Some("affine"));
    assert!(matches!(&error, BTreeError::NotFitted(NotFitted { name, .. }) if name == "affine"), "{error}");
    let large = Usage { data: Data::of_bytes(1e12, 16, 3 << 20), ..usage("point=100") };
    assert!(matches!(refused(&reads, &large, None), BTreeError::NodeTooSmall { .. }));
    let narrow = device(&BOTH, &[4 << 10, 16 << 10], |_, pages| 25e-6 * (320.0 + pages));
    let large = Usage { data: Data::of_bytes(1e12, 16, 16 << 10), ..usage("point=100") };
    assert!(matches!(refused(&narrow, &large, None), BTreeError::NothingMeasuredFits { .. }));
}
