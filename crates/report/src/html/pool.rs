//! The page of a sweep of simulated pools.

mod words;

use std::collections::BTreeSet;

use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Value, context};
use serde::Serialize;

use super::{CSS, ECHARTS, PAGE_LIMIT_BYTES, script_json};
use crate::pool::{Baselines, GAINS_NOTHING, PoolCell, PoolSweep, added, operations};
use crate::{ReportError, format};

const TEMPLATES: [(&str, &str); 3] = [
    ("base.html", include_str!("../../templates/base.html")),
    ("macros.html", include_str!("../../templates/macros.html")),
    ("pool.html", include_str!("../../templates/pool.html")),
];
/// In this order: each uses the names of those before it.
const SCRIPTS: [&str; 5] = [
    include_str!("../../assets/base.js"),
    include_str!("../../assets/axes.js"),
    include_str!("../../assets/draw.js"),
    include_str!("../../assets/pool.js"),
    include_str!("../../assets/pool_heat.js"),
];

/// What the charts draw.
#[derive(Serialize)]
struct PoolData<'a> {
    /// None: the scripts that all pages share look for them.
    profiles: [(); 0],
    pool: Charts<'a>,
}

#[derive(Serialize)]
struct Charts<'a> {
    gains_nothing: f64,
    cells: Vec<Shown<'a>>,
}

/// A cell and what it is compared with.
#[derive(Serialize)]
struct Shown<'a> {
    #[serde(flatten)]
    cell: &'a PoolCell,
    variant: String,
    /// Speed-up over neither ACE nor cleaner.
    gain: Option<f64>,
    /// Speed-up over a cleaner of depth 1 and no ACE.
    gain_classic: Option<f64>,
}

/// One row of the table, as text.
#[derive(Serialize)]
struct Row {
    names: [String; 8],
    numbers: Vec<String>,
}

/// One self-contained page with a chart for each dimension that the sweep has. It makes no network requests,
/// and everything from the sweep is escaped.
///
/// # Errors
/// [`ReportError::TooLarge`] beyond [`PAGE_LIMIT_BYTES`], some twenty thousand pools;
/// [`ReportError::Template`].
pub fn render_pool_page(sweep: &PoolSweep) -> Result<String, ReportError> {
    let baselines = sweep.baselines();
    let mut environment = Environment::new();
    environment.set_auto_escape_callback(|_| AutoEscape::Html);
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    let page = environment.get_template("pool.html")?.render(context! {
        title => sweep.trace.clone(),
        leadline => sweep.leadline.clone(),
        css => Value::from_safe_string(CSS.to_owned()),
        echarts => Value::from_safe_string(ECHARTS.to_owned()),
        scripts => Value::from(SCRIPTS.map(|script| Value::from_safe_string(script.to_owned())).to_vec()),
        data => Value::from_safe_string(script_json(&data(sweep, &baselines))),
        device => sweep.device.clone(),
        page_size => format::block(sweep.page_bytes),
        pools => sweep.cells.len(),
        operations => sweep.cells.first().map(|cell| format::count(cell.operations as f64)),
        notes => sweep.notes.clone(),
        sentences => words::sentences(sweep, &baselines),
        has => has(sweep, &baselines),
        rows => Value::from(Serde(rows(sweep, &baselines))),
    })?;
    if page.len() > PAGE_LIMIT_BYTES {
        return Err(ReportError::TooLarge { bytes: page.len(), limit: PAGE_LIMIT_BYTES });
    }
    Ok(page)
}

fn data<'a>(sweep: &'a PoolSweep, baselines: &Baselines<'_>) -> PoolData<'a> {
    let speedup =
        |cell: &PoolCell, other: Option<&PoolCell>| other.and_then(|other| cell.speedup_over(other));
    let shown = |cell| Shown {
        cell,
        variant: PoolCell::variant(cell),
        gain: speedup(cell, baselines.base(cell)),
        gain_classic: speedup(cell, baselines.classic(cell)),
    };
    let cells = sweep.cells.iter().map(shown).collect();
    PoolData { profiles: [], pool: Charts { gains_nothing: GAINS_NOTHING, cells } }
}

/// Which charts there are: one for each dimension with several values.
fn has(sweep: &PoolSweep, baselines: &Baselines<'_>) -> Value {
    let values = |of: fn(&PoolCell) -> String| sweep.cells.iter().map(of).collect::<BTreeSet<_>>().len();
    let clients = values(|c| c.clients.to_string()) > 1;
    let cleaner = values(|c| c.cleaner.clone()) > 1;
    let held = sweep
        .cells
        .iter()
        .any(|c| baselines.base(c).or_else(|| baselines.classic(c)).is_some_and(|b| b != c));
    context! {
        policy => values(|c| c.policy.clone()) > 1,
        // Alone it is not a chart; beside others it is the first thing to see.
        modes => values(PoolCell::variant) > 1 && values(|c| c.policy.clone()) == 1,
        // Without ACE there is nothing to write several of.
        n => sweep.cells.iter().filter(|c| c.ace != "off" && !c.adaptive).map(|c| c.n).collect::<BTreeSet<_>>().len() > 1,
        frames => values(|c| c.frames.to_string()) > 1,
        clients => clients,
        cleaner => cleaner,
        heat => clients && cleaner && held && sweep.cells.iter().any(|c| c.seconds.is_some()),
        read_share => values(|c| format!("{:?}", c.read_share)) > 1,
        alpha_1 => values(|c| format!("{:?}", c.alpha_1)) > 1,
    }
}

