//! What a run of all tests took: a line per crate, the slowest tests, and the failures once more.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::output::Counts;
use super::queue::Ran;
use super::seconds;
use crate::run::say;

const SLOWEST: usize = 20;

/// What was not run.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Programs that passed and are as they were.
    pub(super) passed: Vec<String>,
    /// What only `--all` runs.
    pub(super) to_all: Option<BTreeSet<String>>,
}

pub(super) fn print(ran: &[Ran], left: &Left) {
    say("\ntime per crate, programs added up:");
    for (krate, (time, counts)) in crates(ran) {
        say(&format!("{:>9}  {krate}, {} tests", seconds(time), counts.total()));
    }
    say("\nslowest tests:");
    for (time, name) in slowest(ran) {
        say(&format!("{:>9}  {name}", seconds(time)));
    }
    left.print();
    say("");
    for ran in ran {
        for name in &ran.failed {
            say(&format!("FAILED {} {}: {name}", ran.krate, ran.name));
        }
    }
}

impl Left {
    fn print(&self) {
        if !self.passed.is_empty() {
            say("\nnot run, since they passed and are as they were (`cargo xtask test --again` runs them):");
            self.passed.iter().for_each(|program| say(&format!("  {program}")));
        }
        if let Some(programs) = &self.to_all {
            say("\nnot run, since only `cargo xtask test --all` does:");
            programs.iter().for_each(|program| say(&format!("  {program}")));
            say("  lints, documentation, packages, the Python package, benchmarks and examples");
        }
    }
}

fn crates(ran: &[Ran]) -> BTreeMap<&str, (Duration, Counts)> {
    let mut crates = BTreeMap::<&str, (Duration, Counts)>::new();
    for ran in ran {
        let (time, counts) = crates.entry(&ran.krate).or_default();
        *time += ran.time;
        counts.add(ran.counts);
    }
    crates
}

fn slowest(ran: &[Ran]) -> Vec<(Duration, String)> {
    let named = |ran: &Ran| {
        let program = format!("{} {}", ran.krate, ran.name);
        ran.tests.iter().map(move |test| (test.time, format!("{program} {}", test.name))).collect::<Vec<_>>()
    };
    let mut all: Vec<(Duration, String)> = ran.iter().flat_map(named).collect();
    all.sort_by(|a, b| b.cmp(a));
    all.truncate(SLOWEST);
    all
}
