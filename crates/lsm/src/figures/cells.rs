//! What a validation measured in each cell of its grid, and what was predicted for it.

use crate::validate::{ComparedCell, Kind, LayoutName, Query, Record, Summary};

/// A cell of the grid.
pub(super) struct Cell<'a> {
    pub(super) kind: Kind,
    pub(super) layout: LayoutName,
    /// Compaction threads with which the database was filled.
    pub(super) jobs: u32,
    /// `None` of a fill.
    pub(super) clients: Option<u32>,
    /// Seconds of a fill, microseconds of a query.
    pub(super) measured: Summary,
    /// The prediction and what it is made of; `None` where none was made.
    pub(super) compared: Option<&'a ComparedCell>,
}

/// All that were measured: point queries, then scans, then fills, each in the order of the plan.
pub(super) fn cells(record: &Record) -> Vec<Cell<'_>> {
    let queries = queries(record, Query::Point, Kind::Point).chain(queries(record, Query::Scan, Kind::Scan));
    let fills = record.layouts.iter().filter_map(|of| {
        let measured = record.fill(of.name, of.jobs, |fill| fill.fill_seconds)?;
        Some(cell(record, (Kind::Fill, of.name, of.jobs, None), measured))
    });
    queries.chain(fills).collect()
}

fn queries(record: &Record, query: Query, kind: Kind) -> impl Iterator<Item = Cell<'_>> {
    let queried = record.layouts.iter().filter(|layout| layout.queried);
    queried.flat_map(move |of| {
        record.plan.clients.iter().filter_map(move |&clients| {
            let measured = record.query(of.name, query, clients, |read| read.wall_us)?;
            Some(cell(record, (kind, of.name, of.jobs, Some(clients)), measured))
        })
    })
}

fn cell(record: &Record, key: (Kind, LayoutName, u32, Option<u32>), measured: Summary) -> Cell<'_> {
    let compared = record.comparison.iter().flat_map(|comparison| &comparison.cells);
    let (kind, layout, jobs, clients) = key;
    Cell {
        kind,
        layout,
        jobs,
        clients,
        measured,
        compared: compared.into_iter().find(|c| (c.kind, c.layout, c.jobs, c.clients) == key),
    }
}
