//! The table of costs over concurrency.

use std::collections::BTreeMap;

use leadline_files::TextError;

use super::sheet::{Column, Row, Sheet};
use super::shown::LAYOUTS;
use crate::{CostRow, CostTable};

/// A cost that any device may have, microseconds: far from the ends of a double, whatever it is divided by
/// later.
const COST_US: std::ops::RangeInclusive<f64> = 1e-9..=1e15;

pub(super) fn read(sheet: &mut Sheet) -> Result<CostTable, TextError> {
    let Some(k) = sheet.column("k") else {
        return Err(sheet.header_error(format!("missing column k; {}", LAYOUTS)));
    };
    let writes = [sheet.column("s_us"), sheet.column("beta_us")];
    let reads = [sheet.column("t_us"), sheet.column("alpha_us")];
    // By concurrency, with the line each came from.
    let mut rows = BTreeMap::<u32, (usize, CostRow)>::new();
    while let Some(row) = sheet.next()? {
        let at = row.concurrency(k)?;
        if let Some((line, _)) = rows.get(&at) {
            let reason = format!("is {at}, and so it is in line {line}; keep one row for each k");
            return Err(row.error(k, reason));
        }
        let [setup_write, transfer_write] = pair(&row, writes)?;
        let [setup_read, transfer_read] = pair(&row, reads)?;
        if setup_write.is_none() && setup_read.is_none() {
            return Err(
                row.error(k, format!("is {at}, and no costs follow it; fill them in or leave out the row"))
            );
        }
        rows.insert(
            at,
            (row.line, CostRow { k: at, setup_write, transfer_write, setup_read, transfer_read }),
        );
    }
    if rows.is_empty() {
        return Err(sheet.header_error("no rows follow the header; add one for each k"));
    }
    Ok(CostTable { rows: rows.into_values().map(|(_, row)| row).collect() })
}

/// Setup and transfer, seconds; both or, where both fields are empty or there are no such columns, neither.
fn pair(row: &Row, columns: [Option<Column>; 2]) -> Result<[Option<f64>; 2], TextError> {
    let [Some(setup), Some(transfer)] = columns else { return Ok([None, None]) };
    if row.text(setup).is_empty() && row.text(transfer).is_empty() {
        return Ok([None, None]);
    }
    let seconds = |column| Ok(Some(row.positive(column, COST_US, "microseconds")? / 1e6));
    Ok([seconds(setup)?, seconds(transfer)?])
}
