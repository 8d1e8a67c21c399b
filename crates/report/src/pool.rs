//! A sweep of simulated pools in plain numbers: what the table and the page are made from.

use std::collections::HashMap;

use serde::Serialize;

/// Speed-up below which a cell is said to gain nothing: the simulation's own jitter moves a runtime by a
/// percent or two.
pub const GAINS_NOTHING: f64 = 1.02;

/// Pools that were simulated over one trace.
#[derive(Debug, Clone, PartialEq)]
pub struct PoolSweep {
    /// The trace, as it was named.
    pub trace: String,
    /// The device, as it was named; `None` where only pages were counted.
    pub device: Option<String>,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// Version of Leadline that simulated.
    pub leadline: String,
    /// What was assumed, each in a sentence.
    pub notes: Vec<String>,
    /// One per pool, in the order of the sweep.
    pub cells: Vec<PoolCell>,
}

/// One pool and its results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoolCell {
    /// Replacement policy.
    pub policy: String,
    /// Write-back in the foreground: `off`, `cow`, `cow-x`, `cow-e`, `cow-x-e`.
    pub ace: String,
    /// Pages written at once; where that is adaptive, what it settled on.
    pub n: u32,
    /// Whether the pool finds `n` by watching the device.
    pub adaptive: bool,
    /// Background cleaner: `off`, its depth, or `auto`.
    pub cleaner: String,
    /// Clients.
    pub clients: u32,
    /// Pages the pool holds.
    pub frames: u32,
    /// Percent of the trace's operations that read, where that was swept.
    pub read_share: Option<f64>,
    /// Write / read latency of the device, one request at a time, where that was swept.
    pub alpha_1: Option<f64>,
    /// Operations of the trace, one page each.
    pub operations: u64,
    /// Of them, writes.
    pub operations_writing: u64,
    /// Pages read because they were asked for.
    pub misses: u64,
    /// Pages written back.
    pub writes: u64,
    /// Of them, by the background cleaner.
    pub writes_by_cleaner: u64,
    /// Times that a client wrote back, one page or several at once.
    pub batches: u64,
    /// Pages read ahead.
    pub prefetches: u64,
    /// Of them, used before they were evicted.
    pub prefetches_used: u64,
    /// Virtual seconds; `None` without a device.
    pub seconds: Option<f64>,
    /// 99th percentile of the latency of operations that waited, microseconds; `None` without a device.
    pub p99_us: Option<f64>,
    /// Bytes written to the device's medium per byte written by the pool; `None` where the device does not
    /// tell.
    pub write_amplification: Option<f64>,
    /// Operations of the trace until the device's medium is worn out; likewise.
    pub life_operations: Option<f64>,
}

impl PoolCell {
    /// Share of operations that found their page in the pool, 0 to 1.
    pub fn hit_share(&self) -> f64 {
        if self.operations == 0 { 0.0 } else { 1.0 - self.misses as f64 / self.operations as f64 }
    }

    /// Write-back and cleaner in a word or three: `cow-x`, `off + cleaner auto`, `cow adaptive`.
    pub fn variant(&self) -> String {
        let adaptive = if self.adaptive { " adaptive" } else { "" };
        match self.cleaner.as_str() {
            "off" => format!("{}{adaptive}", self.ace),
            cleaner => format!("{} + cleaner {cleaner}{adaptive}", self.ace),
        }
    }

    /// Runtime of `other` / runtime of this: how many times as fast this is.
    pub fn speedup_over(&self, other: &PoolCell) -> Option<f64> {
        match (other.seconds?, self.seconds?) {
            (theirs, ours) if ours > 0.0 => Some(theirs / ours),
            _ => None,
        }
    }
}

impl PoolSweep {
    /// The pools of the sweep that others are compared with.
    pub fn baselines(&self) -> Baselines<'_> {
        let mut by_setting = HashMap::new();
        for cell in &self.cells {
            by_setting.entry(Setting::of(cell, WriteBack::of(cell), &cell.cleaner)).or_insert(cell);
        }
        Baselines { by_setting }
    }
}

/// Pools that others are compared with, to be found from these.
#[derive(Debug)]
pub struct Baselines<'a> {
    by_setting: HashMap<Setting<'a>, &'a PoolCell>,
}

