//! `loop`: a span of pages in order, several times, then the next span; as the inner table of a nested-loop
//! join is read.
//!
//! The pattern that recency cannot see through (Kim et al., "A Low-Overhead High-Performance Unified Buffer
//! Management Scheme that Exploits Sequential and Looping References", OSDI 2000).

use super::options::{GeneratorInfo, Options, options};
use super::skewed::PAGES_MAX;
use super::{GeneratedTrace, Generator, page, writes};
use crate::{Request, Trace};

pub(super) const INFO: GeneratorInfo = GeneratorInfo {
    name: "loop",
    about: "`span` pages in order, `rounds` times, then the next span; from the first again behind the last",
    options: options! {
        "pages" = "1000000", "ops" = "2000000", "span" = "10000", "rounds" = "10", "reads" = "100", "seed" = "1",
    },
};

struct Loop {
    pages: u64,
    span: u64,
    rounds: u64,
    /// First page of the span, page within it, round.
    first: u64,
    next: u64,
    round: u64,
    reads: f64,
    random: fastrand::Rng,
}

pub(super) fn make(_: &'static str, options: &Options) -> Result<Box<dyn Trace>, String> {
    let trace = Loop {
        pages: options.count("pages", 1..=PAGES_MAX)?,
        span: options.count("span", 1..=PAGES_MAX)?,
        rounds: options.count("rounds", 1..=u64::MAX)?,
        first: 0,
        next: 0,
        round: 0,
        reads: options.number("reads", 0.0..=100.0)?,
        random: fastrand::Rng::with_seed(options.count("seed", 0..=u64::MAX)?),
    };
    Ok(GeneratedTrace::boxed(trace, options.ops()?))
}

impl Generator for Loop {
    fn request(&mut self) -> Request {
        let at = self.first + self.next;
        self.next += 1;
        let end = self.span.min(self.pages - self.first);
        if self.next == end {
            self.next = 0;
            self.round += 1;
        }
        if self.round == self.rounds {
            self.round = 0;
            self.first = if self.first + end == self.pages { 0 } else { self.first + end };
        }
        page(writes(&mut self.random, self.reads), at)
    }
}
