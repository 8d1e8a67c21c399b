//! What B-trees ask of a device, against counted trees, a simulated LRU and an exhaustive search.

use std::collections::BTreeMap;

use leadline_lsm::Data;
use leadline_lsm::btree::{
    BTreeError, Mix, Operation, RANDOM_FILL, Shape, TreeAccesses, Usage, best_lookup_pages,
    half_bandwidth_pages, resident,
};

const DATA: Data = Data { pairs: 1e6, key_bytes: 16, value_bytes: 100 };

fn usage(mix: &str, memory_bytes: u64) -> Usage {
    Usage { data: DATA, fill: 1.0, memory_bytes, mix: mix.parse().unwrap(), range_bytes: 64 << 10 }
}

#[test]
fn the_affine_lookup_is_cheapest_at_39_pages_on_the_drive_of_the_literature() {
    assert_eq!(best_lookup_pages(320.0, 256.0), Some(39));
    // Everywhere the same as trying every size.
    for ratio in [0.0, 0.3, 1.0, 7.0, 55.0, 320.0, 4000.0] {
        for entries in [1.5, 2.0, 16.0, 256.0] {
            let cost = |y: f64| (ratio + y) / (entries * y).ln();
            let all = (1..10_000_u32).map(|y| (y, cost(f64::from(y))));
            let (best, _) = all.reduce(|a, b| if b.1 < a.1 { b } else { a }).unwrap();
            assert_eq!(best_lookup_pages(ratio, entries), Some(best), "{ratio} {entries}");
        }
    }
    assert_eq!(half_bandwidth_pages(320.0), Some(320));
    assert_eq!(half_bandwidth_pages(0.2), Some(1));
    for (ratio, entries) in [(f64::NAN, 256.0), (-1.0, 256.0), (f64::INFINITY, 256.0), (320.0, 1.0)] {
        assert_eq!(best_lookup_pages(ratio, entries), None);
    }
}

#[test]
fn levels_are_counted_as_a_tree_has_them() {
    // 35 pairs of 116 bytes and 170 children of 24 bytes in 4096 bytes.
    let full = Shape::new(&DATA, 4096, 1.0).unwrap();
    assert_eq!(full.levels, [1.0, 169.0, 28_572.0]);
    let half = Shape::new(&DATA, 4096, 0.5).unwrap();
    assert_eq!(half.levels, [1.0, 8.0, 673.0, 57_143.0]);
    let few = Data { pairs: 3.0, ..DATA };
    assert_eq!(Shape::new(&few, 4096, 1.0).unwrap().height(), 1, "a leaf alone is the root");
    // Leaves touched by 71 pairs that begin anywhere: 1 + 70 / 35.
    assert_eq!(full.leaves_touched(71.0), 3.0);
    assert_eq!(full.leaves_touched(1.0), 1.0);
    assert_eq!(full.leaves_touched(1e9), 28_572.0);
}

#[test]
fn nodes_that_are_too_small_and_impossible_fills_are_refused() {
    let large = Data { pairs: 1e6, key_bytes: 16, value_bytes: 4096 };
    let error = Shape::new(&large, 4096, 1.0).unwrap_err();
    assert!(matches!(error, BTreeError::NodeTooSmall { pairs: 0, .. }), "{error}");
    let keys = Data { pairs: 1e6, key_bytes: 200, value_bytes: 0 };
    let error = Shape::new(&keys, 512, RANDOM_FILL).unwrap_err();
    assert!(matches!(error, BTreeError::NodeTooSmall { children: 1, .. }), "{error}");
    for fill in [0.49, 1.01, f64::NAN] {
        let error = Shape::new(&DATA, 4096, fill).unwrap_err().to_string();
        assert!(error.contains("fill factor") && error.contains("50 to 100 %"), "{error}");
    }
    assert!(Shape::new(&Data { pairs: 0.0, ..DATA }, 4096, 1.0).is_err());
    let no_range = Usage { range_bytes: 0, ..usage("range=100", 0) };
    assert!(TreeAccesses::new(&no_range, 4096).unwrap_err().to_string().contains("range"));
}

