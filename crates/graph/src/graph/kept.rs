//! What a run leaves to the next one, and the memory that it takes: blocks as they were read, blocks with
//! changes merged, and decoded lists.

use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use leadline_graph_store::updates::Merged;

use super::Graph;
use crate::engine::{Cache, EnginePlan, KeptLists};
use crate::{GraphError, Options};

impl Graph {
    /// The cache that the last run left, if it is of this size; a new one else.
    pub(crate) fn take_cache(&self, frames: u32) -> Result<Cache, GraphError> {
        let kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner).take();
        match kept.filter(|cache| cache.frames() == frames) {
            Some(cache) => Ok(cache),
            None => Cache::new(frames, self.all_blocks(), self.header.block_bytes),
        }
    }

    /// Looks at the lists that are kept as plain numbers.
    pub(crate) fn with_lists<T>(&self, look: impl FnOnce(&mut KeptLists) -> T) -> T {
        look(&mut self.lists.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether this is not the first run on it.
    pub(crate) fn is_run_again(&self) -> bool {
        self.was_run.load(Ordering::Relaxed)
    }

    /// Plans a run with `state` bytes of vertex state. Lists that earlier runs decoded stay if the cap has
    /// room for all blocks next to them, and go else.
    ///
    /// # Errors
    /// As [`EnginePlan::new`].
    pub(crate) fn plan_beside_lists(&self, what: &str, state: u64) -> Result<EnginePlan, GraphError> {
        let (header, blocks) = (&self.header, self.all_blocks());
        let kept = self.with_lists(|lists| lists.bytes());
        if kept > 0 {
            let memory = self.options.memory.saturating_sub(kept);
            let beside = Options { memory, ..self.options.clone() };
            match EnginePlan::new(what, header, &beside, blocks, state) {
                Ok(plan) if plan.frames >= blocks => return Ok(plan),
                _ => self.with_lists(|lists| *lists = KeptLists::default()),
            }
        }
        EnginePlan::new(what, header, &self.options, blocks, state)
    }

    /// Gives it blocks that another reader of the same file cached.
    pub(crate) fn put_cache(&self, cache: Cache) {
        *self.cache.lock().unwrap_or_else(PoisonError::into_inner) = Some(cache);
    }

    /// The blocks that its last run cached.
    pub(crate) fn into_cache(self) -> Option<Cache> {
        self.cache.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Of a graph with changes: takes a part of a plan's memory for them and for blocks as they made them,
    /// what the plan does not use and, where changes need more, up to half of its cache if that does not hold
    /// everything. Says how many bytes that is.
    pub(crate) fn share_for_merged(&self, plan: &mut EnginePlan) -> u64 {
        let Some(changes) = &self.changes else { return 0 };
        let lists = self.with_lists(|lists| lists.bytes());
        let unused = self.options.memory.saturating_sub(plan.bytes + lists);
        let index = Merged::index_bytes(changes, self.all_blocks());
        let of_all = changes.groups().1;
        // Where not all are kept, threads hold the changes of the blocks that they have asked for.
        let at_once = changes.bytes_at_once(plan.blocks_at_once(self.header.block_bytes));
        let at_once = plan.threads as u64 * at_once;
        let frame = Cache::bytes_per_frame(self.header.block_bytes);
        let lacking = (index + of_all.max(at_once)).saturating_sub(unused).div_ceil(frame);
        let given = if plan.frames < self.all_blocks() { lacking.min(u64::from(plan.frames / 2)) } else { 0 };
        plan.frames -= given as u32;
        let bytes = (unused + given * frame).saturating_sub(index);
        if bytes < of_all { bytes.saturating_sub(at_once) } else { bytes }
    }

    /// The blocks that the last run kept, if they are no more than that many bytes.
    pub(crate) fn take_merged(&self, bytes: u64) -> Merged {
        let kept = self.merged.lock().unwrap_or_else(PoisonError::into_inner).take();
        let none = || Merged::new(self.changes.as_ref(), self.all_blocks());
        let merged = kept.filter(|kept| kept.bytes() <= bytes).unwrap_or_else(none);
        merged.allow(bytes);
        merged
    }

    pub(crate) fn give_cache(&self, cache: Cache, merged: Option<Merged>) {
        *self.cache.lock().unwrap_or_else(PoisonError::into_inner) = Some(cache);
        *self.merged.lock().unwrap_or_else(PoisonError::into_inner) = merged;
        self.was_run.store(true, Ordering::Relaxed);
    }

    /// Frees the blocks that the last run cached and the lists that were decoded, unless the cap has room for
    /// that many bytes in addition to them.
    pub(crate) fn make_room(&self, bytes: u64) {
        let mut merged = self.merged.lock().unwrap_or_else(PoisonError::into_inner);
        let mut kept = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let of_merged = merged.as_ref().map_or(0, Merged::bytes);
        let of_kept = kept.as_ref().map_or(0, Cache::bytes);
        let of_lists = self.with_lists(|lists| lists.bytes());
        if of_kept.saturating_add(of_merged).saturating_add(of_lists).saturating_add(bytes)
            > self.options.memory
        {
            (*kept, *merged) = (None, None);
            self.with_lists(|lists| *lists = KeptLists::default());
        }
    }
}