fn rows(sweep: &PoolSweep, baselines: &Baselines<'_>) -> Vec<Row> {
    let none = || "–".to_owned();
    let row = |cell: &PoolCell| {
        let base = baselines.base(cell);
        let more = |of: fn(&PoolCell) -> u64| {
            let share = base.and_then(|b| added(of(cell), of(b)));
            share.map_or_else(none, |share| format!("{:+.2} %", 100.0 * share))
        };
        let times = |other: Option<&PoolCell>| {
            other
                .and_then(|o| cell.speedup_over(o))
                .map_or_else(none, |s| format!("{}×", format::significant(s)))
        };
        Row {
            names: [
                cell.policy.clone(),
                cell.ace.clone(),
                if cell.adaptive { format!("{} (adaptive)", cell.n) } else { cell.n.to_string() },
                cell.cleaner.clone(),
                cell.clients.to_string(),
                cell.frames.to_string(),
                cell.read_share.map_or_else(none, |share| format!("{share} %")),
                cell.alpha_1.map_or_else(none, |alpha| alpha.to_string()),
            ],
            numbers: vec![
                cell.seconds.map_or_else(none, |s| format!("{s:.3}")),
                times(base),
                times(baselines.classic(cell)),
                cell.p99_us.map_or_else(none, format::micros),
                format!("{:.1} %", 100.0 * cell.hit_share()),
                cell.misses.to_string(),
                more(|c| c.misses),
                cell.writes.to_string(),
                more(|c| c.writes),
                cell.writes_by_cleaner.to_string(),
                cell.batches.to_string(),
                format!("{} ({})", cell.prefetches, cell.prefetches_used),
                cell.write_amplification.map_or_else(none, |times| format!("{times:.3}×")),
                cell.life_operations.map_or_else(none, operations),
            ],
        }
    };
    sweep.cells.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pool::sample::{cell, sweep};

    const EVIL: &str = "</script><img src=x onerror=alert(1)>";

    fn ours(sweep: &PoolSweep) -> String {
        render_pool_page(sweep).expect("a page").replace(ECHARTS, "")
    }

    #[test]
    fn nothing_from_a_sweep_becomes_markup() {
        let mut evil = sweep(vec![cell("off", "off", 3.0), cell("cow", "off", 2.0)]);
        (evil.trace, evil.device) = (EVIL.into(), Some(EVIL.into()));
        evil.notes.push(EVIL.into());
        evil.cells[0].policy = EVIL.into();
        let page = ours(&evil);
        assert!(!page.contains("<img") && page.contains("&lt;img"));
        for word in ["http:", "https:", "src=", "url(", "@import", "fetch(", "XMLHttp"] {
            let own = page.replace("src=x", "");
            assert!(!own.contains(word), "{word} in the page");
        }
    }

    #[test]
    fn there_are_only_charts_of_what_was_swept() {
        let of = |change: fn(&mut PoolCell)| {
            let mut more = cell("cow", "off", 2.0);
            change(&mut more);
            ours(&sweep(vec![cell("off", "off", 3.0), cell("cow", "off", 2.0), more]))
        };
        let all = ["policy", "modes", "n", "frames", "clients", "cleaner", "heat", "reads", "alpha"];
        let charts = |page: &str| -> Vec<&str> {
            all.into_iter()
                .filter(|name| page.contains(&format!("<figure class=\"card chart\" id=\"p-{name}\"")))
                .collect()
        };
        assert_eq!(charts(&of(|c| c.policy = "clock".into())), ["policy"]);
        assert_eq!(charts(&of(|c| c.n = 16)), ["modes", "n"]);
        assert_eq!(charts(&of(|c| c.frames = 200)), ["modes", "frames"]);
        assert_eq!(charts(&of(|c| c.clients = 4)), ["modes", "clients"]);
        assert_eq!(charts(&of(|c| c.cleaner = "1".into())), ["modes", "cleaner"]);
        assert_eq!(charts(&of(|c| c.read_share = Some(10.0))), ["modes", "reads"]);
        assert_eq!(charts(&of(|c| c.alpha_1 = Some(2.0))), ["modes", "alpha"]);
        assert_eq!(
            charts(&of(|c| (c.clients, c.cleaner) = (4, "1".into()))),
            ["modes", "clients", "cleaner", "heat"]
        );
        assert!(charts(&ours(&sweep(vec![cell("off", "off", 3.0)]))).is_empty());
    }

    #[test]
    fn a_sweep_that_is_too_large_is_refused() {
        let many = vec![cell("off", "off", 3.0); 30_000];
        assert!(matches!(render_pool_page(&sweep(many)), Err(ReportError::TooLarge { .. })));
    }
}
