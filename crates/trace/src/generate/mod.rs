//! Traces that are made up as they are read: `gen:NAME?key=value&key=value`.
//!
//! One file a generator. The same name and options give the same requests, always. None has times, all count
//! in pages.

mod glibc;
mod looped;
mod mixed;
mod msr;
mod options;
mod paper;
mod scan;
mod skewed;
mod uniform;
mod ycsb;

use crate::{Request, Trace, TraceError, Unit};
use options::Options;
pub use options::{GeneratorInfo, OptionInfo};

/// What the name of a generated trace begins with.
pub const GENERATOR: &str = "gen:";

/// All generators, in the order of the docs.
pub fn generators() -> impl Iterator<Item = &'static GeneratorInfo> {
    KINDS.iter().map(|(info, _)| info)
}

/// Makes a generator from its options.
type Make = fn(&'static str, &Options) -> Result<Box<dyn Trace>, String>;

const KINDS: [(GeneratorInfo, Make); 19] = [
    (paper::MS, paper::make),
    (paper::WIS, paper::make),
    (paper::RIS, paper::make),
    (paper::MU, paper::make),
    (skewed::INFO, skewed::make),
    (uniform::INFO, uniform::make),
    (scan::INFO, scan::make),
    (looped::INFO, looped::make),
    (mixed::INFO, mixed::make),
    (ycsb::A, ycsb::make),
    (ycsb::B, ycsb::make),
    (ycsb::C, ycsb::make),
    (ycsb::D, ycsb::make),
    (ycsb::E, ycsb::make),
    (ycsb::F, ycsb::make),
    (msr::PRN_1, msr::make),
    (msr::PROJ_0, msr::make),
    (msr::USR_2, msr::make),
    (msr::WEB_2, msr::make),
];

/// The trace that `spec` describes, the name without [`GENERATOR`].
pub(crate) fn open(spec: &str) -> Result<Box<dyn Trace>, TraceError> {
    let (name, pairs) = spec.split_once('?').unwrap_or((spec, ""));
    let wrong = |reason| TraceError::Name { name: format!("{GENERATOR}{spec}"), reason };
    let Some((info, make)) = KINDS.iter().find(|(info, _)| info.name == name) else {
        let names: Vec<&str> = generators().map(|info| info.name).collect();
        return Err(wrong(format!("is not the name of a generator; there are {}", names.join(", "))));
    };
    let options = Options::parse(info, pairs).map_err(wrong)?;
    make(info.name, &options).map_err(wrong)
}

/// Requests without an end, each made when it is asked for.
trait Generator: Send {
    fn request(&mut self) -> Request;
}

/// The first that many requests of a generator.
struct GeneratedTrace<G> {
    generator: G,
    left: u64,
    total: u64,
}

impl<G: Generator + 'static> GeneratedTrace<G> {
    fn boxed(generator: G, total: u64) -> Box<dyn Trace> {
        Box::new(GeneratedTrace { generator, left: total, total })
    }
}

impl<G: Generator> Trace for GeneratedTrace<G> {
    fn unit(&self) -> Unit {
        Unit::Page
    }

    #[inline]
    fn next(&mut self) -> Result<Option<Request>, TraceError> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        Ok(Some(self.generator.request()))
    }

    fn remaining(&self) -> Option<u64> {
        Some(self.left)
    }

    fn progress(&self) -> Option<f64> {
        Some(1.0 - self.left as f64 / self.total.max(1) as f64)
    }
}

/// A request of `length` pages.
fn pages(write: bool, address: u64, length: u32) -> Request {
    Request { at_ns: 0, volume: 0, write, address, length }
}

/// A request of one page.
fn page(write: bool, address: u64) -> Request {
    pages(write, address, 1)
}

/// Whether the next request writes, where `reads` percent do not.
fn writes(random: &mut fastrand::Rng, reads: f64) -> bool {
    random.f64() * 100.0 >= reads
}
