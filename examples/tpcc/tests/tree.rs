//! The B+-tree against a `BTreeMap`, with pages so small that it grows deep.

use std::collections::BTreeMap;

use leadline_tpcc::heap::RowId;
use leadline_tpcc::key::Key;
use leadline_tpcc::pages::{Memory, Pages, RecordingPages};
use leadline_tpcc::tree::{Tree, TreeState};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Op {
    Insert(u32),
    Delete(u32),
    /// All of so many keys from here on.
    DeleteRun(u32, u32),
    Get(u32),
    Range(u32, u32, usize),
}

fn op() -> impl Strategy<Value = Op> {
    let key = || 0..800_u32;
    prop_oneof![
        6 => key().prop_map(Op::Insert),
        2 => key().prop_map(Op::Delete),
        1 => (key(), 1..120_u32).prop_map(|(key, count)| Op::DeleteRun(key, count)),
        1 => key().prop_map(Op::Get),
        1 => (key(), key(), 0..50_usize).prop_map(|(a, b, limit)| Op::Range(a, b, limit)),
    ]
}

/// The number, in the middle of a key of `len` bytes, so that padding is compared too.
fn key(number: u32, len: usize) -> Key {
    Key::new().u32(number).first(len)
}

fn all(tree: &Tree, pages: &impl Pages) -> Vec<(Key, RowId)> {
    let (first, last) = (Key::new().first(tree.key_len()), Key::new().last(tree.key_len()));
    tree.range(pages, &first, &last, usize::MAX).unwrap()
}

fn delete(tree: &Tree, pages: &Memory, model: &mut BTreeMap<Key, RowId>, key: Key) {
    assert_eq!(tree.delete(pages, &key).unwrap(), model.remove(&key).is_some());
}

proptest! {
    #[test]
    fn it_answers_as_a_map_does(
        ops in proptest::collection::vec(op(), 1..900),
        (page, len) in prop_oneof![Just((512, 4)), Just((512, 9)), Just((256, 41)), Just((512, 41))],
    ) {
        let pages = Memory::new(page);
        let tree = Tree::open(len, TreeState::default());
        let mut model = BTreeMap::new();
        for (number, op) in ops.into_iter().enumerate() {
            match op {
                Op::Insert(k) => {
                    let (k, row) = (key(k, len), RowId(number as u64));
                    let fresh = tree.insert(&pages, &k, row).is_ok();
                    prop_assert_eq!(fresh, !model.contains_key(&k));
                    model.entry(k).or_insert(row);
                }
                Op::Delete(k) => delete(&tree, &pages, &mut model, key(k, len)),
                Op::DeleteRun(k, count) => {
                    (k..k + count).for_each(|k| delete(&tree, &pages, &mut model, key(k, len)));
                }
                Op::Get(k) => {
                    let k = key(k, len);
                    prop_assert_eq!(tree.get(&pages, &k).unwrap(), model.get(&k).copied());
                }
                Op::Range(a, b, limit) => {
                    let (a, b) = (key(a, len), key(b, len));
                    let expected: Vec<_> = if a <= b {
                        model.range(a..=b).take(limit).map(|(k, row)| (*k, *row)).collect()
                    } else {
                        Vec::new()
                    };
                    prop_assert_eq!(tree.range(&pages, &a, &b, limit).unwrap(), expected);
                }
            }
        }
        let expected: Vec<_> = model.iter().map(|(k, row)| (*k, *row)).collect();
        prop_assert_eq!(all(&tree, &pages), expected);
        // What the catalogue keeps is enough to find everything again.
        let reopened = Tree::open(len, tree.state());
        prop_assert_eq!(all(&reopened, &pages).len(), model.len());
    }
}

#[test]
fn keys_that_ascend_fill_their_leaves() {
    let pages = Memory::new(512);
    let tree = Tree::open(4, TreeState::default());
    for number in 0..40_000 {
        tree.insert(&pages, &key(number, 4), RowId(number.into())).unwrap();
    }
    let leaves = 40_000 / tree.capacity(512) as u64;
    assert!(pages.page_count() < leaves * 11 / 10, "{} pages, {leaves} full leaves", pages.page_count());
    assert!(tree.state().height >= 2);
}

#[test]
fn emptied_leaves_are_used_again() {
    let pages = Memory::new(512);
    let tree = Tree::open(4, TreeState::default());
    let window = 2_000;
    for number in 0..window {
        tree.insert(&pages, &key(number, 4), RowId(0)).unwrap();
    }
    let before = pages.page_count();
    // A queue: new orders come at one end and are delivered at the other.
    for number in window..20 * window {
        tree.insert(&pages, &key(number, 4), RowId(0)).unwrap();
        assert!(tree.delete(&pages, &key(number - window, 4)).unwrap());
    }
    assert!(pages.page_count() <= before + 8, "{before} pages, then {}", pages.page_count());
    let recorded = RecordingPages::new(&pages, None);
    let oldest = tree.range(&recorded, &key(0, 4), &key(u32::MAX, 4), 1).unwrap();
    assert_eq!(oldest, [(key(19 * window, 4), RowId(0))]);
    // The oldest is found at once, not behind a trail of empty leaves.
    assert!(recorded.counts().total() <= tree.state().height + 2);
}

#[test]
fn a_lookup_touches_one_page_a_level() {
    let pages = Memory::new(512);
    let tree = Tree::open(9, TreeState::default());
    for number in 0..10_000_u32 {
        tree.insert(&pages, &key(number.wrapping_mul(2_654_435_761), 9), RowId(0)).unwrap();
    }
    let recorded = RecordingPages::new(&pages, None);
    tree.get(&recorded, &key(5, 9)).unwrap();
    assert_eq!((recorded.counts().reads, recorded.counts().writes), (tree.state().height + 1, 0));
}

#[test]
fn threads_insert_and_delete_at_once() {
    let pages = Memory::new(512);
    let tree = Tree::open(4, TreeState::default());
    const THREADS: u32 = 4;
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (tree, pages) = (&tree, &pages);
            scope.spawn(move || {
                for round in 0..4_000_u32 {
                    let number = round * THREADS + thread;
                    tree.insert(pages, &key(number, 4), RowId(number.into())).unwrap();
                    if round % 2 == 1 {
                        assert!(tree.delete(pages, &key(number, 4)).unwrap());
                    }
                    if round >= 500 {
                        // The whole leaf of 500 rounds ago goes, so that shapes change under the others.
                        let old = (round - 500) * THREADS + thread;
                        assert_eq!(tree.delete(pages, &key(old, 4)).unwrap(), (round - 500) % 2 == 0);
                    }
                }
            });
        }
    });
    let left: Vec<u64> = all(&tree, &pages).iter().map(|(_, row)| row.0).collect();
    let expected: Vec<u64> = (0..4_000_u64)
        .filter(|round| round % 2 == 0 && *round > 3_499)
        .flat_map(|round| (0..u64::from(THREADS)).map(move |thread| round * u64::from(THREADS) + thread))
        .collect();
    assert_eq!(left, expected);
}

#[test]
fn a_page_that_is_no_node_is_damage_and_no_panic() {
    let pages = Memory::new(512);
    let tree = Tree::open(4, TreeState::default());
    for number in 0..1_000 {
        tree.insert(&pages, &key(number, 4), RowId(0)).unwrap();
    }
    pages.write(tree.state().root).unwrap().fill(0xff);
    let error = tree.get(&pages, &key(5, 4)).unwrap_err().to_string();
    assert!(error.contains(&format!("page {}", tree.state().root)), "{error}");
}
