//! What is known of records before they are sorted, so that ranges can be cut that are about equal.

use super::bucket::Bucket;
use super::record::{Key, Record, Weight};
use super::spill::Spill;
use crate::GraphError;
use crate::import::plan::ImportPlan;

/// Blocks that a sample is taken of, at most.
const BLOCKS: usize = 256;

/// Keys from all over what will be sorted, and how many records there will be, about. Empty where nothing is
/// known.
#[derive(Debug)]
pub(crate) struct Forecast<K> {
    pub(crate) keys: Vec<K>,
    pub(crate) records: u64,
}

impl<K> Default for Forecast<K> {
    fn default() -> Self {
        Forecast { keys: Vec::new(), records: 0 }
    }
}

impl<K: Key> Forecast<K> {
    /// Most keys that are of use.
    pub(crate) const KEYS: usize = 1 << 15;
}

/// Some keys from all over some buckets, about that many. What it reads with is put back.
pub(super) fn sample<K: Key, W: Weight>(
    buckets: &[Bucket<K>],
    count: usize,
    spill: &Spill,
    plan: &ImportPlan,
) -> Result<Vec<K>, GraphError> {
    let blocks: usize = buckets.iter().map(|bucket| bucket.blocks.len()).sum();
    let all = buckets.iter().flat_map(|bucket| bucket.blocks.iter().map(move |block| (bucket, block)));
    let chosen: Vec<Bucket<K>> = all
        .step_by(blocks.div_ceil(BLOCKS).max(1))
        .map(|(bucket, block)| {
            let mut one = Bucket::new((bucket.least, bucket.end));
            one.extend(std::slice::from_ref(block));
            one
        })
        .collect();
    let mut reads = spill.reads(plan)?;
    chosen.iter().try_for_each(|one| one.want::<W>(&mut reads))?;
    let (mut records, mut keys) = (Vec::<Record<K, W>>::new(), Vec::new());
    for one in &chosen {
        records.clear();
        one.load(&mut reads, None, &mut records)?;
        let step = (records.len() * chosen.len() / count).max(1);
        keys.extend(records.iter().step_by(step).map(|record| record.key));
    }
    spill.put_back(reads);
    Ok(keys)
}
