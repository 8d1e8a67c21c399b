//! `uniform`: every page as likely as any other.

use super::options::{GeneratorInfo, Options, options};
use super::skewed::PAGES_MAX;
use super::{GeneratedTrace, Generator, page, writes};
use crate::{Request, Trace};

pub(super) const INFO: GeneratorInfo = GeneratorInfo {
    name: "uniform",
    about: "every page as likely as any other",
    options: options! { "pages" = "1000000", "ops" = "2000000", "reads" = "50", "seed" = "1" },
};

struct Uniform {
    pages: u64,
    reads: f64,
    random: fastrand::Rng,
}

pub(super) fn make(_: &'static str, options: &Options) -> Result<Box<dyn Trace>, String> {
    let uniform = Uniform {
        pages: options.count("pages", 1..=PAGES_MAX)?,
        reads: options.number("reads", 0.0..=100.0)?,
        random: fastrand::Rng::with_seed(options.count("seed", 0..=u64::MAX)?),
    };
    Ok(GeneratedTrace::boxed(uniform, options.ops()?))
}

impl Generator for Uniform {
    fn request(&mut self) -> Request {
        let at = self.random.u64(0..self.pages);
        page(writes(&mut self.random, self.reads), at)
    }
}