impl<'a> Baselines<'a> {
    /// The pool that `cell` is compared with as a whole: all the same, but no ACE and no cleaner. `None`
    /// where the sweep has no such pool.
    pub fn base(&self, cell: &PoolCell) -> Option<&'a PoolCell> {
        self.by_setting.get(&Setting::of(cell, WriteBack::OFF, "off")).copied()
    }

    /// The same pool without ACE and with the same cleaner: what ACE gains by itself.
    pub fn without_ace(&self, cell: &PoolCell) -> Option<&'a PoolCell> {
        self.by_setting.get(&Setting::of(cell, WriteBack::OFF, &cell.cleaner)).copied()
    }

    /// The same pool without a cleaner and with the same ACE: what the cleaner gains by itself.
    pub fn without_cleaner(&self, cell: &PoolCell) -> Option<&'a PoolCell> {
        self.by_setting.get(&Setting::of(cell, WriteBack::of(cell), "off")).copied()
    }

    /// The same with a classic page cleaner, one write at a time, instead of ACE. `None` where the sweep has
    /// no such pool.
    pub fn classic(&self, cell: &PoolCell) -> Option<&'a PoolCell> {
        self.by_setting.get(&Setting::of(cell, WriteBack::OFF, "1")).copied()
    }
}

/// What a pool and its baseline have in common, and the baseline's write-back and cleaner.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Setting<'a> {
    policy: &'a str,
    write_back: WriteBack<'a>,
    cleaner: &'a str,
    clients: u32,
    frames: u32,
    read_share: Option<u64>,
    alpha_1: Option<u64>,
}

/// How pages are written back: by which mode of ACE, how many at once.
#[derive(Debug, PartialEq, Eq, Hash)]
struct WriteBack<'a> {
    ace: &'a str,
    n: u32,
    adaptive: bool,
}

impl<'a> WriteBack<'a> {
    /// One page at a time.
    const OFF: WriteBack<'static> = WriteBack { ace: "off", n: 1, adaptive: false };

    fn of(cell: &'a PoolCell) -> WriteBack<'a> {
        if cell.ace == "off" {
            return WriteBack::OFF;
        }
        WriteBack { ace: &cell.ace, n: cell.n, adaptive: cell.adaptive }
    }
}

impl<'a> Setting<'a> {
    fn of(cell: &'a PoolCell, write_back: WriteBack<'a>, cleaner: &'a str) -> Setting<'a> {
        Setting {
            policy: &cell.policy,
            write_back,
            cleaner,
            clients: cell.clients,
            frames: cell.frames,
            read_share: cell.read_share.map(f64::to_bits),
            alpha_1: cell.alpha_1.map(f64::to_bits),
        }
    }
}

/// `more` against `less`, as a share: 0.02 for two percent more. `None` where there were none and now are
/// some.
pub(crate) fn added(more: u64, less: u64) -> Option<f64> {
    match (more, less) {
        (0, 0) => Some(0.0),
        (_, 0) => None,
        (more, less) => Some(more as f64 / less as f64 - 1.0),
    }
}

/// Operations until a drive is worn out, in words.
pub(crate) fn operations(count: f64) -> String {
    format!("{:.1} × 10⁹ operations", count / 1e9)
}

#[cfg(test)]
pub(crate) mod sample {
    use super::*;

    /// A cell with LRU, one client and 100 frames.
    pub(crate) fn cell(ace: &str, cleaner: &str, seconds: f64) -> PoolCell {
        PoolCell {
            policy: "lru".into(),
            ace: ace.into(),
            n: if ace == "off" { 1 } else { 8 },
            adaptive: false,
            cleaner: cleaner.into(),
            clients: 1,
            frames: 100,
            read_share: None,
            alpha_1: None,
            operations: 1000,
            operations_writing: 500,
            misses: 400,
            writes: 200,
            writes_by_cleaner: 0,
            batches: if ace == "off" { 200 } else { 25 },
            prefetches: 0,
            prefetches_used: 0,
            seconds: Some(seconds),
            p99_us: Some(120.0),
            write_amplification: None,
            life_operations: None,
        }
    }

    /// These cells over a generated trace.
    pub(crate) fn sweep(cells: Vec<PoolCell>) -> PoolSweep {
        PoolSweep {
            trace: "gen:paper-ms?ops=1000".into(),
            device: Some("sim:flash".into()),
            page_bytes: 4096,
            leadline: "0.1.0".into(),
            notes: Vec::new(),
            cells,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::sample::{cell, sweep};
    use super::*;

    #[test]
    fn a_cell_is_held_against_its_own_base() {
        let other = PoolCell { clients: 8, ..cell("off", "off", 1.0) };
        let sweep =
            sweep(vec![other, cell("off", "1", 2.5), cell("off", "off", 3.0), cell("cow-x", "off", 2.0)]);
        let (ace, baselines) = (&sweep.cells[3], sweep.baselines());
        assert_eq!(ace.speedup_over(baselines.base(ace).unwrap()), Some(1.5));
        assert_eq!(ace.speedup_over(baselines.classic(ace).unwrap()), Some(1.25));
        assert!(
            baselines.classic(&sweep.cells[0]).is_none(),
            "nothing was run with eight clients and a cleaner"
        );
    }

    #[test]
    fn what_is_added_is_a_share() {
        assert_eq!((added(102, 100), added(0, 0), added(1, 0)), (Some(102.0 / 100.0 - 1.0), Some(0.0), None));
    }
}
