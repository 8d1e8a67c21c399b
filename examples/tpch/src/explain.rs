//! The plans that queries have: in which order tables are joined, and how each is reached.

use crate::database::Folder;
use crate::queries::{Plans, Query};
use crate::run::direct;
use crate::server::{Row, Session};
use crate::{Interrupt, TpchError};

/// A step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The part of the query: SIMPLE, PRIMARY, or the kind of subquery.
    pub part: String,
    /// The table, by its alias.
    pub table: String,
    /// How it is reached: ALL (scanned), index (an index scanned), ref and eq_ref (rows by an index).
    pub access: String,
    /// Which index; none: the rows themselves.
    pub key: Option<String>,
    /// Rows that the server expects each time.
    pub rows: String,
    /// What else the server says.
    pub extra: String,
}

/// The plans of queries on the tables of a folder, by the server's EXPLAIN. No drive is emulated.
///
/// # Errors
/// [`TpchError`]; no server is left running then.
pub fn explain(
    folder: &Folder,
    queries: &[Query],
    plans: Plans,
    interrupt: &Interrupt,
) -> Result<Vec<(Query, Vec<Step>)>, TpchError> {
    direct(folder, interrupt, |session| {
        queries.iter().map(|query| Ok((*query, steps(session, *query, plans, folder.scale())?))).collect()
    })
}

fn steps(session: &mut Session, query: Query, plans: Plans, scale: f64) -> Result<Vec<Step>, TpchError> {
    let rows = session.run(&format!("explain {}", query.statement(plans, scale)))?;
    Ok(rows.into_iter().filter_map(step).collect())
}

/// Of EXPLAIN's ten columns: id, select_type, table, type, possible_keys, key, key_len, ref, rows, Extra.
fn step(row: Row) -> Option<Step> {
    let [_, part, table, access, _, key, _, _, rows, extra] = <[String; 10]>::try_from(row).ok()?;
    let key = if key == "NULL" { None } else { Some(key) };
    Some(Step { part, table, access, key, rows, extra })
}
