//! Runs a target on mutated inputs and counts.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};

use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

use crate::Target;
use crate::mutate::plans;

/// Inputs between two looks at the clock; each such batch has a seed of its own.
const BATCH: u64 = 1000;

/// When a run ends.
#[derive(Debug, Clone, Copy)]
pub enum Budget {
    /// After so many inputs.
    Inputs(u64),
    /// After so long.
    Time(Duration),
}

impl Budget {
    /// How many inputs come next; 0 at the end.
    fn next(self, tried: u64, since: Instant) -> u64 {
        match self {
            Budget::Inputs(all) => BATCH.min(all - tried),
            Budget::Time(all) => BATCH * u64::from(since.elapsed() < all),
        }
    }
}

/// What a run came to.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Inputs that were read.
    pub inputs: u64,
    /// How many got past the header.
    pub past_header: u64,
    /// The first input that made the reader panic.
    pub failure: Option<Failure>,
}

/// An input that made the reader panic, made as small as it gets.
#[derive(Debug, Clone)]
pub struct Failure {
    /// What the panic said.
    pub reason: String,
    /// The input.
    pub input: Vec<u8>,
}

/// Reads mutated inputs until the budget is spent or one makes the reader panic. `seed` chooses the inputs:
/// the same one, the same inputs. Each input is written to `kept`, where there is such a file, before it is
/// read. `progress` is told what was done so far, now and then.
pub fn run(
    target: &mut dyn Target,
    budget: Budget,
    seed: u64,
    kept: Option<&File>,
    progress: &mut dyn FnMut(&Report),
) -> Report {
    let (seeds, words, since) = (target.seeds(), target.words(), Instant::now());
    let strategy = plans(target.binary());
    let mut report = Report::default();
    loop {
        let now = budget.next(report.inputs, since);
        if now == 0 {
            return report;
        }
        let (inputs, past_header) = (Cell::new(0), Cell::new(0));
        let target = RefCell::new(&mut *target);
        let input = |plan: &crate::mutate::Plan| {
            let mut input = plan.apply(&seeds, words);
            target.borrow().seal(&mut input);
            input
        };
        let outcome = runner(now, seed, report.inputs).run(&strategy, |plan| {
            let bytes = input(&plan);
            keep(kept, &bytes).map_err(|error| TestCaseError::fail(format!("keeping the input: {error}")))?;
            inputs.set(inputs.get() + 1);
            past_header.set(past_header.get() + u64::from(target.borrow_mut().read(&bytes)));
            Ok(())
        });
        report.inputs += inputs.get();
        report.past_header += past_header.get();
        match outcome {
            Ok(()) => progress(&report),
            Err(error) => {
                let reason = error.to_string();
                let input = if let TestError::Fail(_, plan) = &error { input(plan) } else { Vec::new() };
                report.failure = Some(Failure { reason, input });
                return report;
            }
        }
    }
}

fn runner(inputs: u64, seed: u64, batch: u64) -> TestRunner {
    let config = Config {
        cases: u32::try_from(inputs).unwrap_or(u32::MAX),
        failure_persistence: None,
        max_shrink_iters: 2000,
        ..Config::default()
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&batch.to_le_bytes());
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

fn keep(file: Option<&File>, input: &[u8]) -> std::io::Result<()> {
    let Some(file) = file else { return Ok(()) };
    file.write_all_at(input, 0)?;
    file.set_len(input.len() as u64)
}
