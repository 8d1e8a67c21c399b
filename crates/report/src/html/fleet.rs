//! The page of the nodes of a cluster.

use leadline_profile::DeviceProfile;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::chart_data::{ChartData, Detail};
use super::tables::{Shown, VerdictShown, shown, verdict_shown};
use super::{PAGE_LIMIT_BYTES, environment, report, script_json, shared};
use crate::compare::{Cell, Comparison, Quantity, Row, compare};
use crate::fleet::{Fleet, FleetChange};
use crate::{ReportError, format, headline};

/// The most nodes whose curves are drawn: with more, nobody can tell them apart.
const CURVES: usize = 8;

/// What the scripts read: the curves of all pages about profiles, and the nodes side by side.
#[derive(Serialize)]
struct Data<'a> {
    #[serde(flatten)]
    curves: &'a ChartData<'a>,
    nodes: &'a [String],
    fleet: Vec<Bars>,
}

/// One number of all nodes.
#[derive(Serialize)]
struct Bars {
    /// `4K random`.
    place: String,
    quantity: &'static str,
    unit: &'static str,
    cells: Vec<Cell>,
    /// Which of the cells most others do not agree with.
    outliers: Vec<usize>,
}

/// The row of a node in the table.
#[derive(Serialize)]
struct NodeRow {
    node: String,
    /// Place among the nodes whose curves are drawn, which gives its colour.
    curve: Option<usize>,
    cells: Vec<Marked>,
}

#[derive(Serialize)]
struct Marked {
    shown: Shown,
    outlier: bool,
}

/// A row of the tables of outliers and of changes.
#[derive(Serialize)]
struct Finding {
    node: String,
    place: String,
    quantity: &'static str,
    unit: &'static str,
    cells: Vec<Shown>,
    ratio: String,
    verdict: Option<VerdictShown>,
}

/// One self-contained page about the nodes of a cluster, as [`render_page`](crate::render_page)'s: first what
/// is wrong, then the nodes side by side with their intervals. `profiles` has one for each of `fleet.nodes`,
/// in their order; there may be none.
///
/// # Errors
/// [`ReportError::TooLarge`], [`ReportError::Template`].
pub fn render_fleet_page(fleet: &Fleet, profiles: &[DeviceProfile]) -> Result<String, ReportError> {
    let environment = environment()?;
    let comparison = compare(profiles);
    let chosen = with_curves(fleet);
    let drawn: Vec<DeviceProfile> = chosen.iter().filter_map(|&node| profiles.get(node)).cloned().collect();
    let names: Vec<String> = chosen.iter().map(|&node| fleet.nodes[node].clone()).collect();
    let mut detail = Detail::for_profiles(drawn.len());
    loop {
        let curves = ChartData::new(&drawn, &names, None, None, detail);
        let data = Data { curves: &curves, nodes: &fleet.nodes, fleet: bars(fleet, &comparison) };
        let leadline = env!("CARGO_PKG_VERSION").to_owned();
        let shared = shared(fleet.heading.clone(), leadline, &drawn, &curves, script_json(&data));
        let reports = profiles.iter().zip(&fleet.nodes).map(|(profile, node)| report(profile, node));
        let (columns, rows) = nodes(fleet, profiles, &chosen);
        let page = environment.get_template("fleet.html")?.render(context! {
            fleet => Value::from(Serde(fleet)),
            reports => reports.collect::<Vec<Value>>(),
            left_out => fleet.nodes.len() - names.len(),
            place => profiles.iter().find_map(headline).map(|of| place(of.pattern, of.block_bytes)),
            columns => Value::from(Serde(columns)),
            rows => Value::from(Serde(rows)),
            outliers => Value::from(Serde(outliers(fleet, &comparison))),
            drift => Value::from(Serde(fleet.drift.iter().map(change).collect::<Vec<_>>())),
            // Room for each node's name.
            height => 120 + 30 * fleet.nodes.len(),
            ..shared
        })?;
        if page.len() <= PAGE_LIMIT_BYTES {
            return Ok(page);
        }
        detail = match detail.less() {
            Some(less) => less,
            None => return Err(ReportError::TooLarge { bytes: page.len(), limit: PAGE_LIMIT_BYTES }),
        };
    }
}

/// Places of the nodes whose curves are drawn, in the nodes' order: those that are out of line before others.
fn with_curves(fleet: &Fleet) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..fleet.nodes.len()).collect();
    nodes.sort_by_key(|&node| !fleet.outliers.iter().any(|outlier| outlier.node == node));
    nodes.truncate(CURVES);
    nodes.sort_unstable();
    nodes
}

fn place(pattern: leadline_profile::Pattern, block_bytes: u32) -> String {
    format!("{} {}", format::block(block_bytes), format::pattern(pattern))
}

fn bars(fleet: &Fleet, comparison: &Comparison) -> Vec<Bars> {
    let outliers = |row: &Row| {
        let of = |o: &&_| is_of(o, row.pattern, row.block_bytes, row.quantity);
        fleet.outliers.iter().filter(of).map(|outlier| outlier.node).collect()
    };
    let bars = |row: &Row| Bars {
        place: place(row.pattern, row.block_bytes),
        quantity: row.quantity.name(),
        unit: row.quantity.unit(),
        cells: row.cells.clone(),
        outliers: outliers(row),
    };
    comparison.rows.iter().map(bars).collect()
}

