//! What is done to which page next.

use std::path::Path;

use anyhow::{Context as _, Result};

/// What is done to a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    Read(u64),
    Write(u64),
    /// Written whole, without being read.
    Replace(u64),
}

/// Pages in the order in which a program asks for them.
pub(crate) enum Pages {
    Uniform(u64),
    /// Cumulative weights of ranks 1 to the number of pages.
    Zipf(Vec<f64>),
    /// Again and again, from the position that comes first.
    Trace {
        steps: Vec<Step>,
        at: usize,
    },
}

impl Pages {
    /// `uniform`, `zipf`, or a trace file of lines `R 15` and `W 17`.
    pub(crate) fn new(name: &str, pages: u64) -> Result<Pages> {
        match name {
            "uniform" => Ok(Pages::Uniform(pages)),
            "zipf" => {
                let weights = (1..=pages).scan(0.0, |sum, rank| {
                    *sum += (rank as f64).powf(-0.8);
                    Some(*sum)
                });
                Ok(Pages::Zipf(weights.collect()))
            }
            path => Ok(Pages::Trace { steps: steps(Path::new(path))?, at: 0 }),
        }
    }

    /// Pages of a trace: one more than the highest.
    pub(crate) fn of_trace(path: &Path) -> Result<u64> {
        Ok(steps(path)?.iter().map(|step| step.page() + 1).max().unwrap_or(0))
    }

    pub(crate) fn next(&mut self, random: &mut fastrand::Rng) -> Step {
        match self {
            Pages::Uniform(pages) => Step::Replace(random.u64(..*pages)),
            Pages::Zipf(sums) => {
                let at = random.f64() * sums.last().copied().unwrap_or(1.0);
                let rank = sums.partition_point(|sum| *sum < at) as u64;
                // Popular pages lie all over the drive: a step that has no factor in common with the pages.
                Step::Replace((rank * 1_000_003) % sums.len() as u64)
            }
            Pages::Trace { steps, at } => {
                let step = steps[*at];
                *at = (*at + 1) % steps.len();
                step
            }
        }
    }
}

impl Step {
    fn page(self) -> u64 {
        match self {
            Step::Read(page) | Step::Write(page) | Step::Replace(page) => page,
        }
    }
}

fn steps(path: &Path) -> Result<Vec<Step>> {
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let step = |(line, text): (usize, &str)| {
        let page = text.get(2..).and_then(|page| page.parse().ok());
        let step = match (text.get(..2), page) {
            (Some("R "), Some(page)) => Some(Step::Read(page)),
            (Some("W "), Some(page)) => Some(Step::Write(page)),
            _ => None,
        };
        step.with_context(|| format!("{}:{}: not `R PAGE` or `W PAGE`", path.display(), line + 1))
    };
    let steps = text.lines().enumerate().map(step).collect::<Result<Vec<_>>>()?;
    anyhow::ensure!(!steps.is_empty(), "{}: no page is asked for", path.display());
    Ok(steps)
}
