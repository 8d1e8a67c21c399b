//! The table that is scanned: a column in the order of its pages, and one in no order.

use std::path::PathBuf;

use super::cluster::Running;
use super::cluster::{Cluster, LOADING};
use super::explain::Access;
use super::files;
use crate::cold;
use crate::{ProveError, Variant};

/// Bytes of a page, which are not an option of Debian's packages or the npm ones.
pub(super) const PAGE_BYTES: u64 = 8192;

/// Rows of a page, by the length of their filler: 28 bytes of header and line pointer, three columns.
const ROWS_PER_PAGE: u64 = 20;
const FILLER_BYTES: u64 = 360;

/// A column with an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Column {
    /// Counts up from page to page.
    Ordered,
    /// Random: neighbouring values are in pages anywhere.
    Scattered,
}

impl Column {
    fn name(self) -> &'static str {
        match self {
            Column::Ordered => "ordered",
            Column::Scattered => "scattered",
        }
    }
}

/// The table, loaded.
pub(super) struct Table {
    pub(super) rows: u64,
    files: Vec<PathBuf>,
}

impl Table {
    /// Loads it, makes it durable, and leaves the cluster stopped.
    pub(super) fn load(cluster: &Cluster, bytes: u64, seed: u64) -> Result<Table, ProveError> {
        let rows = bytes / PAGE_BYTES * ROWS_PER_PAGE;
        let variant = Variant { name: "loading".into(), settings: Vec::new() };
        let server = cluster.start(&variant, &LOADING)?;
        // Of -1 to 1.
        let seed = (seed % 1000) as f64 / 1000.0;
        let fill = format!(
            "INSERT INTO pages SELECT n, floor(random() * {rows}), n % 1000, repeat('x', {FILLER_BYTES}) \
             FROM generate_series(0, {rows} - 1) AS n"
        );
        // No log, since it need not survive a crash; frozen, so that no scan writes.
        let statements = [
            "CREATE UNLOGGED TABLE pages (ordered int, scattered int, value int, filler text)",
            &format!("SELECT setseed({seed})"),
            &fill,
            "CREATE INDEX pages_ordered ON pages (ordered)",
            "CREATE INDEX pages_scattered ON pages (scattered)",
            "VACUUM (FREEZE, ANALYZE) pages",
            "CHECKPOINT",
        ];
        server.sql("postgres", &statements, "loading the table")?;
        let paths = "SELECT pg_relation_filepath(oid) FROM pg_class WHERE relname LIKE 'pages%'";
        let paths = server.sql("postgres", &[paths], "asking for files")?;
        server.stop()?;
        let paths: Vec<PathBuf> = paths.lines().map(PathBuf::from).collect();
        let files = files::of_relations(cluster.data(), &paths)?;
        cold::sync(&files)?;
        Ok(Table { rows, files })
    }

    /// A server under this variant, which finds nothing of the table in memory.
    pub(super) fn cold_server<'a>(
        &self,
        cluster: &'a Cluster<'a>,
        variant: &Variant,
    ) -> Result<Running<'a>, ProveError> {
        cold::drop(&self.files)?;
        cluster.start(variant, &[])
    }

    /// A query for `count` values of a column from `first` on, which reads the rows themselves.
    pub(super) fn range(column: Column, first: u64, count: u64) -> String {
        let column = column.name();
        let last = first + count - 1;
        format!("SELECT count(value) FROM pages WHERE {column} BETWEEN {first} AND {last}")
    }

    /// A query for everything, and the way it has to go.
    pub(super) fn everything() -> (String, Access) {
        ("SELECT count(value) FROM pages".to_owned(), Access::Sequential)
    }

    /// Pages of the table.
    pub(super) fn pages(&self) -> u64 {
        self.rows.div_ceil(ROWS_PER_PAGE)
    }
}
