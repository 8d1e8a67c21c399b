//! `mixed-scan`: point requests by Zipf's law with a scan now and then, which is what drives hot pages out of
//! a pool that knows only recency (Johnson and Shasha, "2Q", VLDB 1994).

use super::options::{GeneratorInfo, Options, options};
use super::skewed::{PAGES_MAX, PageSampler};
use super::{GeneratedTrace, Generator, page, writes};
use crate::{Request, Trace};

pub(super) const INFO: GeneratorInfo = GeneratorInfo {
    name: "mixed-scan",
    about: "as zipf, and behind every `every` requests a scan of `scan` pages that goes on where the last one ended",
    options: options! {
        "pages" = "1000000", "ops" = "2000000", "theta" = "0.99", "reads" = "50", "seed" = "1", "scrambled" = "1",
        "every" = "100000", "scan" = "20000",
    },
};

struct Mixed {
    skewed: PageSampler,
    reads: f64,
    random: fastrand::Rng,
    pages: u64,
    every: u64,
    scan: u64,
    /// Place within a turn of `every` requests and a scan; the page that the scan is at.
    turn: u64,
    scanned: u64,
}

pub(super) fn make(_: &'static str, options: &Options) -> Result<Box<dyn Trace>, String> {
    let mixed = Mixed {
        skewed: PageSampler::new(options)?,
        reads: options.number("reads", 0.0..=100.0)?,
        random: fastrand::Rng::with_seed(options.count("seed", 0..=u64::MAX)?),
        pages: options.count("pages", 1..=PAGES_MAX)?,
        every: options.count("every", 1..=PAGES_MAX)?,
        scan: options.count("scan", 1..=PAGES_MAX)?,
        turn: 0,
        scanned: 0,
    };
    Ok(GeneratedTrace::boxed(mixed, options.ops()?))
}

impl Generator for Mixed {
    fn request(&mut self) -> Request {
        let turn = self.turn;
        self.turn = (turn + 1) % (self.every + self.scan);
        if turn < self.every {
            let at = self.skewed.page(&mut self.random);
            return page(writes(&mut self.random, self.reads), at);
        }
        let at = self.scanned;
        self.scanned = (at + 1) % self.pages;
        page(false, at)
    }
}
