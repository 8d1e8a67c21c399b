//! The lists of one direction: each thread puts the lists of the part that it sorted into code, and one after
//! the other writes its own, so that what is done in turn is little.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::plan::{ImportPlan, Reservation};
use super::sort::{Key, Record, Weight};
use crate::GraphError;
use crate::format::list_code::ListCodes;
use crate::format::{Layout, StoreWriter};
use crate::tiles::TilesWriter;

/// Where lists go.
pub(super) trait ListWriter: Send {
    /// The layout of lists that come in code; none where all come edge by edge.
    fn coded(&self) -> Option<Layout>;
    /// The next edge; vertices and neighbours ascend.
    fn edge(&mut self, vertex: u64, neighbour: u64, weight: f64) -> Result<(), GraphError>;
    /// The whole list of the next vertex, in code.
    fn list(&mut self, vertex: u64, edges: u64, code: &[u8]) -> Result<(), GraphError>;
    /// Counts self-loops of lists that came in code.
    fn add_self_loops(&mut self, count: u64);
    /// The reverse lists begin.
    fn start_reverse(&mut self) -> Result<(), GraphError>;
    /// Bytes in memory.
    fn bytes(&self) -> u64;
}

impl ListWriter for StoreWriter {
    fn coded(&self) -> Option<Layout> {
        Some(self.layout())
    }

    #[inline]
    fn edge(&mut self, vertex: u64, neighbour: u64, weight: f64) -> Result<(), GraphError> {
        StoreWriter::edge(self, vertex as u32, neighbour as u32, weight)
    }

    fn list(&mut self, vertex: u64, edges: u64, code: &[u8]) -> Result<(), GraphError> {
        StoreWriter::list(self, vertex as u32, edges, code)
    }

    fn add_self_loops(&mut self, count: u64) {
        StoreWriter::add_self_loops(self, count);
    }

    fn start_reverse(&mut self) -> Result<(), GraphError> {
        StoreWriter::start_reverse(self)
    }

    fn bytes(&self) -> u64 {
        self.memory_bytes()
    }
}

/// A list is in several tiles, each of which has its own part of it.
impl ListWriter for TilesWriter {
    fn coded(&self) -> Option<Layout> {
        None
    }

    #[inline]
    fn edge(&mut self, vertex: u64, neighbour: u64, weight: f64) -> Result<(), GraphError> {
        TilesWriter::edge(self, vertex, neighbour, weight)
    }

    fn list(&mut self, _: u64, _: u64, _: &[u8]) -> Result<(), GraphError> {
        unreachable!("lists of tiles come edge by edge")
    }

    fn add_self_loops(&mut self, count: u64) {
        assert_eq!(count, 0, "no list came in code");
    }

    fn start_reverse(&mut self) -> Result<(), GraphError> {
        TilesWriter::start_reverse(self)
    }

    fn bytes(&self) -> u64 {
        self.memory_bytes()
    }
}

/// A part's lists, and what was counted among its edges.
#[derive(Debug)]
struct Coded {
    lists: ListCodes,
    self_loops: u64,
    parallel: Parallel,
    taken: Reservation,
}

/// How often an edge has the same ends as the one before it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Parallel {
    edges: u64,
    /// Of them, those that lead to where they come from.
    loops: u64,
}

impl Parallel {
    /// How many edges of the graph they are: of an undirected one both ends list an edge, but for a loop.
    pub(super) fn edges(self, undirected: bool) -> u64 {
        let twice = if undirected { self.edges - self.loops } else { 0 };
        self.edges - twice / 2
    }

    #[inline]
    fn count(&mut self, key: impl Key) {
        self.edges += 1;
        self.loops += u64::from(key.high() == key.low());
    }
}

/// What the threads have in code, and how far the lists are written.
#[derive(Debug)]
pub(super) struct Lists {
    layout: Option<Layout>,
    coded: Vec<Mutex<Coded>>,
}

/// How far the lists are written.
#[derive(Debug, Default)]
pub(super) struct WrittenLists<K> {
    last: Option<K>,
    pub(super) parallel: Parallel,
}

impl Lists {
    pub(super) fn new(layout: Option<Layout>, plan: &ImportPlan) -> Lists {
        let coded = || Coded {
            lists: ListCodes::default(),
            self_loops: 0,
            parallel: Parallel::default(),
            taken: plan.take(0),
        };
        Lists { layout, coded: (0..plan.workers).map(|_| Mutex::new(coded())).collect() }
    }

    fn of(&self, thread: usize) -> MutexGuard<'_, Coded> {
        self.coded[thread].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts the lists of a part into code. The first and the last one may begin or end in another part.
    pub(super) fn encode<K: Key, W: Weight>(&self, thread: usize, records: &[Record<K, W>]) {
        let Coded { lists, self_loops, parallel, taken } = &mut *self.of(thread);
        lists.clear();
        (*self_loops, *parallel) = (0, Parallel::default());
        let mut left = records.len();
        for list in records.chunk_by(|a, b| a.key.high() == b.key.high()) {
            let owner = list[0].key.high();
            let begins = left == records.len();
            left -= list.len();
            if let Some(layout) = &self.layout
                && !begins
                && left > 0
            {
                let neighbours = list.iter().map(|record| record.key.low() as u32);
                let weights = list.iter().map(|record| record.weight.value());
                if lists.push(layout, owner as u32, neighbours, weights) {
                    *self_loops += list.iter().filter(|record| record.key.low() == owner).count() as u64;
                }
            } else {
                lists.push_edges(list.len());
            }
            for pair in list.windows(2) {
                if pair[0].key == pair[1].key {
                    parallel.count(pair[0].key);
                }
            }
        }
        taken.set(lists.memory_bytes());
    }

    /// Writes what [`Lists::encode`] made of a part; parts come in order.
    pub(super) fn write<K: Key, W: Weight>(
        &self,
        thread: usize,
        records: &[Record<K, W>],
        writer: &mut impl ListWriter,
        written: &mut WrittenLists<K>,
    ) -> Result<(), GraphError> {
        let coded = self.of(thread);
        let mut rest = records;
        for (edges, code) in coded.lists.iter() {
            let list;
            (list, rest) = rest.split_at(edges);
            let Some(code) = code else {
                for Record { key, weight } in list {
                    writer.edge(key.high(), key.low(), weight.value())?;
                }
                continue;
            };
            writer.list(list[0].key.high(), edges as u64, code)?;
        }
        writer.add_self_loops(coded.self_loops);
        written.parallel.edges += coded.parallel.edges;
        written.parallel.loops += coded.parallel.loops;
        if let (Some(last), Some(first)) = (written.last, records.first())
            && last == first.key
        {
            written.parallel.count(last);
        }
        written.last = records.last().map(|record| record.key).or(written.last);
        Ok(())
    }
}
