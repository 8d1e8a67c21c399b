//! What can go wrong with a profile file.

use std::path::PathBuf;

use leadline_files::JsonFlaw;

/// A profile that could not be read or written. Every message names the file, the place in it, and what to
/// do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] leadline_files::FileError),
    /// The operating system refused to read the file.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The file is not JSON, or not JSON of this shape.
    #[error("{path}: {flaw}; name a profile that `leadline profile` wrote")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, and where.
        flaw: JsonFlaw,
    },
    /// The file says it follows a schema that this version cannot read.
    #[error(
        "{path}: schema is {found:?}, and this Leadline reads \"leadline.profile/1\"; {}",
        if found.starts_with("leadline.profile/") { "use the Leadline that wrote it" }
        else { "name a profile that `leadline profile` wrote" }
    )]
    Schema {
        /// The file.
        path: PathBuf,
        /// What the file's `schema` field holds.
        found: String,
    },
    /// The file parses, yet a value in it is impossible.
    #[error("{path}: {place}: {reason}; measure again or correct the file")]
    Value {
        /// The file.
        path: PathBuf,
        /// JSON path of the value, such as `points[3].iops`.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}
