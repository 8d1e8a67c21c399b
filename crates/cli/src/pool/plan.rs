//! Which pools a sweep consists of.

use std::ffi::{OsStr, OsString};

use leadline_pool::ace::{Ace, Cleaner};
use leadline_pool::policy::PolicyKind;
use leadline_pool::simulate::Config;
use leadline_trace::GENERATOR;

use crate::failure::Failure;

/// The dimensions of a sweep, each with its values.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Dimensions {
    pub(super) policies: Vec<PolicyKind>,
    pub(super) aces: Vec<Ace>,
    pub(super) ns: Vec<BatchSize>,
    pub(super) cleaners: Vec<Cleaner>,
    pub(super) clients: Vec<u32>,
    pub(super) sizes: Vec<PoolSize>,
    /// Percent; `None` leaves the trace as it is.
    pub(super) read_shares: Vec<Option<f64>>,
    /// `None` leaves the device as it is.
    pub(super) alphas: Vec<Option<f64>>,
}

/// How much a pool holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum PoolSize {
    /// Pages, or objects whatever their sizes.
    Frames(u32),
    /// Bytes of objects.
    Bytes(u64),
}

impl PoolSize {
    /// Pages; of bytes of objects it is not known how many they are.
    pub(super) fn frames(self) -> u32 {
        match self {
            PoolSize::Frames(frames) => frames,
            PoolSize::Bytes(_) => u32::MAX,
        }
    }
}

/// Pages written at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BatchSize {
    pub(super) n: u32,
    /// Only where the search for the best begins.
    pub(super) adaptive: bool,
}

/// One pool to simulate.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Cell {
    /// Its trace.
    pub(super) trace: OsString,
    pub(super) config: Config,
    pub(super) read_share: Option<f64>,
    pub(super) alpha_1: Option<f64>,
}

impl Dimensions {
    /// Their product, each different pool once: n is the pool's size where it is larger, and 1 where nothing
    /// is written several at a time.
    ///
    /// # Errors
    /// [`Failure::Input`]: the trace has no share of reads to set.
    pub(super) fn cells(&self, trace: &OsStr, page_bytes: u32) -> Result<Vec<Cell>, Failure> {
        let mut cells: Vec<Cell> = Vec::new();
        for &read_share in &self.read_shares {
            let trace = with_read_share(trace, read_share)?;
            for &alpha_1 in &self.alphas {
                for config in self.configs(page_bytes) {
                    let cell = Cell { trace: trace.clone(), config, read_share, alpha_1 };
                    if !cells.contains(&cell) {
                        cells.push(cell);
                    }
                }
            }
        }
        Ok(cells)
    }

    fn configs(&self, page_bytes: u32) -> Vec<Config> {
        let mut configs = Vec::new();
        for &size in &self.sizes {
            let (frames, cache_bytes) = match size {
                PoolSize::Frames(frames) => (frames, None),
                PoolSize::Bytes(bytes) => (1, Some(bytes)),
            };
            for &clients in &self.clients {
                for &policy in &self.policies {
                    for &cleaner in &self.cleaners {
                        for (&ace, &BatchSize { n, adaptive }) in product(&self.aces, &self.ns) {
                            let single = ace == Ace::Off && cleaner != Cleaner::Auto;
                            let (n, adaptive) = if single { (1, false) } else { (n.min(frames), adaptive) };
                            configs.push(
                                Config::new(page_bytes, frames)
                                    .policy(policy)
                                    .ace(ace)
                                    .n(n)
                                    .adaptive(adaptive)
                                    .cleaner(cleaner)
                                    .clients(clients)
                                    .cache_bytes(cache_bytes),
                            );
                        }
                    }
                }
            }
        }
        configs
    }
}

fn product<'a, A, B>(first: &'a [A], second: &'a [B]) -> impl Iterator<Item = (&'a A, &'a B)> {
    first.iter().flat_map(move |a| second.iter().map(move |b| (a, b)))
}

/// The generator with `reads` set.
fn with_read_share(trace: &OsStr, share: Option<f64>) -> Result<OsString, Failure> {
    let Some(share) = share else { return Ok(trace.to_owned()) };
    let Some(trace) = trace.to_str().filter(|trace| trace.starts_with(GENERATOR)) else {
        let text = format!(
            "{}: --read-share is for generated traces (gen:NAME), whose share can be set",
            trace.display()
        );
        return Err(Failure::Input(text));
    };
    let (name, options) = trace.split_once('?').unwrap_or((trace, ""));
    let others = options.split('&').filter(|option| !option.is_empty() && !option.starts_with("reads="));
    let options: Vec<String> = others.map(str::to_owned).chain([format!("reads={share}")]).collect();
    Ok(format!("{name}?{}", options.join("&")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dimensions() -> Dimensions {
        Dimensions {
            policies: vec![PolicyKind::Lru],
            aces: vec![Ace::Off, Ace::CowX],
            ns: [4, 8, 16].map(|n| BatchSize { n, adaptive: false }).to_vec(),
            cleaners: vec![Cleaner::Off, Cleaner::Auto],
            clients: vec![1],
            sizes: vec![PoolSize::Frames(10)],
            read_shares: vec![None],
            alphas: vec![None],
        }
    }

    #[test]
    fn every_different_pool_is_run_once() {
        let cells = dimensions().cells(OsStr::new("t.csv"), 4096).unwrap();
        let shown: Vec<_> = cells.iter().map(|c| (c.config.cleaner, c.config.ace, c.config.n)).collect();
        let (off, auto) = (Cleaner::Off, Cleaner::Auto);
        let (no, x) = (Ace::Off, Ace::CowX);
        let expected = [
            (off, no, 1),
            (off, x, 4),
            (off, x, 8),
            (off, x, 10),
            (auto, no, 4),
            (auto, no, 8),
            (auto, no, 10),
            (auto, x, 4),
            (auto, x, 8),
            (auto, x, 10),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_share_of_reads_takes_the_place_of_the_one_given() {
        let of = |trace: &str| with_read_share(OsStr::new(trace), Some(30.0)).unwrap();
        assert_eq!(of("gen:paper-ms"), "gen:paper-ms?reads=30");
        assert_eq!(of("gen:paper-ms?ops=9&reads=50&seed=2"), "gen:paper-ms?ops=9&seed=2&reads=30");
        assert!(with_read_share(OsStr::new("t.csv"), Some(30.0)).is_err());
        assert_eq!(with_read_share(OsStr::new("t.csv"), None).unwrap(), "t.csv");
    }
}
