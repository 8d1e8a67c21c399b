use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Few keys of few letters, so that many are equal, and values of which some are longer than a chunk.
fn entry() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
    let key = prop_oneof![
        prop::collection::vec(0u8..3, 0..4),
        prop::collection::vec(0u8..2, 8..11),
        (0u32..2000).prop_map(|number| number.to_be_bytes().to_vec()),
    ];
    let bytes = prop_oneof![40 => 0usize..2000, 1 => (CHUNK_BYTES - 20)..(2 * CHUNK_BYTES)];
    (key, (bytes, any::<u8>()).prop_map(|(bytes, byte)| vec![byte; bytes]))
}

fn sort(sorter: Sorter) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut sorted = Vec::new();
    let visit = |key: &[u8], value: &[u8]| {
        sorted.push((key.to_vec(), value.to_vec()));
        Ok(())
    };
    sorter.finish(visit).unwrap();
    sorted
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if leadline_testing::exhaustive() { 500 } else { 12 }))]
    #[test]
    fn entries_are_sorted_and_the_last_of_a_key_counts(
        entries in prop::collection::vec(entry(), 0..6000),
        memory in 0usize..(6 << 20),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut sorter = Sorter::new(folder.path(), memory);
        for (key, value) in &entries {
            sorter.add(key, value).unwrap();
        }
        let model: BTreeMap<_, _> = entries.into_iter().collect();
        prop_assert!(sort(sorter) == model.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}

#[test]
fn many_runs_are_merged_before_their_chunks_fill_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut sorter = Sorter::new(folder.path(), 0);
    let mut model = BTreeMap::new();
    for number in 0..10_000u32 {
        let (key, value) =
            ((number % 7919).wrapping_mul(2_654_435_761).to_be_bytes(), vec![number as u8; 1000]);
        sorter.add(&key, &value).unwrap();
        model.insert(key.to_vec(), value);
        assert!(sorter.runs.len() < LEAST_CHUNKS);
    }
    assert!(sort(sorter) == model.into_iter().collect::<Vec<_>>());
}
