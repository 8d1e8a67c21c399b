//! Terminals that run transactions one after the other, without thinking or typing in between.

mod mix;
mod report;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;

pub use mix::Mix;
pub use report::{KindReport, Report};

use crate::StoreError;
use crate::accesses::{Counts, TraceFile};
use crate::database::Database;
use crate::transaction::Input;
use report::Tally;

/// When a run ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stop {
    /// After so many transactions of all terminals together.
    Transactions(u64),
    /// After the transaction with which the page accesses of all terminals together reach this number.
    Accesses(u64),
    /// After this time.
    Time(Duration),
}

/// What is run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunConfig {
    /// Threads, each with one transaction at a time; at least 1.
    pub terminals: u32,
    /// When it ends.
    pub stop: Stop,
    /// Which transactions.
    pub mix: Mix,
    /// One terminal and one seed give one sequence of page accesses.
    pub seed: u64,
}

/// What the terminals share.
struct Run<'a> {
    db: &'a Database,
    config: &'a RunConfig,
    trace: Option<&'a TraceFile>,
    /// Asks for an early end.
    cancel: &'a AtomicBool,
    started: Instant,
    transactions: AtomicU64,
    accesses: AtomicU64,
    /// One terminal failed: the others need not go on.
    over: AtomicBool,
}

/// Runs transactions until `config.stop`, or `cancel` is set, then makes a checkpoint, whose bytes count but
/// whose time does not. Page accesses go to `trace` if there is one.
///
/// # Errors
/// The first [`StoreError`] of a terminal.
pub fn run(
    db: &Database,
    config: &RunConfig,
    trace: Option<&TraceFile>,
    cancel: &AtomicBool,
) -> Result<Report, StoreError> {
    db.take_commits();
    let written = db.map().written_bytes();
    let shared = Run {
        db,
        config,
        trace,
        cancel,
        started: Instant::now(),
        transactions: AtomicU64::new(0),
        accesses: AtomicU64::new(0),
        over: AtomicBool::new(false),
    };
    let tallies: Vec<Result<Tally, StoreError>> = std::thread::scope(|scope| {
        let terminals: Vec<_> = (0..config.terminals.max(1))
            .map(|number| {
                let shared = &shared;
                scope.spawn(move || shared.terminal(number))
            })
            .collect();
        terminals.into_iter().map(|terminal| terminal.join().unwrap_or(Err(StoreError::Panicked))).collect()
    });
    let seconds = shared.started.elapsed().as_secs_f64();
    let mut all = Tally::default();
    for tally in tallies {
        all.add(&tally?);
    }
    db.map().checkpoint()?;
    let written = db.map().written_bytes() - written;
    Ok(all.report(seconds, &db.take_commits(), written))
}

impl Run<'_> {
    fn terminal(&self, number: u32) -> Result<Tally, StoreError> {
        let mut rng =
            Rng::with_seed(self.config.seed.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9)));
        let mut tally = Tally::default();
        while self.goes_on() {
            let kind = self.config.mix.draw(&mut rng);
            let input = Input::draw(kind, &mut rng, self.db.scale);
            let started = Instant::now();
            let (outcome, accesses) = leadline_pool::accesses_of(|| input.run(self.db));
            let latency = started.elapsed();
            let outcome = outcome.inspect_err(|_| self.over.store(true, Ordering::Relaxed))?;
            if let Some(trace) = self.trace {
                trace.append(&accesses);
            }
            let accesses = Counts::of(&accesses);
            self.accesses.fetch_add(accesses.total(), Ordering::Relaxed);
            tally.record(kind, outcome, latency, accesses);
        }
        Ok(tally)
    }

    /// Whether another transaction is to be run; counts it if so.
    fn goes_on(&self) -> bool {
        if self.over.load(Ordering::Relaxed) || self.cancel.load(Ordering::Relaxed) {
            return false;
        }
        let so_far = self.transactions.fetch_add(1, Ordering::Relaxed);
        match self.config.stop {
            Stop::Transactions(most) => so_far < most,
            Stop::Accesses(most) => self.accesses.load(Ordering::Relaxed) < most,
            Stop::Time(most) => self.started.elapsed() < most,
        }
    }
}
