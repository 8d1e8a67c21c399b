//! A sweep of simulated pools as a table.

use std::collections::BTreeSet;

use leadline_figures::number::{block, bytes, counted, known, significant};
use leadline_figures::{Column, Table, Text};

use super::{Baselines, Swept, SweptPool, operations};

/// One property of a pool: its column where it differs between pools, a word above the table where it does
/// not.
struct Dimension {
    name: &'static str,
    of: fn(&SweptPool) -> String,
    /// The word, from the value.
    all: fn(&str) -> String,
}

const DIMENSIONS: [Dimension; 9] = [
    Dimension { name: "reads", of: read_share, all: |v| format!("{v} reads") },
    Dimension { name: "alpha_1", of: alpha_1, all: |v| format!("alpha_1 {v}") },
    Dimension { name: "frames", of: frames, all: |v| format!("{v} frames") },
    Dimension { name: "cache", of: cache_bytes, all: |v| format!("a cache of {v}") },
    Dimension {
        name: "clients",
        of: |c| c.outcome.clients.to_string(),
        all: |v| counted(v.parse().unwrap_or(0), "client"),
    },
    Dimension { name: "policy", of: |c| c.outcome.policy.clone(), all: str::to_owned },
    Dimension { name: "cleaner", of: |c| c.outcome.cleaner.clone(), all: |v| format!("cleaner {v}") },
    Dimension { name: "ACE", of: |c| c.outcome.ace.clone(), all: |v| format!("ACE {v}") },
    Dimension { name: "n", of: SweptPool::pages_at_once, all: |v| format!("n = {v}") },
];

fn read_share(pool: &SweptPool) -> String {
    pool.read_share.map(|share| format!("{share} %")).unwrap_or_default()
}

/// Of a cache of that many bytes the number of objects is a result.
fn frames(pool: &SweptPool) -> String {
    match pool.cache_bytes() {
        Some(_) => String::new(),
        None => pool.outcome.frames.to_string(),
    }
}

fn cache_bytes(pool: &SweptPool) -> String {
    pool.cache_bytes().map(bytes).unwrap_or_default()
}

fn alpha_1(pool: &SweptPool) -> String {
    pool.alpha_1.map(|alpha| alpha.to_string()).unwrap_or_default()
}

impl Swept {
    /// A table, one row per pool; what all pools share is above it.
    ///
    /// Speed-up and the added misses and page writes (in percent) are relative to the same pool with ACE and
    /// cleaner off; `–` where the sweep has none.
    pub fn text(&self) -> Text {
        let (swept, same): (Vec<&Dimension>, Vec<&Dimension>) = DIMENSIONS
            .iter()
            .partition(|dimension| self.pools.iter().map(dimension.of).collect::<BTreeSet<_>>().len() > 1);
        let words = same.iter().filter_map(|dimension| {
            let value = (dimension.of)(self.pools.first()?);
            (!value.is_empty()).then(|| (dimension.all)(&value))
        });
        let device = self.device.as_deref().unwrap_or("no device: pages are counted");
        let baselines = self.baselines();
        let mut text = Text::new();
        text.say(format!("{} on {device}, pages of {}", self.trace, block(self.page_bytes)));
        text.say(words.collect::<Vec<_>>().join(", "));
        text.gap();
        text.table(self.table(&baselines, &swept));
        let varies = |of: fn(&SweptPool) -> bool| self.pools.iter().any(of);
        if varies(|pool| pool.outcome.ace != "off") && varies(|pool| pool.outcome.cleaner != "off") {
            let words = "Speed-up and what is added are over the same pool with neither ACE nor cleaner: where \
                         both are on, of the two together.";
            text.gap();
            text.set(words, [0, 0]);
        }
        if self.pools.len() > 1 && !self.pools.iter().all(|pool| baselines.base(pool).is_some()) {
            text.gap();
            text.line("To see the gain, include --ace off and --cleaner off in the sweep.");
        }
        text
    }

    fn table(&self, baselines: &Baselines<'_>, swept: &[&Dimension]) -> Table {
        let any = |of: fn(&SweptPool) -> bool| self.pools.iter().any(of);
        let timed = any(|pool| pool.outcome.seconds.is_some());
        let ahead = any(|pool| pool.outcome.prefetches > 0);
        let held = self.pools.len() > 1;
        let worn = any(|pool| pool.outcome.wear.is_some());
        let mut names: Vec<&str> = swept.iter().map(|dimension| dimension.name).collect();
        let sized = any(|pool| pool.outcome.objects.is_some());
        names.extend(["hits", "misses"]);
        names.extend(sized.then_some("byte misses"));
        names.extend(["writes", "batches"]);
        names.extend(ahead.then_some("ahead (used)"));
        names.extend(timed.then_some("seconds"));
        names.extend((timed && held).then_some("speed-up"));
        names.extend(held.then_some(["+misses", "+writes"]).into_iter().flatten());
        names.extend(worn.then_some(["amplification", "drive lasts"]).into_iter().flatten());
        let row = |pool: &SweptPool| {
            let (base, one) = (baselines.base(pool), &pool.outcome);
            let mut row: Vec<String> = swept.iter().map(|dimension| (dimension.of)(pool)).collect();
            row.push(format!("{:.1} %", 100.0 * pool.hit_share()));
            row.push(one.misses.to_string());
            row.extend(sized.then(|| known(pool.byte_miss_ratio())));
            row.extend([one.writes, one.batches].map(|count| count.to_string()));
            row.extend(ahead.then(|| format!("{} ({})", one.prefetches, one.prefetches_used)));
            row.extend(timed.then(|| known(one.seconds.map(seconds))));
            let speedup = || base.and_then(|base| pool.speedup_over(base));
            row.extend((timed && held).then(|| known(speedup().map(|s| format!("{}×", significant(s))))));
            row.extend(held.then(|| pool.added_to(base).map(known)).into_iter().flatten());
            let amplification = one.wear.map(|wear| format!("{:.3}×", wear.write_amplification));
            let life = one.wear.and_then(|wear| wear.life_operations).map(operations);
            row.extend(worn.then(|| [amplification, life].map(known)).into_iter().flatten());
            row
        };
        let columns = names.into_iter().map(Column::numbers).collect();
        let table = Table { columns, ..Table::default() }.words(0).keys(swept.len());
        table.rows(self.pools.iter().map(row))
    }
}

/// To four digits: runtimes are compared.
fn seconds(value: f64) -> String {
    match value {
        v if v >= 1000.0 => format!("{v:.0}"),
        v if v >= 100.0 => format!("{v:.1}"),
        v if v >= 10.0 => format!("{v:.2}"),
        v if v >= 0.1 => format!("{v:.3}"),
        v if v >= 0.01 => format!("{v:.4}"),
        v => format!("{v:.6}"),
    }
}
