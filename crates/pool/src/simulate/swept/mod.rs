//! Simulated pools side by side: the gain of each, as a table for a terminal and as a page.

mod page;
mod sentences;
mod text;

use std::collections::HashMap;

use super::Outcome;

/// Speed-up below which a cell is said to gain nothing: the simulation's own jitter moves a runtime by a
/// percent or two.
pub const GAINS_NOTHING: f64 = 1.02;

/// Pools that were simulated over one trace.
#[derive(Debug, Clone, PartialEq)]
pub struct Swept {
    /// The trace, as it was named.
    pub trace: String,
    /// The device, as it was named; `None` where only pages were counted.
    pub device: Option<String>,
    /// Bytes of a page.
    pub page_bytes: u32,
    /// What was assumed, each in a sentence.
    pub notes: Vec<String>,
    /// In the order of the sweep.
    pub pools: Vec<SweptPool>,
}

/// One pool and its results.
#[derive(Debug, Clone, PartialEq)]
pub struct SweptPool {
    /// What it is and what came of it.
    pub outcome: Outcome,
    /// Percent of the trace's operations that read, where that was swept.
    pub read_share: Option<f64>,
    /// Write / read latency of the device, one request at a time, where that was swept.
    pub alpha_1: Option<f64>,
}

impl SweptPool {
    /// Share of operations that found their page in the pool, 0 to 1.
    fn hit_share(&self) -> f64 {
        match self.outcome.operations {
            0 => 0.0,
            operations => 1.0 - self.outcome.misses as f64 / operations as f64,
        }
    }

    /// Bytes of the cache, where it holds bytes and not a number of pages.
    fn cache_bytes(&self) -> Option<u64> {
        self.outcome.objects.as_ref()?.cache_bytes
    }

    /// Bytes of the cache, else pages of the pool.
    fn size(&self) -> u64 {
        self.cache_bytes().unwrap_or(self.outcome.frames as u64)
    }

    /// Share of the requested bytes that missed, in percent, where objects have sizes.
    fn byte_miss_ratio(&self) -> Option<String> {
        let objects = self.outcome.objects.as_ref()?;
        Some(format!("{:.1} %", 100.0 * objects.byte_miss_ratio))
    }

    /// Write-back and cleaner in a word or three: `cow-x`, `off + cleaner auto`, `cow adaptive`.
    fn variant(&self) -> String {
        let Outcome { ace, cleaner, adaptive, .. } = &self.outcome;
        let adaptive = if *adaptive { " adaptive" } else { "" };
        match cleaner.as_str() {
            "off" => format!("{ace}{adaptive}"),
            cleaner => format!("{ace} + cleaner {cleaner}{adaptive}"),
        }
    }

    /// `8`, `8 (adaptive)`: pages written at once.
    fn pages_at_once(&self) -> String {
        let Outcome { n, adaptive, .. } = self.outcome;
        if adaptive { format!("{n} (adaptive)") } else { n.to_string() }
    }

    /// Runtime of `other` / runtime of this: how many times as fast this is.
    fn speedup_over(&self, other: &SweptPool) -> Option<f64> {
        match (other.outcome.seconds?, self.outcome.seconds?) {
            (theirs, ours) if ours > 0.0 => Some(theirs / ours),
            _ => None,
        }
    }

    /// Misses and page writes that this has more than `base`, in percent.
    fn added_to(&self, base: Option<&SweptPool>) -> [Option<String>; 2] {
        let [misses, writes]: [fn(&Outcome) -> u64; 2] = [|one| one.misses, |one| one.writes];
        [misses, writes].map(|of| {
            let share = added(of(&self.outcome), of(&base?.outcome))?;
            Some(format!("{:+.2} %", 100.0 * share))
        })
    }
}

impl Swept {
    /// The pools of the sweep that others are compared with.
    fn baselines(&self) -> Baselines<'_> {
        let mut by_setting = HashMap::new();
        for cell in &self.pools {
            by_setting.entry(Setting::of(cell, WriteBack::of(cell), &cell.outcome.cleaner)).or_insert(cell);
        }
        Baselines { by_setting }
    }
}

/// Pools that others are compared with, to be found from these.
#[derive(Debug)]
struct Baselines<'a> {
    by_setting: HashMap<Setting<'a>, &'a SweptPool>,
}

impl<'a> Baselines<'a> {
    /// The pool that `cell` is compared with as a whole: all the same, but no ACE and no cleaner. `None`
    /// where the sweep has no such pool.
    fn base(&self, cell: &SweptPool) -> Option<&'a SweptPool> {
        self.by_setting.get(&Setting::of(cell, WriteBack::OFF, "off")).copied()
    }

    /// The same pool without ACE and with the same cleaner: what ACE gains by itself.
    fn without_ace(&self, cell: &SweptPool) -> Option<&'a SweptPool> {
        self.by_setting.get(&Setting::of(cell, WriteBack::OFF, &cell.outcome.cleaner)).copied()
    }

    /// The same pool without a cleaner and with the same ACE: what the cleaner gains by itself.
    fn without_cleaner(&self, cell: &SweptPool) -> Option<&'a SweptPool> {
        self.by_setting.get(&Setting::of(cell, WriteBack::of(cell), "off")).copied()
    }

    /// The same with a classic page cleaner, one write at a time, instead of ACE. `None` where the sweep has
    /// no such pool.
    fn classic(&self, cell: &SweptPool) -> Option<&'a SweptPool> {
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

    fn of(cell: &'a SweptPool) -> WriteBack<'a> {
        let Outcome { ace, n, adaptive, .. } = &cell.outcome;
        match ace.as_str() {
            "off" => WriteBack::OFF,
            ace => WriteBack { ace, n: *n, adaptive: *adaptive },
        }
    }
}

impl<'a> Setting<'a> {
    fn of(cell: &'a SweptPool, write_back: WriteBack<'a>, cleaner: &'a str) -> Setting<'a> {
        Setting {
            policy: &cell.outcome.policy,
            write_back,
            cleaner,
            clients: cell.outcome.clients,
            frames: cell.outcome.frames,
            read_share: cell.read_share.map(f64::to_bits),
            alpha_1: cell.alpha_1.map(f64::to_bits),
        }
    }
}

/// `more` against `less`, as a share: 0.02 for two percent more. `None` where there were none and now are
/// some.
fn added(more: u64, less: u64) -> Option<f64> {
    match (more, less) {
        (0, 0) => Some(0.0),
        (_, 0) => None,
        (more, less) => Some(more as f64 / less as f64 - 1.0),
    }
}

/// Operations until a drive is worn out, in words.
fn operations(count: f64) -> String {
    format!("{:.1} × 10⁹ operations", count / 1e9)
}
