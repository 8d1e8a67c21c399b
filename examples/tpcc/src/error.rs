//! Why the database could not.

use leadline_index::IndexError;

/// What went wrong in the database. One line each, with the place and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The index holds something else.
    #[error("the index is no TPC-C database of Leadline's; name another directory")]
    NoDatabase,
    /// Loading did not come to an end.
    #[error("the database was never loaded to its end; load it again with --replace")]
    Unfinished,
    /// What is at a key is not what its table has.
    #[error("{table} {key}: {what}; the database is damaged, load it again")]
    Damaged {
        /// The table.
        table: &'static str,
        /// The key, in hexadecimal.
        key: String,
        /// What is wrong.
        what: &'static str,
    },
    /// A row that must exist does not.
    #[error("no {table} with the key {key}; the database is damaged, load it again")]
    NoRow {
        /// Its table.
        table: &'static str,
        /// The key, in hexadecimal.
        key: String,
    },
    /// A thread of the run ended without an answer.
    #[error("a terminal panicked; please report it with the command line")]
    Panicked,
    /// The index's reason.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The reason of a map that is not an index.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
}
