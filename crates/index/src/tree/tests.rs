use std::collections::BTreeMap;
use std::sync::Arc;

use leadline_device::MemoryDevice;
use leadline_pool::PoolConfig;
use proptest::prelude::*;

use super::*;

impl Tree {
    pub(super) fn insert(&self, key: &[u8], value: &[u8]) -> Result<bool, IndexError> {
        self.put(self.leaf_of(key)?, key, value)
    }

    pub(super) fn delete(&self, key: &[u8]) -> Result<bool, IndexError> {
        self.remove(self.leaf_of(key)?, key)
    }
}

pub(super) type Model = BTreeMap<Vec<u8>, Vec<u8>>;

/// A tree in memory; most of it does not fit in the pool.
pub(super) fn tree(node_bytes: u32, frames: u32) -> Tree {
    let device = Arc::new(MemoryDevice::new(64 << 20, node_bytes));
    let mut config = PoolConfig::new(node_bytes, frames);
    config.reads_ahead = 8;
    let pool = Pool::open(device, config).unwrap();
    Tree::create(pool, Space::new(1, BTreeMap::new()), Versions::new(1)).unwrap()
}

pub(super) fn key() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        3 => (0u32..3000).prop_map(|n| format!("k{n:06}").into_bytes()),
        // Inner nodes with few children: their keys are long, and have nothing in common.
        4 => (0u8..6, 0u16..500).prop_map(|(first, n)| {
            [&[first][..], &[b'x'; 400], &n.to_be_bytes()].concat()
        }),
        1 => prop::collection::vec(0u8..3, 0..8),
        1 => prop::collection::vec(any::<u8>(), 0..50),
    ]
}

pub(super) fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => prop::collection::vec(any::<u8>(), 0..40),
        4 => (0usize..300, any::<u8>()).prop_map(|(len, byte)| vec![byte; len]),
        1 => (0usize..5000, any::<u8>()).prop_map(|(len, byte)| vec![byte; len]),
    ]
}

#[derive(Debug, Clone)]
enum Step {
    Put(Vec<u8>, Vec<u8>),
    Remove(Vec<u8>),
    Many(Vec<(Vec<u8>, Option<Vec<u8>>)>),
    Get(Vec<u8>),
    Range(Vec<u8>, Vec<u8>, u8),
    BeginSnapshot,
    EndSnapshot(usize),
    Settle,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        10 => (key(), value()).prop_map(|(key, value)| Step::Put(key, value)),
        4 => key().prop_map(Step::Remove),
        4 => prop::collection::vec((key(), prop::option::weighted(0.8, value())), 0..80).prop_map(Step::Many),
        3 => key().prop_map(Step::Get),
        2 => (key(), key(), any::<u8>()).prop_map(|(a, b, ends)| Step::Range(a, b, ends)),
        1 => Just(Step::BeginSnapshot),
        1 => any::<usize>().prop_map(Step::EndSnapshot),
        1 => Just(Step::Settle),
    ]
}

/// What a range gives, taken from its ends as the bits of `ends` say.
fn range(tree: &Tree, view: View, low: &[u8], high: Option<&[u8]>, ends: u8) -> Vec<Pair> {
    let mut cursor = Cursor::new(view, low.to_vec(), high.map(<[u8]>::to_vec));
    let (mut front, mut back) = (Vec::new(), Vec::new());
    for at in 0.. {
        let end = if ends >> (at % 8) & 1 == 0 { End::Front } else { End::Back };
        let pair = loop {
            match cursor.pop(end) {
                Some(pair) => break Some(pair),
                None if cursor.is_read() => break None,
                None => tree.read_leaf(&mut cursor, end).unwrap(),
            }
        };
        match (pair, end) {
            (None, _) => break,
            (Some(pair), End::Front) => front.push(pair),
            (Some(pair), End::Back) => back.push(pair),
        }
    }
    front.extend(back.into_iter().rev());
    front
}

fn pairs<'m>(entries: impl Iterator<Item = (&'m Vec<u8>, &'m Vec<u8>)>) -> Vec<Pair> {
    entries.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Whether a view shows exactly what the model has.
