//! The page of a sweep of simulated pools.

use std::collections::BTreeSet;

use leadline_figures::chart::{IntoRow, Sweep};
use leadline_figures::number::{block, bytes, count, known, micros, significant};
use leadline_figures::{Block, Page, Table};

use super::{Baselines, GAINS_NOTHING, Swept, SweptPool, operations};

impl Swept {
    /// A page with a chart for each dimension that the sweep has.
    pub fn page(&self) -> Page {
        let baselines = self.baselines();
        let device = self.device.as_deref().unwrap_or("no device: pages are counted, nothing is timed");
        let pools = self.pools.len();
        let each = self.pools.first().map(|pool| count(pool.outcome.operations as f64));
        let sub = format!(
            "{device} · pages of {} · {pools} pool{}{}",
            block(self.page_bytes),
            if pools == 1 { "" } else { "s" },
            each.map_or(String::new(), |operations| format!(" · {operations} operations each"))
        );
        let mut page = Page {
            brand: "leadline pool simulate",
            title: self.trace.clone(),
            heading: self.trace.clone(),
            sub: vec![sub],
            sweep: Some(self.drawn(&baselines)),
            ..Page::default()
        };
        page.section("", self.notes.iter().map(Block::quiet).collect());
        let sentences = super::sentences::sentences(self, &baselines);
        if !sentences.is_empty() {
            let sentences = Block::Sentences { sentences, small: true };
            page.section("means", vec![Block::heading("What it says"), sentences]);
        }
        page.section("charts", self.charts(&baselines));
        let hint = "Speed-up and added misses and writes are relative to the same pool with neither ACE nor \
                    cleaner; “over cleaner 1” is relative to a page cleaner with one write in flight and no ACE. \
                    p99: over the operations that had to wait. Ahead: pages read ahead (and used). Amplification: \
                    bytes written to the device's medium per byte that the pool wrote; the drive lasts for this \
                    many operations of the trace (only with flash simulations). –: not measured, or nothing to \
                    compare with.";
        page.section(
            "pools",
            vec![
                Block::heading("All pools"),
                Block::hint(hint),
                Block::Table { table: self.all(&baselines), tall: true },
                Block::quiet("What is simulated, and what each mode does: leadline docs pool-simulate."),
            ],
        );
        page
    }

    /// Whether caches hold bytes, and not a number of pages.
    fn is_in_bytes(&self) -> bool {
        self.pools.iter().any(|pool| pool.cache_bytes().is_some())
    }

    /// What the charts draw.
    fn drawn(&self, baselines: &Baselines<'_>) -> Sweep {
        let columns = [
            "policy",
            "ace",
            "n",
            "adaptive",
            "cleaner",
            "clients",
            "frames",
            "read_share",
            "alpha_1",
            "misses",
            "writes",
            "seconds",
            "p99_us",
            "write_amplification",
            "variant",
            "gain",
            "gain_classic",
            "in_bytes",
        ];
        let row = |pool: &SweptPool| {
            let one = &pool.outcome;
            let mut row =
                (&*one.policy, &*one.ace, one.n, one.adaptive, &*one.cleaner, one.clients).into_row();
            row.extend(
                (pool.size(), pool.read_share, pool.alpha_1, one.misses, one.writes, one.seconds).into_row(),
            );
            let (p99, wear) =
                (one.latency_us.map(|us| us.p99), one.wear.map(|wear| wear.write_amplification));
            let gain = |base: Option<&SweptPool>| base.and_then(|base| pool.speedup_over(base));
            let [base, classic] = [baselines.base(pool), baselines.classic(pool)].map(gain);
            row.extend((p99, wear, pool.variant(), base, classic, pool.cache_bytes().is_some()).into_row());
            row
        };
        Sweep {
            columns: columns.to_vec(),
            rows: self.pools.iter().map(row).collect(),
            gains_nothing: GAINS_NOTHING,
        }
    }

