//! How the memory under a cap is shared out while communities are looked for.

use leadline_graph_store::import::ImportPlan;

use super::super::lists::{directions, most_values, spare};
use super::Method;
use super::aggregate::{DECODED_BYTES, reading_bytes};
use super::near::Table;
use super::store_lists::StoreLists;
use crate::{Frontier, Graph};

/// The least bytes of a sort and of its lists.
const LEAST_WORK: u64 = 12 << 20;

/// Bytes of an entry in a sort.
const RECORD_BYTES: u64 = 16;

/// The longest lists that tables are for: with little memory, and with much.
const LONGEST: [u64; 2] = [1 << 11, 1 << 17];

/// How memory is shared out.
#[derive(Debug, Clone, Copy)]
pub(super) struct MemoryPlan {
    /// Bytes of lists that are in memory at a time and of the sort that aggregates them, half of it each;
    /// then of the next level's lists.
    pub(super) work: u64,
    /// Bytes for reading a level that is a store.
    pub(super) reading: u64,
    /// The longest list that a thread sums in a table of its own.
    pub(super) longest: u64,
    /// Whether all lists, or a sort of all entries and the lists that it makes, fit in memory.
    pub(super) all_in_memory: bool,
    /// Bytes of all.
    pub(super) bytes: u64,
}

impl MemoryPlan {
    /// Under a cap of `memory` bytes.
    pub(super) fn new(graph: &Graph, method: Method, memory: u64) -> MemoryPlan {
        let vertices = graph.vertices();
        let threads = graph.options().threads.max(1) as u64;
        let entry = RECORD_BYTES;
        let decoding = threads * most_values(graph) * (entry + 12);
        let entries = graph.header().edges.saturating_mul(directions(graph).len() as u64);
        let reading = reading_bytes(entries, threads);
        let fixed = vertices * method.bytes()
            + 4 * Frontier::bytes(vertices)
            + decoding.max(threads * DECODED_BYTES)
            + reading;
        let least = LEAST_WORK.max(2 * StoreLists::least_bytes(graph));
        let tables = |longest: u64| threads * longest * Table::BYTES;
        // A sixteenth of what is left, for tables that grow as they must.
        let left = spare(graph, memory, fixed + least);
        let mut longest = LONGEST[0];
        while longest < LONGEST[1].min(vertices) && tables(2 * longest) <= left / 16 {
            longest *= 2;
        }
        let fixed = fixed + tables(longest);
        // Half of what is left: the other half keeps blocks.
        let work = (spare(graph, memory, fixed) / 2).max(least);
        let sorted = entries.saturating_mul(entry) <= ImportPlan::kept_of(work / 2);
        let all_in_memory = sorted || StoreLists::all_fit(graph, work / 2);
        MemoryPlan { work, reading, longest, all_in_memory, bytes: fixed + work }
    }
}