pub(super) fn check(tree: &Tree, view: View, model: &Model) {
    for ends in [0, 0xff, 0b0101_1001] {
        assert_eq!(range(tree, view, b"", None, ends), pairs(model.iter()), "{view:?}");
    }
    let mut keys: Vec<&[u8]> = model.keys().map(Vec::as_slice).collect();
    keys.extend([b"".as_slice(), b"k", b"k001234", b"\xff\xff\xff"]);
    keys.reverse();
    let expected: Vec<_> = keys.iter().map(|key| model.get(*key).cloned()).collect();
    assert_eq!(tree.get_many(view, &keys).unwrap(), expected);
    let bounds = [b"".as_slice(), b"k000500", b"k0013", b"k0013", b"k002000", b"\x01\x02", b"a"];
    let ranges: Vec<KeyRange> = bounds
        .windows(2)
        .map(|two| (two[0].to_vec(), Some(two[1].to_vec())))
        .chain([(b"k0029".to_vec(), None)])
        .collect();
    let expected: Vec<Vec<Pair>> = ranges
        .iter()
        .map(|(low, high)| {
            let within =
                model.iter().filter(|(key, _)| *key >= low && high.as_ref().is_none_or(|high| *key < high));
            pairs(within)
        })
        .collect();
    assert_eq!(tree.range_many(view, &ranges).unwrap(), expected);
}

struct Snapshot {
    version: u64,
    view: View,
    model: Model,
}

fn take(tree: &Tree, model: &Model, step: Step, snapshots: &mut Vec<Snapshot>) -> Option<Model> {
    let mut model = model.clone();
    match step {
        Step::Put(key, value) => {
            assert_eq!(tree.insert(&key, &value).unwrap(), !model.contains_key(&key));
            model.insert(key, value);
        }
        Step::Remove(key) => assert_eq!(tree.delete(&key).unwrap(), model.remove(&key).is_some()),
        Step::Many(changes) => {
            let changes: BTreeMap<_, _> = changes.into_iter().collect();
            let all: Vec<(&[u8], Change<'_>)> = changes
                .iter()
                .map(|(key, value)| (key.as_slice(), value.as_deref().map_or(Change::Remove, Change::Put)))
                .collect();
            tree.read_first_leaves(&all).unwrap();
            tree.change_many(&all).unwrap();
            for (key, value) in changes {
                let _ = match value {
                    Some(value) => model.insert(key, value),
                    None => model.remove(&key),
                };
            }
        }
        Step::Get(key) => assert_eq!(tree.get(View::Now, &key).unwrap(), model.get(&key).cloned()),
        Step::Range(low, high, ends) => {
            let expected = model.iter().filter(|(key, _)| **key >= low && **key < high);
            assert_eq!(range(tree, View::Now, &low, Some(&high), ends), pairs(expected));
        }
        Step::BeginSnapshot => {
            let root = tree.root();
            let version = tree.versions.begin();
            snapshots.push(Snapshot {
                version,
                view: View::Snapshot { version, root },
                model: model.clone(),
            });
        }
        Step::EndSnapshot(which) if !snapshots.is_empty() => {
            let ended = snapshots.swap_remove(which % snapshots.len());
            check(tree, ended.view, &ended.model);
            tree.end_snapshot(ended.version);
        }
        Step::EndSnapshot(_) => {}
        Step::Settle => {
            tree.merge_small(std::time::Duration::from_secs(60));
            tree.space.settle(tree.versions.oldest());
        }
    }
    Some(model)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if leadline_testing::exhaustive() { 1000 } else { 24 }))]
    #[test]
    fn a_tree_is_a_sorted_map(
        steps in prop::collection::vec(step(), 0..300),
        node_bytes in prop::sample::select(vec![4096u32, 8192]),
    ) {
        let tree = tree(node_bytes, 24);
        let (mut model, mut snapshots) = (Model::new(), Vec::new());
        for step in steps {
            if let Some(next) = take(&tree, &model, step, &mut snapshots) {
                model = next;
            }
        }
        check(&tree, View::Now, &model);
        for snapshot in snapshots {
            check(&tree, snapshot.view, &snapshot.model);
            tree.end_snapshot(snapshot.version);
        }
        let bytes = model.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum::<u64>();
        prop_assert_eq!((tree.state().entries, tree.state().bytes), (model.len() as u64, bytes));
    }
}

#[test]
fn keys_that_come_in_order_fill_their_nodes() {
    let tree = tree(4096, 64);
    for number in 0..20_000u32 {
        assert!(tree.insert(&number.to_be_bytes(), &[7; 100]).unwrap());
    }
    let leaf = 20_000 / (4056 / 114);
    let used = tree.space.used();
    assert!(used < leaf * 104 / 100, "{used} pages for {leaf} full leaves");
}