    /// One for each dimension with several values.
    fn charts(&self, baselines: &Baselines<'_>) -> Vec<Block> {
        let several =
            |of: fn(&SweptPool) -> String| self.pools.iter().map(of).collect::<BTreeSet<_>>().len() > 1;
        let [policy, clients, cleaner]: [fn(&SweptPool) -> String; 3] =
            [|c| c.outcome.policy.clone(), |c| c.outcome.clients.to_string(), |c| c.outcome.cleaner.clone()];
        let compared = |pool: &SweptPool| {
            baselines.base(pool).or_else(|| baselines.classic(pool)).is_some_and(|base| base != pool)
        };
        let held = self.pools.iter().any(compared) && self.pools.iter().any(|c| c.outcome.seconds.is_some());
        // Without ACE there is nothing to write several of.
        let written = self.pools.iter().filter(|c| c.outcome.ace != "off" && !c.outcome.adaptive);
        let chart = |there: bool, id: &str, title: &str, hint: &str| {
            there.then(|| Block::place(format!("p-{id}"), title, hint))
        };
        let wide = [
            chart(several(policy), "policy", "By policy", "Each policy with and without ACE."),
            // Alone it is not a chart; beside others it is the first thing to see.
            chart(
                several(SweptPool::variant) && !several(policy),
                "modes",
                "By write-back mode",
                "Each on the same trace, pool and device.",
            ),
            chart(
                several(clients) && several(cleaner) && held,
                "heat",
                "Gain over clients and cleaners",
                "How many times as fast. Grey with a dashed frame: no gain (less than 1.02 times). Orange: slower.",
            ),
        ];
        let over = "Over the same pool with neither ACE nor cleaner.";
        let alphas = format!("α₁: how many reads one write costs, one at a time. {over}");
        let beside = [
            chart(
                written.map(|c| c.outcome.n).collect::<BTreeSet<_>>().len() > 1,
                "n",
                "Over the number of pages written at once (n)",
                "Without ACE it makes no difference.",
            ),
            chart(
                several(|c| c.size().to_string()),
                "frames",
                "Over pool size",
                if self.is_in_bytes() { "Bytes that the cache holds." } else { "Pages that the pool holds." },
            ),
            chart(
                several(clients),
                "clients",
                "Over clients",
                "The more clients keep the device busy, the less of it is left idle.",
            ),
            chart(
                several(cleaner),
                "cleaner",
                "By background cleaner",
                "Off, this many writes in flight, or auto: as many as the device serves at once.",
            ),
            chart(
                several(|c| format!("{:?}", c.read_share)),
                "reads",
                "Speed-up over the share of reads",
                over,
            ),
            chart(several(|c| format!("{:?}", c.alpha_1)), "alpha", "Speed-up over asymmetry", &alphas),
        ];
        let mut blocks = vec![Block::heading("Charts"), Block::Charts { choices: true }];
        blocks.extend(wide.into_iter().flatten());
        blocks.push(Block::Beside { how: "columns", blocks: beside.into_iter().flatten().collect() });
        blocks.push(match self.pools.len() {
            0 | 1 => {
                Block::quiet("A single pool has no chart; lists (--ace all, --clients 1,8,64) make a sweep.")
            }
            _ => Block::Zoom,
        });
        blocks
    }

    fn all(&self, baselines: &Baselines<'_>) -> Table {
        let columns = [
            "Policy",
            "ACE",
            "n",
            "Cleaner",
            "Clients",
            if self.is_in_bytes() { "Cache" } else { "Frames" },
            "Reads",
            "α₁",
            "Seconds",
            "Speed-up",
            "over cleaner 1",
            "p99",
            "Hits",
            "Misses",
            "added",
            "Byte misses",
            "Writes",
            "added",
            "by cleaner",
            "Batches",
            "Ahead",
            "Amplification",
            "Drive lasts",
        ];
        let row = |pool: &SweptPool| {
            let (one, base) = (&pool.outcome, baselines.base(pool));
            let times = |other: Option<&SweptPool>| {
                known(other.and_then(|o| pool.speedup_over(o)).map(|s| format!("{}×", significant(s))))
            };
            let [misses, writes] = pool.added_to(base).map(known);
            [
                one.policy.clone(),
                one.ace.clone(),
                pool.pages_at_once(),
                one.cleaner.clone(),
                one.clients.to_string(),
                pool.cache_bytes().map_or(one.frames.to_string(), bytes),
                known(pool.read_share.map(|share| format!("{share} %"))),
                known(pool.alpha_1.map(|alpha| alpha.to_string())),
                known(one.seconds.map(|s| format!("{s:.3}"))),
                times(base),
                times(baselines.classic(pool)),
                known(one.latency_us.map(|us| micros(us.p99))),
                format!("{:.1} %", 100.0 * pool.hit_share()),
                one.misses.to_string(),
                misses,
                known(pool.byte_miss_ratio()),
                one.writes.to_string(),
                writes,
                one.writes_by_cleaner.to_string(),
                one.batches.to_string(),
                format!("{} ({})", one.prefetches, one.prefetches_used),
                known(one.wear.map(|wear| format!("{:.3}×", wear.write_amplification))),
                known(one.wear.and_then(|wear| wear.life_operations).map(operations)),
            ]
        };
        Table::new(columns).words(1).rows(self.pools.iter().map(row))
    }
}
