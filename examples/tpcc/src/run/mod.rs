//! Terminals that run transactions one after the other, without thinking or typing in between.

mod mix;
mod report;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use fastrand::Rng;

pub use mix::Mix;
pub use report::{KindReport, Report};

use crate::StoreError;
use crate::database::Database;
use crate::pages::{Pages, RecordingPages, TraceFile};
use crate::transaction::Input;
use report::Tally;

/// No transaction makes more pages: 15 order lines, each with a page of rows and a split of every level of
/// its index.
const PAGES_A_TRANSACTION: u64 = 128;

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
struct Run<'a, P> {
    db: &'a Database,
    pages: &'a P,
    config: &'a RunConfig,
    trace: Option<&'a TraceFile>,
    /// Asks for an early end.
    cancel: &'a AtomicBool,
    started: Instant,
    transactions: AtomicU64,
    accesses: AtomicU64,
    /// One terminal failed, or the pages are used up: the others need not go on.
    over: AtomicBool,
    full: AtomicBool,
}

/// Runs transactions until `config.stop`, or `cancel` is set, or the database is full. Page accesses go to
/// `trace` if there is one.
///
/// # Errors
/// The first [`StoreError`] of a terminal; the database must not be used any more then.
pub fn run<P: Pages + Sync>(
    db: &Database,
    pages: &P,
    config: &RunConfig,
    trace: Option<&TraceFile>,
    cancel: &AtomicBool,
) -> Result<Report, StoreError> {
    let shared = Run {
        db,
        pages,
        config,
        trace,
        cancel,
        started: Instant::now(),
        transactions: AtomicU64::new(0),
        accesses: AtomicU64::new(0),
        over: AtomicBool::new(false),
        full: AtomicBool::new(false),
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
    Ok(all.report(seconds, shared.full.load(Ordering::Relaxed)))
}

impl<P: Pages> Run<'_, P> {
    fn terminal(&self, number: u32) -> Result<Tally, StoreError> {
        let mut rng =
            Rng::with_seed(self.config.seed.wrapping_add(u64::from(number).wrapping_mul(0x9e37_79b9)));
        let pages = RecordingPages::new(self.pages, self.trace);
        let mut tally = Tally::default();
        while self.goes_on() {
            let kind = self.config.mix.draw(&mut rng);
            let input = Input::draw(kind, &mut rng, self.db.scale);
            let (before, started) = (pages.counts(), Instant::now());
            let outcome = match input.run(self.db, &pages) {
                Ok(outcome) => outcome,
                Err(error) => {
                    self.over.store(true, Ordering::Relaxed);
                    return Err(error);
                }
            };
            let accesses = pages.counts().since(before);
            self.accesses.fetch_add(accesses.total(), Ordering::Relaxed);
            tally.record(kind, outcome, started.elapsed(), accesses);
        }
        Ok(tally)
    }

    /// Whether another transaction is to be run; counts it if so.
    fn goes_on(&self) -> bool {
        if self.over.load(Ordering::Relaxed) || self.cancel.load(Ordering::Relaxed) {
            return false;
        }
        if self.pages.pages_left() < PAGES_A_TRANSACTION * u64::from(self.config.terminals) {
            self.full.store(true, Ordering::Relaxed);
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
