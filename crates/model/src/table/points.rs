//! The table of measured points.

use leadline_files::TextError;

use super::columns::POINTS;
use super::sheet::{Column, Row, Sheet};
use super::shown::{LAYOUTS, quoted};
use leadline_profile::{EngineKind, OpKind, Procedure, Work, WorkPoint};

pub(super) fn read(sheet: &mut Sheet) -> Result<Work, TextError> {
    let mut work = Work {
        procedure: Procedure { engine: EngineKind::Table, ..Procedure::default() },
        points: Vec::new(),
    };
    let columns = POINTS.map(|name| sheet.column(name));
    let [Some(op), Some(fraction), Some(k), Some(block), Some(bytes), Some(seconds)] = columns else {
        return Err(sheet.header_error(format!("missing columns; {}", LAYOUTS)));
    };
    while let Some(row) = sheet.next()? {
        let op = op_of(&row, op)?;
        let concurrency = row.concurrency(k)?;
        let (request_bytes, random_fraction) = requests_of(&row, fraction, block)?;
        let bytes = row.positive(bytes, 1.0..=1e18, "bytes")?;
        let seconds = row.positive(seconds, 1e-12..=1e12, "seconds")?;
        let procedure = &mut work.procedure;
        procedure.measured_seconds += seconds;
        let moved = if op == OpKind::Read { &mut procedure.bytes_read } else { &mut procedure.bytes_written };
        *moved = moved.saturating_add(bytes as u64);
        let (requests, seconds) = whole(bytes / request_bytes, seconds);
        let (reads, writes) = if op == OpKind::Read { (requests, 0) } else { (0, requests) };
        // Within u32 by its check.
        let block_bytes = request_bytes.round() as u32;
        let point = WorkPoint {
            reads,
            writes,
            block_bytes,
            random_fraction,
            concurrency,
            seconds,
            ..WorkPoint::default()
        };
        work.points.push(point);
    }
    if work.points.is_empty() {
        return Err(sheet.header_error("no rows follow the header; add one for each measured point"));
    }
    Ok(work)
}

fn op_of(row: &Row, column: Column) -> Result<OpKind, TextError> {
    match row.text(column).to_lowercase().as_str() {
        "read" => Ok(OpKind::Read),
        "write" => Ok(OpKind::Write),
        _ => Err(row.error(column, format!("is {}, and must be read or write", quoted(row.text(column))))),
    }
}

/// Bytes per request, up to `u32::MAX`, and which share of the requests jumps.
fn requests_of(row: &Row, fraction: Column, block: Column) -> Result<(f64, f64), TextError> {
    let most = f64::from(u32::MAX);
    let share = row.number(fraction)?;
    if !(0.0..=1.0).contains(&share) {
        let hint = if share > 1.0 { "; write a share, not percent: 0.5, not 50" } else { "" };
        let reason = format!("is {}, and must be from 0 to 1{hint}", quoted(row.text(fraction)));
        return Err(row.error(fraction, reason));
    }
    let block_bytes = row.positive(block, 1.0..=most, "bytes")?;
    if block_bytes.fract() != 0.0 {
        return Err(row.error(block, format!("is {}, and must be whole bytes", quoted(row.text(block)))));
    }
    if share == 0.0 {
        return Ok((block_bytes, 0.0));
    }
    let request_bytes = block_bytes / share;
    if request_bytes > most {
        let reason = format!(
            "is {}, so that an access would have more than 4 GiB; write 0 for blocks that follow one another",
            quoted(row.text(fraction))
        );
        return Err(row.error(fraction, reason));
    }
    Ok((request_bytes, 1.0))
}

/// A whole number of requests, at least one, and the time they take at the same time each.
fn whole(requests: f64, seconds: f64) -> (u64, f64) {
    let rounded = requests.round().max(1.0);
    (rounded as u64, seconds * (rounded / requests))
}
