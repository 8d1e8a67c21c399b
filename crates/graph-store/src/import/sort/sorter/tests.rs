use proptest::prelude::*;

use super::*;

/// Sorts from all lanes in little memory, and compares with the standard sort.
fn round<K: Key>(keys: &[(u64, u64)], unique: bool, memory: u64) {
    let folder = tempfile::tempdir().unwrap();
    let plan = ImportPlan::new(memory, Arc::default());
    let sorter =
        Sorter::<K, f64>::new(folder.path(), plan.sort_alone(), unique.then_some(Merge::Min), &plan).unwrap();
    let mut expected = Vec::new();
    for (i, &(high, low)) in keys.iter().enumerate() {
        let record = Record::new(high, low, (i * 7 % 11) as f64);
        sorter.lane(i / 50 % plan.workers).push(record).unwrap();
        expected.push(record);
    }
    expected.sort_by(|a: &Record<K, f64>, b| a.key.cmp(&b.key).then(a.weight.order(&b.weight)));
    if unique {
        expected.dedup_by_key(|record| record.key);
    }
    let sorted = sorter.finish().unwrap();
    for _ in 0..2 {
        let mut seen: Vec<Record<K, f64>> = Vec::new();
        let each = |_, records: &mut Vec<Record<K, f64>>| {
            assert!(records.len() <= plan.sortable(Record::<K, f64>::BYTES));
            Ok(())
        };
        let sink = |records: &[Record<K, f64>]| {
            seen.extend_from_slice(records);
            Ok(())
        };
        sorted.in_order(each, sink).unwrap();
        // Of one key that fills several parts, each part is in the order of its weights.
        for equal in seen.chunk_by_mut(|a, b| a.key == b.key) {
            equal.sort_by(|a, b| a.weight.order(&b.weight));
        }
        assert!(seen == expected, "{} of {} records", seen.len(), expected.len());
    }
    let settled = sorted.settled(Spill::new(folder.path()).unwrap(), |_, _| Ok(())).unwrap();
    let count = Mutex::new(0);
    let add = |_, _, records: &mut Vec<Record<K, f64>>| {
        *count.lock().unwrap() += records.len();
        Ok(())
    };
    settled.visit(add).unwrap();
    assert_eq!((settled.records(), *count.lock().unwrap()), (expected.len() as u64, expected.len()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_records_come_out_in_order(
        keys in prop::collection::vec(
            (prop_oneof![0u64..40, Just(u64::MAX), any::<u64>()], 0u64..100),
            0..4000,
        ),
        order in 0..3,
        unique in any::<bool>(),
        memory in prop::sample::select(vec![1u64 << 12, 1 << 15, 1 << 20]),
    ) {
        let mut keys = keys;
        match order {
            0 => keys.sort_unstable(),
            1 => keys.sort_unstable_by(|a, b| b.cmp(a)),
            _ => {}
        }
        round::<u128>(&keys, unique, memory);
        keys.iter_mut().for_each(|key| key.0 = key.0.min(u64::from(u32::MAX)));
        round::<u64>(&keys, unique, memory);
    }
}

#[test]
fn what_fits_stays_in_memory_whichever_lanes_bring_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = ImportPlan::new(64 << 20, Arc::default());
    plan.workers = 8;
    for lanes in [1, 8] {
        let sorter = Sorter::<u64, f64>::new(folder.path(), 16 << 20, None, &plan).unwrap();
        for i in 0..200_000 {
            sorter.lane(i as usize % lanes).push(Record::new(i * 7919 % 200_000, i, 0.0)).unwrap();
        }
        let sorted = sorter.finish().unwrap();
        assert_eq!((sorted.records(), sorted.spilled), (200_000, 0), "{lanes} lanes");
    }
}

#[test]
fn one_key_over_and_over_is_no_endless_division() {
    for key in [(0, 0), (7, 9), (u64::from(u32::MAX), u64::from(u32::MAX))] {
        for unique in [false, true] {
            let mut keys = vec![key; 3000];
            keys.extend((0..300).map(|low| (7, low)));
            round::<u64>(&keys, unique, 1 << 12);
        }
    }
}
