//! Why the engine could not.

use leadline_pool::PoolError;

/// What went wrong in the storage engine. One line each, with the place and the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A page does not hold what its place says.
    #[error("page {page}: {what}; the database is damaged, load it again")]
    Damaged {
        /// Its number.
        page: u64,
        /// What is wrong with it.
        what: &'static str,
    },
    /// A page number beyond the last page.
    #[error("page {page}: does not exist; the database is damaged, load it again")]
    NoPage {
        /// Its number.
        page: u64,
    },
    /// No room for another page.
    #[error("the database is full: all of its {pages} pages are used; load it again with a larger --room")]
    Full {
        /// Pages it has.
        pages: u64,
    },
    /// A key that must be new is in the index already.
    #[error("the key {key} is in its index already; the database is damaged, load it again")]
    Duplicate {
        /// The key, in hexadecimal.
        key: String,
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
    /// The pool's reason.
    #[error(transparent)]
    Pool(#[from] PoolError),
}