fn is_of(
    outlier: &crate::FleetOutlier,
    pattern: leadline_profile::Pattern,
    block_bytes: u32,
    quantity: Quantity,
) -> bool {
    (outlier.pattern, outlier.block_bytes, outlier.quantity) == (pattern, block_bytes, quantity)
}

/// The numbers that stand for a whole profile: names and units of the columns, and a row for each node.
fn nodes(
    fleet: &Fleet,
    profiles: &[DeviceProfile],
    chosen: &[usize],
) -> (Vec<[&'static str; 2]>, Vec<NodeRow>) {
    let measured = |quantity: &Quantity| {
        profiles.iter().filter_map(headline).any(|of| quantity.cell(of).value.is_some())
    };
    let quantities: Vec<Quantity> = Quantity::ALL.into_iter().filter(measured).collect();
    let rows = profiles.iter().zip(&fleet.nodes).enumerate().map(|(index, (profile, node))| {
        let cell = |&quantity: &Quantity| match headline(profile) {
            None => Marked { shown: shown(quantity, Cell::default()), outlier: false },
            Some(of) => Marked {
                shown: shown(quantity, quantity.cell(of)),
                outlier: fleet
                    .outliers
                    .iter()
                    .any(|o| o.node == index && is_of(o, of.pattern, of.block_bytes, quantity)),
            },
        };
        let curve = chosen.iter().position(|&other| other == index);
        NodeRow { node: node.clone(), curve, cells: quantities.iter().map(cell).collect() }
    });
    (quantities.iter().map(|quantity| [quantity.name(), quantity.unit()]).collect(), rows.collect())
}

fn outliers(fleet: &Fleet, comparison: &Comparison) -> Vec<Finding> {
    let finding = |outlier: &crate::FleetOutlier| {
        let row =
            comparison.rows.iter().find(|row| is_of(outlier, row.pattern, row.block_bytes, row.quantity))?;
        Some(Finding {
            node: fleet.nodes.get(outlier.node)?.clone(),
            place: place(row.pattern, row.block_bytes),
            quantity: row.quantity.name(),
            unit: row.quantity.unit(),
            cells: vec![shown(row.quantity, *row.cells.get(outlier.node)?)],
            ratio: format!("{}×", format::significant(outlier.ratio)),
            verdict: None,
        })
    };
    fleet.outliers.iter().filter_map(finding).collect()
}

fn change(change: &FleetChange) -> Finding {
    let row = &change.row;
    Finding {
        node: change.node.clone(),
        place: place(row.pattern, row.block_bytes),
        quantity: row.quantity.name(),
        unit: row.quantity.unit(),
        cells: row.cells.iter().map(|&cell| shown(row.quantity, cell)).collect(),
        ratio: String::new(),
        verdict: row.verdicts.first().map(|&verdict| verdict_shown(verdict)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::ECHARTS;
    use super::*;
    use crate::sample::fleet::sample_fleet;

    const EVIL: &str = "</script><img src=x onerror=alert(1)>";

    fn ours(fleet: &Fleet, profiles: &[DeviceProfile]) -> String {
        render_fleet_page(fleet, profiles).expect("a page").replace(&*ECHARTS, "")
    }

    #[test]
    fn what_is_wrong_comes_first_and_is_marked() {
        let (fleet, profiles) = sample_fleet();
        let page = ours(&fleet, &profiles);
        let at = |words: &str| page.find(words).unwrap_or_else(|| panic!("no {words:?} on the page"));
        assert!(at(&fleet.troubles[0]) < at("id=\"nodes\""), "the trouble is said before the numbers");
        assert_eq!(page.matches("class=\"outlier\"").count(), 1, "one number is marked");
        assert!(page.contains("0.33×") && page.contains("differs, "));
        for word in ["http:", "https:", "src=", "url(", "@import", "fetch(", "XMLHttp"] {
            assert!(!page.contains(word), "{word} in the page");
        }
    }

    #[test]
    fn curves_of_many_nodes_are_those_out_of_line_and_some_others() {
        let (mut fleet, profiles) = sample_fleet();
        let names = (0..20).map(|node| format!("node-{node:02}"));
        fleet.nodes = names.collect();
        fleet.outliers[0].node = 17;
        assert_eq!(with_curves(&fleet), [0, 1, 2, 3, 4, 5, 6, 17]);
        let mut many = vec![profiles[0].clone(); 20];
        many[17] = profiles[2].clone();
        let page = ours(&fleet, &many);
        assert!(page.contains("Curves of 12 other nodes are left out"));
        assert!((0..20).all(|node| page.contains(&format!("node-{node:02}</th>"))), "all are in the table");
    }

    #[test]
    fn nothing_from_a_cluster_becomes_markup() {
        let (mut fleet, profiles) = sample_fleet();
        fleet.heading = EVIL.to_owned();
        fleet.troubles.push(EVIL.to_owned());
        fleet.sentences.push(EVIL.to_owned());
        fleet.rules.push(EVIL.to_owned());
        fleet.nodes[0] = EVIL.to_owned();
        fleet.drift[0].node = EVIL.to_owned();
        let page = ours(&fleet, &profiles);
        assert!(!page.contains("<img") && page.contains("&lt;img"));
    }

    #[test]
    fn a_fleet_without_any_profile_still_says_why() {
        let fleet = Fleet { troubles: vec!["node-a was lost".to_owned()], ..Fleet::default() };
        assert!(ours(&fleet, &[]).contains("node-a was lost"));
    }
}
