//! The slotted heap against a map of rows.

use std::collections::BTreeMap;

use leadline_tpcc::heap::{Heap, HeapState, RowId};
use leadline_tpcc::pages::{Memory, Pages, RecordingPages};
use proptest::prelude::*;

#[derive(Debug, Clone)]
enum Op {
    Insert(usize, u8),
    Delete(usize),
    Update(usize, u8),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (0..200_usize, any::<u8>()).prop_map(|(len, byte)| Op::Insert(len, byte)),
        2 => any::<usize>().prop_map(Op::Delete),
        1 => (any::<usize>(), any::<u8>()).prop_map(|(row, byte)| Op::Update(row, byte)),
    ]
}

fn nth(model: &BTreeMap<RowId, Vec<u8>>, n: usize) -> Option<RowId> {
    model.keys().nth(n.checked_rem(model.len())?).copied()
}

proptest! {
    #[test]
    fn rows_stay_as_they_are_until_they_are_deleted(ops in proptest::collection::vec(op(), 1..600)) {
        let pages = Memory::new(512);
        let heap = Heap::open(HeapState::default(), None);
        let mut model: BTreeMap<RowId, Vec<u8>> = BTreeMap::new();
        for op in ops {
            match op {
                Op::Insert(len, byte) => {
                    let row = vec![byte; len];
                    let id = heap.insert(&pages, &row).unwrap();
                    prop_assert!(model.insert(id, row).is_none(), "{:?} was taken", id);
                }
                Op::Delete(n) => {
                    let Some(id) = nth(&model, n) else { continue };
                    heap.delete(&pages, id).unwrap();
                    model.remove(&id);
                    prop_assert!(heap.delete(&pages, id).is_err());
                }
                Op::Update(n, byte) => {
                    let Some(id) = nth(&model, n) else { continue };
                    heap.update_all(&pages, &[id], |row| row.fill(byte)).unwrap();
                    model.entry(id).and_modify(|row| row.fill(byte));
                }
            }
        }
        let mut found = BTreeMap::new();
        heap.scan(&pages, |id, row| { found.insert(id, row.to_vec()); }).unwrap();
        prop_assert_eq!(&found, &model);
        prop_assert_eq!(heap.state().rows, model.len() as u64);
        for (id, row) in &model {
            prop_assert!(heap.read(&pages, *id, |bytes| bytes == row).unwrap());
        }
    }
}

#[test]
fn emptied_pages_are_filled_again() {
    let pages = Memory::new(512);
    let heap = Heap::open(HeapState::default(), Some(40));
    let mut queue: std::collections::VecDeque<RowId> = Default::default();
    for round in 0..20_000_u32 {
        queue.push_back(heap.insert(&pages, &[round as u8; 40]).unwrap());
        if queue.len() > 500 {
            heap.delete(&pages, queue.pop_front().unwrap()).unwrap();
        }
    }
    let full = 500 / Heap::rows_a_page(512, 40) as u64;
    assert!(pages.page_count() <= full + 4, "{} pages for 500 rows, {full} full ones", pages.page_count());
}

#[test]
fn rows_of_one_page_in_a_row_are_one_access() {
    let pages = Memory::new(512);
    let heap = Heap::open(HeapState::default(), Some(40));
    let rows = Heap::rows_a_page(512, 40);
    let ids: Vec<RowId> = (0..2 * rows).map(|i| heap.insert(&pages, &[i as u8; 40]).unwrap()).collect();
    let recorded = RecordingPages::new(&pages, None);
    let mut read = Vec::new();
    heap.read_all(&recorded, &ids, |row| read.push(row[0])).unwrap();
    assert_eq!(read, (0..2 * rows).map(|i| i as u8).collect::<Vec<_>>());
    assert_eq!((recorded.counts().reads, recorded.counts().writes), (2, 0));
    heap.update_all(&recorded, &ids[..rows], |row| row[0] = 0).unwrap();
    assert_eq!((recorded.counts().reads, recorded.counts().writes), (2, 1));
}

#[test]
fn a_damaged_slot_is_an_error_and_no_panic() {
    let pages = Memory::new(512);
    let heap = Heap::open(HeapState::default(), Some(40));
    let id = heap.insert(&pages, &[1; 40]).unwrap();
    for byte in 16..32 {
        let mut page = pages.write(id.page()).unwrap();
        let before = page[byte];
        page[byte] = 0xff;
        drop(page);
        // Whatever comes of it, it comes back.
        let _ = heap.read(&pages, id, |row| row.len());
        let _ = heap.scan(&pages, |_, _| {});
        pages.write(id.page()).unwrap()[byte] = before;
    }
    assert!(heap.read(&pages, RowId(id.0 + 1), |_| ()).is_err());
    assert!(heap.read(&pages, RowId(999 << 16), |_| ()).is_err());
}
