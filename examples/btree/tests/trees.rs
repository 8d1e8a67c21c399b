//! Indexes with every node size, loaded and read.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use leadline_btree::{Grown, KEY_BYTES, NODE_BYTES, Slice, ValidateError, key, measure};
use leadline_device::MemoryDevice;
use leadline_lsm::btree::Operation;

fn grown(node_bytes: u32, frames: u32, pairs: u32) -> Grown {
    let bytes = Grown::device_bytes(pairs, node_bytes);
    let device = Arc::new(MemoryDevice::new(bytes, 4096));
    Grown::load(device, node_bytes, frames, pairs, &AtomicBool::new(false), |_| {}).unwrap()
}

#[test]
fn loaded_nodes_are_full_and_fit_the_room_that_is_taken() {
    for node_bytes in NODE_BYTES {
        for pairs in [1, 1000, 100_003] {
            let tree = grown(node_bytes, Grown::LEAST_FRAMES, pairs);
            tree.point(pairs - 1).unwrap();
            tree.range(0, pairs.min(2000)).unwrap();
            if pairs > 100_000 {
                // 48 bytes of each pair's 58.
                assert!((0.77..0.90).contains(&tree.fill()), "{node_bytes}: {}", tree.fill());
            }
        }
    }
    assert_eq!(key(7).len(), KEY_BYTES as usize);
}

#[test]
fn a_lost_pair_is_noticed() {
    let tree = grown(4096, Grown::LEAST_FRAMES, 1000);
    tree.index.remove(key(500)).unwrap();
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
        fill: tree.fill(),
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
    let device = || Arc::new(MemoryDevice::new(Grown::device_bytes(1000, 4096), 4096));
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