#[test]
fn writers_and_readers_do_not_disturb_one_another() {
    let tree = tree(4096, 256);
    let (threads, each) = (4u32, 3000u32);
    // Stands for the others, which are written meanwhile.
    let fixed: Vec<[u8; 4]> = (0..500u32).map(|n| (n * 24_000).to_be_bytes()).collect();
    fixed.iter().for_each(|key| assert!(tree.insert(key, b"fixed").unwrap()));
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (tree, fixed) = (&tree, &fixed);
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(thread.into());
                let own =
                    |n: u32| (n.wrapping_mul(2_654_435_761) / 24_000 * 24_000 + 1 + thread).to_be_bytes();
                for n in 0..each {
                    let value = vec![thread as u8; random.usize(0..400)];
                    tree.insert(&own(n), &value).unwrap();
                    assert_eq!(tree.get(View::Now, &own(n)).unwrap(), Some(value));
                    if n % 3 == 0 {
                        tree.delete(&own(n / 2)).unwrap();
                        assert_eq!(tree.get(View::Now, &own(n / 2)).unwrap(), None);
                    }
                    if n % 100 == 0 {
                        let keys: Vec<&[u8]> = fixed.iter().map(<[u8; 4]>::as_slice).collect();
                        let found = tree.get_many(View::Now, &keys).unwrap();
                        assert!(found.iter().all(|value| value.as_deref() == Some(b"fixed")));
                        let all = range(tree, View::Now, b"", None, if n % 200 == 0 { 0 } else { 0xff });
                        let kept = all.iter().filter(|(_, value)| value == b"fixed").count();
                        assert!(kept == fixed.len() && all.is_sorted_by(|a, b| a.0 < b.0));
                    }
                }
            });
        }
    });
    let left = range(&tree, View::Now, b"", None, 0);
    assert_eq!(left.len() as u64, tree.state().entries);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if leadline_testing::exhaustive() { 3000 } else { 48 }))]
    /// Whatever the bytes of nodes are, nobody panics or goes round in circles.
    #[test]
    fn damaged_nodes_do_no_harm(
        damage in prop::collection::vec((1u64..120, 0usize..4088, any::<u8>(), any::<bool>()), 1..12),
        keys in prop::collection::vec(key(), 1..20),
    ) {
        let tree = tree(4096, 128);
        for number in 0..1500u32 {
            tree.insert(&[&number.to_be_bytes()[..], &[b'x'; 200]].concat(), &[1; 40]).unwrap();
        }
        let end = tree.space.used();
        for (page, at, byte, in_head) in damage {
            let page = 1 + page % (end - 1);
            // Most damage in the head is to what others depend on.
            let at = if in_head { at % 80 } else { at };
            tree.pool.write(page).unwrap()[at] = byte;
        }
        let mut sorted = keys.clone();
        sorted.sort();
        sorted.dedup();
        let refs: Vec<&[u8]> = sorted.iter().map(Vec::as_slice).collect();
        let _ = tree.get_many(View::Now, &refs);
        let ranges: Vec<KeyRange> = sorted.iter().map(|key| (key.clone(), None)).collect();
        let _ = tree.range_many(View::Now, &ranges[..1]);
        for end in [End::Front, End::Back] {
            let mut cursor = Cursor::new(View::Now, Vec::new(), None);
            let mut leaves = 0;
            while !cursor.is_read() && tree.read_leaf(&mut cursor, end).is_ok() && leaves < 10_000 {
                leaves += 1;
            }
            prop_assert!(leaves < 10_000, "a range goes round in circles");
        }
        let verified = tree.verify(&mut |_, _| {});
        prop_assert!(verified.pages <= end);
        for key in &sorted {
            let _ = (tree.get(View::Now, key), tree.delete(key), tree.insert(key, b"value"));
        }
        tree.merge_small(std::time::Duration::from_secs(60));
    }
}

/// What page 0 says of free pages may be damaged before its checksum is made: whoever then took the page that
/// it holds would wait for itself.
#[test]
fn a_page_that_is_held_and_said_to_be_free_is_an_error_and_not_a_wait() {
    for entries in [1, 30] {
        let tree = tree(4096, 64);
        (0..entries).for_each(|number| _ = tree.insert(&[number], &[7; 100]).unwrap());
        tree.space.give_back(tree.root().page, 1);
        let long = if entries == 1 { vec![1; 3000] } else { vec![1; 900] };
        let refused = (100..200).find_map(|number| tree.insert(&[number], &long).err()).unwrap();
        assert!(refused.to_string().contains("in use, and said to be free"), "{refused}");
    }
}
