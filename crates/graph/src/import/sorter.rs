//! Sorts any number of records in a fixed amount of memory: chunks are sorted by threads while the next one fills.

use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use super::merge::Runs;
use super::plan::{Plan, Taken};
use super::radix;
use super::record::{Key, READ_SLACK, Record, Weight};
use super::run::{self, Place, Run};
use super::spill::Spill;
use crate::GraphError;

/// A chunk to sort, and its number in the order of the input.
type Job<R> = (usize, Vec<R>);

/// What the threads share.
#[derive(Debug)]
struct Shared {
    plan: Plan,
    spill: Spill,
    runs: Mutex<Vec<(usize, Run)>>,
    /// Bytes of runs that may yet stay in memory.
    room: Mutex<u64>,
    unique: bool,
}

/// Takes records in any order; see [`Sorter::finish`].
#[derive(Debug)]
pub(crate) struct Sorter<K, W> {
    shared: Arc<Shared>,
    chunk: Vec<Record<K, W>>,
    most: usize,
    /// How many chunks exist, the one being filled included.
    chunks: usize,
    sent: usize,
    jobs: Option<SyncSender<Job<Record<K, W>>>>,
    done: Receiver<Result<Vec<Record<K, W>>, GraphError>>,
    threads: Vec<JoinHandle<()>>,
    taken: Taken,
}

impl<K: Key, W: Weight> Sorter<K, W> {
    /// `chunks` are the bytes of all chunks together, `kept` those of sorted runs that stay in memory. With `unique`, records
    /// of equal keys become one, with the least weight.
    pub(crate) fn new(
        folder: &Path,
        chunks: u64,
        kept: u64,
        unique: bool,
        plan: &Plan,
    ) -> Result<Self, GraphError> {
        let shared = Arc::new(Shared {
            plan: plan.clone(),
            spill: Spill::new(folder)?,
            runs: Mutex::default(),
            room: Mutex::new(kept),
            unique,
        });
        let (jobs, waiting) = sync_channel(plan.workers);
        let (give_back, done) = channel();
        let waiting = Arc::new(Mutex::new(waiting));
        let threads = (0..plan.workers).map(|_| {
            let (shared, waiting, give_back) = (Arc::clone(&shared), Arc::clone(&waiting), give_back.clone());
            std::thread::spawn(move || {
                let mut beside = Vec::new();
                loop {
                    let job = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok((number, chunk)) = job else { return };
                    if give_back.send(shared.sort(number, chunk, &mut beside)).is_err() {
                        return;
                    }
                }
            })
        });
        let threads = threads.collect();
        let most = chunks as usize / (2 * plan.workers + 1) / Record::<K, W>::BYTES;
        Ok(Sorter {
            shared,
            chunk: Vec::new(),
            most: most.max(16),
            chunks: 1,
            sent: 0,
            jobs: Some(jobs),
            done,
            threads,
            taken: plan.take(0),
        })
    }

    #[inline]
    pub(crate) fn push(&mut self, record: Record<K, W>) -> Result<(), GraphError> {
        if self.chunk.len() == self.chunk.capacity() {
            self.make_room()?;
        }
        self.chunk.push(record);
        Ok(())
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), GraphError> {
        if self.chunk.len() >= self.most {
            self.send()?;
            self.chunk = if self.chunks <= self.shared.plan.workers {
                self.chunks += 1;
                Vec::new()
            } else {
                self.shared.plan.check_stop()?;
                self.done.recv().unwrap_or(Err(GraphError::Interrupted))?
            };
        }
        if self.chunk.capacity() < self.most {
            // Small inputs stay small; once one chunk was full, the others will be.
            let first = self.chunks == 1;
            let more =
                if first { self.chunk.len().max(1024).min(self.most - self.chunk.len()) } else { self.most };
            self.chunk.reserve_exact(more - if first { 0 } else { self.chunk.len() });
            let records = (2 * self.chunks - 1) * self.chunk.capacity();
            self.taken.set((records * Record::<K, W>::BYTES) as u64);
        }
        Ok(())
    }