#[test]
fn memory_is_filled_from_the_root_down() {
    let shape = Shape::new(&DATA, 4096, 1.0).unwrap();
    assert_eq!(resident(&shape, 4095, 1.0), [0.0; 3]);
    assert_eq!(resident(&shape, 1 << 30, 1.0), [1.0; 3]);
    let mut before = vec![0.0; 3];
    for megabytes in [1, 2, 8, 32, 100] {
        let shares = resident(&shape, megabytes << 20, 1.0);
        assert!(shares[0] >= shares[1] && shares[1] >= shares[2], "{shares:?}");
        assert!(shares.iter().zip(&before).all(|(more, less)| more >= less), "{shares:?}");
        let held: f64 = shares.iter().zip(&shape.levels).map(|(share, nodes)| share * nodes).sum();
        assert!((held / (megabytes << 8) as f64 - 1.0).abs() < 1e-6, "{held} frames at {megabytes} MiB");
        before = shares;
    }
    // 8 MiB of 112: the root and the level below it are there, and few of the leaves.
    let shares = resident(&shape, 8 << 20, 1.0);
    assert!(shares[1] > 0.99 && shares[2] < 0.1, "{shares:?}");
}

/// An LRU list of nodes, each changed or not, that counts what it reads and writes.
struct Lru {
    frames: usize,
    now: u64,
    held: BTreeMap<(usize, u32), (u64, bool)>,
    by_age: BTreeMap<u64, (usize, u32)>,
    /// Nodes read, by level.
    reads: Vec<f64>,
    writes: f64,
}

impl Lru {
    fn touch(&mut self, node: (usize, u32), change: bool) {
        self.now += 1;
        let changed = match self.held.remove(&node) {
            Some((age, changed)) => {
                self.by_age.remove(&age);
                changed
            }
            None => {
                self.reads[node.0] += 1.0;
                if self.held.len() == self.frames {
                    let (_, victim) = self.by_age.pop_first().unwrap();
                    self.writes += f64::from(u8::from(self.held.remove(&victim).unwrap().1));
                }
                false
            }
        };
        self.held.insert(node, (self.now, changed || change));
        self.by_age.insert(self.now, node);
    }
}

#[test]
fn reads_and_writes_are_those_of_a_simulated_lru() {
    const OPERATIONS: u32 = 60_000;
    for (mix, memory_bytes) in [
        ("point=100", 4 << 20),
        ("update=100", 4 << 20),
        ("point=70,update=30", 16 << 20),
        ("point=50,range=40,update=10", 8 << 20),
        // Barely more memory than the inner nodes: the leaves of ranges push them out.
        ("range=100", 1 << 20),
    ] {
        // 3000 leaves; a range of 64 KiB touches 17.1 of them.
        let data = Data { pairs: 1.05e5, ..DATA };
        let usage = Usage { data, memory_bytes: memory_bytes / 4, ..usage(mix, 0) };
        let expected = TreeAccesses::new(&usage, 4096).unwrap();
        let (levels, share) = (&expected.shape.levels, |o| usage.mix.share(o));
        let frames = (usage.memory_bytes / 4096) as usize;
        let mut lru = Lru {
            frames,
            now: 0,
            held: BTreeMap::new(),
            by_age: BTreeMap::new(),
            reads: vec![0.0; levels.len()],
            writes: 0.0,
        };
        let mut random = fastrand::Rng::with_seed(7);
        let leaves = levels[levels.len() - 1] as u32;
        let touched = expected.shape.leaves_touched(usage.range_pairs());
        for operation in 0..2 * OPERATIONS {
            if operation == OPERATIONS {
                (lru.reads, lru.writes) = (vec![0.0; levels.len()], 0.0);
            }
            let leaf = random.u32(..leaves);
            let kind = random.f64();
            let (is_range, is_update) =
                (kind < share(Operation::Range), kind >= 1.0 - share(Operation::Update));
            for (level, nodes) in levels.iter().enumerate() {
                let node = (u64::from(leaf) * *nodes as u64 / u64::from(leaves)) as u32;
                lru.touch((level, node), is_update && level + 1 == levels.len());
            }
            if is_range {
                // On average as many more leaves as the model says.
                let more = (touched - 1.0).floor() as u32 + u32::from(random.f64() < touched.fract());
                (1..=more).for_each(|step| lru.touch((levels.len() - 1, (leaf + step) % leaves), false));
            }
        }
        let found = [lru.reads.iter().sum(), lru.writes].map(|count: f64| count / f64::from(OPERATIONS));
        let all = expected.of_mix(&usage.mix);
        assert!((found[0] / all.reads - 1.0).abs() < 0.03, "{mix}: {found:?} and {all:?}");
        let inner = levels.len() - 1;
        for (level, share) in expected.resident[..inner].iter().enumerate() {
            let missed = lru.reads[level] / f64::from(OPERATIONS);
            assert!((missed - (1.0 - share)).abs() < 0.03, "{mix}, level {level}: {missed} and 1 - {share}");
        }
        assert!((found[1] - all.writes).abs() <= 0.03 * all.writes, "{mix}: {found:?} and {all:?}");
    }
}

