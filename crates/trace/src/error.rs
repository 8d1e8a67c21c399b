//! What can be wrong with a trace.

/// A trace that cannot be read, or a generator that cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The file cannot be opened or read.
    #[error("{path}: {source}")]
    Io {
        /// The trace.
        path: String,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] leadline_files::FileError),
    /// A line or record that is not what the format says.
    #[error("{path}:{line}: {reason}")]
    Syntax {
        /// The trace.
        path: String,
        /// Line, or record of a binary format, from 1.
        line: u64,
        /// What was found and what was expected.
        reason: String,
    },
    /// A trace whose format neither its ending nor its content tells.
    #[error(
        "{name}: {}{}; the formats are {formats}",
        if *empty { "is empty" } else { "is in a format that is not recognised" },
        nearest.as_ref().map_or(String::new(), |nearest| format!(" ({nearest})")),
    )]
    UnknownFormat {
        /// The trace.
        name: String,
        /// Whether there is nothing in it at all.
        empty: bool,
        /// The format that comes closest, and why it is not that one.
        nearest: Option<String>,
        /// The names of the formats there are.
        formats: String,
    },
    /// A trace that could be in several formats, and would be another trace in each.
    #[error("{name}: can be read as {}", formats.join(" and as "))]
    AmbiguousFormat {
        /// The trace.
        name: String,
        /// The names of the formats.
        formats: Vec<&'static str>,
    },
    /// A name that is not a trace, or a generator that does not exist or lacks something.
    #[error("{name}: {reason}")]
    Name {
        /// What was asked for.
        name: String,
        /// What is wrong, and what there is instead.
        reason: String,
    },
}
