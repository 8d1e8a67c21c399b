//! `zipf`: pages by Zipf's law.

use super::options::{GeneratorInfo, Options, options};
use super::{GeneratedTrace, Generator, page, writes};
use crate::{Request, Scatter, Trace, Zipf};

pub(super) const INFO: GeneratorInfo = GeneratorInfo {
    name: "zipf",
    about: "pages by Zipf's law: the i-th most popular has weight 1 / i^theta",
    options: options! {
        "pages" = "1000000", "ops" = "2000000", "theta" = "0.99", "reads" = "50", "seed" = "1", "scrambled" = "1",
    },
};

/// Most pages of a generator; sums of them stay far from 2^64, and doubles count them exactly.
pub(super) const PAGES_MAX: u64 = 1 << 40;

/// Pages by Zipf's law, in the order of their numbers or scattered.
pub(super) struct PageSampler {
    zipf: Zipf,
    scatter: Option<Scatter>,
}

impl PageSampler {
    /// From `pages`, `theta` and `scrambled`.
    pub(super) fn new(options: &Options) -> Result<PageSampler, String> {
        let pages = options.count("pages", 1..=PAGES_MAX)?;
        let theta = options.number("theta", 0.0..=2.0)?;
        let scrambled = options.count("scrambled", 0..=1)? == 1;
        Ok(PageSampler { zipf: Zipf::new(pages, theta), scatter: scrambled.then(|| Scatter::new(pages)) })
    }

    pub(super) fn page(&self, random: &mut fastrand::Rng) -> u64 {
        let rank = self.zipf.sample(random);
        self.scatter.as_ref().map_or(rank, |scatter| scatter.place(rank))
    }
}

struct ZipfTrace {
    skewed: PageSampler,
    reads: f64,
    random: fastrand::Rng,
}

pub(super) fn make(_: &'static str, options: &Options) -> Result<Box<dyn Trace>, String> {
    let trace = ZipfTrace {
        skewed: PageSampler::new(options)?,
        reads: options.number("reads", 0.0..=100.0)?,
        random: fastrand::Rng::with_seed(options.count("seed", 0..=u64::MAX)?),
    };
    Ok(GeneratedTrace::boxed(trace, options.ops()?))
}

impl Generator for ZipfTrace {
    fn request(&mut self) -> Request {
        let at = self.skewed.page(&mut self.random);
        page(writes(&mut self.random, self.reads), at)
    }
}
