//! What can go wrong with a description.

/// A description that cannot be used. The message names the file, the place in it, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// No device of the catalogue has this name.
    #[error(
        "{name}: no such device; the catalogue has {known}; or name a file with a / or .toml in it: ./{name}.toml"
    )]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The file could not be read.
    #[error("{path}: {source}")]
    Io {
        /// The file.
        path: String,
        /// The operating system's reason.
        source: std::io::Error,
    },
    /// The file is not TOML of the right shape.
    #[error("{path}: line {line}: {reason}")]
    Syntax {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// The parser's reason.
        reason: String,
    },
    /// A value makes no sense.
    #[error("{path}: line {line}: {field}: {reason}")]
    Value {
        /// The file.
        path: String,
        /// Line of the value or of the `[[published]]` entry that has it, from 1.
        line: usize,
        /// The field, such as `published.k_r`.
        field: &'static str,
        /// What is wrong and what is allowed.
        reason: String,
    },
}
