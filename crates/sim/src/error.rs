//! What can go wrong with a device description.

/// A description that makes no device. The message names the file, the place in it, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimError {
    /// No built-in device has this name.
    #[error("sim:{name}: no such device; built in are {known}, or name a file: sim:./device.toml")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The description has nothing to simulate.
    #[error("sim:{name}: has published numbers only, nothing to simulate; simulated are {known}")]
    PublishedOnly {
        /// The name or file asked for.
        name: String,
        /// The names of those that can be simulated.
        known: String,
    },
    /// What the catalogue reads of the file is wrong.
    #[error(transparent)]
    Catalogue(#[from] leadline_catalogue::CatalogueError),
    /// The file could not be read.
    #[error("sim:{path}: {source}")]
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
    #[error("{path}: {field}: {reason}")]
    Value {
        /// The file.
        path: String,
        /// The field, such as `read.servers`.
        field: &'static str,
        /// What is wrong and what is allowed.
        reason: String,
    },
}
