//! A sweep: every wanted block is visited once, by some thread, in the order in which the device gives them.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use leadline_graph_store::format::{Block, Direction};
use leadline_graph_store::updates::{BlockLists, Merged, Merger, Place, ReadRows};

use super::cache::Cache;
use super::lazy_pair::ReaderShape;
use super::plan::EnginePlan;
use super::reader::{BlockReader, Blocks, THIN};
use super::rows_of::RowsOf;
use super::stats::{Counts, RunStats};
use super::work::{Claim, SweepWork, Which};
use crate::{Graph, GraphError};

/// Blocks that a thread takes from the sweep at a time: enough that neighbours come in one request.
const CHUNK_BLOCKS: u32 = 32;

/// The same of a store with changes: each thread reads what runs have of its blocks, many blocks at a time.
const CHUNK_WITH_CHANGES: u32 = 256;

/// After that many thin sweeps in a row the engine reads ahead.
const THIN_SWEEPS: u32 = 16;

/// Requests that one missed block brings with it when the engine reads ahead.
const AHEAD: u32 = 4;

/// Threads, queue pairs and cache of one run of an algorithm.
pub struct Engine<'g> {
    graph: &'g Graph,
    plan: EnginePlan,
    cache: Cache,
    /// Of a graph with changes.
    merged: Arc<Merged>,
    readers: Vec<Mutex<BlockReader<'g>>>,
    sweeps: u64,
    edges: u64,
    spilled: u64,
    /// Thin sweeps in a row: they missed a block or a few.
    thin: u32,
}

