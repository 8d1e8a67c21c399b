//! What came of a run.

use std::time::Duration;

use hdrhistogram::Histogram;
use serde::Serialize;

use crate::accesses::Counts;
use crate::database::{LONGEST_NS, histogram};
use crate::transaction::{Kind, Outcome};

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// From its begin to the end of the last transaction.
    pub seconds: f64,
    /// New-Order transactions a minute, without those rolled back. Not an official tpmC: see the docs.
    pub tpmc: f64,
    /// Transactions, with those rolled back.
    pub transactions: u64,
    /// Transactions a second, with those rolled back.
    pub transactions_per_s: f64,
    /// Bytes that the index wrote per transaction: log, nodes, and what cleaning moved.
    pub bytes_written_per_transaction: f64,
    /// Commits; Delivery makes up to ten.
    pub commits: u64,
    /// Median time of a commit, microseconds; 0 where there were none.
    pub commit_p50_us: f64,
    /// 99th percentile, microseconds.
    pub commit_p99_us: f64,
    /// Page accesses of all transactions.
    pub accesses: Counts,
    /// Each kind, in the order of TPC-C.
    pub kinds: Vec<KindReport>,
}

/// What came of one kind of transaction.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KindReport {
    /// Which.
    pub kind: &'static str,
    /// How many, with those rolled back.
    pub transactions: u64,
    /// Of them, rolled back.
    pub rolled_back: u64,
    /// Page accesses.
    pub accesses: Counts,
    /// Median latency, microseconds; 0 where there were none.
    pub p50_us: f64,
    /// 99th percentile, microseconds.
    pub p99_us: f64,
}

/// One terminal's count, or that of several.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    kinds: [KindTally; 5],
}

#[derive(Debug, Clone)]
struct KindTally {
    transactions: u64,
    rolled_back: u64,
    accesses: Counts,
    latency_ns: Histogram<u64>,
}

impl Default for KindTally {
    fn default() -> Self {
        KindTally { transactions: 0, rolled_back: 0, accesses: Counts::default(), latency_ns: histogram() }
    }
}

impl Tally {
    pub(super) fn record(&mut self, kind: Kind, outcome: Outcome, latency: Duration, accesses: Counts) {
        let tally = &mut self.kinds[kind as usize];
        tally.transactions += 1;
        tally.rolled_back += u64::from(outcome == Outcome::RolledBack);
        tally.accesses += accesses;
        tally.latency_ns.saturating_record(u64::try_from(latency.as_nanos()).unwrap_or(LONGEST_NS));
    }

    pub(super) fn add(&mut self, other: &Tally) {
        for (mine, theirs) in self.kinds.iter_mut().zip(&other.kinds) {
            mine.transactions += theirs.transactions;
            mine.rolled_back += theirs.rolled_back;
            mine.accesses += theirs.accesses;
            for value in theirs.latency_ns.iter_recorded() {
                mine.latency_ns.saturating_record_n(value.value_iterated_to(), value.count_at_value());
            }
        }
    }

    pub(super) fn report(&self, seconds: f64, commits: &Histogram<u64>, written: u64) -> Report {
        let kinds: Vec<KindReport> =
            Kind::ALL.into_iter().zip(&self.kinds).map(|(kind, tally)| tally.report(kind)).collect();
        let mut accesses = Counts::default();
        kinds.iter().for_each(|kind| accesses += kind.accesses);
        let committed =
            kinds[Kind::NewOrder as usize].transactions - kinds[Kind::NewOrder as usize].rolled_back;
        let transactions: u64 = kinds.iter().map(|kind| kind.transactions).sum();
        let per_second = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        Report {
            seconds,
            tpmc: 60.0 * per_second(committed),
            transactions,
            transactions_per_s: per_second(transactions),
            bytes_written_per_transaction: written as f64 / transactions.max(1) as f64,
            commits: commits.len(),
            commit_p50_us: us(commits, 0.5),
            commit_p99_us: us(commits, 0.99),
            accesses,
            kinds,
        }
    }
}

impl KindTally {
    fn report(&self, kind: Kind) -> KindReport {
        KindReport {
            kind: kind.name(),
            transactions: self.transactions,
            rolled_back: self.rolled_back,
            accesses: self.accesses,
            p50_us: us(&self.latency_ns, 0.5),
            p99_us: us(&self.latency_ns, 0.99),
        }
    }
}

fn us(latencies_ns: &Histogram<u64>, quantile: f64) -> f64 {
    latencies_ns.value_at_quantile(quantile) as f64 / 1000.0
}