#[test]
fn accesses_of_each_operation() {
    let tree = TreeAccesses::new(&usage("point=50,insert=50", 0), 4096).unwrap();
    let of = |operation| (tree.of(operation).reads, tree.of(operation).writes);
    assert_eq!(of(Operation::Point), (3.0, 0.0));
    assert_eq!(of(Operation::Update), (3.0, 1.0));
    // 564.97 pairs of 116 bytes in 64 KiB: 563.97 / 35 leaves more.
    let (reads, writes) = of(Operation::Range);
    assert!((reads - (3.0 + 16.11)).abs() < 0.01 && writes == 0.0, "{reads}");
    // 28742 nodes for a million pairs, each written once and its parent with it.
    let (reads, writes) = of(Operation::Insert);
    assert!(reads == 3.0 && (writes - 1.057).abs() < 0.001, "{writes}");
    // Of the mix: bytes written per byte inserted.
    let amplification = tree.write_amplification(&usage("point=50,insert=50", 0));
    assert!((amplification - 1.057 * 4096.0 / 116.0).abs() < 0.1, "{amplification}");
    // It grows with the node.
    let larger = TreeAccesses::new(&usage("update=100", 0), 65536).unwrap();
    assert!((larger.write_amplification(&usage("update=100", 0)) - 65536.0 / 116.0).abs() < 1e-9);
    // A tree in memory asks for nothing.
    let usage = usage("point=50,insert=50", 1 << 40);
    let all = TreeAccesses::new(&usage, 4096).unwrap().of_mix(&usage.mix);
    assert_eq!((all.reads, all.writes), (0.0, 0.0));
}

#[test]
fn mixes_are_read_and_wrong_ones_named() {
    let mix: Mix = "point=60, range=10,insert=30".parse().unwrap();
    assert_eq!(mix.shares(), [0.6, 0.1, 0.3, 0.0]);
    assert_eq!(mix.to_string(), "point=60,range=10,insert=30");
    assert_eq!("update=100".parse::<Mix>().unwrap(), Mix::only(Operation::Update));
    // A third each, rounded.
    assert!("point=33.333333,range=33.333333,insert=33.333334".parse::<Mix>().is_ok());
    for (text, said) in [
        ("point=60,range=10", "adds up to 70 %"),
        ("point=60,range=50", "adds up to 110 %"),
        ("point=60,scan=40", "\"scan\" is not an operation"),
        ("point", "\"point\" is not an operation and its percentage"),
        ("", "such as point=60"),
        ("point=", "point has \"\""),
        ("point=nan", "point has \"nan\""),
        ("point=-1,range=101", "point has \"-1\""),
        ("point=50,point=50", "named twice"),
    ] {
        let error = text.parse::<Mix>().unwrap_err().to_string();
        assert!(error.contains(said), "{text}: {error}");
    }
    assert!(Mix::new([0.5, 0.6, -0.1, 0.0]).is_err() && Mix::new([0.5, f64::NAN, 0.5, 0.0]).is_err());
}