impl<'g> Engine<'g> {
    /// Runs an algorithm whose vertex state takes `state` bytes, in addition to the engine's own memory, on
    /// one of the engine's own threads. `what` names it in errors.
    ///
    /// # Errors
    /// [`GraphError::Memory`] where the cap is too small, and what the algorithm fails with.
    pub fn run<T: Send>(
        graph: &'g Graph,
        what: &str,
        state: u64,
        algorithm: impl FnOnce(&mut Engine<'g>) -> Result<T, GraphError> + Send,
    ) -> Result<(T, RunStats), GraphError> {
        let started = Instant::now();
        let mut plan = graph.plan_beside_lists(what, state)?;
        let for_merged = graph.share_for_merged(&mut plan);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(plan.threads)
            .thread_name(|i| format!("leadline-graph-{i}"))
            .build()
            .map_err(|error| GraphError::Threads { threads: plan.threads, reason: error.to_string() })?;
        graph.meter().begin();
        let mut engine = Engine::new(graph, plan, for_merged)?;
        // On a thread of the pool, so that small sweeps run where they are called.
        let result = pool.install(|| algorithm(&mut engine))?;
        Ok((result, engine.finish(started)))
    }

    fn new(graph: &'g Graph, plan: EnginePlan, for_merged: u64) -> Result<Engine<'g>, GraphError> {
        let cache = graph.take_cache(plan.frames)?;
        let merged = Arc::new(graph.take_merged(for_merged));
        let shape = ReaderShape::of(&plan, graph.header().block_bytes, graph.all_blocks());
        let reader = |_| Mutex::new(BlockReader::new(graph.device(), graph.limited(), shape));
        let readers = (0..plan.threads).map(reader).collect();
        Ok(Engine { graph, plan, cache, merged, readers, sweeps: 0, edges: 0, spilled: 0, thin: 0 })
    }

    /// The graph it runs on.
    pub fn graph(&self) -> &'g Graph {
        self.graph
    }

    /// Threads that visit.
    pub fn threads(&self) -> usize {
        self.plan.threads
    }

    /// Sweeps so far.
    pub fn sweeps(&self) -> u64 {
        self.sweeps
    }

    /// Whether all blocks of the graph fit in the cache.
    pub fn holds_all(&self) -> bool {
        self.plan.frames >= self.graph.all_blocks()
    }

    /// Bytes read from the device so far.
    pub fn bytes_read(&mut self) -> u64 {
        self.readers
            .iter_mut()
            .map(|reader| reader.get_mut().unwrap_or_else(PoisonError::into_inner).counts.bytes)
            .sum()
    }

    /// Whether the cap has room for that many bytes in addition to what is planned and kept.
    pub(super) fn has_room(&self, bytes: u64) -> bool {
        self.taken().saturating_add(bytes) <= self.graph.options().memory
    }

    /// Bytes that are planned and kept.
    fn taken(&self) -> u64 {
        self.plan.bytes + self.graph.with_lists(|lists| lists.bytes()) + self.merged.bytes()
    }

    /// Has blocks with their changes take no more than leaves room for that many bytes.
    pub(super) fn leave_room(&mut self, bytes: u64) {
        let room = self.graph.options().memory.saturating_sub(self.taken() + bytes);
        self.merged.allow(self.merged.bytes() + room);
    }

    /// A pass over lists that are plain numbers begins, of which that many steps are counted
    /// ([`Graph::step`]).
    ///
    /// # Errors
    /// [`GraphError::Interrupted`].
    pub(crate) fn begin_pass(&mut self, steps: u32) -> Result<(), GraphError> {
        self.sweeps += 1;
        self.graph.meter().begin_pass(steps);
        self.graph.check_stop()
    }

    /// Work on what was read begins, of which that many steps are counted ([`Graph::step`]).
    pub(crate) fn begin_steps(&self, steps: u32) {
        self.graph.meter().begin_pass(steps);
    }

    /// Says what share of the run the sweeps until the next call make, for whoever watches; 0 to 1.
    pub fn expect(&self, share: Range<f64>) {
        self.graph.meter().expect(share);
    }

    /// Adds to the entries of lists that were looked at, for the report.
    pub fn add_scanned_edges(&mut self, edges: u64) {
        self.edges += edges;
    }

    /// Adds to the bytes of vertex state that a temporary file was written and read, for the report.
    pub(crate) fn spilled(&mut self, bytes: u64) {
        self.spilled += bytes;
    }

    /// Visits the lists of a direction in all blocks of `which`, each block once. Each thread has a local
    /// made by `local`; all are returned, in no order. A hub's list comes in pieces, a block each, in any
    /// order and on any threads ([`Block::is_piece`]).
    ///
    /// # Errors
    /// [`GraphError::Read`], [`GraphError::Damaged`], [`GraphError::Device`] (where no queue pair is to be
    /// had, for one) or [`GraphError::Interrupted`]: the first that any thread met.
    ///
    /// # Panics
    /// Where the graph has no lists of that direction.
    pub fn sweep<L: Send>(
        &mut self,
        direction: Direction,
        which: Which<'_>,
        local: impl Fn() -> L + Sync,
        visit: impl Fn(&mut L, &Block<'_>) + Sync,
    ) -> Result<Vec<L>, GraphError> {
        self.sweep_until(&AtomicBool::new(false), direction, which, local, visit)
    }

    /// The same, but once `enough` is set nothing is visited any more but what is being read.
    ///
    /// # Errors
    /// As [`Engine::sweep`].
    ///
    /// # Panics
    /// As [`Engine::sweep`].
    pub fn sweep_until<L: Send>(
        &mut self,
        enough: &AtomicBool,
        direction: Direction,
        which: Which<'_>,
        local: impl Fn() -> L + Sync,
        visit: impl Fn(&mut L, &Block<'_>) + Sync,
    ) -> Result<Vec<L>, GraphError> {
        let (merged, base) = (Arc::clone(&self.merged), self.graph.blocks(direction).base);
        let directory = self.graph.directory(direction);
        let found = self.visit_each(
            enough,
            direction,
            which,
            || (local(), Merger::default()),
            |(local, _), number| {
                let kept = merged.get(base + number, || Place::of(directory, number));
                kept.iter().for_each(|block| visit(local, block));
                kept.is_some()
            },
            |(local, merger), lists| match lists.as_block() {
                Some(block) => visit(local, block),
                None => {
                    let block = lists.merge(merger);
                    visit(local, &block);
                    merged.keep(base + lists.number(), &block);
                }
            },
        )?;
        Ok(found.into_iter().map(|(local, _)| local).collect())
    }

    /// As [`Engine::sweep_until`], for visitors that want few lists of a block, or each once: where a list
    /// has changes, it is put together when it is asked for.
    ///
    /// # Errors
    /// As [`Engine::sweep`].
    ///
    /// # Panics
    /// As [`Engine::sweep`].
    pub fn sweep_lists<L: Send>(
        &mut self,
        enough: &AtomicBool,
        direction: Direction,
        which: Which<'_>,
        local: impl Fn() -> L + Sync,
        visit: impl Fn(&mut L, &BlockLists<'_>) + Sync,
    ) -> Result<Vec<L>, GraphError> {
        self.visit_each(enough, direction, which, local, |_, _| false, visit)
    }

    /// As [`Engine::sweep_lists`]; a block with changes that `kept` visits, and says so, is not read.
    fn visit_each<L: Send>(
        &mut self,
        enough: &AtomicBool,
        direction: Direction,
        which: Which<'_>,
        local: impl Fn() -> L + Sync,
        kept: impl Fn(&mut L, u32) -> bool + Sync,
        visit: impl Fn(&mut L, &BlockLists<'_>) + Sync,
    ) -> Result<Vec<L>, GraphError> {
        self.sweeps += 1;
        self.cache.begin_sweep();
        let graph = self.graph;
        let directory = graph.directory(direction);
        let blocks = graph.blocks(direction);
        debug_assert!(which.is_of(directory), "blocks that exist, each once, for vertices of the graph");
        let (chunk, meter) = (self.chunk(which, direction), &**graph.meter());
        let work = SweepWork { which, directory, chunk, cursor: AtomicU32::new(0), meter };
        meter.begin_pass(work.limit());
        // Relaxed: that it is set too late for a block or two does not matter, and the error is under a lock.
        let stop = AtomicBool::new(false);
        let first_error = Mutex::new(None);
        let (cache, merged) = (&self.cache, &*self.merged);
        let at_once = self.plan.blocks_at_once(blocks.block_bytes);
        let failed = |error| {
            stop.store(true, Ordering::Relaxed);
            first_error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        };
        let run = |reader: &Mutex<BlockReader<'_>>| {
            let mut reader = reader.lock().unwrap_or_else(PoisonError::into_inner);
            let mut mine = Claim::default();
            let ended = || stop.load(Ordering::Relaxed) || enough.load(Ordering::Relaxed);
            let mut next = || if ended() { None } else { work.next(&mut mine, graph) };
            let Some(changes) = graph.changes(direction) else {
                let mut own = local();
                let driven = reader.drive(&blocks, cache, next, |block| {
                    visit(&mut own, &BlockLists::unchanged(block));
                });
                driven.unwrap_or_else(failed);
                return own;
            };
            let rows = RowsOf { changes, directory, merged };
            // Visited with its changes; also what only changes have, of which there is nothing to be read.
            let own = RefCell::new((local(), ReadRows::new(chunk, at_once)));
            let visit_changed = |number: u32, base: Option<&Block<'_>>| {
                let (local, read) = &mut *own.borrow_mut();
                rows.with(number, base, read, |lists| visit(local, lists)).unwrap_or_else(failed);
            };
            // To find out which comes next takes a while, in which the device is not to be idle.
            reader.send_early(true);
            let stored = || loop {
                let number = next()?;
                if !changes.touches(number) {
                    return Some(number);
                }
                if kept(&mut own.borrow_mut().0, number) {
                    continue;
                }
                // In their order, while blocks are on their way.
                rows.fetch(number, &mut own.borrow_mut().1).unwrap_or_else(failed);
                if directory.is_stored(number) {
                    return Some(number);
                }
                visit_changed(number, None);
            };
            let driven =
                reader.drive(&blocks, cache, stored, |block| match changes.touches(block.number()) {
                    true => visit_changed(block.number(), Some(block)),
                    false => visit(&mut own.borrow_mut().0, &BlockLists::unchanged(block)),
                });
            driven.unwrap_or_else(failed);
            own.into_inner().0
        };
        let here = rayon::current_thread_index().filter(|_| work.is_small());
        let locals = match here {
            Some(here) => vec![run(&self.readers[here])],
            None => rayon::broadcast(|thread| run(&self.readers[thread.index()])),
        };
        match first_error.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some(error) => return Err(error),
            None if graph.stopped() => return Err(GraphError::Interrupted),
            None => {}
        }
        debug_assert!(work.is_done() || enough.load(Ordering::Relaxed), "every wanted block was taken");
        self.read_ahead(&blocks, directory.blocks())?;
        Ok(locals)
    }

    /// Where sweep after sweep waits for a block or a few, with the device idle and memory unused, what lies
    /// around them is read with them: a frontier that creeps through a large graph comes there next. Only
    /// frames that nothing was in are filled, so no block is read twice for it.
    fn read_ahead(&mut self, blocks: &Blocks<'_>, count: u32) -> Result<(), GraphError> {
        let mut missed = Vec::new();
        let mut window = 1;
        for reader in &mut self.readers {
            let reader = reader.get_mut().unwrap_or_else(PoisonError::into_inner);
            missed.append(&mut reader.take_missed());
            window = AHEAD * reader.ahead_blocks();
        }
        match missed.len() {
            0 => return Ok(()),
            few if few <= THIN => self.thin += 1,
            _ => self.thin = 0,
        }
        if self.thin <= THIN_SWEEPS || self.cache.unused() < missed.len() as u32 * window {
            return Ok(());
        }
        missed.iter_mut().for_each(|block| *block /= window);
        missed.sort_unstable();
        missed.dedup();
        let around = missed.iter().flat_map(|at| at * window..((at + 1) * window).min(count));
        let is_stored = |block: &u32| blocks.directory.is_stored(*block);
        let mut wanted = around.filter(is_stored).filter(|block| !self.cache.holds(blocks.base + block));
        let here = rayon::current_thread_index().unwrap_or(0);
        let mut reader = self.readers[here].lock().unwrap_or_else(PoisonError::into_inner);
        reader.drive(blocks, &self.cache, || wanted.next(), |_| ())?;
        reader.take_missed();
        Ok(())
    }

    /// Ends the run; leaves the cache to the next.
    fn finish(mut self, started: Instant) -> RunStats {
        let seconds = started.elapsed().as_secs_f64();
        let mut all = Counts::default();
        let mut depth = 0;
        for reader in &mut self.readers {
            let reader = reader.get_mut().unwrap_or_else(PoisonError::into_inner);
            all.add(&reader.counts);
            depth += reader.slots();
        }
        let stats = RunStats {
            seconds,
            sweeps: self.sweeps,
            edges: self.edges,
            edges_per_second: self.edges as f64 / seconds,
            bytes_read: all.bytes,
            requests: all.requests,
            spilled_bytes: self.spilled,
            mean_depth: all.latency_nanos as f64 / 1e9 / seconds,
            cache_hits: all.hits,
            cache_misses: all.misses,
            waiting: all.waiting_nanos as f64 / 1e9 / seconds / self.plan.threads as f64,
            memory_bytes: self.plan.bytes + self.graph.with_lists(|lists| lists.bytes()),
            memory_cap_bytes: self.graph.options().memory,
            depth,
            threads: self.plan.threads as u32,
        };
        self.graph.give_cache(self.cache, Arc::into_inner(self.merged));
        stats
    }

    fn chunk(&self, which: Which<'_>, direction: Direction) -> u32 {
        let blocks = match which {
            Which::Blocks(list) => list.len() as u32,
            _ => self.graph.directory(direction).blocks(),
        };
        let of_most = |most| (blocks / (8 * self.plan.threads as u32)).clamp(1, most);
        match self.graph.changes(direction) {
            // Changes of a group are decoded by one thread.
            Some(changes) => of_most(CHUNK_WITH_CHANGES).next_multiple_of(changes.of_group()),
            None => of_most(CHUNK_BLOCKS),
        }
    }
}
