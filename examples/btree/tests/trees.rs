//! Trees on the pool against a `BTreeMap`, with every node size.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_btree::{Grown, KEY_BYTES, NODE_BYTES, Slice, ValidateError, key, measure};
use leadline_device::MemoryDevice;
use leadline_lsm::btree::Operation;
use leadline_tpcc::heap::RowId;
use leadline_tpcc::key::Key;
use leadline_tpcc::pages::Pages as _;
use proptest::prelude::*;

fn grown(node_bytes: u32, frames: u32, pairs: u32) -> Grown {
    // Room for keys that the tests insert.
    let bytes = 2 * Grown::device_bytes(pairs, node_bytes).next_multiple_of(u64::from(node_bytes));
    let device = Arc::new(MemoryDevice::new(bytes, 4096));
    Grown::load(device, node_bytes, frames, pairs, &AtomicBool::new(false), |_| {}).unwrap()
}

#[derive(Debug, Clone)]
enum Op {
    Insert(u32),
    Delete(u32),
    Get(u32),
    Range(u32, u32, usize),
}

fn op() -> impl Strategy<Value = Op> {
    // Pairs that were loaded, and others beyond them.
    let number = || 0..6000_u32;
    prop_oneof![
        3 => number().prop_map(Op::Insert),
        2 => number().prop_map(Op::Delete),
        3 => number().prop_map(Op::Get),
        2 => (number(), number(), 0..3000_usize).prop_map(|(a, b, limit)| Op::Range(a, b, limit)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn a_loaded_tree_answers_as_a_map_does_through_a_small_pool(
        ops in proptest::collection::vec(op(), 1..400),
        node_bytes in proptest::sample::select(NODE_BYTES.to_vec()),
    ) {
        let tree = grown(node_bytes, 16, 5000);
        let mut map: BTreeMap<Key, u64> = (0..5000_u32).map(|n| (key(n), n.into())).collect();
        for (number, op) in ops.into_iter().enumerate() {
            match op {
                Op::Insert(k) => {
                    let fresh = tree.tree.insert(&tree.pages, &key(k), RowId(number as u64)).is_ok();
                    prop_assert_eq!(fresh, !map.contains_key(&key(k)));
                    map.entry(key(k)).or_insert(number as u64);
                }
                Op::Delete(k) => {
                    let was_there = tree.tree.delete(&tree.pages, &key(k)).unwrap();
                    prop_assert_eq!(was_there, map.remove(&key(k)).is_some());
                }
                Op::Get(k) => {
                    let found = tree.tree.get(&tree.pages, &key(k)).unwrap().map(|row| row.0);
                    prop_assert_eq!(found, map.get(&key(k)).copied());
                }
                Op::Range(a, b, limit) => {
                    let (first, last) = (key(a.min(b)), key(a.max(b)));
                    let found = tree.tree.range(&tree.pages, &first, &last, limit).unwrap();
                    let found: Vec<(Key, u64)> = found.into_iter().map(|(k, row)| (k, row.0)).collect();
                    let expected: Vec<(Key, u64)> =
                        map.range(first..=last).take(limit).map(|(k, row)| (*k, *row)).collect();
                    prop_assert_eq!(found, expected);
                }
            }
        }
    }
}

#[test]
fn ascending_keys_fill_the_leaves_and_fit_the_room_that_is_taken() {
    for node_bytes in NODE_BYTES {
        for pairs in [1, 1000, 100_003] {
            let bytes = Grown::device_bytes(pairs, node_bytes).next_multiple_of(u64::from(node_bytes));
            let device = Arc::new(MemoryDevice::new(bytes, 4096));
            let tree = Grown::load(device, node_bytes, 16, pairs, &AtomicBool::new(false), |_| {}).unwrap();
            tree.point(pairs - 1).unwrap();
            tree.range(0, pairs.min(2000)).unwrap();
            // Without what is to spare whatever the size: a hundred times the pairs fit as well.
            let used = tree.pages.page_count() * u64::from(node_bytes);
            assert!(used + (2 << 20) <= bytes, "{node_bytes}, {pairs}: {used} of {bytes} bytes");
            if pairs > 100_000 {
                assert!(tree.fill() > 0.96, "{node_bytes}: {}", tree.fill());
            }
        }
    }
    assert_eq!(key(7).len(), KEY_BYTES as usize);
}

#[test]
fn a_lost_pair_is_noticed() {
    let tree = grown(4096, 16, 1000);
    tree.tree.delete(&tree.pages, &key(500)).unwrap();
    assert!(matches!(tree.point(500), Err(ValidateError::Lost { number: 500, .. })));
    assert!(matches!(tree.range(490, 20), Err(ValidateError::Lost { number: 490, .. })));
    tree.range(501, 20).unwrap();
}

#[test]
fn clients_read_as_many_nodes_as_the_model_says() {
    let (node_bytes, pairs) = (4096, 100_000);
    let tree = grown(node_bytes, 120, pairs);
    let usage = |operation| leadline_lsm::btree::Usage {
        data: leadline_btree::pairs_of(48 * u64::from(pairs)),
        fill: 1.0,
        memory_bytes: 120 * 4096,
        mix: leadline_lsm::btree::Mix::only(operation),
        range_bytes: 64 << 10,
    };
    for operation in [Operation::Point, Operation::Range] {
        let slice = Slice {
            operation,
            range_pairs: leadline_btree::range_pairs(64 << 10),
            clients: 2,
            ramp: Duration::from_millis(50),
            counted: Duration::from_millis(300),
            seed: 3,
        };
        let found = measure(&tree, &slice, &AtomicBool::new(false)).unwrap();
        let model = leadline_lsm::btree::TreeAccesses::new(&usage(operation), node_bytes).unwrap();
        let expected = model.of(operation).reads;
        assert!(found.per_second > 0.0);
        // Nodes are counted, not timed; the pool holds a few for what is under way.
        assert!((found.reads / expected - 1.0).abs() < 0.08, "{operation:?}: {} and {expected}", found.reads);
    }
}

#[test]
fn what_is_cancelled_ends() {
    let device = || Arc::new(MemoryDevice::new(1 << 24, 4096));
    let cancelled = AtomicBool::new(true);
    let loaded = Grown::load(device(), 4096, 16, 1000, &cancelled, |_| {});
    assert!(matches!(loaded.err(), Some(ValidateError::Interrupted)));
    let slice = Slice {
        operation: Operation::Point,
        range_pairs: 1,
        clients: 2,
        ramp: Duration::ZERO,
        counted: Duration::from_secs(3600),
        seed: 1,
    };
    let ended = measure(&grown(4096, 16, 1000), &slice, &cancelled);
    assert!(matches!(ended, Err(ValidateError::Interrupted)));
}
