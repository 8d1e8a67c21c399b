//! What the charts of a validation draw.

use leadline_lsm::validate::{Kind, LayoutName};
use serde::Serialize;

use super::cells::Cell;
use crate::html::chart_numbers::round;

/// The charts of a validation.
#[derive(Serialize)]
pub(super) struct Charts {
    cells: Vec<Shown>,
}

/// A cell as it is drawn: seconds of a fill, microseconds of a query.
#[derive(Serialize)]
struct Shown {
    kind: Kind,
    layout: LayoutName,
    /// Of the layouts that have nothing but a fanout to tell them apart.
    fanout: Option<u32>,
    jobs: u32,
    clients: Option<u32>,
    measured: Number,
    predicted: Option<Number>,
}

/// A number and its 95 % interval.
#[derive(Serialize)]
struct Number {
    value: f64,
    low: Option<f64>,
    high: Option<f64>,
}

impl Number {
    fn new(value: f64, interval: Option<[f64; 2]>) -> Self {
        let (low, high) = interval.map(|[low, high]| (round(low), round(high))).unzip();
        Number { value: round(value), low, high }
    }
}

impl Charts {
    pub(super) fn new(cells: &[Cell]) -> Self {
        Charts { cells: cells.iter().map(shown).collect() }
    }
}

/// Which charts there are.
#[derive(Serialize)]
pub(super) struct Has {
    point: bool,
    scan: bool,
    fill: bool,
    flash: bool,
    predictions: bool,
}

impl Has {
    pub(super) fn new(cells: &[Cell]) -> Self {
        let any = |kind| cells.iter().any(|cell| cell.kind == kind);
        let queried = |name| cells.iter().any(|cell| cell.kind != Kind::Fill && cell.layout == name);
        Has {
            point: any(Kind::Point),
            scan: any(Kind::Scan),
            fill: any(Kind::Fill),
            flash: queried(LayoutName::Single) && queried(LayoutName::Flash),
            predictions: cells.iter().any(|cell| cell.compared.is_some()),
        }
    }
}

fn shown(cell: &Cell) -> Shown {
    Shown {
        kind: cell.kind,
        layout: cell.layout,
        fanout: match cell.layout {
            LayoutName::Fanout(fanout) => Some(fanout),
            _ => None,
        },
        jobs: cell.jobs,
        clients: cell.clients,
        measured: Number::new(cell.measured.median, cell.measured.interval),
        predicted: cell.compared.map(|c| Number::new(c.predicted.value, Some(c.predicted.ci))),
    }
}
