//! `scan`: all pages in order, again and again.

use super::options::{GeneratorInfo, Options, options};
use super::skewed::PAGES_MAX;
use super::{GeneratedTrace, Generator, pages, writes};
use crate::{Request, Trace};

pub(super) const INFO: GeneratorInfo = GeneratorInfo {
    name: "scan",
    about: "all pages in order, again and again, `run` pages per request",
    options: options! { "pages" = "1000000", "ops" = "2000000", "run" = "1", "reads" = "100", "seed" = "1" },
};

struct Scan {
    pages: u64,
    run: u64,
    next: u64,
    reads: f64,
    random: fastrand::Rng,
}

pub(super) fn make(_: &'static str, options: &Options) -> Result<Box<dyn Trace>, String> {
    let scan = Scan {
        pages: options.count("pages", 1..=PAGES_MAX)?,
        run: options.count("run", 1..=1 << 20)?,
        next: 0,
        reads: options.number("reads", 0.0..=100.0)?,
        random: fastrand::Rng::with_seed(options.count("seed", 0..=u64::MAX)?),
    };
    Ok(GeneratedTrace::boxed(scan, options.ops()?))
}

impl Generator for Scan {
    fn request(&mut self) -> Request {
        let at = self.next;
        // The last request of a pass ends with the pages.
        let length = self.run.min(self.pages - at);
        self.next = if at + length == self.pages { 0 } else { at + length };
        pages(writes(&mut self.random, self.reads), at, length as u32)
    }
}
