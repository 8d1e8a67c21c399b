//! `pg_settings` and `SHOW ALL` of PostgreSQL, as psql prints them or as CSV.

use super::found::Found;
use super::source::Source;
use super::table::{Row, rows};
use crate::{AdviseError, System, plain};

/// Every version has more settings.
const LEAST_ROWS: usize = 250;

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let rows = rows(source.text, &["name", "setting"]);
    let (Some(first), true) = (rows.first(), rows.iter().any(is_known)) else { return Ok(None) };
    let evidence =
        format!("a table with the columns name and setting, {} rows from line {}", rows.len(), first.line);
    let mut found = Found::new(System::Postgresql, source.path, evidence);
    let mut defaults = 0;
    let tells_source = rows.iter().all(|row| row.get("source").is_some());
    for row in &rows {
        let (name, setting) = (row.get("name").unwrap_or_default(), row.get("setting").unwrap_or_default());
        match (name, row.get("source")) {
            ("server_version", _) => found.config.version = Some(setting.to_owned()),
            (_, Some("default")) => defaults += 1,
            _ => found.put(name, &with_unit(setting, row.get("unit")), row.line),
        }
    }
    // A part of the table leaves open what else is set.
    found.config.incomplete = rows.len() < LEAST_ROWS;
    found.config.notes.push(match tells_source {
        true => format!("{defaults} unset settings were left out"),
        false => "the table has no column source: unset settings are judged like set ones".to_owned(),
    });
    Ok(Some(vec![found]))
}

fn is_known(row: &Row) -> bool {
    let name = row.get("name").unwrap_or_default();
    plain::is_key(System::Postgresql, name)
}

/// The value with its unit: 16384 of 8kB are 131072kB. Those that stand for something else have none.
fn with_unit(setting: &str, unit: Option<&str>) -> String {
    let unit = unit.map(str::trim).unwrap_or_default();
    let Ok(number) = setting.parse::<i64>() else { return setting.to_owned() };
    if number <= 0 || unit.is_empty() {
        return setting.to_owned();
    }
    let digits = unit.find(|c: char| !c.is_ascii_digit()).unwrap_or(0);
    let (times, unit) = unit.split_at(digits);
    match times.parse::<i64>().ok().and_then(|times| number.checked_mul(times)) {
        Some(number) => format!("{number}{unit}"),
        None => format!("{number}{unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_come_with_the_numbers() {
        assert_eq!(with_unit("16384", Some("8kB")), "131072kB");
        assert_eq!(with_unit("200", Some("ms")), "200ms");
        assert_eq!(with_unit("-1", Some("8kB")), "-1");
        assert_eq!(with_unit("0.9", Some("")), "0.9");
        assert_eq!(with_unit("on", None), "on");
    }
}
