//! `SHOW CLUSTER SETTINGS` of CockroachDB.

use super::found::Found;
use super::source::Source;
use super::table::rows;
use crate::syntax::yaml::{Node, Value};
use crate::{AdviseError, System};

const BANDWIDTH: &str = "kvadmission.store.provisioned_bandwidth";

pub(super) fn find(source: &Source) -> Result<Option<Vec<Found>>, AdviseError> {
    let rows = rows(source.text, &["variable", "value"]);
    let is_known = |name: &str| {
        ["kv", "server.", "sql.", "admission.", "cluster."].iter().any(|part| name.starts_with(part))
    };
    let name = |row: &super::table::Row| row.get("variable").unwrap_or_default().to_owned();
    if !rows.iter().any(|row| is_known(&name(row))) {
        return Ok(None);
    }
    let evidence = format!("a table of {} cluster settings from line {}", rows.len(), rows[0].line);
    let mut found = Found::new(System::Cockroachdb, source.path, evidence);
    for row in &rows {
        let value = row.get("value").unwrap_or_default();
        match name(row).as_str() {
            "version" => found.config.version = Some(value.to_owned()),
            BANDWIDTH => {
                let said = Value::Text(format!("{BANDWIDTH} = '{}'", value.replace(' ', "")));
                found.embed(&Node { line: row.line, value: said, is_quoted: true, is_literal: false })?;
            }
            _ => {}
        }
    }
    Ok(Some(vec![found]))
}
