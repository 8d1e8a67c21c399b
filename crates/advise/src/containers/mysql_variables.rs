//! `SHOW VARIABLES` of MySQL and MariaDB, in each form that their clients have, and the rows of
//! performance_schema and information_schema that say the same.

use super::found::Found;
use super::source::Source;
use super::table::{Row, rows};
use crate::{AdviseError, System};

const FORMS: [[&str; 2]; 3] =
    [["variable_name", "value"], ["variable_name", "variable_value"], ["variable_name", "global_value"]];

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let (rows, column) = match FORMS
        .iter()
        .map(|form| (rows(source.text, form), form[1]))
        .find(|(rows, _)| !rows.is_empty())
    {
        Some((rows, column)) => (rows, Some(column)),
        None => (headless(source.text), None),
    };
    if rows.is_empty() {
        return Ok(None);
    }
    let line = rows.iter().map(|row| row.line).next().unwrap_or(1);
    let evidence = format!("variables and their values, {} rows from line {line}", rows.len());
    let mut found = Found::new(System::Innodb, source.path, evidence);
    let column = column.unwrap_or("value");
    for row in &rows {
        let (name, value) = (name(row), row.get(column).unwrap_or_default());
        match name.as_str() {
            "version" => found.config.version = Some(value.to_owned()),
            name => found.put(name, value, row.line),
        }
    }
    // What a version does not have is not there either.
    found.config.incomplete = true;
    let judged = "unset variables are judged like set ones: SHOW VARIABLES does not distinguish them";
    found.config.notes.push(judged.to_owned());
    Ok(Some(vec![found]))
}

fn name(row: &Row) -> String {
    row.get("variable_name").unwrap_or_default().to_lowercase()
}

/// What a client prints with --skip-column-names: names and values with a tab between.
fn headless(text: &str) -> Vec<Row> {
    // `KEY = VALUE` may have tabs around its equals sign.
    let is_row = |line: &&str| {
        let value = line.split_once('\t').map(|(_, value)| value.trim_start());
        line.starts_with("innodb_") && value.is_some_and(|value| !value.starts_with('='))
    };
    if !text.lines().any(|line| is_row(&line)) {
        return Vec::new();
    }
    let mut rows = rows(&format!("variable_name\tvalue\n{text}"), &FORMS[0]);
    rows.iter_mut().for_each(|row| row.line -= 1);
    rows
}