    fn send(&mut self) -> Result<(), GraphError> {
        let chunk = std::mem::take(&mut self.chunk);
        let sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send((self.sent, chunk)).is_ok());
        self.sent += 1;
        // Threads end before they are told to only by a panic of theirs.
        if sent { Ok(()) } else { Err(GraphError::Interrupted) }
    }

    /// Sorts what is left, and ends the threads.
    pub(crate) fn finish(mut self) -> Result<Runs, GraphError> {
        if !self.chunk.is_empty() {
            let beside = self.chunks.min(self.shared.plan.workers) * self.chunk.capacity();
            let records = self.chunks * self.chunk.capacity() + beside;
            self.taken.set((records * Record::<K, W>::BYTES) as u64);
            self.send()?;
        }
        self.jobs = None;
        for result in &self.done {
            result?;
        }
        for thread in self.threads.drain(..) {
            if let Err(panic) = thread.join() {
                std::panic::resume_unwind(panic);
            }
        }
        let shared = Arc::try_unwrap(self.shared).map_err(|_| GraphError::Interrupted)?;
        let mut runs = shared.runs.into_inner().unwrap_or_else(PoisonError::into_inner);
        runs.sort_unstable_by_key(|(number, _)| *number);
        let runs: Vec<Run> = runs.into_iter().map(|(_, run)| run).collect();
        let in_files = runs.iter().filter(|run| matches!(run.place, Place::File { .. })).count() as u64;
        let spilled = (in_files, shared.spill.len());
        Ok(Runs { runs, spill: shared.spill, unique: shared.unique, spilled })
    }
}

impl Shared {
    /// Sorts a chunk, writes it as a run, and gives it back empty.
    fn sort<K: Key, W: Weight>(
        &self,
        number: usize,
        mut chunk: Vec<Record<K, W>>,
        beside: &mut Vec<Record<K, W>>,
    ) -> Result<Vec<Record<K, W>>, GraphError> {
        self.plan.check_stop()?;
        let (high, low) = chunk
            .iter()
            .fold((0, 0), |(high, low), record| (high | record.key.high(), low | record.key.low()));
        let low_bits = 64 - low.leading_zeros();
        for record in &mut chunk {
            record.key = record.key.squeeze(low_bits);
        }
        radix::sort(&mut chunk, beside, 64 - high.leading_zeros() + low_bits);
        if self.unique {
            chunk.dedup_by(|next, kept| {
                let same = next.key == kept.key;
                if same {
                    kept.weight = kept.weight.least(next.weight);
                }
                same
            });
        }
        let place = self.write(&chunk)?;
        let run = Run { low_bits, records: chunk.len() as u64, place };
        self.runs.lock().unwrap_or_else(PoisonError::into_inner).push((number, run));
        chunk.clear();
        Ok(chunk)
    }

    fn write<K: Key, W: Weight>(&self, chunk: &[Record<K, W>]) -> Result<Place, GraphError> {
        let bytes = run::code_bytes(chunk);
        let mut before = K::default();
        if self.stays(bytes) {
            let mut code = Vec::with_capacity(bytes as usize + READ_SLACK + 8);
            for record in chunk {
                run::append(*record, &mut before, &mut code);
            }
            code.extend_from_slice(&[0; READ_SLACK + 8]);
            let taken = self.plan.take(code.len() as u64);
            return Ok(Place::Memory(code, taken));
        }
        let start = self.spill.reserve(bytes);
        let mut at = start;
        let mut code = Vec::with_capacity(self.plan.buffer() + 64);
        let _taken = self.plan.take(code.capacity() as u64);
        for record in chunk {
            run::append(*record, &mut before, &mut code);
            if code.len() >= self.plan.buffer() {
                self.plan.check_stop()?;
                self.spill.write(&code, at)?;
                at += code.len() as u64;
                code.clear();
            }
        }
        self.spill.write(&code, at)?;
        Ok(Place::File { at: start, bytes })
    }

    /// Whether so many bytes may stay in memory; they are counted then.
    fn stays(&self, bytes: u64) -> bool {
        let mut room = self.room.lock().unwrap_or_else(PoisonError::into_inner);
        match room.checked_sub(bytes) {
            Some(left) => {
                *room = left;
                true
            }
            None => false,
        }
    }
}
