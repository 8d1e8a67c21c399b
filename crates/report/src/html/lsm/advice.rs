//! The page of an advice on the layout of an LSM tree.

use leadline_lsm::options::OptionsFile;
use leadline_lsm::{Advice, Candidate, Operation, Wanted};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Serialize;

use super::page;
use crate::ReportError;
use crate::html::chart_numbers::round;
use crate::lsm::LsmQuestion;
use crate::lsm::advice::{COLUMNS, MEANINGS, decided, difference, loads, reasons, row, searched, tied};
use crate::lsm::words;

const SCRIPT: &str = include_str!("../../../assets/lsm_advice.js");

/// What the chart draws.
#[derive(Serialize)]
struct Chart {
    /// What the time is of.
    time: &'static str,
    /// Whether it is one; otherwise a ratio.
    queries: bool,
    layouts: Vec<Shown>,
}

/// A layout in the chart.
#[derive(Serialize)]
struct Shown {
    role: Role,
    /// The layout; of a neighbour, what it changes.
    name: String,
    /// Microseconds of a query, or bytes written per byte inserted: see [`Chart::queries`].
    across: f64,
    insert_per_s: f64,
    write_amplification: f64,
    space_amplification: f64,
    mix_per_s: f64,
}

/// What a layout is in the advice.
#[derive(Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Role {
    Chosen,
    Front,
    Neighbour,
}

/// A row of a table, as text.
#[derive(Serialize)]
struct Row {
    chosen: bool,
    cells: Vec<String>,
}

/// One self-contained page of an advice: the layouts of the front, the chosen one with its OPTIONS file,
/// and its neighbours. It makes no network requests, and everything is escaped.
///
/// # Errors
/// [`ReportError::Template`].
pub fn render_lsm_advice_page(
    advice: &Advice,
    wanted: &Wanted,
    asked: &LsmQuestion,
    options: &OptionsFile,
) -> Result<String, ReportError> {
    let chosen = &advice.chosen;
    let layout = &chosen.prediction.layout;
    let neighbours = advice.neighbours.iter().map(|other| {
        let mut cells = vec![other.change.clone(), difference(chosen, &other.candidate)];
        cells.extend(row(&other.candidate));
        Row { chosen: false, cells }
    });
    let chart = chart(advice, asked);
    let queries = chart.queries;
    let words = context! {
        title => title(asked),
        sub => asked.words().lines().map(str::to_owned).collect::<Vec<_>>(),
        warnings => asked.warnings.to_vec(),
        chosen => words::layout(layout),
        reasons => reasons(chosen, asked),
        searched => searched(advice, wanted),
        loads => loads(advice),
        decided => decided(advice),
        tied => advice.tied.iter().skip(1).map(|other| tied(advice, other)).collect::<Vec<_>>(),
        meanings => MEANINGS,
        chart_title => if queries { "Time of a query against inserts" } else { "Bytes written against inserts" },
        front_columns => COLUMNS.to_vec(),
        neighbour_columns => ["change", "against the chosen"].into_iter().chain(COLUMNS).collect::<Vec<_>>(),
        front => Value::from(Serde(front(advice))),
        neighbours => Value::from(Serde(neighbours.collect::<Vec<_>>())),
        options => options.to_string(),
        version => options.release().to_string(),
        processor => asked.processor,
    };
    page("lsm_advice.html", SCRIPT, chart, words)
}

fn title(asked: &LsmQuestion) -> String {
    let bytes = crate::format::bytes(asked.data.bytes() as u64);
    format!("A layout for {bytes}: {}", asked.demands.mix)
}

fn is_chosen(advice: &Advice, candidate: &Candidate) -> bool {
    candidate.prediction.layout == advice.chosen.prediction.layout
}

fn front(advice: &Advice) -> Vec<Row> {
    let rows = advice.front.iter();
    rows.map(|c| Row { chosen: is_chosen(advice, c), cells: row(c).to_vec() }).collect()
}

fn chart(advice: &Advice, asked: &LsmQuestion) -> Chart {
    let reads = [Operation::Point, Operation::Absent, Operation::Scan];
    let reads = reads.into_iter().any(|operation| asked.demands.mix.share(operation) > 0.0);
    let shown = |role, name, candidate: &Candidate| {
        let found = &candidate.prediction;
        Shown {
            role,
            name,
            across: round(if reads { candidate.read_us } else { found.write_amplification.value }),
            insert_per_s: round(found.insert_per_s.value),
            write_amplification: round(found.write_amplification.value),
            space_amplification: round(found.space_amplification.value),
            mix_per_s: round(found.mix.per_second.value),
        }
    };
    let front = advice.front.iter().map(|candidate| {
        let role = if is_chosen(advice, candidate) { Role::Chosen } else { Role::Front };
        shown(role, words::layout(&candidate.prediction.layout), candidate)
    });
    let neighbours = advice.neighbours.iter();
    let neighbours = neighbours.map(|n| shown(Role::Neighbour, n.change.clone(), &n.candidate));
    Chart {
        time: if reads { "time of a query of the mix" } else { "bytes written per byte inserted" },
        queries: reads,
        layouts: front.chain(neighbours).collect(),
    }
}
